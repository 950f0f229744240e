/* Reading JSON: what is right, what is wrong, every cut and every changed byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/json_read.h"

/* The text in memory of exactly its size, so that a read behind it is found. */
static struct json_read open_text(const char *text, size_t n, char **copy)
{
    struct json_read r;

    *copy = malloc(n > 0 ? n : 1);
    assert_non_null(*copy);
    memcpy(*copy, text, n);
    json_read_init(&r, *copy, n);
    return r;
}

static void strings(void **state)
{
    static const char *const rows[][2] = {
        {"\"\"", ""},
        {" \"a b\"", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u4e16\\uD83D\\uDE42\"", "A\xc3\xa9\xe4\xb8\x96\xf0\x9f\x99\x82"},
        {"\"\xe4\xb8\x96\"", "\xe4\xb8\x96"},
        {"\"open", NULL},
        {"\"\\", NULL},
        {"\"\\x\"", NULL},
        {"\"\\u12\"", NULL},
        {"\"\\u0000\"", NULL},
        {"\"\\ud83d\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\\ude42\"", NULL},
        {"\"a\nb\"", NULL},
        {"7", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *copy;
        struct json_read r = open_text(rows[i][0], strlen(rows[i][0]), &copy);
        char *text = json_read_string(&r);

        if (rows[i][1]) {
            assert_non_null(text);
            assert_string_equal(text, rows[i][1]);
        } else {
            assert_null(text);
        }
        assert_int_equal(r.bad, rows[i][1] == NULL);
        free(text);
        free(copy);
    }
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        uint32_t value;
        bool bad;
    } rows[] = {
        {"0", 0, false},
        {" 4711,", 4711, false},
        {"4294967295", UINT32_MAX, false},
        {"4294967296", 0, true},
        {"99999999999999", 0, true},
        {"-1", 0, true},
        {"1.5", 0, true},
        {"1e3", 0, true},
        {"x", 0, true},
        {"", 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *copy;
        struct json_read r = open_text(rows[i].text, strlen(rows[i].text), &copy);

        assert_int_equal(json_read_number(&r), rows[i].value);
        assert_int_equal(r.bad, rows[i].bad);
        free(copy);
    }
}

/* Reads {"a":[numbers…],"b":"text",…}; -1 when bad, else the sum. */
static long read_all(struct json_read *r)
{
    char name[JSON_NAME_MAX];
    size_t n = 0, k = 0;
    long sum = 0;

    json_read_enter(r, '{');
    while (json_read_more(r, '}', &n)) {
        json_read_name(r, name);
        if (strcmp(name, "a") == 0) {
            json_read_enter(r, '[');
            while (json_read_more(r, ']', &k))
                sum += json_read_number(r);
        } else {
            json_read_skip(r);
        }
    }
    return r->bad ? -1 : sum;
}

static const char whole[] = "{\"x\":{\"y\":[true,false,null,-1.5e+3,\"]}\"]},\"a\":[1, 2,\n39],\"a "
                            "name that is longer than "
                            "what is looked for\":\"\\u00e9\"}";

static void objects(void **state)
{
    char *copy;
    struct json_read r = open_text(whole, sizeof whole - 1, &copy);

    (void)state;
    assert_int_equal(read_all(&r), 42);
    free(copy);
}

static void every_cut_is_bad(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char *copy;
        struct json_read r = open_text(whole, n, &copy);

        assert_int_equal(read_all(&r), -1);
        free(copy);
    }
}

static void every_changed_bit_ends(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < (sizeof whole - 1) * 8; bit++) {
        char *copy;
        struct json_read r = open_text(whole, sizeof whole - 1, &copy);

        copy[bit / 8] ^= (char)(1 << bit % 8);
        read_all(&r);
        free(copy);
    }
}

static void depth_is_limited(void **state)
{
    char text[200];
    struct json_read r;

    (void)state;
    for (size_t depth = 1; depth < 90; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        json_read_init(&r, text, 2 * depth);
        json_read_skip(&r);
        assert_int_equal(r.bad, depth > JSON_DEPTH_MAX + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(numbers),
        cmocka_unit_test(objects),
        cmocka_unit_test(every_cut_is_bad),
        cmocka_unit_test(every_changed_bit_ends),
        cmocka_unit_test(depth_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
