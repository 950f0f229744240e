/* Lines of text with #[styles] (style.h), as tmux draws status lines.
 *
 *   left   list of windows   after it     centre                               right
 *   [work] 0:sh- 1:vim* ...                                      "host" 12:34 30-Nov
 *
 * Each part is drawn on its own and then cut until all fit: first the centre, then the list, which
 * keeps its focus and gets markers where it goes on, then the right from its front, then the left
 * from its end. Where the list is aligned says what is drawn around it. */
#ifndef VITRINE_DAEMON_STYLED_H
#define VITRINE_DAEMON_STYLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/style.h"

struct frame;

#define STYLED_RANGES_MAX 200
#define STYLED_COLS_MAX   8192 /* of one part; what is longer is cut */

struct styled_range {
    enum status_range_kind kind;
    uint32_t argument;
    uint16_t start; /* columns of the frame, the last one not included */
    uint16_t end;
};

struct styled_ranges {
    struct styled_range at[STYLED_RANGES_MAX];
    size_t n;
};

/* Draws text over `cols` columns of a row of f, from col on; where text has nothing, what was there
 * stays. base is the pen that it begins with. Adds its ranges to *ranges unless that is NULL. False
 * when memory ran out: nothing is drawn then. */
bool styled_draw(const char *text, const struct pen *base, struct frame *f, uint16_t row,
                 uint16_t col, uint16_t cols, struct styled_ranges *ranges);

#endif
