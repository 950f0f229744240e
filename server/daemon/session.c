#include "server/daemon/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/session_state.h"

/* --- making and ending ---------------------------------------------------------------------- */

static void free_session(struct session *s)
{
    while (s->windows) {
        struct window *w = s->windows;

        s->windows = w->next;
        session_free_window(w);
    }
    for (char **v = s->env; v && *v; v++)
        free(*v);
    free(s->env);
    free(s->cwd);
    environment_clear(&s->own);
    free(s);
}

static void reap(void *ctx)
{
    struct session_list *list = ctx;

    while (list->dead) {
        struct session *s = list->dead;

        list->dead = s->next;
        free_session(s);
    }
}

struct session_list *session_list_create(struct loop *l, const struct session_hooks *hooks)
{
    struct session_list *list = calloc(1, sizeof *list);

    if (!list)
        return NULL;
    list->loop = l;
    list->hooks = *hooks;
    loop_task_init(&list->reaper, reap, list);
    return list;
}

void session_list_destroy(struct session_list *list)
{
    if (!list)
        return;
    while (list->first)
        session_end(list, list->first);
    loop_cancel(list->loop, &list->reaper);
    reap(list);
    free(list);
}

struct session *session_first(const struct session_list *list)
{
    return list->first;
}

size_t session_count(const struct session_list *list)
{
    size_t n = 0;

    for (struct session *s = list->first; s; s = s->next)
        n++;
    return n;
}

uint32_t session_next_id(const struct session_list *list)
{
    return list->next_session;
}

uint32_t session_next_pane_id(struct session_list *list)
{
    return list->next_pane++;
}

static struct session *find_exact(const struct session_list *list, const char *name, size_t len)
{
    for (struct session *s = list->first; s; s = s->next) {
        if (strlen(s->name) == len && memcmp(s->name, name, len) == 0)
            return s;
    }
    return NULL;
}

struct session *session_named(const struct session_list *list, const char *name)
{
    return find_exact(list, name, strlen(name));
}

static void pick_name(const struct session_list *list, struct session *s)
{
    uint32_t n = s->id;

    do
        snprintf(s->name, sizeof s->name, "%u", n++);
    while (find_exact(list, s->name, strlen(s->name)));
}

struct session *session_create(struct session_list *list, const char *name, struct pane *pane,
                               uint32_t pane_number, uint16_t cols, uint16_t rows)
{
    struct session *s = calloc(1, sizeof *s);
    struct session **at = &list->first;

    if (!s)
        return NULL;
    s->cols = cols;
    s->rows = rows;
    s->windows = session_create_window(list, s, pane, pane_number);
    if (!s->windows) {
        free(s);
        return NULL;
    }
    s->current = s->windows;
    s->id = list->next_session++;
    s->created_s = loop_wall_s(list->loop);
    if (name && *name)
        snprintf(s->name, sizeof s->name, "%s", name);
    else
        pick_name(list, s);
    while (*at)
        at = &(*at)->next;
    *at = s;
    session_touch(list, s);
    return s;
}

static void unlink_session(struct session_list *list, struct session *s)
{
    for (struct session **at = &list->first; *at; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    if (list->last_used == s)
        list->last_used = list->first;
}

/* Everybody hears of the end while its windows still hang in it. */
static void begin_end(struct session_list *list, struct session *s)
{
    s->dead = true;
    unlink_session(list, s);
    if (list->hooks.session_ended)
        list->hooks.session_ended(list->hooks.ctx, s);
}

static void finish_end(struct session_list *list, struct session *s)
{
    s->next = list->dead;
    list->dead = s;
    loop_defer(list->loop, &list->reaper);
}

void session_end(struct session_list *list, struct session *s)
{
    if (s->dead)
        return;
    begin_end(list, s);
    for (struct window *w = s->windows; w; w = w->next) {
        for (uint32_t i = 0; i < layout_count(w->layout); i++)
            list->hooks.pane_removed(list->hooks.ctx, layout_at(w->layout, i)->pane);
    }
    finish_end(list, s);
}

void session_end_without(struct session_list *list, struct session *s, struct window *w)
{
    begin_end(list, s);
    s->windows = s->current = s->last = NULL;
    w->next = NULL;
    finish_end(list, s);
}

/* --- names ---------------------------------------------------------------------------------- */

enum err session_check_name(const struct session_list *list, const char *name)
{
    size_t len = strlen(name);
    char shown[SESSION_NAME_MAX_BYTES + 1];

    if (len == 0 || len > SESSION_NAME_MAX_BYTES || strpbrk(name, ":.") || strchr("$@%=", name[0]))
        return ERR_MALFORMED;
    utf8_printable((const uint8_t *)name, len, shown, SESSION_NAME_MAX_BYTES);
    if (strcmp(shown, name) != 0)
        return ERR_MALFORMED;
    return find_exact(list, name, len) ? ERR_STATE : ERR_OK;
}

enum err session_rename(struct session_list *list, struct session *s, const char *name)
{
    enum err e = session_check_name(list, name);

    if (e == ERR_STATE && strcmp(s->name, name) == 0)
        return ERR_OK;
    if (e == ERR_OK)
        snprintf(s->name, sizeof s->name, "%s", name);
    return e;
}

void session_touch(struct session_list *list, struct session *s)
{
    list->last_used = s;
}

struct session *session_last_used(const struct session_list *list)
{
    return list->last_used;
}

bool session_of_pane(const struct session_list *list, const struct pane *pane, struct target *out)
{
    for (struct session *s = list->first; s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (!layout_find(w->layout, pane))
                continue;
            *out = (struct target){s, w, (struct pane *)pane};
            return true;
        }
    }
    memset(out, 0, sizeof *out);
    return false;
}

/* --- numbers and the mark ------------------------------------------------------------------- */

bool session_pane_numbered(const struct session_list *list, uint32_t number, struct target *out)
{
    for (struct session *s = list->first; s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            for (uint32_t i = 0; i < layout_count(w->layout); i++) {
                const struct layout_leaf *leaf = layout_at(w->layout, i);

                if (leaf->id != number)
                    continue;
                *out = (struct target){s, w, leaf->pane};
                return true;
            }
        }
    }
    return false;
}

void session_mark_pane(struct session_list *list, uint32_t number)
{
    list->has_mark = true;
    list->mark = number;
}

void session_unmark_pane(struct session_list *list)
{
    list->has_mark = false;
}

bool session_marked(const struct session_list *list, struct target *out)
{
    return list->has_mark && session_pane_numbered(list, list->mark, out);
}
