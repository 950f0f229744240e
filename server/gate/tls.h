/* TLS on the gate's connections: OpenSSL's state machine between the bytes of a socket and those of
 * HTTP or WebSocket. No input or output of its own: ciphertext is handed in and taken out.
 *
 * The library is used directly because sockets are in libwebsockets' raw role here (loop.h says
 * why), where its TLS would write past the queue that keeps the credit. TLS 1.2 with ECDHE and
 * AEAD suites, and 1.3; no renegotiation, no session cache, ALPN http/1.1 only.
 *
 * A context is one certificate with its key. Connections keep the one they began with, so that a
 * certificate can be replaced under them. */
#ifndef VITRINE_SERVER_GATE_TLS_H
#define VITRINE_SERVER_GATE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"

#define TLS_PLAIN_BYTES_MAX (64u << 10) /* what one tls_open may give */
#define TLS_RECORD_BYTES    (16u << 10) /* sealed at most by one tls_seal */
#define TLS_REASON_BYTES    160

struct tls;
struct tls_context;

/* Readies the library, which reads no configuration file. Before the sandbox. */
bool tls_init(void);

/* Takes a certificate chain (the gate's own first) and its private key, both PEM. NULL with a
 * reason for people in why when they cannot be used together. (No enum err here: its ERR_STATE is
 * a type's name in the library.) */
struct tls_context *tls_context_create(struct bytes chain, struct bytes key,
                                       char why[TLS_REASON_BYTES]);
/* NULL is fine; connections that began with it go on. */
void tls_context_destroy(struct tls_context *c);

/* A connection that awaits its ClientHello; NULL when memory is out. */
struct tls *tls_create(struct tls_context *c);
void tls_destroy(struct tls *t);

/* Takes n <= LOOP_READ_BYTES bytes of ciphertext and opens what is whole. Returns the number of
 * plain bytes, which stand in *plain until the next call for any connection; -1 when the peer broke
 * the protocol, and then what tls_pending has is the last to be sent. */
long tls_open(struct tls *t, const uint8_t *p, size_t n, const uint8_t **plain);
/* Seals up to TLS_RECORD_BYTES of n bytes. Returns how many were taken; 0 when the handshake is not
 * done yet, -1 when memory is out. */
long tls_seal(struct tls *t, const uint8_t *p, size_t n);
/* Says that we send nothing more. */
void tls_end(struct tls *t);

/* Ciphertext that is to be sent, and its sending. */
struct bytes tls_pending(const struct tls *t);
void tls_consume(struct tls *t, size_t n);

#endif
