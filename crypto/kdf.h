/* SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869) over it.
 *
 * Inputs are borrowed for the call; outputs are the caller's. Each returns ERR_OK, or ERR_MEMORY
 * when the library could not allocate its working memory, and then the output is zeroed. */
#ifndef VITRINE_CRYPTO_KDF_H
#define VITRINE_CRYPTO_KDF_H

#include "proto/buf.h"
#include "proto/err.h"

#include <stddef.h>
#include <stdint.h>

#define KDF_HASH_BYTES ((size_t)32)
#define KDF_OUT_MAX    (255 * KDF_HASH_BYTES) /* most that HKDF-Expand gives (RFC 5869, 2.3) */

/* SHA-256 of a || b; either may be empty. */
enum err kdf_hash(struct bytes a, struct bytes b, uint8_t out[static KDF_HASH_BYTES]);

/* HMAC-SHA256(key, data). */
enum err kdf_hmac(struct bytes key, struct bytes data, uint8_t out[static KDF_HASH_BYTES]);

/* HKDF-Extract: PRK from salt (may be empty) and input key material (RFC 5869, 2.2). */
enum err kdf_extract(struct bytes salt, struct bytes ikm, uint8_t prk[static KDF_HASH_BYTES]);

/* HKDF-Expand: n bytes, at most KDF_OUT_MAX, from PRK and info (RFC 5869, 2.3). More: ERR_RANGE. */
enum err kdf_expand(const uint8_t prk[static KDF_HASH_BYTES], struct bytes info, uint8_t *out,
                    size_t n);

/* Both in one: HKDF(salt, ikm, info, n) of docs/protocol.md. */
enum err kdf_derive(struct bytes salt, struct bytes ikm, struct bytes info, uint8_t *out, size_t n);

#endif
