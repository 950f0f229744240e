#include "server/daemon/screen_row.h"

#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/screen_width.h"

#define DUMMY_WIDE "\xe4\xb8\x80" /* any wide character */

static void put_characters(struct outbuf *out, const uint32_t *cps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = outbuf_reserve(out, UTF8_MAX_BYTES);
        if (at)
            out->len += utf8_encode(cps[i], at);
    }
}

void row_put_text(struct outbuf *out, const struct screen *s, uint32_t glyph)
{
    uint32_t cps[CLUSTER_MAX + 1];
    size_t n = screen_glyph_text(s, glyph, cps);
    if (n == 1 && cps[0] < 0x80) {
        outbuf_byte(out, (uint8_t)cps[0]);
        return;
    }
    put_characters(out, cps, n);
}

/* --- the pen ---------------------------------------------------------------------------------- */

void row_writer_set_link(struct row_writer *w, const struct screen *s, uint32_t link)
{
    if (w->at.link == link)
        return;
    const char *id = "";
    const char *uri = link ? screen_link(s, link, &id) : NULL;
    outbuf_text(w->out, "\033]8;");
    if (uri && *id) {
        outbuf_text(w->out, "id=");
        outbuf_text(w->out, id);
    }
    outbuf_byte(w->out, ';');
    if (uri)
        outbuf_text(w->out, uri);
    outbuf_byte(w->out, '\a');
    raw_pen_set_link(&w->at, uri ? link : 0);
}

void row_writer_set_pen(struct row_writer *w, const struct screen *s, const struct raw_pen *pen)
{
    row_writer_set_link(w, s, pen->link);
    raw_pen_write(w->out, &w->at, pen);
}

void row_writer_reset(struct row_writer *w)
{
    static const struct raw_pen plain;
    row_writer_set_pen(w, NULL, &plain);
}

bool row_pen_is_plain(const struct raw_pen *pen)
{
    bool styled = pen->ext & EXT_STYLE;
    bool underlined = pen->fg & FG_UNDERLINE;
    bool extended = pen->bg & BG_EXTENDED;
    return styled == underlined && extended == (styled || pen->link);
}

/* Underlined but not extended: a restored pen that is extended by nothing, until closing a link
 * that is not open finds that out. */
static void save_underlined(struct row_writer *w, uint32_t fg, uint32_t bg)
{
    static const struct raw_pen plain;
    outbuf_text(w->out, "\0337");
    raw_pen_write(w->out, &w->at, &plain);
    outbuf_text(w->out, "\0338\033]8;;\a");
    w->at = (struct raw_pen){.fg = fg, .bg = bg};
}

void row_writer_save(struct row_writer *w, uint32_t fg, uint32_t bg)
{
    struct raw_pen pen = {.fg = fg, .bg = bg};
    if (fg & FG_UNDERLINE)
        pen.ext = (uint32_t)UNDERLINE_SINGLE << EXT_STYLE_SHIFT;
    row_writer_reset(w);
    bool link = (bg & BG_EXTENDED) && !pen.ext;
    if (link) { /* an open link marks the pen as extended */
        outbuf_text(w->out, "\033]8;;x:\a");
        raw_pen_set_link(&w->at, UINT32_MAX);
    }
    raw_pen_write(w->out, &w->at, &pen);
    if (pen.ext && !(bg & BG_EXTENDED))
        save_underlined(w, fg, bg);
    outbuf_text(w->out, "\0337");
    if (link) {
        outbuf_text(w->out, "\033]8;;\a");
        raw_pen_set_link(&w->at, 0);
    }
}

/* The pen of a cell. Restoring a cursor can bring a pen's words and its extended attributes apart;
 * the same is done here, at the place, for a cell written in that state. */
static void set_cell_pen(struct row_writer *w, const struct screen *s, const struct raw_pen *pen)
{
    if (row_pen_is_plain(pen)) {
        row_writer_set_pen(w, s, pen);
        return;
    }
    row_writer_save(w, pen->fg, pen->bg);
    struct raw_pen extended = {.ext = pen->ext, .link = pen->link};
    if (pen->ext & EXT_STYLE)
        extended.fg = FG_UNDERLINE;
    row_writer_set_pen(w, s, &extended);
    outbuf_text(w->out, "\0338");
    w->at.fg = pen->fg;
    w->at.bg = pen->bg;
    w->saves = true;
}

/* --- cells ------------------------------------------------------------------------------------ */

static bool is_empty(const struct gcell *cell)
{
    return !screen_glyph_has_content(cell->glyph);
}

/* True for an empty cell as erasing leaves it: nothing but a background. */
static bool is_erased(const struct raw_pen *pen)
{
    return pen->fg == 0 && (pen->bg & ~RAW_COLOR) == 0;
}

/* True for the second half of a wide character whose first half is elsewhere (inserting a cell
 * between the two does that). */
static bool is_stray(const struct gcell *cells, int col)
{
    return cells[col].glyph == GLYPH_TRAIL && col > 1 && GLYPH_WIDTH(cells[col - 1].glyph) != 2;
}

/* True when the cell at col is what the terminal has there already. */
static bool is_filled(const struct row_writer *w, const struct screen *s, const struct gcell *cells,
                      int col)
{
    if (!is_empty(&cells[col]) || is_stray(cells, col))
        return false;
    struct raw_pen pen = screen_pen_at(s, cells[col].pen);
    return raw_pen_equal(&pen, &w->fill);
}

int row_length(const struct screen *s, const struct gcell *cells, int n)
{
    struct row_writer plain = {0};
    while (n > 0 && is_filled(&plain, s, cells, n - 1))
        n--;
    return n;
}

static void csi(struct row_writer *w, int n, char final)
{
    outbuf_text(w->out, "\033[");
    if (n != 1)
        outbuf_uint(w->out, (uint32_t)n);
    outbuf_byte(w->out, (uint8_t) final);
}

/* The work on one row. */
struct row {
    struct row_writer *w;
    const struct screen *s;
    const struct gcell *cells;
    int n;    /* cells to write */
    int head; /* leftovers the row begins with, but for the last column */
    int cols;
    int x;         /* the terminal's cursor; cols when a wrap is pending */
    bool rare;     /* some empty cells have a pen: leftovers or strays are possible */
    bool same_pen; /* the terminal's pen is that of number `pen` */
    uint32_t pen;
};

static void move_to(struct row *r, int x)
{
    if (x == r->x)
        return;
    if (x == 0)
        outbuf_byte(r->w->out, '\r');
    else if (r->x < r->cols && x > r->x)
        csi(r->w, x - r->x, 'C');
    else
        csi(r->w, x + 1, 'G');
    r->x = x;
}

/* True for an empty cell with more than a background: what is left when the other half of a wide
 * character was written over keeps the pen of what did that. */
static bool is_leftover(const struct row *r, int col)
{
    if (col < 0 || col >= r->n || !is_empty(&r->cells[col]) || r->cells[col].pen == 0)
        return false;
    struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
    bool after_wide = GLYPH_WIDTH(r->cells[col].glyph) == 0;
    return !after_wide && !is_erased(&pen) && !raw_pen_equal(&pen, &r->w->fill);
}

/* Makes a leftover the way it came about; `half` is the column the other half is written to. */
static void write_leftover(struct row *r, int col, int half)
{
    struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
    int first = int_min(col, half);
    row_writer_reset(r->w);
    move_to(r, first);
    outbuf_text(r->w->out, DUMMY_WIDE);
    r->x = first + 2;
    move_to(r, half);
    set_cell_pen(r->w, r->s, &pen);
    outbuf_byte(r->w->out, ' ');
    r->x = half + 1;
}

static void write_stray(struct row *r, int col)
{
    struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
    move_to(r, col - 2);
    set_cell_pen(r->w, r->s, &pen);
    outbuf_text(r->w->out, DUMMY_WIDE);
    r->x = col;
    move_to(r, col - 1);
    row_writer_reset(r->w);
    outbuf_text(r->w->out, "\033[@");
}

/* Leftovers and strays come first, because making one spoils the cells beside it: leftovers at the
 * start of the row the one behind, all others the one before. */
static bool write_leftovers(struct row *r)
{
    bool any = r->head > 0;
    if (!r->rare)
        return false;
    for (int col = 2; col < r->n; col++) {
        if (!is_stray(r->cells, col) || !is_empty(&r->cells[col - 1]))
            continue;
        write_stray(r, col);
        any = true;
    }
    for (int col = 0; col < r->head; col++)
        write_leftover(r, col, col + 1);
    for (int col = r->n - 1; col > r->head; col--) {
        if (!is_leftover(r, col))
            continue;
        write_leftover(r, col, col - 1);
        any = true;
    }
    return any;
}

static bool is_spoiled(const struct row *r, int col)
{
    if (!r->rare)
        return false;
    if (is_leftover(r, col + 1) || (r->head && col == r->head))
        return true;
    return (col + 1 < r->n && is_stray(r->cells, col + 1)) ||
           (col + 2 < r->n && is_stray(r->cells, col + 2));
}

static void erase_run(struct row *r, int col, int n, const struct raw_pen *pen)
{
    move_to(r, col);
    row_writer_set_pen(r->w, r->s, pen);
    r->same_pen = false;
    csi(r->w, n, 'X');
}

/* Writes the empty cells from col on that share a pen; returns the column behind them. */
static int write_empty(struct row *r, int col)
{
    struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
    int end = col + 1;
    if (is_stray(r->cells, col))
        return end;
    while (end < r->n && is_empty(&r->cells[end]) && r->cells[end].pen == r->cells[col].pen &&
           !is_stray(r->cells, end))
        end++;
    if (!raw_pen_equal(&pen, &r->w->fill) && is_erased(&pen)) {
        erase_run(r, col, end - col, &pen);
        return end;
    }
    for (int i = col; i < end; i++)
        if (is_spoiled(r, i) && !is_leftover(r, i))
            erase_run(r, i, 1, &r->w->fill);
    return end;
}

static void write_text(struct row *r, int col)
{
    if (!r->same_pen || r->pen != r->cells[col].pen) {
        struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
        set_cell_pen(r->w, r->s, &pen);
        r->same_pen = true;
        r->pen = r->cells[col].pen;
    }
    row_put_text(r->w->out, r->s, r->cells[col].glyph);
}

/* Writes the character at col; returns the column behind it. */
static int write_char(struct row *r, int col)
{
    int width = (int)GLYPH_WIDTH(r->cells[col].glyph);
    move_to(r, col);
    if (width == 0) /* must not join what is before it */
        csi(r->w, col + 1, 'G');
    write_text(r, col);
    r->x = col + (width ? width : 1);
    if (width != 2)
        return col + 1;
    if (col + 2 == r->cols && screen_glyph_has_content(r->cells[col + 1].glyph)) {
        /* Without autowrap the last column is written over again and again, also the second half
         * of a wide character there. */
        outbuf_text(r->w->out, "\033[?7l");
        write_text(r, col + 1);
        outbuf_text(r->w->out, "\033[?7h");
    }
    return col + 2;
}

/* A wide character that finds no room in the last column without autowrap is dropped, but what
 * combines with it then lands on the cell before, which becomes two columns wide with nothing
 * behind it. True for such a cell; it is made when the rest of the row is there. */
static bool is_overgrown(const struct screen *s, const struct gcell *cells, int cols)
{
    uint32_t cps[CLUSTER_MAX + 1];
    const struct gcell *cell = &cells[cols - 2];
    return GLYPH_WIDTH(cell->glyph) == 2 && screen_glyph_text(s, cell->glyph, cps) &&
           screen_width(cps[0]) != 2;
}

static void write_overgrown(struct row *r)
{
    uint32_t cps[CLUSTER_MAX + 1];
    int col = r->cols - 2;
    struct raw_pen pen = screen_pen_at(r->s, r->cells[col].pen);
    size_t n = screen_glyph_text(r->s, r->cells[col].glyph, cps);
    size_t first = screen_width(cps[0]) ? 1 : 0; /* it may also have been an empty cell */
    if (first) {
        move_to(r, col);
        set_cell_pen(r->w, r->s, &pen);
        put_characters(r->w->out, cps, 1);
    } else {
        erase_run(r, col, 1, &pen);
    }
    outbuf_printf(r->w->out, "\033[%dG\033[?7l" DUMMY_WIDE, r->cols);
    put_characters(r->w->out, cps + first, n - first);
    outbuf_text(r->w->out, "\033[?7h");
    r->x = r->cols - 1;
}

/* True when an empty cell has a pen, or is the second half of a wide character that is not there.
 */
static bool has_rare(const struct gcell *cells, int n)
{
    for (int col = 0; col < n; col++)
        if (is_empty(&cells[col]) && (cells[col].pen != 0 || is_stray(cells, col)))
            return true;
    return false;
}

static void measure(struct row *r)
{
    r->rare = has_rare(r->cells, r->n);
    while (r->n > 0 && is_filled(r->w, r->s, r->cells, r->n - 1))
        r->n--;
    while (r->head < r->cols - 1 && is_leftover(r, r->head))
        r->head++;
    if (r->head && r->n == r->head)
        r->n++; /* the one behind is spoiled */
}

void row_write(struct row_writer *w, const struct screen *s, const struct gcell *cells, int n,
               int cols)
{
    struct row r = {.w = w, .s = s, .cells = cells, .n = int_min(n, cols), .cols = cols};
    measure(&r);
    if (write_leftovers(&r))
        move_to(&r, 0);
    bool overgrown = n == cols && is_overgrown(s, cells, cols);
    for (int col = 0; col < r.n;) {
        if (overgrown && col == cols - 2)
            col++;
        else if (is_empty(&cells[col]))
            col = write_empty(&r, col);
        else
            col = write_char(&r, col);
    }
    if (overgrown)
        write_overgrown(&r);
}

bool row_is_full(const struct screen *s, const struct gcell *cells, int cols)
{
    if (is_overgrown(s, cells, cols))
        return false;
    if (screen_glyph_has_content(cells[cols - 1].glyph))
        return true;
    return GLYPH_WIDTH(cells[cols - 1].glyph) == 0 && GLYPH_WIDTH(cells[cols - 2].glyph) == 2;
}

bool row_starts(const struct screen *s, const struct gcell *cells, int cols)
{
    struct row_writer plain = {0};
    struct row r = {.w = &plain, .s = s, .cells = cells, .n = cols, .cols = cols};
    struct raw_pen pen = screen_pen_at(s, cells[0].pen);
    if (is_empty(&cells[0]) || GLYPH_WIDTH(cells[0].glyph) == 0 || !row_pen_is_plain(&pen))
        return false;
    if (!has_rare(cells, cols))
        return true;
    for (int col = 1; col < cols; col++)
        if (is_leftover(&r, col) || is_stray(cells, col))
            return false;
    return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

const struct gcell *row_reader_read(struct row_reader *r, const struct scroll_line *line,
                                    const struct screen **owner)
{
    if (r->scratch && r->scratch->cols != line->cols)
        row_reader_clear(r);
    if (!r->scratch)
        r->scratch = screen_create(line->cols, SCREEN_ROWS_MIN, 0, NULL, NULL);
    struct screen *s = r->scratch;
    if (!s)
        return NULL;
    /* The line is never put into the grid, which so stays empty for the next one. */
    screen_feed_bench(s, (const uint8_t *)"\033[H", 3);
    screen_feed_bench(s, line->text, line->len);
    grid_get_row(s->main.grid, 0, s->row_cells);
    grid_discard(s->main.grid);
    *owner = s;
    return s->row_cells;
}

void row_reader_clear(struct row_reader *r)
{
    screen_destroy(r->scratch);
    r->scratch = NULL;
}
