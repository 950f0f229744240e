/* What the files of copy share; nobody else includes it. */
#ifndef VITRINE_DAEMON_COPY_STATE_H
#define VITRINE_DAEMON_COPY_STATE_H

#include "server/daemon/copy.h"

#define COPY_CACHE 64u /* lines read last; a power of two */

/* A cell of all lines. */
struct copy_spot {
    uint32_t x;
    uint32_t y;
};

enum copy_drag {
    COPY_DRAG_NONE,
    COPY_DRAG_START,
    COPY_DRAG_END
}; /* which end follows the cursor */
enum copy_lines { COPY_LINES_NONE, COPY_LINES_DOWN, COPY_LINES_UP };
enum copy_unit { COPY_CHARACTERS, COPY_WORDS, COPY_WHOLE_LINES };
enum copy_jump {
    COPY_JUMP_NONE,
    COPY_JUMP_FORWARD,
    COPY_JUMP_BACK,
    COPY_JUMP_TO,
    COPY_JUMP_TO_BACK
};

struct copy_cached {
    struct line_text text;
    uint32_t line;
    bool valid;
};

struct copy_finder;

struct copy {
    struct copy_source source;
    struct copy_options o; /* of the command under way */
    struct copy_cached cache[COPY_CACHE];
    uint32_t lines; /* of the source, at least rows */
    uint16_t cols;
    uint16_t rows;
    uint32_t history;
    uint32_t scroll;
    uint32_t x; /* the cursor, in what is seen; x may be cols, behind the last column */
    uint32_t y;
    uint32_t wish_x;      /* the column that going up and down tries to keep */
    uint32_t wish_length; /* the length of the line that it comes from */
    uint32_t count;       /* for the next command; 0 for none */
    uint32_t version;

    bool selecting;
    bool rectangle;
    enum copy_drag drag;
    enum copy_lines whole; /* the selection began as one of whole lines or words */
    enum copy_unit unit;
    struct copy_spot from; /* of the selection; the other end of it may be before this one */
    struct copy_spot to;
    struct copy_spot unit_from; /* what select-word or select-line took at first */
    struct copy_spot unit_to;
    struct copy_spot pressed; /* where the cursor was then */
    char *separators;         /* of select-word; owned */

    struct copy_spot mark;
    bool show_mark;

    enum copy_jump jump;
    char jump_text[8];

    char *search;               /* owned; NULL before the first */
    struct copy_finder *finder; /* NULL when the text is no expression */
    bool regex;
    bool forward;
    bool marking; /* matches are shown */
    bool counted;
    uint32_t matches;
    bool more_matches;
    bool incremental;               /* a search while its text is typed has begun */
    struct copy_spot before_search; /* where: in what is seen, and how far up */
    uint32_t before_scroll;

    bool hide_position;
    bool scroll_exit;
};

/* --- copy.c: lines --- */
/* A line's text, borrowed until COPY_CACHE others have been read. */
const struct line_text *copy_line(struct copy *c, uint32_t y);
/* Its length without blanks at the end, at most cols. */
uint32_t copy_length(struct copy *c, uint32_t y);
bool copy_goes_on(struct copy *c, uint32_t y);
/* The line the cursor is in. */
uint32_t copy_cursor_line(const struct copy *c);
struct copy_spot copy_cursor(const struct copy *c);
static inline uint32_t copy_last_line(const struct copy *c)
{
    return c->lines - 1;
}

/* --- copy_reader.c: a spot moves, nothing else does --- */
bool copy_is_half(struct copy *c, struct copy_spot at);
/* True when the cell's character is one of the set; a cell behind the end is a blank. */
bool copy_in_set(struct copy *c, struct copy_spot at, const char *set);
void copy_read_left(struct copy *c, struct copy_spot *at, bool wrap);
void copy_read_right(struct copy *c, struct copy_spot *at, bool wrap, bool all);
void copy_read_up(struct copy *c, struct copy_spot *at);
void copy_read_down(struct copy *c, struct copy_spot *at);
void copy_read_line_start(struct copy *c, struct copy_spot *at, bool wrap);
void copy_read_line_end(struct copy *c, struct copy_spot *at, bool wrap, bool all);
void copy_read_indentation(struct copy *c, struct copy_spot *at);
void copy_read_next_word(struct copy *c, struct copy_spot *at, const char *separators);
void copy_read_word_end(struct copy *c, struct copy_spot *at, const char *separators);
void copy_read_previous_word(struct copy *c, struct copy_spot *at, const char *separators,
                             bool already, bool stop_at_end);
/* To a character in the rest of the line, which may go on; false when it is not there. */
bool copy_read_find(struct copy *c, struct copy_spot *at, const char *text);
bool copy_read_find_back(struct copy *c, struct copy_spot *at, const char *text);

/* --- copy_move.c: the cursor --- */
/* Scrolls up or down, the cursor stays where it is on the screen. */
void copy_scroll_up(struct copy *c, uint32_t n);
void copy_scroll_down(struct copy *c, uint32_t n);
void copy_set_cursor(struct copy *c, uint32_t x, uint32_t y);
void copy_up(struct copy *c, bool scroll_only);
void copy_down(struct copy *c, bool scroll_only);
void copy_page_down(struct copy *c, bool half);
/* Brings a spot into sight and puts the cursor there. */
void copy_go_to(struct copy *c, struct copy_spot at);
void copy_top(struct copy *c);
void copy_bottom(struct copy *c);
void copy_left(struct copy *c);
void copy_right(struct copy *c);
void copy_line_start(struct copy *c);
void copy_line_end(struct copy *c);
void copy_indentation(struct copy *c);
void copy_next_word(struct copy *c, const char *separators);
void copy_next_word_end(struct copy *c, const char *separators, bool keep_unit);
void copy_previous_word(struct copy *c, const char *separators, bool already);
/* The same for a spot, without moving the cursor. */
void copy_word_end_spot(struct copy *c, struct copy_spot *at, const char *separators);
void copy_previous_word_spot(struct copy *c, struct copy_spot *at, const char *separators);
void copy_next_paragraph(struct copy *c);
void copy_previous_paragraph(struct copy *c);
void copy_jump(struct copy *c, enum copy_jump how);
void copy_next_bracket(struct copy *c);
void copy_previous_bracket(struct copy *c);

/* --- copy_select.c --- */
void copy_select_begin(struct copy *c);
/* The cursor moved: the end of the selection that follows it does. keep_unit: not by words or
 * lines. */
void copy_select_follow(struct copy *c, bool keep_unit);
void copy_select_clear(struct copy *c);
void copy_select_stop(struct copy *c);
void copy_select_word(struct copy *c);
void copy_select_line(struct copy *c, uint32_t n);
void copy_other_end(struct copy *c);
/* Appends what is selected, or the match at the cursor. */
void copy_selection_text(struct copy *c, struct outbuf *out);

/* --- copy_search.c --- */
/* False when memory ran out or the text is too long. */
bool copy_search_for(struct copy *c, const char *text, bool regex);
/* To the next match, forward or back. False when there is none. */
bool copy_search(struct copy *c, bool forward);
/* Matches are not shown any more. */
void copy_search_end(struct copy *c);
void copy_search_forget(struct copy *c);
/* The match that the cursor is at, or, with emacs keys, just behind. False when it is at none. */
bool copy_match_at_cursor(struct copy *c, struct copy_spot *from, struct copy_spot *to);

#endif
