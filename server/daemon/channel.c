#include "server/daemon/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct channel {
    char name[CHANNEL_NAME_MAX_BYTES + 1];
    bool signalled; /* before anybody waited */
    bool locked;
    struct channel_waiter *waiting;
    struct channel_waiter *locking;
    struct channel *next;
};

static struct channel *find(struct channel_list *list, const char *name)
{
    struct channel *c = list->first;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

static enum err find_or_make(struct channel_list *list, const char *name, struct channel **out)
{
    *out = find(list, name);
    if (*out)
        return ERR_OK;
    if (strlen(name) > CHANNEL_NAME_MAX_BYTES || list->count == CHANNELS_MAX)
        return ERR_RANGE;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ERR_MEMORY;
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    (*out)->next = list->first;
    list->first = *out;
    list->count++;
    return ERR_OK;
}

/* A channel that nobody uses and that remembers nothing goes. */
static void drop_if_idle(struct channel_list *list, struct channel *c)
{
    if (c->signalled || c->locked || c->waiting || c->locking)
        return;
    for (struct channel **at = &list->first; *at; at = &(*at)->next) {
        if (*at != c)
            continue;
        *at = c->next;
        list->count--;
        free(c);
        return;
    }
}

static void append(struct channel_waiter **queue, struct channel *c, struct channel_waiter *w)
{
    while (*queue)
        queue = &(*queue)->next;
    w->next = NULL;
    w->channel = c;
    *queue = w;
}

static void wake_first(struct channel_waiter **queue)
{
    struct channel_waiter *w = *queue;

    *queue = w->next;
    w->channel = NULL;
    w->wake(w->ctx);
}

enum err channel_wait(struct channel_list *list, const char *name, struct channel_waiter *w,
                      bool *ready)
{
    struct channel *c;
    enum err e = find_or_make(list, name, &c);

    if (e != ERR_OK)
        return e;
    *ready = c->signalled;
    c->signalled = false;
    if (!*ready)
        append(&c->waiting, c, w);
    drop_if_idle(list, c);
    return ERR_OK;
}

enum err channel_signal(struct channel_list *list, const char *name)
{
    struct channel *c;
    enum err e = find_or_make(list, name, &c);

    if (e != ERR_OK)
        return e;
    c->signalled = c->waiting == NULL;
    while (c->waiting)
        wake_first(&c->waiting);
    drop_if_idle(list, c);
    return ERR_OK;
}

enum err channel_lock(struct channel_list *list, const char *name, struct channel_waiter *w,
                      bool *ready)
{
    struct channel *c;
    enum err e = find_or_make(list, name, &c);

    if (e != ERR_OK)
        return e;
    *ready = !c->locked;
    if (c->locked)
        append(&c->locking, c, w);
    c->locked = true;
    return ERR_OK;
}

enum err channel_unlock(struct channel_list *list, const char *name)
{
    struct channel *c = find(list, name);

    if (!c || !c->locked)
        return ERR_STATE;
    c->locked = c->locking != NULL;
    if (c->locking)
        wake_first(&c->locking);
    drop_if_idle(list, c);
    return ERR_OK;
}

static void take_out(struct channel_waiter **queue, struct channel_waiter *w)
{
    for (; *queue; queue = &(*queue)->next) {
        if (*queue == w) {
            *queue = w->next;
            return;
        }
    }
}

void channel_forget(struct channel_list *list, struct channel_waiter *w)
{
    struct channel *c = w->channel;

    if (!c)
        return;
    w->channel = NULL;
    take_out(&c->waiting, w);
    take_out(&c->locking, w);
    drop_if_idle(list, c);
}

void channel_clear(struct channel_list *list)
{
    while (list->first) {
        struct channel *next = list->first->next;

        free(list->first);
        list->first = next;
    }
    list->count = 0;
}
