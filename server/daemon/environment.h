/* Variables that set-environment gives to new programs: those of every session, and a session's
 * own.
 *
 *   what the client of a session had ─► the global ones ─► the session's own ─► the program
 *
 * Each layer may also take a variable away. Hidden ones serve formats and configuration only. */
#ifndef VITRINE_DAEMON_ENVIRONMENT_H
#define VITRINE_DAEMON_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"

struct environment_entry {
    char *name;
    char *value;                    /* NULL: programs do not get this variable */
    bool hidden;                    /* not for programs */
    struct environment_entry *next; /* in the order of names */
};

/* Embedded; a zeroed one is empty. */
struct environment {
    struct environment_entry *first;
};

void environment_clear(struct environment *e);
/* The entry of a name, NULL when there is none. Valid until the environment changes. */
const struct environment_entry *environment_find(const struct environment *e, const char *name);
/* Sets a variable; value NULL takes it away from programs. Both are copied. ERR_MALFORMED when the
 * name is empty or has a `=`, ERR_MEMORY; nothing is changed then. */
enum err environment_set(struct environment *e, const char *name, const char *value, bool hidden);
/* Forgets a variable; fine when there is none. */
void environment_unset(struct environment *e, const char *name);
/* The environment of a program: base (NULL-terminated NAME=value, or NULL), then what each layer
 * sets or takes away. `spare` further places are left at the end. The caller frees it by
 * environment_free_list. NULL when memory ran out. */
char **environment_merge(char *const *base, const struct environment *global,
                         const struct environment *own, size_t spare);
void environment_free_list(char **list);
/* Puts text, an owned NAME=value, into a list, in the place of a variable of that name; the list
 * must have a place left. False when text is NULL. */
bool environment_put(char **list, char *text);
/* Takes a variable out of a list. */
void environment_drop(char **list, const char *name);

#endif
