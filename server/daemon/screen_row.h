/* Rows of cells as VT text: for scrollback, keyframes, history and captures.
 *
 * What is written reproduces the cells exactly in an xterm.js, down to what is merely empty, what
 * was erased with a background, and what an overwritten half of a wide character left behind. */
#ifndef VITRINE_DAEMON_SCREEN_ROW_H
#define VITRINE_DAEMON_SCREEN_ROW_H

#include "server/daemon/screen_state.h"

/* The terminal being written to: its pen, and the pen of the empty cells it has. */
struct row_writer {
    struct outbuf *out;
    struct raw_pen at;   /* pen.link is the number of the open link */
    struct raw_pen fill; /* of the cells about to be written over */
    bool saves;          /* the saved cursor was used to make a pen */
};

/* A scratch screen that turns a scrollback line back into cells. */
struct row_reader {
    struct screen *scratch;
};

/* Writes n cells to a terminal cols wide whose cursor is at the start of the row; s is the screen
 * whose numbers the cells use. The cursor ends somewhere in the row or behind its last column. */
void row_write(struct row_writer *w, const struct screen *s, const struct gcell *cells, int n,
               int cols);
/* Opens a link by its number, or closes the open one (0). */
void row_writer_set_link(struct row_writer *w, const struct screen *s, uint32_t link);
/* Saves the cursor where it is, with a pen of these words; restoring it brings them back. The pen
 * is some other one afterwards. */
void row_writer_save(struct row_writer *w, uint32_t fg, uint32_t bg);
/* True when ordinary sequences alone can make this pen. */
bool row_pen_is_plain(const struct raw_pen *pen);
/* Makes the pen the default one and closes the link. */
void row_writer_reset(struct row_writer *w);
/* Makes the pen this one, link included, by ordinary sequences; what they cannot do is left out. */
void row_writer_set_pen(struct row_writer *w, const struct screen *s, const struct raw_pen *pen);
/* True when row_write of these cells leaves a wrap pending, so that the next character goes on in
 * the next row; and true when it begins with that character. */
bool row_is_full(const struct screen *s, const struct gcell *cells, int cols);
bool row_starts(const struct screen *s, const struct gcell *cells, int cols);
/* Number of cells up to the last that is not just empty. */
int row_length(const struct screen *s, const struct gcell *cells, int n);
/* Reads a scrollback line: returns its cells (line->cols of them, in terms of *owner) until the
 * next call; NULL when memory ran out. */
const struct gcell *row_reader_read(struct row_reader *r, const struct scroll_line *line,
                                    const struct screen **owner);
void row_reader_clear(struct row_reader *r);
/* One cell's code points as UTF-8. */
void row_put_text(struct outbuf *out, const struct screen *s, uint32_t glyph);

#endif
