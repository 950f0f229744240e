/* The local socket's messages in C, made from proto/ipc.def, and the socket's limits. */
#ifndef VITRINE_PROTO_IPC_MSG_H
#define VITRINE_PROTO_IPC_MSG_H

#include "proto/buf.h"
#include "proto/err.h"

#define TABLE        "proto/ipc.def"
#define TABLE_PREFIX ipc
#include "proto/table_declare.h"
#undef TABLE
#undef TABLE_PREFIX

#define MESSAGE(NAME, name, type, direction) IPC_MSG_##NAME = type,
enum ipc_message_type {
#include "proto/table_begin.h"
#include "proto/ipc.def"
#include "proto/table_end.h"
};

#define IPC_MAGIC           0x5654524e /* "VTRN" */
#define IPC_VERSION         2
#define IPC_VERSION_OLDEST  1 /* that a daemon still answers: 2 only added messages */
#define IPC_HEADER_BYTES    5
#define IPC_BODY_MAX_BYTES  (1u << 20)
#define IPC_ARGV_MAX        1024
#define IPC_DATA_MAX_BYTES  (16u << 10) /* of one KEYS, OUTPUT, DRAW, INPUT, DATA */
#define IPC_LINES_MAX       65536       /* answered to one CELLS */
#define IPC_HISTORY_BYTES   (4u << 20)  /* of scrollback answered to one CELLS */
#define IPC_LINKS_MAX_BYTES (1u << 20)  /* of LINKs answered to one CELLS */
#define IPC_SUBSCRIPTIONS   1024        /* of one connection */
#define IPC_NEXT_PANE       0xffffffffu /* SUBSCRIBE: the next one a COMMAND makes */
#define IPC_NOW             UINT64_MAX  /* SUBSCRIBE: from here on; CELLS: the top row */
/* CELLS: n lines above the top row */
#define IPC_BEFORE_TOP(n) (UINT64_MAX - (n))
#define IPC_SOCKET_NAME   "default" /* of the socket in the runtime directory */

struct ipc_header {
    uint32_t length; /* of the body */
    uint8_t type;
};

/* Reads a header from the first IPC_HEADER_BYTES of n bytes at p. ERR_TRUNCATED when there are
 * fewer, ERR_MALFORMED for an unknown type or a body above IPC_BODY_MAX_BYTES. */
enum err ipc_read_header(const uint8_t *p, size_t n, struct ipc_header *h);
/* Reserves a header in w; the body follows. Returns a mark for ipc_end_frame(). */
size_t ipc_begin_frame(struct wbuf *w, enum ipc_message_type type);
/* Fills in the length of the frame begun at mark. */
void ipc_end_frame(struct wbuf *w, size_t mark);

#endif
