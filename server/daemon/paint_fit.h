/* Fits a frame to what a terminal can show, and into one form per look, so that the differ compares
 * bytes: colours brought down, text to ASCII where there is no UTF-8, broken halves of wide
 * characters and everything invisible about blanks removed. */
#ifndef VITRINE_DAEMON_PAINT_FIT_H
#define VITRINE_DAEMON_PAINT_FIT_H

#include <stdbool.h>

#include "server/daemon/cell.h"

struct frame;

/* flags: enum ipc_client_flag. Fitting twice changes nothing. */
void paint_fit(struct frame *f, unsigned flags);
/* The nearest colour a terminal with these flags has. */
cell_color paint_fit_color(cell_color color, unsigned flags);
/* True when every terminal agrees how wide the cell's text is. */
bool paint_is_plain(const struct cell *c);
/* True for a blank without colour or decoration, as erasing leaves. */
bool paint_is_erased(const struct cell *c);

#endif
