/* Doubly linked rings with the links inside their members: no allocation, removal in one step. A
 * node that is on no list points at itself. */
#ifndef VITRINE_SERVER_GATE_LIST_H
#define VITRINE_SERVER_GATE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_node {
    struct list_node *next, *prev;
};

#define LIST_MEMBER(node, type, field) ((type *)(void *)((char *)(node)-offsetof(type, field)))

static inline void list_init(struct list_node *n)
{
    n->next = n->prev = n;
}

static inline bool list_is_empty(const struct list_node *n)
{
    return n->next == n;
}

/* Takes n off whatever list it is on. */
static inline void list_remove(struct list_node *n)
{
    n->next->prev = n->prev;
    n->prev->next = n->next;
    list_init(n);
}

/* Puts n at the end of the list, unless it is on one already. */
static inline void list_append(struct list_node *list, struct list_node *n)
{
    if (!list_is_empty(n))
        return;
    n->prev = list->prev;
    n->next = list;
    list->prev->next = n;
    list->prev = n;
}

/* Takes the first node off, or returns NULL. */
static inline struct list_node *list_take(struct list_node *list)
{
    struct list_node *n = list->next;

    if (n == list)
        return NULL;
    list_remove(n);
    return n;
}

#endif
