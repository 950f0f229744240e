#include "proto/compat.h"

#include "server/client/attach.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/client/signals.h"

#define KEYS_QUEUED_MAX     (64u << 10) /* beyond it the terminal is not read */
#define ANSWER_DEADLINE_MS  2000        /* for the daemon after DETACH */
#define BLOCKED_DEADLINE_MS 1000        /* for a terminal that takes nothing, at the end */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool attach_is_shown(const struct attach *a)
{
    return a->state == ATTACH_SHOWN || a->state == ATTACH_LEAVING;
}

/* --- to the daemon -------------------------------------------------------------------------- */

/* A frame with a small body; without memory nothing can go on. */
static struct wbuf *begin(struct attach *a, enum ipc_message_type type, size_t body_max)
{
    struct wbuf *w = connection_begin_frame(a->c, type, body_max);

    if (!w)
        a->failed = "vitrine: out of memory";
    return w;
}

/* Tells the size if it is new, or always: the daemon draws everything again then. */
static void send_size(struct attach *a, bool always)
{
    struct ipc_size size;
    struct wbuf *w;

    if (!terminal_size(&size.cols, &size.rows))
        return;
    if (!always && size.cols == a->cols && size.rows == a->rows)
        return;
    w = begin(a, IPC_MSG_SIZE, 4);
    if (!w)
        return;
    a->cols = size.cols;
    a->rows = size.rows;
    ipc_encode_size(w, &size);
    connection_end_frame(a->c);
}

static void send_drawn(struct attach *a)
{
    struct ipc_drawn drawn = {a->drawn};
    struct wbuf *w;

    if (a->drawn == a->drawn_told || !(w = begin(a, IPC_MSG_DRAWN, 8)))
        return;
    ipc_encode_drawn(w, &drawn);
    connection_end_frame(a->c);
    a->drawn_told = a->drawn;
}

static void send_detach(struct attach *a, int signal)
{
    struct ipc_detach m = {(uint8_t)signal};
    struct wbuf *w;

    if (a->state != ATTACH_SHOWN || !(w = begin(a, IPC_MSG_DETACH, 1)))
        return;
    ipc_encode_detach(w, &m);
    connection_end_frame(a->c);
    a->state = ATTACH_LEAVING;
    a->keys_ended = true;
    a->deadline_ms = now_ms() + ANSWER_DEADLINE_MS;
}

/* One read's worth of keys. */
static void send_keys(struct attach *a)
{
    uint8_t keys[IPC_DATA_MAX_BYTES];
    ssize_t n = read(a->terminal.in, keys, sizeof keys);
    struct wbuf *w;

    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    if (n <= 0) { /* the terminal is gone */
        a->keys_ended = true;
        send_detach(a, SIGHUP);
        return;
    }
    w = begin(a, IPC_MSG_KEYS, (size_t)n);
    if (!w)
        return;
    wbuf_put(w, keys, (size_t)n);
    connection_end_frame(a->c);
}

/* --- the way in and out --------------------------------------------------------------------- */

static void show(struct bytes text, char out[ATTACH_SHOWN_MAX])
{
    utf8_printable(text.p, text.len, out, ATTACH_SHOWN_MAX - 1);
}

enum err attach_begin(struct attach *a, struct bytes body)
{
    struct ipc_attached m;

    if (ipc_decode_attached(body, &m) != ERR_OK || a->state != ATTACH_AWAY || !terminal_is_there())
        return ERR_MALFORMED;
    show(m.session, a->session);
    if (!terminal_open(&a->terminal)) {
        a->failed = "vitrine: cannot open the terminal";
        return ERR_OK;
    }
    a->state = ATTACH_SHOWN;
    signals_catch();
    if (!terminal_enter(&a->terminal))
        a->failed = "vitrine: the terminal refuses raw mode";
    send_size(a, false); /* it may have changed since the command was sent */
    return ERR_OK;
}

void attach_end(struct attach *a, const char *line)
{
    if (!attach_is_shown(a))
        return;
    terminal_leave(&a->terminal);
    if (line) { /* not by stdio: a terminal that takes nothing would keep us for ever */
        terminal_write_all(a->terminal.out, line, strlen(line), BLOCKED_DEADLINE_MS);
        terminal_write_all(a->terminal.out, "\n", 1, BLOCKED_DEADLINE_MS);
    }
    terminal_close(&a->terminal);
    signals_release();
    a->state = ATTACH_LEFT;
    a->deadline_ms = 0;
    a->draw.len = 0;
}

/* tmux's words, which people know. */
static void choose_farewell(const struct attach *a, const struct ipc_detached_report *m, char *out,
                            size_t cap)
{
    char text[ATTACH_SHOWN_MAX];

    show(m->text, text);
    if (text[0] != '\0')
        snprintf(out, cap, "[%s]", text);
    else if (m->reason == IPC_DETACHED_ENDED)
        snprintf(out, cap, "[exited]");
    else if (m->reason == IPC_DETACHED_STOPPING)
        snprintf(out, cap, "[server exited]");
    else if (m->reason == IPC_DETACHED_KILLED)
        snprintf(out, cap, "[terminated]");
    else
        snprintf(out, cap, "[detached (from session %s)]", a->session);
}

enum err attach_finish(struct attach *a, struct bytes body)
{
    struct ipc_detached_report m;
    char line[ATTACH_SHOWN_MAX + 64];

    if (ipc_decode_detached_report(body, &m) != ERR_OK || !attach_is_shown(a))
        return ERR_MALFORMED;
    choose_farewell(a, &m, line, sizeof line);
    attach_end(a, line);
    return ERR_OK;
}

/* --- drawing -------------------------------------------------------------------------------- */

enum err attach_draw(struct attach *a, struct bytes body)
{
    if (!attach_is_shown(a))
        return ERR_MALFORMED;
    if (!a->mute)
        a->draw = body;
    return ERR_OK;
}

bool attach_blocked(const struct attach *a)
{
    return a->draw.len > 0;
}

/* False when the terminal is gone. */
static bool write_some(struct attach *a)
{
    while (a->draw.len > 0) {
        ssize_t n = write(a->terminal.out, a->draw.p, a->draw.len);

        if (n >= 0) {
            a->draw.p += n;
            a->draw.len -= (size_t)n;
            a->drawn += (uint64_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return true;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void stop_drawing(struct attach *a)
{
    a->mute = true;
    a->draw.len = 0;
}

void attach_flush(struct attach *a)
{
    if (!attach_is_shown(a))
        return;
    if (!write_some(a)) {
        stop_drawing(a);
        send_detach(a, SIGHUP);
    }
    send_drawn(a);
}

/* --- the loop's hooks ----------------------------------------------------------------------- */

void attach_choose(const struct attach *a, struct pollfd fds[ATTACH_POLLS])
{
    bool keys = attach_is_shown(a) && !a->keys_ended && connection_queued(a->c) < KEYS_QUEUED_MAX;

    fds[ATTACH_POLL_KEYS] = (struct pollfd){keys ? a->terminal.in : -1, POLLIN, 0};
    fds[ATTACH_POLL_DRAW] = (struct pollfd){attach_blocked(a) ? a->terminal.out : -1, POLLOUT, 0};
}

void attach_act(struct attach *a, const struct pollfd fds[ATTACH_POLLS])
{
    if (attach_is_shown(a) && fds[ATTACH_POLL_KEYS].revents != 0)
        send_keys(a);
}

static void stop_and_continue(struct attach *a)
{
    terminal_leave(&a->terminal);
    signals_stop();
    if (!terminal_enter(&a->terminal))
        send_detach(a, SIGHUP);
    send_size(a, true);
}

void attach_take_signals(struct attach *a)
{
    struct signals s;

    if (!attach_is_shown(a))
        return;
    s = signals_take();
    if (s.end != 0)
        send_detach(a, s.end);
    if (s.stop)
        stop_and_continue(a);
    else if (s.resumed) /* after SIGSTOP, which asks nobody: the shell has used the terminal */
        terminal_reenter(&a->terminal);
    if (s.size || s.resumed)
        send_size(a, s.resumed);
}

void attach_daemon_gone(struct attach *a)
{
    if (attach_blocked(a) && a->deadline_ms == 0)
        a->deadline_ms = now_ms() + BLOCKED_DEADLINE_MS;
    a->keys_ended = true;
}

int attach_timeout_ms(const struct attach *a)
{
    int64_t left;

    if (a->deadline_ms == 0)
        return -1;
    left = a->deadline_ms - now_ms();
    return left > 0 ? (int)left : 0;
}

void attach_expire(struct attach *a)
{
    if (attach_timeout_ms(a) != 0)
        return;
    a->deadline_ms = 0;
    stop_drawing(a);
    if (a->state == ATTACH_LEAVING)
        a->failed = "[terminated]";
}
