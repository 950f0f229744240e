/* Formats: every form once, what is malformed, and bounds. That they agree with tmux is tested in
 * tests/integration/formats.test.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/format.h"
#include "server/daemon/outbuf.h"

struct pair {
    const char *name;
    const char *value;
};

static const struct pair world[] = {
    {"session_name", "work"},
    {"window_name", "e\xcc\x81"
                    "diteur"},
    {"window_index", "3"},
    {"zero", "0"},
    {"empty", ""},
    {"pane_title", "a long title"},
    {"path", "/usr/lib/x"},
    {"wide", "\xe6\xbc\xa2\xe5\xad\x97"},
    {"again", "<#{session_name}>"},
    {"self", "#{E:self}"},
    {"clock", "%Y"},
    {"born", "86400"},
};

static bool variable(const void *place, const char *name, struct outbuf *out)
{
    if (place && strcmp(name, "n") == 0) {
        outbuf_uint(out, *(const uint32_t *)place);
        return true;
    }
    for (size_t i = 0; i < sizeof world / sizeof world[0]; i++) {
        if (strcmp(world[i].name, name) != 0)
            continue;
        outbuf_text(out, world[i].value);
        return true;
    }
    return false;
}

static void each(const void *place, char what, format_each_fn *fn, void *arg)
{
    (void)place;
    for (uint32_t i = 0; i < (what == 'P' ? 200u : 3u); i++)
        fn(arg, &i, i == 1);
}

static void job(const void *place, const char *command, struct outbuf *out)
{
    (void)place;
    outbuf_printf(out, "<%s #{window_index}>", command); /* expanded once more */
}

static const struct format_source source = {variable, each, job, 86400 * 40};

static void assert_format(const char *text, const char *want)
{
    char *got = format_text(&source, NULL, text, false);

    assert_non_null(got);
    assert_string_equal(got, want);
    free(got);
}

static void test_forms(void **state)
{
    static const struct pair cases[] = {
        {"plain # text", "plain # text"},
        {"[#S] #I:#{window_index}", "[work] 3:3"},
        {"#{nothing}|#{empty}", "|"},
        {"## #, #} #z", "# , } #z"},
        {"##[fg=red]", "##[fg=red]"},
        {"#{?session_name,yes,no}#{?zero,yes,no}#{?nothing,yes,no}", "yesnono"},
        {"#{?#{==:#{window_index},3},three,other}", "three"},
        {"#{?session_name,#{?zero,a,b#,c},d}", "b,c"},
        {"#{==:a,b}#{==:a,a}#{!=:a,b}#{<:a,b}#{>:a,b}#{<=:a,a}#{>=:a,b}", "0111010"},
        {"#{||:0,}#{||:,x}#{&&:1,0}#{&&:1,1}", "0101"},
        {"#{m:*or*,#{session_name}}#{m:x*,work}#{m/i:WO*,work}#{m/r:^w.r,work}#{m/r:(,work}",
         "10110"},
        {"#{=2:session_name}#{=-2:session_name}#{=9:session_name}", "workwork"},
        {"#{=/4/...:pane_title}|#{=/-3/..:pane_title}", "a lo...|..tle"},
        {"#{=3:wide}|#{n:wide}|#{w:wide}", "\xe6\xbc\xa2|6|4"},
        {"[#{p6:session_name}][#{p-6:session_name}][#{p2:session_name}]", "[work  ][  work][work]"},
        {"#{=2;p4:session_name}|", "wo  |"},
        {"#{s/o/00/:session_name}#{s/(w)(o)/\\2\\1/:session_name}#{s/K/x/i:session_name}",
         "w00rkowrkworx"},
        {"#{s/x*/-/:session_name}", "w-o-r-k-"},
        {"#{s/^/>/:session_name}", ">work"},
        {"#{b:path} #{d:path} #{l:#{literal}}", "x /usr/lib #{literal}"},
        {"#{e|+|:1,2} #{e|/|:7,2} #{e|/|f|3:7,2} #{e|m|:7,4} #{e|<|:1,2} #{e|/|:1,0}",
         "3 3 3.500 3 1 "},
        {"#{a:65}#{a:10}#{a:}", "A"},
        {"#{E:again} #{again}", "<work> <#{session_name}>"},
        {"#{q:pane_title}", "a\\ long\\ title"},
        {"#{S:#{n}}|#{W:#{n}#,,[#{n}]}", "012|0,[1]2,"},
        {"#(echo hi)x", "<echo hi 3>x"},
        {"#(echo #{session_name} (a))x", "<echo work (a) 3>x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_format(cases[i].name, cases[i].value);
    }
}

static void test_malformed_ends_the_text(void **state)
{
    (void)state;
    assert_format("a#{", "a");
    assert_format("a#{session_name", "a");
    assert_format("a#{?session_name}b", "a");
    assert_format("a#{?session_name,x}b", "a");
    assert_format("a#{==:x}b", "a");
    assert_format("a#", "a#");
    assert_format("a#(b", "a");
    assert_format("a#{zz:session_name}b", "ab");
    assert_format("a#{s/o:session_name}b", "aworkb");
    assert_format("a#{=x:session_name}b", "aworkb");
    assert_format("a#{}b", "ab");
}

static void test_time(void **state)
{
    char *got;

    (void)state;
    setenv("TZ", "UTC0", 1);
    got = format_text(&source, NULL, "%Y-%m-%d #{T:clock} #{clock}", true);
    assert_string_equal(got, "1970-02-10 1970 %Y");
    free(got);
    assert_format("#{t:born}|#{t/p:born}|#{t/f/%H.%M:born}|#{t:session_name}|#{t:zero}",
                  "Fri Jan  2 00:00:00 1970|02Jan|00.00||");
    assert_format("%H", "%H");
}

/* What would never end, or never fit, ends. */
static void test_bounds(void **state)
{
    char *deep = calloc(1, 40001), *got;
    char nested[] = "#{P:#{P:#{P:#{P:xxxxxxxxxxxxxxxx}}}}";

    (void)state;
    assert_format("#{E:self}", "");
    for (int i = 0; i < 10000; i++)
        memcpy(deep + i * 4, "#{E:", 4);
    got = format_text(&source, NULL, deep, false);
    assert_string_equal(got, "");
    free(got);
    for (int i = 0; i < 10000; i++)
        memcpy(deep + i * 4, i < 5000 ? "#{E:" : "}}}}", 4);
    got = format_text(&source, NULL, deep, false);
    assert_non_null(got);
    free(got);
    free(deep);
    got = format_text(&source, NULL, nested, false);
    assert_true(strlen(got) > 1000 && strlen(got) <= FORMAT_BYTES_MAX);
    free(got);
    got = format_text(&source, NULL, "#{p99999:empty}#{p99999:empty}", false);
    assert_int_equal(strlen(got), FORMAT_BYTES_MAX);
    free(got);
}

/* Any bytes: no crash, no report of a sanitizer, bounded output. */
static void test_any_bytes(void **state)
{
    static const char alphabet[] = "##{{}}??,,::;;||//=&mspPSWElbdt1-9aS%[]()\\\xc3\xa9";
    uint32_t seed = 7;
    char text[65];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char *got;

        for (size_t i = 0; i < sizeof text - 1; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = alphabet[(seed >> 8) % (sizeof alphabet - 1)];
        }
        text[sizeof text - 1 - round % 60] = '\0';
        got = format_text(&source, NULL, text, round % 2);
        assert_non_null(got);
        assert_true(strlen(got) <= FORMAT_BYTES_MAX);
        free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_malformed_ends_the_text),
        cmocka_unit_test(test_time),      cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_any_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
