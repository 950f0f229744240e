/* The gate mux in C, made from proto/mux.def: frame headers, messages and their limits. */
#ifndef VITRINE_PROTO_MUX_MSG_H
#define VITRINE_PROTO_MUX_MSG_H

#include "proto/buf.h"
#include "proto/err.h"

#define TABLE        "proto/mux.def"
#define TABLE_PREFIX mux
#include "proto/table_declare.h"
#undef TABLE
#undef TABLE_PREFIX

#define MESSAGE(NAME, name, type, direction) MUX_MSG_##NAME = type,
enum mux_message_type {
#include "proto/table_begin.h"
#include "proto/mux.def"
#include "proto/table_end.h"
};

#define MUX_VERSION           2
#define MUX_HEADER_BYTES      9
#define MUX_BODY_MAX_BYTES    65535
#define MUX_CREDIT_BYTES      (128u << 10) /* per channel and direction, before the first CREDIT */
#define MUX_FRAME_MAX_BYTES   (MUX_HEADER_BYTES + MUX_BODY_MAX_BYTES)
#define MUX_CREDIT_STEP_BYTES (16u << 10) /* credit owed above this is given back at once */
#define MUX_SMALL_BYTES       1024        /* a channel with less queued goes first */
#define MUX_LISTENERS_MAX     4           /* descriptors that travel with CONFIG */
#define MUX_DAEMON_FD         3           /* the gate's end of the socketpair, inherited */

struct mux_header {
    uint32_t length; /* of the body */
    uint8_t type;
    uint32_t channel;
};

/* Reads a header from the first MUX_HEADER_BYTES of n bytes at p. ERR_TRUNCATED when there are
 * fewer, ERR_MALFORMED for an unknown type or a body above MUX_BODY_MAX_BYTES. */
enum err mux_read_header(const uint8_t *p, size_t n, struct mux_header *h);
/* Writes h as MUX_HEADER_BYTES bytes to out. */
void mux_write_header(uint8_t out[MUX_HEADER_BYTES], const struct mux_header *h);

#endif
