/* The proof of the differ: whatever frames follow each other, a terminal (our own emulator, which
 * takes xterm.js's word) that is written the differences shows the frames. Then: how few bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/ipc_msg.h"
#include "server/daemon/paint.h"
#include "server/daemon/paint_fit.h"
#include "server/daemon/screen.h"

#define ALL_FLAGS (IPC_CLIENT_TTY | IPC_CLIENT_UTF8 | IPC_CLIENT_COLOURS | IPC_CLIENT_COLOURS_256)

/* --- a painter and the terminal it paints to ---------------------------------------------------
 */

struct rig {
    struct paint *paint;
    struct screen *screen;
    struct frame want;  /* the frame of this round, before fitting */
    struct frame shown; /* what the terminal shows, read back */
    struct outbuf out;
    unsigned flags;
    uint64_t total;
};

static const char *link_of(void *ctx, uint32_t link)
{
    static char uri[32];

    (void)ctx;
    if (link % 7 == 0)
        return link % 2 ? NULL : "https://bad.example/ \033]";
    snprintf(uri, sizeof uri, "https://x.example/%u", link);
    return uri;
}

static void rig_start(struct rig *r, unsigned flags, uint16_t cols, uint16_t rows)
{
    *r = (struct rig){.flags = flags};
    r->paint = paint_create(flags, link_of, r);
    r->screen = screen_create(cols, rows, 0, NULL, NULL);
    assert_non_null(r->paint);
    assert_non_null(r->screen);
    assert_true(frame_resize(&r->want, cols, rows));
}

static void rig_end(struct rig *r)
{
    paint_destroy(r->paint);
    screen_destroy(r->screen);
    frame_clear(&r->want);
    frame_clear(&r->shown);
    outbuf_clear(&r->out);
}

static void copy_frame(struct frame *to, const struct frame *from)
{
    assert_true(frame_resize(to, from->cols, from->rows));
    memcpy(to->cells, from->cells, (size_t)from->cols * from->rows * sizeof *to->cells);
    memcpy(to->wraps, from->wraps, from->rows * sizeof *to->wraps);
    to->cursor = from->cursor;
}

static void paint(struct rig *r)
{
    struct frame *f = paint_begin(r->paint, r->want.cols, r->want.rows);

    assert_non_null(f);
    copy_frame(f, &r->want);
    outbuf_reset(&r->out);
    paint_end(r->paint, &r->out);
    assert_false(r->out.bad);
    screen_feed(r->screen, r->out.p, r->out.len);
    r->total += r->out.len;
}

/* Links of the terminal by their number in our frames. */
static uint32_t link_number(const struct screen *s, uint32_t link)
{
    const char *params, *uri = link ? screen_link(s, link, &params) : NULL;
    unsigned n = 0;

    return uri && sscanf(uri, "https://x.example/%u", &n) == 1 ? n : link ? UINT32_MAX : 0;
}

static void read_back(struct rig *r)
{
    uint16_t cols = screen_cols(r->screen), rows = screen_rows(r->screen);

    assert_true(frame_resize(&r->shown, cols, rows));
    for (uint16_t y = 0; y < rows; y++) {
        frame_put(&r->shown, y, 0, screen_row(r->screen, y), cols);
        for (uint16_t x = 0; x < cols; x++) {
            struct cell *c = &frame_row(&r->shown, y)[x];
            c->pen.link = link_number(r->screen, c->pen.link);
        }
        r->shown.wraps[y] = screen_line_wrapped(r->screen, screen_top_line(r->screen) + y);
    }
    paint_fit(&r->shown, ALL_FLAGS);
}

static void describe(const char *what, const struct cell *c)
{
    print_message("%s: w%u '%.*s' fg %x bg %x ul %u/%x flags %x link %u\n", what, c->width, c->len,
                  c->text, c->pen.fg, c->pen.bg, c->pen.underline, c->pen.underline_color,
                  c->pen.flags, c->pen.link);
}

/* Links that may not be written are none. */
static void drop_bad_links(struct frame *f)
{
    for (size_t i = 0; i < (size_t)f->cols * f->rows; i++)
        if (f->cells[i].pen.link % 7 == 0)
            f->cells[i].pen.link = 0;
}

static void check_cells(struct rig *r, int round)
{
    for (uint16_t y = 0; y < r->want.rows; y++) {
        for (uint16_t x = 0; x < r->want.cols; x++) {
            const struct cell *want = &frame_row(&r->want, y)[x];
            const struct cell *got = &frame_row(&r->shown, y)[x];
            if (cell_equal(want, got))
                continue;
            describe("want", want);
            describe("got ", got);
            fail_msg("round %d: cell %u,%u of %ux%u", round, x, y, r->want.cols, r->want.rows);
        }
        if (r->want.wraps[y] != r->shown.wraps[y])
            fail_msg("round %d: wrap of row %u: want %d", round, y, r->want.wraps[y]);
    }
}

static void check(struct rig *r, int round)
{
    struct screen_cursor c = screen_cursor(r->screen);

    read_back(r);
    paint_fit(&r->want, r->flags);
    drop_bad_links(&r->want);
    check_cells(r, round);
    assert_int_equal(c.visible, r->want.cursor.visible);
    if (c.visible) {
        assert_int_equal(c.x, r->want.cursor.x);
        assert_int_equal(c.y, r->want.cursor.y);
        assert_false(c.pending_wrap);
    }
    assert_int_equal(c.shape, r->want.cursor.shape);
}

/* --- random frames ------------------------------------------------------------------------------
 */

static uint32_t rng_state = 1;

static uint32_t rnd(uint32_t below)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state % below;
}

static cell_color random_color(void)
{
    switch (rnd(5)) {
    case 0:
        return COLOR_KIND_16 | rnd(16);
    case 1:
        return COLOR_KIND_256 | rnd(256);
    case 2:
        return COLOR_KIND_RGB | rnd(0x1000000);
    default:
        return COLOR_DEFAULT;
    }
}

static struct pen random_pen(void)
{
    struct pen p = {0};

    if (rnd(3) == 0)
        return p;
    p.fg = random_color();
    p.bg = rnd(3) ? COLOR_DEFAULT : random_color();
    if (rnd(4) == 0)
        p.flags = (uint16_t)(rnd(512) & ~(uint32_t)PEN_PROTECTED);
    if (rnd(8) == 0) {
        p.underline = (uint16_t)rnd(6);
        p.underline_color = p.underline ? random_color() : COLOR_DEFAULT;
    }
    if (rnd(8) == 0)
        p.link = 1 + rnd(20);
    return p;
}

static const char *const glyphs[] = {
    "a",  "b",         "Z",  "~",
    "#",  " ",         " ",  "é",
    "ß",  "─",         "█",  "→",
    "✓",  "e\xcc\x81", "漢", "字",
    "한", "😀",         "👍",  "\xf0\x9f\x91\xa8\xe2\x80\x8d",
    "ア", "ｱ",         "①",  "\xe2\x9d\xa4\xef\xb8\x8f",
};

static void random_run(struct frame *f)
{
    uint16_t y = (uint16_t)rnd(f->rows), x = (uint16_t)rnd(f->cols);
    uint16_t end = (uint16_t)(x + 1 + rnd(rnd(4) ? 6 : f->cols));
    struct pen pen = random_pen();

    for (; x < end && x < f->cols;) {
        const char *g = glyphs[rnd(sizeof glyphs / sizeof glyphs[0])];
        uint16_t after = frame_text(f, y, x, f->cols, &pen, g, strlen(g));
        if (after == x) /* wide, and no room */
            frame_fill(f, y, x, 1, &pen);
        x = after == x ? (uint16_t)(x + 1) : after;
        if (rnd(10) == 0)
            pen = random_pen();
    }
}

static void random_scroll(struct frame *f)
{
    uint16_t top = (uint16_t)rnd(f->rows), bottom = (uint16_t)(top + rnd((uint32_t)f->rows - top));
    uint16_t by = (uint16_t)(1 + rnd(3));
    bool up = rnd(2);

    for (uint16_t i = 0; top + by + i <= bottom; i++) {
        uint16_t to = up ? (uint16_t)(top + i) : (uint16_t)(bottom - i);
        uint16_t from = up ? (uint16_t)(to + by) : (uint16_t)(to - by);
        memcpy(frame_row(f, to), frame_row(f, from), f->cols * sizeof(struct cell));
        f->wraps[to] = f->wraps[from];
    }
}

static void random_change(struct frame *f)
{
    uint16_t y = (uint16_t)rnd(f->rows);

    switch (rnd(10)) {
    case 0:
        random_scroll(f);
        break;
    case 1:
        frame_fill(f, y, (uint16_t)rnd(f->cols), f->cols, &frame_pen_default);
        break;
    case 2:
        f->wraps[y] = !f->wraps[y];
        break;
    case 3: {
        struct pen pen = random_pen();
        frame_fill(f, y, (uint16_t)rnd(f->cols), f->cols, &pen);
        break;
    }
    case 4:
        f->wraps[y] = true;
        random_run(f);
        break;
    case 5:
        if (rnd(10) == 0)
            frame_blank(f);
        break;
    default:
        random_run(f);
    }
}

static void random_frame(struct rig *r)
{
    for (uint32_t n = rnd(3) ? rnd(4) : rnd(60); n > 0; n--)
        random_change(&r->want);
    if (rnd(3) == 0)
        r->want.cursor = (struct frame_cursor){
            (uint16_t)rnd(r->want.cols), (uint16_t)rnd(r->want.rows), rnd(4) != 0, (uint8_t)rnd(7)};
}

static void random_size(struct rig *r)
{
    uint16_t cols = (uint16_t)(2 + rnd(40)), rows = (uint16_t)(2 + rnd(20));

    assert_true(frame_resize(&r->want, cols, rows));
    assert_int_equal(screen_resize(r->screen, cols, rows), ERR_OK);
    paint_invalidate(r->paint);
}

/* Fitting again what was fitted changes nothing, so frames may be derived from fitted ones. */
static void run_random(unsigned flags, uint32_t seed, int rounds)
{
    struct rig r;

    rng_state = seed;
    rig_start(&r, flags, 20, 8);
    for (int round = 0; round < rounds; round++) {
        if (rnd(200) == 0)
            random_size(&r);
        if (rnd(100) == 0)
            paint_invalidate(r.paint);
        random_frame(&r);
        paint(&r);
        check(&r, round);
    }
    rig_end(&r);
}

static void random_frames_are_shown(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++)
        run_random(ALL_FLAGS, seed, 500);
}

static void random_frames_on_lesser_terminals(void **state)
{
    const unsigned flags[] = {
        IPC_CLIENT_TTY,
        IPC_CLIENT_TTY | IPC_CLIENT_UTF8,
        IPC_CLIENT_TTY | IPC_CLIENT_COLOURS_256,
        IPC_CLIENT_TTY | IPC_CLIENT_UTF8 | IPC_CLIENT_COLOURS_256,
    };

    (void)state;
    for (uint32_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        run_random(flags[i], 100 + i, 1500);
}

/* --- how few bytes -----------------------------------------------------------------------------
 */

static void put(struct rig *r, uint16_t row, uint16_t col, const char *text)
{
    frame_text(&r->want, row, col, r->want.cols, &frame_pen_default, text, strlen(text));
}

static void cursor(struct rig *r, uint16_t x, uint16_t y)
{
    r->want.cursor = (struct frame_cursor){x, y, true, 0};
}

static void expect_bytes(struct rig *r, const char *bytes)
{
    paint(r);
    check(r, 0);
    outbuf_byte(&r->out, 0);
    assert_string_equal((const char *)r->out.p, bytes);
}

static void small_changes_are_small(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r, ALL_FLAGS, 40, 6);
    put(&r, 0, 0, "$ ");
    cursor(&r, 2, 0);
    paint(&r);
    check(&r, 0);

    expect_bytes(&r, ""); /* nothing */
    put(&r, 0, 2, "l");   /* a key's echo */
    cursor(&r, 3, 0);
    expect_bytes(&r, "l");
    put(&r, 0, 2, " "); /* backspace */
    cursor(&r, 2, 0);
    expect_bytes(&r, "\b\033[K");
    put(&r, 0, 2, "ls");
    cursor(&r, 4, 0);
    expect_bytes(&r, "ls");
    put(&r, 1, 0, "file"); /* a line of output and a prompt */
    put(&r, 2, 0, "$ ");
    cursor(&r, 2, 2);
    expect_bytes(&r, "\033[?25l\r\nfile\r\n$ \033[?25h");
    frame_fill(&r.want, 1, 0, 40, &frame_pen_default);
    expect_bytes(&r, "\033[?25l\033[2H\033[K\033[3;3H\033[?25h");
    r.want.cursor.visible = false;
    expect_bytes(&r, "\033[?25l");
    r.want.cursor.visible = true;
    r.want.cursor.shape = 6;
    expect_bytes(&r, "\033[6 q\033[?25h");
    rig_end(&r);
}

static void short_gaps_are_bridged(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r, ALL_FLAGS, 40, 3);
    put(&r, 0, 0, "0123456789abcdef");
    cursor(&r, 0, 0);
    paint(&r);
    put(&r, 0, 0, "x12x456789abcdex");
    cursor(&r, 16, 0);
    expect_bytes(&r, "x12x\033[11Cx");
    rig_end(&r);
}

static void fill_numbered(struct rig *r, unsigned first, uint16_t rows)
{
    char text[40];

    for (uint16_t y = 0; y < rows; y++) {
        snprintf(text, sizeof text, "line %u with some text", first + y);
        frame_fill(&r->want, y, 0, r->want.cols, &frame_pen_default);
        put(r, y, 0, text);
    }
}

/* A screenful that moves costs the new lines, not the screen. */
static void moved_rows_are_scrolled(void **state)
{
    static const int moves[] = {1, 1, 3, -1, -5, 10};
    struct rig r;
    unsigned first = 100;

    (void)state;
    rig_start(&r, ALL_FLAGS, 60, 24);
    fill_numbered(&r, first, 23);
    put(&r, 23, 0, "[status]");
    paint(&r);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        first = (unsigned)((int)first + moves[i]);
        fill_numbered(&r, first, 23);
        paint(&r);
        check(&r, (int)i);
        assert_in_range(r.out.len, 1, 40 + 30 * abs(moves[i]));
    }
    rig_end(&r);
}

/* A line that goes on is written without a cursor movement, so that a terminal's selection takes it
 * as one. */
static void wrapped_rows_are_one_line(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r, ALL_FLAGS, 10, 4);
    paint(&r);
    put(&r, 1, 0, "0123456789");
    put(&r, 2, 0, "abc");
    r.want.wraps[1] = true;
    expect_bytes(&r, "\r\n0123456789a\033[3;2Hbc");
    r.want.wraps[1] = false;
    paint(&r);
    check(&r, 1);
    rig_end(&r);
}

static void last_cell_does_not_scroll(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r, ALL_FLAGS, 10, 3);
    for (uint16_t y = 0; y < 3; y++)
        put(&r, y, 0, "##########");
    paint(&r);
    check(&r, 0);
    put(&r, 2, 9, "x");
    put(&r, 0, 0, "y");
    paint(&r);
    check(&r, 1);
    rig_end(&r);
}

/* The control characters and broken cells that no frame should hold do no harm. */
static void hostile_cells_are_defused(void **state)
{
    struct rig r;
    static const struct cell cells[] = {
        {.width = 1, .len = 1, .text = "\033"},     {.width = 1, .len = 1, .text = "\n"},
        {.width = 1, .len = 2, .text = "\xc2\x9b"}, {.width = 0, .len = 0},
        {.width = 2, .len = 3, .text = "漢"},       {.width = 1, .len = 1, .text = "x"},
        {.width = 1, .len = 1, .text = "\177"},     {.width = 2, .len = 3, .text = "漢"},
    };

    (void)state;
    rig_start(&r, ALL_FLAGS, 8, 2);
    frame_put(&r.want, 0, 0, cells, 8);
    paint(&r);
    check(&r, 0);
    for (uint16_t x = 0; x < 8; x++)
        assert_int_equal(frame_row(&r.shown, 0)[x].text[0], x == 5 ? 'x' : ' ');
    rig_end(&r);
}

static void colors_come_down(void **state)
{
    static const struct {
        cell_color from, to_256, to_16;
    } table[] = {
        {COLOR_DEFAULT, COLOR_DEFAULT, COLOR_DEFAULT},
        {COLOR_KIND_16 | 5, COLOR_KIND_16 | 5, COLOR_KIND_16 | 5},
        {COLOR_KIND_256 | 9, COLOR_KIND_256 | 9, COLOR_KIND_16 | 9},
        {COLOR_KIND_256 | 16, COLOR_KIND_256 | 16, COLOR_KIND_16 | 0},
        {COLOR_KIND_256 | 231, COLOR_KIND_256 | 231, COLOR_KIND_16 | 15},
        {COLOR_KIND_RGB | 0x000000, COLOR_KIND_256 | 16, COLOR_KIND_16 | 0},
        {COLOR_KIND_RGB | 0xffffff, COLOR_KIND_256 | 231, COLOR_KIND_16 | 15},
        {COLOR_KIND_RGB | 0xff0000, COLOR_KIND_256 | 196, COLOR_KIND_16 | 9},
        {COLOR_KIND_RGB | 0x5f87af, COLOR_KIND_256 | 67, COLOR_KIND_16 | 8},
        {COLOR_KIND_RGB | 0x080808, COLOR_KIND_256 | 232, COLOR_KIND_16 | 0},
        {COLOR_KIND_RGB | 0xeeeeee, COLOR_KIND_256 | 255, COLOR_KIND_16 | 7},
        {COLOR_KIND_RGB | 0x767676, COLOR_KIND_256 | 243, COLOR_KIND_16 | 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(paint_fit_color(table[i].from, ALL_FLAGS), table[i].from);
        assert_int_equal(paint_fit_color(table[i].from, IPC_CLIENT_COLOURS_256), table[i].to_256);
        assert_int_equal(paint_fit_color(table[i].from, 0), table[i].to_16);
    }
}

/* Every colour of the 256 comes down to itself when given as RGB (greys of the cube included). */
static void palette_is_its_own_nearest(void **state)
{
    (void)state;
    for (uint32_t i = 16; i < 232; i++) {
        static const uint32_t levels[] = {0, 95, 135, 175, 215, 255};
        uint32_t n = i - 16;
        uint32_t rgb = levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6];
        assert_int_equal(paint_fit_color(COLOR_KIND_RGB | rgb, IPC_CLIENT_COLOURS_256),
                         COLOR_KIND_256 | i);
    }
    for (uint32_t i = 232; i < 256; i++)
        assert_int_equal(paint_fit_color(COLOR_KIND_RGB | (8 + 10 * (i - 232)) * 0x10101,
                                         IPC_CLIENT_COLOURS_256),
                         COLOR_KIND_256 | i);
}

static void text_without_utf8(void **state)
{
    struct frame f = {0};
    const char text[] = "é─│┌●“x”漢e\xcc\x81…█";

    (void)state;
    assert_true(frame_resize(&f, 20, 1));
    frame_text(&f, 0, 0, 20, &frame_pen_default, text, strlen(text));
    paint_fit(&f, 0);
    const char want[] = "_-|+*\"x\"__e_#";
    for (uint16_t x = 0; want[x]; x++) {
        assert_int_equal(f.cells[x].text[0], want[x]);
        assert_int_equal(f.cells[x].len, 1);
    }
    frame_clear(&f);
}

static void text_is_cut_and_measured(void **state)
{
    struct frame f = {0};

    (void)state;
    assert_true(frame_resize(&f, 6, 2));
    assert_int_equal(frame_text(&f, 0, 1, 6, &frame_pen_default, "a漢bcd", 7), 6);
    assert_int_equal(frame_text(&f, 0, 1, 3, &frame_pen_default, "a漢", 4), 2);
    assert_int_equal(frame_text(&f, 0, 6, 9, &frame_pen_default, "x", 1), 6);
    assert_int_equal(frame_text(&f, 2, 0, 6, &frame_pen_default, "x", 1), 0);
    assert_int_equal(frame_text(&f, 1, 0, 6, &frame_pen_default, "\033\xff\xcc\x81", 4), 2);
    assert_memory_equal(frame_row(&f, 1)->text, "\xef\xbf\xbd", 3);
    assert_int_equal(frame_text_cols("a漢e\xcc\x81", 7), 4);
    assert_int_equal(frame_text_cols("", 0), 0);
    frame_fill(&f, 1, 4, 100, &frame_pen_default);
    frame_put(&f, 5, 0, f.cells, 6);
    frame_clear(&f);
}

/* A painter that shows a secret and then something else keeps nothing of it. */
static void secrets_are_wiped(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r, ALL_FLAGS, 20, 4);
    put(&r, 1, 0, "s3cret");
    paint(&r);
    frame_blank(&r.want);
    paint(&r);
    paint_wipe(r.paint);
    struct frame *back = paint_begin(r.paint, 20, 4);
    assert_memory_equal(frame_row(back, 1)->text, " ", 2); /* the frame before the last */
    paint_end(r.paint, &r.out);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_frames_are_shown),
        cmocka_unit_test(random_frames_on_lesser_terminals),
        cmocka_unit_test(small_changes_are_small),
        cmocka_unit_test(short_gaps_are_bridged),
        cmocka_unit_test(moved_rows_are_scrolled),
        cmocka_unit_test(wrapped_rows_are_one_line),
        cmocka_unit_test(last_cell_does_not_scroll),
        cmocka_unit_test(hostile_cells_are_defused),
        cmocka_unit_test(colors_come_down),
        cmocka_unit_test(palette_is_its_own_nearest),
        cmocka_unit_test(text_without_utf8),
        cmocka_unit_test(text_is_cut_and_measured),
        cmocka_unit_test(secrets_are_wiped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
