/* A screen as it was at one moment, with its scrollback, while its program writes on.
 *
 *   scrollback ─► a hold (scroll.h): by number, nothing is copied unless it is dropped
 *   rows shown ─► copied, a screenful
 *
 * Lines count from 0, the oldest, to screen_frozen_lines; the last screen_frozen_rows are those
 * that were shown. A frozen screen outlives its screen; its links do not. */
#ifndef VITRINE_DAEMON_SCREEN_FROZEN_H
#define VITRINE_DAEMON_SCREEN_FROZEN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/daemon/cell.h"
#include "server/daemon/line_text.h"

struct screen;
struct screen_frozen;

/* NULL when memory ran out. */
struct screen_frozen *screen_freeze(struct screen *s);
/* Frees it; NULL is fine. */
void screen_thaw(struct screen_frozen *f);

uint32_t screen_frozen_lines(const struct screen_frozen *f);
uint16_t screen_frozen_rows(const struct screen_frozen *f);
/* The cells of a line, *n of them; NULL when there is no such line or no memory. Valid until the
 * next call for f. Numbers of links are the screen's. */
const struct cell *screen_frozen_cells(struct screen_frozen *f, uint32_t line, uint16_t *n);
/* The text of a line; an empty one when there is none. */
void screen_frozen_text(struct screen_frozen *f, uint32_t line, struct line_text *out);

#endif
