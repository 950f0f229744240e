/* Options: the table is sound, values are inherited and checked, what is refused changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/options.h"
#include "server/daemon/options_value.h"
#include "server/daemon/outbuf.h"

static const struct options_owner global_session = {OPTION_SESSION, OPTIONS_GLOBAL};
static const struct options_owner global_window = {OPTION_WINDOW, OPTIONS_GLOBAL};
static const struct options_owner session_4 = {OPTION_SESSION, 4};
static const struct options_owner window_7 = {OPTION_WINDOW, 7};
static const struct options_owner pane_9 = {OPTION_PANE, 9};
static const struct options_place here = {4, 7, 9};
static const struct options_place elsewhere = {5, 8, 10};

static char why[256];
static int changes;

static void on_changed(void *ctx, enum option_id id)
{
    (void)ctx;
    (void)id;
    changes++;
}

static struct options *make(void)
{
    struct options *o = options_create("/bin/sh");

    assert_non_null(o);
    changes = 0;
    options_set_hook(o, on_changed, NULL);
    return o;
}

static void set(struct options *o, struct options_owner at, const char *name, const char *value)
{
    assert_int_equal(options_set(o, at, name, value, 0, why, sizeof why), ERR_OK);
}

static void refuse(struct options *o, struct options_owner at, const char *name, const char *value,
                   unsigned how, const char *want)
{
    int before = changes;

    assert_int_not_equal(options_set(o, at, name, value, how, why, sizeof why), ERR_OK);
    assert_string_equal(why, want);
    assert_int_equal(changes, before);
}

static void test_every_default_is_a_value(void **state)
{
    struct options *o = make();

    (void)state;
    for (enum option_id id = 0; id < OPTIONS; id++) {
        const struct option_spec *s = options_spec(id);
        bool ambiguous;
        long number;

        assert_int_equal(options_check(s, options_text(o, here, id), &number, why, sizeof why),
                         ERR_OK);
        assert_int_equal(options_find(s->name, &ambiguous), id);
        if (id > 0 && s->scopes == options_spec(id - 1)->scopes)
            assert_true(strcmp(options_spec(id - 1)->name, s->name) < 0);
    }
    assert_string_equal(options_text(o, here, OPTION_default_shell), "/bin/sh");
    options_destroy(o);
}

static void test_inheritance(void **state)
{
    struct options *o = make();

    (void)state;
    set(o, global_session, "base-index", "1");
    set(o, session_4, "base-index", "2");
    assert_int_equal(options_number(o, here, OPTION_base_index), 2);
    assert_int_equal(options_number(o, elsewhere, OPTION_base_index), 1);
    set(o, global_window, "synchronize-panes", "on");
    assert_true(options_flag(o, here, OPTION_synchronize_panes));
    set(o, window_7, "synchronize-panes", "off");
    set(o, pane_9, "synchronize-panes", NULL); /* toggles what holds for it */
    assert_int_equal(options_set(o, session_4, "base-index", NULL, OPTIONS_UNSET, why, sizeof why),
                     ERR_OK);
    assert_int_equal(options_number(o, here, OPTION_base_index), 1);
    options_forget(o, OPTION_PANE, 9);
    assert_false(options_flag(o, here, OPTION_synchronize_panes));
    options_forget(o, OPTION_WINDOW, 7);
    assert_true(options_flag(o, here, OPTION_synchronize_panes));
    options_forget(o, OPTION_SESSION, OPTIONS_GLOBAL); /* not an object */
    assert_int_equal(options_number(o, here, OPTION_base_index), 1);
    options_destroy(o);
}

static void test_user_options(void **state)
{
    struct options *o = make();

    (void)state;
    assert_null(options_user(o, here, "@a"));
    set(o, global_session, "@a", "global");
    set(o, window_7, "@a", "window");
    assert_string_equal(options_user(o, here, "@a"), "window");
    assert_string_equal(options_user(o, elsewhere, "@a"), "global");
    assert_int_equal(options_set(o, window_7, "@a", "+more", OPTIONS_APPEND, why, sizeof why),
                     ERR_OK);
    assert_string_equal(options_own(o, window_7, "@a"), "window+more");
    refuse(o, window_7, "@a", "x", OPTIONS_ONLY_NEW, "already set: @a");
    refuse(o, window_7, "@b", NULL, 0, "empty value");
    refuse(o, window_7, "@", "x", 0, "invalid option: @");
    options_destroy(o);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *name, *value, *want;
    } cases[] = {
        {"foo", "1", "invalid option: foo"},
        {"", "1", "invalid option: "},
        {"sta", "on", "ambiguous option: sta"},
        {"base-index", "x", "value is invalid: x"},
        {"base-index", "-1", "value is too small: -1"},
        {"base-index", "99999999999999999999", "value is too large: 99999999999999999999"},
        {"base-index", "", "value is invalid: "},
        {"base-index", NULL, "empty value"},
        {"buffer-limit", "0", "value is too small: 0"},
        {"mouse", "maybe", "bad value: maybe"},
        {"status", "7", "unknown value: 7"},
        {"status-style", "zz", "invalid style: zz"},
        {"status-style", "fg=notacolour", "invalid style: fg=notacolour"},
        {"display-panes-colour", "#12345", "bad colour: #12345"},
        {"prefix", "C-zz", "bad key: C-zz"},
        {"default-shell", "sh", "not a suitable shell: sh"},
        {"default-size", "0x0", "value is invalid: 0x0"},
    };
    struct options *o = make();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuse(o, global_session, cases[i].name, cases[i].value, 0, cases[i].want);
    refuse(o, global_session, "mouse", "on", OPTIONS_ONLY_NEW, "already set: mouse");
    options_destroy(o);
}

static void test_append_and_toggle(void **state)
{
    struct options *o = make();

    (void)state;
    set(o, global_session, "mouse", NULL);
    assert_string_equal(options_text(o, here, OPTION_mouse), "on");
    set(o, global_session, "mou", "0"); /* a prefix that only one begins with */
    assert_string_equal(options_text(o, here, OPTION_mouse), "off");
    options_set(o, global_session, "status-left", "x", OPTIONS_APPEND, why, sizeof why);
    assert_string_equal(options_text(o, here, OPTION_status_left), "[#{session_name}] x");
    options_set(o, global_session, "status-style", "bold", OPTIONS_APPEND, why, sizeof why);
    assert_string_equal(options_text(o, here, OPTION_status_style), "bg=green,fg=black,bold");
    set(o, global_session, "prefix", "C-a");
    set(o, global_session, "status-style", "#{?a,zz,yy}"); /* a format: not checked yet */
    assert_int_equal(changes, 6);
    options_destroy(o);
}

static void test_styles(void **state)
{
    const struct pen base = {.fg = COLOR_KIND_16 | 2, .flags = PEN_DIM};
    struct pen pen = base;

    (void)state;
    assert_true(
        options_style("fg=brightred, bg=colour200 bold,nodim,curly-underscore", &base, &pen));
    assert_int_equal(pen.fg, COLOR_KIND_16 | 9);
    assert_int_equal(pen.bg, COLOR_KIND_256 | 200);
    assert_int_equal(pen.flags, PEN_BOLD);
    assert_int_equal(pen.underline, UNDERLINE_CURLY);
    assert_true(options_style("bg=#0a0B0c,align=left,fg=default", &base, &pen));
    assert_int_equal(pen.bg, COLOR_KIND_RGB | 0x0a0b0c);
    assert_int_equal(pen.fg, base.fg);
    assert_false(options_style("bg=red,nonsense", &base, &pen));
    assert_int_equal(pen.bg, COLOR_KIND_RGB | 0x0a0b0c);
    assert_true(options_style("default", &base, &pen));
    assert_true(pen_equal(&pen, &base));
}

static void count(void *ctx, const char *name, const char *value)
{
    (void)name;
    (void)value;
    ++*(int *)ctx;
}

static void test_each_is_what_was_set(void **state)
{
    struct options *o = make();
    int n = 0;

    (void)state;
    options_each(o, session_4, count, &n);
    assert_int_equal(n, 0);
    set(o, session_4, "@x", "1");
    set(o, session_4, "mouse", "on");
    options_each(o, session_4, count, &n);
    assert_int_equal(n, 2);
    options_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_default_is_a_value),
        cmocka_unit_test(test_inheritance),
        cmocka_unit_test(test_user_options),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_append_and_toggle),
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_each_is_what_was_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
