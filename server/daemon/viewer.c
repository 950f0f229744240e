#include "server/daemon/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/log.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

/* --- life ----------------------------------------------------------------------------------- */

void viewer_free(void *ctx)
{
    struct viewer *v = ctx;

    outbuf_clear(&v->small);
    outbuf_clear(&v->layout);
    free(v->told);
    free(v);
}

/* Takes the viewer out of its share's count of those who watch now. */
void viewer_uncount(struct viewer *v)
{
    if (!v->counted)
        return;
    v->counted = false;
    v->share->viewers--;
    viewer_count_changed(v->list, v->share);
}

/* Forgets the connection's part of a viewer. */
void viewer_drop_connection(struct viewer *v)
{
    viewer_pause_panes(v);
    memset(v->begun, 0, sizeof v->begun);
    memset(v->cut_short, 0, sizeof v->cut_short);
    v->connection = NULL;
    v->was_operator = false;
    v->finishing = false;
    v->n_told = 0;
    outbuf_reset(&v->small);
    outbuf_clear(&v->layout);
    v->layout_at = 0;
    loop_timer_stop(&v->timer);
    loop_timer_stop(&v->farewell);
    viewer_uncount(v);
}

/* Takes the viewer off the list; freed after the round. Its connection is gone already. */
void viewer_remove(struct viewer *v)
{
    for (struct viewer **at = &v->list->first; *at; at = &(*at)->next) {
        if (*at == v) {
            *at = v->next;
            break;
        }
    }
    viewer_forget_panes(v);
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
        viewer_remove(longest);
}

static void go_away(struct viewer *v)
{
    bool known = v->id != 0 && v->state == VIEWER_LIVE;

    viewer_drop_connection(v);
    if (!known) {
        viewer_remove(v);
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
void viewer_arm_liveness(struct viewer *v)
{
    uint64_t now = loop_now_ms(v->list->loop);
    uint64_t ping = connection_sent_ms(v->connection) + VIEWER_PING_MS;
    uint64_t silence = connection_opened_ms(v->connection) + VIEWER_SILENCE_MS;
    uint64_t due = ping < silence ? ping : silence;

    if (ping <= now) /* no credit for a ping: look again later */
        due = now + VIEWER_PING_MS;
    loop_timer_start(&v->timer, due > now ? due - now : 0);
}

void viewer_on_timer(void *ctx)
{
    struct viewer *v = ctx;
    uint64_t now = loop_now_ms(v->list->loop);

    if (!v->connection) { /* away for too long */
        viewer_remove(v);
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
    viewer_arm_liveness(v);
}

/* --- shares that go ------------------------------------------------------------------------- */

static void on_link_gone(void *ctx, struct share_link *link, enum viewer_bye_reason reason)
{
    struct viewer_list *list = ctx;

    for (struct viewer *v = list->first, *next; v; v = next) {
        next = v->next;
        if (v->link != link)
            continue;
        viewer_bye(v, reason, viewer_gone_text((uint8_t)reason));
        v->share = NULL;
    }
}

/* --- the list ------------------------------------------------------------------------------- */

static void on_credit(void *owner)
{
    viewer_wake(owner);
}

struct viewer_list *viewer_list_create(struct loop *l, struct session_list *sessions,
                                       struct share_list *shares, const char *host_label,
                                       const struct viewer_hooks *viewer_hooks)
{
    struct viewer_list *list = calloc(1, sizeof *list);
    struct connection_hooks hooks = {.proven = viewer_on_proven,
                                     .message = viewer_take_message,
                                     .credit = on_credit,
                                     .ended = on_connection_ended,
                                     .ctx = list};
    struct share_hooks share_hooks = {.link_gone = on_link_gone, .ctx = list};

    if (!list)
        return NULL;
    list->loop = l;
    list->sessions = sessions;
    list->shares = shares;
    list->hooks = *viewer_hooks;
    list->next_id = 1;
    utf8_printable((const uint8_t *)host_label, strlen(host_label), list->host_label,
                   VIEWER_NAME_MAX_BYTES);
    loop_timer_init(&list->presence, l, viewer_tell_presence, list);
    list->connections = connection_list_create(l, shares, &hooks);
    if (!list->connections) {
        free(list);
        return NULL;
    }
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
        viewer_flush(v);
        viewer_finish_bye(v);
    }
    loop_timer_stop(&list->presence);
    connection_list_destroy(list->connections);
    outbuf_clear(&list->scratch);
    free(list);
}

void *viewer_carrier_open(void *list, struct carrier *c, const char *peer, const char *origin,
                          unsigned flags)
{
    (void)origin; /* the gate has judged it */
    (void)flags;
    return connection_open(((struct viewer_list *)list)->connections, c, peer);
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

static bool is_behind(const struct viewer *v)
{
    for (const struct viewer_pane *e = v->panes; e; e = e->next) {
        if (e->stream && stream_behind(e->stream))
            return true;
    }
    return false;
}

struct viewer_info viewer_describe(const struct viewer *v)
{
    struct viewer_info i = {.id = v->id,
                            .role = v->role,
                            .away = v->connection == NULL,
                            .behind = is_behind(v),
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
