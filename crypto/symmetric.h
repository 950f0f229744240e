/* Noise's SymmetricState (revision 34, section 5.2) for AESGCM and SHA256: the running hash of all
 * that was said and the key that follows from all that was agreed. Used by handshakes only.
 *
 * A plain struct so that a handshake can work on a copy; it holds secrets and lives in guarded
 * memory. Every function returns ERR_OK or what it names; after an error the state is unusable. */
#ifndef VITRINE_CRYPTO_SYMMETRIC_H
#define VITRINE_CRYPTO_SYMMETRIC_H

#include "proto/buf.h"
#include "proto/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMMETRIC_HASH_BYTES ((size_t)32)
#define SYMMETRIC_KEY_BYTES  ((size_t)32)

struct symmetric {
    uint8_t ck[SYMMETRIC_HASH_BYTES]; /* chaining key */
    uint8_t h[SYMMETRIC_HASH_BYTES];  /* transcript hash */
    uint8_t k[SYMMETRIC_KEY_BYTES];   /* cipher key, once has_key */
    uint64_t n;
    bool has_key;
};

/* InitializeSymmetric(protocol_name). */
enum err symmetric_init(struct symmetric *s, struct bytes protocol_name);
/* MixHash(data): h = HASH(h || data). */
enum err symmetric_mix_hash(struct symmetric *s, struct bytes data);
/* MixKey(input): ck, k = HKDF(ck, input, 2); n = 0. */
enum err symmetric_mix_key(struct symmetric *s, struct bytes input);
/* MixKeyAndHash(input): ck, temp_h, k = HKDF(ck, input, 3); MixHash(temp_h); n = 0. */
enum err symmetric_mix_key_and_hash(struct symmetric *s, struct bytes input);
/* EncryptAndHash(plain) to out: plain.len bytes and a tag once there is a key, else plain itself.
 */
enum err symmetric_encrypt_and_hash(struct symmetric *s, struct bytes plain, uint8_t *out);
/* DecryptAndHash(sealed) to out; ERR_AUTH when it does not verify. Without a key it copies. */
enum err symmetric_decrypt_and_hash(struct symmetric *s, struct bytes sealed, uint8_t *out);
/* Bytes that encrypting adds now: the tag, or 0 without a key. */
size_t symmetric_overhead(const struct symmetric *s);
/* Split(): the initiator's sending key, then the responder's. */
enum err symmetric_split(const struct symmetric *s, uint8_t first[static SYMMETRIC_KEY_BYTES],
                         uint8_t second[static SYMMETRIC_KEY_BYTES]);

#endif
