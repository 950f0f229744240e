#include "proto/compat.h"

#include "server/daemon/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "crypto/secret.h"
#include "server/daemon/attach.h"
#include "server/daemon/control_state.h"
#include "server/daemon/daemon.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/session.h"

#define READ_BYTES      (64u << 10)
#define BACKLOG         128
#define ACCEPT_PAUSE_MS 100 /* while descriptors are used up */

/* --- life of a client ----------------------------------------------------------------------- */

static void free_client(void *ctx)
{
    struct client *k = ctx;

    loop_cancel(k->control->daemon->loop, &k->flush);
    secret_wipe(k->out.p, k->out.cap); /* links may have passed through */
    outbuf_clear(&k->in);
    outbuf_clear(&k->out);
    outbuf_clear(&k->request_bytes);
    outbuf_clear(&k->command.out);
    outbuf_clear(&k->command.err);
    control_line_clear(k);
    free(k);
}

static void drop_client(struct client *k)
{
    struct control *c = k->control;

    if (k->dead)
        return;
    k->dead = true;
    for (struct client **at = &c->clients; *at; at = &(*at)->next) {
        if (*at == k) {
            *at = k->next;
            break;
        }
    }
    c->n_clients--;
    if (k->commanding && k->command.cancel)
        k->command.cancel(&k->command);
    control_end_program(k);
    if (k->attach) {
        attach_session(k->attach)->attached--;
        attach_destroy(k->attach);
        k->attach = NULL;
        daemon_terminal_left(c->daemon);
    }
    loop_timer_stop(&k->deadline);
    loop_unwatch(k->watch);
    close(k->fd);
    if (k->hang_up > 1)
        kill(k->hang_up, SIGHUP);
    loop_defer(c->daemon->loop, &k->reaper);
}

static void break_off(struct client *k, const char *why)
{
    log_line(LOG_CLIENT, "dropped: %s", why);
    drop_client(k);
}

/* --- sending -------------------------------------------------------------------------------- */

/* A program that does not read what it asked for is not listened to: its requests wait. */
static bool is_full(const struct client *k)
{
    return k->state == CLIENT_PROGRAM && k->out.len >= CONTROL_OUT_MAX_BYTES;
}

void control_watch_client(struct client *k)
{
    bool reads = k->state == CLIENT_ATTACHED ? attach_wants_keys(k->attach) : !is_full(k);

    loop_watch_set(k->watch, (reads ? LOOP_READ : 0u) | (k->out.len > 0 ? LOOP_WRITE : 0u));
}

static void take_frames(struct client *k);

/* There is room in the queue: what waited for it goes on. */
static void resume(struct client *k)
{
    if (k->state != CLIENT_PROGRAM)
        return;
    control_resume_program(k);
    if (k->in.len > 0 && !is_full(k))
        take_frames(k);
}

static void on_flush(void *ctx)
{
    struct client *k = ctx;
    size_t before = k->out.len;

    if (k->dead)
        return;
    if (k->out.bad) { /* a frame is missing in it */
        break_off(k, "out of memory");
        return;
    }
    while (k->out.len > 0) {
        ssize_t n = send(k->fd, k->out.p, k->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            drop_client(k);
            return;
        }
        if (n < 0)
            break;
        outbuf_drop(&k->out, (size_t)n);
    }
    if (k->out.len == 0 && k->state == CLIENT_CLOSING) {
        drop_client(k);
        return;
    }
    if (k->out.len < before)
        resume(k);
    if (!k->dead)
        control_watch_client(k);
}

void control_send(struct client *k, enum ipc_message_type type, const void *body, size_t n)
{
    uint8_t *room = outbuf_reserve(&k->out, IPC_HEADER_BYTES + n);
    struct wbuf w;
    size_t mark;

    if (k->dead)
        return;
    loop_defer(k->control->daemon->loop, &k->flush);
    if (!room)
        return;
    wbuf_init(&w, room, IPC_HEADER_BYTES + n);
    mark = ipc_begin_frame(&w, type);
    wbuf_put(&w, body, n);
    ipc_end_frame(&w, mark);
    k->out.len += w.len;
}

static void send_output(struct client *k, enum ipc_stream stream, const struct outbuf *text)
{
    uint8_t body[1 + IPC_DATA_MAX_BYTES];

    body[0] = (uint8_t)stream;
    for (size_t done = 0; done < text->len;) {
        size_t n = text->len - done < IPC_DATA_MAX_BYTES ? text->len - done : IPC_DATA_MAX_BYTES;

        memcpy(body + 1, text->p + done, n);
        control_send(k, IPC_MSG_OUTPUT, body, 1 + n);
        done += n;
    }
    secret_wipe(body, sizeof body);
}

void control_send_outputs(struct client *k, const struct command *c)
{
    send_output(k, IPC_STREAM_OUT, &c->out);
    send_output(k, IPC_STREAM_ERR, &c->err);
    secret_wipe(c->out.p, c->out.cap);
}

void control_send_exit(struct client *k, uint8_t status)
{
    control_send(k, IPC_MSG_EXIT, &status, 1);
    if (k->state == CLIENT_PROGRAM)
        return;
    k->state = CLIENT_CLOSING;
    loop_timer_stop(&k->deadline);
}

/* --- commands ------------------------------------------------------------------------------- */

void command_finish(struct command *c, enum command_result result)
{
    struct client *k = c->client;

    c->cancel = NULL;
    if (c->finished) {
        c->finished(c, result);
        return;
    }
    if (!k->dead && control_line_goes_on(k, &result))
        return;
    k->commanding = false;
    if (k->dead)
        return;
    if (result == COMMAND_ATTACH && k->state == CLIENT_PROGRAM)
        result = command_fail(c, "a program cannot attach: use -d");
    control_send_outputs(k, c);
    outbuf_clear(&c->out);
    if (result == COMMAND_ATTACH)
        control_attach(k, c);
    else
        control_send_exit(k, (uint8_t)result);
    if (k->state == CLIENT_PROGRAM)
        control_program_commanded(k);
}

/* The words of COMMAND as C strings; free the array, the words live in *text. NULL when a word
 * holds a NUL byte or memory ran out. */
static const char **copy_words(const struct ipc_command *m, char **text)
{
    const char **words = calloc((size_t)m->argv.n + 1, sizeof *words);
    char *at = malloc(m->argv.wire.len + 1);
    struct rbuf r;

    *text = at;
    rbuf_init(&r, m->argv.wire.p, m->argv.wire.len);
    for (uint16_t i = 0; words && at && i < m->argv.n; i++) {
        struct ipc_argument a;

        ipc_read_argument(&r, &a);
        if (memchr(a.text.p, '\0', a.text.len)) {
            free(words);
            free(*text);
            return NULL;
        }
        words[i] = at;
        memcpy(at, a.text.p, a.text.len);
        at += a.text.len;
        *at++ = '\0';
    }
    if (words && *text)
        return words;
    free(words);
    free(*text);
    return NULL;
}

static void run_command(struct client *k)
{
    struct command *c = &k->command;
    enum command_result result;
    const char **words;
    char *text;

    if (k->state == CLIENT_COMMAND)
        k->state = CLIENT_WAITING;
    k->commanding = true;
    loop_timer_stop(&k->deadline); /* it may take as long as it takes */
    c->daemon = k->control->daemon;
    c->client = k;
    c->request = &k->request;
    words = copy_words(&k->request, &text);
    if (!words) {
        break_off(k, "a word of its command cannot be read");
        return;
    }
    result = control_line_begins(k, k->request.argv.n, words)
                 ? control_line_begin(k, k->request.argv.n, words)
                 : command_run_words(c, k->request.argv.n, words);
    if (result != COMMAND_LATER)
        command_finish(c, result);
    memset(&c->args, 0, sizeof c->args); /* it points into the words */
    free(words);
    free(text);
}

static bool is_spoken(uint16_t version)
{
    return version >= IPC_VERSION_OLDEST && version <= IPC_VERSION;
}

static void send_welcome(struct client *k)
{
    struct ipc_welcome m = {is_spoken(k->version) ? k->version : IPC_VERSION, (uint32_t)getpid(),
                            bytes_of(VITRINE_VERSION)};
    uint8_t body[64];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_welcome(&w, &m);
    control_send(k, IPC_MSG_WELCOME, body, w.len);
}

static bool take_hello(struct client *k, struct bytes body)
{
    struct ipc_hello m;

    if (ipc_decode_hello(body, &m) != ERR_OK || m.magic != IPC_MAGIC)
        return false;
    k->version = m.version;
    send_welcome(k);
    k->state = CLIENT_COMMAND;
    if (!is_spoken(m.version)) /* it reads ours in WELCOME and says what to do */
        control_send_exit(k, 1);
    return true;
}

/* A program's command before may have left things behind. */
static void clear_command(struct client *k)
{
    outbuf_clear(&k->command.out);
    outbuf_clear(&k->command.err);
    memset(&k->command, 0, sizeof k->command);
    outbuf_reset(&k->request_bytes);
}

bool control_take_command(struct client *k, struct bytes body)
{
    clear_command(k);
    outbuf_put(&k->request_bytes, body.p, body.len);
    body.p = k->request_bytes.p;
    if (k->request_bytes.bad || ipc_decode_command(body, &k->request) != ERR_OK ||
        k->request.argv.n == 0 || k->request.argv.n > IPC_ARGV_MAX)
        return false;
    if (k->state == CLIENT_PROGRAM) /* whatever it runs in: nothing here can attach */
        k->request.flags &= (uint8_t)~IPC_CLIENT_TTY;
    run_command(k);
    return true;
}

/* Acts on one frame. False when it is not allowed now, or malformed. */
static bool take_frame(struct client *k, uint8_t type, struct bytes body)
{
    switch (k->state) {
    case CLIENT_HELLO:
        return type == IPC_MSG_HELLO && take_hello(k, body);
    case CLIENT_COMMAND:
        if (type == IPC_MSG_PROGRAM && k->version > 1)
            return control_begin_program(k, body);
        return type == IPC_MSG_COMMAND && control_take_command(k, body);
    case CLIENT_PROGRAM:
        return control_take_program(k, type, body);
    case CLIENT_ATTACHED:
        return control_take_attached(k, type, body);
    case CLIENT_CLOSING: /* keys that were on their way when the attach ended */
        return true;
    case CLIENT_WAITING:
        break;
    }
    return false;
}

static void take_frames(struct client *k)
{
    size_t at = 0;

    while (!k->dead && !is_full(k)) {
        struct ipc_header h;
        enum err e = ipc_read_header(k->in.p + at, k->in.len - at, &h);
        struct bytes body = {k->in.p + at + IPC_HEADER_BYTES, h.length};

        if (e == ERR_TRUNCATED || (e == ERR_OK && k->in.len - at - IPC_HEADER_BYTES < h.length))
            break;
        if (e != ERR_OK || !take_frame(k, h.type, body)) {
            if (!k->dead)
                break_off(k, "a message that is malformed or not allowed");
            return;
        }
        at += IPC_HEADER_BYTES + h.length;
    }
    if (!k->dead)
        outbuf_drop(&k->in, at);
}

static void on_client(void *ctx, unsigned events)
{
    struct client *k = ctx;
    uint8_t *room;
    ssize_t n;

    if (events & LOOP_WRITE)
        on_flush(k);
    if (k->dead || !(events & LOOP_READ))
        return;
    room = outbuf_reserve(&k->in, READ_BYTES);
    if (!room) {
        break_off(k, "out of memory");
        return;
    }
    n = recv(k->fd, room, READ_BYTES, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        drop_client(k);
        return;
    }
    k->in.len += (size_t)n;
    take_frames(k);
    if (!k->dead)
        control_watch_client(k);
}

/* --- the socket ----------------------------------------------------------------------------- */

static void on_deadline(void *ctx)
{
    break_off(ctx, "sent no command");
}

static bool is_same_user(int fd, pid_t *pid)
{
    struct ucred peer = {.pid = 0};
    socklen_t len = sizeof peer;
    bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0;

    *pid = peer.pid;
    return known && (peer.uid == geteuid() || peer.uid == 0);
}

static void accept_client(struct control *c, int fd, pid_t pid)
{
    struct client *k = calloc(1, sizeof *k);
    struct loop *l = c->daemon->loop;

    if (k)
        k->watch = loop_watch(l, fd, LOOP_READ, on_client, k);
    if (!k || !k->watch) {
        free(k);
        close(fd);
        return;
    }
    k->control = c;
    k->fd = fd;
    k->pid = pid;
    loop_timer_init(&k->deadline, l, on_deadline, k);
    loop_task_init(&k->flush, on_flush, k);
    loop_task_init(&k->reaper, free_client, k);
    k->next = c->clients;
    c->clients = k;
    c->n_clients++;
    loop_timer_start(&k->deadline, CONTROL_HELLO_MS);
}

static void on_pause_over(void *ctx)
{
    struct control *c = ctx;

    loop_watch_set(c->watch, LOOP_READ);
}

/* Who waits stays in the backlog: looking at it again and again would change nothing. */
static void pause_accepting(struct control *c)
{
    log_line(LOG_CLIENT, "cannot accept: %s", strerror(errno));
    loop_watch_set(c->watch, 0);
    loop_timer_start(&c->pause, ACCEPT_PAUSE_MS);
}

static void on_accept(void *ctx, unsigned events)
{
    struct control *c = ctx;

    (void)events;
    for (int i = 0; i < BACKLOG; i++) {
        int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        pid_t pid;

        if (fd < 0) {
            if (errno != EAGAIN && errno != EINTR)
                pause_accepting(c);
            return;
        }
        if (!is_same_user(fd, &pid) || c->n_clients >= CONTROL_CLIENTS_MAX) {
            log_line(LOG_CLIENT, "refused a client: %s",
                     c->n_clients >= CONTROL_CLIENTS_MAX ? "too many" : "another user");
            close(fd);
            continue;
        }
        accept_client(c, fd, pid);
    }
}

/* True when a daemon answers on the path. */
static bool is_alive(const struct sockaddr_un *a)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool alive = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof *a) == 0;

    if (fd >= 0)
        close(fd);
    return alive;
}

static int listen_on(const char *path, char *why, size_t why_len)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask;
    bool bound;

    if (strlen(path) >= sizeof a.sun_path) {
        snprintf(why, why_len, "the socket's path is too long: %s", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    if (fd >= 0 && is_alive(&a)) {
        snprintf(why, why_len, "a server runs on %s already", path);
        close(fd);
        return -1;
    }
    unlink(path);
    mask = umask(077); /* for the socket only: panes inherit it */
    bound = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0;
    umask(mask);
    if (!bound || listen(fd, BACKLOG) != 0) {
        snprintf(why, why_len, "cannot listen on %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

struct control *control_open(struct daemon *d, char *why, size_t why_len)
{
    struct control *c = calloc(1, sizeof *c);

    if (!c) {
        snprintf(why, why_len, "out of memory");
        return NULL;
    }
    c->daemon = d;
    loop_timer_init(&c->pause, d->loop, on_pause_over, c);
    c->fd = listen_on(d->socket_path, why, why_len);
    if (c->fd >= 0)
        c->watch = loop_watch(d->loop, c->fd, LOOP_READ, on_accept, c);
    if (!c->watch) {
        if (c->fd >= 0)
            close(c->fd);
        free(c);
        return NULL;
    }
    return c;
}

void control_close(struct control *c)
{
    struct daemon *d;

    if (!c)
        return;
    d = c->daemon;
    loop_timer_stop(&c->pause);
    loop_unwatch(c->watch);
    unlink(d->socket_path); /* first: whoever hears that we end may start another daemon there */
    close(c->fd);
    while (c->clients) {
        struct client *k = c->clients;

        if (k->attach)
            control_end_attach(k, IPC_DETACHED_STOPPING, "");
        if (k->state == CLIENT_PROGRAM) /* what it has asked besides is not begun any more */
            k->state = CLIENT_CLOSING;
        on_flush(k);
        drop_client(k);
    }
    loop_settle(d->loop);
    d->control = NULL;
    free(c);
}

/* Where terminals of a session that has ended go, as detach-on-destroy says; NULL: they detach. */
static struct session *next_session(const struct daemon *d, const struct session *s)
{
    const struct options_place at = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    enum { OFF, ON, NO_DETACHED } how = (int)options_number(d->options, at, OPTION_detach_on_destroy);
    struct session *found = session_last_used(d->sessions);

    if (how == ON || d->stopping)
        return NULL;
    if (found && !found->dead && (how == OFF || found->attached == 0))
        return found;
    for (found = session_first(d->sessions); found; found = found->next)
        if (found != s && (how == OFF || found->attached == 0))
            return found;
    return NULL;
}

void control_session_ended(struct control *c, struct session *s, const char *text)
{
    struct session *next = next_session(c->daemon, s);

    for (struct client *k = c->clients; k; k = k->next) {
        if (!k->attach || attach_session(k->attach) != s)
            continue;
        if (next)
            attach_switch(k->attach, next);
        else
            attach_session_ended(k->attach, text);
    }
}

void control_message(struct control *c, const struct session *s, const char *text)
{
    for (struct client *k = c->clients; k; k = k->next) {
        if (k->attach && attach_session(k->attach) == s)
            attach_message(k->attach, text);
    }
}

void control_pane_made(struct client *k, struct pane *p)
{
    if (k && !k->dead && k->program.next_pane)
        control_subscribe_next(k, p);
}

void control_pane_gone(struct control *c, struct pane *p)
{
    for (struct client *k = c->clients; k; k = k->next)
        control_forget_pane(k, p);
    c->ended[c->n_ended++ % CONTROL_ENDED_PANES] = control_describe_end(p);
}

size_t control_client_count(const struct control *c)
{
    return c->n_clients;
}
