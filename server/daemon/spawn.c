#include "proto/compat.h"

#include "server/daemon/spawn.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/daemon/daemon.h"
#include "server/daemon/pane.h"
#include "server/daemon/pty.h"

#define PANE_ENV_EXTRA 8 /* variables of ours, and the end */

/* Variables that speak of the terminal the client runs in, not of the pane. */
static bool is_dropped(struct bytes v)
{
    static const char *const names[] = {
        "TERM=",    "COLORTERM=", "TERM_PROGRAM=", "TERM_PROGRAM_VERSION=",
        "TMUX=",    "TMUX_PANE=", "VITRINE=",      "VITRINE_PANE=",
        "COLUMNS=", "LINES=",     "STY=",          "WINDOWID="};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = strlen(names[i]);

        if (v.len >= len && memcmp(v.p, names[i], len) == 0)
            return true;
    }
    return memchr(v.p, '=', v.len) == NULL || memchr(v.p, '\0', v.len) != NULL;
}

static char *copy_text(struct bytes b)
{
    return strndup((const char *)b.p, b.len);
}

void spawn_free_environment(char **env)
{
    for (size_t i = 0; env && env[i]; i++)
        free(env[i]);
    free(env);
}

static char *__attribute__((format(printf, 1, 2))) format_text(const char *format, ...)
{
    char *out = NULL;
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(&out, format, ap);
    va_end(ap);
    return n < 0 ? NULL : out;
}

/* Adds text (owned, NULL fails), a NAME=value, in the place of a variable of that name. */
static bool set_env(char **env, size_t *n, char *text)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    size_t name = equals ? (size_t)(equals - text) + 1 : 0;

    if (!text)
        return false;
    for (size_t i = 0; i < *n && name > 0; i++) {
        if (strncmp(env[i], text, name) != 0)
            continue;
        free(env[i]);
        env[i] = text;
        return true;
    }
    env[(*n)++] = text;
    return true;
}

char **spawn_environment(const struct command *c)
{
    char **env = calloc((size_t)c->request->env.n + 1, sizeof *env);
    bool ok = env != NULL;
    struct rbuf r;
    size_t n = 0;

    rbuf_init(&r, c->request->env.wire.p, c->request->env.wire.len);
    for (uint16_t i = 0; ok && i < c->request->env.n; i++) {
        struct ipc_argument a;

        ipc_read_argument(&r, &a);
        if (!is_dropped(a.text))
            ok = (env[n++] = copy_text(a.text)) != NULL;
    }
    if (ok)
        return env;
    spawn_free_environment(env);
    return NULL;
}

static void drop_env(char **env, const char *name, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; env[i]; i++) {
        if (strncmp(env[i], name, len) == 0 && env[i][len] == '=')
            free(env[i]);
        else
            env[n++] = env[i];
    }
    env[n] = NULL;
}

static void update_variable(const struct command *c, struct session *s, const char *name,
                            size_t len)
{
    char copy[128], *text;
    struct bytes value;
    size_t n = 0;
    char **env;

    if (len >= sizeof copy)
        return;
    memcpy(copy, name, len);
    copy[len] = '\0';
    value = command_env(c, copy);
    drop_env(s->env, copy, len);
    while (s->env[n])
        n++;
    text = value.p ? format_text("%s=%.*s", copy, (int)value.len, (const char *)value.p) : NULL;
    env = text ? realloc(s->env, (n + 2) * sizeof *env) : NULL;
    if (!env) {
        free(text);
        return;
    }
    env[n] = text;
    env[n + 1] = NULL;
    s->env = env;
}

void spawn_update_environment(const struct command *c, struct session *s)
{
    struct options_place at = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    const char *name;
    long i = -1;

    if (!s->env || c->request->env.n == 0)
        return;
    while ((name = options_next_item(c->daemon->options, at, OPTION_update_environment, &i)))
        update_variable(c, s, name, strlen(name));
}

static size_t count_env(const char *const *env)
{
    size_t n = 0;

    while (env && env[n])
        n++;
    return n;
}

/* The pane's environment: its session's, with -e and ours. NULL when memory ran out. */
static char **make_env(const struct command *c, const struct spawn *s)
{
    size_t base = count_env(s->env), n = 0;
    char **env = calloc(base + ARGS_OPTIONS_MAX + PANE_ENV_EXTRA, sizeof *env);
    bool ok = env != NULL;

    for (size_t i = 0; ok && i < base; i++)
        ok = (env[n++] = strdup(s->env[i])) != NULL;
    ok = ok && set_env(env, &n, strdup("TERM=xterm-256color"));
    ok = ok && set_env(env, &n, strdup("COLORTERM=truecolor"));
    for (size_t i = 0; ok && args_value_at(&c->args, "e", i); i++)
        ok = set_env(env, &n, strdup(args_value_at(&c->args, "e", i)));
    ok = ok && set_env(env, &n,
                       format_text("VITRINE=%s,%ld,%u", c->daemon->socket_path, (long)getpid(),
                                   s->session_number));
    ok = ok && set_env(env, &n, format_text("VITRINE_PANE=%%%u", s->pane_number));
    if (ok)
        return env;
    spawn_free_environment(env);
    return NULL;
}

static struct options_place options_of(const struct spawn *s)
{
    struct options_place at = {s->session_number, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

    return at;
}

/* default-shell where it is set, else the user's: an absolute path that can be run, or /bin/sh. */
static const char *choose_shell(const struct command *c, const struct spawn *s)
{
    const char *const *env = s->env;
    struct options_place at = options_of(s);

    if (options_is_set(c->daemon->options, at, OPTION_default_shell))
        return options_text(c->daemon->options, at, OPTION_default_shell);
    for (; env && *env; env++) {
        if (strncmp(*env, "SHELL=/", 7) == 0 && access(*env + 6, X_OK) == 0)
            return *env + 6;
    }
    return "/bin/sh";
}

/* As tmux does: no words run a login shell, one word is a line for the shell, more are a program
 * and its arguments. */
static void choose_command(const char *shell, char *login, size_t login_cap, size_t n,
                           const char *const *words, const char *argv[4], struct pty_command *cmd)
{
    const char *base = strrchr(shell, '/') + 1;

    if (n > 1) {
        cmd->argv = words;
        return;
    }
    cmd->program = shell;
    snprintf(login, login_cap, "-%s", base);
    argv[0] = n == 0 ? login : base;
    argv[1] = n == 0 ? NULL : "-c";
    argv[2] = n == 0 ? NULL : words[0];
    argv[3] = NULL;
    cmd->argv = argv;
}

/* -c, relative to where the command was given, else what the caller says. */
static char *choose_directory(const struct command *c, const char *cwd)
{
    const char *asked = args_value(&c->args, "c");

    if (asked && asked[0] == '/')
        return strdup(asked);
    if (asked)
        return format_text("%s/%s", cwd, asked);
    return strdup(cwd);
}

struct pane *spawn_pane(struct command *c, const struct spawn *s)
{
    char login[256], why[512] = "out of memory";
    const char *argv[4];
    char **env = make_env(c, s);
    char *cwd = choose_directory(c, s->cwd);
    struct pty_command cmd = {.env = (const char *const *)env, .cwd = cwd};
    const struct options *o = c->daemon->options;
    const char *line = options_text(o, options_of(s), OPTION_default_command);
    long history = (long)options_number(o, options_of(s), OPTION_history_limit);
    struct pane *p = NULL;

    if (s->n_words == 0 && *line)
        choose_command(choose_shell(c, s), login, sizeof login, 1, &line, argv, &cmd);
    else
        choose_command(choose_shell(c, s), login, sizeof login, s->n_words, s->words, argv, &cmd);
    if (env && cwd && args_has(&c->args, "c") && access(cwd, X_OK) != 0)
        snprintf(why, sizeof why, "-c %.200s: no such directory", cwd);
    else if (env && cwd && command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history))
        p = pane_create(c->daemon->loop, s->pane_number, &cmd, s->cols, s->rows, (uint32_t)history,
                        why, sizeof why);
    if (!p)
        command_fail(c, "%s", why);
    spawn_free_environment(env);
    free(cwd);
    return p;
}

void spawn_name(const struct command *c, const struct spawn *s, char *out, size_t cap)
{
    const char *line = options_text(c->daemon->options, options_of(s), OPTION_default_command);
    const char *text = s->n_words > 0 ? s->words[0] : *line ? line : choose_shell(c, s);
    const char *end = text + strcspn(text, " ");
    const char *base = end;

    while (base > text && base[-1] != '/')
        base--;
    utf8_printable((const uint8_t *)base, (size_t)(end - base), out, cap - 1);
}
