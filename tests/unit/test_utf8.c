/* UTF-8: every code point there and back, every 1 to 3 byte sequence judged against RFC 3629's
 * grammar, and peer text made harmless. */
#include "proto/utf8.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void every_code_point(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
        uint8_t enc[UTF8_MAX_BYTES];
        uint32_t back = UINT32_MAX;
        size_t n;

        if (cp >= 0xd800 && cp <= 0xdfff)
            continue;
        n = utf8_encode(cp, enc);
        if (n != (cp < 0x80      ? 1u
                  : cp < 0x800   ? 2u
                  : cp < 0x10000 ? 3u
                                 : 4u) ||
            utf8_decode(enc, n, &back) != n || back != cp)
            fail_msg("U+%04X", (unsigned)cp);
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(utf8_decode(enc, cut, &back), 0);
    }
}

static bool is_tail(unsigned b)
{
    return b >= 0x80 && b <= 0xbf;
}

/* The grammar of RFC 3629 section 4, for up to three bytes. */
static size_t grammar(const uint8_t *p)
{
    if (p[0] <= 0x7f)
        return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf && is_tail(p[1]))
        return 2;
    if (p[0] == 0xe0 && p[1] >= 0xa0 && p[1] <= 0xbf && is_tail(p[2]))
        return 3;
    if (p[0] == 0xed && p[1] >= 0x80 && p[1] <= 0x9f && is_tail(p[2]))
        return 3;
    if (((p[0] >= 0xe1 && p[0] <= 0xec) || p[0] == 0xee || p[0] == 0xef) && is_tail(p[1]) &&
        is_tail(p[2]))
        return 3;
    return 0;
}

static void every_short_sequence(void **state)
{
    (void)state;
    for (uint32_t v = 0; v<1u << 24; v += (v & 0xff)> 0xc1 ? 1 : 0x3f) {
        uint8_t p[3] = {(uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
        uint32_t cp;

        if (utf8_decode(p, 3, &cp) != grammar(p))
            fail_msg("%02x %02x %02x", p[0], p[1], p[2]);
    }
}

static void four_bytes(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"\xf0\x90\x80\x80", true},  {"\xf4\x8f\xbf\xbf", true},  {"\xf0\x8f\xbf\xbf", false},
        {"\xf4\x90\x80\x80", false}, {"\xf5\x80\x80\x80", false}, {"\xf0\x90\x80\x7f", false},
        {"\xf0\x90\xc0\x80", false}, {"\xf0\x10\x80\x80", false}, {"\xff\x80\x80\x80", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(utf8_valid((const uint8_t *)rows[i].text, 4), rows[i].good);
}

static void whole_text(void **state)
{
    (void)state;
    assert_true(utf8_valid(NULL, 0));
    assert_true(utf8_valid((const uint8_t *)"gr\xc3\xbc\xc3\x9f", 6));
    assert_false(utf8_valid((const uint8_t *)"gr\xc3\xbc\xc3\x9f", 5));
    assert_false(utf8_valid((const uint8_t *)"\xbc", 1));
}

static void printable(void **state)
{
    static const struct {
        const char *in;
        const char *want;
        size_t max;
    } rows[] = {
        {"plain", "plain", 64},
        {"", "", 64},
        {"a\x1b[2Jb", "a\xef\xbf\xbd[2Jb", 64},
        {"a\nb\r\tc\x7f",
         "a\xef\xbf\xbd"
         "b\xef\xbf\xbd\xef\xbf\xbd"
         "c\xef\xbf\xbd",
         64},
        {"\xc2\x9b"
         "31m",
         "\xef\xbf\xbd"
         "31m",
         64},                                         /* C1 CSI */
        {"x\xe2\x80\xaey", "x\xef\xbf\xbdy", 64},     /* right-to-left override */
        {"x\xe2\x81\xa7y", "x\xef\xbf\xbdy", 64},     /* left-to-right isolate */
        {"x\xe2\x80\xa8y", "x\xef\xbf\xbdy", 64},     /* line separator */
        {"x\xef\xbb\xbfy", "x\xef\xbf\xbdy", 64},     /* byte order mark */
        {"x\xf3\xa0\x81\x81y", "x\xef\xbf\xbdy", 64}, /* tag character */
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd", 64},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc", 5}, /* ends at a character's end */
        {"abcdef", "abc", 3},
        {"\x01", "", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[65];

        memset(out, 'z', sizeof out);
        assert_int_equal(
            utf8_printable((const uint8_t *)rows[i].in, strlen(rows[i].in), out, rows[i].max),
            strlen(rows[i].want));
        assert_string_equal(out, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point), cmocka_unit_test(every_short_sequence),
        cmocka_unit_test(four_bytes),       cmocka_unit_test(whole_text),
        cmocka_unit_test(printable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
