#include "server/daemon/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/daemon.h"
#include "server/daemon/loop.h"
#include "server/daemon/pane.h"
#include "server/daemon/session.h"

struct names {
    struct daemon *daemon;
    struct loop_timer timer;
    uint64_t looked_ms; /* output from before was seen */
    bool all;           /* an option has changed: every window is looked at */
};

static void rename_window(struct names *n, struct window *w)
{
    struct target t = {w->session, w, w->active};
    struct format_place place = format_place(&n->daemon->world, &t);
    struct options_place at = format_options_place(&t);
    const char *format = options_text(n->daemon->options, at, OPTION_automatic_rename_format);
    char name[SESSION_NAME_MAX_BYTES + 1];
    char *text = format_vars_text(&place, format, true);

    if (text)
        utf8_printable((const uint8_t *)text, strlen(text), name, sizeof name - 1);
    if (text && *text && strcmp(name, w->name) != 0) {
        snprintf(w->name, sizeof w->name, "%s", name);
        session_changed(n->daemon->sessions, w->session);
    }
    free(text);
}

static bool is_due(const struct names *n, const struct window *w)
{
    struct target t = {w->session, (struct window *)(uintptr_t)w, NULL};

    return (n->all || w->named_for != w->active || pane_output_ms(w->active) >= n->looked_ms) &&
           options_flag(n->daemon->options, format_options_place(&t), OPTION_automatic_rename);
}

static void on_timer(void *ctx)
{
    struct names *n = ctx;

    for (struct session *s = session_first(n->daemon->sessions); s; s = s->next)
        for (struct window *w = s->windows; w; w = w->next)
            if (is_due(n, w)) {
                w->named_for = w->active;
                rename_window(n, w);
            }
    n->looked_ms = loop_now_ms(n->daemon->loop);
    n->all = false;
}

void names_wake(struct names *n)
{
    if (n && !loop_timer_running(&n->timer))
        loop_timer_start(&n->timer, NAMES_MS);
}

void names_option(struct names *n, int option)
{
    if (!n || (option != OPTION_automatic_rename && option != OPTION_automatic_rename_format))
        return;
    n->all = true;
    names_wake(n);
}

void names_fix(struct daemon *d, const struct window *w)
{
    const struct options_owner at = {OPTION_WINDOW, w->id};
    char why[128];

    options_set(d->options, at, "automatic-rename", "off", 0, why, sizeof why);
}

struct names *names_create(struct daemon *d)
{
    struct names *n = calloc(1, sizeof *n);

    if (!n)
        return NULL;
    n->daemon = d;
    n->all = true;
    loop_timer_init(&n->timer, d->loop, on_timer, n);
    return n;
}

void names_destroy(struct names *n)
{
    if (n)
        loop_timer_stop(&n->timer);
    free(n);
}
