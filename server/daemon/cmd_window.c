/* Commands about windows: open, go to, move, size, arrange, name, list, end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/attach.h"
#include "server/daemon/cmd_format.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/json.h"
#include "server/daemon/layout.h"
#include "server/daemon/names.h"
#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/target.h"

/* --- opening -------------------------------------------------------------------------------- */

/* Where -t puts a new window: a session alone means its next free index, `session:7` that index. */
static bool read_place(struct command *c, struct target *at, int *index)
{
    const char *text = args_value(&c->args, "t");
    const char *number = text ? strrchr(text, ':') : NULL;
    char session[SESSION_NAME_MAX_BYTES + 2];
    long v;

    *index = SESSION_INDEX_NEXT;
    number = number ? number + 1 : text;
    if (!number || args_number(number, 0, SESSION_INDEX_MAX, &v) != ERR_OK)
        return daemon_find(c, text, number && strchr(text, ':') ? TARGET_WINDOW : TARGET_SESSION,
                           at);
    if (number == text && session_named(c->daemon->sessions, text))
        return daemon_find(c, text, TARGET_SESSION, at);
    *index = (int)v;
    snprintf(session, sizeof session, "%.*s", number > text ? (int)(number - text - 1) : 0, text);
    return daemon_find(c, session, TARGET_SESSION, at);
}

/* Makes room at an index by moving the windows there and directly behind it on by one. */
static enum err make_room(struct session_list *list, struct session *s, uint32_t index)
{
    struct window *w = session_window_at(s, index);
    enum err e;

    if (!w)
        return ERR_OK;
    if (index >= SESSION_INDEX_MAX)
        return ERR_RANGE;
    e = make_room(list, s, index + 1);
    return e == ERR_OK ? session_move_window(list, w, index + 1) : e;
}

static bool choose_index(struct command *c, const struct target *at, int *index)
{
    bool after = args_has(&c->args, "a");
    struct window *beside = at->session->current;

    if (!after && !args_has(&c->args, "b"))
        return true;
    if (*index != SESSION_INDEX_NEXT && session_window_at(at->session, (uint32_t)*index))
        beside = session_window_at(at->session, (uint32_t)*index);
    *index = (int)(beside->index + (after ? 1 : 0));
    if (make_room(c->daemon->sessions, at->session, (uint32_t)*index) == ERR_OK)
        return true;
    command_fail(c, "no free index");
    return false;
}

static void print_new(struct command *c, struct window *w)
{
    struct target at = {w->session, w, w->active};

    cmd_format_line(c, &at, "#{session_name}:#{window_index}.#{pane_index}");
}

enum command_result cmd_new_window(struct command *c)
{
    struct window *w, *old = NULL;
    struct target at;
    int index;

    if (!read_place(c, &at, &index) || !choose_index(c, &at, &index))
        return COMMAND_FAILED;
    if (args_has(&c->args, "S") && args_value(&c->args, "n")) { /* go to one of that name instead */
        for (w = at.session->windows; w; w = w->next) {
            if (strcmp(w->name, args_value(&c->args, "n")) != 0)
                continue;
            session_select_window(c->daemon->sessions, w);
            return COMMAND_DONE;
        }
    }
    if (args_has(&c->args, "k") && index != SESSION_INDEX_NEXT)
        old = session_window_at(at.session, (uint32_t)index);
    if (old) { /* out of the way first, ended last: the session must not run empty */
        struct window *free_place = old;
        uint32_t to = 0;

        while (session_window_at(at.session, to))
            to++;
        session_move_window(c->daemon->sessions, free_place, to);
    }
    w = daemon_new_window(c, at.session, index, c->args.n_words, c->args.words);
    if (!w && old)
        session_move_window(c->daemon->sessions, old, (uint32_t)index);
    if (!w)
        return COMMAND_FAILED;
    if (!args_has(&c->args, "d"))
        session_select_window(c->daemon->sessions, w);
    if (old)
        session_remove_window(c->daemon->sessions, old);
    if (args_has(&c->args, "P"))
        print_new(c, w);
    return COMMAND_DONE;
}

/* --- going ---------------------------------------------------------------------------------- */

static enum command_result go(struct command *c, struct window *w, const char *missing)
{
    if (!w)
        return command_fail(c, "%s", missing);
    session_select_window(c->daemon->sessions, w);
    return COMMAND_DONE;
}

/* The window n places on; with marked_only the next one that a bell or output has marked. */
static struct window *window_beside(struct window *w, int n, bool marked_only)
{
    struct window *at = session_window_beside(w, n);

    if (at == w) /* there is no other */
        return NULL;
    while (marked_only && at != w && !at->marks)
        at = session_window_beside(at, n);
    if (marked_only && !at->marks)
        return NULL;
    return at;
}

enum command_result cmd_select_window(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "n"))
        return go(c, session_window_beside(t.session->current, 1), "no next window");
    if (args_has(&c->args, "p"))
        return go(c, session_window_beside(t.session->current, -1), "no previous window");
    if (args_has(&c->args, "l") || (args_has(&c->args, "T") && t.window == t.session->current))
        return go(c, t.session->last, "no last window");
    return go(c, t.window, "");
}

static enum command_result go_beside(struct command *c, int n, const char *missing)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    return go(c, window_beside(t.session->current, n, args_has(&c->args, "a")), missing);
}

enum command_result cmd_next_window(struct command *c)
{
    return go_beside(c, 1, "no next window");
}

enum command_result cmd_previous_window(struct command *c)
{
    return go_beside(c, -1, "no previous window");
}

enum command_result cmd_last_window(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    return go(c, t.session->last, "no last window");
}

/* --- moving --------------------------------------------------------------------------------- */

enum command_result cmd_swap_window(struct command *c)
{
    struct session_list *list = c->daemon->sessions;
    struct target a, b;

    if (!daemon_find_source(c, TARGET_WINDOW, &a) || !daemon_find_target(c, TARGET_WINDOW, &b))
        return COMMAND_FAILED;
    if (a.window == b.window)
        return COMMAND_DONE;
    session_swap_windows(list, a.window, b.window);
    if (args_has(&c->args, "d"))
        return COMMAND_DONE;
    session_select_window(list, a.window); /* the target's index, where the source now is */
    if (a.session != b.session)
        session_select_window(list, b.window);
    return COMMAND_DONE;
}

static uint32_t free_index(const struct session *s)
{
    uint32_t index = 0;

    while (session_window_at(s, index))
        index++;
    return index;
}

/* Where -t, -a and -b put a window that moves. False after saying why not. */
static bool choose_move(struct command *c, struct target *to, int *index)
{
    if (!read_place(c, to, index) || !choose_index(c, to, index))
        return false;
    for (uint32_t i = daemon_base_index(c->daemon, to->session); *index == SESSION_INDEX_NEXT;
         i++) {
        if (!session_window_at(to->session, i))
            *index = (int)i;
    }
    return true;
}

enum command_result cmd_move_window(struct command *c)
{
    struct session_list *list = c->daemon->sessions;
    struct target from, to;
    struct window *old;
    int index;

    if (args_has(&c->args, "r")) {
        if (!daemon_find_target(c, TARGET_SESSION, &to))
            return COMMAND_FAILED;
        daemon_renumber(c->daemon, to.session);
        return COMMAND_DONE;
    }
    if (!daemon_find(c, args_value(&c->args, "s"), TARGET_WINDOW, &from) ||
        !choose_move(c, &to, &index))
        return COMMAND_FAILED;
    old = session_window_at(to.session, (uint32_t)index);
    if (old == from.window && !args_has(&c->args, "a") && !args_has(&c->args, "b"))
        return command_fail(c, "same index: %d", index);
    if (old && !args_has(&c->args, "k"))
        return command_fail(c, "index in use: %d", index);
    if (old && !old->next && to.session->windows == old)
        session_adopt_window(list, from.window, to.session, free_index(to.session));
    if (old)
        session_remove_window(list, old);
    session_adopt_window(list, from.window, to.session, (uint32_t)index);
    session_forget_left(from.window); /* as tmux: a window that was moved is not the last one */
    if (!args_has(&c->args, "d"))
        session_select_window(list, from.window);
    return COMMAND_DONE;
}

/* A window is in one session only: without -k there is nothing to take it off. */
enum command_result cmd_unlink_window(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    if (!args_has(&c->args, "k"))
        return command_fail(c, "window only linked to one session");
    session_remove_window(c->daemon->sessions, t.window);
    return COMMAND_DONE;
}

/* --- sizes and arrangements ----------------------------------------------------------------- */

/* -A and -a: as large as the largest or smallest terminal attached to the session, less the status
 * line, or as default-size when there is none. */
static void choose_extreme(struct command *c, struct session *s, long *cols, long *rows)
{
    bool largest = args_has(&c->args, "A"), found = false;
    struct format_client k;
    struct attach *a;

    if (!largest && !args_has(&c->args, "a"))
        return;
    for (size_t i = 0; (a = attach_numbered(i)) != NULL; i++) {
        long x, y;

        if (attach_session(a) != s)
            continue;
        attach_describe(a, &k);
        x = k.cols;
        y = k.rows > 1 ? k.rows - 1 : 1;
        *cols = !found || (x > *cols) == largest ? x : *cols;
        *rows = !found || (y > *rows) == largest ? y : *rows;
        found = true;
    }
    if (!found)
        daemon_default_size(c->daemon, cols, rows);
}

enum command_result cmd_resize_window(struct command *c)
{
    long cols, rows, by = 1;
    struct target t;
    char why[128];

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    cols = layout_cols(t.window->layout);
    rows = layout_rows(t.window->layout);
    if (c->args.n_words > 1 ||
        (c->args.n_words == 1 && args_number(c->args.words[0], 1, 10000, &by) != ERR_OK))
        return command_usage(c, "resize-window needs a number of cells");
    choose_extreme(c, t.session, &cols, &rows);
    cols += (args_has(&c->args, "R") ? by : 0) - (args_has(&c->args, "L") ? by : 0);
    rows += (args_has(&c->args, "D") ? by : 0) - (args_has(&c->args, "U") ? by : 0);
    if (!command_number(c, "x", SCREEN_COLS_MIN, SCREEN_COLS_MAX, &cols) ||
        !command_number(c, "y", SCREEN_ROWS_MIN, SCREEN_ROWS_MAX, &rows))
        return COMMAND_USAGE;
    if (cols < SCREEN_COLS_MIN || cols > SCREEN_COLS_MAX || rows < SCREEN_ROWS_MIN ||
        rows > SCREEN_ROWS_MAX)
        return command_fail(c, "a window has %d to %d columns and %d to %d rows", SCREEN_COLS_MIN,
                            SCREEN_COLS_MAX, SCREEN_ROWS_MIN, SCREEN_ROWS_MAX);
    options_set(c->daemon->options, (struct options_owner){OPTION_WINDOW, t.window->id},
                "window-size", "manual", 0, why, sizeof why);
    session_resize_window(c->daemon->sessions, t.window, (uint16_t)cols, (uint16_t)rows);
    return COMMAND_DONE;
}

static const char *const preset_names[LAYOUT_PRESETS] = LAYOUT_PRESET_NAMES;

/* The preset a name or its unambiguous beginning means; LAYOUT_PRESETS when none. */
static enum layout_preset find_preset(const char *name)
{
    unsigned found = LAYOUT_PRESETS;

    for (unsigned i = 0; i < LAYOUT_PRESETS; i++) {
        if (strncmp(preset_names[i], name, strlen(name)) != 0)
            continue;
        if (found != LAYOUT_PRESETS)
            return LAYOUT_PRESETS;
        found = i;
    }
    return (enum layout_preset)found;
}

/* The layout as text, owned; NULL when memory ran out. */
static char *layout_copy_text(const struct window *w)
{
    struct outbuf out = {0};

    layout_write(w->layout, &out);
    outbuf_byte(&out, 0);
    if (out.bad)
        outbuf_clear(&out);
    return (char *)out.p;
}

/* What -o goes back to. Takes before. */
static void keep_former(struct window *w, char *before, bool changed)
{
    if (!changed) {
        free(before);
        return;
    }
    free(w->former);
    w->former = before;
}

static enum command_result arrange(struct command *c, struct window *w, enum layout_preset preset)
{
    struct target at = {w->session, w, NULL};
    struct options_place place = format_options_place(&at);
    struct layout_main main = {
        (uint16_t)options_number(c->daemon->options, place, OPTION_main_pane_width),
        (uint16_t)options_number(c->daemon->options, place, OPTION_main_pane_height)};
    char *before = layout_copy_text(w);
    enum err e = layout_arrange(w->layout, preset, main);

    keep_former(w, before, e == ERR_OK);
    if (e != ERR_OK)
        return command_fail(c, e == ERR_SPACE ? "no space for that layout" : "%s", err_text(e));
    w->preset = (int)preset;
    session_arranged(c->daemon->sessions, w);
    return COMMAND_DONE;
}

static enum command_result step_layout(struct command *c, struct window *w, int n)
{
    int next = w->preset < 0 ? (n > 0 ? 0 : LAYOUT_PRESETS - 1)
                             : (w->preset + n + LAYOUT_PRESETS) % LAYOUT_PRESETS;

    return arrange(c, w, (enum layout_preset)next);
}

static enum command_result read_layout(struct command *c, struct window *w, const char *text)
{
    char *before = layout_copy_text(w);
    enum err e = layout_read(w->layout, text);

    keep_former(w, before, e == ERR_OK);
    if (e == ERR_RANGE)
        return command_fail(c, "that layout has another number of panes: %s", text);
    if (e != ERR_OK)
        return command_fail(c, "invalid layout: %s", text);
    session_arranged(c->daemon->sessions, w);
    return COMMAND_DONE;
}

enum command_result cmd_select_layout(struct command *c)
{
    const char *name = c->args.n_words == 1 ? c->args.words[0] : NULL;
    struct target t;

    if (c->args.n_words > 1)
        return command_usage(c, "select-layout needs one layout");
    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "n") || args_has(&c->args, "p"))
        return step_layout(c, t.window, args_has(&c->args, "n") ? 1 : -1);
    if (args_has(&c->args, "E")) {
        layout_spread(t.window->layout, t.window->active);
        session_arranged(c->daemon->sessions, t.window);
        return COMMAND_DONE;
    }
    if (args_has(&c->args, "o")) {
        char *text = t.window->former;
        enum command_result result = COMMAND_DONE;

        t.window->former = NULL;
        if (text)
            result = read_layout(c, t.window, text);
        free(text);
        return result;
    }
    if (!name) /* the last one again */
        return t.window->preset < 0 ? COMMAND_DONE
                                    : arrange(c, t.window, (enum layout_preset)t.window->preset);
    if (find_preset(name) != LAYOUT_PRESETS)
        return arrange(c, t.window, find_preset(name));
    return read_layout(c, t.window, name);
}

static enum command_result step_command(struct command *c, int n)
{
    struct target t;

    return daemon_find_target(c, TARGET_WINDOW, &t) ? step_layout(c, t.window, n) : COMMAND_FAILED;
}

enum command_result cmd_next_layout(struct command *c)
{
    return step_command(c, 1);
}

enum command_result cmd_previous_layout(struct command *c)
{
    return step_command(c, -1);
}

enum command_result cmd_rotate_window(struct command *c)
{
    bool down = args_has(&c->args, "D");
    struct target t;
    uint32_t n;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    n = layout_count(t.window->layout);
    for (uint32_t i = 0; i + 1 < n; i++) { /* neighbours change places all the way along */
        uint32_t k = down ? n - 2 - i : i;

        session_swap_panes(c->daemon->sessions, layout_at(t.window->layout, k)->pane,
                           layout_at(t.window->layout, k + 1)->pane);
    }
    session_arranged(c->daemon->sessions, t.window);
    return COMMAND_DONE;
}

/* --- names and lists ------------------------------------------------------------------------ */

enum command_result cmd_rename_window(struct command *c)
{
    struct target t;

    if (c->args.n_words != 1)
        return command_usage(c, "rename-window needs a new name");
    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    utf8_printable((const uint8_t *)c->args.words[0], strlen(c->args.words[0]), t.window->name,
                   sizeof t.window->name - 1);
    names_fix(c->daemon, t.window);
    session_changed(c->daemon->sessions, t.session);
    return COMMAND_DONE;
}

#define WINDOW_FORMAT                                                             \
    "#{window_index}: #{window_name}#{window_raw_flags} (#{window_panes} panes) " \
    "[#{window_width}x#{window_height}] "

static void print_window(struct command *c, struct window *w, bool all)
{
    struct target at = {w->session, w, w->active};

    cmd_format_line(c, &at,
                    all ? "#{session_name}:" WINDOW_FORMAT
                        : WINDOW_FORMAT
                        "[layout #{window_layout}] #{window_id}#{?window_active, (active),}");
}

static void window_json(struct command *c, const struct window *w)
{
    const struct layout_leaf *active = layout_find(w->layout, w->active);

    outbuf_printf(&c->out, "{\"id\":\"@%u\",\"index\":%u,\"session\":", w->id, w->index);
    json_string(&c->out, w->session->name);
    outbuf_text(&c->out, ",\"name\":");
    json_string(&c->out, w->name);
    outbuf_printf(&c->out,
                  ",\"current\":%s,\"zoomed\":%s,\"panes\":%u,\"pane\":\"%%%u\",\"cols\":%u,"
                  "\"rows\":%u,\"layout\":\"",
                  w == w->session->current ? "true" : "false", w->zoomed ? "true" : "false",
                  layout_count(w->layout), active ? active->id : 0, layout_cols(w->layout),
                  layout_rows(w->layout));
    layout_write(w->layout, &c->out);
    outbuf_text(&c->out, "\"}");
}

enum command_result cmd_list_windows(struct command *c)
{
    bool json = args_has(&c->args, "json"), all = args_has(&c->args, "a");
    struct target t = {NULL, NULL, NULL};
    const char *comma = "";

    if (!all && !daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    outbuf_text(&c->out, json ? "[" : "");
    for (struct session *s = session_first(c->daemon->sessions); s; s = s->next) {
        for (struct window *w = s->windows; w && (all || s == t.session); w = w->next) {
            if (!json) {
                print_window(c, w, all);
                continue;
            }
            outbuf_text(&c->out, comma);
            window_json(c, w);
            comma = ",";
        }
    }
    outbuf_text(&c->out, json ? "]\n" : "");
    return COMMAND_DONE;
}

enum command_result cmd_kill_window(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    if (!args_has(&c->args, "a")) {
        session_remove_window(c->daemon->sessions, t.window);
        return COMMAND_DONE;
    }
    for (struct window *w = t.session->windows, *next; w; w = next) {
        next = w->next;
        if (w != t.window)
            session_remove_window(c->daemon->sessions, w);
    }
    return COMMAND_DONE;
}
