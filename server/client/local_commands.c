#include "server/client/local_commands.h"

#include <stdio.h>
#include <string.h>

#include "server/client/cli.h"

#define NAME_COLUMN 18

static const char program_usage[] =
    "usage: vitrine [-hV] [-f file] [-L socket-name] [-S socket-path] [command [option ...]]\n";

int local_commands_version(void)
{
    printf("vitrine %s\n", VITRINE_VERSION);
    return CLI_DONE;
}

void local_commands_explain(const struct command_spec *c)
{
    printf("usage: vitrine %s%s%s\n", c->name, c->usage[0] != '\0' ? " " : "", c->usage);
    if (c->alias[0] != '\0')
        printf("alias: %s\n", c->alias);
    printf("%s\n", c->summary);
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
    char why[128];
    bool ambiguous;
    const struct command_spec *c;

    *status = CLI_USAGE;
    if (a->n_words > 1) {
        cli_usage_error(a->spec, "takes one command");
        return NULL;
    }
    c = args_find(a->words[0], &ambiguous);
    if (!c) {
        snprintf(why, sizeof why, "%s command: %.64s", ambiguous ? "ambiguous" : "unknown",
                 a->words[0]);
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
