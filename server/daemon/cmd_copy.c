/* copy-mode, and what copy mode's commands want done: buffers, the clipboard, programs that text is
 * piped to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/cmd_config.h"
#include "server/daemon/cmd_copy.h"
#include "server/daemon/commands.h"
#include "server/daemon/copy_mode.h"
#include "server/daemon/daemon.h"
#include "server/daemon/jobs.h"
#include "server/daemon/keynames.h"
#include "server/daemon/keytable.h"
#include "server/daemon/mouse.h"
#include "server/daemon/pane.h"

enum { CLIPBOARD_OFF, CLIPBOARD_EXTERNAL, CLIPBOARD_ON }; /* values of set-clipboard */

static const struct options_place nowhere = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

/* --- copy-mode ------------------------------------------------------------------------------ */

/* The pane whose screen is shown: -s, or the pane itself. False after saying what is wrong. */
static bool find_source(struct command *c, const struct target *t, struct pane **out)
{
    const char *text = args_value(&c->args, "s");
    struct target from;

    *out = t->pane;
    if (!text)
        return true;
    if (!daemon_find(c, text, TARGET_PANE, &from))
        return false;
    *out = from.pane;
    return true;
}

enum command_result cmd_copy_mode(struct command *c)
{
    bool mouse = args_has(&c->args, "M");
    struct pane *source;
    struct target t;
    bool was;

    if (mouse ? !daemon_find(c, "=", TARGET_PANE, &t) : !daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "q")) {
        copy_mode_leave(t.pane);
        attach_refresh_all();
        return COMMAND_DONE;
    }
    if (!find_source(c, &t, &source))
        return COMMAND_FAILED;
    was = copy_mode_of(t.pane) != NULL;
    if (copy_mode_enter(t.pane, source, args_has(&c->args, "H"), args_has(&c->args, "e")) != ERR_OK)
        return command_fail(c, "out of memory");
    if (mouse && !was && c->attach)
        attach_drag_select(c->attach, t.pane, c->mouse);
    if (args_has(&c->args, "u"))
        copy_page_up(copy_mode_state(copy_mode_of(t.pane)), false);
    attach_refresh_all();
    return COMMAND_DONE;
}

/* --- what becomes of the text --------------------------------------------------------------- */

static long clipboard(const struct daemon *d)
{
    return options_number(d->options, nowhere, OPTION_set_clipboard);
}

/* Behind the newest buffer's text. */
static enum err append(struct daemon *d, const struct outbuf *text)
{
    struct paste *top = paste_find(&d->pastes, NULL);
    struct outbuf all = {0};
    char name[PASTE_NAME_MAX_BYTES + 1];
    enum err e;

    if (!top)
        return paste_set(&d->pastes, NULL, text->p, text->len, loop_wall_s(d->loop), NULL);
    snprintf(name, sizeof name, "%s", top->name);
    outbuf_put(&all, top->text, top->len);
    outbuf_put(&all, text->p, text->len);
    e = all.bad ? ERR_MEMORY
                : paste_set(&d->pastes, name, all.p, all.len, loop_wall_s(d->loop), &top);
    if (e == ERR_OK)
        top->automatic = true;
    outbuf_clear(&all);
    return e;
}

static enum err store(struct daemon *d, const struct copy_action *action)
{
    if (action->append)
        return append(d, &action->text);
    return paste_add(&d->pastes, action->prefix, action->text.p, action->text.len,
                     loop_wall_s(d->loop), NULL);
}

static void free_environment(char **env)
{
    for (size_t i = 0; env && env[i]; i++)
        free(env[i]);
    free(env);
}

/* Runs the command, or copy-command, with the text as its input; nobody waits for it. */
static bool pipe_text(struct command *c, const struct target *t, const struct copy_action *action)
{
    const char *line = action->command && *action->command
                           ? action->command
                           : options_text(c->daemon->options, nowhere, OPTION_copy_command);
    struct config_origin origin = config_run_origin(c);
    struct job_request r = {.line = line, .cwd = "/"};
    struct job *job;
    char **env;
    int error = 0;

    if (*line == '\0')
        return true;
    origin.current = *t;
    env = cmd_config_environment(&origin);
    r.env = (const char *const *)env;
    job =
        env ? jobs_start_with(c->daemon->jobs, &r, action->text.p, action->text.len, &error) : NULL;
    free_environment(env);
    if (!job)
        command_fail(c, "cannot run %s: %s", line, env ? strerror(error) : "out of memory");
    return job != NULL;
}

/* Does with the text what the command wants. False after saying why it could not. */
static bool act(struct command *c, const struct target *t, const struct copy_action *action)
{
    enum err e = ERR_OK;

    if (action->text.bad)
        e = ERR_MEMORY;
    else if (action->copy && action->text.len > 0)
        e = store(c->daemon, action);
    if (e != ERR_OK) {
        command_fail(c, e == ERR_RANGE ? "too large for a buffer" : "%s", err_text(e));
        return false;
    }
    if (action->copy && action->text.len > 0 && clipboard(c->daemon) != CLIPBOARD_OFF)
        attach_set_clipboard(t->pane, action->text.p, action->text.len);
    return !action->pipe || action->text.len == 0 || pipe_text(c, t, action);
}

void cmd_copy_clipboard(void *daemon, struct pane *p, const uint8_t *text, size_t n)
{
    struct daemon *d = daemon;

    if (clipboard(d) != CLIPBOARD_ON || n == 0)
        return;
    paste_set(&d->pastes, NULL, text, n, loop_wall_s(d->loop), NULL);
    attach_set_clipboard(p, text, n);
}

/* --- commands ------------------------------------------------------------------------------- */

/* Copy mode of the target; NULL after saying that there is none. */
static struct copy_mode *find_mode(struct command *c, const struct target *t)
{
    struct copy_mode *m = copy_mode_of(t->pane);

    if (!m)
        command_fail(c, "not in a mode");
    return m;
}

/* The pointer takes the cursor along, and begin-selection begins a drag. True when that was all. */
static bool follow_mouse(struct command *c, const struct target *t, struct copy_mode *m)
{
    uint16_t x, y;

    if (!c->mouse || !c->attach || c->mouse->wheel ||
        !attach_mouse_cell(c->attach, t->pane, c->mouse, &x, &y))
        return false;
    if (strcmp(c->args.words[0], "begin-selection") == 0) {
        attach_drag_select(c->attach, t->pane, c->mouse);
        return true;
    }
    copy_point(copy_mode_state(m), x, y);
    return false;
}

static enum command_result finish(struct command *c, const struct target *t, struct copy_mode *m,
                                  enum copy_result result, const struct copy_action *action)
{
    if (result == COPY_UNKNOWN)
        return command_fail(c, "unknown command of copy mode: %s", c->args.words[0]);
    if (result == COPY_ARGUMENT)
        return command_fail(c, "%s: wrong number of arguments", c->args.words[0]);
    copy_mode_keep_search(m);
    if (action->refresh && copy_mode_refresh(m) != ERR_OK)
        command_fail(c, "out of memory");
    act(c, t, action);
    if (result == COPY_CANCEL)
        copy_mode_leave(t->pane);
    attach_refresh_all();
    return c->err.len > 0 ? COMMAND_FAILED : COMMAND_DONE;
}

enum command_result cmd_copy_run(struct command *c, const struct target *t)
{
    struct copy_mode *m = find_mode(c, t);
    struct options_place at = format_options_place(t);
    struct copy_options o = copy_mode_options(c->daemon->options, at);
    struct format_place place = format_place(&c->daemon->world, t);
    struct copy_action action = {0};
    enum command_result result;
    const char *words[3] = {NULL, NULL, NULL};
    char *expanded[3] = {NULL, NULL, NULL};
    size_t n = c->args.n_words;

    if (!m)
        return COMMAND_FAILED;
    if (n < 1 || n > 3)
        return command_usage(c, "-X needs a command of copy mode");
    if (follow_mouse(c, t, m))
        return COMMAND_DONE;
    for (size_t i = 0; i < n; i++) {
        expanded[i] = args_has(&c->args, "F") && i > 0
                          ? format_vars_text(&place, c->args.words[i], false)
                          : NULL;
        words[i] = expanded[i] ? expanded[i] : c->args.words[i];
    }
    result = finish(c, t, m, copy_run(copy_mode_state(m), &o, words[0], n - 1, words + 1, &action),
                    &action);
    outbuf_clear(&action.text);
    for (size_t i = 0; i < n; i++)
        free(expanded[i]);
    return result;
}

enum command_result cmd_copy_count(struct command *c, const struct target *t, long n)
{
    struct copy_mode *m = find_mode(c, t);

    if (!m)
        return COMMAND_FAILED;
    copy_set_count(copy_mode_state(m), (uint32_t)n);
    return COMMAND_DONE;
}

enum command_result cmd_copy_pass_mouse(struct command *c)
{
    struct target t;

    if (!c->mouse || !c->attach)
        return command_fail(c, "no mouse target");
    if (!daemon_find(c, "=", TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (!copy_mode_of(t.pane))
        attach_mouse_pass(c->attach, c->mouse);
    return COMMAND_DONE;
}

/* --- keys ----------------------------------------------------------------------------------- */

/* Runs what a key is bound to in the pane's table. */
static void press(struct command *c, const struct target *t, uint32_t key)
{
    struct options_place at = format_options_place(t);
    const struct keytable_binding *b = keytable_find(copy_mode_table(c->daemon->options, at), key);
    struct config_origin origin = config_run_origin(c);
    struct config_list list = {0};

    if (!b || config_list_copy(&b->commands, &list) != ERR_OK) {
        config_list_clear(&list);
        return;
    }
    origin.current = *t;
    origin.request = NULL;
    config_run_start(&origin, &list, NULL, NULL);
}

bool cmd_copy_keys(struct command *c, const struct target *t, long times)
{
    if (!copy_mode_of(t->pane))
        return false;
    for (long i = 0; i < times; i++) {
        for (size_t k = 0; k < c->args.n_words && copy_mode_of(t->pane); k++)
            press(c, t, keynames_parse(c->args.words[k]));
    }
    return true;
}
