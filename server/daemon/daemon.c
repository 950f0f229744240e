#include "proto/compat.h"

#include "server/daemon/daemon.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "proto/viewer_msg.h"
#include "server/daemon/control.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/layout.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/pane.h"
#include "server/daemon/pty.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer.h"

#define PANE_ENV_EXTRA 8 /* variables of ours, and the end */

/* What watches a pane of a session, and keeps it when its program ended while it was shared. */
struct lingering {
    struct daemon *daemon;
    struct pane *pane;
    struct pane_observer observer;
    struct loop_timer timer; /* runs once the pane is only kept */
    struct loop_task reaper;
    struct lingering *next;
};

/* --- the end of panes ----------------------------------------------------------------------- */

static void free_lingering(void *ctx)
{
    free(ctx);
}

static struct lingering *find_lingering(struct daemon *d, const struct pane *p)
{
    struct lingering *k = d->lingering;

    while (k && k->pane != p)
        k = k->next;
    return k;
}

static void destroy_pane(struct daemon *d, struct pane *p)
{
    for (struct lingering **at = &d->lingering; *at; at = &(*at)->next) {
        struct lingering *k = *at;

        if (k->pane != p)
            continue;
        *at = k->next;
        loop_timer_stop(&k->timer);
        pane_unobserve(p, &k->observer);
        loop_defer(d->loop, &k->reaper);
        break;
    }
    pane_destroy(p);
}

/* Session list's hook: a pane is in no session any more. */
static void on_pane_removed(void *ctx, struct pane *p)
{
    struct daemon *d = ctx;
    struct share *s = share_of_pane(d->shares, p);
    struct lingering *k = find_lingering(d, p);

    if (s && k && pane_status(p).dead) {
        viewer_share_ended(d->viewers, s);
        loop_timer_start(&k->timer, DAEMON_LINGER_MS);
        return;
    }
    if (s)
        share_end(d->shares, s, BYE_REASON_ENDED);
    destroy_pane(d, p);
    daemon_refresh(d);
}

static void on_linger_over(void *ctx)
{
    struct lingering *k = ctx;
    struct share *s = share_of_pane(k->daemon->shares, k->pane);

    if (s)
        daemon_end_share(k->daemon, s, BYE_REASON_ENDED);
}

void daemon_end_share(struct daemon *d, struct share *s, unsigned bye_reason)
{
    struct pane *p = s->pane;
    struct target t;

    share_end(d->shares, s, (enum viewer_bye_reason)bye_reason);
    if (p && !session_of_pane(d->sessions, p, &t))
        destroy_pane(d, p);
    daemon_refresh(d);
}

static void on_pane_exited(void *ctx, struct pane *p)
{
    struct lingering *k = ctx;

    session_remove_pane(k->daemon->sessions, p);
}

static void on_session_ended(void *ctx, struct session *s)
{
    struct daemon *d = ctx;
    struct pane_status status = pane_status(s->current->active);
    char text[64] = "killed";

    if (status.dead)
        snprintf(text, sizeof text, status.signalled ? "killed by signal %d" : "exited %d",
                 status.code);
    if (d->control)
        control_session_ended(d->control, s, text);
}

static bool watch_pane(struct daemon *d, struct pane *p)
{
    struct lingering *k = calloc(1, sizeof *k);

    if (!k)
        return false;
    k->daemon = d;
    k->pane = p;
    k->observer.exited = on_pane_exited;
    k->observer.ctx = k;
    loop_timer_init(&k->timer, d->loop, on_linger_over, k);
    loop_task_init(&k->reaper, free_lingering, k);
    k->next = d->lingering;
    d->lingering = k;
    pane_observe(p, &k->observer);
    return true;
}

/* --- starting programs ---------------------------------------------------------------------- */

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

static void free_env(char **env)
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

/* The pane's environment: the client's, without what spoke of its terminal, with -e and ours.
 * NULL when memory ran out. */
static char **make_env(const struct command *c, uint32_t pane_number)
{
    size_t n = 0;
    char **env = calloc((size_t)c->request->env.n + ARGS_OPTIONS_MAX + PANE_ENV_EXTRA, sizeof *env);
    struct rbuf r;
    bool ok = env != NULL;

    rbuf_init(&r, c->request->env.wire.p, c->request->env.wire.len);
    for (uint16_t i = 0; ok && i < c->request->env.n; i++) {
        struct ipc_argument a;

        ipc_read_argument(&r, &a);
        if (!is_dropped(a.text))
            ok = (env[n++] = copy_text(a.text)) != NULL;
    }
    ok = ok && set_env(env, &n, strdup("TERM=xterm-256color"));
    ok = ok && set_env(env, &n, strdup("COLORTERM=truecolor"));
    for (size_t i = 0; ok && args_value_at(&c->args, "e", i); i++)
        ok = set_env(env, &n, strdup(args_value_at(&c->args, "e", i)));
    ok = ok && set_env(env, &n,
                       format_text("VITRINE=%s,%ld,%u", c->daemon->socket_path, (long)getpid(),
                                   session_next_id(c->daemon->sessions)));
    ok = ok && set_env(env, &n, format_text("VITRINE_PANE=%%%u", pane_number));
    if (ok)
        return env;
    free_env(env);
    return NULL;
}

/* The user's shell: an absolute path that can be run, else /bin/sh. */
static void choose_shell(const struct command *c, char *out, size_t cap)
{
    struct bytes shell = command_env(c, "SHELL");

    if (shell.len > 0 && shell.len < cap && shell.p[0] == '/') {
        memcpy(out, shell.p, shell.len);
        out[shell.len] = '\0';
        if (access(out, X_OK) == 0)
            return;
    }
    snprintf(out, cap, "/bin/sh");
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

static char *choose_directory(const struct command *c)
{
    const char *asked = args_value(&c->args, "c");

    if (asked && asked[0] == '/')
        return strdup(asked);
    if (asked) /* relative to the client's */
        return format_text("%.*s/%s", (int)c->request->cwd.len, (const char *)c->request->cwd.p,
                           asked);
    return copy_text(c->request->cwd);
}

static struct pane *start_program(struct command *c, uint32_t number, size_t n_words,
                                  const char *const *words, uint16_t cols, uint16_t rows)
{
    struct daemon *d = c->daemon;
    char shell[4096], login[256], why[512] = "out of memory";
    const char *argv[4];
    char **env = make_env(c, number);
    char *cwd = choose_directory(c);
    struct pty_command cmd = {.env = (const char *const *)env, .cwd = cwd};
    long history = d->history_limit;
    struct pane *p = NULL;

    choose_shell(c, shell, sizeof shell);
    choose_command(shell, login, sizeof login, n_words, words, argv, &cmd);
    if (env && cwd && args_has(&c->args, "c") && access(cwd, X_OK) != 0)
        snprintf(why, sizeof why, "-c %.200s: no such directory", cwd);
    else if (env && cwd && command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history))
        p = pane_create(d->loop, number, &cmd, cols, rows, (uint32_t)history, why, sizeof why);
    if (p && !watch_pane(d, p)) {
        pane_destroy(p);
        p = NULL;
    }
    if (!p)
        command_fail(c, "%s", why);
    free_env(env);
    free(cwd);
    return p;
}

/* A window is named by new-session -n, else after the program: "make" for `make -j2` as one word or
 * several, the shell's name for a shell. */
static void name_window(const struct command *c, struct window *w, size_t n_words,
                        const char *const *words)
{
    bool asked = c->args.spec->id == ARGS_COMMAND_new_session;
    const char *text = asked ? args_value(&c->args, "n") : NULL; /* share -n names the share */
    char shell[4096];
    const char *end, *slash;

    if (!text) {
        choose_shell(c, shell, sizeof shell);
        text = n_words > 0 ? words[0] : shell;
        end = text + strcspn(text, " ");
        for (slash = end; slash > text && slash[-1] != '/'; slash--)
            ;
        utf8_printable((const uint8_t *)slash, (size_t)(end - slash), w->name, sizeof w->name - 1);
        return;
    }
    utf8_printable((const uint8_t *)text, strlen(text), w->name, sizeof w->name - 1);
}

struct session *daemon_new_session(struct command *c, const char *name, size_t n_words,
                                   const char *const *words, uint16_t cols, uint16_t rows)
{
    struct daemon *d = c->daemon;
    uint32_t number = session_next_pane_id(d->sessions);
    enum err e = name ? session_check_name(d->sessions, name) : ERR_OK;
    struct session *s;
    struct pane *p;

    if (e != ERR_OK) {
        command_fail(c, e == ERR_STATE ? "duplicate session: %s" : "bad session name: %s", name);
        return NULL;
    }
    p = start_program(c, number, n_words, words, cols, rows);
    if (!p)
        return NULL;
    s = session_create(d->sessions, name, p, number, screen_cols(pane_screen(p)),
                       screen_rows(pane_screen(p)));
    if (!s) {
        destroy_pane(d, p);
        command_fail(c, "out of memory");
        return NULL;
    }
    name_window(c, s->current, n_words, words);
    return s;
}

/* --- targets -------------------------------------------------------------------------------- */

bool daemon_find_target(struct command *c, struct target *out)
{
    const char *text = args_value(&c->args, "t");
    struct bytes own = command_env(c, "VITRINE_PANE");
    char here[32] = "";
    enum err e;

    if (!text && own.len > 0 && own.len < sizeof here)
        memcpy(here, own.p, own.len);
    e = session_find(c->daemon->sessions, text ? text : here, out);
    if (e == ERR_NOT_FOUND && !text && here[0])
        e = session_find(c->daemon->sessions, "", out);
    if (e == ERR_OK)
        return true;
    if (!text && !session_first(c->daemon->sessions))
        command_fail(c, "there are no sessions");
    else
        command_fail(c, "%s: %s", e == ERR_MALFORMED ? "several sessions match" : "can't find",
                     text ? text : here);
    return false;
}

/* --- the whole ------------------------------------------------------------------------------ */

static void on_gate_idle(void *ctx)
{
    struct daemon *d = ctx;

    if (!share_first(d->shares))
        gate_link_stop(d->gate);
}

void daemon_refresh(void *daemon)
{
    struct daemon *d = daemon;

    if (d->control)
        control_refresh(d->control);
    if (share_first(d->shares))
        loop_timer_stop(d->gate_idle);
    else if (gate_link_state(d->gate) != GATE_OFF && !loop_timer_running(d->gate_idle))
        loop_timer_start(d->gate_idle, DAEMON_GATE_IDLE_MS);
}

static bool open_shares(struct daemon *d)
{
    struct gate_hooks hooks = {viewer_carrier_open, viewer_carrier_data, viewer_carrier_closed,
                               viewer_carrier_credit, NULL};
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    d->shares = share_list_create(d->loop);
    d->viewers = d->shares ? viewer_list_create(d->loop, d->shares, host, daemon_refresh, d) : NULL;
    hooks.ctx = d->viewers;
    d->gate = d->viewers ? gate_link_create(d->loop, d->gate_program, &hooks) : NULL;
    return d->gate != NULL;
}

bool daemon_open(struct daemon *d, const char *socket_path, const char *gate_program)
{
    struct session_hooks hooks = {on_pane_removed, on_session_ended, d};

    memset(d, 0, sizeof *d);
    d->socket_path = socket_path;
    d->gate_program = gate_program;
    d->history_limit = SCREEN_HISTORY_DEFAULT;
    d->loop = loop_create();
    d->gate_idle = calloc(1, sizeof *d->gate_idle);
    if (d->loop && d->gate_idle) {
        loop_timer_init(d->gate_idle, d->loop, on_gate_idle, d);
        d->started_s = loop_wall_s(d->loop);
        d->sessions = session_list_create(d->loop, &hooks);
    }
    if (d->sessions && open_shares(d))
        return true;
    log_line(LOG_GENERAL, "cannot start: out of memory or descriptors");
    daemon_close(d);
    return false;
}

void daemon_close(struct daemon *d)
{
    /* shares first: their viewers are told that the host stops, not that a program has ended */
    while (d->shares && share_first(d->shares))
        daemon_end_share(d, share_first(d->shares), BYE_REASON_STOPPING);
    session_list_destroy(d->sessions);
    viewer_list_destroy(d->viewers);
    gate_link_destroy(d->gate);
    share_list_destroy(d->shares);
    if (d->loop)
        loop_settle(d->loop);
    if (d->gate_idle && d->loop)
        loop_timer_stop(d->gate_idle);
    free(d->gate_idle);
    loop_destroy(d->loop);
    memset(d, 0, sizeof *d);
}
