/* The prompt: editing as a table of keys and what is left, the history, and drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/keynames.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/prompt.h"
#include "tests/unit/frame_text.h"

/* Presses keys by their names, apart by blanks. */
static enum prompt_result press(struct prompt *p, const char *keys)
{
    enum prompt_result result = PROMPT_MORE;
    char text[256];

    snprintf(text, sizeof text, "%s", keys);
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        struct outbuf bytes = {0};

        assert_int_equal(result, PROMPT_MORE);
        assert_int_equal(keynames_encode(name, 0, &bytes), ERR_OK);
        result = prompt_key(p, keynames_parse(name), bytes.p, bytes.len);
        assert_true(p->at <= p->len && p->len == strlen(p->text));
        outbuf_clear(&bytes);
    }
    return result;
}

static void editing(void **state)
{
    static const struct {
        const char *begin, *keys, *text;
        size_t at;
    } lines[] = {
        {"", "a b é", "abé", 4},         {"abc", "Left x", "abxc", 3},
        {"abc", "Home x", "xabc", 1},    {"abc", "C-a C-e x", "abcx", 4},
        {"abc", "BSpace", "ab", 2},      {"aé", "BSpace", "a", 1},
        {"éa", "Home DC", "a", 0},       {"éa", "Home Right Right Right x", "éax", 4},
        {"abc", "Left C-k", "ab", 2},    {"abc", "Left C-u x", "x", 1},
        {"one two  ", "C-w", "one ", 4}, {"", "BSpace DC Left Right C-w C-k", "", 0},
        {"a", "F5 M-x C-Up", "a", 1},    {"a", "Space b", "a b", 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct prompt p;

        prompt_open(&p, ":", lines[i].begin, false);
        assert_int_equal(press(&p, lines[i].keys), PROMPT_MORE);
        assert_string_equal(p.text, lines[i].text);
        assert_int_equal(p.at, lines[i].at);
    }
}

static void ways_to_end(void **state)
{
    struct prompt p;

    (void)state;
    prompt_open(&p, "l", "x", false);
    assert_int_equal(press(&p, "Enter"), PROMPT_DONE);
    assert_int_equal(press(&p, "C-c"), PROMPT_GONE);
    assert_int_equal(press(&p, "Escape"), PROMPT_GONE);
    prompt_open(&p, "sure?", "", true);
    assert_int_equal(press(&p, "y"), PROMPT_DONE);
    assert_string_equal(p.text, "y");
    prompt_close(&p);
    assert_false(p.open);
}

static void history(void **state)
{
    struct prompt p;

    (void)state;
    prompt_remember("first");
    prompt_remember("second");
    prompt_remember("second");
    prompt_remember("");
    prompt_open(&p, ":", "", false);
    press(&p, "Up");
    assert_string_equal(p.text, "second");
    press(&p, "Up Up Up");
    assert_string_equal(p.text, "first");
    press(&p, "Down");
    assert_string_equal(p.text, "second");
    press(&p, "Down Down");
    assert_string_equal(p.text, "");
    prompt_set_history_limit(PROMPT_HISTORY);
    for (int i = 0; i < PROMPT_HISTORY + 10; i++) {
        char line[16];
        snprintf(line, sizeof line, "%d", i);
        prompt_remember(line);
    }
    for (int i = 0; i < PROMPT_HISTORY + 10; i++)
        press(&p, "Up");
    assert_string_equal(p.text, "10");
    prompt_set_history_limit(3);
    prompt_open(&p, ":", "", false);
    press(&p, "Up Up Up Up Up");
    assert_string_equal(p.text, "1007");
    prompt_set_history_limit(100);
}

static void pastes_are_one_line(void **state)
{
    struct prompt p;
    char much[3 * PROMPT_BYTES];

    (void)state;
    prompt_open(&p, ":", "", false);
    prompt_paste(&p, (const uint8_t *)"a\nb\033[c\td", 8);
    assert_string_equal(p.text, "a b[c d");
    memset(much, 'x', sizeof much);
    prompt_paste(&p, (const uint8_t *)much, sizeof much);
    assert_int_equal(p.len, PROMPT_BYTES);
}

static void drawing(void **state)
{
    struct frame f = {0};
    struct prompt p;

    (void)state;
    assert_true(frame_resize(&f, 20, 2));
    prompt_open(&p, "(name) ", "text", false);
    prompt_draw(&p, &f, 1, &frame_pen_default);
    assert_string_equal(row_text(&f, 1), "(name) text");
    assert_int_equal(f.cursor.x, 11);
    assert_int_equal(f.cursor.y, 1);
    prompt_open(&p, "(name) ", "a text longer than the row", false);
    prompt_draw(&p, &f, 1, &frame_pen_default);
    assert_string_equal(row_text(&f, 1), "(name) than the row");
    assert_true(f.cursor.x < 20);
    for (uint16_t cols = 1; cols < 40; cols++) {
        assert_true(frame_resize(&f, cols, 1));
        prompt_open(&p, "漢字 ", "漢字漢字漢字 and more", false);
        for (int i = 0; i < 20; i++) {
            prompt_draw(&p, &f, 0, &frame_pen_default);
            assert_true(f.cursor.x < cols || cols < 3);
            press(&p, "Left");
        }
    }
    frame_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(editing), cmocka_unit_test(ways_to_end),         cmocka_unit_test(history),
        cmocka_unit_test(drawing), cmocka_unit_test(pastes_are_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
