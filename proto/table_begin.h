/* Helpers for files that read a message table (proto/viewer.def, ipc.def, mux.def) with macros of
 * their own. Include it, define the row macros you need on top, include the table, then include
 * proto/table_end.h. Rows you do not define vanish. No include guard: made to be read many times. */

#ifndef TABLE_JOIN
#define TABLE_JOIN_(a, b) a##_##b
#define TABLE_JOIN(a, b)  TABLE_JOIN_(a, b)
#endif
#ifndef ENUM
#define ENUM(name)
#endif
#ifndef VALUE
#define VALUE(PREFIX, NAME, v)
#endif
#ifndef END_ENUM
#define END_ENUM(name, max)
#endif
#ifndef ITEM
#define ITEM(name)
#endif
#ifndef END_ITEM
#define END_ITEM(name)
#endif
#ifndef MESSAGE
#define MESSAGE(NAME, name, type, direction)
#endif
#ifndef END_MESSAGE
#define END_MESSAGE(NAME, name)
#endif
#ifndef U8
#define U8(f)
#endif
#ifndef U16
#define U16(f)
#endif
#ifndef U32
#define U32(f)
#endif
#ifndef U64
#define U64(f)
#endif
#ifndef ENUM8
#define ENUM8(f, e)
#endif
#ifndef FIXED
#define FIXED(f, n)
#endif
#ifndef STR
#define STR(f)
#endif
#ifndef BLOB
#define BLOB(f)
#endif
#ifndef LIST
#define LIST(f, item)
#endif
#ifndef REST
#define REST(f)
#endif
