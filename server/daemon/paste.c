#include "server/daemon/paste.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

static void free_buffer(struct paste *b)
{
    free(b->text);
    free(b);
}

struct paste *paste_find(const struct paste_list *list, const char *name)
{
    struct paste *b = list->first;

    while (b && (name ? strcmp(b->name, name) != 0 : !b->automatic))
        b = b->next;
    return b;
}

void paste_delete(struct paste_list *list, struct paste *b)
{
    for (struct paste **at = &list->first; *at; at = &(*at)->next) {
        if (*at != b)
            continue;
        *at = b->next;
        free_buffer(b);
        return;
    }
}

void paste_clear(struct paste_list *list)
{
    while (list->first)
        paste_delete(list, list->first);
}

static bool is_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > PASTE_NAME_MAX_BYTES || !utf8_valid((const uint8_t *)name, len))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (iscntrl((unsigned char)name[i]))
            return false;
    }
    return true;
}

/* False when there are not too many. */
static bool drop_oldest_automatic(struct paste_list *list)
{
    struct paste *oldest = NULL;
    size_t n = 0;

    for (struct paste *b = list->first; b; b = b->next) {
        if (b->automatic) {
            oldest = b;
            n++;
        }
    }
    if (n <= (list->limit > 0 ? list->limit : PASTE_AUTOMATIC_MAX))
        return false;
    paste_delete(list, oldest);
    return true;
}

static struct paste *make(const uint8_t *text, size_t n)
{
    struct paste *b = calloc(1, sizeof *b);

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

enum err paste_set(struct paste_list *list, const char *name, const uint8_t *text, size_t n,
                    int64_t now_s, struct paste **out)
{
    struct paste *old = name ? paste_find(list, name) : NULL;
    struct paste *b;

    if (name && !is_name(name))
        return ERR_MALFORMED;
    if (n > PASTE_MAX_BYTES)
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
        paste_delete(list, old);
    b->next = list->first;
    list->first = b;
    while (drop_oldest_automatic(list))
        continue;
    if (out)
        *out = b;
    return ERR_OK;
}

enum err paste_rename(struct paste_list *list, struct paste *b, const char *name)
{
    struct paste *old;

    if (!is_name(name))
        return ERR_MALFORMED;
    old = paste_find(list, name);
    if (old && old != b)
        paste_delete(list, old);
    snprintf(b->name, sizeof b->name, "%s", name);
    b->automatic = false;
    return ERR_OK;
}

enum err paste_add(struct paste_list *list, const char *prefix, const uint8_t *text, size_t n,
                   int64_t now_s, struct paste **out)
{
    char name[2 * PASTE_NAME_MAX_BYTES];
    struct paste *b;
    enum err e;

    if (!prefix)
        return paste_set(list, NULL, text, n, now_s, out);
    do
        snprintf(name, sizeof name, "%.*s%u", PASTE_NAME_MAX_BYTES, prefix, list->next_number++);
    while (paste_find(list, name));
    e = paste_set(list, name, text, n, now_s, &b);
    if (e != ERR_OK)
        return e;
    b->automatic = true;
    drop_oldest_automatic(list);
    if (out)
        *out = b;
    return ERR_OK;
}
