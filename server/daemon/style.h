/* Styles: what stands in #[…] in a text that is shown. The words about looks are options_value.h's,
 * those about where text goes are read here:
 *
 *   align=left|centre|right|absolute-centre noalign   the part of the line that follows
 *   list=on|focus|left-marker|right-marker nolist      the list of windows, which is cut to fit
 *   range=left|right|window|N|pane|%N|session|$N norange   what a click on it means
 *   push-default pop-default    what `default` means from here on
 *   fill=COLOUR                 the background of the whole line
 *   ignore noignore             styles are text from here on */
#ifndef VITRINE_DAEMON_STYLE_H
#define VITRINE_DAEMON_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/cell.h"

#define STYLE_BYTES_MAX 1024 /* of one #[…] */

enum style_align {
    STYLE_ALIGN_DEFAULT,
    STYLE_ALIGN_LEFT,
    STYLE_ALIGN_CENTRE,
    STYLE_ALIGN_RIGHT,
    STYLE_ALIGN_ABSOLUTE,
};

enum style_list {
    STYLE_LIST_OFF,
    STYLE_LIST_ON,
    STYLE_LIST_FOCUS,
    STYLE_LIST_LEFT_MARKER,
    STYLE_LIST_RIGHT_MARKER,
};

/* What a column of a status line stands for. */
enum status_range_kind {
    STATUS_RANGE_NONE,
    STATUS_RANGE_LEFT,
    STATUS_RANGE_RIGHT,
    STATUS_RANGE_WINDOW,  /* the argument is its index in the session */
    STATUS_RANGE_PANE,    /* the number of its id */
    STATUS_RANGE_SESSION, /* likewise */
};

enum style_push { STYLE_PUSH_NONE, STYLE_PUSH, STYLE_POP };

struct style {
    struct pen pen;
    enum style_align align;
    enum style_list list;
    enum status_range_kind range;
    uint32_t argument; /* of the range */
    bool has_fill;
    cell_color fill;
    bool ignore;
    enum style_push push; /* of the last #[…] only */
};

/* Reads n bytes of words apart by commas or blanks on top of what *s has; `default` and colours
 * called so take base's. False when a word is none: *s is then unchanged. */
bool style_parse(struct style *s, const struct pen *base, const char *text, size_t n);

#endif
