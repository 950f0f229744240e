/* The list behind session.h, for session*.c only. */
#ifndef VITRINE_DAEMON_SESSION_STATE_H
#define VITRINE_DAEMON_SESSION_STATE_H

#include "server/daemon/layout.h"
#include "server/daemon/loop.h"
#include "server/daemon/session.h"

struct session_list {
    struct loop *loop;
    struct session_hooks hooks;
    struct session *first;
    struct session *dead; /* freed at the end of the round */
    struct session *last_used;
    struct loop_task reaper;
    uint32_t next_session;
    uint32_t next_window;
    uint32_t next_pane;
    bool has_mark;
    uint32_t mark;   /* number of the marked pane, which may have gone */
    uint64_t leaves; /* how often a window stopped being the current one */
};

/* A window that hangs in no session yet, as large as s; NULL when memory ran out. */
struct window *session_create_window(struct session_list *list, struct session *s,
                                     struct pane *pane, uint32_t pane_number);
/* Ends a session whose last window goes on elsewhere: that is taken off it. */
void session_end_without(struct session_list *list, struct session *s, struct window *w);
/* Frees a window and its layout, not its panes. */
void session_free_window(struct window *w);

#endif
