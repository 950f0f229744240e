/* Commands that show something to choose from over the panes of an attached terminal: trees, lists,
 * menus; and the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/cmd_client.h"
#include "server/daemon/commands.h"
#include "server/daemon/config_list.h"
#include "server/daemon/daemon.h"
#include "server/daemon/keynames.h"
#include "server/daemon/menu.h"
#include "server/daemon/outbuf.h"

static enum command_result choose(struct command *c, struct attach_choice *o)
{
    struct attach *a = cmd_client_find(c, "");
    enum err e;

    if (c->args.n_words > 1)
        return command_usage(c, "%s takes one command", c->args.spec->name);
    if (!a)
        return COMMAND_FAILED;
    o->no_preview = args_has(&c->args, "N");
    o->reversed = args_has(&c->args, "r");
    o->format = args_value(&c->args, "F");
    o->filter = o->filter ? o->filter : args_value(&c->args, "f");
    o->order = args_value(&c->args, "O");
    o->line = o->line ? o->line : c->args.n_words == 1 ? c->args.words[0] : NULL;
    e = attach_choose(a, o);
    if (e == ERR_MALFORMED)
        return command_fail(c, "unknown order: %s", o->order);
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "%s", err_text(e));
}

enum command_result cmd_choose_tree(struct command *c)
{
    struct attach_choice o = {.kind = ATTACH_CHOOSE_TREE,
                              .sessions = args_has(&c->args, "s"),
                              .windows = args_has(&c->args, "w")};
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    return choose(c, &o);
}

enum command_result cmd_choose_buffer(struct command *c)
{
    struct attach_choice o = {.kind = ATTACH_CHOOSE_BUFFER};
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    return c->daemon->pastes.first ? choose(c, &o) : COMMAND_DONE; /* as tmux: nothing to show */
}

enum command_result cmd_choose_client(struct command *c)
{
    struct attach_choice o = {.kind = ATTACH_CHOOSE_CLIENT};
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    return choose(c, &o);
}

/* --- find-window ---------------------------------------------------------------------------- */

/* The filter that holds where the text is in what -N and -T name, in both without; what -C finds is
 * not a format's business. */
static void write_filter(const struct command *c, const char *text, bool any, struct outbuf *out)
{
    const struct args *a = &c->args;
    bool regex = args_has(a, "r"), fold = args_has(a, "i");
    const char *how = regex ? (fold ? "/ri" : "/r") : fold ? "/i" : "";
    const char *star = regex ? "" : "*";
    const char *const parts[] = {any || args_has(a, "N") ? "window_name" : NULL,
                                 any || args_has(a, "T") ? "pane_title" : NULL};

    outbuf_text(out, "#{||:0,#{||:");
    for (size_t i = 0; i < 2; i++) {
        outbuf_text(out, i == 0 ? "" : ",");
        if (parts[i])
            outbuf_printf(out, "#{m%s:%s%s%s,#{%s}}", how, star, text, star, parts[i]);
        else
            outbuf_text(out, "0");
    }
    outbuf_text(out, "}}");
    outbuf_byte(out, 0);
}

enum command_result cmd_find_window(struct command *c)
{
    struct attach_choice o = {.kind = ATTACH_CHOOSE_TREE, .line = "switch-client -Zt '%%'"};
    struct outbuf filter = {0};
    enum command_result result;
    struct target t;
    bool any;

    if (c->args.n_words != 1)
        return command_usage(c, "find-window needs a text");
    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    any = !args_has(&c->args, "C") && !args_has(&c->args, "N") && !args_has(&c->args, "T");
    write_filter(c, c->args.words[0], any, &filter);
    o.filter = (const char *)filter.p;
    o.content = any || args_has(&c->args, "C") ? c->args.words[0] : NULL;
    o.content_is_regex = args_has(&c->args, "r");
    o.content_ignores_case = args_has(&c->args, "i");
    result = filter.bad ? command_fail(c, "out of memory") : choose(c, &o);
    outbuf_clear(&filter);
    return result;
}

/* --- menus ---------------------------------------------------------------------------------- */

/* Takes `#[…]` out of a text. */
static void drop_styles(char *text)
{
    char *to = text;

    while (*text) {
        const char *end = text[0] == '#' && text[1] == '[' ? strchr(text, ']') : NULL;

        if (end)
            text += end - text + 1;
        else
            *to++ = *text++;
    }
    *to = '\0';
}

/* An item whose name is nothing once it is expanded is left out. */
static bool add_item(struct menu *m, const struct format_place *place, const char *const words[3])
{
    char *name = format_vars_text(place, words[0], false);
    char *line = format_vars_text(place, words[2], false);
    bool ok = name && line;

    if (ok)
        drop_styles(name);
    if (ok && *name)
        ok = menu_add(m, name, *words[1] ? keynames_parse(words[1]) : KEY_NONE, line);
    free(name);
    free(line);
    return ok;
}

/* Name, key and command each; an empty name alone is a line. */
static bool add_items(struct command *c, struct menu *m, const struct format_place *place)
{
    size_t i = 0;

    while (i < c->args.n_words) {
        if (!*c->args.words[i]) {
            bool wanted = m->n > 0 && m->items[m->n - 1].name;

            if (wanted && !menu_add(m, NULL, KEY_NONE, NULL))
                break;
            i++;
            continue;
        }
        if (i + 3 > c->args.n_words) {
            command_fail(c, "not enough arguments");
            return false;
        }
        if (!add_item(m, place, c->args.words + i))
            break;
        i += 3;
    }
    if (i < c->args.n_words)
        command_fail(c, "too many items, or out of memory");
    return i == c->args.n_words;
}

enum command_result cmd_display_menu(struct command *c)
{
    const char *title = args_value(&c->args, "T");
    struct format_client client;
    struct format_place place;
    struct menu *m;
    struct target t;
    struct attach *a;
    bool ok;

    if (!daemon_find_target(c, TARGET_PANE, &t) || !(a = cmd_client_find(c, "c")))
        return COMMAND_FAILED;
    m = calloc(1, sizeof *m);
    if (!m)
        return command_fail(c, "out of memory");
    place = format_place(&c->daemon->world, &t);
    attach_describe(a, &client);
    place.client = &client;
    ok = add_items(c, m, &place);
    if (ok && title && (m->title = format_vars_text(&place, title, false)) != NULL)
        drop_styles(m->title);
    if (ok && m->n > 0 &&
        !attach_open_menu(a, m, args_value(&c->args, "x"), args_value(&c->args, "y"), t.pane)) {
        command_fail(c, "no room for a menu of %u columns and %u rows", menu_cols(m), menu_rows(m));
        ok = false;
    }
    menu_close(m);
    free(m);
    return ok ? COMMAND_DONE : COMMAND_FAILED;
}

/* --- the clock ------------------------------------------------------------------------------ */

enum command_result cmd_clock_mode(struct command *c)
{
    struct attach *a;
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t) || !(a = cmd_client_find(c, "")))
        return COMMAND_FAILED;
    attach_show_clock(a, t.pane);
    return COMMAND_DONE;
}
