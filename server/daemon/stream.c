#include "server/daemon/stream.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pane.h"
#include "server/daemon/ring.h"
#include "server/daemon/screen.h"

#define KEYFRAME_HEAD_BYTES 29  /* the fields of KEYFRAME before its VT bytes */
#define HISTORY_HEAD_BYTES  20  /* those of HISTORY */
#define OUTPUT_HEAD_BYTES   12  /* those of OUTPUT */
#define OUTPUT_MIN_BYTES    256 /* of data: less room than for this waits for credit */
#define PART_MIN_BYTES      64
#define NO_KEYFRAME         0xff
#define SKIP_BYTES          (32u << 10) /* behind by more, and by more than may fly: skip */
#define ALL_HISTORY         UINT32_MAX

struct message_parts { /* a long message on its way, in parts */
    struct outbuf body;
    size_t at;
    uint8_t type;
};

struct stream {
    struct loop *loop;
    struct pane *pane;
    struct stream_sink sink;
    struct pane_observer observer;
    uint64_t next; /* the next byte of output to send */
    uint64_t keyframe_offset;
    uint64_t keyframe_ms;
    uint32_t size;     /* pane_resizes when the viewer's keyframe was made */
    uint8_t owed;      /* enum viewer_keyframe_reason, or NO_KEYFRAME */
    bool owes_history; /* the viewer's scrollback has a gap */
    bool based;        /* a keyframe was made, or it was resumed */
    bool exit_sent;
    struct message_parts keyframe;
    struct message_parts history;
    struct loop_task reaper;
    struct loop_timer timer; /* a keyframe that has to wait, or the quiet before a heal */
};

/* --- building ------------------------------------------------------------------------------- */

static uint32_t history_for(uint8_t reason)
{
    switch ((enum viewer_keyframe_reason)reason) {
    case KEYFRAME_REASON_HEAL:
        return ALL_HISTORY;
    case KEYFRAME_REASON_JOIN:
    case KEYFRAME_REASON_RESUME:
    case KEYFRAME_REASON_END:
        return STREAM_JOIN_HISTORY;
    case KEYFRAME_REASON_RESIZE:
    case KEYFRAME_REASON_SKIP:
        return 0;
    }
    return 0;
}

static void put_keyframe_head(struct stream *s, const struct keyframe_info *info, uint8_t reason)
{
    struct viewer_keyframe m = {.pane = pane_id(s->pane),
                                .offset = info->offset,
                                .first_line = info->first_line,
                                .cols = info->cols,
                                .rows = info->rows,
                                .history_lines = info->history_lines,
                                .reason = reason};
    struct wbuf w;

    wbuf_init(&w, s->keyframe.body.p, KEYFRAME_HEAD_BYTES);
    viewer_encode_keyframe(&w, &m);
}

/* Builds the owed keyframe with as much history as fits a message. False when memory ran out. */
static bool build_keyframe(struct stream *s)
{
    struct screen *screen = pane_screen(s->pane);
    struct outbuf *body = &s->keyframe.body;
    uint32_t lines = history_for(s->owed);
    struct keyframe_info info;

    if (lines > screen_history_count(screen))
        lines = screen_history_count(screen);
    for (;; lines /= 2) {
        uint8_t *head;

        outbuf_reset(body);
        head = outbuf_reserve(body, KEYFRAME_HEAD_BYTES);
        if (!head)
            return false;
        memset(head, 0, KEYFRAME_HEAD_BYTES);
        body->len = KEYFRAME_HEAD_BYTES;
        if (screen_keyframe(screen, lines, body, &info) != ERR_OK)
            return false;
        if (body->len <= VIEWER_MESSAGE_MAX_BYTES || lines == 0)
            break;
    }
    put_keyframe_head(s, &info, s->owed);
    s->keyframe.at = 0;
    s->keyframe.type = VIEWER_MSG_KEYFRAME;
    s->owes_history =
        info.history_lines < screen_history_count(screen) && s->owed != KEYFRAME_REASON_HEAL;
    s->keyframe_offset = s->next = info.offset;
    s->size = pane_resizes(s->pane);
    s->keyframe_ms = loop_now_ms(s->loop);
    s->based = true;
    s->owed = NO_KEYFRAME;
    return true;
}

/* --- sending -------------------------------------------------------------------------------- */

static bool on_its_way(const struct message_parts *m)
{
    return m->at < m->body.len;
}

/* Sends a part of m, if there is one. */
static enum stream_step send_part(struct stream *s, struct message_parts *m)
{
    size_t left = m->body.len - m->at, room, n;
    bool begun = m->at > 0;
    uint8_t *out;

    if (left == 0)
        return STREAM_IDLE;
    if (!begun && !s->sink.may_begin(s->sink.ctx, m->type))
        return STREAM_FULL;
    room = s->sink.room(s->sink.ctx, begun ? STREAM_ROOM_BEGUN : STREAM_ROOM_BULK);
    n = left < room ? left : room;
    if (n < left && n < PART_MIN_BYTES)
        return STREAM_FULL;
    out = s->sink.reserve(s->sink.ctx, n);
    if (!out)
        return STREAM_FULL;
    memcpy(out, m->body.p + m->at, n);
    m->at += n;
    s->sink.commit(s->sink.ctx, m->type, on_its_way(m), n);
    if (!on_its_way(m)) {
        outbuf_clear(&m->body);
        m->at = 0;
    }
    return STREAM_SENT;
}

/* Sends one OUTPUT record of what the ring holds from s->next on. */
static enum stream_step send_output(struct stream *s)
{
    const struct ring *ring = pane_ring(s->pane);
    uint64_t left = ring_head(ring) - s->next;
    size_t room = s->sink.room(s->sink.ctx,
                               left <= STREAM_SMALL_BYTES ? STREAM_ROOM_SMALL : STREAM_ROOM_BULK);
    struct viewer_output m = {.pane = pane_id(s->pane), .offset = s->next};
    struct wbuf w;
    uint8_t *out;
    size_t n, len;

    if (room < OUTPUT_HEAD_BYTES + OUTPUT_MIN_BYTES && room < OUTPUT_HEAD_BYTES + left)
        return STREAM_FULL;
    n = left < room - OUTPUT_HEAD_BYTES ? (size_t)left : room - OUTPUT_HEAD_BYTES;
    out = s->sink.reserve(s->sink.ctx, OUTPUT_HEAD_BYTES + n);
    if (!out)
        return STREAM_FULL;
    wbuf_init(&w, out, OUTPUT_HEAD_BYTES + n);
    viewer_encode_output(&w, &m);
    for (size_t done = 0; done < n; done += len) {
        const uint8_t *p = ring_peek(ring, s->next + done, n - done, &len);

        if (len == 0)
            return STREAM_FULL;
        wbuf_put(&w, p, len);
    }
    s->next += n;
    s->sink.commit(s->sink.ctx, VIEWER_MSG_OUTPUT, false, OUTPUT_HEAD_BYTES + n);
    return STREAM_SENT;
}

static enum stream_step send_exit(struct stream *s)
{
    struct pane_status status = pane_status(s->pane);
    struct viewer_exit m = {.pane = pane_id(s->pane),
                            .how = status.signalled ? EXIT_HOW_SIGNALLED : EXIT_HOW_EXITED,
                            .status = (uint32_t)status.code};
    uint8_t body[16];
    struct wbuf w;
    uint8_t *out;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_exit(&w, &m);
    if (s->sink.room(s->sink.ctx, STREAM_ROOM_SMALL) < w.len)
        return STREAM_FULL;
    out = s->sink.reserve(s->sink.ctx, w.len);
    if (!out)
        return STREAM_FULL;
    memcpy(out, body, w.len);
    s->sink.commit(s->sink.ctx, VIEWER_MSG_EXIT, false, w.len);
    s->exit_sent = true;
    return STREAM_SENT;
}

/* True when the viewer is so far behind that a screen serves it better than what it missed: by more
 * than may fly. One that keeps up is behind too at the end of a round in which much was read. */
static bool should_skip(const struct stream *s)
{
    const struct ring *ring = pane_ring(s->pane);
    uint64_t behind = ring_head(ring) - s->next;

    return s->next < ring_tail(ring) ||
           (behind > SKIP_BYTES && behind > s->sink.window(s->sink.ctx));
}

/* A keyframe for a dragged size waits until STREAM_RESIZE_MS after the one before. */
static bool must_wait(struct stream *s)
{
    uint64_t since = loop_now_ms(s->loop) - s->keyframe_ms;

    if (s->owed != KEYFRAME_REASON_RESIZE || s->keyframe_ms == 0 || since >= STREAM_RESIZE_MS)
        return false;
    loop_timer_start(&s->timer, STREAM_RESIZE_MS - since);
    return true;
}

static void arm_heal(struct stream *s)
{
    if (s->owes_history && !pane_status(s->pane).dead)
        loop_timer_start(&s->timer, STREAM_QUIET_MS);
}

static enum stream_step begin_keyframe(struct stream *s)
{
    if (must_wait(s))
        return STREAM_IDLE;
    if (!s->sink.may_begin(s->sink.ctx, VIEWER_MSG_KEYFRAME) ||
        s->sink.room(s->sink.ctx, STREAM_ROOM_BULK) < OUTPUT_MIN_BYTES || !build_keyframe(s))
        return STREAM_FULL;
    return send_part(s, &s->keyframe);
}

enum stream_step stream_step(struct stream *s)
{
    bool dead = pane_status(s->pane).dead;

    s->exit_sent = s->exit_sent && dead; /* another program may run in it since */
    if (on_its_way(&s->keyframe))
        return send_part(s, &s->keyframe);
    if (s->owed == NO_KEYFRAME && should_skip(s))
        s->owed = KEYFRAME_REASON_SKIP;
    if (s->owed != NO_KEYFRAME)
        return begin_keyframe(s);
    if (s->next < ring_head(pane_ring(s->pane)))
        return send_output(s);
    if (dead && !s->exit_sent)
        return send_exit(s);
    arm_heal(s);
    return send_part(s, &s->history);
}

bool stream_is_small(const struct stream *s)
{
    uint64_t left = ring_head(pane_ring(s->pane)) - s->next;

    return !on_its_way(&s->keyframe) && s->owed == NO_KEYFRAME && left > 0 &&
           left <= STREAM_SMALL_BYTES;
}

/* --- what happens to the pane --------------------------------------------------------------- */

static void on_output(void *ctx, struct pane *p)
{
    struct stream *s = ctx;

    if (!pane_status(p).dead) /* it has another program */
        s->exit_sent = false;
    s->sink.wake(s->sink.ctx);
}

static void on_resized(void *ctx, struct pane *p)
{
    struct stream *s = ctx;

    (void)p;
    if (s->owed == NO_KEYFRAME || s->owed == KEYFRAME_REASON_HEAL)
        s->owed = KEYFRAME_REASON_RESIZE;
    s->sink.wake(s->sink.ctx);
}

static void on_timer(void *ctx)
{
    struct stream *s = ctx;
    uint64_t quiet = loop_now_ms(s->loop) - pane_output_ms(s->pane);

    if (s->owed == NO_KEYFRAME && s->owes_history && s->next == ring_head(pane_ring(s->pane))) {
        if (quiet >= STREAM_QUIET_MS)
            s->owed = KEYFRAME_REASON_HEAL;
        else
            loop_timer_start(&s->timer, STREAM_QUIET_MS - quiet);
    }
    s->sink.wake(s->sink.ctx);
}

static void free_stream(void *ctx)
{
    struct stream *s = ctx;

    outbuf_clear(&s->keyframe.body);
    outbuf_clear(&s->history.body);
    free(s);
}

struct stream *stream_create(struct loop *l, struct pane *pane, const struct stream_sink *sink)
{
    struct stream *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->loop = l;
    s->pane = pane;
    s->sink = *sink;
    s->owed = KEYFRAME_REASON_JOIN;
    s->observer.output = on_output;
    s->observer.resized = on_resized;
    s->observer.exited = on_output;
    s->observer.ctx = s;
    loop_timer_init(&s->timer, l, on_timer, s);
    loop_task_init(&s->reaper, free_stream, s);
    pane_observe(pane, &s->observer);
    return s;
}

void stream_destroy(struct stream *s)
{
    if (!s)
        return;
    loop_timer_stop(&s->timer);
    pane_unobserve(s->pane, &s->observer);
    loop_defer(s->loop, &s->reaper); /* the pane may be walking its observers */
}

bool stream_resume(struct stream *s, uint64_t offset, uint64_t from, uint32_t size)
{
    const struct ring *ring = pane_ring(s->pane);

    s->owed = KEYFRAME_REASON_RESUME;
    if (offset < from || offset < ring_tail(ring) || offset > ring_head(ring) ||
        size != pane_resizes(s->pane))
        return false;
    s->next = offset;
    s->size = size;
    s->keyframe_offset = from;
    s->based = true;
    s->owed = NO_KEYFRAME;
    return true;
}

bool stream_history(struct stream *s, uint32_t request, uint64_t before_line, uint32_t count)
{
    struct viewer_history m = {.request = request, .pane = pane_id(s->pane)};
    struct outbuf *body = &s->history.body;
    struct wbuf w;

    if (on_its_way(&s->history))
        return false;
    if (count > STREAM_HISTORY_LINES)
        count = STREAM_HISTORY_LINES;
    for (;; count /= 2) {
        uint8_t *head;

        outbuf_reset(body);
        head = outbuf_reserve(body, HISTORY_HEAD_BYTES);
        if (!head)
            return false;
        body->len = HISTORY_HEAD_BYTES;
        if (screen_history(pane_screen(s->pane), before_line, count, body, &m.first_line,
                           &m.count) != ERR_OK)
            return false;
        if (body->len <= STREAM_HISTORY_BYTES || count <= 1)
            break;
    }
    wbuf_init(&w, body->p, HISTORY_HEAD_BYTES);
    viewer_encode_history(&w, &m);
    s->history.at = 0;
    s->history.type = VIEWER_MSG_HISTORY;
    s->sink.wake(s->sink.ctx);
    return true;
}

struct pane *stream_pane(const struct stream *s)
{
    return s->pane;
}

uint64_t stream_keyframe_offset(const struct stream *s)
{
    return s->keyframe_offset;
}

uint64_t stream_sent(const struct stream *s)
{
    return s->next;
}

bool stream_is_based(const struct stream *s)
{
    return s->based;
}

uint32_t stream_size(const struct stream *s)
{
    return s->size;
}

bool stream_behind(const struct stream *s)
{
    return on_its_way(&s->keyframe) || s->owed != NO_KEYFRAME ||
           s->next < ring_head(pane_ring(s->pane));
}

bool stream_finished(const struct stream *s)
{
    return s->exit_sent && !stream_behind(s);
}
