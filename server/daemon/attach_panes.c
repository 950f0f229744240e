/* The panes that an attached terminal shows: all of its session's current window, or the zoomed
 * one. Each is observed; which of its rows have changed is kept per terminal, because a screen
 * tells it only once, to whoever asks first. */
#include "server/daemon/attach_state.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/screen.h"
#include "server/daemon/session.h"

/* Link numbers of cells are a screen's own: the upper bits tell whose. */
#define LINK_BITS    20
#define LINK_VIEWERS (1u << (32 - LINK_BITS))

static void on_output(void *ctx, struct pane *p)
{
    struct attach_view *v = ctx;

    (void)p;
    attach_wake(v->attach);
}

static void on_titled(void *ctx, struct pane *p)
{
    struct attach_view *v = ctx;

    (void)p;
    attach_status_changed(v->attach);
}

static void stop_observing(struct attach_view *v)
{
    if (v->observing)
        pane_unobserve(v->pane, &v->observer);
    v->observing = false;
}

static void on_exited(void *ctx, struct pane *p)
{
    struct attach_view *v = ctx;

    (void)p;
    stop_observing(v);
    if (v->pane == v->attach->pane)
        attach_drop_input(v->attach);
    attach_wake(v->attach);
}

static void on_room(void *ctx, struct pane *p)
{
    struct attach_view *v = ctx;

    if (v->attach->pane == p)
        attach_flush_input(v->attach);
}

/* --- views ---------------------------------------------------------------------------------- */

static struct attach_view *create_view(struct attach *a, struct pane *p)
{
    struct attach_view *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->attach = a;
    v->pane = p;
    v->all_stale = true;
    v->observer = (struct pane_observer){
        .output = on_output,
        .resized = on_output,
        .titled = on_titled,
        .exited = on_exited,
        .room = on_room,
        .ctx = v,
    };
    if (++a->last_link_base >= LINK_VIEWERS) {
        a->last_link_base = 1;
        paint_invalidate(a->paint); /* what is shown may have links under numbers used again */
    }
    v->link_base = a->last_link_base << LINK_BITS;
    pane_observe(p, &v->observer);
    v->observing = true;
    return v;
}

/* Takes a view out. It is freed later: the pane may be telling its observers just now. */
static void retire_view(struct attach *a, struct attach_view *v)
{
    stop_observing(v);
    v->next = a->retired;
    a->retired = v;
}

void attach_free_retired(struct attach *a)
{
    while (a->retired) {
        struct attach_view *v = a->retired;

        a->retired = v->next;
        free(v->stale);
        free(v);
    }
}

void attach_leave_panes(struct attach *a)
{
    while (a->views) {
        struct attach_view *v = a->views;

        a->views = v->next;
        retire_view(a, v);
    }
    a->pane = NULL;
}

struct attach_view *attach_view_of(const struct attach *a, const struct pane *p)
{
    struct attach_view *v = a->views;

    while (v && v->pane != p)
        v = v->next;
    return v;
}

/* Takes the view of a pane from a list; makes one when there is none. */
static struct attach_view *take_view(struct attach *a, struct attach_view **from, struct pane *p)
{
    for (struct attach_view **at = from; *at; at = &(*at)->next) {
        struct attach_view *v = *at;

        if (v->pane != p)
            continue;
        *at = v->next;
        return v;
    }
    return create_view(a, p);
}

static bool same_place(const struct layout_leaf *a, const struct layout_leaf *b)
{
    return a->x == b->x && a->y == b->y && a->cols == b->cols && a->rows == b->rows;
}

/* Makes the views those of w's visible panes, in the layout's order. */
static void follow_window(struct attach *a, const struct window *w)
{
    struct attach_view *old = a->views, **end = &a->views;

    a->views = NULL;
    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        struct layout_leaf place;
        struct attach_view *v;

        if (!session_place(w, layout_at(w->layout, i)->pane, &place))
            continue;
        v = take_view(a, &old, place.pane);
        if (!v)
            continue; /* out of memory: shown with the next change */
        a->moved = a->moved || !same_place(&v->place, &place);
        v->place = place;
        v->next = NULL;
        *end = v;
        end = &v->next;
    }
    while (old) {
        struct attach_view *v = old;

        old = v->next;
        a->moved = true;
        retire_view(a, v);
    }
    a->window_cols = layout_cols(w->layout);
    a->window_rows = layout_rows(w->layout);
}

/* A pane that was dead has been given another program. */
static void observe_again(struct attach *a)
{
    for (struct attach_view *v = a->views; v; v = v->next) {
        if (v->observing || pane_status(v->pane).dead)
            continue;
        pane_observe(v->pane, &v->observer);
        v->observing = true;
        v->all_stale = true;
    }
}

/* --- focus ---------------------------------------------------------------------------------- */

/* True while another terminal that has the focus shows p as its active pane. */
static bool focused_elsewhere(const struct attach *a, const struct pane *p)
{
    for (const struct attach *o = attach_first(); o; o = o->next)
        if (o != a && o->pane == p && !o->unfocused && !o->read_only)
            return true;
    return false;
}

static void tell_focus(struct attach *a, struct pane *p, bool focused)
{
    if (!p || a->read_only || !attach_number(a, OPTION_focus_events, 0) ||
        !(screen_modes(pane_screen(p)) & SCREEN_FOCUS) || focused_elsewhere(a, p))
        return;
    pane_write(p, (const uint8_t *)(focused ? "\033[I" : "\033[O"), 3);
}

void attach_set_focused(struct attach *a, bool focused)
{
    if (a->unfocused == !focused)
        return;
    a->unfocused = !focused;
    tell_focus(a, a->pane, focused);
}

void attach_follow(struct attach *a)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;
    struct pane *active = NULL;

    if (a->ending && !w)
        return;
    if (w) {
        follow_window(a, w);
        observe_again(a);
        active = attach_view_of(a, w->active) ? w->active : NULL;
    } else {
        attach_leave_panes(a);
    }
    if (active == a->pane)
        return;
    if (!a->unfocused)
        tell_focus(a, a->pane, false);
    a->pane = active;
    if (!a->unfocused)
        tell_focus(a, active, true);
    a->moved = true;
    attach_drop_input(a);
}

/* --- changed rows --------------------------------------------------------------------------- */

static void mark_stale(struct attach_view *v, const struct screen *s)
{
    uint16_t rows = screen_rows(s);

    if (v->stale_rows != rows) {
        bool *stale = realloc(v->stale, rows * sizeof *stale);

        v->all_stale = true;
        if (!stale)
            return;
        v->stale = stale;
        v->stale_rows = rows;
        memset(stale, 0, rows * sizeof *stale);
    }
    for (uint16_t row = 0; row < rows; row++)
        v->stale[row] = v->stale[row] || screen_row_dirty(s, row);
}

void attach_collect_stale(struct attach_view *v)
{
    struct screen *s = pane_screen(v->pane);

    if (!screen_dirty(s) && v->stale_rows == screen_rows(s))
        return;
    for (struct attach *other = attach_first(); other; other = other->next)
        for (struct attach_view *o = other->views; o; o = o->next)
            if (o->pane == v->pane)
                mark_stale(o, s);
    screen_clean(s);
}

/* --- links ---------------------------------------------------------------------------------- */

uint32_t attach_link_number(const struct attach_view *v, uint32_t link)
{
    return link > 0 && link < 1u << LINK_BITS ? v->link_base | link : 0;
}

const char *attach_link_target(void *ctx, uint32_t number)
{
    const struct attach *a = ctx;
    const uint32_t own = (1u << LINK_BITS) - 1;
    const char *params;

    for (const struct attach_view *v = a->views; v; v = v->next)
        if (v->link_base == (number & ~own))
            return screen_link(pane_screen(v->pane), number & own, &params);
    return NULL;
}
