/* wait-for's channels: named meeting points of commands.
 *
 * wait: sleeps until the channel is signalled; a signal that came before is taken at once.
 * lock: owns the channel's lock, or sleeps until its owner unlocks it, first come, first served. */
#ifndef VITRINE_DAEMON_CHANNEL_H
#define VITRINE_DAEMON_CHANNEL_H

#include <stdbool.h>

#include "proto/err.h"

#define CHANNEL_NAME_MAX_BYTES 256
#define CHANNELS_MAX           1024

struct channel;

struct channel_list {
    struct channel *first;
    unsigned count;
};

/* Somebody who sleeps; embedded in its owner. */
struct channel_waiter {
    void (*wake)(void *ctx);
    void *ctx;
    struct channel_waiter *next;
    struct channel *channel; /* NULL when it sleeps no more */
};

/* Registers w until the next signal. *ready is set, and w is not registered, when one came before.
 * ERR_MEMORY, or ERR_RANGE when the name is too long or channels are too many. */
enum err channel_wait(struct channel_list *list, const char *name, struct channel_waiter *w,
                      bool *ready);
/* Wakes all who wait; without any it is remembered for the next. Errors as channel_wait. */
enum err channel_signal(struct channel_list *list, const char *name);
/* Takes the lock (*ready), or registers w for it. Errors as channel_wait. */
enum err channel_lock(struct channel_list *list, const char *name, struct channel_waiter *w,
                      bool *ready);
/* Gives the lock to the next who waits for it. ERR_STATE when it is not locked. */
enum err channel_unlock(struct channel_list *list, const char *name);
/* Takes a waiter away. */
void channel_forget(struct channel_list *list, struct channel_waiter *w);
void channel_clear(struct channel_list *list);

#endif
