/* Ends one reading of a message table: forgets the row macros. See proto/table_begin.h. */
#undef ENUM
#undef VALUE
#undef END_ENUM
#undef ITEM
#undef END_ITEM
#undef MESSAGE
#undef END_MESSAGE
#undef U8
#undef U16
#undef U32
#undef U64
#undef ENUM8
#undef FIXED
#undef STR
#undef BLOB
#undef LIST
#undef REST
