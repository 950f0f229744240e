/* Pens, clusters and the operations on cells that xterm.js's lines have, on top of the grid. What
 * they do to halves of wide characters is exactly what its BufferLine does. */
#include "server/daemon/screen_state.h"

#include <string.h>

/* --- numbers ---------------------------------------------------------------------------------- */

uint32_t screen_pen_number(struct screen *s, const struct raw_pen *pen)
{
    static const struct raw_pen plain;
    if (raw_pen_equal(pen, &plain))
        return 0;
    for (int i = 0; i < 2; i++)
        if (s->pen_cache[i].valid && raw_pen_equal(pen, &s->pen_cache[i].pen))
            return s->pen_cache[i].number;
    uint32_t number = intern_add(&s->pens, pen, sizeof *pen);
    s->pen_cache[1] = s->pen_cache[0];
    s->pen_cache[0] = (struct pen_cache){.pen = *pen, .number = number, .valid = true};
    return number;
}

struct raw_pen screen_pen_at(const struct screen *s, uint32_t number)
{
    struct raw_pen pen = {0};
    const void *bytes = intern_get(&s->pens, number, NULL);
    if (bytes)
        memcpy(&pen, bytes, sizeof pen);
    return pen;
}

uint32_t screen_erase_pen(struct screen *s)
{
    struct raw_pen pen = raw_pen_of_erase(&s->pen);
    return screen_pen_number(s, &pen);
}

bool screen_glyph_has_content(uint32_t glyph)
{
    return (glyph & (GLYPH_CLUSTER | GLYPH_CONTENT)) != 0;
}

size_t screen_glyph_text(const struct screen *s, uint32_t glyph, uint32_t *out)
{
    uint32_t content = glyph & GLYPH_CONTENT;
    if (!(glyph & GLYPH_CLUSTER)) {
        out[0] = content;
        return content ? 1 : 0;
    }
    size_t len = 0;
    const void *bytes = intern_get(&s->clusters, content, &len);
    if (bytes)
        memcpy(out, bytes, len);
    return len / sizeof *out;
}

uint32_t screen_glyph_of(struct screen *s, const uint32_t *cps, size_t n, unsigned width)
{
    if (n == 0)
        return GLYPH(0, width);
    if (n == 1)
        return GLYPH(cps[0], width);
    uint32_t number = intern_add(&s->clusters, cps, n * sizeof *cps);
    return number ? GLYPH(number, width) | GLYPH_CLUSTER : GLYPH(cps[0], width);
}

static void mark_row(struct screen *s, const struct gcell *cells)
{
    for (int col = 0; col < s->cols; col++) {
        intern_mark(&s->pens, cells[col].pen);
        if (cells[col].glyph & GLYPH_CLUSTER)
            intern_mark(&s->clusters, cells[col].glyph & GLYPH_CONTENT);
    }
}

static void mark_buffer(struct screen *s, struct buffer *b)
{
    for (int row = 0; b->grid && row < s->rows; row++) {
        grid_get_row(b->grid, row, s->row_cells);
        mark_row(s, s->row_cells);
    }
}

/* Links are used by pens; only pens that are left count. */
static void mark_links(struct screen *s)
{
    for (uint32_t i = 1; i < s->pens.count; i++)
        intern_mark(&s->links, screen_pen_at(s, i).link);
    intern_mark(&s->links, s->pen.link);
    screen_frozen_mark_links(s);
}

void screen_sweep(struct screen *s)
{
    if (!intern_wants_sweep(&s->pens) && !intern_wants_sweep(&s->clusters) &&
        !intern_wants_sweep(&s->links))
        return;
    mark_buffer(s, &s->main);
    mark_buffer(s, &s->alternate);
    intern_sweep(&s->pens);
    intern_sweep(&s->clusters);
    mark_links(s);
    intern_sweep(&s->links);
    s->pen_cache[0].valid = s->pen_cache[1].valid = false;
}

/* --- cells ------------------------------------------------------------------------------------ */

static bool has_width_zero(uint32_t glyph)
{
    return GLYPH_WIDTH(glyph) == 0 && !screen_glyph_has_content(glyph);
}

unsigned screen_cell_width(struct screen *s, int row, int col)
{
    if (col < 0 || col >= s->cols)
        return 0;
    if (!grid_is_mixed(s->active->grid))
        return 1;
    return GLYPH_WIDTH(grid_get(s->active->grid, row, col).glyph);
}

void screen_set_cell(struct screen *s, int row, int col, uint32_t glyph, uint32_t pen)
{
    if (col < 0 || col >= s->cols)
        return;
    grid_put(s->active->grid, row, col, (struct gcell){.glyph = glyph, .pen = pen});
}

static bool is_protected(struct screen *s, int row, int col)
{
    if (col < 0 || col >= s->cols)
        return false;
    return screen_pen_at(s, grid_get(s->active->grid, row, col).pen).bg & BG_PROTECTED;
}

void screen_insert_cells(struct screen *s, int row, int col, int n, uint32_t pen)
{
    col %= s->cols;
    if (col && screen_cell_width(s, row, col - 1) == 2)
        screen_set_cell(s, row, col - 1, GLYPH_NULL, pen);
    if (n > 0)
        grid_insert(s->active->grid, row, col, n, pen);
    if (screen_cell_width(s, row, s->cols - 1) == 2)
        screen_set_cell(s, row, s->cols - 1, GLYPH_NULL, pen);
    screen_touch(s, row);
}

void screen_delete_cells(struct screen *s, int row, int col, int n, uint32_t pen)
{
    col %= s->cols;
    grid_delete(s->active->grid, row, col, n, pen);
    if (col && screen_cell_width(s, row, col - 1) == 2)
        screen_set_cell(s, row, col - 1, GLYPH_NULL, pen);
    if (grid_is_mixed(s->active->grid) && has_width_zero(grid_get(s->active->grid, row, col).glyph))
        screen_set_cell(s, row, col, GLYPH_NULL, pen);
    screen_touch(s, row);
}

static void replace_unprotected(struct screen *s, int row, int start, int end, uint32_t pen)
{
    if (start && screen_cell_width(s, row, start - 1) == 2 && !is_protected(s, row, start - 1))
        screen_set_cell(s, row, start - 1, GLYPH_NULL, pen);
    if (end < s->cols && screen_cell_width(s, row, end - 1) == 2 && !is_protected(s, row, end))
        screen_set_cell(s, row, end, GLYPH_NULL, pen);
    for (int col = start; col < end && col < s->cols; col++)
        if (!is_protected(s, row, col))
            screen_set_cell(s, row, col, GLYPH_NULL, pen);
}

void screen_replace_cells(struct screen *s, int row, int start, int end, bool keep_protected)
{
    uint32_t pen = screen_erase_pen(s);
    screen_touch(s, row);
    if (keep_protected) {
        replace_unprotected(s, row, start, end, pen);
        return;
    }
    if (start && screen_cell_width(s, row, start - 1) == 2)
        screen_set_cell(s, row, start - 1, GLYPH_NULL, pen);
    if (end < s->cols && screen_cell_width(s, row, end - 1) == 2)
        screen_set_cell(s, row, end, GLYPH_NULL, pen);
    end = int_min(end, s->cols);
    if (start < end)
        grid_erase(s->active->grid, row, start, end, pen);
}

void screen_erase_row(struct screen *s, int row, bool keep_protected)
{
    uint32_t pen = screen_erase_pen(s);
    screen_touch(s, row);
    s->active->wrapped[row] = false;
    if (!keep_protected) {
        grid_erase(s->active->grid, row, 0, s->cols, pen);
        return;
    }
    for (int col = 0; col < s->cols; col++)
        if (!is_protected(s, row, col))
            screen_set_cell(s, row, col, GLYPH_NULL, pen);
}

/* --- rows
 * ----------------------------------------------------------------------------------------- */

static void shift_flags(bool *flags, int top, int bottom, int n)
{
    int height = bottom - top + 1;
    int count = int_min(n < 0 ? -n : n, height);
    size_t kept = (size_t)(height - count);
    bool *from = n < 0 ? flags + top : flags + top + count;
    bool *to = n < 0 ? flags + top + count : flags + top;
    memmove(to, from, kept);
    memset(n < 0 ? flags + top : flags + top + kept, 0, (size_t)count);
}

void screen_shift_rows(struct screen *s, int top, int bottom, int n, uint32_t pen)
{
    int height = bottom - top + 1;
    n = int_max(-height, int_min(height, n));
    grid_scroll(s->active->grid, top, bottom, n, pen);
    shift_flags(s->active->wrapped, top, bottom, n);
    for (int row = top; row <= bottom; row++)
        screen_touch(s, row);
}

void screen_scroll(struct screen *s, bool wrapped)
{
    struct buffer *b = s->active;
    if (b->top == 0 && b == &s->main)
        screen_push_row(s, b, 0);
    screen_shift_rows(s, b->top, b->bottom, 1, screen_erase_pen(s));
    b->wrapped[b->bottom] = wrapped;
}
