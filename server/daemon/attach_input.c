/* Keys of an attached terminal: commands, overlays, and input for the pane's program.
 *
 *   keys ─► text ─► pane_write ─► the program
 *             └─ what it does not take ─► pending, in order ─► room ─► pane_write
 *                                          └─ too much: the terminal is not read until it shrinks
 */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <string.h>

#include "crypto/secret.h"
#include "server/daemon/screen.h"
#include "server/daemon/share.h"

#define LINKS_BYTES                                                              \
    (16u << 10) /* room for links in one piece, so that growing leaves no copies \
                 */

/* --- delivery ------------------------------------------------------------------------------- */

bool attach_wants_keys(const struct attach *a)
{
    return a->pending.len < ATTACH_INPUT_BYTES;
}

static void resume_if_room(struct attach *a)
{
    if (!a->paused || a->pending.len > ATTACH_INPUT_BYTES / 2)
        return;
    a->paused = false;
    if (a->ops.resume)
        a->ops.resume(a->ops.ctx);
}

void attach_flush_input(struct attach *a)
{
    if (a->pane && a->pending.len > 0)
        outbuf_drop(&a->pending, pane_write(a->pane, a->pending.p, a->pending.len));
    resume_if_room(a);
}

void attach_drop_input(struct attach *a)
{
    outbuf_reset(&a->pending);
    resume_if_room(a);
}

/* As a terminal does: an interrupt character discards what was typed before it. */
static bool interrupt(struct attach *a, const uint8_t *p, size_t n)
{
    if (a->pending.len == 0 || !pane_is_interrupt(a->pane, p + n - 1, 1))
        return false;
    pane_interrupt(a->pane);
    attach_drop_input(a);
    return true;
}

static void deliver(struct attach *a, const uint8_t *p, size_t n)
{
    size_t taken = a->pending.len == 0 ? pane_write(a->pane, p, n) : 0;

    if (taken == n || pane_status(a->pane).dead)
        return;
    outbuf_put(&a->pending, p + taken, n - taken);
    if (a->pending.bad) {
        attach_drop_input(a);
        attach_say(a, "out of memory: input was lost");
    }
    a->paused = a->paused || !attach_wants_keys(a);
}

static bool may_deliver(struct attach *a)
{
    if (!a->pane)
        return false;
    if (a->read_only)
        attach_say(a, "read-only: keys do not reach the program");
    else if (pane_status(a->pane).dead)
        attach_say(a, "the program has ended");
    else
        return true;
    return false;
}

/* --- what keys found ------------------------------------------------------------------------ */

static void on_text(void *ctx, const uint8_t *p, size_t n, bool pasted)
{
    struct attach *a = ctx;

    if (!may_deliver(a) || (!pasted && interrupt(a, p, n)))
        return;
    deliver(a, p, n);
}

/* The markers reach only a program that asked for them, and then both. */
static void on_paste(void *ctx, bool begins)
{
    struct attach *a = ctx;
    const char *marker = begins ? "\033[200~" : "\033[201~";

    if (begins)
        a->paste_marked = a->pane && !a->read_only &&
                          (screen_modes(pane_screen(a->pane)) & SCREEN_BRACKETED_PASTE);
    if (a->paste_marked && may_deliver(a))
        deliver(a, (const uint8_t *)marker, strlen(marker));
}

static void on_mouse(void *ctx, const uint8_t *p, size_t n)
{
    struct attach *a = ctx;
    uint8_t moved[KEYS_SEQUENCE_MAX];

    /* a report from before the program turned them off would be typed into a shell */
    if (a->read_only || !a->pane || a->modes.mouse == SCREEN_MOUSE_NONE)
        return;
    n = keys_shift_mouse(p, n, &a->area, a->modes.mouse_encoding == SCREEN_MOUSE_SGR_PIXELS, moved);
    if (n > 0 && !pane_status(a->pane).dead)
        deliver(a, moved, n);
}

static void on_command(void *ctx, enum keys_command command)
{
    struct attach *a = ctx;

    switch (command) {
    case KEYS_DETACH:
        attach_end(a, IPC_DETACHED_ASKED, "");
        break;
    case KEYS_LINKS:
        attach_open_links(a);
        break;
    case KEYS_HELP:
        overlay_open_help(&a->overlay);
        keys_set_modal(&a->keys, true);
        break;
    case KEYS_REDRAW:
        paint_invalidate(a->paint);
        a->modes_known = false;
        break;
    case KEYS_SEND_PREFIX:
        break;
    }
    attach_wake(a);
}

static void on_unbound(void *ctx, const char *name)
{
    char text[STATUS_MESSAGE_MAX_BYTES];

    snprintf(text, sizeof text,
             KEYS_PREFIX_NAME " %s does nothing; " KEYS_PREFIX_NAME " ? shows the keys", name);
    attach_say(ctx, text);
}

static void on_dismiss(void *ctx)
{
    struct attach *a = ctx;

    overlay_advance(&a->overlay, a->cols, attach_area_rows(a));
    if (a->overlay.code_page)
        attach_say(a, "the code of the first link; any key closes it");
    keys_set_modal(&a->keys, overlay_is_open(&a->overlay));
    a->wipe = true;
    attach_wake(a);
}

/* --- overlays and messages ------------------------------------------------------------------ */

void attach_say(struct attach *a, const char *text)
{
    snprintf(a->message, sizeof a->message, "%s", text);
    loop_timer_start(&a->message_over, ATTACH_MESSAGE_MS);
    attach_wake(a);
}

static void on_message_over(void *ctx)
{
    struct attach *a = ctx;

    a->message[0] = '\0';
    attach_wake(a);
}

void attach_open_links(struct attach *a)
{
    const struct share *s = a->pane ? share_of_pane(a->shares, a->pane) : NULL;
    struct outbuf text = {0};
    char hint[80] = "this pane is not shared";

    if (!s) {
        if (a->pane)
            snprintf(hint, sizeof hint,
                     "this pane is not shared; to share it: vitrine share -t %%%u",
                     (unsigned)pane_id(a->pane));
        attach_say(a, hint);
        return;
    }
    outbuf_reserve(&text, LINKS_BYTES);
    a->ops.links(a->ops.ctx, s, &text);
    overlay_open_links(&a->overlay, (const char *)text.p, text.len, a->flags & IPC_CLIENT_UTF8);
    keys_set_modal(&a->keys, true);
    if (text.p)
        secret_wipe(text.p, text.cap);
    outbuf_clear(&text);
    attach_wake(a);
}

/* --- feeding -------------------------------------------------------------------------------- */

static void watch_escape(struct attach *a)
{
    uint32_t wait = keys_held(&a->keys);

    if (wait)
        loop_timer_start(&a->escape, wait);
    else
        loop_timer_stop(&a->escape);
}

static void on_escape_alone(void *ctx)
{
    struct attach *a = ctx;

    if (!a->ending)
        keys_flush(&a->keys);
}

void attach_keys(struct attach *a, const uint8_t *p, size_t n)
{
    if (a->ending)
        return;
    attach_find_pane(a);
    attach_use(a);
    keys_feed(&a->keys, p, n);
    watch_escape(a);
}

void attach_input_init(struct attach *a)
{
    const struct keys_events events = {
        .text = on_text,
        .paste = on_paste,
        .mouse = on_mouse,
        .command = on_command,
        .unbound = on_unbound,
        .dismiss = on_dismiss,
        .ctx = a,
    };

    keys_init(&a->keys, &events);
    loop_timer_init(&a->escape, a->loop, on_escape_alone, a);
    loop_timer_init(&a->message_over, a->loop, on_message_over, a);
}

void attach_input_clear(struct attach *a)
{
    loop_timer_stop(&a->escape);
    loop_timer_stop(&a->message_over);
    overlay_close(&a->overlay);
    if (a->pending.p) /* passwords may have been typed */
        secret_wipe(a->pending.p, a->pending.cap);
    outbuf_clear(&a->pending);
}
