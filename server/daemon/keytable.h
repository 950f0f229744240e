/* Key tables: which key runs which commands. `root` holds for every key, `prefix` for the one after
 * the prefix key, others for the one after `switch-client -T`. They are the daemon's, not a
 * terminal's, and begin with tmux's bindings of every command that exists. */
#ifndef VITRINE_DAEMON_KEYTABLE_H
#define VITRINE_DAEMON_KEYTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/err.h"
#include "server/daemon/config_list.h"
#include "server/daemon/options.h"

#define KEYTABLE_ROOT      "root"
#define KEYTABLE_PREFIX    "prefix"
#define KEYTABLE_REPEAT_MS 500 /* where no option says so */

struct keytable_binding {
    uint32_t key; /* keynames.h */
    bool repeat;  /* may be pressed again without the prefix */
    char *note;   /* what it is for, NULL for none */
    struct config_list commands;
    struct keytable_binding *next; /* in the order of keys */
};

struct keytable {
    char *name;
    struct keytable_binding *bindings;
    struct keytable *next; /* in the order they were made */
};

/* The first table; with the default bindings after the first call of any function here. */
const struct keytable *keytable_first(void);
const struct keytable *keytable_named(const char *name);
/* The binding of a key, NULL when there is none. Valid until bindings change. */
const struct keytable_binding *keytable_find(const char *table, uint32_t key);
/* Binds a key, in a table that is made when it is new. commands and note are copied. ERR_MEMORY. */
enum err keytable_bind(const char *table, uint32_t key, bool repeat, const char *note,
                       const struct config_list *commands);
/* ERR_NOT_FOUND when there is no such table. */
enum err keytable_unbind(const char *table, uint32_t key);
enum err keytable_unbind_all(const char *table);
/* Forgets every binding; the next call of any function here begins with the default ones. */
void keytable_reset(void);
/* Counts changes, for what is derived from tables. */
uint32_t keytable_changes(void);

/* The prefix key that holds at a place, or the second one, which may be KEY_NONE. o NULL: C-b. */
uint32_t keytable_prefix(const struct options *o, struct options_place at, bool second);

/* One default binding, as text; keytable_defaults.c. NULL past the last. */
struct keytable_default {
    const char *table;
    const char *key;
    bool repeat;
    const char *line;
    const char *note;
};
const struct keytable_default *keytable_default_at(unsigned i);
/* The same for copy mode and the mouse; keytable_copy.c. keytable_default_at goes on with them. */
const struct keytable_default *keytable_copy_default_at(unsigned i);

#endif
