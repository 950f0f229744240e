/* source-file, if-shell, run-shell, show-messages, set-hook, show-hooks. */
#include "proto/compat.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/args_help.h"
#include "server/daemon/cmd_config.h"
#include "server/daemon/commands.h"
#include "server/daemon/config_run.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format.h"
#include "server/daemon/hooks.h"
#include "server/daemon/hooks_watch.h"
#include "server/daemon/jobs.h"
#include "server/daemon/pane.h"

/* What a command waits for; kept by command.state. */
struct waiting {
    struct command *command; /* NULL with -b, or when its client has gone */
    struct config_origin origin;
    struct job *job;
    struct config_run *run;
    struct ipc_command request; /* with -b: no more than a directory */
    char *cwd;
    char *yes; /* of if-shell */
    char *no;
    char *line;                 /* of run-shell */
    char place[16];             /* the pane it happens in, to be found again */
    enum command_result result; /* of the list */
    bool starting;
    enum command_result early; /* it was over before it had to wait */
};

static void free_waiting(struct waiting *w)
{
    free(w->yes);
    free(w->no);
    free(w->line);
    free(w->cwd);
    free(w);
}

static void on_cancel(struct command *c)
{
    struct waiting *w = c->state;

    if (w->job)
        job_forget(w->job);
    if (w->run)
        config_run_cancel(w->run);
    free_waiting(w);
}

static struct waiting *make_waiting(struct command *c)
{
    struct waiting *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->command = c;
    w->origin = config_run_origin(c);
    w->early = COMMAND_LATER;
    return w;
}

/* -b: nobody waits, and what was borrowed of the one who asked is let go, but for the directory. */
static void detach(struct waiting *w)
{
    const struct ipc_command *asked = w->origin.request;

    if (asked && asked->cwd.len > 0)
        w->cwd = strndup((const char *)asked->cwd.p, asked->cwd.len);
    if (w->cwd)
        w->request.cwd = bytes_of(w->cwd);
    w->command = NULL;
    w->origin.request = &w->request;
    w->origin.attach = NULL;
    w->origin.mouse = NULL;
    w->origin.parent = NULL;
    w->origin.current = (struct target){NULL, NULL, NULL};
    w->origin.n_extra = 0;
}

/* It is over: tells who waits, at once or by what the command returns. */
static void end_waiting(struct waiting *w, enum command_result result)
{
    if (w->starting) {
        w->early = result;
        return;
    }
    if (w->command)
        command_finish(w->command, result);
    free_waiting(w);
}

/* What the command returns after its work was started. */
static enum command_result begin_waiting(struct command *c, struct waiting *w)
{
    enum command_result early = w->early;

    w->starting = false;
    if (early != COMMAND_LATER) {
        free_waiting(w);
        return early;
    }
    if (!w->command)
        return COMMAND_DONE;
    c->state = w;
    c->cancel = on_cancel;
    return COMMAND_LATER;
}

static void on_list_done(void *ctx, bool ok, struct outbuf *out, struct outbuf *err)
{
    struct waiting *w = ctx;

    if (w->command) {
        outbuf_put(&w->command->out, out->p, out->len);
        outbuf_put(&w->command->err, err->p, err->len);
    }
    w->result = ok ? COMMAND_DONE : COMMAND_FAILED;
    if (w->run) {
        w->run = NULL;
        end_waiting(w, w->result);
    }
}

/* Runs a list for w; what is over at once ends it here. */
static void run_list(struct waiting *w, struct config_list *list)
{
    w->run = config_run_start(&w->origin, list, on_list_done, w);
    if (!w->run)
        end_waiting(w, w->result);
}

/* --- files ---------------------------------------------------------------------------------- */

static void print_list(struct command *c, const struct config_list *list)
{
    for (const struct config_command *k = list->first; k; k = k->next) {
        if (k->error)
            continue;
        outbuf_printf(&c->out, "%s:%u:", k->file ? k->file : "", k->line);
        for (size_t i = 0; i < k->n; i++) {
            outbuf_byte(&c->out, ' ');
            config_list_write_word(k->words[i], &c->out);
        }
        outbuf_byte(&c->out, '\n');
    }
}

/* name is how the user wrote it. */
static bool add_file(struct command *c, const struct config_origin *origin, const char *path,
                     const char *name, struct config_list *list)
{
    struct outbuf text = {0};
    bool ok = config_read_file(path, &text);

    if (ok)
        config_run_parse(origin, (const char *)text.p, text.len, path, list);
    else if (errno == ENOENT && args_has(&c->args, "q"))
        ok = true;
    else
        command_fail(c, "%s: %s", name, strerror(errno));
    outbuf_clear(&text);
    return ok;
}

/* A word of source-file: a path, or a pattern of several, relative to where it was given. */
static bool add_pattern(struct command *c, const struct config_origin *origin, const char *word,
                        struct config_list *list)
{
    char path[8192];
    glob_t found;
    bool ok = true;

    snprintf(path, sizeof path, "%.*s%s%s", word[0] == '/' ? 0 : (int)c->request->cwd.len,
             c->request->cwd.p ? (const char *)c->request->cwd.p : "",
             word[0] == '/' || c->request->cwd.len == 0 ? "" : "/", word);
    if (glob(path, 0, NULL, &found) != 0)
        return add_file(c, origin, path, word, list);
    for (size_t i = 0; i < found.gl_pathc; i++)
        ok = add_file(c, origin, found.gl_pathv[i], found.gl_pathv[i], list) && ok;
    globfree(&found);
    return ok;
}

/* With -n: only what is wrong with the text. */
static enum command_result check_list(struct command *c, struct config_list *list, bool ok)
{
    bool ambiguous;
    char why[256];

    for (const struct config_command *k = list->first; k; k = k->next) {
        struct args a;

        if (!k->error && args_find(k->words[0], &ambiguous) &&
            args_parse(k->n, (const char *const *)k->words, &a, why, sizeof why) == ERR_OK)
            continue;
        if (!k->error && !args_find(k->words[0], &ambiguous))
            args_help_unknown(k->words[0], why, sizeof why);
        command_fail(c, "%s:%u: %s", k->file, k->line, k->error ? k->error : why);
        ok = false;
    }
    config_list_clear(list);
    return ok ? COMMAND_DONE : COMMAND_FAILED;
}

enum command_result cmd_source_file(struct command *c)
{
    struct config_origin origin = config_run_origin(c);
    struct config_list list = {0};
    enum command_result result;
    struct waiting *w;
    bool ok = true;

    if (c->args.n_words == 0)
        return command_usage(c, "source-file needs a file");
    for (size_t i = 0; i < c->args.n_words; i++) {
        struct format_place place = config_run_place(&origin);
        char *path = args_has(&c->args, "F") ? format_vars_text(&place, c->args.words[i], false)
                                             : strdup(c->args.words[i]);

        ok = path && add_pattern(c, &origin, path, &list) && ok;
        free(path);
    }
    if (args_has(&c->args, "v"))
        print_list(c, &list);
    if (args_has(&c->args, "n"))
        return check_list(c, &list, ok);
    w = make_waiting(c);
    if (!w) {
        config_list_clear(&list);
        return command_fail(c, "out of memory");
    }
    w->starting = true;
    w->run = config_run_start(&w->origin, &list, on_list_done, w);
    if (!w->run)
        w->early = w->result; /* it did not have to wait */
    result = begin_waiting(c, w);
    return !ok && result == COMMAND_DONE ? COMMAND_FAILED : result;
}

/* --- programs ------------------------------------------------------------------------------- */

static bool put_env(char **env, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = malloc(size);

    if (text)
        snprintf(text, size, "%s=%s", name, value);
    return environment_put(env, text);
}

static void drop_ours(char **env)
{
    size_t n = 0;

    for (size_t i = 0; env[i]; i++) {
        if (strncmp(env[i], "VITRINE", 7) == 0 && (env[i][7] == '=' || env[i][7] == '_'))
            free(env[i]);
        else
            env[n++] = env[i];
    }
    env[n] = NULL;
}

/* VITRINE_HOOK, VITRINE_VIEWER, … from the extras' names. */
static bool put_extras(char **env, const struct config_origin *o)
{
    bool ok = true;

    for (size_t i = 0; ok && i < o->n_extra; i++) {
        char name[64];
        size_t k = 0;

        for (const char *p = o->extra[i].name; *p && k + 1 < sizeof name - 8; p++)
            name[k++] = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
        name[k] = '\0';
        char full[80];
        snprintf(full, sizeof full, "VITRINE_%s", name);
        ok = put_env(env, full, o->extra[i].value);
    }
    return ok;
}

char **cmd_config_environment(const struct config_origin *o)
{
    const struct session *s = o->current.session;
    struct format_place place = config_run_place(o);
    static const char *const places[][2] = {
        {"VITRINE_SESSION", "#{session_name}"}, {"VITRINE_SESSION_ID", "#{session_id}"},
        {"VITRINE_WINDOW_ID", "#{window_id}"},  {"VITRINE_PANE_ID", "#{pane_id}"},
        {"VITRINE_PANE", "#{pane_id}"},         {"VITRINE", "#{socket_path},#{pid},"}};
    char **env =
        environment_merge(s && s->env ? s->env : environ, &o->daemon->environment,
                          s ? &s->own : NULL, CONFIG_EXTRA_MAX + sizeof places / sizeof places[0]);
    bool ok = env != NULL;

    if (ok)
        drop_ours(env);
    for (size_t i = 0; ok && i < sizeof places / sizeof places[0]; i++) {
        char *value = format_vars_text(&place, places[i][1], false);

        ok = value && (!*value || put_env(env, places[i][0], value));
        free(value);
    }
    if (ok && put_extras(env, o))
        return env;
    environment_free_list(env);
    return NULL;
}

/* The daemon ends; only what nobody waits for is still here. */
static void on_dropped(void *ctx)
{
    free_waiting(ctx);
}

/* Starts `sh -c line` for w. False after saying why. */
static bool start_job(struct command *c, struct waiting *w, const char *line,
                      void (*done)(void *ctx, const struct job_result *result))
{
    char cwd[4096];
    char **env = cmd_config_environment(&w->origin);
    struct job_request r = {line, (const char *const *)env, cwd, done, on_dropped, w};
    int error = ENOMEM;

    if (w->origin.current.pane)
        snprintf(w->place, sizeof w->place, "%%%u", pane_id(w->origin.current.pane));
    snprintf(cwd, sizeof cwd, "%.*s", (int)c->request->cwd.len,
             c->request->cwd.p ? (const char *)c->request->cwd.p : "");
    w->job = env ? jobs_start(c->daemon->jobs, &r, &error) : NULL;
    environment_free_list(env);
    if (!w->job)
        command_fail(c, "cannot run %s: %s", line, strerror(error));
    return w->job != NULL;
}

static char *expand(struct waiting *w, const char *text)
{
    struct format_place place = config_run_place(&w->origin);

    return format_vars_text(&place, text, false);
}

/* -t is where it happens. */
static bool take_target(struct command *c, struct waiting *w)
{
    if (args_value(&c->args, "t"))
        return daemon_find_target(c, TARGET_PANE, &w->origin.current);
    if (!w->origin.current.session && session_first(c->daemon->sessions) &&
        !daemon_find_target(c, TARGET_PANE, &w->origin.current))
        outbuf_reset(&c->err);
    return true;
}

static void run_text(struct waiting *w, const char *text)
{
    struct config_list list = {0};

    if (!text) {
        end_waiting(w, COMMAND_DONE);
        return;
    }
    config_run_parse(&w->origin, text, strlen(text), NULL, &list);
    run_list(w, &list);
}

/* Sessions and panes may have gone while the shell ran. */
static void find_again(struct waiting *w)
{
    const struct target none = {NULL, NULL, NULL};
    struct target at;

    w->origin.current = none;
    if (w->place[0] &&
        target_find(w->origin.daemon->sessions, w->place, TARGET_PANE, &none, 0, &at) == ERR_OK)
        w->origin.current = at;
}

static void on_condition(void *ctx, const struct job_result *result)
{
    struct waiting *w = ctx;

    w->job = NULL;
    find_again(w);
    run_text(w, !result->signalled && result->code == 0 ? w->yes : w->no);
}

enum command_result cmd_if_shell(struct command *c)
{
    struct waiting *w;
    char *condition;
    bool ok;

    if (c->args.n_words < 2 || c->args.n_words > 3)
        return command_usage(c, "if-shell needs a condition and one command or two");
    w = make_waiting(c);
    if (!w)
        return command_fail(c, "out of memory");
    if (!take_target(c, w)) {
        free_waiting(w);
        return COMMAND_FAILED;
    }
    condition = expand(w, c->args.words[0]);
    w->yes = strdup(c->args.words[1]);
    w->no = c->args.n_words == 3 ? strdup(c->args.words[2]) : NULL;
    w->starting = true;
    ok = condition && w->yes;
    if (!ok)
        command_fail(c, "out of memory");
    else if (args_has(&c->args, "F"))
        run_text(w, format_true(condition) ? w->yes : w->no);
    else
        ok = start_job(c, w, condition, on_condition);
    free(condition);
    if (!ok) {
        free_waiting(w);
        return COMMAND_FAILED;
    }
    if (args_has(&c->args, "b") && w->early == COMMAND_LATER)
        detach(w);
    return begin_waiting(c, w);
}

static void on_shell_done(void *ctx, const struct job_result *result)
{
    struct waiting *w = ctx;
    bool ok = !result->signalled && result->code == 0;

    w->job = NULL;
    if (w->command) {
        struct outbuf *out = &w->command->out;

        outbuf_put(out, result->output->p, result->output->len);
        if (out->len > 0 && out->p[out->len - 1] != '\n')
            outbuf_byte(out, '\n');
        if (result->signalled)
            command_fail(w->command, "'%s' terminated by signal %d", w->line, result->code);
        else if (result->code != 0)
            command_fail(w->command, "'%s' returned %d", w->line, result->code);
    }
    end_waiting(w, ok ? COMMAND_DONE : COMMAND_FAILED);
}

/* -d: seconds to wait first, by sleep(1). False after saying that it is no time. */
static bool read_delay(struct command *c, double *out)
{
    const char *text = args_value(&c->args, "d");
    char *end = NULL;

    *out = text ? strtod(text, &end) : 0;
    if (!text || (end != text && !*end && *out >= 0 && *out <= 1e6))
        return true;
    command_fail(c, "invalid delay time: %s", text);
    return false;
}

/* The commands of -C, once the delay is over. */
static void on_delay_over(void *ctx, const struct job_result *result)
{
    struct waiting *w = ctx;

    (void)result;
    w->job = NULL;
    find_again(w);
    run_text(w, w->line);
}

/* Starts what run-shell is to do, after the delay. False after saying why not. */
static bool start_line(struct command *c, struct waiting *w, double delay)
{
    bool commands = args_has(&c->args, "C");
    struct outbuf line = {0};
    bool ok;

    if (delay > 0)
        outbuf_printf(&line, "sleep %.3f\n", delay);
    if (commands && delay <= 0) {
        run_text(w, w->line);
        return true;
    }
    if (!commands)
        outbuf_text(&line, w->line);
    outbuf_byte(&line, 0);
    ok = !line.bad &&
         start_job(c, w, (const char *)line.p, commands ? on_delay_over : on_shell_done);
    outbuf_clear(&line);
    return ok;
}

enum command_result cmd_run_shell(struct command *c)
{
    struct waiting *w;
    double delay;
    bool ok;

    if (c->args.n_words > 1)
        return command_usage(c, "run-shell needs one command");
    if (!read_delay(c, &delay))
        return COMMAND_FAILED;
    if (c->args.n_words == 0 && delay <= 0)
        return COMMAND_DONE;
    w = make_waiting(c);
    if (!w)
        return command_fail(c, "out of memory");
    w->starting = true;
    ok = take_target(c, w);
    if (ok) {
        w->line = c->args.n_words == 1 ? expand(w, c->args.words[0]) : strdup("");
        ok = w->line && start_line(c, w, delay);
    }
    if (!ok) {
        free_waiting(w);
        return COMMAND_FAILED;
    }
    if (args_has(&c->args, "b") && w->early == COMMAND_LATER)
        detach(w);
    return begin_waiting(c, w);
}

/* --- messages and hooks --------------------------------------------------------------------- */

enum command_result cmd_show_messages(struct command *c)
{
    for (size_t i = 0; i < c->daemon->n_messages; i++) {
        outbuf_text(&c->out, c->daemon->messages[i]);
        outbuf_byte(&c->out, '\n');
    }
    return COMMAND_DONE;
}

/* The session a hook is set for: -g all. False after saying why. */
static bool choose_session(struct command *c, int64_t *session, struct target *at)
{
    *session = HOOKS_GLOBAL;
    memset(at, 0, sizeof *at);
    if (args_has(&c->args, "g"))
        return true;
    if (!daemon_find_target(c, TARGET_SESSION, at))
        return false;
    *session = at->session->id;
    return true;
}

enum command_result cmd_set_hook(struct command *c)
{
    const char *name = c->args.n_words > 0 ? c->args.words[0] : "";
    int64_t session;
    struct target at;
    enum err e;

    if (c->args.n_words < 1 || c->args.n_words > 2)
        return command_usage(c, "set-hook needs a hook and a command");
    if (!hooks_known(name))
        return command_fail(c, "no such hook: %s", name);
    if (!choose_session(c, &session, &at))
        return COMMAND_FAILED;
    if (args_has(&c->args, "R")) {
        if (!at.session && session_first(c->daemon->sessions) &&
            !daemon_find_target(c, TARGET_PANE, &at))
            return COMMAND_FAILED;
        config_fire(c->daemon, name, &at, NULL, 0);
        return COMMAND_DONE;
    }
    if (args_has(&c->args, "u")) {
        hooks_unset(c->daemon->hooks, session, name);
        return COMMAND_DONE;
    }
    if (c->args.n_words != 2)
        return command_usage(c, "set-hook needs a command for %s", name);
    hooks_watch_begin(c->daemon->watch);
    e = hooks_set(c->daemon->hooks, session, name, c->args.words[1], args_has(&c->args, "a"));
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "%s: %s", name, err_text(e));
}

static void print_hook(struct command *c, int64_t session, const char *name)
{
    const char *text;

    for (size_t i = 0; (text = hooks_own(c->daemon->hooks, session, name, i)) != NULL; i++)
        outbuf_printf(&c->out, "%s[%zu] %s\n", name, i, text);
}

enum command_result cmd_show_hooks(struct command *c)
{
    const char *name = c->args.n_words == 1 ? c->args.words[0] : NULL;
    int64_t session;
    struct target at;

    if (c->args.n_words > 1)
        return command_usage(c, "show-hooks takes one hook or none");
    if (name && !hooks_known(name))
        return command_fail(c, "no such hook: %s", name);
    if (!choose_session(c, &session, &at))
        return COMMAND_FAILED;
    if (name)
        print_hook(c, session, name);
    for (size_t i = 0; !name && hooks_name(c->daemon->hooks, session, i); i++)
        print_hook(c, session, hooks_name(c->daemon->hooks, session, i));
    return COMMAND_DONE;
}
