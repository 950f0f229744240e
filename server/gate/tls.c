#include "server/gate/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/gate/message.h"

/* For TLS 1.2; 1.3 has only such suites. */
#define SUITES_1_2      "ECDHE+AESGCM:ECDHE+CHACHA20"
#define OUT_FIRST_BYTES (TLS_RECORD_BYTES + 512)

struct tls {
    SSL *ssl;
    const uint8_t *in; /* ciphertext that is being handed in */
    size_t in_len;
    struct message *out; /* ciphertext that is to be sent; NULL when there is none */
    bool broken;
};

static BIO_METHOD *method;

/* --- between the library and its connection --------------------------------------------------- */

static int bio_read(BIO *b, char *out, int want)
{
    struct tls *t = BIO_get_data(b);
    size_t n = want > 0 && (size_t)want < t->in_len ? (size_t)want : t->in_len;

    BIO_clear_retry_flags(b);
    if (n == 0) {
        BIO_set_retry_read(b);
        return -1;
    }
    memcpy(out, t->in, n);
    t->in += n;
    t->in_len -= n;
    return (int)n;
}

/* What of m went out already and still takes room. */
static size_t sent_bytes(const struct message *m)
{
    return (size_t)(m->start - (m->data + MESSAGE_FRONT_BYTES));
}

/* A message is at most 128 KiB: a peer that has us answer without reading is cut off there. */
static int bio_write(BIO *b, const char *p, int n)
{
    struct tls *t = BIO_get_data(b);
    struct message *m = t->out;

    BIO_clear_retry_flags(b);
    if (n <= 0)
        return 0;
    if (m == NULL)
        m = message_create(OUT_FIRST_BYTES > (size_t)n ? OUT_FIRST_BYTES : (size_t)n);
    else
        m = message_grow(m, sent_bytes(m) + m->len + (size_t)n);
    if (m == NULL)
        return -1;
    memcpy(m->start + m->len, p, (size_t)n);
    m->len += (uint32_t)n;
    t->out = m;
    return n;
}

static long bio_ctrl(BIO *b, int command, long argument, void *pointer)
{
    (void)b;
    (void)argument;
    (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

bool tls_init(void)
{
    if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL) != 1)
        return false;
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
    return method != NULL && BIO_meth_set_read(method, bio_read) == 1 &&
           BIO_meth_set_write(method, bio_write) == 1 && BIO_meth_set_ctrl(method, bio_ctrl) == 1;
}

/* --- certificates ----------------------------------------------------------------------------- */

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *in, unsigned int in_len, void *arg)
{
    static const unsigned char ours[] = "\x08http/1.1";

    (void)ssl;
    (void)arg;
    if (SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_len, ours, sizeof ours - 1, in,
                              in_len) == OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_OK;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* A key that is sealed with a passphrase is refused: nobody is there to type one. */
static int no_passphrase(char *out, int size, int writing, void *arg)
{
    (void)out;
    (void)size;
    (void)writing;
    (void)arg;
    return -1;
}

static bool use_key(SSL_CTX *ctx, struct bytes pem)
{
    BIO *b = BIO_new_mem_buf(pem.p, (int)pem.len);
    EVP_PKEY *key = b != NULL ? PEM_read_bio_PrivateKey(b, NULL, no_passphrase, NULL) : NULL;
    bool ok = key != NULL && SSL_CTX_use_PrivateKey(ctx, key) == 1;

    EVP_PKEY_free(key);
    BIO_free(b);
    return ok;
}

static bool use_chain(SSL_CTX *ctx, struct bytes pem)
{
    BIO *b = BIO_new_mem_buf(pem.p, (int)pem.len);
    X509 *own = b != NULL ? PEM_read_bio_X509(b, NULL, no_passphrase, NULL) : NULL;
    bool ok = own != NULL && SSL_CTX_use_certificate(ctx, own) == 1;
    X509 *above;

    X509_free(own);
    while (ok && (above = PEM_read_bio_X509(b, NULL, no_passphrase, NULL)) != NULL) {
        ok = SSL_CTX_add0_chain_cert(ctx, above) == 1; /* the context owns it, if it took it */
        if (!ok)
            X509_free(above);
    }
    BIO_free(b);
    return ok;
}

static bool set_rules(SSL_CTX *ctx)
{
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
    return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(ctx, SUITES_1_2) == 1;
}

struct tls_context *tls_context_create(struct bytes chain, struct bytes key,
                                       char why[TLS_REASON_BYTES])
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    const char *fault = NULL;

    if (ctx == NULL || !set_rules(ctx))
        fault = "the TLS library cannot be used";
    else if (!use_chain(ctx, chain))
        fault = "no usable certificate in PEM form";
    else if (!use_key(ctx, key))
        fault = "no usable private key in PEM form without a passphrase, or not the certificate's";
    ERR_clear_error();
    if (fault == NULL)
        return (struct tls_context *)ctx;
    snprintf(why, TLS_REASON_BYTES, "%s", fault);
    SSL_CTX_free(ctx);
    return NULL;
}

void tls_context_destroy(struct tls_context *c)
{
    SSL_CTX_free((SSL_CTX *)c);
}

/* --- connections ------------------------------------------------------------------------------ */

struct tls *tls_create(struct tls_context *c)
{
    struct tls *t = calloc(1, sizeof *t);
    BIO *b = t != NULL ? BIO_new(method) : NULL;

    if (b != NULL)
        t->ssl = SSL_new((SSL_CTX *)c);
    if (b == NULL || t->ssl == NULL) {
        BIO_free(b);
        free(t);
        return NULL;
    }
    BIO_set_data(b, t);
    BIO_set_init(b, 1);
    SSL_set_bio(t->ssl, b, b);
    SSL_set_accept_state(t->ssl);
    return t;
}

void tls_destroy(struct tls *t)
{
    if (t == NULL)
        return;
    SSL_free(t->ssl);
    message_destroy(t->out);
    free(t);
}

/* What went wrong stays here: the library's list of errors is one per thread, not per connection.
 */
static bool has_failed(struct tls *t, int result)
{
    int e = SSL_get_error(t->ssl, result);

    ERR_clear_error();
    t->broken = t->broken || e == SSL_ERROR_SSL || e == SSL_ERROR_SYSCALL;
    return t->broken;
}

long tls_open(struct tls *t, const uint8_t *p, size_t n, const uint8_t **plain)
{
    static uint8_t buffer[TLS_PLAIN_BYTES_MAX];
    size_t len = 0;
    int got = 1;

    t->in = p;
    t->in_len = n;
    *plain = buffer;
    while (got > 0 && len < sizeof buffer) {
        got = SSL_read(t->ssl, buffer + len, (int)(sizeof buffer - len));
        if (got > 0)
            len += (size_t)got;
    }
    t->in = NULL;
    t->in_len = 0;
    if (got <= 0 && has_failed(t, got) && len == 0)
        return -1;
    return (long)len;
}

long tls_seal(struct tls *t, const uint8_t *p, size_t n)
{
    int taken;

    if (t->broken)
        return -1;
    if (n == 0 || !SSL_is_init_finished(t->ssl))
        return 0;
    taken = SSL_write(t->ssl, p, (int)(n < TLS_RECORD_BYTES ? n : TLS_RECORD_BYTES));
    if (taken > 0)
        return taken;
    has_failed(t, taken);
    t->broken = true; /* our side always takes what is written: it can only be memory */
    return -1;
}

void tls_end(struct tls *t)
{
    if (!t->broken && SSL_is_init_finished(t->ssl))
        SSL_shutdown(t->ssl);
    ERR_clear_error();
}

struct bytes tls_pending(const struct tls *t)
{
    if (t->out == NULL)
        return bytes_of("");
    return (struct bytes){t->out->start, t->out->len};
}

void tls_consume(struct tls *t, size_t n)
{
    if (t->out == NULL)
        return;
    t->out->start += n;
    t->out->len -= (uint32_t)n;
    if (t->out->len > 0)
        return;
    message_destroy(t->out);
    t->out = NULL;
}
