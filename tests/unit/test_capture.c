/* capture-pane's options, and outbuf, which everything here writes to. */
#include "tests/unit/screen_rig.h"

static const struct rule {
    struct capture_opts opts;
    const char *text;
} rules[] = {
    /* 10x3; scrollback: "one", "0123456789" wrapped into "abc", "red" in red; visible: "link", "  x
       ", "" */
    {{.start = 0, .end = CAPTURE_LAST}, "link\n  x\n\n"},
    {{.start = 0, .end = 0}, "link\n"},
    {{.start = 1, .end = 1}, "  x\n"},
    {{.start = 1, .end = 1, .trailing = true}, "  x \n"},
    {{.start = CAPTURE_FIRST, .end = CAPTURE_LAST}, "one\n0123456789\nabc\nred\nlink\n  x\n\n"},
    {{.start = -2, .end = -1}, "abc\nred\n"},
    {{.start = -2, .end = 0}, "abc\nred\nlink\n"},
    {{.start = -100, .end = -4}, "one\n"},
    {{.start = 0, .end = -1}, "red\nlink\n"},
    {{.start = CAPTURE_FIRST, .end = -1, .join = true}, "one\n0123456789abc\nred\n"},
    {{.start = 1, .end = 1, .join = true}, "  x \n"},
    {{.start = -1, .end = -1, .escapes = true}, "\033[0;31mred\033[0m\n"},
    {{.start = 0, .end = 0, .escapes = true},
     "\033]8;;http://a.example/\033\\link\033]8;;\033\\\n"},
};

static void open_example(struct rig *r)
{
    rig_open(r, 10, 3, 100);
    rig_feed(
        r, "one\r\n0123456789abc\r\n\033[31mred\033[m\r\n\033]8;;http://a.example/\alink\033]8;;\a"
           "\r\n  x \r\n");
}

static void test_rules(void **state)
{
    (void)state;
    struct rig r;
    open_example(&r);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct outbuf out = {0};
        assert_int_equal(screen_capture(r.s, &rules[i].opts, &out), ERR_OK);
        outbuf_byte(&out, 0);
        assert_string_equal((char *)out.p, rules[i].text);
        outbuf_clear(&out);
    }
    rig_close(&r);
}

static const char *const contents[] = {
    "plain",
    "",
    "blanks at the end   ",
    "   ",
    "\303\274ber \344\270\200 wide, e\314\201 combined",
    "\033[31mred\033[m and not",
    "\033[1;38;5;208mbold\033[0;4m   \033[m",
    "red at the end \033[41m   \033[m",
    "\033[44m\033[K\033[m",
    "a\tgap\033[5Cmoved",
    "\033]8;;http://a.example/\alink\033]8;;\a text",
    "all of the width: 0123456789, 0123456789",
    "\344\270\200\b\bx",
};
#define N_CONTENTS (sizeof contents / sizeof contents[0])

/* A line reads the same before and after it scrolled away, whatever it is made of and whichever
 * stand before it: the scrollback has a shorter way for some lines. */
static void test_scrolled_lines(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags < 4; flags++) {
        struct capture_opts o = {.escapes = flags & 1, .trailing = flags & 2};
        struct outbuf before = {0}, after = {0};
        struct rig r;
        rig_open(&r, 40, 3, 100);
        for (size_t i = 0; i < N_CONTENTS; i++) {
            rig_feed(&r, "\033[H");
            rig_feed(&r, contents[i]);
            assert_int_equal(screen_capture(r.s, &o, &before), ERR_OK);
            rig_feed(&r, "\033[3H\n"); /* up by one */
        }
        o.start = CAPTURE_FIRST;
        o.end = -1;
        assert_int_equal(screen_capture(r.s, &o, &after), ERR_OK);
        assert_int_equal(before.len, after.len);
        assert_memory_equal(before.p, after.p, before.len);
        outbuf_clear(&before);
        outbuf_clear(&after);
        rig_close(&r);
    }
}

static void test_alternate(void **state)
{
    (void)state;
    struct rig r;
    struct outbuf out = {0};
    struct capture_opts o = {.start = 0, .end = 0, .alternate = true};
    open_example(&r);
    assert_int_equal(screen_capture(r.s, &o, &out), ERR_NOT_FOUND);
    rig_feed(&r, "\033[?1049h\033[HFULL");
    assert_int_equal(screen_capture(r.s, &o, &out), ERR_OK);
    o.alternate = false;
    assert_int_equal(screen_capture(r.s, &o, &out), ERR_OK);
    o.start = CAPTURE_FIRST; /* the alternate screen has no scrollback */
    assert_int_equal(screen_capture(r.s, &o, &out), ERR_OK);
    outbuf_byte(&out, 0);
    assert_string_equal((char *)out.p, "link\nFULL\nFULL\n");
    outbuf_clear(&out);
    rig_close(&r);
}

static void test_outbuf(void **state)
{
    (void)state;
    struct outbuf o;
    outbuf_init(&o);
    outbuf_put(&o, "x", 0);
    assert_null(o.p);
    outbuf_text(&o, "abc");
    outbuf_byte(&o, 'd');
    outbuf_printf(&o, "%d-%s", 42, "z");
    outbuf_uint(&o, 0);
    outbuf_uint(&o, UINT32_MAX);
    assert_int_equal(o.len, 19);
    assert_memory_equal(o.p, "abcd42-z04294967295", 19);
    outbuf_drop(&o, 4);
    assert_memory_equal(o.p, "42-z", 4);
    outbuf_drop(&o, 100);
    assert_int_equal(o.len, 0);
    assert_null(outbuf_reserve(&o, SIZE_MAX));
    assert_true(o.bad);
    outbuf_text(&o, "ignored");
    assert_int_equal(o.len, 0);
    outbuf_reset(&o);
    assert_false(o.bad);
    for (int i = 0; i < 10000; i++)
        outbuf_byte(&o, (uint8_t)i);
    assert_int_equal(o.len, 10000);
    assert_int_equal(o.p[9999], 9999 & 0xff);
    outbuf_clear(&o);
}

/* sgr_write's sequence, read by a screen, gives the pen back. */
static void test_sgr_write(void **state)
{
    (void)state;
    uint32_t seed = 5;
    struct pen before = {0};
    struct rig r;
    rig_open(&r, 10, 3, 0);
    for (int i = 0; i < 2000; i++) {
        static const cell_color colors[] = {COLOR_DEFAULT, COLOR_KIND_16 | 3, COLOR_KIND_16 | 12,
                                            COLOR_KIND_256 | 77, COLOR_KIND_RGB | 0x0a0b0c};
        struct pen pen = {.fg = colors[rig_random(&seed) % 5],
                          .bg = colors[rig_random(&seed) % 5],
                          .flags = (uint16_t)(rig_random(&seed) % PEN_PROTECTED),
                          .underline = (uint16_t)(rig_random(&seed) % 6)};
        if (pen.underline && rig_random(&seed) % 2)
            pen.underline_color = COLOR_KIND_256 | 9;
        struct outbuf out = {0};
        sgr_write(&out, i ? &before : NULL, &pen);
        screen_feed(r.s, out.p, out.len);
        rig_feed(&r, "x\r");
        assert_true(pen_equal(&screen_row(r.s, 0)[0].pen, &pen));
        out.len = 0;
        sgr_write(&out, &pen, &pen);
        assert_int_equal(out.len, 0);
        outbuf_clear(&out);
        before = pen;
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_scrolled_lines),
        cmocka_unit_test(test_alternate),
        cmocka_unit_test(test_outbuf),
        cmocka_unit_test(test_sgr_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
