/* One pane's terminal: what its program's output means.
 *
 *   bytes ──► scan ──► screen ──► screen_grid: cells, in libvterm
 *                        │  └───► scroll: lines that left the top, as numbered text
 *                        └──────► answers to the program's queries
 *
 * The authority on what bytes mean is xterm.js 6 with Unicode 11 widths, because that is what
 * viewers run. So modes, cursor, margins, charsets, pen and links are kept here, by its rules;
 * libvterm, which differs from it in dozens of places and can be crashed by its input, holds the
 * cells and is fed a small canonical stream that it cannot misread. screen_store.c is the only file
 * that knows it.
 *
 * A screen does no I/O and reads no clock. It never fails while being fed: where memory runs out it
 * loses attributes or scrollback, never its integrity. */
#ifndef VITRINE_DAEMON_SCREEN_H
#define VITRINE_DAEMON_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"
#include "server/daemon/cell.h"
#include "server/daemon/outbuf.h"

#define SCREEN_COLS_MIN        2
#define SCREEN_ROWS_MIN        2
#define SCREEN_COLS_MAX        2000
#define SCREEN_ROWS_MAX        1000
#define SCREEN_HISTORY_DEFAULT 10000
/* Title, icon name, working directory, link target: longer ones are ignored. */
#define SCREEN_TEXT_MAX 4096

struct screen;

/* Called from inside screen_feed only; any may be NULL. They must not call back into the screen
 * except for getters. */
struct screen_events {
    /* An answer for the program: write these bytes to its PTY, in order, once. */
    void (*reply)(void *ctx, const uint8_t *p, size_t n);
    void (*bell)(void *ctx);
    /* The title changed; see screen_title. */
    void (*title)(void *ctx);
    /* The program set the clipboard (OSC 52): n decoded bytes. Reads are never answered. */
    void (*clipboard)(void *ctx, const uint8_t *p, size_t n);
    /* The program told its working directory (OSC 7); see screen_cwd. */
    void (*cwd)(void *ctx);
};

/* --- life and input ------------------------------------------------------------------------- */

/* Makes an empty screen; sizes outside of SCREEN_*_MIN/MAX are clamped. history_limit is in lines,
 * 0 keeps none. ev is copied and may be NULL. Returns NULL when memory ran out. */
struct screen *screen_create(uint16_t cols, uint16_t rows, uint32_t history_limit,
                             const struct screen_events *ev, void *ctx);
/* Frees s; NULL is fine. */
void screen_destroy(struct screen *s);
/* Takes n bytes of the program's output: any bytes, any size. */
void screen_feed(struct screen *s, const uint8_t *p, size_t n);
/* Takes less memory until the next change; everything stays readable. For a screen on which nothing
 * has happened for a while. */
void screen_rest(struct screen *s);
/* Total bytes fed. */
uint64_t screen_head(const struct screen *s);
/* The last offset at which the stream stood between sequences and between characters; the head
 * itself when an unfinished string is longer than 4 KiB (protocol.md §6). A keyframe made now has
 * this offset. */
uint64_t screen_cut(const struct screen *s);
/* Changes the size, clamped as in screen_create. Lines pushed out at the top go to scrollback and
 * come back when rows grow. ERR_MEMORY leaves the old size. */
enum err screen_resize(struct screen *s, uint16_t cols, uint16_t rows);
/* Forgets all scrollback lines; line numbers go on. */
void screen_clear_history(struct screen *s);
/* Changes how many lines are kept, dropping the oldest beyond it. */
void screen_set_history_limit(struct screen *s, uint32_t lines);
uint32_t screen_history_limit(const struct screen *s);

/* --- whole screens as text ------------------------------------------------------------------ */

struct keyframe_info {
    uint64_t offset;     /* screen_cut */
    uint64_t first_line; /* absolute number of the first history line in it (of the screen's top row
                            if none) */
    uint32_t history_lines; /* lines of scrollback it begins with */
    uint16_t cols;
    uint16_t rows;
};

/* Appends to out the VT text that brings a freshly reset xterm of the same size to this screen's
 * exact state at screen_cut, after at most history_lines of scrollback. protocol.md §6 has the
 * list. ERR_MEMORY when out is bad. */
enum err screen_keyframe(struct screen *s, uint32_t history_lines, struct outbuf *out,
                         struct keyframe_info *info);
/* Appends at most count lines of scrollback that end before absolute line before_line, each
 * followed by CR LF unless it is wrapped into the next. Sets which lines they are. */
enum err screen_history(struct screen *s, uint64_t before_line, uint32_t count, struct outbuf *out,
                        uint64_t *first_line, uint32_t *n);

/* A capture's first or last line: 0 is the visible top row, negative counts back into scrollback.
 */
#define CAPTURE_FIRST INT32_MIN /* "-" as -S: the oldest line */
#define CAPTURE_LAST  INT32_MAX /* "-" as -E: the bottom row */

/* Options of tmux's capture-pane. Zeroed it captures the top row only: set end. */
struct capture_opts {
    int32_t start;  /* -S */
    int32_t end;    /* -E */
    bool escapes;   /* -e: SGR and OSC 8 sequences for attributes and links */
    bool join;      /* -J: wrapped lines joined; keeps trailing spaces */
    bool trailing;  /* -N: keep trailing spaces that were written */
    bool alternate; /* -a: the screen that is not shown: ERR_NOT_FOUND when the alternate one is not
                       active */
};

/* Appends the lines as UTF-8 text, each ended by LF. */
enum err screen_capture(struct screen *s, const struct capture_opts *o, struct outbuf *out);

/* --- what a painter needs ------------------------------------------------------------------- */

/* The cells of a visible row, screen_cols of them; NULL when row is outside. Valid until the next
 * call of screen_row, screen_line, screen_feed or screen_resize. */
const struct cell *screen_row(struct screen *s, uint16_t row);
/* The cells of absolute line number `line`: scrollback or visible row. *n is their count (at most
 * the columns; what is right of them is empty). NULL when there is no such line. Valid as for
 * screen_row. */
const struct cell *screen_line(struct screen *s, uint64_t line, uint16_t *n);
/* True when the line goes on in the next one (it was wrapped, not ended). */
bool screen_line_wrapped(struct screen *s, uint64_t line);
/* Absolute number of the oldest line kept, and of the visible top row of the main screen; the
 * difference is how many lines of scrollback there are. */
uint64_t screen_first_line(const struct screen *s);
uint64_t screen_top_line(const struct screen *s);
uint32_t screen_history_count(const struct screen *s);
/* True when the row may have changed since screen_clean. */
bool screen_row_dirty(const struct screen *s, uint16_t row);
/* True when any row, the cursor or a mode may have changed since screen_clean. */
bool screen_dirty(const struct screen *s);
void screen_clean(struct screen *s);
/* The target of a pen's link and its id ("" if it has none), NUL-terminated; NULL when unknown.
 * Borrowed until the next feed. id may be NULL. */
const char *screen_link(const struct screen *s, uint32_t link, const char **id);

/* --- state ---------------------------------------------------------------------------------- */

enum screen_mode {
    SCREEN_APP_CURSOR = 1 << 0,      /* ?1 */
    SCREEN_APP_KEYPAD = 1 << 1,      /* ESC =, ?66 */
    SCREEN_BRACKETED_PASTE = 1 << 2, /* ?2004 */
    SCREEN_FOCUS = 1 << 3,           /* ?1004 */
    SCREEN_ALTERNATE = 1 << 4,       /* the alternate screen is shown */
    SCREEN_SYNC = 1 << 5,            /* ?2026: the program is in the middle of an update */
    SCREEN_INSERT = 1 << 6,          /* CSI 4 h */
    SCREEN_AUTOWRAP = 1 << 7,        /* ?7 */
    SCREEN_ORIGIN = 1 << 8,          /* ?6 */
    SCREEN_REVERSE_WRAP = 1 << 9,    /* ?45 */
    SCREEN_REVERSE_VIDEO = 1 << 10,  /* ?5 */
    SCREEN_NEWLINE = 1 << 11,        /* CSI 20 h */
    SCREEN_CURSOR_VISIBLE = 1 << 12, /* ?25 */
};

enum screen_mouse {
    SCREEN_MOUSE_NONE,
    SCREEN_MOUSE_X10,
    SCREEN_MOUSE_CLICK,
    SCREEN_MOUSE_DRAG,
    SCREEN_MOUSE_ANY
};
enum screen_mouse_encoding { SCREEN_MOUSE_DEFAULT, SCREEN_MOUSE_SGR, SCREEN_MOUSE_SGR_PIXELS };

struct screen_cursor {
    uint16_t x; /* column 0 to cols - 1 */
    uint16_t y; /* row 0 to rows - 1 */
    bool visible;
    bool pending_wrap; /* the last column was printed; the next character goes to the next line */
    uint8_t shape;     /* DECSCUSR parameter as last set, 0 (terminal's own) to 6 */
};

uint16_t screen_cols(const struct screen *s);
uint16_t screen_rows(const struct screen *s);
struct screen_cursor screen_cursor(const struct screen *s);
/* A set of enum screen_mode. */
uint32_t screen_modes(const struct screen *s);
enum screen_mouse screen_mouse(const struct screen *s);
enum screen_mouse_encoding screen_mouse_encoding(const struct screen *s);
/* UTF-8, never NULL, at most SCREEN_TEXT_MAX bytes; peer text: escape it before showing it.
 * Borrowed until the next feed. */
const char *screen_title(const struct screen *s);
/* Sets the title as the program's OSC 2 would: n bytes, longer than SCREEN_TEXT_MAX ignored. */
void screen_set_title(struct screen *s, const char *text, size_t n);
/* The directory or file URL of the last OSC 7, "" before the first. As screen_title. */
const char *screen_cwd(const struct screen *s);

#endif
