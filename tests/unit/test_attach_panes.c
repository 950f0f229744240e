/* Windows of several panes on attached terminals. The proof is a comparison: a terminal emulator
 * that is written what is drawn must show, cell by cell, what this file puts together from the
 * model and the panes' screens, whatever happened before. */
#include "tests/unit/attach_daemon.h"

#include "server/daemon/paint_fit.h"
#include "server/daemon/paint_frame.h"

/* --- the picture as it must be -------------------------------------------------------------- */

/* Whose cell it is: a pane's number, -1 for a line, -2 for outside of the window. */
static int owner(const struct window *w, int x, int y)
{
    if (x < 0 || y < 0 || x >= layout_cols(w->layout) || y >= layout_rows(w->layout))
        return -2;
    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        struct layout_leaf at;

        if (session_place(w, layout_at(w->layout, i)->pane, &at) && x >= at.x && y >= at.y &&
            x < at.x + at.cols && y < at.y + at.rows)
            return (int)i;
    }
    return -1;
}

static const char *line_at(const struct window *w, int x, int y)
{
    bool left = owner(w, x - 1, y) < 0, right = owner(w, x + 1, y) < 0;
    bool up = owner(w, x, y - 1) < 0, down = owner(w, x, y + 1) < 0;

    if (left && right)
        return up && down ? "┼" : up ? "┴" : down ? "┬" : "─";
    if (left)
        return up && down ? "┤" : up ? "┘" : "┐";
    if (right)
        return up && down ? "├" : up ? "└" : "┌";
    return "│";
}

/* tmux's rule which lines are the active pane's. */
static bool is_active_line(const struct window *w, int x, int y)
{
    struct layout_leaf a;
    bool beside, above;

    assert_true(session_place(w, w->active, &a));
    beside = y >= a.y - 1 && y <= a.y + a.rows && (x == a.x - 1 || x == a.x + a.cols);
    above = x >= a.x - 1 && x <= a.x + a.cols && (y == a.y - 1 || y == a.y + a.rows);
    if (layout_count(w->layout) != 2)
        return beside || above;
    if (beside)
        return (y <= a.rows / 2) == (a.x == 0);
    return above && (x <= a.cols / 2) == (a.y == 0);
}

/* A screen has two columns and rows at least: of a smaller pane the part with the cursor is seen.
 */
static struct screen_cursor hidden_part(const struct layout_leaf *at)
{
    struct screen_cursor c = screen_cursor(pane_screen(at->pane));

    c.x = c.x >= at->cols ? (uint16_t)(c.x - at->cols + 1) : 0;
    c.y = c.y >= at->rows ? (uint16_t)(c.y - at->rows + 1) : 0;
    return c;
}

static void expect_row(const struct window *w, uint16_t y, struct frame *f)
{
    static const struct pen green = {.fg = COLOR_KIND_16 | 2};

    frame_blank_row(f, 0);
    for (uint16_t x = 0; x < f->cols; x++) {
        int i = owner(w, x, y);
        struct layout_leaf at;

        if (i == -1) {
            const char *line = line_at(w, x, y);
            frame_text(f, 0, x, f->cols, is_active_line(w, x, y) ? &green : &frame_pen_default,
                       line, strlen(line));
        } else if (i >= 0 && session_place(w, layout_at(w->layout, (uint32_t)i)->pane, &at)) {
            struct screen *s = pane_screen(at.pane);
            struct screen_cursor hidden = hidden_part(&at);
            const struct cell *cells = screen_row(s, (uint16_t)(y - at.y + hidden.y));
            if (cells && x - at.x + hidden.x < screen_cols(s))
                frame_put(f, 0, x, cells + (x - at.x + hidden.x), 1);
        }
    }
}

static void one_form(struct frame *f)
{
    for (uint16_t x = 0; x < f->cols; x++)
        f->cells[x].pen.link = f->cells[x].pen.link != 0;
    paint_fit(f, RIG_FLAGS);
}

static bool cursor_is_right(const struct terminal *t, const struct window *w)
{
    struct screen_cursor want = screen_cursor(pane_screen(w->active)), got;
    struct layout_leaf at;

    got = screen_cursor(t->screen);
    assert_true(session_place(w, w->active, &at));
    want.x = (uint16_t)(want.x + at.x - hidden_part(&at).x);
    want.y = (uint16_t)(want.y + at.y - hidden_part(&at).y);
    return want.visible == got.visible && (!want.visible || (want.x == got.x && want.y == got.y));
}

/* The first row that is wrong, or the rows of the window's area when none is. */
static uint16_t wrong_row(const struct terminal *t, bool report)
{
    const struct window *w = attach_session(t->attach)->current;
    uint16_t rows = (uint16_t)(screen_rows(t->screen) - 1), row = 0;
    struct frame want = {0}, got = {0};

    assert_true(frame_resize(&want, screen_cols(t->screen), 1));
    assert_true(frame_resize(&got, screen_cols(t->screen), 1));
    for (; row < rows; row++) {
        expect_row(w, row, &want);
        frame_put(&got, 0, 0, screen_row(t->screen, row), got.cols);
        one_form(&want);
        one_form(&got);
        if (memcmp(want.cells, got.cells, want.cols * sizeof *want.cells) != 0)
            break;
    }
    for (uint16_t x = 0; report && row < rows && x < want.cols; x++)
        if (!cell_equal(&want.cells[x], &got.cells[x])) {
            print_message("row %u column %u: want '%.*s' fg %x, got '%.*s' fg %x\n", row, x,
                          want.cells[x].len, want.cells[x].text, want.cells[x].pen.fg,
                          got.cells[x].len, got.cells[x].text, got.cells[x].pen.fg);
            break;
        }
    frame_clear(&want);
    frame_clear(&got);
    return row;
}

static bool shows_the_window(struct rig *r, const void *what)
{
    const struct terminal *t = what;
    uint16_t rows = (uint16_t)(screen_rows(t->screen) - 1);
    bool same =
        cursor_is_right(t, attach_session(t->attach)->current) && wrong_row(t, false) == rows;

    if (!same && r->polls == 0)
        wrong_row(t, true);
    return same;
}

/* --- everything that may happen ------------------------------------------------------------- */

static uint32_t rng_state = 11;

static uint32_t rnd(uint32_t below)
{
    rng_state = rng_state * 1664525 + 1013904223;
    return (rng_state >> 8) % below;
}

static void random_output(struct pane *p)
{
    static const char *const pieces[] = {
        "\r\n",       "\n",      "\033[A",    "\033M",       "\033[K",
        "\033[J",     "\033[1J", "\033[L",    "\033[M",      "\033[H",
        "\033[4;7r",  "\033[r",  "\033[41m",  "\033[0m",     "漢字",
        "e\xcc\x81",  "😀",       "\033[2J",   "\033[?1049h", "\033[?1049l",
        "\033c",      "\033#8",  "\033[?25l", "\033[?25h",   "\033]8;;https://a.example/\a",
        "\033]8;;\a",
    };
    struct outbuf out = {0};

    for (uint32_t n = 1 + rnd(6); n > 0; n--) {
        if (rnd(3) == 0)
            outbuf_text(&out, pieces[rnd(sizeof pieces / sizeof pieces[0])]);
        else if (rnd(4) == 0)
            outbuf_printf(&out, "\033[%u;%uH", 1 + rnd(20), 1 + rnd(60));
        else
            for (uint32_t i = rnd(rnd(5) ? 10 : 120); i > 0; i--)
                outbuf_byte(&out, (uint8_t)(' ' + rnd(95)));
    }
    screen_feed(pane_screen(p), out.p, out.len);
    outbuf_clear(&out);
}

static struct pane *random_pane(const struct window *w)
{
    return layout_at(w->layout, rnd(layout_count(w->layout)))->pane;
}

static void random_command(struct rig *r)
{
    static const char *const commands[] = {
        "select-pane -t +", "select-pane -L",      "select-pane -D",     "resize-pane -Z",
        "resize-pane -R 3", "resize-pane -U 2",    "swap-pane -D",       "rotate-window",
        "next-layout",      "select-layout tiled", "next-window",        "previous-window",
        "last-window",      "break-pane",          "select-layout -E",   "last-pane",
        "resize-pane -x 5", "swap-pane -U",        "rename-window name", "select-pane -R -Z",
    };
    const struct window *w = r->session->current;
    uint32_t panes = layout_count(w->layout);

    if (panes < 7 && rnd(3) == 0)
        host_run(rnd(2) ? "split-window -h -d cat" : "split-window cat");
    else if (panes > 1 && rnd(6) == 0)
        host_run("kill-pane");
    else if (session_window_count(r->session) < 4 && rnd(8) == 0)
        host_run(rnd(2) ? "new-window cat" : "new-window -d cat");
    else if (session_window_count(r->session) > 1 && rnd(12) == 0)
        host_run(rnd(2) ? "kill-window" : "join-pane -s 0");
    else
        host_run(commands[rnd(sizeof commands / sizeof commands[0])]);
}

static void random_step(struct rig *r, struct terminal *a, struct terminal *b)
{
    switch (rnd(8)) {
    case 0:
    case 1:
    case 2:
        random_command(r);
        break;
    case 3:
        if (rnd(4) == 0) {
            uint16_t cols = (uint16_t)(30 + rnd(60)), rows = (uint16_t)(10 + rnd(25));
            rig_resize(a, cols, rows);
            rig_resize(b, cols, rows);
        }
        break;
    default:
        random_output(random_pane(r->session->current));
        attach_refresh(a->attach);
        if (rnd(3)) /* the other one misses some */
            attach_refresh(b->attach);
    }
}

static void whatever_happens_is_shown(void **state)
{
    struct terminal a, b;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &a, 80, 24, NULL);
    rig_attach(&r, &b, 80, 24, NULL);
    for (int round = 0; round < 800; round++) {
        for (uint32_t steps = 1 + rnd(3); steps > 0; steps--)
            random_step(&r, &a, &b);
        loop_advance(r.loop, ATTACH_FRAME_MS);
        rig_wait(&r, shows_the_window, &a);
        if (round % 10 == 9) {
            attach_refresh(b.attach);
            rig_wait(&r, shows_the_window, &b);
        }
    }
    rig_detach(&a);
    rig_detach(&b);
    host_end(&r);
}

/* --- by hand -------------------------------------------------------------------------------- */

static void run(const char *line)
{
    assert_int_equal(host_run(line), COMMAND_DONE);
}

static void lines_meet(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &t, 21, 10, NULL);
    run("set-option -g status-right .");
    run("split-window -h cat");
    run("split-window -v cat");
    rig_until_shown(&t, "├");
    assert_string_equal(rig_row(&t, 0), "          │");
    assert_string_equal(rig_row(&t, 4), "          ├──────────");
    /* the active one is lower right: its lines are green, the upper pane's is not */
    assert_int_equal(screen_row(t.screen, 0)[10].pen.fg, COLOR_DEFAULT);
    assert_int_equal(screen_row(t.screen, 4)[15].pen.fg, COLOR_KIND_16 | 2);
    assert_int_equal(screen_row(t.screen, 6)[10].pen.fg, COLOR_KIND_16 | 2);
    run("resize-pane -Z");
    rig_until_gone(&t, "├");
    rig_until_shown(&t, "0:main*Z");
    rig_detach(&t);
    host_end(&r);
}

static void ascii_terminals_get_ascii_lines(void **state)
{
    struct attach_options plain = {.flags = IPC_CLIENT_TTY};
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &t, 21, 10, NULL);
    attach_destroy(t.attach);
    const struct attach_ops ops = {
        .draw = rig_on_draw, .detach = rig_on_detach, .links = rig_on_links, .ctx = &t};
    plain.cols = 21;
    plain.rows = 10;
    t.attach = attach_create(r.loop, r.sessions, r.session, r.shares, &plain, &ops);
    run("split-window -h cat");
    run("split-window -v cat");
    rig_until_shown(&t, "+----------");
    assert_string_equal(rig_row(&t, 0), "          |");
    rig_detach(&t);
    host_end(&r);
}

/* A window larger than the terminal: the part with the cursor is seen. */
static void small_watchers_see_the_cursor(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct terminal owner_terminal, small;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &owner_terminal, 80, 24, NULL);
    run("set-option -g status-right .");
    run("split-window -h cat");
    screen_feed(pane_screen(r.session->current->active), (const uint8_t *)"\033[20;30Hhere", 12);
    rig_attach(&r, &small, 20, 6, &watch);
    rig_until_shown(&small, "here");
    assert_memory_equal(rig_row(&small, 5), "[work] 0:main*", 14);
    run("select-pane -L");
    rig_until_gone(&small, "here");
    assert_int_equal(screen_cursor(small.screen).x, 0);
    rig_detach(&owner_terminal);
    rig_detach(&small);
    host_end(&r);
}

static void modes_follow_the_active_pane(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &t, 60, 12, NULL);
    screen_feed(pane_screen(r.pane), (const uint8_t *)"\033[?1hleft", 9);
    attach_refresh(t.attach);
    rig_until_shown(&t, "left");
    assert_true(screen_modes(t.screen) & SCREEN_APP_CURSOR);
    run("split-window -h cat");
    rig_until_shown(&t, "│");
    assert_false(screen_modes(t.screen) & SCREEN_APP_CURSOR);
    run("select-pane -L");
    loop_advance(r.loop, ATTACH_FRAME_MS);
    rig_rounds(&r, 3);
    assert_true(screen_modes(t.screen) & SCREEN_APP_CURSOR);
    rig_detach(&t);
    host_end(&r);
}

static bool has_panes(struct rig *r, const void *what)
{
    return layout_count(r->session->current->layout) == *(const uint32_t *)what;
}

static void ended_programs_leave(void **state)
{
    const uint32_t one = 1;
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &t, 60, 12, NULL);
    run("split-window -h read");
    rig_until_shown(&t, "│");
    rig_type(&t, "\r");
    rig_wait(&r, has_panes, &one);
    rig_until_gone(&t, "│");
    rig_wait(&r, shows_the_window, &t);
    rig_detach(&t);
    host_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_meet),
        cmocka_unit_test(ascii_terminals_get_ascii_lines),
        cmocka_unit_test(small_watchers_see_the_cursor),
        cmocka_unit_test(modes_follow_the_active_pane),
        cmocka_unit_test(ended_programs_leave),
        cmocka_unit_test(whatever_happens_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
