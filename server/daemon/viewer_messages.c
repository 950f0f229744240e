/* What viewers say: one small function per message, behind the table of viewer_rules.c. */
#include <string.h>

#include "server/daemon/log.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

#define MALFORMED "malformed message"

void viewer_notice(struct viewer *v, enum viewer_notice_code code, const char *text)
{
    struct viewer_notice m = {(uint8_t)code, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_notice(&w, &m);
    viewer_send(v, VIEWER_MSG_NOTICE, &w);
}

static void send_done(struct viewer *v, uint32_t request, enum viewer_done_result result,
                      const char *text)
{
    struct viewer_done m = {request, (uint8_t)result, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_done(&w, &m);
    viewer_send(v, VIEWER_MSG_DONE, &w);
}

/* --- input ---------------------------------------------------------------------------------- */

void viewer_drain_input(struct viewer *v)
{
    struct pane *pane = v->share ? v->share->pane : NULL;
    size_t taken;

    if (v->input.len == 0)
        return;
    if (!pane || pane_status(pane).dead) {
        v->input_taken += v->input.len;
        outbuf_reset(&v->input);
        viewer_notice(v, NOTICE_CODE_NOT_DELIVERED, "the program has ended");
        return;
    }
    taken = pane_write(pane, v->input.p, v->input.len);
    v->input_taken += taken;
    outbuf_drop(&v->input, taken);
}

/* Where the next input byte belongs in the viewer's count. */
static uint64_t input_end(const struct viewer *v)
{
    return v->input_taken + v->input.len;
}

/* Cuts what was received before off m. False when m leaves a gap. */
static bool trim_overlap(const struct viewer *v, struct viewer_input *m)
{
    uint64_t end = input_end(v);
    uint64_t known;

    if (m->seq > end)
        return false;
    known = end - m->seq;
    if (known > m->data.len)
        known = m->data.len;
    m->data.p += known;
    m->data.len -= (size_t)known;
    return true;
}

static void decline_input(struct viewer *v, size_t n, const char *why)
{
    v->input_taken += n;
    viewer_notice(v, NOTICE_CODE_NOT_DELIVERED, why);
}

static void take_input(struct viewer *v, struct bytes body, bool decline)
{
    struct pane *pane = v->share ? v->share->pane : NULL;
    struct viewer_input m;

    if (viewer_decode_input(body, &m) != ERR_OK || !trim_overlap(v, &m) ||
        input_end(v) + m.data.len > v->input_told + VIEWER_INPUT_MAX_BYTES) {
        viewer_cut(v, MALFORMED);
        return;
    }
    if (m.data.len == 0)
        return;
    if (decline || !pane || m.pane != pane_id(pane)) {
        decline_input(v, m.data.len,
                      decline ? "you may not type at the moment" : "there is no such pane");
        return;
    }
    if (v->input.len > 0 && pane_is_interrupt(pane, m.data.p, m.data.len)) {
        /* the program does not read: what was typed before is in the way of the interrupt */
        v->input_taken += v->input.len + m.data.len;
        outbuf_reset(&v->input);
        pane_interrupt(pane);
    } else if (v->input.len + m.data.len > VIEWER_QUEUE_MAX_BYTES) {
        decline_input(v, m.data.len, "the program does not read");
        return;
    } else {
        outbuf_put(&v->input, m.data.p, m.data.len);
        if (v->input.bad) {
            viewer_cut(v, "out of memory");
            return;
        }
        viewer_drain_input(v);
    }
    viewer_wake(v);
}

/* --- the others ----------------------------------------------------------------------------- */

static void take_join(struct viewer *v, struct bytes body)
{
    struct viewer_join m;

    if (viewer_decode_join(body, &m) != ERR_OK)
        viewer_cut(v, MALFORMED);
    else
        viewer_admit(v, &m);
}

static void take_ack(struct viewer *v, struct bytes body)
{
    struct viewer_ack m;

    if (viewer_decode_ack(body, &m) != ERR_OK ||
        !pace_acked(&v->pace, m.total, loop_now_ms(v->list->loop))) {
        viewer_cut(v, "acknowledged what was not sent");
        return;
    }
    v->former_valid = false;
    viewer_wake(v);
}

static void take_ping(struct viewer *v, struct bytes body)
{
    struct viewer_viewer_ping m;
    struct viewer_pong pong;
    uint8_t out[8];
    struct wbuf w;

    if (viewer_decode_viewer_ping(body, &m) != ERR_OK) {
        viewer_cut(v, MALFORMED);
        return;
    }
    pong.value = m.value;
    wbuf_init(&w, out, sizeof out);
    viewer_encode_pong(&w, &pong);
    viewer_send(v, VIEWER_MSG_PONG, &w);
}

static void take_history_request(struct viewer *v, struct bytes body)
{
    struct viewer_history_request m;

    if (viewer_decode_history_request(body, &m) != ERR_OK) {
        viewer_cut(v, MALFORMED);
        return;
    }
    if (!v->stream || m.pane != pane_id(stream_pane(v->stream)))
        send_done(v, m.request, DONE_RESULT_NOT_FOUND, "there is no such pane");
    else if (!stream_history(v->stream, m.request, m.before_line, m.count))
        send_done(v, m.request, DONE_RESULT_REFUSED, "one request at a time");
}

static void take_ask(struct viewer *v, struct bytes body)
{
    struct viewer_ask m;

    if (viewer_decode_ask(body, &m) != ERR_OK)
        viewer_cut(v, MALFORMED);
    else
        viewer_notice(v, NOTICE_CODE_REFUSED, "the owner has to give control");
}

static void take_command(struct viewer *v, struct bytes body)
{
    struct viewer_command m;

    if (viewer_decode_command(body, &m) != ERR_OK)
        viewer_cut(v, MALFORMED);
    else
        send_done(v, m.request, DONE_RESULT_REFUSED, "commands are not part of this share");
}

/* Messages that are only checked: the pane's size is the owner's, there is one window to look at,
 * and a PONG has done its work by being opened. */
static void take_nothing(struct viewer *v, uint8_t type, struct bytes body)
{
    struct viewer_size size;
    struct viewer_view view;
    struct viewer_viewer_pong pong;
    enum err e = type == VIEWER_MSG_SIZE   ? viewer_decode_size(body, &size)
                 : type == VIEWER_MSG_VIEW ? viewer_decode_view(body, &view)
                                           : viewer_decode_viewer_pong(body, &pong);

    if (e != ERR_OK)
        viewer_cut(v, MALFORMED);
}

void viewer_take_message(void *viewer, uint8_t type, struct bytes body)
{
    struct viewer *v = viewer;
    enum viewer_rule rule = viewer_rule(type, v->state, v->role, v->was_operator);

    if (rule == RULE_IGNORE)
        return;
    if (rule == RULE_CUT || body.len > viewer_rule_max(v->state)) {
        viewer_cut(v, "a message that is not allowed");
        return;
    }
    switch (type) {
    case VIEWER_MSG_JOIN:
        take_join(v, body);
        break;
    case VIEWER_MSG_INPUT:
        take_input(v, body, rule == RULE_DECLINE);
        break;
    case VIEWER_MSG_ACK:
        take_ack(v, body);
        break;
    case VIEWER_MSG_VIEWER_PING:
        take_ping(v, body);
        break;
    case VIEWER_MSG_HISTORY_REQUEST:
        take_history_request(v, body);
        break;
    case VIEWER_MSG_ASK:
        take_ask(v, body);
        break;
    case VIEWER_MSG_COMMAND:
        take_command(v, body);
        break;
    default:
        take_nothing(v, type, body);
        break;
    }
}
