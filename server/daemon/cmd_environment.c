/* set-environment and show-environment. */
#include "proto/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/daemon/commands.h"
#include "server/daemon/daemon.h"
#include "server/daemon/environment.h"

/* The environment that -g and -t choose; NULL after saying why. */
static struct environment *choose(struct command *c, struct target *t)
{
    memset(t, 0, sizeof *t);
    if (args_has(&c->args, "g"))
        return &c->daemon->environment;
    if (daemon_find_target(c, TARGET_SESSION, t))
        return &t->session->own;
    if (args_value(&c->args, "t")) {
        outbuf_reset(&c->err);
        command_fail(c, "no such session: %s", args_value(&c->args, "t"));
    }
    return NULL;
}

static enum command_result set(struct command *c, struct environment *e, const struct target *t)
{
    const char *name = c->args.words[0], *text = c->args.n_words == 2 ? c->args.words[1] : NULL;
    struct format_place place = format_place(&c->daemon->world, t);
    char *value;
    enum err result;

    if (args_has(&c->args, "u") || args_has(&c->args, "r")) {
        if (text)
            return command_fail(c, "can't specify a value with -%c",
                                args_has(&c->args, "u") ? 'u' : 'r');
        if (args_has(&c->args, "u") && e == &c->daemon->environment)
            unsetenv(name);
        if (args_has(&c->args, "u"))
            environment_unset(e, name);
        else if (environment_set(e, name, NULL, false) != ERR_OK)
            return command_fail(c, "out of memory");
        return COMMAND_DONE;
    }
    if (!text)
        return command_fail(c, "no value specified");
    value = args_has(&c->args, "F") ? format_vars_text(&place, text, false) : strdup(text);
    result = value ? environment_set(e, name, value, args_has(&c->args, "h")) : ERR_MEMORY;
    free(value);
    return result == ERR_OK ? COMMAND_DONE : command_fail(c, "out of memory");
}

enum command_result cmd_set_environment(struct command *c)
{
    struct environment *e;
    struct target t;

    if (c->args.n_words < 1 || c->args.n_words > 2)
        return command_usage(c, "set-environment needs a name and a value");
    if (!*c->args.words[0])
        return command_fail(c, "empty variable name");
    if (strchr(c->args.words[0], '='))
        return command_fail(c, "variable name contains =");
    e = choose(c, &t);
    return e ? set(c, e, &t) : COMMAND_FAILED;
}

/* For a shell to read: what its quotes leave special has a backslash. */
static void print_for_shell(struct command *c, const struct environment_entry *k)
{
    if (!k->value) {
        outbuf_printf(&c->out, "unset %s;\n", k->name);
        return;
    }
    outbuf_printf(&c->out, "%s=\"", k->name);
    for (const char *p = k->value; *p; p++) {
        if (strchr("$`\"\\", *p))
            outbuf_byte(&c->out, '\\');
        outbuf_byte(&c->out, (uint8_t)*p);
    }
    outbuf_printf(&c->out, "\"; export %s;\n", k->name);
}

static void print(struct command *c, const struct environment_entry *k)
{
    if (args_has(&c->args, "h") != k->hidden)
        return;
    if (args_has(&c->args, "s"))
        print_for_shell(c, k);
    else if (k->value)
        outbuf_printf(&c->out, "%s=%s\n", k->name, k->value);
    else
        outbuf_printf(&c->out, "-%s\n", k->name);
}

/* The daemon's own variables, under what was set above them, as tmux's global environment is. */
static bool fill_global(const struct daemon *d, struct environment *out)
{
    bool ok = true;

    for (char **v = environ; v && *v && ok; v++) {
        const char *equals = strchr(*v, '=');
        char *name = equals ? strndup(*v, (size_t)(equals - *v)) : NULL;

        if (name && *name)
            ok = environment_set(out, name, equals + 1, false) == ERR_OK;
        free(name);
    }
    for (const struct environment_entry *k = d->environment.first; k && ok; k = k->next)
        ok = environment_set(out, k->name, k->value, k->hidden) == ERR_OK;
    return ok;
}

static enum command_result show(struct command *c, const struct environment *e)
{
    const char *name = c->args.n_words == 1 ? c->args.words[0] : NULL;
    const struct environment_entry *k = name ? environment_find(e, name) : NULL;

    if (name && !k)
        return command_fail(c, "unknown variable: %s", name);
    if (k)
        print(c, k);
    for (k = name ? NULL : e->first; k; k = k->next)
        print(c, k);
    return COMMAND_DONE;
}

enum command_result cmd_show_environment(struct command *c)
{
    struct environment all = {NULL};
    enum command_result result;
    struct environment *e;
    struct target t;

    if (c->args.n_words > 1)
        return command_usage(c, "show-environment takes one name");
    e = choose(c, &t);
    if (!e)
        return COMMAND_FAILED;
    if (e != &c->daemon->environment)
        return show(c, e);
    result = fill_global(c->daemon, &all) ? show(c, &all) : command_fail(c, "out of memory");
    environment_clear(&all);
    return result;
}
