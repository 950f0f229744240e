/* Queries: each is answered once, exactly, whole or byte by byte. */
#include "tests/unit/screen_rig.h"

static const struct query {
    const char *input;
    const char *answer;
} queries[] = {
    {"\033[c", "\033[?1;2c"},
    {"\033[1c", ""},
    {"\033[>c", "\033[>0;276;0c"},
    {"\033[=c", ""},
    {"\033[>q", "\033P>|xterm.js(6.0.0)\033\\"},
    {"\033[5n", "\033[0n"},
    {"\033[4;7H\033[6n", "\033[4;7R"},
    {"\033[4;7H\033[?6n", "\033[?4;7R"},
    {"\033[?7$p", "\033[?7;1$y"},
    {"\033[?2026$p", "\033[?2026;2$y"},
    {"\033[?2026h\033[?2026$p", "\033[?2026;1$y"},
    {"\033[?9999$p", "\033[?9999;0$y"},
    {"\033[4$p", "\033[4;2$y"},
    {"\033[18t", "\033[8;24;80t"},
    {"\033[14t", "\033[4;384;640t"},
    {"\033[14;2t", ""},
    {"\033[16t", "\033[6;16;8t"},
    {"\033[21t", ""},
    {"\033P$qm\033\\", "\033P1$r0m\033\\"},
    {"\033[1;4:3;38;5;9m\033P$qm\033\\", "\033P1$r0;1;4:3;38;5;9m\033\\"},
    {"\033[3;9r\033P$qr\033\\", "\033P1$r3;9r\033\\"},
    {"\033[3 q\033P$q q\033\\", "\033P1$r3 q\033\\"},
    {"\033P$qz\033\\", "\033P0$r\033\\"},
    {"\033P$qm\x18", ""},
    {"\033]10;?\a", "\033]10;rgb:ffff/ffff/ffff\a"},
    {"\033]11;?\033\\", "\033]11;rgb:0000/0000/0000\033\\"},
    {"\033]10;?;?;?\a",
     "\033]10;rgb:ffff/ffff/ffff\a\033]11;rgb:0000/0000/0000\a\033]12;rgb:ffff/ffff/ffff\a"},
    {"\033]4;1;?\a", "\033]4;1;rgb:cccc/0000/0000\a"},
    {"\033]4;1;#102030;1;?;255;?\a",
     "\033]4;1;rgb:1010/2020/3030\a\033]4;255;rgb:eeee/eeee/eeee\a"},
    {"\033]4;256;?\a\033]4;x;?\a", ""},
    {"\033]11;rgb:1/2/4\a\033]11;?\a", "\033]11;rgb:1111/2222/4444\a"},
    {"\033]11;rgb:1/23/456\a\033]11;?\a", "\033]11;rgb:0000/0000/0000\a"},
    {"\033]11;RGB:1234/ABCD/ffff\a\033]11;?\a", "\033]11;rgb:1212/abab/ffff\a"},
    {"\033]11;#123456789abc\a\033]11;?\a", "\033]11;rgb:1212/5656/9a9a\a"},
    {"\033]11;red\a\033]11;?\a", "\033]11;rgb:0000/0000/0000\a"},
    {"\033]4;1;#fff\a\033]104;1\a\033]4;1;?\a", "\033]4;1;rgb:cccc/0000/0000\a"},
    {"\033]52;c;?\a", ""},
    {"\033P+q544e\033\\", "\033P1+r544e=787465726D2D323536636F6C6F72\033\\"},
    {"\033P+q436F;5A5A\033\\", "\033P1+r436F=323536\033\\\033P0+r5A5A\033\\"},
    {"\033P+qzz\033\\", "\033P0+r\033\\"},
    {"\033[?u", ""},
    {"\005", ""},
};

static void check(const struct query *q, size_t piece)
{
    struct rig r;
    size_t n = strlen(q->input);
    rig_open(&r, 80, 24, 10);
    for (size_t at = 0; at < n; at += piece)
        screen_feed(r.s, (const uint8_t *)q->input + at, piece < n - at ? piece : n - at);
    outbuf_byte(&r.replies, 0);
    assert_string_equal((char *)r.replies.p, q->answer);
    rig_close(&r);
}

static void test_queries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        check(&queries[i], 1000);
        check(&queries[i], 1);
    }
}

/* What a viewer is sent must not make its terminal ask or answer anything, nor this one. */
static void test_keyframes_ask_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        struct rig r;
        struct rig viewer;
        rig_open(&r, 80, 24, 10);
        rig_open(&viewer, 80, 24, 10);
        rig_feed(&r, queries[i].input);
        struct outbuf k = rig_keyframe(&r, 10);
        screen_feed(viewer.s, k.p, k.len - 1);
        assert_int_equal(viewer.replies.len, 0);
        outbuf_clear(&k);
        rig_close(&viewer);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_keyframes_ask_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
