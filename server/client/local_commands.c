#include "server/client/local_commands.h"

#include <stdio.h>
#include <string.h>

#include "proto/args_help.h"
#include "server/client/cli.h"

#define NAME_COLUMN 18

static const char program_usage[] =
    "usage: vitrine [-hV] [-f file] [-L socket-name] [-S socket-path] [command [option ...]]\n";

int local_commands_version(void)
{
    printf("vitrine %s\n", VITRINE_VERSION);
    return CLI_DONE;
}

/* How a flag is written: "-t pane", "--json". */
static int write_flag(const struct args_flag_help *f, char *out, size_t size)
{
    return snprintf(out, size, "%s%.*s%s%.*s", f->len > 1 ? "--" : "-", (int)f->len, f->name,
                    f->value ? " " : "", f->value ? (int)f->value_len : 0,
                    f->value ? f->value : "");
}

static void print_flags(const struct command_spec *c)
{
    struct args_flag_help f;
    const char *at = NULL;
    char flag[64];
    int width = 0;

    while (args_help_next(c, &at, &f)) {
        int n = write_flag(&f, flag, sizeof flag);

        width = n > width ? n : width;
    }
    printf("%s", width > 0 ? "\n" : "");
    for (at = NULL; args_help_next(c, &at, &f);) {
        write_flag(&f, flag, sizeof flag);
        printf("  %-*s  %s\n", width, flag, f.text);
    }
}

void local_commands_explain(const struct command_spec *c)
{
    printf("usage: vitrine %s%s%s\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage);
    if (c->alias[0] != '\0')
        printf("alias: %s\n", c->alias);
    printf("%s\n", c->summary);
    print_flags(c);
}

static void print_overview(void)
{
    const struct command_spec *c = args_commands();

    fputs(program_usage, stdout);
    fputs(
        "Shows live terminal sessions to people you choose, in their browsers. Without a command: "
        "new-session.\n\n",
        stdout);
    for (size_t i = 0; i < ARGS_COMMANDS; i++)
        printf("  %-*s %s\n", NAME_COLUMN, c[i].name, c[i].summary);
    fputs("\n`vitrine help command` explains one of them, `man vitrine` everything.\n", stdout);
}

/* The command named by the line's only word; NULL, with the error said, when it names none. */
static const struct command_spec *named_command(const struct args *a, int *status)
{
    char why[512];
    bool ambiguous;
    const struct command_spec *c;

    *status = CLI_USAGE;
    if (a->n_words > 1) {
        cli_usage_error(a->spec, "takes one command");
        return NULL;
    }
    c = args_find(a->words[0], &ambiguous);
    if (!c) {
        args_help_unknown(a->words[0], why, sizeof why);
        cli_usage_error(a->spec, why);
    }
    return c;
}

int local_commands_help(const struct args *a)
{
    const struct command_spec *c;
    int status = CLI_DONE;

    if (!a || a->n_words == 0) {
        print_overview();
        return CLI_DONE;
    }
    c = named_command(a, &status);
    if (!c)
        return status;
    local_commands_explain(c);
    return CLI_DONE;
}

static void print_command(const struct command_spec *c)
{
    printf("%s", c->name);
    if (c->alias[0] != '\0')
        printf(" (%s)", c->alias);
    printf("%s%s\n", c->usage[0] != '\0' ? " " : "", c->usage);
}

int local_commands_list(const struct args *a)
{
    const struct command_spec *all = args_commands();
    const struct command_spec *c;
    int status = CLI_DONE;

    if (a->n_words == 0) {
        for (size_t i = 0; i < ARGS_COMMANDS; i++)
            print_command(&all[i]);
        return CLI_DONE;
    }
    c = named_command(a, &status);
    if (!c)
        return status;
    print_command(c);
    return CLI_DONE;
}
