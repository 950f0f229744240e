/* The record layer (docs/protocol.md, section 4): every message after the handshake.
 *
 *     plaintext = u8 type and more || u16 length || body || zeros        3 to 65,519 bytes
 *     record    = AES-256-GCM(plaintext) || tag                          at most 65,535 bytes
 *
 * Counters are implicit, so a record that was dropped, repeated, reordered or changed does not
 * open, and after one that does not, none does. Each direction rekeys after its records 65,535,
 * 131,071, …. Nothing is allocated per record, and both ways work in place. */
#ifndef VITRINE_CRYPTO_RECORD_H
#define VITRINE_CRYPTO_RECORD_H

#include "crypto/noise.h"
#include "proto/buf.h"
#include "proto/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX_BYTES       ((size_t)65535) /* of a sealed record */
#define RECORD_TAG_BYTES       ((size_t)16)
#define RECORD_PLAIN_MAX_BYTES (RECORD_MAX_BYTES - RECORD_TAG_BYTES)
#define RECORD_HEAD_BYTES      ((size_t)3) /* type and length, in front of the body */
#define RECORD_BODY_MAX_BYTES  (RECORD_PLAIN_MAX_BYTES - RECORD_HEAD_BYTES)
#define RECORD_MORE            0x80 /* bit of the type byte: the message goes on */
#define RECORD_PAD_BYTES       ((size_t)64)
#define RECORD_PAD_BODY_MAX    ((size_t)256) /* a daemon's longer bodies are not padded */
#define RECORD_REKEY_RECORDS   65536u

/* Who this side is: it decides what is padded. */
enum record_side { RECORD_DAEMON, RECORD_VIEWER };

/* Both directions of one connection; lives in guarded memory. */
struct record;

/* A message part as it stands in the opened record; body lives as long as the buffer it was in. */
struct record_part {
    uint8_t type; /* without RECORD_MORE */
    bool more;
    struct bytes body;
};

/* Takes the keys of a finished handshake; the responder is the daemon. The caller destroys *out,
 * which is NULL after an error: ERR_STATE (not finished, or split before) or ERR_MEMORY. */
enum err record_create(struct record **out, struct noise *hs);
/* The same from two 32-byte keys, which the caller keeps and wipes. */
enum err record_create_keys(struct record **out, enum record_side side,
                            const uint8_t send[static NOISE_KEY_BYTES],
                            const uint8_t receive[static NOISE_KEY_BYTES]);
/* Wipes and frees; NULL is fine. */
void record_destroy(struct record *r);

/* Bytes a sealed record with that body has on this side, or 0 when the body is too long for one. */
size_t record_sealed_bytes(const struct record *r, size_t body_bytes);

/* Seals in place: the body already stands at buf + RECORD_HEAD_BYTES, cap is all of buf. Writes
 * head, padding and tag around it; *len is the record's size, record_sealed_bytes(). ERR_RANGE
 * (type above 127 or body too long), ERR_SPACE, ERR_EXHAUSTED (counter at its end), ERR_STATE (a
 * rekey failed). */
enum err record_seal(struct record *r, uint8_t type, bool more, uint8_t *buf, size_t cap,
                     size_t body_bytes, size_t *len);

/* The same for a body that stands elsewhere, in count pieces: copies them into buf first. */
enum err record_seal_pieces(struct record *r, uint8_t type, bool more, const struct bytes *pieces,
                            size_t count, uint8_t *buf, size_t cap, size_t *len);

/* Opens a record in place: part->body points into buf. ERR_AUTH when it does not verify,
 * ERR_MALFORMED when the length is impossible or anything but zeros follows the body,
 * ERR_EXHAUSTED. After any of these buf is wiped, the receiving key is gone, and every later call
 * returns ERR_STATE. */
enum err record_open(struct record *r, uint8_t *buf, size_t len, struct record_part *part);

#ifdef VITRINE_TEST
/* Sets the number of the next record sent and received, without rekeying on the way. */
void record_test_number(struct record *r, uint64_t send, uint64_t receive);
#endif

#endif
