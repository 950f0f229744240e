/* The daemon as a whole: what main builds, in this order, and destroys in reverse; and the life of
 * panes in it.
 *
 *   a pane's program ends ─► its session (and window) go ─► not shared: the pane is destroyed
 *                                                       └─► shared: kept with its last screen for
 *                                                           DAEMON_LINGER_MS, so that viewers who
 *                                                           come late still see it and how it ended
 */
#ifndef VITRINE_DAEMON_DAEMON_H
#define VITRINE_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/command.h"

struct control;
struct gate_link;
struct loop;
struct pane;
struct session;
struct session_list;
struct share;
struct share_list;
struct target;
struct viewer_list;

#define DAEMON_LINGER_MS    (30ull * 60 * 1000)
#define DAEMON_GATE_IDLE_MS 3000 /* the gate ends so long after the last share */
#define DAEMON_COLS         80   /* of a session nobody is attached to */
#define DAEMON_ROWS         24
#define DAEMON_HISTORY_MAX  1000000 /* lines of scrollback a pane may be given */

struct daemon {
    struct loop *loop;
    struct session_list *sessions;
    struct share_list *shares;
    struct viewer_list *viewers;
    struct gate_link *gate;
    struct control *control;
    const char *socket_path;
    const char *gate_program;
    uint32_t history_limit;
    int64_t started_s;
    struct lingering *lingering;
    struct loop_timer *gate_idle;
};

/* Builds everything but the control socket. False after logging why. */
bool daemon_open(struct daemon *d, const char *socket_path, const char *gate_program);
void daemon_close(struct daemon *d);

/* Starts a program, for `c` (its environment, directory, size), in a new session. words are the
 * command; none runs the user's shell. NULL after saying why through command_fail. */
struct session *daemon_new_session(struct command *c, const char *name, size_t n_words,
                                   const char *const *words, uint16_t cols, uint16_t rows);
/* The pane that a command means: -t, else the pane it was typed in, else the last session's. False
 * after saying why. */
bool daemon_find_target(struct command *c, struct target *out);
/* Ends a share and, if its program has ended, the pane that was kept for it. */
void daemon_end_share(struct daemon *d, struct share *s, unsigned bye_reason);
/* Redraws what shows counts of shares and viewers. */
void daemon_refresh(void *daemon);

#endif
