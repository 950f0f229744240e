/* What viewers say: one small function per message, behind the table of viewer_rules.c. */
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

void viewer_notice(struct viewer *v, enum viewer_notice_code code, const char *text)
{
    struct viewer_notice m = {(uint8_t)code, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_notice(&w, &m);
    viewer_send(v, VIEWER_MSG_NOTICE, &w);
}

void viewer_done(struct viewer *v, uint32_t request, enum viewer_done_result result,
                 const char *text)
{
    struct viewer_done m = {request, (uint8_t)result, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_done(&w, &m);
    viewer_send(v, VIEWER_MSG_DONE, &w);
}

static void take_join(struct viewer *v, struct bytes body)
{
    struct viewer_join m;

    if (viewer_decode_join(body, &m) != ERR_OK)
        viewer_cut(v, VIEWER_MALFORMED);
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
        viewer_cut(v, VIEWER_MALFORMED);
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
    struct viewer_pane *e;

    if (viewer_decode_history_request(body, &m) != ERR_OK) {
        viewer_cut(v, VIEWER_MALFORMED);
        return;
    }
    e = viewer_find_pane(v, m.pane);
    if (!e || !e->stream)
        viewer_done(v, m.request, DONE_RESULT_NOT_FOUND, "there is no such pane");
    else if (!stream_history(e->stream, m.request, m.before_line, m.count))
        viewer_done(v, m.request, DONE_RESULT_REFUSED, "one request at a time");
}

static void take_ask(struct viewer *v, struct bytes body)
{
    struct viewer_ask m;

    if (viewer_decode_ask(body, &m) != ERR_OK)
        viewer_cut(v, VIEWER_MALFORMED);
    else
        viewer_notice(v, NOTICE_CODE_REFUSED, "the owner has to give control");
}

/* Another window to look at: its own view only. What is not in the share is not looked at; it may
 * have gone while the message was on its way. LAYOUT says what came of it. */
static void take_view(struct viewer *v, struct bytes body)
{
    struct viewer_view m;
    struct target at;

    if (viewer_decode_view(body, &m) != ERR_OK) {
        viewer_cut(v, VIEWER_MALFORMED);
        return;
    }
    if (m.window != VIEWER_VIEW_FOLLOW && !viewer_find_window(v, m.window, &at))
        return;
    if (m.window == v->view || viewer_too_many(v, &v->views, VIEWER_VIEWS_S))
        return;
    v->view = m.window;
    v->look_owed = true;
    viewer_wake(v);
}

/* Messages that are only checked: a pane's size is the owner's, and a PONG has done its work by
 * being opened. */
static void take_nothing(struct viewer *v, uint8_t type, struct bytes body)
{
    struct viewer_size size;
    struct viewer_viewer_pong pong;
    enum err e = type == VIEWER_MSG_SIZE ? viewer_decode_size(body, &size)
                                         : viewer_decode_viewer_pong(body, &pong);

    if (e != ERR_OK)
        viewer_cut(v, VIEWER_MALFORMED);
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
        viewer_take_input(v, body, rule == RULE_DECLINE);
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
        viewer_take_command(v, body, rule == RULE_DECLINE);
        break;
    case VIEWER_MSG_VIEW:
        take_view(v, body);
        break;
    default:
        take_nothing(v, type, body);
        break;
    }
}
