/* Records: known answers from another implementation, padding, limits, rekeying, and every way to
 * spoil, lose, repeat or reorder one. */
#include "crypto/record.h"

#include "crypto/aead.h"
#include "crypto/secret.h"
#include "crypto/x25519.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/vectors.h"

static const uint8_t key_down[32] = {1}, key_up[32] = {2};
static uint8_t buf[RECORD_MAX_BYTES + 1], copy[RECORD_MAX_BYTES + 1];

static int setup(void **state)
{
    (void)state;
    return secret_init();
}

/* The daemon's and the viewer's end of one connection. */
struct ends {
    struct record *daemon, *viewer;
};

static struct ends ends_create(void)
{
    struct ends e;
    assert_int_equal(record_create_keys(&e.daemon, RECORD_DAEMON, key_down, key_up), ERR_OK);
    assert_int_equal(record_create_keys(&e.viewer, RECORD_VIEWER, key_up, key_down), ERR_OK);
    return e;
}

static void ends_destroy(struct ends *e)
{
    record_destroy(e->daemon);
    record_destroy(e->viewer);
}

/* A record of the daemon's with n body bytes of value n, in buf; returns its length. */
static size_t sealed_of(struct record *r, size_t n)
{
    size_t len;
    memset(buf + RECORD_HEAD_BYTES, (int)(n & 0xff), n);
    assert_int_equal(record_seal(r, 4, false, buf, sizeof buf, n, &len), ERR_OK);
    return len;
}

static void expect_open(struct record *r, uint8_t *p, size_t len, size_t body)
{
    struct record_part part;
    assert_int_equal(record_open(r, p, len, &part), ERR_OK);
    assert_int_equal(part.type, 4);
    assert_false(part.more);
    assert_int_equal(part.body.len, body);
    for (size_t i = 0; i < body; i++)
        assert_int_equal(part.body.p[i], body & 0xff);
}

/* Refused once means refused for good, with nothing left in the buffer. */
static void expect_refused(struct record *r, uint8_t *p, size_t len, enum err want)
{
    struct record_part part;
    assert_int_equal(record_open(r, p, len, &part), want);
    assert_true(secret_is_zero(p, len));
    assert_null(part.body.p);
    assert_int_equal(record_open(r, p, len, &part), ERR_STATE);
}

/* --- known answers -------------------------------------------------------------------------- */

static void make_ends(const struct vectors *v, struct ends *e)
{
    const uint8_t *key = vectors_fixed(v, "key", 32);
    bool down = vectors_fixed(v, "from", 1)[0] == 1;
    assert_int_equal(
        record_create_keys(&e->daemon, RECORD_DAEMON, down ? key : key_up, down ? key_up : key),
        ERR_OK);
    assert_int_equal(
        record_create_keys(&e->viewer, RECORD_VIEWER, down ? key_up : key, down ? key : key_up),
        ERR_OK);
}

static void check_record(const struct vectors *v, struct record *from, struct record *to)
{
    struct bytes body = vectors_get(v, "body"), sealed = vectors_get(v, "record");
    uint8_t head = vectors_fixed(v, "type", 1)[0];
    struct record_part part;
    size_t len;
    assert_int_equal(record_sealed_bytes(from, body.len), sealed.len);
    assert_int_equal(
        record_seal_pieces(from, head & 0x7f, head >> 7, &body, 1, buf, sealed.len, &len), ERR_OK);
    assert_bytes(buf, len, sealed);
    assert_int_equal(record_open(to, buf, len, &part), ERR_OK);
    assert_int_equal(part.type, head & 0x7f);
    assert_int_equal(part.more, head >> 7);
    assert_bytes(part.body.p, part.body.len, body);
}

/* Sends records until the next one is number n, as only honest use can get there. */
static void run_up_to(struct record *from, struct record *to, uint64_t *next, uint64_t n)
{
    for (; *next < n; (*next)++)
        expect_open(to, buf, sealed_of(from, 1), 1);
}

static void check_all_records(void)
{
    struct vectors v;
    struct ends e = {NULL, NULL};
    uint64_t next = 0;
    uint8_t last_from = 0;
    size_t tried = 0;
    vectors_open(&v, "records.txt");
    for (; vectors_next(&v); tried++, next++) {
        uint8_t sender = vectors_fixed(&v, "from", 1)[0];
        if (sender != last_from) {
            ends_destroy(&e);
            make_ends(&v, &e);
            next = 0;
        }
        last_from = sender;
        struct record *from = sender == 1 ? e.daemon : e.viewer;
        struct record *to = sender == 1 ? e.viewer : e.daemon;
        if (vectors_has(&v, "number")) {
            struct rbuf r;
            rbuf_init(&r, vectors_fixed(&v, "number", 8), 8);
            run_up_to(from, to, &next, rbuf_u64(&r));
        }
        check_record(&v, from, to);
    }
    vectors_close(&v);
    ends_destroy(&e);
    assert_int_equal(tried, 30);
}

static void test_known_answers(void **state)
{
    enum aead_backend before = aead_backend();
    (void)state;
    for (int b = AEAD_SODIUM; b <= AEAD_MBEDTLS; b++) {
        if (aead_choose((enum aead_backend)b) == ERR_OK)
            check_all_records();
    }
    assert_int_equal(aead_choose(before), ERR_OK);
}

/* REKEY itself, from its definition: the first record after the boundary under the derived key. */
static void test_rekey_definition(void **state)
{
    struct vectors v;
    size_t tried = 0;
    (void)state;
    vectors_open(&v, "rekey.txt");
    for (; vectors_next(&v); tried++) {
        struct record *old, *new;
        size_t len;
        const uint8_t *key = vectors_fixed(&v, "key", 32), *next = vectors_fixed(&v, "next", 32);
        assert_int_equal(record_create_keys(&old, RECORD_DAEMON, key, key), ERR_OK);
        assert_int_equal(record_create_keys(&new, RECORD_DAEMON, next, next), ERR_OK);
        record_test_number(old, 65535, 0);
        record_test_number(new, 0, 65536);
        (void)sealed_of(old, 5); /* record 65,535, still under the old key */
        len = sealed_of(old, 6);
        expect_open(new, buf, len, 6);
        record_destroy(old);
        record_destroy(new);
    }
    vectors_close(&v);
    assert_int_equal(tried, 3);
}

/* --- sizes ---------------------------------------------------------------------------------- */

static void test_padding(void **state)
{
    struct ends e = ends_create();
    (void)state;
    for (size_t n = 0; n <= RECORD_BODY_MAX_BYTES; n += n < 1100 || n > 65400 ? 1 : 997) {
        size_t plain = 3 + n, up = (plain + 63) / 64 * 64;
        size_t down = n <= 256 ? up : plain;
        assert_int_equal(record_sealed_bytes(e.daemon, n), down + 16);
        assert_int_equal(record_sealed_bytes(e.viewer, n), up <= 65519 ? up + 16 : 0);
        assert_true(record_sealed_bytes(e.daemon, n) <= RECORD_MAX_BYTES);
    }
    ends_destroy(&e);
}

static void test_every_size(void **state)
{
    struct ends e = ends_create();
    (void)state;
    for (size_t n = 0; n <= RECORD_BODY_MAX_BYTES; n += n < 700 || n > 65450 ? 1 : 499) {
        size_t len = sealed_of(e.daemon, n);
        assert_int_equal(len, record_sealed_bytes(e.daemon, n));
        expect_open(e.viewer, buf, len, n);
        if (record_sealed_bytes(e.viewer, n) > 0)
            expect_open(e.daemon, buf, sealed_of(e.viewer, n), n);
    }
    ends_destroy(&e);
}

static void test_limits(void **state)
{
    struct ends e = ends_create();
    size_t len;
    (void)state;
    const size_t most = RECORD_BODY_MAX_BYTES;
    assert_int_equal(record_sealed_bytes(e.daemon, most), RECORD_MAX_BYTES);
    assert_int_equal(record_sealed_bytes(e.daemon, most + 1), 0);
    assert_int_equal(record_sealed_bytes(e.daemon, SIZE_MAX), 0);
    assert_int_equal(record_seal(e.daemon, 4, false, buf, sizeof buf, most + 1, &len), ERR_RANGE);
    assert_int_equal(record_seal(e.daemon, 4, false, buf, sizeof buf, SIZE_MAX, &len), ERR_RANGE);
    assert_int_equal(record_seal(e.viewer, 4, false, buf, sizeof buf, 65470, &len), ERR_RANGE);
    assert_int_equal(record_seal(e.daemon, 0x80, false, buf, sizeof buf, 1, &len), ERR_RANGE);
    assert_int_equal(record_seal(e.daemon, 4, false, buf, 64 + 15, 1, &len), ERR_SPACE);
    assert_int_equal(len, 0);
    /* None of these used up a number. */
    assert_int_equal(record_seal(e.daemon, 4, false, buf, 64 + 16, 0, &len), ERR_OK);
    expect_open(e.viewer, buf, len, 0);
    ends_destroy(&e);
}

/* Pieces give the same record as a body in one place, and touch nothing behind it. */
static void test_pieces(void **state)
{
    struct ends e = ends_create();
    struct record_part part;
    const struct bytes pieces[] = {
        bytes_of("one "), {NULL, 0}, bytes_of("two "), bytes_of("three")};
    const struct bytes huge[] = {{buf, RECORD_BODY_MAX_BYTES}, {buf, 1}};
    size_t len;
    (void)state;
    memset(copy, 0xaa, sizeof copy);
    assert_int_equal(record_seal_pieces(e.daemon, 0x7f, true, pieces, 4, copy, sizeof copy, &len),
                     ERR_OK);
    assert_int_equal(len, 80);
    assert_int_equal(copy[len], 0xaa);
    assert_int_equal(record_open(e.viewer, copy, len, &part), ERR_OK);
    assert_int_equal(part.type, 0x7f);
    assert_true(part.more);
    assert_bytes(part.body.p, part.body.len, bytes_of("one two three"));
    assert_int_equal(record_seal_pieces(e.daemon, 1, false, huge, 2, copy, sizeof copy, &len),
                     ERR_RANGE);
    assert_int_equal(record_seal_pieces(e.daemon, 1, false, pieces, 4, copy, 79, &len), ERR_SPACE);
    assert_int_equal(record_seal_pieces(e.daemon, 4, false, NULL, 0, copy, sizeof copy, &len),
                     ERR_OK);
    expect_open(e.viewer, copy, len, 0);
    ends_destroy(&e);
}

/* --- attacks -------------------------------------------------------------------------------- */

static void test_bit_flips(void **state)
{
    struct ends e = ends_create();
    size_t len = sealed_of(e.daemon, 70);
    (void)state;
    for (size_t bit = 0; bit < len * 8; bit++) {
        struct record *viewer;
        assert_int_equal(record_create_keys(&viewer, RECORD_VIEWER, key_up, key_down), ERR_OK);
        memcpy(copy, buf, len);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        expect_refused(viewer, copy, len, ERR_AUTH);
        record_destroy(viewer);
    }
    expect_open(e.viewer, buf, len, 70);
    ends_destroy(&e);
}

static void test_truncation_and_extension(void **state)
{
    struct ends e = ends_create();
    size_t len = sealed_of(e.daemon, 300);
    (void)state;
    for (size_t n = 0; n <= RECORD_MAX_BYTES + 1; n += n < len + 20 ? 1 : 8147) {
        struct record *viewer;
        if (n == len)
            continue;
        assert_int_equal(record_create_keys(&viewer, RECORD_VIEWER, key_up, key_down), ERR_OK);
        memset(copy, 0, sizeof copy);
        memcpy(copy, buf, n < len ? n : len);
        expect_refused(viewer, copy, n, n < 19 || n > RECORD_MAX_BYTES ? ERR_MALFORMED : ERR_AUTH);
        record_destroy(viewer);
    }
    ends_destroy(&e);
}

static void test_replay_reorder_drop(void **state)
{
    static uint8_t first[80], second[80];
    (void)state;
    for (int what = 0; what < 4; what++) {
        struct ends e = ends_create();
        assert_int_equal(sealed_of(e.daemon, 1), sizeof first);
        memcpy(first, buf, sizeof first);
        assert_int_equal(sealed_of(e.daemon, 2), sizeof second);
        memcpy(second, buf, sizeof second);
        switch (what) {
        case 0: /* in order: fine, so the others fail for their own reason */
            expect_open(e.viewer, first, sizeof first, 1);
            expect_open(e.viewer, second, sizeof second, 2);
            break;
        case 1: /* the same again */
            memcpy(copy, first, sizeof first);
            expect_open(e.viewer, first, sizeof first, 1);
            expect_refused(e.viewer, copy, sizeof first, ERR_AUTH);
            break;
        case 2: /* the second before, or without, the first */
            expect_refused(e.viewer, second, sizeof second, ERR_AUTH);
            break;
        default: /* reflected to its sender */
            expect_refused(e.daemon, first, sizeof first, ERR_AUTH);
            break;
        }
        ends_destroy(&e);
    }
}

/* Plaintexts that verify but have no legal form: made by sealing raw bytes under the right key. */
static void test_malformed_plaintext(void **state)
{
    static const struct {
        const char *plain;
        size_t len;
        enum err want;
    } cases[] = {
        {"\x04\x00\x00", 3, ERR_OK},             /* the shortest there is */
        {"\x04\x00\x01x", 4, ERR_OK},            /* unpadded: padding is the sender's affair */
        {"\x04\x00\x01x\0\0\0", 7, ERR_OK},      /* any number of zeros */
        {"", 0, ERR_MALFORMED},                  /* nothing */
        {"\x04", 1, ERR_MALFORMED},              /* no length */
        {"\x04\x00", 2, ERR_MALFORMED},          /* half a length */
        {"\x04\x00\x01", 3, ERR_MALFORMED},      /* body missing */
        {"\x04\x00\x05xxxx", 7, ERR_MALFORMED},  /* body one byte short */
        {"\x04\xff\xffxxxx", 7, ERR_MALFORMED},  /* length far past the end */
        {"\x04\x00\x01x\x01", 5, ERR_MALFORMED}, /* padding that is not zero, first byte */
        {"\x04\x00\x01x\0\0\0\x80", 8, ERR_MALFORMED}, /* and last */
    };
    struct aead_key key = {.ready = false};
    (void)state;
    assert_int_equal(aead_key_init(&key, key_up), ERR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ends e = ends_create();
        struct bytes plain = {(const uint8_t *)cases[i].plain, cases[i].len};
        size_t len = plain.len + 16;
        struct record_part part;
        assert_int_equal(aead_seal(&key, 0, bytes_of(""), plain, copy), ERR_OK);
        if (cases[i].want == ERR_OK)
            assert_int_equal(record_open(e.daemon, copy, len, &part), ERR_OK);
        else
            expect_refused(e.daemon, copy, len, cases[i].want);
        ends_destroy(&e);
    }
    aead_key_clear(&key);
}

/* A side that can no longer receive can still send its goodbye. */
static void test_send_outlives_receive(void **state)
{
    struct ends e = ends_create();
    (void)state;
    memset(copy, 0, 80);
    expect_refused(e.daemon, copy, 80, ERR_AUTH);
    expect_open(e.viewer, buf, sealed_of(e.daemon, 9), 9);
    ends_destroy(&e);
}

static void test_counter_ends(void **state)
{
    struct ends e = ends_create();
    size_t len;
    (void)state;
    record_test_number(e.daemon, UINT64_MAX - 1, 0);
    record_test_number(e.viewer, 0, UINT64_MAX - 1);
    len = sealed_of(e.daemon, 3);
    expect_open(e.viewer, buf, len, 3);
    for (int i = 0; i < 2; i++)
        assert_int_equal(record_seal(e.daemon, 4, false, buf, sizeof buf, 3, &len), ERR_EXHAUSTED);
    expect_refused(e.viewer, buf, 80, ERR_EXHAUSTED);
    ends_destroy(&e);
}

/* --- from a handshake ----------------------------------------------------------------------- */

static void test_from_handshake(void **state)
{
    uint8_t secret[32], public[32], psk[32] = {5}, m[64], out[16];
    struct noise_setup s = {.suite = NOISE_SUITE_CLASSIC, .static_public = public, .psk = psk};
    struct noise *daemon, *viewer;
    struct ends e;
    struct record *again;
    size_t len, got;
    (void)state;
    assert_int_equal(x25519_keypair(secret, public), ERR_OK);
    assert_int_equal(noise_create(&viewer, NOISE_INITIATOR, &s), ERR_OK);
    s.static_secret = secret;
    assert_int_equal(noise_create(&daemon, NOISE_RESPONDER, &s), ERR_OK);
    assert_int_equal(record_create(&e.daemon, daemon), ERR_STATE);
    assert_null(e.daemon);
    assert_int_equal(noise_initiator_write_1(viewer, NULL, bytes_of("a"), m, sizeof m, &len),
                     ERR_OK);
    assert_int_equal(noise_responder_read_1(daemon, (struct bytes){m, len}, out, sizeof out, &got),
                     ERR_OK);
    assert_int_equal(noise_responder_write_2(daemon, NULL, bytes_of("b"), m, sizeof m, &len),
                     ERR_OK);
    assert_int_equal(noise_initiator_read_2(viewer, (struct bytes){m, len}, out, sizeof out, &got),
                     ERR_OK);
    assert_int_equal(record_create(&e.daemon, daemon), ERR_OK);
    assert_int_equal(record_create(&e.viewer, viewer), ERR_OK);
    assert_int_equal(record_create(&again, daemon), ERR_STATE);
    noise_destroy(daemon);
    noise_destroy(viewer);
    expect_open(e.viewer, buf, sealed_of(e.daemon, 300), 300);
    assert_int_equal(record_sealed_bytes(e.daemon, 300),
                     303 + 16); /* the responder is the daemon */
    assert_int_equal(record_sealed_bytes(e.viewer, 300), 320 + 16);
    expect_open(e.daemon, buf, sealed_of(e.viewer, 300), 300);
    ends_destroy(&e);
    record_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_rekey_definition),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_truncation_and_extension),
        cmocka_unit_test(test_replay_reorder_drop),
        cmocka_unit_test(test_malformed_plaintext),
        cmocka_unit_test(test_send_outlives_receive),
        cmocka_unit_test(test_counter_ends),
        cmocka_unit_test(test_from_handshake),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
