#include "server/daemon/screen_intern.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP   64u
#define SWEEP_FIRST 2048u

void intern_init(struct intern *t, uint32_t limit)
{
    *t = (struct intern){.limit = limit, .sweep_at = SWEEP_FIRST};
}

void intern_clear(struct intern *t)
{
    for (uint32_t i = 1; i < t->count; i++)
        free(t->entries[i].bytes);
    free(t->entries);
    free(t->buckets);
    intern_init(t, t->limit);
}

static uint32_t hash_of(const uint8_t *p, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static void rehash(struct intern *t)
{
    memset(t->buckets, 0, t->bucket_count * sizeof *t->buckets);
    for (uint32_t i = 1; i < t->count; i++) {
        struct intern_entry *e = &t->entries[i];
        if (!e->bytes)
            continue;
        uint32_t *head = &t->buckets[e->hash & (t->bucket_count - 1)];
        e->next = *head;
        *head = i;
    }
}

static bool grow(struct intern *t)
{
    uint32_t cap = t->cap ? t->cap * 2 : FIRST_CAP;
    struct intern_entry *entries = realloc(t->entries, cap * sizeof *entries);
    if (!entries)
        return false;
    t->entries = entries;
    uint32_t *buckets = realloc(t->buckets, cap * sizeof *buckets);
    if (!buckets)
        return false;
    t->buckets = buckets;
    t->bucket_count = t->cap = cap;
    if (t->count == 0) {
        t->entries[0] = (struct intern_entry){0};
        t->count = 1;
    }
    rehash(t);
    return true;
}

/* Takes a number from the free list or the end; 0 when there is none. */
static uint32_t take_number(struct intern *t)
{
    if (t->free_list) {
        uint32_t number = t->free_list;
        t->free_list = t->entries[number].next;
        return number;
    }
    if (t->count > t->limit || (t->count >= t->cap && !grow(t)))
        return 0;
    t->entries[t->count] = (struct intern_entry){0};
    return t->count++;
}

static void give_back(struct intern *t, uint32_t number)
{
    t->entries[number] = (struct intern_entry){.next = t->free_list};
    t->free_list = number;
}

uint32_t intern_add(struct intern *t, const void *bytes, size_t len)
{
    uint32_t hash = hash_of(bytes, len);
    if (t->bucket_count) {
        for (uint32_t i = t->buckets[hash & (t->bucket_count - 1)]; i; i = t->entries[i].next) {
            const struct intern_entry *e = &t->entries[i];
            if (e->hash == hash && e->len == len && memcmp(e->bytes, bytes, len) == 0)
                return i;
        }
    }
    uint32_t number = take_number(t);
    if (!number)
        return 0;
    void *copy = malloc(len ? len : 1);
    if (!copy) {
        give_back(t, number);
        return 0;
    }
    memcpy(copy, bytes, len);
    uint32_t *head = &t->buckets[hash & (t->bucket_count - 1)];
    t->entries[number] =
        (struct intern_entry){.bytes = copy, .len = (uint32_t)len, .hash = hash, .next = *head};
    *head = number;
    t->live++;
    return number;
}

const void *intern_get(const struct intern *t, uint32_t number, size_t *len)
{
    if (number == 0 || number >= t->count || !t->entries[number].bytes)
        return NULL;
    if (len)
        *len = t->entries[number].len;
    return t->entries[number].bytes;
}

bool intern_wants_sweep(const struct intern *t)
{
    return t->live >= t->sweep_at;
}

void intern_mark(struct intern *t, uint32_t number)
{
    if (number && number < t->count)
        t->entries[number].marked = true;
}

void intern_sweep(struct intern *t)
{
    for (uint32_t i = 1; i < t->count; i++) {
        struct intern_entry *e = &t->entries[i];
        if (e->bytes && !e->marked) {
            free(e->bytes);
            give_back(t, i);
            t->live--;
        } else {
            e->marked = false;
        }
    }
    if (t->bucket_count)
        rehash(t);
    t->sweep_at = t->live * 2 > SWEEP_FIRST ? t->live * 2 : SWEEP_FIRST;
}
