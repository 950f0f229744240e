/* Commands about the program of a pane: start another in its place, and pipe what it prints. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/cmd_config.h"
#include "server/daemon/commands.h"
#include "server/daemon/config_run.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/environment.h"
#include "server/daemon/layout.h"
#include "server/daemon/pane.h"
#include "server/daemon/pipe.h"
#include "server/daemon/session.h"

/* --- respawn -------------------------------------------------------------------------------- */

/* The place of a pane as tmux writes it in the error above. */
static enum command_result refuse_pane(struct command *c, const struct target *t)
{
    uint32_t i = 0;

    while (layout_at(t->window->layout, i)->pane != t->pane)
        i++;
    return command_fail(c, "respawn pane failed: pane %s:%u.%u still active", t->session->name,
                        t->window->index, i);
}

enum command_result cmd_respawn_pane(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (!args_has(&c->args, "k") && !pane_status(t.pane).dead)
        return refuse_pane(c, &t);
    return daemon_respawn(c, &t, c->args.n_words, c->args.words) ? COMMAND_DONE : COMMAND_FAILED;
}

/* All but the first pane go; that gets the program. */
enum command_result cmd_respawn_window(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_WINDOW, &t))
        return COMMAND_FAILED;
    for (uint32_t i = 0; i < layout_count(t.window->layout); i++) {
        if (!args_has(&c->args, "k") && !pane_status(layout_at(t.window->layout, i)->pane).dead)
            return command_fail(c, "respawn window failed: window %s:%u still active",
                                t.session->name, t.window->index);
    }
    t.pane = layout_at(t.window->layout, 0)->pane;
    if (!daemon_respawn(c, &t, c->args.n_words, c->args.words))
        return COMMAND_FAILED;
    while (layout_count(t.window->layout) > 1)
        session_remove_pane(c->daemon->sessions, layout_at(t.window->layout, 1)->pane);
    return COMMAND_DONE;
}

/* --- pipe-pane ------------------------------------------------------------------------------ */

static void on_dropping(void *ctx, struct pane *p, uint64_t n)
{
    struct daemon *d = ctx;
    struct target t;
    char text[128];

    snprintf(text, sizeof text,
             "pipe-pane of %%%u: the command does not read, output is dropped (%llu bytes so far)",
             pane_id(p), (unsigned long long)n);
    config_message(d, text);
    if (session_of_pane(d->sessions, p, &t) && d->control)
        control_message(d->control, t.session, text);
}

static enum command_result open_pipe(struct command *c, const struct target *t, const char *line)
{
    bool in = args_has(&c->args, "I"), out = args_has(&c->args, "O");
    struct config_origin origin = config_run_origin(c);
    struct pipe_request r = {.line = line,
                             .to_command = out || !in,
                             .to_pane = in,
                             .dropping = on_dropping,
                             .ctx = c->daemon};
    char **env, cwd[4096];
    int e = ENOMEM;

    origin.current = *t;
    env = cmd_config_environment(&origin);
    snprintf(cwd, sizeof cwd, "%.*s", (int)c->request->cwd.len,
             c->request->cwd.p ? (const char *)c->request->cwd.p : "");
    r.env = (const char *const *)env;
    r.cwd = cwd;
    if (env)
        e = pipe_open(c->daemon->pipes, t->pane, &r);
    environment_free_list(env);
    return e == 0 ? COMMAND_DONE : command_fail(c, "cannot run %s: %s", line, strerror(e));
}

enum command_result cmd_pipe_pane(struct command *c)
{
    enum command_result result = COMMAND_DONE;
    struct format_place place;
    struct target t;
    bool had;
    char *line;

    if (c->args.n_words > 1)
        return command_usage(c, "pipe-pane takes one command");
    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (pane_status(t.pane).dead)
        return command_fail(c, "target pane has exited");
    had = pipe_close(c->daemon->pipes, t.pane);
    if (c->args.n_words == 0 || !*c->args.words[0] || (had && args_has(&c->args, "o")))
        return COMMAND_DONE;
    place = format_place(&c->daemon->world, &t);
    line = format_vars_text(&place, c->args.words[0], true);
    result = line ? open_pipe(c, &t, line) : command_fail(c, "out of memory");
    free(line);
    return result;
}
