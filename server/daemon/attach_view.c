/* A frame of an attached terminal: the pane, the status line, the overlay; and the terminal's
 * modes, which are set after what is painted so that they are true of what is seen. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"

#define MIRRORED (SCREEN_APP_CURSOR | SCREEN_APP_KEYPAD | SCREEN_FOCUS)

static const struct pen pen_outside = {.flags = PEN_DIM};

/* --- the pane ------------------------------------------------------------------------------- */

/* Cells outside of the pane, where the terminal is larger. */
static void draw_outside(struct frame *f, uint16_t row, uint16_t col)
{
    while (col < f->cols)
        col = frame_text(f, row, col, f->cols, &pen_outside, "·", strlen("·"));
}

/* What of the pane is seen: from its first cell on, or so far along that its cursor is seen. */
static void choose_area(struct attach *a, const struct screen *s)
{
    struct screen_cursor c = screen_cursor(s);
    uint16_t rows = attach_area_rows(a);

    a->area = (struct keys_area){.cols = a->cols, .rows = rows};
    if (c.x >= a->cols)
        a->area.shift_x = (uint16_t)(c.x - a->cols + 1);
    if (c.y >= rows)
        a->area.shift_y = (uint16_t)(c.y - rows + 1);
    if (screen_cols(s) - a->area.shift_x < a->cols)
        a->area.cols = (uint16_t)(screen_cols(s) - a->area.shift_x);
    if (screen_rows(s) - a->area.shift_y < rows)
        a->area.rows = (uint16_t)(screen_rows(s) - a->area.shift_y);
}

static void draw_pane_row(const struct attach *a, struct screen *s, struct frame *f, uint16_t y)
{
    uint16_t row = (uint16_t)(y + a->area.shift_y);
    const struct cell *cells = screen_row(s, row);

    frame_blank_row(f, y);
    if (cells)
        frame_put(f, y, 0, cells + a->area.shift_x, a->area.cols);
    draw_outside(f, y, a->area.cols);
    /* a row that goes on does so for the terminal only when it ends at the same column */
    f->wraps[y] = screen_cols(s) == f->cols && y + 1 < a->area.rows &&
                  !(screen_modes(s) & SCREEN_ALTERNATE) &&
                  screen_line_wrapped(s, screen_top_line(s) + row);
}

/* True when what row y of the terminal shows may have changed; whether it goes on in the next row
 * is that row's to say. */
static bool is_stale(const struct attach *a, uint16_t y)
{
    uint16_t row = (uint16_t)(y + a->area.shift_y);

    return a->stale[row] || (row + 1 < a->stale_rows && a->stale[row + 1]);
}

/* Only rows that changed are read from the screen, where the last frame showed the same part of it
 * and nothing over it. */
static void draw_pane(struct attach *a, struct frame *f)
{
    uint16_t rows = attach_area_rows(a);
    struct screen *s = pane_screen(a->pane);
    struct screen_cursor c = screen_cursor(s);
    struct keys_area before = a->area;

    attach_collect_stale(a);
    choose_area(a, s);
    bool keep = a->plain && !a->all_stale && !overlay_is_open(&a->overlay) &&
                memcmp(&before, &a->area, sizeof before) == 0;
    for (uint16_t y = 0; y < rows; y++) {
        if (y >= a->area.rows) {
            frame_blank_row(f, y);
            draw_outside(f, y, 0);
        } else if (!keep || is_stale(a, y) || !paint_keep(a->paint, y)) {
            draw_pane_row(a, s, f, y);
        }
    }
    a->plain = !overlay_is_open(&a->overlay);
    a->all_stale = false;
    if (a->stale_rows > 0)
        memset(a->stale, 0, a->stale_rows * sizeof *a->stale);
    f->cursor = (struct frame_cursor){
        .x = (uint16_t)(c.x - a->area.shift_x),
        .y = (uint16_t)(c.y - a->area.shift_y),
        .visible = c.visible && !pane_status(a->pane).dead,
        .shape = c.shape,
    };
}

/* --- the status line ------------------------------------------------------------------------ */

static const char *ended_text(const struct pane *p, char *text, size_t n)
{
    struct pane_status s = pane_status(p);

    if (!s.dead)
        return NULL;
    snprintf(text, n, s.signalled ? "killed by signal %d" : "exited %d", s.code);
    return text;
}

static void draw_status(struct attach *a, struct frame *f)
{
    char ended[40];
    struct status s = {
        .session = a->session,
        .message = a->message[0] ? a->message : NULL,
        .now_s = loop_wall_s(a->loop),
        .read_only = a->read_only,
    };

    if (f->rows <= attach_area_rows(a))
        return;
    if (a->pane) {
        s.share = share_of_pane(a->shares, a->pane);
        s.title = screen_title(pane_screen(a->pane));
        s.ended = ended_text(a->pane, ended, sizeof ended);
    }
    status_draw(&s, f, (uint16_t)(f->rows - 1));
}

/* --- modes ---------------------------------------------------------------------------------- */

static struct attach_modes wanted_modes(const struct attach *a)
{
    struct attach_modes m = {0};

    if (!a->pane || a->read_only || pane_status(a->pane).dead)
        return m;
    const struct screen *s = pane_screen(a->pane);
    m.modes = screen_modes(s) & MIRRORED;
    if (overlay_is_open(&a->overlay)) /* so that the terminal's own selection works */
        return m;
    m.mouse = (uint8_t)screen_mouse(s);
    m.mouse_encoding = (uint8_t)screen_mouse_encoding(s);
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

bool attach_compose(struct attach *a)
{
    struct frame *f = paint_begin(a->paint, a->cols, a->rows);

    if (!f)
        return false;
    frame_blank_row(f, (uint16_t)(a->rows - 1));
    f->cursor = (struct frame_cursor){0};
    if (a->pane)
        draw_pane(a, f);
    else
        frame_blank(f);
    draw_status(a, f);
    overlay_draw(&a->overlay, f, attach_area_rows(a));
    if (a->bell)
        outbuf_byte(&a->out, '\a');
    a->bell = false;
    if (!a->modes_known) /* autowrap, before anything relies on it */
        write_modes(a);
    paint_end(a->paint, &a->out);
    write_modes(a);
    return !a->out.bad;
}
