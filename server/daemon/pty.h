/* Pseudo-terminals and the programs on them. */
#ifndef VITRINE_DAEMON_PTY_H
#define VITRINE_DAEMON_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Kept free of panes, for clients, the gate and what starting a program takes. */
#define PTY_SPARE_DESCRIPTORS 32

/* What to run. All borrowed for the call. */
struct pty_command {
    const char *program;     /* what to run; NULL for argv[0], looked up in PATH of env */
    const char *const *argv; /* NULL-terminated */
    const char *const *env;  /* NULL-terminated NAME=value; TERM and the like are already in it */
    const char *cwd;         /* "/" is used when it cannot be entered */
};

struct pty {
    int master; /* non-blocking, close-on-exec; -1 when closed */
    pid_t pid;
    char path[64]; /* of the slave */
};

/* Opens a pseudo-terminal of cols x rows and starts cmd on it by posix_spawn: new session, the
 * slave as controlling terminal and descriptors 0 to 2, default signals, nothing else inherited.
 * Returns 0 or an errno value; EMFILE also when fewer than PTY_SPARE_DESCRIPTORS are left. */
int pty_open(struct pty *p, const struct pty_command *cmd, uint16_t cols, uint16_t rows);
/* Closes the master; the child is not waited for. */
void pty_close(struct pty *p);
int pty_resize(struct pty *p, uint16_t cols, uint16_t rows);
/* True when the kernel holds all it can for a program that does not read: what is written now, an
 * interrupt character too, is not even looked at before the program reads. */
bool pty_input_full(const struct pty *p);
/* Discards what the program has not read and sends SIGINT to its foreground processes. */
void pty_interrupt(const struct pty *p);
/* Raises this process's descriptor limit to its hard limit; children get the former one back. */
void pty_raise_descriptor_limit(void);
/* Sets the limit that children get, or our own again: around a spawn. */
void pty_children_limit(bool children);

#endif
