/* What goes on while a button is held: a border that moves, a selection that grows. At the top and
 * bottom of a pane a selection scrolls on for as long as the pointer rests there. */
#include "server/daemon/attach_state.h"

#include <string.h>

#include "server/daemon/copy_mode.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/session.h"

#define SCROLL_MS 50

/* --- borders -------------------------------------------------------------------------------- */

/* The pane left of or above a line at a cell of the window, whose border that is. */
void attach_drag_border(struct attach *a, const struct mouse_event *e)
{
    uint16_t x = (uint16_t)(e->x + a->area.shift_x), y = (uint16_t)(e->y + a->area.shift_y);
    struct attach_drag *d = &a->drag;

    d->border_of = NULL;
    d->x = x;
    d->y = y;
    for (const struct attach_view *v = a->views; v && !d->border_of; v = v->next) {
        const struct layout_leaf *at = &v->place;

        d->vertical = x == at->x + at->cols && y >= at->y && y < at->y + at->rows;
        if (d->vertical || (y == at->y + at->rows && x >= at->x && x < at->x + at->cols))
            d->border_of = v->pane;
    }
}

static void drag_border(struct attach *a, const struct mouse_event *e)
{
    struct attach_drag *d = &a->drag;
    struct window *w = a->session->current;
    uint16_t x = (uint16_t)(e->x + a->area.shift_x), y = (uint16_t)(e->y + a->area.shift_y);
    int by = d->vertical ? x - d->x : y - d->y;

    if (by == 0 || !layout_find(w->layout, d->border_of))
        return;
    d->x = x;
    d->y = y;
    if (layout_move_border(w->layout, d->border_of, d->vertical ? LAYOUT_ROW : LAYOUT_COLUMN, by) ==
        ERR_OK)
        session_arranged(a->sessions, w);
}

/* --- selections ----------------------------------------------------------------------------- */

static struct copy_options options_at(const struct attach *a, const struct pane *p)
{
    struct target t = {a->session, a->session->current, (struct pane *)p};

    return copy_mode_options(a->ops.world ? a->ops.world->options : NULL, format_options_place(&t));
}

bool attach_mouse_cell(const struct attach *a, const struct pane *p, const struct mouse_event *e,
                       uint16_t *x, uint16_t *y)
{
    const struct attach_view *v = attach_view_of(a, p);
    struct keys_area at;

    if (!v)
        return false;
    at = attach_pane_area(a, v);
    if (at.cols == 0 || at.rows == 0)
        return false;
    *x = e->x < at.x              ? 0
         : e->x >= at.x + at.cols ? (uint16_t)(at.cols - 1)
                                  : (uint16_t)(e->x - at.x);
    *y = e->row < a->top || e->y < at.y ? 0
         : e->y >= at.y + at.rows       ? (uint16_t)(at.rows - 1)
                                        : (uint16_t)(e->y - at.y);
    *x = (uint16_t)(*x + at.shift_x);
    *y = (uint16_t)(*y + at.shift_y);
    return true;
}

void attach_drag_select(struct attach *a, struct pane *p, const struct mouse_event *e)
{
    struct copy_mode *m = copy_mode_of(p);
    struct copy_options o = options_at(a, p);
    uint16_t x, y;

    if (!m || !attach_mouse_cell(a, p, e, &x, &y))
        return;
    copy_drag_begin(copy_mode_state(m), &o, x, y);
    a->drag.selects = p;
    a->drag.last = *e;
    attach_refresh_all();
}

static void drag_selection(struct attach *a)
{
    struct attach_view *v = attach_view_of(a, a->drag.selects);
    struct copy_mode *m = v ? copy_mode_of(v->pane) : NULL;
    struct copy_options o;
    uint16_t x, y;

    loop_timer_stop(&a->drag_on);
    if (!m || !attach_mouse_cell(a, v->pane, &a->drag.last, &x, &y))
        return;
    o = options_at(a, v->pane);
    if (copy_drag(copy_mode_state(m), &o, x, y))
        loop_timer_start(&a->drag_on, SCROLL_MS);
    attach_refresh_all();
}

static void on_scroll(void *ctx)
{
    struct attach *a = ctx;

    if (!a->ending && !a->session->dead)
        drag_selection(a);
}

/* --- both ----------------------------------------------------------------------------------- */

bool attach_drag_on(struct attach *a, const struct mouse_event *e)
{
    if (a->drag.border_of) {
        drag_border(a, e);
        return true;
    }
    if (!a->drag.selects)
        return false;
    a->drag.last = *e;
    drag_selection(a);
    return true;
}

void attach_drag_end(struct attach *a)
{
    loop_timer_stop(&a->drag_on);
    a->drag = (struct attach_drag){0};
}

void attach_drag_init(struct attach *a)
{
    loop_timer_init(&a->drag_on, a->loop, on_scroll, a);
}

void attach_drag_clear(struct attach *a)
{
    loop_timer_stop(&a->drag_on);
}
