/* The tunnel: a program of the user's that makes the gate reachable from elsewhere and prints
 * where.
 *
 *   off ──start──► starting ──prints its URL──► up ──ends──► waiting ──back-off──► starting …
 *                     │ nothing in time, or it ends before: failed (the first time only)
 *
 * One at a time, beside the gate and ended with it, its whole process group at once. What it prints
 * is read and, but for the URL and the last line, dropped: it may be any amount. */
#ifndef VITRINE_DAEMON_TUNNEL_H
#define VITRINE_DAEMON_TUNNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto/err.h"

struct loop;
struct outbuf;
struct tunnel;

#define TUNNEL_URL_MAX     1024
#define TUNNEL_COMMAND_MAX 4096
#define TUNNEL_WHY         512
#define TUNNEL_START_MS    30000 /* until its URL must have been printed */
#define TUNNEL_GRACE_MS    2000  /* from SIGTERM to SIGKILL */

enum tunnel_state { TUNNEL_OFF, TUNNEL_STARTING, TUNNEL_UP, TUNNEL_WAITING, TUNNEL_FAILED };

/* What to run; all borrowed for the call. */
struct tunnel_request {
    const char *command; /* the name of a preset, or a line for sh -c; %p is the gate's port, %u
                            its URL, %% a percent sign */
    const char *pattern; /* extended regular expression of the URL; NULL: the preset's, or any
                            https URL */
    const char
        *fixed_url;       /* where people find it, when that is known; nothing is looked for then */
    const char *gate_url; /* for %u, without a final slash */
    unsigned port;        /* for %p */
    const char *const *env; /* NULL-terminated NAME=value */
};

/* Called once when a starting tunnel is up, or has failed with a reason for the user. */
typedef void tunnel_ready_fn(void *ctx, const char *failure);

/* changed is called when the tunnel was lost, is back, or has another URL. NULL when memory ran
 * out.
 */
struct tunnel *tunnel_create(struct loop *l, void (*changed)(void *ctx), void *ctx);
void tunnel_destroy(struct tunnel *t);
/* ERR_STATE when one runs; ERR_RANGE for a pattern that is none or a command that is too long;
 * ERR_MEMORY; a line in why. */
enum err tunnel_start(struct tunnel *t, const struct tunnel_request *r, char why[TUNNEL_WHY]);
void tunnel_stop(struct tunnel *t);
/* Calls fn when it is up or has failed; at once, from inside, when it already is. */
enum err tunnel_wait(struct tunnel *t, tunnel_ready_fn *fn, void *ctx);
void tunnel_forget(struct tunnel *t, void *ctx);

enum tunnel_state tunnel_state(const struct tunnel *t);
/* The command as it was given; "" when off. */
const char *tunnel_command(const struct tunnel *t);
/* Where people find the gate, with a final slash; "" as long as nobody knows. */
const char *tunnel_url(const struct tunnel *t);
/* In words, with the reason when it is not up. */
void tunnel_describe(const struct tunnel *t, struct outbuf *out);
/* True when pid was the tunnel's shell. */
bool tunnel_child_ended(struct tunnel *t, pid_t pid, int wait_status);

#endif
