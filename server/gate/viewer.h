/* A connection's WebSocket side: whole messages between the peer and a channel of the mux. */
#ifndef VITRINE_SERVER_GATE_VIEWER_H
#define VITRINE_SERVER_GATE_VIEWER_H

#include "server/gate/http.h"
#include "server/gate/state.h"

/* Accepts the opening handshake r, which is in order; rest are bytes that came behind it. */
void viewer_start(struct conn *c, const struct http_request *r, struct bytes rest);
/* Bytes from the peer in the states CONN_WAIT, CONN_CHANNEL and CONN_CLOSING. */
void viewer_receive(struct conn *c, const uint8_t *p, size_t n);
/* Ends the WebSocket with this code: what is not being sent yet is dropped. */
void viewer_fail(struct conn *c, uint16_t code);

/* Queues CLOSE for the daemon behind the channel's DATA. */
void viewer_end_channel(struct conn *c, uint16_t code, struct bytes reason);
/* Takes the channel out of the table: frames for it are ignored from here on. */
void viewer_forget(struct conn *c);
/* Returns the connection that carries the channel, or NULL. */
struct conn *viewer_find(struct gate *g, uint32_t channel);

/* From the daemon: one record. False when it is beyond the credit. */
bool viewer_send(struct conn *c, struct bytes record);
/* From the daemon: credit. False when it is more than was used. */
bool viewer_add_credit(struct conn *c, uint32_t bytes);
/* From the daemon: closes behind what is queued. May free c. */
void viewer_close(struct conn *c, uint16_t code, struct bytes reason);

/* So many bytes of DATA frames have left for the peer. */
void viewer_count_sent(struct conn *c, uint32_t bytes);
/* Takes the next frame for the daemon, when there is credit for it; the caller owns it. NULL when
 * there is none. */
struct message *viewer_take_frame(struct conn *c);
/* Puts c on the gate's `ready` list, or takes it off, as viewer_take_frame would find it. */
void viewer_mark_ready(struct conn *c);

#endif
