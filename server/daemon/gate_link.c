#include "proto/compat.h"

#include "server/daemon/gate_link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/secret.h"
#include "proto/mux_msg.h"
#include "proto/utf8.h"
#include "server/daemon/gate_process.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"

#define BUCKETS        1024 /* a power of two */
#define IN_BYTES       (256u << 10)
#define WAITERS_MAX    32
#define BACKOFF_MIN_MS 100
#define BACKOFF_MAX_MS 5000
#define STEADY_MS      10000 /* a gate that lived so long starts the back-off anew */
#define START_WAIT_MS  15000

struct carrier {
    struct gate_link *gate;
    uint32_t channel;
    void *viewer;
    size_t credit;   /* bytes of frames that may still be sent */
    size_t received; /* bytes of frames not yet given back as credit */
    size_t reserved;
    size_t mark; /* where the reserved frame begins in the out buffer */
    struct carrier *next;
};

struct waiter {
    gate_ready_fn *fn;
    void *ctx;
};

struct gate_link {
    struct loop *loop;
    struct gate_hooks hooks;
    char program[4096];
    struct gate_config config;
    enum gate_state state;
    bool ever_ready; /* with this configuration: from then on it is always started again */
    bool ending;     /* stopped on purpose */
    pid_t pid;
    int fd;
    struct loop_watch *watch;
    struct loop_timer timer;       /* back-off, or the start's time-out */
    struct loop_timer certificate; /* the next look at its files */
    bool out_secret;               /* a certificate's key is in the out buffer */
    struct loop_task flush;
    uint64_t started_ms;
    uint64_t backoff_ms;
    unsigned restarts;
    char address[GATE_TEXT_MAX];
    uint16_t port;
    char failure[GATE_TLS_WHY];
    int listeners[MUX_LISTENERS_MAX];
    unsigned n_listeners;
    int arrived[MUX_LISTENERS_MAX]; /* descriptors whose STATE frame is not read yet */
    unsigned n_arrived;
    struct carrier *buckets[BUCKETS];
    size_t n_carriers;
    struct outbuf out;
    uint8_t *in;
    size_t in_len;
    struct waiter waiters[WAITERS_MAX];
    unsigned n_waiters;
};

static void start_gate(struct gate_link *g);

/* --- waiters -------------------------------------------------------------------------------- */

static void tell_waiters(struct gate_link *g, const char *failure)
{
    while (g->n_waiters > 0) {
        struct waiter w = g->waiters[--g->n_waiters];

        w.fn(w.ctx, failure);
    }
}

enum err gate_link_wait(struct gate_link *g, gate_ready_fn *fn, void *ctx)
{
    struct waiter w = {fn, ctx};

    if (g->state == GATE_READY || g->state == GATE_FAILED) {
        fn(ctx, g->state == GATE_FAILED ? g->failure : NULL);
        return ERR_OK;
    }
    if (g->n_waiters == WAITERS_MAX)
        return ERR_MEMORY;
    g->waiters[g->n_waiters++] = w;
    return ERR_OK;
}

void gate_link_forget(struct gate_link *g, void *ctx)
{
    for (unsigned i = 0; i < g->n_waiters; i++) {
        if (g->waiters[i].ctx == ctx)
            g->waiters[i--] = g->waiters[--g->n_waiters];
    }
}

/* --- carriers ------------------------------------------------------------------------------- */

static struct carrier **find_carrier(struct gate_link *g, uint32_t channel)
{
    struct carrier **at = &g->buckets[channel & (BUCKETS - 1)];

    while (*at && (*at)->channel != channel)
        at = &(*at)->next;
    return at;
}

static void remove_carrier(struct carrier *c)
{
    struct carrier **at = find_carrier(c->gate, c->channel);

    if (*at == c) {
        *at = c->next;
        c->gate->n_carriers--;
    }
    free(c);
}

static void close_all_carriers(struct gate_link *g)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        while (g->buckets[i]) {
            struct carrier *c = g->buckets[i];
            void *viewer = c->viewer;

            remove_carrier(c);
            g->hooks.closed(viewer);
        }
    }
}

/* Appends a frame's header to the out buffer and has it sent at the end of the round. */
static bool put_header(struct gate_link *g, uint8_t type, uint32_t channel, size_t body)
{
    struct mux_header h = {(uint32_t)body, type, channel};
    uint8_t *room = outbuf_reserve(&g->out, MUX_HEADER_BYTES + body);

    if (!room)
        return false;
    mux_write_header(room, &h);
    g->out.len += MUX_HEADER_BYTES;
    loop_defer(g->loop, &g->flush);
    return true;
}

size_t carrier_credit(const struct carrier *c)
{
    if (c->credit <= MUX_HEADER_BYTES)
        return 0;
    return c->credit - MUX_HEADER_BYTES < MUX_BODY_MAX_BYTES ? c->credit - MUX_HEADER_BYTES
                                                             : MUX_BODY_MAX_BYTES;
}

uint8_t *carrier_reserve(struct carrier *c, size_t n)
{
    uint8_t *room;

    if (n == 0 || n > carrier_credit(c))
        return NULL;
    room = outbuf_reserve(&c->gate->out, MUX_HEADER_BYTES + n);
    c->reserved = room ? n : 0;
    return room ? room + MUX_HEADER_BYTES : NULL;
}

void carrier_commit(struct carrier *c, size_t n)
{
    struct gate_link *g = c->gate;

    if (n > c->reserved || !put_header(g, MUX_MSG_DATA, c->channel, n))
        return;
    g->out.len += n; /* the body stands where carrier_reserve put it, behind the header */
    c->credit -= MUX_HEADER_BYTES + n;
    c->reserved = 0;
}

static void put_close(struct gate_link *g, uint32_t channel, uint16_t code, const char *reason)
{
    struct mux_close m = {code, bytes_of(reason)};
    struct wbuf w;

    if (!put_header(g, MUX_MSG_CLOSE, channel, 4 + m.reason.len))
        return;
    wbuf_init(&w, g->out.p + g->out.len, 4 + m.reason.len);
    mux_encode_close(&w, &m);
    g->out.len += w.len;
}

void carrier_close(struct carrier *c, uint16_t code, const char *reason)
{
    put_close(c->gate, c->channel, code, reason);
    remove_carrier(c);
}

static void give_credit(struct carrier *c, size_t frame_bytes)
{
    struct gate_link *g = c->gate;
    struct mux_credit m;
    struct wbuf w;

    c->received += frame_bytes;
    if (c->received < MUX_CREDIT_STEP_BYTES / 2 || !put_header(g, MUX_MSG_CREDIT, c->channel, 4))
        return;
    m.bytes = (uint32_t)c->received;
    wbuf_init(&w, g->out.p + g->out.len, 4);
    mux_encode_credit(&w, &m);
    g->out.len += w.len;
    c->received = 0;
}

/* --- frames from the gate ------------------------------------------------------------------- */

static bool take_open(struct gate_link *g, uint32_t channel, struct bytes body)
{
    struct mux_open m;
    struct carrier *c;
    char peer[GATE_TEXT_MAX];
    char origin[GATE_TEXT_MAX];

    if (channel == 0 || mux_decode_open(body, &m) != ERR_OK || *find_carrier(g, channel))
        return false;
    c = calloc(1, sizeof *c);
    if (!c) {
        put_close(g, channel, 4000, "refused");
        return true;
    }
    utf8_printable(m.peer.p, m.peer.len, peer, sizeof peer - 1);
    utf8_printable(m.origin.p, m.origin.len, origin, sizeof origin - 1);
    c->gate = g;
    c->channel = channel;
    c->credit = MUX_CREDIT_BYTES;
    c->next = g->buckets[channel & (BUCKETS - 1)];
    g->buckets[channel & (BUCKETS - 1)] = c;
    g->n_carriers++;
    c->viewer = g->hooks.open(g->hooks.ctx, c, peer, origin, m.flags);
    if (!c->viewer)
        carrier_close(c, 4000, "refused");
    return true;
}

static bool take_data(struct gate_link *g, uint32_t channel, uint8_t *body, size_t n)
{
    struct carrier *c = *find_carrier(g, channel);

    if (!c)
        return true; /* we closed it while this was on its way */
    if (n == 0 || c->received + MUX_HEADER_BYTES + n > MUX_CREDIT_BYTES)
        return false;
    give_credit(c, MUX_HEADER_BYTES + n);
    g->hooks.data(c->viewer, body, n);
    return true;
}

static bool take_close(struct gate_link *g, uint32_t channel, struct bytes body)
{
    struct carrier *c = *find_carrier(g, channel);
    struct mux_close m;
    void *viewer;

    if (mux_decode_close(body, &m) != ERR_OK)
        return false;
    if (!c)
        return true;
    viewer = c->viewer;
    remove_carrier(c);
    g->hooks.closed(viewer);
    return true;
}

static bool take_credit(struct gate_link *g, uint32_t channel, struct bytes body)
{
    struct carrier *c = *find_carrier(g, channel);
    struct mux_credit m;

    if (mux_decode_credit(body, &m) != ERR_OK)
        return false;
    if (!c)
        return true;
    if (m.bytes > MUX_CREDIT_BYTES - c->credit)
        return false;
    c->credit += m.bytes;
    g->hooks.credit(c->viewer);
    return true;
}

/* The gate cannot start: format says why. Whoever waits is told, and nothing is tried again. */
static void __attribute__((format(printf, 2, 3))) fail(struct gate_link *g, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(g->failure, sizeof g->failure, format, ap);
    va_end(ap);
    g->state = GATE_FAILED;
    loop_timer_stop(&g->timer);
    log_line(LOG_GATE, "%s", g->failure);
    tell_waiters(g, g->failure);
}

static void keep_listener(struct gate_link *g)
{
    if (g->n_arrived == 0)
        return;
    if (g->n_listeners < MUX_LISTENERS_MAX)
        g->listeners[g->n_listeners++] = g->arrived[0];
    else
        close(g->arrived[0]);
    g->n_arrived--;
    memmove(g->arrived, g->arrived + 1, g->n_arrived * sizeof g->arrived[0]);
}

static void become_ready(struct gate_link *g)
{
    g->state = GATE_READY;
    g->ever_ready = true;
    loop_timer_stop(&g->timer);
    if (g->config.tls.on)
        loop_timer_start(&g->certificate, GATE_TLS_WATCH_MS);
    log_line(LOG_GATE, "listening on %s port %u", g->address, g->port);
    tell_waiters(g, NULL);
}

static bool take_state(struct gate_link *g, struct bytes body)
{
    struct mux_state_report m;
    char text[GATE_TEXT_MAX];

    if (mux_decode_state_report(body, &m) != ERR_OK)
        return false;
    utf8_printable(m.text.p, m.text.len, text, sizeof text - 1);
    switch ((enum mux_state)m.state) {
    case MUX_STATE_LISTENING:
        keep_listener(g);
        snprintf(g->address, sizeof g->address, "%s", text);
        g->port = m.port;
        break;
    case MUX_STATE_READY:
        become_ready(g);
        break;
    case MUX_STATE_PORT_TAKEN:
        fail(g, "port %u is taken: choose another with --port, or leave it out", g->config.port);
        break;
    case MUX_STATE_TLS_FAILED:
        if (g->state == GATE_READY)
            log_line(LOG_GATE, "the certificate stays as it was: %s", text);
        else
            fail(g, "cannot use the certificate %.100s: %.100s", g->config.tls.chain, text);
        break;
    case MUX_STATE_BIND_FAILED:
        fail(g, "cannot listen on %.100s: %.100s", g->config.bind, text);
        break;
    }
    return true;
}

static bool take_frame(struct gate_link *g, const struct mux_header *h, uint8_t *body)
{
    struct bytes b = {body, h->length};

    switch ((enum mux_message_type)h->type) {
    case MUX_MSG_OPEN:
        return take_open(g, h->channel, b);
    case MUX_MSG_DATA:
        return take_data(g, h->channel, body, h->length);
    case MUX_MSG_CLOSE:
        return take_close(g, h->channel, b);
    case MUX_MSG_CREDIT:
        return take_credit(g, h->channel, b);
    case MUX_MSG_STATE:
        return take_state(g, b);
    case MUX_MSG_CONFIG:
    case MUX_MSG_TLS:
    case MUX_MSG_ORIGIN:
        return false;
    }
    return false;
}

/* Takes every whole frame; false when the gate broke the protocol. */
static bool take_frames(struct gate_link *g)
{
    size_t at = 0;
    bool ok = true;

    while (ok && g->fd >= 0) {
        struct mux_header h;
        enum err e = mux_read_header(g->in + at, g->in_len - at, &h);

        ok = e == ERR_OK || e == ERR_TRUNCATED;
        if (e != ERR_OK || g->in_len - at - MUX_HEADER_BYTES < h.length)
            break;
        ok = take_frame(g, &h, g->in + at + MUX_HEADER_BYTES);
        at += MUX_HEADER_BYTES + h.length;
    }
    if (g->fd >= 0) {
        memmove(g->in, g->in + at, g->in_len - at);
        g->in_len -= at;
    }
    return ok;
}

/* --- the socketpair ------------------------------------------------------------------------- */

static void keep_arrived(struct gate_link *g, struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        const unsigned char *data = CMSG_DATA(c);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, data + i * sizeof fd, sizeof fd);
            if (g->n_arrived < MUX_LISTENERS_MAX)
                g->arrived[g->n_arrived++] = fd;
            else
                close(fd);
        }
    }
}

static ssize_t receive(struct gate_link *g)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * MUX_LISTENERS_MAX)];
    } control;
    struct iovec v = {g->in + g->in_len, IN_BYTES - g->in_len};
    struct msghdr m = {.msg_iov = &v,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(g->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

    if (n > 0)
        keep_arrived(g, &m);
    return n;
}

static void wipe_out(struct gate_link *g)
{
    if (g->out_secret)
        secret_wipe(g->out.p, g->out.cap);
    g->out_secret = false;
}

/* Lets go of the process and its carriers; listeners stay. */
static void drop_gate(struct gate_link *g)
{
    loop_unwatch(g->watch);
    g->watch = NULL;
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
    g->in_len = 0;
    loop_cancel(g->loop, &g->flush);
    loop_timer_stop(&g->certificate);
    wipe_out(g);
    outbuf_clear(&g->out);
    while (g->n_arrived > 0)
        close(g->arrived[--g->n_arrived]);
    close_all_carriers(g);
}

static void on_gate_lost(struct gate_link *g)
{
    bool steady = loop_now_ms(g->loop) - g->started_ms > STEADY_MS;

    drop_gate(g);
    if (g->pid > 0)
        kill(g->pid, SIGKILL); /* in case it only closed its end; main reaps it */
    g->pid = -1;
    if (g->ending || g->state == GATE_FAILED || g->state == GATE_OFF)
        return;
    if (!g->ever_ready) {
        fail(g, "the gate ended while starting; the daemon's log has its reason");
        return;
    }
    g->state = GATE_STARTING;
    g->restarts++;
    g->backoff_ms = steady || g->backoff_ms == 0 ? BACKOFF_MIN_MS : g->backoff_ms * 2;
    if (g->backoff_ms > BACKOFF_MAX_MS)
        g->backoff_ms = BACKOFF_MAX_MS;
    log_line(LOG_GATE, "ended; starting it again in %u ms", (unsigned)g->backoff_ms);
    loop_timer_start(&g->timer, g->backoff_ms);
}

static void on_flush(void *ctx)
{
    struct gate_link *g = ctx;

    while (g->out.len > 0 && g->fd >= 0) {
        ssize_t n = send(g->fd, g->out.p, g->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            on_gate_lost(g);
            return;
        }
        if (n < 0)
            break;
        outbuf_drop(&g->out, (size_t)n);
    }
    if (g->out.len == 0)
        wipe_out(g);
    if (g->watch)
        loop_watch_set(g->watch, LOOP_READ | (g->out.len > 0 ? LOOP_WRITE : 0u));
}

static void on_event(void *ctx, unsigned events)
{
    struct gate_link *g = ctx;
    ssize_t n;

    if (events & LOOP_WRITE)
        on_flush(g);
    if (!(events & LOOP_READ) || g->fd < 0)
        return;
    n = receive(g);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        on_gate_lost(g);
        return;
    }
    g->in_len += (size_t)n;
    if (!take_frames(g)) {
        log_line(LOG_GATE, "broke the mux protocol; restarting it");
        on_gate_lost(g);
    }
}

/* --- the certificate ------------------------------------------------------------------------ */

/* Sends a frame with a key, past the out buffer when that is empty: growing would leave copies. */
static void send_secret(struct gate_link *g, const struct outbuf *frame)
{
    ssize_t n =
        g->out.len == 0 ? send(g->fd, frame->p, frame->len, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    size_t sent = n > 0 ? (size_t)n : 0;

    if (sent == frame->len)
        return;
    outbuf_put(&g->out, frame->p + sent, frame->len - sent);
    g->out_secret = true;
    loop_defer(g->loop, &g->flush);
}

/* Gives the gate its certificate. False with a line in why when there is none that can be read. */
static bool put_certificate(struct gate_link *g, char why[GATE_TLS_WHY])
{
    struct gate_tls *t = &g->config.tls;
    struct outbuf frame = {0};
    enum err e = gate_tls_renew(t, g->config.bind, loop_wall_s(g->loop), why);

    if (e == ERR_OK)
        e = gate_tls_frame(t, &frame, why);
    if (e == ERR_OK)
        send_secret(g, &frame);
    secret_wipe(frame.p, frame.cap);
    outbuf_clear(&frame);
    return e == ERR_OK;
}

/* Looks whether files were replaced, or ours is to be. A certificate that cannot be read now is
 * tried again: whoever replaces it may not be done. */
static void on_certificate(void *ctx)
{
    struct gate_link *g = ctx;
    struct gate_tls *t = &g->config.tls;
    char why[GATE_TLS_WHY] = "";
    bool due = t->own && t->until_s - GATE_TLS_RENEW_S <= loop_wall_s(g->loop);

    if (due || gate_tls_changed(t)) {
        if (put_certificate(g, why))
            log_line(LOG_GATE, "the certificate was replaced");
        else
            log_line(LOG_GATE, "the certificate stays as it was: %s", why);
    }
    loop_timer_start(&g->certificate, GATE_TLS_WATCH_MS);
}

/* --- starting ------------------------------------------------------------------------------- */

static void start_gate(struct gate_link *g)
{
    char why[GATE_TLS_WHY] = "";
    int pair[2];
    int e;

    g->state = GATE_STARTING;
    g->started_ms = loop_now_ms(g->loop);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        fail(g, "cannot start the gate: %s", strerror(errno));
        return;
    }
    g->fd = pair[0];
    e = gate_process_spawn(g->program, pair[1], &g->pid);
    close(pair[1]);
    if (e == 0)
        g->watch = loop_watch(g->loop, g->fd, LOOP_READ, on_event, g);
    if (e != 0 || !g->watch ||
        !gate_process_configure(g->fd, &g->config, g->listeners, g->n_listeners)) {
        drop_gate(g);
        fail(g, "cannot start %.150s: %s", g->program, strerror(e ? e : ENOMEM));
        return;
    }
    if (g->config.tls.on && !put_certificate(g, why)) {
        drop_gate(g);
        fail(g, "%s", why);
        return;
    }
    loop_timer_start(&g->timer, START_WAIT_MS);
}

static void on_timer(void *ctx)
{
    struct gate_link *g = ctx;

    if (g->fd >= 0)
        on_gate_lost(g); /* it did not become ready in time */
    else
        start_gate(g);
}

struct gate_link *gate_link_create(struct loop *l, const char *program,
                                   const struct gate_hooks *hooks)
{
    struct gate_link *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->in = malloc(IN_BYTES);
    if (!g->in) {
        free(g);
        return NULL;
    }
    g->loop = l;
    g->hooks = *hooks;
    g->fd = -1;
    g->pid = -1;
    snprintf(g->program, sizeof g->program, "%s", program);
    loop_timer_init(&g->timer, l, on_timer, g);
    loop_timer_init(&g->certificate, l, on_certificate, g);
    loop_task_init(&g->flush, on_flush, g);
    return g;
}

enum err gate_link_start(struct gate_link *g, const struct gate_config *c)
{
    if (g->state == GATE_STARTING || g->state == GATE_READY)
        return ERR_STATE;
    g->config = *c;
    g->ever_ready = false;
    g->ending = false;
    g->backoff_ms = 0;
    drop_gate(g); /* one that failed may not be gone yet */
    start_gate(g);
    return ERR_OK;
}

enum err gate_link_add_origin(struct gate_link *g, const char *origin)
{
    struct gate_config *c = &g->config;
    struct mux_origin m = {bytes_of(origin)};
    struct wbuf w;

    for (unsigned i = 0; i < c->n_origins; i++) {
        if (strcmp(c->origins[i], origin) == 0)
            return ERR_OK;
    }
    if (c->n_origins == GATE_ORIGINS_MAX || strlen(origin) >= GATE_TEXT_MAX)
        return ERR_EXHAUSTED;
    strcpy(c->origins[c->n_origins++], origin);
    if (g->fd < 0 || !put_header(g, MUX_MSG_ORIGIN, 0, 2 + m.text.len))
        return ERR_OK; /* the next gate gets it with its CONFIG */
    wbuf_init(&w, g->out.p + g->out.len, 2 + m.text.len);
    mux_encode_origin(&w, &m);
    g->out.len += w.len;
    return ERR_OK;
}

void gate_link_restart(struct gate_link *g)
{
    g->backoff_ms = 0; /* it was asked for, so it is no failure */
    if (g->fd >= 0)
        on_gate_lost(g);
    else if (g->state == GATE_STARTING)
        loop_timer_start(&g->timer, 0);
}

void gate_link_stop(struct gate_link *g)
{
    g->ending = true;
    loop_timer_stop(&g->timer);
    if (g->fd >= 0)
        on_flush(g); /* last words to viewers */
    drop_gate(g);    /* the gate sees its end closed, says so to viewers and exits */
    g->state = GATE_OFF;
    g->address[0] = '\0';
    g->port = 0;
    while (g->n_listeners > 0) {
        int fd = g->listeners[--g->n_listeners];

        /* also for the gate that is on its way out: the port is free now */
        shutdown(fd, SHUT_RDWR);
        close(fd);
    }
    tell_waiters(g, "the gate was stopped");
}

void gate_link_destroy(struct gate_link *g)
{
    if (!g)
        return;
    gate_link_stop(g);
    free(g->in);
    free(g);
}

bool gate_link_child_ended(struct gate_link *g, pid_t pid, int wait_status)
{
    if (pid != g->pid)
        return false;
    if (WIFSIGNALED(wait_status))
        log_line(LOG_GATE, "killed by signal %d", WTERMSIG(wait_status));
    else if (WEXITSTATUS(wait_status) != 0)
        log_line(LOG_GATE, "exited with status %d", WEXITSTATUS(wait_status));
    g->pid = -1;
    return true;
}

enum gate_state gate_link_state(const struct gate_link *g)
{
    return g->state;
}

const struct gate_config *gate_link_config(const struct gate_link *g)
{
    return &g->config;
}

const char *gate_link_address(const struct gate_link *g)
{
    return g->address;
}

uint16_t gate_link_port(const struct gate_link *g)
{
    return g->port;
}

pid_t gate_link_pid(const struct gate_link *g)
{
    return g->pid;
}

unsigned gate_link_restarts(const struct gate_link *g)
{
    return g->restarts;
}

size_t gate_link_carriers(const struct gate_link *g)
{
    return g->n_carriers;
}
