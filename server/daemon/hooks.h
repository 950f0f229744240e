/* Hooks: command lists that run when something happens.
 *
 * A hook is set for one session or globally; a session's own replaces the global one. Which names
 * there are is fixed: the table in hooks.c, and after-<command> for every command. */
#ifndef VITRINE_DAEMON_HOOKS_H
#define VITRINE_DAEMON_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

#define HOOKS_GLOBAL   (-1)
#define HOOKS_TEXT_MAX (16u << 10)
#define HOOKS_PER_NAME 100

struct hooks;

struct hooks *hooks_create(void);
void hooks_destroy(struct hooks *h);
/* False for a name that nothing ever runs. */
bool hooks_known(const char *name);
/* The i-th of those that are not after a command; NULL past the last. */
const char *hooks_known_name(size_t i);
/* Sets a hook of a session (or HOOKS_GLOBAL) to one text, or appends one. ERR_NOT_FOUND for an
 * unknown name, ERR_RANGE for too much, ERR_MEMORY. */
enum err hooks_set(struct hooks *h, int64_t session, const char *name, const char *text,
                   bool append);
void hooks_unset(struct hooks *h, int64_t session, const char *name);
/* Forgets what was set for a session that is gone. */
void hooks_forget(struct hooks *h, int64_t session);
/* The i-th text of a hook set at that very place, or NULL. Valid until hooks change. */
const char *hooks_own(const struct hooks *h, int64_t session, const char *name, size_t i);
/* The same, a session's own or else the global one's. */
const char *hooks_text(const struct hooks *h, int64_t session, const char *name, size_t i);
/* The name of the i-th hook set at a place, in their order, or NULL. */
const char *hooks_name(const struct hooks *h, int64_t session, size_t i);
/* True when none is set anywhere. */
bool hooks_empty(const struct hooks *h);

#endif
