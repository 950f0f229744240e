/* Attached terminals: what they show, who owns the size, pacing, modes, and how they end. */
#include "tests/unit/attach_rig.h"

#include "server/daemon/paint_fit.h"
#include "server/daemon/paint_frame.h"

static void shows_program_and_status(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "printf 'hello\\nworld'; cat");
    rig_attach(&r, &t, 60, 20, NULL);
    rig_until_shown(&t, "world");
    assert_string_equal(rig_row(&t, 0), "hello");
    assert_string_equal(rig_row(&t, 1), "world");
    assert_memory_equal(rig_row(&t, 19), "[work] 0:sh*", 12);
    assert_int_equal(screen_cursor(t.screen).x, 5);
    assert_int_equal(screen_cursor(t.screen).y, 1);
    assert_true(screen_cursor(t.screen).visible);
    assert_true(screen_modes(t.screen) & SCREEN_BRACKETED_PASTE);
    rig_detach(&t);
    rig_end(&r);
}

static bool has_detached(struct rig *r, const void *what)
{
    (void)r;
    return ((const struct terminal *)what)->detached > 0;
}

static void end_of_the_session_detaches(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 60, 20, NULL);
    r.ended[0] = &t;
    rig_rounds(&r, 5);
    session_end(r.sessions, r.session);
    rig_wait(&r, has_detached, &t);
    assert_int_equal(t.detached, 1);
    assert_int_equal(t.reason, IPC_DETACHED_ENDED);
    assert_string_equal(t.text, "exited 0");
    rig_detach(&t);
    rig_end(&r);
}

/* The pane outlives its session, as a shared one does: nothing of the attach may stay with it. */
static struct pane *kept;

static void keep_pane(void *ctx, struct pane *p)
{
    (void)ctx;
    kept = p;
}

static void pane_that_outlives_its_session(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    const struct session_hooks hooks = {keep_pane, rig_session_ended, rig_pane_sized, rig_changed, &r};
    struct session_list *plain = r.sessions;
    r.sessions = session_list_create(r.loop, &hooks);
    r.own.sessions = r.sessions;
    r.own.world.sessions = r.sessions;
    session_list_destroy(plain); /* takes the first pane along */
    const char *const argv[] = {"cat", NULL}, *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const struct pty_command cmd = {.argv = argv, .env = env, .cwd = "/"};
    char why[64];
    struct pane *p = pane_create(r.loop, 1, &cmd, 80, 23, 0, why, sizeof why);
    assert_non_null(p);
    r.pane = p;
    r.session = session_create(r.sessions, "second", p, 1, 80, 23);
    rig_attach(&r, &t, 60, 20, NULL);
    r.ended[0] = &t;
    rig_until_shown(&t, "[second]");
    session_end(r.sessions, r.session);
    rig_wait(&r, has_detached, &t);
    rig_detach(&t);
    assert_ptr_equal(kept, p);
    pane_write(p, (const uint8_t *)"x\r", 2); /* its echo must call nobody */
    rig_rounds(&r, 20);
    pane_destroy(p);
    rig_end(&r);
}

static bool is_dead(struct rig *r, const void *what)
{
    (void)what;
    return pane_status(r->pane).dead;
}

static void dead_pane_keeps_its_screen(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "printf 'last words'; exit 3");
    rig_attach(&r, &t, 60, 20, NULL);
    rig_until_shown(&t, "last words");
    rig_wait(&r, is_dead, NULL);
    rig_type(&t, "x");
    rig_until_shown(&t, "the program has ended");
    assert_string_equal(rig_row(&t, 0), "last words");
    assert_false(screen_cursor(t.screen).visible);
    rig_detach(&t);
    rig_end(&r);
}

/* --- everything a program may do -------------------------------------------------------------- */

static uint32_t rng_state = 3;

static uint32_t rnd(uint32_t below)
{
    rng_state = rng_state * 1664525 + 1013904223;
    return (rng_state >> 8) % below;
}

static void random_output(struct outbuf *out)
{
    static const char *const pieces[] = {
        "\r\n",        "\n",
        "\033[A",      "\033M",
        "\033[K",      "\033[J",
        "\033[1J",     "\033[2K",
        "\033[L",      "\033[M",
        "\033[P",      "\033[@",
        "\033[3X",     "\033[S",
        "\033[T",      "\033[H",
        "\033[4;7r",   "\033[r",
        "\033[?6h",    "\033[?6l",
        "\033[?7l",    "\033[?7h",
        "\b",          "\t",
        "\033[?1049h", "\033[?1049l",
        "\033[0m",     "\033[7m",
        "\033[41m",    "\0337",
        "\0338",       "\033[4h",
        "\033[4l",     "漢字",
        "e\xcc\x81",   "😀",
        "\033[2J",     "\033[3J",
        "\033c",       "\033[!p",
        "\033#8",      "\033[?25l",
        "\033[?25h",   "\033]8;;https://a.example/\a",
        "\033]8;;\a",  "\033[38;2;1;2;3m",
        "\033[4:3m",
    };

    for (uint32_t n = 1 + rnd(8); n > 0; n--) {
        if (rnd(3) == 0)
            outbuf_text(out, pieces[rnd(sizeof pieces / sizeof pieces[0])]);
        else if (rnd(4) == 0)
            outbuf_printf(out, "\033[%u;%uH", 1 + rnd(9), 1 + rnd(40));
        else
            for (uint32_t i = rnd(rnd(5) ? 10 : 90); i > 0; i--)
                outbuf_byte(out, (uint8_t)(' ' + rnd(95)));
    }
}

/* A row's cells in the one form that looks the same. */
static void fitted_row(struct screen *s, uint16_t row, struct frame *f)
{
    assert_true(frame_resize(f, screen_cols(s), 1));
    frame_put(f, 0, 0, screen_row(s, row), f->cols);
    for (uint16_t x = 0; x < f->cols; x++)
        f->cells[x].pen.link = f->cells[x].pen.link != 0;
    paint_fit(f, RIG_FLAGS);
}

static bool shows_the_pane(struct rig *r, const void *what)
{
    const struct terminal *t = what;
    struct screen *pane = pane_screen(r->pane);
    struct screen_cursor want = screen_cursor(pane), got = screen_cursor(t->screen);
    struct frame a = {0}, b = {0};
    bool same =
        want.visible == got.visible && (!want.visible || (want.x == got.x && want.y == got.y));

    for (uint16_t row = 0; same && row < screen_rows(pane); row++) {
        fitted_row(pane, row, &a);
        fitted_row(t->screen, row, &b);
        same = memcmp(a.cells, b.cells, a.cols * sizeof *a.cells) == 0;
    }
    frame_clear(&a);
    frame_clear(&b);
    return same;
}

/* Only changed rows are read from the screen: every change must be among them, for each terminal.
 */
static void every_change_is_shown(void **state)
{
    struct outbuf out = {0};
    struct terminal a, b;
    struct rig r;

    (void)state;
    rig_start(&r, "stty raw -echo; cat");
    rig_attach(&r, &a, 40, 10, NULL);
    rig_attach(&r, &b, 40, 10, NULL);
    for (int round = 0; round < 600; round++) {
        outbuf_reset(&out);
        random_output(&out);
        outbuf_byte(&out, 0);
        rig_output(&a, (const char *)out.p);
        if (rnd(3)) /* the other one misses some */
            attach_refresh(b.attach);
        if (rnd(50) == 0) {
            rig_type(&a, "\002?");
            rig_rounds(&r, 1);
            rig_type(&a, "q");
        }
        loop_advance(r.loop, ATTACH_FRAME_MS);
        rig_wait(&r, shows_the_pane, &a);
    }
    attach_refresh(b.attach);
    rig_wait(&r, shows_the_pane, &b);
    outbuf_clear(&out);
    rig_detach(&a);
    rig_detach(&b);
    rig_end(&r);
}

/* --- size ----------------------------------------------------------------------------------- */

static void assert_size(struct rig *r, uint16_t cols, uint16_t rows)
{
    assert_int_equal(r->session->cols, cols);
    assert_int_equal(r->session->rows, rows);
    assert_int_equal(screen_cols(pane_screen(r->pane)), cols);
    assert_int_equal(screen_rows(pane_screen(r->pane)), rows);
}

static void latest_used_terminal_owns_the_size(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct rig r;
    struct terminal a, b, c;

    (void)state;
    rig_start(&r, "cat");
    assert_size(&r, 80, 23);
    rig_attach(&r, &a, 60, 20, NULL);
    assert_size(&r, 60, 19);
    rig_attach(&r, &b, 100, 41, NULL);
    assert_size(&r, 100, 40);
    rig_attach(&r, &c, 30, 10, &watch);
    rig_type(&c, "x");
    rig_resize(&c, 32, 12);
    assert_size(&r, 100, 40);
    rig_type(&a, "x");
    assert_size(&r, 60, 19);
    rig_resize(&a, 70, 25);
    assert_size(&r, 70, 24);
    rig_detach(&a);
    assert_size(&r, 100, 40);
    rig_detach(&b);
    assert_size(&r, 100, 40); /* a watcher owns nothing */
    rig_detach(&c);
    rig_end(&r);
}

static void other_sizes_show_what_fits(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct rig r;
    struct terminal owner, small, large;

    (void)state;
    rig_start(&r, "i=1; while [ $i -le 18 ]; do echo line$i; i=$((i+1)); done; printf prompt; cat");
    rig_attach(&r, &owner, 40, 20, NULL);
    rig_attach(&r, &small, 20, 6, &watch);
    rig_attach(&r, &large, 60, 30, &watch);
    rig_until_shown(&owner, "prompt");
    rig_until_shown(&small, "prompt");
    rig_until_shown(&large, "prompt");
    assert_string_equal(rig_row(&small, 0), "line15"); /* the part with the cursor */
    assert_string_equal(rig_row(&small, 4), "prompt");
    assert_int_equal(screen_cursor(small.screen).y, 4);
    assert_non_null(strstr(rig_row(&small, 5), "[work]"));
    assert_non_null(strstr(rig_row(&large, 0), "line1 "));
    assert_non_null(strstr(rig_row(&large, 0), "····"));
    assert_memory_equal(rig_row(&large, 28), "····", 8);
    rig_detach(&owner);
    rig_detach(&small);
    rig_detach(&large);
    rig_end(&r);
}

static void tiny_terminals_are_served(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "printf x; cat");
    rig_attach(&r, &t, 2, 2, NULL);
    for (uint16_t size = 6; size > 0; size--) {
        attach_resize(t.attach, size, size); /* the emulator's smallest is 2 by 2 */
        rig_type(&t, "\002?");
        rig_rounds(&r, 10);
        rig_type(&t, "q");
        rig_rounds(&r, 10);
        assert_int_equal(r.session->cols, size > 2 ? size : 2);
    }
    attach_resize(t.attach, 0, 0);
    rig_rounds(&r, 10);
    assert_int_equal(r.session->rows, 2);
    rig_detach(&t);
    rig_end(&r);
}

/* --- pacing --------------------------------------------------------------------------------- */

/* A terminal that does not draw costs no memory, and is up to date one report later. */
static void slow_terminal_skips_frames(void **state)
{
    struct rig r;
    struct terminal t;
    char screenful[3000];

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 80, 24, NULL);
    rig_until_shown(&t, "[work]");
    t.hold = true;
    for (int i = 0; i < 100; i++) {
        memset(screenful, 'a' + i % 26, sizeof screenful - 1);
        memcpy(screenful, "\033[H", 3);
        screenful[sizeof screenful - 1] = '\0';
        rig_output(&t, screenful);
        loop_advance(r.loop, ATTACH_FRAME_MS);
        rig_rounds(&r, 1);
    }
    assert_in_range(t.drawn, ATTACH_FLIGHT_BYTES, ATTACH_FLIGHT_BYTES + 3000);
    uint32_t frames = t.frames;
    rig_output(&t, "\033[HTHE-END");
    t.hold = false;
    attach_drawn(t.attach, t.drawn);
    rig_until_shown(&t, "THE-END");
    assert_in_range(t.frames, frames + 1, frames + 3);
    rig_detach(&t);
    rig_end(&r);
}

static void false_reports_are_ignored(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 40, 10, NULL);
    attach_drawn(t.attach, UINT64_MAX);
    rig_output(&t, "one");
    rig_until_shown(&t, "one");
    attach_drawn(t.attach, 0);
    attach_drawn(t.attach, t.drawn + 1);
    rig_output(&t, "two");
    rig_until_shown(&t, "two");
    rig_detach(&t);
    rig_end(&r);
}

/* Not shown, unless this machine was so slow that it had to be. */
static void assert_held_back(struct terminal *t, const char *text, uint64_t since_ms)
{
    loop_advance(t->rig->loop, ATTACH_FRAME_MS); /* a frame would be due */
    rig_rounds(t->rig, 2);
    assert_true(!rig_shows(t, text) || loop_now_ms(t->rig->loop) - since_ms >= ATTACH_SYNC_MS);
}

static void update_of_a_program_is_held_back(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 40, 10, NULL);
    rig_until_shown(&t, "[work]");
    uint64_t now = loop_now_ms(r.loop);
    rig_output(&t, "\033[?2026hhalf");
    assert_held_back(&t, "half", now);
    rig_output(&t, "\rwhole\033[?2026l");
    rig_until_shown(&t, "whole");
    now = loop_now_ms(r.loop);
    rig_output(&t, "\033[?2026hstuck");
    assert_held_back(&t, "stuck", now);
    loop_advance(r.loop, ATTACH_SYNC_MS);
    rig_until_shown(&t, "stuck");
    rig_detach(&t);
    rig_end(&r);
}

/* --- modes, status -------------------------------------------------------------------------- */

static bool modes_are(struct rig *r, const void *what)
{
    const struct terminal *t = what;
    const uint32_t mask = SCREEN_APP_CURSOR | SCREEN_APP_KEYPAD;

    return (screen_modes(t->screen) & SCREEN_FOCUS) &&
           (screen_modes(t->screen) & mask) == (screen_modes(pane_screen(r->pane)) & mask) &&
           screen_mouse(t->screen) == screen_mouse(pane_screen(r->pane)) &&
           screen_mouse_encoding(t->screen) == screen_mouse_encoding(pane_screen(r->pane));
}

static bool mouse_is_off(struct rig *r, const void *what)
{
    const struct terminal *t = what;

    (void)r;
    return screen_mouse(t->screen) == SCREEN_MOUSE_NONE;
}

static void modes_follow_the_program(void **state)
{
    static const char *const steps[] = {
        "\033[?1h\033=",
        "\033[?1000h\033[?1006h",
        "\033[?1003h\033[?1004h",
        "\033[?1016h",
        "\033[?1003l",
        "\033[?1l\033>",
        "\033[?9h",
    };
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 40, 10, NULL);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        rig_output(&t, steps[i]);
        rig_wait(&r, modes_are, &t);
    }
    assert_int_equal(screen_mouse(t.screen), SCREEN_MOUSE_X10);
    rig_type(&t, "\002?"); /* under an overlay the terminal's own selection works */
    rig_wait(&r, mouse_is_off, &t);
    rig_type(&t, "q");
    rig_wait(&r, modes_are, &t);
    rig_output(&t, "\033[3 q");
    rig_rounds(&r, 20);
    assert_int_equal(screen_cursor(t.screen).shape, 3);
    rig_detach(&t);
    rig_end(&r);
}

static void read_only_terminals_keep_their_modes(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 40, 10, &watch);
    rig_output(&t, "\033[?1h\033[?1003h\033[?1004hshown");
    rig_until_shown(&t, "shown");
    assert_int_equal(screen_mouse(t.screen), SCREEN_MOUSE_NONE);
    assert_false(screen_modes(t.screen) & (SCREEN_APP_CURSOR | SCREEN_FOCUS));
    assert_true(attach_read_only(t.attach));
    rig_detach(&t);
    rig_end(&r);
}

static void status_follows_the_share(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_output(&t, "\033]2;a title\a");
    rig_until_shown(&t, "\"a title\"");
    assert_false(rig_shows(&t, "●"));
    const struct target at = {r.session, r.session->current, r.pane};
    struct share *s = share_create(r.shares, SHARE_PANE, &at, "work");
    attach_refresh(t.attach);
    rig_until_shown(&t, "● shared");
    s->viewers = 3;
    attach_refresh(t.attach);
    rig_until_shown(&t, "● 3 watching");
    struct share *all = share_create(r.shares, SHARE_SESSION, &at, "all");
    all->viewers = 2;
    attach_refresh(t.attach);
    rig_until_shown(&t, "● 5 watching");
    share_end(r.shares, s, BYE_REASON_ENDED);
    attach_refresh(t.attach);
    rig_until_shown(&t, "● 2 watching");
    share_end(r.shares, all, BYE_REASON_ENDED);
    attach_refresh(t.attach);
    rig_until_gone(&t, "●");
    rig_detach(&t);
    rig_end(&r);
}

static void clock_goes_on(void **state)
{
    struct rig r;
    struct terminal t;
    char before[256];

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "[work]");
    snprintf(before, sizeof before, "%.200s", rig_row(&t, 9));
    loop_advance(r.loop, 60000);
    rig_until_gone(&t, before);
    rig_detach(&t);
    rig_end(&r);
}

static void redraw_repairs_a_garbled_terminal(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "printf hello; cat");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "hello");
    screen_feed(t.screen, (const uint8_t *)"\033c\033[5Hgarbage", 13);
    rig_type(&t, "\002r");
    rig_until_gone(&t, "garbage");
    assert_string_equal(rig_row(&t, 0), "hello");
    assert_true(screen_modes(t.screen) & SCREEN_BRACKETED_PASTE);
    rig_detach(&t);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_program_and_status),
        cmocka_unit_test(end_of_the_session_detaches),
        cmocka_unit_test(pane_that_outlives_its_session),
        cmocka_unit_test(dead_pane_keeps_its_screen),
        cmocka_unit_test(every_change_is_shown),
        cmocka_unit_test(latest_used_terminal_owns_the_size),
        cmocka_unit_test(other_sizes_show_what_fits),
        cmocka_unit_test(tiny_terminals_are_served),
        cmocka_unit_test(slow_terminal_skips_frames),
        cmocka_unit_test(false_reports_are_ignored),
        cmocka_unit_test(update_of_a_program_is_held_back),
        cmocka_unit_test(modes_follow_the_program),
        cmocka_unit_test(read_only_terminals_keep_their_modes),
        cmocka_unit_test(status_follows_the_share),
        cmocka_unit_test(clock_goes_on),
        cmocka_unit_test(redraw_repairs_a_garbled_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
