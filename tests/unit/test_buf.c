/* The byte cursors: big-endian, bounded, sticky. Buffers are heap blocks of exactly their size, so
 * that the sanitizer sees one byte too many. */
#include "proto/buf.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t counting[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static uint8_t *copy_of(const void *p, size_t n)
{
    uint8_t *out = malloc(n > 0 ? n : 1);

    assert_non_null(out);
    memcpy(out, p, n);
    return out;
}

static void integers_are_big_endian(void **state)
{
    uint8_t out[sizeof counting];
    struct rbuf r;
    struct wbuf w;

    (void)state;
    rbuf_init(&r, counting, sizeof counting);
    wbuf_init(&w, out, sizeof out);
    assert_int_equal(rbuf_u8(&r), 0x01);
    assert_int_equal(rbuf_u16(&r), 0x0203);
    assert_int_equal(rbuf_u32(&r), 0x04050607);
    assert_int_equal(rbuf_u64(&r), 0x08090a0b0c0d0e0f);
    assert_true(rbuf_done(&r));
    wbuf_u8(&w, 0x01);
    wbuf_u16(&w, 0x0203);
    wbuf_u32(&w, 0x04050607);
    wbuf_u64(&w, 0x08090a0b0c0d0e0f);
    assert_false(w.bad);
    assert_int_equal(w.len, sizeof counting);
    assert_memory_equal(out, counting, sizeof counting);
}

/* What each read asks for, and that one byte less is refused and gives zeros. */
static void reads_past_the_end(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        static const size_t need[] = {1, 2, 4, 8, 5, 3};

        for (size_t n = 0; n <= need[kind]; n++) {
            const uint8_t data[] = {0, 1, 'a', 9, 9, 9, 9, 9};
            uint8_t *exact = copy_of(data, n);
            uint8_t fixed[5] = {7, 7, 7, 7, 7};
            const uint8_t zeros[5] = {0};
            uint64_t v = 0;
            struct rbuf r;

            rbuf_init(&r, exact, n);
            switch (kind) {
            case 0:
                v = rbuf_u8(&r);
                break;
            case 1:
                v = rbuf_u16(&r);
                break;
            case 2:
                v = rbuf_u32(&r);
                break;
            case 3:
                v = rbuf_u64(&r);
                break;
            case 4:
                rbuf_copy(&r, fixed, sizeof fixed);
                break;
            default:
                v = rbuf_str(&r).len;
                break;
            }
            assert_int_equal(r.bad, n < need[kind]);
            if (r.bad) {
                assert_int_equal(v, 0);
                assert_int_equal(rbuf_left(&r), 0);
                if (kind == 4)
                    assert_memory_equal(fixed, zeros, sizeof zeros);
            }
            free(exact);
        }
    }
}

static void badness_stays(void **state)
{
    struct rbuf r;

    (void)state;
    rbuf_init(&r, counting, 3);
    assert_int_equal(rbuf_u32(&r), 0);
    assert_true(r.bad);
    assert_int_equal(rbuf_u8(&r), 0); /* though three bytes are there */
    assert_int_equal(rbuf_take(&r, 0).len, 0);
    assert_int_equal(rbuf_rest(&r).len, 0);
    assert_false(rbuf_done(&r));
}

static void take_borrows(void **state)
{
    struct rbuf r;
    struct bytes b;

    (void)state;
    rbuf_init(&r, counting, sizeof counting);
    b = rbuf_take(&r, 4);
    assert_ptr_equal(b.p, counting);
    assert_int_equal(b.len, 4);
    assert_int_equal(rbuf_left(&r), sizeof counting - 4);
    assert_false(rbuf_done(&r));
    b = rbuf_rest(&r);
    assert_ptr_equal(b.p, counting + 4);
    assert_int_equal(b.len, sizeof counting - 4);
    assert_true(rbuf_done(&r));
    assert_int_equal(rbuf_take(&r, SIZE_MAX).len, 0);
    assert_true(r.bad);
}

static void nothing_to_read(void **state)
{
    struct rbuf r;

    (void)state;
    rbuf_init(&r, NULL, 0);
    assert_true(rbuf_done(&r));
    assert_int_equal(rbuf_left(&r), 0);
    assert_int_equal(rbuf_rest(&r).len, 0);
    assert_true(rbuf_done(&r));
    assert_int_equal(rbuf_u8(&r), 0);
    assert_false(rbuf_done(&r));
}

static void strings_are_utf8(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        bool good;
    } rows[] = {
        {"", 0, true},         {"a", 1, true},         {"\0", 1, true},
        {"\xc3\xa9", 2, true}, {"\xc3", 1, false},     {"\xc3\xa9\xc3", 3, false},
        {"\xff", 1, false},    {"\xc0\x80", 2, false}, {"\xed\xa0\x80", 3, false},
        {"a\x80", 2, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t wire[16];
        struct bytes text = {(const uint8_t *)rows[i].text, rows[i].len};
        struct wbuf w;
        struct rbuf r;

        wbuf_init(&w, wire, sizeof wire);
        wbuf_str(&w, text);
        assert_int_equal(w.len, rows[i].len + 2);
        rbuf_init(&r, wire, w.len);
        assert_int_equal(bytes_equal(rbuf_str(&r), text), rows[i].good);
        assert_int_equal(rbuf_done(&r), rows[i].good);
    }
}

/* A write that does not fit writes nothing and marks the writer; what stood before stays. */
static void writes_past_the_room(void **state)
{
    struct bytes text = {(const uint8_t *)"abc", 3};

    (void)state;
    for (size_t cap = 0; cap < 5; cap++) {
        uint8_t *exact = copy_of("\x55\x55\x55\x55", cap < 4 ? cap : 4);
        struct wbuf w;

        wbuf_init(&w, exact, cap < 4 ? cap : 4);
        wbuf_str(&w, text);
        assert_true(w.bad);
        wbuf_u8(&w, 1);
        assert_true(w.len <= 2);
        free(exact);
    }
}

static void lengths_that_do_not_fit(void **state)
{
    uint8_t room[8];
    struct bytes huge = {room, (size_t)UINT16_MAX + 1};
    struct bytes vast = {room, (size_t)UINT32_MAX + 1};
    struct wbuf w;

    (void)state;
    wbuf_init(&w, room, sizeof room);
    wbuf_str(&w, huge);
    assert_true(w.bad);
    assert_int_equal(w.len, 0);
    wbuf_init(&w, room, sizeof room);
    wbuf_blob(&w, vast);
    assert_true(w.bad);
    assert_int_equal(w.len, 0);
    wbuf_init(&w, room, sizeof room);
    wbuf_put(&w, counting, 8);
    wbuf_put(&w, counting, SIZE_MAX);
    assert_true(w.bad);
    assert_int_equal(w.len, 8);
}

static void blobs_take_any_bytes(void **state)
{
    const uint8_t want[] = {0, 0, 0, 2, 0xff, 0x00};
    uint8_t room[8];
    struct wbuf w;

    (void)state;
    wbuf_init(&w, room, sizeof room);
    wbuf_blob(&w, (struct bytes){want + 4, 2});
    assert_int_equal(w.len, sizeof want);
    assert_memory_equal(room, want, sizeof want);
}

static void runs_compare(void **state)
{
    struct bytes none = {NULL, 0};

    (void)state;
    assert_true(bytes_equal(none, bytes_of("")));
    assert_true(bytes_equal(bytes_of(NULL), none));
    assert_true(bytes_equal(bytes_of("ab"), bytes_of("ab")));
    assert_false(bytes_equal(bytes_of("ab"), bytes_of("ac")));
    assert_false(bytes_equal(bytes_of("ab"), bytes_of("a")));
    assert_int_equal(bytes_of("abc").len, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_big_endian), cmocka_unit_test(reads_past_the_end),
        cmocka_unit_test(badness_stays),           cmocka_unit_test(take_borrows),
        cmocka_unit_test(nothing_to_read),         cmocka_unit_test(strings_are_utf8),
        cmocka_unit_test(writes_past_the_room),    cmocka_unit_test(lengths_that_do_not_fit),
        cmocka_unit_test(blobs_take_any_bytes),    cmocka_unit_test(runs_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
