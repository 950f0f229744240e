/* What viewers are sent: small messages in order, BYE, and at the end of a round all that is owed.
 */
#include <stdio.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/screen.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

#define FAREWELL_BYE_MS 5000

/* --- sending -------------------------------------------------------------------------------- */

void viewer_send(struct viewer *v, uint8_t type, const struct wbuf *body)
{
    uint8_t *room;
    struct wbuf w;

    if (!v->connection || body->bad)
        return;
    room = v->small.len < VIEWER_SMALL_MAX_BYTES ? outbuf_reserve(&v->small, 3 + body->len) : NULL;
    if (!room) {
        viewer_cut(v, "does not read");
        return;
    }
    wbuf_init(&w, room, 3 + body->len);
    wbuf_u8(&w, type);
    wbuf_u16(&w, (uint16_t)body->len);
    wbuf_put(&w, body->base, body->len);
    v->small.len += w.len;
    viewer_wake(v);
}

/* Sends what is queued, in order. True when nothing is left. */
bool viewer_flush(struct viewer *v)
{
    while (v->small.len > 0) {
        struct rbuf r;
        struct bytes body;
        uint8_t type;

        rbuf_init(&r, v->small.p, v->small.len);
        type = rbuf_u8(&r);
        body = rbuf_take(&r, rbuf_u16(&r));
        if (!connection_send(v->connection, type, body.p, body.len))
            return false;
        outbuf_drop(&v->small, 3 + body.len);
    }
    return true;
}

void viewer_finish_bye(struct viewer *v)
{
    if (v->connection)
        connection_close(v->connection, CONNECTION_CLOSE_BYE, "");
    viewer_drop_connection(v);
    viewer_remove(v);
}

void viewer_on_farewell(void *ctx)
{
    struct viewer *v = ctx;

    if (v->state == VIEWER_LEAVING)
        viewer_finish_bye(v);
    else
        viewer_bye(v, BYE_REASON_ENDED, "the program has ended");
}

void viewer_bye(struct viewer *v, enum viewer_bye_reason reason, const char *text)
{
    struct viewer_bye m = {(uint8_t)reason, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    if (v->state == VIEWER_LEAVING)
        return;
    if (!v->connection) {
        viewer_drop_connection(v);
        viewer_remove(v);
        return;
    }
    viewer_uncount(v);
    viewer_stop_observing(v);
    v->state = VIEWER_LEAVING;
    stream_destroy(v->stream);
    v->stream = NULL;
    v->share = NULL;
    loop_timer_stop(&v->timer);
    loop_timer_start(&v->farewell, FAREWELL_BYE_MS);
    wbuf_init(&w, body, sizeof body);
    viewer_encode_bye(&w, &m);
    viewer_send(v, VIEWER_MSG_BYE, &w);
}

static void send_taken(struct viewer *v)
{
    struct viewer_taken m = {v->input_taken};
    uint8_t body[8];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_taken(&w, &m);
    if (connection_send(v->connection, VIEWER_MSG_TAKEN, body, w.len))
        v->input_told = v->input_taken;
}

static void send_presence(struct viewer *v)
{
    struct viewer_presence m = {.viewers = v->share->viewers};
    uint8_t body[16];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_presence(&w, &m);
    if (connection_send(v->connection, VIEWER_MSG_PRESENCE, body, w.len))
        v->presence_owed = v->presence_due = false;
}

static void send_layout(struct viewer *v)
{
    struct screen *screen = pane_screen(v->share->pane);
    char title[VIEWER_NAME_MAX_BYTES * 2 + 1];
    const char *raw = screen_title(screen);
    struct viewer_layout_window window = {.id = 0,
                                          .flags = WINDOW_FLAG_ACTIVE | WINDOW_FLAG_VIEWED,
                                          .name = bytes_of(v->share->name)};
    struct viewer_layout_pane pane = {
        .id = pane_id(v->share->pane),
        .cols = screen_cols(screen),
        .rows = screen_rows(screen),
        .flags =
            (uint8_t)(PANE_FLAG_ACTIVE | (pane_status(v->share->pane).dead ? PANE_FLAG_DEAD : 0)),
        .title = {(const uint8_t *)title,
                  utf8_printable((const uint8_t *)raw, strlen(raw), title, sizeof title - 1)}};
    struct viewer_layout m = {.windows = {.n = 1, .items = &window},
                              .cols = pane.cols,
                              .rows = pane.rows,
                              .panes = {.n = 1, .items = &pane}};
    uint8_t body[512];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_layout(&w, &m);
    if (!w.bad && connection_send(v->connection, VIEWER_MSG_LAYOUT, body, w.len))
        v->layout_owed = false;
}

/* How a program ended, for people. */
static void describe_end(const struct pane *p, char *out, size_t cap)
{
    struct pane_status s = pane_status(p);

    snprintf(out, cap, s.signalled ? "killed by signal %d" : "exited %d", s.code);
}

/* The last of a program's output and its status are out: part once the viewer has rendered them. */
static void check_finished(struct viewer *v)
{
    char text[64];

    if (!v->stream || !stream_finished(v->stream))
        return;
    if (pace_in_flight(&v->pace) > 0) {
        if (!v->finishing)
            loop_timer_start(&v->farewell, VIEWER_FAREWELL_MS);
        v->finishing = true;
        return;
    }
    describe_end(v->share->pane, text, sizeof text);
    viewer_bye(v, BYE_REASON_ENDED, text);
}

/* End of a round: everything this viewer is owed and may be sent now, small messages first. */
void viewer_pump(void *ctx)
{
    struct viewer *v = ctx;

    if (!v->connection)
        return;
    viewer_drain_input(v);
    if (!v->connection || !viewer_flush(v)) /* what it was told may have been too much */
        return;
    if (v->state == VIEWER_LEAVING) {
        viewer_finish_bye(v);
        return;
    }
    if (v->state != VIEWER_LIVE)
        return;
    if (v->input_taken > v->input_told) /* a WELCOME counted what was still queued */
        send_taken(v);
    if (v->layout_owed)
        send_layout(v);
    if (v->presence_due)
        send_presence(v);
    if (v->stream)
        stream_pump(v->stream);
    check_finished(v);
}

/* --- the stream's sink ---------------------------------------------------------------------- */

static size_t sink_room(void *ctx, bool begun)
{
    struct viewer *v = ctx;
    uint64_t room = pace_room(&v->pace);
    size_t credit = v->connection ? connection_room(v->connection) : 0;
    size_t part = pace_part(&v->pace);

    if (room == 0 && !begun) {
        pace_limited(&v->pace);
        return 0;
    }
    if (credit < part)
        part = credit;
    return begun || part < room ? part : (size_t)room;
}

static uint32_t sink_window(void *ctx)
{
    const struct viewer *v = ctx;

    return v->pace.window;
}

static uint8_t *sink_reserve(void *ctx, size_t n)
{
    struct viewer *v = ctx;

    return v->connection ? connection_reserve(v->connection, n) : NULL;
}

static void sink_commit(void *ctx, uint8_t type, bool more, size_t n)
{
    struct viewer *v = ctx;

    connection_commit(v->connection, type, more, n);
    if (type != VIEWER_MSG_EXIT)
        pace_sent(&v->pace, (uint32_t)n, loop_now_ms(v->list->loop));
}

static void sink_wake(void *ctx)
{
    viewer_wake(ctx);
}

bool viewer_start_stream(struct viewer *v)
{
    struct stream_sink sink = {sink_room, sink_window, sink_reserve, sink_commit, sink_wake, v};

    v->stream = stream_create(v->list->loop, v->share->pane, &sink);
    return v->stream != NULL;
}
