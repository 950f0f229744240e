/* Commands that keys run: each gets the terminal and where it is, its output goes over the panes
 * and its errors into the status line. One that waits holds up those after it. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/buf.h"
#include "server/daemon/config_list.h"
#include "server/daemon/environment.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/session.h"

/* A line under way. */
struct attach_run {
    struct command command; /* first: command_finish knows this only */
    struct attach *attach;
    struct config_list list;
    const struct config_command *at;
    bool skip; /* the command before failed: what is joined to it is passed over */
    struct ipc_command request;
    struct outbuf env;
    struct mouse_event event; /* that runs it */
    bool by_mouse;
    struct attach_run *next;
};

static void run_on(struct attach_run *r);

static void free_run(struct attach_run *r)
{
    for (struct attach_run **at = &r->attach->runs; *at; at = &(*at)->next) {
        if (*at == r) {
            *at = r->next;
            break;
        }
    }
    config_list_clear(&r->list);
    outbuf_clear(&r->env);
    free(r);
}

/* --- what a command sees -------------------------------------------------------------------- */

/* The session's environment, as a client would send it. */
static void put_environment(struct attach_run *r, const struct session *s)
{
    const struct format_world *world = r->attach->ops.world;
    char **env = environment_merge(s->env, world ? world->environment : NULL, &s->own, 0);
    uint16_t n = 0;

    for (; env && env[n]; n++) {
        size_t len = strlen(env[n]);
        uint8_t head[4];
        struct wbuf w;

        wbuf_init(&w, head, sizeof head);
        wbuf_u32(&w, (uint32_t)len);
        outbuf_put(&r->env, head, w.len);
        outbuf_put(&r->env, env[n], len);
    }
    r->request.env.wire = (struct bytes){r->env.p, r->env.len};
    r->request.env.n = r->env.bad ? 0 : n;
    environment_free_list(env);
}

/* What the mouse was over, where it is still there. */
static void find_under_mouse(const struct attach *a, const struct mouse_event *e,
                             struct target *out)
{
    struct window *w = a->session->dead ? NULL : a->session->windows;

    while (w && (int64_t)w->id != e->window)
        w = w->next;
    if (!w)
        return;
    *out = (struct target){a->session, w, w->active};
    for (uint32_t i = 0; i < layout_count(w->layout); i++)
        if ((int64_t)layout_at(w->layout, i)->id == e->pane)
            out->pane = layout_at(w->layout, i)->pane;
}

static void set_up(struct attach_run *r)
{
    struct attach *a = r->attach;

    r->request = (struct ipc_command){
        .flags = (uint8_t)(a->flags | IPC_CLIENT_TTY), .cols = a->cols, .rows = a->rows};
    outbuf_reset(&r->env);
    if (!a->session->dead)
        put_environment(r, a->session);
    if (!a->session->dead && a->session->cwd) /* as tmux: where the session was started */
        r->request.cwd = bytes_of(a->session->cwd);
    r->command = (struct command){.daemon = a->ops.daemon, .attach = a, .request = &r->request};
    if (!a->session->dead && a->session->current)
        r->command.current =
            (struct target){a->session, a->session->current, a->session->current->active};
    if (r->by_mouse) {
        r->command.mouse = &r->event;
        find_under_mouse(a, &r->event, &r->command.current);
    }
}

/* --- what comes of it ----------------------------------------------------------------------- */

void attach_say_error(struct attach *a, const char *text, size_t n)
{
    static const char name[] = "vitrine: ";
    const char *end = memchr(text, '\n', n);
    char line[STATUS_MESSAGE_MAX_BYTES + 1];

    n = end ? (size_t)(end - text) : n;
    if (n >= sizeof name - 1 && memcmp(text, name, sizeof name - 1) == 0) {
        text += sizeof name - 1;
        n -= sizeof name - 1;
    }
    snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), text);
    attach_say(a, line);
}

/* Takes the command's words back to the user. True when it succeeded. */
static bool take_result(struct attach_run *r, enum command_result result)
{
    struct attach *a = r->attach;
    struct command *c = &r->command;

    if (c->out.len > 0)
        attach_show_text(a, c->args.spec ? c->args.spec->name : "", (const char *)c->out.p,
                         c->out.len);
    if (c->err.len > 0)
        attach_say_error(a, (const char *)c->err.p, c->err.len);
    if (c->out.p)
        secret_wipe(c->out.p, c->out.cap);
    outbuf_clear(&c->out);
    outbuf_clear(&c->err);
    if (result == COMMAND_ATTACH && c->session)
        attach_switch(a, c->session);
    return result == COMMAND_DONE || result == COMMAND_ATTACH;
}

static void on_finished(struct command *c, enum command_result result)
{
    struct attach_run *r = (struct attach_run *)(void *)c;

    r->skip = !take_result(r, result);
    r->at = r->at->next;
    run_on(r);
}

/* What somebody who only watches may run. */
static bool may_run(const struct attach *a, size_t n, const char *const *words)
{
    static const enum args_command harmless[] = {
        ARGS_COMMAND_detach_client,
        ARGS_COMMAND_list_keys,
        ARGS_COMMAND_list_windows,
        ARGS_COMMAND_list_sessions,
        ARGS_COMMAND_list_panes,
        ARGS_COMMAND_refresh_client,
        ARGS_COMMAND_display_message,
        ARGS_COMMAND_has_session,
        ARGS_COMMAND_links,
        ARGS_COMMAND_switch_client,
        ARGS_COMMAND_viewers,
        ARGS_COMMAND_shares,
        ARGS_COMMAND_info,
        ARGS_COMMAND_command_prompt,
    };
    bool ambiguous;
    const struct command_spec *spec = n > 0 ? args_find(words[0], &ambiguous) : NULL;

    for (size_t i = 0; a->read_only && spec && i < sizeof harmless / sizeof harmless[0]; i++)
        if (spec->id == harmless[i])
            return true;
    return !a->read_only || !spec;
}

static void run_on(struct attach_run *r)
{
    for (; r->at && !r->attach->ending; r->at = r->at->next) {
        const char *const *words = (const char *const *)r->at->words;
        enum command_result result;

        if (r->skip && r->at->joined)
            continue;
        if (!may_run(r->attach, r->at->n, words)) {
            attach_say(r->attach, "read-only: only detaching and looking is possible");
            break;
        }
        set_up(r);
        r->command.finished = on_finished;
        result = command_run_words(&r->command, r->at->n, words);
        if (result == COMMAND_LATER)
            return; /* on_finished goes on */
        r->skip = !take_result(r, result);
    }
    free_run(r);
}

void attach_run(struct attach *a, const struct config_list *commands)
{
    attach_run_mouse(a, commands, NULL);
}

void attach_run_mouse(struct attach *a, const struct config_list *commands,
                      const struct mouse_event *e)
{
    struct attach_run *r = a->ops.daemon ? calloc(1, sizeof *r) : NULL;

    if (!r || config_list_copy(commands, &r->list) != ERR_OK) {
        if (r)
            config_list_clear(&r->list);
        free(r);
        attach_say(a, "commands cannot be run here");
        return;
    }
    r->at = r->list.first;
    r->attach = a;
    if (e) {
        r->event = *e;
        r->by_mouse = true;
    }
    r->next = a->runs;
    a->runs = r;
    run_on(r);
}

void attach_cancel_runs(struct attach *a)
{
    while (a->runs) {
        struct attach_run *r = a->runs;

        if (r->command.cancel)
            r->command.cancel(&r->command);
        outbuf_clear(&r->command.out);
        outbuf_clear(&r->command.err);
        free_run(r);
    }
}
