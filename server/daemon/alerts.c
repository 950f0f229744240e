#include "server/daemon/alerts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/config_run.h"
#include "server/daemon/daemon.h"
#include "server/daemon/layout.h"
#include "server/daemon/pane.h"
#include "server/daemon/session.h"

/* What options.def calls the choices of *-action and visual-*. */
enum action { ACTION_NONE, ACTION_ANY, ACTION_CURRENT, ACTION_OTHER };
enum visual { VISUAL_OFF, VISUAL_ON, VISUAL_BOTH };

/* One kind of alert. */
struct kind {
    enum window_mark mark;
    const char *hook;
    const char *word;
    enum option_id monitor;
    enum option_id action;
    enum option_id visual;
    bool again; /* also for a window that has the mark already */
};

static const struct kind kinds[] = {
    {WINDOW_BELL, "alert-bell", "Bell", OPTION_monitor_bell, OPTION_bell_action, OPTION_visual_bell,
     true},
    {WINDOW_ACTIVITY, "alert-activity", "Activity", OPTION_monitor_activity, OPTION_activity_action,
     OPTION_visual_activity, false},
    {WINDOW_SILENCE, "alert-silence", "Silence", OPTION_monitor_silence, OPTION_silence_action,
     OPTION_visual_silence, false},
};

struct alerts {
    struct daemon *daemon;
    bool activity;             /* some window's is monitored */
    struct loop_timer silence; /* runs while some window's is monitored */
    struct loop_task refresh;
};

static long number(const struct alerts *a, const struct window *w, enum option_id id)
{
    struct target t = {w->session, (struct window *)(uintptr_t)w, NULL};

    return options_number(a->daemon->options, format_options_place(&t), id);
}

/* --- telling -------------------------------------------------------------------------------- */

static bool applies(const struct alerts *a, const struct window *w, enum option_id action)
{
    bool current = w == w->session->current;

    switch ((enum action)number(a, w, action)) {
    case ACTION_ANY:
        return true;
    case ACTION_CURRENT:
        return current;
    case ACTION_OTHER:
        return !current;
    case ACTION_NONE:
        break;
    }
    return false;
}

/* Rings or says it on every terminal of the session, once in a round. */
static void tell(struct alerts *a, struct window *w, const struct kind *k)
{
    enum visual how = (enum visual)number(a, w, k->visual);
    uint64_t now = loop_now_ms(a->daemon->loop);
    char text[64];

    if (w->session->alerted_ms == now)
        return;
    w->session->alerted_ms = now;
    if (w == w->session->current)
        snprintf(text, sizeof text, "%s in current window", k->word);
    else
        snprintf(text, sizeof text, "%s in window %u", k->word, w->index);
    attach_alert(w->session, how == VISUAL_OFF ? NULL : text, how != VISUAL_ON);
}

static void fire(struct alerts *a, struct window *w, const struct kind *k)
{
    char session[16], window[16];
    const struct format_extra extra[] = {{"hook_session", session},
                                         {"hook_session_name", w->session->name},
                                         {"hook_window", window},
                                         {"hook_window_name", w->name}};
    struct target at = {w->session, w, w->active};

    snprintf(session, sizeof session, "$%u", w->session->id);
    snprintf(window, sizeof window, "@%u", w->id);
    config_fire(a->daemon, k->hook, &at, extra, sizeof extra / sizeof extra[0]);
}

/* It happened in w. */
static void raise(struct alerts *a, struct window *w, const struct kind *k)
{
    struct session *s = w->session;

    if (!number(a, w, k->monitor) || (!k->again && (w->marks & k->mark)))
        return;
    if (w != s->current || s->attached == 0)
        session_mark(a->daemon->sessions, w, k->mark);
    if (!applies(a, w, k->action))
        return;
    tell(a, w, k);
    fire(a, w, k); /* last: its commands may end the window */
}

void alerts_bell(struct alerts *a, struct pane *p)
{
    struct target t;

    if (session_of_pane(a->daemon->sessions, p, &t))
        raise(a, t.window, &kinds[0]);
}

void alerts_output(struct alerts *a, struct pane *p)
{
    struct target t;

    if (a->activity && session_of_pane(a->daemon->sessions, p, &t))
        raise(a, t.window, &kinds[1]);
}

/* --- silence -------------------------------------------------------------------------------- */

/* Since when nothing was heard of a window, or the last time that was told. */
static uint64_t quiet_since(const struct window *w)
{
    uint64_t since = w->silence_ms;

    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        uint64_t at = pane_output_ms(layout_at(w->layout, i)->pane);

        since = at > since ? at : since;
    }
    return since;
}

/* The first window whose silence is over now, or NULL and in how many milliseconds the next one's
 * is. */
static struct window *find_silent(struct alerts *a, uint64_t *wait)
{
    uint64_t now = loop_now_ms(a->daemon->loop);

    *wait = UINT64_MAX;
    for (struct session *s = session_first(a->daemon->sessions); s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            uint64_t limit = (uint64_t)number(a, w, OPTION_monitor_silence) * 1000;
            uint64_t due = quiet_since(w) + limit;

            if (limit > 0 && due <= now)
                return w;
            if (limit > 0 && due - now < *wait)
                *wait = due - now;
        }
    }
    return NULL;
}

static void on_silence(void *ctx)
{
    struct alerts *a = ctx;
    struct window *w;
    uint64_t wait;

    while ((w = find_silent(a, &wait)) != NULL) { /* hooks may change what there is */
        w->silence_ms = loop_now_ms(a->daemon->loop);
        raise(a, w, &kinds[2]);
    }
    if (wait != UINT64_MAX)
        loop_timer_start(&a->silence, wait);
}

/* --- life ----------------------------------------------------------------------------------- */

static bool watches_activity(const struct alerts *a)
{
    if (!options_is_used(a->daemon->options, OPTION_monitor_activity))
        return false;
    for (const struct session *s = session_first(a->daemon->sessions); s; s = s->next)
        for (const struct window *w = s->windows; w; w = w->next)
            if (number(a, w, OPTION_monitor_activity))
                return true;
    return false;
}

static void on_refresh(void *ctx)
{
    struct alerts *a = ctx;
    uint64_t wait = UINT64_MAX;

    a->activity = watches_activity(a);
    if (options_is_used(a->daemon->options, OPTION_monitor_silence) && find_silent(a, &wait))
        wait = 0;
    if (wait == UINT64_MAX)
        loop_timer_stop(&a->silence);
    else
        loop_timer_start(&a->silence, wait);
}

void alerts_refresh(struct alerts *a)
{
    if (a)
        loop_defer(a->daemon->loop, &a->refresh);
}

struct alerts *alerts_create(struct daemon *d)
{
    struct alerts *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->daemon = d;
    loop_timer_init(&a->silence, d->loop, on_silence, a);
    loop_task_init(&a->refresh, on_refresh, a);
    return a;
}

void alerts_destroy(struct alerts *a)
{
    if (!a)
        return;
    loop_timer_stop(&a->silence);
    loop_cancel(a->daemon->loop, &a->refresh);
    free(a);
}
