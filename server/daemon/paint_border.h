/* The lines between the panes of a window, as tmux draws them.
 *
 *   │ ─ where two panes meet, ├ ┤ ┬ ┴ ┼ └ ┘ ┌ ┐ where lines meet. The lines around the active pane
 *   are green; of two panes the line between them is green on the half that is nearer to the
 *   active one's begin, so that it tells which it is. */
#ifndef VITRINE_DAEMON_PAINT_BORDER_H
#define VITRINE_DAEMON_PAINT_BORDER_H

#include <stddef.h>
#include <stdint.h>

#include "server/daemon/layout.h"

struct pen;

/* The panes of a window; borrowed. */
struct paint_border {
    const struct layout_leaf *panes;
    size_t n;
    size_t active; /* which of them; n for none */
    uint16_t cols; /* of the window */
    uint16_t rows;
};

/* The character of the cell x, y of the window, and its pen; NULL when a pane has the cell. UTF-8,
 * static. */
const char *paint_border_cell(const struct paint_border *b, uint16_t x, uint16_t y,
                              const struct pen **pen);

#endif
