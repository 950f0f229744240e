/* The cells of one screen. At rest they are in libvterm (screen_store.c) and nowhere else; while
 * bytes are fed they are worked on in plain memory, the bench, which is put back when the feed
 * ends.
 *
 * The bench is what makes bulk output cheap: moving all cells at every newline is most of what
 * libvterm does, and of a flood only the last screenful is ever put back. A row is fetched from
 * libvterm when it is first touched; a row only moved is not fetched at all, and a screen that
 * scrolled as a whole is scrolled there too. Benches are shared by all grids, one per grid in work.
 *
 * Rows and columns count from 0 and must be inside of the grid; ranges must not be empty. */
#ifndef VITRINE_DAEMON_SCREEN_GRID_H
#define VITRINE_DAEMON_SCREEN_GRID_H

#include "server/daemon/screen_store.h"

struct grid;

/* Makes a grid of empty cells with pen 0; cols and rows at least 2. NULL when memory ran out. */
struct grid *grid_create(int cols, int rows);
void grid_destroy(struct grid *g);
/* Puts the bench back. Call it when a feed, or any other series of changes, ends. */
void grid_settle(struct grid *g);
/* Gives the bench up instead: the changes since it was last put back are undone. */
void grid_discard(struct grid *g);

/* Packs the cells until the next change; call it while no bench is in use. */
void grid_rest(struct grid *g);

struct gcell grid_get(struct grid *g, int row, int col);
/* Copies a whole row out. */
void grid_get_row(struct grid *g, int row, struct gcell *out);

/* Changes. When there is no memory for a bench they are lost. */
void grid_put(struct grid *g, int row, int col, struct gcell cell);
/* Writes n printable ASCII characters from col on; they must fit into the row. */
void grid_put_ascii(struct grid *g, int row, int col, const uint8_t *p, int n, uint32_t pen);
/* Makes the cells from col to end (exclusive) empty with this pen. */
void grid_erase(struct grid *g, int row, int col, int end, uint32_t pen);
/* Shifts the cells from col on right or left by n; those that become free are empty with this pen.
 */
void grid_insert(struct grid *g, int row, int col, int n, uint32_t pen);
void grid_delete(struct grid *g, int row, int col, int n, uint32_t pen);
/* Shifts the rows top to bottom (inclusive) up by n, or down when n is negative. */
void grid_scroll(struct grid *g, int top, int bottom, int n, uint32_t pen);

/* True when any cell that is not one column wide may be in the grid. */
bool grid_is_mixed(const struct grid *g);
/* Tells that no such cell is left. */
void grid_set_plain(struct grid *g);

#endif
