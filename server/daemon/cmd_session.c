/* Commands about sessions and what their panes hold. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/daemon/commands.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/json.h"
#include "server/daemon/keynames.h"
#include "server/daemon/layout.h"
#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"

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

    *cols = terminal ? c->request->cols : DAEMON_COLS;
    *rows = terminal ? c->request->rows - 1 : DAEMON_ROWS;
    return command_number(c, "x", SCREEN_COLS_MIN, SCREEN_COLS_MAX, cols) &&
           command_number(c, "y", SCREEN_ROWS_MIN, SCREEN_ROWS_MAX, rows) &&
           command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history);
}

static void print_session_json(struct command *c, const struct session *s)
{
    const struct layout_leaf *leaf = layout_find(s->current->layout, s->current->active);

    outbuf_printf(&c->out, "{\"id\":\"$%u\",\"name\":", s->id);
    json_string(&c->out, s->name);
    outbuf_printf(&c->out,
                  ",\"created\":%lld,\"attached\":%u,\"cols\":%u,\"rows\":%u,\"pane\":\"%%%u\"}",
                  (long long)s->created_s, s->attached, s->cols, s->rows, leaf ? leaf->id : 0);
}

enum command_result cmd_new_session(struct command *c)
{
    bool detached = args_has(&c->args, "d");
    const char *name = args_value(&c->args, "s");
    struct session *s;
    struct target t;
    long cols, rows;

    if (args_has(&c->args, "A") && name && session_find(c->daemon->sessions, name, &t) == ERR_OK &&
        strcmp(t.session->name, name) == 0) {
        c->session = t.session;
        return detached ? COMMAND_DONE : COMMAND_ATTACH;
    }
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
        outbuf_printf(&c->out, "%s:0.0\n", s->name);
    }
    c->session = s;
    return detached ? COMMAND_DONE : COMMAND_ATTACH;
}

enum command_result cmd_attach_session(struct command *c)
{
    struct target t;

    if (!has_terminal(c))
        return command_fail(c, "not a terminal: attach-session needs one");
    if (!daemon_find_target(c, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "d"))
        control_detach(c->daemon->control, t.session, c->client);
    c->session = t.session;
    c->read_only = args_has(&c->args, "r");
    return COMMAND_ATTACH;
}

enum command_result cmd_detach_client(struct command *c)
{
    struct target t = {NULL, NULL, NULL};
    const char *name = args_value(&c->args, "s");

    if (name && session_find(c->daemon->sessions, name, &t) != ERR_OK)
        return command_fail(c, "can't find session: %s", name);
    if (!name && !args_has(&c->args, "a") && !daemon_find_target(c, &t))
        return COMMAND_FAILED;
    control_detach(c->daemon->control, t.session, c->client);
    return COMMAND_DONE;
}

enum command_result cmd_list_sessions(struct command *c)
{
    bool json = args_has(&c->args, "json");
    const char *comma = "";

    if (json)
        outbuf_byte(&c->out, '[');
    for (struct session *s = session_first(c->daemon->sessions); s; s = s->next) {
        time_t created = (time_t)s->created_s;
        char when[64] = "";
        struct tm tm;

        if (json) {
            outbuf_text(&c->out, comma);
            print_session_json(c, s);
            comma = ",";
            continue;
        }
        if (localtime_r(&created, &tm))
            strftime(when, sizeof when, "%a %b %e %H:%M:%S %Y", &tm);
        outbuf_printf(&c->out, "%s: 1 windows (created %s)%s%s\n", s->name, when,
                      s->attached ? " (attached)" : "",
                      share_of_pane(c->daemon->shares, s->current->active) ? " (shared)" : "");
    }
    if (json)
        outbuf_text(&c->out, "]\n");
    return COMMAND_DONE;
}

enum command_result cmd_has_session(struct command *c)
{
    struct target t;

    return daemon_find_target(c, &t) ? COMMAND_DONE : COMMAND_FAILED;
}

enum command_result cmd_rename_session(struct command *c)
{
    struct target t;
    enum err e;

    if (c->args.n_words != 1)
        return command_usage(c, "rename-session needs a new name");
    if (!daemon_find_target(c, &t))
        return COMMAND_FAILED;
    e = session_rename(c->daemon->sessions, t.session, c->args.words[0]);
    if (e != ERR_OK)
        return command_fail(c, e == ERR_STATE ? "duplicate session: %s" : "bad session name: %s",
                            c->args.words[0]);
    daemon_refresh(c->daemon);
    return COMMAND_DONE;
}

static void print_pane(struct command *c, struct session *s, const struct layout_leaf *leaf,
                       bool json)
{
    struct pane *p = leaf->pane;
    struct screen *screen = pane_screen(p);

    if (!json) {
        outbuf_printf(&c->out, "%s:0.0: [%ux%u] [history %u/%u] %%%u%s\n", s->name, leaf->cols,
                      leaf->rows, screen_history_count(screen), screen_history_limit(screen), leaf->id,
                      p == s->current->active ? " (active)" : "");
        return;
    }
    outbuf_printf(&c->out, "{\"id\":\"%%%u\",\"session\":", leaf->id);
    json_string(&c->out, s->name);
    outbuf_printf(&c->out,
                  ",\"cols\":%u,\"rows\":%u,\"history\":%u,\"pid\":%ld,\"tty\":", leaf->cols,
                  leaf->rows, screen_history_count(screen), (long)pane_pid(p));
    json_string(&c->out, pane_tty(p));
    outbuf_text(&c->out, ",\"command\":");
    json_string(&c->out, pane_command_name(p));
    outbuf_text(&c->out, ",\"title\":");
    json_string(&c->out, screen_title(screen));
    outbuf_byte(&c->out, '}');
}

enum command_result cmd_list_panes(struct command *c)
{
    bool json = args_has(&c->args, "json");
    bool all = args_has(&c->args, "a");
    const char *comma = "";
    struct target t = {NULL, NULL, NULL};

    if (!all && !daemon_find_target(c, &t))
        return COMMAND_FAILED;
    if (json)
        outbuf_byte(&c->out, '[');
    for (struct session *s = session_first(c->daemon->sessions); s; s = s->next) {
        for (uint32_t i = 0; (all || s == t.session) && layout_at(s->current->layout, i); i++) {
            outbuf_text(&c->out, json ? comma : "");
            print_pane(c, s, layout_at(s->current->layout, i), json);
            comma = ",";
        }
    }
    if (json)
        outbuf_text(&c->out, "]\n");
    return COMMAND_DONE;
}

/* One word of send-keys as bytes. False when -H gets no hexadecimal byte. */
static bool encode_key(struct command *c, const char *word, uint32_t modes, struct outbuf *out)
{
    if (args_has(&c->args, "H")) {
        unsigned v;
        char rest;

        if (strlen(word) > 2 || sscanf(word, "%x%c", &v, &rest) != 1)
            return false;
        outbuf_byte(out, (uint8_t)v);
    } else if (args_has(&c->args, "l") || keynames_encode(word, modes, out) == ERR_NOT_FOUND) {
        outbuf_text(out, word);
    }
    return true;
}

enum command_result cmd_send_keys(struct command *c)
{
    struct outbuf keys = {0};
    enum command_result result = COMMAND_DONE;
    struct target t;
    size_t taken;

    if (!daemon_find_target(c, &t))
        return COMMAND_FAILED;
    for (size_t i = 0; i < c->args.n_words; i++) {
        if (encode_key(c, c->args.words[i], screen_modes(pane_screen(t.pane)), &keys))
            continue;
        outbuf_clear(&keys);
        return command_usage(c, "not a hexadecimal byte: %s", c->args.words[i]);
    }
    taken = pane_write(t.pane, keys.p, keys.len);
    if (keys.bad || taken < keys.len)
        result = command_fail(c, "the program does not read: %zu of %zu bytes were not delivered",
                              keys.len - taken, keys.len);
    outbuf_clear(&keys);
    return result;
}

/* A -S or -E value: a line number or "-" for the end. False after saying what is wrong. */
static bool capture_line(struct command *c, const char *option, int32_t end, int32_t *out)
{
    const char *text = args_value(&c->args, option);
    long v = *out;

    if (text && strcmp(text, "-") == 0) {
        *out = end;
        return true;
    }
    if (!command_number(c, option, -2000000000L, 2000000000L, &v))
        return false;
    *out = (int32_t)v;
    return true;
}

enum command_result cmd_capture_pane(struct command *c)
{
    struct capture_opts o = {.end = CAPTURE_LAST,
                             .escapes = args_has(&c->args, "e"),
                             .join = args_has(&c->args, "J"),
                             .trailing = args_has(&c->args, "N"),
                             .alternate = args_has(&c->args, "a")};
    struct target t;
    enum err e;

    if (!args_has(&c->args, "p"))
        return command_usage(c, "capture-pane needs -p: it prints, there are no buffers yet");
    if (!capture_line(c, "S", CAPTURE_FIRST, &o.start) ||
        !capture_line(c, "E", CAPTURE_LAST, &o.end))
        return COMMAND_USAGE;
    if (!daemon_find_target(c, &t))
        return COMMAND_FAILED;
    e = screen_capture(pane_screen(t.pane), &o, &c->out);
    if (e == ERR_NOT_FOUND)
        return command_fail(c, "no alternate screen");
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "out of memory");
}

enum command_result cmd_kill_session(struct command *c)
{
    struct session *keep;
    struct target t;

    if (!daemon_find_target(c, &t))
        return COMMAND_FAILED;
    keep = t.session;
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
