/* Rows as other modules see them, and lines going to scrollback. */
#include "server/daemon/screen_row.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

void screen_push_row(struct screen *s, struct buffer *b, int row)
{
    struct outbuf out = {0};
    struct row_writer w = {.out = &out};
    grid_get_row(b->grid, row, s->row_cells);
    row_write(&w, s, s->row_cells, s->cols, s->cols);
    row_writer_reset(&w);
    struct scroll_line line = {
        .text = out.p,
        .len = out.bad ? 0 : (uint32_t)out.len,
        .cols = (uint16_t)s->cols,
        .wrapped = b->wrapped[row],
        .saves = w.saves,
        .full = row_is_full(s, s->row_cells, s->cols),
        .starts = row_starts(s, s->row_cells, s->cols),
        .starts_colored = (screen_pen_at(s, s->row_cells[0].pen).bg & RAW_COLOR) != 0,
    };
    scroll_push(s->scroll, &line);
    outbuf_clear(&out);
}

/* --- cells for painters
 * --------------------------------------------------------------------------- */

static void show_text(struct cell *cell, const struct screen *s, uint32_t glyph)
{
    uint32_t cps[CLUSTER_MAX + 1];
    size_t n = screen_glyph_text(s, glyph, cps);
    for (size_t i = 0; i < n && cell->len + UTF8_MAX_BYTES <= CELL_TEXT_MAX; i++) {
        uint8_t bytes[UTF8_MAX_BYTES];
        size_t len = utf8_encode(cps[i], bytes);
        memcpy(cell->text + cell->len, bytes, len);
        cell->len = (uint8_t)(cell->len + len);
    }
}

void screen_show_cell(const struct screen *owner, const struct gcell *from, struct cell *cell)
{
    struct raw_pen pen = screen_pen_at(owner, from->pen);

    memset(cell, 0, sizeof *cell);
    cell->pen = raw_pen_show(&pen);
    cell->width = (uint8_t)GLYPH_WIDTH(from->glyph);
    show_text(cell, owner, from->glyph);
}

static const struct cell *show_cells(struct screen *s, const struct screen *owner,
                                     const struct gcell *cells, int n)
{
    if (s->shown_cap < (size_t)n) {
        struct cell *grown = realloc(s->shown_cells, (size_t)n * sizeof *grown);
        if (!grown)
            return NULL;
        s->shown_cells = grown;
        s->shown_cap = (size_t)n;
    }
    for (int col = 0; col < n; col++)
        screen_show_cell(owner, &cells[col], &s->shown_cells[col]);
    return s->shown_cells;
}

const struct cell *screen_row(struct screen *s, uint16_t row)
{
    if (row >= s->rows)
        return NULL;
    grid_get_row(s->active->grid, row, s->row_cells);
    return show_cells(s, s, s->row_cells, s->cols);
}

/* Links in a scratch screen have its own numbers; they are taken over by adding them here. */
static void adopt_links(struct screen *s, const struct screen *owner, int n)
{
    for (int col = 0; col < n; col++) {
        size_t len;
        const void *link = intern_get(&owner->links, s->shown_cells[col].pen.link, &len);
        s->shown_cells[col].pen.link = link ? intern_add(&s->links, link, len) : 0;
    }
}

const struct cell *screen_line(struct screen *s, uint64_t line, uint16_t *n)
{
    uint64_t top = scroll_end(s->scroll);
    struct scroll_line text;
    *n = (uint16_t)s->cols;
    if (line >= top) {
        if (line - top >= (uint64_t)s->rows)
            return NULL;
        grid_get_row(s->main.grid, (int)(line - top), s->row_cells);
        return show_cells(s, s, s->row_cells, s->cols);
    }
    if (!scroll_get(s->scroll, line, &text))
        return NULL;
    struct row_reader reader = {0};
    const struct screen *owner = NULL;
    const struct gcell *cells = row_reader_read(&reader, &text, &owner);
    const struct cell *shown = NULL;
    *n = (uint16_t)int_min(text.cols, s->cols);
    if (cells) {
        shown = show_cells(s, owner, cells, *n);
        if (shown)
            adopt_links(s, owner, *n);
    }
    row_reader_clear(&reader);
    return shown;
}

/* Does line `line` continue the one before it? */
static bool continues(struct screen *s, uint64_t line)
{
    uint64_t top = scroll_end(s->scroll);
    struct scroll_line text;
    if (line >= top)
        return line - top < (uint64_t)s->rows && s->main.wrapped[line - top];
    return scroll_get(s->scroll, line, &text) && text.wrapped;
}

bool screen_line_wrapped(struct screen *s, uint64_t line)
{
    return continues(s, line + 1);
}
