/* Defines what proto/table_declare.h declares, for the same TABLE and TABLE_PREFIX. */

#define P_(a)         TABLE_JOIN(TABLE_PREFIX, a)
#define LARGEST_(e)   TABLE_JOIN(P_(e), largest)
#define READ_(name)   TABLE_JOIN(TABLE_PREFIX, read_##name)
#define WRITE_(name)  TABLE_JOIN(TABLE_PREFIX, write_##name)
#define DECODE_(name) TABLE_JOIN(TABLE_PREFIX, decode_##name)
#define ENCODE_(name) TABLE_JOIN(TABLE_PREFIX, encode_##name)
#define FIELDS_(name) TABLE_JOIN(TABLE_PREFIX, fields_##name)

#define ENUM(name)          enum {
#define END_ENUM(name, max) LARGEST_(name) = max };
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

/* --- reading: items, then messages ---------------------------------------------------------- */

#define U8(f)       m->f = rbuf_u8(r);
#define U16(f)      m->f = rbuf_u16(r);
#define U32(f)      m->f = rbuf_u32(r);
#define U64(f)      m->f = rbuf_u64(r);
#define FIXED(f, n) rbuf_copy(r, m->f, n);
#define STR(f)      m->f = rbuf_str(r);
#define BLOB(f)     m->f = rbuf_take(r, rbuf_u32(r));
#define REST(f)     m->f = rbuf_rest(r);
#define ENUM8(f, e)                                                                                \
    m->f = rbuf_u8(r);                                                                             \
    if (m->f > LARGEST_(e))                                                                        \
        r->bad = true;
#define LIST(f, item)                                                                              \
    m->f.n = rbuf_u16(r);                                                                          \
    m->f.items = NULL;                                                                             \
    m->f.wire.p = r->p;                                                                            \
    for (uint16_t i = 0; i < m->f.n && !r->bad; i++) {                                             \
        struct P_(item) one;                                                                       \
        READ_(item)(r, &one);                                                                      \
    }                                                                                              \
    m->f.wire.len = (size_t)(r->p - m->f.wire.p);
#define ITEM(name)                                                                                 \
    void READ_(name)(struct rbuf * r, struct P_(name) * m)                                         \
    {
#define END_ITEM(name) }
#define MESSAGE(NAME, name, type, direction)                                                       \
    static void FIELDS_(name)(struct rbuf * r, struct P_(name) * m)                                \
    {
#define END_MESSAGE(NAME, name)                                                                    \
    }                                                                                              \
    enum err DECODE_(name)(struct bytes body, struct P_(name) * m)                                 \
    {                                                                                              \
        struct rbuf r;                                                                             \
        rbuf_init(&r, body.p, body.len);                                                           \
        FIELDS_(name)(&r, m);                                                                      \
        return rbuf_done(&r) ? ERR_OK : ERR_MALFORMED;                                             \
    }
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

/* --- writing -------------------------------------------------------------------------------- */

#define U8(f)       wbuf_u8(w, m->f);
#define U16(f)      wbuf_u16(w, m->f);
#define U32(f)      wbuf_u32(w, m->f);
#define U64(f)      wbuf_u64(w, m->f);
#define ENUM8(f, e) wbuf_u8(w, m->f);
#define FIXED(f, n) wbuf_put(w, m->f, n);
#define STR(f)      wbuf_str(w, m->f);
#define BLOB(f)     wbuf_blob(w, m->f);
#define REST(f)     wbuf_put(w, m->f.p, m->f.len);
#define LIST(f, item)                                                                              \
    wbuf_u16(w, m->f.n);                                                                           \
    for (uint16_t i = 0; i < m->f.n; i++)                                                          \
        WRITE_(item)(w, &m->f.items[i]);
#define ITEM(name)                                                                                 \
    static void WRITE_(name)(struct wbuf * w, const struct P_(name) * m)                           \
    {
#define END_ITEM(name) }
#define MESSAGE(NAME, name, type, direction)                                                       \
    void ENCODE_(name)(struct wbuf * w, const struct P_(name) * m)                                 \
    {
#define END_MESSAGE(NAME, name) }
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

#undef P_
#undef LARGEST_
#undef READ_
#undef WRITE_
#undef DECODE_
#undef ENCODE_
#undef FIELDS_
