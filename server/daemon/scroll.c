#include "server/daemon/scroll.h"

#include <stdlib.h>
#include <string.h>

#define RING_FIRST 64u

struct slot {
    uint8_t *text; /* NULL for an empty line */
    uint32_t len;
    uint16_t cols;
    bool wrapped;
    bool full;
    bool saves;
    bool starts;
    bool starts_colored;
};

/* Lines that somebody keeps: those dropped at the front, in order, and those popped at the end, the
 * last first; what is between is still in the ring. */
struct scroll_hold {
    struct scroll *scroll; /* NULL once that is gone: everything is in dropped and popped */
    uint64_t first;
    uint64_t end;
    struct slot *dropped;
    uint32_t dropped_n;
    uint32_t dropped_cap;
    struct slot *popped;
    uint32_t popped_n;
    uint32_t popped_cap;
    struct scroll_hold *next;
};

struct scroll {
    struct slot *ring;
    uint32_t cap;
    uint32_t head; /* where the oldest line is */
    uint32_t count;
    uint32_t limit;
    uint64_t first;
    size_t bytes;
    struct scroll_hold *holds;
};

/* --- holds ---------------------------------------------------------------------------------- */

/* Appends a copy of a slot; an empty line when memory ran out. False when there is no room even for
 * that. */
static bool keep_slot(struct slot **list, uint32_t *n, uint32_t *cap, const struct slot *slot)
{
    if (*n == *cap) {
        uint32_t more = *cap ? *cap * 2 : RING_FIRST;
        struct slot *grown = realloc(*list, more * sizeof *grown);
        if (!grown)
            return false;
        *list = grown;
        *cap = more;
    }
    struct slot *kept = &(*list)[(*n)++];
    *kept = *slot;
    kept->text = slot->len ? malloc(slot->len) : NULL;
    kept->len = kept->text ? slot->len : 0;
    if (kept->text)
        memcpy(kept->text, slot->text, slot->len);
    return true;
}

/* The oldest line is about to go. */
static void hold_dropped(const struct scroll *s, const struct slot *slot)
{
    for (struct scroll_hold *h = s->holds; h; h = h->next)
        if (s->first == h->first + h->dropped_n && s->first < h->end - h->popped_n)
            keep_slot(&h->dropped, &h->dropped_n, &h->dropped_cap, slot);
}

/* The newest line, of that number, is about to go. */
static void hold_popped(const struct scroll *s, uint64_t number, const struct slot *slot)
{
    for (struct scroll_hold *h = s->holds; h; h = h->next)
        if (number + 1 == h->end - h->popped_n && number >= h->first + h->dropped_n)
            keep_slot(&h->popped, &h->popped_n, &h->popped_cap, slot);
}

struct scroll *scroll_create(uint32_t limit)
{
    struct scroll *s = calloc(1, sizeof *s);
    if (s)
        s->limit = limit;
    return s;
}

static struct slot *slot_at(const struct scroll *s, uint32_t i)
{
    return &s->ring[(s->head + i) % s->cap];
}

static void drop_oldest(struct scroll *s)
{
    struct slot *slot = slot_at(s, 0);
    hold_dropped(s, slot);
    s->bytes -= slot->len;
    free(slot->text);
    *slot = (struct slot){0};
    s->head = (s->head + 1) % s->cap;
    s->count--;
    s->first++;
}

void scroll_forget(struct scroll *s)
{
    while (s->count)
        drop_oldest(s);
}

void scroll_destroy(struct scroll *s)
{
    if (!s)
        return;
    scroll_forget(s);
    for (struct scroll_hold *h = s->holds; h; h = h->next)
        h->scroll = NULL;
    free(s->ring);
    free(s);
}

static bool grow(struct scroll *s)
{
    uint32_t cap = s->cap ? s->cap * 2 : RING_FIRST;
    struct slot *ring = calloc(cap, sizeof *ring);
    if (!ring)
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        ring[i] = *slot_at(s, i);
    free(s->ring);
    s->ring = ring;
    s->cap = cap;
    s->head = 0;
    return true;
}

void scroll_push(struct scroll *s, const struct scroll_line *line)
{
    if (s->limit == 0) {
        s->first++;
        return;
    }
    while (s->count && (s->count >= s->limit || s->bytes + line->len > SCROLL_BYTES_MAX))
        drop_oldest(s);
    if (s->count == s->cap && !grow(s)) {
        if (s->count == 0) {
            s->first++;
            return;
        }
        drop_oldest(s);
    }
    struct slot *slot = slot_at(s, s->count++);
    uint8_t *text = line->len ? malloc(line->len) : NULL;
    *slot = (struct slot){.cols = line->cols, .wrapped = line->wrapped};
    if (!text)
        return;
    memcpy(text, line->text, line->len);
    slot->text = text;
    slot->len = line->len;
    slot->full = line->full;
    slot->starts = line->starts;
    slot->saves = line->saves;
    slot->starts_colored = line->starts_colored;
    s->bytes += line->len;
}

static void describe(const struct slot *slot, struct scroll_line *line)
{
    *line = (struct scroll_line){.text = slot->text,
                                 .len = slot->len,
                                 .cols = slot->cols,
                                 .wrapped = slot->wrapped,
                                 .full = slot->full,
                                 .saves = slot->saves,
                                 .starts = slot->starts,
                                 .starts_colored = slot->starts_colored};
}

bool scroll_pop(struct scroll *s, struct scroll_line *line, uint8_t **text)
{
    if (s->count == 0)
        return false;
    struct slot *slot = slot_at(s, s->count - 1);
    hold_popped(s, scroll_end(s) - 1, slot);
    describe(slot, line);
    *text = slot->text;
    s->bytes -= slot->len;
    *slot = (struct slot){0};
    s->count--;
    return true;
}

bool scroll_get(const struct scroll *s, uint64_t number, struct scroll_line *line)
{
    if (number < s->first || number - s->first >= s->count)
        return false;
    describe(slot_at(s, (uint32_t)(number - s->first)), line);
    return true;
}

uint64_t scroll_first(const struct scroll *s)
{
    return s->first;
}

uint64_t scroll_end(const struct scroll *s)
{
    return s->first + s->count;
}

uint32_t scroll_count(const struct scroll *s)
{
    return s->count;
}


uint32_t scroll_limit(const struct scroll *s)
{
    return s->limit;
}

void scroll_set_limit(struct scroll *s, uint32_t limit)
{
    s->limit = limit;
    while (s->count > limit)
        drop_oldest(s);
}

/* --- holds, from outside -------------------------------------------------------------------- */

struct scroll_hold *scroll_hold(struct scroll *s)
{
    struct scroll_hold *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    *h = (struct scroll_hold){
        .scroll = s, .first = s->first, .end = scroll_end(s), .next = s->holds};
    s->holds = h;
    return h;
}

static void free_slots(struct slot *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(list[i].text);
    free(list);
}

void scroll_release(struct scroll_hold *h)
{
    if (!h)
        return;
    for (struct scroll_hold **at = h->scroll ? &h->scroll->holds : NULL; at && *at;
         at = &(*at)->next) {
        if (*at != h)
            continue;
        *at = h->next;
        break;
    }
    free_slots(h->dropped, h->dropped_n);
    free_slots(h->popped, h->popped_n);
    free(h);
}

uint64_t scroll_hold_first(const struct scroll_hold *h)
{
    return h->first;
}

uint64_t scroll_hold_end(const struct scroll_hold *h)
{
    return h->end;
}

bool scroll_hold_get(const struct scroll_hold *h, uint64_t number, struct scroll_line *line)
{
    if (number < h->first || number >= h->end)
        return false;
    if (number - h->first < h->dropped_n)
        describe(&h->dropped[number - h->first], line);
    else if (h->end - 1 - number < h->popped_n)
        describe(&h->popped[h->end - 1 - number], line);
    else if (!h->scroll || !scroll_get(h->scroll, number, line))
        *line = (struct scroll_line){0};
    return true;
}
