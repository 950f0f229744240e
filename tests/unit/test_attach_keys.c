/* Keys of attached terminals that run commands: tables, repeating, prompts, confirmations, lists,
 * numbers of panes, other sessions, and the mouse. */
#include "tests/unit/attach_daemon.h"

#include "server/daemon/keytable.h"

static uint32_t panes(const struct rig *r)
{
    return layout_count(r->session->current->layout);
}

static void start(struct rig *r, struct terminal *t)
{
    host_start(r, "cat");
    rig_attach(r, t, 60, 16, NULL);
    rig_until_shown(t, "[work] 0:main*");
}

static void end(struct rig *r, struct terminal *t)
{
    rig_detach(t);
    host_end(r);
    keytable_reset();
}

static void windows_and_panes_by_keys(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002%\002\"");
    assert_int_equal(panes(&r), 3);
    rig_until_shown(&t, "├");
    rig_type(&t, "\002z");
    assert_true(r.session->current->zoomed);
    rig_type(&t, "\002z\002o");
    assert_ptr_equal(r.session->current->active, r.pane);
    rig_type(&t, "\002c\002c");
    assert_int_equal(session_window_count(r.session), 3);
    rig_type(&t, "\0020");
    assert_int_equal(r.session->current->index, 0);
    rig_type(&t, "\002n\002l\002p");
    assert_int_equal(r.session->current->index, 2);
    rig_type(&t, "\0029");
    rig_until_shown(&t, "can't find window: 9");
    rig_type(&t, "\0020\002!");
    assert_int_equal(session_window_count(r.session), 4);
    end(&r, &t);
}

/* A border is moved again without the prefix, until another key or time ends that. */
static void repeated_keys(void **state)
{
    const struct layout_leaf *first;
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002%");
    first = layout_at(r.session->current->layout, 0);
    uint16_t cols = first->cols;
    rig_type(&t, "\002\033[1;5D\033[1;5D\033[1;5D");
    assert_int_equal(layout_at(r.session->current->layout, 0)->cols, cols - 3);
    rig_type(&t, "x\033[1;5D"); /* x ends it and is typed, and then so is the arrow */
    assert_int_equal(layout_at(r.session->current->layout, 0)->cols, cols - 3);
    rig_until_shown(&t, "x^[[1;5D");
    rig_type(&t, "\002\033[1;5C");
    loop_advance(r.loop, KEYTABLE_REPEAT_MS);
    rig_rounds(&r, 2);
    rig_type(&t, "\033[1;5C");
    assert_int_equal(layout_at(r.session->current->layout, 0)->cols, cols - 2);
    end(&r, &t);
}

static void own_bindings(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    assert_int_equal(host_run("bind-key -n F5 split-window -h ; split-window"), COMMAND_DONE);
    rig_type(&t, "\033[15~");
    assert_int_equal(panes(&r), 3);
    assert_int_equal(host_run("bind-key -n C-a new-window"), COMMAND_DONE);
    rig_type(&t, "text\001");
    assert_int_equal(session_window_count(r.session), 2);
    assert_int_equal(host_run("unbind-key -n C-a"), COMMAND_DONE);
    rig_type(&t, "\001");
    assert_int_equal(session_window_count(r.session), 2);
    assert_int_equal(host_run("bind-key -T mine a new-window"), COMMAND_DONE);
    assert_int_equal(host_run("bind-key x switch-client -T mine"), COMMAND_DONE);
    rig_type(&t, "\002xa");
    assert_int_equal(session_window_count(r.session), 3);
    assert_int_equal(host_run("bind-key nokey new-window"), COMMAND_FAILED);
    assert_non_null(strstr(host_error, "unknown key: nokey"));
    assert_int_equal(host_run("bind-key y nocommand x"), COMMAND_FAILED);
    assert_non_null(strstr(host_error, "unknown command: nocommand"));
    assert_int_equal(host_run("unbind-key -a -T prefix"), COMMAND_DONE);
    rig_type(&t, "\002c");
    rig_until_shown(&t, "C-b c does nothing");
    assert_int_equal(session_window_count(r.session), 3);
    end(&r, &t);
}

static void command_prompt(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002:");
    rig_until_gone(&t, "[work]");
    assert_int_equal(screen_cursor(t.screen).y, 15);
    rig_type(&t, "new-windoww\177 -n 'two words'");
    rig_until_shown(&t, ":new-window -n 'two words'");
    rig_type(&t, "\r");
    assert_int_equal(session_window_count(r.session), 2);
    rig_until_shown(&t, "1:two words*");
    rig_type(&t, "\002:\033[A"); /* history */
    rig_until_shown(&t, ":new-window -n 'two words'");
    rig_type(&t, "\025kill-window\r");
    assert_int_equal(session_window_count(r.session), 1);
    rig_type(&t, "\002:nonsense\r");
    rig_until_shown(&t, "unknown command: nonsense");
    rig_type(&t, "\002:split-window 'x\r");
    rig_until_shown(&t, "a quote is not closed");
    rig_type(&t, "\002:split-window -h\003");
    rig_until_gone(&t, "split-window");
    assert_int_equal(panes(&r), 1);
    rig_type(&t, "\002:split-window -h ; split-window -v\r");
    assert_int_equal(panes(&r), 3);
    rig_type(&t, "\002:");
    rig_type(&t, "\033[200~list-windows\033[201~\r"); /* pasted, and its output is shown */
    rig_until_shown(&t, "[layout");
    rig_type(&t, "q");
    rig_until_gone(&t, "[layout");
    end(&r, &t);
}

static void renames(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002,");
    rig_until_shown(&t, "(rename-window) main");
    rig_type(&t, "\025a \"quoted\" $name\r");
    assert_string_equal(r.session->current->name, "a \"quoted\" $name");
    rig_type(&t, "\002$");
    rig_until_shown(&t, "(rename-session) work");
    rig_type(&t, "s\r");
    assert_string_equal(r.session->name, "works");
    rig_until_shown(&t, "[works]");
    assert_int_equal(host_run("command-prompt -b -p one,two rename-window %2-%1"), COMMAND_DONE);
    rig_until_shown(&t, "one");
    rig_type(&t, "x\r");
    rig_until_shown(&t, "two");
    assert_int_equal(host_run("command-prompt -b"), COMMAND_FAILED);
    rig_type(&t, "y\r");
    assert_string_equal(r.session->current->name, "y-x");
    end(&r, &t);
}

static void confirmations(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002%\002x");
    rig_until_shown(&t, "kill-pane 1? (y/n)");
    rig_type(&t, "n");
    assert_int_equal(panes(&r), 2);
    rig_until_gone(&t, "kill-pane");
    rig_type(&t, "\002xy");
    assert_int_equal(panes(&r), 1);
    rig_type(&t, "\002c\002&");
    rig_until_shown(&t, "? (y/n)");
    rig_type(&t, "y");
    assert_int_equal(session_window_count(r.session), 1);
    end(&r, &t);
}

static void keys_are_listed(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002?");
    rig_until_shown(&t, "C-b C-b     send the prefix key");
    rig_type(&t, "\033[6~");
    rig_until_gone(&t, "C-b C-b ");
    rig_type(&t, "G");
    rig_until_shown(&t, "C-b C-Right move the border right");
    rig_type(&t, "q");
    rig_until_gone(&t, "C-Right");
    rig_type(&t, "\002:list-keys -T prefix\r");
    rig_until_shown(&t, "bind-key    -T prefix C-b     send-prefix");
    rig_type(&t, "G");
    rig_until_shown(&t, "bind-key -r -T prefix C-Right resize-pane -R");
    end(&r, &t);
}

static bool has_blue(const struct terminal *t, uint8_t colour)
{
    for (uint16_t row = 0; row < 15; row++)
        for (uint16_t x = 0; x < 60; x++)
            if (screen_row(t->screen, row)[x].pen.bg == (COLOR_KIND_16 | colour))
                return true;
    return false;
}

static bool numbers_are_shown(struct rig *r, const void *what)
{
    (void)r;
    return has_blue(what, 1) && has_blue(what, 4);
}

static bool numbers_are_gone(struct rig *r, const void *what)
{
    (void)r;
    return !has_blue(what, 1) && !has_blue(what, 4);
}

static void numbers_of_panes(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002%\002q");
    rig_wait(&r, numbers_are_shown, &t);
    rig_type(&t, "0");
    assert_ptr_equal(r.session->current->active, r.pane);
    rig_wait(&r, numbers_are_gone, &t);
    rig_type(&t, "\002q");
    rig_wait(&r, numbers_are_shown, &t);
    loop_advance(r.loop, 1000);
    rig_wait(&r, numbers_are_gone, &t);
    end(&r, &t);
}

static void other_sessions(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    assert_int_equal(host_run("new-session -d -s other cat"), COMMAND_DONE);
    rig_type(&t, "\002)");
    rig_until_shown(&t, "[other]");
    assert_int_equal(attach_session(t.attach)->attached, 1);
    assert_int_equal(attach_session(t.attach)->cols, 60); /* the size follows */
    rig_type(&t, "\002L");
    rig_until_shown(&t, "[work]");
    rig_type(&t, "\002(");
    rig_until_shown(&t, "[other]");
    rig_type(&t, "\002:switch-client -t work\r");
    rig_until_shown(&t, "[work]");
    r.session->attached = 0;
    end(&r, &t);
}

static void watchers_change_nothing(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct terminal t, w;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_attach(&r, &w, 60, 16, &watch);
    rig_type(&w, "\002%\002c\002:kill-server\r");
    rig_until_shown(&w, "read-only:");
    assert_int_equal(panes(&r), 1);
    assert_int_equal(session_window_count(r.session), 1);
    rig_detach(&w);
    end(&r, &t);
}

static void options_are_followed(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    assert_int_equal(host_run("set-option -g prefix C-a"), COMMAND_DONE);
    rig_type(&t, "\002%\001%");
    assert_int_equal(panes(&r), 2);
    assert_int_equal(host_run("set-option -g prefix2 M-z"), COMMAND_DONE);
    rig_type(&t, "\033z%");
    assert_int_equal(panes(&r), 3);
    assert_int_equal(host_run("set-option -g repeat-time 0"), COMMAND_DONE);
    rig_type(&t, "\001\033[A\033[A");
    rig_until_shown(&t, "^[[A");
    rig_type(&t, "\001?");
    rig_until_shown(&t, "C-a C-o     rotate");
    end(&r, &t);
}

/* --- the mouse ------------------------------------------------------------------------------ */

static void mouse_of_our_own(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    start(&r, &t);
    rig_type(&t, "\002%\002c");
    assert_int_equal(host_run("set-option -g mouse on"), COMMAND_DONE);
    loop_advance(r.loop, ATTACH_FRAME_MS);
    rig_rounds(&r, 3);
    assert_int_equal(screen_mouse(t.screen), SCREEN_MOUSE_DRAG);
    assert_int_equal(screen_mouse_encoding(t.screen), SCREEN_MOUSE_SGR);
    rig_type(&t, "\033[<0;9;16M\033[<0;9;16m"); /* "[work] 0:main-" */
    assert_int_equal(r.session->current->index, 0);
    rig_until_shown(&t, "│");
    rig_type(&t, "\033[<0;5;5M\033[<0;5;5m");
    assert_ptr_equal(r.session->current->active, r.pane);
    uint16_t cols = layout_at(r.session->current->layout, 0)->cols;
    char drag[80];
    snprintf(drag, sizeof drag, "\033[<0;%u;5M\033[<32;%u;5M\033[<32;%u;6M\033[<0;%u;6m", cols + 1u,
             cols - 1u, cols - 4u, cols - 4u);
    rig_type(&t, drag);
    assert_int_equal(layout_at(r.session->current->layout, 0)->cols, cols - 5);
    end(&r, &t);
}

static void mouse_reaches_programs(void **state)
{
    struct terminal t;
    struct rig r;

    (void)state;
    host_start(&r, "stty raw -echo; printf '\\033[?1000h\\033[?1006hready'; cat -v");
    rig_attach(&r, &t, 60, 16, NULL);
    rig_until_shown(&t, "ready");
    assert_int_equal(host_run("set-option -g mouse on"), COMMAND_DONE);
    rig_type(&t, "\033[<0;7;3M\033[<32;8;3M\033[<0;8;3m"); /* it did not ask for motion */
    rig_until_shown(&t, "ready^[[<0;7;3M^[[<0;8;3m");
    end(&r, &t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_and_panes_by_keys),
        cmocka_unit_test(repeated_keys),
        cmocka_unit_test(own_bindings),
        cmocka_unit_test(command_prompt),
        cmocka_unit_test(renames),
        cmocka_unit_test(confirmations),
        cmocka_unit_test(keys_are_listed),
        cmocka_unit_test(numbers_of_panes),
        cmocka_unit_test(other_sessions),
        cmocka_unit_test(watchers_change_nothing),
        cmocka_unit_test(options_are_followed),
        cmocka_unit_test(mouse_of_our_own),
        cmocka_unit_test(mouse_reaches_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
