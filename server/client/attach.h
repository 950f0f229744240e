/* The terminal's side of an attached session: the daemon's drawing to the terminal, keys and sizes
 * from it, and the way back out.
 *
 *     AWAY ── begin ─► SHOWN ── DETACHED ─────────────────────► LEFT (terminal restored, line
 * shown) └─ a signal, the terminal gone ─► LEAVING (DETACH sent) ──┘
 *
 * Drawings are written in the order they came. While the terminal takes nothing the caller stops
 * reading the socket, so a slow terminal holds the daemon back and nothing piles up here. */
#ifndef VITRINE_CLIENT_ATTACH_H
#define VITRINE_CLIENT_ATTACH_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"
#include "server/client/connection.h"
#include "server/client/terminal.h"

#define ATTACH_SHOWN_MAX 256 /* of text that the daemon wants shown */

enum attach_state { ATTACH_AWAY, ATTACH_SHOWN, ATTACH_LEAVING, ATTACH_LEFT };
enum { ATTACH_POLL_KEYS, ATTACH_POLL_DRAW, ATTACH_POLLS };

/* All zeros, but for the first three, before attach_begin(). */
struct attach {
    struct connection *c; /* must outlive this */
    uint16_t cols, rows;  /* what the daemon was told last */
    enum attach_state state;
    struct terminal terminal;
    bool keys_ended;   /* the terminal gives no more, or nobody wants it */
    bool mute;         /* the terminal takes no more */
    struct bytes draw; /* not written yet; inside the connection */
    uint64_t drawn;    /* bytes written in all, and what the daemon was told */
    uint64_t drawn_told;
    int64_t deadline_ms; /* of leaving, or of a blocked terminal at the end; 0 for none */
    const char *failed;  /* why this cannot go on; NULL while it can */
    char session[ATTACH_SHOWN_MAX];
};

/* ATTACHED has come: takes the terminal of descriptors 0 and 1 over. ERR_MALFORMED when the message
 * is wrong here; a->failed when the terminal is. */
enum err attach_begin(struct attach *a, struct bytes body);
/* DRAW has come. body stays valid until all of it is written: attach_blocked() is false again. */
enum err attach_draw(struct attach *a, struct bytes body);
/* DETACHED has come: restores the terminal and says what the daemon says. */
enum err attach_finish(struct attach *a, struct bytes body);
/* Restores the terminal if it is still taken; line, unless NULL, is shown then. */
void attach_end(struct attach *a, const char *line);

/* True while the terminal is taken. */
bool attach_is_shown(const struct attach *a);
/* True while a drawing waits for the terminal: no frame may be taken, and nothing received. */
bool attach_blocked(const struct attach *a);
/* Writes what the terminal takes and tells the daemon how far it is. */
void attach_flush(struct attach *a);
/* Fills in what to poll for, and acts on what came. */
void attach_choose(const struct attach *a, struct pollfd fds[ATTACH_POLLS]);
void attach_act(struct attach *a, const struct pollfd fds[ATTACH_POLLS]);
/* Acts on signals that came: sizes, stop and continue, and those that mean to end. */
void attach_take_signals(struct attach *a);
/* The daemon's end is closed: a blocked terminal gets a last second. */
void attach_daemon_gone(struct attach *a);
/* Milliseconds until attach_expire() is due, -1 for never. */
int attach_timeout_ms(const struct attach *a);
/* Gives up on what did not happen in time: the daemon's answer, or a terminal that takes nothing.
 */
void attach_expire(struct attach *a);

#endif
