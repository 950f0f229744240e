/* How much may be in flight to one viewer: measured rate x (least round trip + 200 ms), between a
 * floor and a ceiling (docs/protocol.md §6). Bytes count from when they are sent until the viewer
 * says that it has rendered them.
 *
 * One mark at a time travels with the data: when it is acknowledged it gives one round trip and one
 * rate, bytes acknowledged since the mark was set over the time that took. The window also grows
 * while it is what limits: a round trip that ends with the window full doubles it. */
#ifndef VITRINE_DAEMON_PACE_H
#define VITRINE_DAEMON_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_WINDOW_MIN_BYTES   (16u << 10)
#define PACE_WINDOW_FIRST_BYTES (64u << 10)
#define PACE_WINDOW_MAX_BYTES   (512u << 10)
#define PACE_QUEUE_MS           200 /* what may wait on the way beyond the round trip */
#define PACE_PART_MS            50  /* of the rate: the largest record */
#define PACE_PART_MIN_BYTES     1024
#define PACE_PART_MAX_BYTES     (16u << 10)

struct pace {
    uint64_t sent;  /* body bytes of bulk sent on this connection */
    uint64_t acked; /* of them rendered */
    uint64_t mark;  /* `sent` when the mark was set; 0 when none travels */
    uint64_t mark_ms;
    uint64_t mark_acked; /* `acked` then */
    uint64_t least_rtt_ms;
    uint64_t rate_bps; /* bytes per second; 0 until measured */
    uint32_t window;
    bool limited; /* the window was what stopped us since the mark */
};

void pace_init(struct pace *p);
/* Bytes that may be sent now; one message may always go when nothing is in flight. */
uint64_t pace_room(const struct pace *p);
/* The largest body of one record at the measured rate. */
uint32_t pace_part(const struct pace *p);
void pace_sent(struct pace *p, uint32_t bytes, uint64_t now_ms);
/* There was more to send than the window let through. */
void pace_limited(struct pace *p);
/* The viewer has rendered total bytes. False when that is a lie: falling, or more than was sent. */
bool pace_acked(struct pace *p, uint64_t total, uint64_t now_ms);
uint64_t pace_in_flight(const struct pace *p);

#endif
