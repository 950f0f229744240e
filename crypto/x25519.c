/* libsodium's X25519. It refuses the small-order points it has a list of; the check on the result
 * is ours, so that the rule does not hang on that list. */
#include "crypto/x25519.h"

#include "crypto/secret.h"

#include <sodium.h>

_Static_assert(X25519_BYTES == crypto_scalarmult_curve25519_BYTES, "size of a public value");
_Static_assert(X25519_BYTES == crypto_scalarmult_curve25519_SCALARBYTES, "size of a secret");

enum err x25519_public(const uint8_t secret[static X25519_BYTES],
                       uint8_t public[static X25519_BYTES])
{
    return crypto_scalarmult_curve25519_base(public, secret) == 0 ? ERR_OK : ERR_AUTH;
}

enum err x25519_keypair(uint8_t secret[static X25519_BYTES], uint8_t public[static X25519_BYTES])
{
    secret_random(secret, X25519_BYTES);
    return x25519_public(secret, public);
}

enum err x25519_shared(const uint8_t secret[static X25519_BYTES],
                       const uint8_t public[static X25519_BYTES],
                       uint8_t shared[static X25519_BYTES])
{
    int failed = crypto_scalarmult_curve25519(shared, secret, public);
    if (failed != 0 || secret_is_zero(shared, X25519_BYTES)) {
        secret_wipe(shared, X25519_BYTES);
        return ERR_AUTH;
    }
    return ERR_OK;
}
