/* SHA-256, HMAC and HKDF against their published known answers, and their limits. */
#include "crypto/kdf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/vectors.h"

static void test_hash_known_answers(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "sha256.txt");
    for (; vectors_next(&v); tried++) {
        struct bytes data = vectors_get(&v, "data");
        /* Every place to cut the input in two gives the same hash. */
        for (size_t cut = 0; cut <= data.len; cut++) {
            uint8_t out[KDF_HASH_BYTES];
            struct bytes a = {data.p, cut};
            struct bytes b = {data.p + cut, data.len - cut};
            assert_int_equal(kdf_hash(a, b, out), ERR_OK);
            assert_bytes(out, sizeof out, vectors_get(&v, "hash"));
        }
    }
    vectors_close(&v);
    assert_int_equal(tried, 3);
}

static void test_hmac_known_answers(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "hmac_sha256.txt");
    for (; vectors_next(&v); tried++) {
        uint8_t out[KDF_HASH_BYTES];
        assert_int_equal(kdf_hmac(vectors_get(&v, "key"), vectors_get(&v, "data"), out), ERR_OK);
        assert_bytes(out, sizeof out, vectors_get(&v, "mac"));
    }
    vectors_close(&v);
    assert_int_equal(tried, 6);
}

static void test_hkdf_known_answers(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "hkdf_sha256.txt");
    for (; vectors_next(&v); tried++) {
        struct bytes salt = vectors_get(&v, "salt");
        struct bytes ikm = vectors_get(&v, "ikm");
        struct bytes info = vectors_get(&v, "info");
        struct bytes okm = vectors_get(&v, "okm");
        uint8_t prk[KDF_HASH_BYTES];
        uint8_t out[128];
        assert_in_range(okm.len, 1, sizeof out);
        assert_int_equal(kdf_extract(salt, ikm, prk), ERR_OK);
        assert_bytes(prk, sizeof prk, vectors_get(&v, "prk"));
        assert_int_equal(kdf_expand(prk, info, out, okm.len), ERR_OK);
        assert_bytes(out, okm.len, okm);
        /* A shorter output is the beginning of the longer one, and nothing behind it is touched. */
        for (size_t n = 0; n <= okm.len; n++) {
            memset(out, 0xa5, sizeof out);
            assert_int_equal(kdf_derive(salt, ikm, info, out, n), ERR_OK);
            assert_bytes(out, n, (struct bytes){okm.p, n});
            assert_int_equal(out[n], 0xa5);
        }
    }
    vectors_close(&v);
    assert_int_equal(tried, 3);
}

static void test_hkdf_limits(void **state)
{
    uint8_t prk[KDF_HASH_BYTES] = {1};
    uint8_t *out = malloc(KDF_OUT_MAX);
    (void)state;
    assert_non_null(out);
    assert_int_equal(kdf_expand(prk, bytes_of("x"), out, KDF_OUT_MAX), ERR_OK);
    assert_int_equal(kdf_expand(prk, bytes_of("x"), out, KDF_OUT_MAX + 1), ERR_RANGE);
    free(out);
}

/* An empty salt, no salt and a salt of 32 zeros are the same (RFC 5869, 2.2). */
static void test_empty_inputs(void **state)
{
    static const uint8_t zeros[KDF_HASH_BYTES];
    const struct bytes nothing = {NULL, 0};
    uint8_t a[40], b[40], c[40];
    (void)state;
    assert_int_equal(kdf_derive(nothing, bytes_of("ikm"), nothing, a, sizeof a), ERR_OK);
    assert_int_equal(kdf_derive(bytes_of(""), bytes_of("ikm"), bytes_of(""), b, sizeof b), ERR_OK);
    assert_int_equal(
        kdf_derive((struct bytes){zeros, sizeof zeros}, bytes_of("ikm"), nothing, c, sizeof c),
        ERR_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a, c, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_known_answers), cmocka_unit_test(test_hmac_known_answers),
        cmocka_unit_test(test_hkdf_known_answers), cmocka_unit_test(test_hkdf_limits),
        cmocka_unit_test(test_empty_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
