/* One connection to the daemon's local socket: frames out, frames in, never blocking. It knows the
 * framing of docs/ipc.md and nothing of what the messages mean, so that a program's library can
 * stand on it as well as the command line.
 *
 * The caller polls connection_fd() for connection_events(), then calls connection_receive() and
 * connection_send(), then takes frames with connection_next() until there is none. */
#ifndef VITRINE_CLIENT_CONNECTION_H
#define VITRINE_CLIENT_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/buf.h"
#include "proto/ipc_msg.h"

struct connection;

#define CONNECTION_DEADLINE_MS 10000 /* usual, for a daemon that does not accept */

/* Connects to the socket at path and checks that the other end runs as this user; waits timeout_ms,
 * above 0, at most. ERR_NOT_FOUND when nobody listens there, ERR_AUTH for another user's socket,
 * ERR_MEMORY, ERR_SYSTEM with errno. On ERR_OK *out is to be given to connection_close(). */
enum err connection_open(const char *path, int timeout_ms, struct connection **out);
/* Closes and frees; NULL is fine. Does not wait for what is queued. */
void connection_close(struct connection *c);

int connection_fd(const struct connection *c);
/* What to poll for: POLLIN until the other end has closed, POLLOUT while something is queued. */
short connection_events(const struct connection *c);
/* Bytes queued and not yet taken by the kernel. */
size_t connection_queued(const struct connection *c);
/* True when the other end has closed; frames received before may still wait in connection_next().
 */
bool connection_ended(const struct connection *c);

/* Begins a frame with room for a body of at most body_max bytes. Returns where to write the body;
 * connection_end_frame() follows. NULL without memory. */
struct wbuf *connection_begin_frame(struct connection *c, enum ipc_message_type type,
                                    size_t body_max);
/* Queues the frame. ERR_SPACE, with nothing queued, when the body did not fit or is longer than a
 * frame may be. */
enum err connection_end_frame(struct connection *c);

/* Gives the kernel what it takes of the queue. ERR_OK also when it takes nothing now, and when the
 * other end has closed: the queue is dropped then, and receiving tells the rest. ERR_SYSTEM with
 * errno otherwise. */
enum err connection_send(struct connection *c);
/* Reads once. ERR_OK also when there is nothing now or the other end has closed; ERR_MEMORY, or
 * ERR_SYSTEM with errno. */
enum err connection_receive(struct connection *c);
/* Takes the next whole frame; *body points into the connection until the next receive.
 * ERR_TRUNCATED when there is none, ERR_MALFORMED when what came cannot be one. */
enum err connection_next(struct connection *c, uint8_t *type, struct bytes *body);
/* Overwrites what was received and taken: links may have been in it. */
void connection_wipe(struct connection *c);

#endif
