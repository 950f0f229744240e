/* X25519: RFC 7748's known answers, the small-order points, and where keys come from. */
#include "crypto/x25519.h"

#include "crypto/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/vectors.h"

static int setup(void **state)
{
    (void)state;
    return secret_init();
}

static void check_single(const struct vectors *v)
{
    uint8_t out[X25519_BYTES];
    assert_int_equal(x25519_shared(vectors_fixed(v, "scalar", 32), vectors_fixed(v, "u", 32), out),
                     ERR_OK);
    assert_bytes(out, sizeof out, vectors_get(v, "result"));
}

static void check_iterated(const struct vectors *v)
{
    uint8_t k[X25519_BYTES], u[X25519_BYTES], next[X25519_BYTES];
    memcpy(k, vectors_fixed(v, "iterated_start", 32), sizeof k);
    memcpy(u, k, sizeof u);
    for (int round = 1; round <= 1000; round++) {
        assert_int_equal(x25519_shared(k, u, next), ERR_OK);
        memcpy(u, k, sizeof u);
        memcpy(k, next, sizeof k);
        if (round == 1)
            assert_bytes(k, sizeof k, vectors_get(v, "iterated_1"));
    }
    assert_bytes(k, sizeof k, vectors_get(v, "iterated_1000"));
}

static void check_exchange(const struct vectors *v)
{
    const uint8_t *a = vectors_fixed(v, "a_secret", 32);
    const uint8_t *b = vectors_fixed(v, "b_secret", 32);
    uint8_t a_public[X25519_BYTES], b_public[X25519_BYTES], out[X25519_BYTES];
    assert_int_equal(x25519_public(a, a_public), ERR_OK);
    assert_bytes(a_public, sizeof a_public, vectors_get(v, "a_public"));
    assert_int_equal(x25519_public(b, b_public), ERR_OK);
    assert_bytes(b_public, sizeof b_public, vectors_get(v, "b_public"));
    assert_int_equal(x25519_shared(a, b_public, out), ERR_OK);
    assert_bytes(out, sizeof out, vectors_get(v, "shared"));
    assert_int_equal(x25519_shared(b, a_public, out), ERR_OK);
    assert_bytes(out, sizeof out, vectors_get(v, "shared"));
}

static void test_known_answers(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "x25519.txt");
    for (; vectors_next(&v); tried++) {
        if (vectors_has(&v, "scalar"))
            check_single(&v);
        else if (vectors_has(&v, "iterated_start"))
            check_iterated(&v);
        else
            check_exchange(&v);
    }
    vectors_close(&v);
    assert_int_equal(tried, 4);
}

static void test_small_order_refused(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "x25519_low_order.txt");
    for (; vectors_next(&v); tried++) {
        for (int i = 0; i < 8; i++) {
            uint8_t secret[X25519_BYTES], out[X25519_BYTES];
            secret_random(secret, sizeof secret);
            memset(out, 0xff, sizeof out);
            assert_int_equal(x25519_shared(secret, vectors_fixed(&v, "u", 32), out), ERR_AUTH);
            assert_true(secret_is_zero(out, sizeof out));
        }
    }
    vectors_close(&v);
    assert_int_equal(tried, 14);
}

static void fill_counting(uint8_t *buf, size_t n, void *context)
{
    uint8_t *next = context;
    for (size_t i = 0; i < n; i++)
        buf[i] = (*next)++;
}

static void test_keypair(void **state)
{
    uint8_t secret[X25519_BYTES], public[X25519_BYTES], again[X25519_BYTES];
    uint8_t next = 7;
    (void)state;
    secret_test_random(fill_counting, &next);
    assert_int_equal(x25519_keypair(secret, public), ERR_OK);
    secret_test_random(NULL, NULL);
    for (size_t i = 0; i < sizeof secret; i++)
        assert_int_equal(secret[i], 7 + i);
    assert_int_equal(x25519_public(secret, again), ERR_OK);
    assert_memory_equal(public, again, sizeof public);
    assert_int_equal(x25519_keypair(secret, public), ERR_OK);
    assert_memory_not_equal(public, again, sizeof public);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_small_order_refused),
        cmocka_unit_test(test_keypair),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
