/* Derivations of a link against values computed by another implementation (tests/crypto). */
#include "crypto/link_keys.h"

#include "crypto/secret.h"
#include "crypto/x25519.h"

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

static void check_sas(const struct vectors *v)
{
    uint16_t words[LINK_SAS_WORDS];
    struct rbuf r;
    struct bytes want = vectors_get(v, "sas");
    assert_int_equal(link_keys_sas(vectors_fixed(v, "handshake_hash", 32), words), ERR_OK);
    rbuf_init(&r, want.p, want.len);
    for (size_t i = 0; i < LINK_SAS_WORDS; i++) {
        assert_true(words[i] < LINK_SAS_LIST_WORDS);
        assert_int_equal(words[i], rbuf_u16(&r));
    }
    assert_true(rbuf_done(&r));
}

static void test_known_answers(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "link_keys.txt");
    for (; vectors_next(&v); tried++) {
        const uint8_t *secret = vectors_fixed(&v, "link_secret", LINK_SECRET_BYTES);
        uint8_t psk[LINK_PSK_BYTES], id[LINK_ID_BYTES], route[LINK_ROUTE_BYTES];
        uint8_t prologue[LINK_PROLOGUE_BYTES], public[X25519_BYTES];
        assert_int_equal(link_keys_psk(secret, psk), ERR_OK);
        assert_bytes(psk, sizeof psk, vectors_get(&v, "psk"));
        assert_int_equal(link_keys_id(secret, id), ERR_OK);
        assert_bytes(id, sizeof id, vectors_get(&v, "link_id"));
        link_keys_prologue(id, prologue);
        assert_bytes(prologue, sizeof prologue, vectors_get(&v, "prologue"));
        assert_int_equal(x25519_public(vectors_fixed(&v, "static_secret", 32), public), ERR_OK);
        assert_bytes(public, sizeof public, vectors_get(&v, "static_public"));
        assert_int_equal(link_keys_route(public, route), ERR_OK);
        assert_bytes(route, sizeof route, vectors_get(&v, "route"));
        check_sas(&v);
    }
    vectors_close(&v);
    assert_int_equal(tried, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_answers)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
