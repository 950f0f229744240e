#include "proto/utf8.h"

#include <string.h>

#define REPLACEMENT 0xfffd

static bool is_scalar(uint32_t cp)
{
    return cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len;
    uint32_t v;

    if (n == 0)
        return 0;
    if (p[0] < 0x80) {
        *cp = p[0];
        return 1;
    }
    if (p[0] >= 0xc2 && p[0] < 0xe0)
        len = 2;
    else if (p[0] >= 0xe0 && p[0] < 0xf0)
        len = 3;
    else if (p[0] >= 0xf0 && p[0] < 0xf5)
        len = 4;
    else
        return 0;
    if (n < len)
        return 0;
    v = p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        v = v << 6 | (p[i] & 0x3f);
    }
    if (v < least[len] || !is_scalar(v))
        return 0;
    *cp = v;
    return len;
}

size_t utf8_encode(uint32_t cp, uint8_t out[UTF8_MAX_BYTES])
{
    size_t len = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

    if (len == 1) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    for (size_t i = len; i-- > 1; cp >>= 6)
        out[i] = (uint8_t)(0x80 | (cp & 0x3f));
    out[0] = (uint8_t)(0xf00u >> len) | (uint8_t)cp;
    return len;
}

bool utf8_valid(const uint8_t *p, size_t n)
{
    uint32_t cp;

    for (size_t used; n > 0; p += used, n -= used) {
        used = utf8_decode(p, n, &cp);
        if (used == 0)
            return false;
    }
    return true;
}

/* Characters that could move a cursor, forge a line or turn text around where it is shown. */
static bool is_unprintable(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c || (cp >= 0x200b && cp <= 0x200f) ||
           (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff ||
           (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe007f);
}

size_t utf8_printable(const uint8_t *p, size_t n, char *out, size_t max_bytes)
{
    size_t len = 0;

    while (n > 0) {
        uint8_t enc[UTF8_MAX_BYTES];
        uint32_t cp = REPLACEMENT;
        size_t used = utf8_decode(p, n, &cp);
        size_t width;

        if (used == 0 || is_unprintable(cp))
            cp = REPLACEMENT;
        if (used == 0)
            used = 1;
        width = utf8_encode(cp, enc);
        if (len + width > max_bytes)
            break;
        memcpy(out + len, enc, width);
        len += width;
        p += used;
        n -= used;
    }
    out[len] = '\0';
    return len;
}
