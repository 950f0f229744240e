/* What one character cell of a screen shows: text, width, and the pen it was written with.
 *
 * The pen is what xterm.js keeps per cell, which is more than libvterm can: dim, conceal, overline,
 * underline styles and colour, and the OSC 8 link. All structs here are plain values without hidden
 * padding, so two of them show the same exactly when their bytes are equal. */
#ifndef VITRINE_DAEMON_CELL_H
#define VITRINE_DAEMON_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outbuf;

/* A colour: a kind in the top byte and its value below. The 16 and the 256 colour palettes share
 * indices but are told apart, because terminals brighten bold text of the first only. */
typedef uint32_t cell_color;
#define COLOR_DEFAULT  0u
#define COLOR_KIND(c)  ((c)&0xff000000u)
#define COLOR_VALUE(c) ((c)&0x00ffffffu)
#define COLOR_KIND_16  0x01000000u /* value 0–15: SGR 30–37, 40–47, 90–97, 100–107 */
#define COLOR_KIND_256 0x02000000u /* value 0–255: SGR 38;5;n */
#define COLOR_KIND_RGB 0x03000000u /* value 0xRRGGBB: SGR 38;2;r;g;b */

enum pen_flag {
    PEN_BOLD = 1 << 0,
    PEN_DIM = 1 << 1,
    PEN_ITALIC = 1 << 2,
    PEN_BLINK = 1 << 3,
    PEN_INVERSE = 1 << 4,
    PEN_CONCEAL = 1 << 5,
    PEN_STRIKE = 1 << 6,
    PEN_OVERLINE = 1 << 7,
    PEN_PROTECTED = 1 << 8, /* DECSCA; a mark on the character, not a look */
};

/* Values of pen.underline, as in SGR 4:n. */
enum pen_underline {
    UNDERLINE_NONE,
    UNDERLINE_SINGLE,
    UNDERLINE_DOUBLE,
    UNDERLINE_CURLY,
    UNDERLINE_DOTTED,
    UNDERLINE_DASHED,
};

struct pen {
    cell_color fg;
    cell_color bg;
    cell_color underline_color;
    uint32_t link;      /* 0 none; else a number of this screen, see screen_link */
    uint16_t flags;     /* enum pen_flag */
    uint16_t underline; /* enum pen_underline */
};

/* Bytes of UTF-8 kept per cell; longer clusters are cut at a character's end, for painters only. */
#define CELL_TEXT_MAX 26

struct cell {
    struct pen pen;
    uint8_t width;            /* 1 or 2; 0 for the second half of a wide character */
    uint8_t len;              /* bytes in text; 0 for an empty cell, shown as a space */
    char text[CELL_TEXT_MAX]; /* UTF-8, zero padded, not NUL-terminated when full */
};

bool pen_equal(const struct pen *a, const struct pen *b);
bool cell_equal(const struct cell *a, const struct cell *b);

/* Writes the SGR sequence that takes a terminal from pen `from` to pen `to` (nothing when they look
 * the same); from NULL means an unknown pen and writes from SGR 0. Links and protection are not
 * part of SGR and are not touched. Understood by xterm and everything that follows it. */
void sgr_write(struct outbuf *out, const struct pen *from, const struct pen *to);

#endif
