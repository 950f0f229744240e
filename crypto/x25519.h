/* X25519 (RFC 7748) with the zero check its section 6.1 allows and this protocol demands.
 *
 * Public values are 32 bytes as they stand on the wire; secrets are any 32 bytes, clamped on use.
 */
#ifndef VITRINE_CRYPTO_X25519_H
#define VITRINE_CRYPTO_X25519_H

#include "proto/err.h"

#include <stddef.h>
#include <stdint.h>

#define X25519_BYTES ((size_t)32)

/* Makes a new pair from secret_random(). The secret is the caller's to wipe. */
enum err x25519_keypair(uint8_t secret[static X25519_BYTES], uint8_t public[static X25519_BYTES]);

/* The public value that belongs to secret: X25519(secret, 9). */
enum err x25519_public(const uint8_t secret[static X25519_BYTES],
                       uint8_t public[static X25519_BYTES]);

/* shared = X25519(secret, public). ERR_AUTH, and zeros, when public has small order, that is when
 * the result would be all zeros whatever the secret. Tested in constant time on the result. */
enum err x25519_shared(const uint8_t secret[static X25519_BYTES],
                       const uint8_t public[static X25519_BYTES],
                       uint8_t shared[static X25519_BYTES]);

#endif
