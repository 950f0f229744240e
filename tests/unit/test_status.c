/* The status line at all widths: what stands where, what goes first, and that the mark stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/daemon/session.h"
#include "server/daemon/status.h"
#include "tests/unit/frame_text.h"

static struct window second = {.index = 1, .name = "logs"};
static struct window first = {.index = 0, .name = "sh", .next = &second};
static struct session session = {.name = "work", .windows = &first, .current = &first};

/* 2024-01-02 03:04:05 UTC; main sets the zone. */
#define NOW_S 1704164645

struct line {
    uint16_t cols;
    struct status status;
    const char *text;
};

static const struct line lines[] = {
    {40, {.session = &session, .now_s = NOW_S}, "[work] 0:sh* 1:logs                03:04"},
    {60,
     {.session = &session, .now_s = NOW_S, .title = "vim"},
     "[work] 0:sh* 1:logs                             \"vim\"  03:04"},
    {60,
     {.session = &session, .now_s = NOW_S, .title = "vim", .shared = true, .viewers = 2},
     "[work] 0:sh* 1:logs               ● 2 watching  \"vim\"  03:04"},
    {45,
     {.session = &session, .now_s = NOW_S, .title = "vim", .shared = true, .viewers = 2},
     "[work] 0:sh* 1:logs       ● 2 watching  03:04"},
    {36,
     {.session = &session, .now_s = NOW_S, .title = "vim", .shared = true, .viewers = 2},
     "[work] 0:sh* 1:logs     ● 2 watching"},
    {24,
     {.session = &session, .now_s = NOW_S, .title = "vim", .shared = true, .viewers = 2},
     "[work] 0:s… ● 2 watching"},
    {12, {.session = &session, .now_s = NOW_S, .shared = true, .viewers = 2}, "● 2 watching"},
    {50,
     {.session = &session, .now_s = NOW_S, .message = "hello"},
     "hello                                        03:04"},
    {50,
     {.session = &session, .now_s = NOW_S, .message = "hello", .shared = true, .viewers = 2},
     "hello                          ● 2 watching  03:04"},
    {60,
     {.session = &session, .now_s = NOW_S, .read_only = true, .ended = "exited 0"},
     "[work] 0:sh* 1:logs (read-only) exited 0               03:04"},
    {60,
     {.session = &session, .now_s = NOW_S, .title = "a\033]0;b\a漢"},
     "[work] 0:sh* 1:logs                       \"a\xef\xbf\xbd]0;b\xef\xbf\xbd漢\"  03:04"},
};

static void lines_as_expected(void **state)
{
    struct frame f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_true(frame_resize(&f, lines[i].cols, 2));
        frame_blank(&f);
        status_draw(&lines[i].status, &f, 1);
        assert_string_equal(row_text(&f, 1), lines[i].text);
        assert_string_equal(row_text(&f, 0), "");
    }
    frame_clear(&f);
}

static void mark_stays_at_every_width(void **state)
{
    struct frame f = {0};
    struct status s = {.session = &session, .now_s = NOW_S, .shared = true, .viewers = 2};

    (void)state;
    s.title = "a title that is far longer than what there is room for in any status line";
    for (uint16_t cols = 1; cols < 200; cols++) {
        assert_true(frame_resize(&f, cols, 1));
        s.viewers = 2;
        s.message = NULL;
        status_draw(&s, &f, 0);
        assert_int_equal(frame_has(&f, "● 2 watching"), cols >= 12);
        s.message = "a message, also longer than many terminals are wide, with 漢字 in it";
        status_draw(&s, &f, 0);
        assert_int_equal(frame_has(&f, "● 2 watching"), cols >= 12);
        s.viewers = 0;
        status_draw(&s, &f, 0);
        assert_int_equal(frame_has(&f, "● shared"), cols >= 8);
    }
    frame_clear(&f);
}

static void mark_is_red_and_bold(void **state)
{
    struct frame f = {0};
    struct status s = {.session = &session, .now_s = NOW_S, .shared = true, .viewers = 2};

    (void)state;
    assert_true(frame_resize(&f, 12, 1));
    status_draw(&s, &f, 0);
    assert_int_equal(f.cells[0].pen.fg, COLOR_KIND_16 | 9);
    assert_true(f.cells[0].pen.flags & PEN_BOLD);
    frame_clear(&f);
}

static void long_titles_are_cut(void **state)
{
    struct frame f = {0};
    struct status s = {.session = &session, .now_s = NOW_S};

    (void)state;
    s.title = "0123456789012345678901234567890123456789012345678901234567890123456789";
    assert_true(frame_resize(&f, 100, 1));
    status_draw(&s, &f, 0);
    assert_true(frame_has(&f, "  \"01234567890123456789012345678901234567…  03:04"));
    frame_clear(&f);
}

static void clock_turns_with_the_minute(void **state)
{
    (void)state;
    assert_int_equal(status_clock_ms(NOW_S), 55000);
    assert_int_equal(status_clock_ms(NOW_S - 5), 60000);
    assert_int_equal(status_clock_ms(NOW_S - 6), 1000);
    assert_int_equal(status_clock_ms(-1), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_as_expected),           cmocka_unit_test(mark_stays_at_every_width),
        cmocka_unit_test(mark_is_red_and_bold),        cmocka_unit_test(long_titles_are_cut),
        cmocka_unit_test(clock_turns_with_the_minute),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
