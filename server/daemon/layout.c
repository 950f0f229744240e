#include "server/daemon/layout.h"

#include <stdlib.h>

struct layout {
    struct layout_leaf leaf;
    bool empty;
};

struct layout *layout_create(struct pane *pane, uint32_t id, uint16_t cols, uint16_t rows)
{
    struct layout *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->leaf.pane = pane;
    l->leaf.id = id;
    l->leaf.cols = cols;
    l->leaf.rows = rows;
    return l;
}

void layout_destroy(struct layout *l)
{
    free(l);
}

void layout_resize(struct layout *l, uint16_t cols, uint16_t rows)
{
    l->leaf.cols = cols;
    l->leaf.rows = rows;
}

uint16_t layout_cols(const struct layout *l)
{
    return l->leaf.cols;
}

uint16_t layout_rows(const struct layout *l)
{
    return l->leaf.rows;
}

uint32_t layout_count(const struct layout *l)
{
    return l->empty ? 0 : 1;
}

const struct layout_leaf *layout_at(const struct layout *l, uint32_t i)
{
    return i < layout_count(l) ? &l->leaf : NULL;
}

const struct layout_leaf *layout_find(const struct layout *l, const struct pane *pane)
{
    return !l->empty && l->leaf.pane == pane ? &l->leaf : NULL;
}

void layout_remove(struct layout *l, const struct pane *pane)
{
    if (l->leaf.pane == pane)
        l->empty = true;
}
