#include "server/daemon/target.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/layout.h"

/* A piece of the text. */
struct part {
    const char *p;
    size_t len;
};

struct finder {
    const struct session_list *list;
    struct target current;
    int pane_base;
    enum target_kind missing; /* what was looked for last, and its text */
    struct part name;
};

static void look_for(struct finder *f, enum target_kind kind, struct part name)
{
    f->missing = kind;
    f->name = name;
}

static bool is_text(struct part t, const char *text)
{
    return t.len == strlen(text) && memcmp(t.p, text, t.len) == 0;
}

static bool is_either(struct part t, const char *symbol, const char *word)
{
    return is_text(t, symbol) || is_text(t, word);
}

/* Reads all of t as a decimal number. */
static bool read_number(struct part t, uint32_t *out)
{
    uint64_t v = 0;

    if (t.len == 0 || t.len > 10)
        return false;
    for (size_t i = 0; i < t.len; i++) {
        if (!isdigit((unsigned char)t.p[i]))
            return false;
        v = v * 10 + (uint64_t)(t.p[i] - '0');
    }
    *out = (uint32_t)v;
    return v <= UINT32_MAX;
}

/* Reads "$3" for the sign '$'. */
static bool read_id(struct part t, char sign, uint32_t *out)
{
    struct part rest = {t.p + 1, t.len - 1};

    return t.len > 1 && t.p[0] == sign && read_number(rest, out);
}

/* Reads "+", "-", "+3" or "-3". */
static bool read_offset(struct part t, int *out)
{
    struct part rest = {t.p + 1, t.len - 1};
    uint32_t n = 1;

    if (t.len == 0 || (t.p[0] != '+' && t.p[0] != '-') ||
        (rest.len > 0 && (!read_number(rest, &n) || n > SESSION_INDEX_MAX)))
        return false;
    *out = t.p[0] == '+' ? (int)n : -(int)n;
    return true;
}

static struct target of_window(struct window *w)
{
    return (struct target){w->session, w, w->active};
}

/* --- sessions ------------------------------------------------------------------------------- */

static struct session *session_by_id(const struct finder *f, uint32_t id)
{
    struct session *s = session_first(f->list);

    while (s && s->id != id)
        s = s->next;
    return s;
}

/* A pattern as fnmatch(3) reads it, which may be one name without any special character. */
static bool matches(struct part t, const char *text)
{
    char pattern[SESSION_NAME_MAX_BYTES * 2];

    if (t.len >= sizeof pattern)
        return false;
    snprintf(pattern, sizeof pattern, "%.*s", (int)t.len, t.p);
    return fnmatch(pattern, text, 0) == 0;
}

static enum err session_by_prefix(const struct finder *f, struct part t, struct session **out)
{
    *out = NULL;
    for (struct session *s = session_first(f->list); s; s = s->next) {
        if (strncmp(s->name, t.p, t.len) != 0 && !matches(t, s->name))
            continue;
        if (*out)
            return ERR_MALFORMED;
        *out = s;
    }
    return *out ? ERR_OK : ERR_NOT_FOUND;
}

static enum err find_session(const struct finder *f, struct part t, struct session **out)
{
    bool exact = t.len > 0 && t.p[0] == '=';
    struct part name = {t.p + exact, t.len - exact};
    uint32_t id;

    *out = t.len == 0 ? f->current.session : NULL;
    if (t.len > 0 && read_id(t, '$', &id))
        *out = session_by_id(f, id);
    for (struct session *s = session_first(f->list); s && t.len > 0 && !*out; s = s->next) {
        if (is_text(name, s->name))
            *out = s;
    }
    if (*out)
        return ERR_OK;
    return t.len == 0 || exact ? ERR_NOT_FOUND : session_by_prefix(f, t, out);
}

/* --- windows -------------------------------------------------------------------------------- */

static struct window *window_by_id(const struct finder *f, uint32_t id)
{
    for (struct session *s = session_first(f->list); s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (w->id == id)
                return w;
        }
    }
    return NULL;
}

static struct window *last_window(const struct session *s)
{
    struct window *w = s->windows;

    while (w->next)
        w = w->next;
    return w;
}

/* By its whole name, else by the only one that begins so or matches as a pattern. */
static struct window *window_by_name(const struct session *s, struct part t, bool exact)
{
    struct window *found = NULL;
    unsigned n = 0;

    for (struct window *w = s->windows; w; w = w->next) {
        if (is_text(t, w->name))
            return w;
    }
    for (struct window *w = s->windows; w && t.len > 0 && !exact; w = w->next) {
        if (strncmp(w->name, t.p, t.len) != 0 && !matches(t, w->name))
            continue;
        found = w;
        n++;
    }
    return n == 1 ? found : NULL;
}

/* The window of a session that a part means, or NULL. */
static struct window *find_window(const struct session *s, struct part t)
{
    bool exact = t.len > 0 && t.p[0] == '=';
    uint32_t number;
    int offset;

    if (exact)
        t = (struct part){t.p + 1, t.len - 1};

    if (t.len == 0)
        return s->current;
    if (read_id(t, '@', &number)) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (w->id == number)
                return w;
        }
        return NULL;
    }
    if (is_either(t, "^", "{start}"))
        return s->windows;
    if (is_either(t, "$", "{end}"))
        return last_window(s);
    if (is_either(t, "!", "{last}"))
        return s->last;
    if (is_text(t, "{next}") || is_text(t, "{previous}"))
        return session_window_beside(s->current, is_text(t, "{next}") ? 1 : -1);
    if (read_offset(t, &offset))
        return session_window_beside(s->current, offset);
    if (read_number(t, &number) && session_window_at(s, number))
        return session_window_at(s, number);
    return window_by_name(s, t, exact);
}

/* --- panes ---------------------------------------------------------------------------------- */

static struct pane *pane_beside(const struct window *w, int n)
{
    uint32_t count = layout_count(w->layout), at = 0;

    while (layout_at(w->layout, at)->pane != w->active)
        at++;
    return layout_at(w->layout, (uint32_t)(((long)at + n) % (long)count + (long)count) % count)
        ->pane;
}

/* The pane in a corner or at an edge: that whose place comes first by the rule's order. */
static struct pane *pane_at_edge(const struct window *w, struct part t)
{
    static const struct {
        const char *word;
        int x, y; /* -1 towards left or top, 1 towards right or bottom */
    } edges[] = {
        {"{top}", 0, -1},         {"{bottom}", 0, 1},       {"{left}", -1, 0},
        {"{right}", 1, 0},        {"{top-left}", -1, -1},   {"{top-right}", 1, -1},
        {"{bottom-left}", -1, 1}, {"{bottom-right}", 1, 1},
    };

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const struct layout_leaf *best = NULL;
        long most = 0;

        if (!is_text(t, edges[i].word))
            continue;
        for (uint32_t k = 0; k < layout_count(w->layout); k++) {
            const struct layout_leaf *f = layout_at(w->layout, k);
            long value = edges[i].x * (edges[i].x < 0 ? f->x : f->x + f->cols) +
                         edges[i].y * (edges[i].y < 0 ? f->y : f->y + f->rows);

            if (!best || value > most) {
                best = f;
                most = value;
            }
        }
        return best ? best->pane : NULL;
    }
    return NULL;
}

static struct pane *pane_towards(const struct window *w, struct part t)
{
    if (is_text(t, "{left-of}"))
        return layout_neighbour(w->layout, w->active, LAYOUT_LEFT);
    if (is_text(t, "{right-of}"))
        return layout_neighbour(w->layout, w->active, LAYOUT_RIGHT);
    if (is_text(t, "{up-of}"))
        return layout_neighbour(w->layout, w->active, LAYOUT_UP);
    if (is_text(t, "{down-of}"))
        return layout_neighbour(w->layout, w->active, LAYOUT_DOWN);
    return pane_at_edge(w, t);
}

/* The pane of a window that a part means, or NULL. */
static struct pane *find_pane(const struct finder *f, const struct window *w, struct part t)
{
    const struct layout_leaf *leaf;
    uint32_t number;
    int offset;

    if (t.len == 0)
        return w->active;
    if (read_id(t, '%', &number)) {
        for (uint32_t i = 0; (leaf = layout_at(w->layout, i)) != NULL; i++) {
            if (leaf->id == number)
                return leaf->pane;
        }
        return NULL;
    }
    if (is_either(t, "!", "{last}"))
        return w->last;
    if (is_text(t, "{next}") || is_text(t, "{previous}"))
        return pane_beside(w, is_text(t, "{next}") ? 1 : -1);
    if (read_offset(t, &offset))
        return pane_beside(w, offset);
    if (read_number(t, &number) && number >= (uint32_t)f->pane_base) {
        leaf = layout_at(w->layout, number - (uint32_t)f->pane_base);
        return leaf ? leaf->pane : NULL;
    }
    return pane_towards(w, t);
}

/* --- whole targets -------------------------------------------------------------------------- */

/* `session:window.pane`, with colon or period somewhere. */
static enum err find_parts(struct finder *f, const char *text, struct target *out)
{
    const char *colon = strchr(text, ':');
    const char *rest = colon ? colon + 1 : text;
    const char *dot = strchr(rest, '.');
    struct part session = {text, colon ? (size_t)(colon - text) : 0};
    struct part window = {rest, dot ? (size_t)(dot - rest) : strlen(rest)};
    struct part pane = {dot ? dot + 1 : "", dot ? strlen(dot + 1) : 0};
    enum err e = find_session(f, session, &out->session);
    uint32_t id;

    look_for(f, TARGET_SESSION, session);
    if (e != ERR_OK)
        return e;
    if (!colon && read_id(window, '@', &id) && window_by_id(f, id))
        out->session = window_by_id(f, id)->session;
    out->window = find_window(out->session, window);
    if (window.len > 0 && window.p[0] == '=')
        window = (struct part){window.p + 1, window.len - 1};
    look_for(f, TARGET_WINDOW, window);
    if (!out->window)
        return ERR_NOT_FOUND;
    look_for(f, TARGET_PANE, pane);
    out->pane = find_pane(f, out->window, pane);
    return out->pane ? ERR_OK : ERR_NOT_FOUND;
}

/* One part alone: what the command wants, then the next larger thing. */
static enum err find_alone(const struct finder *f, const char *text, enum target_kind kind,
                           struct target *out)
{
    struct part t = {text, strlen(text)};
    const struct target *now = &f->current;
    struct window *w = NULL;
    struct pane *p = NULL;
    enum err e;

    if (kind == TARGET_PANE && now->window)
        p = find_pane(f, now->window, t);
    if (p) {
        *out = (struct target){now->session, now->window, p};
        return ERR_OK;
    }
    if (kind != TARGET_SESSION && now->session)
        w = find_window(now->session, t);
    if (w) {
        *out = of_window(w);
        return ERR_OK;
    }
    e = find_session(f, t, &out->session);
    if (e == ERR_OK)
        *out = of_window(out->session->current);
    return e;
}

static enum err find(struct finder *f, const char *text, enum target_kind kind, struct target *out)
{
    const struct session_list *list = f->list;
    struct part whole = {text ? text : "", text ? strlen(text) : 0};
    uint32_t id;
    enum err e;

    look_for(f, kind, whole);
    memset(out, 0, sizeof *out);
    if (!f->current.session && session_last_used(list))
        f->current = of_window(session_last_used(list)->current);
    if (whole.len == 0) {
        *out = f->current;
        return out->session ? ERR_OK : ERR_NOT_FOUND;
    }
    if (read_id(whole, '%', &id)) {
        look_for(f, TARGET_PANE, whole);
        return session_pane_numbered(list, id, out) ? ERR_OK : ERR_NOT_FOUND;
    }
    if (is_either(whole, "~", "{marked}"))
        return session_marked(list, out) ? ERR_OK : ERR_NOT_FOUND;
    if (read_id(whole, '@', &id)) {
        struct window *w = window_by_id(f, id);

        look_for(f, TARGET_WINDOW, whole);
        if (w)
            *out = of_window(w);
        return w ? ERR_OK : ERR_NOT_FOUND;
    }
    if (strpbrk(text, ":."))
        e = find_parts(f, text, out);
    else
        e = find_alone(f, text, kind, out);
    if (e != ERR_OK)
        memset(out, 0, sizeof *out);
    return e;
}

enum err target_find_why(const struct session_list *list, const char *text, enum target_kind kind,
                         const struct target *current, int pane_base, struct target *out,
                         char why[static TARGET_WHY_MAX])
{
    static const char *const kinds[] = {"session", "window", "pane"};
    struct finder f = {.list = list, .current = *current, .pane_base = pane_base};
    enum err e = find(&f, text, kind, out);
    int n = f.name.len < TARGET_WHY_MAX / 2 ? (int)f.name.len : TARGET_WHY_MAX / 2;

    why[0] = '\0';
    if (e == ERR_NOT_FOUND && text && (strcmp(text, "~") == 0 || strcmp(text, "{marked}") == 0))
        snprintf(why, TARGET_WHY_MAX, "no marked target");
    else if (e == ERR_MALFORMED)
        snprintf(why, TARGET_WHY_MAX, "several match %s: %.*s", kinds[f.missing], n, f.name.p);
    else if (e != ERR_OK)
        snprintf(why, TARGET_WHY_MAX, "can't find %s: %.*s", kinds[f.missing], n, f.name.p);
    return e;
}

enum err target_find(const struct session_list *list, const char *text, enum target_kind kind,
                     const struct target *current, int pane_base, struct target *out)
{
    char why[TARGET_WHY_MAX];

    return target_find_why(list, text, kind, current, pane_base, out, why);
}
