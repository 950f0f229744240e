/* The cells of one screen, held by libvterm. This is the only interface to it.
 *
 * libvterm differs from xterm.js in dozens of ways and its cells have no room for half of what
 * xterm.js keeps, so it is asked for as little as possible: autowrap, margins, wide and combining
 * characters never happen inside of it. What it gets is a small canonical stream (position, pen,
 * one-column characters, erase, insert, delete, scroll) whose every byte is written here:
 *
 *   - the pen is a 24-bit number (a row of the screen's pen table), given to libvterm as an RGB
 *     foreground;
 *   - a glyph that is not plain ASCII is a 24-bit number too (code point or cluster, and width),
 *     given to libvterm as a code point above Unicode's, which it treats as one narrow character.
 *
 * Rows and columns count from 0 and must be inside of the grid; ranges must not be empty. */
#ifndef VITRINE_DAEMON_SCREEN_GRID_H
#define VITRINE_DAEMON_SCREEN_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cell: what is in it and the number of its pen. */
struct gcell {
    uint32_t glyph;
    uint32_t pen;
};

/* Glyphs: 21 bits of code point or cluster number, then the width (0 to 2), then the cluster mark.
 */
#define GLYPH_WIDTH_SHIFT 21
#define GLYPH_CONTENT     0x1fffffu
#define GLYPH_CLUSTER     0x800000u
#define GLYPH_MAX         0xffffffu
#define GLYPH(cp, width)  ((uint32_t)(cp) | (uint32_t)(width) << GLYPH_WIDTH_SHIFT)
#define GLYPH_WIDTH(g)    ((g) >> GLYPH_WIDTH_SHIFT & 3u)
#define GLYPH_NULL        GLYPH(0, 1) /* an empty cell */
#define GLYPH_TRAIL       GLYPH(0, 0) /* what follows a wide character */
#define PEN_NUMBER_MAX    0xffffffu

struct grid;

/* Makes a grid of empty cells with pen 0; cols and rows at least 2. NULL when memory ran out. */
struct grid *grid_create(int cols, int rows);
void grid_destroy(struct grid *g);
void grid_put(struct grid *g, int row, int col, struct gcell cell);
/* Writes n printable ASCII characters from col on; they must fit into the row. */
void grid_put_ascii(struct grid *g, int row, int col, const uint8_t *p, int n, uint32_t pen);
struct gcell grid_get(struct grid *g, int row, int col);
/* Copies a whole row out. */
void grid_get_row(struct grid *g, int row, struct gcell *out);
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
