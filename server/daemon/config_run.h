/* Command lists that no client types: config files, hooks, what if-shell chooses.
 *
 *   list ─► one command after the other, each in an environment of its own; one that waits holds up
 *           those after it; one that fails is noted and stops only what is joined to it by `;`
 *
 * What goes wrong is kept for show-messages, logged, and told to who waits. */
#ifndef VITRINE_DAEMON_CONFIG_RUN_H
#define VITRINE_DAEMON_CONFIG_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/command.h"
#include "server/daemon/config.h"
#include "server/daemon/format_vars.h"

struct config_run;
struct daemon;

#define CONFIG_RUN_DEPTH_MAX 20 /* lists run by lists */
#define CONFIG_EXTRA_MAX     8

/* Called once, when a list is over; out and err are what its commands printed. */
typedef void config_done_fn(void *ctx, bool ok, struct outbuf *out, struct outbuf *err);

/* Where a list comes from; copied. */
struct config_origin {
    struct daemon *daemon;
    struct attach *attach;                       /* of the key that ran it, or NULL */
    const struct mouse_event *mouse;             /* that ran it, or NULL; the run copies it */
    struct target current;                       /* where it happens */
    const struct ipc_command *request;           /* of who waits, or NULL; kept until it is over */
    const struct config_run *parent;             /* that this is run by, or NULL */
    const char *hook;                            /* the hook's name, or NULL */
    struct format_extra extra[CONFIG_EXTRA_MAX]; /* variables: hook_session, viewer, … */
    size_t n_extra;
};

/* Runs a list, which becomes the run's. Returns NULL when it is over already (done was called),
 * else the run, over when done is called. done may be NULL. */
struct config_run *config_run_start(const struct config_origin *origin, struct config_list *list,
                                    config_done_fn *done, void *ctx);
/* Ends a run; done is not called. */
void config_run_cancel(struct config_run *r);
/* Ends every run of a daemon. */
void config_run_cancel_all(struct daemon *d);
/* The origin of a command that a list runs, with its extras; of another, its own. */
struct config_origin config_run_origin(struct command *c);
/* Parses text for a command of that origin, with its variables and formats. */
void config_run_parse(const struct config_origin *origin, const char *text, size_t len,
                      const char *file, struct config_list *list);
/* The place for formats of such a command, with the origin's extras, which it borrows. */
struct format_place config_run_place(const struct config_origin *origin);
/* Notes one line for show-messages, and in the log. */
void config_message(struct daemon *d, const char *text);
/* Runs the hooks of that name, with no effect while a hook runs. extra are its variables. */
void config_fire(struct daemon *d, const char *name, const struct target *at,
                 const struct format_extra *extra, size_t n_extra);
/* Appends a file of at most CONFIG_BYTES_MAX. False with errno. */
bool config_read_file(const char *path, struct outbuf *out);
/* Runs a file and tells nobody but show-messages; a missing one only when it was asked for. */
void config_run_file(struct daemon *d, const char *path, bool must_exist);

#endif
