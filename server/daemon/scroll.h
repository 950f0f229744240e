/* Scrollback: lines that left the top of a screen, as compact VT text, numbered for ever.
 *
 * A line's text begins and ends with the default pen and no open link, and stands for itself: it
 * can be written at the start of an empty line of a terminal at least as wide. The oldest line is
 * dropped when there are more than the limit, or when the text is larger than SCROLL_BYTES_MAX.
 *
 * Somebody who reads old lines while new ones come holds them: what the scrollback would drop, or
 * gives back to the screen, goes to the hold instead. Nothing is copied when a hold is made, and it
 * never keeps more than the scrollback had at that moment. */
#ifndef VITRINE_DAEMON_SCROLL_H
#define VITRINE_DAEMON_SCROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCROLL_BYTES_MAX (64u * 1024u * 1024u)

/* What must be known about a line's text to write it behind another one. */
struct scroll_line {
    const uint8_t *text; /* borrowed until the scrollback changes */
    uint32_t len;
    uint16_t cols;       /* the width of the screen it comes from */
    bool wrapped;        /* it continues the line before */
    bool full;           /* writing it leaves the cursor behind the last column */
    bool saves;          /* writing it changes the saved cursor */
    bool starts;         /* its first cell has a character */
    bool starts_colored; /* and that one has a background */
};

struct scroll;

/* Returns NULL when memory ran out. limit is in lines, 0 keeps none. */
struct scroll *scroll_create(uint32_t limit);
void scroll_destroy(struct scroll *s);
/* Adds a copy of a line behind the newest. When memory runs out the line is kept empty. */
void scroll_push(struct scroll *s, const struct scroll_line *line);
/* Takes the newest line away: copies it into *line, whose text the caller then frees as *text;
 * false when there is none. Its number is given to the next line pushed. */
bool scroll_pop(struct scroll *s, struct scroll_line *line, uint8_t **text);
/* Line by absolute number; false when it is not kept. */
bool scroll_get(const struct scroll *s, uint64_t number, struct scroll_line *line);
/* Number of the oldest line kept, and of the next to be pushed. */
uint64_t scroll_first(const struct scroll *s);
uint64_t scroll_end(const struct scroll *s);
uint32_t scroll_count(const struct scroll *s);
void scroll_set_limit(struct scroll *s, uint32_t limit);
uint32_t scroll_limit(const struct scroll *s);
/* Drops all lines; numbering goes on. */
void scroll_forget(struct scroll *s);

/* --- holds ---------------------------------------------------------------------------------- */

struct scroll_hold;

/* Keeps all lines there are now, by their numbers, until the hold is released, also beyond the
 * scrollback's own life. NULL when memory ran out. A line for which there is no memory when it is
 * dropped becomes empty. */
struct scroll_hold *scroll_hold(struct scroll *s);
/* NULL is fine. */
void scroll_release(struct scroll_hold *h);
/* Number of the first line held, and of the one after the last. */
uint64_t scroll_hold_first(const struct scroll_hold *h);
uint64_t scroll_hold_end(const struct scroll_hold *h);
/* A line as it was when the hold was made; false when the number is outside. line->text is borrowed
 * until the scrollback changes. */
bool scroll_hold_get(const struct scroll_hold *h, uint64_t number, struct scroll_line *line);

#endif
