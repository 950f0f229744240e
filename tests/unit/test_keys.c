/* The input filter: tables of what becomes of which bytes, the same in every split, and pastes. The
 * log of events writes text as it is and everything else between braces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/keynames.h"
#include "server/daemon/keys.h"
#include "server/daemon/outbuf.h"

struct fixture {
    struct keys keys;
    struct outbuf log;
    bool grab;
    bool stay_grabbed;
    bool in_pasted; /* the last event was pasted text */
};

static void on_text(void *ctx, const uint8_t *p, size_t n, bool pasted)
{
    struct fixture *f = ctx;

    assert_true(n > 0);
    if (pasted && !f->in_pasted)
        outbuf_text(&f->log, "{=}");
    f->in_pasted = pasted;
    outbuf_put(&f->log, p, n);
}

static void note(struct fixture *f, const char *kind, const char *what)
{
    f->in_pasted = false;
    outbuf_printf(&f->log, "{%s%s}", kind, what);
}

static void on_paste(void *ctx, bool begins)
{
    note(ctx, "paste", begins ? "+" : "-");
}

static void on_mouse(void *ctx, const uint8_t *p, size_t n)
{
    char text[KEYS_SEQUENCE_MAX + 1] = {0};

    memcpy(text, p + 2, n - 2);
    note(ctx, "mouse ", text);
}

/* As its owner does: C-b makes it grab the next key; others that are not grabbed are text. */
static void on_key(void *ctx, uint32_t key, const uint8_t *p, size_t n)
{
    struct fixture *f = ctx;
    char name[KEYNAMES_TEXT_MAX];

    if (!f->grab && key != 2) {
        on_text(f, p, n, false);
        return;
    }
    keynames_text(key, name);
    note(f, "", name);
    f->grab = !f->grab || f->stay_grabbed;
    keys_grab(&f->keys, f->grab);
}

static void start(struct fixture *f, bool grab)
{
    const struct keys_events events = {on_text, on_paste, on_mouse, on_key, f};
    const uint8_t stops[32] = {1 << 2}; /* C-b */

    f->in_pasted = false;
    f->grab = grab;
    keys_init(&f->keys, &events);
    keys_set_stops(&f->keys, stops);
    keys_grab(&f->keys, grab);
    outbuf_reset(&f->log);
}

struct line {
    const char *in;
    const char *log; /* '!' in front: grabbing at first */
};

#define UP    "\033[A"
#define BEGIN "\033[200~"
#define END   "\033[201~"

static const struct line table[] = {
    {"hello", "hello"},
    {"h\xc3\xa9llo\r", "h\xc3\xa9llo\r"},
    {UP "a\033OA\033[1;5C\033[15~", UP "a\033OA\033[1;5C\033[15~"},
    {"\033x\033\r", "\033x\033\r"},
    {"\033\033[A", "\033\033[A"},
    {"\033[[Ax", "\033[[Ax"},
    /* keys with a table */
    {"a\002db", "a{C-b}{d}b"},
    {"\002S\002?x", "{C-b}{S}{C-b}{?}x"},
    {"\002\002x", "{C-b}{C-b}x"},
    {"\002\001"
     "1",
     "{C-b}{C-a}1"},
    {"\002 1", "{C-b}{Space}1"},
    {"\002\1771", "{C-b}{BSpace}1"},
    {"\002\r1", "{C-b}{Enter}1"},
    {"\002\xc3\xa9"
     "1",
     "{C-b}{\xc3\xa9}1"},
    {"\002\xf0\x9f\x98\x80"
     "1",
     "{C-b}{\xf0\x9f\x98\x80}1"},
    {"\002\xc3x", "{C-b}{None}x"},
    {"\002" UP "1", "{C-b}{Up}1"},
    {"\002\033OA1", "{C-b}{Up}1"},
    {"\002\033[1;5C1", "{C-b}{C-Right}1"},
    {"\002\033[1;3D1", "{C-b}{M-Left}1"},
    {"\002\033[5~1", "{C-b}{PPage}1"},
    {"\002\033[1~1", "{C-b}{Home}1"},
    {"\002\033[15;2~1", "{C-b}{S-F5}1"},
    {"\002\033[Z1", "{C-b}{BTab}1"},
    {"\002\033OP1", "{C-b}{F1}1"},
    {"\002\033x1", "{C-b}{M-x}1"},
    {"\002\033\0021", "{C-b}{Escape}{C-b}{1}"},
    {"\002\033\xc3\xa9"
     "1",
     "{C-b}{M-\xc3\xa9}1"},
    {"\002\033\033[A", "{C-b}{Escape}\033[A"},
    {"\002\033[99~1", "{C-b}{None}1"},
    {"\002\033[Id", "{C-b}\033[I{d}"},
    {"\002\033[<35;1;2Md", "{C-b}{mouse <35;1;2M}{d}"},
    /* pastes */
    {BEGIN "a\002d\033[Ab" END "c", "{paste+}{=}a\002d\033[Ab{paste-}c"},
    {BEGIN END, "{paste+}{paste-}"},
    {BEGIN BEGIN END "x", "{paste+}{=}" BEGIN "{paste-}x"},
    {BEGIN "\033[201"
           "\033[201~"
           "x",
     "{paste+}{=}\033[201{paste-}x"},
    {BEGIN "\033\033\033[201~x", "{paste+}{=}\033\033{paste-}x"},
    {BEGIN "\033[20\033[201~x", "{paste+}{=}\033[20{paste-}x"},
    {"\002" BEGIN "d" END "d", "{C-b}{paste+}{=}d{paste-}{d}"},
    {END "x", "x"},
    /* reports */
    {"\033[<0;10;20M\033[<0;10;20m", "{mouse <0;10;20M}{mouse <0;10;20m}"},
    {"\033[M !!\033[M\002\033[", "{mouse M !!}{mouse M\002\033[}"},
    {"\033[Ix\033[O", "\033[Ix\033[O"},
    /* grabbing */
    {"!qx", "{q}x"},
    {"!\002d", "{C-b}d"},
    {"!\xe6\xbc\xa2x", "{\xe6\xbc\xa2}x"},
    /* broken sequences are keys */
    {"\033[1\003x", "\033[1\003x"},
    {"\033O\003x", "\033O\003x"},
};

static void run_line(struct fixture *f, const struct line *l, size_t cut1, size_t cut2)
{
    const char *in = l->in + (*l->in == '!');
    size_t n = strlen(in);
    size_t a = cut1 < n ? cut1 : n, b = cut2 < n ? cut2 : n;

    start(f, *l->in == '!');
    keys_feed(&f->keys, (const uint8_t *)in, a);
    keys_feed(&f->keys, (const uint8_t *)in + a, b - a);
    keys_feed(&f->keys, (const uint8_t *)in + b, n - b);
    outbuf_byte(&f->log, 0);
    if (strcmp((const char *)f->log.p, l->log) != 0)
        fail_msg("line %ld cut at %zu and %zu: %s", (long)(l - table), a, b, f->log.p);
}

static void table_in_every_split(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (size_t a = 0; a <= strlen(table[i].in); a++)
            for (size_t b = a; b <= strlen(table[i].in); b++)
                run_line(&f, &table[i], a, b);
    outbuf_clear(&f.log);
}

static void feed_text(struct fixture *f, const char *text)
{
    keys_feed(&f->keys, (const uint8_t *)text, strlen(text));
}

static void expect(struct fixture *f, const char *log)
{
    outbuf_byte(&f->log, 0);
    assert_string_equal((const char *)f->log.p, log);
    outbuf_reset(&f->log);
    f->in_pasted = false;
}

static void escape_alone_needs_time(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f, false);
    assert_int_equal(keys_held(&f.keys), 0);
    feed_text(&f, "a\033");
    assert_int_equal(keys_held(&f.keys), KEYS_ESCAPE_WAIT_MS);
    expect(&f, "a");
    keys_flush(&f.keys);
    assert_int_equal(keys_held(&f.keys), 0);
    expect(&f, "\033");

    feed_text(&f, "\033[20");
    assert_int_equal(keys_held(&f.keys), KEYS_PARTIAL_WAIT_MS);
    expect(&f, "");
    keys_flush(&f.keys);
    expect(&f, "\033[20");

    feed_text(&f, "\002\033");
    keys_flush(&f.keys);
    feed_text(&f, "d");
    expect(&f, "{C-b}{Escape}d");

    feed_text(&f, "\002\xc3"); /* half a character */
    assert_int_equal(keys_held(&f.keys), KEYS_PARTIAL_WAIT_MS);
    expect(&f, "{C-b}");
    keys_flush(&f.keys);
    expect(&f, "{None}");
    keys_flush(&f.keys);
    expect(&f, "");
    outbuf_clear(&f.log);
}

static void time_does_not_end_a_paste(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f, false);
    feed_text(&f, BEGIN "a\033[20");
    assert_int_equal(keys_held(&f.keys), 0);
    keys_flush(&f.keys);
    feed_text(&f, "1~\002d");
    expect(&f, "{paste+}{=}a{paste-}{C-b}{d}");
    outbuf_clear(&f.log);
}

static void megabyte_in_random_pieces(void **state)
{
    enum { SIZE = 1 << 20 };
    uint8_t *data = malloc(SIZE);
    struct fixture f = {0};

    (void)state;
    srand(7);
    for (size_t i = 0; i < SIZE; i++) /* rich in escapes, but no end marker: no '~' */
        data[i] = rand() % 8 ? (uint8_t)(rand() % 126) : (uint8_t) "\033[201"[rand() % 5];
    start(&f, false);
    feed_text(&f, BEGIN);
    for (size_t at = 0, n; at < SIZE; at += n) {
        n = 1 + (size_t)(rand() % (rand() % 4 ? 100 : 9000));
        n = n < SIZE - at ? n : SIZE - at;
        keys_feed(&f.keys, data + at, n);
    }
    feed_text(&f, END);
    const char head[] = "{paste+}{=}";
    assert_int_equal(f.log.len, SIZE + strlen(head) + strlen("{paste-}"));
    assert_memory_equal(f.log.p + strlen(head), data, SIZE);
    outbuf_clear(&f.log);
    free(data);
}

/* No bytes make it lose or invent text: without prefix, markers and mouse all passes unchanged. */
static void random_bytes_pass(void **state)
{
    static const uint8_t alphabet[] = "\033\033\033[[O;123~ABx\xc3\xa9\001";
    struct fixture f = {0};
    uint8_t in[64];

    (void)state;
    srand(8);
    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + (size_t)(rand() % 64), half = (size_t)rand() % n;
        for (size_t i = 0; i < n; i++)
            in[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        start(&f, false);
        keys_feed(&f.keys, in, half);
        keys_feed(&f.keys, in + half, n - half);
        keys_flush(&f.keys);
        assert_int_equal(f.log.len, n);
        assert_memory_equal(f.log.p, in, n);
    }
    outbuf_clear(&f.log);
}

static void mouse_reports_move(void **state)
{
    static const struct {
        const char *in, *out;
        bool pixels;
    } lines[] = {
        {"\033[<0;1;1M", "\033[<0;4;3M", false},
        {"\033[<0;80;23m", "\033[<0;83;25m", false},
        {"\033[<0;80;24M", "", false},
        {"\033[<0;81;1M", "", false},
        {"\033[<0;81;24m", "\033[<0;83;25m", false},
        {"\033[<32;81;24M", "\033[<32;83;25M", false},
        {"\033[<0;0;1M", "", false},
        {"\033[<0;1M", "", false},
        {"\033[<0;1;1;1M", "", false},
        {"\033[<;;M", "", false},
        {"\033[<0;99999999;1m", "", false},
        {"\033[<0;700;900M", "\033[<0;700;900M", true},
        {"\033[M !!", "\033[M $#", false},
        {"\033[M !9", "", false},
        {"\033[M#!9", "\033[M#$9", false},
        {"\033[Mab", "", false},
        {"\033[A", "", false},
    };
    const struct keys_area area = {.cols = 80, .rows = 23, .shift_x = 3, .shift_y = 2};
    uint8_t out[KEYS_SEQUENCE_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        size_t n = keys_shift_mouse((const uint8_t *)lines[i].in, strlen(lines[i].in), &area,
                                    lines[i].pixels, out);
        if (n != strlen(lines[i].out) || memcmp(out, lines[i].out, n) != 0)
            fail_msg("%s: %.*s", lines[i].in + 1, (int)n, out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_in_every_split),      cmocka_unit_test(escape_alone_needs_time),
        cmocka_unit_test(time_does_not_end_a_paste), cmocka_unit_test(megabyte_in_random_pieces),
        cmocka_unit_test(random_bytes_pass),         cmocka_unit_test(mouse_reports_move),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
