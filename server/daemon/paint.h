/* The differ: from what a terminal shows to what it is to show, in few bytes.
 *
 *   paint_begin ─► frame to fill ─► paint_end ─► fit to the terminal ─► scroll whole rows if that
 *   saves much ─► changed runs of each row, erase for blank ends ─► cursor
 *
 * A terminal is trusted with what all of them do alike: cursor addressing, SGR, EL, scrolling in
 * margins, autowrap of a row that text goes on from. Nothing is assumed of where the cursor stands
 * after the last column or after characters whose width terminals disagree about. */
#ifndef VITRINE_DAEMON_PAINT_H
#define VITRINE_DAEMON_PAINT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/daemon/outbuf.h"
#include "server/daemon/paint_frame.h"

/* The target of a link number of a cell's pen; NULL when unknown. Borrowed for the call. */
typedef const char *paint_link_fn(void *ctx, uint32_t link);

struct paint;

/* flags: enum ipc_client_flag. link may be NULL. Returns NULL when memory ran out. */
struct paint *paint_create(unsigned flags, paint_link_fn *link, void *ctx);
/* Wipes what was shown. NULL is fine. */
void paint_destroy(struct paint *p);
/* Returns the next frame in this size; each must be at least 1. It is the painter's until
 * paint_end, and holds anything: every row and the cursor must be set. NULL when memory ran out. */
struct frame *paint_begin(struct paint *p, uint16_t cols, uint16_t rows);
/* Sets a row of the frame begun to what the terminal shows there. False when that is not known: the
 * row must be drawn. */
bool paint_keep(struct paint *p, uint16_t row);
/* Appends to out what takes the terminal from the last frame to the one begun; nothing when they
 * look the same. When out is or becomes bad the next frame is painted in full. */
void paint_end(struct paint *p, struct outbuf *out);
/* What the terminal shows is no longer known: the next frame is painted in full. */
void paint_invalidate(struct paint *p);
/* Wipes what the painter keeps besides what the terminal shows now: call after a frame has replaced
 * one with secrets. */
void paint_wipe(struct paint *p);

#endif
