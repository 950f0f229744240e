/* A line of a screen as text, with where in it each cell begins: what searching, words and copying
 * need, without pens.
 *
 * Empty cells between characters are blanks; those behind the last character are not there. The
 * second half of a wide character is a cell without text. */
#ifndef VITRINE_DAEMON_LINE_TEXT_H
#define VITRINE_DAEMON_LINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/outbuf.h"

/* Embedded; zeroed it is empty. Its memory is kept from line to line. */
struct line_text {
    struct outbuf text; /* UTF-8 of all cells */
    uint32_t *at;       /* used + 1 offsets into it; cell i is text[at[i]] to text[at[i + 1]] */
    uint32_t cap;
    uint16_t used; /* cells */
    bool goes_on;  /* in the next line: it was wrapped, not ended */
};

void line_text_clear(struct line_text *t);
/* Makes it empty. */
void line_text_begin(struct line_text *t);
/* Appends a character of n bytes and so many columns; 0 joins it to the one before, which must be
 * there. What has no memory is left out. */
void line_text_put(struct line_text *t, const char *utf8, size_t n, unsigned width);
/* Appends n printable ASCII characters. */
void line_text_put_ascii(struct line_text *t, const char *p, size_t n);
/* Appends blanks up to, not including, column col. */
void line_text_pad(struct line_text *t, uint16_t col);
/* Ends the line: offsets hold from now on. */
void line_text_end(struct line_text *t);

/* The n bytes of a cell; of one behind the end a blank. *n is 0 for the second half of a wide
 * character. */
const char *line_text_cell(const struct line_text *t, uint16_t col, size_t *n);
/* True for the second half of a wide character. */
bool line_text_is_half(const struct line_text *t, uint16_t col);
/* Cells without the blanks at the end. */
uint16_t line_text_length(const struct line_text *t);
/* The cell that holds a byte of the text. */
uint16_t line_text_column(const struct line_text *t, uint32_t byte);

#endif
