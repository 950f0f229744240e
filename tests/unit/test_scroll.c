/* Scrollback: numbering, limits, taking lines back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/scroll.h"

static void push(struct scroll *s, int i)
{
    char text[32];
    int n = snprintf(text, sizeof text, "line %d", i);
    struct scroll_line line = {.text = (uint8_t *)text,
                               .len = (uint32_t)n,
                               .cols = 80,
                               .wrapped = i % 3 == 0,
                               .full = i % 2};
    scroll_push(s, &line);
}

static void expect(struct scroll *s, uint64_t number, int i)
{
    char text[32];
    int n = snprintf(text, sizeof text, "line %d", i);
    struct scroll_line line;
    assert_true(scroll_get(s, number, &line));
    assert_int_equal(line.len, n);
    assert_memory_equal(line.text, text, (size_t)n);
    assert_int_equal(line.wrapped, i % 3 == 0);
    assert_int_equal(line.full, i % 2);
    assert_int_equal(line.cols, 80);
}

static void test_limit(void **state)
{
    (void)state;
    struct scroll *s = scroll_create(100);
    struct scroll_line line;
    for (int i = 0; i < 1000; i++) {
        push(s, i);
        assert_int_equal(scroll_end(s), i + 1);
        assert_int_equal(scroll_count(s), i < 100 ? i + 1 : 100);
        expect(s, scroll_first(s), (int)scroll_first(s));
        expect(s, (uint64_t)i, i);
    }
    assert_false(scroll_get(s, 899, &line));
    assert_false(scroll_get(s, 1000, &line));
    scroll_set_limit(s, 10);
    assert_int_equal(scroll_first(s), 990);
    expect(s, 990, 990);
    scroll_set_limit(s, 1000);
    push(s, 1000);
    assert_int_equal(scroll_count(s), 11);
    scroll_destroy(s);
}

static void test_no_history(void **state)
{
    (void)state;
    struct scroll *s = scroll_create(0);
    struct scroll_line line;
    push(s, 0);
    push(s, 1);
    assert_int_equal(scroll_count(s), 0);
    assert_int_equal(scroll_first(s), 2);
    assert_false(scroll_get(s, 1, &line));
    scroll_destroy(s);
}

static void test_pop(void **state)
{
    (void)state;
    struct scroll *s = scroll_create(50);
    struct scroll_line line;
    uint8_t *text = NULL;
    assert_false(scroll_pop(s, &line, &text));
    for (int i = 0; i < 60; i++)
        push(s, i);
    assert_true(scroll_pop(s, &line, &text));
    assert_int_equal(line.len, 7);
    assert_memory_equal(text, "line 59", 7);
    free(text);
    assert_int_equal(scroll_end(s), 59);
    push(s, 59);
    expect(s, 59, 59);
    scroll_forget(s);
    assert_int_equal(scroll_count(s), 0);
    assert_int_equal(scroll_first(s), 60);
    push(s, 60);
    expect(s, 60, 60);
    scroll_destroy(s);
}

/* Lines of any size: the text kept stays below its bound, and the newest line is always there. */
static void test_bytes_bound(void **state)
{
    (void)state;
    struct scroll *s = scroll_create(100000);
    size_t size = 1u << 20;
    uint8_t *big = calloc(1, size);
    struct scroll_line line = {.text = big, .len = (uint32_t)size, .cols = 80};
    for (int i = 0; i < 80; i++)
        scroll_push(s, &line);
    assert_int_equal(scroll_count(s), SCROLL_BYTES_MAX / size);
    assert_int_equal(scroll_end(s), 80);
    assert_true(scroll_get(s, 79, &line));
    free(big);
    scroll_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_history),
        cmocka_unit_test(test_pop),
        cmocka_unit_test(test_bytes_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
