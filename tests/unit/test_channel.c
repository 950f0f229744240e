/* wait-for's channels: signals before and after waiting, locks in order, waiters that leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/channel.h"

static char woken[16];

static void wake(void *ctx)
{
    strncat(woken, ctx, sizeof woken - strlen(woken) - 1);
}

#define WAITER(name) {.wake = wake, .ctx = (void *)(uintptr_t)(name)}

static void test_signal_wakes_all_or_is_kept(void **state)
{
    struct channel_list list = {0};
    struct channel_waiter a = WAITER("a"), b = WAITER("b"), c = WAITER("c");
    bool ready;

    (void)state;
    woken[0] = '\0';
    assert_int_equal(channel_signal(&list, "x"), ERR_OK);
    assert_int_equal(channel_wait(&list, "x", &a, &ready), ERR_OK);
    assert_true(ready);
    assert_null(list.first); /* what nobody uses is gone */
    assert_int_equal(channel_wait(&list, "x", &a, &ready), ERR_OK);
    assert_false(ready);
    assert_int_equal(channel_wait(&list, "x", &b, &ready), ERR_OK);
    assert_int_equal(channel_wait(&list, "y", &c, &ready), ERR_OK);
    assert_int_equal(channel_signal(&list, "x"), ERR_OK);
    assert_string_equal(woken, "ab");
    channel_forget(&list, &c);
    assert_null(list.first);
    channel_forget(&list, &c); /* again: nothing */
}

static void test_locks_go_in_order(void **state)
{
    struct channel_list list = {0};
    struct channel_waiter a = WAITER("a"), b = WAITER("b"), c = WAITER("c");
    bool ready;

    (void)state;
    woken[0] = '\0';
    assert_int_equal(channel_unlock(&list, "x"), ERR_STATE);
    assert_int_equal(channel_lock(&list, "x", &a, &ready), ERR_OK);
    assert_true(ready);
    assert_int_equal(channel_lock(&list, "x", &a, &ready), ERR_OK);
    assert_int_equal(channel_lock(&list, "x", &b, &ready), ERR_OK);
    assert_int_equal(channel_lock(&list, "x", &c, &ready), ERR_OK);
    assert_false(ready);
    channel_forget(&list, &b);
    assert_int_equal(channel_unlock(&list, "x"), ERR_OK);
    assert_string_equal(woken, "a");
    assert_int_equal(channel_unlock(&list, "x"), ERR_OK);
    assert_string_equal(woken, "ac");
    assert_int_equal(channel_unlock(&list, "x"), ERR_OK);
    assert_int_equal(channel_unlock(&list, "x"), ERR_STATE);
    assert_null(list.first);
}

static void test_limits(void **state)
{
    struct channel_list list = {0};
    char name[CHANNEL_NAME_MAX_BYTES + 2];

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(channel_signal(&list, name), ERR_RANGE);
    name[8] = '\0';
    for (unsigned i = 0; i < CHANNELS_MAX; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26 % 26);
        name[2] = (char)('a' + i / 676);
        assert_int_equal(channel_signal(&list, name), ERR_OK);
    }
    assert_int_equal(channel_signal(&list, "one too many"), ERR_RANGE);
    channel_clear(&list);
    assert_int_equal(channel_signal(&list, "again"), ERR_OK);
    channel_clear(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signal_wakes_all_or_is_kept),
        cmocka_unit_test(test_locks_go_in_order),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
