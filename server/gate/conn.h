/* Connections: from accept to close, with their output (conn_output.c) and their time limits. What
 * arrives is opened when TLS is on, and handed to request.h (HTTP) or viewer.h (WebSocket) by
 * state. */
#ifndef VITRINE_SERVER_GATE_CONN_H
#define VITRINE_SERVER_GATE_CONN_H

#include <sys/socket.h>

#include "server/gate/state.h"

#define CONN_PEER_MAX_BYTES (INET6_ADDRSTRLEN + 8)

/* Takes an accepted socket (owned from here on, also on failure). Evicts a random connection that
 * has not proven itself when there are too many of them. */
void conn_accept(struct gate *g, int fd, const struct sockaddr *peer);
/* Frees a connection without a socket, whatever lists it is on. */
void conn_destroy(struct conn *c);

/* Bytes from the peer. */
void conn_receive(struct conn *c, const uint8_t *p, size_t n);
/* The socket is gone: the channel is closed towards the daemon, or the connection freed. */
void conn_lose_socket(struct conn *c);

/* Marks: send at the end of this round; close at the end of this round. */
void conn_mark_dirty(struct conn *c);
void conn_doom(struct conn *c);
/* Queues m (owned) for the peer and marks. */
void conn_queue(struct conn *c, struct message *m);
/* Sends once what the kernel takes. */
void conn_flush(struct conn *c);

/* Takes it off the list of connections that may be evicted. */
void conn_prove(struct conn *c);
/* Ends in `seconds` unless something moves it on; 0: no limit. */
void conn_set_deadline(struct conn *c, unsigned seconds);
/* Acts on deadlines that have passed; called by the tick. */
void conn_check_deadlines(struct gate *g);
void conn_pause(struct conn *c);
void conn_resume(struct conn *c);
/* Nothing more is read from the peer; the socket closes when the output is sent and the peer has
 * ended, or after GATE_CLOSE_WAIT_S. */
void conn_linger(struct conn *c);

/* "127.0.0.1:4711", "[::1]:4711" or "unix". */
void conn_peer_text(const struct conn *c, char out[CONN_PEER_MAX_BYTES + 1]);

#endif
