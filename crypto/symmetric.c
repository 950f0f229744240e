/* Section 5.2 of the Noise specification, function by function. Noise's HKDF (section 4.3) is RFC
 * 5869's with an empty info, so kdf_derive() does it. Each key of a handshake seals one message, so
 * it is expanded when used and wiped again. */
#include "crypto/symmetric.h"

#include "crypto/aead.h"
#include "crypto/kdf.h"
#include "crypto/secret.h"

#include <string.h>

_Static_assert(SYMMETRIC_HASH_BYTES == KDF_HASH_BYTES, "HASHLEN");
_Static_assert(SYMMETRIC_KEY_BYTES == AEAD_KEY_BYTES, "cipher key");

static const struct bytes none = {(const uint8_t *)"", 0};

static struct bytes hash_of(const struct symmetric *s)
{
    return (struct bytes){s->h, sizeof s->h};
}

enum err symmetric_init(struct symmetric *s, struct bytes protocol_name)
{
    enum err e = ERR_OK;
    memset(s, 0, sizeof *s);
    if (protocol_name.len <= sizeof s->h)
        memcpy(s->h, protocol_name.p, protocol_name.len);
    else
        e = kdf_hash(protocol_name, none, s->h);
    memcpy(s->ck, s->h, sizeof s->ck);
    return e;
}

enum err symmetric_mix_hash(struct symmetric *s, struct bytes data)
{
    return kdf_hash(hash_of(s), data, s->h);
}

/* HKDF(ck, input, outputs) with the new ck in out's first 32 bytes. */
static enum err next_keys(const struct symmetric *s, struct bytes input, uint8_t *out, size_t n)
{
    return kdf_derive((struct bytes){s->ck, sizeof s->ck}, input, none, out, n);
}

static void set_keys(struct symmetric *s, const uint8_t *ck, const uint8_t *k)
{
    memcpy(s->ck, ck, sizeof s->ck);
    memcpy(s->k, k, sizeof s->k);
    s->n = 0;
    s->has_key = true;
}

enum err symmetric_mix_key(struct symmetric *s, struct bytes input)
{
    uint8_t out[2 * SYMMETRIC_HASH_BYTES];
    enum err e = next_keys(s, input, out, sizeof out);
    if (e == ERR_OK)
        set_keys(s, out, out + SYMMETRIC_HASH_BYTES);
    secret_wipe(out, sizeof out);
    return e;
}

enum err symmetric_mix_key_and_hash(struct symmetric *s, struct bytes input)
{
    uint8_t out[3 * SYMMETRIC_HASH_BYTES];
    enum err e = next_keys(s, input, out, sizeof out);
    if (e == ERR_OK)
        e = symmetric_mix_hash(s, (struct bytes){out + SYMMETRIC_HASH_BYTES, SYMMETRIC_HASH_BYTES});
    if (e == ERR_OK)
        set_keys(s, out, out + 2 * SYMMETRIC_HASH_BYTES);
    secret_wipe(out, sizeof out);
    return e;
}

size_t symmetric_overhead(const struct symmetric *s)
{
    return s->has_key ? AEAD_TAG_BYTES : 0;
}

enum err symmetric_encrypt_and_hash(struct symmetric *s, struct bytes plain, uint8_t *out)
{
    struct aead_key key = {.ready = false};
    enum err e = ERR_OK;
    size_t n = plain.len + symmetric_overhead(s);
    if (s->has_key) {
        e = aead_key_init(&key, s->k);
        if (e == ERR_OK)
            e = aead_seal(&key, s->n++, hash_of(s), plain, out);
        aead_key_clear(&key);
    } else if (plain.len > 0) {
        memmove(out, plain.p, plain.len);
    }
    if (e == ERR_OK)
        e = symmetric_mix_hash(s, (struct bytes){out, n});
    return e;
}

enum err symmetric_decrypt_and_hash(struct symmetric *s, struct bytes sealed, uint8_t *out)
{
    struct aead_key key = {.ready = false};
    uint8_t hash_with[SYMMETRIC_HASH_BYTES];
    /* The hash takes the ciphertext, which opening in place would overwrite: compute it first. */
    enum err e = kdf_hash(hash_of(s), sealed, hash_with);
    if (e == ERR_OK && s->has_key) {
        e = aead_key_init(&key, s->k);
        if (e == ERR_OK)
            e = aead_open(&key, s->n++, hash_of(s), sealed, out);
        aead_key_clear(&key);
    } else if (e == ERR_OK && sealed.len > 0) {
        memmove(out, sealed.p, sealed.len);
    }
    if (e == ERR_OK)
        memcpy(s->h, hash_with, sizeof s->h);
    return e;
}

enum err symmetric_split(const struct symmetric *s, uint8_t first[static SYMMETRIC_KEY_BYTES],
                         uint8_t second[static SYMMETRIC_KEY_BYTES])
{
    uint8_t out[2 * SYMMETRIC_KEY_BYTES];
    enum err e = next_keys(s, none, out, sizeof out);
    memcpy(first, out, SYMMETRIC_KEY_BYTES);
    memcpy(second, out + SYMMETRIC_KEY_BYTES, SYMMETRIC_KEY_BYTES);
    secret_wipe(out, sizeof out);
    return e;
}
