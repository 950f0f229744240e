#include "server/gate/viewer.h"

#include <stdio.h>
#include <string.h>

#include "proto/mux_msg.h"
#include "server/gate/conn.h"
#include "server/gate/gate.h"
#include "server/gate/log.h"
#include "server/gate/run.h"

#define OPEN_BYTES_MAX  (ORIGIN_MAX_BYTES + CONN_PEER_MAX_BYTES + 8)
#define CLOSE_BYTES_MAX (WS_REASON_MAX_BYTES + 8)

/* --- channel table --------------------------------------------------------------------------- */

struct conn *viewer_find(struct gate *g, uint32_t channel)
{
    struct conn *c = g->channels[channel % CHANNEL_BUCKETS];

    while (c != NULL && c->channel != channel)
        c = c->next_in_bucket;
    return c;
}

static void insert(struct conn *c)
{
    struct conn **bucket = &c->gate->channels[c->channel % CHANNEL_BUCKETS];

    c->next_in_bucket = *bucket;
    *bucket = c;
}

void viewer_forget(struct conn *c)
{
    struct conn **at = &c->gate->channels[c->channel % CHANNEL_BUCKETS];

    if (c->channel == 0)
        return;
    while (*at != c)
        at = &(*at)->next_in_bucket;
    *at = c->next_in_bucket;
    c->channel = 0;
    list_remove(&c->owing);
}

/* --- towards the daemon ---------------------------------------------------------------------- */

static void put_header(struct message *m, uint8_t type, uint32_t channel)
{
    struct mux_header h = {m->len, type, channel};
    uint8_t header[MUX_HEADER_BYTES];

    mux_write_header(header, &h);
    message_prepend(m, header, sizeof header);
}

void viewer_mark_ready(struct conn *c)
{
    struct message *m = c->up.head;

    if (m != NULL && m->counted <= c->up_credit)
        list_append(&c->gate->ready, &c->ready);
    else
        list_remove(&c->ready);
}

static void queue_frame(struct conn *c, struct message *m, uint8_t type)
{
    put_header(m, type, c->channel);
    m->counted = type == MUX_MSG_DATA ? m->len : 0;
    c->up_waiting += m->counted;
    message_queue_push(&c->up, m);
    viewer_mark_ready(c);
}

struct message *viewer_take_frame(struct conn *c)
{
    struct message *m = c->up.head;

    if (m == NULL || m->counted > c->up_credit)
        return NULL;
    message_queue_take(&c->up);
    c->up_credit -= m->counted;
    c->up_waiting -= m->counted;
    return m;
}

/* The peer is read only while the largest frame has credit behind all that waits. */
static void adjust_reading(struct conn *c)
{
    if (c->state == CONN_CHANNEL && c->up_credit < c->up_waiting + MUX_FRAME_MAX_BYTES)
        conn_pause(c);
    else
        conn_resume(c);
}

static bool send_open(struct conn *c)
{
    struct message *m = message_create(OPEN_BYTES_MAX);
    char peer[CONN_PEER_MAX_BYTES + 1];
    struct mux_open open = {.flags = c->peer_flags};
    struct wbuf w;

    if (m == NULL)
        return false;
    conn_peer_text(c, peer);
    open.peer = bytes_of(peer);
    if (c->head != NULL)
        open.origin = (struct bytes){c->head->start, c->head->len};
    else
        open.origin = bytes_of("");
    wbuf_init(&w, m->start, OPEN_BYTES_MAX);
    mux_encode_open(&w, &open);
    m->len = (uint32_t)w.len;
    queue_frame(c, m, MUX_MSG_OPEN);
    message_destroy(c->head);
    c->head = NULL;
    return true;
}

/* Message 1 is whole: the connection becomes a channel. */
static int open_channel(struct conn *c, struct message *first)
{
    struct gate *g = c->gate;

    if (g->last_channel == UINT32_MAX) {
        message_destroy(first);
        return GATE_CLOSE_DAEMON_GONE; /* ids are never used twice; the next gate begins again */
    }
    c->channel = ++g->last_channel;
    insert(c);
    c->up_credit = MUX_CREDIT_BYTES;
    c->state = CONN_CHANNEL;
    c->ws.limit = GATE_MESSAGE_MAX_BYTES;
    conn_prove(c);
    conn_set_deadline(c, 0);
    if (!send_open(c)) {
        message_destroy(first);
        viewer_forget(c);
        return GATE_CLOSE_DAEMON_GONE;
    }
    queue_frame(c, first, MUX_MSG_DATA);
    return 0;
}

void viewer_end_channel(struct conn *c, uint16_t code, struct bytes reason)
{
    struct mux_close close = {code, reason};
    struct message *m;
    struct wbuf w;

    if (c->channel == 0 || c->up_closed)
        return;
    m = message_create(CLOSE_BYTES_MAX);
    if (m == NULL) {
        run_stop(c->gate, GATE_EXIT_FAIL); /* a channel that never ends would leak in the daemon */
        return;
    }
    wbuf_init(&w, m->start, CLOSE_BYTES_MAX);
    mux_encode_close(&w, &close);
    m->len = (uint32_t)w.len;
    queue_frame(c, m, MUX_MSG_CLOSE);
    c->up_closed = true;
}

/* --- from the peer --------------------------------------------------------------------------- */

static int on_message(void *ctx, struct message *m)
{
    struct conn *c = ctx;

    if (c->state == CONN_CLOSING) {
        message_destroy(m);
        return 0;
    }
    if (m->len == 0 || (c->state == CONN_WAIT && m->len != GATE_FIRST_MESSAGE_BYTES)) {
        message_destroy(m);
        return GATE_CLOSE_MALFORMED;
    }
    if (c->state == CONN_WAIT)
        return open_channel(c, m);
    queue_frame(c, m, MUX_MSG_DATA);
    return 0;
}

/* Only the latest ping is answered, which RFC 6455 5.5.3 allows: a peer cannot pile up answers. */
static int on_ping(void *ctx, struct bytes payload)
{
    struct conn *c = ctx;
    struct message *m = message_create(WS_CONTROL_MAX_BYTES);

    if (m == NULL)
        return 0;
    memcpy(m->start, payload.p, payload.len);
    m->len = (uint32_t)payload.len;
    ws_frame_message(m, WS_PONG);
    message_destroy(c->pong);
    c->pong = m;
    conn_mark_dirty(c);
    return 0;
}

/* Takes back all output that the peer has not got a part of. */
static void drop_output(struct conn *c)
{
    struct message *begun = c->out_begun ? message_queue_take(&c->out) : NULL;

    message_queue_clear(&c->out);
    message_destroy(c->pong);
    c->pong = NULL;
    if (begun != NULL)
        message_queue_push(&c->out, begun);
}

/* Sends a close frame and nothing after it. */
static void say_close(struct conn *c, uint16_t code, struct bytes reason)
{
    struct message *m = ws_create_close(code, reason);

    if (m != NULL)
        conn_queue(c, m);
}

/* The peer's close is answered with its own code (RFC 6455 5.5.1), unless ours went out before. */
static int on_close(void *ctx, uint16_t code, struct bytes reason)
{
    struct conn *c = ctx;

    if (c->state != CONN_CLOSING) {
        drop_output(c);
        say_close(c, code, bytes_of(""));
    }
    viewer_end_channel(c, code, reason);
    conn_linger(c);
    return GATE_CLOSE_NORMAL;
}

static const struct ws_sink sink = {on_message, on_ping, on_close};

void viewer_fail(struct conn *c, uint16_t code)
{
    char peer[CONN_PEER_MAX_BYTES + 1];

    conn_peer_text(c, peer);
    log_event(LOG_WS, "closed the WebSocket from %s: %u", peer, code);
    drop_output(c);
    if (c->state != CONN_CLOSING)
        say_close(c, code, bytes_of(""));
    viewer_end_channel(c, code, bytes_of(""));
    conn_linger(c);
}

void viewer_receive(struct conn *c, const uint8_t *p, size_t n)
{
    int code = ws_parser_feed(&c->ws, p, n, &sink, c);

    if (c->state == CONN_LINGER)
        return;
    if (code == GATE_CLOSE_TOO_BIG && c->state == CONN_WAIT && c->ws.left <= GATE_MESSAGE_MAX_BYTES)
        code = GATE_CLOSE_MALFORMED; /* too long for a first message, not for a message */
    if (code != 0)
        viewer_fail(c, (uint16_t)code);
    else
        adjust_reading(c);
}

/* The origin is kept until message 1, where OPEN names it. */
static bool keep_origin(struct conn *c, const struct http_request *r)
{
    if (!r->has_origin)
        return true;
    c->head = message_create(r->origin.len);
    if (c->head == NULL)
        return false;
    memcpy(c->head->start, r->origin.p, r->origin.len);
    c->head->len = (uint32_t)r->origin.len;
    return true;
}

void viewer_start(struct conn *c, const struct http_request *r, struct bytes rest)
{
    struct message *m = message_create(256);
    char accept[WS_ACCEPT_BYTES + 1];

    if (m == NULL || !keep_origin(c, r)) {
        message_destroy(m);
        conn_doom(c);
        return;
    }
    ws_accept_key(r->ws_key, accept);
    m->len = (uint32_t)snprintf((char *)m->start, 256,
                                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                                "Sec-WebSocket-Protocol: " GATE_SUBPROTOCOL "\r\n\r\n",
                                accept);
    ws_parser_init(&c->ws, GATE_FIRST_MESSAGE_BYTES);
    c->state = CONN_WAIT;
    conn_set_deadline(c, GATE_FIRST_MESSAGE_S);
    conn_queue(c, m);
    if (rest.len > 0)
        viewer_receive(c, rest.p, rest.len);
}

/* --- from the daemon ------------------------------------------------------------------------- */

bool viewer_send(struct conn *c, struct bytes record)
{
    uint32_t counted = MUX_HEADER_BYTES + (uint32_t)record.len;
    struct message *m;

    if (counted > MUX_CREDIT_BYTES - c->down_used)
        return false;
    if (c->state != CONN_CHANNEL || c->socket == NULL || !list_is_empty(&c->doomed))
        return true; /* on its way to the end: dropped, as the CLOSE under way says */
    m = message_create(record.len);
    if (m == NULL) {
        conn_doom(c);
        return true;
    }
    memcpy(m->start, record.p, record.len);
    m->len = (uint32_t)record.len;
    ws_frame_message(m, WS_BINARY);
    m->counted = counted;
    c->down_used += counted;
    conn_queue(c, m);
    return true;
}

bool viewer_add_credit(struct conn *c, uint32_t bytes)
{
    if (bytes > MUX_CREDIT_BYTES - c->up_credit)
        return false;
    c->up_credit += bytes;
    viewer_mark_ready(c);
    adjust_reading(c);
    return true;
}

void viewer_close(struct conn *c, uint16_t code, struct bytes reason)
{
    viewer_forget(c);
    message_queue_clear(&c->up);
    c->up_waiting = 0;
    list_remove(&c->ready);
    if (c->socket == NULL) {
        conn_destroy(c);
        return;
    }
    if (c->state != CONN_CHANNEL)
        return;
    say_close(c, code, reason);
    c->state = CONN_CLOSING;
    conn_set_deadline(c, GATE_CLOSE_WAIT_S);
    conn_resume(c);
}

void viewer_count_sent(struct conn *c, uint32_t bytes)
{
    if (c->channel == 0 || bytes == 0)
        return;
    c->down_owed += bytes;
    if (c->down_owed >= MUX_CREDIT_STEP_BYTES)
        list_append(&c->gate->owing, &c->owing);
}
