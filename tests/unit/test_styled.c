/* Styles and the lines that are drawn with them: what goes where, what is cut first, and ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/styled.h"
#include "tests/unit/frame_text.h"

static const struct pen plain = {0};

struct drawn {
    struct frame f;
    struct styled_ranges ranges;
};

static void draw(struct drawn *d, const char *text, uint16_t cols)
{
    memset(d, 0, sizeof *d);
    assert_true(frame_resize(&d->f, cols, 1));
    frame_blank(&d->f);
    assert_true(styled_draw(text, &plain, &d->f, 0, 0, cols, &d->ranges));
}

static void expect(const char *text, uint16_t cols, const char *want)
{
    struct drawn d;

    draw(&d, text, cols);
    if (strcmp(row_text(&d.f, 0), want) != 0)
        print_message("%s in %u columns:\n", text, cols);
    assert_string_equal(row_text(&d.f, 0), want);
    frame_clear(&d.f);
}

#define LIST "#[list=on]#[list=left-marker]<#[list=right-marker]>#[list=on]"

static void parts_and_what_is_cut(void **state)
{
    (void)state;
    expect("left#[align=right]right", 20, "left           right");
    expect("left#[align=right]right", 8, "leftight"); /* the right from its front */
    expect("left#[align=right]right", 3, "lef");
    expect("left#[align=centre]mid#[align=right]right", 20, "left    mid    right");
    expect("left#[align=centre]mid#[align=right]right", 10, "leftiright");
    expect("left#[align=centre]middle#[align=right]right", 11, "leftddright");
    expect("a#[align=absolute-centre]mid", 11, "a   mid");
    expect("漢字", 3, "漢");
    expect("", 5, "");
    expect("[s] " LIST "0:a 1:b 2:c#[nolist align=right]end", 20, "[s] 0:a 1:b 2:c  end");
    expect("[s] " LIST "0:a 1:b 2:c 3:d#[nolist align=right]end", 16, "[s] 0:a 1:b >end");
}

static void list_keeps_its_focus(void **state)
{
    static const char list[] = LIST "aaaa bbbb #[list=focus]cccc#[list=on] dddd eeee";

    (void)state;
    expect(list, 24, "aaaa bbbb cccc dddd eeee");
    expect(list, 12, "<bb cccc dd>");
    expect(list, 6, "<cccc>");
    expect(list, 1, "c");
}

static void hashes_are_text(void **state)
{
    (void)state;
    expect("##", 10, "#");
    expect("a####b", 10, "a##b");
    expect("##[fg=red]", 10, "#[fg=red]");
    expect("###[fg=red]x", 10, "#x");
    expect("#[fg=red", 10, "");
    expect("#[nonsense]x", 10, "x");
    expect("#", 10, "#");
}

static void looks(void **state)
{
    struct drawn d;

    (void)state;
    draw(&d, "#[fg=red]a#[push-default]#[fg=blue]b#[default]c#[pop-default]d#[default]e", 10);
    assert_int_equal(d.f.cells[0].pen.fg, COLOR_KIND_16 | 1);
    assert_int_equal(d.f.cells[1].pen.fg, COLOR_KIND_16 | 4);
    assert_int_equal(d.f.cells[2].pen.fg, COLOR_KIND_16 | 1);
    assert_int_equal(d.f.cells[3].pen.fg, COLOR_KIND_16 | 1);
    assert_int_equal(d.f.cells[4].pen.fg, COLOR_DEFAULT);
    frame_clear(&d.f);
    draw(&d, "#[fill=#102030]x#[bold,fg=colour9]y", 4);
    assert_int_equal(d.f.cells[3].pen.bg, COLOR_KIND_RGB | 0x102030);
    assert_true(d.f.cells[1].pen.flags & PEN_BOLD);
    frame_clear(&d.f);
}

static void ranges_are_where_text_is(void **state)
{
    struct drawn d;

    (void)state;
    draw(&d,
         "#[range=left]ab#[norange] #[range=window|7]cd#[range=pane|%3]e#[norange]#[align=right "
         "range=session|$2]fg",
         10);
    /* the last one has no end: it is none */
    assert_int_equal(d.ranges.n, 3);
    assert_int_equal(d.ranges.at[0].kind, STATUS_RANGE_LEFT);
    assert_int_equal(d.ranges.at[0].end, 2);
    assert_int_equal(d.ranges.at[1].kind, STATUS_RANGE_WINDOW);
    assert_int_equal(d.ranges.at[1].argument, 7);
    assert_int_equal(d.ranges.at[1].start, 3);
    assert_int_equal(d.ranges.at[1].end, 5);
    assert_int_equal(d.ranges.at[2].kind, STATUS_RANGE_PANE);
    assert_int_equal(d.ranges.at[2].argument, 3);
    frame_clear(&d.f);
    draw(&d, "#[align=right range=right]fghij#[norange]", 3);
    assert_int_equal(d.ranges.n, 1);
    assert_int_equal(d.ranges.at[0].start, 0);
    assert_int_equal(d.ranges.at[0].end, 3);
    frame_clear(&d.f);
}

static void any_text_at_any_width(void **state)
{
    static const char *const bits[] = {"#[",
                                       "]",
                                       "#[list=on]",
                                       "#[nolist]",
                                       "#[align=right]",
                                       "#[align=centre]",
                                       "#[list=focus]",
                                       "#[range=window|1]",
                                       "#[norange]",
                                       "漢",
                                       "x",
                                       "##",
                                       "#[list=left-marker]",
                                       "#[align=absolute-centre]",
                                       "#[push-default]",
                                       "\001"};
    uint32_t seed = 7;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct drawn d;
        char text[512] = "";
        uint16_t cols = (uint16_t)(1 + i % 40);

        for (int k = 0; k < 12; k++) {
            seed = seed * 1664525 + 1013904223;
            strcat(text, bits[seed >> 16 & 15]);
        }
        draw(&d, text, cols);
        for (size_t k = 0; k < d.ranges.n; k++) {
            assert_true(d.ranges.at[k].start < d.ranges.at[k].end);
            assert_true(d.ranges.at[k].end <= cols);
        }
        frame_clear(&d.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_what_is_cut),    cmocka_unit_test(list_keeps_its_focus),
        cmocka_unit_test(hashes_are_text),          cmocka_unit_test(looks),
        cmocka_unit_test(ranges_are_where_text_is), cmocka_unit_test(any_text_at_any_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
