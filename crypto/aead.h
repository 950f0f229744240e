/* AES-256-GCM with Noise's nonce layout (Noise revision 34, section 12.4): 4 zero bytes and the
 * big-endian 64-bit counter. Tags are 16 bytes and stand behind the ciphertext.
 *
 * Two backends give the same bytes: libsodium, with the key expanded once, where the processor has
 * AES instructions; mbedTLS elsewhere. The first key made picks the backend for the process. */
#ifndef VITRINE_CRYPTO_AEAD_H
#define VITRINE_CRYPTO_AEAD_H

#include "proto/buf.h"
#include "proto/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AEAD_KEY_BYTES   ((size_t)32)
#define AEAD_TAG_BYTES   ((size_t)16)
#define AEAD_STATE_BYTES 512

enum aead_backend { AEAD_SODIUM, AEAD_MBEDTLS };

/* An expanded key. Embedded by its user, in guarded memory, and never copied: a backend may keep
 * pointers in it. All zeros is a cleared key. (mbedTLS keeps its key schedule on the heap and wipes
 * it when cleared; libsodium's stands in here.) */
struct aead_key {
    _Alignas(16) uint8_t state[AEAD_STATE_BYTES];
    enum aead_backend backend;
    bool ready;
};

/* The backend new keys get: chosen at the first call, after secret_init(). */
enum aead_backend aead_backend(void);
/* "libsodium (AES instructions)" or "mbedTLS"; static. */
const char *aead_backend_name(enum aead_backend backend);
/* Makes new keys use backend; keys that exist keep theirs. ERR_UNSUPPORTED when this machine
 * cannot. */
enum err aead_choose(enum aead_backend backend);

/* Expands bytes into key, which must be cleared. ERR_MEMORY leaves it cleared. */
enum err aead_key_init(struct aead_key *key, const uint8_t bytes[static AEAD_KEY_BYTES]);
/* Wipes key; fine on a cleared one. */
void aead_key_clear(struct aead_key *key);

/* Seals plain under counter: writes plain.len + AEAD_TAG_BYTES bytes to out, which may be plain.p
 * itself but not overlap it otherwise. ad is authenticated, not sent; may be empty.
 * ERR_STATE when key is cleared. The caller must never use a counter twice with one key. */
enum err aead_seal(const struct aead_key *key, uint64_t counter, struct bytes ad,
                   struct bytes plain, uint8_t *out);

/* Opens sealed (ciphertext and tag): writes sealed.len - AEAD_TAG_BYTES bytes to out, which may be
 * sealed.p itself. ERR_AUTH when it does not verify or is shorter than a tag; then out holds
 * nothing of the plaintext. ERR_STATE when key is cleared. */
enum err aead_open(const struct aead_key *key, uint64_t counter, struct bytes ad,
                   struct bytes sealed, uint8_t *out);

#ifdef VITRINE_TEST
/* aead_seal() and aead_open() with a whole nonce, for known answers whose nonces are not counters.
 */
enum err aead_test_seal(const struct aead_key *key, const uint8_t nonce[static 12], struct bytes ad,
                        struct bytes plain, uint8_t *out);
enum err aead_test_open(const struct aead_key *key, const uint8_t nonce[static 12], struct bytes ad,
                        struct bytes sealed, uint8_t *out);
#endif

#endif
