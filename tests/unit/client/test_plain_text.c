/* Output as plain text: what is left out, what ends a line, and all of it cut anywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "server/client/plain_text.h"

static const struct {
    const char *bytes;
    const char *text;
} rows[] = {
    {"plain", "plain"},
    {"a\r\nb\nc", "a\nb\nc"},
    {"50%\r100%\rdone\r\n", "50%\n100%\ndone\n"},
    {"a\r\r\nb", "a\nb"},
    {"\rprompt", "prompt"}, /* no empty line where one begins */
    {"x\n\ry", "x\ny"},
    {"a\n\n\nb", "a\n\n\nb"}, /* but those that were printed */
    {"a\tb", "a b"},
    {"ab\bc", "ac"},
    {"a\xc3\xa9\bx", "ax"}, /* a whole character */
    {"a\n\b\bb", "a\nb"},   /* not across lines */
    {"\b", ""},
    {"a\a\v\f\x0e\x0f"
     "b\x7f",
     "ab"},
    {"\033[31mred\033[0m", "red"},
    {"\033[1;2;3;4:3mx\033[?25hy", "xy"},
    {"a\033[Kb", "ab"},
    {"a\033[5Cb\033[10Gc", "a b c"},
    {"top\033[2;1Hnext", "top\nnext"},
    {"top\n\033[2;1Hnext", "top\nnext"},
    {"a\033[2Jb\033[Ac\033[Bd\033[5de\033[3Ef\033[2Fg\033[1;1fh", "a\nb\nc\nd\ne\nf\ng\nh"},
    {"a\033(Bb\033)0c\033#8d\0337e\033=f\033Mg", "abcdefg"},
    {"a\033]0;title\ab\033]8;;http://x/\033\\c\033]8;;\033\\d", "abcd"},
    {"a\033P1$r0m\033\\b\033_apc\033\\c\033^pm\033\\d\033Xsos\033\\e", "abcde"},
    {"a\033Pno bell ends\athis\033\\b", "ab"},
    {"a\033]0;cut off\030b\033]0;x\032c", "abc"},
    {"a\033]0;another\033[1mb", "ab"}, /* ESC ends the string and begins the next sequence */
    {"a\033[3\0301b", "a1b"},
    {"a\033[3\033[4mb", "ab"},
    {"a\033[3\nmb", "a\nb"}, /* control characters act inside of sequences */
    {"a\033\033[1mb", "ab"},
    {"a\033( \033[1mb", "ab"},
    {"\xe4\xb8\x96\xe7\x95\x8c", "\xe4\xb8\x96\xe7\x95\x8c"},
    {"\xff\xc3", "\xff\xc3"}, /* what is no UTF-8 stays as it is */
};

static void check(const char *bytes, size_t piece, const char *want)
{
    struct plain_text t = {0};
    size_t n = strlen(bytes);

    for (size_t at = 0; at < n; at += piece)
        assert_true(plain_text_put(&t, bytes + at, n - at < piece ? n - at : piece));
    assert_string_equal(t.text, want);
    assert_int_equal(t.len, strlen(want));
    plain_text_clear(&t);
}

static void each_row_in_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t piece = 1; piece <= 4; piece++)
            check(rows[i].bytes, piece, rows[i].text);
        check(rows[i].bytes, 1000, rows[i].text);
    }
}

static void zeros_are_nothing(void **state)
{
    struct plain_text t = {0};

    (void)state;
    assert_true(plain_text_put(&t, "a\0b\0", 4));
    assert_string_equal(t.text, "ab");
    plain_text_clear(&t);
}

static void a_gap_ends_the_line_and_the_sequence(void **state)
{
    struct plain_text t = {0};

    (void)state;
    assert_true(plain_text_put(&t, "half a \033]0;ti", 12));
    assert_true(plain_text_gap(&t));
    assert_true(plain_text_put(&t, "next", 4));
    assert_string_equal(t.text, "half a \nnext");
    plain_text_clear(&t);
}

static void dropping(void **state)
{
    struct plain_text t = {0};

    (void)state;
    assert_true(plain_text_put(&t, "abcdef", 6));
    plain_text_drop(&t, 0);
    plain_text_drop(&t, 2);
    assert_string_equal(t.text, "cdef");
    plain_text_drop(&t, 4);
    assert_string_equal(t.text, "");
    assert_true(plain_text_put(&t, "g", 1));
    assert_string_equal(t.text, "g");
    plain_text_clear(&t);
}

/* The newest text stays, the limit is kept, and no character is cut. */
static void the_limit(void **state)
{
    struct plain_text t = {.max = 1000};
    uint64_t put = 0;

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        assert_true(plain_text_put(&t, "\xe4\xb8\x96", 3));
        put += 3;
        assert_true(t.len <= 1000 && t.len % 3 == 0);
        assert_int_equal(t.dropped + t.len, put);
        assert_int_equal((uint8_t)t.text[0], 0xe4);
    }
    assert_true(t.len >= 700);
    plain_text_clear(&t);
}

static void any_bytes(void **state)
{
    struct plain_text t = {.max = 4096};
    uint32_t x = 1;

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint8_t b;

        x = x * 1664525u + 1013904223u;
        b = (x >> 30) == 0 ? 27 : (uint8_t)(x >> 16); /* sequences, often */
        assert_true(plain_text_put(&t, &b, 1));
        assert_int_equal(strlen(t.text), t.len);
    }
    plain_text_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_in_pieces),
        cmocka_unit_test(zeros_are_nothing),
        cmocka_unit_test(a_gap_ends_the_line_and_the_sequence),
        cmocka_unit_test(dropping),
        cmocka_unit_test(the_limit),
        cmocka_unit_test(any_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
