/* The command table and the parser of command lines. */
#include "proto/args_help.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define WORDS_MAX 40

/* A line of words separated by blanks; `''` is an empty word. */
struct line {
    char text[256];
    const char *words[WORDS_MAX];
    size_t n;
};

static void split(struct line *l, const char *text)
{
    snprintf(l->text, sizeof l->text, "%s", text);
    l->n = 0;
    for (char *p = strtok(l->text, " "); p; p = strtok(NULL, " "))
        l->words[l->n++] = strcmp(p, "''") == 0 ? "" : p;
}

static struct line line;
static struct args args;
static char why[160];

static enum err parse(const char *text)
{
    split(&line, text);
    why[0] = '\0';
    return args_parse(line.n, line.words, &args, why, sizeof why);
}

/* --- the table ------------------------------------------------------------------------------ */

static void names_are_unique(void **state)
{
    const struct command_spec *c = args_commands();

    (void)state;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        bool ambiguous;

        assert_int_equal(c[i].id, i);
        assert_ptr_equal(args_find(c[i].name, &ambiguous), &c[i]);
        if (c[i].alias[0])
            assert_ptr_equal(args_find(c[i].alias, &ambiguous), &c[i]);
        assert_true(c[i].summary[0] != '\0' && c[i].summary[strlen(c[i].summary) - 1] != '.');
    }
}

/* Looks for an option in a usage line; sets *value when a word for its value follows. */
static bool is_in_usage(const char *usage, const char *name, size_t len, bool *value)
{
    for (const char *p = usage; (p = strchr(p, '-')) != NULL; p++) {
        size_t dashes = p[1] == '-' ? 2 : 1;
        size_t n = strcspn(p + dashes, " ]|");

        if (p > usage && !strchr("[ |", p[-1]))
            continue;
        if (dashes == 1 ? len == 1 && memchr(p + 1, name[0], n) != NULL
                        : n == len && strncmp(p + 2, name, len) == 0) {
            *value = p[dashes + n] == ' ' && n == len;
            return true;
        }
    }
    return false;
}

static void check_usage(const struct command_spec *c, const char *name, size_t len, bool takes)
{
    bool value = false;

    if (!is_in_usage(c->usage, name, len, &value))
        fail_msg("%s: %.*s is not in its usage", c->name, (int)len, name);
    if (value != takes)
        fail_msg("%s: usage and table disagree on the value of %.*s", c->name, (int)len, name);
}

static void usage_names_every_option(void **state)
{
    const struct command_spec *c = args_commands();

    (void)state;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        size_t n;

        for (const char *p = c[i].options; *p; p += n, p += strspn(p, " ")) {
            n = strcspn(p, " ");
            check_usage(&c[i], p, n - (p[n - 1] == '='), p[n - 1] == '=');
        }
    }
}

/* What usage calls the value of -t, for every kind of target. */
static const char *const target_words[][2] = {
    [ARGS_TARGET_NONE] = {NULL, NULL},        [ARGS_TARGET_SESSION] = {"session", NULL},
    [ARGS_TARGET_WINDOW] = {"window", NULL},  [ARGS_TARGET_PANE] = {"pane", NULL},
    [ARGS_TARGET_CLIENT] = {"client", NULL},  [ARGS_TARGET_SHARE] = {"share-or-pane", "target"},
};

static bool is_word(const char *word, const char *at, size_t n)
{
    return word && strlen(word) == n && strncmp(word, at, n) == 0;
}

static void usage_and_table_agree_on_targets(void **state)
{
    const struct command_spec *c = args_commands();
    unsigned operators = 0;

    (void)state;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        const char *at = strstr(c[i].usage, "-t ");
        size_t n = at ? strcspn(at + 3, " ]") : 0;

        operators += c[i].role == ARGS_ROLE_OPERATOR;
        if ((c[i].target == ARGS_TARGET_NONE) != (at == NULL))
            fail_msg("%s: table and usage disagree on -t", c[i].name);
        if (at && !is_word(target_words[c[i].target][0], at + 3, n) &&
            !is_word(target_words[c[i].target][1], at + 3, n))
            fail_msg("%s: -t names another kind of thing in its usage", c[i].name);
    }
    assert_int_equal(operators, 6); /* docs/security.md: what COMMAND can do */
}

static void every_flag_is_explained(void **state)
{
    const struct command_spec *c = args_commands();

    (void)state;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        struct args_flag_help f;
        size_t n = 0;

        for (const char *at = NULL; args_help_next(&c[i], &at, &f); n++) {
            size_t len = strlen(f.text);

            if (len == 0 || f.text[len - 1] == '.')
                fail_msg("%s: proto/flags.def has no row for %.*s", c[i].name, (int)f.len, f.name);
            assert_true(len <= 80 && (!f.value || f.value_len > 0));
        }
        assert_true(n > 0 || c[i].options[0] == '\0');
    }
}

#define FLAG(command, flag, text) {command, flag},
static const char *const explained[][2] = {
#include "proto/flags.def"
};
#undef FLAG

static bool has_flag(const struct command_spec *c, const char *flag)
{
    struct args_flag_help f;

    for (const char *at = NULL; args_help_next(c, &at, &f);) {
        if (f.len == strlen(flag) && memcmp(f.name, flag, f.len) == 0)
            return true;
    }
    return false;
}

static void nothing_else_is_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof explained / sizeof explained[0]; i++) {
        const char *const *row = explained[i];
        bool found = false;

        for (size_t k = 0; k < ARGS_COMMANDS && !found; k++) {
            const struct command_spec *c = &args_commands()[k];

            found = (row[0][0] == '*' || strcmp(row[0], c->name) == 0) && has_flag(c, row[1]);
        }
        if (!found)
            fail_msg("proto/flags.def: %s has no flag %s", row[0], row[1]);
    }
}

/* Any name is answered, the longest too; none is suggested that is not near. */
static void any_name_is_answered(void **state)
{
    char name[200] = "", text[64];

    (void)state;
    for (size_t i = 0; i + 1 < sizeof name; i++) {
        args_help_unknown(name, text, sizeof text);
        assert_true(strstr(text, "command: ") != NULL);
        assert_null(args_help_nearest(name));
        name[i] = 'x';
    }
}

static bool is_option(const struct command_spec *c, const char *name, size_t len)
{
    for (const char *p = c->options; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        size_t bare = n - (p[n - 1] == '=');

        if (bare == len && strncmp(p, name, len) == 0)
            return true;
        p += n;
    }
    return false;
}

/* And nothing else stands there: each letter of `-dP` and each `--word` is an option. */
static void usage_names_nothing_else(void **state)
{
    const struct command_spec *c = args_commands();

    (void)state;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        for (const char *p = c[i].usage; (p = strchr(p, '-')) != NULL; p++) {
            size_t dashes = p[1] == '-' ? 2 : 1;
            size_t n = strcspn(p + dashes, " ]|");
            size_t step = dashes == 2 ? n : 1;

            if (p > c[i].usage && !strchr("[ |", p[-1]))
                continue;
            for (size_t k = 0; k < n; k += step) {
                if (!is_option(&c[i], p + dashes + k, step))
                    fail_msg("%s: its usage names %.*s", c[i].name, (int)step, p + dashes + k);
            }
        }
    }
}

static void found_by_prefix(void **state)
{
    static const struct {
        const char *name;
        int want; /* enum args_command, or -1 */
        bool ambiguous;
    } rows[] = {
        {"new-session", ARGS_COMMAND_new_session, false},
        {"new", ARGS_COMMAND_new_session, false},
        {"new-s", ARGS_COMMAND_new_session, false},
        {"ls", ARGS_COMMAND_list_sessions, false},
        {"list-s", ARGS_COMMAND_list_sessions, false},
        {"list-", -1, true},
        {"kill", -1, true},
        {"kill-s", -1, true},
        {"share", ARGS_COMMAND_share, false}, /* though shares begins so */
        {"shar", -1, true},
        {"NEW", -1, false},
        {"nope", -1, false},
        {"new-sessions", -1, false},
        {"", -1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool ambiguous;
        const struct command_spec *c = args_find(rows[i].name, &ambiguous);

        assert_int_equal(c ? (int)c->id : -1, rows[i].want);
        if (!c)
            assert_int_equal(ambiguous, rows[i].ambiguous);
    }
}

/* --- lines ---------------------------------------------------------------------------------- */

static void good_lines(void **state)
{
    static const struct {
        const char *line;
        const char *name;  /* of an option that must be there, or NULL */
        const char *value; /* its value, or NULL */
        size_t options;
        const char *word; /* the first, or NULL */
        size_t words;
    } rows[] = {
        {"ls", NULL, NULL, 0, NULL, 0},
        {"ls --json", "json", NULL, 1, NULL, 0},
        {"new -d -s work", "s", "work", 2, NULL, 0},
        {"new -ds work", "s", "work", 2, NULL, 0},
        {"new -dswork", "s", "work", 2, NULL, 0},
        {"new -s=work", "s", "=work", 1, NULL, 0},
        {"new -d -- ls -l", "d", NULL, 1, "ls", 2},
        {"new -d ls -l", "d", NULL, 1, "ls", 2},
        {"kick 3 bye", NULL, NULL, 0, "3", 2},
        {"help share", NULL, NULL, 0, "share", 1},
        {"has -t x", "t", "x", 1, NULL, 0},
        {"new - -d", NULL, NULL, 0, "-", 2},
        {"new -s ''", "s", "", 1, NULL, 0},
        {"capturep -p -S -10 -E -", "S", "-10", 3, NULL, 0},
        {"capturep -p -S -10 -E -", "E", "-", 3, NULL, 0},
        {"share --label=x --write", "label", "x", 2, NULL, 0},
        {"share --label x", "label", "x", 1, NULL, 0},
        {"share --label=", "label", "", 1, NULL, 0},
        {"share --label=a=b", "label", "a=b", 1, NULL, 0},
        {"share -n a -n b", "n", "b", 2, NULL, 0},
        {"share -- --json", NULL, NULL, 0, "--json", 1},
        {"send -l -t %1 -- -x", "t", "%1", 2, "-x", 1},
        {"send -t %1 C-c Enter", "t", "%1", 1, "C-c", 2},
        {"new --", NULL, NULL, 0, NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (parse(rows[i].line) != ERR_OK)
            fail_msg("%s: %s", rows[i].line, why);
        assert_int_equal(args.n_options, rows[i].options);
        assert_int_equal(args.n_words, rows[i].words);
        if (rows[i].word)
            assert_string_equal(args.words[0], rows[i].word);
        if (rows[i].name)
            assert_true(args_has(&args, rows[i].name));
        if (rows[i].value)
            assert_string_equal(args_value(&args, rows[i].name), rows[i].value);
        else if (rows[i].name)
            assert_null(args_value(&args, rows[i].name));
        assert_false(args_has(&args, "no-such"));
    }
}

static void bad_lines(void **state)
{
    static const struct {
        const char *line;
        enum err want;
        const char *why;
    } rows[] = {
        {"", ERR_NOT_FOUND, "unknown command: "},
        {"nope", ERR_NOT_FOUND, "unknown command: nope"},
        {"kill-", ERR_NOT_FOUND,
         "ambiguous command: kill-, could be: kill-window, kill-pane, kill-session, kill-server"},
        {"nwe-window", ERR_NOT_FOUND, "unknown command: nwe-window, did you mean new-window?"},
        {"shrae", ERR_NOT_FOUND, "unknown command: shrae, did you mean share?"},
        {"attahc", ERR_NOT_FOUND, "unknown command: attahc, did you mean attach-session?"},
        {"new -e A", ERR_MALFORMED, "option -e needs NAME=value: A"},
        {"new -e=b", ERR_MALFORMED, "option -e needs NAME=value: =b"},
        {"ls -q", ERR_MALFORMED, "unknown option -q"},
        {"ls --no", ERR_MALFORMED, "unknown option --no"},
        {"ls --jso", ERR_MALFORMED, "unknown option --jso"},
        {"ls --json=1", ERR_MALFORMED, "option --json takes no value"},
        {"ls -json", ERR_MALFORMED, "unknown option -j"},
        {"ls x", ERR_MALFORMED, "takes no arguments: x"},
        {"ls -- --json", ERR_MALFORMED, "takes no arguments: --json"},
        {"has -t x y", ERR_MALFORMED, "takes no arguments: y"},
        {"links 3", ERR_MALFORMED, "takes no arguments: 3"},
        {"new --d", ERR_MALFORMED, "unknown option --d"},
        {"new --=x", ERR_MALFORMED, "unknown option --"},
        {"new -s", ERR_MALFORMED, "option -s needs a value"},
        {"new -ds", ERR_MALFORMED, "option -s needs a value"},
        {"new -dq", ERR_MALFORMED, "unknown option -q"},
        {"share --label", ERR_MALFORMED, "option --label needs a value"},
        {"new -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d -d "
         "-d "
         "-d -d -d -d",
         ERR_RANGE, "too many options"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(parse(rows[i].line), rows[i].want);
        assert_string_equal(why, rows[i].why);
        assert_int_equal(args.spec != NULL, rows[i].want != ERR_NOT_FOUND);
    }
}

static void short_room_for_why(void **state)
{
    const char *words[] = {"a-very-long-name-of-no-command"};
    char small[8];

    (void)state;
    assert_int_equal(args_parse(1, words, &args, small, sizeof small), ERR_NOT_FOUND);
    assert_string_equal(small, "unknown");
}

static void repeated_options(void **state)
{
    (void)state;
    assert_int_equal(parse("share --origin=https://a --origin https://b -d"), ERR_OK);
    assert_string_equal(args_value_at(&args, "origin", 0), "https://a");
    assert_string_equal(args_value_at(&args, "origin", 1), "https://b");
    assert_null(args_value_at(&args, "origin", 2));
    assert_string_equal(args_value(&args, "origin"), "https://b");
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        enum err want;
        long value;
    } rows[] = {
        {"0", ERR_OK, 0},
        {"42", ERR_OK, 42},
        {"-7", ERR_OK, -7},
        {"007", ERR_OK, 7},
        {"100", ERR_OK, 100},
        {"101", ERR_RANGE, 0},
        {"-8", ERR_RANGE, 0},
        {"", ERR_MALFORMED, 0},
        {"x", ERR_MALFORMED, 0},
        {"1x", ERR_MALFORMED, 0},
        {"0x10", ERR_MALFORMED, 0},
        {"1.5", ERR_MALFORMED, 0},
        {"-", ERR_MALFORMED, 0},
        {" 1", ERR_MALFORMED, 0},
        {"1 ", ERR_MALFORMED, 0},
        {"+1", ERR_MALFORMED, 0},
        {"- 1", ERR_MALFORMED, 0},
        {"--1", ERR_MALFORMED, 0},
        {"99999999999999999999", ERR_RANGE, 0},
        {"-99999999999999999999", ERR_RANGE, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        long v = 12345;

        if (args_number(rows[i].text, -7, 100, &v) != rows[i].want)
            fail_msg("\"%s\"", rows[i].text);
        assert_int_equal(v, rows[i].want == ERR_OK ? rows[i].value : 12345);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(usage_names_every_option),
        cmocka_unit_test(usage_and_table_agree_on_targets),
        cmocka_unit_test(every_flag_is_explained),
        cmocka_unit_test(nothing_else_is_explained),
        cmocka_unit_test(any_name_is_answered),
        cmocka_unit_test(usage_names_nothing_else),
        cmocka_unit_test(found_by_prefix),
        cmocka_unit_test(good_lines),
        cmocka_unit_test(bad_lines),
        cmocka_unit_test(short_room_for_why),
        cmocka_unit_test(repeated_options),
        cmocka_unit_test(numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
