/* A table that gives equal byte strings equal small numbers: pens, character clusters and links, so
 * that a cell needs only two numbers.
 *
 * Number 0 is never given out. Numbers stay valid until a sweep that did not see them marked. */
#ifndef VITRINE_DAEMON_SCREEN_INTERN_H
#define VITRINE_DAEMON_SCREEN_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_entry {
    void *bytes; /* NULL for a free number */
    uint32_t len;
    uint32_t hash;
    uint32_t next; /* in the hash chain or the free list */
    bool marked;
};

struct intern {
    struct intern_entry *entries; /* index is the number; 0 unused */
    uint32_t count;               /* entries ever used, including 0 */
    uint32_t cap;
    uint32_t live;
    uint32_t free_list;
    uint32_t *buckets;
    uint32_t bucket_count; /* a power of two */
    uint32_t limit;        /* largest number */
    uint32_t sweep_at;     /* live entries at which a sweep is worth it */
};

/* Makes an empty table whose numbers go up to limit. Allocates nothing. */
void intern_init(struct intern *t, uint32_t limit);
void intern_clear(struct intern *t);
/* Returns the number of these len bytes, adding them if new; 0 when memory or numbers ran out. */
uint32_t intern_add(struct intern *t, const void *bytes, size_t len);
/* The bytes of a number and their count, borrowed until a sweep; NULL for a number not in use. */
const void *intern_get(const struct intern *t, uint32_t number, size_t *len);
/* True when enough was added since the last sweep that one is due. */
bool intern_wants_sweep(const struct intern *t);
/* A sweep: mark every number still in use, then drop the others. */
void intern_mark(struct intern *t, uint32_t number);
void intern_sweep(struct intern *t);

#endif
