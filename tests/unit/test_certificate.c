/* Self-signed certificates: what openssl-compatible readers find in them is checked where the gate
 * uses one (tests/integration); here, that they can be read again and say what was asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <mbedtls/x509_crt.h>
#include <string.h>

#include "crypto/certificate.h"
#include "crypto/secret.h"

#define DAY 86400

static char chain[CERTIFICATE_CHAIN_BYTES], key[CERTIFICATE_KEY_BYTES];

static int verify_flags(const char *name)
{
    mbedtls_x509_crt crt;
    uint32_t flags = 0;

    mbedtls_x509_crt_init(&crt);
    assert_int_equal(mbedtls_x509_crt_parse(&crt, (const unsigned char *)chain, strlen(chain) + 1),
                     0);
    mbedtls_x509_crt_verify(&crt, &crt, NULL, name, &flags, NULL, NULL);
    mbedtls_x509_crt_free(&crt);
    return (int)(flags & (MBEDTLS_X509_BADCERT_CN_MISMATCH | MBEDTLS_X509_BADCERT_NOT_TRUSTED));
}

static void says_what_was_asked_for(void **state)
{
    static const char *const names[] = {"host.example", "localhost", "127.0.0.1",
                                        "::1",          "bad name",  ""};
    int64_t now = 1800000000, until = 0;
    uint8_t print[CERTIFICATE_FINGERPRINT_BYTES], again[CERTIFICATE_FINGERPRINT_BYTES];

    (void)state;
    assert_int_equal(certificate_make(names, 6, now, now + 100 * DAY, chain, key), ERR_OK);
    assert_non_null(strstr(key, "PRIVATE KEY"));
    assert_int_equal(certificate_read(bytes_of(chain), &until, print), ERR_OK);
    assert_int_equal(until, now + 100 * DAY);
    assert_int_equal(verify_flags("host.example"), 0);
    assert_int_equal(verify_flags("localhost"), 0);
    assert_int_not_equal(verify_flags("other.example"), 0);
    assert_int_equal(certificate_make(names, 6, now, now + 100 * DAY, chain, key), ERR_OK);
    assert_int_equal(certificate_read(bytes_of(chain), &until, again), ERR_OK);
    assert_memory_not_equal(print, again, sizeof print);
}

static void needs_a_name(void **state)
{
    static const char *const names[] = {"", "no name", "-x", ".y", "a/b"};

    (void)state;
    assert_int_equal(certificate_make(names, 5, 0, DAY, chain, key), ERR_RANGE);
    assert_string_equal(chain, "");
    assert_true(secret_is_zero(key, sizeof key));
    assert_int_equal(certificate_make(names, 0, 0, DAY, chain, key), ERR_RANGE);
}

static void reads_nothing_from_garbage(void **state)
{
    static const char *const names[] = {"localhost"};
    int64_t until;
    uint8_t print[CERTIFICATE_FINGERPRINT_BYTES];

    (void)state;
    assert_int_equal(certificate_read(bytes_of(""), &until, print), ERR_MALFORMED);
    assert_int_equal(certificate_read(bytes_of("-----BEGIN CERTIFICATE-----\nxx"), &until, print),
                     ERR_MALFORMED);
    assert_int_equal(certificate_make(names, 1, 0, DAY, chain, key), ERR_OK);
    for (size_t cut = 0; cut + 30 < strlen(chain); cut += 7)
        assert_int_equal(
            certificate_read((struct bytes){(const uint8_t *)chain, cut}, &until, print),
            ERR_MALFORMED);
    assert_int_equal(certificate_read(bytes_of(key), &until, print), ERR_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_asked_for),
        cmocka_unit_test(needs_a_name),
        cmocka_unit_test(reads_nothing_from_garbage),
    };

    if (secret_init() != ERR_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
