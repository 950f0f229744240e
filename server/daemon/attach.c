/* The life of an attached terminal, when it is painted, and who owns the size.
 *
 * Frames: the first change after quiet is painted at the end of its round; after that at most one
 * frame per ATTACH_FRAME_MS. Nothing is composed while more than ATTACH_FLIGHT_BYTES are on their
 * way to the terminal: what it missed is never sent, the next frame is the difference to what it
 * shows. */
#include "server/daemon/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "server/daemon/attach_state.h"
#include "server/daemon/layout.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"

/* All attached terminals, the most recently used one first: of each session it owns the size. */
static struct attach *attached;
static uint64_t serials;

struct session *attach_session(const struct attach *a)
{
    return a->session;
}

bool attach_read_only(const struct attach *a)
{
    return a->read_only;
}

/* --- frames --------------------------------------------------------------------------------- */

void attach_wake(struct attach *a)
{
    uint64_t since = loop_now_ms(a->loop) - a->painted_ms;

    a->dirty = true;
    if (a->ending || loop_timer_running(&a->pace))
        return;
    if (since >= ATTACH_FRAME_MS)
        loop_defer(a->loop, &a->frame);
    else
        loop_timer_start(&a->pace, ATTACH_FRAME_MS - since);
}

void attach_refresh(struct attach *a)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;

    attach_choosing_changed(a);
    attach_follow(a);
    attach_status_changed(a);
    if (w && w->id != a->window && !a->ending) { /* it may have the size of before */
        a->window = w->id;
        attach_size_windows(a);
    }
}

void attach_refresh_all(void)
{
    for (struct attach *a = attached; a; a = a->next)
        attach_refresh(a);
}

void attach_message_all(const char *text)
{
    for (struct attach *a = attached; a; a = a->next)
        attach_message(a, text);
}

void attach_options_changed(void)
{
    for (struct attach *a = attached; a; a = a->next) {
        attach_start_clock(a);
        a->moved = true;
        attach_refresh(a);
    }
    for (struct attach *a = attached; a; a = a->next)
        if (attach_latest(a->session) == a)
            attach_size_windows(a);
}

struct attach *attach_first(void)
{
    return attached;
}

void attach_drawn(struct attach *a, uint64_t total)
{
    if (total > a->sent || total < a->drawn)
        return;
    a->drawn = total;
    if (a->dirty)
        attach_wake(a);
}

/* True while a program is in the middle of an update; the frame comes later. */
static bool hold_for_sync(struct attach *a)
{
    uint64_t now = loop_now_ms(a->loop);
    bool sync = false;

    for (const struct attach_view *v = a->views; v; v = v->next)
        sync = sync || (screen_modes(pane_screen(v->pane)) & SCREEN_SYNC);

    if (sync && !a->in_sync)
        a->sync_ms = now;
    a->in_sync = sync;
    if (!sync || now - a->sync_ms >= ATTACH_SYNC_MS)
        return false;
    loop_timer_start(&a->pace, a->sync_ms + ATTACH_SYNC_MS - now);
    return true;
}

static void wipe_drawn(struct attach *a)
{
    if (a->out.p)
        secret_wipe(a->out.p, a->out.cap);
    paint_wipe(a->paint);
    a->wipe = false;
}

static void on_frame(void *ctx)
{
    struct attach *a = ctx;

    if (!a->dirty || a->ending || a->sent - a->drawn >= ATTACH_FLIGHT_BYTES)
        return;
    attach_free_retired(a);
    attach_follow(a);
    if (a->show_links) {
        a->show_links = false;
        attach_show_links(a);
    }
    if (hold_for_sync(a))
        return;
    a->dirty = false;
    a->painted_ms = loop_now_ms(a->loop);
    outbuf_reset(&a->out);
    if (!attach_compose(a)) {
        paint_invalidate(a->paint);
        a->modes_known = false;
        return;
    }
    a->sent += a->out.len;
    if (a->out.len > 0)
        a->ops.draw(a->ops.ctx, a->out.p, a->out.len);
    if (a->wipe)
        wipe_drawn(a);
}

/* The clock of a program's update went on, or the pause between frames is over. */
static void on_pace(void *ctx)
{
    struct attach *a = ctx;

    if (a->dirty)
        loop_defer(a->loop, &a->frame);
}

/* --- size ----------------------------------------------------------------------------------- */

static void unlink_attach(struct attach *a)
{
    for (struct attach **at = &attached; *at; at = &(*at)->next) {
        if (*at == a) {
            *at = a->next;
            return;
        }
    }
}

void attach_use(struct attach *a)
{
    a->activity_s = loop_wall_s(a->loop);
    if (a->read_only || a->ignore_size)
        return;
    if (attached != a) {
        unlink_attach(a);
        a->next = attached;
        attached = a;
    }
    if (!a->session->dead)
        session_touch(a->sessions, a->session);
    attach_size_windows(a);
}

/* The terminal that owned a session's size has left: the one used before it does now. */
static void hand_size_over(const struct session *s)
{
    for (const struct attach *a = attached; a; a = a->next) {
        if (a->session != s || a->read_only || a->ignore_size)
            continue;
        attach_size_windows(a);
        return;
    }
}

static void set_size(struct attach *a, uint16_t cols, uint16_t rows)
{
    a->cols = cols < 1 ? 1 : cols > SCREEN_COLS_MAX ? SCREEN_COLS_MAX : cols;
    a->rows = rows < 1 ? 1 : rows > SCREEN_ROWS_MAX ? SCREEN_ROWS_MAX : rows;
}

void attach_resize(struct attach *a, uint16_t cols, uint16_t rows)
{
    if (a->ending)
        return;
    set_size(a, cols, rows);
    paint_invalidate(a->paint); /* terminals reflow what they show */
    a->modes_known = false;     /* and one that was stopped and continued has left its modes */
    attach_follow(a);
    attach_use(a);
    attach_wake(a);
}

void attach_alert(const struct session *s, const char *text, bool bell)
{
    for (struct attach *a = attached; a; a = a->next) {
        if (a->session != s || a->ending)
            continue;
        a->bell = a->bell || bell;
        if (text)
            attach_say(a, text);
        attach_wake(a);
    }
}

/* --- for commands ---------------------------------------------------------------------------- */

struct attach *attach_latest(const struct session *s)
{
    struct attach *a = attached;

    while (a && (a->ending || (s && a->session != s)))
        a = a->next;
    return a;
}

void attach_detach(struct attach *a)
{
    attach_end(a, IPC_DETACHED_ASKED, "");
}

void attach_redraw(struct attach *a)
{
    paint_invalidate(a->paint);
    a->modes_known = false;
    attach_wake(a);
}

struct session *attach_last_session(const struct attach *a)
{
    struct session *s = a->has_last_session ? session_first(a->sessions) : NULL;

    while (s && s->id != a->last_session)
        s = s->next;
    return s;
}

void attach_switch(struct attach *a, struct session *s)
{
    struct session *old = a->session;

    if (s == old || s->dead || a->ending)
        return;
    a->last_session = old->id;
    a->has_last_session = true;
    old->attached--;
    s->attached++;
    a->session = s;
    session_seen(a->sessions, s);
    hand_size_over(old);
    attach_follow(a);
    attach_use(a);
    attach_refresh_all();
}

/* --- life ----------------------------------------------------------------------------------- */

static void on_end(void *ctx)
{
    struct attach *a = ctx;

    a->ops.detach(a->ops.ctx, a->end_reason, a->end_text); /* a may be gone now */
}

void attach_end(struct attach *a, enum ipc_detached reason, const char *text)
{
    if (a->ending)
        return;
    a->ending = true;
    a->end_reason = reason;
    snprintf(a->end_text, sizeof a->end_text, "%s", text);
    loop_defer(a->loop, &a->end);
}

void attach_session_ended(struct attach *a, const char *text)
{
    attach_end(a, IPC_DETACHED_ENDED, text);
    a->end_reason = IPC_DETACHED_ENDED;
    attach_leave_panes(a);
}

static void init_parts(struct attach *a)
{
    loop_task_init(&a->frame, on_frame, a);
    loop_task_init(&a->end, on_end, a);
    loop_timer_init(&a->pace, a->loop, on_pace, a);
    attach_input_init(a);
    attach_ask_init(a);
}

struct attach *attach_create(struct loop *l, struct session_list *sessions, struct session *s,
                             struct share_list *shares, const struct attach_options *o,
                             const struct attach_ops *ops)
{
    struct attach *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->loop = l;
    a->sessions = sessions;
    a->session = s;
    a->shares = shares;
    a->ops = *ops;
    a->flags = o->flags;
    a->read_only = o->read_only;
    a->ignore_size = o->ignore_size;
    a->show_links = o->show_links;
    snprintf(a->name, sizeof a->name, "%s", o->name ? o->name : "");
    snprintf(a->term, sizeof a->term, "%s", o->term ? o->term : "");
    a->pid = o->pid;
    a->serial = ++serials;
    a->created_s = a->activity_s = loop_wall_s(l);
    set_size(a, o->cols, o->rows);
    a->paint = paint_create(o->flags, attach_link_target, a);
    if (!a->paint) {
        free(a);
        return NULL;
    }
    init_parts(a);
    a->next = attached;
    attached = a;
    session_seen(sessions, s);
    attach_follow(a);
    attach_use(a);
    attach_start_clock(a);
    attach_status_changed(a);
    return a;
}

void attach_destroy(struct attach *a)
{
    if (!a)
        return;
    attach_cancel_runs(a); /* while prompts that commands wait for are found by the list */
    unlink_attach(a);
    hand_size_over(a->session);
    attach_leave_panes(a);
    attach_free_retired(a);
    loop_cancel(a->loop, &a->frame);
    loop_cancel(a->loop, &a->end);
    loop_timer_stop(&a->pace);
    loop_timer_stop(&a->clock);
    attach_ask_clear(a);
    attach_close_choosing(a);
    menu_close(&a->menu);
    attach_input_clear(a);
    free(a->title);
    if (a->out.p)
        secret_wipe(a->out.p, a->out.cap);
    outbuf_clear(&a->out);
    outbuf_clear(&a->clipboard);
    paint_destroy(a->paint);
    free(a);
}
