/* AES-256-GCM: known answers on both backends, the two against each other, and every way to spoil a
 * sealed message. Every test runs once per backend that this machine has. */
#include "crypto/aead.h"

#include "crypto/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/vectors.h"

#define LARGE ((size_t)65519)

static enum aead_backend at_start;

static int setup(void **state)
{
    (void)state;
    if (secret_init() != ERR_OK)
        return -1;
    at_start = aead_backend();
    return 0;
}

static bool use(enum aead_backend backend)
{
    return aead_choose(backend) == ERR_OK;
}

static int restore(void **state)
{
    (void)state;
    return aead_choose(at_start);
}

/* Both backends must run where AES instructions are: an absent one may not pass unnoticed. */
static void test_choice(void **state)
{
    bool native = use(AEAD_SODIUM);
    (void)state;
    assert_true(use(AEAD_MBEDTLS));
    assert_int_equal(aead_backend(), AEAD_MBEDTLS);
    assert_int_equal(at_start, native ? AEAD_SODIUM : AEAD_MBEDTLS);
    assert_string_equal(aead_backend_name(AEAD_MBEDTLS), "mbedTLS");
    if (!native)
        print_message("no AES instructions: libsodium's backend was not tried\n");
}

static void check_vector(const struct vectors *v)
{
    struct bytes plain = vectors_get(v, "plaintext");
    struct bytes ad = vectors_get(v, "aad");
    const uint8_t *nonce = vectors_fixed(v, "nonce", 12);
    struct aead_key key = {.ready = false};
    uint8_t out[128];
    assert_true(plain.len + AEAD_TAG_BYTES <= sizeof out);
    assert_int_equal(aead_key_init(&key, vectors_fixed(v, "key", AEAD_KEY_BYTES)), ERR_OK);
    assert_int_equal(aead_test_seal(&key, nonce, ad, plain, out), ERR_OK);
    assert_bytes(out, plain.len, vectors_get(v, "ciphertext"));
    assert_bytes(out + plain.len, AEAD_TAG_BYTES, vectors_get(v, "tag"));
    struct bytes sealed = {out, plain.len + AEAD_TAG_BYTES};
    assert_int_equal(aead_test_open(&key, nonce, ad, sealed, out), ERR_OK);
    assert_bytes(out, plain.len, plain);
    aead_key_clear(&key);
}

static void test_known_answers(void **state)
{
    (void)state;
    for (int b = AEAD_SODIUM; b <= AEAD_MBEDTLS; b++) {
        struct vectors v;
        size_t tried = 0;
        if (!use((enum aead_backend)b))
            continue;
        vectors_open(&v, "aes256gcm.txt");
        for (; vectors_next(&v); tried++)
            check_vector(&v);
        vectors_close(&v);
        assert_int_equal(tried, 7);
    }
}

/* A counter is 4 zero bytes and 8 big-endian ones. */
static void test_nonce_layout(void **state)
{
    static const uint64_t counters[] = {0, 1, 255, 256, 0x0102030405060708, UINT64_MAX};
    uint8_t bytes[AEAD_KEY_BYTES] = {9};
    struct aead_key key = {.ready = false};
    (void)state;
    assert_int_equal(aead_key_init(&key, bytes), ERR_OK);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        uint8_t nonce[12] = {0}, a[20], b[20];
        for (int k = 0; k < 8; k++)
            nonce[4 + k] = (uint8_t)(counters[i] >> (56 - 8 * k));
        assert_int_equal(aead_seal(&key, counters[i], bytes_of(""), bytes_of("abcd"), a), ERR_OK);
        assert_int_equal(aead_test_seal(&key, nonce, bytes_of(""), bytes_of("abcd"), b), ERR_OK);
        assert_memory_equal(a, b, sizeof a);
        assert_int_equal(aead_open(&key, counters[i], bytes_of(""), (struct bytes){b, 20}, b),
                         ERR_OK);
        assert_memory_equal(b, "abcd", 4);
    }
    aead_key_clear(&key);
}

/* Same bytes from both at this length; sealed apart and in place; each opens the other's. */
static void check_equal(struct aead_key keys[2], size_t n, size_t ad_len, uint8_t *const buf[3])
{
    struct bytes plain = {buf[0], n};
    struct bytes ad = {buf[0] + 3, ad_len};
    struct bytes sealed = {buf[1], n + AEAD_TAG_BYTES};
    assert_int_equal(aead_seal(&keys[0], n, ad, plain, buf[1]), ERR_OK);
    memcpy(buf[2], plain.p, n);
    assert_int_equal(aead_seal(&keys[1], n, ad, (struct bytes){buf[2], n}, buf[2]), ERR_OK);
    assert_memory_equal(buf[1], buf[2], sealed.len);
    assert_int_equal(aead_open(&keys[1], n, ad, sealed, buf[2]), ERR_OK);
    assert_bytes(buf[2], n, plain);
    assert_int_equal(aead_open(&keys[0], n, ad, sealed, buf[1]), ERR_OK);
    assert_bytes(buf[1], n, plain);
}

static void test_backends_are_equal(void **state)
{
    uint8_t bytes[AEAD_KEY_BYTES];
    uint8_t *buf[3];
    (void)state;
    if (!use(AEAD_SODIUM)) {
        print_message("no AES instructions: there is one backend only\n");
        skip();
    }
    struct aead_key *keys = secret_alloc(2 * sizeof *keys);
    assert_non_null(keys);
    secret_random(bytes, sizeof bytes);
    assert_int_equal(aead_key_init(&keys[0], bytes), ERR_OK);
    assert_true(use(AEAD_MBEDTLS));
    assert_int_equal(aead_key_init(&keys[1], bytes), ERR_OK);
    for (size_t i = 0; i < 3; i++) {
        buf[i] = malloc(LARGE + AEAD_TAG_BYTES);
        assert_non_null(buf[i]);
    }
    secret_random(buf[0], LARGE);
    for (size_t n = 0; n <= 600; n++)
        check_equal(keys, n, n % 70, buf);
    for (size_t n = LARGE - 20; n <= LARGE; n++)
        check_equal(keys, n, 0, buf);
    for (size_t i = 0; i < 3; i++)
        free(buf[i]);
    aead_key_clear(&keys[0]);
    aead_key_clear(&keys[1]);
    secret_free(keys);
}

static void expect_refused(const struct aead_key *key, uint64_t counter, struct bytes ad,
                           const uint8_t *sealed, size_t len)
{
    uint8_t copy[64], out[64];
    memcpy(copy, sealed, len);
    memset(out, 0xee, sizeof out);
    assert_int_equal(aead_open(key, counter, ad, (struct bytes){copy, len}, out), ERR_AUTH);
    /* Nothing of the plaintext (which is all 'p') comes out. */
    for (size_t i = 0; i + AEAD_TAG_BYTES < len; i++)
        assert_int_equal(out[i], 0);
}

static void test_altered_is_refused(void **state)
{
    (void)state;
    for (int b = AEAD_SODIUM; b <= AEAD_MBEDTLS; b++) {
        uint8_t bytes[AEAD_KEY_BYTES] = {1}, ad[5] = "extra", sealed[20 + AEAD_TAG_BYTES];
        struct aead_key key = {.ready = false};
        const size_t len = sizeof sealed;
        if (!use((enum aead_backend)b))
            continue;
        assert_int_equal(aead_key_init(&key, bytes), ERR_OK);
        struct bytes with = {ad, sizeof ad};
        assert_int_equal(aead_seal(&key, 5, with, bytes_of("pppppppppppppppppppp"), sealed),
                         ERR_OK);
        for (size_t bit = 0; bit < len * 8; bit++) {
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
            expect_refused(&key, 5, with, sealed, len);
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t n = 0; n < len; n++)
            expect_refused(&key, 5, with, sealed, n);
        for (size_t bit = 0; bit < sizeof ad * 8; bit++) {
            ad[bit / 8] ^= (uint8_t)(1 << bit % 8);
            expect_refused(&key, 5, with, sealed, len);
            ad[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        expect_refused(&key, 4, with, sealed, len);
        expect_refused(&key, 5, bytes_of(""), sealed, len);
        aead_key_clear(&key);
        bytes[31] ^= 0x80;
        assert_int_equal(aead_key_init(&key, bytes), ERR_OK);
        expect_refused(&key, 5, with, sealed, len);
        aead_key_clear(&key);
    }
}

static void test_cleared_key_is_refused(void **state)
{
    (void)state;
    for (int b = AEAD_SODIUM; b <= AEAD_MBEDTLS; b++) {
        static const uint8_t bytes[AEAD_KEY_BYTES] = {7};
        struct aead_key key = {.ready = false};
        uint8_t out[32] = {0};
        if (!use((enum aead_backend)b))
            continue;
        for (int round = 0; round < 2; round++) {
            assert_int_equal(aead_seal(&key, 0, bytes_of(""), bytes_of("x"), out), ERR_STATE);
            assert_int_equal(aead_open(&key, 0, bytes_of(""), (struct bytes){out, 17}, out),
                             ERR_STATE);
            assert_int_equal(aead_key_init(&key, bytes), ERR_OK);
            aead_key_clear(&key);
            assert_true(secret_is_zero(&key, sizeof key));
        }
        aead_key_clear(&key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_choice, restore),
        cmocka_unit_test_teardown(test_known_answers, restore),
        cmocka_unit_test_teardown(test_nonce_layout, restore),
        cmocka_unit_test_teardown(test_backends_are_equal, restore),
        cmocka_unit_test_teardown(test_altered_is_refused, restore),
        cmocka_unit_test_teardown(test_cleared_key_is_refused, restore),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
