/* Finds rows that only moved up or down between two frames. */
#ifndef VITRINE_DAEMON_PAINT_SCROLL_H
#define VITRINE_DAEMON_PAINT_SCROLL_H

#include <stdbool.h>
#include <stdint.h>

struct frame;

struct paint_scroll {
    uint16_t top;    /* first row of the region that moves */
    uint16_t bottom; /* its last row */
    int16_t up;      /* rows it moves up; negative: down */
};

/* True when scrolling a region of `shown` saves redrawing several rows of `next`. Both have one
 * size and are fitted. */
bool paint_scroll_find(const struct frame *shown, const struct frame *next, struct paint_scroll *s);
/* Moves the rows of f as the terminal does; the rows that come free are blank. */
void paint_scroll_apply(struct frame *f, const struct paint_scroll *s);

#endif
