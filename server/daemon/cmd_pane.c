/* Commands about panes in windows: split, go to, swap, size, zoom, move, end. */
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/cmd_format.h"
#include "server/daemon/attach.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/layout.h"
#include "server/daemon/names.h"
#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/target.h"

#define SIZE_MAX_CELLS 10000

/* --- splitting ------------------------------------------------------------------------------ */

/* A size option: cells, or with % that share of `whole`. Absent leaves *out. False after saying
 * what is wrong. */
static bool read_size(struct command *c, const char *option, uint32_t whole, long *out)
{
    const char *text = args_value(&c->args, option);
    size_t len = text ? strlen(text) : 0;
    char digits[16];
    bool percent = len > 0 && text[len - 1] == '%';

    if (!text)
        return true;
    if (len - percent >= sizeof digits)
        len = percent; /* too long: no digits, and so refused below */
    memcpy(digits, text, len - percent);
    digits[len - percent] = '\0';
    if (args_number(digits, 0, percent ? 100 : SIZE_MAX_CELLS, out) != ERR_OK) {
        command_fail(c, "size invalid: %s", text);
        return false;
    }
    if (percent || strcmp(option, "p") == 0)
        *out = (long)whole * *out / 100;
    if (*out < 1)
        *out = 1;
    return true;
}

/* -h -v -b -f and the size, for a pane at `at`. */
static bool read_split(struct command *c, const struct target *at, struct layout_split *how)
{
    const struct layout_leaf *leaf = layout_find(at->window->layout, at->pane);
    uint32_t whole;
    long size = 0;

    memset(how, 0, sizeof *how);
    how->axis = args_has(&c->args, "h") ? LAYOUT_ROW : LAYOUT_COLUMN;
    how->before = args_has(&c->args, "b");
    how->full = args_has(&c->args, "f");
    if (how->full)
        whole = how->axis == LAYOUT_ROW ? layout_cols(at->window->layout)
                                        : layout_rows(at->window->layout);
    else
        whole = how->axis == LAYOUT_ROW ? leaf->cols : leaf->rows;
    if (!read_size(c, "p", whole, &size) || !read_size(c, "l", whole, &size))
        return false;
    how->size = (uint16_t)size;
    return true;
}

static uint32_t index_of(const struct window *w, const struct pane *p)
{
    uint32_t i = 0;

    while (layout_at(w->layout, i)->pane != p)
        i++;
    return i;
}

static void print_place(struct command *c, struct window *w, struct pane *p)
{
    struct target at = {w->session, w, p};

    cmd_format_line(c, &at, "#{session_name}:#{window_index}.#{pane_index}");
}

enum command_result cmd_split_window(struct command *c)
{
    struct layout_split how;
    struct target t;
    struct pane *p;

    if (!daemon_find_target(c, TARGET_PANE, &t) || !read_split(c, &t, &how))
        return COMMAND_FAILED;
    p = daemon_split(c, &t, &how, c->args.n_words, c->args.words);
    if (!p)
        return COMMAND_FAILED;
    if (!args_has(&c->args, "d"))
        session_select_pane(c->daemon->sessions, t.window, p);
    if (args_has(&c->args, "Z"))
        session_zoom(c->daemon->sessions, t.window, true);
    if (args_has(&c->args, "P"))
        print_place(c, t.window, p);
    return COMMAND_DONE;
}

/* --- going ---------------------------------------------------------------------------------- */

static const struct {
    const char *option;
    enum layout_side side;
} sides[] = {{"L", LAYOUT_LEFT}, {"R", LAYOUT_RIGHT}, {"U", LAYOUT_UP}, {"D", LAYOUT_DOWN}};

/* Selects a pane; -Z keeps the zoom. */
static void go(struct command *c, struct window *w, struct pane *p)
{
    bool zoomed = w->zoomed && args_has(&c->args, "Z");

    session_select_pane(c->daemon->sessions, w, p);
    if (zoomed)
        session_zoom(c->daemon->sessions, w, true);
}

/* -m marks a pane, or takes the mark off the marked one; -M off whichever has it. */
static void mark(struct command *c, const struct target *t)
{
    struct session_list *list = c->daemon->sessions;
    struct target marked;
    bool same = session_marked(list, &marked) && marked.pane == t->pane;

    if (args_has(&c->args, "M") || same)
        session_unmark_pane(list);
    else
        session_mark_pane(list, pane_id(t->pane));
    for (struct session *s = session_first(list); s; s = s->next)
        session_changed(list, s);
}

/* -d and -e: whether the pane takes input. False when neither was asked for. */
static bool switch_input(struct command *c, const struct target *t)
{
    if (!args_has(&c->args, "d") && !args_has(&c->args, "e"))
        return false;
    pane_set_input_off(t->pane, args_has(&c->args, "d"));
    session_changed(c->daemon->sessions, t->session);
    return true;
}

/* -T: formats are expanded. As in tmux, the pane does not become the active one. */
static enum command_result set_title(struct command *c, const struct target *t, struct pane *p)
{
    struct target at = {t->session, t->window, p};
    struct format_place place = format_place(&c->daemon->world, &at);
    char *title = format_vars_text(&place, args_value(&c->args, "T"), false);

    if (!title)
        return command_fail(c, "out of memory");
    screen_set_title(pane_screen(p), title, strlen(title));
    free(title);
    session_changed(c->daemon->sessions, t->session);
    return COMMAND_DONE;
}

enum command_result cmd_select_pane(struct command *c)
{
    struct pane *p;
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "m") || args_has(&c->args, "M")) {
        mark(c, &t);
        return COMMAND_DONE;
    }
    if (switch_input(c, &t))
        return COMMAND_DONE;
    p = t.pane;
    if (args_has(&c->args, "l") && !(p = t.window->last))
        return command_fail(c, "no last pane");
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        struct pane *beside = args_has(&c->args, sides[i].option)
                                  ? layout_neighbour(t.window->layout, t.pane, sides[i].side)
                                  : NULL;

        if (beside)
            p = beside;
    }
    if (args_value(&c->args, "T"))
        return set_title(c, &t, p);
    go(c, t.window, p);
    return COMMAND_DONE;
}

enum command_result cmd_last_pane(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    if (!t.window->last)
        return command_fail(c, "no last pane");
    t.pane = t.window->last;
    if (switch_input(c, &t))
        return COMMAND_DONE;
    go(c, t.window, t.window->last);
    return COMMAND_DONE;
}

/* --- changing places ------------------------------------------------------------------------ */

enum command_result cmd_swap_pane(struct command *c)
{
    bool next = args_has(&c->args, "D"), before = args_has(&c->args, "U");
    struct target to, from;
    uint32_t n, i;

    if (!daemon_find_target(c, TARGET_PANE, &to))
        return COMMAND_FAILED;
    if (next || before) {
        n = layout_count(to.window->layout);
        i = (index_of(to.window, to.pane) + (next ? 1 : n - 1)) % n;
        from = to;
        from.pane = layout_at(to.window->layout, i)->pane;
    } else if (!daemon_find_source(c, TARGET_PANE, &from)) {
        return COMMAND_FAILED;
    }
    session_swap_panes(c->daemon->sessions, from.pane, to.pane);
    if (args_has(&c->args, "d"))
        return COMMAND_DONE;
    session_select_pane(c->daemon->sessions, from.window, to.pane);
    if (from.window != to.window)
        session_select_pane(c->daemon->sessions, to.window, from.pane);
    return COMMAND_DONE;
}

static enum err move_to_free_index(struct command *c, struct window *w)
{
    uint32_t index = 0;

    while (session_window_at(w->session, index))
        index++;
    return session_move_window(c->daemon->sessions, w, index);
}

enum command_result cmd_break_pane(struct command *c)
{
    struct target from, to;
    struct window *w;
    enum err e;

    if (!daemon_find(c, args_value(&c->args, "s"), TARGET_PANE, &from) ||
        !daemon_find_target(c, TARGET_SESSION, &to))
        return COMMAND_FAILED;
    if (!args_has(&c->args, "t"))
        to.session = from.session;
    w = from.window;
    if (layout_count(w->layout) == 1) /* it has a window of its own: that goes to a free index */
        e = move_to_free_index(c, w);
    else
        e = session_break_pane(c->daemon->sessions, from.pane, to.session, SESSION_INDEX_NEXT,
                               (int)daemon_base_index(c->daemon, to.session), &w);
    if (e != ERR_OK)
        return command_fail(c, "%s", err_text(e));
    if (args_value(&c->args, "n")) {
        const char *name = args_value(&c->args, "n");

        names_fix(c->daemon, w);
        utf8_printable((const uint8_t *)name, strlen(name), w->name, sizeof w->name - 1);
    } else {
        utf8_printable((const uint8_t *)pane_command_name(from.pane),
                       strlen(pane_command_name(from.pane)), w->name, sizeof w->name - 1);
    }
    if (!args_has(&c->args, "d"))
        session_select_window(c->daemon->sessions, w);
    if (args_has(&c->args, "P"))
        print_place(c, w, from.pane);
    return COMMAND_DONE;
}

enum command_result cmd_move_pane(struct command *c)
{
    return cmd_join_pane(c);
}

enum command_result cmd_join_pane(struct command *c)
{
    struct layout_split how;
    struct target from, to;
    enum err e;

    if (!daemon_find_source(c, TARGET_PANE, &from) || !daemon_find_target(c, TARGET_PANE, &to) ||
        !read_split(c, &to, &how))
        return COMMAND_FAILED;
    e = session_join_pane(c->daemon->sessions, from.pane, to.pane, &how);
    if (e == ERR_STATE)
        return command_fail(c, "source and target panes must be different");
    if (e != ERR_OK)
        return command_fail(c, e == ERR_SPACE ? "no space for a new pane" : "%s", err_text(e));
    if (!args_has(&c->args, "d")) {
        session_select_window(c->daemon->sessions, to.window);
        session_select_pane(c->daemon->sessions, to.window, from.pane);
    }
    return COMMAND_DONE;
}

/* --- sizes ---------------------------------------------------------------------------------- */

static bool set_size(struct command *c, const struct target *t, const char *option,
                     enum layout_axis axis, uint32_t whole)
{
    long size;

    if (!args_has(&c->args, option))
        return true;
    if (!read_size(c, option, whole, &size))
        return false;
    layout_set_size(t->window->layout, t->pane, axis, (uint16_t)size);
    return true;
}

enum command_result cmd_resize_pane(struct command *c)
{
    struct target t;
    long by = 1;

    if (c->args.n_words > 1 ||
        (c->args.n_words == 1 && args_number(c->args.words[0], 1, SIZE_MAX_CELLS, &by) != ERR_OK))
        return command_usage(c, "resize-pane needs a number of cells");
    if (args_has(&c->args, "M")) {
        if (!c->mouse || !c->attach)
            return command_fail(c, "no mouse target");
        attach_drag_border(c->attach, c->mouse);
        return COMMAND_DONE;
    }
    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "Z")) {
        bool zoom = !(t.window->zoomed && t.window->active == t.pane);

        session_select_pane(c->daemon->sessions, t.window, t.pane);
        session_zoom(c->daemon->sessions, t.window, zoom);
        return COMMAND_DONE;
    }
    if (!set_size(c, &t, "x", LAYOUT_ROW, layout_cols(t.window->layout)) ||
        !set_size(c, &t, "y", LAYOUT_COLUMN, layout_rows(t.window->layout)))
        return COMMAND_FAILED;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        enum layout_side side = sides[i].side;
        bool back = side == LAYOUT_LEFT || side == LAYOUT_UP;

        if (args_has(&c->args, sides[i].option))
            layout_move_border(t.window->layout, t.pane,
                               side == LAYOUT_LEFT || side == LAYOUT_RIGHT ? LAYOUT_ROW
                                                                           : LAYOUT_COLUMN,
                               (int)(back ? -by : by));
    }
    session_arranged(c->daemon->sessions, t.window);
    return COMMAND_DONE;
}

/* --- ending --------------------------------------------------------------------------------- */

enum command_result cmd_kill_pane(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (!args_has(&c->args, "a")) {
        session_remove_pane(c->daemon->sessions, t.pane);
        return COMMAND_DONE;
    }
    for (uint32_t i = 0; layout_count(t.window->layout) > 1;) {
        struct pane *p = layout_at(t.window->layout, i)->pane;

        if (p == t.pane)
            i++;
        else
            session_remove_pane(c->daemon->sessions, p);
    }
    return COMMAND_DONE;
}
