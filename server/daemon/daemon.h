/* The daemon as a whole: what main builds, in this order, and destroys in reverse; and the life of
 * panes in it.
 *
 *   a pane's program ends ─► it leaves its window, which goes with its last pane, and so does a
 *                            session ─► the pane is destroyed, or kept for a while as the last one of
 *                                       a share (daemon_shares.c)
 */
#ifndef VITRINE_DAEMON_DAEMON_H
#define VITRINE_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/paste.h"
#include "server/daemon/channel.h"
#include "server/daemon/command.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/loop.h"
#include "server/daemon/options.h"
#include "server/daemon/target.h"

struct alerts;
struct config_run;
struct control;
struct gate_link;
struct hooks;
struct hooks_watch;
struct job_list;
struct loop;
struct names;
struct pane;
struct pipe_list;
struct session;
struct session_list;
struct share;
struct share_list;
struct layout_split;
struct tunnel;
struct window;
struct viewer_list;

#define DAEMON_LINGER_MS    (30ull * 60 * 1000)
#define DAEMON_GATE_IDLE_MS 3000 /* the gate ends so long after the last share */
#define DAEMON_HISTORY_MAX  1000000 /* lines of scrollback a pane may be given */

struct daemon {
    struct loop *loop;
    struct session_list *sessions;
    struct share_list *shares;
    struct viewer_list *viewers;
    struct gate_link *gate;
    struct tunnel *tunnel;
    struct control *control;
    const char *socket_path;
    const char *gate_program;
    struct options *options;
    struct environment environment; /* set-environment -g */
    struct pipe_list *pipes;
    struct format_world world; /* for format_place */
    int64_t started_s;
    struct paste_list pastes;
    struct channel_list channels;
    struct lingering *lingering;
    struct job_list *jobs;
    struct hooks *hooks;
    struct hooks_watch *watch;
    struct alerts *alerts;
    struct names *names;
    struct format_jobs *format_jobs;
    unsigned hooks_running; /* commands of hooks under way: they run no hooks */
    struct config_run *runs;
    char **messages; /* for show-messages; owned, the newest last */
    size_t n_messages;
    struct loop_timer *gate_idle;
    bool stopping;
    bool left; /* a terminal has, since tidy ran */
    struct loop_task tidy;
    struct loop_task share_check;
    struct {
        struct pane *pane; /* whose program has ended by itself and which is being taken out */
        uint32_t window;   /* where it was */
        uint32_t session;
    } exiting;
};

/* Builds everything but the control socket. False after logging why. */
bool daemon_open(struct daemon *d, const char *socket_path, const char *gate_program);
void daemon_close(struct daemon *d);

/* Starts a program, for `c` (its environment, directory, size), in a new session. words are the
 * command; none runs the user's shell. NULL after saying why through command_fail. */
struct session *daemon_new_session(struct command *c, const char *name, size_t n_words,
                                   const char *const *words, uint16_t cols, uint16_t rows);
/* The same in a new window of s, at an index that must be free, or the lowest free one. The current
 * window stays the current one. */
struct window *daemon_new_window(struct command *c, struct session *s, int index, size_t n_words,
                                 const char *const *words);
/* The same in a new pane beside another. The active pane stays the active one. */
struct pane *daemon_split(struct command *c, const struct target *at,
                          const struct layout_split *how, size_t n_words, const char *const *words);
/* Starts a program in a pane that is there: words, or without them what it ran before. False after
 * saying why. */
bool daemon_respawn(struct command *c, const struct target *at, size_t n_words,
                    const char *const *words);
/* default-size: of a session that nobody is attached to. */
void daemon_default_size(const struct daemon *d, long *cols, long *rows);
/* base-index of a session. */
uint32_t daemon_base_index(const struct daemon *d, const struct session *s);
/* Gives a session's windows indices without gaps, from base-index on. */
void daemon_renumber(struct daemon *d, struct session *s);
/* What text means as a target of that kind, seen from where the command was given. False after
 * saying why. */
bool daemon_find(struct command *c, const char *text, enum target_kind kind, struct target *out);
/* The same for the command's -s, where no text means the marked pane if there is one. */
bool daemon_find_source(struct command *c, enum target_kind kind, struct target *out);
/* The same for the command's -t. */
bool daemon_find_target(struct command *c, enum target_kind kind, struct target *out);
/* Destroys a pane that is in no session. */
void daemon_destroy_pane(struct daemon *d, struct pane *p);

/* --- daemon_shares.c ------------------------------------------------------------------------ */

/* Ends a share and, if its program has ended, the pane that was kept for it. */
void daemon_end_share(struct daemon *d, struct share *s, unsigned bye_reason);
/* True when a pane that was taken out of its session as d->exiting is kept for a share. */
bool daemon_keep_pane(struct daemon *d, struct pane *p);
/* Ends the pane's own share and those it is kept for. */
void daemon_end_shares_of(struct daemon *d, struct pane *p);
/* Sessions, windows or panes have changed: viewers look anew, shares of what is gone end, both at
 * the end of the round. */
void daemon_model_changed(struct daemon *d);
void daemon_open_share_check(struct daemon *d);
/* A terminal has left a session: it, and the daemon, may end for it once the round is over. */
void daemon_terminal_left(struct daemon *d);
/* Redraws what shows counts of shares and viewers. */
void daemon_refresh(void *daemon);

#endif
