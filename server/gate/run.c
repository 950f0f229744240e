#include "proto/compat.h"

#include "server/gate/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/gate/clock.h"
#include "server/gate/conn.h"
#include "server/gate/gate.h"
#include "server/gate/log.h"
#include "server/gate/mux.h"
#include "server/gate/sandbox.h"
#include "server/gate/state.h"
#include "server/gate/viewer.h"

#define ACCEPTS_PER_ROUND 64
#define STOP_TICK_MS      100
#define TEST_ADVANCE_MS   20000

/* --- the end --------------------------------------------------------------------------------- */

/* Everything a viewer is told is a hint (protocol.md 7): it will try again. */
static void dismiss(struct conn *c)
{
    if (c->channel != 0)
        viewer_forget(c);
    message_queue_clear(&c->up);
    list_remove(&c->ready);
    if (c->socket == NULL)
        conn_destroy(c);
    else if (c->state == CONN_WAIT || c->state == CONN_CHANNEL)
        viewer_fail(c, GATE_CLOSE_DAEMON_GONE);
    else if (c->state != CONN_LINGER && c->state != CONN_CLOSING)
        conn_doom(c);
}

void run_stop(struct gate *g, int exit_code)
{
    if (g->stopping)
        return;
    g->stopping = true;
    g->exit_code = exit_code;
    g->stop_ms = clock_now_ms() + RUN_STOP_MS;
    loop_schedule_tick(g->loop, STOP_TICK_MS);
}

/* First round of the end: listeners are free for the next gate, connections are dismissed. */
static void begin_end(struct gate *g)
{
    for (unsigned i = 0; i < g->listener_count; i++)
        if (g->listener_watch[i] != NULL)
            loop_close(g->listener_watch[i]);
    g->listener_count = 0;
    if (g->link_watch != NULL)
        loop_close(g->link_watch);
    g->link_watch = NULL;
    for (struct list_node *n = g->conns.next, *next; n != &g->conns; n = next) {
        next = n->next;
        dismiss(LIST_MEMBER(n, struct conn, all));
    }
}

static bool has_ended(const struct gate *g)
{
    return g->stopping && (list_is_empty(&g->conns) || clock_now_ms() >= g->stop_ms);
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_data(void *owner, const uint8_t *p, size_t n)
{
    conn_receive(owner, p, n);
}

static void on_writable(void *owner)
{
    conn_mark_dirty(owner);
}

static void on_closed(void *owner)
{
    conn_lose_socket(owner);
}

static void on_tick(void *ctx)
{
    struct gate *g = ctx;

    if (g->stopping)
        loop_schedule_tick(g->loop, STOP_TICK_MS);
    else
        conn_check_deadlines(g);
}

/* Out of descriptors: the spare one is given up to take the connection off the queue and drop it,
 * for a listener that stays readable would spin the loop. */
static void drop_one(struct gate *g, int listener)
{
    int fd;

    log_event(LOG_ACCEPT, "no descriptors left, dropped a connection");
    if (g->unproven_count > 0)
        conn_doom(g->unproven[g->unproven_count - 1]);
    close(g->spare_fd);
    fd = accept(listener, NULL, NULL);
    if (fd >= 0)
        close(fd);
    g->spare_fd = dup(g->link.fd);
}

static void accept_some(struct gate *g, int listener)
{
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        struct sockaddr_storage from;
        socklen_t len = sizeof from;
        int fd;

        memset(&from, 0, sizeof from);
        from.ss_family = AF_UNIX;
        fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            conn_accept(g, fd, (struct sockaddr *)&from);
        else if (errno == EMFILE || errno == ENFILE)
            drop_one(g, listener);
        else if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

static void read_link(struct gate *g)
{
    enum err e = link_receive(&g->link, mux_take_frame, g);

    if (e == ERR_NOT_FOUND) {
        run_stop(g, GATE_EXIT_OK);
    } else if (e != ERR_OK) {
        log_event(LOG_LINK, "the daemon's frames are not in order: %s", err_text(e));
        run_stop(g, GATE_EXIT_LINK);
    }
}

static void read_signal(struct gate *g)
{
    struct signalfd_siginfo info;

    if (read(g->signal_fd, &info, sizeof info) != sizeof info)
        return;
#ifdef VITRINE_TEST
    if (info.ssi_signo == SIGUSR1) {
        clock_advance_ms(TEST_ADVANCE_MS);
        conn_check_deadlines(g);
        return;
    }
#endif
    run_stop(g, GATE_EXIT_OK);
}

static void on_readable(void *ctx, int fd)
{
    struct gate *g = ctx;

    if (g->stopping)
        return;
    if (fd == g->link.fd)
        read_link(g);
    else if (fd == g->signal_fd)
        read_signal(g);
    else
        accept_some(g, fd);
}

static void on_unwatched(void *ctx, int fd)
{
    struct gate *g = ctx;

    for (unsigned i = 0; i < g->listener_count; i++)
        if (g->listeners[i].fd == fd)
            g->listener_watch[i] = NULL;
    if (fd == g->link.fd)
        g->link_watch = NULL;
    run_stop(g, fd == g->link.fd ? GATE_EXIT_OK : GATE_EXIT_FAIL);
}

static const struct loop_handlers handlers = {on_data,     on_writable,  on_closed,
                                              on_readable, on_unwatched, on_tick};

/* --- rounds ---------------------------------------------------------------------------------- */

static void flush_dirty(struct gate *g)
{
    struct list_node *n;

    while ((n = list_take(&g->dirty)) != NULL)
        conn_flush(LIST_MEMBER(n, struct conn, dirty));
}

static void close_doomed(struct gate *g)
{
    struct list_node *n;

    while ((n = list_take(&g->doomed)) != NULL) {
        struct conn *c = LIST_MEMBER(n, struct conn, doomed);

        loop_close(c->socket);
        conn_lose_socket(c);
    }
}

static void write_link(struct gate *g)
{
    bool more = mux_fill_link(g);

    if (link_flush(&g->link) != ERR_OK)
        run_stop(g, GATE_EXIT_OK);
    else if (more || !link_is_flushed(&g->link))
        loop_want_write(g->link_watch);
}

/* All sending and closing of a round happens here, outside the loop's callbacks. */
static void end_round(struct gate *g)
{
    flush_dirty(g);
    close_doomed(g);
    if (!g->stopping)
        write_link(g);
    if (g->stopping && (g->listener_count > 0 || g->link_watch != NULL)) {
        begin_end(g);
        flush_dirty(g);
        close_doomed(g);
    }
}

static void run_rounds(struct gate *g)
{
    while (!has_ended(g)) {
        if (!loop_run_round(g->loop)) {
            log_event(LOG_START, "the event loop failed");
            g->exit_code = GATE_EXIT_FAIL;
            return;
        }
        end_round(g);
    }
}

/* --- set-up ---------------------------------------------------------------------------------- */

/* The daemon's first frame; the descriptors that came with it go to fds. */
static int wait_config(struct gate *g, int fds[MUX_LISTENERS_MAX])
{
    struct mux_header h;
    struct bytes body;
    unsigned nfds;
    enum err e = link_wait_frame(&g->link, GATE_CONFIG_WAIT_S, &h, &body, fds, &nfds);

    if (e == ERR_OK && h.type != MUX_MSG_CONFIG)
        e = ERR_STATE;
    if (e == ERR_OK)
        e = config_read(body, &g->config);
    if (e == ERR_OK && nfds != g->config.listeners)
        e = ERR_MALFORMED;
    if (e == ERR_OK)
        return GATE_EXIT_OK;
    log_event(LOG_START, "no usable CONFIG from the daemon: %s", err_text(e));
    return GATE_EXIT_USAGE;
}

static int report(struct gate *g, uint8_t state, const struct listener *l, int fd)
{
    struct mux_state_report s = {.state = state};

    s.port = l != NULL ? l->port : g->config.port;
    s.text = bytes_of(l != NULL ? l->text : "");
    if (link_send_state(&g->link, &s, fd) == ERR_OK)
        return GATE_EXIT_OK;
    log_event(LOG_START, "the daemon does not listen");
    return GATE_EXIT_FAIL;
}

/* The certificate, when there is to be one, comes directly behind CONFIG. */
static int wait_tls(struct gate *g)
{
    struct listener reason = {.port = g->config.port};
    char why[TLS_REASON_BYTES] = "no certificate came from the daemon";
    struct mux_header h;
    struct bytes body;
    int fds[MUX_LISTENERS_MAX];
    unsigned nfds;
    enum err e;

    if (!g->config.tls)
        return GATE_EXIT_OK;
    if (!tls_init()) {
        log_event(LOG_START, "cannot start: the TLS library fails");
        return GATE_EXIT_FAIL;
    }
    e = link_wait_frame(&g->link, GATE_CONFIG_WAIT_S, &h, &body, fds, &nfds);
    if (e == ERR_OK && (h.type != MUX_MSG_TLS || nfds > 0))
        e = ERR_STATE;
    if (e == ERR_OK)
        e = mux_use_tls(g, body, why);
    if (e == ERR_OK)
        return GATE_EXIT_OK;
    log_event(LOG_START, "no usable certificate: %s", why);
    snprintf(reason.text, sizeof reason.text, "%s", why);
    report(g, MUX_STATE_TLS_FAILED, &reason, -1);
    return GATE_EXIT_USAGE;
}

static int open_listener(struct gate *g)
{
    struct listener *l = &g->listeners[0];
    enum err e = listen_open(l, g->config.bind, g->config.port, g->config.port_required);

    if (e == ERR_OK) {
        g->listener_count = 1;
        return report(g, MUX_STATE_LISTENING, l, l->fd);
    }
    log_event(LOG_START, "cannot listen on %s: %s", log_text(bytes_of(g->config.bind)).text,
              l->text);
    l->port = g->config.port;
    report(g, e == ERR_EXHAUSTED ? MUX_STATE_PORT_TAKEN : MUX_STATE_BIND_FAILED, l, -1);
    return GATE_EXIT_BIND;
}

static int take_listeners(struct gate *g, const int fds[MUX_LISTENERS_MAX])
{
    int code = GATE_EXIT_OK;

    for (unsigned i = 0; i < g->config.listeners && code == GATE_EXIT_OK; i++) {
        if (listen_take(&g->listeners[i], fds[i]) != ERR_OK) {
            log_event(LOG_START, "a kept descriptor is no listener");
            return GATE_EXIT_USAGE;
        }
        g->listener_count = i + 1;
        code = report(g, MUX_STATE_LISTENING, &g->listeners[i], -1);
    }
    return code;
}

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
#ifdef VITRINE_TEST
    sigaddset(&set, SIGUSR1);
#endif
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool watch_all(struct gate *g)
{
    g->link_watch = loop_watch(g->loop, g->link.fd);
    if (g->link_watch == NULL || loop_watch(g->loop, g->signal_fd) == NULL)
        return false;
    for (unsigned i = 0; i < g->listener_count; i++) {
        g->listener_watch[i] = loop_watch(g->loop, g->listeners[i].fd);
        if (g->listener_watch[i] == NULL)
            return false;
        origin_add_own(&g->config.origins, g->config.tls, g->listeners[i].address,
                       g->listeners[i].port);
    }
    return true;
}

static int start(struct gate *g)
{
    sandbox_raise_limits();
    g->unproven = calloc(g->config.max_unproven, sizeof *g->unproven);
    g->signal_fd = open_signals();
    g->spare_fd = dup(g->link.fd);
    g->loop = loop_create(&handlers, g);
    if (g->unproven == NULL || g->signal_fd < 0 || g->spare_fd < 0 || g->loop == NULL ||
        !watch_all(g)) {
        log_event(LOG_START, "cannot start: memory or descriptors are out");
        return GATE_EXIT_FAIL;
    }
    if (sandbox_enter() != ERR_OK) {
        log_event(LOG_START, "cannot enter the sandbox: %s", strerror(errno));
        return GATE_EXIT_FAIL;
    }
    return report(g, MUX_STATE_READY, NULL, -1);
}

static void init(struct gate *g)
{
    memset(g, 0, sizeof *g);
    list_init(&g->conns);
    list_init(&g->dirty);
    list_init(&g->ready);
    list_init(&g->owing);
    list_init(&g->doomed);
    g->signal_fd = g->spare_fd = -1;
}

/* In reverse: connections, loop (which closes every descriptor it watches), buffers. */
static void clear(struct gate *g)
{
    g->stopping = true;
    while (!list_is_empty(&g->conns)) {
        struct conn *c = LIST_MEMBER(g->conns.next, struct conn, all);

        if (c->socket != NULL)
            loop_close(c->socket);
        conn_destroy(c);
    }
    loop_destroy(g->loop);
    free(g->unproven);
    tls_context_destroy(g->tls);
    link_clear(&g->link);
    message_release_kept();
}

int run_gate(int daemon_fd)
{
    static struct gate gate;
    int fds[MUX_LISTENERS_MAX];
    int code;

    init(&gate);
    if (link_init(&gate.link, daemon_fd) != ERR_OK) {
        log_event(LOG_START, "descriptor %d is no socket: the daemon starts this program",
                  daemon_fd);
        link_clear(&gate.link);
        return GATE_EXIT_USAGE;
    }
    code = wait_config(&gate, fds);
    if (code == GATE_EXIT_OK)
        code = wait_tls(&gate);
    if (code == GATE_EXIT_OK)
        code = gate.config.listeners > 0 ? take_listeners(&gate, fds) : open_listener(&gate);
    if (code == GATE_EXIT_OK)
        code = start(&gate);
    if (code == GATE_EXIT_OK) {
        run_rounds(&gate);
        code = gate.exit_code;
    }
    clear(&gate);
    return code;
}
