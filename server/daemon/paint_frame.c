#include "server/daemon/paint_frame.h"

#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/screen_width.h"

const struct pen frame_pen_default = {0};

static struct cell blank(const struct pen *pen)
{
    return (struct cell){.pen = *pen, .width = 1, .len = 1, .text = " "};
}

bool frame_resize(struct frame *f, uint16_t cols, uint16_t rows)
{
    if (f->cells && f->cols == cols && f->rows == rows)
        return true;
    size_t n = (size_t)cols * rows;
    struct cell *cells = calloc(n ? n : 1, sizeof *cells);
    bool *wraps = calloc(rows ? rows : 1u, sizeof *wraps);
    if (!cells || !wraps) {
        free(cells);
        free(wraps);
        return false;
    }
    frame_clear(f);
    *f = (struct frame){.cols = cols, .rows = rows, .cells = cells, .wraps = wraps};
    frame_blank(f);
    return true;
}

void frame_clear(struct frame *f)
{
    if (f->cells)
        secret_wipe(f->cells, (size_t)f->cols * f->rows * sizeof *f->cells);
    free(f->cells);
    free(f->wraps);
    *f = (struct frame){0};
}

void frame_blank_row(struct frame *f, uint16_t row)
{
    frame_fill(f, row, 0, f->cols, &frame_pen_default);
    f->wraps[row] = false;
}

void frame_blank(struct frame *f)
{
    for (uint16_t row = 0; row < f->rows; row++)
        frame_blank_row(f, row);
    f->cursor = (struct frame_cursor){0};
}

struct cell *frame_row(const struct frame *f, uint16_t row)
{
    return f->cells + (size_t)row * f->cols;
}

/* How many of n columns from col on are inside the frame. */
static uint16_t room(const struct frame *f, uint16_t row, uint16_t col, uint16_t n)
{
    if (row >= f->rows || col >= f->cols)
        return 0;
    return n < f->cols - col ? n : (uint16_t)(f->cols - col);
}

void frame_fill(struct frame *f, uint16_t row, uint16_t col, uint16_t cols, const struct pen *pen)
{
    const struct cell c = blank(pen);

    cols = room(f, row, col, cols);
    for (uint16_t i = 0; i < cols; i++)
        frame_row(f, row)[col + i] = c;
}

void frame_put(struct frame *f, uint16_t row, uint16_t col, const struct cell *cells, uint16_t n)
{
    n = room(f, row, col, n);
    for (uint16_t i = 0; i < n; i++) {
        bool empty = cells[i].len == 0 && cells[i].width != 0;
        frame_row(f, row)[col + i] = empty ? blank(&cells[i].pen) : cells[i];
    }
}

/* Adds a combining character to the cell before col. */
static void combine(struct cell *row, uint16_t start, uint16_t col, const uint8_t *utf8, size_t n)
{
    if (col == start)
        return;
    struct cell *c = &row[col - 1];
    if (c->width == 0)
        c--;
    if (c->len + n > CELL_TEXT_MAX)
        return;
    memcpy(c->text + c->len, utf8, n);
    c->len += (uint8_t)n;
}

static size_t next_char(const char *text, size_t n, uint32_t *cp)
{
    size_t used = utf8_decode((const uint8_t *)text, n, cp);

    if (used == 0 || *cp < 0x20 || (*cp >= 0x7f && *cp < 0xa0))
        *cp = 0xfffd;
    return used ? used : 1;
}

uint16_t frame_text(struct frame *f, uint16_t row, uint16_t col, uint16_t end,
                    const struct pen *pen, const char *text, size_t n)
{
    uint16_t start = col;

    if (row >= f->rows)
        return col;
    end = end < f->cols ? end : f->cols;
    for (size_t at = 0; at < n;) {
        uint8_t utf8[UTF8_MAX_BYTES];
        uint32_t cp;
        at += next_char(text + at, n - at, &cp);
        size_t len = utf8_encode(cp, utf8);
        unsigned width = screen_width(cp);
        if (width == 0) {
            combine(frame_row(f, row), start, col, utf8, len);
            continue;
        }
        if (col + width > end)
            break;
        struct cell *c = frame_row(f, row) + col;
        *c = (struct cell){.pen = *pen, .width = (uint8_t)width, .len = (uint8_t)len};
        memcpy(c->text, utf8, len);
        if (width == 2)
            c[1] = (struct cell){.pen = *pen};
        col = (uint16_t)(col + width);
    }
    return col;
}

uint16_t frame_text_end(const struct frame *f, uint16_t row)
{
    const struct cell *cells = frame_row(f, row);
    uint16_t n = f->cols;

    while (n > 0 && cells[n - 1].width != 0 && (cells[n - 1].len == 0 || cells[n - 1].text[0] == ' '))
        n--;
    return n;
}

uint16_t frame_text_cols(const char *text, size_t n)
{
    uint32_t cols = 0, cp;

    for (size_t at = 0; at < n && cols < UINT16_MAX;) {
        at += next_char(text + at, n - at, &cp);
        cols += screen_width(cp);
    }
    return cols < UINT16_MAX ? (uint16_t)cols : UINT16_MAX;
}
