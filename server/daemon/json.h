/* Writing JSON (RFC 8259): only what the daemon prints needs. */
#ifndef VITRINE_DAEMON_JSON_H
#define VITRINE_DAEMON_JSON_H

#include <stddef.h>
#include <stdint.h>

struct outbuf;

/* Appends text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD; control
 * characters, and what could end a script element, are escaped. */
void json_string(struct outbuf *out, const char *text);
/* Appends n bytes as a JSON string of lower-case hexadecimal digits. */
void json_hex(struct outbuf *out, const uint8_t *p, size_t n);

#endif
