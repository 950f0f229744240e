#include "server/daemon/outbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTBUF_FIRST 256u

void outbuf_init(struct outbuf *o)
{
    *o = (struct outbuf){0};
}

void outbuf_clear(struct outbuf *o)
{
    free(o->p);
    outbuf_init(o);
}

void outbuf_reset(struct outbuf *o)
{
    o->len = 0;
    o->bad = false;
}

static bool grow(struct outbuf *o, size_t need)
{
    size_t cap = o->cap ? o->cap : OUTBUF_FIRST;
    while (cap < need) {
        if (cap > SIZE_MAX / 2)
            return false;
        cap *= 2;
    }
    uint8_t *p = realloc(o->p, cap);
    if (!p)
        return false;
    o->p = p;
    o->cap = cap;
    return true;
}

uint8_t *outbuf_reserve(struct outbuf *o, size_t n)
{
    if (o->bad)
        return NULL;
    if (n > SIZE_MAX - o->len || (o->len + n > o->cap && !grow(o, o->len + n))) {
        o->bad = true;
        return NULL;
    }
    if (!o->p && !grow(o, OUTBUF_FIRST)) {
        o->bad = true;
        return NULL;
    }
    return o->p + o->len;
}

void outbuf_put(struct outbuf *o, const void *p, size_t n)
{
    if (n == 0)
        return;
    uint8_t *to = outbuf_reserve(o, n);
    if (!to)
        return;
    memcpy(to, p, n);
    o->len += n;
}

void outbuf_byte(struct outbuf *o, uint8_t b)
{
    outbuf_put(o, &b, 1);
}

void outbuf_text(struct outbuf *o, const char *text)
{
    outbuf_put(o, text, strlen(text));
}

void outbuf_printf(struct outbuf *o, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    uint8_t *to = n < 0 ? NULL : outbuf_reserve(o, (size_t)n + 1);
    if (to) {
        vsnprintf((char *)to, (size_t)n + 1, format, again);
        o->len += (size_t)n;
    } else {
        o->bad = true;
    }
    va_end(again);
}

void outbuf_uint(struct outbuf *o, uint32_t v)
{
    char digits[10];
    size_t n = 0;
    do {
        digits[sizeof digits - ++n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    outbuf_put(o, digits + sizeof digits - n, n);
}

void outbuf_drop(struct outbuf *o, size_t n)
{
    if (n >= o->len) {
        o->len = 0;
        return;
    }
    memmove(o->p, o->p + n, o->len - n);
    o->len -= n;
}
