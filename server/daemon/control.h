/* The control socket: local clients, one command each, some of which attach; and programs, whose
 * connections stay.
 *
 *   accept (same user only) ─► HELLO ─► COMMAND ─► run ─► OUTPUT…, EXIT ─► closed when written
 *                                │         └─► ATTACHED ─► KEYS, SIZE, DRAWN / DRAW
 *                                │                                      ─► DETACHED, EXIT
 *                                └─► PROGRAM ─► any number of COMMAND, LIST, INPUT, CELLS,
 *                                               SUBSCRIBE…, until the program closes
 *
 * Any other order, type or size ends that client only, with one log line. */
#ifndef VITRINE_DAEMON_CONTROL_H
#define VITRINE_DAEMON_CONTROL_H

#include <stddef.h>

#include "server/daemon/command.h"

struct control;
struct daemon;
struct ipc_event;
struct pane;
struct session;

#define CONTROL_CLIENTS_MAX 512
#define CONTROL_HELLO_MS    10000 /* from accept to COMMAND */

/* Listens on d->socket_path. NULL with a reason in why: in use by a living daemon, or the system's.
 */
struct control *control_open(struct daemon *d, char *why, size_t why_len);
/* Tells attached clients that the daemon stops, writes what can be written and removes the socket.
 */
void control_close(struct control *c);

/* A session ends: its attached terminals detach, with text as the reason. */
void control_session_ended(struct control *c, struct session *s, const char *text);
/* Shows a message in the status lines of a session's terminals. */
void control_message(struct control *c, const struct session *s, const char *text);
/* A command of k (NULL: no client's) has made a pane, which has had no output yet. */
void control_pane_made(struct client *k, struct pane *p);
/* A pane is about to be destroyed: whoever subscribed to it is told. */
void control_pane_gone(struct control *c, struct pane *p);
/* Tells programs that want events. */
void control_tell_event(struct control *c, const struct ipc_event *event);
size_t control_client_count(const struct control *c);

#endif
