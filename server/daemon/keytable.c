#include "server/daemon/keytable.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/config.h"
#include "server/daemon/keynames.h"

#define PREFIX_DEFAULT 0x02 /* C-b */

static struct keytable *tables;
static bool loaded;
static uint32_t changes;

static void free_binding(struct keytable_binding *b)
{
    config_list_clear(&b->commands);
    free(b->note);
    free(b);
}

static struct keytable *find_table(const char *name)
{
    struct keytable *t = tables;

    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}

static struct keytable *make_table(const char *name)
{
    struct keytable **end = &tables, *t = find_table(name);

    if (t)
        return t;
    t = calloc(1, sizeof *t);
    if (t && !(t->name = strdup(name))) {
        free(t);
        t = NULL;
    }
    while (*end)
        end = &(*end)->next;
    *end = t;
    return t;
}

/* Where the binding of a key is, or would be put. */
static struct keytable_binding **place_of(struct keytable *t, uint32_t key)
{
    struct keytable_binding **at = &t->bindings;

    while (*at && (*at)->key < key)
        at = &(*at)->next;
    return at;
}

static void remove_at(struct keytable_binding **at, uint32_t key)
{
    struct keytable_binding *b = *at;

    if (!b || b->key != key)
        return;
    *at = b->next;
    free_binding(b);
}

static enum err bind(const char *table, uint32_t key, bool repeat, const char *note,
                     const struct config_list *commands)
{
    struct keytable *t = make_table(table);
    struct keytable_binding *b = calloc(1, sizeof *b), **at;

    if (!t || !b || (note && !(b->note = strdup(note))) ||
        config_list_copy(commands, &b->commands) != ERR_OK) {
        if (b)
            free_binding(b);
        return ERR_MEMORY;
    }
    b->key = key;
    b->repeat = repeat;
    at = place_of(t, key);
    remove_at(at, key);
    b->next = *at;
    *at = b;
    changes++;
    return ERR_OK;
}

static void load(void)
{
    static const struct config_context no_context;
    const struct keytable_default *d;

    if (loaded)
        return;
    loaded = true;
    make_table(KEYTABLE_PREFIX);
    make_table(KEYTABLE_ROOT);
    for (unsigned i = 0; (d = keytable_default_at(i)); i++) {
        struct config_list commands = {0};

        config_parse(d->line, strlen(d->line), NULL, &no_context, &commands);
        bind(d->table, keynames_parse(d->key), d->repeat, d->note, &commands);
        config_list_clear(&commands);
    }
}

const struct keytable *keytable_first(void)
{
    load();
    return tables;
}

const struct keytable *keytable_named(const char *name)
{
    load();
    return find_table(name);
}

const struct keytable_binding *keytable_find(const char *table, uint32_t key)
{
    struct keytable *t;

    load();
    t = find_table(table);
    if (!t || key == KEY_NONE)
        return NULL;
    const struct keytable_binding *b = *place_of(t, key);
    return b && b->key == key ? b : NULL;
}

enum err keytable_bind(const char *table, uint32_t key, bool repeat, const char *note,
                       const struct config_list *commands)
{
    load();
    return bind(table, key, repeat, note, commands);
}

enum err keytable_unbind(const char *table, uint32_t key)
{
    struct keytable *t;

    load();
    t = find_table(table);
    if (!t)
        return ERR_NOT_FOUND;
    remove_at(place_of(t, key), key);
    changes++;
    return ERR_OK;
}

static void empty(struct keytable *t)
{
    while (t->bindings)
        remove_at(&t->bindings, t->bindings->key);
    changes++;
}

enum err keytable_unbind_all(const char *table)
{
    struct keytable *t;

    load();
    t = find_table(table);
    if (t)
        empty(t);
    return t ? ERR_OK : ERR_NOT_FOUND;
}

void keytable_reset(void)
{
    while (tables) {
        struct keytable *t = tables;

        tables = t->next;
        empty(t);
        free(t->name);
        free(t);
    }
    loaded = false;
    changes++;
}

uint32_t keytable_changes(void)
{
    load();
    return changes;
}

uint32_t keytable_prefix(const struct options *o, struct options_place at, bool second)
{
    if (!o)
        return second ? KEY_NONE : PREFIX_DEFAULT;
    return keynames_parse(options_text(o, at, second ? OPTION_prefix2 : OPTION_prefix));
}
