/* Signals while a terminal is attached: noted by handlers, taken by the loop. They are blocked
 * except inside signals_poll(), so none is missed between looking and waiting. */
#ifndef VITRINE_CLIENT_SIGNALS_H
#define VITRINE_CLIENT_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct signals {
    int end;      /* SIGHUP, SIGINT, SIGQUIT or SIGTERM came; 0 for none */
    bool size;    /* SIGWINCH */
    bool stop;    /* SIGTSTP */
    bool resumed; /* SIGCONT */
};

/* Begins to note signals instead of dying of them. */
void signals_catch(void);
/* Puts everything back as it was before signals_catch(); does nothing without it. */
void signals_release(void);
/* poll(2) that a noted signal ends with EINTR; plain poll before signals_catch(). */
int signals_poll(struct pollfd *fds, size_t n, int timeout_ms);
/* What was noted since the last call. */
struct signals signals_take(void);
/* Stops this process as SIGTSTP would, and returns when it is continued. */
void signals_stop(void);

#endif
