#include "server/daemon/ring.h"

#include <stdlib.h>
#include <string.h>

bool ring_init(struct ring *r, size_t cap)
{
    memset(r, 0, sizeof *r);
    r->base = malloc(cap);
    r->cap = cap;
    return r->base != NULL;
}

void ring_clear(struct ring *r)
{
    free(r->base);
    memset(r, 0, sizeof *r);
}

void ring_put(struct ring *r, const uint8_t *p, size_t n)
{
    if (n > r->cap) { /* only the newest cap bytes can stay */
        r->head += n - r->cap;
        p += n - r->cap;
        n = r->cap;
    }
    while (n > 0) {
        size_t at = (size_t)r->head & (r->cap - 1);
        size_t run = r->cap - at < n ? r->cap - at : n;

        memcpy(r->base + at, p, run);
        r->head += run;
        p += run;
        n -= run;
    }
    if (r->head - r->tail > r->cap)
        r->tail = r->head - r->cap;
}

uint64_t ring_head(const struct ring *r)
{
    return r->head;
}

uint64_t ring_tail(const struct ring *r)
{
    return r->tail;
}

const uint8_t *ring_peek(const struct ring *r, uint64_t offset, size_t n, size_t *len)
{
    size_t at = (size_t)offset & (r->cap - 1);

    *len = 0;
    if (offset < r->tail || offset >= r->head)
        return NULL;
    if (n > r->head - offset)
        n = (size_t)(r->head - offset);
    *len = n < r->cap - at ? n : r->cap - at;
    return r->base + at;
}
