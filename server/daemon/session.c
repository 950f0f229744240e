#include "server/daemon/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/layout.h"
#include "server/daemon/loop.h"

struct session_list {
    struct loop *loop;
    struct session_hooks hooks;
    struct session *first;
    struct session *dead; /* freed at the end of the round */
    struct session *last_used;
    struct loop_task reaper;
    uint32_t next_session;
    uint32_t next_window;
    uint32_t next_pane;
};

/* --- making and ending ---------------------------------------------------------------------- */

static void free_window(struct window *w)
{
    layout_destroy(w->layout);
    free(w);
}

static void free_session(struct session *s)
{
    while (s->windows) {
        struct window *w = s->windows;

        s->windows = w->next;
        free_window(w);
    }
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

static void pick_name(const struct session_list *list, struct session *s)
{
    uint32_t n = s->id;

    do
        snprintf(s->name, sizeof s->name, "%u", n++);
    while (find_exact(list, s->name, strlen(s->name)));
}

static struct window *create_window(struct session_list *list, struct session *s, struct pane *pane,
                                    uint32_t pane_number)
{
    struct window *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->layout = layout_create(pane, pane_number, s->cols, s->rows);
    if (!w->layout) {
        free(w);
        return NULL;
    }
    w->id = list->next_window++;
    w->session = s;
    w->active = pane;
    return w;
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
    s->windows = create_window(list, s, pane, pane_number);
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

void session_end(struct session_list *list, struct session *s)
{
    if (s->dead)
        return;
    s->dead = true;
    unlink_session(list, s);
    if (list->hooks.session_ended)
        list->hooks.session_ended(list->hooks.ctx, s);
    for (struct window *w = s->windows; w; w = w->next) {
        for (uint32_t i = 0; i < layout_count(w->layout); i++)
            list->hooks.pane_removed(list->hooks.ctx, layout_at(w->layout, i)->pane);
    }
    s->next = list->dead;
    list->dead = s;
    loop_defer(list->loop, &list->reaper);
}

static void remove_window(struct session *s, struct window *w)
{
    for (struct window **at = &s->windows; *at; at = &(*at)->next) {
        if (*at == w) {
            *at = w->next;
            break;
        }
    }
    if (s->current == w)
        s->current = s->windows;
    free_window(w);
}

void session_remove_pane(struct session_list *list, struct pane *pane)
{
    struct target t;

    if (!session_of_pane(list, pane, &t))
        return;
    if (layout_count(t.window->layout) == 1 && !t.session->windows->next) {
        session_end(list, t.session);
        return;
    }
    layout_remove(t.window->layout, pane);
    list->hooks.pane_removed(list->hooks.ctx, pane);
    if (layout_count(t.window->layout) == 0)
        remove_window(t.session, t.window);
    else if (t.window->active == pane)
        t.window->active = layout_at(t.window->layout, 0)->pane;
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

/* --- targets -------------------------------------------------------------------------------- */

static struct target of_window(struct session *s, struct window *w)
{
    struct target t = {s, w, w ? w->active : NULL};

    return t;
}

bool session_of_pane(const struct session_list *list, const struct pane *pane, struct target *out)
{
    for (struct session *s = list->first; s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (!layout_find(w->layout, pane))
                continue;
            *out = of_window(s, w);
            out->pane = (struct pane *)pane;
            return true;
        }
    }
    memset(out, 0, sizeof *out);
    return false;
}

/* Reads all len bytes at text as a decimal number. */
static bool read_number(const char *text, size_t len, uint32_t *out)
{
    uint64_t v = 0;

    if (len == 0 || len > 10)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)v;
    return v <= UINT32_MAX;
}

static enum err find_by_pane_id(const struct session_list *list, uint32_t id, struct target *out)
{
    for (struct session *s = list->first; s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            for (uint32_t i = 0; i < layout_count(w->layout); i++) {
                const struct layout_leaf *leaf = layout_at(w->layout, i);

                if (leaf->id != id)
                    continue;
                *out = of_window(s, w);
                out->pane = leaf->pane;
                return ERR_OK;
            }
        }
    }
    return ERR_NOT_FOUND;
}

static enum err find_by_window_id(const struct session_list *list, uint32_t id, struct target *out)
{
    for (struct session *s = list->first; s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (w->id == id) {
                *out = of_window(s, w);
                return ERR_OK;
            }
        }
    }
    return ERR_NOT_FOUND;
}

static enum err find_session(const struct session_list *list, const char *text, size_t len,
                             struct session **out)
{
    uint32_t id;
    bool exact = len > 0 && text[0] == '=';

    *out = len == 0 ? list->last_used : NULL;
    if (len > 0 && text[0] == '$' && read_number(text + 1, len - 1, &id)) {
        for (struct session *s = list->first; s; s = s->next) {
            if (s->id == id)
                *out = s;
        }
        return *out ? ERR_OK : ERR_NOT_FOUND;
    }
    if (len > 0)
        *out = find_exact(list, text + exact, len - exact);
    for (struct session *s = list->first; s && len > 0 && !exact && !*out; s = s->next) {
        if (strncmp(s->name, text, len) != 0)
            continue;
        for (struct session *other = s->next; other; other = other->next) {
            if (strncmp(other->name, text, len) == 0)
                return ERR_MALFORMED;
        }
        *out = s;
    }
    return *out ? ERR_OK : ERR_NOT_FOUND;
}

static enum err find_window(struct session *s, const char *text, size_t len, struct window **out)
{
    uint32_t index;

    *out = len == 0 ? s->current : NULL;
    if (len > 0 && read_number(text, len, &index)) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (w->index == index)
                *out = w;
        }
    }
    for (struct window *w = s->windows; w && len > 0 && !*out; w = w->next) {
        if (strlen(w->name) == len && memcmp(w->name, text, len) == 0)
            *out = w;
    }
    return *out ? ERR_OK : ERR_NOT_FOUND;
}

static enum err find_pane(struct window *w, const char *text, size_t len, struct pane **out)
{
    uint32_t index;

    *out = len == 0 ? w->active : NULL;
    if (len > 0 && read_number(text, len, &index) && layout_at(w->layout, index))
        *out = layout_at(w->layout, index)->pane;
    return *out ? ERR_OK : ERR_NOT_FOUND;
}

static enum err find_by_parts(const struct session_list *list, const char *text, struct target *out)
{
    size_t len = strcspn(text, ":");
    const char *window = text[len] ? text + len + 1 : text + len;
    size_t window_len = strcspn(window, ".");
    const char *pane = window[window_len] ? window + window_len + 1 : window + window_len;
    enum err e = find_session(list, text, len, &out->session);

    if (e == ERR_OK)
        e = find_window(out->session, window, window_len, &out->window);
    if (e == ERR_OK)
        e = find_pane(out->window, pane, strlen(pane), &out->pane);
    return e;
}

enum err session_find(const struct session_list *list, const char *text, struct target *out)
{
    uint32_t id;
    enum err e;

    memset(out, 0, sizeof *out);
    if (!text)
        text = "";
    if (text[0] == '%' && read_number(text + 1, strlen(text + 1), &id))
        return find_by_pane_id(list, id, out);
    if (text[0] == '@' && read_number(text + 1, strlen(text + 1), &id))
        return find_by_window_id(list, id, out);
    e = find_by_parts(list, text, out);
    if (e != ERR_OK)
        memset(out, 0, sizeof *out);
    return e;
}
