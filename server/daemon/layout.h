/* A window's layout: a tree whose leaves are panes with a place and a size in cells.
 *
 * This version of the model holds one leaf; splits come with the windows' commands. */
#ifndef VITRINE_DAEMON_LAYOUT_H
#define VITRINE_DAEMON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct pane;
struct layout;

struct layout_leaf {
    struct pane *pane;
    uint32_t id; /* the pane's number */
    uint16_t x;
    uint16_t y;
    uint16_t cols;
    uint16_t rows;
};

/* A tree of one leaf that fills cols x rows. NULL when memory ran out. */
struct layout *layout_create(struct pane *pane, uint32_t id, uint16_t cols, uint16_t rows);
/* Frees the tree, not the panes. */
void layout_destroy(struct layout *l);
void layout_resize(struct layout *l, uint16_t cols, uint16_t rows);
uint16_t layout_cols(const struct layout *l);
uint16_t layout_rows(const struct layout *l);
/* How many leaves there are, and the i-th in reading order; NULL past the end. */
uint32_t layout_count(const struct layout *l);
const struct layout_leaf *layout_at(const struct layout *l, uint32_t i);
/* The leaf of a pane, or NULL. */
const struct layout_leaf *layout_find(const struct layout *l, const struct pane *pane);
/* Takes a pane out and gives its room to its neighbours. */
void layout_remove(struct layout *l, const struct pane *pane);

#endif
