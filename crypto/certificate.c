#include "proto/compat.h"

#include "crypto/certificate.h"

#include <arpa/inet.h>
#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crypto/kdf.h"
#include "crypto/secret.h"

#define SERIAL_BYTES    16
#define TIME_BYTES      16 /* YYYYMMDDhhmmss and NUL */
#define ALT_NAMES_BYTES 2048
#define NAME_BYTES_MAX  100 /* one length byte in DER */

/* Tags of GeneralName (RFC 5280 4.2.1.6), context-specific. */
#define TAG_DNS 0x82
#define TAG_IP  0x87

/* mbedTLS asks for randomness through such a function. */
static int draw(void *ctx, unsigned char *out, size_t n)
{
    (void)ctx;
    secret_random(out, n);
    return 0;
}

static void format_time(int64_t s, char out[TIME_BYTES])
{
    time_t t = (time_t)s;
    struct tm tm;

    gmtime_r(&t, &tm);
    strftime(out, TIME_BYTES, "%Y%m%d%H%M%S", &tm);
}

/* --- names ---------------------------------------------------------------------------------- */

static bool is_host_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    size_t n = strlen(name);

    return n > 0 && n <= NAME_BYTES_MAX && strspn(name, letters) == n && name[0] != '.' &&
           name[0] != '-';
}

/* Appends one GeneralName; nothing for what is neither an address nor a name. */
static void put_name(struct wbuf *w, const char *name)
{
    uint8_t address[16];

    if (inet_pton(AF_INET, name, address) == 1) {
        wbuf_u8(w, TAG_IP);
        wbuf_u8(w, 4);
        wbuf_put(w, address, 4);
    } else if (inet_pton(AF_INET6, name, address) == 1) {
        wbuf_u8(w, TAG_IP);
        wbuf_u8(w, 16);
        wbuf_put(w, address, 16);
    } else if (is_host_name(name)) {
        wbuf_u8(w, TAG_DNS);
        wbuf_u8(w, (uint8_t)strlen(name));
        wbuf_put(w, name, strlen(name));
    }
}

/* SubjectAltName: a SEQUENCE (0x30) of names, its length in two bytes. */
static enum err set_names(mbedtls_x509write_cert *crt, const char *const *names, size_t n)
{
    uint8_t der[4 + ALT_NAMES_BYTES];
    struct wbuf w;

    wbuf_init(&w, der + 4, ALT_NAMES_BYTES);
    for (size_t i = 0; i < n && i < CERTIFICATE_NAMES_MAX; i++)
        put_name(&w, names[i]);
    if (w.bad || w.len == 0)
        return ERR_RANGE;
    der[0] = 0x30;
    der[1] = 0x82;
    der[2] = (uint8_t)(w.len >> 8);
    der[3] = (uint8_t)w.len;
    return mbedtls_x509write_crt_set_extension(crt, MBEDTLS_OID_SUBJECT_ALT_NAME,
                                               MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0,
                                               der, 4 + w.len) == 0
               ? ERR_OK
               : ERR_MEMORY;
}

/* --- making --------------------------------------------------------------------------------- */

static int set_serial(mbedtls_x509write_cert *crt)
{
    uint8_t serial[SERIAL_BYTES];
    int e;

    secret_random(serial, sizeof serial);
    serial[0] = (serial[0] & 0x7f) | 0x40; /* positive, and of full length (RFC 5280 4.1.2.2) */
#if MBEDTLS_VERSION_NUMBER >= 0x03040000
    e = mbedtls_x509write_crt_set_serial_raw(crt, serial, sizeof serial);
#else
    mbedtls_mpi number;

    mbedtls_mpi_init(&number);
    e = mbedtls_mpi_read_binary(&number, serial, sizeof serial);
    if (e == 0)
        e = mbedtls_x509write_crt_set_serial(crt, &number);
    mbedtls_mpi_free(&number);
#endif
    return e;
}

/* extendedKeyUsage: serverAuth only. */
static int set_purpose(mbedtls_x509write_cert *crt)
{
    static const uint8_t server_auth[] = {0x30, 0x0a, 0x06, 0x08, 0x2b, 0x06,
                                          0x01, 0x05, 0x05, 0x07, 0x03, 0x01};

    return mbedtls_x509write_crt_set_extension(crt, MBEDTLS_OID_EXTENDED_KEY_USAGE,
                                               MBEDTLS_OID_SIZE(MBEDTLS_OID_EXTENDED_KEY_USAGE), 0,
                                               server_auth, sizeof server_auth);
}

static int fill(mbedtls_x509write_cert *crt, mbedtls_pk_context *key, int64_t from_s,
                int64_t until_s)
{
    char from[TIME_BYTES], until[TIME_BYTES];
    int e;

    format_time(from_s, from);
    format_time(until_s, until);
    mbedtls_x509write_crt_set_version(crt, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(crt, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(crt, key);
    mbedtls_x509write_crt_set_issuer_key(crt, key);
    e = mbedtls_x509write_crt_set_subject_name(crt, "CN=Vitrine");
    if (e == 0)
        e = mbedtls_x509write_crt_set_issuer_name(crt, "CN=Vitrine");
    if (e == 0)
        e = mbedtls_x509write_crt_set_validity(crt, from, until);
    if (e == 0)
        e = set_serial(crt);
    if (e == 0)
        e = mbedtls_x509write_crt_set_basic_constraints(crt, 0, -1);
    if (e == 0)
        e = mbedtls_x509write_crt_set_key_usage(crt, MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
    return e == 0 ? set_purpose(crt) : e;
}

static int make_key(mbedtls_pk_context *key)
{
    int e = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));

    return e == 0 ? mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), draw, NULL)
                  : e;
}

enum err certificate_make(const char *const *names, size_t n_names, int64_t from_s, int64_t until_s,
                          char chain[static CERTIFICATE_CHAIN_BYTES],
                          char key[static CERTIFICATE_KEY_BYTES])
{
    mbedtls_x509write_cert crt;
    mbedtls_pk_context pk;
    enum err e = ERR_SYSTEM;

    mbedtls_x509write_crt_init(&crt);
    mbedtls_pk_init(&pk);
    if (make_key(&pk) == 0 && fill(&crt, &pk, from_s, until_s) == 0)
        e = set_names(&crt, names, n_names);
    if (e == ERR_OK &&
        (mbedtls_x509write_crt_pem(&crt, (unsigned char *)chain, CERTIFICATE_CHAIN_BYTES, draw,
                                   NULL) != 0 ||
         mbedtls_pk_write_key_pem(&pk, (unsigned char *)key, CERTIFICATE_KEY_BYTES) != 0))
        e = ERR_SYSTEM;
    if (e != ERR_OK) {
        secret_wipe(key, CERTIFICATE_KEY_BYTES);
        chain[0] = '\0';
    }
    mbedtls_x509write_crt_free(&crt);
    mbedtls_pk_free(&pk); /* wipes */
    return e;
}

/* --- reading -------------------------------------------------------------------------------- */

static int64_t seconds_of(const mbedtls_x509_time *t)
{
    struct tm tm = {.tm_year = t->year - 1900,
                    .tm_mon = t->mon - 1,
                    .tm_mday = t->day,
                    .tm_hour = t->hour,
                    .tm_min = t->min,
                    .tm_sec = t->sec};

    return timegm(&tm);
}

enum err certificate_read(struct bytes pem, int64_t *until_s,
                          uint8_t fingerprint[static CERTIFICATE_FINGERPRINT_BYTES])
{
    unsigned char *text = malloc(pem.len + 1); /* the library wants a NUL, counted in the length */
    mbedtls_x509_crt crt;
    enum err e = ERR_MALFORMED;

    if (!text)
        return ERR_MEMORY;
    memcpy(text, pem.p, pem.len);
    text[pem.len] = '\0';
    mbedtls_x509_crt_init(&crt);
    if (mbedtls_x509_crt_parse(&crt, text, pem.len + 1) >= 0 && crt.raw.len > 0) {
        *until_s = seconds_of(&crt.valid_to);
        e = kdf_hash((struct bytes){crt.raw.p, crt.raw.len}, bytes_of(""), fingerprint);
    }
    mbedtls_x509_crt_free(&crt);
    free(text);
    return e;
}
