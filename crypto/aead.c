/* Two backends behind one small table: native (libsodium on AES instructions) and portable
 * (mbedTLS). Each knows how to expand, seal, open and clear; everything else (nonce, lengths,
 * state) is decided once above them. */
#include "crypto/aead.h"

#include "crypto/secret.h"

#include <string.h>

#include <mbedtls/gcm.h>
#include <sodium.h>

#define NONCE_BYTES 12

struct backend {
    const char *name;
    bool (*available)(void);
    enum err (*init)(void *state, const uint8_t *bytes);
    void (*clear)(void *state);
    enum err (*seal)(void *state, const uint8_t *nonce, struct bytes ad, struct bytes plain,
                     uint8_t *out);
    enum err (*open)(void *state, const uint8_t *nonce, struct bytes ad, struct bytes sealed,
                     uint8_t *out);
};

/* --- libsodium ------------------------------------------------------------------------------ */

_Static_assert(AEAD_STATE_BYTES >= sizeof(crypto_aead_aes256gcm_state), "room for libsodium's key");
_Static_assert(AEAD_KEY_BYTES == crypto_aead_aes256gcm_KEYBYTES, "key size");
_Static_assert(AEAD_TAG_BYTES == crypto_aead_aes256gcm_ABYTES, "tag size");
_Static_assert(NONCE_BYTES == crypto_aead_aes256gcm_NPUBBYTES, "nonce size");

static bool native_available(void)
{
    return crypto_aead_aes256gcm_is_available() == 1;
}

static enum err native_key_init(void *state, const uint8_t *bytes)
{
    return crypto_aead_aes256gcm_beforenm(state, bytes) == 0 ? ERR_OK : ERR_UNSUPPORTED;
}

static void native_key_clear(void *state)
{
    secret_wipe(state, AEAD_STATE_BYTES);
}

static enum err native_seal(void *state, const uint8_t *nonce, struct bytes ad, struct bytes plain,
                            uint8_t *out)
{
    int failed = crypto_aead_aes256gcm_encrypt_detached_afternm(
        out, out + plain.len, NULL, plain.p, plain.len, ad.p, ad.len, NULL, nonce, state);
    return failed == 0 ? ERR_OK : ERR_RANGE;
}

static enum err native_open(void *state, const uint8_t *nonce, struct bytes ad, struct bytes sealed,
                            uint8_t *out)
{
    size_t n = sealed.len - AEAD_TAG_BYTES;
    int failed = crypto_aead_aes256gcm_decrypt_detached_afternm(
        out, NULL, sealed.p, n, sealed.p + n, ad.p, ad.len, nonce, state);
    return failed == 0 ? ERR_OK : ERR_AUTH;
}

/* --- mbedTLS -------------------------------------------------------------------------------- */

_Static_assert(AEAD_STATE_BYTES >= sizeof(mbedtls_gcm_context), "room for mbedTLS's context");

static bool portable_available(void)
{
    return true;
}

static enum err portable_key_init(void *state, const uint8_t *bytes)
{
    mbedtls_gcm_init(state);
    if (mbedtls_gcm_setkey(state, MBEDTLS_CIPHER_ID_AES, bytes, AEAD_KEY_BYTES * 8) == 0)
        return ERR_OK;
    mbedtls_gcm_free(state);
    return ERR_MEMORY;
}

static void portable_key_clear(void *state)
{
    mbedtls_gcm_free(state);
    secret_wipe(state, AEAD_STATE_BYTES);
}

static enum err portable_seal(void *state, const uint8_t *nonce, struct bytes ad,
                              struct bytes plain, uint8_t *out)
{
    int failed =
        mbedtls_gcm_crypt_and_tag(state, MBEDTLS_GCM_ENCRYPT, plain.len, nonce, NONCE_BYTES, ad.p,
                                  ad.len, plain.p, out, AEAD_TAG_BYTES, out + plain.len);
    return failed == 0 ? ERR_OK : ERR_RANGE;
}

static enum err portable_open(void *state, const uint8_t *nonce, struct bytes ad,
                              struct bytes sealed, uint8_t *out)
{
    size_t n = sealed.len - AEAD_TAG_BYTES;
    int failed = mbedtls_gcm_auth_decrypt(state, n, nonce, NONCE_BYTES, ad.p, ad.len, sealed.p + n,
                                          AEAD_TAG_BYTES, sealed.p, out);
    return failed == 0 ? ERR_OK : ERR_AUTH;
}

/* --- both ----------------------------------------------------------------------------------- */

static const struct backend backends[] = {
    [AEAD_SODIUM] = {"libsodium (AES instructions)", native_available, native_key_init,
                     native_key_clear, native_seal, native_open},
    [AEAD_MBEDTLS] = {"mbedTLS", portable_available, portable_key_init, portable_key_clear,
                      portable_seal, portable_open},
};

static enum aead_backend chosen;
static bool is_chosen;

enum aead_backend aead_backend(void)
{
    if (!is_chosen)
        (void)aead_choose(native_available() ? AEAD_SODIUM : AEAD_MBEDTLS);
    return chosen;
}

const char *aead_backend_name(enum aead_backend backend)
{
    return backends[backend].name;
}

enum err aead_choose(enum aead_backend backend)
{
    if (!backends[backend].available())
        return ERR_UNSUPPORTED;
    chosen = backend;
    is_chosen = true;
    return ERR_OK;
}

enum err aead_key_init(struct aead_key *key, const uint8_t bytes[static AEAD_KEY_BYTES])
{
    enum aead_backend backend = aead_backend();
    enum err e = backends[backend].init(key->state, bytes);
    if (e != ERR_OK) {
        secret_wipe(key, sizeof *key);
        return e;
    }
    key->backend = backend;
    key->ready = true;
    return ERR_OK;
}

void aead_key_clear(struct aead_key *key)
{
    if (key->ready)
        backends[key->backend].clear(key->state);
    secret_wipe(key, sizeof *key);
}

/* An empty run may have no address, which neither library nor memcpy() is asked to take. */
static struct bytes addressed(struct bytes b)
{
    static const uint8_t nothing[1];
    return b.len > 0 ? b : (struct bytes){nothing, 0};
}

static enum err seal_with(const struct aead_key *key, const uint8_t *nonce, struct bytes ad,
                          struct bytes plain, uint8_t *out)
{
    if (!key->ready)
        return ERR_STATE;
    /* Sealing changes no key, but both libraries take their states without const. */
    return backends[key->backend].seal((void *)key->state, nonce, addressed(ad), addressed(plain),
                                       out);
}

static enum err open_with(const struct aead_key *key, const uint8_t *nonce, struct bytes ad,
                          struct bytes sealed, uint8_t *out)
{
    uint8_t unused[1];
    if (!key->ready)
        return ERR_STATE;
    if (sealed.len < AEAD_TAG_BYTES)
        return ERR_AUTH;
    size_t n = sealed.len - AEAD_TAG_BYTES;
    enum err e = backends[key->backend].open((void *)key->state, nonce, addressed(ad), sealed,
                                             n > 0 ? out : unused);
    if (e != ERR_OK)
        secret_wipe(out, n);
    return e;
}

static void counter_nonce(uint64_t counter, uint8_t nonce[static NONCE_BYTES])
{
    struct wbuf w;
    wbuf_init(&w, nonce, NONCE_BYTES);
    wbuf_u32(&w, 0);
    wbuf_u64(&w, counter);
}

enum err aead_seal(const struct aead_key *key, uint64_t counter, struct bytes ad,
                   struct bytes plain, uint8_t *out)
{
    uint8_t nonce[NONCE_BYTES];
    counter_nonce(counter, nonce);
    return seal_with(key, nonce, ad, plain, out);
}

enum err aead_open(const struct aead_key *key, uint64_t counter, struct bytes ad,
                   struct bytes sealed, uint8_t *out)
{
    uint8_t nonce[NONCE_BYTES];
    counter_nonce(counter, nonce);
    return open_with(key, nonce, ad, sealed, out);
}

#ifdef VITRINE_TEST
enum err aead_test_seal(const struct aead_key *key, const uint8_t nonce[static NONCE_BYTES],
                        struct bytes ad, struct bytes plain, uint8_t *out)
{
    return seal_with(key, nonce, ad, plain, out);
}

enum err aead_test_open(const struct aead_key *key, const uint8_t nonce[static NONCE_BYTES],
                        struct bytes ad, struct bytes sealed, uint8_t *out)
{
    return open_with(key, nonce, ad, sealed, out);
}
#endif
