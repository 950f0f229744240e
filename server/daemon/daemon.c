#include "proto/compat.h"

#include "server/daemon/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "proto/viewer_msg.h"
#include "server/daemon/alerts.h"
#include "server/daemon/attach.h"
#include "server/daemon/cmd_copy.h"
#include "server/daemon/cmd_reach.h"
#include "server/daemon/config_run.h"
#include "server/daemon/control.h"
#include "server/daemon/format_jobs.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/hooks.h"
#include "server/daemon/hooks_watch.h"
#include "server/daemon/jobs.h"
#include "server/daemon/layout.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/mouse.h"
#include "server/daemon/operate.h"
#include "server/daemon/names.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/pane.h"
#include "server/daemon/pipe.h"
#include "server/daemon/prompt.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/spawn.h"
#include "server/daemon/styled.h"
#include "server/daemon/target.h"
#include "server/daemon/tunnel.h"
#include "server/daemon/trim.h"
#include "server/daemon/viewer.h"

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

void daemon_destroy_pane(struct daemon *d, struct pane *p)
{
    if (d->viewers)
        viewer_pane_gone(d->viewers, p);
    options_forget(d->options, OPTION_PANE, pane_id(p));
    if (d->control)
        control_pane_gone(d->control, p);
    pipe_close(d->pipes, p);
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
    struct lingering *k = find_lingering(d, p);

    loop_defer(d->loop, &d->tidy);
    daemon_model_changed(d);
    if (k && daemon_keep_pane(d, p)) {
        loop_timer_start(&k->timer, DAEMON_LINGER_MS);
        return;
    }
    daemon_end_shares_of(d, p);
    daemon_destroy_pane(d, p);
    daemon_refresh(d);
}

static void on_linger_over(void *ctx)
{
    struct lingering *k = ctx;
    struct daemon *d = k->daemon;
    struct pane *p = k->pane;

    daemon_end_shares_of(d, p);
    daemon_destroy_pane(d, p);
    daemon_refresh(d);
}

/* remain-on-exit: off, on, failed. */
static bool stays(const struct daemon *d, const struct target *t)
{
    long how = options_number(d->options, format_options_place(t), OPTION_remain_on_exit);
    struct pane_status status = pane_status(t->pane);

    return how == 1 || (how == 2 && (status.signalled || status.code != 0));
}

/* After the pane has gone, or stays dead: its hook may do anything. */
static void fire_pane_exited(struct daemon *d, uint32_t session, uint32_t number,
                             struct pane_status status, bool kept)
{
    char pane[16], code[16];
    const struct format_extra extra[] = {{"hook_pane", pane},
                                         {status.signalled ? "exit_signal" : "exit_status", code}};
    struct target t = {NULL, NULL, NULL};

    snprintf(pane, sizeof pane, "%%%u", number);
    snprintf(code, sizeof code, "%d", status.code);
    for (struct session *s = session_first(d->sessions); s; s = s->next) {
        if (s->id == session)
            t.session = s;
    }
    config_fire(d, kept ? "pane-died" : "pane-exited", &t, extra, 2);
}

/* Takes out a pane whose program has ended; t is where it is. */
static void take_out(struct daemon *d, const struct target *t, struct pane *p)
{
    if (!t->session)
        return;
    d->exiting.pane = p;
    d->exiting.window = t->window->id;
    d->exiting.session = t->session->id;
    session_remove_pane(d->sessions, p);
    d->exiting.pane = NULL;
}

/* remain-on-exit-format on the last row, where what was there has moved up for it. */
static void show_how_it_ended(struct daemon *d, const struct target *t)
{
    struct format_place place = format_place(&d->world, t);
    uint16_t cols = screen_cols(pane_screen(t->pane)), rows = screen_rows(pane_screen(t->pane));
    char *text = format_vars_text(
        &place,
        options_text(d->options, format_options_place(t), OPTION_remain_on_exit_format), true);
    struct frame f = {0};
    struct outbuf out = {0};
    struct pen pen = frame_pen_default;

    if (text && *text && frame_resize(&f, cols, 1)) {
        frame_blank(&f);
        styled_draw(text, &frame_pen_default, &f, 0, 0, cols, NULL);
        outbuf_printf(&out, "\033[?6l\033[r\033[m\033[%u;1H\n\033[?25l", rows);
        for (uint16_t x = 0; x < cols && x < frame_text_end(&f, 0); x++) {
            const struct cell *c = &frame_row(&f, 0)[x];

            sgr_write(&out, &pen, &c->pen);
            pen = c->pen;
            outbuf_put(&out, c->text, c->len);
        }
        outbuf_text(&out, "\033[m");
        if (!out.bad)
            pane_show(t->pane, out.p, out.len);
    }
    outbuf_clear(&out);
    frame_clear(&f);
    free(text);
}

static void on_pane_exited(void *ctx, struct pane *p)
{
    struct lingering *k = ctx;
    struct daemon *d = k->daemon;
    struct target t = {NULL, NULL, NULL};
    bool kept = session_of_pane(d->sessions, p, &t) && stays(d, &t);
    uint32_t id = t.session ? t.session->id : UINT32_MAX, number = pane_id(p);
    struct pane_status status = pane_status(p);

    if (kept) {
        show_how_it_ended(d, &t);
        session_changed(d->sessions, t.session);
    } else {
        take_out(d, &t, p);
    }
    fire_pane_exited(d, id, number, status, kept);
}

static void on_pane_belled(void *ctx, struct pane *p)
{
    struct lingering *k = ctx;

    alerts_bell(k->daemon->alerts, p);
}

static void on_pane_output(void *ctx, struct pane *p)
{
    struct lingering *k = ctx;

    alerts_output(k->daemon->alerts, p);
    names_wake(k->daemon->names);
}

static void on_session_ended(void *ctx, struct session *s)
{
    struct daemon *d = ctx;
    const struct options_place at = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    struct pane_status status = pane_status(s->current->active);
    char text[64] = "killed";

    if (status.dead)
        snprintf(text, sizeof text, status.signalled ? "killed by signal %d" : "exited %d",
                 status.code);
    daemon_model_changed(d);
    if (d->control)
        control_session_ended(d->control, s, text);
    options_forget(d->options, OPTION_SESSION, s->id);
    if (d->hooks)
        hooks_forget(d->hooks, s->id);
    hooks_watch_wake(d->watch);
    if (session_count(d->sessions) == 0 && d->control &&
        options_flag(d->options, at, OPTION_exit_empty))
        loop_stop(d->loop);
}

static void on_pane_sized(void *ctx, struct pane *p, uint16_t cols, uint16_t rows)
{
    (void)ctx;
    if (pane_resize(p, cols, rows) != ERR_OK)
        log_line(LOG_PANE, "pane %%%u keeps its size: out of memory", pane_id(p));
}

static void on_session_changed(void *ctx, struct session *s)
{
    struct daemon *d = ctx;

    (void)s;
    alerts_refresh(d->alerts);
    names_wake(d->names);
    daemon_model_changed(d);
    daemon_refresh(ctx);
}

static bool watch_pane(struct daemon *d, struct pane *p)
{
    struct lingering *k = calloc(1, sizeof *k);

    if (!k)
        return false;
    k->daemon = d;
    k->pane = p;
    k->observer.exited = on_pane_exited;
    k->observer.belled = on_pane_belled;
    k->observer.output = on_pane_output;
    k->observer.ctx = k;
    loop_timer_init(&k->timer, d->loop, on_linger_over, k);
    loop_task_init(&k->reaper, free_lingering, k);
    k->next = d->lingering;
    d->lingering = k;
    pane_observe(p, &k->observer);
    return true;
}

/* --- new panes ------------------------------------------------------------------------------ */

static char *directory_of(const struct command *c)
{
    if (c->request->cwd.len == 0)
        return strdup("/");
    return strndup((const char *)c->request->cwd.p, c->request->cwd.len);
}

/* Starts a program in the environment of a session, or of the client when there is none yet, and
 * watches it. */
static struct pane *start_pane(struct command *c, struct session *s, struct spawn *what)
{
    struct daemon *d = c->daemon;
    char **env = s ? NULL : spawn_environment(c);
    char *cwd = directory_of(c);
    struct pane *p = NULL;

    what->env = (const char *const *)(s ? s->env : env);
    what->own = s ? &s->own : NULL;
    what->cwd = cwd ? cwd : "/";
    what->pane_number = session_next_pane_id(d->sessions);
    what->session_number = s ? s->id : session_next_id(d->sessions);
    if (s || env)
        p = spawn_pane(c, what);
    if (p && !watch_pane(d, p)) {
        pane_destroy(p);
        p = NULL;
    }
    if (p)
        control_pane_made(c->client, p);
    what->env = NULL;
    what->own = NULL;
    what->cwd = NULL;
    environment_free_list(env);
    free(cwd);
    return p;
}

/* -n, where it names the window, else the program's name. */
static void name_window(const struct command *c, struct window *w, const struct spawn *what)
{
    const char *asked = c->args.spec->id == ARGS_COMMAND_share ? NULL : args_value(&c->args, "n");

    if (asked)
        names_fix(c->daemon, w);
    if (asked)
        utf8_printable((const uint8_t *)asked, strlen(asked), w->name, sizeof w->name - 1);
    else
        spawn_name(c, what, w->name, sizeof w->name);
}

void daemon_default_size(const struct daemon *d, long *cols, long *rows)
{
    const struct options_place at = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

    sscanf(options_text(d->options, at, OPTION_default_size), "%ldx%ld", cols, rows);
    *cols = *cols < SCREEN_COLS_MIN ? SCREEN_COLS_MIN : *cols > SCREEN_COLS_MAX ? SCREEN_COLS_MAX : *cols;
    *rows = *rows < SCREEN_ROWS_MIN ? SCREEN_ROWS_MIN : *rows > SCREEN_ROWS_MAX ? SCREEN_ROWS_MAX : *rows;
}

uint32_t daemon_base_index(const struct daemon *d, const struct session *s)
{
    struct options_place at = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

    return (uint32_t)options_number(d->options, at, OPTION_base_index);
}

struct session *daemon_new_session(struct command *c, const char *name, size_t n_words,
                                   const char *const *words, uint16_t cols, uint16_t rows)
{
    struct daemon *d = c->daemon;
    struct spawn what = {.n_words = n_words, .words = words, .cols = cols, .rows = rows};
    enum err e = name ? session_check_name(d->sessions, name) : ERR_OK;
    struct session *s;
    struct pane *p;

    if (e != ERR_OK) {
        command_fail(c, e == ERR_STATE ? "duplicate session: %s" : "bad session name: %s", name);
        return NULL;
    }
    p = start_pane(c, NULL, &what);
    if (!p)
        return NULL;
    s = session_create(d->sessions, name, p, pane_id(p), screen_cols(pane_screen(p)),
                       screen_rows(pane_screen(p)));
    if (!s || !(s->env = spawn_environment(c))) {
        if (s)
            session_end(d->sessions, s);
        else
            daemon_destroy_pane(d, p);
        command_fail(c, "out of memory");
        return NULL;
    }
    what.env = (const char *const *)s->env;
    s->cwd = pane_start_cwd(p) ? strdup(pane_start_cwd(p)) : NULL;
    if (!args_has(&c->args, "E"))
        spawn_update_environment(c, s);
    name_window(c, s->current, &what);
    session_move_window(d->sessions, s->current, daemon_base_index(d, s));
    hooks_watch_wake(d->watch);
    return s;
}

struct window *daemon_new_window(struct command *c, struct session *s, int index, size_t n_words,
                                 const char *const *words)
{
    struct daemon *d = c->daemon;
    struct spawn what = {.n_words = n_words,
                         .words = words,
                         .cols = s->cols,
                         .rows = s->rows,
                         .at = {s, s->current, s->current->active}};
    struct window *w = NULL;
    struct pane *p;
    enum err e;

    if (index != SESSION_INDEX_NEXT && session_window_at(s, (uint32_t)index)) {
        command_fail(c, "index in use: %d", index);
        return NULL;
    }
    p = start_pane(c, s, &what);
    if (!p)
        return NULL;
    e = session_add_window(d->sessions, s, index, (int)daemon_base_index(d, s), p, pane_id(p), &w);
    if (e != ERR_OK) {
        daemon_destroy_pane(d, p);
        command_fail(c, "%s", err_text(e));
        return NULL;
    }
    what.env = (const char *const *)s->env;
    name_window(c, w, &what);
    hooks_watch_wake(d->watch);
    return w;
}

struct pane *daemon_split(struct command *c, const struct target *at,
                          const struct layout_split *how, size_t n_words, const char *const *words)
{
    struct daemon *d = c->daemon;
    struct spawn what = {.n_words = n_words,
                         .words = words,
                         .cols = at->session->cols,
                         .rows = at->session->rows,
                         .at = *at};
    struct pane *p = start_pane(c, at->session, &what);
    enum err e;

    if (!p)
        return NULL;
    e = session_split(d->sessions, at->window, at->pane, how, p, pane_id(p));
    if (e == ERR_OK)
        return p;
    daemon_destroy_pane(d, p);
    command_fail(c, e == ERR_SPACE ? "no space for a new pane" : "%s", err_text(e));
    return NULL;
}

bool daemon_respawn(struct command *c, const struct target *at, size_t n_words,
                    const char *const *words)
{
    char *cwd = directory_of(c);
    struct spawn what = {.n_words = n_words,
                         .words = words,
                         .env = (const char *const *)at->session->env,
                         .own = &at->session->own,
                         .cwd = cwd ? cwd : "/",
                         .at = *at,
                         .pane_number = pane_id(at->pane),
                         .session_number = at->session->id};
    bool ok = spawn_again(c, &what, at->pane);

    free(cwd);
    session_changed(c->daemon->sessions, at->session);
    return ok;
}

/* --- targets -------------------------------------------------------------------------------- */

/* Where the command was given: the attached terminal's, or the pane it was typed in. */
static struct target current_target(const struct command *c)
{
    struct bytes own = command_env(c, "VITRINE_PANE");
    struct target none = {NULL, NULL, NULL}, t = c->current;
    char text[32] = "";

    if (t.session || own.len == 0 || own.len >= sizeof text)
        return t;
    memcpy(text, own.p, own.len);
    if (target_find(c->daemon->sessions, text, TARGET_PANE, &none, 0, &t) != ERR_OK)
        return none;
    return t;
}

/* What was under the mouse when the command's binding was run. */
static bool find_under_mouse(struct command *c, struct target *out)
{
    const struct mouse_event *e = c->mouse;
    const struct target none = {NULL, NULL, NULL};
    char text[32] = "";

    if (e && e->pane != MOUSE_NOTHING)
        snprintf(text, sizeof text, "%%%lld", (long long)e->pane);
    else if (e && e->window != MOUSE_NOTHING)
        snprintf(text, sizeof text, "@%lld", (long long)e->window);
    if (text[0] && target_find(c->daemon->sessions, text, TARGET_PANE, &none, 0, out) == ERR_OK)
        return true;
    command_fail(c, "no mouse target");
    return false;
}

bool daemon_find(struct command *c, const char *text, enum target_kind kind, struct target *out)
{
    struct target current = current_target(c);
    const struct options_place nowhere = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    int base = (int)options_number(c->daemon->options, nowhere, OPTION_pane_base_index);
    char why[TARGET_WHY_MAX];

    if (text && (strcmp(text, "=") == 0 || strcmp(text, "{mouse}") == 0))
        return find_under_mouse(c, out);
    if (target_find_why(c->daemon->sessions, text, kind, &current, base, out, why) == ERR_OK)
        return true;
    if (!session_first(c->daemon->sessions) && (!text || !*text))
        command_fail(c, "there are no sessions");
    else
        command_fail(c, "%s", why);
    return false;
}

bool daemon_find_source(struct command *c, enum target_kind kind, struct target *out)
{
    const char *text = args_value(&c->args, "s");

    return (!text && session_marked(c->daemon->sessions, out)) || daemon_find(c, text, kind, out);
}

bool daemon_find_target(struct command *c, enum target_kind kind, struct target *out)
{
    return daemon_find(c, args_value(&c->args, "t"), kind, out);
}

/* --- the whole ------------------------------------------------------------------------------ */

static void on_gate_idle(void *ctx)
{
    struct daemon *d = ctx;

    if (share_first(d->shares))
        return;
    tunnel_stop(d->tunnel);
    gate_link_stop(d->gate);
}

/* The way in is lost, back, or another: the links on screens are not the last word any more. */
static void on_tunnel_changed(void *ctx)
{
    struct outbuf text = {0};
    struct daemon *d = ctx;

    reach_allow_tunnel(d);
    outbuf_text(&text, "the tunnel is ");
    tunnel_describe(d->tunnel, &text);
    outbuf_byte(&text, '\0');
    if (!text.bad)
        attach_message_all((const char *)text.p);
    outbuf_clear(&text);
}

void daemon_refresh(void *daemon)
{
    struct daemon *d = daemon;

    attach_refresh_all();
    hooks_watch_wake(d->watch);
    if (share_first(d->shares))
        loop_timer_stop(d->gate_idle);
    else if (gate_link_state(d->gate) != GATE_OFF && !loop_timer_running(d->gate_idle))
        loop_timer_start(d->gate_idle, DAEMON_GATE_IDLE_MS);
}

static bool window_lives(void *ctx, int64_t id)
{
    const struct daemon *d = ctx;

    for (const struct session *s = session_first(d->sessions); s; s = s->next) {
        for (const struct window *w = s->windows; w; w = w->next) {
            if (w->id == id)
                return true;
        }
    }
    return false;
}

void daemon_renumber(struct daemon *d, struct session *s)
{
    uint32_t next = daemon_base_index(d, s);

    for (struct window *w = s->windows, *after; w; w = after) {
        after = w->next;
        session_move_window(d->sessions, w, next++);
    }
}

/* After panes have gone: what was set for their windows, and renumber-windows. */
void daemon_terminal_left(struct daemon *d)
{
    d->left = true;
    loop_defer(d->loop, &d->tidy);
}

/* destroy-unattached and exit-unattached. */
static void end_unattached(struct daemon *d)
{
    const struct options_place at = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    uint32_t attached = 0;

    for (struct session *s = session_first(d->sessions), *next; s; s = next) {
        struct options_place place = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

        next = s->next;
        attached += s->attached;
        if (s->attached == 0 && options_flag(d->options, place, OPTION_destroy_unattached))
            session_end(d->sessions, s);
    }
    if (d->left && attached == 0 && options_flag(d->options, at, OPTION_exit_unattached))
        loop_stop(d->loop);
    d->left = false;
}

static void on_tidy(void *ctx)
{
    struct daemon *d = ctx;

    options_prune(d->options, OPTION_WINDOW, window_lives, d);
    end_unattached(d);
    for (struct session *s = session_first(d->sessions); s; s = s->next) {
        struct options_place at = {s->id, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

        if (options_flag(d->options, at, OPTION_renumber_windows))
            daemon_renumber(d, s);
    }
}

static bool open_shares(struct daemon *d)
{
    struct gate_hooks hooks = {viewer_carrier_open, viewer_carrier_data, viewer_carrier_closed,
                               viewer_carrier_credit, NULL};
    struct viewer_hooks viewer_hooks = {daemon_refresh, operate_run, d};
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    d->shares = share_list_create(d->loop);
    if (d->shares)
        d->viewers =
            viewer_list_create(d->loop, d->sessions, d->shares, host, &viewer_hooks);
    hooks.ctx = d->viewers;
    d->gate = d->viewers ? gate_link_create(d->loop, d->gate_program, &hooks) : NULL;
    return d->gate != NULL;
}

static void on_option_changed(void *ctx, enum option_id id)
{
    const struct options_place at = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    struct daemon *d = ctx;

    alerts_refresh(d->alerts);
    names_option(d->names, id);
    d->pastes.limit = (size_t)options_number(d->options, at, OPTION_buffer_limit);
    prompt_set_history_limit((size_t)options_number(d->options, at, OPTION_prompt_history_limit));
    daemon_model_changed(d);
    attach_options_changed();
    daemon_refresh(d);
}

/* after-<command> */
static void on_after_command(struct command *c)
{
    struct target current = current_target(c), at = {NULL, NULL, NULL};
    char name[64];

    if (hooks_empty(c->daemon->hooks))
        return;
    if (target_find(c->daemon->sessions, args_value(&c->args, "t"), TARGET_PANE, &current, 0,
                    &at) != ERR_OK)
        at = (struct target){NULL, NULL, NULL};
    snprintf(name, sizeof name, "after-%s", c->args.spec->name);
    config_fire(c->daemon, name, &at, NULL, 0);
}

/* #(command) has printed something else. */
static void on_format_job(void *ctx)
{
    (void)ctx;
    attach_refresh_all();
}

static bool open_hooks(struct daemon *d)
{
    d->jobs = jobs_create(d->loop);
    d->pipes = pipe_list_create(d->loop);
    d->hooks = hooks_create();
    d->watch = hooks_watch_create(d);
    d->alerts = alerts_create(d);
    d->names = names_create(d);
    d->format_jobs = d->jobs ? format_jobs_create(d->loop, d->jobs, on_format_job, d) : NULL;
    command_set_after(on_after_command);
    return d->jobs && d->pipes && d->hooks && d->watch && d->alerts && d->names && d->format_jobs;
}

/* default-shell until it is set: what SHELL names here, where that can be run. */
static const char *daemon_shell(void)
{
    const char *shell = getenv("SHELL");

    return shell && shell[0] == '/' && access(shell, X_OK) == 0 ? shell : "/bin/sh";
}

bool daemon_open(struct daemon *d, const char *socket_path, const char *gate_program)
{
    struct session_hooks hooks = {.pane_removed = on_pane_removed,
                                  .session_ended = on_session_ended,
                                  .pane_sized = on_pane_sized,
                                  .changed = on_session_changed,
                                  .ctx = d};

    memset(d, 0, sizeof *d);
    d->socket_path = socket_path;
    d->gate_program = gate_program;
    d->loop = loop_create();
    d->options = options_create(daemon_shell());
    d->gate_idle = calloc(1, sizeof *d->gate_idle);
    if (d->loop && d->gate_idle && d->options) {
        trim_open(d->loop);
        loop_task_init(&d->tidy, on_tidy, d);
        daemon_open_share_check(d);
        loop_timer_init(d->gate_idle, d->loop, on_gate_idle, d);
        d->started_s = loop_wall_s(d->loop);
        d->sessions = session_list_create(d->loop, &hooks);
        d->tunnel = tunnel_create(d->loop, on_tunnel_changed, d);
    }
    if (d->sessions && d->tunnel && open_hooks(d) && open_shares(d)) {
        d->world = (struct format_world){.loop = d->loop,
                                         .sessions = d->sessions,
                                         .shares = d->shares,
                                         .options = d->options,
                                         .pastes = &d->pastes,
                                         .pipes = d->pipes,
                                         .environment = &d->environment,
                                         .socket_path = d->socket_path,
                                         .started_s = d->started_s,
                                         .jobs = d->format_jobs};
        options_set_hook(d->options, on_option_changed, d);
        pane_set_clipboard_hook(cmd_copy_clipboard, d);
        return true;
    }
    log_line(LOG_GENERAL, "cannot start: out of memory or descriptors");
    daemon_close(d);
    return false;
}

static void close_hooks(struct daemon *d)
{
    command_set_after(NULL);
    hooks_watch_destroy(d->watch);
    d->watch = NULL;
    config_run_cancel_all(d);
    format_jobs_destroy(d->format_jobs);
    d->world.jobs = NULL;
    jobs_destroy(d->jobs);
    hooks_destroy(d->hooks);
    d->hooks = NULL;
    while (d->n_messages > 0)
        free(d->messages[--d->n_messages]);
    free(d->messages);
}

void daemon_close(struct daemon *d)
{
    d->stopping = true;
    pane_set_clipboard_hook(NULL, NULL);
    /* shares first: their viewers are told that the host stops, not that a program has ended */
    while (d->shares && share_first(d->shares))
        daemon_end_share(d, share_first(d->shares), BYE_REASON_STOPPING);
    if (d->loop)
        close_hooks(d);
    session_list_destroy(d->sessions);
    alerts_destroy(d->alerts);
    names_destroy(d->names);
    if (d->loop) {
        loop_cancel(d->loop, &d->tidy);
        loop_cancel(d->loop, &d->share_check);
    }
    viewer_list_destroy(d->viewers);
    tunnel_destroy(d->tunnel);
    gate_link_destroy(d->gate);
    share_list_destroy(d->shares);
    if (d->loop)
        loop_settle(d->loop);
    pipe_list_destroy(d->pipes);
    environment_clear(&d->environment);
    paste_clear(&d->pastes);
    channel_clear(&d->channels);
    if (d->gate_idle && d->loop)
        loop_timer_stop(d->gate_idle);
    free(d->gate_idle);
    trim_close();
    loop_destroy(d->loop);
    options_destroy(d->options);
    memset(d, 0, sizeof *d);
}
