/* Bounded cursors: the only way this project reads bytes from outside or builds bytes for it.
 *
 * Both are sticky: the first read past the end or write past the capacity marks the cursor bad,
 * later calls do nothing (reads give 0), and the caller asks once at the end. Integers are
 * big-endian. Nothing here allocates. */
#ifndef VITRINE_PROTO_BUF_H
#define VITRINE_PROTO_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed run of bytes; lives as long as the buffer it was read from. */
struct bytes {
    const uint8_t *p;
    size_t len;
};

struct rbuf {
    const uint8_t *p;
    const uint8_t *end;
    bool bad;
};

struct wbuf {
    uint8_t *base;
    size_t len;
    size_t cap;
    bool bad;
};

/* Starts reading n bytes at p, which stay the caller's. */
void rbuf_init(struct rbuf *r, const void *p, size_t n);
/* Bytes not read yet; 0 when bad. */
size_t rbuf_left(const struct rbuf *r);
uint8_t rbuf_u8(struct rbuf *r);
uint16_t rbuf_u16(struct rbuf *r);
uint32_t rbuf_u32(struct rbuf *r);
uint64_t rbuf_u64(struct rbuf *r);
/* Takes the next n bytes without copying; empty when there are fewer. */
struct bytes rbuf_take(struct rbuf *r, size_t n);
/* A str field: u16 length, then that many bytes of UTF-8 (RFC 3629); anything else is bad. */
struct bytes rbuf_str(struct rbuf *r);
/* Copies exactly n bytes to out; zeros when there are fewer. */
void rbuf_copy(struct rbuf *r, uint8_t *out, size_t n);
/* Everything left, up to the end of the buffer. */
struct bytes rbuf_rest(struct rbuf *r);
/* True when all was read and nothing was bad. */
bool rbuf_done(const struct rbuf *r);

/* Starts writing into cap bytes at p, which stay the caller's. */
void wbuf_init(struct wbuf *w, void *p, size_t cap);
void wbuf_u8(struct wbuf *w, uint8_t v);
void wbuf_u16(struct wbuf *w, uint16_t v);
void wbuf_u32(struct wbuf *w, uint32_t v);
void wbuf_u64(struct wbuf *w, uint64_t v);
void wbuf_put(struct wbuf *w, const void *p, size_t n);
/* A str field; text longer than 65,535 bytes marks w bad. */
void wbuf_str(struct wbuf *w, struct bytes text);
/* A blob field: u32 length, then the bytes, whatever they are. */
void wbuf_blob(struct wbuf *w, struct bytes b);

/* Borrows a NUL-terminated string as bytes, without the NUL; NULL gives an empty run. */
struct bytes bytes_of(const char *text);
bool bytes_equal(struct bytes a, struct bytes b);

#endif
