#include "server/daemon/buffer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

static void free_buffer(struct buffer *b)
{
    free(b->text);
    free(b);
}

struct buffer *buffer_find(const struct buffer_list *list, const char *name)
{
    struct buffer *b = list->first;

    while (b && (name ? strcmp(b->name, name) != 0 : !b->automatic))
        b = b->next;
    return b;
}

void buffer_delete(struct buffer_list *list, struct buffer *b)
{
    for (struct buffer **at = &list->first; *at; at = &(*at)->next) {
        if (*at != b)
            continue;
        *at = b->next;
        free_buffer(b);
        return;
    }
}

void buffer_clear(struct buffer_list *list)
{
    while (list->first)
        buffer_delete(list, list->first);
}

static bool is_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > BUFFER_NAME_MAX_BYTES || !utf8_valid((const uint8_t *)name, len))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (iscntrl((unsigned char)name[i]))
            return false;
    }
    return true;
}

static void drop_oldest_automatic(struct buffer_list *list)
{
    struct buffer *oldest = NULL;
    size_t n = 0;

    for (struct buffer *b = list->first; b; b = b->next) {
        if (b->automatic) {
            oldest = b;
            n++;
        }
    }
    if (n > BUFFER_AUTOMATIC_MAX)
        buffer_delete(list, oldest);
}

static struct buffer *make(const uint8_t *text, size_t n)
{
    struct buffer *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->text = malloc(n > 0 ? n : 1);
    if (!b->text) {
        free(b);
        return NULL;
    }
    if (n > 0)
        memcpy(b->text, text, n);
    b->len = n;
    return b;
}

enum err buffer_set(struct buffer_list *list, const char *name, const uint8_t *text, size_t n,
                    int64_t now_s, struct buffer **out)
{
    struct buffer *old = name ? buffer_find(list, name) : NULL;
    struct buffer *b;

    if (name && !is_name(name))
        return ERR_MALFORMED;
    if (n > BUFFER_MAX_BYTES)
        return ERR_RANGE;
    b = make(text, n);
    if (!b)
        return ERR_MEMORY;
    b->automatic = name == NULL;
    b->created_s = now_s;
    if (name)
        snprintf(b->name, sizeof b->name, "%s", name);
    else
        snprintf(b->name, sizeof b->name, "buffer%u", list->next_number++);
    if (old)
        buffer_delete(list, old);
    b->next = list->first;
    list->first = b;
    drop_oldest_automatic(list);
    if (out)
        *out = b;
    return ERR_OK;
}

enum err buffer_rename(struct buffer_list *list, struct buffer *b, const char *name)
{
    struct buffer *old;

    if (!is_name(name))
        return ERR_MALFORMED;
    old = buffer_find(list, name);
    if (old && old != b)
        buffer_delete(list, old);
    snprintf(b->name, sizeof b->name, "%s", name);
    b->automatic = false;
    return ERR_OK;
}
