/* Keyframes: a screen's whole state as VT text (protocol.md §6).
 *
 * The reader is a freshly reset xterm.js: cleared by ESC c, with title, palette, newline mode and
 * the cursor's visibility and blinking at their defaults too. The order matters, because much of
 * the state can only be set by sequences that disturb other state:
 *
 *   titles, palette
 *   saved cursor of the alternate buffer, if that is not shown     (?47h … ?47l clears it)
 *   scrollback and main screen, line after line                    (scrolls)
 *   main: tab stops, saved cursor, region
 *   if shown: alternate screen, its tab stops, saved cursor, region
 *   charsets                                                       (may restore the saved cursor)
 *   modes, pen, cursor
 *   the last character once more, so that REP and combining characters find it
 *   the beginning of an unfinished sequence, where it must be seen twice */
#include "server/daemon/keyframe_lines.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/screen_width.h"

static const struct raw_pen plain_pen;

struct keyframe {
    struct screen *s;
    struct outbuf *out;
    struct row_writer w;
};

static void text(struct keyframe *k, const char *t)
{
    outbuf_text(k->out, t);
}

static void go_to(struct keyframe *k, int x, int y)
{
    outbuf_printf(k->out, "\033[%d;%dH", y + 1, x + 1);
}

/* --- strings and colours ------------------------------------------------------------------------
 */

static void write_titles(struct keyframe *k)
{
    const struct screen *s = k->s;
    for (uint32_t i = 0; i < s->title_count; i++)
        outbuf_printf(k->out, "\033]2;%s\a\033[22;2t", s->titles[i]);
    for (uint32_t i = 0; i < s->icon_count; i++)
        outbuf_printf(k->out, "\033]1;%s\a\033[22;1t", s->icons[i]);
    if (s->icon && (*s->icon || s->icon_count))
        outbuf_printf(k->out, "\033]1;%s\a", s->icon);
    if (s->title && (*s->title || s->title_count))
        outbuf_printf(k->out, "\033]2;%s\a", s->title);
}

static void write_palette(struct keyframe *k)
{
    for (int i = 0; i < COLORS; i++) {
        if (!k->s->color_set[i])
            continue;
        if (i < PALETTE_COLORS)
            outbuf_printf(k->out, "\033]4;%d;", i);
        else
            outbuf_printf(k->out, "\033]%d;", i - COLOR_FOREGROUND + 10);
        outbuf_printf(k->out, "#%06x\a", k->s->color_value[i]);
    }
}

/* --- saved cursors, tab stops, regions
 * ------------------------------------------------------------ */

static void rewrite_row(struct keyframe *k, struct buffer *b, int row)
{
    struct screen *s = k->s;
    row_writer_reset(&k->w);
    go_to(k, s->cols - 1, row);
    text(k, "\033[X\r");
    grid_get_row(b->grid, row, s->row_cells);
    row_write(&k->w, s, s->row_cells, s->cols, s->cols);
}

static void designate(struct keyframe *k, int which, uint8_t set)
{
    static const char starts[CHARSETS] = {'(', ')', '*', '+'};
    outbuf_printf(k->out, "\033%c%c", starts[which], set == CHARSET_ASCII ? 'B' : set);
}

static void save_cursor(struct keyframe *k, const struct saved_cursor *c)
{
    if (c->charset != CHARSET_ASCII)
        designate(k, 0, c->charset);
    row_writer_save(&k->w, c->fg, c->bg);
    if (c->charset != CHARSET_ASCII)
        designate(k, 0, CHARSET_ASCII);
    row_writer_reset(&k->w);
}

static bool saved_is_initial(const struct saved_cursor *c)
{
    return c->x == 0 && c->y == 0 && c->fg == 0 && c->bg == 0 && c->charset == CHARSET_ASCII;
}

/* Behind the last column one gets only by printing. Switching screens takes the cursor along, so on
 * the main one a character printed on the other does it without a trace. */
static void go_behind(struct keyframe *k, const struct buffer *b, int y)
{
    bool main = b == &k->s->main;
    if (main)
        text(k, "\033[?47h");
    go_to(k, k->s->cols - 1, y);
    text(k, main ? " \033[?47l" : " ");
}

/* Saves a cursor in the buffer shown; `cells` says whether b has any, which printing may spoil. */
static void write_saved(struct keyframe *k, struct buffer *b, bool cells)
{
    struct screen *s = k->s;
    const struct saved_cursor *c = &b->saved;
    bool behind = c->x >= s->cols;
    if (saved_is_initial(c) && !k->w.saves)
        return;
    if (behind)
        go_behind(k, b, c->y);
    else
        go_to(k, c->x, c->y);
    save_cursor(k, c);
    if (behind && cells && b != &s->main)
        rewrite_row(k, b, c->y);
    k->w.saves = false;
}

static bool tabs_are_initial(const struct screen *s, const struct buffer *b)
{
    for (int col = 0; col <= s->cols; col++)
        if (b->tabs[col] != (col % 8 == 0 && col < s->cols))
            return false;
    return true;
}

static void write_tabs(struct keyframe *k, struct buffer *b)
{
    struct screen *s = k->s;
    if (tabs_are_initial(s, b))
        return;
    row_writer_reset(&k->w);
    text(k, "\033[3g\r");
    for (int col = 0; col < s->cols; col++)
        if (b->tabs[col])
            outbuf_printf(k->out, "\033[%dG\033H", col + 1);
    if (!b->tabs[s->cols])
        return;
    go_behind(k, b, 0);
    text(k, "\033H");
    if (b != &s->main)
        rewrite_row(k, b, 0);
}

static void write_region(struct keyframe *k, const struct buffer *b)
{
    if (b->top != 0 || b->bottom != k->s->rows - 1)
        outbuf_printf(k->out, "\033[%d;%dr", b->top + 1, b->bottom + 1);
}

/* --- screens
 * -------------------------------------------------------------------------------------- */

/* A place for two lines' cells, so that one can look ahead. */
struct line_source {
    struct screen *s;
    struct buffer *b;
    uint64_t first;   /* number of the first scrollback line */
    uint32_t history; /* how many of them there are, in front of the buffer's rows */
    uint32_t count;
    struct gcell *cells[2];
};

static void get_line(const struct line_source *from, uint32_t i, struct keyframe_line *line)
{
    if (i < from->history)
        keyframe_line_of_scroll(line, from->s, from->first + i);
    else
        keyframe_line_of_row(line, from->s, from->b, (int)(i - from->history), from->cells[i % 2]);
}

/* Without scrollback in front, empty rows at the end need not be written. */
static uint32_t last_line(const struct line_source *from)
{
    uint32_t n = from->history + (uint32_t)from->s->rows;
    struct keyframe_line line;
    while (n > 1 && from->history == 0) {
        get_line(from, n - 1, &line);
        if (line.wrapped || row_length(from->s, line.cells, from->s->cols))
            break;
        n--;
    }
    return n;
}

static void write_lines(struct keyframe *k, struct line_source *from)
{
    struct line_writer lw;
    line_writer_init(&lw, k->out, k->s->cols, k->s->rows);
    lw.w = k->w;
    from->count = last_line(from);
    struct keyframe_line line;
    struct keyframe_line next;
    get_line(from, 0, &line);
    for (uint32_t i = 0; i < from->count; i++) {
        bool more = i + 1 < from->count;
        if (more)
            get_line(from, i + 1, &next);
        line_writer_add(&lw, &line, more ? &next : NULL);
        line = next;
    }
    k->w = lw.w;
    line_writer_clear(&lw);
}

static enum err write_buffer(struct keyframe *k, struct buffer *b, uint32_t history)
{
    struct screen *s = k->s;
    struct line_source from = {.s = s, .b = b, .history = history};
    from.first = scroll_end(s->scroll) - history;
    struct gcell *cells = calloc((size_t)s->cols * 2, sizeof *cells);
    if (!cells)
        return ERR_MEMORY;
    from.cells[0] = cells;
    from.cells[1] = cells + s->cols;
    write_lines(k, &from);
    free(cells);
    write_tabs(k, b);
    write_saved(k, b, true);
    write_region(k, b);
    row_writer_reset(&k->w);
    return ERR_OK;
}

static enum err write_buffers(struct keyframe *k, uint32_t history)
{
    struct screen *s = k->s;
    bool alternate = s->active == &s->alternate;
    if (!alternate && !saved_is_initial(&s->alternate.saved)) {
        text(k, "\033[?47h");
        write_saved(k, &s->alternate, false);
        text(k, "\033[?47l\033[H");
    }
    enum err e = write_buffer(k, &s->main, history);
    if (e != ERR_OK || !alternate)
        return e;
    text(k, "\033[?47h\033[H");
    return write_buffer(k, &s->alternate, 0);
}

/* --- modes
 * ---------------------------------------------------------------------------------------- */

static void write_kitty(struct keyframe *k)
{
    const struct kitty_stack *stack = &k->s->kitty[k->s->active == &k->s->alternate];
    for (uint32_t i = 0; i < stack->count; i++)
        outbuf_printf(k->out, "\033[>%uu", (unsigned)stack->flags[i]);
}

static void write_cursor_style(struct keyframe *k)
{
    const struct screen *s = k->s;
    if (s->cursor_style)
        outbuf_printf(k->out, "\033[%d q", s->cursor_style * 2 - (s->cursor_blink == 1));
    else if (s->cursor_blink >= 0)
        text(k, s->cursor_blink ? "\033[7 q" : "\033[8 q");
}

static void write_modes(struct keyframe *k)
{
    static const struct {
        uint32_t bit;
        bool normal; /* what a reset terminal has */
        const char *change;
    } modes[] = {
        {SCREEN_APP_CURSOR, false, "\033[?1h"},
        {SCREEN_REVERSE_VIDEO, false, "\033[?5h"},
        {SCREEN_ORIGIN, false, "\033[?6h"},
        {SCREEN_AUTOWRAP, true, "\033[?7l"},
        {SCREEN_CURSOR_VISIBLE, true, "\033[?25l"},
        {SCREEN_REVERSE_WRAP, false, "\033[?45h"},
        {SCREEN_APP_KEYPAD, false, "\033="},
        {SCREEN_FOCUS, false, "\033[?1004h"},
        {SCREEN_BRACKETED_PASTE, false, "\033[?2004h"},
        {SCREEN_NEWLINE, false, "\033[20h"},
        {SCREEN_SYNC, false, "\033[?2026h"},
    };
    static const char *const mouse[] = {"", "\033[?9h", "\033[?1000h", "\033[?1002h",
                                        "\033[?1003h"};
    static const char *const encoding[] = {"", "\033[?1006h", "\033[?1016h"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (((k->s->modes & modes[i].bit) != 0) != modes[i].normal)
            text(k, modes[i].change);
    text(k, mouse[k->s->mouse]);
    text(k, encoding[k->s->mouse_encoding]);
    if (k->s->blink)
        text(k, "\033[?12h");
    write_cursor_style(k);
    write_kitty(k);
}

/* --- charsets and pen
 * ----------------------------------------------------------------------------- */

static void write_level(struct keyframe *k)
{
    static const char *const shifts[CHARSETS] = {"\017", "\016", "\033n", "\033o"};
    text(k, shifts[k->s->level]);
}

/* Moves what was written from middle on to start, dropping what was between. */
static void keep_second(struct outbuf *out, size_t start, size_t middle)
{
    if (out->bad)
        return;
    memmove(out->p + start, out->p + middle, out->len - middle);
    out->len -= middle - start;
}

/* Restores a saved cursor, which takes the pen's words and the charset along. */
static void restore_saved(struct keyframe *k, const struct buffer *b)
{
    text(k, b == k->s->active ? "\0338" : "\033[?47h\0338\033[?47l");
    k->w.at.fg = b->saved.fg;
    k->w.at.bg = b->saved.bg;
}

/* Tries to make the pen with the help of a saved cursor: its words come from there, its extended
 * attributes from here, and closing or opening the link brings the two together where they are. */
static bool write_pen_restored(struct keyframe *k, const struct buffer *b, bool update)
{
    const struct raw_pen *target = &k->s->pen;
    struct raw_pen extended = {.ext = target->ext, .link = update ? 0 : target->link};
    if (extended.ext & EXT_STYLE)
        extended.fg = FG_UNDERLINE;
    row_writer_set_pen(&k->w, k->s, &extended);
    restore_saved(k, b);
    if (update && target->link) {
        row_writer_set_link(&k->w, k->s, target->link);
    } else if (update) {
        text(k, "\033]8;;\a");
        raw_pen_set_link(&k->w.at, 0);
    }
    raw_pen_write_words(k->out, &k->w.at, target);
    return raw_pen_equal(&k->w.at, target);
}

/* The pen by ordinary sequences, or else with the help of a saved cursor. Returns true when one was
 * restored, which disturbs the charset. */
static bool write_pen(struct keyframe *k)
{
    struct screen *s = k->s;
    struct buffer *other = s->active == &s->main ? &s->alternate : s->active;
    struct buffer *from[] = {s->active, s->active, other, other};
    struct row_writer before = k->w;
    size_t start = k->out->len;
    row_writer_set_pen(&k->w, s, &s->pen);
    struct row_writer normal = k->w;
    size_t middle = k->out->len;
    if (raw_pen_equal(&k->w.at, &s->pen))
        return false;
    for (int i = 0; i < 4; i++) {
        k->w = before;
        k->out->len = middle;
        if (write_pen_restored(k, from[i], i % 2)) {
            keep_second(k->out, start, middle);
            return true;
        }
    }
    k->w = normal;
    k->out->len = middle;
    return false;
}

static void write_charsets_and_pen(struct keyframe *k)
{
    struct screen *s = k->s;
    bool apart = s->charset != s->charsets[s->level];
    for (int i = 0; i < CHARSETS; i++)
        if (s->charsets[i] != CHARSET_ASCII)
            designate(k, i, s->charsets[i]);
    bool restored = write_pen(k);
    if (s->level || restored)
        write_level(k);
    if (apart) {
        restore_saved(k, s->active);
        raw_pen_write_words(k->out, &k->w.at, &s->pen);
        if (!raw_pen_equal(&k->w.at, &s->pen))
            row_writer_set_pen(&k->w, s, &s->pen);
    }
}

/* --- the cursor
 * ------------------------------------------------------------------------------------- */

/* Goes to a place of the active buffer. In origin mode rows count from the region's top, and those
 * outside of the region are reached from the other screen, which has none. */
static void go_to_cursor(struct keyframe *k, int x, int y)
{
    const struct screen *s = k->s;
    const struct buffer *b = s->active;
    bool outside = y < b->top || y > b->bottom;
    if ((s->modes & SCREEN_ORIGIN) && outside && b == &s->main) {
        text(k, "\033[?47h");
        go_to(k, x, y);
        text(k, "\033[?47l");
        return;
    }
    go_to(k, x, s->modes & SCREEN_ORIGIN ? y - b->top : y);
}

static void put_char(struct keyframe *k, uint32_t cp)
{
    uint32_t typed = cp < 0x7f && k->s->charset ? charset_find(k->s->charset, cp) : cp;
    uint8_t *at = outbuf_reserve(k->out, UTF8_MAX_BYTES);
    if (at)
        k->out->len += utf8_encode(typed ? typed : cp, at);
}

/* A wide character that found no room in the last column was printed without a trace. */
static bool last_was_dropped(const struct screen *s, uint32_t glyph)
{
    return s->last_width == 2 && !(s->modes & SCREEN_AUTOWRAP) && s->active->x == s->cols - 1 &&
           GLYPH_WIDTH(glyph) != 2;
}

/* Without autowrap the last column is written over, also where it is the second half of a wide
 * character, or where what combined with one that was dropped made the cell before two columns wide
 * (see screen_row.c). Printing there again would repair that, so the cell before is made again as
 * well. Returns true when it was, with the cursor where the last character goes. */
static bool write_wide_before(struct keyframe *k)
{
    struct screen *s = k->s;
    struct buffer *b = s->active;
    uint32_t cps[CLUSTER_MAX + 1];
    if ((s->modes & (SCREEN_AUTOWRAP | SCREEN_INSERT)) || b->x < s->cols - 1)
        return false;
    struct gcell before = grid_get(b->grid, b->y, s->cols - 2);
    size_t n = screen_glyph_text(s, before.glyph, cps);
    if (GLYPH_WIDTH(before.glyph) != 2 || n == 0)
        return false;
    struct raw_pen pen = screen_pen_at(s, before.pen);
    unsigned width = screen_width(cps[0]);
    size_t base = width == 2 ? n : width;
    go_to_cursor(k, s->cols - 2, b->y);
    row_writer_set_pen(&k->w, s, &pen);
    for (size_t i = 0; i < base; i++)
        put_char(k, cps[i]);
    if (base == 0)
        text(k, "\033[X");
    row_writer_set_pen(&k->w, s, &s->pen);
    if (width == 2)
        return true;
    go_to_cursor(k, s->cols - 1, b->y);
    put_char(k, 0x4e00);
    for (size_t i = base; i < n; i++)
        put_char(k, cps[i]);
    return true;
}

/* Prints the last character again, in place; in insert mode it makes room for itself. */
static void write_last(struct keyframe *k)
{
    struct screen *s = k->s;
    struct buffer *b = s->active;
    int col = b->x - (int)s->last_width;
    if (col < 0 || col >= s->cols) {
        go_to_cursor(k, int_min(b->x, s->cols - 1), b->y);
        return;
    }
    uint32_t glyph = grid_get(b->grid, b->y, col).glyph;
    if (last_was_dropped(s, glyph)) {
        bool before = write_wide_before(k);
        if (!before)
            go_to_cursor(k, b->x, b->y);
        if (!before || !s->last_joined)
            put_char(k, 0x4e00);
        return;
    }
    uint32_t cps[CLUSTER_MAX + 1];
    size_t n = screen_glyph_text(s, glyph, cps);
    bool over = b->x == s->cols && s->last_width == 1;
    if (n == 0 || !over || !write_wide_before(k))
        go_to_cursor(k, n ? col : int_min(b->x, s->cols - 1), b->y);
    if (n && (s->modes & SCREEN_INSERT))
        outbuf_printf(k->out, "\033[%uP", s->last_width);
    for (size_t i = 0; i < n; i++)
        put_char(k, cps[i]);
}

/* Behind the last column, with nothing printed last. The alternate screen cannot be left, so there
 * the last cell is printed again (an empty one becomes a space). */
static void write_pending(struct keyframe *k)
{
    struct screen *s = k->s;
    struct buffer *b = s->active;
    int col = s->cols - 1;
    if (b == &s->main) {
        go_behind(k, b, b->y);
        return;
    }
    struct gcell cell = grid_get(b->grid, b->y, col);
    if (GLYPH_WIDTH(cell.glyph) == 0 && !screen_glyph_has_content(cell.glyph))
        cell = grid_get(b->grid, b->y, --col);
    struct raw_pen pen = screen_pen_at(s, cell.pen);
    uint32_t cps[CLUSTER_MAX + 1] = {' '};
    size_t n = screen_glyph_text(s, cell.glyph, cps);
    go_to_cursor(k, col, b->y);
    row_writer_set_pen(&k->w, s, &pen);
    for (size_t i = 0; i < (n ? n : 1); i++)
        put_char(k, n ? cps[i] : ' ');
    row_writer_set_pen(&k->w, s, &s->pen);
    text(k, "\033\\"); /* does nothing, but ends what REP could refer to */
}

static void write_end(struct keyframe *k)
{
    struct screen *s = k->s;
    struct buffer *b = s->active;
    bool behind = b->x >= s->cols && s->last_width == 0;
    write_modes(k);
    write_charsets_and_pen(k);
    if (behind) {
        write_pending(k);
        if (b->x > s->cols) /* a combining character on its own went one column further */
            put_char(k, 0x301);
    } else if (!s->last_width) {
        go_to_cursor(k, b->x, b->y);
    }
    if (s->modes & SCREEN_INSERT)
        text(k, "\033[4h");
    if (s->last_width)
        write_last(k);
}

enum err screen_keyframe(struct screen *s, uint32_t history_lines, struct outbuf *out,
                         struct keyframe_info *info)
{
    uint32_t have = scroll_count(s->scroll);
    uint32_t history = history_lines < have ? history_lines : have;
    struct keyframe k = {.s = s, .out = out, .w = {.out = out, .at = plain_pen}};
    *info = (struct keyframe_info){.offset = scan_cut(s->scan),
                                   .first_line = scroll_end(s->scroll) - history,
                                   .history_lines = history,
                                   .cols = (uint16_t)s->cols,
                                   .rows = (uint16_t)s->rows};
    write_titles(&k);
    write_palette(&k);
    enum err e = write_buffers(&k, history);
    if (e != ERR_OK)
        return e;
    write_end(&k);
    scan_write_tail(s->scan, out);
    return out->bad ? ERR_MEMORY : ERR_OK;
}

enum err screen_history(struct screen *s, uint64_t before_line, uint32_t count, struct outbuf *out,
                        uint64_t *first_line, uint32_t *n)
{
    uint64_t first = scroll_first(s->scroll);
    uint64_t end = scroll_end(s->scroll);
    end = before_line < end ? before_line : end;
    uint64_t have = end > first ? end - first : 0;
    *n = have < count ? (uint32_t)have : count;
    *first_line = end - *n;
    struct line_writer lw;
    struct keyframe_line line;
    struct keyframe_line next;
    line_writer_init(&lw, out, s->cols, s->rows);
    lw.first = false; /* what the first one continues is not there to be marked */
    for (uint64_t i = *first_line; i < end; i++) {
        bool more = i + 1 < end;
        keyframe_line_of_scroll(&line, s, i);
        if (more)
            keyframe_line_of_scroll(&next, s, i + 1);
        line_writer_add(&lw, &line, more ? &next : NULL);
    }
    row_writer_reset(&lw.w);
    if (*n && !screen_line_wrapped(s, end - 1))
        outbuf_text(out, "\r\n");
    line_writer_clear(&lw);
    return out->bad ? ERR_MEMORY : ERR_OK;
}
