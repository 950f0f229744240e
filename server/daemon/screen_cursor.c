/* Moving the cursor: line feeds, tabs, saving and restoring, and the sequences that only move. */
#include "server/daemon/screen_state.h"

void screen_restrict_cursor(struct screen *s, int max_col)
{
    struct buffer *b = s->active;
    bool origin = s->modes & SCREEN_ORIGIN;
    int low = origin ? b->top : 0;
    int high = origin ? b->bottom : s->rows - 1;
    b->x = int_min(max_col, int_max(0, b->x));
    b->y = int_min(high, int_max(low, b->y));
}

static int clamp_int(int64_t v)
{
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (int)v;
}

void screen_set_cursor(struct screen *s, int64_t x, int64_t y)
{
    struct buffer *b = s->active;
    b->x = clamp_int(x);
    b->y = clamp_int(s->modes & SCREEN_ORIGIN ? b->top + y : y);
    screen_restrict_cursor(s, s->cols - 1);
}

/* In origin mode xterm.js adds the region's top to relative moves too. */
static void move_cursor(struct screen *s, int64_t x, int64_t y)
{
    screen_restrict_cursor(s, s->cols - 1);
    screen_set_cursor(s, s->active->x + x, s->active->y + y);
}

static void move_up(struct screen *s, int32_t n)
{
    int room = s->active->y - s->active->top;
    move_cursor(s, 0, -(room >= 0 ? int_min(room, n) : n));
}

static void move_down(struct screen *s, int32_t n)
{
    int room = s->active->bottom - s->active->y;
    move_cursor(s, 0, room >= 0 ? int_min(room, n) : n);
}

/* --- line feeds
 * ------------------------------------------------------------------------------------ */

void screen_line_feed(struct screen *s)
{
    struct buffer *b = s->active;
    if (s->modes & SCREEN_NEWLINE)
        b->x = 0;
    b->y++;
    if (b->y == b->bottom + 1) {
        b->y--;
        screen_scroll(s, false);
    } else if (b->y >= s->rows) {
        b->y = s->rows - 1;
    } else {
        b->wrapped[b->y] = false;
    }
    if (b->x >= s->cols)
        b->x--;
}

void screen_index(struct screen *s)
{
    struct buffer *b = s->active;
    screen_restrict_cursor(s, s->cols - 1);
    b->y++;
    if (b->y == b->bottom + 1) {
        b->y--;
        screen_scroll(s, false);
    } else if (b->y >= s->rows) {
        b->y = s->rows - 1;
    }
    screen_restrict_cursor(s, s->cols - 1);
}

void screen_reverse_index(struct screen *s)
{
    struct buffer *b = s->active;
    screen_restrict_cursor(s, s->cols - 1);
    if (b->y == b->top) {
        screen_shift_rows(s, b->top, b->bottom, -1, screen_erase_pen(s));
        return;
    }
    b->y--;
    screen_restrict_cursor(s, s->cols - 1);
}

static void backspace(struct screen *s)
{
    struct buffer *b = s->active;
    bool reverse = s->modes & SCREEN_REVERSE_WRAP;
    screen_restrict_cursor(s, reverse ? s->cols : s->cols - 1);
    if (b->x > 0) {
        b->x--;
    } else if (reverse && b->y > b->top && b->y <= b->bottom && b->wrapped[b->y]) {
        b->wrapped[b->y] = false;
        b->y--;
        b->x = s->cols - 1;
        uint32_t glyph = grid_get(b->grid, b->y, b->x).glyph;
        if (GLYPH_WIDTH(glyph) && !screen_glyph_has_content(glyph))
            b->x--;
    }
    screen_restrict_cursor(s, s->cols - 1);
}

/* --- tabs
 * ------------------------------------------------------------------------------------------ */

int screen_next_tab(const struct screen *s, int x)
{
    do
        x++;
    while (x < s->cols && !s->active->tabs[x]);
    return int_min(x, s->cols - 1);
}

int screen_previous_tab(const struct screen *s, int x)
{
    do
        x--;
    while (x > 0 && !(x < s->cols && s->active->tabs[x]));
    return int_max(0, int_min(x, s->cols - 1));
}

static void tabs_forward(struct screen *s, int32_t n)
{
    struct buffer *b = s->active;
    for (int i = 0; i < int_min(n, s->cols) && b->x < s->cols; i++)
        b->x = screen_next_tab(s, b->x);
}

static void tabs_backward(struct screen *s, int32_t n)
{
    struct buffer *b = s->active;
    for (int i = 0; i < int_min(n, s->cols) && b->x < s->cols; i++)
        b->x = screen_previous_tab(s, b->x);
}

static void clear_tabs(struct screen *s, int32_t which)
{
    struct buffer *b = s->active;
    if (which == 0 && b->x <= s->cols)
        b->tabs[b->x] = false;
    for (int col = 0; which == 3 && col <= s->cols; col++)
        b->tabs[col] = false;
}

/* --- saved cursor
 * ---------------------------------------------------------------------------------- */

void screen_save_cursor(struct screen *s)
{
    struct buffer *b = s->active;
    b->saved = (struct saved_cursor){
        .x = b->x, .y = b->y, .fg = s->pen.fg, .bg = s->pen.bg, .charset = s->charset};
}

void screen_restore_cursor(struct screen *s)
{
    struct buffer *b = s->active;
    b->x = b->saved.x;
    b->y = b->saved.y;
    s->pen.fg = b->saved.fg;
    s->pen.bg = b->saved.bg;
    s->charset = b->saved.charset;
    screen_restrict_cursor(s, s->cols - 1);
}

/* --- controls and sequences
 * ------------------------------------------------------------------------ */

void screen_control(struct screen *s, uint32_t c)
{
    struct buffer *b = s->active;
    switch (c) {
    case 0x07:
        if (s->events.bell)
            s->events.bell(s->ctx);
        break;
    case 0x08:
        backspace(s);
        break;
    case 0x09:
        tabs_forward(s, 1);
        break;
    case 0x0a:
    case 0x0b:
    case 0x0c:
        screen_line_feed(s);
        break;
    case 0x0d:
        b->x = 0;
        break;
    case 0x0e:
    case 0x0f:
        s->level = c == 0x0e;
        s->charset = s->charsets[s->level];
        break;
    case 0x84:
        screen_index(s);
        break;
    case 0x85:
        b->x = 0;
        screen_index(s);
        break;
    case 0x88:
        if (b->x <= s->cols)
            b->tabs[b->x] = true;
        break;
    default:
        break;
    }
}

static void set_region(struct screen *s, const struct scan_params *p)
{
    int32_t top = param_or_one(p, 0);
    int32_t bottom = p->count < 2 ? 0 : p->value[1];
    if (bottom == 0 || bottom > s->rows)
        bottom = s->rows;
    if (bottom <= top)
        return;
    s->active->top = top - 1;
    s->active->bottom = bottom - 1;
    screen_set_cursor(s, 0, 0);
}

/* Sequences that move the cursor; true when id is one. */
bool screen_move_csi(struct screen *s, uint32_t id, const struct scan_params *p)
{
    struct buffer *b = s->active;
    int32_t n = param_or_one(p, 0);
    switch (id) {
    case 'A':
        move_up(s, n);
        return true;
    case 'B':
        move_down(s, n);
        return true;
    case 'C':
    case 'a':
        move_cursor(s, n, 0);
        return true;
    case 'D':
        move_cursor(s, -(int64_t)n, 0);
        return true;
    case 'E':
        move_down(s, n);
        b->x = 0;
        return true;
    case 'F':
        move_up(s, n);
        b->x = 0;
        return true;
    case 'G':
    case '`':
        screen_set_cursor(s, n - 1, b->y);
        return true;
    case 'H':
    case 'f':
        screen_set_cursor(s, p->count >= 2 ? param_or_one(p, 1) - 1 : 0, n - 1);
        return true;
    case 'I':
        tabs_forward(s, n);
        return true;
    case 'Z':
        tabs_backward(s, n);
        return true;
    case 'd':
        screen_set_cursor(s, b->x, n - 1);
        return true;
    case 'e':
        move_cursor(s, 0, n);
        return true;
    case 'g':
        clear_tabs(s, p->value[0]);
        return true;
    case 'r':
        set_region(s, p);
        return true;
    case 's':
        screen_save_cursor(s);
        return true;
    case 'u':
        screen_restore_cursor(s);
        return true;
    default:
        return false;
    }
}
