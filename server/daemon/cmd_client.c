/* Commands about attached terminals: which there are, what they show, when they go. */
#include "server/daemon/cmd_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/cmd_format.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/json.h"
#include "server/daemon/keytable.h"
#include "server/daemon/session.h"
#include "server/daemon/target.h"

struct attach *cmd_client_find(struct command *c, const char *option)
{
    const char *name = args_value(&c->args, option);
    struct attach *a = name ? attach_named(name) : c->attach;
    struct target here;

    if (name && !a)
        command_fail(c, "can't find client: %s", name);
    if (name || a)
        return a;
    if (session_first(c->daemon->sessions) && daemon_find(c, NULL, TARGET_SESSION, &here))
        a = attach_latest(here.session);
    a = a ? a : attach_latest(NULL);
    if (!a)
        command_fail(c, "no current client");
    return a;
}

/* --- the list ------------------------------------------------------------------------------- */

#define CLIENT_FORMAT                                                    \
    "#{client_name}: #{session_name} [#{client_width}x#{client_height} " \
    "#{client_termname}] #{?client_flags,(,}#{client_flags}#{?client_flags,),}"

static void client_json(struct command *c, const struct format_client *k)
{
    outbuf_text(&c->out, "{\"name\":");
    json_string(&c->out, k->name);
    outbuf_text(&c->out, ",\"session\":");
    json_string(&c->out, k->session->name);
    outbuf_printf(&c->out,
                  ",\"cols\":%u,\"rows\":%u,\"pid\":%ld,\"created\":%lld,\"activity\":%lld,"
                  "\"read_only\":%s,\"term\":",
                  k->cols, k->rows, k->pid, (long long)k->created_s, (long long)k->activity_s,
                  k->read_only ? "true" : "false");
    json_string(&c->out, k->term);
    outbuf_byte(&c->out, '}');
}

static void print_client(struct command *c, const struct attach *a)
{
    const char *format = args_value(&c->args, "F");
    struct format_client client;
    struct target at = {attach_session(a), NULL, NULL};
    struct format_place place = format_place(&c->daemon->world, &at);

    attach_describe(a, &client);
    if (args_has(&c->args, "json")) {
        client_json(c, &client);
        return;
    }
    place.client = &client;
    format_vars_expand(&place, format ? format : CLIENT_FORMAT, false, &c->out);
    outbuf_byte(&c->out, '\n');
}

enum command_result cmd_list_clients(struct command *c)
{
    bool json = args_has(&c->args, "json"), first = true;
    struct target t = {NULL, NULL, NULL};
    struct attach *a;

    if (args_has(&c->args, "t") && !daemon_find_target(c, TARGET_SESSION, &t))
        return COMMAND_FAILED;
    outbuf_text(&c->out, json ? "[" : "");
    for (size_t i = 0; (a = attach_numbered(i)) != NULL; i++) {
        if (t.session && attach_session(a) != t.session)
            continue;
        outbuf_text(&c->out, json && !first ? "," : "");
        first = false;
        print_client(c, a);
    }
    outbuf_text(&c->out, json ? "]\n" : "");
    return COMMAND_DONE;
}

/* --- going ---------------------------------------------------------------------------------- */

enum command_result cmd_detach_client(struct command *c)
{
    const char *name = args_value(&c->args, "s");
    bool hang_up = args_has(&c->args, "P");
    struct target t = {NULL, NULL, NULL};
    struct attach *a;

    if (name) {
        if (!daemon_find(c, name, TARGET_SESSION, &t))
            return COMMAND_FAILED;
        attach_detach_others(t.session, NULL, hang_up);
        return COMMAND_DONE;
    }
    a = cmd_client_find(c, "t");
    if (!a)
        return COMMAND_FAILED;
    if (args_has(&c->args, "a"))
        attach_detach_others(NULL, a, hang_up);
    else if (hang_up)
        attach_detach_and_hang_up(a);
    else
        attach_detach(a);
    return COMMAND_DONE;
}

enum command_result cmd_suspend_client(struct command *c)
{
    struct attach *a = cmd_client_find(c, "t");

    if (!a)
        return COMMAND_FAILED;
    if (!attach_suspend(a))
        return command_fail(c, "client %s cannot be stopped", attach_name(a));
    return COMMAND_DONE;
}

/* --- which session -------------------------------------------------------------------------- */

/* The session next to s by name, going round; NULL when it is the only one. */
static struct session *session_beside(struct command *c, const struct session *s, bool next)
{
    int sign = next ? 1 : -1;
    struct session *beside = NULL, *end = NULL;

    for (struct session *k = session_first(c->daemon->sessions); k; k = k->next) {
        if (k == s)
            continue;
        if (!end || sign * strcmp(k->name, end->name) < 0)
            end = k; /* where going round arrives */
        if (sign * strcmp(k->name, s->name) > 0 &&
            (!beside || sign * strcmp(k->name, beside->name) < 0))
            beside = k;
    }
    return beside ? beside : end;
}

static struct session *choose_session(struct command *c, const struct attach *a, struct target *t)
{
    const char *text = args_value(&c->args, "t");
    bool pane = text && text[strcspn(text, ":.%@")];
    struct session *to;

    if (args_has(&c->args, "n") || args_has(&c->args, "p")) {
        to = session_beside(c, attach_session(a), args_has(&c->args, "n"));
        if (!to)
            command_fail(c, "can't find %s session", args_has(&c->args, "n") ? "next" : "previous");
        return to;
    }
    if (args_has(&c->args, "l")) {
        to = attach_last_session(a);
        if (!to)
            command_fail(c, "can't find last session");
        return to;
    }
    if (!daemon_find_target(c, pane ? TARGET_PANE : TARGET_SESSION, t))
        return NULL;
    if (!pane) /* the session alone: what is current there stays */
        t->pane = NULL;
    return t->session;
}

/* A window or pane was named: go there. */
static void go_to_pane(struct command *c, const struct target *t)
{
    bool zoomed = t->window->zoomed && args_has(&c->args, "Z");

    session_select_pane(c->daemon->sessions, t->window, t->pane);
    if (zoomed)
        session_zoom(c->daemon->sessions, t->window, true);
    session_select_window(c->daemon->sessions, t->window);
}

enum command_result cmd_switch_client(struct command *c)
{
    struct attach *a = cmd_client_find(c, "c");
    const char *table = args_value(&c->args, "T");
    struct target t = {NULL, NULL, NULL};
    struct session *to;

    if (!a)
        return COMMAND_FAILED;
    if (args_has(&c->args, "r")) {
        bool on = !attach_read_only(a);

        attach_set_flag(a, "read-only", on);
        attach_set_flag(a, "ignore-size", on);
    }
    if (table) {
        if (strcmp(table, KEYTABLE_ROOT) != 0 && !keytable_named(table))
            return command_fail(c, "table %s doesn't exist", table);
        attach_set_table(a, table);
        return COMMAND_DONE;
    }
    to = choose_session(c, a, &t);
    if (!to)
        return COMMAND_FAILED;
    if (t.pane)
        go_to_pane(c, &t);
    attach_switch(a, to);
    return COMMAND_DONE;
}

/* --- drawing and flags ---------------------------------------------------------------------- */

/* Words apart by commas; one with ! in front is taken away. */
static bool set_flags(struct command *c, struct attach *a, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        char name[32];
        bool off = list[0] == '!';

        snprintf(name, sizeof name, "%.*s", (int)(n - off), list + off);
        if (n - off >= sizeof name || !attach_set_flag(a, name, !off)) {
            command_fail(c, "flag %s is not supported: read-only, ignore-size", name);
            return false;
        }
        list += n + (list[n] == ',');
    }
    return true;
}

enum command_result cmd_refresh_client(struct command *c)
{
    struct attach *a = cmd_client_find(c, "t");
    const char *flags = args_value(&c->args, "f");

    if (!a || (flags && !set_flags(c, a, flags)))
        return COMMAND_FAILED;
    if (flags)
        return COMMAND_DONE;
    if (args_has(&c->args, "S"))
        attach_refresh(a);
    else
        attach_redraw(a);
    return COMMAND_DONE;
}
