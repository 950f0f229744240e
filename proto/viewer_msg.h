/* The viewer protocol's messages in C, made from proto/viewer.def (docs/protocol.md §5), and the
 * sizes of the handshake around them (§3). What decode, encode and read do: proto/table_declare.h. */
#ifndef VITRINE_PROTO_VIEWER_MSG_H
#define VITRINE_PROTO_VIEWER_MSG_H

#include "proto/buf.h"
#include "proto/err.h"

#define TABLE        "proto/viewer.def"
#define TABLE_PREFIX viewer
#include "proto/table_declare.h"
#undef TABLE
#undef TABLE_PREFIX

#define MESSAGE(NAME, name, type, direction) VIEWER_MSG_##NAME = type,
enum viewer_message_type {
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
};

#define VIEWER_TYPE_MORE 0x80 /* bit 7 of a record's type: the message goes on (§4) */

#define VIEWER_LINK_ID_BYTES      16
#define VIEWER_RESUME_TOKEN_BYTES 16
#define VIEWER_HANDSHAKE_1        0x01 /* first byte of the viewer's handshake message */
#define VIEWER_HANDSHAKE_2        0x02 /* first byte of the daemon's */
#define VIEWER_HANDSHAKE_1_BYTES  69   /* 1 + link id 16 + e 32 + payload 4 + tag 16 */
#define VIEWER_HANDSHAKE_2_BYTES  54   /* 1 + e 32 + payload 5 + tag 16 */
#define VIEWER_RECORD_MAX_BYTES   65535
#define VIEWER_PLAIN_MAX_BYTES    65519
#define VIEWER_BODY_MAX_BYTES     65516        /* plaintext less type and length */
#define VIEWER_MESSAGE_MAX_BYTES  (4u << 20)   /* whole continued message */
#define VIEWER_UP_MAX_BYTES       (32u << 10)  /* viewer's message after WELCOME */
#define VIEWER_UP_EARLY_MAX_BYTES 1024         /* and before it */

#define VIEWER_VIEW_FOLLOW 0xffffffffu /* VIEW: the session's current window, whichever that is */

/* Name of a message type ("WELCOME"), or NULL for an unknown one; static. */
const char *viewer_message_name(uint8_t type);
/* True for a type that a viewer may send at all. */
bool viewer_message_is_up(uint8_t type);
/* True for the daemon's types whose bodies may span records (§4). */
bool viewer_message_continues(uint8_t type);

#endif
