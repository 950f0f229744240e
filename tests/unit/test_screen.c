/* The screen: what crashes libvterm, what libvterm does otherwise, random bytes, resizes, getters.
 */
#include "tests/unit/screen_rig.h"

#include <stdlib.h>

/* --- what ended the process when libvterm got it directly ----------------------------------------
 */

static void test_many_parameters(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    for (int piece = 0; piece < 2; piece++) {
        rig_feed(&r, "\033[");
        for (int i = 0; i < 500; i++)
            rig_feed(&r, "1;");
        rig_feed(&r, "31mred");
    }
    rig_expect_row(&r, 0, "redred");
    assert_int_equal(screen_row(r.s, 0)[0].pen.flags, PEN_BOLD);
    rig_close(&r);
}

static void test_wide_in_narrow(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 1, 1, 10);
    assert_int_equal(screen_cols(r.s), SCREEN_COLS_MIN);
    assert_int_equal(screen_rows(r.s), SCREEN_ROWS_MIN);
    rig_repeat(&r, "\xe6\xbc\xa2", 10);
    rig_expect_row(&r, 1, "\xe6\xbc\xa2");
    rig_feed(&r, "\033[1;2H\xe6\xbc\xa2\033[5b");
    rig_close(&r);
}

static void test_large_write(void **state)
{
    (void)state;
    struct rig r;
    size_t n = 4u << 20;
    uint8_t *text = malloc(n);
    memset(text, 'x', n);
    rig_open(&r, 80, 24, 100);
    screen_feed(r.s, text, n);
    rig_expect_cursor(&r, n % 80, 23);
    assert_int_equal(screen_history_count(r.s), 100);
    free(text);
    rig_close(&r);
}

static void test_shrink_rows_at_top(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    rig_feed(&r, "top\r\nsecond\033[1;1H");
    assert_int_equal(screen_resize(r.s, 80, 4), ERR_OK);
    rig_expect_cursor(&r, 0, 0);
    rig_feed(&r, "\033[K\033[J\033[1J");
    rig_expect_row(&r, 0, "");
    rig_close(&r);
}

static void test_resize_to_nothing(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    rig_feed(&r, "text");
    assert_int_equal(screen_resize(r.s, 0, 0), ERR_OK);
    rig_feed(&r, "more output\r\n\033[2J\xe6\xbc\xa2");
    assert_int_equal(screen_resize(r.s, 65535, 65535), ERR_OK);
    assert_int_equal(screen_cols(r.s), SCREEN_COLS_MAX);
    assert_int_equal(screen_rows(r.s), SCREEN_ROWS_MAX);
    rig_feed(&r, "x");
    rig_close(&r);
}

static void test_restore_after_shrink(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    rig_feed(&r, "\033[24;80H\0337\033[1;1H");
    assert_int_equal(screen_resize(r.s, 10, 5), ERR_OK);
    rig_feed(&r, "\0338xyz");
    rig_expect_row(&r, 3, "         x");
    rig_expect_row(&r, 4, "yz");
    rig_close(&r);
}

static void test_split_title(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    rig_feed(&r, "\033]2;half ");
    assert_string_equal(screen_title(r.s), "");
    rig_feed(&r, "and half\033");
    rig_feed(&r, "\\");
    assert_string_equal(screen_title(r.s), "half and half");
    assert_int_equal(r.titles, 1);
    rig_close(&r);
}

static void test_region_and_shrink(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 80, 24, 100);
    rig_feed(&r, "\033[10;20r\033[20;1Hx");
    assert_int_equal(screen_resize(r.s, 80, 12), ERR_OK);
    rig_repeat(&r, "line\r\n", 50);
    rig_feed(&r, "\033M\033[5L\033[5M");
    assert_int_equal(screen_resize(r.s, 2, 2), ERR_OK);
    rig_repeat(&r, "\n\033M", 50);
    rig_close(&r);
}

static void test_repeat_wide_at_margin(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 9, 3, 5);
    rig_feed(&r, "\033[1;8H\xe6\xbc\xa2\033[100b\033[2;9H\xe6\xbc\xa2\033[100b");
    rig_feed(&r, "\xe6\xbc\xa2\033[2147483647b");
    rig_expect_row(&r, 1, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2");
    rig_close(&r);
}

static void test_split_character(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 3, 5);
    for (const char *c = "\xe6\xbc\xa2\xf0\x9f\x99\x82"
                         "e\xcc\x81";
         *c; c++)
        screen_feed(r.s, (const uint8_t *)c, 1);
    rig_expect_row(&r, 0,
                   "\xe6\xbc\xa2\xf0\x9f\x99\x82"
                   "e\xcc\x81");
    rig_expect_cursor(&r, 5, 0);
    rig_close(&r);
}

/* --- where xterm.js and libvterm differ
 * -------------------------------------------------------------- */

struct rule {
    const char *input;
    const char *first; /* row 0 */
    uint16_t x;
    uint16_t y;
};

static const struct rule rules[] = {
    /* halves of wide characters */
    {"\xe6\xbc\xa2\xe5\xad\x97\033[1;1Hx", "x \xe5\xad\x97", 1, 0},
    {"\xe6\xbc\xa2\xe5\xad\x97\033[1;2Hx", " x\xe5\xad\x97", 2, 0},
    {"\xe6\xbc\xa2\xe5\xad\x97\033[1;2H\xe6\xbc\xa2", " \xe6\xbc\xa2", 3, 0},
    {"\xe6\xbc\xa2"
     "b\033[1;2H\033[X",
     "  b", 1, 0},
    {"123456789\xe6\xbc\xa2", "123456789", 2, 1},
    /* CSI s and u save and restore */
    {"\033[3;4H\033[s\033[1;1Hab\033[uc", "ab", 4, 2},
    /* a pending wrap survives erasing and is lost by restoring */
    {"1234567890\033[Kx", "1234567890", 1, 1},
    {"1234567890\0337\033[1;1H\0338x", "123456789x", 9, 0},
    {"1234567890\rx", "x234567890", 1, 0},
    /* the cursor stops at the region's margins */
    {"\033[2;3r\033[2;5H\033[9A", "", 4, 1},
    {"\033[2;3r\033[3;5H\033[9B", "", 4, 2},
    {"\033[2;3r\033[4;5H\033[9B", "", 4, 3},
    /* left and right margins do not exist */
    {"\033[?69h\033[3;5sab", "ab", 2, 0},
    /* eight-bit controls, APC, PM, SOS */
    {"a\xc2\x85"
     "b",
     "a", 1, 1},
    {"\033_x\033\\\033^y\033\\\033Xz\033\\a", "a", 1, 0},
    /* invalid UTF-8 takes no room */
    {"a\xff\xc3"
     "b",
     "ab", 2, 0},
    /* ?47 and 1047 switch without saving, and clear */
    {"a\033[?47hb\033[?47lc", "a c", 3, 0},
    {"a\033[?1049hb\033[?1049lc", "ac", 2, 0},
    /* combining characters, alone ones too */
    {"e\xcc\x81\xcc\x82x", "e\xcc\x81\xcc\x82x", 2, 0},
    {"a\033[1;1H\xcc\x81", "\xcc\x81", 1, 0},
    /* line drawing */
    {"\033(0lqk\033(Bq", "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x90q", 4, 0},
    {"\033)0\016q\017q", "\xe2\x94\x80q", 2, 0},
    /* REP, tabs, insert mode, no autowrap */
    {"ab\033[3b", "abbbb", 5, 0},
    {"a\tb", "a       b", 9, 0},
    {"bc\r\033[4ha", "abc", 1, 0},
    {"\033[?7l123456789012", "1234567892", 9, 0},
    {"\033#8", "EEEEEEEEEE", 0, 0},
    /* origin mode */
    {"\033[2;3r\033[?6h\033[1;1Hx", "", 1, 1},
    {"\033[20ha\nb", "a", 1, 1},
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct rig r;
        rig_open(&r, 10, 4, 10);
        rig_feed(&r, rules[i].input);
        rig_expect_row(&r, 0, rules[i].first);
        rig_expect_cursor(&r, rules[i].x, rules[i].y);
        rig_close(&r);
    }
}

/* --- attributes
 * --------------------------------------------------------------------------------------- */

struct pen_rule {
    const char *sgr;
    struct pen pen;
};

static const struct pen_rule pens[] = {
    {"\033[1;2;3;5;7;8;9;53m",
     {.flags = PEN_BOLD | PEN_DIM | PEN_ITALIC | PEN_BLINK | PEN_INVERSE | PEN_CONCEAL |
               PEN_STRIKE | PEN_OVERLINE}},
    {"\033[1;2;22m", {0}},
    {"\033[31;42m", {.fg = COLOR_KIND_16 | 1, .bg = COLOR_KIND_16 | 2}},
    {"\033[97;100m", {.fg = COLOR_KIND_16 | 15, .bg = COLOR_KIND_16 | 8}},
    {"\033[38;5;200;48;5;1m", {.fg = COLOR_KIND_256 | 200, .bg = COLOR_KIND_256 | 1}},
    {"\033[38;2;1;2;3m", {.fg = COLOR_KIND_RGB | 0x010203}},
    {"\033[38:2::1:2:3m", {.fg = COLOR_KIND_RGB | 0x010203}},
    {"\033[38:5:9m", {.fg = COLOR_KIND_256 | 9}},
    {"\033[38;2;1;2;3;31m", {.fg = COLOR_KIND_16 | 1}},
    {"\033[4m", {.underline = UNDERLINE_SINGLE}},
    {"\033[4:3;58;5;9m", {.underline = UNDERLINE_CURLY, .underline_color = COLOR_KIND_256 | 9}},
    {"\033[21m", {.underline = UNDERLINE_DOUBLE}},
    {"\033[4;24m", {0}},
    {"\033[1;31;4mx\033[0m\r", {0}},
    {"\033[1\"q", {.flags = PEN_PROTECTED}},
};

static void test_pens(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pens / sizeof pens[0]; i++) {
        struct rig r;
        rig_open(&r, 10, 3, 0);
        rig_feed(&r, pens[i].sgr);
        rig_feed(&r, "x");
        const struct cell *cell = &screen_row(r.s, 0)[0];
        assert_true(pen_equal(&cell->pen, &pens[i].pen));
        rig_close(&r);
    }
}

static void test_links(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 3, 10);
    rig_feed(&r, "\033]8;a=b:id=7;http://a.example/;x\alink\033]8;;\a-");
    const struct cell *cells = screen_row(r.s, 0);
    const char *id;
    assert_string_equal(screen_link(r.s, cells[0].pen.link, &id), "http://a.example/;x");
    assert_string_equal(id, "7");
    assert_int_equal(cells[3].pen.link, cells[0].pen.link);
    assert_int_equal(cells[4].pen.link, 0);
    assert_null(screen_link(r.s, 0, NULL));
    /* also from scrollback */
    rig_repeat(&r, "\r\n", 5);
    uint16_t n;
    cells = screen_line(r.s, 0, &n);
    assert_non_null(cells);
    assert_string_equal(screen_link(r.s, cells[3].pen.link, NULL), "http://a.example/;x");
    rig_close(&r);
}

/* Pens, clusters and links that nothing uses any more are given back. */
static void test_many_pens(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 3, 0);
    char text[128];
    for (int i = 0; i < 30000; i++) {
        snprintf(text, sizeof text, "\033]8;;http://a.example/%d\a\033[38;2;%d;%d;%dma\xcc%c\r", i,
                 i >> 16, i >> 8 & 255, i & 255, 0x80 + i % 40);
        rig_feed(&r, text);
    }
    rig_feed(&r, "x");
    const struct cell *cells = screen_row(r.s, 0);
    assert_int_equal(cells[0].pen.fg, COLOR_KIND_RGB | 29999);
    assert_string_equal(screen_link(r.s, cells[0].pen.link, NULL), "http://a.example/29999");
    rig_close(&r);
}

/* --- events and getters
 * -------------------------------------------------------------------------------- */

static void test_events(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 3, 0);
    rig_feed(&r, "\a\a\033]7;file://host/tmp\a\033]52;c;aGVsbG8=\a\033]52;c;?\a\033]52;c;%%\a");
    assert_int_equal(r.bells, 2);
    assert_int_equal(r.cwds, 1);
    assert_string_equal(screen_cwd(r.s), "file://host/tmp");
    assert_int_equal(r.clipboard.len, 5);
    assert_memory_equal(r.clipboard.p, "hello", 5);
    assert_int_equal(r.replies.len, 0);
    rig_close(&r);
}

static void test_titles(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 3, 0);
    rig_feed(&r, "\033]0;one\a\033[22t\033]2;two\a\033[22;2t\033]2;three\a");
    assert_string_equal(screen_title(r.s), "three");
    rig_feed(&r, "\033[23t");
    assert_string_equal(screen_title(r.s), "two");
    rig_feed(&r, "\033[23;2t");
    assert_string_equal(screen_title(r.s), "one");
    rig_feed(&r, "\033[23t\033c");
    assert_string_equal(screen_title(r.s), "one");
    rig_repeat(&r, "\033[22t", 100);
    rig_repeat(&r, "\033[23t", 100);
    rig_close(&r);
}

static void test_modes(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 3, 0);
    uint32_t initial = SCREEN_AUTOWRAP | SCREEN_CURSOR_VISIBLE;
    assert_int_equal(screen_modes(r.s), initial);
    rig_feed(&r, "\033[?1;1004;2004;2026;1002;1006h\033=\033[?1049h\033[3 q");
    assert_int_equal(screen_modes(r.s), initial | SCREEN_APP_CURSOR | SCREEN_FOCUS |
                                            SCREEN_BRACKETED_PASTE | SCREEN_SYNC |
                                            SCREEN_APP_KEYPAD | SCREEN_ALTERNATE);
    assert_int_equal(screen_mouse(r.s), SCREEN_MOUSE_DRAG);
    assert_int_equal(screen_mouse_encoding(r.s), SCREEN_MOUSE_SGR);
    assert_int_equal(screen_cursor(r.s).shape, 3);
    rig_feed(&r, "\033c");
    assert_int_equal(screen_modes(r.s), initial);
    assert_int_equal(screen_mouse(r.s), SCREEN_MOUSE_NONE);
    rig_close(&r);
}

static void test_dirty(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 20, 5, 0);
    screen_clean(r.s);
    assert_false(screen_dirty(r.s));
    rig_feed(&r, "\033[3;1Hx");
    assert_true(screen_dirty(r.s));
    for (uint16_t row = 0; row < 5; row++)
        assert_int_equal(screen_row_dirty(r.s, row), row == 2);
    screen_clean(r.s);
    rig_feed(&r, "\033[5;1H\n");
    for (uint16_t row = 0; row < 5; row++)
        assert_true(screen_row_dirty(r.s, row));
    assert_false(screen_row_dirty(r.s, 5));
    rig_close(&r);
}

static void test_lines(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 3, 5);
    rig_feed(&r, "0123456789abc\r\n\033[31mred\033[m");
    rig_repeat(&r, "\r\nx", 6);
    /* lines 0 and 1 are one wrapped line, 2 is red, then x; 5 are kept */
    assert_int_equal(screen_first_line(r.s), 1);
    assert_int_equal(screen_top_line(r.s), 6);
    assert_int_equal(screen_history_count(r.s), 5);
    uint16_t n;
    const struct cell *cells = screen_line(r.s, 2, &n);
    assert_non_null(cells);
    assert_int_equal(n, 10);
    assert_int_equal(cells[0].text[0], 'r');
    assert_int_equal(cells[0].pen.fg, COLOR_KIND_16 | 1);
    assert_null(screen_line(r.s, 0, &n));
    assert_null(screen_line(r.s, 9, &n));
    cells = screen_line(r.s, 8, &n);
    assert_int_equal(cells[0].text[0], 'x');
    assert_true(screen_line_wrapped(r.s, 0));
    assert_false(screen_line_wrapped(r.s, 1));
    assert_null(screen_row(r.s, 3));
    screen_clear_history(r.s);
    assert_int_equal(screen_history_count(r.s), 0);
    assert_int_equal(screen_top_line(r.s), 6);
    rig_close(&r);
}

/* --- resizing
 * ------------------------------------------------------------------------------------------- */

static void test_resize_rows(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 6, 100);
    rig_feed(&r, "1\r\n2\r\n3\r\n\033[32m4\033[m\r\n5\r\n6");
    assert_int_equal(screen_resize(r.s, 10, 3), ERR_OK);
    assert_int_equal(screen_history_count(r.s), 3);
    rig_expect_row(&r, 0, "4");
    rig_expect_row(&r, 2, "6");
    rig_expect_cursor(&r, 1, 2);
    assert_int_equal(screen_resize(r.s, 10, 5), ERR_OK);
    assert_int_equal(screen_history_count(r.s), 1);
    rig_expect_row(&r, 0, "2");
    rig_expect_row(&r, 2, "4");
    assert_int_equal(screen_row(r.s, 2)[0].pen.fg, COLOR_KIND_16 | 2);
    rig_expect_cursor(&r, 1, 4);
    assert_int_equal(screen_resize(r.s, 10, 9), ERR_OK);
    rig_expect_row(&r, 0, "1");
    rig_expect_row(&r, 5, "6");
    rig_expect_cursor(&r, 1, 5);
    assert_int_equal(screen_top_line(r.s), 0);
    rig_close(&r);
}

static void test_resize_columns(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 3, 100);
    rig_feed(&r, "1234567\xe6\xbc\xa2"
                 "9\r\n\033[44mab\033[K");
    assert_int_equal(screen_resize(r.s, 8, 3), ERR_OK);
    rig_expect_row(&r, 0, "1234567");
    assert_int_equal(screen_resize(r.s, 12, 3), ERR_OK);
    rig_expect_row(&r, 0, "1234567");
    const struct cell *cells = screen_row(r.s, 1);
    assert_int_equal(cells[7].pen.bg, COLOR_KIND_16 | 4);
    assert_int_equal(cells[8].pen.bg, COLOR_DEFAULT);
    rig_close(&r);
}

static void test_resize_alternate(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 10, 4, 100);
    rig_feed(&r, "main\r\nline\033[?1049h\033[2J\033[4;1Hfull");
    assert_int_equal(screen_resize(r.s, 20, 2), ERR_OK);
    rig_expect_row(&r, 1, "full");
    rig_feed(&r, "\033[?1049l");
    rig_expect_row(&r, 0, "main");
    rig_expect_row(&r, 1, "line");
    rig_close(&r);
}

/* --- noise
 * -----------------------------------------------------------------------------------------------
 */

#define NOISE_BYTES 200000

/* Random bytes, pure and biased to escape sequences, at random sizes: nothing breaks, every
 * keyframe can be made. */
static void test_noise(void **state)
{
    (void)state;
    static const char spice[] =
        "\033[]0123456789;?:mHJKhlrABCDLMPXST@b\r\n\t\b78c#()0\a\\P_\xe6\xbc\xa2";
    uint32_t seed = 20240607;
    for (int kind = 0; kind < 3; kind++) {
        struct rig r;
        rig_open(&r, 80, 24, 200);
        for (int at = 0; at < NOISE_BYTES;) {
            uint8_t piece[64];
            size_t n = 1 + rig_random(&seed) % sizeof piece;
            for (size_t i = 0; i < n; i++)
                piece[i] = kind == 0 || (kind == 1 && rig_random(&seed) % 8 == 0)
                               ? (uint8_t)rig_random(&seed)
                               : (uint8_t)spice[rig_random(&seed) % (sizeof spice - 1)];
            screen_feed(r.s, piece, n);
            at += (int)n;
            uint32_t chance = rig_random(&seed) % 200;
            if (chance < 2)
                assert_int_equal(screen_resize(r.s, (uint16_t)(rig_random(&seed) % 130),
                                               (uint16_t)(rig_random(&seed) % 50)),
                                 ERR_OK);
            if (chance < 4) {
                struct outbuf k = rig_keyframe(&r, 50);
                outbuf_clear(&k);
            }
            outbuf_reset(&r.replies);
        }
        assert_true(screen_head(r.s) >= NOISE_BYTES);
        assert_true(screen_cut(r.s) <= screen_head(r.s));
        rig_close(&r);
    }
}

/* A screen that rests again and again is the same screen. */
static void test_rest(void **state)
{
    (void)state;
    static const struct capture_opts all = {
        .start = CAPTURE_FIRST, .end = CAPTURE_LAST, .escapes = true, .trailing = true};
    uint32_t seed = 20240917;
    struct rig rests, works;
    rig_open(&rests, 40, 10, 50);
    rig_open(&works, 40, 10, 50);
    screen_rest(rests.s); /* before anything was written */
    for (int i = 0; i < 600; i++) {
        struct outbuf piece = {0}, a = {0}, b = {0};
        uint32_t chance = rig_random(&seed) % 8;
        rig_piece(&piece, &seed, true);
        screen_feed(rests.s, piece.p, piece.len);
        screen_feed(works.s, piece.p, piece.len);
        if (chance < 3)
            screen_rest(rests.s);
        if (chance == 0) {
            uint16_t cols = (uint16_t)(20 + rig_random(&seed) % 40);
            assert_int_equal(screen_resize(rests.s, cols, 10), screen_resize(works.s, cols, 10));
        }
        assert_int_equal(screen_capture(rests.s, &all, &a), ERR_OK);
        assert_int_equal(screen_capture(works.s, &all, &b), ERR_OK);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.p, b.p, b.len);
        outbuf_clear(&piece);
        outbuf_clear(&a);
        outbuf_clear(&b);
    }
    rig_close(&rests);
    rig_close(&works);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_parameters),
        cmocka_unit_test(test_wide_in_narrow),
        cmocka_unit_test(test_large_write),
        cmocka_unit_test(test_shrink_rows_at_top),
        cmocka_unit_test(test_resize_to_nothing),
        cmocka_unit_test(test_restore_after_shrink),
        cmocka_unit_test(test_split_title),
        cmocka_unit_test(test_region_and_shrink),
        cmocka_unit_test(test_repeat_wide_at_margin),
        cmocka_unit_test(test_split_character),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_pens),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_many_pens),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_dirty),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_resize_rows),
        cmocka_unit_test(test_resize_columns),
        cmocka_unit_test(test_resize_alternate),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
