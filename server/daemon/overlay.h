/* What lies over the panes until a key is pressed: what a command wrote, or the links of a pane
 * with a QR code.
 *
 * What does not fit into a box is shown over all of the panes, and what is longer scrolls.
 * A text that fits is shown in a box in the middle. A link that is longer than the terminal is wide
 * is shown on rows of its own from the first to the last column, and each row is marked to go on in
 * the next, so that a terminal's selection takes the link whole. The QR code stands beside the
 * text, or below it, or on a page of its own that the first key turns to; where it has no room at
 * all its size is told. Links and codes are wiped when the overlay closes. */
#ifndef VITRINE_DAEMON_OVERLAY_H
#define VITRINE_DAEMON_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/outbuf.h"

struct frame;
struct qr;

/* Embedded; a zeroed one is closed. */
struct overlay {
    const char *title;  /* static; NULL while closed */
    struct outbuf text; /* lines, each ended by LF */
    struct qr *qr;      /* of the first link; NULL when there is none */
    const char *no_qr;  /* why not, static; NULL when that needs no word */
    bool code_page;     /* the page with the code alone is shown */
    bool scrolls;       /* what a command wrote */
    uint16_t top;       /* the first line shown */
};

/* Shows n bytes of text, lines ended by LF, under a title, which is static. The text is copied. */
void overlay_open_text(struct overlay *o, const char *title, const char *text, size_t n);
/* Shows links as attach_ops.links gives them: lines "role: URL", or other text, under a title, which
 * is static. utf8 says whether the terminal can show a code. text is copied; the caller wipes its
 * own. */
void overlay_open_links(struct overlay *o, const char *title, const char *text, size_t n, bool utf8);
/* Closes and wipes it; fine when it is closed. */
void overlay_close(struct overlay *o);
bool overlay_is_open(const struct overlay *o);
/* A key was pressed: turns to the next page, for an area of cols x rows, or closes it. */
void overlay_advance(struct overlay *o, uint16_t cols, uint16_t rows);
/* Scrolls by so many lines. False when that means nothing, as all is seen. */
bool overlay_scroll(struct overlay *o, uint16_t cols, uint16_t rows, int by);
/* Draws it over the first `rows` rows of f, and hides f's cursor; nothing when it is closed. */
void overlay_draw(const struct overlay *o, struct frame *f, uint16_t rows);

#endif
