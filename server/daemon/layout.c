#include "server/daemon/layout.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/layout_tree.h"

/* --- cells ---------------------------------------------------------------------------------- */

struct layout_cell *layout_cell_create(enum layout_kind kind)
{
    struct layout_cell *c = calloc(1, sizeof *c);

    if (c)
        c->kind = kind;
    return c;
}

void layout_cell_destroy(struct layout_cell *c)
{
    if (!c)
        return;
    while (c->first) {
        struct layout_cell *next = c->first->next;

        layout_cell_destroy(c->first);
        c->first = next;
    }
    free(c);
}

void layout_cell_insert(struct layout_cell *parent, struct layout_cell *after,
                        struct layout_cell *c)
{
    c->parent = parent;
    c->prev = after;
    c->next = after ? after->next : parent->first;
    if (c->next)
        c->next->prev = c;
    else
        parent->last = c;
    if (after)
        after->next = c;
    else
        parent->first = c;
}

static void unlink_cell(struct layout_cell *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        c->parent->first = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        c->parent->last = c->prev;
    c->parent = c->next = c->prev = NULL;
}

/* Puts `with` where c stands; c is then loose. */
static void replace_cell(struct layout *l, struct layout_cell *c, struct layout_cell *with)
{
    struct layout_cell *parent = c->parent;
    struct layout_cell *after = c->prev;

    if (!parent) {
        l->root = with;
        with->parent = with->next = with->prev = NULL;
        return;
    }
    unlink_cell(c);
    layout_cell_insert(parent, after, with);
}

struct layout_cell *layout_cell_next_leaf(struct layout_cell *root, const struct layout_cell *c)
{
    struct layout_cell *at = root;

    if (c) {
        while (c != root && !c->next)
            c = c->parent;
        if (c == root)
            return NULL;
        at = c->next;
    }
    while (at && at->kind != LAYOUT_KIND_LEAF)
        at = at->first;
    return at;
}

static bool is_along(const struct layout_cell *c, enum layout_axis axis)
{
    return c->kind == (axis == LAYOUT_ROW ? LAYOUT_KIND_ROW : LAYOUT_KIND_COLUMN);
}

static uint32_t count_children(const struct layout_cell *c)
{
    uint32_t n = 0;

    for (const struct layout_cell *k = c->first; k; k = k->next)
        n++;
    return n;
}

/* --- sizes ---------------------------------------------------------------------------------- */

uint32_t layout_cell_least(const struct layout_cell *c, enum layout_axis axis)
{
    uint32_t sum = 0, most = 0;

    if (c->kind == LAYOUT_KIND_LEAF)
        return LAYOUT_MIN;
    for (const struct layout_cell *k = c->first; k; k = k->next) {
        uint32_t least = layout_cell_least(k, axis);

        sum += least + (k->next ? 1 : 0);
        if (least > most)
            most = least;
    }
    return is_along(c, axis) ? sum : most;
}

/* Shares `size`, borders included, out among children in the proportions they have: each gets its
 * part rounded down, but not below its least; what is left over or missing goes cell by cell. */
static void share_out(struct layout_cell *c, enum layout_axis axis, uint32_t size)
{
    uint32_t n = count_children(c);
    uint32_t room = size - (n - 1), old = 0, given = 0;

    for (struct layout_cell *k = c->first; k; k = k->next)
        old += k->size[axis];
    for (struct layout_cell *k = c->first; k; k = k->next) {
        uint32_t least = layout_cell_least(k, axis);
        uint32_t part = old > 0 ? (uint32_t)((uint64_t)k->size[axis] * room / old) : 0;

        k->size[axis] = (uint16_t)(part > least ? part : least);
        given += k->size[axis];
    }
    for (struct layout_cell *k = c->first; given != room; k = k->next ? k->next : c->first) {
        if (given < room) {
            k->size[axis]++;
            given++;
        } else if (k->size[axis] > layout_cell_least(k, axis)) {
            k->size[axis]--;
            given--;
        }
    }
}

void layout_cell_set_size(struct layout_cell *c, enum layout_axis axis, uint16_t size)
{
    c->size[axis] = size;
    if (c->kind == LAYOUT_KIND_LEAF)
        return;
    if (is_along(c, axis))
        share_out(c, axis, size);
    for (struct layout_cell *k = c->first; k; k = k->next)
        layout_cell_set_size(k, axis, is_along(c, axis) ? k->size[axis] : size);
}

void layout_cell_spread(struct layout_cell *c)
{
    enum layout_axis axis = c->kind == LAYOUT_KIND_ROW ? LAYOUT_ROW : LAYOUT_COLUMN;
    uint32_t n = count_children(c), room = c->size[axis] - (n - 1);

    for (struct layout_cell *k = c->first; k; k = k->next) {
        if (room / n < layout_cell_least(k, axis)) { /* no equal parts: as near as it goes */
            for (k = c->first; k; k = k->next)
                k->size[axis] = 1;
            layout_cell_set_size(c, axis, c->size[axis]);
            return;
        }
    }
    for (struct layout_cell *k = c->first; k; k = k->next)
        layout_cell_set_size(k, axis, (uint16_t)(k->next ? room / n : room - (n - 1) * (room / n)));
}

static void place_cell(struct layout_cell *c, uint16_t x, uint16_t y)
{
    c->leaf.x = x;
    c->leaf.y = y;
    c->leaf.cols = c->size[LAYOUT_ROW];
    c->leaf.rows = c->size[LAYOUT_COLUMN];
    for (struct layout_cell *k = c->first; k; k = k->next) {
        place_cell(k, x, y);
        if (c->kind == LAYOUT_KIND_ROW)
            x = (uint16_t)(x + k->size[LAYOUT_ROW] + 1);
        else
            y = (uint16_t)(y + k->size[LAYOUT_COLUMN] + 1);
    }
}

void layout_place(struct layout *l)
{
    if (l->root)
        place_cell(l->root, 0, 0);
}

static uint16_t at_least(uint32_t least, uint16_t size)
{
    return least > size ? (uint16_t)least : size;
}

void layout_resize(struct layout *l, uint16_t cols, uint16_t rows)
{
    if (!l->root)
        return;
    layout_cell_set_size(l->root, LAYOUT_ROW,
                         at_least(layout_cell_least(l->root, LAYOUT_ROW), cols));
    layout_cell_set_size(l->root, LAYOUT_COLUMN,
                         at_least(layout_cell_least(l->root, LAYOUT_COLUMN), rows));
    layout_place(l);
}

/* --- life and look-up ----------------------------------------------------------------------- */

struct layout *layout_create(struct pane *pane, uint32_t id, uint16_t cols, uint16_t rows)
{
    struct layout *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->root = layout_cell_create(LAYOUT_KIND_LEAF);
    if (!l->root) {
        free(l);
        return NULL;
    }
    l->count = 1;
    l->root->leaf.pane = pane;
    l->root->leaf.id = id;
    layout_resize(l, cols, rows);
    return l;
}

void layout_destroy(struct layout *l)
{
    if (!l)
        return;
    layout_cell_destroy(l->root);
    free(l);
}

uint16_t layout_cols(const struct layout *l)
{
    return l->root ? l->root->size[LAYOUT_ROW] : 0;
}

uint16_t layout_rows(const struct layout *l)
{
    return l->root ? l->root->size[LAYOUT_COLUMN] : 0;
}

uint32_t layout_count(const struct layout *l)
{
    return l->count;
}

static struct layout_cell *find_cell(const struct layout *l, const struct pane *pane)
{
    struct layout_cell *c = l->root ? layout_cell_next_leaf(l->root, NULL) : NULL;

    while (c && c->leaf.pane != pane)
        c = layout_cell_next_leaf(l->root, c);
    return c;
}

const struct layout_leaf *layout_at(const struct layout *l, uint32_t i)
{
    struct layout_cell *c = l->root ? layout_cell_next_leaf(l->root, NULL) : NULL;

    while (c && i-- > 0)
        c = layout_cell_next_leaf(l->root, c);
    return c ? &c->leaf : NULL;
}

const struct layout_leaf *layout_find(const struct layout *l, const struct pane *pane)
{
    struct layout_cell *c = find_cell(l, pane);

    return c ? &c->leaf : NULL;
}

/* --- splitting and removing ----------------------------------------------------------------- */

/* Size of the new pane: what was asked for, or half, between the least and what target can give. */
static uint16_t new_size(const struct layout_cell *target, const struct layout_split *how)
{
    uint32_t whole = target->size[how->axis];
    uint32_t most = whole - 1 - layout_cell_least(target, how->axis);
    uint32_t second = (whole + 1) / 2 - 1; /* of two halves; the first has what is left */
    uint32_t size = how->size > 0 ? how->size : how->before ? whole - 1 - second : second;

    if (size > most)
        size = most;
    return (uint16_t)(size < LAYOUT_MIN ? LAYOUT_MIN : size);
}

/* The cell that target and its new sibling will be children of: its parent, target itself when that
 * is the whole window along this axis, or a fresh one in target's place. NULL without memory. */
static struct layout_cell *make_parent(struct layout *l, struct layout_cell *target,
                                       enum layout_axis axis)
{
    struct layout_cell *parent = target->parent;

    if (is_along(target, axis))
        return target;
    if (parent && is_along(parent, axis))
        return parent;
    parent = layout_cell_create(axis == LAYOUT_ROW ? LAYOUT_KIND_ROW : LAYOUT_KIND_COLUMN);
    if (!parent)
        return NULL;
    memcpy(parent->size, target->size, sizeof parent->size);
    replace_cell(l, target, parent);
    layout_cell_insert(parent, NULL, target);
    return parent;
}

enum err layout_split(struct layout *l, const struct pane *at, const struct layout_split *how,
                      struct pane *pane, uint32_t id)
{
    struct layout_cell *target = find_cell(l, at);
    struct layout_cell *c, *parent;
    uint16_t whole, size;

    if (!target)
        return ERR_NOT_FOUND;
    if (how->full)
        target = l->root;
    whole = target->size[how->axis];
    if (l->count >= LAYOUT_PANES_MAX ||
        whole < layout_cell_least(target, how->axis) + 1 + LAYOUT_MIN)
        return ERR_SPACE;
    c = layout_cell_create(LAYOUT_KIND_LEAF);
    size = new_size(target, how);
    parent = c ? make_parent(l, target, how->axis) : NULL;
    if (!parent) {
        layout_cell_destroy(c);
        return ERR_MEMORY;
    }
    layout_cell_set_size(target, how->axis, (uint16_t)(whole - 1 - size));
    if (parent == target) {
        layout_cell_insert(parent, how->before ? NULL : parent->last, c);
        parent->size[how->axis] = whole;
    } else {
        layout_cell_insert(parent, how->before ? target->prev : target, c);
    }
    c->size[how->axis] = size;
    c->size[!how->axis] = target->size[!how->axis];
    c->leaf.pane = pane;
    c->leaf.id = id;
    l->count++;
    layout_place(l);
    return ERR_OK;
}

/* An inner cell with one child left gives way to it, and a child that follows the same axis as the
 * cell it comes into gives way to its own children. */
static void collapse(struct layout *l, struct layout_cell *parent)
{
    struct layout_cell *only = parent->first;
    struct layout_cell *grand = parent->parent;

    if (only->next)
        return;
    unlink_cell(only);
    replace_cell(l, parent, only);
    free(parent);
    if (!grand || only->kind != grand->kind)
        return;
    for (struct layout_cell *after = only, *k; (k = only->first) != NULL; after = k) {
        unlink_cell(k);
        layout_cell_insert(grand, after, k);
    }
    unlink_cell(only);
    free(only);
}

void layout_remove(struct layout *l, const struct pane *pane)
{
    struct layout_cell *c = find_cell(l, pane);
    struct layout_cell *parent, *heir;
    enum layout_axis axis;

    if (!c)
        return;
    l->count--;
    parent = c->parent;
    if (!parent) {
        layout_cell_destroy(c);
        l->root = NULL;
        return;
    }
    axis = parent->kind == LAYOUT_KIND_ROW ? LAYOUT_ROW : LAYOUT_COLUMN;
    heir = c->prev ? c->prev : c->next;
    layout_cell_set_size(heir, axis, (uint16_t)(heir->size[axis] + c->size[axis] + 1));
    unlink_cell(c);
    free(c);
    collapse(l, parent);
    layout_place(l);
}

/* --- borders -------------------------------------------------------------------------------- */

/* Takes up to n cells along the axis from c, then from those beyond it. Returns how many. */
static uint32_t take_from(struct layout_cell *c, enum layout_axis axis, uint32_t n, bool forward)
{
    uint32_t got = 0;

    for (; c && got < n; c = forward ? c->next : c->prev) {
        uint32_t spare = c->size[axis] - layout_cell_least(c, axis);
        uint32_t take = spare < n - got ? spare : n - got;

        if (take > 0)
            layout_cell_set_size(c, axis, (uint16_t)(c->size[axis] - take));
        got += take;
    }
    return got;
}

/* The cell around a pane that has neighbours along the axis; NULL when there is none. */
static struct layout_cell *find_bordered(const struct layout *l, const struct pane *pane,
                                         enum layout_axis axis)
{
    struct layout_cell *c = find_cell(l, pane);

    while (c && c->parent && !is_along(c->parent, axis))
        c = c->parent;
    return c && c->parent ? c : NULL;
}

enum err layout_move_border(struct layout *l, const struct pane *pane, enum layout_axis axis, int n)
{
    struct layout_cell *c = find_bordered(l, pane, axis);
    uint32_t got;

    if (!c)
        return ERR_NOT_FOUND;
    if (!c->next)
        c = c->prev;
    if (n > 0) {
        got = take_from(c->next, axis, (uint32_t)n, true);
        layout_cell_set_size(c, axis, (uint16_t)(c->size[axis] + got));
    } else {
        got = take_from(c, axis, (uint32_t) - (int64_t)n, false);
        layout_cell_set_size(c->next, axis, (uint16_t)(c->next->size[axis] + got));
    }
    layout_place(l);
    return ERR_OK;
}

enum err layout_set_size(struct layout *l, const struct pane *pane, enum layout_axis axis,
                         uint16_t size)
{
    struct layout_cell *c = find_bordered(l, pane, axis);
    int change;

    if (!c)
        return ERR_NOT_FOUND;
    change = (int)size - (int)c->size[axis];
    return layout_move_border(l, pane, axis, c->next ? change : -change);
}

enum err layout_swap(struct layout *a, const struct pane *pane_a, struct layout *b,
                     const struct pane *pane_b)
{
    struct layout_cell *ca = find_cell(a, pane_a);
    struct layout_cell *cb = find_cell(b, pane_b);
    struct layout_leaf kept;

    if (!ca || !cb)
        return ERR_NOT_FOUND;
    kept = ca->leaf;
    ca->leaf.pane = cb->leaf.pane;
    ca->leaf.id = cb->leaf.id;
    cb->leaf.pane = kept.pane;
    cb->leaf.id = kept.id;
    return ERR_OK;
}

enum err layout_replace(struct layout *l, const struct pane *old, struct pane *pane, uint32_t id)
{
    struct layout_cell *c = find_cell(l, old);

    if (!c)
        return ERR_NOT_FOUND;
    c->leaf.pane = pane;
    c->leaf.id = id;
    return ERR_OK;
}

/* --- neighbours ----------------------------------------------------------------------------- */

struct span {
    uint32_t from;
    uint32_t to; /* one past the last */
};

static struct span span_of(const struct layout_leaf *f, enum layout_axis axis)
{
    struct span s = {axis == LAYOUT_ROW ? f->x : f->y, 0};

    s.to = s.from + (axis == LAYOUT_ROW ? f->cols : f->rows);
    return s;
}

/* True when f lies directly beyond that side of `of`, counting round the edge of a window that is
 * `whole` cells long. */
static bool is_beyond(const struct layout_leaf *f, const struct layout_leaf *of,
                      enum layout_axis axis, bool forward, uint32_t whole)
{
    struct span a = span_of(of, axis), b = span_of(f, axis);

    if (forward)
        return b.from == (a.to == whole ? 0 : a.to + 1);
    return b.to == (a.from == 0 ? whole : a.from - 1);
}

/* Twice the distance of the middle of `of` from f across the axis; 0 when f covers it. */
static uint32_t distance(const struct layout_leaf *f, const struct layout_leaf *of,
                         enum layout_axis across)
{
    struct span a = span_of(of, across), b = span_of(f, across);
    uint32_t middle = a.from + a.to;

    if (middle < 2 * b.from)
        return 2 * b.from - middle;
    return middle > 2 * b.to ? middle - 2 * b.to : 0;
}

struct pane *layout_neighbour(const struct layout *l, const struct pane *pane,
                              enum layout_side side)
{
    bool forward = side == LAYOUT_RIGHT || side == LAYOUT_DOWN;
    enum layout_axis axis =
        side == LAYOUT_LEFT || side == LAYOUT_RIGHT ? LAYOUT_ROW : LAYOUT_COLUMN;
    const struct layout_cell *from = find_cell(l, pane);
    const struct layout_leaf *best = NULL;

    if (!from)
        return NULL;
    for (struct layout_cell *c = NULL; (c = layout_cell_next_leaf(l->root, c)) != NULL;) {
        enum layout_axis across = axis == LAYOUT_ROW ? LAYOUT_COLUMN : LAYOUT_ROW;

        if (c == from || !is_beyond(&c->leaf, &from->leaf, axis, forward, l->root->size[axis]))
            continue;
        if (!best || distance(&c->leaf, &from->leaf, across) < distance(best, &from->leaf, across))
            best = &c->leaf;
    }
    return best ? best->pane : NULL;
}

/* --- what is always true -------------------------------------------------------------------- */

static bool is_cell_sound(const struct layout_cell *c, uint32_t *leaves)
{
    enum layout_axis axis = c->kind == LAYOUT_KIND_ROW ? LAYOUT_ROW : LAYOUT_COLUMN;
    uint32_t sum = 0;

    if (c->kind == LAYOUT_KIND_LEAF) {
        (*leaves)++;
        return !c->first && c->size[0] >= LAYOUT_MIN && c->size[1] >= LAYOUT_MIN &&
               c->leaf.cols == c->size[LAYOUT_ROW] && c->leaf.rows == c->size[LAYOUT_COLUMN];
    }
    if (count_children(c) < 2)
        return false;
    for (const struct layout_cell *k = c->first; k; k = k->next) {
        if (k->parent != c || k->kind == c->kind || k->size[!axis] != c->size[!axis] ||
            !is_cell_sound(k, leaves))
            return false;
        sum += k->size[axis] + (k->next ? 1u : 0u);
    }
    return sum == c->size[axis];
}

bool layout_is_sound(const struct layout *l)
{
    uint32_t leaves = 0;

    if (!l->root)
        return l->count == 0;
    return !l->root->parent && is_cell_sound(l->root, &leaves) && leaves == l->count;
}
