/* display-message, and what other commands print by a format. */
#include "server/daemon/cmd_format.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/commands.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format.h"

#define MESSAGE_FORMAT                                                                       \
    "[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M " \
    "%d-%b-%y)"

bool cmd_format_passes(struct command *c, const struct target *at)
{
    const char *filter = args_value(&c->args, "f");
    struct format_place place = format_place(&c->daemon->world, at);
    char *value = filter ? format_vars_text(&place, filter, false) : NULL;
    bool yes = !filter || format_true(value);

    free(value);
    return yes;
}

void cmd_format_line(struct command *c, const struct target *at, const char *otherwise)
{
    const char *format = args_value(&c->args, "F");
    struct format_place place = format_place(&c->daemon->world, at);

    if (!cmd_format_passes(c, at))
        return;
    format_vars_expand(&place, format ? format : otherwise, false, &c->out);
    outbuf_byte(&c->out, '\n');
}

/* Where display-message speaks of; without sessions nowhere. */
static bool find_place(struct command *c, struct target *t)
{
    struct target none = {NULL, NULL, NULL};

    *t = none;
    if (!args_value(&c->args, "t") && !session_first(c->daemon->sessions))
        return true;
    return daemon_find_target(c, TARGET_PANE, t);
}

enum command_result cmd_display_message(struct command *c)
{
    const char *text = args_value(&c->args, "F");
    struct format_place place;
    struct target t;
    char *value;

    if (c->args.n_words > 1 || (c->args.n_words == 1 && text))
        return command_usage(c, "display-message needs one message, or -F");
    if (c->args.n_words == 1)
        text = c->args.words[0];
    if (!find_place(c, &t))
        return COMMAND_FAILED;
    place = format_place(&c->daemon->world, &t);
    if (args_has(&c->args, "l"))
        value = strdup(text ? text : "");
    else
        value = format_vars_text(&place, text ? text : MESSAGE_FORMAT, true);
    if (!value)
        return command_fail(c, "out of memory");
    if (args_has(&c->args, "p")) {
        outbuf_text(&c->out, value);
        outbuf_byte(&c->out, '\n');
    } else if (t.session) {
        control_message(c->daemon->control, t.session, value);
    }
    free(value);
    return COMMAND_DONE;
}
