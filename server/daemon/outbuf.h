/* A growable byte buffer for everything the daemon builds before it sends or stores it.
 *
 * Failure is sticky, as with proto/buf.h: when memory runs out the buffer is marked bad, keeps what
 * it has, and ignores later writes, so a caller builds a whole message and asks once. */
#ifndef VITRINE_DAEMON_OUTBUF_H
#define VITRINE_DAEMON_OUTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outbuf {
    uint8_t *p; /* NULL while nothing was ever written */
    size_t len;
    size_t cap;
    bool bad; /* an allocation failed since init or the last reset */
};

/* Makes an empty buffer; allocates nothing. A zeroed struct is the same. */
void outbuf_init(struct outbuf *o);
/* Frees the memory; o is empty and usable again. */
void outbuf_clear(struct outbuf *o);
/* Forgets the content and the bad mark but keeps the memory, so that steady use allocates nothing.
 */
void outbuf_reset(struct outbuf *o);
/* Makes room for n more bytes and returns where they go, or NULL when memory ran out. The caller
 * writes there and adds to o->len what it wrote, before any other call. */
uint8_t *outbuf_reserve(struct outbuf *o, size_t n);
void outbuf_put(struct outbuf *o, const void *p, size_t n);
void outbuf_byte(struct outbuf *o, uint8_t b);
/* Appends a NUL-terminated string without its NUL. */
void outbuf_text(struct outbuf *o, const char *text);
void outbuf_printf(struct outbuf *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends v in decimal; the cheap form of printf("%u"). */
void outbuf_uint(struct outbuf *o, uint32_t v);
/* Removes the first n bytes (all when n is larger), moving the rest down. */
void outbuf_drop(struct outbuf *o, size_t n);

#endif
