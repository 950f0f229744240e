/* Hooks: which names there are, a session's own before the global ones, order, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/hooks.h"

static void test_names(void **state)
{
    (void)state;
    assert_true(hooks_known("viewer-joined"));
    assert_true(hooks_known("after-new-window"));
    assert_false(hooks_known("after-neww"));
    assert_false(hooks_known("after-"));
    assert_false(hooks_known(""));
    assert_false(hooks_known("viewer"));
}

static void test_own_before_global(void **state)
{
    struct hooks *h = hooks_create();

    (void)state;
    assert_true(hooks_empty(h));
    assert_int_equal(hooks_set(h, HOOKS_GLOBAL, "pane-exited", "a", false), ERR_OK);
    assert_int_equal(hooks_set(h, HOOKS_GLOBAL, "pane-exited", "b", true), ERR_OK);
    assert_int_equal(hooks_set(h, 3, "pane-exited", "own", false), ERR_OK);
    assert_int_equal(hooks_set(h, 3, "client-attached", "x", false), ERR_OK);
    assert_string_equal(hooks_text(h, 3, "pane-exited", 0), "own");
    assert_null(hooks_text(h, 3, "pane-exited", 1));
    assert_string_equal(hooks_text(h, 4, "pane-exited", 1), "b");
    assert_string_equal(hooks_name(h, 3, 0), "client-attached");
    assert_string_equal(hooks_name(h, 3, 1), "pane-exited");
    assert_null(hooks_name(h, 3, 2));
    hooks_forget(h, 3);
    assert_string_equal(hooks_text(h, 3, "pane-exited", 0), "a");
    hooks_set(h, HOOKS_GLOBAL, "pane-exited", "c", false);
    assert_string_equal(hooks_text(h, 3, "pane-exited", 0), "c");
    assert_null(hooks_text(h, 3, "pane-exited", 1));
    hooks_unset(h, HOOKS_GLOBAL, "pane-exited");
    assert_true(hooks_empty(h));
    hooks_destroy(h);
}

static void test_refusals(void **state)
{
    struct hooks *h = hooks_create();
    char *much = calloc(1, HOOKS_TEXT_MAX + 2);

    (void)state;
    memset(much, 'x', HOOKS_TEXT_MAX + 1);
    assert_int_equal(hooks_set(h, 1, "no-such", "a", false), ERR_NOT_FOUND);
    assert_int_equal(hooks_set(h, 1, "pane-exited", much, false), ERR_RANGE);
    assert_true(hooks_empty(h));
    for (int i = 0; i < HOOKS_PER_NAME; i++)
        assert_int_equal(hooks_set(h, 1, "pane-exited", "a", true), ERR_OK);
    assert_int_equal(hooks_set(h, 1, "pane-exited", "a", true), ERR_RANGE);
    free(much);
    hooks_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_own_before_global),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
