#include "server/daemon/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- entries -------------------------------------------------------------------------------- */

static void free_entry(struct environment_entry *k)
{
    free(k->name);
    free(k->value);
    free(k);
}

void environment_clear(struct environment *e)
{
    while (e->first) {
        struct environment_entry *k = e->first;

        e->first = k->next;
        free_entry(k);
    }
}

/* Where the entry of a name is, or would be. */
static struct environment_entry **place_of(struct environment *e, const char *name)
{
    struct environment_entry **at = &e->first;

    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    return at;
}

const struct environment_entry *environment_find(const struct environment *e, const char *name)
{
    const struct environment_entry *k = e->first;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k;
}

enum err environment_set(struct environment *e, const char *name, const char *value, bool hidden)
{
    struct environment_entry **at, *k;

    if (!*name || strchr(name, '='))
        return ERR_MALFORMED;
    k = calloc(1, sizeof *k);
    if (!k)
        return ERR_MEMORY;
    k->name = strdup(name);
    k->value = value ? strdup(value) : NULL;
    k->hidden = hidden;
    if (!k->name || (value && !k->value)) {
        free_entry(k);
        return ERR_MEMORY;
    }
    environment_unset(e, name);
    at = place_of(e, name);
    k->next = *at;
    *at = k;
    return ERR_OK;
}

void environment_unset(struct environment *e, const char *name)
{
    struct environment_entry **at = place_of(e, name), *k = *at;

    if (!k || strcmp(k->name, name) != 0)
        return;
    *at = k->next;
    free_entry(k);
}

/* --- lists ---------------------------------------------------------------------------------- */

void environment_free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

static bool is_of(const char *variable, const char *name, size_t len)
{
    return strncmp(variable, name, len) == 0 && variable[len] == '=';
}

bool environment_put(char **list, char *text)
{
    size_t len = text ? strcspn(text, "=") : 0, i = 0;

    if (!text)
        return false;
    while (list[i] && !is_of(list[i], text, len))
        i++;
    if (list[i])
        free(list[i]);
    else
        list[i + 1] = NULL;
    list[i] = text;
    return true;
}

void environment_drop(char **list, const char *name)
{
    size_t n = 0, len = strlen(name);

    for (size_t i = 0; list[i]; i++) {
        if (is_of(list[i], name, len))
            free(list[i]);
        else
            list[n++] = list[i];
    }
    list[n] = NULL;
}

static bool apply(char **list, const struct environment *e)
{
    bool ok = true;

    for (const struct environment_entry *k = e ? e->first : NULL; k && ok; k = k->next) {
        size_t size = strlen(k->name) + (k->value ? strlen(k->value) : 0) + 2;
        char *text;

        if (k->hidden)
            continue;
        if (!k->value) {
            environment_drop(list, k->name);
            continue;
        }
        text = malloc(size);
        if (text)
            snprintf(text, size, "%s=%s", k->name, k->value);
        ok = environment_put(list, text);
    }
    return ok;
}

static size_t count(const struct environment *e)
{
    size_t n = 0;

    for (const struct environment_entry *k = e ? e->first : NULL; k; k = k->next)
        n++;
    return n;
}

char **environment_merge(char *const *base, const struct environment *global,
                         const struct environment *own, size_t spare)
{
    size_t n = 0;
    char **list;
    bool ok;

    while (base && base[n])
        n++;
    list = calloc(n + count(global) + count(own) + spare + 1, sizeof *list);
    ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = (list[i] = strdup(base[i])) != NULL;
    if (ok && apply(list, global) && apply(list, own))
        return list;
    environment_free_list(list);
    return NULL;
}
