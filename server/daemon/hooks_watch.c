#include "server/daemon/hooks_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/ipc_msg.h"
#include "server/daemon/config_run.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/hooks.h"
#include "server/daemon/layout.h"
#include "server/daemon/loop.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer.h"

enum kind { SESSION, WINDOW, PANE, SHARE, VIEWER, KINDS };

#define NAME_MAX_BYTES 96
#define EXTRAS         4

/* One thing that is there, with what its hook tells when it is gone. */
struct thing {
    enum kind kind;
    uint32_t id;
    uint32_t session; /* it belongs to */
    uint32_t window;
    uint32_t attached;
    char name[NAME_MAX_BYTES];
    char session_name[SESSION_NAME_MAX_BYTES + 1];
    struct pane *pane; /* where it is; only good in the list that was made last */
};

struct things {
    struct thing *at;
    size_t n, cap;
};

struct hooks_watch {
    struct daemon *daemon;
    struct loop_task task;
    struct things known;
    bool looked; /* known holds */
    bool panes;  /* programs want to know of these too */
    bool panes_next; /* the same, from the next look on */
};

static void add(struct things *list, struct thing made)
{
    struct thing *more = list->at;

    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 32;

        more = realloc(list->at, cap * sizeof *more);
        if (!more)
            return;
        list->cap = cap;
        list->at = more;
    }
    list->at[list->n++] = made;
}

static void add_panes(const struct window *w, struct things *list)
{
    struct thing t = {.kind = PANE, .session = w->session->id, .window = w->id};

    for (uint32_t i = 0; layout_at(w->layout, i); i++) {
        t.id = layout_at(w->layout, i)->id;
        add(list, t);
    }
}

static void add_sessions(const struct daemon *d, bool panes, struct things *list)
{
    for (const struct session *s = session_first(d->sessions); s; s = s->next) {
        struct thing t = {.kind = SESSION, .id = s->id, .session = s->id, .attached = s->attached};

        snprintf(t.name, sizeof t.name, "%s", s->name);
        snprintf(t.session_name, sizeof t.session_name, "%s", s->name);
        add(list, t);
        for (const struct window *w = s->windows; w; w = w->next) {
            t.kind = WINDOW;
            t.id = t.window = w->id;
            t.pane = w->active;
            snprintf(t.name, sizeof t.name, "%s", w->name);
            add(list, t);
            if (panes)
                add_panes(w, list);
        }
    }
}

static void add_shares(const struct daemon *d, struct things *list)
{
    for (const struct share *s = share_first(d->shares); s; s = s->next) {
        struct thing t = {.kind = SHARE, .id = s->id, .pane = s->kept ? s->kept : s->pane};
        struct target at;

        if (share_place(s, d->sessions, &at))
            t.pane = at.pane;
        snprintf(t.name, sizeof t.name, "%s", s->name);
        add(list, t);
    }
    for (const struct viewer *v = viewer_next(d->viewers, NULL); v;
         v = viewer_next(d->viewers, v)) {
        struct viewer_info info = viewer_describe(v);
        struct thing t = {.kind = VIEWER, .id = info.id};

        snprintf(t.name, sizeof t.name, "%s", info.name);
        add(list, t);
    }
}

static int compare(const void *a, const void *b)
{
    const struct thing *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void look(const struct daemon *d, bool panes, struct things *list)
{
    list->n = 0;
    add_sessions(d, panes, list);
    add_shares(d, list);
    if (list->n > 0)
        qsort(list->at, list->n, sizeof *list->at, compare);
}

/* Where a thing is, as far as that is still there. */
static struct target place_of(const struct daemon *d, const struct thing *t, bool there)
{
    struct target at = {NULL, NULL, NULL};

    for (struct session *s = session_first(d->sessions); s; s = s->next) {
        if (t->kind <= WINDOW && s->id == t->session)
            at.session = s;
    }
    for (struct window *w = at.session ? at.session->windows : NULL; w; w = w->next) {
        if (t->kind == WINDOW && w->id == t->id)
            at.window = w;
    }
    if (t->kind == SHARE && there && t->pane)
        session_of_pane(d->sessions, t->pane, &at);
    return at;
}

/* Runs a hook about a thing with its ids and names; never a link. Panes have hooks of another kind:
 * NULL. */
static void fire(struct daemon *d, const char *hook, const struct thing *t, bool there)
{
    static const char *const ids[KINDS] = {"hook_session", "hook_window", "hook_pane", "share_id",
                                           "viewer"};
    static const char *const names[KINDS] = {"hook_session_name", "hook_window_name", "",
                                             "share_name", "viewer_name"};
    static const char *const signs[KINDS] = {"$", "@", "%", "", ""};
    struct format_extra extra[EXTRAS];
    struct target at = place_of(d, t, there);
    char id[16], session[16];
    size_t n = 0;

    if (!hook || hooks_empty(d->hooks))
        return;
    snprintf(id, sizeof id, "%s%u", signs[t->kind], t->id);
    snprintf(session, sizeof session, "$%u", t->session);
    extra[n++] = (struct format_extra){ids[t->kind], id};
    extra[n++] = (struct format_extra){names[t->kind], t->name};
    if (t->kind == WINDOW) {
        extra[n++] = (struct format_extra){"hook_session", session};
        extra[n++] = (struct format_extra){"hook_session_name", t->session_name};
    }
    config_fire(d, hook, &at, extra, n);
}

static const char *const came[KINDS] = {"session-created", "window-linked", NULL, "share-created",
                                        "viewer-joined"};
static const char *const went[KINDS] = {"session-closed", "window-unlinked", NULL, "share-ended",
                                        "viewer-left"};

enum change { CREATED, CLOSED, RENAMED };

/* Tells programs that asked for it. */
static void tell(struct daemon *d, enum change what, const struct thing *t)
{
    static const enum ipc_event_kind kinds[][3] = {
        [SESSION] = {IPC_EVENT_SESSION_CREATED, IPC_EVENT_SESSION_CLOSED,
                     IPC_EVENT_SESSION_RENAMED},
        [WINDOW] = {IPC_EVENT_WINDOW_CREATED, IPC_EVENT_WINDOW_CLOSED, IPC_EVENT_WINDOW_RENAMED},
        [PANE] = {IPC_EVENT_PANE_CREATED, IPC_EVENT_PANE_CLOSED, IPC_EVENT_PANE_CLOSED},
    };
    struct ipc_event m = {.session = t->session,
                          .window = t->kind == SESSION ? UINT32_MAX : t->window,
                          .pane = t->kind == PANE ? t->id : UINT32_MAX,
                          .name = bytes_of(t->name)};

    if (t->kind > PANE || !d->control)
        return;
    m.kind = (uint8_t)kinds[t->kind][what];
    control_tell_event(d->control, &m);
}

static void fire_changes(struct daemon *d, const struct thing *old, const struct thing *now)
{
    if (strcmp(old->name, now->name) != 0 && now->kind <= WINDOW) {
        tell(d, RENAMED, now);
        fire(d, now->kind == SESSION ? "session-renamed" : "window-renamed", now, true);
    }
    if (now->kind != SESSION)
        return;
    for (uint32_t i = old->attached; i < now->attached; i++)
        fire(d, "client-attached", now, true);
    for (uint32_t i = now->attached; i < old->attached; i++)
        fire(d, "client-detached", now, true);
}

/* Both lists are sorted: walks them side by side. */
static void fire_differences(struct daemon *d, const struct things *old, const struct things *now)
{
    size_t i = 0, k = 0;

    while (i < old->n || k < now->n) {
        int order = i == old->n ? 1 : k == now->n ? -1 : compare(&old->at[i], &now->at[k]);

        if (order < 0) {
            tell(d, CLOSED, &old->at[i]);
            fire(d, went[old->at[i].kind], &old->at[i], false);
            i++;
        } else if (order > 0) {
            struct thing before = now->at[k];

            before.attached = 0;
            tell(d, CREATED, &now->at[k]);
            fire(d, came[now->at[k].kind], &now->at[k], true);
            fire_changes(d, &before, &now->at[k]);
            k++;
        } else {
            fire_changes(d, &old->at[i++], &now->at[k]);
            k++;
        }
    }
}

/* Somebody wants to know what happens. */
static bool is_wanted(const struct hooks_watch *w)
{
    return w->panes || !hooks_empty(w->daemon->hooks);
}

/* What hooks did themselves runs no hooks, or one that makes what it is called for would never end;
 * programs are told of it. */
static void absorb(struct hooks_watch *w, const struct things *seen)
{
    struct things after = {NULL, 0, 0};

    look(w->daemon, w->panes, &after);
    w->daemon->hooks_running++;
    fire_differences(w->daemon, seen, &after);
    w->daemon->hooks_running--;
    free(w->known.at);
    w->known = after;
}

static void on_look(void *ctx)
{
    struct hooks_watch *w = ctx;
    struct things now = {NULL, 0, 0}, old = w->known;

    look(w->daemon, w->panes, &now);
    w->known = now;
    if (w->looked && is_wanted(w)) {
        struct things copy = {malloc(now.n * sizeof *now.at + 1), now.n, now.n};

        if (copy.at && now.n > 0)
            memcpy(copy.at, now.at, now.n * sizeof *now.at);
        if (copy.at) {
            fire_differences(w->daemon, &old, &copy);
            absorb(w, &copy);
        }
        free(copy.at);
    }
    w->looked = true;
    free(old.at);
    if (w->panes != w->panes_next) { /* what they are told begins with what is there now */
        w->panes = w->panes_next;
        look(w->daemon, w->panes, &w->known);
    }
}

void hooks_watch_begin(struct hooks_watch *w)
{
    if (!w->looked)
        look(w->daemon, w->panes, &w->known);
    w->looked = true;
}

void hooks_watch_panes(struct hooks_watch *w, bool wanted)
{
    if (!w || w->panes_next == wanted)
        return;
    w->panes_next = wanted;
    loop_defer(w->daemon->loop, &w->task);
}

struct hooks_watch *hooks_watch_create(struct daemon *d)
{
    struct hooks_watch *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->daemon = d;
    loop_task_init(&w->task, on_look, w);
    return w;
}

void hooks_watch_destroy(struct hooks_watch *w)
{
    if (!w)
        return;
    loop_cancel(w->daemon->loop, &w->task);
    free(w->known.at);
    free(w);
}

void hooks_watch_wake(struct hooks_watch *w)
{
    if (w && is_wanted(w))
        loop_defer(w->daemon->loop, &w->task);
    else if (w)
        w->looked = false;
}
