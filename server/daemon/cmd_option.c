/* set-option, set-window-option, show-options, show-window-options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/commands.h"
#include "server/daemon/config_list.h"
#include "server/daemon/daemon.h"
#include "server/daemon/layout.h"
#include "server/daemon/options.h"
#include "server/daemon/pane.h"

static bool is_window_command(const struct command *c)
{
    return c->args.spec->id == ARGS_COMMAND_set_window_option ||
           c->args.spec->id == ARGS_COMMAND_show_window_options;
}

/* The scopes an option may be set in; for a @name, or for none, what the flags say. */
static unsigned choose_scopes(const struct command *c, const char *name)
{
    bool ambiguous;
    enum option_id id = name && name[0] != '@' ? options_find(name, &ambiguous) : OPTIONS;

    if (id != OPTIONS)
        return options_spec(id)->scopes;
    if (args_has(&c->args, "s"))
        return OPTION_SERVER;
    if (args_has(&c->args, "p"))
        return OPTION_PANE;
    if (args_has(&c->args, "w") || is_window_command(c))
        return OPTION_WINDOW;
    return OPTION_SESSION;
}

/* Where the command reads or writes the option called name (NULL for all). False after saying why;
 * quiet says nothing. */
static bool choose_owner(struct command *c, const char *name, struct options_owner *out,
                         struct target *at)
{
    unsigned scopes = choose_scopes(c, name);
    bool pane = (scopes & OPTION_PANE) && args_has(&c->args, "p");

    memset(at, 0, sizeof *at);
    out->id = OPTIONS_GLOBAL;
    out->scope = pane                      ? OPTION_PANE
                 : scopes & OPTION_SERVER  ? OPTION_SERVER
                 : scopes & OPTION_SESSION ? OPTION_SESSION
                                           : OPTION_WINDOW;
    if (out->scope == OPTION_SERVER || (args_has(&c->args, "g") && out->scope != OPTION_PANE))
        return true;
    if (!daemon_find_target(c,
                            pane                           ? TARGET_PANE
                            : out->scope == OPTION_SESSION ? TARGET_SESSION
                                                           : TARGET_WINDOW,
                            at))
        return false;
    out->id = pane                           ? pane_id(at->pane)
              : out->scope == OPTION_SESSION ? at->session->id
                                             : at->window->id;
    return true;
}

/* -U: takes the option away from every pane of the window too. */
static void unset_in_panes(struct command *c, const struct window *w, const char *name)
{
    char why[256];

    for (uint32_t i = 0; w && i < layout_count(w->layout); i++) {
        struct options_owner owner = {OPTION_PANE, pane_id(layout_at(w->layout, i)->pane)};

        options_set(c->daemon->options, owner, name, NULL, OPTIONS_UNSET, why, sizeof why);
    }
}

static enum command_result set(struct command *c, const char *name, const char *value)
{
    struct options_owner owner;
    struct target at;
    unsigned how = 0;
    char why[512];
    enum err e;

    if (!choose_owner(c, name, &owner, &at)) {
        if (args_has(&c->args, "q")) {
            outbuf_reset(&c->err);
            return COMMAND_DONE;
        }
        return COMMAND_FAILED;
    }
    how |= args_has(&c->args, "a") ? OPTIONS_APPEND : 0;
    how |= args_has(&c->args, "o") ? OPTIONS_ONLY_NEW : 0;
    how |= args_has(&c->args, "u") || args_has(&c->args, "U") ? OPTIONS_UNSET : 0;
    e = options_set(c->daemon->options, owner, name, value, how, why, sizeof why);
    if (e == ERR_OK && args_has(&c->args, "U") && owner.scope == OPTION_WINDOW)
        unset_in_panes(c, at.window, name);
    if (e == ERR_OK || ((e == ERR_NOT_FOUND || e == ERR_STATE) && args_has(&c->args, "q")))
        return COMMAND_DONE;
    return command_fail(c, "%s", why);
}

/* Expands text where the command was given, with no session for none. */
static char *expand(struct command *c, const char *text)
{
    struct target at = {NULL, NULL, NULL};
    struct format_place place;

    if (session_first(c->daemon->sessions) && !daemon_find_target(c, TARGET_PANE, &at))
        outbuf_reset(&c->err); /* said again where it matters */
    place = format_place(&c->daemon->world, &at);
    return format_vars_text(&place, text, false);
}

enum command_result cmd_set_option(struct command *c)
{
    const char *value = c->args.n_words == 2 ? c->args.words[1] : NULL;
    enum command_result result;
    char *expanded = NULL, *name;

    if (c->args.n_words < 1 || c->args.n_words > 2)
        return command_usage(c, "%s needs an option and a value", c->args.spec->name);
    name = expand(c, c->args.words[0]);
    if (value && args_has(&c->args, "F"))
        expanded = expand(c, value);
    if (!name || (value && args_has(&c->args, "F") && !expanded))
        result = command_fail(c, "out of memory");
    else
        result = set(c, name, expanded ? expanded : value);
    free(name);
    free(expanded);
    return result;
}

enum command_result cmd_set_window_option(struct command *c)
{
    return cmd_set_option(c);
}

/* --- showing -------------------------------------------------------------------------------- */

struct shower {
    struct command *command;
    const char *mark; /* "*" for what is inherited */
};

static bool is_array(const char *name)
{
    bool ambiguous;
    enum option_id id = name[0] == '@' ? OPTIONS : options_find(name, &ambiguous);

    return id != OPTIONS && options_spec(id)->kind == OPTION_ARRAY;
}

static void show_one(void *ctx, const char *name, const char *value)
{
    struct shower *s = ctx;
    struct outbuf *out = &s->command->out;

    if (args_has(&s->command->args, "v")) {
        outbuf_text(out, value);
    } else {
        outbuf_printf(out, "%s%s", name, s->mark);
        if (*value || !is_array(name) || strchr(name, '[')) { /* an array without items is a name */
            outbuf_byte(out, ' ');
            config_list_write_word(value, out);
        }
    }
    outbuf_byte(out, '\n');
}

/* What an option is at a place when it is not set there: of the owner above. */
static const char *inherited(struct command *c, const struct options_owner *owner,
                             const struct target *at, const char *name)
{
    struct options_owner above = {owner->scope, OPTIONS_GLOBAL};
    const char *text = NULL;

    if (owner->scope == OPTION_PANE && at->window) {
        struct options_owner window = {OPTION_WINDOW, at->window->id};

        text = options_own(c->daemon->options, window, name);
        above.scope = OPTION_WINDOW;
    }
    return text ? text : options_own(c->daemon->options, above, name);
}

static void show_all(struct command *c, const struct options_owner *owner, const struct target *at)
{
    struct shower own = {c, ""}, above = {c, "*"};
    struct options_owner from = {owner->scope == OPTION_PANE ? OPTION_WINDOW : owner->scope,
                                 OPTIONS_GLOBAL};

    (void)at;
    options_each(c->daemon->options, *owner, show_one, &own);
    if (args_has(&c->args, "A") && owner->id != OPTIONS_GLOBAL) {
        for (enum option_id id = 0; id < OPTIONS; id++) {
            const char *name = options_spec(id)->name;
            const char *text;

            if (!(options_spec(id)->scopes & owner->scope) ||
                options_own(c->daemon->options, *owner, name))
                continue;
            if (options_spec(id)->kind == OPTION_ARRAY)
                options_each_item(c->daemon->options, from, id, show_one, &above);
            text = options_own(c->daemon->options, from, name);
            if (text)
                show_one(&above, name, text);
        }
    }
}

enum command_result cmd_show_options(struct command *c)
{
    const char *name = c->args.n_words == 1 ? c->args.words[0] : NULL;
    bool user = name && name[0] == '@', ambiguous = false;
    enum option_id id = name && !user ? options_find(name, &ambiguous) : OPTIONS;
    struct shower own = {c, ""}, above = {c, "*"};
    struct options_owner owner;
    const char *text;
    struct target at;

    if (c->args.n_words > 1)
        return command_usage(c, "%s needs one option or none", c->args.spec->name);
    if (name && !user && id == OPTIONS)
        return args_has(&c->args, "q")
                   ? COMMAND_DONE
                   : command_fail(c, "%s option: %s", ambiguous ? "ambiguous" : "invalid", name);
    if (!choose_owner(c, name, &owner, &at))
        return COMMAND_FAILED;
    if (!name) {
        show_all(c, &owner, &at);
        return COMMAND_DONE;
    }
    if (!user && !strchr(name, '['))
        name = options_spec(id)->name;
    if (!user && is_array(name) && !strchr(name, '[')) {
        options_each_item(c->daemon->options, owner, id, show_one, &own);
        return COMMAND_DONE;
    }
    text = options_own(c->daemon->options, owner, name);
    if (text)
        show_one(&own, name, text);
    else if (args_has(&c->args, "A") && (text = inherited(c, &owner, &at, name)) != NULL)
        show_one(&above, name, text);
    else if (user && !args_has(&c->args, "q"))
        return command_fail(c, "invalid option: %s", name);
    return COMMAND_DONE;
}

enum command_result cmd_show_window_options(struct command *c)
{
    return cmd_show_options(c);
}
