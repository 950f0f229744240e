#include "server/gate/message.h"

#include <stdlib.h>
#include <string.h>

#define CLASS_FIRST_BITS 7  /* 128 bytes, the whole buffer counted */
#define CLASSES          11 /* up to 128 KiB */

static struct message *kept[CLASSES];
static size_t kept_bytes[CLASSES];

static size_t class_bytes(unsigned c)
{
    return (size_t)1 << (CLASS_FIRST_BITS + c);
}

struct message *message_create(size_t room)
{
    size_t need = sizeof(struct message) + MESSAGE_FRONT_BYTES + room;
    unsigned c = 0;
    struct message *m;

    while (c < CLASSES && class_bytes(c) < need)
        c++;
    if (c == CLASSES)
        return NULL;
    m = kept[c];
    if (m != NULL) {
        kept[c] = m->next;
        kept_bytes[c] -= class_bytes(c);
    } else if ((m = malloc(class_bytes(c))) == NULL) {
        return NULL;
    }
    m->next = NULL;
    m->start = m->data + MESSAGE_FRONT_BYTES;
    m->len = 0;
    m->room = (uint32_t)(class_bytes(c) - sizeof *m - MESSAGE_FRONT_BYTES);
    m->counted = 0;
    m->size_class = (uint8_t)c;
    return m;
}

void message_destroy(struct message *m)
{
    unsigned c;

    if (m == NULL)
        return;
    c = m->size_class;
    if (kept_bytes[c] + class_bytes(c) > MESSAGE_KEPT_BYTES) {
        free(m);
        return;
    }
    m->next = kept[c];
    kept[c] = m;
    kept_bytes[c] += class_bytes(c);
}

struct message *message_grow(struct message *m, size_t room)
{
    struct message *larger;

    if (room <= m->room)
        return m;
    larger = message_create(room);
    if (larger == NULL)
        return NULL;
    memcpy(larger->start, m->start, m->len);
    larger->len = m->len;
    message_destroy(m);
    return larger;
}

void message_prepend(struct message *m, const uint8_t *header, size_t n)
{
    m->start -= n;
    m->len += (uint32_t)n;
    memcpy(m->start, header, n);
}

void message_release_kept(void)
{
    for (unsigned c = 0; c < CLASSES; c++) {
        while (kept[c] != NULL) {
            struct message *m = kept[c];

            kept[c] = m->next;
            free(m);
        }
        kept_bytes[c] = 0;
    }
}

void message_queue_init(struct message_queue *q)
{
    q->head = NULL;
    q->tail = &q->head;
    q->bytes = 0;
}

bool message_queue_is_empty(const struct message_queue *q)
{
    return q->head == NULL;
}

void message_queue_push(struct message_queue *q, struct message *m)
{
    m->next = NULL;
    *q->tail = m;
    q->tail = &m->next;
    q->bytes += m->len;
}

void message_queue_push_front(struct message_queue *q, struct message *m)
{
    m->next = q->head;
    if (q->head == NULL)
        q->tail = &m->next;
    q->head = m;
    q->bytes += m->len;
}

struct message *message_queue_take(struct message_queue *q)
{
    struct message *m = q->head;

    if (m == NULL)
        return NULL;
    q->head = m->next;
    if (q->head == NULL)
        q->tail = &q->head;
    q->bytes -= m->len;
    return m;
}

void message_queue_clear(struct message_queue *q)
{
    struct message *m;

    while ((m = message_queue_take(q)) != NULL)
        message_destroy(m);
    message_queue_init(q);
}
