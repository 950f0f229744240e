#include "server/daemon/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/link_keys.h"
#include "crypto/noise.h"
#include "crypto/record.h"
#include "crypto/secret.h"
#include "proto/viewer_msg.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/share.h"

#define PAYLOAD_1_BYTES 4 /* u32 features */
#define PAYLOAD_2_BYTES 5 /* u32 features, u8 needs */

enum state { WAITING, QUEUED, REFUSED, SEALED, OVER };

struct connection {
    struct connection_list *list;
    struct carrier *carrier; /* NULL once it is gone */
    enum state state;
    uint8_t message_1[VIEWER_HANDSHAKE_1_BYTES]; /* until it was read */
    struct record *record;
    void *owner;
    struct loop_timer refusal;
    struct loop_task reaper;
    uint8_t *reserved;
    size_t reserved_bytes;
    uint64_t arrived_ms;
    uint64_t opened_ms;
    uint64_t sent_ms;
    char peer[CONNECTION_PEER_MAX];
    struct connection *next_queued;
    struct connection *next, **at; /* in the list of all */
};

struct connection_list {
    struct loop *loop;
    struct share_list *shares;
    struct connection_hooks hooks;
    struct connection *all;
    struct connection *queue, **queue_end;
    size_t queued;
    struct loop_task handshakes;
    struct loop_timer again; /* handshakes left over go on in the next round */
};

/* --- life ----------------------------------------------------------------------------------- */

static void free_connection(void *ctx)
{
    struct connection *c = ctx;

    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    record_destroy(c->record);
    free(c);
}

static void leave_queue(struct connection *c)
{
    struct connection_list *list = c->list;

    for (struct connection **at = &list->queue; *at; at = &(*at)->next_queued) {
        if (*at != c)
            continue;
        *at = c->next_queued;
        if (!*at)
            list->queue_end = at;
        list->queued--;
        return;
    }
}

static void retire(struct connection *c)
{
    if (c->state == QUEUED)
        leave_queue(c);
    c->state = OVER;
    c->carrier = NULL;
    c->owner = NULL;
    loop_timer_stop(&c->refusal);
    loop_defer(c->list->loop, &c->reaper);
}

static void on_refusal(void *ctx)
{
    struct connection *c = ctx;

    if (c->carrier)
        carrier_close(c->carrier, CONNECTION_CLOSE_REFUSED, "refused");
    retire(c);
}

/* The answer to everybody who has not proven a secret; the true reason goes to the log only. */
static void refuse(struct connection *c, const char *why)
{
    uint64_t since = loop_now_ms(c->list->loop) - c->arrived_ms;

    log_line(LOG_VIEWER, "refused %s: %s", c->peer[0] ? c->peer : "a peer", why);
    c->state = REFUSED;
    loop_timer_start(&c->refusal,
                     since < CONNECTION_REFUSAL_MS ? CONNECTION_REFUSAL_MS - since : 0);
}

/* Ends a proven connection from this side, telling its owner. */
static void end(struct connection *c, const char *why)
{
    void *owner = c->owner;

    if (c->carrier)
        carrier_close(c->carrier, CONNECTION_CLOSE_MALFORMED, "malformed");
    retire(c);
    if (owner)
        c->list->hooks.ended(owner, why);
}

void connection_close(struct connection *c, enum connection_close code, const char *reason)
{
    if (c->carrier)
        carrier_close(c->carrier, (uint16_t)code, reason);
    retire(c);
}

void connection_set_owner(struct connection *c, void *owner)
{
    c->owner = owner;
}

void connection_lost(struct connection *c)
{
    void *owner = c->owner;

    c->carrier = NULL;
    retire(c);
    if (owner)
        c->list->hooks.ended(owner, "connection lost");
}

struct connection *connection_open(struct connection_list *list, struct carrier *carrier,
                                   const char *peer)
{
    struct connection *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->list = list;
    c->carrier = carrier;
    c->state = WAITING;
    c->arrived_ms = loop_now_ms(list->loop);
    snprintf(c->peer, sizeof c->peer, "%s", peer);
    loop_timer_init(&c->refusal, list->loop, on_refusal, c);
    loop_task_init(&c->reaper, free_connection, c);
    c->next = list->all;
    c->at = &list->all;
    if (c->next)
        c->next->at = &c->next;
    list->all = c;
    return c;
}

/* --- handshake ------------------------------------------------------------------------------ */

/* Reads message 1 and sends message 2. The state is committed by the caller once all is well.
 * ERR_AUTH and the like refuse; ERR_SPACE when message 2 could not be sent. */
static enum err answer(struct connection *c, struct share_link *link, struct noise **out)
{
    static const uint8_t payload_2[PAYLOAD_2_BYTES]; /* features 0, needs nothing */
    const uint8_t *m1 = c->message_1 + 1 + VIEWER_LINK_ID_BYTES;
    struct bytes message = {m1, VIEWER_HANDSHAKE_1_BYTES - 1 - VIEWER_LINK_ID_BYTES};
    struct bytes reply_payload = {payload_2, sizeof payload_2};
    uint8_t prologue[LINK_PROLOGUE_BYTES];
    uint8_t payload[PAYLOAD_1_BYTES];
    struct noise_setup setup = {.suite = NOISE_SUITE_CLASSIC,
                                .prologue = {prologue, sizeof prologue},
                                .static_public = share_public_key(c->list->shares),
                                .static_secret = share_private_key(c->list->shares),
                                .psk = share_link_psk(link)};
    uint8_t *room;
    size_t len;
    enum err e;

    link_keys_prologue(link->id, prologue);
    e = noise_create(out, NOISE_RESPONDER, &setup);
    if (e == ERR_OK)
        e = noise_responder_read_1(*out, message, payload, sizeof payload, &len);
    if (e == ERR_OK && !share_link_remember(link, noise_message_ephemeral(message)))
        e = ERR_MEMORY;
    if (e != ERR_OK)
        return e;
    room = carrier_reserve(c->carrier, VIEWER_HANDSHAKE_2_BYTES);
    if (!room)
        return ERR_SPACE;
    room[0] = VIEWER_HANDSHAKE_2;
    e = noise_responder_write_2(*out, NULL, reply_payload, room + 1, VIEWER_HANDSHAKE_2_BYTES - 1,
                                &len);
    if (e == ERR_OK)
        carrier_commit(c->carrier, 1 + len);
    return e;
}

static void handshake(struct connection *c)
{
    struct share_link *link = share_find_link(c->list->shares, c->message_1 + 1);
    const uint8_t *ephemeral = c->message_1 + 1 + VIEWER_LINK_ID_BYTES;
    struct noise *noise = NULL;
    enum err e;

    if (c->message_1[0] != VIEWER_HANDSHAKE_1 || !link || share_link_seen(link, ephemeral)) {
        refuse(c, link ? "handshake repeated or malformed" : "unknown link");
        return;
    }
    e = answer(c, link, &noise);
    if (e == ERR_OK)
        e = record_create(&c->record, noise);
    noise_destroy(noise);
    if (e != ERR_OK) {
        refuse(c, err_text(e));
        return;
    }
    c->state = SEALED;
    c->opened_ms = c->sent_ms = loop_now_ms(c->list->loop);
    c->owner = c->list->hooks.proven(c->list->hooks.ctx, c, link);
    if (!c->owner && c->state == SEALED)
        connection_close(c, CONNECTION_CLOSE_REFUSED, "refused");
}

static void run_handshakes(void *ctx)
{
    struct connection_list *list = ctx;

    for (int i = 0; i < CONNECTION_HANDSHAKES_ROUND && list->queue; i++) {
        struct connection *c = list->queue;

        leave_queue(c);
        c->state = WAITING;
        handshake(c);
    }
    if (list->queue)
        loop_timer_start(&list->again, 0);
}

static void on_again(void *ctx)
{
    struct connection_list *list = ctx;

    loop_defer(list->loop, &list->handshakes);
}

static void take_message_1(struct connection *c, const uint8_t *p, size_t n)
{
    struct connection_list *list = c->list;

    if (n != VIEWER_HANDSHAKE_1_BYTES || list->queued >= CONNECTION_QUEUED_MAX) {
        refuse(c, n != VIEWER_HANDSHAKE_1_BYTES ? "message 1 of a wrong size" : "too busy");
        return;
    }
    memcpy(c->message_1, p, n);
    c->state = QUEUED;
    c->next_queued = NULL;
    *list->queue_end = c;
    list->queue_end = &c->next_queued;
    list->queued++;
    if (!loop_timer_running(&list->again))
        loop_defer(list->loop, &list->handshakes);
}

/* --- records -------------------------------------------------------------------------------- */

void connection_data(struct connection *c, uint8_t *p, size_t n)
{
    struct record_part part;
    enum err e;

    if (c->state == WAITING) {
        take_message_1(c, p, n);
        return;
    }
    if (c->state == QUEUED) {
        leave_queue(c);
        refuse(c, "data before message 2");
    }
    if (c->state != SEALED)
        return;
    e = record_open(c->record, p, n, &part);
    if (e != ERR_OK) {
        log_line(LOG_VIEWER, "record from %s does not open: %s", c->peer, err_text(e));
        end(c, "a record did not open");
        return;
    }
    c->opened_ms = loop_now_ms(c->list->loop);
    if (part.more) { /* a viewer's messages never continue */
        end(c, "malformed message");
        return;
    }
    c->list->hooks.message(c->owner, part.type, part.body);
}

void connection_credit(struct connection *c)
{
    if (c->state == SEALED)
        c->list->hooks.credit(c->owner);
}

/* The largest body whose record, padding included, fits into n bytes. */
static size_t body_that_fits(size_t n)
{
    size_t overhead = RECORD_HEAD_BYTES + RECORD_TAG_BYTES + RECORD_PAD_BYTES;

    return n > overhead ? n - overhead : 0;
}

size_t connection_room(const struct connection *c)
{
    size_t credit = c->carrier && c->state == SEALED ? carrier_credit(c->carrier) : 0;

    return credit > CONNECTION_SMALL_RESERVE ? body_that_fits(credit - CONNECTION_SMALL_RESERVE)
                                             : 0;
}

uint8_t *connection_reserve(struct connection *c, size_t n)
{
    if (!c->carrier || c->state != SEALED)
        return NULL;
    c->reserved_bytes = record_sealed_bytes(c->record, n);
    c->reserved = c->reserved_bytes ? carrier_reserve(c->carrier, c->reserved_bytes) : NULL;
    return c->reserved ? c->reserved + RECORD_HEAD_BYTES : NULL;
}

void connection_commit(struct connection *c, uint8_t type, bool more, size_t n)
{
    size_t len;

    if (record_seal(c->record, type, more, c->reserved, c->reserved_bytes, n, &len) != ERR_OK) {
        end(c, "a record could not be sealed");
        return;
    }
    carrier_commit(c->carrier, len);
    c->sent_ms = loop_now_ms(c->list->loop);
    c->reserved = NULL;
}

bool connection_send(struct connection *c, uint8_t type, const void *body, size_t n)
{
    uint8_t *room = connection_reserve(c, n);

    if (!room)
        return false;
    if (n > 0)
        memcpy(room, body, n);
    connection_commit(c, type, false, n);
    return true;
}

/* --- the list ------------------------------------------------------------------------------- */

struct connection_list *connection_list_create(struct loop *l, struct share_list *shares,
                                               const struct connection_hooks *hooks)
{
    struct connection_list *list = calloc(1, sizeof *list);

    if (!list)
        return NULL;
    list->loop = l;
    list->shares = shares;
    list->hooks = *hooks;
    list->queue_end = &list->queue;
    loop_task_init(&list->handshakes, run_handshakes, list);
    loop_timer_init(&list->again, l, on_again, list);
    return list;
}

void connection_list_destroy(struct connection_list *list)
{
    if (!list)
        return;
    while (list->all) {
        struct connection *c = list->all;

        loop_timer_stop(&c->refusal);
        loop_cancel(list->loop, &c->reaper);
        free_connection(c);
    }
    loop_cancel(list->loop, &list->handshakes);
    loop_timer_stop(&list->again);
    free(list);
}

const char *connection_peer(const struct connection *c)
{
    return c->peer;
}

uint64_t connection_opened_ms(const struct connection *c)
{
    return c->opened_ms;
}

uint64_t connection_sent_ms(const struct connection *c)
{
    return c->sent_ms;
}
