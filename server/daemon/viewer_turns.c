/* The streams of a viewer's panes take turns on its one connection.
 *
 * First small outputs, the active pane's before others': an echo does not wait for a build log.
 * Then one record of bulk from each pane in turn, so that none starves another, whatever it prints.
 * All share one window (pace.h). One KEYFRAME, and one HISTORY, is on its way at a time: their
 * parts name no pane. When its pane leaves the view a last part of one byte ends it, and nothing
 * more of the pane is sent. */
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

#define SMALL_BEYOND_BYTES 4096 /* of small outputs beyond the window */

/* --- the streams' sink ---------------------------------------------------------------------- */

static int long_of(uint8_t type)
{
    return type == VIEWER_MSG_KEYFRAME  ? VIEWER_LONG_KEYFRAME
           : type == VIEWER_MSG_HISTORY ? VIEWER_LONG_HISTORY
                                        : -1;
}

static size_t sink_room(void *ctx, enum stream_room what)
{
    struct viewer *v = ((struct viewer_pane *)ctx)->viewer;
    uint64_t room = pace_room(&v->pace);
    size_t part = pace_part(&v->pace);
    size_t credit = v->connection ? connection_room(v->connection) : 0;

    if (what == STREAM_ROOM_SMALL) {
        uint64_t flying = pace_in_flight(&v->pace), most = v->pace.window + SMALL_BEYOND_BYTES;

        room = flying < most ? most - flying : 0;
    }
    if (credit < part)
        part = credit;
    if (what == STREAM_ROOM_BEGUN)
        return part;
    if (room == 0)
        pace_limited(&v->pace);
    return part < room ? part : (size_t)room;
}

static bool sink_may_begin(void *ctx, uint8_t type)
{
    const struct viewer *v = ((struct viewer_pane *)ctx)->viewer;
    int k = long_of(type);

    return k < 0 || (!v->begun[k] && !v->cut_short[k]);
}

static uint32_t sink_window(void *ctx)
{
    return ((struct viewer_pane *)ctx)->viewer->pace.window;
}

static uint8_t *sink_reserve(void *ctx, size_t n)
{
    struct viewer *v = ((struct viewer_pane *)ctx)->viewer;

    return v->connection ? connection_reserve(v->connection, n) : NULL;
}

static void sink_commit(void *ctx, uint8_t type, bool more, size_t n)
{
    struct viewer_pane *e = ctx;
    struct viewer *v = e->viewer;
    int k = long_of(type);

    if (k >= 0)
        v->begun[k] = more ? e : NULL;
    if (type != VIEWER_MSG_EXIT)
        pace_sent(&v->pace, (uint32_t)n, loop_now_ms(v->list->loop));
    connection_commit(v->connection, type, more, n);
}

static void sink_wake(void *ctx)
{
    viewer_wake(((struct viewer_pane *)ctx)->viewer);
}

bool viewer_start_stream(struct viewer_pane *e)
{
    struct stream_sink sink = {
        sink_room, sink_may_begin, sink_window, sink_reserve, sink_commit, sink_wake, e};

    e->stream = stream_create(e->viewer->list->loop, e->pane, &sink);
    return e->stream != NULL;
}

void viewer_end_stream(struct viewer_pane *e)
{
    struct viewer *v = e->viewer;

    if (!e->stream)
        return;
    for (int k = 0; k < VIEWER_LONGS; k++) {
        if (v->begun[k] != e)
            continue;
        v->begun[k] = NULL;
        v->cut_short[k] = true;
    }
    stream_destroy(e->stream);
    e->stream = NULL;
}

/* --- turns ---------------------------------------------------------------------------------- */

/* Ends the message of a pane that has left. False when there is no credit. */
static bool end_cut_short(struct viewer *v, enum viewer_long k)
{
    static const uint8_t types[VIEWER_LONGS] = {VIEWER_MSG_KEYFRAME, VIEWER_MSG_HISTORY};
    uint8_t *out = v->cut_short[k] ? connection_reserve(v->connection, 1) : NULL;

    if (!v->cut_short[k])
        return true;
    if (!out)
        return false;
    out[0] = ' ';
    v->cut_short[k] = false;
    pace_sent(&v->pace, 1, loop_now_ms(v->list->loop));
    connection_commit(v->connection, types[k], false, 1);
    return true;
}

/* Small outputs of the active pane, or of the others. */
static bool send_small(struct viewer *v, bool active)
{
    bool sent = false;

    for (struct viewer_pane *e = v->panes; e && v->connection; e = e->next) {
        if (e->stream && e->active == active && stream_is_small(e->stream) &&
            stream_step(e->stream) == STREAM_SENT)
            sent = true;
    }
    return sent;
}

/* The pane whose turn it is, or the first. */
static struct viewer_pane *first_in_turn(struct viewer *v)
{
    struct viewer_pane *e = viewer_find_pane(v, v->turn);

    return e ? e : v->panes;
}

/* One record from each pane. False when none had any, or there was no room. */
static bool send_round(struct viewer *v)
{
    struct viewer_pane *first = first_in_turn(v), *e = first;
    bool sent = false;

    while (e && v->connection) {
        struct viewer_pane *next = e->next ? e->next : v->panes;
        enum stream_step did = e->stream ? stream_step(e->stream) : STREAM_IDLE;

        if (did == STREAM_SENT) {
            sent = true;
            v->turn = next->id;
        }
        if (next == first)
            break;
        e = next;
    }
    return sent;
}

void viewer_pump_streams(struct viewer *v)
{
    bool more = true;

    for (int k = 0; k < VIEWER_LONGS; k++) {
        if (!end_cut_short(v, (enum viewer_long)k))
            return;
    }
    while (more && v->connection) {
        more = send_small(v, true);
        more = (v->connection && send_small(v, false)) || more;
        more = (v->connection && send_round(v)) || more;
    }
}
