/* Copy mode: a cursor in a screen and its scrollback, what it selects, and what it searches.
 *
 *   lines ─► copy_reader: characters, words, ends of lines   ┐
 *            copy_move:   the cursor and what is seen of them ├─ copy_command: by name, with a
 * count copy_select: from where to where, as text        │ copy_search: matches ┘
 *
 * Everything behaves as tmux's copy mode, with which it shares the names of commands. Nothing here
 * knows a pane, a terminal or a buffer: lines come from a source, text goes to the caller.
 *
 * Lines count from 0, the oldest. Of them `rows` are seen, and `scroll` is how far up: 0 at the
 * bottom. Lines do not change while the mode lasts, except by copy_reload. */
#ifndef VITRINE_DAEMON_COPY_H
#define VITRINE_DAEMON_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/line_text.h"

#define COPY_SEARCH_BYTES 1024 /* of what is searched for; longer text is refused */
#define COPY_REPEAT_MAX   10000

struct copy;

/* Where lines are. */
struct copy_source {
    uint32_t (*lines)(void *ctx);
    void (*read)(void *ctx, uint32_t line, struct line_text *out);
    void *ctx;
};

/* What options say; separators is borrowed for the call. */
struct copy_options {
    bool vi;          /* mode-keys */
    bool wrap_search; /* wrap-search */
    const char *separators;
};

/* The cursor is in column x of a line, which is seen: with the bottom, when it is among the last
 * `rows` lines. NULL when memory ran out. */
struct copy *copy_create(const struct copy_source *source, uint16_t cols, uint16_t rows, uint16_t x,
                         uint32_t line);
void copy_destroy(struct copy *c);
/* Another size of what is seen; the line of the cursor stays in sight. */
void copy_resize(struct copy *c, uint16_t cols, uint16_t rows);
/* The source has other lines: what was seen and selected stays by its distance from the bottom. */
void copy_reload(struct copy *c, const struct copy_source *source);

/* --- commands ------------------------------------------------------------------------------- */

enum copy_result {
    COPY_DONE,
    COPY_CANCEL,  /* and the mode is over */
    COPY_UNKNOWN, /* no such command */
    COPY_ARGUMENT /* one is missing, or there are too many */
};

/* What a command wants done with what is selected, and other things that are not copy's. */
struct copy_action {
    bool copy;           /* text goes to a buffer */
    bool append;         /* to the newest one */
    bool pipe;           /* text goes to a command */
    bool refresh;        /* read the pane anew, then copy_reload */
    const char *command; /* of pipe; NULL for the default one. One of the arguments. */
    const char *prefix;  /* of the buffer's name; NULL for none */
    struct outbuf text;  /* the caller clears it */
};

/* What was searched for before, for searching on, upwards. */
void copy_restore_search(struct copy *c, const char *text, bool regex);
/* The count that the next command takes. */
void copy_set_count(struct copy *c, uint32_t n);
/* Runs a command by its name in tmux, `n` words after it. *action is set. */
enum copy_result copy_run(struct copy *c, const struct copy_options *o, const char *name, size_t n,
                          const char *const *words, struct copy_action *action);

/* --- the mouse ------------------------------------------------------------------------------ */

/* The cursor goes to a cell of what is seen; the selection does not follow. */
void copy_point(struct copy *c, uint16_t x, uint16_t y);
/* The pointer selects from a cell on, or goes on selecting, after copy_drag_begin. */
void copy_drag_begin(struct copy *c, const struct copy_options *o, uint16_t x, uint16_t y);
/* True when the pointer is at the top or bottom: call again, after a while, to scroll on. */
bool copy_drag(struct copy *c, const struct copy_options *o, uint16_t x, uint16_t y);
void copy_page_up(struct copy *c, bool half);

/* --- what there is to see ------------------------------------------------------------------- */

struct copy_view {
    uint16_t x; /* the cursor, in what is seen */
    uint16_t y;
    uint32_t scroll;
    uint32_t history; /* lines above the bottom screenful */
    uint32_t top;     /* the line that is seen first */
    bool selecting;
    bool rectangle;
    bool hide_position; /* to be set by who made the mode, and toggled by a command */
    bool scroll_exit;   /* likewise: scrolling down to the bottom ends the mode */
    uint32_t from_x, from_y, to_x, to_y; /* of the selection */
    bool searching;                      /* matches are marked */
    uint32_t matches;                    /* in all lines */
    bool more_matches;                   /* than were counted */
    const char *search; /* what was searched for last, "" for nothing; borrowed until a command */
    bool regex;
    bool at_match; /* the cursor is */
    bool follows;  /* an end of the selection follows the cursor */
    bool marked;   /* the mark is shown */
    uint32_t mark_x, mark_y;
};

struct copy_view copy_look(struct copy *c);
/* Counts changes of anything that is seen. */
uint32_t copy_version(const struct copy *c);
void copy_set_flags(struct copy *c, bool hide_position, bool scroll_exit);
/* What is selected of a line: columns *from up to, not including, *to. False for nothing. */
bool copy_selected(const struct copy *c, bool vi, uint32_t line, uint32_t *from, uint32_t *to);

/* A match's part in one line. */
struct copy_match {
    uint32_t from;
    uint32_t to;  /* exclusive */
    bool current; /* the cursor is at it */
};

/* The matches of a line, at most max, from left to right; their number. */
size_t copy_matches(struct copy *c, bool vi, uint32_t line, struct copy_match *out, size_t max);
/* Appends the word under the cursor, or the cursor's line, for formats. */
void copy_word_at_cursor(struct copy *c, const char *separators, struct outbuf *out);
void copy_line_at_cursor(struct copy *c, struct outbuf *out);
/* Appends the match that the cursor is at. */
void copy_match_text(struct copy *c, struct outbuf *out);

#endif
