/* What viewers are sent: small messages in order, BYE, and at the end of a round all that is owed.
 */
#include <stdio.h>
#include <string.h>

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
    viewer_forget_panes(v);
    v->state = VIEWER_LEAVING;
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

/* How a program ended, for people. */
static void describe_end(const struct pane *p, char *out, size_t cap)
{
    struct pane_status s = pane_status(p);

    snprintf(out, cap, s.signalled ? "killed by signal %d" : "exited %d", s.code);
}

/* The last of what is shared has ended, its output and status are out: part once the viewer has
 * rendered them. */
static void check_finished(struct viewer *v)
{
    struct pane *last = v->share->kept;
    const struct viewer_pane *e = last ? viewer_find_pane(v, pane_id(last)) : NULL;
    char text[64];

    if (!e || !e->stream || !stream_finished(e->stream))
        return;
    if (pace_in_flight(&v->pace) > 0) {
        if (!v->finishing)
            loop_timer_start(&v->farewell, VIEWER_FAREWELL_MS);
        v->finishing = true;
        return;
    }
    describe_end(last, text, sizeof text);
    viewer_bye(v, BYE_REASON_ENDED, text);
}

/* End of a round: everything this viewer is owed and may be sent now, small messages first. What
 * has left its view is known before anything of a pane is sent. */
void viewer_pump(void *ctx)
{
    struct viewer *v = ctx;

    if (v->connection && v->look_owed && v->state == VIEWER_LIVE)
        viewer_look(v);
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
    if (v->presence_due)
        viewer_send_presence(v);
    if (!viewer_send_layout(v))
        return;
    viewer_pump_streams(v);
    if (v->connection)
        check_finished(v);
}
