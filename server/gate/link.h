/* The socketpair to the daemon: frames in and out, without blocking once the loop runs.
 *
 * Before the loop runs (CONFIG, STATE) it blocks, because nothing else can be done then, and
 * descriptors travel. Later, reading takes what is there once per round, and writing goes through
 * one buffer that is flushed once per round; what does not fit stays with the channels. */
#ifndef VITRINE_SERVER_GATE_LINK_H
#define VITRINE_SERVER_GATE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"
#include "proto/mux_msg.h"

#define LINK_IN_BYTES  (256u << 10)
#define LINK_OUT_BYTES (256u << 10)

struct link {
    int fd;
    uint8_t *in, *out;
    size_t in_len;
    size_t out_from, out_len; /* out[out_from .. out_len) is not written yet */
};

/* Starts on a connected stream socket. ERR_RANGE when fd is none, ERR_MEMORY. fd stays the
 * caller's. */
enum err link_init(struct link *l, int fd);
void link_clear(struct link *l);

/* Waits for one whole frame for at most `seconds`, with up to MUX_LISTENERS_MAX descriptors that
 * the caller owns afterwards. *body borrows from the link until its next call. ERR_NOT_FOUND: the
 * other end closed or nothing came in time. */
enum err link_wait_frame(struct link *l, int seconds, struct mux_header *h, struct bytes *body,
                         int fds[MUX_LISTENERS_MAX], unsigned *nfds);
/* Writes a STATE report, waiting as long as it takes; fd (or -1) goes along. */
enum err link_send_state(struct link *l, const struct mux_state_report *s, int fd);

/* Reads once and hands on each whole frame. ERR_NOT_FOUND when the daemon's end closed; the first
 * error on_frame returns; ERR_MALFORMED for a header that is none. */
enum err link_receive(struct link *l,
                      enum err (*on_frame)(void *ctx, const struct mux_header *h,
                                           struct bytes body),
                      void *ctx);
/* True when n more bytes fit the output buffer. */
bool link_has_room(const struct link *l, size_t n);
/* Appends bytes, for which there must be room. */
void link_put(struct link *l, const uint8_t *p, size_t n);
/* Writes what the kernel takes. ERR_OK, also when something is left; ERR_NOT_FOUND when the other
 * end is gone. */
enum err link_flush(struct link *l);
bool link_is_flushed(const struct link *l);

#endif
