/* Copy mode over a real screen: what tmux does with the same text (copy_cases.h), what is drawn,
 * the mouse, resizes, and what happens to held lines when the program writes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/copy.h"
#include "server/daemon/screen.h"
#include "server/daemon/screen_frozen.h"
#include "tests/unit/copy_cases.h"

#define COLS       40
#define ROWS       12
#define SEPARATORS "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"

static const char text[] =
    "the quick brown fox jumps over the lazy dog\r\n"
    "\r\n"
    "int main(int argc, char *argv[]) {\r\n"
    "    printf(\"hello, world: %d\\n\", f(g(x), y[3]));\r\n"
    "    if (argc > 1 && argv[1][0] == '-')   return foo-bar_baz.qux/quux;\r\n"
    "}\r\n"
    "\r\n"
    "   indented by three   \r\n"
    "ab \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e cd e\xcc\x81"
    "f \xed\x95\x9c\xea\xb8\x80 gh\r\n"
    "this line is so long that it goes on in the next row and in the one behind that: word1 word2 "
    "word3-word4 tail\r\n"
    "short\r\n"
    "\r\n"
    "\r\n"
    "Foo foo FOO fOO foobar barfoo foo.bar foo$ ^foo\r\n"
    "path/to/some-file.txt:12:34: error: unknown type name \"size_t\"\r\n"
    "http://example.org/a?b=c&d=e#f and (nested (brackets [here] and {there})) end\r\n"
    "aaaa aaa aa a\r\n";

/* A screen with the text and its frozen copy, and copy mode over that. */
struct rig {
    struct screen *screen;
    struct screen_frozen *frozen;
    struct copy *copy;
    struct copy_options o;
};

static void feed(struct screen *s, const char *p)
{
    screen_feed(s, (const uint8_t *)p, strlen(p));
}

static uint32_t count_lines(void *ctx)
{
    return screen_frozen_lines(((struct rig *)ctx)->frozen);
}

static void read_line(void *ctx, uint32_t line, struct line_text *out)
{
    screen_frozen_text(((struct rig *)ctx)->frozen, line, out);
}

static struct copy_source source_of(struct rig *r)
{
    return (struct copy_source){count_lines, read_line, r};
}

static void enter(struct rig *r, bool vi)
{
    struct copy_source source = source_of(r);
    struct screen_cursor at = screen_cursor(r->screen);

    r->frozen = screen_freeze(r->screen);
    assert_non_null(r->frozen);
    r->copy = copy_create(&source, COLS, ROWS, at.x,
                          screen_frozen_lines(r->frozen) - screen_frozen_rows(r->frozen) + at.y);
    assert_non_null(r->copy);
    r->o = (struct copy_options){.vi = vi, .wrap_search = true, .separators = SEPARATORS};
}

static void leave(struct rig *r)
{
    copy_destroy(r->copy);
    screen_thaw(r->frozen);
}

static void start(struct rig *r)
{
    *r = (struct rig){.screen = screen_create(COLS, ROWS, 1000, NULL, NULL)};
    assert_non_null(r->screen);
    feed(r->screen, text);
    for (int i = 0; i < 14; i++) {
        char row[64];

        snprintf(row, sizeof row, "row %d of the tail, number %d\r\n", i, i * 7 % 5);
        feed(r->screen, row);
    }
    feed(r->screen, "THE-END");
}

static void stop(struct rig *r)
{
    leave(r);
    screen_destroy(r->screen);
}

/* Runs one command, `3 search-forward "a b"`; what it copies goes to *buffer. */
static enum copy_result run_command(struct rig *r, char *line, struct outbuf *buffer)
{
    const char *words[4] = {NULL, NULL, NULL, NULL};
    struct copy_action action;
    size_t n = 0;
    long count = strtol(line, &line, 10);

    for (char *at = line; *at && n < 4;) {
        char quote = ' ';

        at += strspn(at, " ");
        if (*at == '"' || *at == '\'')
            quote = *at++;
        words[n++] = at;
        at = strchr(at, quote) ? strchr(at, quote) : at + strlen(at);
        if (*at)
            *at++ = '\0';
    }
    copy_set_count(r->copy, (uint32_t)count);
    enum copy_result result = copy_run(r->copy, &r->o, words[0], n - 1, words + 1, &action);
    if (action.copy && action.text.len > 0) {
        if (!action.append)
            outbuf_reset(buffer);
        outbuf_put(buffer, action.text.p, action.text.len);
    }
    outbuf_clear(&action.text);
    return result;
}

/* Runs commands apart by `;`. False when the mode is over. */
static bool run_script(struct rig *r, const char *script, struct outbuf *buffer)
{
    char lines[512], *next;
    bool on = true;

    snprintf(lines, sizeof lines, "%s", script);
    for (char *line = lines; on && line; line = next) {
        next = strchr(line, ';');
        if (next)
            *next++ = '\0';
        on = run_command(r, line, buffer) != COPY_CANCEL;
    }
    return on;
}

static void run(struct rig *r, const char *script)
{
    struct outbuf buffer = {0};

    assert_true(run_script(r, script, &buffer));
    outbuf_clear(&buffer);
}

/* --- tmux's results ------------------------------------------------------------------------- */

/* One case; what was searched for is kept for the next, as a pane does. */
static void check_case(struct rig *r, const struct copy_case *k, char search[static 64])
{
    struct outbuf buffer = {0};
    struct copy_view v;
    bool on;

    enter(r, k->vi);
    if (*search)
        copy_restore_search(r->copy, search, false);
    on = run_script(r, k->script, &buffer);
    v = copy_look(r->copy);
    snprintf(search, 64, "%s", v.search);
    outbuf_byte(&buffer, 0);
    if (on != (k->x >= 0) || (on && (v.x != k->x || v.y != k->y || (int)v.scroll != k->up)) ||
        strcmp((const char *)buffer.p, k->text ? k->text : "") != 0)
        fail_msg("%s, %s: %s at %u,%u up %u, \"%s\"", k->vi ? "vi" : "emacs", k->script,
                 on ? "on" : "over", v.x, v.y, v.scroll, (const char *)buffer.p);
    outbuf_clear(&buffer);
    leave(r);
}

static void does_what_tmux_does(void **state)
{
    char search[64] = "";
    struct rig r;

    (void)state;
    start(&r);
    for (size_t i = 0; i < sizeof copy_cases / sizeof copy_cases[0]; i++)
        check_case(&r, &copy_cases[i], search);
    screen_destroy(r.screen);
}

/* --- what is drawn -------------------------------------------------------------------------- */

static void check_selected(struct rig *r, uint32_t line, int from, int to)
{
    uint32_t first = 0, end = 0;
    bool any = copy_selected(r->copy, r->o.vi, line, &first, &end);

    assert_int_equal(any, from >= 0);
    if (!any)
        return;
    assert_int_equal(first, from);
    assert_int_equal(end, to);
}

static void selections_are_seen(void **state)
{
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    run(&r, "history-top;3 cursor-right;begin-selection;2 cursor-down;2 cursor-right");
    check_selected(&r, 0, 3, COLS);
    check_selected(&r, 1, 0, COLS);
    check_selected(&r, 2, 0, COLS); /* empty, and from its end on into the next */
    check_selected(&r, 3, 0, 2);
    check_selected(&r, 4, -1, 0);
    r.o.vi = false;
    check_selected(&r, 3, 0, 1);
    run(&r, "clear-selection");
    check_selected(&r, 1, -1, 0);
    leave(&r);
    enter(&r, true);
    run(&r, "history-top;3 cursor-down;3 cursor-right;begin-selection;rectangle-on;2 cursor-down");
    for (uint32_t line = 3; line <= 5; line++)
        check_selected(&r, line, 3, 4);
    stop(&r);
}

static void matches_are_seen(void **state)
{
    struct copy_match m[8];
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    run(&r, "history-top;search-forward FOO");
    assert_int_equal(copy_look(r.copy).matches, 1); /* a capital letter: only that one */
    run(&r, "history-top;search-forward foo");
    assert_int_equal(copy_look(r.copy).matches, 10);
    uint32_t line = copy_look(r.copy).top + copy_look(r.copy).y;
    assert_int_equal(copy_matches(r.copy, true, line, m, 8), 1);
    assert_true(m[0].current);
    run(&r, "search-again");
    line = copy_look(r.copy).top + copy_look(r.copy).y;
    assert_int_equal(copy_matches(r.copy, true, line, m, 8),
                     8); /* the last goes on in the next row */
    assert_int_equal(m[1].from, 4);
    assert_int_equal(m[1].to, 7);
    assert_true(m[0].current && !m[1].current);
    run(&r, "cursor-down");
    assert_true(copy_look(r.copy).searching); /* with vi keys they stay */
    r.o.vi = false;
    run(&r, "cursor-down");
    assert_false(copy_look(r.copy).searching);
    assert_int_equal(copy_matches(r.copy, true, line, m, 8), 0);
    stop(&r);
}

/* In an expression one character is one, however many bytes it has. */
static void expressions_see_characters(void **state)
{
    static const struct {
        const char *script;
        int from, to;
    } cases[] = {
        {"search-forward ab.(.).", 0, 7}, /* a blank and two wide characters */
        {"search-forward \xe6\x9c\xac.c?d?", 5, 9},
        {"search-forward [\xed\x95\x9c]\xea\xb8\x80", 16, 20},
        {"search-forward (g)h", 21, 23},
    };
    struct copy_match m[4];
    struct rig r;

    (void)state;
    start(&r);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enter(&r, true);
        run(&r, "history-top;6 cursor-down");
        run(&r, cases[i].script);
        struct copy_view v = copy_look(r.copy);
        assert_true(v.searching);
        assert_int_equal(copy_matches(r.copy, true, v.top + v.y, m, 4), 1);
        assert_int_equal(m[0].from, cases[i].from);
        assert_int_equal(m[0].to, cases[i].to);
        leave(&r);
    }
    screen_destroy(r.screen);
}

static void bad_searches_change_nothing(void **state)
{
    char long_text[COPY_SEARCH_BYTES + 32] = "search-forward ";
    static const char *const bad[] = {"search-forward (", "search-forward [z-a]",
                                      "search-forward-text zzz", "search-again", "search-forward"};
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    struct copy_view before = copy_look(r.copy);
    memset(long_text + strlen(long_text), 'a', COPY_SEARCH_BYTES + 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        run(&r, bad[i]);
        assert_int_equal(copy_look(r.copy).x, before.x);
        assert_int_equal(copy_look(r.copy).scroll, before.scroll);
        assert_false(copy_look(r.copy).searching);
    }
    stop(&r);
}

static void commands_are_checked(void **state)
{
    struct outbuf buffer = {0};
    char unknown[] = "fly-away", none[] = "jump-forward", many[] = "cursor-up x";
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    assert_int_equal(run_command(&r, unknown, &buffer), COPY_UNKNOWN);
    assert_int_equal(run_command(&r, none, &buffer), COPY_ARGUMENT);
    assert_int_equal(run_command(&r, many, &buffer), COPY_ARGUMENT);
    outbuf_clear(&buffer);
    stop(&r);
}

/* --- the mouse, sizes ----------------------------------------------------------------------- */

static void drags_select(void **state)
{
    struct outbuf buffer = {0};
    char copy[] = "copy-selection";
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, false);
    copy_drag_begin(r.copy, &r.o, 4, 2);
    assert_false(copy_drag(r.copy, &r.o, 8, 2));
    assert_int_equal(run_command(&r, copy, &buffer), COPY_DONE);
    assert_int_equal(buffer.len, 4);
    copy_drag_begin(r.copy, &r.o, 4, 2);
    assert_true(copy_drag(r.copy, &r.o, 4, 0)); /* the top: it scrolls for as long as it stays */
    assert_true(copy_drag(r.copy, &r.o, 4, 0));
    assert_int_equal(copy_look(r.copy).scroll, 2);
    while (copy_drag(r.copy, &r.o, 4, 0))
        ;
    assert_int_equal(copy_look(r.copy).scroll, copy_look(r.copy).history);
    outbuf_clear(&buffer);
    stop(&r);
}

static void a_resize_keeps_the_line(void **state)
{
    static const uint16_t sizes[][2] = {{20, 12}, {80, 5}, {40, 30}, {2, 2}, {40, 200}, {40, 12}};
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    run(&r, "page-up;page-up;3 cursor-down");
    uint32_t line = copy_look(r.copy).top + copy_look(r.copy).y;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        copy_resize(r.copy, sizes[i][0], sizes[i][1]);
        struct copy_view v = copy_look(r.copy);
        assert_int_equal(v.top + v.y, line);
        assert_true(v.y < sizes[i][1] && v.x <= sizes[i][0]);
        run(&r, "cursor-up;cursor-down;end-of-line;next-word;start-of-line");
        copy_resize(r.copy, COLS, ROWS);
        v = copy_look(r.copy);
        line = v.top + v.y;
    }
    stop(&r);
}

/* --- the program writes on ------------------------------------------------------------------ */

/* All of a frozen screen's lines, one below the other. */
static void all_text(struct screen_frozen *f, struct outbuf *out)
{
    struct line_text t = {0};

    outbuf_reset(out);
    for (uint32_t line = 0; line < screen_frozen_lines(f); line++) {
        screen_frozen_text(f, line, &t);
        outbuf_put(out, t.text.p, t.text.len);
        outbuf_byte(out, t.goes_on ? '+' : '\n');
    }
    line_text_clear(&t);
}

static void check_same(struct screen_frozen *f, const struct outbuf *before)
{
    struct outbuf now = {0};

    all_text(f, &now);
    assert_int_equal(now.len, before->len);
    assert_memory_equal(now.p, before->p, now.len);
    outbuf_clear(&now);
}

static void write_lines(struct screen *s, int n)
{
    char line[32];

    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof line, "later %d\r\n", i);
        feed(s, line);
    }
}

static void what_is_frozen_stays(void **state)
{
    struct outbuf before = {0};
    struct rig r;

    (void)state;
    start(&r);
    screen_set_history_limit(r.screen, 30);
    enter(&r, true);
    all_text(r.frozen, &before);
    write_lines(r.screen, 10); /* the oldest lines are dropped */
    check_same(r.frozen, &before);
    write_lines(r.screen, 200); /* all of them */
    check_same(r.frozen, &before);
    assert_int_equal(screen_resize(r.screen, 50, 60), ERR_OK); /* lines come back to the screen */
    check_same(r.frozen, &before);
    screen_clear_history(r.screen);
    check_same(r.frozen, &before);
    outbuf_clear(&before);
    stop(&r);
}

static void lines_that_come_back_stay(void **state)
{
    struct outbuf before = {0};
    struct screen_frozen *second;
    struct rig r;

    (void)state;
    start(&r);
    enter(&r, true);
    all_text(r.frozen, &before);
    assert_int_equal(screen_resize(r.screen, 40, 20), ERR_OK);
    check_same(r.frozen, &before);
    second = screen_freeze(r.screen); /* two at once */
    assert_non_null(second);
    write_lines(r.screen, 30);
    assert_int_equal(screen_resize(r.screen, 40, 5), ERR_OK);
    check_same(r.frozen, &before);
    screen_thaw(second);
    write_lines(r.screen, 30);
    check_same(r.frozen, &before);
    outbuf_clear(&before);
    stop(&r);
}

static void the_screen_may_go_first(void **state)
{
    struct outbuf before = {0};
    const struct cell *cells;
    struct rig r;
    uint16_t n;

    (void)state;
    start(&r);
    enter(&r, true);
    all_text(r.frozen, &before);
    screen_destroy(r.screen);
    check_same(r.frozen, &before);
    cells = screen_frozen_cells(r.frozen, 0, &n);
    assert_non_null(cells);
    assert_int_equal(n, COLS);
    assert_memory_equal(cells[0].text, "t", 1);
    assert_null(screen_frozen_cells(r.frozen, screen_frozen_lines(r.frozen), &n));
    leave(&r);
    outbuf_clear(&before);
}

/* Lines as the scanner reads them are those that a terminal shows. */
static void text_is_read_as_it_is_shown(void **state)
{
    static const char *const lines[] = {
        "\033[31mred\033[0m and \033[1;4mbold\033[m plain",
        "a\033[5Cb\033[3Xc",
        "tab\tstop",
        "\033]8;;http://x/\a\xe6\x97\xa5link\033]8;;\a end",
        "\033[44m   \033[0mx\033[K",
        "abc\033[2Dz",
        "\xe6\x97\xa5\xe6\x9c\xac\033[3D!",
        "e\xcc\x81\xcc\x82x\xe2\x80\x8dy",
        "\033[38;2;1;2;3mrgb\033[48:2::1:2:3mmore",
        "x\033[39Gy\033[40Gz",
    };
    struct screen *s = screen_create(COLS, ROWS, 100, NULL, NULL);
    struct line_text shown = {0}, left = {0};
    struct screen_frozen *f;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        feed(s, "\033[H\033[2J");
        screen_clear_history(s);
        feed(s, lines[i]);
        f = screen_freeze(s);
        screen_frozen_text(f, 0, &shown);
        screen_thaw(f);
        feed(s, "\033[12H\n");
        f = screen_freeze(s);
        screen_frozen_text(f, 0, &left);
        screen_thaw(f);
        if (shown.used != left.used || shown.text.len != left.text.len ||
            memcmp(shown.text.p, left.text.p, left.text.len) != 0 ||
            memcmp(shown.at, left.at, (shown.used + 1u) * sizeof *shown.at) != 0)
            fail_msg("%zu: \"%.*s\" became \"%.*s\"", i, (int)shown.text.len, shown.text.p,
                     (int)left.text.len, left.text.p);
    }
    line_text_clear(&shown);
    line_text_clear(&left);
    screen_destroy(s);
}

/* Any commands in any order keep the cursor inside and what they copy in bounds. */
static void any_commands_are_safe(void **state)
{
    static const char *const commands[] = {"cursor-up",
                                           "cursor-down",
                                           "7 cursor-left",
                                           "9 cursor-right",
                                           "page-up",
                                           "page-down",
                                           "halfpage-up",
                                           "scroll-up",
                                           "5 scroll-down",
                                           "history-top",
                                           "history-bottom",
                                           "next-word",
                                           "9 next-word-end",
                                           "6 previous-word",
                                           "next-space",
                                           "previous-space",
                                           "next-paragraph",
                                           "previous-paragraph",
                                           "next-matching-bracket",
                                           "previous-matching-bracket",
                                           "end-of-line",
                                           "start-of-line",
                                           "back-to-indentation",
                                           "jump-forward o",
                                           "jump-again",
                                           "jump-reverse",
                                           "search-forward foo",
                                           "search-backward [a-z]+",
                                           "search-again",
                                           "search-reverse",
                                           "search-forward-incremental =ro",
                                           "begin-selection",
                                           "select-word",
                                           "select-line",
                                           "rectangle-toggle",
                                           "other-end",
                                           "clear-selection",
                                           "copy-selection",
                                           "copy-line",
                                           "3 copy-end-of-line",
                                           "set-mark",
                                           "jump-to-mark",
                                           "goto-line 9",
                                           "top-line",
                                           "middle-line",
                                           "stop-selection",
                                           "copy-selection-no-clear",
                                           "append-selection"};
    struct outbuf buffer = {0};
    uint32_t seed = 12345;
    struct rig r;

    (void)state;
    start(&r);
    for (int round = 0; round < 30; round++) {
        enter(&r, round % 2);
        for (int i = 0; i < 200; i++) {
            char line[64];

            seed = seed * 1103515245u + 12345u;
            if (seed >> 16 & 31) {
                snprintf(line, sizeof line, "%s",
                         commands[(seed >> 8) % (sizeof commands / sizeof commands[0])]);
                run_command(&r, line, &buffer);
            } else {
                copy_resize(r.copy, (uint16_t)(2 + (seed >> 9) % 60),
                            (uint16_t)(2 + (seed >> 20) % 30));
            }
            struct copy_view v = copy_look(r.copy);
            assert_true(v.scroll <= v.history);
            assert_true(v.top + v.y < count_lines(&r) + 60);
        }
        leave(&r);
    }
    outbuf_clear(&buffer);
    screen_destroy(r.screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_what_tmux_does),
        cmocka_unit_test(selections_are_seen),
        cmocka_unit_test(matches_are_seen),
        cmocka_unit_test(expressions_see_characters),
        cmocka_unit_test(bad_searches_change_nothing),
        cmocka_unit_test(commands_are_checked),
        cmocka_unit_test(drags_select),
        cmocka_unit_test(a_resize_keeps_the_line),
        cmocka_unit_test(what_is_frozen_stays),
        cmocka_unit_test(lines_that_come_back_stay),
        cmocka_unit_test(the_screen_may_go_first),
        cmocka_unit_test(text_is_read_as_it_is_shown),
        cmocka_unit_test(any_commands_are_safe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
