/* How a share is reached: the options of share that say where the gate listens, with which
 * certificate, and under which addresses people elsewhere find it; and the URLs that follow.
 *
 *     --bind --port --base-path          where the gate is
 *     --tls self | --tls-cert --tls-key  https of its own
 *     --url                              where people find it: behind a tunnel or proxy
 *     --tunnel --tunnel-pattern          a program that makes it reachable, and prints where
 *     --page-url                         a page that is hosted elsewhere, and connects to the gate
 *     --origin --saved-page              whose pages may connect */
#ifndef VITRINE_DAEMON_CMD_REACH_H
#define VITRINE_DAEMON_CMD_REACH_H

#include <stdbool.h>

#include "server/daemon/tunnel.h"

struct command;
struct daemon;
struct gate_config;
struct outbuf;
struct share_link;

/* Reads the options into g. False after saying what is wrong. */
bool reach_read_options(struct command *c, struct gate_config *g);
/* Starts the gate as want says, or checks that the running one is so. False after saying why not.
 */
bool reach_start_gate(struct command *c, const struct gate_config *want);
/* The tunnel that a command asks for: its options do not outlive the call that runs it. */
struct reach_tunnel {
    char *line, *pattern; /* NULL: none */
};

/* Takes it from the options. False when memory ran out. */
bool reach_keep_tunnel(struct command *c, struct reach_tunnel *out);
void reach_clear_tunnel(struct reach_tunnel *t);
/* When the gate is ready: starts the tunnel, and calls fn when it is up, has failed, or there is
 * none to wait for; perhaps from inside. tunnel_forget takes fn back. */
void reach_wait_tunnel(struct command *c, const struct reach_tunnel *want, tunnel_ready_fn *fn,
                       void *ctx);
/* Lets pages that came through the tunnel connect. */
void reach_allow_tunnel(struct daemon *d);
/* Appends a link's URL. A secret: the caller wipes what it was written to. */
void reach_put_url(struct daemon *d, const struct share_link *link, struct outbuf *out);
/* A line for people about who can reach the gate as it runs, or NULL. */
const char *reach_advice(const struct daemon *d);

#endif
