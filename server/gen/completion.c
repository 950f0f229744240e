/* Makes a shell's completion from a template: `completion bash <docs/completion/vitrine.bash.in`.
 *
 *   @COMMANDS@ @OPTIONS@ @HOOKS@ @LAYOUTS@   names, from commands.def, options.def and the daemon
 *   @TABLE@                                  each command's flags, and the kinds of what they take
 *
 * A kind is what the usage calls a value or a word: session, window, pane, file. Those that a shell
 * or the daemon cannot list are left to the user. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "proto/args_help.h"
#include "server/daemon/hooks.h"
#include "server/daemon/layout.h"

#define LINE_BYTES 1024
#define WORDS_MAX  4

/* --- kinds ---------------------------------------------------------------------------------- */

/* Commands whose words are a program of the shell's, not a command of vitrine. */
static bool takes_program(enum args_command id)
{
    static const char *const names[] = {"new-session",  "new-window",     "split-window",
                                        "share",        "respawn-window", "run-shell",
                                        "respawn-pane", "pipe-pane"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(args_commands()[id].name, names[i]) == 0)
            return true;
    }
    return false;
}

/* The kind of a value or word of len bytes, as templates name it; "" when nobody can list it. */
static void find_kind(const struct command_spec *c, const char *word, size_t len, char out[64])
{
    static const char *const known[][2] = {
        {"session", "session"}, {"window", "window"},      {"pane", "pane"},
        {"client", "client"},   {"buffer", "buffer"},      {"directory", "directory"},
        {"file", "file"},       {"path", "file"},          {"table", "table"},
        {"option", "option"},   {"hook", "hook"},          {"layout", "layout"},
        {"target", "pane"},     {"share-or-pane", "pane"}, {"command", "command"},
    };

    out[0] = '\0';
    if (memchr(word, '|', len)) {
        snprintf(out, 64, "%.*s", (int)len, word);
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i][0]) == len && memcmp(known[i][0], word, len) == 0)
            snprintf(out, 64, "%s", known[i][1]);
    }
    if (strcmp(out, "command") == 0 && takes_program(c->id))
        strcpy(out, "program");
}

/* What new sessions, windows and the like are called is for the user to say. */
static void flag_kind(const struct command_spec *c, const struct args_flag_help *f, char out[64])
{
    find_kind(c, f->value, f->value_len, out);
    if (f->len == 1 &&
        (f->name[0] == 'n' || (f->name[0] == 's' && strcmp(c->name, "new-session") == 0)))
        out[0] = '\0';
}

/* --- words ---------------------------------------------------------------------------------- */

struct word {
    const char *text; /* without brackets */
    size_t len;
    bool repeats;
    bool optional;
};

/* What a usage has behind the flags: `[-r] key [command ...]` has key and command. */
static size_t find_words(const char *usage, struct word out[static WORDS_MAX])
{
    size_t n = 0;

    for (const char *p = usage; *p && n < WORDS_MAX; p += strspn(p, " ")) {
        bool bracket = *p == '[';
        size_t len = bracket ? strcspn(p, "]") + 1 : strcspn(p, " ");
        struct word w = {p + bracket, len - (bracket ? 2 : 0), false, bracket};

        p += len;
        if (w.text[0] == '-' && !bracket) { /* -t session, which must be given */
            p += strspn(p, " ");
            p += strcspn(p, " ");
        }
        if (w.text[0] == '-')
            continue;
        if (strncmp(p, " ...", 4) == 0) {
            w.repeats = true;
            p += 4;
        }
        if (w.len > 4 && memcmp(w.text + w.len - 4, " ...", 4) == 0) {
            w.repeats = true;
            w.len -= 4;
        }
        out[n++] = w;
    }
    return n;
}

/* --- text ----------------------------------------------------------------------------------- */

/* In single quotes for a shell: ' as '\'' (fish: \'), and what set names behind a backslash. */
static void put_text(const char *text, size_t len, const char *set, const char *apostrophe)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'')
            fputs(apostrophe, stdout);
        else if (strchr(set, text[i]))
            printf("\\%c", text[i]);
        else
            putchar(text[i]);
    }
}

static void put_names(const struct command_spec *c, const char *between)
{
    printf("%s%s%s", c->name, c->alias[0] ? between : "", c->alias);
}

/* --- bash ----------------------------------------------------------------------------------- */

static const char *bash_kind(const char *kind)
{
    return strcmp(kind, "command") == 0 ? "vitrine-command" : kind;
}

static void bash_command(const struct command_spec *c)
{
    struct args_flag_help f;
    struct word words[WORDS_MAX];
    size_t n = find_words(c->usage, words);
    char kind[64];

    printf("    ");
    put_names(c, " | ");
    printf(")\n        flags='");
    for (const char *at = NULL; args_help_next(c, &at, &f);)
        printf("%s%.*s ", f.len > 1 ? "--" : "-", (int)f.len, f.name);
    printf("'\n        values='");
    for (const char *at = NULL; args_help_next(c, &at, &f);) {
        if (!f.value)
            continue;
        flag_kind(c, &f, kind);
        printf("%s%.*s=%s ", f.len > 1 ? "--" : "-", (int)f.len, f.name, bash_kind(kind));
    }
    printf("'\n        words='");
    for (size_t i = 0; i < n; i++) {
        find_kind(c, words[i].text, words[i].len, kind);
        printf("%s%s", kind[0] ? bash_kind(kind) : "", kind[0] ? " " : "");
    }
    printf("' ;;\n");
}

/* --- zsh ------------------------------------------------------------------------------------ */

/* The action of an argument of a kind. */
static void zsh_action(const char *kind, bool repeats)
{
    if (strcmp(kind, "directory") == 0)
        printf("_directories");
    else if (strcmp(kind, "file") == 0)
        printf("_files");
    else if (strcmp(kind, "program") == 0)
        printf(repeats ? "_normal" : "_cmdstring");
    else if (strchr(kind, '|')) {
        putchar('(');
        for (const char *p = kind; *p; p++)
            putchar(*p == '|' ? ' ' : *p);
        putchar(')');
    } else if (strcmp(kind, "command") == 0)
        printf(repeats ? "_vitrine_command_line" : "_vitrine_offer_command");
    else if (kind[0])
        printf("_vitrine_offer_%s", kind);
}

static void zsh_flag(const struct command_spec *c, const struct args_flag_help *f)
{
    char kind[64];

    printf(" \\\n      '%s%s%.*s%s[",
           f->value_len == 10 && memcmp(f->value, "NAME=value", 10) == 0 ? "*" : "",
           f->len > 1 ? "--" : "-", (int)f->len, f->name,
           !f->value    ? ""
           : f->len > 1 ? "="
                        : "+");
    put_text(f->text, strlen(f->text), "[]\\", "'\\''");
    printf("]");
    if (f->value) {
        flag_kind(c, f, kind);
        printf(":%.*s:", (int)f->value_len, f->value);
        zsh_action(kind, false);
    }
    printf("'");
}

static void zsh_command(const struct command_spec *c)
{
    struct args_flag_help f;
    struct word words[WORDS_MAX];
    size_t n = find_words(c->usage, words);
    char kind[64];

    printf("    ");
    put_names(c, "|");
    printf(")\n      _arguments -s :");
    for (const char *at = NULL; args_help_next(c, &at, &f);)
        zsh_flag(c, &f);
    for (size_t i = 0; i < n; i++) {
        find_kind(c, words[i].text, words[i].len, kind);
        printf(" \\\n      '");
        if (words[i].repeats)
            printf("*:%s%.*s:", strcmp(kind, "command") && strcmp(kind, "program") ? "" : "::",
                   (int)words[i].len, words[i].text);
        else
            printf("%zu:%s%.*s:", i + 1, words[i].optional ? ":" : "", (int)words[i].len,
                   words[i].text);
        zsh_action(kind, words[i].repeats);
        printf("'");
    }
    printf("\n      ;;\n");
}

static void zsh_describe(const struct command_spec *c)
{
    const char *const names[] = {c->name, c->alias};

    for (size_t i = 0; i < 2; i++) {
        if (!names[i][0])
            continue;
        printf("    '%s:", names[i]);
        put_text(c->summary, strlen(c->summary), "\\:", "'\\''");
        printf("'\n");
    }
}

/* --- fish ----------------------------------------------------------------------------------- */

static void fish_value(const char *kind)
{
    if (strcmp(kind, "directory") == 0)
        printf(" -x -a '(__fish_complete_directories)'");
    else if (strcmp(kind, "file") == 0)
        printf(" -r -F");
    else if (strcmp(kind, "program") == 0)
        printf(" -x -a '(__fish_complete_subcommand)'");
    else if (strcmp(kind, "command") == 0)
        printf(" -x -a '(__vitrine_commands)'");
    else if (strchr(kind, '|')) {
        printf(" -x -a '");
        for (const char *p = kind; *p; p++)
            putchar(*p == '|' ? ' ' : *p);
        putchar('\'');
    } else if (kind[0])
        printf(" -x -a '(__vitrine_%s)'", kind);
    else
        printf(" -x");
}

static void fish_begin(const struct command_spec *c)
{
    printf("complete -c vitrine -n '__vitrine_is ");
    put_names(c, " ");
    printf("'");
}

static void fish_command(const struct command_spec *c)
{
    struct args_flag_help f;
    struct word words[WORDS_MAX];
    size_t n = find_words(c->usage, words);
    char kind[64];

    for (const char *at = NULL; args_help_next(c, &at, &f);) {
        fish_begin(c);
        printf(" -%c %.*s", f.len > 1 ? 'l' : 's', (int)f.len, f.name);
        if (f.value) {
            flag_kind(c, &f, kind);
            fish_value(kind);
        }
        printf(" -d '");
        put_text(f.text, strlen(f.text), "\\", "\\'");
        printf("'\n");
    }
    for (size_t i = 0; i < n; i++) {
        find_kind(c, words[i].text, words[i].len, kind);
        if (!kind[0])
            continue;
        fish_begin(c);
        fish_value(kind);
        printf("\n");
    }
}

static void fish_describe(const struct command_spec *c)
{
    const char *const names[] = {c->name, c->alias};

    for (size_t i = 0; i < 2; i++) {
        if (!names[i][0])
            continue;
        printf("    echo %s\\t'", names[i]);
        put_text(c->summary, strlen(c->summary), "\\", "\\'");
        printf("'\n");
    }
}

/* --- the template --------------------------------------------------------------------------- */

static const struct shell {
    const char *name;
    void (*command)(const struct command_spec *c);
    void (*describe)(const struct command_spec *c); /* NULL: only names */
} shells[] = {
    {"bash", bash_command, NULL},
    {"zsh", zsh_command, zsh_describe},
    {"fish", fish_command, fish_describe},
};

static void each_command(void (*fn)(const struct command_spec *c))
{
    for (size_t i = 0; i < ARGS_COMMANDS; i++)
        fn(&args_commands()[i]);
}

static void name_command(const struct command_spec *c)
{
    put_names(c, " ");
    putchar(' ');
}

static void put_options(void)
{
#define OPTION(id, name, scopes, kind, initial, low, high, choices) fputs(name " ", stdout);
#include "server/daemon/options.def"
#undef OPTION
}

static void put_hooks(void)
{
    for (size_t i = 0; hooks_known_name(i); i++)
        printf("%s ", hooks_known_name(i));
    for (size_t i = 0; i < ARGS_COMMANDS; i++)
        printf("after-%s ", args_commands()[i].name);
}

static void put_layouts(void)
{
    static const char *const names[] = LAYOUT_PRESET_NAMES;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        printf("%s ", names[i]);
}

static void put_mark(const struct shell *shell, const char *name, size_t len)
{
    if (strncmp(name, "TABLE", len) == 0)
        each_command(shell->command);
    else if (strncmp(name, "COMMANDS", len) == 0)
        each_command(shell->describe ? shell->describe : name_command);
    else if (strncmp(name, "OPTIONS", len) == 0)
        put_options();
    else if (strncmp(name, "HOOKS", len) == 0)
        put_hooks();
    else if (strncmp(name, "LAYOUTS", len) == 0)
        put_layouts();
}

/* Copies a line; @NAME@ in it becomes what it stands for. */
static void put_line(const struct shell *shell, const char *line)
{
    for (const char *p = line; *p;) {
        size_t len = strspn(p + (*p == '@'), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

        if (*p != '@' || len == 0 || p[1 + len] != '@') {
            putchar(*p++);
            continue;
        }
        put_mark(shell, p + 1, len);
        p += len + 2;
        if (p[0] == '\n' && p == line + len + 2) /* what stands for a whole line ends its own */
            p++;
    }
}

int main(int argc, char **argv)
{
    char line[LINE_BYTES];

    for (size_t i = 0; argc == 2 && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(argv[1], shells[i].name) != 0)
            continue;
        while (fgets(line, sizeof line, stdin))
            put_line(&shells[i], line);
        return ferror(stdin) || fflush(stdout) != 0;
    }
    fputs("usage: completion bash|zsh|fish <template\n", stderr);
    return 2;
}
