/* The handshake: Noise_NKpsk0_25519_AESGCM_SHA256, revision 34 (docs/protocol.md, section 3).
 *
 *     <- s
 *     ...
 *     -> psk, e, es      viewer, the initiator: knows the daemon's static key and the link's psk
 *     <- e, ee           daemon, the responder: looks psk up by link id before it reads message 1
 *
 *     create ─► write_1 ─► read_2 ─► split      initiator
 *     create ─► read_1 ─► write_2 ─► split      responder
 *
 * A step that fails changes nothing: it works on a copy and commits once, after its last check. All
 * of a handshake's state lies in guarded memory and is wiped as soon as it has done its part. */
#ifndef VITRINE_CRYPTO_NOISE_H
#define VITRINE_CRYPTO_NOISE_H

#include "proto/buf.h"
#include "proto/err.h"

#include <stddef.h>
#include <stdint.h>

#define NOISE_KEY_BYTES     ((size_t)32)
#define NOISE_HASH_BYTES    ((size_t)32)
#define NOISE_MESSAGE_MAX   ((size_t)65535)
#define NOISE_OVERHEAD      ((size_t)48) /* of both messages: e 32, tag 16 */
#define NOISE_SUITE_CLASSIC 0x01         /* first byte of a link: docs/protocol.md, section 1 */

enum noise_role { NOISE_INITIATOR, NOISE_RESPONDER };

/* What both sides must agree on. All of it is borrowed for noise_create() only. */
struct noise_setup {
    uint8_t suite;                /* NOISE_SUITE_CLASSIC */
    struct bytes prologue;        /* "vitrine/1" || link_id: link_keys_prologue() */
    const uint8_t *static_public; /* 32 bytes: the daemon's public key */
    const uint8_t *static_secret; /* 32 bytes: its secret; responder only, else NULL */
    const uint8_t *psk;           /* 32 bytes: link_keys_psk() */
};

struct noise;

/* Starts a handshake in *out, which the caller destroys. ERR_UNSUPPORTED for another suite,
 * ERR_MEMORY, or ERR_STATE when a responder has no secret. *out is NULL after an error. */
enum err noise_create(struct noise **out, enum noise_role role, const struct noise_setup *setup);
/* Wipes and frees; NULL is fine. */
void noise_destroy(struct noise *hs);

/* Message 1, "psk, e, es" and payload, to out: payload.len + NOISE_OVERHEAD bytes, *len of them.
 * ephemeral is the 32-byte secret of e, or NULL for a fresh one; only tests pass one.
 * ERR_SPACE, ERR_RANGE (payload too long), ERR_STATE (not now), ERR_AUTH (static key of small
 * order). */
enum err noise_initiator_write_1(struct noise *hs, const uint8_t *ephemeral, struct bytes payload,
                                 uint8_t *out, size_t cap, size_t *len);

/* Reads message 1 and its payload, message.len - NOISE_OVERHEAD bytes, into payload. ERR_AUTH when
 * psk, static key, prologue or any bit differs, or e has small order; ERR_MALFORMED when the length
 * is impossible; ERR_SPACE; ERR_STATE. */
enum err noise_responder_read_1(struct noise *hs, struct bytes message, uint8_t *payload,
                                size_t cap, size_t *len);

/* Message 2, "e, ee" and payload. As noise_initiator_write_1(). */
enum err noise_responder_write_2(struct noise *hs, const uint8_t *ephemeral, struct bytes payload,
                                 uint8_t *out, size_t cap, size_t *len);

/* Reads message 2. As noise_responder_read_1(). */
enum err noise_initiator_read_2(struct noise *hs, struct bytes message, uint8_t *payload,
                                size_t cap, size_t *len);

/* Split(): this side's sending and receiving key, into guarded memory of the caller's. Once, after
 * message 2; ERR_STATE otherwise. */
enum err noise_split(struct noise *hs, uint8_t send[static NOISE_KEY_BYTES],
                     uint8_t receive[static NOISE_KEY_BYTES]);

/* The handshake hash h, for the check words; public, and the same on both sides. After message 2,
 * also after the split; ERR_STATE before. */
enum err noise_handshake_hash(const struct noise *hs, uint8_t hash[static NOISE_HASH_BYTES]);

enum noise_role noise_role(const struct noise *hs);

/* The ephemeral e that stands in either message, 32 bytes inside it, or NULL when it is too short
 * to be one. Needs no handshake: the daemon's replay check comes before any computation. */
const uint8_t *noise_message_ephemeral(struct bytes message);

#endif
