/* The named arrangements of panes: even, main and tiled. */
#include <stdlib.h>

#include "server/daemon/layout_tree.h"

/* Leaves that are not in the new tree yet, in order. */
struct loose {
    struct layout_cell **leaves;
    uint32_t count;
    uint32_t next;
};

static struct layout_cell *make_inner(enum layout_kind kind, uint32_t cols, uint32_t rows)
{
    struct layout_cell *c = layout_cell_create(kind);

    if (c) {
        c->size[LAYOUT_ROW] = (uint16_t)cols;
        c->size[LAYOUT_COLUMN] = (uint16_t)rows;
    }
    return c;
}

/* A cell of the next n leaves, cols x rows large, side by side or one below the other in equal
 * parts; the leaf itself when n is 1. NULL when memory ran out. */
static struct layout_cell *take_even(struct loose *from, enum layout_kind kind, uint32_t n,
                                     uint32_t cols, uint32_t rows)
{
    struct layout_cell *c;

    if (n == 1) {
        c = from->leaves[from->next++];
        c->parent = c->next = c->prev = NULL;
        layout_cell_set_size(c, LAYOUT_ROW, (uint16_t)cols);
        layout_cell_set_size(c, LAYOUT_COLUMN, (uint16_t)rows);
        return c;
    }
    c = make_inner(kind, cols, rows);
    for (uint32_t i = 0; c && i < n; i++) {
        struct layout_cell *leaf = from->leaves[from->next++];

        layout_cell_insert(c, c->last, leaf);
        leaf->size[LAYOUT_ROW] = (uint16_t)cols;
        leaf->size[LAYOUT_COLUMN] = (uint16_t)rows;
    }
    if (c)
        layout_cell_spread(c);
    return c;
}

/* What the main pane gets of `whole` cells when the others need one and there is a border. */
static uint32_t fit_main(uint32_t wanted, uint32_t whole)
{
    uint32_t most = whole - 1 - LAYOUT_MIN;

    if (wanted > most)
        return most;
    return wanted < LAYOUT_MIN ? LAYOUT_MIN : wanted;
}

/* The first pane above (or left of) all others, which share the rest in equal parts. */
static struct layout_cell *arrange_main(struct loose *from, bool horizontal, uint32_t cols,
                                        uint32_t rows, struct layout_main main)
{
    uint32_t others = from->count - 1;
    uint32_t first = horizontal ? fit_main(main.rows, rows) : fit_main(main.cols, cols);
    struct layout_cell *c =
        make_inner(horizontal ? LAYOUT_KIND_COLUMN : LAYOUT_KIND_ROW, cols, rows);
    struct layout_cell *a, *b;

    if (!c)
        return NULL;
    if (horizontal) {
        a = take_even(from, LAYOUT_KIND_ROW, 1, cols, first);
        b = take_even(from, LAYOUT_KIND_ROW, others, cols, rows - 1 - first);
    } else {
        a = take_even(from, LAYOUT_KIND_COLUMN, 1, first, rows);
        b = take_even(from, LAYOUT_KIND_COLUMN, others, cols - 1 - first, rows);
    }
    if (!b) {
        free(c);
        return NULL;
    }
    layout_cell_insert(c, NULL, a);
    layout_cell_insert(c, a, b);
    return c;
}

struct grid {
    uint32_t rows;
    uint32_t columns;
};

/* The smallest grid that holds n panes, with at most one row more than columns. */
static struct grid choose_grid(uint32_t n)
{
    struct grid g = {1, 1};

    while (g.rows * g.columns < n) {
        g.rows++;
        if (g.rows * g.columns < n)
            g.columns++;
    }
    return g;
}

static struct layout_cell *arrange_tiled(struct loose *from, uint32_t cols, uint32_t rows)
{
    struct grid g = choose_grid(from->count);
    struct layout_cell *c = make_inner(LAYOUT_KIND_COLUMN, cols, rows);

    while (c && from->next < from->count) {
        uint32_t left = from->count - from->next;
        struct layout_cell *row =
            take_even(from, LAYOUT_KIND_ROW, left < g.columns ? left : g.columns, cols, rows);

        if (!row) {
            while (c->first) { /* leave the leaves to their owner */
                struct layout_cell *k = c->first;

                c->first = k->next;
                if (k->kind != LAYOUT_KIND_LEAF)
                    free(k);
            }
            free(c);
            return NULL;
        }
        layout_cell_insert(c, c->last, row);
    }
    if (c)
        layout_cell_spread(c);
    return c;
}

/* True when the window can hold n panes arranged like that. */
static bool has_room(const struct layout *l, enum layout_preset preset)
{
    struct grid g = {1, 1};

    switch (preset) {
    case LAYOUT_EVEN_HORIZONTAL:
        g.columns = l->count;
        break;
    case LAYOUT_EVEN_VERTICAL:
        g.rows = l->count;
        break;
    case LAYOUT_MAIN_HORIZONTAL:
        g = (struct grid){2, l->count - 1};
        break;
    case LAYOUT_MAIN_VERTICAL:
        g = (struct grid){l->count - 1, 2};
        break;
    case LAYOUT_TILED:
    case LAYOUT_PRESETS:
        g = choose_grid(l->count);
        break;
    }
    return layout_cols(l) >= g.columns * (LAYOUT_MIN + 1) - 1 &&
           layout_rows(l) >= g.rows * (LAYOUT_MIN + 1) - 1;
}

static struct layout_cell *arrange(struct loose *from, enum layout_preset preset, uint32_t cols,
                                   uint32_t rows, struct layout_main main)
{
    switch (preset) {
    case LAYOUT_EVEN_HORIZONTAL:
        return take_even(from, LAYOUT_KIND_ROW, from->count, cols, rows);
    case LAYOUT_EVEN_VERTICAL:
        return take_even(from, LAYOUT_KIND_COLUMN, from->count, cols, rows);
    case LAYOUT_MAIN_HORIZONTAL:
        return arrange_main(from, true, cols, rows, main);
    case LAYOUT_MAIN_VERTICAL:
        return arrange_main(from, false, cols, rows, main);
    case LAYOUT_TILED:
    case LAYOUT_PRESETS:
        break;
    }
    return arrange_tiled(from, cols, rows);
}

/* Copies of the leaves in order, so that the tree stays as it is until the new one is whole. */
static bool copy_leaves(const struct layout *l, struct loose *out)
{
    struct layout_cell *c = NULL;

    out->leaves = calloc(l->count, sizeof *out->leaves);
    while (out->leaves && (c = layout_cell_next_leaf(l->root, c)) != NULL) {
        struct layout_cell *copy = layout_cell_create(LAYOUT_KIND_LEAF);

        if (!copy)
            return false;
        copy->leaf = c->leaf;
        out->leaves[out->count++] = copy;
    }
    return out->leaves != NULL;
}

enum err layout_arrange(struct layout *l, enum layout_preset preset, struct layout_main main)
{
    struct loose from = {NULL, 0, 0};
    struct layout_cell *root = NULL;

    if (l->count < 2)
        return ERR_OK;
    if (!has_room(l, preset))
        return ERR_SPACE;
    if (copy_leaves(l, &from))
        root = arrange(&from, preset, layout_cols(l), layout_rows(l), main);
    if (root) {
        layout_cell_destroy(l->root);
        l->root = root;
        layout_place(l);
    }
    for (uint32_t i = 0; !root && i < from.count; i++)
        free(from.leaves[i]);
    free(from.leaves);
    return root ? ERR_OK : ERR_MEMORY;
}

void layout_spread(struct layout *l, const struct pane *pane)
{
    struct layout_cell *c = layout_cell_next_leaf(l->root, NULL);

    while (c && c->leaf.pane != pane)
        c = layout_cell_next_leaf(l->root, c);
    if (!c || !c->parent)
        return;
    layout_cell_spread(c->parent);
    layout_place(l);
}
