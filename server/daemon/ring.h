/* The newest bytes of a stream, with absolute offsets. Bytes [ring_tail, ring_head) are held. */
#ifndef VITRINE_DAEMON_RING_H
#define VITRINE_DAEMON_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *base;
    size_t cap; /* a power of two */
    uint64_t head;
    uint64_t tail;
};

/* cap must be a power of two. False when memory ran out. */
bool ring_init(struct ring *r, size_t cap);
void ring_clear(struct ring *r);
/* Appends n bytes, forgetting the oldest. */
void ring_put(struct ring *r, const uint8_t *p, size_t n);
uint64_t ring_head(const struct ring *r);
uint64_t ring_tail(const struct ring *r);
/* Borrows the longest run in one piece from offset, at most n bytes; *len is 0 when offset is not
 * held. Valid until the next ring_put. */
const uint8_t *ring_peek(const struct ring *r, uint64_t offset, size_t n, size_t *len);

#endif
