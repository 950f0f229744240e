/* Key tables: names of keys both ways, bindings, and that every default
 * binding is a command line that its command takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/args.h"
#include "server/daemon/keynames.h"
#include "server/daemon/keytable.h"
#include "server/daemon/outbuf.h"

/* --- keys ----------------------------------------------------------------------------------- */

static void names_go_both_ways(void **state)
{
    static const char *const lines[][2] = {
        {"a", "a"},
        {"C-b", "C-b"},
        {"^B", "C-b"},
        {"C-B", "C-b"},
        {"C-m", "Enter"},
        {"C-i", "Tab"},
        {"C-[", "Escape"},
        {"C-Space", "C-Space"},
        {"C-@", "C-Space"},
        {"M-x", "M-x"},
        {"M-C-x", "M-C-x"},
        {"S-a", "A"},
        {"S-Tab", "BTab"},
        {"Up", "Up"},
        {"C-Up", "C-Up"},
        {"M-C-S-Up", "C-M-S-Up"},
        {"PageUp", "PPage"},
        {"Delete", "DC"},
        {"KPEnter", "KPEnter"},
        {"F12", "F12"},
        {"Space", "Space"},
        {"M-Space", "M-Space"},
        {"é", "é"},
        {"M-é", "M-é"},
        {"BSpace", "BSpace"},
        {";", ";"},
        {"-", "-"},
        {"^", "^"},
    };
    char text[KEYNAMES_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        uint32_t key = keynames_parse(lines[i][0]);
        keynames_text(key, text);
        assert_string_equal(text, lines[i][1]);
        assert_int_equal(keynames_parse(text), key);
    }
    assert_int_equal(keynames_parse("NoKey"), KEY_NONE);
    assert_int_equal(keynames_parse(""), KEY_NONE);
}

/* What keynames_encode writes is decoded to the same key, in every mode. */
static void sent_keys_are_found(void **state)
{
    static const char *const names[] = {
        "Up", "Down", "Left", "Right", "Home", "End", "IC",    "DC",  "PPage",  "NPage", "F1", "F4",
        "F5", "F12",  "BTab", "a",     "Z",    "é",   "Enter", "Tab", "BSpace", "C-a",   "C-_"};
    static const char *const mods[] = {"", "M-", "C-", "S-", "C-M-", "C-S-"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof mods / sizeof mods[0]; j++) {
            for (uint32_t modes = 0; modes < 4; modes++) {
                struct outbuf out = {0};
                char name[32], again[KEYNAMES_TEXT_MAX];
                uint32_t key;

                if (j > 1 && i > 13) /* a terminal does not tell them apart */
                    continue;
                snprintf(name, sizeof name, "%s%s", mods[j], names[i]);
                assert_int_equal(keynames_encode(name, modes, &out), ERR_OK);
                key = keynames_decode(out.p, out.len);
                keynames_text(key, again);
                if (key != keynames_parse(name))
                    fail_msg("%s is read as %s", name, again);
                outbuf_clear(&out);
            }
        }
    }
}

/* --- tables --------------------------------------------------------------------------------- */

static void check_commands(const char *key, const struct config_list *list)
{
    struct args args;
    char why[128];

    assert_non_null(list->first);
    for (const struct config_command *c = list->first; c; c = c->next) {
        if (c->error)
            fail_msg("%s: %s", key, c->error);
        if (args_parse(c->n, (const char *const *)c->words, &args, why, sizeof why) != ERR_OK)
            fail_msg("%s: %s", key, why);
    }
}

static void defaults_are_commands(void **state)
{
    const struct keytable_default *d;
    unsigned i = 0;

    (void)state;
    keytable_reset();
    for (; (d = keytable_default_at(i)); i++) {
        const struct keytable_binding *b = keytable_find(d->table, keynames_parse(d->key));

        assert_non_null(b);
        assert_true(b->note && d->note ? strcmp(b->note, d->note) == 0 : b->note == d->note);
        assert_int_equal(b->repeat, d->repeat);
        check_commands(d->key, &b->commands);
    }
    assert_true(i > 50);
    assert_null(keytable_find("prefix", keynames_parse("g")));
    assert_null(keytable_find("root", keynames_parse("a")));
    assert_null(keytable_find("none", keynames_parse("a")));
}

static void bindings_come_and_go(void **state)
{
    const char *one[] = {"next-window"}, *two[] = {"a", ";", "b"};
    struct config_list first = {0}, second = {0};
    uint32_t key = keynames_parse("F5"), changes = keytable_changes();

    (void)state;
    assert_int_equal(config_list_add_line(&first, 1, one), ERR_OK);
    assert_int_equal(config_list_add_line(&second, 3, two), ERR_OK);
    assert_int_equal(keytable_bind("mine", key, false, NULL, &first), ERR_OK);
    assert_true(keytable_changes() != changes);
    assert_string_equal(keytable_find("mine", key)->commands.first->words[0],
                        "next-window");
    assert_int_equal(keytable_bind("mine", key, true, "why", &second), ERR_OK);
    assert_string_equal(keytable_find("mine", key)->commands.first->next->words[0], "b");
    assert_string_equal(keytable_find("mine", key)->note, "why");
    assert_null(keytable_find("mine", key)->next);
    assert_int_equal(keytable_unbind("mine", key), ERR_OK);
    assert_null(keytable_find("mine", key));
    assert_int_equal(keytable_unbind("other", key), ERR_NOT_FOUND);
    assert_int_equal(keytable_unbind_all("prefix"), ERR_OK);
    assert_null(keytable_find("prefix", keynames_parse("c")));
    keytable_reset();
    assert_non_null(keytable_find("prefix", keynames_parse("c")));
    assert_null(keytable_named("mine"));
    config_list_clear(&first);
    config_list_clear(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(sent_keys_are_found),
        cmocka_unit_test(defaults_are_commands),
        cmocka_unit_test(bindings_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
