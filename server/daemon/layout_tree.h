/* The tree behind layout.h, for layout*.c only. */
#ifndef VITRINE_DAEMON_LAYOUT_TREE_H
#define VITRINE_DAEMON_LAYOUT_TREE_H

#include "server/daemon/layout.h"

enum layout_kind { LAYOUT_KIND_ROW, LAYOUT_KIND_COLUMN, LAYOUT_KIND_LEAF };

struct layout_cell {
    enum layout_kind kind; /* of an inner cell: the axis its children follow */
    struct layout_cell *parent;
    struct layout_cell *next;
    struct layout_cell *prev;
    struct layout_cell *first; /* children */
    struct layout_cell *last;
    uint16_t size[2]; /* by enum layout_axis: columns, rows */
    struct layout_leaf leaf;
};

struct layout {
    struct layout_cell *root; /* NULL when the last pane was removed */
    uint32_t count;
};

/* A cell without parent or children; NULL when memory ran out. */
struct layout_cell *layout_cell_create(enum layout_kind kind);
/* Frees a cell and all below it. */
void layout_cell_destroy(struct layout_cell *c);
/* Hangs c into parent, behind `after` (first when NULL). */
void layout_cell_insert(struct layout_cell *parent, struct layout_cell *after,
                        struct layout_cell *c);
/* The next leaf in reading order; from NULL the first below root. */
struct layout_cell *layout_cell_next_leaf(struct layout_cell *root, const struct layout_cell *c);
/* The least size of a cell along an axis: its leaves at their least, and the borders. */
uint32_t layout_cell_least(const struct layout_cell *c, enum layout_axis axis);
/* Gives a cell that size along an axis, at least layout_cell_least, sharing it out below. */
void layout_cell_set_size(struct layout_cell *c, enum layout_axis axis, uint16_t size);
/* Gives the children of an inner cell equal sizes along its axis. */
void layout_cell_spread(struct layout_cell *c);
/* Computes where every leaf is, from the sizes. */
void layout_place(struct layout *l);

#endif
