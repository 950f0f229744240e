/* Changing a screen's size. The cells move to new grids, so libvterm never resizes one. Lines are
 * not wrapped anew; what does not fit is cut off on the right and goes to scrollback at the top. */
#include "server/daemon/screen_row.h"

#include <stdlib.h>
#include <string.h>

/* Copies row `from` of the old grid to row `to` of the new one. */
static void copy_row(struct screen *s, struct grid *old, int from, struct grid *new, int to,
                     int cols)
{
    grid_get_row(old, from, s->row_cells);
    int n = int_min(cols, s->cols);
    if (n < s->cols && GLYPH_WIDTH(s->row_cells[n - 1].glyph) == 2)
        s->row_cells[n - 1].glyph = GLYPH_NULL;
    for (int col = 0; col < n; col++) {
        const struct gcell *cell = &s->row_cells[col];
        if (cell->glyph == GLYPH_NULL && cell->pen == 0)
            continue;
        grid_put(new, to, col, *cell);
    }
}

/* Takes the newest scrollback line back into a row of the new grid. */
static bool pull_row(struct screen *s, struct row_reader *reader, struct buffer *b, int row,
                     int cols)
{
    struct scroll_line line;
    uint8_t *text = NULL;
    if (!scroll_pop(s->scroll, &line, &text))
        return false;
    const struct screen *owner = NULL;
    const struct gcell *cells = line.cols ? row_reader_read(reader, &line, &owner) : NULL;
    for (int col = 0; cells && col < int_min(cols, line.cols); col++) {
        struct raw_pen pen = screen_pen_at(owner, cells[col].pen);
        size_t len;
        const void *link = intern_get(&owner->links, pen.link, &len);
        pen.link = link ? intern_add(&s->links, link, len) : 0;
        uint32_t cps[CLUSTER_MAX + 1];
        size_t n = screen_glyph_text(owner, cells[col].glyph, cps);
        unsigned width = GLYPH_WIDTH(cells[col].glyph);
        if (width == 2 && col + 1 == cols)
            n = 0, width = 1;
        struct gcell cell = {.glyph = screen_glyph_of(s, cps, n, width),
                             .pen = screen_pen_number(s, &pen)};
        if (cell.glyph != GLYPH_NULL || cell.pen != 0)
            grid_put(b->grid, row, col, cell);
    }
    b->wrapped[row] = line.wrapped && line.cols == cols;
    free(text);
    return true;
}

/* The new buffer's cursor and saved cursor, `shift` rows further up than the old ones. */
static void move_cursors(const struct buffer *old, struct buffer *new, int shift, int cols,
                         int rows)
{
    new->x = int_min(old->x, cols - 1);
    new->y = int_max(0, int_min(old->y - shift, rows - 1));
    new->saved = old->saved;
    new->saved.x = int_min(old->saved.x, cols - 1);
    new->saved.y = int_max(0, int_min(old->saved.y - shift, rows - 1));
}

static void copy_tabs(const struct buffer *old, struct buffer *new, int old_cols, int cols)
{
    for (int col = 0; col < int_min(old_cols, cols); col++)
        new->tabs[col] = old->tabs[col];
}

/* Fills the new buffer from the old one. Rows above the cursor that do not fit are dropped, or kept
 * as scrollback by the main buffer, which also takes lines back when there is room. */
static void refill(struct screen *s, struct buffer *old, struct buffer *new, int cols, int rows)
{
    bool main = old == &s->main;
    int shift = int_max(0, old->y - (rows - 1));
    for (int row = 0; main && row < shift; row++)
        screen_push_row(s, old, row);
    struct row_reader reader = {0};
    int want = main ? int_max(0, rows - s->rows) : 0;
    int pulled = int_min(want, (int)scroll_count(s->scroll));
    for (int row = pulled - 1; row >= 0; row--)
        pull_row(s, &reader, new, row, cols);
    row_reader_clear(&reader);
    shift -= pulled;
    for (int row = int_max(0, -shift); row < rows && row + shift < s->rows; row++) {
        copy_row(s, old->grid, row + shift, new->grid, row, cols);
        new->wrapped[row] = old->wrapped[row + shift] && cols == s->cols;
    }
    grid_settle(new->grid);
    move_cursors(old, new, shift, cols, rows);
    copy_tabs(old, new, s->cols, cols);
}

static void replace_buffer(struct buffer *old, struct buffer *new)
{
    buffer_clear(old);
    *old = *new;
}

static int clamp_size(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

static void adopt_size(struct screen *s, int cols, int rows)
{
    s->cols = cols;
    s->rows = rows;
    s->last_width = 0;
    s->last_joined = false;
    screen_touch_all(s);
}

enum err screen_resize(struct screen *s, uint16_t new_cols, uint16_t new_rows)
{
    int cols = clamp_size(new_cols, SCREEN_COLS_MIN, SCREEN_COLS_MAX);
    int rows = clamp_size(new_rows, SCREEN_ROWS_MIN, SCREEN_ROWS_MAX);
    if (cols == s->cols && rows == s->rows)
        return ERR_OK;
    bool shown = s->active == &s->alternate;
    struct buffer main = {0};
    struct buffer alternate = {0};
    bool *dirty = calloc((size_t)rows, sizeof *dirty);
    struct gcell *row_cells = calloc((size_t)cols, sizeof *row_cells);
    if (!dirty || !row_cells || !buffer_create(&main, cols, rows, true) ||
        !buffer_create(&alternate, cols, rows, shown)) {
        free(dirty);
        free(row_cells);
        buffer_clear(&main);
        return ERR_MEMORY;
    }
    refill(s, &s->main, &main, cols, rows);
    if (shown)
        refill(s, &s->alternate, &alternate, cols, rows);
    else
        move_cursors(&s->alternate, &alternate, 0, cols, rows);
    replace_buffer(&s->main, &main);
    replace_buffer(&s->alternate, &alternate);
    free(s->dirty);
    free(s->row_cells);
    s->dirty = dirty;
    s->row_cells = row_cells;
    adopt_size(s, cols, rows);
    return ERR_OK;
}
