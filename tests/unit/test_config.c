/* Configuration text: what it means word by word, and what is wrong with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/args.h"
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

static void assign(void *ctx, const char *name, const char *value, bool hidden)
{
    (void)ctx;
    snprintf(assigned, sizeof assigned, "%s is %s%s", name, value, hidden ? ", hidden" : "");
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
    config_list_clear(&list);
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
    assert_config("if x { a '#{b}' { c } } { d }", "1:[if][x][ a '#{b}' { c } ][ d ]");
    assert_config("a\r\nb\r\n", "1:[a] 2:[b]");
    assert_config("a;b\\; c", "1:[a] +1:[b;][c]");
    assert_config("a ; ", "1:[a]");
    assert_config("a ;; b", "1:[a] 1:[b]"); /* as lists are written whose commands are not joined */
    assert_config("if x {a}{b;}", "1:[if][x][a][b; ]");
    assert_config("if x { # don't\n a }", "1:[if][x][ # don't\n a ]");
    assert_config("# don't \\\n a\nb", "3:[b]");
    assert_config("a 'b\\\nc' 'd\\\\\ne'", "1:[a][bc][d\\\\\ne]");
    assert_config("a \"b\n  c\n # d\n #{e}\"", "1:[a][b\nc\n\n#{e}]");
    assert_config("select -t %1 % %%", "1:[select][-t][%1][%][%%]");
    assert_config("NAME=some value\nb", "1:[value] 2:[b]");
    assert_string_equal(assigned, "NAME is some");
    assert_config("%hidden NAME=x", "");
    assert_string_equal(assigned, "NAME is x, hidden");
    assert_config("set a NAME=y", "1:[set][a][NAME=y]");
    assert_config("NAME='some value'\nb", "2:[b]");
    assert_string_equal(assigned, "NAME is some value");
}

static void test_conditions(void **state)
{
    (void)state;
    assert_config("%if #{yes}\na\n%else\nb\n%endif\nc", "2:[a] 6:[c]");
    assert_config("%if #{no}\na\n%elif \"#{yes}\"\nb\n%else\nc\n%endif", "4:[b]");
    assert_config("%if #{no}\n%if #{yes}\na\n%else\nb\n%endif\n%else\nc\n%endif", "8:[c]");
    assert_config("%if #{yes} a ; b %else c %endif d", "1:[a] +1:[b] +1:[d]");
    assert_config("%if #{no}\nbind x {\n%if #{no}\na\n%endif\n}\n%endif\nb", "8:[b]");
    assert_config("%if #{no}\nNAME=no\n%endif\na", "4:[a]");
    assert_string_equal(assigned, "NAME is some value");
    assert_config("%if\na\n%endif\nb", "1:!%if needs a format 4:[b]");
    assert_config("%endif\na", "1:!no %if before 2:[a]");
    assert_config("%if #{yes}\na", "2:[a] 2:!%if without %endif");
}

static void test_errors_name_their_line_and_stop_nothing(void **state)
{
    (void)state;
    assert_config("a\nb \\u00zz c\nd", "1:[a] 2:!invalid \\u argument 3:[d]");
    assert_config("a ${X\nb", "1:!invalid environment variable 2:[b]");
    assert_config("a ~nobody-here b\nc", "1:!no such user: ~nobody-here 2:[c]");
    assert_config("a x}\nb", "1:!a brace is closed that is not open 2:[b]");
    assert_config("; a\nb", "1:!a command is missing before ; 2:[b]");
    assert_config("{ a }\nb", "1:!a command is missing before { 2:[b]");
    assert_config("a %H:%M\nb", "1:!put quotes around a word that begins with %: %H:%M 2:[b]");
    assert_config("a ; b \\1 ; c\nd", "1:[a] 1:!invalid octal escape 2:[d]");
    assert_config("a {\n \\9 ${\n}\nb", "2:!invalid environment variable 4:[b]");
    assert_config("a\nb 'x", "1:[a] 2:!a quote is not closed");
    assert_config("a {\nb\n", "1:!a brace is not closed");
    assert_config("a \\000 b\nc", "1:!invalid octal escape 2:[c]");
}

/* --- lists ---------------------------------------------------------------------------------- */

/* Commands are written with their names in full. */
static void assert_same_name(const char *a, const char *b)
{
    bool ambiguous;
    const struct command_spec *spec = args_find(a, &ambiguous);

    assert_string_equal(spec ? spec->name : a, b);
}

static void assert_same(const struct config_list *a, const struct config_list *b)
{
    const struct config_command *x = a->first, *y = b->first;

    for (; x || y; x = x->next, y = y->next) {
        while (x && x->error)
            x = x->next;
        if (!x && !y)
            return;
        assert_true(x && y && x->n == y->n);
        assert_same_name(x->words[0], y->words[0]);
        for (size_t i = 1; i < x->n; i++)
            assert_string_equal(x->words[i], y->words[i]);
    }
}

/* What is written is read back, as text and as bind-key's arguments. */
static void assert_round_trip(const struct config_list *list)
{
    struct outbuf text = {0};
    struct config_list again = {0}, words = {0}, line = {0};

    config_list_write(list, false, &text);
    config_parse((const char *)text.p, text.len, NULL, &context, &again);
    assert_same(list, &again);
    outbuf_reset(&text);
    config_list_write(list, true, &text);
    config_parse((const char *)text.p, text.len, NULL, &context, &words);
    if (words.first) {
        assert_null(words.first->next);
        assert_int_equal(
            config_list_add_line(&line, words.first->n, (const char *const *)words.first->words),
            ERR_OK);
        assert_same(list, &line);
    }
    outbuf_clear(&text);
    config_list_clear(&again);
    config_list_clear(&words);
    config_list_clear(&line);
}

static void test_writing(void **state)
{
    static const char *const cases[][3] = {
        {"", "", ""},
        {"  a  b ", "a b", "a b"},
        {"neww; last\nsplitw -h", "new-window ; last-window ;; split-window -h",
         "new-window \\; last-window \\;\\; split-window -h"},
        {"a ';' 'x;'", "a \\; \"x;\"", "a \"\\\\;\" \"x\\\\;\""},
        {"a 'b c' 'd\"e' \"it's\"", "a \"b c\" 'd\"e' \"it's\"", "a \"b c\" 'd\"e' \"it's\""},
        {"a '' '~' '~x' '%' '$' '$x' '$1'", "a '' \\~ \\~x \\% \\$ \"\\$x\" \"$1\"",
         "a '' \\~ \\~x \\% \\$ \"\\$x\" \"$1\""},
        {"a { b ; c }", "a \" b ; c \"", "a \" b ; c \""},
        {"a \"\\e\\t\\\\ x\"", "a \"\\033\\t\\\\ x\"", "a \"\\033\\t\\\\ x\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int argument = 0; argument < 2; argument++) {
            struct config_list list = {0};
            struct outbuf out = {0};

            config_parse(cases[i][0], strlen(cases[i][0]), NULL, &context, &list);
            config_list_write(&list, argument, &out);
            outbuf_byte(&out, '\0');
            assert_string_equal((const char *)out.p, cases[i][1 + argument]);
            assert_round_trip(&list);
            outbuf_clear(&out);
            config_list_clear(&list);
        }
    }
}

static void test_argument_lines(void **state)
{
    static const char *const words[] = {"a", "b;", "c", "\\;", "d\\;", ";", ";", "e", ";;", "f"};
    struct config_list list = {0};
    struct outbuf out = {0};

    (void)state;
    assert_int_equal(config_list_add_line(&list, 10, words), ERR_OK);
    for (struct config_command *c = list.first; c; c = c->next) {
        outbuf_text(&out, c->joined ? " +" : " ");
        for (size_t i = 0; i < c->n; i++)
            outbuf_printf(&out, "[%s]", c->words[i]);
    }
    outbuf_byte(&out, '\0');
    assert_string_equal((const char *)out.p, " [a][b] +[c][;][d;] +[e] [f]");
    outbuf_clear(&out);
    config_list_clear(&list);
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
        assert_round_trip(&list);
        config_list_clear(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_errors_name_their_line_and_stop_nothing),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_argument_lines),
        cmocka_unit_test(test_any_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
