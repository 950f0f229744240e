/* Paste buffers: order, names, automatic ones that age out, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/paste.h"

static void put(struct paste_list *list, const char *name, const char *text)
{
    assert_int_equal(paste_set(list, name, (const uint8_t *)text, strlen(text), 7, NULL), ERR_OK);
}

static void test_newest_first_and_replaced(void **state)
{
    struct paste_list list = {0};

    (void)state;
    put(&list, NULL, "one");
    put(&list, "kept", "named");
    put(&list, NULL, "two");
    assert_string_equal(list.first->name, "buffer1");
    assert_memory_equal(paste_find(&list, NULL)->text, "two", 3);
    put(&list, "kept", "again");
    assert_int_equal(paste_find(&list, "kept")->len, 5);
    assert_string_equal(paste_find(&list, NULL)->name, "buffer1"); /* newest automatic */
    paste_delete(&list, paste_find(&list, "buffer1"));
    assert_string_equal(paste_find(&list, NULL)->name, "buffer0");
    assert_null(paste_find(&list, "buffer1"));
    paste_clear(&list);
}

static void test_automatic_ones_age_out(void **state)
{
    struct paste_list list = {0};
    size_t n = 0;

    (void)state;
    put(&list, "kept", "named");
    for (int i = 0; i < PASTE_AUTOMATIC_MAX * 2; i++)
        put(&list, NULL, "x");
    for (struct paste *b = list.first; b; b = b->next)
        n++;
    assert_int_equal(n, PASTE_AUTOMATIC_MAX + 1);
    assert_non_null(paste_find(&list, "kept"));
    assert_null(paste_find(&list, "buffer0"));
    paste_clear(&list);
}

static void test_names_and_sizes(void **state)
{
    static const char long_name[] =
        "01234567890123456789012345678901234567890123456789012345678901234";
    static const char *const bad[] = {"", "a\nb", "\x7f", "\xff", long_name};
    struct paste_list list = {0};
    uint8_t *large = calloc(1, PASTE_MAX_BYTES + 1);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(paste_set(&list, bad[i], NULL, 0, 0, NULL), ERR_MALFORMED);
    assert_int_equal(paste_set(&list, NULL, large, PASTE_MAX_BYTES + 1, 0, NULL), ERR_RANGE);
    assert_int_equal(paste_set(&list, NULL, large, PASTE_MAX_BYTES, 0, NULL), ERR_OK);
    assert_int_equal(paste_set(&list, "empty", NULL, 0, 0, NULL), ERR_OK);
    assert_int_equal(paste_find(&list, "empty")->len, 0);
    assert_int_equal(paste_rename(&list, paste_find(&list, NULL), "empty"), ERR_OK);
    assert_int_equal(paste_find(&list, "empty")->len, PASTE_MAX_BYTES);
    assert_null(list.first->next);
    assert_int_equal(paste_rename(&list, list.first, "a\tb"), ERR_MALFORMED);
    paste_clear(&list);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newest_first_and_replaced),
        cmocka_unit_test(test_automatic_ones_age_out),
        cmocka_unit_test(test_names_and_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
