/* Starting a program in a pane: its environment, directory, shell and name. */
#ifndef VITRINE_DAEMON_SPAWN_H
#define VITRINE_DAEMON_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "server/daemon/command.h"

struct pane;

/* All borrowed for the call. */
struct spawn {
    const char *const *env; /* the session's, NULL-terminated; NULL for none */
    const struct environment *own; /* the session's, or NULL */
    const char *cwd;               /* where it starts unless the command has -c */
    struct target at;              /* what formats in -c speak of; may be all NULL */
    size_t n_words; /* none: the user's shell, as a login shell; one: a line for the shell */
    const char *const *words;
    uint32_t pane_number;
    uint32_t session_number;
    uint16_t cols;
    uint16_t rows;
};

/* Starts what s says, for the command c (its -c and -e). NULL after saying why by command_fail. */
struct pane *spawn_pane(struct command *c, const struct spawn *s);
/* The name of the program, for its window: "make" for `make -j2`, the shell's for a shell. */
void spawn_name(const struct command *c, const struct spawn *s, char *out, size_t cap);
/* Starts what s says in a pane that is there, for c (its -c and -e); without words what it was
 * started with. False after saying why by command_fail; nothing has changed then. */
bool spawn_again(struct command *c, const struct spawn *s, struct pane *p);
/* The environment that c's client sent, without what speaks of its own terminal. The caller frees
 * it by environment_free_list. NULL when memory ran out. */
char **spawn_environment(const struct command *c);
/* Takes the variables that update-environment names from c's client into a session's own
 * environment: those the client does not have are taken away from programs. */
void spawn_update_environment(const struct command *c, struct session *s);

#endif
