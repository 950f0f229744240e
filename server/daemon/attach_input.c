/* Keys of an attached terminal: bindings, overlays, and input for the pane's program.
 *
 *   keys ─► text ─► pane_write ─► the program
 *             └─ what it does not take ─► pending, in order ─► room ─► pane_write
 *                                          └─ too much: the terminal is not read until it shrinks
 */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/keynames.h"
#include "server/daemon/keytable.h"
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

/* synchronize-panes: what is typed reaches the window's other panes too, as far as they take it. */
static void deliver_to_others(struct attach *a, const uint8_t *p, size_t n)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;
    bool mouse = n > 3 && memcmp(p, "\033[", 2) == 0 && (p[2] == '<' || p[2] == 'M');

    if (!w || mouse || !attach_pane_flag(a, a->pane, OPTION_synchronize_panes))
        return;
    for (const struct attach_view *v = a->views; v; v = v->next)
        if (v->pane != a->pane && attach_pane_flag(a, v->pane, OPTION_synchronize_panes))
            pane_write(v->pane, p, n);
}

/* --- what keys found ------------------------------------------------------------------------ */

static void on_text(void *ctx, const uint8_t *p, size_t n, bool pasted)
{
    struct attach *a = ctx;

    if (pasted && (a->swallow || (attach_copy_table(a) && !a->prompt.open)))
        return;
    if (pasted && a->prompt.open) {
        prompt_paste(&a->prompt, p, n);
        attach_wake(a);
        return;
    }
    if (!pasted && n == 3 && memcmp(p, "\033[", 2) == 0 && (p[2] == 'I' || p[2] == 'O')) {
        attach_set_focused(a, p[2] == 'I');
        return;
    }
    if (!may_deliver(a))
        return;
    deliver_to_others(a, p, n);
    if (pasted || !interrupt(a, p, n))
        deliver(a, p, n);
}

void attach_type(struct attach *a, const uint8_t *p, size_t n)
{
    on_text(a, p, n, false);
}

/* The markers reach only a program that asked for them, and then both. */
static void put_paste_marker(struct attach *a, bool begins)
{
    const char *marker = begins ? "\033[200~" : "\033[201~";

    if (begins)
        a->paste_marked = a->pane && !a->read_only &&
                          (screen_modes(pane_screen(a->pane)) & SCREEN_BRACKETED_PASTE);
    if (a->paste_marked && may_deliver(a)) {
        deliver(a, (const uint8_t *)marker, strlen(marker));
        deliver_to_others(a, (const uint8_t *)marker, strlen(marker));
    }
}

static void leave_table(struct attach *a)
{
    bool was = a->table != NULL;

    free(a->table);
    a->table = NULL;
    a->repeating = false;
    loop_timer_stop(&a->repeat);
    if (was && !a->ending)
        attach_status_changed(a); /* client_prefix */
}

static void dismiss(struct attach *a)
{
    overlay_advance(&a->overlay, a->cols, attach_area_rows(a));
    if (a->overlay.code_page)
        attach_say(a, "the code of the first link; any key closes it");
    a->wipe = true;
    attach_wake(a);
}

static void on_paste(void *ctx, bool begins)
{
    struct attach *a = ctx;

    if (begins) {
        leave_table(a);
        a->swallow = overlay_is_open(&a->overlay);
        if (a->swallow)
            dismiss(a);
    }
    if (!a->swallow && !a->prompt.open && !attach_copy_table(a))
        put_paste_marker(a, begins);
    a->swallow = a->swallow && begins;
    attach_grab(a);
}

/* --- bindings ------------------------------------------------------------------------------- */

static void set_stop(uint8_t stops[static 32], uint32_t key)
{
    uint8_t utf8[UTF8_MAX_BYTES];

    if (key >= KEY_NAMED) /* begins with ESC, which stops always */
        return;
    utf8_encode(key, utf8);
    stops[utf8[0] / 8] |= (uint8_t)(1u << utf8[0] % 8);
}

static void update_stops(struct attach *a)
{
    const struct keytable *root = keytable_named(KEYTABLE_ROOT);
    const uint32_t from[3] = {keytable_changes(), attach_prefix(a, false), attach_prefix(a, true)};
    uint8_t stops[32] = {0};

    if (memcmp(a->stops_of, from, sizeof from) == 0)
        return;
    memcpy(a->stops_of, from, sizeof from);
    set_stop(stops, from[1]);
    set_stop(stops, from[2]);
    for (const struct keytable_binding *b = root ? root->bindings : NULL; b; b = b->next)
        set_stop(stops, b->key);
    keys_set_stops(&a->keys, stops);
}

void attach_grab(struct attach *a)
{
    update_stops(a);
    keys_grab(&a->keys,
              attach_copy_table(a) || a->table || a->prompt.open || attach_is_covered(a));
}

void attach_set_table(struct attach *a, const char *table)
{
    leave_table(a);
    if (strcmp(table, KEYTABLE_ROOT) != 0)
        a->table = strdup(table);
    attach_status_changed(a);
    attach_grab(a);
}

static void say_unbound(struct attach *a, uint32_t key)
{
    char text[STATUS_MESSAGE_MAX_BYTES], prefix[KEYNAMES_TEXT_MAX], name[KEYNAMES_TEXT_MAX];

    keynames_text(attach_prefix(a, false), prefix);
    keynames_text(key, name);
    snprintf(text, sizeof text, "%s %s does nothing; %s ? shows the keys", prefix,
             key == KEY_NONE ? "that key" : name, prefix);
    attach_say(a, text);
}

static void run_binding(struct attach *a, const struct keytable_binding *b)
{
    if (b->repeat && a->table && attach_repeat_ms(a) > 0) {
        a->repeating = true;
        loop_timer_start(&a->repeat, attach_repeat_ms(a));
    } else {
        leave_table(a);
    }
    attach_run(a, &b->commands);
}

static void take_root_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n)
{
    const char *mode = attach_copy_table(a);
    const struct keytable_binding *b = mode ? keytable_find(mode, key) : NULL;

    if (!b)
        b = keytable_find(KEYTABLE_ROOT, key);
    if (key != KEY_NONE && (key == attach_prefix(a, false) || key == attach_prefix(a, true)))
        attach_set_table(a, KEYTABLE_PREFIX);
    else if (b)
        run_binding(a, b);
    else if (!mode)
        on_text(a, p, n, false);
}

/* A key after a prefix: of a table, or, where that was only kept for repeating, of the root. */
static void take_table_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n)
{
    const struct keytable_binding *b = keytable_find(a->table, key);
    bool prefix = strcmp(a->table, KEYTABLE_PREFIX) == 0;

    if (a->repeating && !(b && b->repeat)) {
        leave_table(a);
        take_root_key(a, key, p, n);
    } else if (b) {
        run_binding(a, b);
    } else {
        leave_table(a);
        if (prefix)
            say_unbound(a, key);
    }
}

static void on_repeat_over(void *ctx)
{
    struct attach *a = ctx;

    leave_table(a);
    attach_grab(a);
}

/* --- overlays ------------------------------------------------------------------------------- */

/* How many lines a key scrolls; 0 when it does not. */
static int scroll_lines(const struct attach *a, uint32_t key)
{
    static const struct {
        const char *key;
        int lines, pages;
    } keys[] = {
        {"Up", -1, 0},     {"Down", 1, 0},   {"k", -1, 0},       {"j", 1, 0},
        {"PPage", 0, -1},  {"NPage", 0, 1},  {"Space", 0, 1},    {"Home", -0xffff, 0},
        {"C-b", 0, -1},    {"C-f", 0, 1},    {"End", 0xffff, 0}, {"Enter", 1, 0},
        {"g", -0xffff, 0}, {"G", 0xffff, 0},
    };
    int page = attach_area_rows(a) > 2 ? attach_area_rows(a) - 2 : 1;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (key == keynames_parse(keys[i].key))
            return keys[i].lines + keys[i].pages * page;
    return 0;
}

static void take_overlay_key(struct attach *a, uint32_t key)
{
    int lines = scroll_lines(a, key);

    if (lines != 0 && overlay_scroll(&a->overlay, a->cols, attach_area_rows(a), lines))
        attach_wake(a);
    else
        dismiss(a);
}

/* A key over a list to choose from, or the clock; the prefix key keeps its meaning. */
static void take_cover_key(struct attach *a, uint32_t key)
{
    if (key != KEY_NONE && (key == attach_prefix(a, false) || key == attach_prefix(a, true))) {
        attach_set_table(a, KEYTABLE_PREFIX);
    } else if (a->choosing) {
        attach_choosing_key(a, key);
    } else {
        a->clock_shown = false;
        attach_wake(a);
    }
}

/* True for a key that ends a count and then means what it always does. */
static bool ends_count(const struct attach *a, uint32_t key)
{
    static const char stays[] = "0123456789\r\n\033\003\007\010\177";

    return a->prompt.form == PROMPT_NUMERIC &&
           (key >= 0x80 || !memchr(stays, (int)key, sizeof stays));
}

/* A key for the prompt. True when it goes on to where keys go without one. */
static bool take_prompt_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n)
{
    bool on = ends_count(a, key);

    attach_ask_key(a, key, p, n);
    return on && !a->prompt.open && !a->ending;
}

static void on_key(void *ctx, uint32_t key, const uint8_t *p, size_t n)
{
    struct attach *a = ctx;

    if (a->ending || (a->prompt.open && !take_prompt_key(a, key, p, n)))
        ;
    else if (overlay_is_open(&a->overlay))
        take_overlay_key(a, key);
    else if (a->menu.open)
        attach_menu_key(a, key);
    else if (a->table) /* the prefix key works over what follows, as over panes */
        take_table_key(a, key, p, n);
    else if (a->choosing || a->clock_shown)
        take_cover_key(a, key);
    else if (a->numbers && attach_numbers_key(a, key))
        ;
    else
        take_root_key(a, key, p, n);
    attach_grab(a);
}

static void on_mouse(void *ctx, const uint8_t *p, size_t n)
{
    struct attach *a = ctx;

    if (!a->ending && (!attach_is_covered(a) || a->numbers))
        attach_mouse(a, p, n);
}

/* --- overlays and messages ------------------------------------------------------------------ */

void attach_say_for(struct attach *a, const char *text, uint32_t ms)
{
    snprintf(a->message, sizeof a->message, "%s", text);
    a->message_styled = false;
    a->message_mutes = false;
    ms = ms > 0 ? ms : attach_message_ms(a);
    if (ms > 0)
        loop_timer_start(&a->message_over, ms);
    else /* until a key */
        loop_timer_stop(&a->message_over);
    attach_wake(a);
}

void attach_say_styled(struct attach *a, const char *text, uint32_t ms)
{
    attach_say_for(a, text, ms);
    a->message_styled = true;
}

void attach_mute(struct attach *a)
{
    a->message_mutes = loop_timer_running(&a->message_over);
}

void attach_say(struct attach *a, const char *text)
{
    attach_say_for(a, text, 0);
}

void attach_show_text(struct attach *a, const char *title, const char *text, size_t n)
{
    overlay_open_text(&a->overlay, title, text, n);
    attach_grab(a);
    attach_wake(a);
}

static void on_message_over(void *ctx)
{
    struct attach *a = ctx;

    a->message[0] = '\0';
    a->message_mutes = false;
    attach_wake(a);
}

void attach_message(struct attach *a, const char *text)
{
    attach_say_styled(a, text, 0);
}

void attach_show_links(struct attach *a)
{
    static const char *const titles[] = {[SHARE_PANE] = "Links of this pane",
                                         [SHARE_WINDOW] = "Links of this window",
                                         [SHARE_SESSION] = "Links of this session"};
    const struct target at = {a->session, a->session->current, a->pane};
    const struct share *s = a->pane ? share_narrowest(a->shares, &at) : NULL;
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
    overlay_open_links(&a->overlay, titles[s->kind], (const char *)text.p, text.len,
                       a->flags & IPC_CLIENT_UTF8);
    attach_grab(a);
    if (text.p)
        secret_wipe(text.p, text.cap);
    outbuf_clear(&text);
    attach_wake(a);
}

/* --- feeding -------------------------------------------------------------------------------- */

static void watch_escape(struct attach *a)
{
    uint32_t wait = keys_held(&a->keys);

    if (wait == KEYS_ESCAPE_WAIT_MS) {
        wait = (uint32_t)attach_number(a, OPTION_escape_time, KEYS_ESCAPE_WAIT_MS);
        if (wait == 0)
            keys_flush(&a->keys);
    }
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
    if (a->ending || a->message_mutes)
        return;
    attach_follow(a);
    attach_use(a);
    if (a->message[0] && !loop_timer_running(&a->message_over))
        on_message_over(a);
    attach_grab(a);
    keys_feed(&a->keys, p, n);
    watch_escape(a);
}

void attach_input_init(struct attach *a)
{
    const struct keys_events events = {
        .text = on_text,
        .paste = on_paste,
        .mouse = on_mouse,
        .key = on_key,
        .ctx = a,
    };

    keys_init(&a->keys, &events);
    loop_timer_init(&a->escape, a->loop, on_escape_alone, a);
    loop_timer_init(&a->repeat, a->loop, on_repeat_over, a);
    attach_mouse_init(a);
    loop_timer_init(&a->message_over, a->loop, on_message_over, a);
}

void attach_input_clear(struct attach *a)
{
    loop_timer_stop(&a->escape);
    loop_timer_stop(&a->message_over);
    attach_mouse_clear(a);
    a->ending = true; /* nothing is drawn any more */
    leave_table(a);
    overlay_close(&a->overlay);
    if (a->pending.p) /* passwords may have been typed */
        secret_wipe(a->pending.p, a->pending.cap);
    outbuf_clear(&a->pending);
}
