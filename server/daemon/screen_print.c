/* Printing: wrapping, wide and combining characters, insert mode, charsets, REP. The order of the
 * steps is xterm.js's, because what is left of half a wide character depends on it. */
#include "server/daemon/screen_state.h"

#include "server/daemon/screen_width.h"

/* A program may ask for 2^31 repetitions; more than this change nothing but the time it takes. */
#define REPEAT_MAX 65536

/* What printing a run needs to know at every character. */
struct run {
    struct screen *s;
    struct buffer *b;
    uint32_t pen;
};

/* Overwriting the second half of a wide character leaves an empty cell in place of the first. */
static void begin_run(const struct run *r)
{
    struct buffer *b = r->b;
    if (b->x && screen_cell_width(r->s, b->y, b->x - 1) == 2)
        screen_set_cell(r->s, b->y, b->x - 1, GLYPH_NULL, r->pen);
    screen_touch(r->s, b->y);
}

/* … and the other way round. */
static void end_run(const struct run *r)
{
    struct buffer *b = r->b;
    if (b->x < r->s->cols && grid_is_mixed(b->grid)) {
        uint32_t glyph = grid_get(b->grid, b->y, b->x).glyph;
        if (GLYPH_WIDTH(glyph) == 0 && !screen_glyph_has_content(glyph))
            screen_set_cell(r->s, b->y, b->x, GLYPH_NULL, r->pen);
    }
    screen_touch(r->s, b->y);
}

static void wrap_line(const struct run *r)
{
    struct buffer *b = r->b;
    int old_col = b->x;
    int old_row = b->y;
    for (; old_col < r->s->cols; old_col++)
        screen_set_cell(r->s, old_row, old_col, GLYPH_NULL, r->pen);
    b->x = 0;
    b->y++;
    if (b->y == b->bottom + 1) {
        b->y--;
        screen_scroll(r->s, true);
    } else {
        b->y = int_min(b->y, r->s->rows - 1);
        b->wrapped[b->y] = true;
    }
    screen_touch(r->s, b->y);
}

/* Adds a combining character to the cell before the cursor. */
static void join(const struct run *r, uint32_t cp, unsigned width)
{
    struct buffer *b = r->b;
    int col = b->x - (screen_cell_width(r->s, b->y, b->x - 1) ? 1 : 2);
    if (col < 0 || col >= r->s->cols)
        return;
    struct gcell cell = grid_get(b->grid, b->y, col);
    if (!screen_glyph_has_content(cell.glyph)) {
        screen_set_cell(r->s, b->y, col, GLYPH(cp, width), cell.pen);
        return;
    }
    uint32_t cps[CLUSTER_MAX + 1];
    size_t n = screen_glyph_text(r->s, cell.glyph, cps);
    if (n >= CLUSTER_MAX)
        return;
    cps[n++] = cp;
    screen_set_cell(r->s, b->y, col, screen_glyph_of(r->s, cps, n, width), cell.pen);
}

static void print_one(const struct run *r, uint32_t cp)
{
    struct screen *s = r->s;
    struct buffer *b = r->b;
    if (cp < 0x7f && s->charset != CHARSET_ASCII)
        cp = charset_map(s->charset, cp);
    unsigned width = screen_width(cp);
    bool joins = width == 0 && s->last_width != 0;
    if (joins)
        width = s->last_width;
    s->last_width = width;
    s->last_joined = joins;
    if (!joins && b->x + (int)width > s->cols) {
        if (s->modes & SCREEN_AUTOWRAP) {
            wrap_line(r);
        } else {
            b->x = s->cols - 1;
            if (width == 2)
                return;
        }
    }
    if (joins && b->x) {
        join(r, cp, width);
        return;
    }
    if (s->modes & SCREEN_INSERT) {
        screen_insert_cells(s, b->y, b->x, (int)width, r->pen);
        if (screen_cell_width(s, b->y, s->cols - 1) == 2)
            screen_set_cell(s, b->y, s->cols - 1, GLYPH_NULL, r->pen);
    }
    screen_set_cell(s, b->y, b->x++, GLYPH(cp, width), r->pen);
    if (width == 2)
        screen_set_cell(s, b->y, b->x++, GLYPH_TRAIL, r->pen);
}

static struct run make_run(struct screen *s)
{
    struct raw_pen pen = raw_pen_of_cell(&s->pen);
    return (struct run){.s = s, .b = s->active, .pen = screen_pen_number(s, &pen)};
}

/* A run lasts until something else than a character comes, or the bytes fed are at an end. */
static struct run continue_run(struct screen *s)
{
    struct run r = make_run(s);
    if (!s->printing)
        begin_run(&r);
    s->printing = true;
    return r;
}

void screen_settle_run(struct screen *s)
{
    if (!s->printing)
        return;
    struct run r = make_run(s);
    end_run(&r);
}

void screen_print(struct screen *s, const uint32_t *cps, size_t n)
{
    struct run r = continue_run(s);
    for (size_t i = 0; i < n; i++)
        print_one(&r, cps[i]);
}

/* The common case: nothing but columns to count. */
static void print_plain(const struct run *r, const uint8_t *p, int n)
{
    struct screen *s = r->s;
    struct buffer *b = r->b;
    while (n > 0) {
        if (b->x >= s->cols) {
            if (!(s->modes & SCREEN_AUTOWRAP)) {
                grid_put_ascii(b->grid, b->y, s->cols - 1, p + n - 1, 1, r->pen);
                b->x = s->cols;
                break;
            }
            wrap_line(r);
        }
        int part = int_min(n, s->cols - b->x);
        grid_put_ascii(b->grid, b->y, b->x, p, part, r->pen);
        b->x += part;
        p += part;
        n -= part;
    }
    s->last_width = 1;
    s->last_joined = false;
    screen_touch(s, b->y);
}

void screen_print_ascii(struct screen *s, const uint8_t *p, size_t n)
{
    if (s->charset == CHARSET_ASCII && !(s->modes & SCREEN_INSERT)) {
        struct run r = continue_run(s);
        for (; n > INT16_MAX; n -= INT16_MAX, p += INT16_MAX)
            print_plain(&r, p, INT16_MAX);
        print_plain(&r, p, (int)n);
        return;
    }
    uint32_t cps[128];
    while (n) {
        size_t part = n < 128 ? n : 128;
        for (size_t i = 0; i < part; i++)
            cps[i] = p[i];
        screen_print(s, cps, part);
        p += part;
        n -= part;
    }
}

void screen_repeat(struct screen *s, int32_t count)
{
    struct buffer *b = s->active;
    int col = b->x - (int)s->last_width;
    if (s->last_width == 0 || col < 0 || col >= s->cols)
        return;
    uint32_t cps[CLUSTER_MAX + 1];
    size_t n = screen_glyph_text(s, grid_get(b->grid, b->y, col).glyph, cps);
    s->printing = false;
    for (int i = 0; n && i < int_min(count, REPEAT_MAX); i++)
        screen_print(s, cps, n);
    screen_settle_run(s);
    s->printing = false;
}
