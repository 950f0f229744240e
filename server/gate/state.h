/* The gate's whole state, and one connection's. One process serves one daemon.
 *
 * A connection goes through
 *
 *     HEAD <--> RESPOND                       a page's request and its answer, kept alive
 *       |
 *       v  upgrade accepted
 *     WAIT  -- 69 bytes -->  CHANNEL          message 1 makes it a channel of the mux
 *       |                      |
 *       |   daemon's CLOSE     |  peer's close or violation, or its socket is gone
 *       +-----> CLOSING <------+----> LINGER  (CLOSING waits for the peer's close frame,
 *                  |                    |      LINGER only for the end of its bytes)
 *                  +---> the socket is closed, the connection freed
 *
 * and is on these lists while the name fits: `conns` (all), `dirty` (something to send at the end
 * of this round), `ready` (frames for the daemon, and credit for the first), `owing` (credit to
 * give back), `doomed` (its socket is to be closed at the end of this round). It is freed in two
 * steps: callbacks only put it on `doomed`; the round's end closes the socket, and frees it once
 * its frames for the daemon are on their way. */
#ifndef VITRINE_SERVER_GATE_STATE_H
#define VITRINE_SERVER_GATE_STATE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/gate/config.h"
#include "server/gate/link.h"
#include "server/gate/list.h"
#include "server/gate/listen.h"
#include "server/gate/loop.h"
#include "server/gate/message.h"
#include "server/gate/tls.h"
#include "server/gate/ws.h"

#define CHANNEL_BUCKETS 1024 /* ids are consecutive, so they spread evenly */

enum conn_state { CONN_HEAD, CONN_RESPOND, CONN_WAIT, CONN_CHANNEL, CONN_CLOSING, CONN_LINGER };

struct conn {
    struct gate *gate;
    struct lws *socket; /* NULL once closed */
    struct tls *tls;    /* NULL: the connection is plain */
    uint8_t state;      /* enum conn_state */
    uint8_t peer_flags; /* MUX_PEER_… */
    bool paused;        /* input is not read */
    bool close_after;   /* the answer is the last one */
    bool shut;          /* our side of the socket is shut */
    bool out_begun;     /* the head of `out` is partly sent */
    bool tls_begun;     /* the peer's first byte was seen */
    bool tls_ended;     /* close_notify is sealed */
    bool up_closed;     /* CLOSE is in `up`; the channel is over for us */
    uint16_t peer_port;
    struct in6_addr peer; /* IPv4 as mapped addresses; zeros for unix */
    int32_t unproven_at;  /* place in gate->unproven, or -1 */
    uint64_t deadline_ms; /* 0 none */

    struct message *head; /* the request so far; from the upgrade to message 1, the origin */
    struct ws_parser ws;
    struct message *pong; /* answer to the latest ping, not sent yet */
    struct message_queue out;
    const uint8_t *body, *body_end; /* of an asset, behind `out`; static */

    uint32_t channel; /* 0: none, or all its frames are on their way */
    uint32_t up_credit;
    uint32_t up_waiting;     /* bytes of DATA frames in `up` */
    uint32_t down_used;      /* bytes of DATA frames taken and not given back as CREDIT */
    uint32_t down_owed;      /* of those, bytes that have left for the peer */
    struct message_queue up; /* whole frames for the daemon, in their order */

    struct conn *next_in_bucket;
    struct list_node all, dirty, ready, owing, doomed;
};

struct gate {
    struct gate_config config;
    struct loop *loop;
    struct tls_context *tls; /* for connections to come; NULL: they are plain */
    struct link link;
    struct lws *link_watch;
    struct listener listeners[MUX_LISTENERS_MAX];
    struct lws *listener_watch[MUX_LISTENERS_MAX];
    unsigned listener_count;
    int signal_fd, spare_fd;

    struct list_node conns, dirty, ready, owing, doomed;
    struct conn **unproven; /* config.max_unproven places, the first unproven_count are taken */
    uint32_t unproven_count;
    struct conn *channels[CHANNEL_BUCKETS];
    uint32_t last_channel;

    bool ticking, stopping;
    uint64_t stop_ms; /* when stopping: the latest moment to be gone */
    int exit_code;
};

#endif
