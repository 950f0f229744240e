/* Options: a fixed table (options.def), values for the server, sessions, windows and panes.
 *
 *   pane ─► window ─► global window options        an option that is not set at a place is
 *           session ─► global session options      inherited along the arrow; the global ones
 *                      server options              always have a value
 *
 * Places are named by the ids of session.h, which never come back, so that nothing here points into
 * the model. Names that begin with @ are the user's own: any text, at every place. */
#ifndef VITRINE_DAEMON_OPTIONS_H
#define VITRINE_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"


enum option_scope {
    OPTION_SERVER = 1,
    OPTION_SESSION = 2,
    OPTION_WINDOW = 4,
    OPTION_PANE = 8,
};

enum option_kind {
    OPTION_NUMBER,
    OPTION_FLAG,
    OPTION_CHOICE, /* the number is the place in the list */
    OPTION_TEXT,
    OPTION_STYLE,
    OPTION_COLOUR,
    OPTION_KEY,
    OPTION_SHELL,
    OPTION_SIZE,
    OPTION_ARRAY, /* texts by number: name[0]; choices are what separates them in one value */
};

#define OPTION(id, name, scopes, kind, initial, low, high, choices) OPTION_##id,
enum option_id {
#include "server/daemon/options.def"
    OPTIONS
};
#undef OPTION

#define OPTIONS_TEXT_MAX (16u << 10)
#define OPTIONS_GLOBAL   ((int64_t)-1)
#define OPTIONS_USER_MAX 1000 /* @names at one place */
#define OPTIONS_ITEM_MAX 999  /* the largest number in an array */

struct option_spec {
    const char *name;
    unsigned scopes; /* enum option_scope */
    enum option_kind kind;
    const char *initial; /* of an array one line per item */
    long low;
    long high;
    const char *choices; /* words apart by blanks */
};

/* Where an option is read: ids of session.h, OPTIONS_GLOBAL for none. */
struct options_place {
    int64_t session;
    int64_t window;
    int64_t pane;
};

/* Where one is set: one scope, and the id there, OPTIONS_GLOBAL for the global one. */
struct options_owner {
    enum option_scope scope;
    int64_t id;
};

enum options_how {
    OPTIONS_APPEND = 1,   /* -a: to a text */
    OPTIONS_UNSET = 2,    /* -u: inherit again, or the default for a global one */
    OPTIONS_ONLY_NEW = 4, /* -o: not when it is set there */
};

struct options;

/* All options at their defaults; shell is default-shell's. NULL when memory ran out. */
struct options *options_create(const char *shell);
void options_destroy(struct options *o);
/* Calls fn after an option was set or unset anywhere; id is OPTIONS for a @name. */
void options_set_hook(struct options *o, void (*fn)(void *ctx, enum option_id id), void *ctx);

/* Values at a place, inherited where they are not set; texts borrowed until an option is set. */
long options_number(const struct options *o, struct options_place at, enum option_id id);
bool options_flag(const struct options *o, struct options_place at, enum option_id id);
const char *options_text(const struct options *o, struct options_place at, enum option_id id);
/* An item of an array, NULL where there is none. An array that has an item at a place hides the ones
 * above it. */
const char *options_item(const struct options *o, struct options_place at, enum option_id id,
                         long index);
/* The item after number *index, which it changes; NULL after the last. Begin with -1. */
const char *options_next_item(const struct options *o, struct options_place at, enum option_id id,
                              long *index);
/* The same for a @name, or NULL. */
const char *options_user(const struct options *o, struct options_place at, const char *name);

const struct option_spec *options_spec(enum option_id id);
/* Finds an option by name or unambiguous prefix, [number] behind it or not. OPTIONS when there is
 * none; then *ambiguous. */
enum option_id options_find(const char *name, bool *ambiguous);

/* Sets an option, or one by a @name. value NULL: toggles a flag, else refused. how is of enum
 * options_how. Fails with one line in why and changes nothing: ERR_NOT_FOUND for an unknown name,
 * ERR_STATE for OPTIONS_ONLY_NEW, ERR_MALFORMED or ERR_RANGE for the value, ERR_MEMORY. */
enum err options_set(struct options *o, struct options_owner at, const char *name,
                     const char *value, unsigned how, char *why, size_t why_len);
/* The value as text when it is set at that very place, or NULL. name must be a whole one; an array's
 * items need their number. */
const char *options_own(const struct options *o, struct options_owner at, const char *name);
/* Calls fn for every item of an array set at that very place, with name[number]. */
void options_each_item(const struct options *o, struct options_owner at, enum option_id id,
                       void (*fn)(void *ctx, const char *name, const char *value), void *ctx);
/* Calls fn for every option set at a place, table first, then @names in their order. A global array
 * without items has an empty value. */
void options_each(const struct options *o, struct options_owner at,
                  void (*fn)(void *ctx, const char *name, const char *value), void *ctx);
/* True when it is set at the place or where that inherits from. */
bool options_is_set(const struct options *o, struct options_place at, enum option_id id);
/* True when it is set at any place: while it is not, its default holds everywhere. */
bool options_is_used(const struct options *o, enum option_id id);
/* Forgets what was set for objects of a scope that lives does not know any more. */
void options_prune(struct options *o, enum option_scope scope, bool (*lives)(void *ctx, int64_t id),
                   void *ctx);
/* Forgets what was set for an object that is gone. */
void options_forget(struct options *o, enum option_scope scope, int64_t id);

#endif
