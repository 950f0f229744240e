/* Commands that ask in an attached terminal: prompts, confirmations, which pane. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/cmd_client.h"
#include "server/daemon/commands.h"
#include "server/daemon/config_list.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/prompt.h"

/* The words as one line of text; NULL when memory ran out. */
static char *line_text(struct command *c)
{
    struct config_list list = {0};
    struct outbuf out = {0};

    if (c->args.n_words == 1)
        return strdup(c->args.words[0]);
    if (config_list_add_line(&list, c->args.n_words, c->args.words) != ERR_OK)
        out.bad = true;
    config_list_write(&list, false, &out);
    outbuf_byte(&out, 0);
    config_list_clear(&list);
    if (out.bad)
        outbuf_clear(&out);
    return (char *)out.p;
}

/* Something is being asked now: -b goes on, else the command waits for the answer. */
static enum command_result wait_for_answer(struct command *c, struct attach *a)
{
    if (args_has(&c->args, "b"))
        return COMMAND_DONE;
    attach_ask_wait(a, c);
    return COMMAND_LATER;
}

/* --- prompts -------------------------------------------------------------------------------- */

static enum prompt_form choose_form(const struct command *c)
{
    if (args_has(&c->args, "1"))
        return PROMPT_SINGLE;
    if (args_has(&c->args, "k"))
        return PROMPT_KEY;
    return args_has(&c->args, "N") ? PROMPT_NUMERIC : PROMPT_LINE;
}

/* The kind that -T names. False after saying that it names none. */
static bool choose_type(struct command *c, enum prompt_type *out)
{
    const char *name = args_value(&c->args, "T");

    *out = name ? prompt_type_named(name) : PROMPT_COMMAND;
    if (*out != PROMPT_TYPES)
        return true;
    command_fail(c, "%s type: %s",
                 c->args.spec->id == ARGS_COMMAND_command_prompt ? "unknown" : "invalid", name);
    return false;
}

enum command_result cmd_command_prompt(struct command *c)
{
    struct attach_question q = {.labels = args_value(&c->args, "p"),
                                .begins = args_value(&c->args, "I"),
                                .form = choose_form(c),
                                .each = args_has(&c->args, "i"),
                                .expand = args_has(&c->args, "F")};
    struct attach *a;
    char *line;
    bool ok;

    a = cmd_client_find(c, "t");
    if (!a || !choose_type(c, &q.type))
        return COMMAND_FAILED;
    line = c->args.n_words > 0 ? line_text(c) : NULL;
    q.line = line;
    ok = attach_ask(a, &q);
    free(line);
    return ok ? wait_for_answer(c, a) : command_fail(c, "something is being asked already");
}

enum command_result cmd_confirm_before(struct command *c)
{
    const char *label = args_value(&c->args, "p");
    struct attach *a;
    char text[128], *line;
    bool ok;

    if (c->args.n_words == 0)
        return command_usage(c, "confirm-before needs a command");
    a = cmd_client_find(c, "t");
    if (!a)
        return COMMAND_FAILED;
    line = line_text(c);
    snprintf(text, sizeof text, "Confirm '%.*s'? (y/n)", line ? (int)strcspn(line, " ;") : 0,
             line ? line : "");
    ok = line && attach_confirm(a, label ? label : text, line);
    free(line);
    return ok ? wait_for_answer(c, a) : command_fail(c, "something is being asked already");
}

/* --- what was typed ------------------------------------------------------------------------- */

static void print_history(struct command *c, enum prompt_type type)
{
    unsigned n = 0;

    outbuf_printf(&c->out, "History for %s:\n\n", prompt_type_name(type));
    while (prompt_history(type, n))
        n++;
    for (unsigned i = 0; i < n; i++)
        outbuf_printf(&c->out, "%u: %s\n", i + 1, prompt_history(type, n - 1 - i));
    outbuf_byte(&c->out, '\n');
}

enum command_result cmd_show_prompt_history(struct command *c)
{
    enum prompt_type only;

    if (!choose_type(c, &only))
        return COMMAND_FAILED;
    for (unsigned type = 0; type < PROMPT_TYPES; type++) {
        if (!args_has(&c->args, "T") || type == (unsigned)only)
            print_history(c, (enum prompt_type)type);
    }
    return COMMAND_DONE;
}

enum command_result cmd_clear_prompt_history(struct command *c)
{
    enum prompt_type only;

    if (!choose_type(c, &only))
        return COMMAND_FAILED;
    for (unsigned type = 0; type < PROMPT_TYPES; type++) {
        if (!args_has(&c->args, "T") || type == (unsigned)only)
            prompt_forget((enum prompt_type)type);
    }
    return COMMAND_DONE;
}

/* --- panes' numbers ------------------------------------------------------------------------- */

enum command_result cmd_display_panes(struct command *c)
{
    struct attach *a = cmd_client_find(c, "t");
    char *line = NULL;
    long ms = 0;

    if (!a)
        return COMMAND_FAILED;
    if (!command_number(c, "d", 0, 3600000, &ms))
        return COMMAND_USAGE;
    if (c->args.n_words > 0 && !(line = line_text(c)))
        return command_fail(c, "out of memory");
    attach_show_numbers(a, (uint32_t)ms, line, args_has(&c->args, "N"));
    free(line);
    return COMMAND_DONE;
}
