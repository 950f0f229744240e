#include "proto/compat.h"

#include "server/client/library.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/utf8.h"
#include "server/client/request.h"
#include "server/client/runtime_dir.h"
#include "server/client/start.h"

#define OPEN_TRIES 3 /* at daemons that are just ending */

/* --- errors --------------------------------------------------------------------------------- */

const char *vitrine_status_text(int status)
{
    static const char *const texts[] = {
        "success",
        "the command failed",
        "the command line is wrong",
        "not found",
        "no server running",
        "the socket is not this user's alone",
        "the server speaks another version",
        "the server went away",
        "the server sent what cannot be understood",
        "it did not happen in time",
        "the program has ended",
        "too long or too many",
        "a wrong argument",
        "not allowed now",
        "out of memory",
        "a system call failed",
    };
    size_t i = status <= 0 ? (size_t) - (int64_t)status : SIZE_MAX;

    return i < sizeof texts / sizeof texts[0] ? texts[i] : "unknown status";
}

const char *vitrine_version(void)
{
    return VITRINE_VERSION;
}

int library_fail(struct vitrine *v, int status, const char *format, ...)
{
    char line[LIBRARY_ERROR_MAX];
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    utf8_printable((const uint8_t *)line, strlen(line), v->error, sizeof v->error - 1);
    return status;
}

const char *vitrine_error(const struct vitrine *v)
{
    return v ? v->error : "out of memory";
}

/* Ends the connection, once; later calls fail the same way. */
static int lose(struct vitrine *v, int status)
{
    if (v->lost == VITRINE_OK) {
        v->lost = status;
        connection_close(v->c);
        v->c = NULL;
        library_end_subscriptions(v);
    }
    return library_fail(v, v->lost, "%s", vitrine_status_text(v->lost));
}

int library_ready(struct vitrine *v)
{
    if (v->handling > 0)
        return library_fail(v, VITRINE_E_STATE, "not allowed inside a handler");
    if (!v->c)
        return library_fail(v, v->lost ? v->lost : VITRINE_E_LOST, "%s",
                            vitrine_status_text(v->lost ? v->lost : VITRINE_E_LOST));
    return VITRINE_OK;
}

/* --- memory --------------------------------------------------------------------------------- */

bool library_put(struct library_bytes *b, const void *p, size_t n)
{
    size_t cap = b->cap > 0 ? b->cap : 1024;
    char *more;

    if (n > LIBRARY_RESULT_MAX - b->len)
        return false;
    while (cap < b->len + n)
        cap *= 2;
    if (cap > b->cap) {
        more = malloc(cap);
        if (!more)
            return false;
        if (b->len > 0)
            memcpy(more, b->p, b->len);
        if (b->p)
            explicit_bzero(b->p, b->len);
        free(b->p);
        b->p = more;
        b->cap = cap;
    }
    if (n > 0)
        memcpy(b->p + b->len, p, n);
    b->len += n;
    return true;
}

void library_bytes_clear(struct library_bytes *b)
{
    if (b->p)
        explicit_bzero(b->p, b->cap);
    free(b->p);
    memset(b, 0, sizeof *b);
}

void vitrine_free(void *p)
{
    free(p);
}

/* --- requests ------------------------------------------------------------------------------- */

uint32_t library_next_id(struct vitrine *v)
{
    if (++v->last_id == 0)
        v->last_id = 1;
    return v->last_id;
}

struct wbuf *library_begin_frame(struct vitrine *v, enum ipc_message_type type, size_t body_max)
{
    struct wbuf *w = connection_begin_frame(v->c, type, body_max);

    if (!w)
        library_fail(v, VITRINE_E_MEMORY, "out of memory");
    return w;
}

int library_end_frame(struct vitrine *v)
{
    if (connection_end_frame(v->c) == ERR_OK)
        return VITRINE_OK;
    return library_fail(v, VITRINE_E_LIMIT, "too long for the socket");
}

/* --- frames --------------------------------------------------------------------------------- */

static int status_of(enum ipc_result result)
{
    static const int statuses[] = {
        [IPC_RESULT_DONE] = VITRINE_OK,           [IPC_RESULT_NOT_FOUND] = VITRINE_E_NOT_FOUND,
        [IPC_RESULT_REFUSED] = VITRINE_E_LIMIT,   [IPC_RESULT_ENDED] = VITRINE_E_ENDED,
        [IPC_RESULT_CANCELLED] = VITRINE_E_STATE, [IPC_RESULT_MEMORY] = VITRINE_E_MEMORY,
    };

    return statuses[result];
}

static bool take_answer(struct vitrine *v, struct bytes body)
{
    struct library_waiting *w = v->waiting;
    struct ipc_answer m;

    if (ipc_decode_answer(body, &m) != ERR_OK)
        return false;
    if (!w || w->id != m.id || w->answered)
        return true;
    w->answered = true;
    if (w->status == VITRINE_OK)
        w->status = status_of((enum ipc_result)m.result);
    if (w->status != VITRINE_OK && m.text.len > 0)
        library_fail(v, w->status, "%.*s", (int)m.text.len, (const char *)m.text.p);
    return true;
}

/* Every record begins with the request's number. */
static bool take_record(struct vitrine *v, uint8_t type, struct bytes body)
{
    struct library_waiting *w = v->waiting;
    struct rbuf r;
    uint32_t id;

    rbuf_init(&r, body.p, body.len);
    id = rbuf_u32(&r);
    if (r.bad)
        return false;
    if (!w || w->id != id || w->answered || w->status != VITRINE_OK)
        return true;
    w->status = w->record ? w->record(w, type, body) : VITRINE_E_PROTOCOL;
    return w->status != VITRINE_E_PROTOCOL;
}

static bool take_welcome(struct vitrine *v, struct bytes body)
{
    struct ipc_welcome m;

    if (ipc_decode_welcome(body, &m) != ERR_OK || v->welcomed)
        return false;
    v->pid = m.pid;
    utf8_printable(m.build.p, m.build.len, v->build, sizeof v->build - 1);
    if (m.version != IPC_VERSION)
        v->lost = VITRINE_E_VERSION; /* the connection is kept until who waits has seen it */
    v->welcomed = true;
    return true;
}

static bool take_frame(struct vitrine *v, uint8_t type, struct bytes body)
{
    bool bad = false;

    if (type != IPC_MSG_WELCOME && !v->welcomed)
        return false;
    switch (type) {
    case IPC_MSG_WELCOME:
        return take_welcome(v, body);
    case IPC_MSG_ANSWER:
        return take_answer(v, body);
    case IPC_MSG_SESSION:
    case IPC_MSG_WINDOW:
    case IPC_MSG_PANE:
    case IPC_MSG_SCREEN:
    case IPC_MSG_LINE:
    case IPC_MSG_LINK:
        return take_record(v, type, body);
    case IPC_MSG_OUTPUT:
        library_take_output(v, body, &bad);
        return !bad;
    case IPC_MSG_EXIT:
        library_take_exit(v, body, &bad);
        return !bad;
    case IPC_MSG_SUBSCRIBED:
    case IPC_MSG_DATA:
    case IPC_MSG_LAG:
    case IPC_MSG_ENDED:
        return library_take_subscribed(v, type, body);
    case IPC_MSG_EVENT:
        return library_take_event(v, body);
    default: /* what is for attached terminals, or goes up */
        return false;
    }
}

static int take_frames(struct vitrine *v)
{
    uint8_t type;
    struct bytes body;
    enum err e = ERR_OK;

    while (v->lost == VITRINE_OK && (e = connection_next(v->c, &type, &body)) == ERR_OK) {
        if (!take_frame(v, type, body))
            return lose(v, VITRINE_E_PROTOCOL);
    }
    return e == ERR_OK || e == ERR_TRUNCATED ? VITRINE_OK : lose(v, VITRINE_E_PROTOCOL);
}

/* --- waiting -------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t library_deadline(int timeout_ms)
{
    return timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
}

/* Milliseconds that poll() may wait. */
static int time_left(int64_t deadline)
{
    int64_t left;

    if (deadline < 0)
        return -1;
    left = deadline - now_ms();
    return left < 0 ? 0 : (int)left;
}

/* Waits for the socket. VITRINE_OK when there is something to read. */
static int wait_for_socket(struct vitrine *v, int64_t deadline)
{
    for (;;) {
        struct pollfd p = {connection_fd(v->c), connection_events(v->c), 0};
        int n = poll(&p, 1, time_left(deadline));

        if (n < 0 && errno != EINTR)
            return library_fail(v, VITRINE_E_SYSTEM, "poll: %s", strerror(errno));
        if (n == 0)
            return VITRINE_E_TIMEOUT;
        if (n > 0 && connection_send(v->c) != ERR_OK)
            return lose(v, VITRINE_E_LOST);
        if (n > 0 && (p.revents & (POLLIN | POLLHUP | POLLERR)))
            return VITRINE_OK;
    }
}

int library_pump(struct vitrine *v, int64_t deadline)
{
    enum err e;
    int status;

    if (connection_send(v->c) != ERR_OK)
        return lose(v, VITRINE_E_LOST);
    status = wait_for_socket(v, deadline);
    if (status != VITRINE_OK)
        return status;
    e = connection_receive(v->c);
    if (e == ERR_MEMORY)
        return library_fail(v, VITRINE_E_MEMORY, "out of memory");
    if (e != ERR_OK)
        return lose(v, VITRINE_E_LOST);
    status = take_frames(v);
    if (status == VITRINE_OK && v->lost == VITRINE_OK && connection_ended(v->c))
        return lose(v, VITRINE_E_LOST);
    return status;
}

int library_wait_until(struct vitrine *v, struct library_waiting *w, int64_t deadline)
{
    int status = VITRINE_OK;

    v->error[0] = '\0'; /* the answer may bring its own */
    v->waiting = w;
    while (!w->answered && status == VITRINE_OK)
        status = library_pump(v, deadline);
    v->waiting = NULL;
    if (w->answered && w->status != VITRINE_OK)
        return v->error[0] != '\0'
                   ? w->status
                   : library_fail(v, w->status, "%s", vitrine_status_text(w->status));
    if (w->answered)
        return VITRINE_OK; /* even when the connection ended behind the answer */
    if (status == VITRINE_E_TIMEOUT)
        library_fail(v, status, "the server did not answer in time");
    return status;
}

int library_wait(struct vitrine *v, struct library_waiting *w)
{
    return library_wait_until(v, w, library_deadline(v->timeout_ms));
}

int vitrine_dispatch(struct vitrine *v, int timeout_ms)
{
    int status = library_ready(v);

    if (status == VITRINE_OK)
        status = library_pump(v, library_deadline(timeout_ms));
    if (status == VITRINE_E_TIMEOUT)
        library_fail(v, status, "nothing has come");
    return status;
}

int vitrine_fd(const struct vitrine *v)
{
    return v->c ? connection_fd(v->c) : -1;
}

/* --- opening -------------------------------------------------------------------------------- */

static int status_of_open(enum err e)
{
    switch ((int)e) {
    case ERR_OK:
        return VITRINE_OK;
    case ERR_AUTH:
        return VITRINE_E_PERMISSION;
    case ERR_MEMORY:
        return VITRINE_E_MEMORY;
    case ERR_SYSTEM:
        return errno == EACCES || errno == EPERM ? VITRINE_E_PERMISSION : VITRINE_E_SYSTEM;
    default:
        return VITRINE_E_NO_SERVER;
    }
}

/* HELLO and PROGRAM in one write. */
static int greet(struct vitrine *v, bool events)
{
    struct ipc_program m = {events ? IPC_PROGRAM_EVENTS : 0};
    struct wbuf *w;

    if (request_queue_hello(v->c) != ERR_OK)
        return library_fail(v, VITRINE_E_MEMORY, "out of memory");
    w = library_begin_frame(v, IPC_MSG_PROGRAM, 8);
    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_program(w, &m);
    return library_end_frame(v);
}

static int explain_version(struct vitrine *v)
{
    connection_close(v->c);
    v->c = NULL;
    return library_fail(v, VITRINE_E_VERSION,
                        "the running server (%s, process %lu) speaks another version than this "
                        "library (%s)",
                        v->build, (unsigned long)v->pid, VITRINE_VERSION);
}

/* Connects once. *again when the daemon closed without a word: it was ending. */
static int connect_once(struct vitrine *v, const struct vitrine_options *o, bool *again)
{
    char why[START_WHY_MAX] = "";
    bool started;
    enum err e = o->start ? start_connect(v->path, o->config, v->timeout_ms, &v->c, &started, why)
                          : connection_open(v->path, v->timeout_ms, &v->c);
    int status = status_of_open(e);
    int64_t deadline = library_deadline(v->timeout_ms);

    *again = false;
    if (status != VITRINE_OK) {
        if (!o->start)
            start_explain(e, v->path, why);
        return library_fail(v, status, "%s", why);
    }
    status = greet(v, o->events);
    while (status == VITRINE_OK && !v->welcomed)
        status = library_pump(v, deadline);
    if (v->lost == VITRINE_E_VERSION)
        return explain_version(v);
    *again = v->lost == VITRINE_E_LOST && !v->welcomed;
    if (status == VITRINE_E_TIMEOUT)
        library_fail(v, status, "the server on %s does not answer", v->path);
    return status;
}

static int open_path(struct vitrine *v, const struct vitrine_options *o)
{
    struct runtime_choice choice = {o->socket_path, o->socket_name, NULL};
    char why[RUNTIME_WHY_MAX];
    bool again = true;
    int status = VITRINE_E_LOST;
    enum err e = runtime_dir_socket(&choice, v->path, why);

    if (e != ERR_OK)
        return library_fail(v, e == ERR_STATE ? VITRINE_E_PERMISSION : VITRINE_E_ARGUMENT, "%s",
                            why);
    for (int i = 0; i < OPEN_TRIES && again; i++) {
        v->lost = VITRINE_OK;
        status = connect_once(v, o, &again);
    }
    return status;
}

int vitrine_open(struct vitrine **out, const struct vitrine_options *options)
{
    struct vitrine_options o = {sizeof o, NULL, NULL, true, NULL, false, 0};
    struct vitrine *v = calloc(1, sizeof *v);
    int status;

    *out = v;
    if (!v)
        return VITRINE_E_MEMORY;
    if (options && (options->size == 0 || options->size > sizeof o))
        return library_fail(v, VITRINE_E_ARGUMENT, "options of a newer library");
    if (options) { /* members that the caller's header did not have stay as they are */
        memset(&o, 0, sizeof o);
        memcpy(&o, options, options->size);
    }
    v->timeout_ms = o.timeout_ms > 0 ? o.timeout_ms : LIBRARY_TIMEOUT_MS;
    status = open_path(v, &o);
    if (status != VITRINE_OK) {
        connection_close(v->c);
        v->c = NULL;
        v->lost = status;
    }
    return status;
}

void vitrine_close(struct vitrine *v)
{
    if (!v)
        return;
    library_drop_expects(v);
    library_drop_subscriptions(v);
    connection_close(v->c);
    free(v);
}

uint32_t vitrine_server_pid(const struct vitrine *v)
{
    return v->pid;
}

const char *vitrine_server_version(const struct vitrine *v)
{
    return v->build;
}
