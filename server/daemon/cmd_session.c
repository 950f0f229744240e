/* Commands about sessions and what their panes hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/daemon/cmd_format.h"
#include "server/daemon/attach.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/json.h"
#include "server/daemon/layout.h"
#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/spawn.h"

static bool has_terminal(const struct command *c)
{
    return (c->request->flags & IPC_CLIENT_TTY) && c->request->cols > 0 && c->request->rows > 1;
}

/* The size a new session gets: -x and -y, else the client's terminal less its status line when it
 * will attach, else the default. */
static bool choose_size(struct command *c, bool detached, long *cols, long *rows)
{
    bool terminal = has_terminal(c) && !detached;
    long history;

    daemon_default_size(c->daemon, cols, rows);
    if (terminal) {
        *cols = c->request->cols;
        *rows = c->request->rows - 1;
    }
    return command_number(c, "x", SCREEN_COLS_MIN, SCREEN_COLS_MAX, cols) &&
           command_number(c, "y", SCREEN_ROWS_MIN, SCREEN_ROWS_MAX, rows) &&
           command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history);
}

static void print_session_json(struct command *c, struct session *s)
{
    struct target at = {s, s->current, s->current->active};
    struct format_place place = format_place(&c->daemon->world, &at);
    const struct layout_leaf *leaf = layout_find(s->current->layout, s->current->active);

    outbuf_printf(&c->out, "{\"id\":\"$%u\",\"name\":", s->id);
    json_string(&c->out, s->name);
    outbuf_printf(&c->out,
                  ",\"created\":%lld,\"attached\":%u,\"cols\":%u,\"rows\":%u,\"pane\":\"%%%u\"",
                  (long long)s->created_s, s->attached, s->cols, s->rows, leaf ? leaf->id : 0);
    format_vars_expand(&place,
                       ",\"windows\":#{session_windows},\"shared\":"
                       "#{?session_shared,true,false},\"viewers\":#{?session_viewers,"
                       "#{session_viewers},0}}",
                       false, &c->out);
}

static void print_new(struct command *c, struct session *s)
{
    struct target at = {s, s->current, s->current->active};

    cmd_format_line(c, &at, "#{session_name}:#{window_index}.#{pane_index}");
}

/* -f: words apart by commas. False after saying which is not known. */
static bool read_flags(struct command *c)
{
    const char *list = args_value(&c->args, "f");

    while (list && *list) {
        size_t n = strcspn(list, ",");

        if (n == 9 && memcmp(list, "read-only", n) == 0) {
            c->read_only = true;
        } else if (n == 11 && memcmp(list, "ignore-size", n) == 0) {
            c->ignore_size = true;
        } else if (n > 0) {
            command_fail(c, "flag %.*s is not supported: read-only, ignore-size", (int)n, list);
            return false;
        }
        list += n + (list[n] == ',');
    }
    return true;
}

/* new-session -A at a session that is there. */
static enum command_result attach_instead(struct command *c, bool detached)
{
    if (args_has(&c->args, "D") || args_has(&c->args, "X"))
        attach_detach_others(c->session, c->attach, args_has(&c->args, "X"));
    if (!detached && !args_has(&c->args, "E"))
        spawn_update_environment(c, c->session);
    return detached ? COMMAND_DONE : COMMAND_ATTACH;
}

enum command_result cmd_new_session(struct command *c)
{
    bool detached = args_has(&c->args, "d") || (!c->client && !c->attach); /* a config file's */
    const char *name = args_value(&c->args, "s");
    struct session *s;
    long cols, rows;

    c->session = args_has(&c->args, "A") && name ? session_named(c->daemon->sessions, name) : NULL;
    if (!read_flags(c))
        return COMMAND_FAILED;
    if (c->session)
        return attach_instead(c, detached);
    if (!detached && !has_terminal(c))
        return command_fail(c, "not a terminal: use -d to create a session without attaching");
    if (!choose_size(c, detached, &cols, &rows))
        return COMMAND_USAGE;
    s = daemon_new_session(c, name, c->args.n_words, c->args.words, (uint16_t)cols, (uint16_t)rows);
    if (!s)
        return COMMAND_FAILED;
    if (args_has(&c->args, "json")) {
        print_session_json(c, s);
        outbuf_byte(&c->out, '\n');
    } else if (args_has(&c->args, "P")) {
        print_new(c, s);
    }
    c->session = s;
    return detached ? COMMAND_DONE : COMMAND_ATTACH;
}

/* A window or pane was named: it is what is seen first. */
static void select_named(struct command *c, const struct target *t)
{
    const char *text = args_value(&c->args, "t");

    if (!text || !text[strcspn(text, ":.%@")])
        return;
    session_select_pane(c->daemon->sessions, t->window, t->pane);
    session_select_window(c->daemon->sessions, t->window);
}

/* -c: where the session's new panes start from now on. */
static bool set_directory(struct command *c, struct session *s)
{
    const char *text = args_value(&c->args, "c");
    struct target at = {s, NULL, NULL};
    struct format_place place = format_place(&c->daemon->world, &at);
    char *cwd = text ? format_vars_text(&place, text, false) : NULL;

    if (!text)
        return true;
    if (!cwd)
        return false;
    free(s->cwd);
    s->cwd = cwd;
    return true;
}

enum command_result cmd_attach_session(struct command *c)
{
    const char *text = args_value(&c->args, "t");
    bool pane = text && text[strcspn(text, ":.%@")];
    struct target t;

    if (!c->attach && !has_terminal(c))
        return command_fail(c, "not a terminal: attach-session needs one");
    if (!daemon_find_target(c, pane ? TARGET_PANE : TARGET_SESSION, &t) || !read_flags(c))
        return COMMAND_FAILED;
    if (!set_directory(c, t.session))
        return command_fail(c, "out of memory");
    if (!args_has(&c->args, "E"))
        spawn_update_environment(c, t.session);
    if (args_has(&c->args, "d") || args_has(&c->args, "x"))
        attach_detach_others(t.session, c->attach, args_has(&c->args, "x"));
    select_named(c, &t);
    c->session = t.session;
    if (args_has(&c->args, "r"))
        c->read_only = c->ignore_size = true;
    return COMMAND_ATTACH;
}

enum command_result cmd_list_sessions(struct command *c)
{
    bool json = args_has(&c->args, "json");
    const char *comma = "";

    if (json)
        outbuf_byte(&c->out, '[');
    for (struct session *s = session_first(c->daemon->sessions); s; s = s->next) {
        struct target at = {s, s->current, s->current->active};

        if (json) {
            outbuf_text(&c->out, comma);
            print_session_json(c, s);
            comma = ",";
        } else {
            cmd_format_line(c, &at,
                            "#{session_name}: #{session_windows} windows "
                            "(created #{t:session_created})#{?session_attached, (attached),}"
                            "#{?session_shared, (shared"
                            "#{?session_viewers,#, #{session_viewers} watching,}),}");
        }
    }
    if (json)
        outbuf_text(&c->out, "]\n");
    return COMMAND_DONE;
}

enum command_result cmd_has_session(struct command *c)
{
    struct target t;

    return daemon_find_target(c, TARGET_SESSION, &t) ? COMMAND_DONE : COMMAND_FAILED;
}

enum command_result cmd_rename_session(struct command *c)
{
    struct target t;
    enum err e;

    if (c->args.n_words != 1)
        return command_usage(c, "rename-session needs a new name");
    if (!daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    e = session_rename(c->daemon->sessions, t.session, c->args.words[0]);
    if (e != ERR_OK)
        return command_fail(c, e == ERR_STATE ? "duplicate session: %s" : "bad session name: %s",
                            c->args.words[0]);
    daemon_refresh(c->daemon);
    return COMMAND_DONE;
}

static void print_pane(struct command *c, struct window *w, uint32_t index, bool json,
                       const char *format)
{
    const struct layout_leaf *leaf = layout_at(w->layout, index);
    struct screen *screen = pane_screen(leaf->pane);

    if (!json) {
        struct target at = {w->session, w, leaf->pane};

        cmd_format_line(c, &at, format);
        return;
    }
    outbuf_printf(&c->out, "{\"id\":\"%%%u\",\"session\":", leaf->id);
    json_string(&c->out, w->session->name);
    outbuf_printf(&c->out,
                  ",\"window\":%u,\"index\":%u,\"active\":%s,\"cols\":%u,\"rows\":%u,"
                  "\"history\":%u,\"pid\":%ld,\"tty\":",
                  w->index, index, leaf->pane == w->active ? "true" : "false", leaf->cols,
                  leaf->rows, screen_history_count(screen), (long)pane_pid(leaf->pane));
    json_string(&c->out, pane_tty(leaf->pane));
    outbuf_text(&c->out, ",\"command\":");
    json_string(&c->out, pane_command_name(leaf->pane));
    outbuf_text(&c->out, ",\"title\":");
    json_string(&c->out, screen_title(screen));
    outbuf_byte(&c->out, '}');
}

#define PANE_FORMAT                                                                             \
    "#{pane_index}: [#{pane_width}x#{pane_height}] [history #{history_size}/#{history_limit}] " \
    "#{pane_id}#{?pane_active, (active),}#{?pane_dead, (dead),}"

static void print_panes(struct command *c, struct window *w, bool json, const char **comma)
{
    const char *format = PANE_FORMAT;

    if (args_has(&c->args, "a"))
        format = "#{session_name}:#{window_index}." PANE_FORMAT;
    else if (args_has(&c->args, "s"))
        format = "#{window_index}." PANE_FORMAT;
    for (uint32_t i = 0; layout_at(w->layout, i); i++) {
        outbuf_text(&c->out, json ? *comma : "");
        print_pane(c, w, i, json, format);
        *comma = ",";
    }
}

enum command_result cmd_list_panes(struct command *c)
{
    bool json = args_has(&c->args, "json");
    bool all = args_has(&c->args, "a"), session = args_has(&c->args, "s");
    const char *comma = "";
    struct target t = {NULL, NULL, NULL};

    if (!all && !daemon_find_target(c, session ? TARGET_SESSION : TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    outbuf_text(&c->out, json ? "[" : "");
    for (struct session *s = session_first(c->daemon->sessions); s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (all || w == t.window || (session && s == t.session))
                print_panes(c, w, json, &comma);
        }
    }
    outbuf_text(&c->out, json ? "]\n" : "");
    return COMMAND_DONE;
}

enum command_result cmd_kill_session(struct command *c)
{
    struct session *keep;
    struct target t;

    if (!daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    keep = t.session;
    if (args_has(&c->args, "C")) {
        for (struct window *w = keep->windows; w; w = w->next)
            w->marks = 0;
        session_changed(c->daemon->sessions, keep);
        return COMMAND_DONE;
    }
    if (!args_has(&c->args, "a")) {
        session_end(c->daemon->sessions, keep);
        return COMMAND_DONE;
    }
    for (struct session *s = session_first(c->daemon->sessions), *next; s; s = next) {
        next = s->next;
        if (s != keep)
            session_end(c->daemon->sessions, s);
    }
    return COMMAND_DONE;
}
