/* Every error has a text of its own, and no number lacks one. */
#include "proto/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void texts_differ(void **state)
{
    (void)state;
    for (int a = ERR_UNSUPPORTED; a <= ERR_OK; a++) {
        assert_string_not_equal(err_text((enum err)a), "unknown error");
        for (int b = ERR_UNSUPPORTED; b < a; b++)
            assert_string_not_equal(err_text((enum err)a), err_text((enum err)b));
    }
}

static void failures_are_negative(void **state)
{
    const enum err all[] = {ERR_MALFORMED, ERR_TRUNCATED, ERR_RANGE,      ERR_SPACE,
                            ERR_MEMORY,    ERR_AUTH,      ERR_STATE,      ERR_EXHAUSTED,
                            ERR_NOT_FOUND, ERR_SYSTEM,    ERR_UNSUPPORTED};

    (void)state;
    assert_int_equal(ERR_OK, 0);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_true(all[i] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_differ),
        cmocka_unit_test(failures_are_negative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
