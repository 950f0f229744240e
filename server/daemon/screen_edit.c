/* Sequences that erase, insert, delete and scroll. */
#include "server/daemon/screen_state.h"

static void erase_in_line(struct screen *s, int32_t which, bool keep_protected)
{
    struct buffer *b = s->active;
    screen_restrict_cursor(s, s->cols);
    switch (which) {
    case 0:
        screen_replace_cells(s, b->y, b->x, s->cols, keep_protected);
        if (b->x == 0)
            b->wrapped[b->y] = false;
        break;
    case 1:
        screen_replace_cells(s, b->y, 0, b->x + 1, keep_protected);
        break;
    case 2:
        screen_replace_cells(s, b->y, 0, s->cols, keep_protected);
        b->wrapped[b->y] = false;
        break;
    default:
        break;
    }
}

static void erase_above(struct screen *s, bool keep_protected)
{
    struct buffer *b = s->active;
    screen_replace_cells(s, b->y, 0, b->x + 1, keep_protected);
    b->wrapped[b->y] = false;
    if (b->x + 1 >= s->cols && b->y + 1 < s->rows)
        b->wrapped[b->y + 1] = false;
    for (int row = b->y - 1; row >= 0; row--)
        screen_erase_row(s, row, keep_protected);
}

static void erase_in_display(struct screen *s, int32_t which, bool keep_protected)
{
    struct buffer *b = s->active;
    screen_restrict_cursor(s, s->cols);
    switch (which) {
    case 0:
        screen_replace_cells(s, b->y, b->x, s->cols, keep_protected);
        if (b->x == 0)
            b->wrapped[b->y] = false;
        for (int row = b->y + 1; row < s->rows; row++)
            screen_erase_row(s, row, keep_protected);
        break;
    case 1:
        erase_above(s, keep_protected);
        break;
    case 2:
        for (int row = 0; row < s->rows; row++)
            screen_erase_row(s, row, keep_protected);
        if (!keep_protected)
            grid_set_plain(b->grid);
        break;
    case 3:
        if (b == &s->main)
            scroll_forget(s->scroll);
        break;
    default:
        break;
    }
}

static bool is_in_region(const struct screen *s)
{
    return s->active->y >= s->active->top && s->active->y <= s->active->bottom;
}

/* IL and DL: n lines inserted (or deleted, if negative) at the cursor. */
static void shift_lines(struct screen *s, int32_t n)
{
    screen_restrict_cursor(s, s->cols - 1);
    if (!is_in_region(s))
        return;
    screen_shift_rows(s, s->active->y, s->active->bottom, -n, screen_erase_pen(s));
    s->active->x = 0;
}

/* Columns inserted or deleted in every row of the region, from column `col` on. */
static void shift_columns(struct screen *s, int col, int32_t n, bool insert)
{
    struct buffer *b = s->active;
    if (!is_in_region(s))
        return;
    for (int row = b->top; row <= b->bottom; row++) {
        if (insert)
            screen_insert_cells(s, row, col, n, screen_erase_pen(s));
        else
            screen_delete_cells(s, row, col, n, screen_erase_pen(s));
        b->wrapped[row] = false;
    }
}

static void erase_chars(struct screen *s, int32_t n)
{
    struct buffer *b = s->active;
    screen_restrict_cursor(s, s->cols - 1);
    screen_replace_cells(s, b->y, b->x, b->x + int_min(n, s->cols), false);
}

void screen_alignment_pattern(struct screen *s)
{
    struct buffer *b = s->active;
    struct raw_pen pen = {.fg = s->pen.fg, .bg = s->pen.bg};
    uint32_t number = screen_pen_number(s, &pen);
    screen_set_cursor(s, 0, 0);
    /* In origin mode the cursor is at the region's top, and the main screen is filled from there. */
    for (int row = b == &s->main ? b->y : 0; row < s->rows; row++) {
        for (int col = 0; col < s->cols; col++)
            screen_set_cell(s, row, col, GLYPH('E', 1), number);
        b->wrapped[row] = false;
        screen_touch(s, row);
    }
    screen_set_cursor(s, 0, 0);
}

bool screen_edit_csi(struct screen *s, uint32_t id, const struct scan_params *p)
{
    struct buffer *b = s->active;
    int32_t n = param_or_one(p, 0);
    struct raw_pen plain = {0};
    switch (id) {
    case 'J':
    case SCAN_ID2('?', 'J'):
        erase_in_display(s, p->value[0], id != 'J');
        return true;
    case 'K':
    case SCAN_ID2('?', 'K'):
        erase_in_line(s, p->value[0], id != 'K');
        return true;
    case 'L':
        shift_lines(s, n);
        return true;
    case 'M':
        shift_lines(s, -n);
        return true;
    case 'S':
        screen_shift_rows(s, b->top, b->bottom, n, screen_erase_pen(s));
        return true;
    case 'T':
        screen_shift_rows(s, b->top, b->bottom, -n, screen_pen_number(s, &plain));
        return true;
    case '@':
        screen_restrict_cursor(s, s->cols - 1);
        screen_insert_cells(s, b->y, b->x, n, screen_erase_pen(s));
        return true;
    case 'P':
        screen_restrict_cursor(s, s->cols - 1);
        screen_delete_cells(s, b->y, b->x, n, screen_erase_pen(s));
        return true;
    case 'X':
        erase_chars(s, n);
        return true;
    case 'b':
        screen_repeat(s, n);
        return true;
    case SCAN_ID2(' ', '@'):
        shift_columns(s, 0, n, false);
        return true;
    case SCAN_ID2(' ', 'A'):
        shift_columns(s, 0, n, true);
        return true;
    case SCAN_ID2('\'', '}'):
        shift_columns(s, b->x, n, true);
        return true;
    case SCAN_ID2('\'', '~'):
        shift_columns(s, b->x, n, false);
        return true;
    default:
        return false;
    }
}
