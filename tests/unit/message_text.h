/* Makes of the message table TABLE (prefix TABLE_PREFIX) what its tests need: for every message a
 * pair of functions between its text in proto/vectors/ and its body, in one array `codecs`. It goes
 * through the project's own structs and codecs, so that a field that one of them forgets shows.
 * Include it once in a test, after the table's own header. */

#include "tests/unit/text_reader.h"

struct message_codec {
    const char *name;
    uint8_t type;
    bool open_ended; /* its last field is a REST */
    /* Decodes body and appends ` field=value …` to text. */
    enum err (*to_text)(struct bytes body, struct wbuf *text);
    /* Reads ` field=value …` and appends the body. */
    void (*to_body)(struct text_reader *t, struct wbuf *body);
};

#define P_(a)       TABLE_JOIN(TABLE_PREFIX, a)
#define READER_(a)  TABLE_JOIN(text_read, a)
#define WRITER_(a)  TABLE_JOIN(text_write, a)
#define TO_TEXT_(a) TABLE_JOIN(to_text, a)
#define TO_BODY_(a) TABLE_JOIN(to_body, a)

/* --- text to struct ------------------------------------------------------------------------- */

#define NUMBER_(f)           \
    text_name(t, #f);        \
    number = text_number(t); \
    m->f = (__typeof__(m->f))number;
#define U8(f)       NUMBER_(f)
#define U16(f)      NUMBER_(f)
#define U32(f)      NUMBER_(f)
#define U64(f)      NUMBER_(f)
#define ENUM8(f, e) NUMBER_(f)
#define FIXED(f, n)               \
    text_name(t, #f);             \
    run = text_hex(t);            \
    assert_int_equal(run.len, n); \
    memcpy(m->f, run.p, n);
#define STR(f)        \
    text_name(t, #f); \
    m->f = text_string(t);
#define BLOB(f)       \
    text_name(t, #f); \
    m->f = text_hex(t);
#define REST(f) BLOB(f)
#define LIST(f, item)                                                          \
    text_name(t, #f);                                                          \
    text_expect(t, "[");                                                       \
    m->f.n = 0;                                                                \
    {                                                                          \
        struct P_(item) *items = text_room(t, TEXT_ITEMS_MAX * sizeof *items); \
        m->f.items = items;                                                    \
        while (!text_skip(t, "]")) {                                           \
            text_skip(t, ",");                                                 \
            text_expect(t, "{");                                               \
            assert_true(m->f.n < TEXT_ITEMS_MAX);                              \
            READER_(item)(t, &items[m->f.n++]);                                \
            text_expect(t, "}");                                               \
        }                                                                      \
    }
#define READER_HEAD_(name)                                                 \
    static void READER_(name)(struct text_reader * t, struct P_(name) * m) \
    {                                                                      \
        uint64_t number = 0;                                               \
        struct bytes run = {NULL, 0};                                      \
        (void)number;                                                      \
        (void)run;
#define ITEM(name)                           READER_HEAD_(name)
#define END_ITEM(name)                       }
#define MESSAGE(NAME, name, type, direction) READER_HEAD_(name)
#define END_MESSAGE(NAME, name)              }
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

/* --- struct to text ------------------------------------------------------------------------- */

#define FIELD_(f)         \
    if (w->len > start)   \
        text_put(w, " "); \
    text_put(w, #f "=");
#define VALUE_(f) \
    FIELD_(f)     \
    text_put_number(w, m->f);
#define U8(f)       VALUE_(f)
#define U16(f)      VALUE_(f)
#define U32(f)      VALUE_(f)
#define U64(f)      VALUE_(f)
#define ENUM8(f, e) VALUE_(f)
#define FIXED(f, n) \
    FIELD_(f)       \
    text_put_hex(w, (struct bytes){m->f, n});
#define STR(f) \
    FIELD_(f)  \
    text_put_string(w, m->f);
#define BLOB(f) \
    FIELD_(f)   \
    text_put_hex(w, m->f);
#define REST(f) BLOB(f)
#define LIST(f, item)                                        \
    FIELD_(f)                                                \
    text_put(w, "[");                                        \
    {                                                        \
        struct rbuf r;                                       \
        rbuf_init(&r, m->f.wire.p, m->f.wire.len);           \
        for (uint16_t i = 0; i < m->f.n; i++) {              \
            struct P_(item) one;                             \
            TABLE_JOIN(TABLE_PREFIX, read_##item)(&r, &one); \
            text_put(w, i > 0 ? ",{" : "{");                 \
            WRITER_(item)(w, &one);                          \
            text_put(w, "}");                                \
        }                                                    \
        assert_true(rbuf_done(&r));                          \
    }                                                        \
    text_put(w, "]");
#define WRITER_HEAD_(name)                                                \
    static void WRITER_(name)(struct wbuf * w, const struct P_(name) * m) \
    {                                                                     \
        size_t start = w->len;
#define ITEM(name)                           WRITER_HEAD_(name)
#define END_ITEM(name)                       }
#define MESSAGE(NAME, name, type, direction) WRITER_HEAD_(name)
#define END_MESSAGE(NAME, name)              }
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

/* --- the array ------------------------------------------------------------------------------ */

#define MESSAGE(NAME, name, type, direction)                               \
    static enum err TO_TEXT_(name)(struct bytes body, struct wbuf * text)  \
    {                                                                      \
        struct P_(name) m;                                                 \
        enum err e = TABLE_JOIN(TABLE_PREFIX, decode_##name)(body, &m);    \
        if (e == ERR_OK)                                                   \
            WRITER_(name)(text, &m);                                       \
        return e;                                                          \
    }                                                                      \
    static void TO_BODY_(name)(struct text_reader * t, struct wbuf * body) \
    {                                                                      \
        struct P_(name) m;                                                 \
        READER_(name)(t, &m);                                              \
        TABLE_JOIN(TABLE_PREFIX, encode_##name)(body, &m);                 \
    }
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

static const struct message_codec codecs[] = {
#define MESSAGE(NAME, name, type, direction) \
    {                                        \
#NAME, type, false
#define REST(f) || true
#define END_MESSAGE(NAME, name)      \
    , TO_TEXT_(name), TO_BODY_(name) \
    }                                \
    ,
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"
};

#define N_CODECS (sizeof codecs / sizeof codecs[0])

#undef P_
