/* The user's terminal while a session is shown in it: raw and on its other screen, and back to what
 * it was. The daemon composes what stands on the screen; which modes are entered and left is here,
 * so that the terminal is whole again however the daemon ends. */
#ifndef VITRINE_CLIENT_TERMINAL_H
#define VITRINE_CLIENT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
    int in;
    int out;
    bool own_fds; /* in and out are opened anew, not descriptors 0 and 1 */
    int flags_in; /* of descriptors 0 and 1, when they had to be changed */
    int flags_out;
    bool entered;
    bool is_saved;
    struct termios saved;
};

/* True when standard input and output are terminals. */
bool terminal_is_there(void);
/* True when $TERM names a terminal that can show a session: it is set and not "dumb". */
bool terminal_is_capable(void);
/* Size of the terminal at standard output; false, and zeros, when it does not say. */
bool terminal_size(uint16_t *cols, uint16_t *rows);
/* Opens the terminal of descriptors 0 and 1 a second time, so that they can be non-blocking without
 * the shell that shares them noticing. Returns false with errno. */
bool terminal_open(struct terminal *t);
/* Raw mode, the other screen. False with errno when the terminal refuses; nothing is changed then.
 */
bool terminal_enter(struct terminal *t);
/* Enters again what another program, after this one was stopped and continued, may have changed.
 * The settings to restore stay those of the first time. */
bool terminal_reenter(struct terminal *t);
/* Leaves every mode that enter or the daemon may have set, forgets what was typed and not read, and
 * restores the terminal's settings. Waits at most about a second for a terminal that takes nothing.
 * Does nothing when not entered. */
void terminal_leave(struct terminal *t);
/* Leaves and closes. */
void terminal_close(struct terminal *t);
/* Writes all of p to fd, waiting while it takes nothing, at most timeout_ms without any progress
 * (-1 for ever). False with errno (ETIMEDOUT) when not all was written. */
bool terminal_write_all(int fd, const void *p, size_t n, int timeout_ms);

#endif
