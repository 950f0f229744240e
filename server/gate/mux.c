#include "proto/compat.h"

#include "server/gate/mux.h"

#include <string.h>

#include "server/gate/conn.h"
#include "server/gate/log.h"
#include "server/gate/viewer.h"

/* --- from the daemon ------------------------------------------------------------------------- */

/* The channel a frame is for. ERR_NOT_FOUND when it is over, which is no error of the daemon's. */
static enum err find(struct gate *g, uint32_t channel, struct conn **c)
{
    if (channel == 0 || channel > g->last_channel)
        return ERR_MALFORMED;
    *c = viewer_find(g, channel);
    return *c != NULL ? ERR_OK : ERR_NOT_FOUND;
}

enum err mux_use_tls(struct gate *g, struct bytes body, char why[TLS_REASON_BYTES])
{
    struct tls_context *tls = NULL;
    struct mux_tls m;
    enum err e = g->config.tls ? mux_decode_tls(body, &m) : ERR_STATE;

    if (e == ERR_OK && (tls = tls_context_create(m.chain, m.key, why)) == NULL)
        e = ERR_RANGE;
    explicit_bzero((void *)(uintptr_t)body.p, body.len); /* the link's own buffer */
    if (e == ERR_OK) {
        tls_context_destroy(g->tls);
        g->tls = tls;
    }
    return e;
}

/* There is always room: the daemon sends a certificate when files change, not more often. */
static void put_state(struct gate *g, uint8_t state, const char *text)
{
    struct mux_state_report s = {.state = state, .text = bytes_of(text)};
    uint8_t frame[MUX_HEADER_BYTES + 5 + TLS_REASON_BYTES];
    struct mux_header h = {0, MUX_MSG_STATE, 0};
    struct wbuf w;

    wbuf_init(&w, frame + MUX_HEADER_BYTES, sizeof frame - MUX_HEADER_BYTES);
    mux_encode_state_report(&w, &s);
    h.length = (uint32_t)w.len;
    mux_write_header(frame, &h);
    if (!w.bad && link_has_room(&g->link, MUX_HEADER_BYTES + w.len))
        link_put(&g->link, frame, MUX_HEADER_BYTES + w.len);
}

static enum err take_data(struct gate *g, uint32_t channel, struct bytes body)
{
    struct conn *c;
    enum err e = body.len > 0 ? find(g, channel, &c) : ERR_MALFORMED;

    if (e == ERR_OK && !viewer_send(c, body))
        e = ERR_EXHAUSTED;
    return e;
}

static enum err take_close(struct gate *g, uint32_t channel, struct bytes body)
{
    struct mux_close m;
    struct conn *c;
    enum err e = mux_decode_close(body, &m);

    if (e == ERR_OK)
        e = find(g, channel, &c);
    if (e == ERR_OK)
        viewer_close(c, m.code, m.reason);
    return e;
}

static enum err take_credit(struct gate *g, uint32_t channel, struct bytes body)
{
    struct mux_credit m;
    struct conn *c;
    enum err e = mux_decode_credit(body, &m);

    if (e == ERR_OK)
        e = find(g, channel, &c);
    if (e == ERR_OK && !viewer_add_credit(c, m.bytes))
        e = ERR_EXHAUSTED;
    return e;
}

/* A certificate in place of the former one, for connections to come. */
static enum err take_tls(struct gate *g, uint32_t channel, struct bytes body)
{
    char why[TLS_REASON_BYTES] = "";
    enum err e = channel == 0 ? mux_use_tls(g, body, why) : ERR_MALFORMED;

    if (e == ERR_OK || why[0] == '\0')
        return e;
    log_event(LOG_START, "the new certificate is not used: %s", why);
    put_state(g, MUX_STATE_TLS_FAILED, why);
    return ERR_OK;
}

static enum err take_origin(struct gate *g, uint32_t channel, struct bytes body)
{
    struct mux_origin m;
    enum err e = channel == 0 ? mux_decode_origin(body, &m) : ERR_MALFORMED;

    return e != ERR_OK || origin_add(&g->config.origins, m.text) ? e : ERR_RANGE;
}

/* What a daemon may send once the gate runs. */
static enum err (*const takers[])(struct gate *g, uint32_t channel, struct bytes body) = {
    [MUX_MSG_DATA] = take_data,
    [MUX_MSG_CLOSE] = take_close,
    [MUX_MSG_CREDIT] = take_credit,
    [MUX_MSG_TLS] = take_tls,
    [MUX_MSG_ORIGIN] = take_origin,
};

enum err mux_take_frame(void *ctx, const struct mux_header *h, struct bytes body)
{
    enum err e = ERR_STATE;

    if (h->type < sizeof takers / sizeof *takers && takers[h->type] != NULL)
        e = takers[h->type](ctx, h->channel, body);
    return e == ERR_NOT_FOUND ? ERR_OK : e;
}

/* --- to the daemon --------------------------------------------------------------------------- */

static void put_credit(struct gate *g, struct conn *c)
{
    struct mux_credit credit = {c->down_owed};
    uint8_t frame[MUX_HEADER_BYTES + sizeof credit.bytes];
    struct mux_header h = {sizeof credit.bytes, MUX_MSG_CREDIT, c->channel};
    struct wbuf w;

    mux_write_header(frame, &h);
    wbuf_init(&w, frame + MUX_HEADER_BYTES, sizeof credit.bytes);
    mux_encode_credit(&w, &credit);
    link_put(&g->link, frame, sizeof frame);
    c->down_used -= c->down_owed;
    c->down_owed = 0;
}

static void fill_credit(struct gate *g)
{
    while (!list_is_empty(&g->owing) && link_has_room(&g->link, MUX_FRAME_MAX_BYTES))
        put_credit(g, LIST_MEMBER(list_take(&g->owing), struct conn, owing));
}

/* The channel's CLOSE is on its way: nothing is left to do for it. */
static void finish_channel(struct conn *c)
{
    viewer_forget(c);
    if (c->socket == NULL)
        conn_destroy(c);
}

/* Moves up to `most` frames of a ready connection, which may be freed. */
static void move_frames(struct conn *c, unsigned most)
{
    struct gate *g = c->gate;
    struct message *m = NULL;

    while (most-- > 0 && link_has_room(&g->link, MUX_FRAME_MAX_BYTES) &&
           (m = viewer_take_frame(c)) != NULL) {
        link_put(&g->link, m->start, m->len);
        message_destroy(m);
    }
    if (c->up_closed && message_queue_is_empty(&c->up))
        finish_channel(c);
    else
        viewer_mark_ready(c);
}

static void fill_small(struct gate *g)
{
    for (struct list_node *n = g->ready.next, *next; n != &g->ready; n = next) {
        struct conn *c = LIST_MEMBER(n, struct conn, ready);

        next = n->next;
        if (c->up.bytes < MUX_SMALL_BYTES)
            move_frames(c, UINT32_MAX);
    }
}

bool mux_fill_link(struct gate *g)
{
    fill_credit(g);
    fill_small(g);
    while (!list_is_empty(&g->ready) && link_has_room(&g->link, MUX_FRAME_MAX_BYTES))
        move_frames(LIST_MEMBER(list_take(&g->ready), struct conn, ready), 1);
    return !list_is_empty(&g->ready) || !list_is_empty(&g->owing);
}
