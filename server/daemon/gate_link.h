/* The daemon's side of the gate: starts it, keeps its listeners, carries viewers' connections.
 *
 *   off ──configure──► starting ──STATE READY──► ready
 *                        ▲  │ PORT_TAKEN, BIND_FAILED        │ the gate ends or breaks the mux
 *                        │  └──► failed (first start only)   ▼
 *                        └────────── back-off ◄──────────── carriers closed
 *
 * Listeners the gate opened are kept here and given to the next gate, so address and port survive a
 * crash. Each viewer's connection is a carrier: it keeps order and boundaries and is trusted with
 * nothing else. What is written during a round leaves in one system call at its end. */
#ifndef VITRINE_DAEMON_GATE_LINK_H
#define VITRINE_DAEMON_GATE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/err.h"
#include "server/daemon/gate_tls.h"

struct carrier;
struct gate_link;
struct loop;

#define GATE_PORT        8722
#define GATE_ORIGINS_MAX 32
#define GATE_TEXT_MAX    256 /* of an address or an origin */
#define GATE_URL_MAX     1024

enum gate_state { GATE_OFF, GATE_STARTING, GATE_READY, GATE_FAILED };

/* How to listen. Texts are copied. */
struct gate_config {
    char bind[GATE_TEXT_MAX]; /* IPv4 or IPv6 address, or unix:/path */
    uint16_t port;
    bool port_required; /* do not try the next ones */
    bool allow_null_origin;
    char origins[GATE_ORIGINS_MAX][GATE_TEXT_MAX];
    unsigned n_origins;
    char base_path[GATE_TEXT_MAX]; /* what the page's addresses begin with: "/", or "/some/path/" */
    struct gate_tls tls;
    char url[GATE_URL_MAX];      /* where people find it, with a final slash; "": as it listens */
    char page_url[GATE_URL_MAX]; /* a page hosted elsewhere; "": the gate's own */
};

/* What the carriers' owner does. viewer is what open returned. */
struct gate_hooks {
    /* A connection has sent one whole handshake message 1, which follows as data. Texts are
     * borrowed. NULL refuses the connection at once. */
    void *(*open)(void *ctx, struct carrier *c, const char *peer, const char *origin,
                  unsigned flags);
    /* One WebSocket message; the bytes may be changed in place. */
    void (*data)(void *viewer, uint8_t *p, size_t n);
    /* The connection ended, not by carrier_close; c is gone after this. */
    void (*closed)(void *viewer);
    /* There is credit again. */
    void (*credit)(void *viewer);
    void *ctx;
};

/* Called once when a configured gate is ready, or has failed with a reason for the user. */
typedef void gate_ready_fn(void *ctx, const char *failure);

struct gate_link *gate_link_create(struct loop *l, const char *program,
                                   const struct gate_hooks *hooks);
/* Ends the gate and closes its listeners. */
void gate_link_destroy(struct gate_link *g);
/* Starts the gate with c when it is off or has failed; ERR_STATE when it runs (then its
 * configuration stays). */
enum err gate_link_start(struct gate_link *g, const struct gate_config *c);
/* Lets pages of one more origin connect, now and after restarts. ERR_EXHAUSTED when there are
 * GATE_ORIGINS_MAX. */
enum err gate_link_add_origin(struct gate_link *g, const char *origin);
/* Ends the gate; the next one starts at once and keeps listeners and port. When one waits for the
 * back-off, it starts now. */
void gate_link_restart(struct gate_link *g);
/* Ends the gate and closes its listeners; carriers get closed. */
void gate_link_stop(struct gate_link *g);
/* Calls fn when the gate is ready or has failed; at once, from inside, when it already is. One
 * waiter per ctx; ERR_MEMORY otherwise. */
enum err gate_link_wait(struct gate_link *g, gate_ready_fn *fn, void *ctx);
/* Forgets a waiter. */
void gate_link_forget(struct gate_link *g, void *ctx);

enum gate_state gate_link_state(const struct gate_link *g);
const struct gate_config *gate_link_config(const struct gate_link *g);
/* The address and port it listens on; "" and 0 before it is ready. */
const char *gate_link_address(const struct gate_link *g);
uint16_t gate_link_port(const struct gate_link *g);
pid_t gate_link_pid(const struct gate_link *g);
/* How often it was restarted after it had ended by itself. */
unsigned gate_link_restarts(const struct gate_link *g);
size_t gate_link_carriers(const struct gate_link *g);
/* True when pid was the gate. */
bool gate_link_child_ended(struct gate_link *g, pid_t pid, int wait_status);

/* Room for one message of up to n bytes to be built in place, or NULL when the credit does not
 * cover it or memory ran out. Valid until the next call on any carrier. */
uint8_t *carrier_reserve(struct carrier *c, size_t n);
/* Sends the first n bytes of what was reserved, as one message. */
void carrier_commit(struct carrier *c, size_t n);
/* The largest message that may be sent now. */
size_t carrier_credit(const struct carrier *c);
/* Ends the connection with a WebSocket close code after what was sent; c is gone. */
void carrier_close(struct carrier *c, uint16_t code, const char *reason);

#endif
