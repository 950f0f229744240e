/* display-message, and what other commands print by a format. */
#include "server/daemon/cmd_format.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/attach.h"
#include "server/daemon/cmd_client.h"
#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format.h"

#define MESSAGE_FORMAT                                                                       \
    "[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M " \
    "%d-%b-%y)"

static bool passes(struct command *c, const struct format_place *place)
{
    const char *filter = args_value(&c->args, "f");
    char *value = filter ? format_vars_text(place, filter, false) : NULL;
    bool yes = !filter || format_true(value);

    free(value);
    return yes;
}

bool cmd_format_passes(struct command *c, const struct target *at)
{
    struct format_place place = format_place(&c->daemon->world, at);

    return passes(c, &place);
}

void cmd_format_place(struct command *c, const struct format_place *place, const char *otherwise)
{
    const char *format = args_value(&c->args, "F");

    if (!passes(c, place))
        return;
    format_vars_expand(place, format ? format : otherwise, false, &c->out);
    outbuf_byte(&c->out, '\n');
}

void cmd_format_line(struct command *c, const struct target *at, const char *otherwise)
{
    struct format_place place = format_place(&c->daemon->world, at);

    cmd_format_place(c, &place, otherwise);
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

/* Where the message is shown: in the terminal that -c names, else in all of the session. */
static void show(struct command *c, struct attach *a, const struct target *t, const char *text,
                 long ms)
{
    struct attach *one;

    if (a) {
        attach_say_for(a, text, (uint32_t)ms);
        if (args_has(&c->args, "N"))
            attach_mute(a);
        return;
    }
    for (size_t i = 0; (one = attach_numbered(i)) != NULL; i++) {
        if (!t->session || attach_session(one) != t->session)
            continue;
        attach_say_for(one, text, (uint32_t)ms);
        if (args_has(&c->args, "N"))
            attach_mute(one);
    }
}

/* What the words, -F or the default say. NULL when memory ran out. */
static char *message_text(struct command *c, const struct format_place *place)
{
    const char *text = c->args.n_words == 1 ? c->args.words[0] : args_value(&c->args, "F");

    if (args_has(&c->args, "l"))
        return strdup(text ? text : "");
    return format_vars_text(place, text ? text : MESSAGE_FORMAT, true);
}

enum command_result cmd_display_message(struct command *c)
{
    struct attach *a = NULL;
    struct format_client client;
    struct format_place place;
    struct target t;
    long ms = 0;
    char *value;

    if (c->args.n_words > 1)
        return command_usage(c, "display-message needs one message, or -F");
    if (c->args.n_words == 1 && args_has(&c->args, "F"))
        return command_fail(c, "only one of -F or argument must be given");
    if (!command_number(c, "d", 0, 3600000, &ms))
        return COMMAND_USAGE;
    if (!find_place(c, &t) || (args_has(&c->args, "c") && !(a = cmd_client_find(c, "c"))))
        return COMMAND_FAILED;
    place = format_place(&c->daemon->world, &t);
    a = a ? a : c->attach;
    if (a) {
        attach_describe(a, &client);
        place.client = &client;
    }
    if (args_has(&c->args, "a")) {
        format_vars_list(&place, &c->out);
        return COMMAND_DONE;
    }
    value = message_text(c, &place);
    if (!value)
        return command_fail(c, "out of memory");
    if (args_has(&c->args, "p"))
        outbuf_printf(&c->out, "%s\n", value);
    else
        show(c, a, &t, value, ms);
    free(value);
    return COMMAND_DONE;
}
