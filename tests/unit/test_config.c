/* Configuration text: what it means word by word, and what is wrong with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/config.h"
#include "server/daemon/outbuf.h"

static char assigned[64];

static const char *variable(void *ctx, const char *name)
{
    (void)ctx;
    if (strcmp(name, "HOME") == 0)
        return "/home/me";
    return strcmp(name, "X") == 0 ? "a b" : NULL;
}

static void assign(void *ctx, const char *name, const char *value)
{
    (void)ctx;
    snprintf(assigned, sizeof assigned, "%s is %s", name, value);
}

static bool holds(void *ctx, const char *format)
{
    (void)ctx;
    return strcmp(format, "#{yes}") == 0;
}

static const struct config_context context = {variable, assign, holds, NULL};

/* All of it as text: LINE:[word][word] LINE:!error, + in front of joined commands. */
static void assert_config(const char *text, const char *want)
{
    struct config_list list = {0};
    struct outbuf out = {0};

    config_parse(text, strlen(text), NULL, &context, &list);
    for (struct config_command *c = list.first; c; c = c->next) {
        outbuf_printf(&out, "%s%s%u:", c == list.first ? "" : " ", c->joined ? "+" : "", c->line);
        if (c->error)
            outbuf_printf(&out, "!%s", c->error);
        for (size_t i = 0; i < c->n; i++)
            outbuf_printf(&out, "[%s]", c->words[i]);
    }
    outbuf_byte(&out, '\0');
    assert_false(list.bad);
    assert_string_equal((const char *)out.p, want);
    outbuf_clear(&out);
    config_free(&list);
}

static void test_words(void **state)
{
    (void)state;
    assert_config("", "");
    assert_config("set -g  mouse\ton\n", "1:[set][-g][mouse][on]");
    assert_config("# a comment\n\n  set a b # and one\n", "3:[set][a][b]");
    assert_config("set a 'it is $X \\n' \"it is $X ${X} \\\"\\n\"",
                  "1:[set][a][it is $X \\n][it is a b a b \"\n]");
    assert_config("set a b\\ c$X-'q'\"r\"", "1:[set][a][b ca b-qr]");
    assert_config("set a \\u00e9\\101\\;", "1:[set][a][\xc3\xa9"
                                           "A;]");
    assert_config("set a ''", "1:[set][a][]");
    assert_config("set a $ $NONE", "1:[set][a][$][]");
    assert_config("source ~/x a~b ~", "1:[source][/home/me/x][a~b][/home/me]");
    assert_config("set status-left #[fg=red]#S", "1:[set][status-left]"); /* as in tmux */
    assert_config("set status-left x#S", "1:[set][status-left][x#S]");
}

static void test_lines(void **state)
{
    (void)state;
    assert_config("a ; b;c\nd", "1:[a] +1:[b] +1:[c] 2:[d]");
    assert_config("bind x a \\; b", "1:[bind][x][a][;][b]");
    assert_config("a b \\\n  c\nd", "1:[a][b][c] 3:[d]");
    assert_config("a \"x\ny\" z\nb", "1:[a][x\ny][z] 3:[b]");
    assert_config("bind x { a ; b\n c '}' }\nd", "1:[bind][x][ a ; b\n c '}' ] 3:[d]");
    assert_config("if x { a #{b} { c } } { d }", "1:[if][x][ a #{b} { c } ][ d ]");
    assert_config("a\r\nb\r\n", "1:[a] 2:[b]");
    assert_config("NAME=some value\nb", "1:[NAME=some][value] 2:[b]");
    assert_config("NAME='some value'\nb", "2:[b]");
    assert_string_equal(assigned, "NAME is some value");
}

static void test_conditions(void **state)
{
    (void)state;
    assert_config("%if #{yes}\na\n%else\nb\n%endif\nc", "2:[a] 6:[c]");
    assert_config("%if #{no}\na\n%elif \"#{yes}\"\nb\n%else\nc\n%endif", "4:[b]");
    assert_config("%if #{no}\n%if #{yes}\na\n%else\nb\n%endif\n%else\nc\n%endif", "8:[c]");
    assert_config("%if #{no}\n'unclosed\n%endif\na", "4:[a]");
    assert_config("%endif\na", "1:!no %if before 2:[a]");
    assert_config("%if #{yes}\na", "2:[a] 2:!%if without %endif");
}

static void test_errors_name_their_line_and_stop_nothing(void **state)
{
    (void)state;
    assert_config("a\nb \\u00zz c\nd", "1:[a] 2:!invalid \\u argument 3:[d]");
    assert_config("a ${X\nb", "1:!invalid environment variable 2:[b]");
    assert_config("a\nb 'x", "1:[a] 2:!a quote is not closed");
    assert_config("a {\nb\n", "1:!a brace is not closed");
    assert_config("a \\000 b\nc", "1:!invalid octal escape 2:[c]");
}

static void test_any_bytes(void **state)
{
    static const char alphabet[] = "ab \t\n\n;;#\\\\\"'{}$X~%if%else%endif=0u\r\xc3";
    uint32_t seed = 3;
    char text[80];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct config_list list = {0};

        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = alphabet[(seed >> 8) % (sizeof alphabet - 1)];
        }
        config_parse(text, (size_t)(round % 80), "f", &context, &list);
        assert_false(list.bad);
        for (struct config_command *c = list.first; c; c = c->next)
            assert_true((c->error != NULL) != (c->n > 0));
        config_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_errors_name_their_line_and_stop_nothing),
        cmocka_unit_test(test_any_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
