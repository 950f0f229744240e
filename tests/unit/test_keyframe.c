/* Keyframes and history. That they mean the same to xterm.js is proven by tests/oracle; here: fed
 * to a new screen, a keyframe makes a screen whose own keyframe is the same. */
#include "tests/unit/screen_rig.h"

#include <stdlib.h>

#define STREAMS 100
#define PIECES  150

static const struct size {
    uint16_t cols;
    uint16_t rows;
} sizes[] = {{20, 6}, {11, 4}, {80, 24}, {7, 3}, {5, 2}};
#define SIZES (sizeof sizes / sizeof sizes[0])

static void expect_same(const struct outbuf *a, const struct outbuf *b)
{
    size_t i = 0;
    while (i < a->len && i < b->len && a->p[i] == b->p[i])
        i++;
    size_t from = i > 100 ? i - 100 : 0; /* show where they part */
    assert_string_equal((char *)a->p + (from < a->len ? from : 0), (char *)b->p + from);
    assert_int_equal(a->len, b->len);
}

/* A wrap pending over an empty cell of the alternate screen is the one thing there that a keyframe
 * has no way to make. */
static bool is_beyond_reach(struct rig *r)
{
    struct screen_cursor c = screen_cursor(r->s);
    uint16_t last = (uint16_t)(screen_cols(r->s) - 1);
    return c.pending_wrap && (screen_modes(r->s) & SCREEN_ALTERNATE) &&
           screen_row(r->s, c.y)[last].len == 0;
}

/* Makes a screen from r's keyframe and compares the keyframes of both. */
static void round_trip(struct rig *r, uint32_t history)
{
    struct rig copy;
    struct outbuf first = rig_keyframe(r, history);
    rig_open(&copy, screen_cols(r->s), screen_rows(r->s), 10000);
    screen_feed(copy.s, first.p, first.len - 1);
    assert_int_equal(copy.replies.len, 0);
    struct outbuf second = rig_keyframe(&copy, history);
    expect_same(&second, &first);
    assert_int_equal(screen_modes(copy.s), screen_modes(r->s));
    outbuf_clear(&first);
    outbuf_clear(&second);
    rig_close(&copy);
}

static void test_round_trip(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < STREAMS; i++) {
        struct rig r;
        struct outbuf piece = {0};
        rig_open(&r, sizes[(size_t)i % SIZES].cols, sizes[(size_t)i % SIZES].rows, 30);
        for (int k = 0; k < PIECES; k++) {
            outbuf_reset(&piece);
            rig_piece(&piece, &seed, false);
            screen_feed(r.s, piece.p, piece.len);
            if (screen_cut(r.s) == screen_head(r.s) && !is_beyond_reach(&r))
                round_trip(&r, k % 2 ? 0 : 30);
        }
        outbuf_clear(&piece);
        rig_close(&r);
    }
}

/* The same bytes in any pieces make the same screen. */
static void test_split(void **state)
{
    (void)state;
    uint32_t seed = 99;
    for (int i = 0; i < STREAMS; i++) {
        struct rig whole;
        struct rig split;
        struct outbuf stream = {0};
        const struct size *size = &sizes[(size_t)i % SIZES];
        for (int k = 0; k < PIECES; k++)
            rig_piece(&stream, &seed, true);
        rig_open(&whole, size->cols, size->rows, 30);
        rig_open(&split, size->cols, size->rows, 30);
        screen_feed(whole.s, stream.p, stream.len);
        for (size_t at = 0; at < stream.len; at++)
            screen_feed(split.s, stream.p + at, 1);
        struct outbuf a = rig_keyframe(&whole, 30);
        struct outbuf b = rig_keyframe(&split, 30);
        expect_same(&a, &b);
        assert_int_equal(whole.replies.len, split.replies.len);
        outbuf_clear(&a);
        outbuf_clear(&b);
        outbuf_clear(&stream);
        rig_close(&whole);
        rig_close(&split);
    }
}

static const struct rule {
    const char *input;
    const char *keyframe;
} rules[] = {
    {"", "\033[1;1H"},
    {"abc", "abc\033[1;3Hc"},
    {"a\r\n\r\nb\r", "a\r\n\r\nb\033[3;1H"},
    {"\033[1;31mred\033[m \r", "\033[1;31mred\033[0m \033[1;1H"},
    {"\033]2;hi\a", "\033]2;hi\a\033[1;1H"},
    {"\033[?2004h\033[?1000h\033[?1006h\033[?25l",
     "\033[?25l\033[?2004h\033[?1000h\033[?1006h\033[1;1H"},
    {"ab\033[2;3r", "ab\033[2;3r\033[1;1H"},
    {"\033[4h\033[5 q", "\033[5 q\033[1;1H\033[4h"},
    {"\033]4;1;#102030\a\033]11;#fff\a", "\033]4;1;#102030\a\033]11;#f0f0f0\a\033[1;1H"},
    {"main\033[?47halt\r", "main\033[?47h\033[H\033[4Calt\033[1;1H"},
    {"\033[44mx\033[K\r", "\033[44mx\033[9X\033[0m\033[44m\033[1;1H"},
    {"\033[>5u", "\033[>5u\033[1;1H"},
    {"a\033[31", "a\033[1;1Ha"},
    {"\033(0q", "\xe2\x94\x80\033(0\033[1;1H\xe2\x94\x80"},
    {"\033)A\016#", "\xc2\xa3\033)A\016\033[1;1H\xc2\xa3"},
    {"\033(0\0337\033(B\0338", "\033[1;1H\033(0\0337\033(B\0338\033[1;1H"},
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct rig r;
        rig_open(&r, 10, 4, 10);
        rig_feed(&r, rules[i].input);
        struct outbuf k = rig_keyframe(&r, 10);
        assert_string_equal((char *)k.p, rules[i].keyframe);
        outbuf_clear(&k);
        rig_close(&r);
    }
}

static void test_info(void **state)
{
    (void)state;
    struct rig r;
    struct keyframe_info info;
    struct outbuf out = {0};
    rig_open(&r, 10, 3, 50);
    for (int i = 0; i < 100; i++)
        rig_feed(&r, "line\r\n");
    rig_feed(&r, "ab\033[3");
    assert_int_equal(screen_keyframe(r.s, 20, &out, &info), ERR_OK);
    assert_int_equal(info.offset, 602);
    assert_int_equal(screen_cut(r.s), 602);
    assert_int_equal(screen_head(r.s), 605);
    assert_int_equal(info.first_line, 78);
    assert_int_equal(info.history_lines, 20);
    assert_int_equal(info.cols, 10);
    assert_int_equal(info.rows, 3);
    outbuf_reset(&out);
    assert_int_equal(screen_keyframe(r.s, 1000, &out, &info), ERR_OK);
    assert_int_equal(info.first_line, 48);
    assert_int_equal(info.history_lines, 50);
    outbuf_clear(&out);
    rig_close(&r);
}

/* More than 4 KiB into a string its offset is the head, and what follows is swallowed. */
static void test_long_string(void **state)
{
    (void)state;
    struct rig r;
    struct rig viewer;
    struct keyframe_info info;
    struct outbuf out = {0};
    rig_open(&r, 10, 3, 50);
    rig_open(&viewer, 10, 3, 50);
    rig_feed(&r, "ab\033]0;");
    rig_repeat(&r, "0123456789", 500);
    assert_int_equal(screen_keyframe(r.s, 20, &out, &info), ERR_OK);
    assert_int_equal(info.offset, screen_head(r.s));
    screen_feed(viewer.s, out.p, out.len);
    rig_feed(&viewer, "rest\033\\c");
    rig_expect_row(&viewer, 0, "abc");
    assert_string_equal(screen_title(viewer.s), "");
    outbuf_clear(&out);
    rig_close(&r);
    rig_close(&viewer);
}

static void expect_history(struct rig *r, uint64_t before, uint32_t count, uint64_t first,
                           uint32_t n, const char *text)
{
    struct outbuf out = {0};
    uint64_t got_first;
    uint32_t got_n;
    assert_int_equal(screen_history(r->s, before, count, &out, &got_first, &got_n), ERR_OK);
    outbuf_byte(&out, 0);
    assert_string_equal((char *)out.p, text);
    assert_int_equal(got_first, first);
    assert_int_equal(got_n, n);
    outbuf_clear(&out);
}

static void test_history(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 2, 4);
    rig_feed(&r, "zero\r\none\r\n\033[1mtwo\033[m\r\n0123456789three\r\nfour\r\nfive");
    /* kept: 1 one, 2 two, 3 0123456789, 4 three; visible: four, five */
    expect_history(&r, 5, 10, 1, 4, "one\r\n\033[1mtwo\033[0m\r\n0123456789three\r\n");
    expect_history(&r, 100, 2, 3, 2, "0123456789three\r\n");
    expect_history(&r, 4, 1, 3, 1, "0123456789");
    expect_history(&r, 3, 2, 1, 2, "one\r\n\033[1mtwo\033[0m\r\n");
    expect_history(&r, 1, 5, 1, 0, "");
    expect_history(&r, 0, 5, 0, 0, "");
    rig_close(&r);
}

/* Lines wider than the screen has become are cut, so that one line stays one line. */
static void test_history_after_resize(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 2, 10);
    rig_feed(&r, "0123456789abc\r\nx\r\ny\r\n");
    assert_int_equal(screen_resize(r.s, 6, 2), ERR_OK);
    expect_history(&r, 3, 3, 0, 3, "012345\r\nabc\r\nx\r\n");
    assert_int_equal(screen_resize(r.s, 12, 2), ERR_OK);
    expect_history(&r, 3, 3, 0, 3, "0123456789\r\nabc\r\nx\r\n");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_long_string),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_history_after_resize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
