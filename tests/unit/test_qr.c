/* QR codes: the structure ISO/IEC 18004 asks for, sizes, and that half blocks show every module.
 * The content is read back by the mode and length in the data bits, after unmasking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/outbuf.h"
#include "server/daemon/qr.h"

static const char url[] =
    "https://share.example/#v1.AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIj"
    "KlMnOpQrStUvWxYz0123456789-_AbCdEfGhI";

static void check_finder(const struct qr *q, int left, int top)
{
    for (int y = 0; y < 7; y++) {
        for (int x = 0; x < 7; x++) {
            int ring = x < y ? (x < 6 - y ? x : 6 - y) : (y < 6 - x ? y : 6 - x);
            assert_int_equal(qr_dark(q, left + x, top + y), ring != 1);
        }
    }
}

static void finders_and_timing(void **state)
{
    struct qr q;

    (void)state;
    assert_int_equal(qr_encode(&q, url, strlen(url)), ERR_OK);
    assert_int_equal((q.size - 17) % 4, 0);
    check_finder(&q, 0, 0);
    check_finder(&q, q.size - 7, 0);
    check_finder(&q, 0, q.size - 7);
    for (int i = 8; i < q.size - 8; i++) {
        assert_int_equal(qr_dark(&q, i, 6), i % 2 == 0);
        assert_int_equal(qr_dark(&q, 6, i), i % 2 == 0);
    }
    assert_false(qr_dark(&q, -1, 0));
    assert_false(qr_dark(&q, 0, -1));
    assert_false(qr_dark(&q, q.size, 0));
    assert_false(qr_dark(&q, 0, q.size));
}

/* The format information's mask number: bits 2–4 of what is next to the upper left finder. */
static unsigned mask_number(const struct qr *q)
{
    unsigned bits = 0;

    for (int x = 0; x < 5; x++)
        bits = bits << 1 | qr_dark(q, x, 8);
    return (bits ^ 0x15) & 7; /* 101010000010010 masks the format, its first five bits are 10101 */
}

static bool masked(unsigned mask, int x, int y)
{
    switch (mask) {
    case 0:
        return (x + y) % 2 == 0;
    case 1:
        return y % 2 == 0;
    case 2:
        return x % 3 == 0;
    case 3:
        return (x + y) % 3 == 0;
    case 4:
        return (y / 2 + x / 3) % 2 == 0;
    case 5:
        return x * y % 2 + x * y % 3 == 0;
    case 6:
        return (x * y % 2 + x * y % 3) % 2 == 0;
    default:
        return ((x + y) % 2 + x * y % 3) % 2 == 0;
    }
}

/* A one-block code (version 2) read back: 25 modules, upwards and downwards in columns of two. */
static void content_reads_back(void **state)
{
    static const char text[] = "vitrine: a short one";
    struct qr q;
    uint8_t bytes[64] = {0};
    size_t bit = 0;

    (void)state;
    assert_int_equal(qr_encode(&q, text, strlen(text)), ERR_OK);
    assert_int_equal(q.size, 25);
    unsigned mask = mask_number(&q);
    for (int right = 24, up = 1; right > 0; right -= 2, up = !up) {
        if (right == 6)
            right--;
        for (int i = 0; i < 25; i++) {
            int y = up ? 24 - i : i;
            for (int x = right; x > right - 2; x--) {
                bool fixed = (x < 9 && y < 9) || (x > 16 && y < 9) || (x < 9 && y > 16) || x == 6 ||
                             y == 6 || (x >= 16 && x <= 20 && y >= 16 && y <= 20);
                if (fixed || bit >= sizeof bytes * 8)
                    continue;
                bytes[bit / 8] |=
                    (uint8_t)((qr_dark(&q, x, y) ^ masked(mask, x, y)) << (7 - bit % 8));
                bit++;
            }
        }
    }
    assert_int_equal(bytes[0] >> 4, 4); /* byte mode */
    assert_int_equal((bytes[0] & 15) << 4 | bytes[1] >> 4, strlen(text));
    for (size_t i = 0; i < strlen(text); i++)
        assert_int_equal((uint8_t)(bytes[i + 1] << 4 | bytes[i + 2] >> 4), (uint8_t)text[i]);
}

static void sizes_refused(void **state)
{
    struct qr q;
    char *big = malloc(4000);

    (void)state;
    memset(big, 'a', 4000);
    assert_int_equal(qr_encode(&q, big, 0), ERR_RANGE);
    assert_int_equal(qr_encode(&q, big, 2953), ERR_OK); /* byte mode, version 40, level L */
    assert_int_equal(q.size, QR_SIZE_MAX);
    assert_int_equal(qr_encode(&q, big, 2954), ERR_RANGE);
    free(big);
}

/* Every module is in the text, inverse of nothing, with the quiet zone around. */
static void text_shows_every_module(void **state)
{
    struct outbuf out = {0};
    struct qr q;

    (void)state;
    assert_int_equal(qr_encode(&q, url, strlen(url)), ERR_OK);
    assert_int_equal(qr_text(url, &out), ERR_OK);
    outbuf_byte(&out, 0);
    const char *p = (const char *)out.p;
    for (int row = 0; row < (q.size + 9) / 2; row++) {
        const char start[] = "\033[0;38;5;16;48;5;231m", end[] = "\033[0m\n";
        assert_memory_equal(p, start, strlen(start));
        p += strlen(start);
        for (int col = 0; col < q.size + 8; col++) {
            bool upper = !strncmp(p, QR_HALF_UPPER, 3) || !strncmp(p, QR_FULL, 3);
            bool lower = !strncmp(p, QR_HALF_LOWER, 3) || !strncmp(p, QR_FULL, 3);
            assert_int_equal(upper, qr_dark(&q, col - 4, 2 * row - 4));
            assert_int_equal(lower, qr_dark(&q, col - 4, 2 * row - 3));
            p += *p == ' ' ? 1 : 3;
        }
        assert_memory_equal(p, end, strlen(end));
        p += strlen(end);
    }
    assert_string_equal(p, "");
    assert_int_equal(qr_text("", &out), ERR_RANGE);
    outbuf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finders_and_timing),
        cmocka_unit_test(content_reads_back),
        cmocka_unit_test(sizes_refused),
        cmocka_unit_test(text_shows_every_module),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
