/* The scanner: what it makes of bytes, however they are split, and where they may be cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/utf8.h"
#include "server/daemon/scan.h"

/* Events are written down as text: T:abc print, C:07 control, E:id, I:id(params) CSI, O:text OSC.
 */
static void add_id(struct outbuf *out, char kind, uint32_t id)
{
    outbuf_printf(out, " %c:", kind);
    for (int shift = 24; shift >= 0; shift -= 8)
        if (id >> shift & 0xff)
            outbuf_byte(out, (uint8_t)(id >> shift));
}

static void on_text(struct outbuf *out)
{
    /* Runs are joined, because how they are cut up carries no meaning. */
    static const char mark[] = " T:";
    size_t n = out->len;
    while (n && out->p[n - 1] != ' ')
        n--;
    bool open = n && out->len - n >= 2 && memcmp(out->p + n, mark + 1, 2) == 0;
    if (!open)
        outbuf_text(out, mark);
}

static void on_ascii(void *ctx, const uint8_t *p, size_t n)
{
    on_text(ctx);
    for (size_t i = 0; i < n; i++)
        outbuf_byte(ctx, p[i] == ' ' ? '_' : p[i]);
}

static void on_print(void *ctx, const uint32_t *cps, size_t n)
{
    if (n)
        on_text(ctx);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[UTF8_MAX_BYTES];
        if (cps[i] == ' ')
            outbuf_byte(ctx, '_');
        else
            outbuf_put(ctx, bytes, utf8_encode(cps[i], bytes));
    }
}

static void on_control(void *ctx, uint32_t c)
{
    outbuf_printf(ctx, " C:%02x", (unsigned)c);
}

static void on_esc(void *ctx, uint32_t id)
{
    add_id(ctx, 'E', id);
}

static void add_params(struct outbuf *out, const struct scan_params *p)
{
    outbuf_byte(out, '(');
    for (int i = 0; i < p->count; i++) {
        outbuf_printf(out, "%s%d", i ? ";" : "", p->value[i]);
        for (int k = 0; k < p->sub_count[i]; k++)
            outbuf_printf(out, ":%d", p->sub[p->sub_start[i] + k]);
    }
    outbuf_byte(out, ')');
}

static void on_csi(void *ctx, uint32_t id, const struct scan_params *p)
{
    add_id(ctx, 'I', id);
    add_params(ctx, p);
}

static const char *end_name(enum scan_end end)
{
    return end == SCAN_END_ST ? "|st" : end == SCAN_END_BEL ? "|bel" : "|cut";
}

static void on_osc(void *ctx, const char *text, size_t n, enum scan_end end)
{
    assert_int_equal(strlen(text), n);
    outbuf_printf(ctx, " O:%s%s", text, end_name(end));
}

static void on_dcs(void *ctx, uint32_t id, const struct scan_params *p, const char *text, size_t n,
                   enum scan_end end)
{
    assert_int_equal(strlen(text), n);
    add_id(ctx, 'D', id);
    add_params(ctx, p);
    outbuf_printf(ctx, "%s%s", text, end_name(end));
}

static const struct scan_events events = {on_ascii, on_print, on_control, on_esc,
                                          on_csi,   on_osc,   on_dcs};

struct rule {
    const char *input;
    const char *events; /* each with a space in front */
    int cut;            /* where the stream may be cut at its end; -1: at its end */
};

static const struct rule rules[] = {
    {"abc", " T:abc", -1},
    {"a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x99\x82", " T:a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x99\x82", -1},
    {"a\r\nb", " T:a C:0d C:0a T:b", -1},
    {"\x7f"
     "a",
     " T:a", -1},
    /* invalid UTF-8 vanishes; a byte that breaks a character off is read anew */
    {"a\xff"
     "b",
     " T:ab", -1},
    {"\x80\xbf"
     "a",
     " T:a", -1},
    {"\xc3"
     "a",
     " T:a", -1},
    {"\xe2\x82"
     "a",
     " T:a", -1},
    {"\xe2\xe2\x82\xac", " T:\xe2\x82\xac", -1},
    {"\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80", "", -1},
    {"\xef\xbb\xbf"
     "a",
     " T:a", -1},
    {"\xe2\x82", "", 0},
    {"a\xf0\x9f\x99", " T:a", 1},
    /* sequences */
    {"\033[m", " I:m(0)", -1},
    {"\033[1;31m", " I:m(1;31)", -1},
    {"\033[4:3;58:2::1:2:3m", " I:m(4:3;58:2:-1:1:2:3)", -1},
    {"\033[?25h", " I:?h(25)", -1},
    {"\033[?2026$p", " I:?$p(2026)", -1},
    {"\033[;5H", " I:H(0;5)", -1},
    {"\033[99999999999A", " I:A(2147483647)", -1},
    {"\033(0", " E:(0", -1},
    {"\0337", " E:7", -1},
    {"\033#8", " E:#8", -1},
    {"\033[1?m"
     "a",
     " T:a", -1},
    {"\033[<0;1M", " I:<M(0;1)", -1},
    {"\033[31\x18"
     "a",
     " C:18 T:a", -1},
    {"\033[31\x1a"
     "a",
     " C:1a T:a", -1},
    {"\033[3\r1m", " C:0d I:m(31)", -1},
    {"\033[3\033[1m", " I:m(1)", -1},
    {"\033[3\xc3\xa9"
     "a",
     " T:a", -1},
    {"\033\xc3\xa9"
     "a",
     " T:a", -1},
    /* eight-bit controls, which UTF-8 carries as two bytes */
    {"\xc2\x9b"
     "1m",
     " I:m(1)", -1},
    {"\xc2\x85", " C:85", -1},
    {"\xc2\x9d"
     "0;x\xc2\x9c",
     " O:0;x|st", -1},
    {"\xc2\x90"
     "q\xc2\x9c",
     " D:q(0)|st", -1},
    /* strings */
    {"\033]0;title\a", " O:0;title|bel", -1},
    {"\033]0;title\033\\", " O:0;title|st E:\\", -1},
    {"\033]0;a\r\nb\a", " O:0;ab|bel", -1},
    {"\033]0;\xe6\xbc\xa2\a", " O:0;\xe6\xbc\xa2|bel", -1},
    {"\033]0;x\x18"
     "a",
     " O:0;x|cut T:a", -1},
    {"\033]0;x\033[m", " O:0;x|st I:m(0)", -1},
    {"\033P$qm\033\\", " D:$q(0)m|st E:\\", -1},
    {"\033P1;2|ab\x1a", " D:|(1;2)ab|cut", -1},
    {"\033P1?x\033\\"
     "a",
     " E:\\ T:a", -1},
    {"\033_apc\033\\\033^pm\033\\\033Xsos\033\\z", " E:\\ E:\\ E:\\ T:z", -1},
    {"\033_\xc3\xa9"
     "a",
     " T:a", -1},
    /* unfinished ones: cut before them */
    {"ab\033", " T:ab", 2},
    {"ab\033[1;", " T:ab", 2},
    {"ab\033]0;ti", " T:ab", 2},
    {"ab\033]0;ti\033", " T:ab O:0;ti|st", 8},
    {"ab\033P$q", " T:ab", 2},
    {"ab\033[3\033[1", " T:ab", 5},
    /* … unless part of them took effect */
    {"ab\033[3\r", " T:ab C:0d", -1},
};

static char *trace_of(const uint8_t *p, size_t n, size_t first, uint64_t *cut)
{
    struct outbuf out = {0};
    struct scan *s = scan_create(&events, &out);
    assert_non_null(s);
    scan_feed(s, p, first);
    scan_feed(s, p + first, n - first);
    assert_int_equal(scan_head(s), n);
    *cut = scan_cut(s);
    scan_destroy(s);
    outbuf_byte(&out, 0);
    assert_false(out.bad);
    return (char *)out.p;
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        size_t n = strlen(rule->input);
        uint64_t want = rule->cut < 0 ? n : (uint64_t)rule->cut;
        for (size_t split = 0; split <= n; split++) {
            uint64_t cut;
            char *trace = trace_of((const uint8_t *)rule->input, n, split, &cut);
            assert_string_equal(trace, rule->events);
            assert_int_equal(cut, want);
            free(trace);
        }
    }
}

/* Parameters and sub-parameters beyond the bound are dropped, in one piece or byte by byte. */
static void test_parameter_bounds(void **state)
{
    (void)state;
    struct outbuf in = {0};
    struct outbuf want = {0};
    outbuf_text(&in, "\033[");
    outbuf_text(&want, " I:m(");
    for (int i = 0; i < 100; i++) {
        outbuf_printf(&in, "%s%d", i ? ";" : "", i);
        if (i < SCAN_PARAMS_MAX)
            outbuf_printf(&want, "%s%d", i ? ";" : "", i);
    }
    outbuf_text(&in, "m");
    outbuf_text(&want, ")");
    outbuf_byte(&want, 0);
    for (size_t split = 0; split <= in.len; split++) {
        uint64_t cut;
        char *trace = trace_of(in.p, in.len, split, &cut);
        assert_string_equal(trace, (char *)want.p);
        free(trace);
    }
    outbuf_clear(&in);
    outbuf_clear(&want);
}

static void test_subparameter_bounds(void **state)
{
    (void)state;
    struct outbuf in = {0};
    outbuf_text(&in, "\033[4");
    for (int i = 0; i < 100; i++)
        outbuf_text(&in, ":7");
    outbuf_text(&in, ";1m");
    uint64_t cut;
    char *trace = trace_of(in.p, in.len, 9, &cut);
    int colons = 0;
    for (const char *c = trace; *c; c++)
        colons += *c == ':';
    assert_int_equal(colons, 1 + SCAN_SUBPARAMS_MAX);
    assert_non_null(strstr(trace, ";1)"));
    free(trace);
    outbuf_clear(&in);
}

/* A string longer than the bound is consumed to its end and has no effect. */
static void test_string_bound(void **state)
{
    (void)state;
    struct outbuf in = {0};
    outbuf_text(&in, "\033]0;");
    for (size_t i = 0; i < SCAN_STRING_MAX; i++)
        outbuf_byte(&in, 'x');
    outbuf_text(&in, "\aend");
    uint64_t cut;
    char *trace = trace_of(in.p, in.len, in.len / 2, &cut);
    size_t n = strlen(trace);
    assert_string_equal(trace + n - 10, "|cut T:end");
    free(trace);
    outbuf_clear(&in);
}

struct tail {
    const char *start;
    int filler; /* bytes behind it */
    const char *tail;
};

/* Deep inside of a string the cut is the head, and the keyframe ends in a string of the same kind.
 */
static void test_long_string_tail(void **state)
{
    (void)state;
    static const struct tail tails[] = {
        {"a\033]0;", 4000, ""},
        {"a\033]0;", 5000, "\033]9999;"},
        {"a\033Pq", 5000, "\033P9999z"},
        {"a\033_", 5000, "\033_"},
        {"a\033[3\r", 0, "\033[3"},
        {"a\033[3", 0, ""},
        {"a", 0, ""},
    };
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        struct outbuf events_seen = {0};
        struct outbuf out = {0};
        struct scan *s = scan_create(&events, &events_seen);
        scan_feed(s, (const uint8_t *)tails[i].start, strlen(tails[i].start));
        for (int k = 0; k < tails[i].filler; k++)
            scan_feed(s, (const uint8_t *)"x", 1);
        scan_write_tail(s, &out);
        outbuf_byte(&out, 0);
        assert_string_equal((char *)out.p, tails[i].tail);
        bool inside = tails[i].filler || strlen(tails[i].start) > 1;
        bool head = !inside || *tails[i].tail;
        assert_int_equal(scan_cut(s), head ? scan_head(s) : 1);
        scan_destroy(s);
        outbuf_clear(&out);
        outbuf_clear(&events_seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_parameter_bounds),
        cmocka_unit_test(test_subparameter_bounds),
        cmocka_unit_test(test_string_bound),
        cmocka_unit_test(test_long_string_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
