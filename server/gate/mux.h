/* The mux's two directions: frames of the daemon are acted on one by one; frames for it are taken
 * from the channels in turns at the end of each round.
 *
 * Turns: credit first, because it is small and wakes the other side; then channels with less than
 * MUX_SMALL_BYTES waiting (keystrokes), all they have; then the others, one frame each in a circle.
 * What does not fit the link's buffer waits where it is, and a channel that waits stops reading its
 * peer: that is how a slow daemon slows viewers down instead of filling memory. */
#ifndef VITRINE_SERVER_GATE_MUX_H
#define VITRINE_SERVER_GATE_MUX_H

#include "proto/mux_msg.h"
#include "server/gate/state.h"

/* One frame from the daemon; ctx is the gate. ERR_MALFORMED, ERR_STATE for a frame that only a gate
 * sends or that comes twice, ERR_EXHAUSTED for one beyond credit. */
enum err mux_take_frame(void *ctx, const struct mux_header *h, struct bytes body);
/* Takes the body of a TLS frame, which is wiped: its certificate is for connections from here on.
 * With a reason in why: it cannot be used, and the former one stays. ERR_STATE: TLS is off. */
enum err mux_use_tls(struct gate *g, struct bytes body, char why[TLS_REASON_BYTES]);
/* Moves what is due into the link's buffer. True when more is waiting than fits. */
bool mux_fill_link(struct gate *g);

#endif
