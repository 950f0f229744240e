/* One viewer's view of one pane: what it has been sent, what it is owed.
 *
 *              ┌────────── owed KEYFRAME (join, resize, skip, heal, resume, end) ◄─────────┐
 *              ▼                                                                           │
 *   keyframe in parts ──► OUTPUT from its offset on ──► caught up ──► quiet: heal if it    │
 *                            │                                        was skipped          │
 *                            └── too far behind, or the ring has lost it, or a new size ───┘
 *
 * A stream holds no backlog: only offsets into the pane's ring, and the rest of a keyframe that is
 * on its way. It asks its sink for room and writes records in place, one for each stream_step: a
 * viewer of several panes has a stream for each, and they take turns (viewer_turns.c). */
#ifndef VITRINE_DAEMON_STREAM_H
#define VITRINE_DAEMON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/viewer_msg.h"

struct loop;
struct pane;
struct stream;

#define STREAM_JOIN_HISTORY  1000       /* lines of scrollback sent at once at a join */
#define STREAM_RESIZE_MS     100        /* between two keyframes while a size is dragged */
#define STREAM_QUIET_MS      300        /* without output before a heal */
#define STREAM_HISTORY_BYTES (1u << 20) /* of one HISTORY answer */
#define STREAM_HISTORY_LINES 5000

#define STREAM_SMALL_BYTES 1024 /* output that goes before bulk */

enum stream_room {
    STREAM_ROOM_BULK,
    STREAM_ROOM_SMALL, /* at most STREAM_SMALL_BYTES: may go a little beyond the window */
    STREAM_ROOM_BEGUN, /* goes on with a message whose first part was sent: that is not held back by
                        * the window, since nothing of it can be acknowledged before all of it is
                        * there */
};

struct stream_sink {
    /* The largest body that may be sent now. */
    size_t (*room)(void *ctx, enum stream_room what);
    /* False while another message of that type is on its way in parts. */
    bool (*may_begin)(void *ctx, uint8_t type);
    /* Bytes that may be on their way in all, as things stand. */
    uint32_t (*window)(void *ctx);
    /* Room for n bytes, n at most room, or NULL. */
    uint8_t *(*reserve)(void *ctx, size_t n);
    void (*commit)(void *ctx, uint8_t type, bool more, size_t n);
    /* Something is to be sent: call stream_step at the end of the round. */
    void (*wake)(void *ctx);
    void *ctx;
};

/* Follows the pane, which must outlive the stream; a keyframe is owed at once. NULL when memory ran
 * out. */
struct stream *stream_create(struct loop *l, struct pane *pane, const struct stream_sink *sink);
/* Ends it; freed after the round. NULL is fine. */
void stream_destroy(struct stream *s);
struct pane *stream_pane(const struct stream *s);
/* Goes on behind offset instead of with a keyframe, when the viewer was sent that far before and
 * nothing in between is lost. from is what stream_sent gave and size what stream_size gave for the
 * viewer's former stream. False when a keyframe is needed; it is then owed with reason RESUME. */
bool stream_resume(struct stream *s, uint64_t offset, uint64_t from, uint32_t size);
enum stream_step {
    STREAM_IDLE, /* nothing to send now */
    STREAM_SENT, /* one record; there may be more */
    STREAM_FULL, /* there is something, but no room for it now */
};
/* Sends at most one record. */
enum stream_step stream_step(struct stream *s);
/* True when a little output is all there is to send: an echo, a prompt. */
bool stream_is_small(const struct stream *s);
/* Asks for scrollback; false when one request is still being answered. */
bool stream_history(struct stream *s, uint32_t request, uint64_t before_line, uint32_t count);
/* The first and last offset sent since the last keyframe, for stream_resume. */
uint64_t stream_keyframe_offset(const struct stream *s);
uint64_t stream_sent(const struct stream *s);
/* True when there is a keyframe, or a point it resumed from, that the others speak of. */
bool stream_is_based(const struct stream *s);
/* pane_resizes as it was when the last keyframe was made. */
uint32_t stream_size(const struct stream *s);
/* True when the viewer is not shown the newest state. */
bool stream_behind(const struct stream *s);
/* True when the program has ended and all of it, EXIT included, was sent. */
bool stream_finished(const struct stream *s);

#endif
