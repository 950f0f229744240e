/* The cells of one screen as libvterm holds them, or packed while nothing changes them. This is the
 * only interface to it.
 *
 * libvterm differs from xterm.js in dozens of ways and its cells have no room for half of what
 * xterm.js keeps, so it is asked for as little as possible: autowrap, margins, wide and combining
 * characters never happen inside of it. What it gets is a small canonical stream (position, pen,
 * one-column characters, erase, scroll) whose every byte is written here:
 *
 *   - the pen is a 24-bit number (a row of the screen's pen table), given to libvterm as an RGB
 *     foreground;
 *   - a glyph that is not plain ASCII is a 24-bit number too (code point or cluster, and width),
 *     given to libvterm as a code point above Unicode's, which it treats as one narrow character.
 *
 * libvterm takes 40 bytes for a cell, used or not. A store that was told to rest keeps 8 bytes for
 * those cells that are not just empty, and libvterm's are made again when something changes.
 *
 * Rows and columns count from 0 and must be inside of the store; ranges must not be empty. */
#ifndef VITRINE_DAEMON_SCREEN_STORE_H
#define VITRINE_DAEMON_SCREEN_STORE_H

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

struct store;

/* Makes a store of empty cells with pen 0; cols and rows at least 2. NULL when memory ran out. */
struct store *store_create(int cols, int rows);
void store_destroy(struct store *g);
/* Packs the cells into little memory, where they can be read as before; the first change unpacks
 * them. For screens on which nothing has happened for a while. Nothing when memory ran out. */
void store_rest(struct store *g);
/* Copies a cell, or a whole row, out. */
struct gcell store_get(struct store *g, int row, int col);
void store_get_row(struct store *g, int row, struct gcell *out);
/* Writes n cells from col on. Like store_scroll, does nothing when memory ran out. */
void store_write(struct store *g, int row, int col, const struct gcell *cells, int n);
/* Shifts all rows up by n (1 to all of them); the new ones are empty with pen 0. */
void store_scroll(struct store *g, int n);

#endif
