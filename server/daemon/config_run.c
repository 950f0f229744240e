#include "proto/compat.h"

#include "server/daemon/config_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/daemon/config_place.h"
#include "server/daemon/daemon.h"
#include "server/daemon/hooks.h"
#include "server/daemon/layout.h"
#include "server/daemon/log.h"
#include "server/daemon/mouse.h"
#include "server/daemon/pane.h"

struct config_run {
    struct command command; /* first: on_finished knows this only */
    struct config_origin origin;
    struct mouse_event mouse; /* origin.mouse is this one, or NULL */
    int64_t session, window, pane; /* ids of origin.current, -1 for none */
    struct ipc_command request;
    struct config_list list;
    const struct config_command *at;
    struct outbuf out;
    struct outbuf err;
    bool ok;
    bool skip; /* the command before failed */
    unsigned depth;
    char *texts[CONFIG_EXTRA_MAX]; /* the extras' values, owned */
    config_done_fn *done;
    void *ctx;
    struct config_run *next;
};

/* --- where ---------------------------------------------------------------------------------- */

/* The objects of the ids, as far as they still live. */
static struct target find_place(const struct config_run *r)
{
    struct target t = {NULL, NULL, NULL};

    for (struct session *s = session_first(r->origin.daemon->sessions); s; s = s->next) {
        if (s->id == r->session)
            t.session = s;
    }
    for (struct window *w = t.session ? t.session->windows : NULL; w; w = w->next) {
        if (w->id == r->window)
            t.window = w;
    }
    for (uint32_t i = 0; t.window && layout_at(t.window->layout, i); i++) {
        if (layout_at(t.window->layout, i)->id == r->pane)
            t.pane = layout_at(t.window->layout, i)->pane;
    }
    if (t.session && !t.window)
        t.window = t.session->current;
    if (t.window && !t.pane)
        t.pane = t.window->active;
    return t;
}

struct format_place config_run_place(const struct config_origin *origin)
{
    struct format_place p = format_place(&origin->daemon->world, &origin->current);

    p.extra = origin->extra;
    p.n_extra = origin->n_extra;
    return p;
}

/* --- messages ------------------------------------------------------------------------------- */

void config_message(struct daemon *d, const char *text)
{
    const struct options_place nowhere = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};
    size_t limit = (size_t)options_number(d->options, nowhere, OPTION_message_limit);
    char **more;
    char *copy;

    log_line(LOG_GENERAL, "%s", text);
    while (d->n_messages > 0 && d->n_messages >= limit) {
        free(d->messages[0]);
        memmove(d->messages, d->messages + 1, --d->n_messages * sizeof *d->messages);
    }
    copy = limit > 0 ? strdup(text) : NULL;
    more = copy ? realloc(d->messages, (d->n_messages + 1) * sizeof *more) : NULL;
    if (!more) {
        free(copy);
        return;
    }
    d->messages = more;
    d->messages[d->n_messages++] = copy;
}

/* Notes one line about a command of the list. */
static void complain(struct config_run *r, const char *text, size_t len)
{
    static const char ours[] = "vitrine: ";
    const struct config_command *at = r->at;
    char line[1200];

    if (len >= sizeof ours - 1 && memcmp(text, ours, sizeof ours - 1) == 0) {
        text += sizeof ours - 1;
        len -= sizeof ours - 1;
    }
    if (len > 1000)
        len = 1000;
    if (at->file)
        snprintf(line, sizeof line, "%.150s:%u: %.*s", at->file, at->line, (int)len, text);
    else if (r->origin.hook)
        snprintf(line, sizeof line, "%s: %.*s", r->origin.hook, (int)len, text);
    else
        snprintf(line, sizeof line, "%.*s", (int)len, text);
    outbuf_printf(&r->err, "vitrine: %s\n", line);
    if (at->file || r->origin.hook)
        config_message(r->origin.daemon, line);
}

/* --- a run ---------------------------------------------------------------------------------- */

static void free_run(struct config_run *r)
{
    struct daemon *d = r->origin.daemon;

    for (struct config_run **at = &d->runs; *at; at = &(*at)->next) {
        if (*at == r) {
            *at = r->next;
            break;
        }
    }
    for (size_t i = 0; i < CONFIG_EXTRA_MAX; i++)
        free(r->texts[i]);
    outbuf_clear(&r->command.out);
    outbuf_clear(&r->command.err);
    outbuf_clear(&r->out);
    outbuf_clear(&r->err);
    config_list_clear(&r->list);
    free(r);
}

/* Takes a command's words over; the first line of an error says all. */
static void take_result(struct config_run *r, enum command_result result)
{
    struct command *c = &r->command;
    const uint8_t *end = c->err.len > 0 ? memchr(c->err.p, '\n', c->err.len) : NULL;

    outbuf_put(&r->out, c->out.p, c->out.len);
    r->skip = result != COMMAND_DONE && result != COMMAND_ATTACH;
    if (r->skip) {
        r->ok = false;
        complain(r, c->err.len > 0 ? (const char *)c->err.p : "failed",
                 c->err.len == 0 ? 6
                 : end           ? (size_t)(end - c->err.p)
                                 : c->err.len);
    }
    outbuf_clear(&c->out);
    outbuf_clear(&c->err);
    r->at = r->at->next;
}

static void on_finished(struct command *c, enum command_result result);

static void set_up(struct config_run *r)
{
    struct command *c = &r->command;

    memset(c, 0, sizeof *c);
    c->daemon = r->origin.daemon;
    c->request = &r->request;
    c->attach = r->origin.attach;
    c->mouse = r->origin.mouse;
    c->current = find_place(r);
    c->finished = on_finished;
}

/* Runs on. False when a command waits. */
static bool run_on(struct config_run *r)
{
    while (r->at) {
        enum command_result result;

        if (r->at->error) {
            r->ok = false;
            complain(r, r->at->error, strlen(r->at->error));
            r->skip = true;
            r->at = r->at->next;
            continue;
        }
        if (r->at->joined && r->skip) {
            r->at = r->at->next;
            continue;
        }
        set_up(r);
        r->origin.daemon->hooks_running += r->origin.hook ? 1 : 0;
        result = command_run_words(&r->command, r->at->n, (const char *const *)r->at->words);
        r->origin.daemon->hooks_running -= r->origin.hook ? 1 : 0;
        if (result == COMMAND_LATER) {
            r->origin.attach = NULL; /* it may be gone when the run goes on */
            return false;
        }
        take_result(r, result);
    }
    return true;
}

static void finish(struct config_run *r)
{
    if (r->done)
        r->done(r->ctx, r->ok, &r->out, &r->err);
    free_run(r);
}

static void on_finished(struct command *c, enum command_result result)
{
    struct config_run *r = (struct config_run *)(void *)c;

    take_result(r, result);
    if (run_on(r))
        finish(r);
}

static bool keep_extras(struct config_run *r)
{
    for (size_t i = 0; i < r->origin.n_extra; i++) {
        r->texts[i] = strdup(r->origin.extra[i].value);
        if (!r->texts[i])
            return false;
        r->origin.extra[i].value = r->texts[i];
    }
    return true;
}

struct config_run *config_run_start(const struct config_origin *origin, struct config_list *list,
                                    config_done_fn *done, void *ctx)
{
    struct config_run *r = calloc(1, sizeof *r);
    unsigned depth = origin->parent ? origin->parent->depth + 1 : 0;
    struct outbuf none = {0}, err = {0};

    if (r) {
        r->origin = *origin;
        r->origin.parent = NULL;
        if (origin->mouse) {
            r->mouse = *origin->mouse;
            r->origin.mouse = &r->mouse;
        }
        r->depth = depth;
    }
    if (!r || depth > CONFIG_RUN_DEPTH_MAX || list->bad || !keep_extras(r)) {
        outbuf_text(&err, depth > CONFIG_RUN_DEPTH_MAX ? "vitrine: nested too deep\n"
                                                       : "vitrine: out of memory\n");
        config_list_clear(list);
        if (r)
            free_run(r);
        if (done)
            done(ctx, false, &none, &err);
        outbuf_clear(&err);
        return NULL;
    }
    r->session = origin->current.session ? (int64_t)origin->current.session->id : -1;
    r->window = origin->current.window ? (int64_t)origin->current.window->id : -1;
    r->pane = origin->current.pane ? (int64_t)pane_id(origin->current.pane) : -1;
    if (origin->request)
        r->request = *origin->request;
    r->request.flags &= (uint8_t)~IPC_CLIENT_TTY; /* it cannot attach */
    r->list = *list;
    memset(list, 0, sizeof *list);
    r->at = r->list.first;
    r->ok = true;
    r->done = done;
    r->ctx = ctx;
    r->next = r->origin.daemon->runs;
    r->origin.daemon->runs = r;
    if (!run_on(r))
        return r;
    finish(r);
    return NULL;
}

void config_run_cancel(struct config_run *r)
{
    if (r->command.cancel)
        r->command.cancel(&r->command);
    free_run(r);
}

void config_run_cancel_all(struct daemon *d)
{
    while (d->runs)
        config_run_cancel(d->runs);
}

/* --- parsing -------------------------------------------------------------------------------- */

struct config_origin config_run_origin(struct command *c)
{
    const struct config_run *r = (const struct config_run *)(const void *)c;
    struct config_origin o = {.daemon = c->daemon, .request = c->request, .attach = c->attach};

    if (c->finished == on_finished) {
        o = r->origin;
        o.parent = r;
        o.request = c->request;
        o.attach = c->attach;
    }
    o.mouse = c->mouse;
    o.current = c->current;
    return o;
}

void config_run_parse(const struct config_origin *origin, const char *text, size_t len,
                      const char *file, struct config_list *list)
{
    struct format_place place = config_run_place(origin);

    config_place_parse(&place, text, len, file, list);
}

/* --- files and hooks ------------------------------------------------------------------------ */

void config_run_file(struct daemon *d, const char *path, bool must_exist)
{
    struct config_origin origin = {.daemon = d};
    struct config_list list = {0};
    struct outbuf text = {0};
    char line[512];

    if (config_read_file(path, &text)) {
        config_run_parse(&origin, (const char *)text.p, text.len, path, &list);
        config_run_start(&origin, &list, NULL, NULL);
    } else if (must_exist || errno != ENOENT) {
        snprintf(line, sizeof line, "%.300s: %s", path, strerror(errno));
        config_message(d, line);
    }
    outbuf_clear(&text);
}

bool config_read_file(const char *path, struct outbuf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), e;
    ssize_t n = fd < 0 ? -1 : 1;

    while (n > 0 && out->len <= CONFIG_BYTES_MAX) {
        uint8_t *room = outbuf_reserve(out, 16384);

        if (!room) {
            errno = ENOMEM;
            n = -1;
            break;
        }
        n = read(fd, room, 16384);
        if (n > 0)
            out->len += (size_t)n;
    }
    e = n < 0 ? errno : EFBIG;
    if (fd >= 0)
        close(fd);
    errno = e;
    return n == 0;
}

void config_fire(struct daemon *d, const char *name, const struct target *at,
                 const struct format_extra *extra, size_t n_extra)
{
    struct config_origin origin = {.daemon = d, .current = *at, .hook = name};
    int64_t session = at->session ? (int64_t)at->session->id : HOOKS_GLOBAL;
    const char *text;

    if (d->hooks_running > 0 || !d->hooks)
        return;
    origin.extra[origin.n_extra++] = (struct format_extra){"hook", name};
    for (size_t i = 0; i < n_extra && origin.n_extra < CONFIG_EXTRA_MAX; i++)
        origin.extra[origin.n_extra++] = extra[i];
    for (size_t i = 0; (text = hooks_text(d->hooks, session, name, i)) != NULL; i++) {
        struct config_list list = {0};

        config_run_parse(&origin, text, strlen(text), NULL, &list);
        config_run_start(&origin, &list, NULL, NULL);
    }
}
