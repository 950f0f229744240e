/* What a viewer looks at: the share's windows and the panes of one of them.
 *
 *   something changed ─► look_owed ─► end of the round: viewer_look
 *                                       ├─ panes not in the share any more: forgotten
 *                                       ├─ panes not in view any more: their streams end at once
 *                                       ├─ panes that came into view: streams, which wait for
 *                                       └─ LAYOUT (viewer_layout.c)
 *
 * Which window it is: of a session share the one that the viewer asked for by VIEW, as long as that
 * is there, else the session's current one. Everything is decided from what the model says now, and
 * by pointers and numbers, never by names: a notice that came twice or late changes nothing. */
#include <stdlib.h>

#include "server/daemon/layout.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

static struct window *window_of(const struct session *s, uint32_t id)
{
    struct window *w = s->windows;

    while (w && w->id != id)
        w = w->next;
    return w;
}

struct viewer_sight viewer_see(const struct viewer *v)
{
    struct viewer_sight s = {.there = false};

    if (!v->share || !share_place(v->share, v->list->sessions, &s.at))
        return s;
    s.there = true;
    if (v->share->kept || v->share->kind == SHARE_PANE)
        return s;
    if (v->share->kind == SHARE_SESSION)
        s.window = window_of(s.at.session, v->view);
    if (!s.window)
        s.window = s.at.window;
    return s;
}

/* Where a pane is, if it is in the share. */
static bool find_in_share(const struct viewer *v, const struct viewer_sight *s,
                          const struct pane *p, struct target *out)
{
    if (!s->there)
        return false;
    if (!s->window) {
        *out = s->at;
        return p == s->at.pane;
    }
    for (struct window *w = s->at.session->windows; w; w = w->next) {
        if (v->share->kind == SHARE_WINDOW && w != s->window)
            continue;
        if (!layout_find(w->layout, p))
            continue;
        *out = (struct target){w->session, w, (struct pane *)p};
        return true;
    }
    return false;
}

bool viewer_find_window(const struct viewer *v, uint32_t id, struct target *out)
{
    struct viewer_sight s = viewer_see(v);
    struct window *w;

    if (!s.window)
        return false;
    w = v->share->kind == SHARE_WINDOW ? s.window : window_of(s.at.session, id);
    if (!w || w->id != id)
        return false;
    *out = (struct target){w->session, w, w->active};
    return true;
}

bool viewer_find_target(const struct viewer *v, uint32_t pane, struct target *out)
{
    struct viewer_sight s = viewer_see(v);

    for (struct window *w = s.window ? s.at.session->windows : NULL; w; w = w->next) {
        if (v->share->kind == SHARE_WINDOW && w != s.window)
            continue;
        for (uint32_t i = 0; i < layout_count(w->layout); i++) {
            if (layout_at(w->layout, i)->id != pane)
                continue;
            *out = (struct target){w->session, w, layout_at(w->layout, i)->pane};
            return true;
        }
    }
    return false;
}

/* --- the panes it knows --------------------------------------------------------------------- */

static void on_room(void *ctx, struct pane *p)
{
    struct viewer_pane *e = ctx;

    (void)p;
    viewer_drain_input(e->viewer);
    viewer_wake(e->viewer);
}

static void on_changed(void *ctx, struct pane *p)
{
    struct viewer_pane *e = ctx;

    (void)p;
    if (!e->stream)
        return;
    e->viewer->layout_owed = true;
    viewer_wake(e->viewer);
}

static void free_pane(void *ctx)
{
    struct viewer_pane *e = ctx;

    outbuf_clear(&e->input);
    free(e);
}

struct viewer_pane *viewer_find_pane(const struct viewer *v, uint32_t id)
{
    struct viewer_pane *e = v->panes;

    while (e && e->id != id)
        e = e->next;
    return e;
}

static struct viewer_pane *add_pane(struct viewer *v, struct pane *p)
{
    struct viewer_pane *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->viewer = v;
    e->pane = p;
    e->id = pane_id(p);
    e->observer.room = on_room;
    e->observer.titled = on_changed;
    e->observer.resized = on_changed;
    e->observer.exited = on_changed;
    e->observer.ctx = e;
    loop_task_init(&e->reaper, free_pane, e);
    e->next = v->panes;
    v->panes = e;
    pane_observe(p, &e->observer);
    return e;
}

/* Unlinks a pane; freed after the round. */
static void forget_pane(struct viewer_pane *e)
{
    struct viewer_pane **at = &e->viewer->panes;

    viewer_end_stream(e);
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    pane_unobserve(e->pane, &e->observer);
    loop_defer(e->viewer->list->loop, &e->reaper);
}

/* A pane has left the share: what was typed for it goes nowhere. */
static void lose_pane(struct viewer_pane *e)
{
    struct viewer *v = e->viewer;

    forget_pane(e);
    viewer_drop_input(e, "that pane has gone");
    v->look_owed = true;
    viewer_wake(v);
}

void viewer_forget_panes(struct viewer *v)
{
    while (v->panes) {
        v->input_taken += v->panes->input.len;
        v->input_queued -= v->panes->input.len;
        forget_pane(v->panes);
    }
}

void viewer_pause_panes(struct viewer *v)
{
    for (struct viewer_pane *e = v->panes, *next; e; e = next) {
        next = e->next;
        if (e->stream) {
            e->resumable = stream_is_based(e->stream);
            e->resume_from = stream_keyframe_offset(e->stream);
            e->resume_sent = stream_sent(e->stream);
            e->resume_size = stream_size(e->stream);
            viewer_end_stream(e);
        } else if (e->input.len == 0) { /* known to that connection only */
            forget_pane(e);
        }
    }
}

void viewer_pane_gone(struct viewer_list *list, struct pane *p)
{
    for (struct viewer *v = list->first, *next; v; v = next) {
        next = v->next;
        for (struct viewer_pane *e = v->panes; e; e = e->next) {
            if (e->pane != p)
                continue;
            lose_pane(e);
            break;
        }
    }
}

void viewer_model_changed(struct viewer_list *list)
{
    for (struct viewer *v = list->first; v; v = v->next) {
        v->look_owed = true;
        viewer_wake(v);
    }
}

/* --- looking -------------------------------------------------------------------------------- */

/* Saying that input was not delivered may cut the viewer, which then looks again as one away. */
static void forget_left(struct viewer *v, const struct viewer_sight *s)
{
    const struct connection *had = v->connection;
    struct target at;

    for (struct viewer_pane *e = v->panes, *next; e; e = next) {
        next = e->next;
        e->shown = false;
        if (find_in_share(v, s, e->pane, &at))
            continue;
        lose_pane(e);
        if (had && !v->connection)
            return;
    }
    v->look_owed = false; /* a pane that was lost asked for what is being done */
}

/* False when memory ran out. */
static bool show(struct viewer *v, struct pane *p, bool active)
{
    struct viewer_pane *e = v->panes;

    while (e && e->pane != p)
        e = e->next;
    if (!e)
        e = add_pane(v, p);
    if (!e)
        return false;
    e->shown = true;
    e->active = active;
    if (e->stream)
        return true;
    if (active)
        v->turn = e->id; /* its keyframe first */
    return viewer_start_stream(e);
}

static bool show_all(struct viewer *v, const struct viewer_sight *s)
{
    struct layout_leaf place;

    if (!s->there)
        return true;
    if (!s->window)
        return show(v, s->at.pane, true);
    for (uint32_t i = 0; i < layout_count(s->window->layout); i++) {
        struct pane *p = layout_at(s->window->layout, i)->pane;

        if (session_place(s->window, p, &place) && !show(v, p, p == s->window->active))
            return false;
    }
    return true;
}

void viewer_look(struct viewer *v)
{
    struct viewer_sight s = viewer_see(v);

    v->look_owed = false;
    if (s.window && s.window->id != v->view)
        v->view = VIEWER_VIEW_FOLLOW;
    forget_left(v, &s);
    if (!v->connection || v->state != VIEWER_LIVE)
        return;
    if (!show_all(v, &s)) {
        viewer_cut(v, "out of memory");
        return;
    }
    for (struct viewer_pane *e = v->panes; e; e = e->next) {
        if (!e->shown)
            viewer_end_stream(e);
    }
    v->layout_owed = true;
    viewer_wake(v);
}
