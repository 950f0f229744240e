/* WebSocket frames (RFC 6455 5), the server's side, no extension: bytes from the peer in, whole
 * binary messages and control frames out.
 *
 *   header 2..14 bytes --> payload, unmasked while it is copied --> next header
 *
 * Refused at the frame header, before anything is stored: frames that are not masked, reserved bits
 * and opcodes, text, control frames that are fragmented or above 125 bytes, messages above the
 * limit, continuation without a beginning, and more than WS_FRAGMENTS_MAX fragments. No input or
 * output; one message buffer per connection and only while a message is incomplete. */
#ifndef VITRINE_SERVER_GATE_WS_H
#define VITRINE_SERVER_GATE_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "server/gate/message.h"

#define WS_FRAGMENTS_MAX     1024
#define WS_CONTROL_MAX_BYTES 125
#define WS_HEADER_MAX_BYTES  14
#define WS_REASON_MAX_BYTES  123
#define WS_ACCEPT_BYTES      28 /* base64 of a SHA-1 */

enum ws_opcode {
    WS_CONTINUATION = 0,
    WS_TEXT = 1,
    WS_BINARY = 2,
    WS_CLOSE = 8,
    WS_PING = 9,
    WS_PONG = 10
};

struct ws_parser {
    struct message *data;    /* the message so far, or NULL */
    struct message *control; /* the control frame so far, or NULL */
    uint64_t left;           /* payload bytes of this frame still to come */
    uint32_t limit;          /* of a message */
    uint16_t fragments;
    uint8_t header[WS_HEADER_MAX_BYTES];
    uint8_t have; /* bytes of the header so far */
    uint8_t mask[4];
    uint8_t mask_at;
    uint8_t opcode;
    bool final, in_payload;
};

/* What the parser hands on; each returns 0 to go on, or a close code that ends the connection. */
struct ws_sink {
    /* A whole binary message: m->start, m->len. The receiver owns m. */
    int (*on_message)(void *ctx, struct message *m);
    /* A ping, whose payload is to be sent back; borrowed for the call. */
    int (*on_ping)(void *ctx, struct bytes payload);
    /* The peer closes with this code (GATE_CLOSE_NO_STATUS when it gave none) and reason, which is
     * UTF-8 and borrowed. Nothing follows. */
    int (*on_close)(void *ctx, uint16_t code, struct bytes reason);
};

void ws_parser_init(struct ws_parser *p, uint32_t limit);
void ws_parser_clear(struct ws_parser *p);
/* Takes n bytes from the peer. Returns 0, or the close code for the peer: GATE_CLOSE_PROTOCOL,
 * GATE_CLOSE_NOT_BINARY, GATE_CLOSE_TOO_BIG, what the sink returned. The parser is not to be fed
 * again then. */
int ws_parser_feed(struct ws_parser *p, const uint8_t *in, size_t n, const struct ws_sink *sink,
                   void *ctx);

/* Puts a server's frame header (final, not masked) in front of m's bytes. */
void ws_frame_message(struct message *m, enum ws_opcode opcode);
/* Returns a close frame, or NULL when memory is out. The reason is cut at WS_REASON_MAX_BYTES on a
 * character's end; a code that must not be sent gives an empty frame. */
struct message *ws_create_close(uint16_t code, struct bytes reason);

/* RFC 6455 4.2.1: the key is base64 of 16 bytes. */
bool ws_key_is_valid(struct bytes key);
/* Sec-WebSocket-Accept for a valid key, RFC 6455 4.2.2. */
void ws_accept_key(struct bytes key, char out[WS_ACCEPT_BYTES + 1]);

#endif
