#include "proto/compat.h"

#include "server/daemon/spawn.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/daemon/daemon.h"
#include "server/daemon/environment.h"
#include "server/daemon/format_vars.h"
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
    environment_free_list(env);
    return NULL;
}

static void update_variable(const struct command *c, struct session *s, const char *name,
                            size_t len)
{
    char copy[128], *text = NULL;
    struct bytes value;

    if (len >= sizeof copy)
        return;
    memcpy(copy, name, len);
    copy[len] = '\0';
    value = command_env(c, copy);
    if (value.p && !(text = copy_text(value)))
        return;
    environment_set(&s->own, copy, text, false);
    free(text);
}

void spawn_update_environment(const struct command *c, struct session *s)
{
    struct options_place at = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    const char *name;
    long i = -1;

    if (c->request->env.n == 0)
        return;
    while ((name = options_next_item(c->daemon->options, at, OPTION_update_environment, &i)))
        update_variable(c, s, name, strlen(name));
}

/* -e NAME=value; without a value it is set to nothing. */
static char *read_variable(const char *text)
{
    return format_text("%s%s", text, strchr(text, '=') ? "" : "=");
}

static struct options_place options_of(const struct spawn *s)
{
    struct options_place at = {s->session_number, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

    return at;
}

/* The pane's environment: its session's, with -e and ours. NULL when memory ran out. */
static char **make_env(const struct command *c, const struct spawn *s)
{
    char **env = environment_merge((char *const *)s->env, &c->daemon->environment, s->own,
                                   ARGS_OPTIONS_MAX + PANE_ENV_EXTRA);
    bool ok = env && environment_put(env, format_text("TERM=%s", options_text(c->daemon->options, options_of(s), OPTION_default_terminal))) &&
              environment_put(env, strdup("COLORTERM=truecolor"));

    for (size_t i = 0; ok && args_value_at(&c->args, "e", i); i++)
        ok = environment_put(env, read_variable(args_value_at(&c->args, "e", i)));
    ok = ok && environment_put(env, format_text("VITRINE=%s,%ld,%u", c->daemon->socket_path,
                                                (long)getpid(), s->session_number));
    ok = ok && environment_put(env, format_text("VITRINE_PANE=%%%u", s->pane_number));
    if (ok)
        return env;
    environment_free_list(env);
    return NULL;
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

/* -c, in which formats are expanded, relative to where the command was given; else what the caller
 * says. */
static char *choose_directory(const struct command *c, const struct spawn *s)
{
    const char *option = args_value(&c->args, "c");
    struct format_place place = format_place(&c->daemon->world, &s->at);
    char *asked = option ? format_vars_text(&place, option, false) : NULL, *out;

    if (asked && asked[0] == '/')
        return asked;
    out = asked && asked[0] ? format_text("%s/%s", s->cwd, asked) : strdup(s->cwd);
    free(asked);
    return out;
}

/* What is to be run; freed by free_start. */
struct start {
    struct pty_command cmd;
    char **env;
    char *cwd;
    char login[256];
    const char *argv[4];
};

static void free_start(struct start *k)
{
    environment_free_list(k->env);
    free(k->cwd);
}

/* False after saying why. */
static bool prepare(struct command *c, const struct spawn *s, struct start *k)
{
    const char *line = options_text(c->daemon->options, options_of(s), OPTION_default_command);
    bool use_line = s->n_words == 0 && *line;

    *k = (struct start){.env = make_env(c, s), .cwd = choose_directory(c, s)};
    k->cmd.env = (const char *const *)k->env;
    k->cmd.cwd = k->cwd;
    choose_command(choose_shell(c, s), k->login, sizeof k->login, use_line ? 1 : s->n_words,
                   use_line ? &line : s->words, k->argv, &k->cmd);
    if (k->env && k->cwd && (!args_has(&c->args, "c") || access(k->cwd, X_OK) == 0))
        return true;
    if (k->env && k->cwd)
        command_fail(c, "-c %.200s: no such directory", k->cwd);
    else
        command_fail(c, "out of memory");
    free_start(k);
    return false;
}

struct pane *spawn_pane(struct command *c, const struct spawn *s)
{
    long history = (long)options_number(c->daemon->options, options_of(s), OPTION_history_limit);
    char why[512] = "out of memory";
    struct pane *p = NULL;
    struct start k;

    if (!command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history) || !prepare(c, s, &k))
        return NULL;
    p = pane_create(c->daemon->loop, s->pane_number, &k.cmd, s->cols, s->rows, (uint32_t)history,
                    why, sizeof why);
    if (!p)
        command_fail(c, "%s", why);
    else
        pane_set_start(p, s->n_words, s->words, k.cwd);
    free_start(&k);
    return p;
}

static size_t count_words(const char *const *words)
{
    size_t n = 0;

    while (words && words[n])
        n++;
    return n;
}

bool spawn_again(struct command *c, const struct spawn *s, struct pane *p)
{
    struct spawn same = *s;
    char why[512];
    struct start k;
    bool ok;

    if (s->n_words == 0) {
        same.words = pane_start_words(p);
        same.n_words = count_words(same.words);
    }
    if (pane_start_cwd(p))
        same.cwd = pane_start_cwd(p);
    if (!prepare(c, &same, &k))
        return false;
    ok = pane_respawn(p, &k.cmd, why, sizeof why);
    if (!ok)
        command_fail(c, "%s", why);
    else if (s->n_words > 0 || args_has(&c->args, "c"))
        pane_set_start(p, same.n_words, same.words, k.cwd);
    free_start(&k);
    return ok;
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
