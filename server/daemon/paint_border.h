/* The lines between the panes of a window, as tmux draws them.
 *
 *   │ ─ where two panes meet, ├ ┤ ┬ ┴ ┼ └ ┘ ┌ ┐ where lines meet. The lines around the active pane
 *   have a pen of their own; of two panes the line between them has it on the half that is nearer to the
 *   active one's begin, so that it tells which it is. */
#ifndef VITRINE_DAEMON_PAINT_BORDER_H
#define VITRINE_DAEMON_PAINT_BORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/cell.h"
#include "server/daemon/layout.h"

enum paint_border_lines { BORDER_SINGLE, BORDER_DOUBLE, BORDER_HEAVY, BORDER_SIMPLE };

/* The panes of a window; borrowed. */
struct paint_border {
    const struct layout_leaf *panes;
    size_t n;
    size_t active; /* which of them; n for none */
    uint16_t cols; /* of the window */
    uint16_t rows;
    enum paint_border_lines lines;
    bool halves;           /* of two panes only half of the line is the active one's */
    struct pen pen;        /* of lines */
    struct pen active_pen; /* of those around the active pane */
};

/* The character of the cell x, y of the window, and its pen; NULL when a pane has the cell. UTF-8,
 * static. */
const char *paint_border_cell(const struct paint_border *b, uint16_t x, uint16_t y,
                              const struct pen **pen);

#endif
