/* A window's layout: a tree whose leaves are panes, each with a place and a size in cells.
 *
 *   ┌────────┬───────┐        row ─┬─ pane 0            a row's children stand side by side,
 *   │ 0      │ 1     │             └─ column ─┬─ pane 1 a column's one below the other; between
 *   │        ├───────┤                        └─ pane 2 two neighbours there is one cell of border
 *   │        │ 2     │
 *   └────────┴───────┘
 *
 * Always true: sizes and borders of a cell's children add up to the cell; no leaf is smaller than
 * LAYOUT_MIN; a row never holds a row, nor a column a column; inner cells have at least two
 * children. The text form of a layout is tmux's, checksum included, so that either reads the
 * other's. No function changes anything when it fails. */
#ifndef VITRINE_DAEMON_LAYOUT_H
#define VITRINE_DAEMON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/err.h"

struct layout;
struct outbuf;
struct pane;

#define LAYOUT_MIN       1    /* columns and rows of the smallest leaf */
#define LAYOUT_PANES_MAX 1024 /* in one window */
#define LAYOUT_SIZE_MAX  10000

enum layout_axis { LAYOUT_ROW, LAYOUT_COLUMN };
enum layout_side { LAYOUT_LEFT, LAYOUT_RIGHT, LAYOUT_UP, LAYOUT_DOWN };
enum layout_preset {
    LAYOUT_EVEN_HORIZONTAL,
    LAYOUT_EVEN_VERTICAL,
    LAYOUT_MAIN_HORIZONTAL,
    LAYOUT_MAIN_VERTICAL,
    LAYOUT_TILED,
    LAYOUT_PRESETS
};
/* What they are called, in that order. */
#define LAYOUT_PRESET_NAMES \
    {"even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled"}

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
/* Frees the tree, not the panes. NULL is fine. */
void layout_destroy(struct layout *l);
uint16_t layout_cols(const struct layout *l);
uint16_t layout_rows(const struct layout *l);
/* How many leaves there are, and the i-th in reading order of the tree; NULL past the end. Valid
 * until the layout changes. */
uint32_t layout_count(const struct layout *l);
const struct layout_leaf *layout_at(const struct layout *l, uint32_t i);
/* The leaf of a pane, or NULL. */
const struct layout_leaf *layout_find(const struct layout *l, const struct pane *pane);

/* Gives the whole another size, in the proportions it has. Smaller than its panes need it becomes
 * as small as they allow: look at layout_cols afterwards. */
void layout_resize(struct layout *l, uint16_t cols, uint16_t rows);

struct layout_split {
    enum layout_axis axis; /* LAYOUT_ROW: side by side (split-window -h) */
    bool before;           /* the new pane left of or above the old (-b) */
    bool full;             /* beside the whole window, not only the pane (-f) */
    uint16_t size;         /* of the new pane along the axis; 0 for half */
};

/* Puts a new pane beside `at`. ERR_NOT_FOUND when `at` is not here, ERR_SPACE when there is no
 * room, ERR_MEMORY. */
enum err layout_split(struct layout *l, const struct pane *at, const struct layout_split *how,
                      struct pane *pane, uint32_t id);
/* Takes a pane out; its room goes to the neighbour before it, the first's to the one after it. */
void layout_remove(struct layout *l, const struct pane *pane);
/* Moves the border after a pane along an axis (before it, when the pane is the last one) by n
 * cells, right or down when positive: what grows takes from the nearest beyond the border, then
 * from the next. Moves as far as it can. ERR_NOT_FOUND when the pane is not here or has no border
 * there. */
enum err layout_move_border(struct layout *l, const struct pane *pane, enum layout_axis axis,
                            int n);
/* Gives a pane that many cells along an axis, as far as it can. Errors as layout_move_border. */
enum err layout_set_size(struct layout *l, const struct pane *pane, enum layout_axis axis,
                         uint16_t size);
/* Two panes change places; of other layouts too. ERR_NOT_FOUND when one is not where it should be.
 */
enum err layout_swap(struct layout *a, const struct pane *pane_a, struct layout *b,
                     const struct pane *pane_b);
/* Puts another pane into a pane's place; `old` may be NULL, for a place made empty by layout_split.
 * ERR_NOT_FOUND. */
enum err layout_replace(struct layout *l, const struct pane *old, struct pane *pane, uint32_t id);

/* What the main pane of a main layout gets, as far as it fits. */
struct layout_main {
    uint16_t cols;
    uint16_t rows;
};

/* Arranges the same panes, in their order, anew. ERR_SPACE or ERR_MEMORY. */
enum err layout_arrange(struct layout *l, enum layout_preset preset, struct layout_main main);
/* Gives a pane and those beside it equal shares of their row or column (select-layout -E). */
void layout_spread(struct layout *l, const struct pane *pane);
/* The pane whose border touches that side of `pane`, of several the one nearest to its middle,
 * going round at the window's edge as tmux does. NULL when there is no other. */
struct pane *layout_neighbour(const struct layout *l, const struct pane *pane,
                              enum layout_side side);

/* Appends the layout as text: "b25d,80x24,0,0{40x24,0,0,0,39x24,41,0,1}". */
void layout_write(const struct layout *l, struct outbuf *out);
/* Reads such a text and puts this layout's panes into its places, in order; sizes are then fitted
 * to the window. ERR_MALFORMED when it is none (checksum, form, sizes that do not add up),
 * ERR_RANGE when it has another number of panes, ERR_MEMORY. */
enum err layout_read(struct layout *l, const char *text);

/* Checks what the header says is always true. For tests and assertions. */
bool layout_is_sound(const struct layout *l);

#endif
