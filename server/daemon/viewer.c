#include "server/daemon/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/kdf.h"
#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/log.h"
#include "server/daemon/screen.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

#define FAREWELL_BYE_MS 5000

/* --- life ----------------------------------------------------------------------------------- */

static void free_viewer(void *ctx)
{
    struct viewer *v = ctx;

    outbuf_clear(&v->input);
    outbuf_clear(&v->small);
    free(v);
}

static void stop_observing(struct viewer *v)
{
    if (v->observing && v->share && v->share->pane)
        pane_unobserve(v->share->pane, &v->observer);
    v->observing = false;
}

static void count_changed(struct viewer_list *list, struct share *share);

/* Takes the viewer out of its share's count of those who watch now. */
static void uncount(struct viewer *v)
{
    if (!v->counted)
        return;
    v->counted = false;
    v->share->viewers--;
    count_changed(v->list, v->share);
}

/* Forgets the connection's part of a viewer. */
static void drop_connection(struct viewer *v)
{
    if (v->stream) {
        v->resume_from = stream_keyframe_offset(v->stream);
        v->resume_sent = stream_sent(v->stream);
        v->resume_size = stream_size(v->stream);
        stream_destroy(v->stream);
        v->stream = NULL;
    }
    v->connection = NULL;
    v->was_operator = false;
    v->finishing = false;
    outbuf_reset(&v->small);
    loop_timer_stop(&v->timer);
    loop_timer_stop(&v->farewell);
    uncount(v);
}

/* Takes the viewer off the list; freed after the round. Its connection is gone already. */
static void remove_viewer(struct viewer *v)
{
    for (struct viewer **at = &v->list->first; *at; at = &(*at)->next) {
        if (*at == v) {
            *at = v->next;
            break;
        }
    }
    stop_observing(v);
    loop_timer_stop(&v->timer);
    loop_timer_stop(&v->farewell);
    loop_cancel(v->list->loop, &v->pump);
    v->share = NULL;
    loop_defer(v->list->loop, &v->reaper);
}

/* Who keeps coming as somebody new shall not fill the memory: of too many viewers of a share that
 * are away, the one that has been so for the longest is forgotten. */
static void limit_away(struct viewer *newest)
{
    struct viewer *longest = NULL;
    size_t n = 0;

    for (struct viewer *v = newest->list->first; v; v = v->next) {
        if (v->connection || v->share != newest->share)
            continue;
        n++;
        if (v != newest && (!longest || v->away_ms <= longest->away_ms))
            longest = v;
    }
    if (n > VIEWER_AWAY_MAX && longest)
        remove_viewer(longest);
}

static void go_away(struct viewer *v)
{
    bool known = v->id != 0 && v->state == VIEWER_LIVE;

    drop_connection(v);
    if (!known) {
        remove_viewer(v);
        return;
    }
    v->away_ms = loop_now_ms(v->list->loop);
    loop_timer_start(&v->timer, VIEWER_AWAY_MS);
    limit_away(v);
}

static void on_connection_ended(void *owner, const char *why)
{
    struct viewer *v = owner;

    if (v->id != 0)
        log_line(LOG_VIEWER, "viewer %u: %s", v->id, why);
    v->connection = NULL;
    go_away(v);
}

void viewer_cut(struct viewer *v, const char *why)
{
    log_line(LOG_VIEWER, "viewer %u cut off: %s", v->id, why);
    if (v->connection)
        connection_close(v->connection, CONNECTION_CLOSE_MALFORMED, "malformed");
    go_away(v);
}

void viewer_wake(struct viewer *v)
{
    if (v->connection)
        loop_defer(v->list->loop, &v->pump);
}

/* --- sending -------------------------------------------------------------------------------- */

void viewer_send(struct viewer *v, uint8_t type, const struct wbuf *body)
{
    uint8_t *room;
    struct wbuf w;

    if (!v->connection || body->bad)
        return;
    room = v->small.len < VIEWER_SMALL_MAX_BYTES ? outbuf_reserve(&v->small, 3 + body->len) : NULL;
    if (!room) {
        viewer_cut(v, "does not read");
        return;
    }
    wbuf_init(&w, room, 3 + body->len);
    wbuf_u8(&w, type);
    wbuf_u16(&w, (uint16_t)body->len);
    wbuf_put(&w, body->base, body->len);
    v->small.len += w.len;
    viewer_wake(v);
}

/* Sends what is queued, in order. True when nothing is left. */
static bool flush_small(struct viewer *v)
{
    while (v->small.len > 0) {
        struct rbuf r;
        struct bytes body;
        uint8_t type;

        rbuf_init(&r, v->small.p, v->small.len);
        type = rbuf_u8(&r);
        body = rbuf_take(&r, rbuf_u16(&r));
        if (!connection_send(v->connection, type, body.p, body.len))
            return false;
        outbuf_drop(&v->small, 3 + body.len);
    }
    return true;
}

static void finish_bye(struct viewer *v)
{
    if (v->connection)
        connection_close(v->connection, CONNECTION_CLOSE_BYE, "");
    drop_connection(v);
    remove_viewer(v);
}

static void on_farewell(void *ctx)
{
    struct viewer *v = ctx;

    if (v->state == VIEWER_LEAVING)
        finish_bye(v);
    else
        viewer_bye(v, BYE_REASON_ENDED, "the program has ended");
}

void viewer_bye(struct viewer *v, enum viewer_bye_reason reason, const char *text)
{
    struct viewer_bye m = {(uint8_t)reason, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    if (v->state == VIEWER_LEAVING)
        return;
    if (!v->connection) {
        drop_connection(v);
        remove_viewer(v);
        return;
    }
    uncount(v);
    stop_observing(v);
    v->state = VIEWER_LEAVING;
    stream_destroy(v->stream);
    v->stream = NULL;
    v->share = NULL;
    loop_timer_stop(&v->timer);
    loop_timer_start(&v->farewell, FAREWELL_BYE_MS);
    wbuf_init(&w, body, sizeof body);
    viewer_encode_bye(&w, &m);
    viewer_send(v, VIEWER_MSG_BYE, &w);
}

static void send_taken(struct viewer *v)
{
    struct viewer_taken m = {v->input_taken};
    uint8_t body[8];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_taken(&w, &m);
    if (connection_send(v->connection, VIEWER_MSG_TAKEN, body, w.len))
        v->input_told = v->input_taken;
}

static void send_presence(struct viewer *v)
{
    struct viewer_presence m = {.viewers = v->share->viewers};
    uint8_t body[16];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_presence(&w, &m);
    if (connection_send(v->connection, VIEWER_MSG_PRESENCE, body, w.len))
        v->presence_owed = v->presence_due = false;
}

static void send_layout(struct viewer *v)
{
    struct screen *screen = pane_screen(v->share->pane);
    char title[VIEWER_NAME_MAX_BYTES * 2 + 1];
    const char *raw = screen_title(screen);
    struct viewer_layout_window window = {.id = 0,
                                          .flags = WINDOW_FLAG_ACTIVE | WINDOW_FLAG_VIEWED,
                                          .name = bytes_of(v->share->name)};
    struct viewer_layout_pane pane = {
        .id = pane_id(v->share->pane),
        .cols = screen_cols(screen),
        .rows = screen_rows(screen),
        .flags =
            (uint8_t)(PANE_FLAG_ACTIVE | (pane_status(v->share->pane).dead ? PANE_FLAG_DEAD : 0)),
        .title = {(const uint8_t *)title,
                  utf8_printable((const uint8_t *)raw, strlen(raw), title, sizeof title - 1)}};
    struct viewer_layout m = {.windows = {.n = 1, .items = &window},
                              .cols = pane.cols,
                              .rows = pane.rows,
                              .panes = {.n = 1, .items = &pane}};
    uint8_t body[512];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_layout(&w, &m);
    if (!w.bad && connection_send(v->connection, VIEWER_MSG_LAYOUT, body, w.len))
        v->layout_owed = false;
}

/* How a program ended, for people. */
static void describe_end(const struct pane *p, char *out, size_t cap)
{
    struct pane_status s = pane_status(p);

    snprintf(out, cap, s.signalled ? "killed by signal %d" : "exited %d", s.code);
}

/* The last of a program's output and its status are out: part once the viewer has rendered them. */
static void check_finished(struct viewer *v)
{
    char text[64];

    if (!v->stream || !stream_finished(v->stream))
        return;
    if (pace_in_flight(&v->pace) > 0) {
        if (!v->finishing)
            loop_timer_start(&v->farewell, VIEWER_FAREWELL_MS);
        v->finishing = true;
        return;
    }
    describe_end(v->share->pane, text, sizeof text);
    viewer_bye(v, BYE_REASON_ENDED, text);
}

/* End of a round: everything this viewer is owed and may be sent now, small messages first. */
static void pump(void *ctx)
{
    struct viewer *v = ctx;

    if (!v->connection)
        return;
    viewer_drain_input(v);
    if (!v->connection || !flush_small(v)) /* what it was told may have been too much */
        return;
    if (v->state == VIEWER_LEAVING) {
        finish_bye(v);
        return;
    }
    if (v->state != VIEWER_LIVE)
        return;
    if (v->input_taken > v->input_told) /* a WELCOME counted what was still queued */
        send_taken(v);
    if (v->layout_owed)
        send_layout(v);
    if (v->presence_due)
        send_presence(v);
    if (v->stream)
        stream_pump(v->stream);
    check_finished(v);
}

/* --- the stream's sink ---------------------------------------------------------------------- */

static size_t sink_room(void *ctx, bool begun)
{
    struct viewer *v = ctx;
    uint64_t room = pace_room(&v->pace);
    size_t credit = v->connection ? connection_room(v->connection) : 0;
    size_t part = pace_part(&v->pace);

    if (room == 0 && !begun) {
        pace_limited(&v->pace);
        return 0;
    }
    if (credit < part)
        part = credit;
    return begun || part < room ? part : (size_t)room;
}

static uint32_t sink_window(void *ctx)
{
    const struct viewer *v = ctx;

    return v->pace.window;
}

static uint8_t *sink_reserve(void *ctx, size_t n)
{
    struct viewer *v = ctx;

    return v->connection ? connection_reserve(v->connection, n) : NULL;
}

static void sink_commit(void *ctx, uint8_t type, bool more, size_t n)
{
    struct viewer *v = ctx;

    connection_commit(v->connection, type, more, n);
    if (type != VIEWER_MSG_EXIT)
        pace_sent(&v->pace, (uint32_t)n, loop_now_ms(v->list->loop));
}

static void sink_wake(void *ctx)
{
    viewer_wake(ctx);
}

static bool start_stream(struct viewer *v)
{
    struct stream_sink sink = {sink_room, sink_window, sink_reserve, sink_commit, sink_wake, v};

    v->stream = stream_create(v->list->loop, v->share->pane, &sink);
    return v->stream != NULL;
}

/* --- presence ------------------------------------------------------------------------------- */

/* The count is told to a share's viewers at once, and then at most every VIEWER_PRESENCE_MS: those
 * who are owed it then become due together. */
static void tell_presence(void *ctx)
{
    struct viewer_list *list = ctx;

    list->presence_ms = loop_now_ms(list->loop);
    for (struct viewer *v = list->first; v; v = v->next) {
        v->presence_due = v->presence_owed;
        if (v->presence_due)
            viewer_wake(v);
    }
}

static void count_changed(struct viewer_list *list, struct share *share)
{
    uint64_t since = loop_now_ms(list->loop) - list->presence_ms;

    for (struct viewer *v = list->first; v; v = v->next) {
        if (v->share == share && v->state == VIEWER_LIVE)
            v->presence_owed = true;
    }
    if (list->presence_ms == 0 || since == 0 || since >= VIEWER_PRESENCE_MS)
        tell_presence(list);
    else if (!loop_timer_running(&list->presence))
        loop_timer_start(&list->presence, VIEWER_PRESENCE_MS - since);
    list->changed(list->ctx);
}

/* --- liveness ------------------------------------------------------------------------------- */

static void send_ping(struct viewer *v)
{
    struct viewer_ping m = {loop_now_ms(v->list->loop)};
    uint8_t body[8];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_ping(&w, &m);
    connection_send(v->connection, VIEWER_MSG_PING, body, w.len);
}

/* Rings when a ping is due or the silence is too long. */
static void arm_liveness(struct viewer *v)
{
    uint64_t now = loop_now_ms(v->list->loop);
    uint64_t ping = connection_sent_ms(v->connection) + VIEWER_PING_MS;
    uint64_t silence = connection_opened_ms(v->connection) + VIEWER_SILENCE_MS;
    uint64_t due = ping < silence ? ping : silence;

    if (ping <= now) /* no credit for a ping: look again later */
        due = now + VIEWER_PING_MS;
    loop_timer_start(&v->timer, due > now ? due - now : 0);
}

static void on_timer(void *ctx)
{
    struct viewer *v = ctx;
    uint64_t now = loop_now_ms(v->list->loop);

    if (!v->connection) { /* away for too long */
        remove_viewer(v);
        return;
    }
    if (v->state == VIEWER_JOINING) {
        viewer_cut(v, "did not JOIN in time");
        return;
    }
    if (now - connection_opened_ms(v->connection) >= VIEWER_SILENCE_MS) {
        viewer_cut(v, "silent for too long");
        return;
    }
    if (now - connection_sent_ms(v->connection) >= VIEWER_PING_MS)
        send_ping(v);
    arm_liveness(v);
}

/* --- admission ------------------------------------------------------------------------------ */

static void on_room(void *ctx, struct pane *p)
{
    struct viewer *v = ctx;

    (void)p;
    viewer_drain_input(v);
    viewer_wake(v);
}

static void on_titled(void *ctx, struct pane *p)
{
    struct viewer *v = ctx;

    (void)p;
    v->layout_owed = true;
    viewer_wake(v);
}

static struct viewer *create_viewer(struct viewer_list *list, struct share_link *link)
{
    struct viewer *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->list = list;
    v->link = link;
    v->share = link->share;
    v->state = VIEWER_JOINING;
    v->observer.room = on_room;
    v->observer.titled = on_titled;
    v->observer.resized = on_titled;
    v->observer.ctx = v;
    loop_timer_init(&v->timer, list->loop, on_timer, v);
    loop_timer_init(&v->farewell, list->loop, on_farewell, v);
    loop_task_init(&v->pump, pump, v);
    loop_task_init(&v->reaper, free_viewer, v);
    v->next = list->first;
    list->first = v;
    return v;
}

static void *on_proven(void *ctx, struct connection *c, struct share_link *link)
{
    struct viewer *v = create_viewer(ctx, link);

    if (!v)
        return NULL;
    v->connection = c;
    loop_timer_start(&v->timer, VIEWER_JOIN_MS);
    return v;
}

static uint32_t capabilities_of(const struct viewer *v)
{
    return CAPABILITY_HISTORY | CAPABILITY_COPY | (v->role == ROLE_OPERATOR ? CAPABILITY_TYPE : 0u);
}

static bool hash_token(const uint8_t token[static VIEWER_RESUME_TOKEN_BYTES],
                       uint8_t hash[static VIEWER_TOKEN_HASH_BYTES])
{
    struct bytes t = {token, VIEWER_RESUME_TOKEN_BYTES};
    struct bytes none = {token, 0};

    return kdf_hash(t, none, hash) == ERR_OK;
}

/* A new token; the one before stays valid until the first ACK, in case this WELCOME is lost. */
static bool rotate_token(struct viewer *v, uint8_t token[static VIEWER_RESUME_TOKEN_BYTES])
{
    memcpy(v->former_hash, v->token_hash, sizeof v->former_hash);
    v->former_valid = v->id != 0;
    secret_random(token, VIEWER_RESUME_TOKEN_BYTES);
    return hash_token(token, v->token_hash);
}

static bool send_welcome(struct viewer *v)
{
    struct viewer_welcome m = {.role = v->role,
                               .capabilities = capabilities_of(v),
                               .window = PACE_WINDOW_MAX_BYTES,
                               .input_next = v->input_taken + v->input.len,
                               .share_name = bytes_of(v->share->name),
                               .host_label = bytes_of(v->list->host_label)};
    uint8_t body[512];
    struct wbuf w;

    if (!rotate_token(v, m.resume_token))
        return false;
    if (v->id == 0) {
        v->id = v->list->next_id++;
        v->joined_ms = loop_now_ms(v->list->loop);
    }
    m.viewer_id = v->id;
    v->input_told = m.input_next;
    wbuf_init(&w, body, sizeof body);
    viewer_encode_welcome(&w, &m);
    viewer_send(v, VIEWER_MSG_WELCOME, &w);
    secret_wipe(body, sizeof body);
    secret_wipe(m.resume_token, sizeof m.resume_token);
    return !w.bad && v->connection;
}

/* Lets the viewer in; its stream begins with a keyframe unless m resumes one. */
static void let_in(struct viewer *v, const struct viewer_join *m, bool resumed)
{
    struct rbuf r;

    pace_init(&v->pace);
    v->was_operator = v->role == ROLE_OPERATOR;
    if (!send_welcome(v) || !start_stream(v)) {
        if (v->connection)
            viewer_cut(v, "out of memory");
        return;
    }
    v->state = VIEWER_LIVE;
    v->counted = true;
    v->share->viewers++;
    v->layout_owed = true;
    if (!v->observing)
        pane_observe(v->share->pane, &v->observer);
    v->observing = true;
    rbuf_init(&r, m->panes.wire.p, m->panes.wire.len);
    for (uint16_t i = 0; resumed && i < m->panes.n; i++) {
        struct viewer_pane_offset at;

        viewer_read_pane_offset(&r, &at);
        if (at.pane == pane_id(v->share->pane)) /* what was never sent is in no ring */
            stream_resume(v->stream, at.offset <= v->resume_sent ? at.offset : UINT64_MAX,
                          v->resume_from, v->resume_size);
    }
    arm_liveness(v);
    count_changed(v->list, v->share);
    log_line(LOG_VIEWER, "viewer %u %s as %s", v->id, resumed ? "came back" : "joined",
             v->role == ROLE_OPERATOR ? "operator" : "spectator");
    viewer_wake(v);
}

static bool token_matches(struct viewer *v, const uint8_t hash[static VIEWER_TOKEN_HASH_BYTES])
{
    return secret_equal(v->token_hash, hash, VIEWER_TOKEN_HASH_BYTES) ||
           (v->former_valid && secret_equal(v->former_hash, hash, VIEWER_TOKEN_HASH_BYTES));
}

/* The viewer of this link that the token belongs to, or NULL. */
static struct viewer *find_resumed(struct viewer *v, const struct viewer_join *m)
{
    uint8_t hash[VIEWER_TOKEN_HASH_BYTES];

    if (secret_is_zero(m->resume_token, sizeof m->resume_token) ||
        !hash_token(m->resume_token, hash))
        return NULL;
    for (struct viewer *other = v->list->first; other; other = other->next) {
        if (other->id != 0 && other->link == v->link && other->state == VIEWER_LIVE &&
            token_matches(other, hash))
            return other;
    }
    return NULL;
}

/* Tells the connection that is being replaced, which then does not come back by itself. */
static void replace_connection(struct viewer *v)
{
    struct viewer_bye m = {BYE_REASON_REPLACED, bytes_of("this viewer connected again")};
    struct connection *c = v->connection;
    uint8_t body[64];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    viewer_encode_bye(&w, &m);
    connection_send(c, VIEWER_MSG_BYE, body, w.len);
    connection_close(c, CONNECTION_CLOSE_BYE, "");
    drop_connection(v);
}

/* The known viewer goes on over the new connection; the nameless one that brought it is done. */
static void resume(struct viewer *known, struct viewer *v, const struct viewer_join *m)
{
    struct connection *c = v->connection;

    if (known->connection)
        replace_connection(known);
    v->connection = NULL;
    remove_viewer(v);
    known->connection = c;
    connection_set_owner(c, known);
    loop_timer_stop(&known->timer);
    let_in(known, m, true);
}

static const char *gone_text(uint8_t reason)
{
    switch ((enum viewer_bye_reason)reason) {
    case BYE_REASON_ENDED:
        return "the share has ended";
    case BYE_REASON_EXPIRED:
        return "this link has expired";
    case BYE_REASON_STOPPING:
        return "the host is stopping";
    case BYE_REASON_REVOKED:
    case BYE_REASON_USED_UP:
    case BYE_REASON_FULL:
    case BYE_REASON_KICKED:
    case BYE_REASON_REPLACED:
    case BYE_REASON_APPROVAL_REFUSED:
    case BYE_REASON_PIN:
        break;
    }
    return "this link was revoked";
}

void viewer_admit(struct viewer *v, const struct viewer_join *m)
{
    struct viewer *known = find_resumed(v, m);

    if (known) {
        resume(known, v, m);
        return;
    }
    if (v->link->gone || !v->share || !v->share->pane) {
        viewer_bye(v, (enum viewer_bye_reason)v->link->gone_reason,
                   gone_text(v->link->gone_reason));
        return;
    }
    if (v->share->viewers >= SHARE_VIEWERS_MAX) {
        viewer_bye(v, BYE_REASON_FULL, "this share has as many viewers as it may have");
        return;
    }
    v->role = v->link->role;
    utf8_printable(m->name.p, m->name.len, v->name, VIEWER_NAME_MAX_BYTES);
    utf8_printable(m->client.p, m->client.len, v->client, VIEWER_NAME_MAX_BYTES);
    let_in(v, m, false);
}

/* --- shares that go ------------------------------------------------------------------------- */

static void on_link_gone(void *ctx, struct share_link *link, enum viewer_bye_reason reason)
{
    struct viewer_list *list = ctx;

    for (struct viewer *v = list->first, *next; v; v = next) {
        next = v->next;
        if (v->link != link)
            continue;
        viewer_bye(v, reason, gone_text((uint8_t)reason));
        v->share = NULL;
    }
}

void viewer_share_ended(struct viewer_list *list, struct share *s)
{
    for (struct viewer *v = list->first; v; v = v->next) {
        if (v->share != s)
            continue;
        v->layout_owed = true;
        viewer_wake(v);
    }
}

bool viewer_share_draining(const struct viewer_list *list, const struct share *s)
{
    for (struct viewer *v = list->first; v; v = v->next) {
        if (v->share == s)
            return true;
    }
    return false;
}

/* --- the list ------------------------------------------------------------------------------- */

static void on_credit(void *owner)
{
    viewer_wake(owner);
}

struct viewer_list *viewer_list_create(struct loop *l, struct share_list *shares,
                                       const char *host_label, void (*changed)(void *ctx),
                                       void *ctx)
{
    struct viewer_list *list = calloc(1, sizeof *list);
    struct connection_hooks hooks = {.proven = on_proven,
                                     .message = viewer_take_message,
                                     .credit = on_credit,
                                     .ended = on_connection_ended,
                                     .ctx = list};
    struct share_hooks share_hooks = {.link_gone = on_link_gone, .changed = changed, .ctx = list};

    if (!list)
        return NULL;
    list->loop = l;
    list->shares = shares;
    list->changed = changed;
    list->ctx = ctx;
    list->next_id = 1;
    utf8_printable((const uint8_t *)host_label, strlen(host_label), list->host_label,
                   VIEWER_NAME_MAX_BYTES);
    loop_timer_init(&list->presence, l, tell_presence, list);
    list->connections = connection_list_create(l, shares, &hooks);
    if (!list->connections) {
        free(list);
        return NULL;
    }
    share_hooks.changed = NULL;
    share_list_set_hooks(shares, &share_hooks);
    return list;
}

void viewer_list_destroy(struct viewer_list *list)
{
    if (!list)
        return;
    for (struct viewer *v; (v = list->first) != NULL;) {
        viewer_bye(v, BYE_REASON_STOPPING, "the host is stopping");
        if (list->first != v) /* it was away and is gone */
            continue;
        flush_small(v);
        finish_bye(v);
    }
    loop_timer_stop(&list->presence);
    connection_list_destroy(list->connections);
    free(list);
}

void *viewer_carrier_open(void *list, struct carrier *c, const char *peer, const char *origin,
                          unsigned flags)
{
    (void)flags;
    return connection_open(((struct viewer_list *)list)->connections, c, peer, origin);
}

void viewer_carrier_data(void *connection, uint8_t *p, size_t n)
{
    connection_data(connection, p, n);
}

void viewer_carrier_closed(void *connection)
{
    connection_lost(connection);
}

void viewer_carrier_credit(void *connection)
{
    connection_credit(connection);
}

struct viewer *viewer_next(const struct viewer_list *list, const struct viewer *v)
{
    struct viewer *at = v ? v->next : list->first;

    while (at && (at->id == 0 || at->state != VIEWER_LIVE))
        at = at->next;
    return at;
}

struct viewer *viewer_by_id(const struct viewer_list *list, uint32_t id)
{
    for (struct viewer *v = viewer_next(list, NULL); v; v = viewer_next(list, v)) {
        if (v->id == id)
            return v;
    }
    return NULL;
}

struct viewer_info viewer_describe(const struct viewer *v)
{
    struct viewer_info i = {.id = v->id,
                            .role = v->role,
                            .away = v->connection == NULL,
                            .behind = v->stream && stream_behind(v->stream),
                            .name = v->name,
                            .client = v->client,
                            .peer = v->connection ? connection_peer(v->connection) : "",
                            .label = v->link->label,
                            .share_id = v->share ? v->share->id : 0,
                            .since_s = (loop_now_ms(v->list->loop) - v->joined_ms) / 1000,
                            .input_bytes = v->input_taken};

    return i;
}

void viewer_kick(struct viewer *v, const char *text)
{
    viewer_bye(v, BYE_REASON_KICKED, text ? text : "");
}
