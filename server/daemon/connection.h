/* A viewer's sealed connection: handshake, then records both ways over a carrier.
 *
 *   message 1 ─► queued ─► (at most HANDSHAKES_PER_ROUND a round) ─► read, verified ─► message 2
 *                             │ unknown link, wrong secret, replay, …          │
 *                             ▼                                                ▼
 *               close 4000 "refused", 300 ms after message 1 arrived        records
 *
 * Who has not proven a link's secret learns nothing but "refused", at the same moment whatever the
 * reason. After the handshake a record that does not open ends the connection with nothing acted
 * on. This file knows no messages: it hands types and bodies to its owner. */
#ifndef VITRINE_DAEMON_CONNECTION_H
#define VITRINE_DAEMON_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"

struct carrier;
struct connection;
struct loop;
struct share_link;
struct share_list;

#define CONNECTION_REFUSAL_MS       300
#define CONNECTION_HANDSHAKES_ROUND 16
#define CONNECTION_QUEUED_MAX       1024 /* handshakes waiting; more are refused unread */
#define CONNECTION_SMALL_RESERVE    4096 /* credit that bulk leaves to small messages */
#define CONNECTION_PEER_MAX         256

/* Close codes of protocol.md §7. */
enum connection_close {
    CONNECTION_CLOSE_BYE = 1000,
    CONNECTION_CLOSE_REFUSED = 4000,
    CONNECTION_CLOSE_MALFORMED = 4002,
};

struct connection_hooks {
    /* The peer has proven the link's secret; link may be a tombstone. Returns what the other hooks
     * get, or NULL to refuse. */
    void *(*proven)(void *ctx, struct connection *c, struct share_link *link);
    /* One message record of the viewer's. */
    void (*message)(void *owner, uint8_t type, struct bytes body);
    /* The carrier has credit again. */
    void (*credit)(void *owner);
    /* The connection is over, whoever ended it but connection_close; c is freed after the round. */
    void (*ended)(void *owner, const char *why);
    void *ctx;
};

/* The daemon's place for connections; one per gate. */
struct connection_list;

struct connection_list *connection_list_create(struct loop *l, struct share_list *shares,
                                               const struct connection_hooks *hooks);
void connection_list_destroy(struct connection_list *list);

/* Gives the connection another owner: what the hooks get from now on. */
void connection_set_owner(struct connection *c, void *owner);

/* A carrier has opened; its first data is message 1. NULL when memory ran out. */
struct connection *connection_open(struct connection_list *list, struct carrier *carrier,
                                   const char *peer);
/* One message of the carrier's; opened in place. */
void connection_data(struct connection *c, uint8_t *p, size_t n);
/* The carrier is gone. */
void connection_lost(struct connection *c);
void connection_credit(struct connection *c);

/* The largest body that may be sent as bulk now. */
size_t connection_room(const struct connection *c);
/* Room for a bulk body of up to n bytes, n at most connection_room, to be written in place and sent
 * by connection_commit; NULL when memory ran out. */
uint8_t *connection_reserve(struct connection *c, size_t n);
/* Seals and sends the first n bytes of what was reserved. */
void connection_commit(struct connection *c, uint8_t type, bool more, size_t n);
/* Sends a small message that may use the reserve; false when there is no credit for it now. */
bool connection_send(struct connection *c, uint8_t type, const void *body, size_t n);
/* Ends the connection; hooks are not called. Freed after the round. */
void connection_close(struct connection *c, enum connection_close code, const char *reason);

const char *connection_peer(const struct connection *c);
/* When a record was last opened, and one last sent, in loop_now_ms. */
uint64_t connection_opened_ms(const struct connection *c);
uint64_t connection_sent_ms(const struct connection *c);

#endif
