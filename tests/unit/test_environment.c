/* Environments: entries in order, layers over a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/environment.h"

static void entries(void **state)
{
    struct environment e = {NULL};

    (void)state;
    assert_int_equal(environment_set(&e, "B", "2", false), ERR_OK);
    assert_int_equal(environment_set(&e, "A", "1", true), ERR_OK);
    assert_int_equal(environment_set(&e, "C", NULL, false), ERR_OK);
    assert_int_equal(environment_set(&e, "B", "3", false), ERR_OK);
    assert_int_equal(environment_set(&e, "", "x", false), ERR_MALFORMED);
    assert_int_equal(environment_set(&e, "A=B", "x", false), ERR_MALFORMED);
    assert_string_equal(e.first->name, "A");
    assert_true(e.first->hidden);
    assert_string_equal(e.first->next->value, "3");
    assert_null(e.first->next->next->value);
    assert_null(e.first->next->next->next);
    environment_unset(&e, "B");
    environment_unset(&e, "none");
    assert_null(environment_find(&e, "B"));
    assert_non_null(environment_find(&e, "C"));
    environment_clear(&e);
    assert_null(e.first);
}

static const char *value(char **list, const char *name)
{
    size_t len = strlen(name);

    for (; *list; list++) {
        if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
            return *list + len + 1;
    }
    return NULL;
}

static void layers(void **state)
{
    char *base[] = {"A=base", "B=base", "C=base", "AB=other", "=odd", NULL};
    struct environment global = {NULL}, own = {NULL};
    char **list;

    (void)state;
    environment_set(&global, "B", "global", false);
    environment_set(&global, "C", "global", false);
    environment_set(&global, "G", "global", false);
    environment_set(&global, "H", "hidden", true);
    environment_set(&own, "C", "own", false);
    environment_set(&own, "G", NULL, false);
    environment_set(&own, "A", "hidden", true);
    list = environment_merge(base, &global, &own, 1);
    assert_non_null(list);
    assert_string_equal(value(list, "A"), "base");
    assert_string_equal(value(list, "B"), "global");
    assert_string_equal(value(list, "C"), "own");
    assert_string_equal(value(list, "AB"), "other");
    assert_null(value(list, "G"));
    assert_null(value(list, "H"));
    assert_true(environment_put(list, strdup("NEW=1")));
    assert_true(environment_put(list, strdup("NEW=2"))); /* in its place: no room is needed */
    assert_string_equal(value(list, "NEW"), "2");
    assert_false(environment_put(list, NULL));
    environment_free_list(list);
    list = environment_merge(NULL, NULL, NULL, 0);
    assert_non_null(list);
    assert_null(list[0]);
    environment_free_list(list);
    environment_clear(&global);
    environment_clear(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries), cmocka_unit_test(layers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
