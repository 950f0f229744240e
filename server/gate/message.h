/* Buffers for one message each, and queues of them.
 *
 * Sizes are powers of two, and a freed buffer is kept for the next of its size (a bounded number of
 * them), so that traffic in steady state allocates nothing, and a queue costs at most about twice
 * what it holds. There is room of MESSAGE_FRONT_BYTES before the contents for the header of
 * whichever side the message is passed on to. */
#ifndef VITRINE_SERVER_GATE_MESSAGE_H
#define VITRINE_SERVER_GATE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_FRONT_BYTES 16
#define MESSAGE_KEPT_BYTES  (1u << 20) /* of free buffers of each size that are kept */

struct message {
    struct message *next;
    uint8_t *start;   /* of what is to be sent, header included */
    uint32_t len;     /* bytes from start */
    uint32_t room;    /* bytes that data can take */
    uint32_t counted; /* credit that goes back when it is sent */
    uint8_t size_class;
    uint8_t data[]; /* MESSAGE_FRONT_BYTES, then room */
};

struct message_queue {
    struct message *head, **tail;
    size_t bytes; /* sum of len as it was when queued */
};

/* A message with start at its contents and len 0, with room for at least `room` bytes; NULL when
 * memory is out. The caller owns it. */
struct message *message_create(size_t room);
void message_destroy(struct message *m);
/* Makes room for more; the contents stay, m may move. Returns the message, or NULL when memory is
 * out, and then m is still the caller's. */
struct message *message_grow(struct message *m, size_t room);
/* Puts a header of n <= MESSAGE_FRONT_BYTES bytes in front of what is to be sent. */
void message_prepend(struct message *m, const uint8_t *header, size_t n);
/* Frees the buffers that are kept. */
void message_release_kept(void);

void message_queue_init(struct message_queue *q);
bool message_queue_is_empty(const struct message_queue *q);
/* The queue owns m afterwards. */
void message_queue_push(struct message_queue *q, struct message *m);
/* In front of all others; for control frames. */
void message_queue_push_front(struct message_queue *q, struct message *m);
/* Takes the head off: the caller owns it. NULL when empty. q->bytes is lessened by `len`. */
struct message *message_queue_take(struct message_queue *q);
void message_queue_clear(struct message_queue *q);

#endif
