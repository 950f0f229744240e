/* LAYOUT: what a viewer sees, said when it would read differently from what the viewer has.
 *
 * It is built anew whenever something may have changed, and compared. A short one goes as a small
 * message, a longer one in parts; nothing of a pane is sent before all of it. */
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/layout.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer_state.h"

#define TITLE_MAX_BYTES    128
#define WINDOW_FIXED_BYTES 7 /* of a window in LAYOUT, without its name */
#define PANE_FIXED_BYTES   15
#define LAYOUT_FIXED_BYTES 8
#define PART_MIN_BYTES     64

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

static unsigned window_flags(const struct viewer_sight *s, const struct window *w)
{
    return (w == w->session->current ? WINDOW_FLAG_ACTIVE : 0u) |
           (w->marks & WINDOW_BELL ? WINDOW_FLAG_BELL : 0u) |
           (w->marks & WINDOW_ACTIVITY ? WINDOW_FLAG_ACTIVITY : 0u) |
           (w == s->window ? WINDOW_FLAG_VIEWED : 0u);
}

static void add_windows(struct draft *d, const struct viewer *v, const struct viewer_sight *s)
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

static void add_panes(struct draft *d, const struct viewer_sight *s)
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
static bool build_layout(const struct viewer *v, const struct viewer_sight *s)
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
    struct viewer_sight s = viewer_see(v);
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
