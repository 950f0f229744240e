/* Consecutive lines as VT text that scrolls, with the wrapping between them: the body of keyframes
 * and of history.
 *
 * xterm.js marks a line as wrapped only when a character printed behind the last column makes it
 * continue there. So lines are written in order, and where the text itself does not wrap, a wrap is
 * made with a dummy character before the line is written. */
#ifndef VITRINE_DAEMON_KEYFRAME_LINES_H
#define VITRINE_DAEMON_KEYFRAME_LINES_H

#include "server/daemon/screen_row.h"

/* One line to write: text from scrollback, or cells. */
struct keyframe_line {
    const struct gcell *cells;  /* NULL for a scrollback line */
    const struct screen *owner; /* whose numbers cells use */
    struct scroll_line text;
    bool wrapped;
    bool full;   /* see row_is_full */
    bool starts; /* see row_starts */
};

struct line_writer {
    struct row_writer w;
    struct row_reader reader;
    int cols;
    int rows;
    int row;      /* the terminal's cursor row */
    bool pending; /* the next character wraps into the line to be written */
    bool first;
};

/* Starts writing to a terminal of this size whose cursor is at home, with the default pen. */
void line_writer_init(struct line_writer *lw, struct outbuf *out, int cols, int rows);
/* Writes a line; next is the one behind it, NULL for none. The cursor ends up where next begins, or
 * in this line if there is none. */
void line_writer_add(struct line_writer *lw, const struct keyframe_line *line,
                     const struct keyframe_line *next);
void line_writer_clear(struct line_writer *lw);
/* Fills in a line of scrollback, or a row of a buffer; cells has room for the screen's columns. */
void keyframe_line_of_scroll(struct keyframe_line *line, const struct screen *s, uint64_t number);
void keyframe_line_of_row(struct keyframe_line *line, struct screen *s, struct buffer *b, int row,
                          struct gcell *cells);

#endif
