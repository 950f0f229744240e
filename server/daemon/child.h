/* Starting a child process: default signals, an empty signal mask, nothing left behind on failure.
 * What its descriptors are is the caller's business. */
#ifndef VITRINE_DAEMON_CHILD_H
#define VITRINE_DAEMON_CHILD_H

#include <spawn.h>
#include <stdbool.h>
#include <sys/types.h>

/* Starts program (a path) with argv and env, both NULL-terminated, after the file actions; in a
 * session of its own when new_session. Returns 0 and sets *pid, or an errno value. */
int child_spawn(pid_t *pid, const char *program, const posix_spawn_file_actions_t *actions,
                char *const argv[], char *const env[], bool new_session);

#endif
