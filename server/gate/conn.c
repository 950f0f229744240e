#include "proto/compat.h"

#include "server/gate/conn.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/gate/clock.h"
#include "server/gate/gate.h"
#include "server/gate/log.h"
#include "server/gate/request.h"
#include "server/gate/viewer.h"

#define TICK_MS 1000
#define UNSENT_BYTES                                                            \
    (128u << 10) /* the kernel holds at most this much that it has not sent yet \
                  */

/* --- peers ----------------------------------------------------------------------------------- */

static void set_peer(struct conn *c, const struct sockaddr *from)
{
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *a = (const void *)from;

        c->peer.s6_addr[10] = c->peer.s6_addr[11] = 0xff;
        memcpy(c->peer.s6_addr + 12, &a->sin_addr, 4);
        c->peer_port = ntohs(a->sin_port);
        if (c->peer.s6_addr[12] == 127)
            c->peer_flags |= MUX_PEER_LOOPBACK;
    } else if (from->sa_family == AF_INET6) {
        const struct sockaddr_in6 *a = (const void *)from;

        c->peer = a->sin6_addr;
        c->peer_port = ntohs(a->sin6_port);
        if (IN6_IS_ADDR_LOOPBACK(&c->peer) ||
            (IN6_IS_ADDR_V4MAPPED(&c->peer) && c->peer.s6_addr[12] == 127))
            c->peer_flags |= MUX_PEER_LOOPBACK;
    } else {
        c->peer_flags |= MUX_PEER_UNIX;
    }
}

void conn_peer_text(const struct conn *c, char out[CONN_PEER_MAX_BYTES + 1])
{
    char address[INET6_ADDRSTRLEN];
    bool v4 = IN6_IS_ADDR_V4MAPPED(&c->peer);

    if (c->peer_flags & MUX_PEER_UNIX) {
        snprintf(out, CONN_PEER_MAX_BYTES + 1, "unix");
        return;
    }
    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? c->peer.s6_addr + 12 : c->peer.s6_addr, address,
              sizeof address);
    snprintf(out, CONN_PEER_MAX_BYTES + 1, v4 ? "%s:%u" : "[%s]:%u", address, c->peer_port);
}

static void set_socket_options(const struct conn *c, int fd)
{
    int on = 1, unsent = UNSENT_BYTES;

    if (c->peer_flags & MUX_PEER_UNIX)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
}

/* --- connections that have not proven themselves --------------------------------------------- */

void conn_prove(struct conn *c)
{
    struct gate *g = c->gate;
    struct conn *last;

    if (c->unproven_at < 0)
        return;
    last = g->unproven[--g->unproven_count];
    g->unproven[c->unproven_at] = last;
    last->unproven_at = c->unproven_at;
    c->unproven_at = -1;
}

static uint32_t random_below(uint32_t n)
{
    uint32_t r = 0;

    if (getrandom(&r, sizeof r, 0) != sizeof r)
        r = (uint32_t)clock_now_ms();
    return r % n;
}

/* The same peer as far as limits go: who has an IPv6 address has its /64. */
static bool same_address(const struct conn *a, const struct conn *b)
{
    size_t n = IN6_IS_ADDR_V4MAPPED(&a->peer) ? sizeof a->peer : 8;

    return memcmp(&a->peer, &b->peer, n) == 0;
}

static uint32_t count_address(const struct gate *g, const struct conn *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->unproven_count; i++)
        n += same_address(g->unproven[i], c);
    return n;
}

static void evict(struct conn *c)
{
    char peer[CONN_PEER_MAX_BYTES + 1];

    conn_peer_text(c, peer);
    log_event(LOG_ACCEPT, "too many connections wait, closed the one from %s", peer);
    conn_doom(c);
}

/* A random one with c's address. */
static void evict_address(struct gate *g, const struct conn *c, uint32_t count)
{
    uint32_t chosen = random_below(count);

    for (uint32_t i = 0; i < g->unproven_count; i++)
        if (same_address(g->unproven[i], c) && chosen-- == 0) {
            evict(g->unproven[i]);
            return;
        }
}

static void make_place(struct gate *g, const struct conn *c)
{
    bool limited = (c->peer_flags & (MUX_PEER_LOOPBACK | MUX_PEER_UNIX)) == 0;
    uint32_t same = limited ? count_address(g, c) : 0;

    if (limited && same >= g->config.max_per_address)
        evict_address(g, c, same);
    if (g->unproven_count >= g->config.max_unproven)
        evict(g->unproven[random_below(g->unproven_count)]);
}

/* --- life ------------------------------------------------------------------------------------ */

static struct conn *create(struct gate *g)
{
    struct conn *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->gate = g;
    c->unproven_at = -1;
    message_queue_init(&c->out);
    message_queue_init(&c->up);
    list_init(&c->all);
    list_init(&c->dirty);
    list_init(&c->ready);
    list_init(&c->owing);
    list_init(&c->doomed);
    return c;
}

void conn_accept(struct gate *g, int fd, const struct sockaddr *peer)
{
    struct conn *c = create(g);

    if (c == NULL) {
        close(fd);
        return;
    }
    set_peer(c, peer);
    set_socket_options(c, fd);
    make_place(g, c);
    if (g->tls != NULL) {
        c->tls = tls_create(g->tls);
        c->peer_flags |= MUX_PEER_TLS;
    }
    c->socket = loop_adopt(g->loop, fd, c);
    if (c->socket != NULL && g->tls != NULL && c->tls == NULL) {
        loop_close(c->socket);
        c->socket = NULL;
    }
    if (c->socket == NULL) {
        conn_destroy(c);
        return;
    }
    list_append(&g->conns, &c->all);
    c->unproven_at = (int32_t)g->unproven_count;
    g->unproven[g->unproven_count++] = c;
    conn_set_deadline(c, GATE_HEAD_WAIT_S);
}

void conn_destroy(struct conn *c)
{
    conn_prove(c);
    viewer_forget(c);
    list_remove(&c->all);
    list_remove(&c->dirty);
    list_remove(&c->ready);
    list_remove(&c->owing);
    list_remove(&c->doomed);
    message_destroy(c->head);
    message_destroy(c->pong);
    ws_parser_clear(&c->ws);
    message_queue_clear(&c->out);
    message_queue_clear(&c->up);
    tls_destroy(c->tls);
    free(c);
}

void conn_lose_socket(struct conn *c)
{
    c->socket = NULL;
    conn_prove(c);
    list_remove(&c->dirty);
    list_remove(&c->doomed);
    message_queue_clear(&c->out);
    c->body = c->body_end = NULL;
    if (c->channel != 0)
        viewer_end_channel(c, GATE_CLOSE_ABNORMAL, bytes_of(""));
    else
        conn_destroy(c);
}

void conn_doom(struct conn *c)
{
    conn_prove(c);
    list_remove(&c->dirty);
    list_append(&c->gate->doomed, &c->doomed);
}

static void receive_plain(struct conn *c, const uint8_t *p, size_t n)
{
    if (c->state == CONN_HEAD)
        request_receive(c, p, n);
    else if (c->state == CONN_WAIT || c->state == CONN_CHANNEL || c->state == CONN_CLOSING)
        viewer_receive(c, p, n);
}

/* The peer broke TLS: it gets what the library has to say about that, and nothing else. */
static void fail_tls(struct conn *c)
{
    char peer[CONN_PEER_MAX_BYTES + 1];

    conn_peer_text(c, peer);
    log_event(LOG_HTTP, "no TLS with %s", peer);
    message_queue_clear(&c->out);
    c->body = c->body_end = NULL;
    viewer_end_channel(c, GATE_CLOSE_ABNORMAL, bytes_of(""));
    conn_linger(c);
}

/* TLS begins with a record of type handshake (RFC 8446 5.1). Whoever speaks plain HTTP is answered
 * in kind, by request.c: the way to the page is https. */
static bool speaks_plain(struct conn *c, const uint8_t *p, size_t n)
{
    bool plain = !c->tls_begun && n > 0 && p[0] != 0x16;

    c->tls_begun = true;
    if (plain) {
        tls_destroy(c->tls);
        c->tls = NULL;
        c->peer_flags &= (uint8_t)~MUX_PEER_TLS;
    }
    return plain;
}

void conn_receive(struct conn *c, const uint8_t *p, size_t n)
{
    long plain;

    if (!list_is_empty(&c->doomed) || c->gate->stopping)
        return;
    if (c->tls == NULL || speaks_plain(c, p, n)) {
        receive_plain(c, p, n);
        return;
    }
    if (c->state == CONN_LINGER)
        return;
    plain = tls_open(c->tls, p, n, &p);
    if (plain > 0)
        receive_plain(c, p, (size_t)plain);
    if (plain < 0)
        fail_tls(c);
    else if (tls_pending(c->tls).len > 0)
        conn_mark_dirty(c);
}

void conn_pause(struct conn *c)
{
    if (!c->paused && c->socket != NULL)
        loop_pause(c->socket);
    c->paused = true;
}

void conn_resume(struct conn *c)
{
    if (c->paused && c->socket != NULL)
        loop_resume(c->socket);
    c->paused = false;
}

void conn_linger(struct conn *c)
{
    c->state = CONN_LINGER;
    conn_set_deadline(c, GATE_CLOSE_WAIT_S);
    conn_resume(c); /* unread input would turn the close into a reset that overtakes the output */
    conn_mark_dirty(c);
}

/* --- time ------------------------------------------------------------------------------------ */

static void start_ticking(struct gate *g)
{
    if (!g->ticking)
        loop_schedule_tick(g->loop, TICK_MS);
    g->ticking = true;
}

void conn_set_deadline(struct conn *c, unsigned seconds)
{
    c->deadline_ms = seconds > 0 ? clock_now_ms() + seconds * 1000ull : 0;
    if (seconds > 0)
        start_ticking(c->gate);
}

static void expire(struct conn *c)
{
    c->deadline_ms = 0;
    if (c->state == CONN_HEAD)
        request_expire(c);
    else if (c->state == CONN_WAIT)
        viewer_fail(c, GATE_CLOSE_MALFORMED);
    else
        conn_doom(c);
}

void conn_check_deadlines(struct gate *g)
{
    uint64_t now = clock_now_ms();

    g->ticking = false;
    for (struct list_node *n = g->conns.next, *next; n != &g->conns; n = next) {
        struct conn *c = LIST_MEMBER(n, struct conn, all);

        next = n->next;
        if (c->deadline_ms != 0 && c->deadline_ms <= now)
            expire(c);
        if (c->deadline_ms != 0)
            start_ticking(g);
    }
}
