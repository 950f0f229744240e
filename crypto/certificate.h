/* Self-signed certificates for the gate's TLS (RFC 5280), with mbedTLS's X.509 code: version 3,
 * ECDSA on P-256 with SHA-256, for servers only, valid for names and addresses. And what a PEM file
 * says of itself. */
#ifndef VITRINE_CRYPTO_CERTIFICATE_H
#define VITRINE_CRYPTO_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"

#define CERTIFICATE_CHAIN_BYTES       4096
#define CERTIFICATE_KEY_BYTES         1024
#define CERTIFICATE_NAMES_MAX         16
#define CERTIFICATE_FINGERPRINT_BYTES 32

/* Makes a key and its certificate. names: host names, or IPv4 and IPv6 addresses, as text; names
 * that cannot stand in a certificate are left out, and ERR_RANGE when none is left. Times are
 * seconds since 1970, UTC. chain and key get PEM with a final NUL; key is a secret: the caller
 * keeps it in guarded memory and wipes it. ERR_MEMORY, ERR_SYSTEM when the library fails. */
enum err certificate_make(const char *const *names, size_t n_names, int64_t from_s, int64_t until_s,
                          char chain[static CERTIFICATE_CHAIN_BYTES],
                          char key[static CERTIFICATE_KEY_BYTES]);

/* What the first certificate of a PEM text says: until when it is valid, and its fingerprint,
 * SHA-256 of its DER form. ERR_MALFORMED when there is none. */
enum err certificate_read(struct bytes pem, int64_t *until_s,
                          uint8_t fingerprint[static CERTIFICATE_FINGERPRINT_BYTES]);

#endif
