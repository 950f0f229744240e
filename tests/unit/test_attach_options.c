/* Options that attached terminals follow: sizes of windows, focus, keys that reach every pane, the
 * Escape key, titles, looks of borders and panes, names of windows. */
#include "tests/unit/attach_daemon.h"

static void run(const char *line)
{
    if (host_run(line) != COMMAND_DONE) {
        print_message("%s: %s\n", line, host_error);
        assert_true(false);
    }
}

static void set(const char *option, const char *value)
{
    const char *const words[] = {"set-option", "-g", option, value};

    assert_int_equal(host_run_words(4, words), COMMAND_DONE);
}

static void expect_size(const struct window *w, uint16_t cols, uint16_t rows)
{
    assert_int_equal(layout_cols(w->layout), cols);
    assert_int_equal(layout_rows(w->layout), rows);
}

static void sizes_by_policy(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct terminal wide, tall, watcher;
    struct window *w;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    w = r.session->current;
    rig_attach(&r, &wide, 100, 20, NULL);
    rig_attach(&r, &tall, 60, 30, NULL);
    expect_size(w, 60, 29); /* the latest */
    rig_type(&wide, "x");
    expect_size(w, 100, 19);
    set("window-size", "largest");
    expect_size(w, 100, 29);
    set("window-size", "smallest");
    expect_size(w, 60, 19);
    set("status", "off");
    expect_size(w, 60, 20);
    set("status", "3");
    expect_size(w, 60, 17);
    rig_attach(&r, &watcher, 20, 5, &watch); /* has no say */
    expect_size(w, 60, 17);
    rig_resize(&tall, 70, 12);
    expect_size(w, 70, 9);
    rig_detach(&tall);
    expect_size(w, 100, 17);
    run("resize-window -x 50 -y 10");
    rig_type(&wide, "x");
    expect_size(w, 50, 10); /* manual from now on */
    run("set-option -w window-size owner");
    expect_size(w, 100, 17);
    rig_detach(&watcher);
    rig_detach(&wide);
    host_end(&r);
}

static void windows_that_nobody_shows_keep_their_size(void **state)
{
    struct terminal one, two;
    struct window *first, *second;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    first = r.session->current;
    run("new-window -d -t work: cat");
    second = session_window_at(r.session, 1);
    set("aggressive-resize", "on");
    rig_attach(&r, &one, 100, 20, NULL);
    expect_size(first, 100, 19);
    expect_size(second, 80, 23);
    run("select-window -t work:1");
    expect_size(second, 100, 19);
    rig_attach(&r, &two, 50, 10, NULL);
    expect_size(second, 50, 9);
    expect_size(first, 100, 19);
    rig_detach(&one);
    rig_detach(&two);
    host_end(&r);
}

static void default_size_of_new_sessions(void **state)
{
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    set("default-size", "132x43");
    run("new-session -d -s big cat");
    expect_size(session_named(r.sessions, "big")->current, 132, 43);
    run("new-session -d -s given -x 40 -y 9 cat");
    expect_size(session_named(r.sessions, "given")->current, 40, 9);
    host_end(&r);
}

/* A pane whose program asked for focus reports shows what it was sent. */
#define SHOWS_INPUT "sh -c 'stty raw -echo; printf \"\\033[?1004h\"; exec cat -v'"

static void start_showing(struct rig *r)
{
    const char *const split[] = {"split-window", "-d", "-t", "work", SHOWS_INPUT};

    host_start(r, SHOWS_INPUT);
    assert_int_equal(host_run_words(5, split), COMMAND_DONE);
}

static bool both_ask(struct rig *r, const void *what)
{
    const struct window *w = r->session->current;
    bool all = true;

    (void)what;
    for (uint32_t i = 0; i < layout_count(w->layout); i++)
        all = all && (screen_modes(pane_screen(layout_at(w->layout, i)->pane)) & SCREEN_FOCUS);
    return all;
}

static void focus_follows_panes_and_terminals(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start_showing(&r);
    rig_wait(&r, both_ask, NULL);
    rig_attach(&r, &t, 60, 20, NULL);
    rig_rounds(&r, 2);
    assert_true(screen_modes(t.screen) & SCREEN_FOCUS);
    rig_type(&t, "\033[O");
    rig_until_shown(&t, "^[[O");
    rig_type(&t, "\033[I");
    rig_until_shown(&t, "^[[O^[[I");
    run("select-pane -D");
    rig_until_shown(&t, "^[[I^[[O");
    set("focus-events", "off");
    rig_type(&t, "\033[O");
    rig_rounds(&r, 10);
    assert_false(screen_modes(t.screen) & SCREEN_FOCUS);
    assert_false(rig_shows(&t, "^[[I^[[O^[[O"));
    rig_detach(&t);
    host_end(&r);
}

static void synchronized_panes_get_what_is_typed(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start_showing(&r);
    rig_wait(&r, both_ask, NULL);
    rig_attach(&r, &t, 60, 21, NULL);
    rig_type(&t, "one");
    rig_until_shown(&t, "one");
    assert_null(strstr(rig_row(&t, 11), "one"));
    run("set-option -w synchronize-panes on");
    rig_type(&t, "two");
    rig_until_shown(&t, "onetwo");
    for (int i = 0; i < 2000 && !strstr(rig_row(&t, 11), "two"); i++)
        rig_rounds(&r, 1);
    assert_non_null(strstr(rig_row(&t, 11), "two"));
    assert_null(strstr(rig_row(&t, 11), "one"));
    rig_detach(&t);
    host_end(&r);
}

static void escape_waits_as_long_as_it_says(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, SHOWS_INPUT);
    rig_wait(&r, both_ask, NULL);
    set("focus-events", "off");
    set("escape-time", "60000");
    rig_attach(&r, &t, 60, 20, NULL);
    rig_type(&t, "\033");
    rig_rounds(&r, 20);
    assert_false(rig_shows(&t, "^["));
    loop_advance(r.loop, 60000);
    rig_until_shown(&t, "^[");
    rig_detach(&t);
    host_end(&r);
}

static void title_of_the_outer_terminal(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    rig_attach(&r, &t, 60, 20, NULL);
    rig_rounds(&r, 5);
    assert_string_equal(screen_title(t.screen), "");
    set("set-titles-string", "#S-#{window_index}");
    set("set-titles", "on");
    rig_rounds(&r, 20);
    assert_string_equal(screen_title(t.screen), "work-0");
    run("rename-session other");
    rig_until_shown(&t, "[other]");
    assert_string_equal(screen_title(t.screen), "other-0");
    rig_detach(&t);
    host_end(&r);
}

static void looks_of_borders_and_panes(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    set("pane-border-lines", "double");
    set("pane-border-style", "fg=blue");
    set("pane-active-border-style", "fg=magenta");
    set("window-style", "bg=#101010");
    set("window-active-style", "bg=#202020");
    rig_attach(&r, &t, 61, 20, NULL);
    run("split-window -h cat");
    rig_until_shown(&t, "║");
    assert_int_equal(screen_row(t.screen, 0)[30].pen.fg, COLOR_KIND_16 | 4);
    assert_int_equal(screen_row(t.screen, 18)[30].pen.fg, COLOR_KIND_16 | 5);
    assert_int_not_equal(screen_row(t.screen, 0)[0].pen.bg, COLOR_DEFAULT);
    assert_int_not_equal(screen_row(t.screen, 0)[0].pen.bg, screen_row(t.screen, 0)[40].pen.bg);
    set("pane-border-indicators", "off"); /* the whole line is the active one's */
    rig_rounds(&r, 20);
    assert_int_equal(screen_row(t.screen, 0)[30].pen.fg, COLOR_KIND_16 | 5);
    rig_detach(&t);
    host_end(&r);
}

struct named {
    const struct window *window;
    const char *name;
    const char *type; /* what makes the program, or its terminal, print something */
};

static bool has_name(struct rig *r, const void *what)
{
    const struct named *n = what;

    if (strcmp(n->window->name, n->name) == 0)
        return true;
    if (r->polls % 50 == 0)
        loop_advance(r->loop, 1000);
    if (r->polls % 50 == 1 && n->type)
        pane_write(n->window->active, (const uint8_t *)n->type, 1);
    return false;
}

static void windows_are_named_after_their_programs(void **state)
{
    const char *const open[] = {"new-window", "-t", "work:1", "exec sh -c 'read x; exec cat'"};
    struct terminal t;
    struct named n;
    struct rig r;

    (void)state;
    host_start(&r, "cat"); /* its window has a name from -n */
    set("automatic-rename-format", "<#{pane_current_command}>");
    assert_int_equal(host_run_words(4, open), COMMAND_DONE);
    n = (struct named){session_window_at(r.session, 1), "<sh>", "x"};
    rig_attach(&r, &t, 60, 20, NULL);
    rig_wait(&r, has_name, &n);
    rig_type(&t, "\r");
    n.name = "<cat>";
    n.type = "\r";
    rig_wait(&r, has_name, &n);
    assert_string_equal(session_window_at(r.session, 0)->name, "main");
    run("rename-window -t work:1 mine");
    rig_type(&t, "x\r");
    rig_rounds(&r, 5);
    loop_advance(r.loop, 1000);
    rig_rounds(&r, 5);
    assert_string_equal(n.window->name, "mine");
    run("set-option -w -t work:1 automatic-rename on");
    rig_wait(&r, has_name, &n);
    rig_detach(&t);
    host_end(&r);
}

static void panes_that_stay_say_how_they_ended(void **state)
{
    const char *const open[] = {"new-window", "-t", "work:1", "printf last; exit 3"};
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    set("remain-on-exit", "failed");
    set("remain-on-exit-format", "#[fg=red]gone#[default] with #{pane_dead_status}");
    rig_attach(&r, &t, 60, 20, NULL);
    assert_int_equal(host_run_words(4, open), COMMAND_DONE);
    rig_until_shown(&t, "gone with 3");
    assert_string_equal(rig_row(&t, 18), "gone with 3");
    assert_int_equal(screen_row(t.screen, 18)[0].pen.fg, COLOR_KIND_16 | 1);
    assert_false(screen_cursor(t.screen).visible);
    rig_detach(&t);
    host_end(&r);
}

static void prompts_with_the_keys_of_vi(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "cat");
    set("status-keys", "vi");
    set("escape-time", "0");
    rig_attach(&r, &t, 60, 20, NULL);
    rig_type(&t, "\002:");
    rig_rounds(&r, 3);
    rig_type(&t, "rename-window abc");
    rig_type(&t, "\033");
    rig_type(&t, "xXaz\r"); /* x takes c, X takes b, a types z behind a */
    rig_until_shown(&t, "0:az*");
    rig_detach(&t);
    host_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_by_policy),
        cmocka_unit_test(windows_that_nobody_shows_keep_their_size),
        cmocka_unit_test(default_size_of_new_sessions),
        cmocka_unit_test(focus_follows_panes_and_terminals),
        cmocka_unit_test(synchronized_panes_get_what_is_typed),
        cmocka_unit_test(escape_waits_as_long_as_it_says),
        cmocka_unit_test(title_of_the_outer_terminal),
        cmocka_unit_test(looks_of_borders_and_panes),
        cmocka_unit_test(windows_are_named_after_their_programs),
        cmocka_unit_test(panes_that_stay_say_how_they_ended),
        cmocka_unit_test(prompts_with_the_keys_of_vi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
