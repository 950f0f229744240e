/* Commands about keys: bindings, and the prefix key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/attach.h"
#include "server/daemon/commands.h"
#include "server/daemon/config_run.h"
#include "server/daemon/daemon.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/keynames.h"
#include "server/daemon/keytable.h"
#include "server/daemon/layout.h"
#include "server/daemon/pane.h"
#include "server/daemon/session.h"
#include "server/daemon/target.h"

/* The prefix key where the command was given. */
static uint32_t prefix_key(const struct command *c, bool second)
{
    return keytable_prefix(c->daemon->options, format_options_place(&c->current), second);
}

/* --- bindings ------------------------------------------------------------------------------- */

/* The key that a word names; KEY_NONE after saying that it is none. */
static uint32_t read_key(struct command *c, const char *name)
{
    uint32_t key = keynames_parse(name);

    if (key == KEY_NONE)
        command_fail(c, "unknown key: %s", name);
    return key;
}

static const char *table_name(const struct command *c)
{
    const char *table = args_value(&c->args, "T");

    return table ? table : args_has(&c->args, "n") ? KEYTABLE_ROOT : KEYTABLE_PREFIX;
}

/* The words after the key; a single one is text. False after saying what is wrong. */
static bool read_commands(struct command *c, size_t n, const char *const *words,
                          struct config_list *list)
{
    struct config_origin origin = config_run_origin(c);
    char why[512];
    const char *fault;
    enum err e = ERR_OK;

    if (n == 1)
        config_run_parse(&origin, words[0], strlen(words[0]), NULL, list);
    else
        e = config_list_add_line(list, n, words);
    fault = e == ERR_RANGE ? "too many words" : config_list_fault(list, why, sizeof why);
    if (fault)
        command_fail(c, "%s", fault);
    return !fault;
}

enum command_result cmd_bind_key(struct command *c)
{
    struct config_list list = {0};
    uint32_t key;
    enum err e;

    if (c->args.n_words < 1)
        return command_usage(c, "bind-key needs a key");
    key = read_key(c, c->args.words[0]);
    if (key == KEY_NONE)
        return COMMAND_FAILED;
    if (!read_commands(c, c->args.n_words - 1, c->args.words + 1, &list)) {
        config_list_clear(&list);
        return COMMAND_FAILED;
    }
    e = keytable_bind(table_name(c), key, args_has(&c->args, "r"), args_value(&c->args, "N"),
                      &list);
    config_list_clear(&list);
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "%s", err_text(e));
}

enum command_result cmd_unbind_key(struct command *c)
{
    bool all = args_has(&c->args, "a"), quiet = args_has(&c->args, "q");
    uint32_t key = KEY_NONE;
    enum err e;

    if (all == (c->args.n_words == 1) || c->args.n_words > 1)
        return quiet ? COMMAND_DONE : command_usage(c, "unbind-key needs a key, or -a");
    if (!all) {
        key = keynames_parse(c->args.words[0]);
        if (key == KEY_NONE)
            return quiet ? COMMAND_DONE : command_fail(c, "unknown key: %s", c->args.words[0]);
    }
    e = all ? keytable_unbind_all(table_name(c)) : keytable_unbind(table_name(c), key);
    if (e == ERR_OK || quiet)
        return COMMAND_DONE;
    return command_fail(c, "table %s doesn't exist", table_name(c));
}

/* --- list-keys ------------------------------------------------------------------------------ */

/* A key as bind-key is given it: what a shell or a command line would take for itself has a \. */
static void key_word(uint32_t key, char out[static KEYNAMES_TEXT_MAX + 1])
{
    char name[KEYNAMES_TEXT_MAX];
    bool special;

    keynames_text(key, name);
    special = name[0] && !name[1] && strchr("\"#$%';{}~\\", name[0]);
    snprintf(out, KEYNAMES_TEXT_MAX + 1, "%s%s", special ? "\\" : "", name);
}

/* What list-keys prints, and how wide its columns are. */
struct listing {
    struct command *c;
    bool notes;
    const char *only_table;
    uint32_t only_key;
    int table_cols;
    int key_cols;
    bool repeats;
    unsigned printed;
};

static bool is_listed(const struct listing *l, const struct keytable *t,
                      const struct keytable_binding *b)
{
    if (l->only_table && strcmp(t->name, l->only_table) != 0)
        return false;
    if (l->notes && !b->note && !args_has(&l->c->args, "a"))
        return false;
    return l->only_key == KEY_NONE || l->only_key == b->key;
}

static void each_binding(struct listing *l, void (*fn)(struct listing *l, const struct keytable *t,
                                                       const struct keytable_binding *b))
{
    for (const struct keytable *t = keytable_first(); t; t = t->next)
        for (const struct keytable_binding *b = t->bindings; b; b = b->next)
            if (is_listed(l, t, b))
                fn(l, t, b);
}

static void measure(struct listing *l, const struct keytable *t, const struct keytable_binding *b)
{
    char key[KEYNAMES_TEXT_MAX + 1];
    int n;

    if (l->notes)
        keynames_text(b->key, key);
    else
        key_word(b->key, key);
    n = (int)strlen(key);
    l->key_cols = n > l->key_cols ? n : l->key_cols;
    n = (int)strlen(t->name);
    l->table_cols = n > l->table_cols ? n : l->table_cols;
    l->repeats = l->repeats || b->repeat;
}

static void print_note(struct listing *l, const struct keytable *t,
                       const struct keytable_binding *b)
{
    const char *before = args_value(&l->c->args, "P");
    char key[KEYNAMES_TEXT_MAX], prefix[KEYNAMES_TEXT_MAX + 1] = "";

    if (args_has(&l->c->args, "1") && l->printed++ > 0)
        return;
    keynames_text(b->key, key);
    if (strcmp(t->name, KEYTABLE_PREFIX) == 0) {
        keynames_text(prefix_key(l->c, false), prefix);
        strcat(prefix, " ");
    }
    outbuf_printf(&l->c->out, "%s%-*s ", before ? before : prefix, l->key_cols, key);
    if (b->note)
        outbuf_text(&l->c->out, b->note);
    else
        config_list_write(&b->commands, false, &l->c->out);
    outbuf_byte(&l->c->out, '\n');
}

static void print_binding(struct listing *l, const struct keytable *t,
                          const struct keytable_binding *b)
{
    char key[KEYNAMES_TEXT_MAX + 1];

    if (args_has(&l->c->args, "1") && l->printed++ > 0)
        return;
    key_word(b->key, key);
    outbuf_printf(&l->c->out, "bind-key %s-T %-*s %-*s ",
                  !l->repeats ? ""
                  : b->repeat ? "-r "
                              : "   ",
                  l->table_cols, t->name, l->key_cols, key);
    config_list_write(&b->commands, true, &l->c->out);
    outbuf_byte(&l->c->out, '\n');
}

enum command_result cmd_list_keys(struct command *c)
{
    struct listing l = {.c = c, .notes = args_has(&c->args, "N"), .only_key = KEY_NONE};

    if (c->args.n_words > 1)
        return command_usage(c, "list-keys takes one key");
    if (c->args.n_words == 1 && (l.only_key = read_key(c, c->args.words[0])) == KEY_NONE)
        return COMMAND_FAILED;
    l.only_table = args_value(&c->args, "T");
    if (l.only_table && !keytable_named(l.only_table))
        return command_fail(c, "table %s doesn't exist", l.only_table);
    each_binding(&l, measure);
    each_binding(&l, l.notes ? print_note : print_binding);
    if (l.only_key != KEY_NONE && c->out.len == 0)
        return command_fail(c, "unknown key: %s", c->args.words[0]);
    return COMMAND_DONE;
}

/* --- the prefix key ------------------------------------------------------------------------- */

enum command_result cmd_send_prefix(struct command *c)
{
    uint32_t key = prefix_key(c, args_has(&c->args, "2"));
    struct outbuf bytes = {0};
    char name[KEYNAMES_TEXT_MAX];
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (key == KEY_NONE)
        return COMMAND_DONE;
    keynames_text(key, name);
    if (keynames_encode(name, 0, &bytes) == ERR_OK) {
        if (c->attach && c->current.pane == t.pane)
            attach_type(c->attach, bytes.p, bytes.len);
        else
            pane_write(t.pane, bytes.p, bytes.len);
    }
    outbuf_clear(&bytes);
    return COMMAND_DONE;
}
