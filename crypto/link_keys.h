/* What is derived from a link and from a handshake (docs/protocol.md, sections 1 and 3). */
#ifndef VITRINE_CRYPTO_LINK_KEYS_H
#define VITRINE_CRYPTO_LINK_KEYS_H

#include "proto/err.h"

#include <stddef.h>
#include <stdint.h>

#define LINK_SECRET_BYTES   ((size_t)32)
#define LINK_PSK_BYTES      ((size_t)32)
#define LINK_ID_BYTES       ((size_t)16)
#define LINK_ROUTE_BYTES    ((size_t)16)
#define LINK_PROLOGUE_BYTES ((size_t)(9 + 16)) /* "vitrine/1" || link_id */
#define LINK_SAS_WORDS      4
#define LINK_SAS_LIST_WORDS 2048

/* psk = HKDF("", link_secret, "vitrine v1 psk", 32): the handshake's pre-shared key. Secret. */
enum err link_keys_psk(const uint8_t secret[static LINK_SECRET_BYTES],
                       uint8_t psk[static LINK_PSK_BYTES]);

/* link_id = HKDF("", link_secret, "vitrine v1 link id", 16): public look-up handle. */
enum err link_keys_id(const uint8_t secret[static LINK_SECRET_BYTES],
                      uint8_t id[static LINK_ID_BYTES]);

/* The handshake's prologue for a link. */
void link_keys_prologue(const uint8_t id[static LINK_ID_BYTES],
                        uint8_t prologue[static LINK_PROLOGUE_BYTES]);

/* route = first 16 bytes of SHA-256("vitrine v1 route" || daemon_pk): address on a shared relay. */
enum err link_keys_route(const uint8_t daemon_public[static 32],
                         uint8_t route[static LINK_ROUTE_BYTES]);

/* sas: the four words both sides compare by voice, as numbers of 0 to 2,047 in the BIP-39 English
 * list, from the first 44 bits of HKDF("", handshake_hash, "vitrine v1 sas", 8). */
enum err link_keys_sas(const uint8_t handshake_hash[static 32],
                       uint16_t words[static LINK_SAS_WORDS]);

#endif
