/* What a viewer looks at: the share's windows, the panes of one of them, and the LAYOUT that says
 * so.
 *
 *   something changed ─► look_owed ─► end of the round: viewer_look
 *                                       ├─ panes not in the share any more: forgotten
 *                                       ├─ panes not in view any more: their streams end at once
 *                                       ├─ panes that came into view: streams, which wait for
 *                                       └─ LAYOUT, sent when it differs from what the viewer has
 *
 * Which window it is: of a session share the one that the viewer asked for by VIEW, as long as that
 * is there, else the session's current one. Everything is decided from what the model says now, and
 * by pointers and numbers, never by names: a notice that came twice or late changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/layout.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

#define TITLE_MAX_BYTES    128
#define WINDOW_FIXED_BYTES 7 /* of a window in LAYOUT, without its name */
#define PANE_FIXED_BYTES   15
#define LAYOUT_FIXED_BYTES 8
#define PART_MIN_BYTES     64

/* What a share shows at this moment. */
struct sight {
    bool there;
    struct target at;
    struct window *window; /* the viewed one; NULL where there is only the pane `at.pane` */
};

static struct window *window_of(const struct session *s, uint32_t id)
{
    struct window *w = s->windows;

    while (w && w->id != id)
        w = w->next;
    return w;
}

static struct sight see(const struct viewer *v)
{
    struct sight s = {.there = false};

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
static bool find_in_share(const struct viewer *v, const struct sight *s, const struct pane *p,
                          struct target *out)
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
    struct sight s = see(v);
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
    struct sight s = see(v);

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
static void forget_left(struct viewer *v, const struct sight *s)
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

static bool show_all(struct viewer *v, const struct sight *s)
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
    struct sight s = see(v);

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

/* --- LAYOUT --------------------------------------------------------------------------------- */

/* The arrays that a LAYOUT is encoded from. */
struct draft {
    struct viewer_layout m;
    struct viewer_layout_window *windows;
    struct viewer_layout_pane *panes;
    char (*titles)[TITLE_MAX_BYTES + 1];
};

static void add_window(struct draft *d, uint32_t id, unsigned flags, const char *name)
{
    d->windows[d->m.windows.n++] =
        (struct viewer_layout_window){.id = id, .flags = (uint8_t)flags, .name = bytes_of(name)};
}

static unsigned window_flags(const struct sight *s, const struct window *w)
{
    return (w == w->session->current ? WINDOW_FLAG_ACTIVE : 0u) |
           (w->marks & WINDOW_BELL ? WINDOW_FLAG_BELL : 0u) |
           (w->marks & WINDOW_ACTIVITY ? WINDOW_FLAG_ACTIVITY : 0u) |
           (w == s->window ? WINDOW_FLAG_VIEWED : 0u);
}

static void add_windows(struct draft *d, const struct viewer *v, const struct sight *s)
{
    if (!s->window) {
        add_window(d, 0, WINDOW_FLAG_ACTIVE | WINDOW_FLAG_VIEWED, v->share->name);
        return;
    }
    if (v->share->kind == SHARE_WINDOW) {
        add_window(d, s->window->id, window_flags(s, s->window) | WINDOW_FLAG_ACTIVE,
                   s->window->name);
        return;
    }
    for (const struct window *w = s->at.session->windows; w; w = w->next)
        add_window(d, w->id, window_flags(s, w), w->name);
}

static void add_pane_at(struct draft *d, const struct layout_leaf *at, unsigned flags)
{
    char *title = d->titles[d->m.panes.n];
    const char *raw = screen_title(pane_screen(at->pane));
    size_t n = utf8_printable((const uint8_t *)raw, strlen(raw), title, TITLE_MAX_BYTES);

    if (pane_status(at->pane).dead)
        flags |= PANE_FLAG_DEAD;
    d->panes[d->m.panes.n++] = (struct viewer_layout_pane){.id = at->id,
                                                           .x = at->x,
                                                           .y = at->y,
                                                           .cols = at->cols,
                                                           .rows = at->rows,
                                                           .flags = (uint8_t)flags,
                                                           .title = {(const uint8_t *)title, n}};
}

static void add_only_pane(struct draft *d, struct pane *p)
{
    struct screen *screen = pane_screen(p);
    struct layout_leaf at = {
        .pane = p, .id = pane_id(p), .cols = screen_cols(screen), .rows = screen_rows(screen)};

    d->m.cols = at.cols;
    d->m.rows = at.rows;
    add_pane_at(d, &at, PANE_FLAG_ACTIVE);
}

static void add_panes(struct draft *d, const struct sight *s)
{
    const struct window *w = s->window;
    struct layout_leaf at;

    if (!w) {
        add_only_pane(d, s->at.pane);
        return;
    }
    d->m.cols = layout_cols(w->layout);
    d->m.rows = layout_rows(w->layout);
    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        if (session_place(w, layout_at(w->layout, i)->pane, &at))
            add_pane_at(d, &at,
                        (at.pane == w->active ? PANE_FLAG_ACTIVE : 0u) |
                            (w->zoomed ? PANE_FLAG_ZOOMED : 0u));
    }
}

static bool encode(const struct draft *d, struct outbuf *out)
{
    size_t most =
        LAYOUT_FIXED_BYTES +
        d->m.windows.n * (WINDOW_FIXED_BYTES + SESSION_NAME_MAX_BYTES + SHARE_NAME_MAX_BYTES) +
        d->m.panes.n * (PANE_FIXED_BYTES + TITLE_MAX_BYTES);
    uint8_t *room;
    struct wbuf w;

    outbuf_reset(out);
    room = outbuf_reserve(out, most);
    if (!room)
        return false;
    wbuf_init(&w, room, most);
    viewer_encode_layout(&w, &d->m);
    out->len += w.len;
    return !w.bad;
}

/* Writes what the viewer sees to the list's scratch buffer. False when memory ran out. */
static bool build_layout(const struct viewer *v, const struct sight *s)
{
    size_t windows = s->window ? session_window_count(s->at.session) : 1;
    size_t panes = s->window ? layout_count(s->window->layout) : 1;
    struct draft d = {.windows = calloc(windows, sizeof *d.windows),
                      .panes = calloc(panes, sizeof *d.panes),
                      .titles = calloc(panes, sizeof *d.titles)};
    bool ok = d.windows && d.panes && d.titles;

    if (ok) {
        d.m.windows.items = d.windows;
        d.m.panes.items = d.panes;
        add_windows(&d, v, s);
        add_panes(&d, s);
        ok = encode(&d, &v->list->scratch);
    }
    free(d.windows);
    free(d.panes);
    free(d.titles);
    return ok;
}

/* Takes the LAYOUT that v should have, unless it has it. False when memory ran out. */
static bool renew_layout(struct viewer *v)
{
    struct sight s = see(v);
    const struct outbuf *now = &v->list->scratch;

    v->layout_owed = false;
    if (!s.there) /* its end is near */
        return true;
    if (!build_layout(v, &s))
        return false;
    if (now->len == v->layout.len && memcmp(now->p, v->layout.p, now->len) == 0)
        return true;
    outbuf_reset(&v->layout);
    outbuf_put(&v->layout, now->p, now->len);
    v->layout_at = 0;
    return !v->layout.bad;
}

/* A short LAYOUT goes as a small message, a longer one in parts. False when there is no room. */
static bool send_part(struct viewer *v)
{
    size_t left = v->layout.len - v->layout_at, n = left, room;
    const uint8_t *p = v->layout.p + v->layout_at;
    uint8_t *out;

    if (v->layout.len <= PACE_PART_MIN_BYTES) {
        v->layout_at += n;
        if (connection_send(v->connection, VIEWER_MSG_LAYOUT, p, n))
            return true;
        v->layout_at -= n;
        return false;
    }
    room = connection_room(v->connection);
    if (n > pace_part(&v->pace))
        n = pace_part(&v->pace);
    if (n > room)
        n = room;
    out = n == left || n >= PART_MIN_BYTES ? connection_reserve(v->connection, n) : NULL;
    if (!out)
        return false;
    memcpy(out, p, n);
    v->layout_at += n;
    connection_commit(v->connection, VIEWER_MSG_LAYOUT, n < left, n);
    return true;
}

bool viewer_send_layout(struct viewer *v)
{
    for (;;) {
        while (v->connection && v->layout_at < v->layout.len) {
            if (!send_part(v))
                return false;
        }
        if (!v->connection || !v->layout_owed)
            return v->connection != NULL;
        if (!renew_layout(v)) {
            viewer_cut(v, "out of memory");
            return false;
        }
    }
}
