/* The slab.
 *
 *   class 64 B    ─► chunk ─► chunk      a chunk is one sodium_malloc() of 256 KiB, carved into
 *   class 512 B   ─► chunk               equal slots; what is free stands in a bitmap outside, so
 *   class 1,536 B ─► chunk ─► chunk      that guarded memory holds secrets and nothing else
 *   class 4,096 B
 *
 * A request goes to the smallest class that holds it. Chunks are made on demand and given back when
 * empty, but the last one of a class stays, so that one connection that comes and goes maps
 * nothing. A thousand viewers need about 2 MB, a quarter of the usual lock limit of 8 MiB. */
#include "crypto/secret.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SECRET_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SECRET_ASAN 1
#endif
#ifdef SECRET_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define CHUNK_BYTES ((size_t)256 * 1024)
#define MAP_BITS    64
#define MAP_WORDS   (CHUNK_BYTES / 64 / MAP_BITS) /* enough for the smallest slots */

static const size_t class_bytes[] = {64, 512, 1536, SECRET_MAX_BYTES};
#define CLASSES (sizeof class_bytes / sizeof class_bytes[0])

struct chunk {
    struct chunk *next;
    uint8_t *base;
    size_t slot_bytes;
    size_t slots;
    size_t used;
    bool locked;
    uint64_t taken[MAP_WORDS]; /* bit i % 64 of word i / 64: slot i is in use */
};

static struct chunk *classes[CLASSES];
static size_t unlocked_chunks;

enum err secret_init(void)
{
    return sodium_init() < 0 ? ERR_SYSTEM : ERR_OK;
}

static struct chunk *chunk_create(size_t slot_bytes)
{
    struct chunk *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->base = sodium_malloc(CHUNK_BYTES);
    if (c->base == NULL) {
        free(c);
        return NULL;
    }
    /* sodium_malloc() locks too, but does not say whether it could; locks of a page do not add up.
     */
    c->locked = sodium_mlock(c->base, CHUNK_BYTES) == 0;
    unlocked_chunks += c->locked ? 0 : 1;
    c->slot_bytes = slot_bytes;
    c->slots = CHUNK_BYTES / slot_bytes;
    ASAN_POISON_MEMORY_REGION(c->base, CHUNK_BYTES);
    return c;
}

static void chunk_destroy(struct chunk *c)
{
    ASAN_UNPOISON_MEMORY_REGION(c->base, CHUNK_BYTES);
    unlocked_chunks -= c->locked ? 0 : 1;
    sodium_free(c->base);
    free(c);
}

static size_t chunk_free_slot(const struct chunk *c)
{
    size_t i = 0;
    while (c->taken[i / MAP_BITS] == UINT64_MAX)
        i += MAP_BITS;
    while ((c->taken[i / MAP_BITS] >> (i % MAP_BITS) & 1) != 0)
        i++;
    return i;
}

static void *chunk_take(struct chunk *c)
{
    size_t i = chunk_free_slot(c);
    assert(i < c->slots);
    c->taken[i / MAP_BITS] |= (uint64_t)1 << (i % MAP_BITS);
    c->used++;
    uint8_t *p = c->base + i * c->slot_bytes;
    ASAN_UNPOISON_MEMORY_REGION(p, c->slot_bytes);
    memset(p, 0, c->slot_bytes);
    return p;
}

void *secret_alloc(size_t size)
{
    if (size == 0 || size > SECRET_MAX_BYTES)
        return NULL;
    size_t k = 0;
    while (class_bytes[k] < size)
        k++;
    struct chunk *c = classes[k];
    while (c != NULL && c->used == c->slots)
        c = c->next;
    if (c == NULL) {
        c = chunk_create(class_bytes[k]);
        if (c == NULL)
            return NULL;
        c->next = classes[k];
        classes[k] = c;
    }
    return chunk_take(c);
}

/* Finds the chunk p lies in and the pointer that leads to it, over all classes. */
static struct chunk **chunk_of(const void *p)
{
    uintptr_t at = (uintptr_t)p;
    for (size_t k = 0; k < CLASSES; k++) {
        for (struct chunk **link = &classes[k]; *link != NULL; link = &(*link)->next) {
            uintptr_t base = (uintptr_t)(*link)->base;
            if (at >= base && at - base < CHUNK_BYTES)
                return link;
        }
    }
    return NULL;
}

static bool chunk_is_last(const struct chunk *c)
{
    for (size_t k = 0; k < CLASSES; k++) {
        if (classes[k] == c)
            return c->next == NULL;
    }
    return false;
}

void secret_free(void *p)
{
    if (p == NULL)
        return;
    struct chunk **link = chunk_of(p);
    if (link == NULL)
        abort();
    struct chunk *c = *link;
    size_t offset = (size_t)((uint8_t *)p - c->base);
    size_t i = offset / c->slot_bytes;
    uint64_t bit = (uint64_t)1 << (i % MAP_BITS);
    if (offset % c->slot_bytes != 0 || i >= c->slots || (c->taken[i / MAP_BITS] & bit) == 0)
        abort();
    secret_wipe(p, c->slot_bytes);
    ASAN_POISON_MEMORY_REGION(p, c->slot_bytes);
    c->taken[i / MAP_BITS] &= ~bit;
    c->used--;
    if (c->used == 0 && !chunk_is_last(c)) {
        *link = c->next;
        chunk_destroy(c);
    }
}

bool secret_locked(void)
{
    return unlocked_chunks == 0;
}

void secret_wipe(void *p, size_t n)
{
    if (n > 0)
        sodium_memzero(p, n);
}

bool secret_equal(const void *a, const void *b, size_t n)
{
    return sodium_memcmp(a, b, n) == 0;
}

bool secret_is_zero(const void *p, size_t n)
{
    return sodium_is_zero(p, n) == 1;
}

#ifdef VITRINE_TEST
static void (*test_fill)(uint8_t *, size_t, void *);
static void *test_context;

void secret_test_random(void (*fill)(uint8_t *buf, size_t n, void *context), void *context)
{
    test_fill = fill;
    test_context = context;
}
#endif

void secret_random(void *buf, size_t n)
{
#ifdef VITRINE_TEST
    if (test_fill != NULL) {
        test_fill(buf, n, test_context);
        return;
    }
#endif
    randombytes_buf(buf, n);
}
