/*     asking ── OUTPUT*, EXIT ──────────────────────────────► done
 *        └───── ATTACHED ─► attach.c ── DETACHED, EXIT ─────► done
 *
 * One loop over the daemon's socket and the terminal. Frames are acted on in their order. When the
 * daemon dies, what it had sent is still shown; then the loop ends with a line that says so. */
#include "proto/compat.h"

#include "server/client/relay.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/client/attach.h"
#include "server/client/signals.h"
#include "server/client/terminal.h"

#define BUILD_SHOWN_MAX 64
#define LINE_MAX_BYTES  320

struct relay {
    struct connection *c;
    struct attach attach;
    struct relay_output *capture; /* NULL: output goes to descriptors 1 and 2 */
    bool welcomed;                /* the daemon has answered */
    bool hung_up;                 /* the daemon's end is closed; there may be more to read */
    bool done;
    int status;
    char line[LINE_MAX_BYTES]; /* why it ended, if not by EXIT */
};

static void give_up(struct relay *r, const char *line)
{
    snprintf(r->line, sizeof r->line, "%s", line);
    r->status = RELAY_STATUS_LOST;
    r->done = true;
}

/* --- frames --------------------------------------------------------------------------------- */

static void keep_output(struct relay_output *o, struct bytes data)
{
    char *text;

    if (data.len > RELAY_CAPTURE_MAX_BYTES - o->len)
        return;
    text = realloc(o->text, o->len + data.len + 1);
    if (!text)
        return;
    memcpy(text + o->len, data.p, data.len);
    o->text = text;
    o->len += data.len;
    o->text[o->len] = '\0';
}

static enum err on_output(struct relay *r, struct bytes body)
{
    struct ipc_output m;
    enum err e = ipc_decode_output(body, &m);
    bool error = e == ERR_OK && m.stream == IPC_STREAM_ERR;

    if (e != ERR_OK || m.stream == 0 || attach_is_shown(&r->attach))
        return ERR_MALFORMED;
    if (r->capture && !error)
        keep_output(r->capture, m.data);
    else if (!terminal_write_all(error ? STDERR_FILENO : STDOUT_FILENO, m.data.p, m.data.len, -1))
        give_up(r, errno == EPIPE ? "" : "vitrine: cannot write the output");
    return ERR_OK;
}

static enum err on_welcome(struct relay *r, struct bytes body)
{
    struct ipc_welcome m;
    enum err e = ipc_decode_welcome(body, &m);
    char build[BUILD_SHOWN_MAX + 1];
    char line[LINE_MAX_BYTES];

    r->welcomed = true;
    if (e != ERR_OK || m.version == IPC_VERSION)
        return e;
    utf8_printable(m.build.p, m.build.len, build, BUILD_SHOWN_MAX);
    snprintf(line, sizeof line,
             "vitrine: the running server (%s, process %lu) speaks version %u, this program (%s) "
             "version %d: use its own vitrine, or end it with `kill %lu`",
             build, (unsigned long)m.pid, m.version, VITRINE_VERSION, IPC_VERSION,
             (unsigned long)m.pid);
    give_up(r, line);
    return ERR_OK;
}

static enum err on_attached(struct relay *r, struct bytes body)
{
    return r->capture ? ERR_MALFORMED : attach_begin(&r->attach, body);
}

static enum err on_draw(struct relay *r, struct bytes body)
{
    return attach_draw(&r->attach, body);
}

static enum err on_detached(struct relay *r, struct bytes body)
{
    return attach_finish(&r->attach, body);
}

static enum err on_exit_status(struct relay *r, struct bytes body)
{
    struct ipc_exit m;
    enum err e = ipc_decode_exit(body, &m);

    if (e == ERR_OK) {
        r->status = m.status;
        r->done = true;
    }
    return e;
}

static enum err dispatch(struct relay *r, uint8_t type, struct bytes body)
{
    static const struct {
        uint8_t type;
        enum err (*act)(struct relay *r, struct bytes body);
    } rows[] = {
        {IPC_MSG_WELCOME, on_welcome},  {IPC_MSG_OUTPUT, on_output},
        {IPC_MSG_EXIT, on_exit_status}, {IPC_MSG_ATTACHED, on_attached},
        {IPC_MSG_DRAW, on_draw},        {IPC_MSG_DETACHED, on_detached},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type == type)
            return rows[i].act(r, body);
    }
    return ERR_MALFORMED;
}

static void take_frames(struct relay *r)
{
    for (;;) {
        uint8_t type;
        struct bytes body;
        enum err e;

        attach_flush(&r->attach);
        if (r->attach.failed)
            give_up(r, r->attach.failed);
        if (r->done || attach_blocked(&r->attach))
            return;
        e = connection_next(r->c, &type, &body);
        if (e == ERR_TRUNCATED)
            return;
        if (e != ERR_OK || dispatch(r, type, body) != ERR_OK)
            give_up(r, "vitrine: the server sent what this program does not understand");
    }
}

/* --- the loop ------------------------------------------------------------------------------- */

enum { POLL_SOCKET, POLL_ATTACH, POLLS = POLL_ATTACH + ATTACH_POLLS };

/* A closed socket is always readable: while the terminal has to be waited for it is left out. */
static void choose(const struct relay *r, struct pollfd fds[POLLS])
{
    bool blocked = attach_blocked(&r->attach);
    short events = connection_events(r->c);

    fds[POLL_SOCKET] = (struct pollfd){connection_fd(r->c), events, 0};
    if (blocked)
        fds[POLL_SOCKET].events &= POLLOUT;
    if (connection_ended(r->c) || (blocked && r->hung_up))
        fds[POLL_SOCKET].fd = -1;
    attach_choose(&r->attach, fds + POLL_ATTACH);
}

static void act_on_socket(struct relay *r, short revents)
{
    enum err e = ERR_OK;

    if ((revents & (POLLHUP | POLLERR)) != 0)
        r->hung_up = true;
    if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !attach_blocked(&r->attach))
        e = connection_receive(r->c);
    if (e != ERR_OK)
        give_up(r, e == ERR_MEMORY ? "vitrine: out of memory" : "vitrine: the server went away");
}

static void check_lost(struct relay *r)
{
    if (connection_ended(r->c) || r->hung_up)
        attach_daemon_gone(&r->attach);
    if (r->done || !connection_ended(r->c) || attach_blocked(&r->attach))
        return;
    if (!r->welcomed) {
        give_up(r, "");
        r->status = RELAY_UNANSWERED;
    } else if (r->attach.state == ATTACH_AWAY)
        give_up(r, "vitrine: the server went away");
    else if (r->attach.state == ATTACH_LEFT)
        r->done = true;
    else
        give_up(r, "[lost server]");
}

static void run_round(struct relay *r)
{
    struct pollfd fds[POLLS];

    if (connection_send(r->c) != ERR_OK)
        give_up(r, "vitrine: cannot write to the server");
    choose(r, fds);
    if (signals_poll(fds, POLLS, attach_timeout_ms(&r->attach)) > 0) {
        act_on_socket(r, fds[POLL_SOCKET].revents);
        attach_act(&r->attach, fds + POLL_ATTACH);
    }
    attach_take_signals(&r->attach);
    attach_expire(&r->attach);
    take_frames(r);
    check_lost(r);
}

static int run(struct relay *r)
{
    bool shown;

    while (!r->done)
        run_round(r);
    shown = attach_is_shown(&r->attach);
    attach_end(&r->attach, r->line[0] != '\0' ? r->line : NULL);
    if (!shown && r->line[0] != '\0')
        fprintf(stderr, "%s\n", r->line);
    return r->status;
}

int relay_run(struct connection *c, uint16_t cols, uint16_t rows)
{
    struct relay r;

    memset(&r, 0, sizeof r);
    r.c = r.attach.c = c;
    r.attach.cols = cols;
    r.attach.rows = rows;
    return run(&r);
}

int relay_capture(struct connection *c, struct relay_output *out)
{
    struct relay r;

    out->text = NULL;
    out->len = 0;
    memset(&r, 0, sizeof r);
    r.c = r.attach.c = c;
    r.capture = out;
    return run(&r);
}
