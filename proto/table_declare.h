/* Declares enums, structs and codecs for the table TABLE (a header name) under the prefix
 * TABLE_PREFIX, for example `struct viewer_welcome` and viewer_decode_welcome().
 *
 * decode: reads a whole body into *m; every borrowed run (STR, BLOB, REST, LIST) points into the
 * body. ERR_MALFORMED when a length passes the end, bytes are left over, an enum is out of range or
 * a string is not UTF-8; *m is then not to be used.
 * encode: appends the body to w, which turns bad when it does not fit. A LIST is written from
 * `items`, an array of n structs that the caller owns.
 * read: takes the next item out of the `wire` bytes of a decoded LIST, n times. */

#define P_(a) TABLE_JOIN(TABLE_PREFIX, a)

#define ENUM(name)             enum P_(name) {
#define VALUE(PREFIX, NAME, v) PREFIX##_##NAME = v,
#define END_ENUM(name, max)    };
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

#define ITEM(name)                           struct P_(name) {
#define END_ITEM(name)                       };
#define MESSAGE(NAME, name, type, direction) struct P_(name) {
#define END_MESSAGE(NAME, name)              };
#define U8(f)                                uint8_t f;
#define U16(f)                               uint16_t f;
#define U32(f)                               uint32_t f;
#define U64(f)                               uint64_t f;
#define ENUM8(f, e)                          uint8_t f;
#define FIXED(f, n)                          uint8_t f[n];
#define STR(f)                               struct bytes f;
#define BLOB(f)                              struct bytes f;
#define REST(f)                              struct bytes f;
#define LIST(f, item)                                                                              \
    struct {                                                                                       \
        uint16_t n;                                                                                \
        const struct P_(item) * items;                                                             \
        struct bytes wire;                                                                         \
    } f;
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

#define ITEM(name)                                                                                 \
    void TABLE_JOIN(TABLE_PREFIX, read_##name)(struct rbuf * r, struct P_(name) * m);
#define MESSAGE(NAME, name, type, direction)                                                       \
    enum err TABLE_JOIN(TABLE_PREFIX, decode_##name)(struct bytes body, struct P_(name) * m);      \
    void TABLE_JOIN(TABLE_PREFIX, encode_##name)(struct wbuf * w, const struct P_(name) * m);
#include "proto/table_begin.h"
#include TABLE
#include "proto/table_end.h"

#undef P_
