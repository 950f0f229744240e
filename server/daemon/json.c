#include "server/daemon/json.h"

#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/outbuf.h"

static void put_character(struct outbuf *out, uint32_t cp)
{
    uint8_t enc[UTF8_MAX_BYTES];

    if (cp == '"' || cp == '\\') {
        outbuf_byte(out, '\\');
        outbuf_byte(out, (uint8_t)cp);
    } else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == '<' || cp == 0x2028 ||
               cp == 0x2029) {
        outbuf_printf(out, "\\u%04x", (unsigned)cp);
    } else {
        outbuf_put(out, enc, utf8_encode(cp, enc));
    }
}

void json_string(struct outbuf *out, const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    size_t n = strlen(text);

    outbuf_byte(out, '"');
    for (size_t used; n > 0; p += used, n -= used) {
        uint32_t cp;

        used = utf8_decode(p, n, &cp);
        if (used == 0) {
            cp = 0xfffd;
            used = 1;
        }
        put_character(out, cp);
    }
    outbuf_byte(out, '"');
}

void json_hex(struct outbuf *out, const uint8_t *p, size_t n)
{
    outbuf_byte(out, '"');
    for (size_t i = 0; i < n; i++)
        outbuf_printf(out, "%02x", p[i]);
    outbuf_byte(out, '"');
}
