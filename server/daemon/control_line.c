/* A client's line of several commands, apart by `;` as a shell hands it over: they run one after
 * the other until one fails, each where the one before went, and what attaches does so at the end.
 */
#include "server/daemon/control_state.h"

#include <string.h>

#include "server/daemon/daemon.h"

static bool ends_command(const char *word)
{
    size_t n = strlen(word);

    return n > 0 && word[n - 1] == ';';
}

bool control_line_begins(const struct client *k, size_t n, const char *const *words)
{
    for (size_t i = 0; i < n && k->state != CLIENT_PROGRAM; i++) {
        if (ends_command(words[i]))
            return true;
    }
    return false;
}

/* What is wrong with a line is wrong before any of it runs. */
static enum command_result check(struct client *k)
{
    struct command *c = &k->command;
    char why[512];

    for (const struct config_command *at = k->line.list.first; at; at = at->next) {
        if (args_parse(at->n, (const char *const *)at->words, &c->args, why, sizeof why) != ERR_OK)
            return command_usage(c, "%s", why);
    }
    return k->line.list.first ? COMMAND_DONE : command_fail(c, "no command");
}

static enum command_result run(struct client *k)
{
    const struct config_command *at = k->line.at;
    enum command_result result =
        command_run_words(&k->command, at->n, (const char *const *)at->words);

    memset(&k->command.args, 0, sizeof k->command.args); /* it points into the line */
    return result;
}

enum command_result control_line_begin(struct client *k, size_t n, const char *const *words)
{
    enum err e = config_list_add_line(&k->line.list, n, words);
    enum command_result result;

    k->line.attach = -1;
    k->line.where = -1;
    if (e != ERR_OK)
        return command_fail(&k->command, "%s", err_text(e));
    result = check(k);
    memset(&k->command.args, 0, sizeof k->command.args);
    if (result != COMMAND_DONE)
        return result;
    k->line.at = k->line.list.first;
    return run(k);
}

/* The session of a number, with its current window and pane. */
static struct target find_session(const struct daemon *d, int64_t id)
{
    struct target t = {NULL, NULL, NULL};

    for (struct session *s = session_first(d->sessions); s && !t.session; s = s->next) {
        if (s->id == id && s->current)
            t = (struct target){s, s->current, s->current->active};
    }
    return t;
}

/* Makes the client's command ready for the next one of its line. */
static void turn_page(struct client *k)
{
    struct command *c = &k->command;
    int64_t where = c->session ? (int64_t)c->session->id : k->line.where;

    control_send_outputs(k, c);
    outbuf_clear(&c->out);
    outbuf_clear(&c->err);
    memset(c, 0, sizeof *c);
    c->daemon = k->control->daemon;
    c->client = k;
    c->request = &k->request;
    c->current = find_session(c->daemon, where);
    k->line.where = where;
}

static void remember_attach(struct client *k)
{
    k->line.attach = (int64_t)k->command.session->id;
    k->line.show_links = k->command.show_links;
    k->line.read_only = k->command.read_only;
}

/* The line is over: what it was to attach to, when it still is there. */
static enum command_result end(struct client *k, enum command_result result)
{
    struct target t = find_session(k->control->daemon, k->line.attach);

    config_list_clear(&k->line.list);
    k->line.at = NULL;
    if (!t.session)
        return result == COMMAND_ATTACH ? COMMAND_DONE : result;
    k->command.session = t.session;
    k->command.show_links = k->line.show_links;
    k->command.read_only = k->line.read_only;
    return COMMAND_ATTACH;
}

bool control_line_goes_on(struct client *k, enum command_result *result)
{
    if (!k->line.at)
        return false;
    for (;;) {
        bool ok = *result == COMMAND_DONE || *result == COMMAND_ATTACH;

        if (*result == COMMAND_ATTACH && k->command.session)
            remember_attach(k);
        if (!ok || !k->line.at->next)
            break;
        turn_page(k);
        k->line.at = k->line.at->next;
        *result = run(k);
        if (*result == COMMAND_LATER)
            return true;
    }
    *result = end(k, *result);
    return false;
}

void control_line_clear(struct client *k)
{
    config_list_clear(&k->line.list);
    k->line.at = NULL;
}
