/* HKDF as RFC 5869 writes it, on mbedTLS's SHA-256 and HMAC.
 *
 * The only failures the library can have here are of allocation; an unusable result is zeroed so
 * that a caller that forgets to look cannot go on with bytes that stood there before. */
#include "crypto/kdf.h"

#include "crypto/secret.h"

#include <string.h>

#include <mbedtls/md.h>
#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

/* The one place that knows two releases of mbedTLS: 2.28 (Debian 12) marks functions that return an
 * error by a suffix, 3.6 (Debian 13) has only those and no suffix. */
#if MBEDTLS_VERSION_NUMBER < 0x03000000
#define sha256_starts mbedtls_sha256_starts_ret
#define sha256_update mbedtls_sha256_update_ret
#define sha256_finish mbedtls_sha256_finish_ret
#else
#define sha256_starts mbedtls_sha256_starts
#define sha256_update mbedtls_sha256_update
#define sha256_finish mbedtls_sha256_finish
#endif

enum err kdf_hash(struct bytes a, struct bytes b, uint8_t out[static KDF_HASH_BYTES])
{
    mbedtls_sha256_context sha;
    enum err e = ERR_MEMORY;
    mbedtls_sha256_init(&sha);
    if (sha256_starts(&sha, 0) == 0 && sha256_update(&sha, a.p, a.len) == 0 &&
        sha256_update(&sha, b.p, b.len) == 0 && sha256_finish(&sha, out) == 0)
        e = ERR_OK;
    mbedtls_sha256_free(&sha);
    if (e != ERR_OK)
        secret_wipe(out, KDF_HASH_BYTES);
    return e;
}

/* HMAC(key, a || b || c): the three parts are what one round of HKDF-Expand hashes. */
static enum err hmac(struct bytes key, struct bytes a, struct bytes b, struct bytes c,
                     uint8_t out[static KDF_HASH_BYTES])
{
    mbedtls_md_context_t md;
    enum err e = ERR_MEMORY;
    mbedtls_md_init(&md);
    if (mbedtls_md_setup(&md, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1) == 0 &&
        mbedtls_md_hmac_starts(&md, key.p, key.len) == 0 &&
        mbedtls_md_hmac_update(&md, a.p, a.len) == 0 &&
        mbedtls_md_hmac_update(&md, b.p, b.len) == 0 &&
        mbedtls_md_hmac_update(&md, c.p, c.len) == 0 && mbedtls_md_hmac_finish(&md, out) == 0)
        e = ERR_OK;
    mbedtls_md_free(&md);
    if (e != ERR_OK)
        secret_wipe(out, KDF_HASH_BYTES);
    return e;
}

static const struct bytes none = {(const uint8_t *)"", 0};

enum err kdf_hmac(struct bytes key, struct bytes data, uint8_t out[static KDF_HASH_BYTES])
{
    return hmac(key, data, none, none, out);
}

enum err kdf_extract(struct bytes salt, struct bytes ikm, uint8_t prk[static KDF_HASH_BYTES])
{
    /* An empty salt means HASH_BYTES zeros, which is what HMAC makes of an empty key anyway. */
    return hmac(salt, ikm, none, none, prk);
}

enum err kdf_expand(const uint8_t prk[static KDF_HASH_BYTES], struct bytes info, uint8_t *out,
                    size_t n)
{
    uint8_t block[KDF_HASH_BYTES];
    struct bytes key = {prk, KDF_HASH_BYTES};
    struct bytes last = none; /* T(0) is empty */
    enum err e = ERR_OK;
    if (n > KDF_OUT_MAX)
        return ERR_RANGE;
    uint8_t round = 0;
    for (size_t done = 0; done < n; done += KDF_HASH_BYTES) {
        round++;
        e = hmac(key, last, info, (struct bytes){&round, 1}, block); /* T(i) */
        if (e != ERR_OK)
            break;
        memcpy(out + done, block, n - done < KDF_HASH_BYTES ? n - done : KDF_HASH_BYTES);
        last = (struct bytes){block, KDF_HASH_BYTES};
    }
    secret_wipe(block, sizeof block);
    if (e != ERR_OK)
        secret_wipe(out, n);
    return e;
}

enum err kdf_derive(struct bytes salt, struct bytes ikm, struct bytes info, uint8_t *out, size_t n)
{
    uint8_t prk[KDF_HASH_BYTES];
    enum err e = kdf_extract(salt, ikm, prk);
    if (e == ERR_OK)
        e = kdf_expand(prk, info, out, n);
    else
        secret_wipe(out, n);
    secret_wipe(prk, sizeof prk);
    return e;
}
