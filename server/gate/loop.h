/* The gate's event loop: the only file that works with libwebsockets' sockets, and the one place
 * where its versions could differ.
 *
 * What we take from the library is its poll loop, its timers, its sockets and (later) its TLS.
 * Sockets are adopted in its raw role; HTTP and WebSocket framing are ours (http.h, ws.h), because
 * the library's own roles drop large headers without an answer, cannot refuse frames that are not
 * masked, and keep 5 KB and more for each idle connection. Measured traps this file goes round:
 *
 *   - A raw socket with output that the library buffered, and input waiting, spins the loop: output
 *     is therefore never given to lws_write but sent here, and what the kernel refuses stays queued
 *     with the caller.
 *   - 4.1.6 clears a write request made inside a raw file's WRITEABLE callback: writing is asked
 * for at the end of a round only.
 *   - The libuv event loop ignores SIGTERM and spins: it is not used.
 *
 * Callbacks only change state and mark; sending and closing happen at the end of the round, outside
 * of them. So loop_close may not be called from a callback. */
#ifndef VITRINE_SERVER_GATE_LOOP_H
#define VITRINE_SERVER_GATE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define LOOP_READ_BYTES (32u << 10) /* at most, per socket and round */

struct loop;
struct lws;

struct loop_handlers {
    void (*on_data)(void *owner, const uint8_t *p, size_t n);
    void (*on_writable)(void *owner);
    /* The socket is closed and must not be used any more. Not called for loop_close. */
    void (*on_closed)(void *owner);
    /* A watched descriptor can be read. */
    void (*on_readable)(void *ctx, int fd);
    /* The library gave up a watched descriptor (its other end is gone), and closes it. */
    void (*on_unwatched)(void *ctx, int fd);
    void (*on_tick)(void *ctx);
};

/* handlers is borrowed for the loop's life; ctx goes to the last three. NULL when the
 * library cannot start. */
struct loop *loop_create(const struct loop_handlers *handlers, void *ctx);
void loop_destroy(struct loop *l);
/* Waits for events and serves one round of them. False when the loop cannot go on. */
bool loop_run_round(struct loop *l);

/* Watches a descriptor for reading; the loop owns and closes it. NULL on failure. */
struct lws *loop_watch(struct loop *l, int fd);
/* Calls on_tick once, after ms. */
void loop_schedule_tick(struct loop *l, uint64_t ms);

/* Adopts an accepted socket; the loop owns fd, also on failure (NULL). */
struct lws *loop_adopt(struct loop *l, int fd, void *owner);
/* Sends at once what the kernel takes. Returns the bytes taken, 0 when it takes none now, -1 when
 * the connection is broken. */
long loop_send(struct lws *socket, const struct iovec *iov, size_t n);
/* Asks for one on_writable (or, for a watched descriptor, one more round) when it can be written.
 */
void loop_want_write(struct lws *socket);
void loop_pause(struct lws *socket);
void loop_resume(struct lws *socket);
/* Says that we send nothing more; the peer may still. */
void loop_shut(struct lws *socket);
void loop_close(struct lws *socket);

#endif
