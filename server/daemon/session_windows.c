/* Windows of sessions and panes of windows: what session.h declares about them. */
#include <stdlib.h>
#include <string.h>

#include "server/daemon/session_state.h"

void session_free_window(struct window *w)
{
    layout_destroy(w->layout);
    free(w->former);
    free(w);
}

struct window *session_create_window(struct session_list *list, struct session *s,
                                     struct pane *pane, uint32_t pane_number)
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
    w->preset = -1;
    return w;
}

/* --- windows -------------------------------------------------------------------------------- */

void session_changed(struct session_list *list, struct session *s)
{
    if (list->hooks.changed && !s->dead)
        list->hooks.changed(list->hooks.ctx, s);
}

struct window *session_window_at(const struct session *s, uint32_t index)
{
    struct window *w = s->windows;

    while (w && w->index != index)
        w = w->next;
    return w;
}

size_t session_window_count(const struct session *s)
{
    size_t n = 0;

    for (struct window *w = s->windows; w; w = w->next)
        n++;
    return n;
}

static void link_window(struct session *s, struct window *w)
{
    struct window **at = &s->windows;

    while (*at && (*at)->index < w->index)
        at = &(*at)->next;
    w->next = *at;
    *at = w;
    w->session = s;
}

static void unlink_window(struct window *w)
{
    struct window **at = &w->session->windows;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

/* Finds the index a new window gets. ERR_STATE when it is taken. */
static enum err choose_index(const struct session *s, int index, int base, uint32_t *out)
{
    *out = (uint32_t)(index == SESSION_INDEX_NEXT ? base : index);
    if (index != SESSION_INDEX_NEXT)
        return session_window_at(s, *out) ? ERR_STATE : ERR_OK;
    for (const struct window *w = s->windows; w && w->index <= *out; w = w->next)
        *out += w->index == *out; /* they are in the order of their indexes */
    return *out <= SESSION_INDEX_MAX ? ERR_OK : ERR_STATE;
}

enum err session_add_window(struct session_list *list, struct session *s, int index, int base,
                            struct pane *pane, uint32_t pane_number, struct window **out)
{
    uint32_t chosen;
    enum err e = choose_index(s, index, base, &chosen);
    struct window *w;

    if (e != ERR_OK)
        return e;
    w = session_create_window(list, s, pane, pane_number);
    if (!w)
        return ERR_MEMORY;
    w->index = chosen;
    link_window(s, w);
    list->hooks.pane_sized(list->hooks.ctx, pane, layout_cols(w->layout), layout_rows(w->layout));
    session_changed(list, s);
    *out = w;
    return ERR_OK;
}

struct window *session_window_beside(const struct window *w, int n)
{
    size_t count = session_window_count(w->session), at = 0;
    struct window *found = w->session->windows;

    for (const struct window *k = w->session->windows; k != w; k = k->next)
        at++;
    at = (size_t)(((long)at + n) % (long)count + (long)count) % count;
    while (at-- > 0)
        found = found->next;
    return found;
}

/* The window that was left last becomes the last one. */
static void find_last(struct session *s)
{
    s->last = NULL;
    for (struct window *w = s->windows; w; w = w->next) {
        if (w != s->current && w->left > 0 && (!s->last || w->left > s->last->left))
            s->last = w;
    }
}

static void make_current(struct session *s, struct window *w)
{
    s->current = w;
    w->left = 0;
    w->marks = 0;
}

/* Takes a window off its session, which then shows the one before. Not for the last window. */
static void forget_window(struct session_list *list, struct window *w)
{
    struct session *s = w->session;

    if (s->current == w)
        make_current(s, s->last ? s->last : session_window_beside(w, -1));
    unlink_window(w);
    session_free_window(w);
    find_last(s);
    session_changed(list, s);
}

void session_remove_window(struct session_list *list, struct window *w)
{
    struct session *s = w->session;

    if (s->windows == w && !w->next) {
        session_end(list, s);
        return;
    }
    for (uint32_t i = 0; i < layout_count(w->layout); i++)
        list->hooks.pane_removed(list->hooks.ctx, layout_at(w->layout, i)->pane);
    forget_window(list, w);
}

void session_select_window(struct session_list *list, struct window *w)
{
    struct session *s = w->session;

    w->marks = 0;
    if (s->current != w) {
        s->current->left = ++list->leaves;
        make_current(s, w);
        find_last(s);
    }
    session_changed(list, s);
}

void session_mark(struct session_list *list, struct window *w, enum window_mark mark)
{
    if (w->marks & mark)
        return;
    w->marks |= mark;
    session_changed(list, w->session);
}

void session_seen(struct session_list *list, struct session *s)
{
    if (!s->current || s->current->marks == 0)
        return;
    s->current->marks = 0;
    session_changed(list, s);
}

static void replace_current(struct session *s, struct window *old, struct window *w)
{
    if (s->current == old)
        s->current = w;
    find_last(s);
}

void session_swap_windows(struct session_list *list, struct window *a, struct window *b)
{
    struct session *sa = a->session, *sb = b->session;
    bool current_a = sa->current == a, current_b = sb->current == b;
    uint32_t index = a->index;
    uint64_t left = a->left;

    unlink_window(a);
    unlink_window(b);
    a->index = b->index;
    b->index = index;
    a->left = b->left;
    b->left = left;
    link_window(sa, b);
    link_window(sb, a);
    replace_current(sa, current_a ? a : NULL, b);
    replace_current(sb, current_b ? b : NULL, a);
    if (sa != sb) {
        session_resize_window(list, a, sb->cols, sb->rows);
        session_resize_window(list, b, sa->cols, sa->rows);
    }
    session_changed(list, sa);
    session_changed(list, sb);
}

enum err session_adopt_window(struct session_list *list, struct window *w, struct session *to,
                              uint32_t index)
{
    struct session *from = w->session;

    if (from == to)
        return session_move_window(list, w, index);
    if (session_window_at(to, index))
        return ERR_STATE;
    if (from->windows == w && !w->next) {
        session_end_without(list, from, w);
    } else {
        if (from->current == w)
            make_current(from, from->last ? from->last : session_window_beside(w, -1));
        unlink_window(w);
        find_last(from);
        session_changed(list, from);
    }
    w->index = index;
    w->left = 0;
    link_window(to, w);
    session_resize_window(list, w, to->cols, to->rows);
    session_changed(list, to);
    return ERR_OK;
}

void session_forget_left(struct window *w)
{
    w->left = 0;
    find_last(w->session);
}

enum err session_move_window(struct session_list *list, struct window *w, uint32_t index)
{
    if (w->index != index && session_window_at(w->session, index))
        return ERR_STATE;
    unlink_window(w);
    w->index = index;
    link_window(w->session, w);
    session_changed(list, w->session);
    return ERR_OK;
}

/* --- panes of windows ----------------------------------------------------------------------- */

/* Tells every pane of a window how large its place is. */
static void size_panes(struct session_list *list, struct window *w)
{
    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        struct layout_leaf at;

        if (session_place(w, layout_at(w->layout, i)->pane, &at))
            list->hooks.pane_sized(list->hooks.ctx, at.pane, at.cols, at.rows);
    }
    session_changed(list, w->session);
}

bool session_place(const struct window *w, const struct pane *pane, struct layout_leaf *out)
{
    const struct layout_leaf *leaf = layout_find(w->layout, pane);

    if (!leaf || (w->zoomed && pane != w->active))
        return false;
    *out = *leaf;
    if (w->zoomed) {
        out->x = out->y = 0;
        out->cols = layout_cols(w->layout);
        out->rows = layout_rows(w->layout);
    }
    return true;
}

void session_arranged(struct session_list *list, struct window *w)
{
    w->zoomed = false;
    size_panes(list, w);
}

void session_resize_window(struct session_list *list, struct window *w, uint16_t cols,
                           uint16_t rows)
{
    layout_resize(w->layout, cols, rows);
    size_panes(list, w);
}

void session_resize(struct session_list *list, struct session *s, uint16_t cols, uint16_t rows)
{
    s->cols = cols;
    s->rows = rows;
    for (struct window *w = s->windows; w; w = w->next)
        session_resize_window(list, w, cols, rows);
}

enum err session_split(struct session_list *list, struct window *w, struct pane *at,
                       const struct layout_split *how, struct pane *pane, uint32_t pane_number)
{
    enum err e = layout_split(w->layout, at, how, pane, pane_number);

    if (e == ERR_OK)
        session_arranged(list, w);
    return e;
}

void session_select_pane(struct session_list *list, struct window *w, struct pane *pane)
{
    if (w->active == pane)
        return;
    w->last = w->active;
    w->active = pane;
    if (w->zoomed)
        session_arranged(list, w);
    else
        session_changed(list, w->session);
}

void session_zoom(struct session_list *list, struct window *w, bool zoomed)
{
    if (w->zoomed == zoomed || layout_count(w->layout) < 2)
        return;
    w->zoomed = zoomed;
    size_panes(list, w);
}

/* A pane has left w's layout: another becomes active, an empty window goes. */
static void pane_left(struct session_list *list, struct window *w, const struct pane *pane)
{
    if (layout_count(w->layout) == 0) {
        forget_window(list, w);
        return;
    }
    if (w->last == pane)
        w->last = NULL;
    if (w->active == pane) {
        w->active = w->last ? w->last : layout_at(w->layout, 0)->pane;
        w->last = NULL;
    }
    session_arranged(list, w);
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
    pane_left(list, t.window, pane);
}

/* A pane was moved elsewhere: what it leaves empty goes, its session too. */
static void leave(struct session_list *list, const struct target *t)
{
    if (layout_count(t->window->layout) == 0 && !t->session->windows->next)
        session_end(list, t->session);
    else
        pane_left(list, t->window, t->pane);
}

enum err session_break_pane(struct session_list *list, struct pane *pane, struct session *to,
                            int index, int base, struct window **out)
{
    struct target t;
    uint32_t number;
    enum err e;

    if (!session_of_pane(list, pane, &t))
        return ERR_NOT_FOUND;
    if (layout_count(t.window->layout) == 1)
        return ERR_STATE;
    number = layout_find(t.window->layout, pane)->id;
    e = session_add_window(list, to, index, base, pane, number, out);
    if (e != ERR_OK)
        return e;
    layout_remove(t.window->layout, pane);
    leave(list, &t);
    return ERR_OK;
}

enum err session_join_pane(struct session_list *list, struct pane *pane, struct pane *beside,
                           const struct layout_split *how)
{
    struct target from, to;
    uint32_t number;
    enum err e;

    if (!session_of_pane(list, pane, &from) || !session_of_pane(list, beside, &to))
        return ERR_NOT_FOUND;
    if (pane == beside)
        return ERR_STATE;
    number = layout_find(from.window->layout, pane)->id;
    /* it may be in this window already: an empty place is made, then it moves there */
    e = layout_split(to.window->layout, beside, how, NULL, number);
    if (e != ERR_OK)
        return e;
    layout_remove(from.window->layout, pane);
    layout_replace(to.window->layout, NULL, pane, number);
    leave(list, &from);
    session_arranged(list, to.window);
    return ERR_OK;
}

enum err session_swap_panes(struct session_list *list, struct pane *a, struct pane *b)
{
    struct target ta, tb;

    if (!session_of_pane(list, a, &ta) || !session_of_pane(list, b, &tb))
        return ERR_NOT_FOUND;
    if (a == b)
        return ERR_OK;
    layout_swap(ta.window->layout, a, tb.window->layout, b);
    if (ta.window->active == a)
        ta.window->active = b;
    else if (ta.window == tb.window && ta.window->active == b)
        ta.window->active = a;
    if (ta.window != tb.window && tb.window->active == b)
        tb.window->active = a;
    if (ta.window != tb.window)
        ta.window->last = tb.window->last = NULL;
    session_arranged(list, ta.window);
    session_arranged(list, tb.window);
    return ERR_OK;
}
