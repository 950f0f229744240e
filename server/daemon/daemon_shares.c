/* Shares and the life of what they show.
 *
 *   the last pane of a share ends by itself ─► kept with its last screen for DAEMON_LINGER_MS, so
 *                                              that who comes late still sees it and how it ended
 *   it is killed, or leaves, or its window   ─► the share ends
 *   or session goes with it
 */
#include "server/daemon/daemon.h"

#include "server/daemon/gate_link.h"
#include "server/daemon/pane.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer.h"

/* True when p, which was at d->exiting, was the last pane that the share showed. */
static bool was_last(const struct daemon *d, const struct share *s, const struct pane *p)
{
    struct target t;

    switch (s->kind) {
    case SHARE_PANE:
        return s->pane == p;
    case SHARE_WINDOW:
        return s->number == d->exiting.window && !share_place(s, d->sessions, &t);
    case SHARE_SESSION:
        break;
    }
    return s->number == d->exiting.session && !share_place(s, d->sessions, &t);
}

static bool is_kept(const struct daemon *d, const struct pane *p)
{
    for (const struct share *s = share_first(d->shares); s; s = s->next) {
        if (s->kept == p)
            return true;
    }
    return false;
}

bool daemon_keep_pane(struct daemon *d, struct pane *p)
{
    if (d->exiting.pane != p)
        return false;
    for (struct share *s = share_first(d->shares); s; s = s->next) {
        if (!s->kept && was_last(d, s, p))
            s->kept = p;
    }
    return is_kept(d, p);
}

void daemon_end_shares_of(struct daemon *d, struct pane *p)
{
    for (struct share *s = share_first(d->shares), *next; s; s = next) {
        next = s->next;
        if (s->pane == p || s->kept == p)
            share_end(d->shares, s, BYE_REASON_ENDED);
    }
}

void daemon_end_share(struct daemon *d, struct share *s, unsigned bye_reason)
{
    struct pane *kept = s->kept;

    share_end(d->shares, s, (enum viewer_bye_reason)bye_reason);
    if (kept && !is_kept(d, kept))
        daemon_destroy_pane(d, kept);
    daemon_refresh(d);
}

/* A deferred task: ends shares of what is gone. */
static void check_shares(void *ctx)
{
    struct daemon *d = ctx;
    struct target t;

    for (struct share *s = share_first(d->shares), *next; s; s = next) {
        next = s->next;
        if (!share_place(s, d->sessions, &t))
            daemon_end_share(d, s, BYE_REASON_ENDED);
    }
}

void daemon_open_share_check(struct daemon *d)
{
    loop_task_init(&d->share_check, check_shares, d);
}

void daemon_model_changed(struct daemon *d)
{
    if (!d->shares || !share_first(d->shares))
        return;
    loop_defer(d->loop, &d->share_check);
    if (d->viewers)
        viewer_model_changed(d->viewers);
}
