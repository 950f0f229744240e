/* What a screen is made of; shared by the screen_*.c files, keyframe.c and capture.c only.
 *
 * Two buffers, main and alternate, as in xterm.js: each has its own cells, cursor, scroll region,
 * tab stops and saved cursor; pen, charsets and modes are common. The alternate buffer's cells
 * exist only while it is shown (it is always cleared on leaving), so leaving vim finds the main one
 * untouched.
 *
 * A cursor's x is the number of columns when the last one was printed and the next character will
 * wrap ("pending wrap"); no other flag marks that. */
#ifndef VITRINE_DAEMON_SCREEN_STATE_H
#define VITRINE_DAEMON_SCREEN_STATE_H

#include "server/daemon/scan.h"
#include "server/daemon/screen.h"
#include "server/daemon/screen_charset.h"
#include "server/daemon/screen_grid.h"
#include "server/daemon/screen_intern.h"
#include "server/daemon/screen_pen.h"
#include "server/daemon/scroll.h"

#define CHARSETS         4
#define PALETTE_COLORS   256
#define COLOR_FOREGROUND 256 /* OSC 10 */
#define COLOR_BACKGROUND 257 /* OSC 11 */
#define COLOR_CURSOR     258 /* OSC 12 */
#define COLORS           259
#define TITLE_STACK_MAX  10
#define KITTY_STACK_MAX  16
#define CLUSTER_MAX      64 /* code points in one cell; more are dropped */

/* What DECSC keeps. The row is one of the screen; viewers repair xterm.js, which counts it from the
 * top of its scrollback. */
struct saved_cursor {
    int x;
    int y;
    uint32_t fg;
    uint32_t bg;
    uint8_t charset;
};

struct buffer {
    struct grid *grid; /* NULL for the alternate one while it is not shown */
    bool *wrapped;     /* per row: it continues the one above */
    bool *tabs;        /* per column, and one behind the last (a stop can be set there) */
    int x;
    int y;
    int top; /* scroll region, both inclusive */
    int bottom;
    struct saved_cursor saved;
};

struct kitty_stack {
    uint32_t flags[KITTY_STACK_MAX];
    uint32_t count;
};

struct screen {
    struct screen_events events;
    void *ctx;
    struct scan *scan;
    int cols;
    int rows;
    struct buffer main;
    struct buffer alternate;
    struct buffer *active;

    struct raw_pen pen;
    struct intern pens;     /* struct raw_pen by number */
    struct intern clusters; /* arrays of code points by number */
    struct intern links;    /* "id\0uri" by number */
    uint32_t link_serial;   /* tells links without an id apart */
    struct pen_cache {      /* the last two answers of screen_pen_number */
        struct raw_pen pen;
        uint32_t number;
        bool valid;
    } pen_cache[2];

    uint8_t charsets[CHARSETS];
    uint8_t charset; /* the one in use: usually charsets[level], see restoring a cursor */
    uint8_t level;

    uint32_t modes;       /* enum screen_mode, without SCREEN_ALTERNATE */
    bool blink;           /* ?12 */
    uint8_t cursor_style; /* 0 not set, 1 block, 2 underline, 3 bar */
    int8_t cursor_blink;  /* -1 not set, else 0 or 1: DECSCUSR's part of it */
    enum screen_mouse mouse;
    enum screen_mouse_encoding mouse_encoding;
    struct kitty_stack kitty[2]; /* main, alternate */

    /* The width of what was printed last, while nothing came after it (REP and combining characters
     * refer to it); 0 otherwise. */
    unsigned last_width;
    bool last_joined;
    bool printing; /* in a run of characters, see screen_print.c */

    char *title;
    char *icon;
    char *cwd;
    char *titles[TITLE_STACK_MAX];
    uint32_t title_count;
    char *icons[TITLE_STACK_MAX];
    uint32_t icon_count;
    uint32_t color_value[COLORS]; /* 0xRRGGBB */
    bool color_set[COLORS];

    struct scroll *scroll;
    uint32_t scroll_limit;
    struct screen_frozen *frozen; /* that still need this screen, see screen_frozen.c */

    bool *dirty; /* per row */
    bool dirty_any;

    struct gcell *row_cells;  /* cols of them, work space */
    struct cell *shown_cells; /* what screen_row and screen_line hand out */
    size_t shown_cap;
};

/* --- screen.c --------------------------------------------------------------------------------- */

void screen_reply(struct screen *s, const void *p, size_t n);
void screen_reply_text(struct screen *s, const char *text);
/* The first half of screen_feed: the cells that changed stay on the grid's bench. */
void screen_feed_bench(struct screen *s, const uint8_t *p, size_t n);
void screen_touch(struct screen *s, int row);
void screen_touch_all(struct screen *s);
/* Everything to its first state but scrollback numbering, title, palette and what else ESC c keeps.
 */
void screen_reset(struct screen *s);
/* The state of modes that both resets set back. */
void screen_reset_modes(struct screen *s);

/* --- screen_cells.c: pens, clusters and the buffer operations of xterm.js -----------------------
 */

/* The number of a pen for cells; 0, the default pen, when memory ran out. */
uint32_t screen_pen_number(struct screen *s, const struct raw_pen *pen);
struct raw_pen screen_pen_at(const struct screen *s, uint32_t number);
/* Code points of a glyph into out (CLUSTER_MAX of them); returns how many, 0 for an empty cell. */
size_t screen_glyph_text(const struct screen *s, uint32_t glyph, uint32_t *out);
bool screen_glyph_has_content(uint32_t glyph);
/* The glyph made of these code points; one without content when memory ran out. */
uint32_t screen_glyph_of(struct screen *s, const uint32_t *cps, size_t n, unsigned width);
uint32_t screen_erase_pen(struct screen *s);
/* 0 for a column outside of the row. */
unsigned screen_cell_width(struct screen *s, int row, int col);
void screen_set_cell(struct screen *s, int row, int col, uint32_t glyph, uint32_t pen);
void screen_insert_cells(struct screen *s, int row, int col, int n, uint32_t pen);
void screen_delete_cells(struct screen *s, int row, int col, int n, uint32_t pen);
/* Erases cells start to end (exclusive, may be past the row); keeps protected ones if asked to. */
void screen_replace_cells(struct screen *s, int row, int start, int end, bool keep_protected);
void screen_erase_row(struct screen *s, int row, bool keep_protected);
/* Scrolls the region up by one line, which goes to scrollback if the region begins at the top. */
void screen_scroll(struct screen *s, bool wrapped);
/* Moves rows top to bottom by n (up if positive) without scrollback. */
void screen_shift_rows(struct screen *s, int top, int bottom, int n, uint32_t pen);
/* Drops pens, clusters and links no cell uses, if many were added. */
void screen_sweep(struct screen *s);
/* Row `row` of a buffer as a scrollback line. */
void screen_push_row(struct screen *s, struct buffer *b, int row);

/* --- screen_view.c, screen_frozen.c --- */

/* One cell as painters see it. */
void screen_show_cell(const struct screen *owner, const struct gcell *from, struct cell *cell);
/* The screen is about to go. */
void screen_frozen_orphan_all(struct screen *s);
/* Marks the links that frozen rows use. */
void screen_frozen_mark_links(struct screen *s);

/* --- screen_buffer.c ----------------------------------------------------------------------------
 */

bool buffer_create(struct buffer *b, int cols, int rows, bool cells);
void buffer_clear(struct buffer *b);
/* Cursor home, region full, tab stops at every eighth column. */
void buffer_home(struct buffer *b, int cols, int rows);
void screen_show_alternate(struct screen *s);
void screen_show_main(struct screen *s);

/* --- the meaning of sequences
 * --------------------------------------------------------------------- */

void screen_print(struct screen *s, const uint32_t *cps, size_t n);
void screen_print_ascii(struct screen *s, const uint8_t *p, size_t n);
/* Repairs what the run so far left of a wide character to the right of the cursor. */
void screen_settle_run(struct screen *s);
void screen_repeat(struct screen *s, int32_t count);
void screen_control(struct screen *s, uint32_t c);
void screen_esc(struct screen *s, uint32_t id);
void screen_csi(struct screen *s, uint32_t id, const struct scan_params *p);
void screen_osc(struct screen *s, const char *text, size_t n, enum scan_end end);
void screen_dcs(struct screen *s, uint32_t id, const struct scan_params *p, const char *text,
                size_t n, enum scan_end end);
/* Each true when id is one of theirs. Queries are answered, where there is an answer. */
bool screen_csi_query(struct screen *s, uint32_t id, const struct scan_params *p);
void screen_set_mode(struct screen *s, const struct scan_params *p, bool dec, bool on);
/* DECRQM's answer for a mode: 0 unknown, 1 set, 2 reset, 3 and 4 fixed. */
int screen_mode_report(const struct screen *s, int32_t mode, bool dec);
bool screen_move_csi(struct screen *s, uint32_t id, const struct scan_params *p);
bool screen_edit_csi(struct screen *s, uint32_t id, const struct scan_params *p);
void screen_osc_color(struct screen *s, uint32_t command, const char *text, enum scan_end end);
void screen_osc_clipboard(struct screen *s, const char *text, size_t n);
void screen_colors_reset(struct screen *s);
void screen_title_stack(struct screen *s, int32_t op, int32_t which);

void screen_line_feed(struct screen *s);
void screen_index(struct screen *s);
void screen_reverse_index(struct screen *s);
void screen_restrict_cursor(struct screen *s, int max_col);
void screen_set_cursor(struct screen *s, int64_t x, int64_t y);
void screen_save_cursor(struct screen *s);
void screen_restore_cursor(struct screen *s);
void screen_alignment_pattern(struct screen *s);
int screen_next_tab(const struct screen *s, int x);
int screen_previous_tab(const struct screen *s, int x);

/* Parameter i, or 1 if it is missing or 0. */
static inline int32_t param_or_one(const struct scan_params *p, int i)
{
    return i < p->count && p->value[i] ? p->value[i] : 1;
}

static inline int int_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int int_max(int a, int b)
{
    return a > b ? a : b;
}

#endif
