/* Commands about sharing: share, shares, links, unshare, viewers, kick. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/cmd_links.h"
#include "server/daemon/cmd_reach.h"
#include "server/daemon/attach.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/json.h"
#include "server/daemon/pane.h"
#include "server/daemon/qr.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer.h"

#define WRITE_GRANTS "Whoever opens the write link can do everything you can in this shell."

/* --- links as text -------------------------------------------------------------------------- */

static const char *role_name(uint8_t role)
{
    return role == ROLE_OPERATOR ? "operator" : "spectator";
}

void cmd_links_text(struct daemon *d, const struct share *s, struct outbuf *out)
{
    bool writes = false;

    for (const struct share_link *k = s->links; k; k = k->next) {
        outbuf_text(out, k->role == ROLE_OPERATOR ? "write: " : "view:  ");
        reach_put_url(d, k, out);
        outbuf_byte(out, '\n');
        writes = writes || k->role == ROLE_OPERATOR;
    }
    if (writes)
        outbuf_text(out, WRITE_GRANTS "\n");
}

static void put_url_json(struct daemon *d, const struct share_link *link, struct outbuf *out)
{
    struct outbuf url = {0};

    reach_put_url(d, link, &url);
    outbuf_byte(&url, '\0');
    json_string(out, url.p ? (const char *)url.p : "");
    secret_wipe(url.p, url.cap);
    outbuf_clear(&url);
}

/* What is shared, for scripts: its kind and numbers. `pane` is the one that is shared, or the active
 * one. */
static void place_json(struct daemon *d, const struct share *s, struct outbuf *out)
{
    static const char *const kinds[] = {"pane", "window", "session"};
    struct target t;

    outbuf_printf(out, ",\"kind\":\"%s\"", kinds[s->kind]);
    if (s->kind == SHARE_WINDOW)
        outbuf_printf(out, ",\"window\":\"@%u\"", s->number);
    if (s->kind == SHARE_SESSION)
        outbuf_printf(out, ",\"session\":\"$%u\"", s->number);
    if (s->kind == SHARE_PANE)
        outbuf_printf(out, ",\"pane\":\"%%%u\"", s->number);
    else if (share_place(s, d->sessions, &t))
        outbuf_printf(out, ",\"pane\":\"%%%u\"", pane_id(t.pane));
    outbuf_printf(out, ",\"commands\":%s", s->commands ? "true" : "false");
}

/* What is shared, for people: "pane %3", "window @1", "session work". */
static void place_text(struct daemon *d, const struct share *s, struct outbuf *out)
{
    struct target t;

    if (s->kind == SHARE_PANE)
        outbuf_printf(out, "pane %%%u", s->number);
    else if (s->kind == SHARE_WINDOW)
        outbuf_printf(out, "window @%u", s->number);
    else if (share_place(s, d->sessions, &t) && t.session)
        outbuf_printf(out, "session %s", t.session->name);
    else
        outbuf_printf(out, "session $%u", s->number);
}

static void links_json(struct daemon *d, const struct share *s, struct outbuf *out)
{
    const char *comma = "";

    outbuf_printf(out, "{\"share\":%u,\"name\":", s->id);
    json_string(out, s->name);
    place_json(d, s, out);
    outbuf_text(out, ",\"links\":[");
    for (const struct share_link *k = s->links; k; k = k->next) {
        outbuf_printf(out, "%s{\"role\":\"%s\",\"label\":", comma, role_name(k->role));
        json_string(out, k->label);
        outbuf_text(out, ",\"url\":");
        put_url_json(d, k, out);
        outbuf_text(out, ",\"link_id\":");
        json_hex(out, k->id, sizeof k->id);
        outbuf_byte(out, '}');
        comma = ",";
    }
    outbuf_text(out, "]}");
}

static void put_qr(struct daemon *d, const struct share_link *link, struct outbuf *out)
{
    struct outbuf url = {0};

    reach_put_url(d, link, &url);
    outbuf_byte(&url, '\0');
    if (url.p)
        qr_text((const char *)url.p, out);
    secret_wipe(url.p, url.cap);
    outbuf_clear(&url);
}

/* --- share ---------------------------------------------------------------------------------- */

/* A share command while it waits for the gate: the program runs and is shared already, so that one
 * which ends at once is still seen, but nobody can be told an address. */
struct sharing {
    struct command *command;
    uint32_t share_id;
    bool new_session;
    bool new_share;
    bool attach;
    bool write;
    bool json;
    struct reach_tunnel tunnel;
};

static void free_sharing(struct sharing *w)
{
    reach_clear_tunnel(&w->tunnel);
    free(w);
}

static void print_share(struct command *c, const struct sharing *w, const struct share *s)
{
    if (w->json) {
        if (w->write)
            outbuf_text(&c->err, WRITE_GRANTS "\n");
        links_json(c->daemon, s, &c->out);
        outbuf_byte(&c->out, '\n');
        return;
    }
    outbuf_text(&c->out, "● sharing ");
    place_text(c->daemon, s, &c->out);
    outbuf_printf(&c->out, " as share %u\n", s->id);
    cmd_links_text(c->daemon, s, &c->out);
    if (reach_advice(c->daemon))
        outbuf_printf(&c->out, "%s\n", reach_advice(c->daemon));
}

static bool has_link(const struct share *s, enum viewer_role role)
{
    const struct share_link *k = s->links;

    while (k && k->role != role)
        k = k->next;
    return k != NULL;
}

/* Adds the links that are not there yet. */
static bool add_links(struct command *c, struct share *s, bool write)
{
    const char *label = args_value(&c->args, "label");
    char text[SHARE_LABEL_MAX_BYTES + 1] = "";

    if (label)
        utf8_printable((const uint8_t *)label, strlen(label), text, sizeof text - 1);
    if (!has_link(s, ROLE_SPECTATOR) && !share_add_link(s, ROLE_SPECTATOR, text))
        return false;
    return !write || has_link(s, ROLE_OPERATOR) || share_add_link(s, ROLE_OPERATOR, text);
}

/* The name that viewers see unless -n gives one. */
static const char *default_name(enum share_kind kind, const struct target *t)
{
    return kind == SHARE_WINDOW && t->window->name[0] ? t->window->name : t->session->name;
}

static struct share *make_share(struct command *c, enum share_kind kind, const struct target *t)
{
    struct daemon *d = c->daemon;
    const char *name = args_value(&c->args, "n");
    char text[SHARE_NAME_MAX_BYTES + 1];
    struct share *s = share_exact(d->shares, kind, t);
    bool commands = kind != SHARE_PANE && !args_has(&c->args, "no-commands");

    if (!name)
        name = default_name(kind, t);
    utf8_printable((const uint8_t *)name, strlen(name), text, sizeof text - 1);
    if (!s) {
        s = share_create(d->shares, kind, t, text);
        if (s)
            s->commands = commands;
    } else if (s->commands && !commands) {
        s->commands = false;
        viewer_share_changed(d->viewers, s);
    }
    if (s && !add_links(c, s, args_has(&c->args, "write"))) {
        if (s->viewers == 0)
            daemon_end_share(d, s, BYE_REASON_ENDED);
        s = NULL;
    }
    if (!s)
        command_fail(c, "out of memory");
    return s;
}

/* Undoes what a share command did before its gate failed. */
static void undo(struct command *c, const struct sharing *w)
{
    struct daemon *d = c->daemon;
    struct share *s = share_by_id(d->shares, w->share_id);
    struct target t;

    if (!s || !w->new_share)
        return;
    if (!share_place(s, d->sessions, &t))
        t.session = NULL;
    daemon_end_share(d, s, BYE_REASON_ENDED);
    if (w->new_session && t.session)
        session_end(d->sessions, t.session);
}

/* The gate listens: answer. */
static enum command_result answer(struct command *c, const struct sharing *w)
{
    struct share *s = share_by_id(c->daemon->shares, w->share_id);
    struct target t;

    if (!s)
        return command_fail(c, "the share ended before its gate was ready");
    if (w->attach && share_place(s, c->daemon->sessions, &t) && t.session) {
        c->session = t.session;
        c->show_links = true;
        return COMMAND_ATTACH;
    }
    print_share(c, w, s);
    return COMMAND_DONE;
}

/* Gate and tunnel are there, or one of them has failed. */
static void on_reachable(void *ctx, const char *failure)
{
    struct sharing *w = ctx;
    struct command *c = w->command;
    enum command_result result;

    c->state = NULL;
    if (failure) {
        result = command_fail(c, "%s", failure);
        undo(c, w);
    } else {
        reach_allow_tunnel(c->daemon);
        result = answer(c, w);
    }
    free_sharing(w);
    daemon_refresh(c->daemon);
    command_finish(c, result);
}

static void on_gate_ready(void *ctx, const char *failure)
{
    struct sharing *w = ctx;

    if (failure)
        on_reachable(w, failure);
    else
        reach_wait_tunnel(w->command, &w->tunnel, on_reachable, w);
}

static void cancel_sharing(struct command *c)
{
    gate_link_forget(c->daemon->gate, c->state);
    tunnel_forget(c->daemon->tunnel, c->state);
    free_sharing(c->state);
    c->state = NULL;
}

static enum command_result wait_for_gate(struct command *c, const struct sharing *how)
{
    struct sharing *w = calloc(1, sizeof *w);

    if (w)
        *w = *how;
    if (!w || !reach_keep_tunnel(c, &w->tunnel)) {
        free(w);
        return command_fail(c, "out of memory");
    }
    w->command = c;
    w->write = args_has(&c->args, "write");
    w->json = args_has(&c->args, "json");
    c->state = w;
    c->cancel = cancel_sharing;
    if (gate_link_wait(c->daemon->gate, on_gate_ready, w) == ERR_OK)
        return COMMAND_LATER;
    cancel_sharing(c);
    return command_fail(c, "too many commands wait for the gate");
}

/* True when a session is to be made: no pane was named, and the command was not typed in one. */
static bool wants_session(const struct command *c)
{
    return c->args.n_words > 0 || (!args_has(&c->args, "t") && !c->current.session &&
                                   command_env(c, "VITRINE_PANE").len == 0);
}

/* What is shared: the user's shell, started for that, as a session; else a pane, unless a window or
 * session is asked for. */
static enum share_kind wanted_kind(const struct command *c, bool fresh)
{
    if (args_has(&c->args, "session") || (fresh && c->args.n_words == 0))
        return SHARE_SESSION;
    return args_has(&c->args, "window") ? SHARE_WINDOW : SHARE_PANE;
}

enum command_result cmd_share(struct command *c)
{
    bool terminal = (c->request->flags & IPC_CLIENT_TTY) && c->request->rows > 1;
    bool fresh = wants_session(c);
    enum share_kind kind = wanted_kind(c, fresh);
    bool attach = fresh && terminal && !args_has(&c->args, "d") && !args_has(&c->args, "json") &&
                  command_env(c, "VITRINE_PANE").len == 0;
    long cols, rows;
    long history;
    struct sharing how = {.attach = attach};
    struct session *made = NULL;
    struct target t = {NULL, NULL, NULL};
    struct gate_config gate;
    struct share *s;

    daemon_default_size(c->daemon, &cols, &rows);
    if (attach) {
        cols = c->request->cols;
        rows = c->request->rows - 1;
    }
    if (args_has(&c->args, "t") && c->args.n_words > 0)
        return command_usage(c, "-t shares what runs; leave it out to run a command");
    if (args_has(&c->args, "window") && args_has(&c->args, "session"))
        return command_usage(c, "--window or --session, not both");
    if (!command_number(c, "x", SCREEN_COLS_MIN, SCREEN_COLS_MAX, &cols) ||
        !command_number(c, "y", SCREEN_ROWS_MIN, SCREEN_ROWS_MAX, &rows) ||
        !command_number(c, "history-limit", 0, DAEMON_HISTORY_MAX, &history) ||
        !reach_read_options(c, &gate))
        return COMMAND_USAGE;
    if (!fresh &&
        !daemon_find_target(c, kind == SHARE_WINDOW ? TARGET_WINDOW : TARGET_SESSION, &t))
        return COMMAND_FAILED;
    if (!reach_start_gate(c, &gate))
        return COMMAND_FAILED;
    if (fresh)
        made = daemon_new_session(c, NULL, c->args.n_words, c->args.words, (uint16_t)cols,
                                  (uint16_t)rows);
    if (made)
        t = (struct target){made, made->current, made->current->active};
    how.new_session = made != NULL;
    how.new_share = t.pane && !share_exact(c->daemon->shares, kind, &t);
    s = t.pane ? make_share(c, kind, &t) : NULL;
    daemon_refresh(c->daemon);
    if (!s)
        return COMMAND_FAILED;
    how.share_id = s->id;
    return wait_for_gate(c, &how);
}

/* --- which share ---------------------------------------------------------------------------- */

/* The share that -t names (its number, or a pane), or the only one, or that of the pane the command
 * was typed in: never one that nobody named. NULL after saying why. */
static struct share *find_share(struct command *c)
{
    const char *text = args_value(&c->args, "t");
    struct share_list *list = c->daemon->shares;
    struct share *s = NULL;
    struct target t;
    long id;

    if (!text && share_count(list) == 1)
        return share_first(list);
    if (text && args_number(text, 1, UINT32_MAX, &id) == ERR_OK)
        s = share_by_id(list, (uint32_t)id);
    if (!s && (text || command_env(c, "VITRINE_PANE").len > 0 || c->current.session) &&
        daemon_find(c, text, TARGET_SESSION, &t))
        s = share_narrowest(list, &t);
    outbuf_reset(&c->err);
    if (!s && !share_first(list))
        command_fail(c, "nothing is shared");
    else if (!s && text)
        command_fail(c, "no such share: %s", text);
    else if (!s)
        command_fail(c, "there are several shares: name one with -t (see vitrine shares)");
    return s;
}

static void print_share_line(struct command *c, const struct share *s)
{
    unsigned links = 0;

    for (const struct share_link *k = s->links; k; k = k->next)
        links++;
    outbuf_printf(&c->out, "%u: ", s->id);
    place_text(c->daemon, s, &c->out);
    outbuf_printf(&c->out, " \"%s\", %u link%s, %u watching%s\n", s->name, links,
                  links == 1 ? "" : "s", s->viewers, s->kept ? " (ended)" : "");
}

enum command_result cmd_shares(struct command *c)
{
    bool json = args_has(&c->args, "json");
    const char *comma = "";

    if (json)
        outbuf_byte(&c->out, '[');
    for (const struct share *s = share_first(c->daemon->shares); s; s = s->next) {
        if (!json) {
            print_share_line(c, s);
            continue;
        }
        outbuf_printf(&c->out, "%s{\"share\":%u,\"name\":", comma, s->id);
        json_string(&c->out, s->name);
        place_json(c->daemon, s, &c->out);
        outbuf_printf(&c->out, ",\"created\":%lld,\"viewers\":%u,\"ended\":%s}",
                      (long long)s->created_s, s->viewers, s->kept ? "true" : "false");
        comma = ",";
    }
    if (json)
        outbuf_text(&c->out, "]\n");
    return COMMAND_DONE;
}

enum command_result cmd_links(struct command *c)
{
    struct share *s;

    if (c->attach && c->args.n_options == 0 && c->args.n_words == 0) { /* a key: over the panes */
        attach_show_links(c->attach);
        return COMMAND_DONE;
    }
    s = find_share(c);
    if (!s)
        return COMMAND_FAILED;
    if (gate_link_port(c->daemon->gate) == 0)
        return command_fail(c, "the gate is not ready; try again in a moment");
    if (args_has(&c->args, "json")) {
        links_json(c->daemon, s, &c->out);
        outbuf_byte(&c->out, '\n');
        return COMMAND_DONE;
    }
    cmd_links_text(c->daemon, s, &c->out);
    for (const struct share_link *k = s->links; k && args_has(&c->args, "qr"); k = k->next) {
        outbuf_printf(&c->out, "\n%s\n", k->role == ROLE_OPERATOR ? "write" : "view");
        put_qr(c->daemon, k, &c->out);
    }
    return COMMAND_DONE;
}

enum command_result cmd_unshare(struct command *c)
{
    struct share *s;

    if (args_has(&c->args, "all")) {
        while (share_first(c->daemon->shares))
            daemon_end_share(c->daemon, share_first(c->daemon->shares), BYE_REASON_REVOKED);
        return COMMAND_DONE;
    }
    s = find_share(c);
    if (!s)
        return COMMAND_FAILED;
    daemon_end_share(c->daemon, s, BYE_REASON_REVOKED);
    return COMMAND_DONE;
}

/* --- viewers -------------------------------------------------------------------------------- */

static void print_viewer(struct command *c, const struct viewer_info *i)
{
    outbuf_printf(&c->out, "%u: %s, %s, share %u, %s, %llus%s%s\n", i->id,
                  i->name[0] ? i->name : "guest", role_name(i->role), i->share_id,
                  i->away ? "away" : i->peer, (unsigned long long)i->since_s,
                  i->behind ? ", behind" : "", i->label[0] ? ", link " : "");
    if (i->label[0]) {
        c->out.len--; /* the label ends the line */
        outbuf_printf(&c->out, "%s\n", i->label);
    }
}

static void viewer_json(struct command *c, const struct viewer_info *i)
{
    outbuf_printf(&c->out, "{\"id\":%u,\"name\":", i->id);
    json_string(&c->out, i->name);
    outbuf_printf(&c->out, ",\"role\":\"%s\",\"share\":%u,\"label\":", role_name(i->role),
                  i->share_id);
    json_string(&c->out, i->label);
    outbuf_text(&c->out, ",\"peer\":");
    json_string(&c->out, i->peer);
    outbuf_text(&c->out, ",\"client\":");
    json_string(&c->out, i->client);
    outbuf_printf(&c->out, ",\"away\":%s,\"behind\":%s,\"since_s\":%llu,\"input_bytes\":%llu}",
                  i->away ? "true" : "false", i->behind ? "true" : "false",
                  (unsigned long long)i->since_s, (unsigned long long)i->input_bytes);
}

enum command_result cmd_viewers(struct command *c)
{
    bool json = args_has(&c->args, "json");
    struct share *only = NULL;
    const char *comma = "";

    if (args_has(&c->args, "t") && !(only = find_share(c)))
        return COMMAND_FAILED;
    if (json)
        outbuf_byte(&c->out, '[');
    for (struct viewer *v = viewer_next(c->daemon->viewers, NULL); v;
         v = viewer_next(c->daemon->viewers, v)) {
        struct viewer_info i = viewer_describe(v);

        if (only && i.share_id != only->id)
            continue;
        if (!json) {
            print_viewer(c, &i);
            continue;
        }
        outbuf_text(&c->out, comma);
        viewer_json(c, &i);
        comma = ",";
    }
    if (json)
        outbuf_text(&c->out, "]\n");
    return COMMAND_DONE;
}

enum command_result cmd_kick(struct command *c)
{
    char reason[128] = "";
    struct viewer *v;
    long id;

    if (c->args.n_words < 1 || c->args.n_words > 2 ||
        args_number(c->args.words[0], 1, UINT32_MAX, &id) != ERR_OK)
        return command_usage(c, "kick needs a viewer's number (see vitrine viewers)");
    v = viewer_by_id(c->daemon->viewers, (uint32_t)id);
    if (!v)
        return command_fail(c, "no such viewer: %ld", id);
    if (c->args.n_words == 2)
        utf8_printable((const uint8_t *)c->args.words[1], strlen(c->args.words[1]), reason,
                       sizeof reason - 1);
    viewer_kick(v, reason);
    return COMMAND_DONE;
}
