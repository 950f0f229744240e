/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef VITRINE_PROTO_UTF8_H
#define VITRINE_PROTO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX_BYTES 4

/* Decodes one code point from at most n bytes at p. Returns the bytes used and sets *cp; returns 0
 * when the bytes are invalid or incomplete. */
size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp);
/* Encodes cp, which must be a Unicode scalar value, into out; returns the bytes written, 1 to 4. */
size_t utf8_encode(uint32_t cp, uint8_t out[UTF8_MAX_BYTES]);
/* True when all n bytes are whole, valid UTF-8. */
bool utf8_valid(const uint8_t *p, size_t n);
/* Copies peer text so that it can be shown in a terminal, a log or a list: control characters, C1,
 * bidirectional marks, line separators and invalid bytes become U+FFFD, and the text ends after
 * max_bytes at a character's end. out must hold max_bytes + 1; it is NUL-terminated. Returns its length. */
size_t utf8_printable(const uint8_t *p, size_t n, char *out, size_t max_bytes);

#endif
