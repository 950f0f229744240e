#include "proto/buf.h"

#include <string.h>

#include "proto/utf8.h"

void rbuf_init(struct rbuf *r, const void *p, size_t n)
{
    static const uint8_t none[1];

    r->p = n > 0 ? p : none;
    r->end = r->p + n;
    r->bad = false;
}

size_t rbuf_left(const struct rbuf *r)
{
    return r->bad ? 0 : (size_t)(r->end - r->p);
}

struct bytes rbuf_take(struct rbuf *r, size_t n)
{
    struct bytes out = {r->p, 0};

    if (r->bad || n > (size_t)(r->end - r->p)) {
        r->bad = true;
        return out;
    }
    out.len = n;
    r->p += n;
    return out;
}

static uint64_t read_be(struct rbuf *r, size_t n)
{
    struct bytes b = rbuf_take(r, n);
    uint64_t v = 0;

    for (size_t i = 0; i < b.len; i++)
        v = v << 8 | b.p[i];
    return v;
}

uint8_t rbuf_u8(struct rbuf *r)
{
    return (uint8_t)read_be(r, 1);
}

uint16_t rbuf_u16(struct rbuf *r)
{
    return (uint16_t)read_be(r, 2);
}

uint32_t rbuf_u32(struct rbuf *r)
{
    return (uint32_t)read_be(r, 4);
}

uint64_t rbuf_u64(struct rbuf *r)
{
    return read_be(r, 8);
}

struct bytes rbuf_str(struct rbuf *r)
{
    struct bytes s = rbuf_take(r, rbuf_u16(r));

    if (!utf8_valid(s.p, s.len)) {
        r->bad = true;
        s.len = 0;
    }
    return s;
}

void rbuf_copy(struct rbuf *r, uint8_t *out, size_t n)
{
    struct bytes b = rbuf_take(r, n);

    memset(out, 0, n);
    if (b.len > 0)
        memcpy(out, b.p, b.len);
}

struct bytes rbuf_rest(struct rbuf *r)
{
    return rbuf_take(r, rbuf_left(r));
}

bool rbuf_done(const struct rbuf *r)
{
    return !r->bad && r->p == r->end;
}

void wbuf_init(struct wbuf *w, void *p, size_t cap)
{
    w->base = p;
    w->len = 0;
    w->cap = cap;
    w->bad = false;
}

void wbuf_put(struct wbuf *w, const void *p, size_t n)
{
    if (w->bad || n > w->cap - w->len) {
        w->bad = true;
        return;
    }
    if (n > 0)
        memcpy(w->base + w->len, p, n);
    w->len += n;
}

static void write_be(struct wbuf *w, uint64_t v, size_t n)
{
    uint8_t out[8];

    for (size_t i = n; i-- > 0; v >>= 8)
        out[i] = (uint8_t)v;
    wbuf_put(w, out, n);
}

void wbuf_u8(struct wbuf *w, uint8_t v)
{
    write_be(w, v, 1);
}

void wbuf_u16(struct wbuf *w, uint16_t v)
{
    write_be(w, v, 2);
}

void wbuf_u32(struct wbuf *w, uint32_t v)
{
    write_be(w, v, 4);
}

void wbuf_u64(struct wbuf *w, uint64_t v)
{
    write_be(w, v, 8);
}

void wbuf_str(struct wbuf *w, struct bytes text)
{
    if (text.len > UINT16_MAX) {
        w->bad = true;
        return;
    }
    wbuf_u16(w, (uint16_t)text.len);
    wbuf_put(w, text.p, text.len);
}

void wbuf_blob(struct wbuf *w, struct bytes b)
{
    if (b.len > UINT32_MAX) {
        w->bad = true;
        return;
    }
    wbuf_u32(w, (uint32_t)b.len);
    wbuf_put(w, b.p, b.len);
}

struct bytes bytes_of(const char *text)
{
    struct bytes b = {(const uint8_t *)(text ? text : ""), text ? strlen(text) : 0};

    return b;
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}
