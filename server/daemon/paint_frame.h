/* A frame: what a terminal is to show, as cells, and the pens and text that fill it.
 *
 * Nothing here writes outside of the frame: rows, columns and text beyond it are cut. A blank is a
 * space in a pen; frame cells are never empty (len 0) except the second half of a wide character.
 */
#ifndef VITRINE_DAEMON_PAINT_FRAME_H
#define VITRINE_DAEMON_PAINT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/cell.h"

struct frame_cursor {
    uint16_t x;
    uint16_t y;
    bool visible;
    uint8_t shape; /* DECSCUSR parameter, 0 to 6 */
};

/* Embedded; a zeroed one is empty. */
struct frame {
    uint16_t cols;
    uint16_t rows;
    struct cell *cells; /* rows times cols */
    bool *wraps;        /* per row: its text goes on in the next row, for a terminal's selection */
    struct frame_cursor cursor;
};

/* The look of text that Vitrine itself shows. */
extern const struct pen frame_pen_default;

/* Gives f a size; its content is lost when that differs. False when memory ran out: the old size
 * stays. */
bool frame_resize(struct frame *f, uint16_t cols, uint16_t rows);
/* Frees what f holds, after wiping it; f is empty and usable again. */
void frame_clear(struct frame *f);
/* Blanks a row; its text goes on nowhere. */
void frame_blank_row(struct frame *f, uint16_t row);
/* Overwrites every cell with blanks. */
void frame_blank(struct frame *f);
/* The cells of a row; row must be inside. */
struct cell *frame_row(const struct frame *f, uint16_t row);
/* Blanks `cols` columns from col on. */
void frame_fill(struct frame *f, uint16_t row, uint16_t col, uint16_t cols, const struct pen *pen);
/* Puts n cells at col; one that is empty becomes a blank. */
void frame_put(struct frame *f, uint16_t row, uint16_t col, const struct cell *cells, uint16_t n);
/* Writes n bytes of text from col up to, not including, column end; what does not fit is cut.
 * Controls and invalid bytes show as U+FFFD. Returns the column after it. */
uint16_t frame_text(struct frame *f, uint16_t row, uint16_t col, uint16_t end,
                    const struct pen *pen, const char *text, size_t n);
/* The column behind the last cell of a row that is no blank. */
uint16_t frame_text_end(const struct frame *f, uint16_t row);
/* Columns that frame_text takes for n bytes of text, at most 65,535. */
uint16_t frame_text_cols(const char *text, size_t n);

#endif
