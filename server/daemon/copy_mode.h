/* Copy mode of a pane: its screen frozen, and a cursor in it (copy.h).
 *
 *   screen ─► screen_frozen ─► copy ─► attached terminals draw it instead of the screen
 *
 * The mode is the pane's, as in tmux, not a terminal's: whoever shows the pane sees it, send-keys
 * -X reaches it without any terminal, and formats tell of it. The program runs on and writes to the
 * screen behind it; viewers of a share go on seeing that.
 *
 * The scrollback is held, not copied (scroll.h): what the program pushes out of it meanwhile is
 * kept until the mode is left, at most as much as there was when it began. */
#ifndef VITRINE_DAEMON_COPY_MODE_H
#define VITRINE_DAEMON_COPY_MODE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/err.h"
#include "server/daemon/cell.h"
#include "server/daemon/copy.h"
#include "server/daemon/options.h"

#define COPY_MODE_NAME "copy-mode"

struct copy_mode;
struct pane;

/* Puts a pane into copy mode, over its own screen or, with another source, that one's; nothing
 * happens when it is in it. ERR_MEMORY. */
enum err copy_mode_enter(struct pane *p, struct pane *source, bool hide_position, bool scroll_exit);
/* Ends it; nothing happens when it is in none. */
void copy_mode_leave(struct pane *p);
/* The mode a pane is in, NULL for none; valid until it is left. */
struct copy_mode *copy_mode_of(const struct pane *p);
struct copy *copy_mode_state(struct copy_mode *m);
/* Reads the screen anew. ERR_MEMORY changes nothing. */
enum err copy_mode_refresh(struct copy_mode *m);
/* What is searched for is the pane's too, for the next time. Call it after a command. */
void copy_mode_keep_search(struct copy_mode *m);
/* The cells of a line; as screen_frozen_cells. */
const struct cell *copy_mode_cells(struct copy_mode *m, uint32_t line, uint16_t *n);
/* True when the line is wrapped into the next. */
bool copy_mode_goes_on(struct copy_mode *m, uint32_t line);
/* Counts changes of what is seen; 0 for a pane in no mode. Another mode has other numbers. */
uint64_t copy_mode_version(const struct pane *p);

/* The options that copy mode goes by, at a place; texts are borrowed. o NULL: the defaults. */
struct copy_options copy_mode_options(const struct options *o, struct options_place at);
/* The key table that mode-keys chooses. */
const char *copy_mode_table(const struct options *o, struct options_place at);

#endif
