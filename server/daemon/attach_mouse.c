/* The mouse. Programs that asked for reports get them, in their own form and cells. Where mouse is
 * on, a click selects a pane or a window of the status line, and borders are dragged. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/screen.h"
#include "server/daemon/session.h"

enum { BUTTON_MASK = 3, MOTION = 32, WHEEL = 64, RELEASED = 3 };

/* One report. */
struct report {
    unsigned button; /* xterm's number: button, modifiers, motion, wheel */
    uint16_t x;      /* cells of the terminal, from 0 */
    uint16_t y;   /* from the first row of panes; attach_area_rows and more for a status line */
    uint16_t row; /* of the terminal */
    bool release;
};

/* --- for programs --------------------------------------------------------------------------- */

/* Mouse is off: what the terminal reports is in the form the active pane asked for. */
static void pass(struct attach *a, const uint8_t *p, size_t n)
{
    uint8_t moved[KEYS_SEQUENCE_MAX];
    const struct attach_view *v = attach_view_of(a, a->pane);

    /* a report from before the program turned them off would be typed into a shell */
    if (a->read_only || !v || screen_mouse(pane_screen(v->pane)) == SCREEN_MOUSE_NONE ||
        a->modes.mouse == SCREEN_MOUSE_NONE)
        return;
    struct keys_area area = attach_pane_area(a, v);
    area.y = (uint16_t)(area.y + a->top);
    n = keys_shift_mouse(p, n, &area, a->modes.mouse_encoding == SCREEN_MOUSE_SGR_PIXELS, moved);
    if (n > 0 && !pane_status(a->pane).dead)
        attach_type(a, moved, n);
}

/* True when a program with this kind of reporting hears of it. */
static bool is_heard(enum screen_mouse kind, const struct report *r)
{
    bool motion = r->button & MOTION;

    switch (kind) {
    case SCREEN_MOUSE_NONE:
        return false;
    case SCREEN_MOUSE_X10:
        return !motion && !r->release && !(r->button & WHEEL);
    case SCREEN_MOUSE_CLICK:
        return !motion;
    case SCREEN_MOUSE_DRAG:
        return !motion || (r->button & BUTTON_MASK) != RELEASED;
    case SCREEN_MOUSE_ANY:
        return true;
    }
    return false;
}

/* Sends a report to a pane's program in its own form; x and y are its cells, from 0. */
static void send(struct attach *a, const struct attach_view *v, const struct report *r)
{
    const struct screen *s = pane_screen(v->pane);
    struct keys_area at = attach_pane_area(a, v);
    unsigned x, y;
    char text[32];
    int n;

    if (!is_heard(screen_mouse(s), r) || at.cols == 0 || at.rows == 0)
        return;
    x = r->x < at.x ? 0 : r->x >= at.x + at.cols ? at.cols - 1u : (unsigned)(r->x - at.x);
    y = r->y < at.y ? 0 : r->y >= at.y + at.rows ? at.rows - 1u : (unsigned)(r->y - at.y);
    x += at.shift_x + 1u;
    y += at.shift_y + 1u;
    if (screen_mouse_encoding(s) == SCREEN_MOUSE_SGR) {
        n = snprintf(text, sizeof text, "\033[<%u;%u;%u%c", r->button, x, y,
                     r->release ? 'm' : 'M');
    } else if (screen_mouse_encoding(s) == SCREEN_MOUSE_DEFAULT && x < 224 && y < 224) {
        unsigned button = r->release ? (r->button & ~(unsigned)BUTTON_MASK) | RELEASED : r->button;
        n = snprintf(text, sizeof text, "\033[M%c%c%c", (int)(button + 32), (int)(x + 32),
                     (int)(y + 32));
    } else {
        return;
    }
    if (v->pane == a->pane)
        attach_type(a, (const uint8_t *)text, (size_t)n);
    else
        pane_write(v->pane, (const uint8_t *)text, (size_t)n);
}

/* --- for ourselves -------------------------------------------------------------------------- */

static bool parse(const uint8_t *p, size_t n, struct report *r)
{
    char text[KEYS_SEQUENCE_MAX + 1], final;
    unsigned x, y;

    if (n < 6 || n > KEYS_SEQUENCE_MAX || p[2] != '<')
        return false;
    memcpy(text, p, n);
    text[n] = '\0';
    if (sscanf(text + 3, "%5u;%5u;%5u%c", &r->button, &x, &y, &final) != 4 || x < 1 || y < 1 ||
        x > UINT16_MAX || y > UINT16_MAX || (final != 'M' && final != 'm'))
        return false;
    r->x = (uint16_t)(x - 1);
    r->y = (uint16_t)(y - 1);
    r->release = final == 'm';
    return true;
}

static struct attach_view *view_at(const struct attach *a, uint16_t x, uint16_t y)
{
    for (struct attach_view *v = a->views; v; v = v->next) {
        struct keys_area at = attach_pane_area(a, v);

        if (x >= at.x && x < at.x + at.cols && y >= at.y && y < at.y + at.rows)
            return v;
    }
    return NULL;
}

/* The pane left of or above a line at a cell of the window, whose border that is. */
static void grab_border(struct attach *a, uint16_t x, uint16_t y)
{
    struct attach_drag d = {.x = x, .y = y};

    for (const struct attach_view *v = a->views; v && !d.border_of; v = v->next) {
        const struct layout_leaf *at = &v->place;

        d.vertical = x == at->x + at->cols && y >= at->y && y < at->y + at->rows;
        if (d.vertical || (y == at->y + at->rows && x >= at->x && x < at->x + at->cols))
            d.border_of = v->pane;
    }
    a->drag = d;
}

static void drag_border(struct attach *a, uint16_t x, uint16_t y)
{
    struct attach_drag *d = &a->drag;
    struct window *w = a->session->current;
    int by = d->vertical ? x - d->x : y - d->y;

    if (by == 0 || !layout_find(w->layout, d->border_of))
        return;
    d->x = x;
    d->y = y;
    if (layout_move_border(w->layout, d->border_of, d->vertical ? LAYOUT_ROW : LAYOUT_COLUMN, by) ==
        ERR_OK)
        session_arranged(a->sessions, w);
}

static void click_status(struct attach *a, uint16_t x, uint16_t y)
{
    uint32_t index;
    struct window *w = NULL;

    if (attach_status_range_at(a, x, y, &index) == STATUS_RANGE_WINDOW)
        w = session_window_at(a->session, index);
    if (w)
        session_select_window(a->sessions, w);
}

/* A button went down. */
static void press(struct attach *a, const struct report *r)
{
    struct attach_view *v = view_at(a, r->x, r->y);
    uint16_t x = (uint16_t)(r->x + a->area.shift_x), y = (uint16_t)(r->y + a->area.shift_y);

    a->drag = (struct attach_drag){0};
    if (r->y >= attach_area_rows(a)) {
        click_status(a, r->x, r->row);
        return;
    }
    if (!v) {
        if (x < a->window_cols && y < a->window_rows)
            grab_border(a, x, y);
        return;
    }
    a->drag.pane = v->pane;
    if (v->pane != a->pane)
        session_select_pane(a->sessions, a->session->current, v->pane);
    send(a, v, r);
}

static void act(struct attach *a, const struct report *r)
{
    struct attach_view *v = view_at(a, r->x, r->y), *pressed = attach_view_of(a, a->drag.pane);
    uint16_t x = (uint16_t)(r->x + a->area.shift_x), y = (uint16_t)(r->y + a->area.shift_y);
    bool motion = r->button & MOTION;

    if (r->button & WHEEL) {
        if (v)
            send(a, v, r);
    } else if (!motion && !r->release) {
        press(a, r);
    } else if (a->drag.border_of) {
        drag_border(a, x, y);
    } else if (pressed || v) {
        send(a, pressed ? pressed : v, r);
    }
    if (r->release)
        a->drag = (struct attach_drag){0};
}

void attach_mouse(struct attach *a, const uint8_t *p, size_t n)
{
    struct report r;

    if (!attach_mouse_is_on(a)) {
        pass(a, p, n);
        return;
    }
    if (a->read_only || a->session->dead || a->prompt.open || !parse(p, n, &r))
        return;
    r.row = r.y;
    r.y = r.y < a->top ? UINT16_MAX : (uint16_t)(r.y - a->top);
    act(a, &r);
}
