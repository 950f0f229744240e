#include "server/gate/conn.h"

#include "server/gate/gate.h"
#include "server/gate/request.h"
#include "server/gate/viewer.h"

#define SEND_PIECES 32
#define SEND_BYTES  (256u << 10) /* at most, per connection and round */

void conn_mark_dirty(struct conn *c)
{
    if (c->socket != NULL && list_is_empty(&c->doomed))
        list_append(&c->gate->dirty, &c->dirty);
}

void conn_queue(struct conn *c, struct message *m)
{
    message_queue_push(&c->out, m);
    conn_mark_dirty(c);
}

/* Fills iov with what is to be sent next; returns how many pieces. */
static size_t gather(const struct conn *c, struct iovec iov[SEND_PIECES])
{
    size_t n = 0, bytes = 0;
    struct message *m = c->out.head;

    for (; m != NULL && n < SEND_PIECES && bytes < SEND_BYTES; m = m->next, n++) {
        iov[n].iov_base = m->start;
        iov[n].iov_len = m->len;
        bytes += m->len;
    }
    if (m == NULL && c->body < c->body_end && n < SEND_PIECES && bytes < SEND_BYTES) {
        size_t left = (size_t)(c->body_end - c->body);

        iov[n].iov_base = (void *)(uintptr_t)c->body;
        iov[n++].iov_len = left < SEND_BYTES ? left : SEND_BYTES;
    }
    return n;
}

/* Takes `sent` bytes off the output. */
static void consume(struct conn *c, size_t sent)
{
    while (c->out.head != NULL && sent > 0) {
        struct message *m = c->out.head;
        size_t part = sent < m->len ? sent : m->len;

        m->start += part;
        m->len -= (uint32_t)part;
        c->out.bytes -= part;
        sent -= part;
        c->out_begun = m->len > 0;
        if (m->len > 0)
            return;
        viewer_count_sent(c, m->counted);
        message_destroy(message_queue_take(&c->out));
    }
    if (sent > 0) /* there may be no body at all */
        c->body += sent;
}

static bool has_output(const struct conn *c)
{
    return c->out.head != NULL || c->body < c->body_end || c->pong != NULL ||
           (c->tls != NULL && tls_pending(c->tls).len > 0);
}

/* Sends what is sealed already. False when the socket takes no more now, or is broken. */
static bool send_sealed(struct conn *c, bool *broken)
{
    struct bytes pending = tls_pending(c->tls);
    struct iovec v = {(void *)(uintptr_t)pending.p, pending.len};
    long sent = pending.len > 0 ? loop_send(c->socket, &v, 1) : 0;

    *broken = sent < 0;
    if (sent > 0)
        tls_consume(c->tls, (size_t)sent);
    return sent >= 0 && (size_t)sent == pending.len;
}

/* Seals and sends in turns, so that no more than one record waits behind a slow peer. */
static bool send_tls(struct conn *c)
{
    struct iovec iov[SEND_PIECES];
    bool broken;

    for (size_t bytes = 0; send_sealed(c, &broken) && bytes < SEND_BYTES;) {
        long taken = gather(c, iov) > 0 ? tls_seal(c->tls, iov[0].iov_base, iov[0].iov_len) : 0;

        if (taken < 0)
            return false;
        if (taken == 0)
            break;
        consume(c, (size_t)taken);
        bytes += (size_t)taken;
    }
    return !broken;
}

static bool send_plain(struct conn *c)
{
    struct iovec iov[SEND_PIECES];
    size_t pieces = gather(c, iov);
    long sent = pieces > 0 ? loop_send(c->socket, iov, pieces) : 0;

    if (sent > 0)
        consume(c, (size_t)sent);
    return sent >= 0;
}

/* All is sent. */
static void finish_output(struct conn *c)
{
    if (c->state == CONN_RESPOND) {
        request_finish(c);
    } else if (c->state == CONN_LINGER && !c->shut) {
        c->shut = true;
        loop_shut(c->socket);
    }
}

/* The last record of a connection says so (RFC 8446 6.1), once everything else is sent. */
static void end_tls(struct conn *c)
{
    if (c->tls == NULL || c->tls_ended || c->state != CONN_LINGER || has_output(c))
        return;
    c->tls_ended = true;
    tls_end(c->tls);
    send_tls(c);
}

void conn_flush(struct conn *c)
{
    if (c->pong != NULL && !c->out_begun) {
        message_queue_push_front(&c->out, c->pong);
        c->pong = NULL;
    }
    if (!(c->tls != NULL ? send_tls(c) : send_plain(c))) {
        conn_doom(c);
        return;
    }
    end_tls(c);
    if (has_output(c))
        loop_want_write(c->socket);
    else
        finish_output(c);
}
