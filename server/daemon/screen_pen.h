/* The pen as xterm.js keeps it: two words of colour and flags, and the extended attributes, which
 * count only while the pen is marked as extended. That mark and the values behind it can disagree
 * (restoring a cursor restores only the words), and what later sequences do depends on both, so
 * they are kept apart exactly as there. */
#ifndef VITRINE_DAEMON_SCREEN_PEN_H
#define VITRINE_DAEMON_SCREEN_PEN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/daemon/cell.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/scan.h"

/* Bits 0–25 of both words are a cell_color; a palette colour may have stale bits in 8–23. */
#define RAW_COLOR       0x03ffffffu
#define RAW_STALE       0x00ffff00u
#define FG_INVERSE      0x04000000u
#define FG_BOLD         0x08000000u
#define FG_UNDERLINE    0x10000000u
#define FG_BLINK        0x20000000u
#define FG_CONCEAL      0x40000000u
#define FG_STRIKE       0x80000000u
#define BG_ITALIC       0x04000000u
#define BG_DIM          0x08000000u
#define BG_EXTENDED     0x10000000u
#define BG_PROTECTED    0x20000000u
#define BG_OVERLINE     0x40000000u
#define EXT_COLOR       0x03ffffffu
#define EXT_STYLE_SHIFT 26
#define EXT_STYLE       (7u << EXT_STYLE_SHIFT)

struct raw_pen {
    uint32_t fg;
    uint32_t bg;
    uint32_t ext;  /* underline colour and style */
    uint32_t link; /* number of the open link, 0 none */
};

bool raw_pen_equal(const struct raw_pen *a, const struct raw_pen *b);
/* Applies the parameters of CSI … m. */
void raw_pen_apply(struct raw_pen *pen, const struct scan_params *p);
/* Sets the open link (0 closes it). */
void raw_pen_set_link(struct raw_pen *pen, uint32_t link);
/* What a cell written with this pen keeps: nothing extended unless marked so. */
struct raw_pen raw_pen_of_cell(const struct raw_pen *pen);
/* The pen of cells erased with this pen: its background colour only. */
struct raw_pen raw_pen_of_erase(const struct raw_pen *pen);
/* The pen as other modules see it. */
struct pen raw_pen_show(const struct raw_pen *pen);
/* Writes what takes a terminal's pen from *at to `to`, except for its link, and updates *at to what
 * it then is (equal to `to` but for the link, wherever sequences can reach it). */
void raw_pen_write(struct outbuf *out, struct raw_pen *at, const struct raw_pen *to);

/* The same for colours and flags only, without touching underline or what is extended. */
void raw_pen_write_words(struct outbuf *out, struct raw_pen *at, const struct raw_pen *to);

#endif
