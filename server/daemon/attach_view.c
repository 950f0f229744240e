/* A frame of an attached terminal: the panes and the lines between them, the status line, the
 * overlay; and the terminal's modes, which are set after what is painted so that they are true of
 * what is seen. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/paint_border.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"

#define MIRRORED (SCREEN_APP_CURSOR | SCREEN_APP_KEYPAD)

static const struct pen pen_outside = {.flags = PEN_DIM};

bool attach_is_covered(const struct attach *a)
{
    return a->numbers || a->choosing || a->menu.open || a->clock_shown ||
           overlay_is_open(&a->overlay);
}

/* --- places --------------------------------------------------------------------------------- */

/* A screen has at least two columns and rows, a pane may be smaller: how far along it the part with
 * the cursor is. */
static uint16_t hidden(uint16_t cursor, uint16_t screen, uint16_t place)
{
    return screen > place && cursor >= place ? (uint16_t)(cursor - place + 1) : 0;
}

/* Where of its place the cursor of a pane is. */
static struct screen_cursor pane_cursor(struct attach_view *v)
{
    const struct screen *s = pane_screen(v->pane);
    struct screen_cursor c = screen_cursor(s);

    attach_copy_cursor(v, &c);
    uint16_t x = hidden(c.x, screen_cols(s), v->place.cols);
    uint16_t y = hidden(c.y, screen_rows(s), v->place.rows);

    v->all_stale = v->all_stale || x != v->hidden_x || y != v->hidden_y;
    v->hidden_x = x;
    v->hidden_y = y;
    c.x = (uint16_t)(c.x - x);
    c.y = (uint16_t)(c.y - y);
    return c;
}

/* What of the window is seen: from its first cell on, or so far along that the cursor is seen. */
static void choose_area(struct attach *a)
{
    uint16_t rows = attach_area_rows(a);

    a->area = (struct keys_area){.cols = a->cols, .rows = rows};
    for (struct attach_view *v = a->views; v; v = v->next) {
        struct screen_cursor c = pane_cursor(v);
        if (v->pane != a->pane)
            continue;
        uint32_t x = (uint32_t)v->place.x + c.x, y = (uint32_t)v->place.y + c.y;

        if (x >= a->cols)
            a->area.shift_x = (uint16_t)(x - a->cols + 1);
        if (y >= rows)
            a->area.shift_y = (uint16_t)(y - rows + 1);
    }
    if (a->window_cols - a->area.shift_x < a->cols)
        a->area.cols = (uint16_t)(a->window_cols - a->area.shift_x);
    if (a->window_rows - a->area.shift_y < rows)
        a->area.rows = (uint16_t)(a->window_rows - a->area.shift_y);
}

/* One axis of attach_pane_area: a pane's cells from `first` on, of which the terminal shows the
 * window's from `shift` on, `shown` of them. */
static void clip(uint16_t first, uint16_t n, uint16_t shift, uint16_t shown, uint16_t out[3])
{
    uint32_t from = first > shift ? first : shift, to = (uint32_t)first + n;
    uint32_t end = (uint32_t)shift + shown;

    to = to < end ? to : end;
    out[0] = (uint16_t)(from - shift);
    out[1] = from < to ? (uint16_t)(to - from) : 0;
    out[2] = (uint16_t)(from - first);
}

struct keys_area attach_pane_area(const struct attach *a, const struct attach_view *v)
{
    uint16_t x[3], y[3];

    clip(v->place.x, v->place.cols, a->area.shift_x, a->area.cols, x);
    clip(v->place.y, v->place.rows, a->area.shift_y, a->area.rows, y);
    return (struct keys_area){.x = x[0],
                              .y = y[0],
                              .cols = x[1],
                              .rows = y[1],
                              .shift_x = (uint16_t)(x[2] + v->hidden_x),
                              .shift_y = (uint16_t)(y[2] + v->hidden_y)};
}

/* --- panes ---------------------------------------------------------------------------------- */

/* Cells outside of the window, where the terminal is larger. */
static void draw_outside(struct frame *f, uint16_t row, uint16_t col)
{
    while (col < f->cols)
        col = frame_text(f, row, col, f->cols, &pen_outside, "·", strlen("·"));
}

/* Puts a row of a pane's screen, or what is seen of it, into the frame. */
void attach_draw_cells(const struct attach_view *v, struct frame *f, uint16_t y,
                       const struct keys_area *at, const struct cell *cells, uint16_t n)
{
    struct cell *out = frame_row(f, y) + at->x;

    n = n > at->shift_x ? (uint16_t)(n - at->shift_x) : 0;
    n = n < at->cols ? n : at->cols;
    frame_fill(f, y, at->x, at->cols, &frame_pen_default);
    if (cells)
        frame_put(f, y, at->x, cells + at->shift_x, n);
    for (uint16_t i = 0; v->styled && i < at->cols; i++) {
        if (out[i].pen.fg == COLOR_DEFAULT)
            out[i].pen.fg = v->style.fg;
        if (out[i].pen.bg == COLOR_DEFAULT)
            out[i].pen.bg = v->style.bg;
    }
    for (uint16_t i = 0; cells && i < n; i++)
        if (out[i].pen.link)
            out[i].pen.link = attach_link_number(v, out[i].pen.link);
}

static void draw_pane_row(const struct attach_view *v, const struct keys_area *at, struct frame *f,
                          uint16_t y)
{
    struct screen *s = pane_screen(v->pane);
    uint16_t row = (uint16_t)(y - at->y + at->shift_y);

    if (attach_copy_draw_row(v, at, f, y))
        return;
    attach_draw_cells(v, f, y, at, screen_row(s, row), screen_cols(s));
    /* a row that goes on does so for the terminal only when it ends at the same column */
    if (at->cols == f->cols)
        f->wraps[y] = screen_cols(s) == f->cols && y + 1 < at->y + at->rows &&
                      !(screen_modes(s) & SCREEN_ALTERNATE) &&
                      screen_line_wrapped(s, screen_top_line(s) + row);
}

/* True when what row y of the terminal shows of a pane may have changed; whether it goes on in the
 * next row is that row's to say. */
static bool is_stale(const struct attach_view *v, const struct keys_area *at, uint16_t y)
{
    uint16_t row = (uint16_t)(y - at->y + at->shift_y);

    if (v->all_stale || row >= v->stale_rows)
        return true;
    return v->stale[row] || (row + 1 < v->stale_rows && v->stale[row + 1]);
}

/* The lines between panes of one row. */
static void draw_border_row(const struct attach *a, const struct paint_border *b, struct frame *f,
                            uint16_t y)
{
    for (uint16_t x = 0; x < a->area.cols; x++) {
        const struct pen *pen;
        const char *line = paint_border_cell(b, (uint16_t)(x + a->area.shift_x),
                                             (uint16_t)(y + a->area.shift_y), &pen);

        if (line)
            frame_text(f, y, x, f->cols, pen, line, strlen(line));
    }
}

static bool has_row(const struct keys_area *at, uint16_t y)
{
    return at->cols > 0 && y >= at->y && y < at->y + at->rows;
}

static void draw_row(struct attach *a, const struct paint_border *b, const struct keys_area *areas,
                     bool keep, struct frame *f, uint16_t y)
{
    size_t i = 0;

    keep = keep && paint_keep(a->paint, (uint16_t)(a->top + y));
    if (!keep) {
        frame_blank_row(f, y);
        draw_outside(f, y, y < a->area.rows ? a->area.cols : 0);
    }
    for (const struct attach_view *v = a->views; v; v = v->next, i++)
        if (has_row(&areas[i], y) && (!keep || is_stale(v, &areas[i], y)))
            draw_pane_row(v, &areas[i], f, y);
    if (!keep && y < a->area.rows && b->n > 1)
        draw_border_row(a, b, f, y);
}

/* What draw_panes gathers of the views, one allocation. */
struct places {
    struct layout_leaf *leaves;
    struct keys_area *areas;
    struct paint_border border;
};

/* window-style and window-active-style: what a pane's default colours are. */
static void take_style(struct attach *a, struct attach_view *v)
{
    struct pen pen = attach_pane_style(a, v->pane, OPTION_window_style), active = {0};

    if (v->pane == a->pane)
        active = attach_pane_style(a, v->pane, OPTION_window_active_style);
    pen.fg = active.fg ? active.fg : pen.fg;
    pen.bg = active.bg ? active.bg : pen.bg;
    v->all_stale = v->all_stale || !pen_equal(&v->style, &pen);
    v->style = pen;
    v->styled = pen.fg || pen.bg;
}

static bool gather_places(struct attach *a, struct places *p)
{
    size_t n = 0, i = 0;

    for (const struct attach_view *v = a->views; v; v = v->next)
        n++;
    p->leaves = malloc((n + 1) * (sizeof *p->leaves + sizeof *p->areas));
    if (!p->leaves)
        return false;
    p->areas = (struct keys_area *)(void *)(p->leaves + n + 1);
    p->border = (struct paint_border){
        .panes = p->leaves,
        .n = n,
        .active = n,
        .cols = a->window_cols,
        .rows = a->window_rows,
        .lines = (enum paint_border_lines)attach_number(a, OPTION_pane_border_lines, 0),
        .halves = attach_number(a, OPTION_pane_border_indicators, 1) == 1,
    };
    if (n > 1) { /* otherwise there are none */
        p->border.pen = attach_style(a, OPTION_pane_border_style, &frame_pen_default);
        p->border.active_pen = attach_style(a, OPTION_pane_active_border_style, &frame_pen_default);
    }
    for (struct attach_view *v = a->views; v; v = v->next, i++) {
        take_style(a, v);
        p->leaves[i] = v->place;
        p->areas[i] = attach_pane_area(a, v);
        if (v->pane == a->pane)
            p->border.active = i;
    }
    return true;
}

static void place_cursor(const struct attach *a, struct frame *f)
{
    struct attach_view *v = attach_view_of(a, a->pane);

    if (!v)
        return;
    struct screen_cursor c = pane_cursor(v);
    f->cursor = (struct frame_cursor){
        .x = (uint16_t)(v->place.x + c.x - a->area.shift_x),
        .y = (uint16_t)(v->place.y + c.y - a->area.shift_y),
        .visible = c.visible && !pane_status(v->pane).dead,
        .shape = c.shape,
    };
}

/* Only rows that changed are read from screens, where the last frame showed the same part of the
 * same window and nothing over it. False when memory ran out. */
static bool draw_panes(struct attach *a, struct frame *f)
{
    bool open = attach_is_covered(a);
    struct keys_area before = a->area;
    struct places p;

    for (struct attach_view *v = a->views; v; v = v->next) {
        attach_collect_stale(v);
        attach_copy_follow(v);
    }
    choose_area(a);
    if (!gather_places(a, &p))
        return false;
    bool keep = a->plain && !a->moved && !open && memcmp(&before, &a->area, sizeof before) == 0;
    for (uint16_t y = 0; y < attach_area_rows(a); y++)
        draw_row(a, &p.border, p.areas, keep, f, y);
    free(p.leaves);
    a->plain = !open;
    a->moved = false;
    for (struct attach_view *v = a->views; v; v = v->next) {
        v->all_stale = false;
        if (v->stale_rows > 0)
            memset(v->stale, 0, v->stale_rows * sizeof *v->stale);
    }
    place_cursor(a, f);
    return true;
}

/* --- modes ---------------------------------------------------------------------------------- */

static struct attach_modes wanted_modes(const struct attach *a)
{
    struct attach_modes m = {0};

    if (!a->pane || a->read_only || pane_status(a->pane).dead)
        return m;
    const struct screen *s = pane_screen(a->pane);
    m.modes = screen_modes(s) & MIRRORED;
    if (attach_number(a, OPTION_focus_events, 0))
        m.modes |= SCREEN_FOCUS;
    if (overlay_is_open(&a->overlay)) /* so that the terminal's own selection works */
        return m;
    m.mouse = (uint8_t)screen_mouse(s);
    m.mouse_encoding = (uint8_t)screen_mouse_encoding(s);
    if (attach_mouse_is_on(a)) { /* for ourselves too */
        m.mouse = m.mouse > SCREEN_MOUSE_DRAG ? m.mouse : SCREEN_MOUSE_DRAG;
        m.mouse_encoding = SCREEN_MOUSE_SGR;
    }
    return m;
}

static void set_private(struct outbuf *out, unsigned mode, bool on)
{
    outbuf_printf(out, "\033[?%u%c", mode, on ? 'h' : 'l');
}

/* In each kind of mouse reporting the program's own mode; several at once would be the last set. */
static void write_mouse(struct outbuf *out, const struct attach_modes *from,
                        const struct attach_modes *to)
{
    static const uint16_t kinds[] = {0, 9, 1000, 1002, 1003};
    static const uint16_t encodings[] = {0, 1006, 1016};

    if (from->mouse != to->mouse) {
        if (from->mouse)
            set_private(out, kinds[from->mouse], false);
        if (to->mouse)
            set_private(out, kinds[to->mouse], true);
    }
    if (from->mouse_encoding != to->mouse_encoding) {
        if (from->mouse_encoding)
            set_private(out, encodings[from->mouse_encoding], false);
        if (to->mouse_encoding)
            set_private(out, encodings[to->mouse_encoding], true);
    }
}

static void write_modes(struct attach *a)
{
    struct attach_modes want = wanted_modes(a);
    uint32_t changed = want.modes ^ a->modes.modes;

    if (!a->modes_known) { /* what the client's terminal begins with, or may have lost */
        outbuf_text(&a->out, "\033[?7h\033[?2004h\033[?1l\033>\033[?1004l\033[?9l\033[?1000l"
                             "\033[?1002l\033[?1003l\033[?1006l\033[?1016l");
        a->modes = (struct attach_modes){0};
        changed = want.modes;
    }
    if (changed & SCREEN_APP_CURSOR)
        set_private(&a->out, 1, want.modes & SCREEN_APP_CURSOR);
    if (changed & SCREEN_APP_KEYPAD)
        outbuf_text(&a->out, want.modes & SCREEN_APP_KEYPAD ? "\033=" : "\033>");
    if (changed & SCREEN_FOCUS)
        set_private(&a->out, 1004, want.modes & SCREEN_FOCUS);
    write_mouse(&a->out, &a->modes, &want);
    a->modes = want;
    a->modes_known = true;
}

/* --- the frame ------------------------------------------------------------------------------ */

/* The rows of f that panes have, as a frame of its own. */
static struct frame pane_rows(const struct frame *f, uint16_t top, uint16_t rows)
{
    struct frame part = *f;

    part.rows = rows;
    part.cells += (size_t)top * f->cols;
    part.wraps += top;
    return part;
}

bool attach_compose(struct attach *a)
{
    struct frame *f = paint_begin(a->paint, a->cols, a->rows), area;
    uint16_t top = attach_top_rows(a);

    if (!f)
        return false;
    f->cursor = (struct frame_cursor){0};
    a->moved = a->moved || top != a->top;
    a->status_stale = a->status_stale || a->moved;
    a->top = top;
    area = pane_rows(f, top, attach_area_rows(a));
    if (!draw_panes(a, &area))
        return false;
    attach_draw_numbers(a, &area);
    attach_draw_clock(a, &area);
    attach_draw_choosing(a, &area);
    attach_draw_menu(a, &area);
    overlay_draw(&a->overlay, &area, attach_area_rows(a));
    f->cursor = area.cursor;
    f->cursor.y = (uint16_t)(f->cursor.y + top);
    attach_draw_status(a, f);
    attach_put_clipboard(a);
    if (a->bell)
        outbuf_byte(&a->out, '\a');
    a->bell = false;
    if (!a->modes_known) /* autowrap, before anything relies on it */
        write_modes(a);
    paint_end(a->paint, &a->out);
    attach_write_title(a);
    a->status_stale = false;
    write_modes(a);
    return !a->out.bad;
}
