/* Who is let in: JOIN, resuming, and what those are told who are not. */
#include <stdlib.h>
#include <string.h>

#include "crypto/kdf.h"
#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/log.h"
#include "server/daemon/share.h"
#include "server/daemon/stream.h"
#include "server/daemon/viewer_state.h"

/* --- admission ------------------------------------------------------------------------------ */

static struct viewer *create_viewer(struct viewer_list *list, struct share_link *link)
{
    struct viewer *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->list = list;
    v->link = link;
    v->share = link->share;
    v->state = VIEWER_JOINING;
    v->view = VIEWER_VIEW_FOLLOW;
    loop_timer_init(&v->timer, list->loop, viewer_on_timer, v);
    loop_timer_init(&v->farewell, list->loop, viewer_on_farewell, v);
    loop_task_init(&v->pump, viewer_pump, v);
    loop_task_init(&v->reaper, viewer_free, v);
    v->next = list->first;
    list->first = v;
    return v;
}

void *viewer_on_proven(void *ctx, struct connection *c, struct share_link *link)
{
    struct viewer *v = create_viewer(ctx, link);

    if (!v)
        return NULL;
    v->connection = c;
    loop_timer_start(&v->timer, VIEWER_JOIN_MS);
    return v;
}

uint32_t viewer_capabilities(const struct viewer *v)
{
    uint32_t bits = CAPABILITY_HISTORY | CAPABILITY_COPY;

    if (v->role != ROLE_OPERATOR)
        return bits;
    return bits | CAPABILITY_TYPE |
           (v->share->commands && v->share->kind != SHARE_PANE ? CAPABILITY_COMMANDS : 0u);
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
                               .capabilities = viewer_capabilities(v),
                               .window = PACE_WINDOW_MAX_BYTES,
                               .input_next = v->input_taken + v->input_queued,
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

/* Goes on where the panes that m names stood, as far as that is known and nothing is missing. */
static void resume_panes(struct viewer *v, const struct viewer_join *m)
{
    struct rbuf r;

    rbuf_init(&r, m->panes.wire.p, m->panes.wire.len);
    for (uint16_t i = 0; i < m->panes.n; i++) {
        struct viewer_pane_offset at;
        struct viewer_pane *e;

        viewer_read_pane_offset(&r, &at);
        e = viewer_find_pane(v, at.pane);
        if (e && e->stream && e->resumable) /* what was never sent is in no ring */
            stream_resume(e->stream, at.offset <= e->resume_sent ? at.offset : UINT64_MAX,
                          e->resume_from, e->resume_size);
    }
    for (struct viewer_pane *e = v->panes; e; e = e->next)
        e->resumable = false;
}

/* Lets the viewer in; its streams begin with keyframes unless m resumes them. */
static void let_in(struct viewer *v, const struct viewer_join *m, bool resumed)
{
    pace_init(&v->pace);
    v->was_operator = v->role == ROLE_OPERATOR;
    if (!send_welcome(v)) {
        if (v->connection)
            viewer_cut(v, "out of memory");
        return;
    }
    v->state = VIEWER_LIVE;
    v->counted = true;
    v->share->viewers++;
    viewer_look(v);
    if (!v->connection)
        return;
    if (resumed)
        resume_panes(v, m);
    viewer_arm_liveness(v);
    viewer_count_changed(v->list, v->share);
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
    viewer_drop_connection(v);
}

/* The known viewer goes on over the new connection; the nameless one that brought it is done. */
static void resume(struct viewer *known, struct viewer *v, const struct viewer_join *m)
{
    struct connection *c = v->connection;

    if (known->connection)
        replace_connection(known);
    v->connection = NULL;
    viewer_remove(v);
    known->connection = c;
    connection_set_owner(c, known);
    loop_timer_stop(&known->timer);
    let_in(known, m, true);
}

const char *viewer_gone_text(uint8_t reason)
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
    if (v->link->gone || !v->share) {
        viewer_bye(v, (enum viewer_bye_reason)v->link->gone_reason,
                   viewer_gone_text(v->link->gone_reason));
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
