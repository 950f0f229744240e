/* Four one-line derivations; each has its own label, so that none gives another away. */
#include "crypto/link_keys.h"

#include "crypto/kdf.h"
#include "crypto/secret.h"

#include <string.h>

#define SAS_BITS      11
#define SAS_BYTES     8
#define SAS_LEFT_BITS (SAS_BYTES * 8 - LINK_SAS_WORDS * SAS_BITS)

static enum err derive(const uint8_t secret[static 32], const char *label, uint8_t *out, size_t n)
{
    return kdf_derive(bytes_of(""), (struct bytes){secret, 32}, bytes_of(label), out, n);
}

enum err link_keys_psk(const uint8_t secret[static LINK_SECRET_BYTES],
                       uint8_t psk[static LINK_PSK_BYTES])
{
    return derive(secret, "vitrine v1 psk", psk, LINK_PSK_BYTES);
}

enum err link_keys_id(const uint8_t secret[static LINK_SECRET_BYTES],
                      uint8_t id[static LINK_ID_BYTES])
{
    return derive(secret, "vitrine v1 link id", id, LINK_ID_BYTES);
}

void link_keys_prologue(const uint8_t id[static LINK_ID_BYTES],
                        uint8_t prologue[static LINK_PROLOGUE_BYTES])
{
    static const char label[] = "vitrine/1";
    _Static_assert(sizeof label - 1 + LINK_ID_BYTES == LINK_PROLOGUE_BYTES, "prologue");
    memcpy(prologue, label, sizeof label - 1);
    memcpy(prologue + sizeof label - 1, id, LINK_ID_BYTES);
}

enum err link_keys_route(const uint8_t daemon_public[static 32],
                         uint8_t route[static LINK_ROUTE_BYTES])
{
    uint8_t hash[KDF_HASH_BYTES];
    enum err e = kdf_hash(bytes_of("vitrine v1 route"), (struct bytes){daemon_public, 32}, hash);
    memcpy(route, hash, LINK_ROUTE_BYTES);
    return e;
}

enum err link_keys_sas(const uint8_t handshake_hash[static 32],
                       uint16_t words[static LINK_SAS_WORDS])
{
    uint8_t out[SAS_BYTES];
    struct rbuf r;
    enum err e = derive(handshake_hash, "vitrine v1 sas", out, sizeof out);
    rbuf_init(&r, out, sizeof out);
    uint64_t bits = rbuf_u64(&r) >> SAS_LEFT_BITS;
    for (int i = LINK_SAS_WORDS - 1; i >= 0; i--) {
        words[i] = (uint16_t)(bits & (LINK_SAS_LIST_WORDS - 1));
        bits >>= SAS_BITS;
    }
    secret_wipe(out, sizeof out);
    return e;
}
