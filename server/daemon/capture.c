/* capture-pane: lines of a screen and its scrollback as plain text or with escape sequences. */
#include "server/daemon/screen_row.h"

#include <stdlib.h>
#include <string.h>

struct capture {
    struct screen *s;
    struct buffer *b;
    const struct capture_opts *o;
    struct outbuf *out;
    struct row_reader reader;
    struct pen pen; /* with -e: what the text so far left behind */
    uint32_t link;
    struct gcell *cells;
};

/* Number of cells to print: up to the last character, or the last cell that shows anything. */
static int shown_length(const struct capture *c, const struct screen *owner,
                        const struct gcell *cells, int n)
{
    bool keep = c->o->trailing || c->o->join;
    while (n > 0) {
        uint32_t glyph = cells[n - 1].glyph;
        bool space = !screen_glyph_has_content(glyph) && GLYPH_WIDTH(glyph) == 1;
        space = space || (!keep && glyph == GLYPH(' ', 1));
        if (!space)
            break;
        struct raw_pen pen = screen_pen_at(owner, cells[n - 1].pen);
        struct pen shown = raw_pen_show(&pen);
        if (c->o->escapes && (shown.bg || (shown.flags & PEN_INVERSE) || shown.underline))
            break;
        n--;
    }
    return n;
}

static void put_pen(struct capture *c, const struct screen *owner, const struct pen *pen)
{
    sgr_write(c->out, &c->pen, pen);
    if (pen->link != c->link) {
        const char *id = "";
        const char *uri = pen->link ? screen_link(owner, pen->link, &id) : NULL;
        outbuf_printf(c->out, "\033]8;%s%s;%s\033\\", uri && *id ? "id=" : "", uri ? id : "",
                      uri ? uri : "");
    }
    c->pen = *pen;
    c->link = pen->link;
}

static void put_cells(struct capture *c, const struct screen *owner, const struct gcell *cells,
                      int n)
{
    for (int col = 0; col < n; col++) {
        uint32_t glyph = cells[col].glyph;
        if (GLYPH_WIDTH(glyph) == 0 && !screen_glyph_has_content(glyph))
            continue;
        if (c->o->escapes) {
            struct raw_pen raw = screen_pen_at(owner, cells[col].pen);
            struct pen pen = raw_pen_show(&raw);
            put_pen(c, owner, &pen);
        }
        if (screen_glyph_has_content(glyph))
            row_put_text(c->out, owner, glyph);
        else
            outbuf_byte(c->out, ' ');
    }
}

/* Ends a line's pen, so that every line stands for itself. */
static void end_pen(struct capture *c, const struct screen *owner)
{
    static const struct pen plain;
    if (c->o->escapes)
        put_pen(c, owner, &plain);
}

/* Length of the SGR sequence that text begins with; 0 when it begins with something else. */
static size_t sgr_length(const uint8_t *text, size_t n)
{
    size_t at = 2;
    if (n < 3 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (at < n && text[at] >= '0' && text[at] <= ';')
        at++;
    return at < n && text[at] == 'm' ? at + 1 : 0;
}

/* Prints a line of scrollback whose text is characters and nothing else, or whose colours are not
 * asked for: they stand there in the order of the cells, so no terminal is needed to read them. Most
 * lines are like that. False, with nothing printed, for all others. */
static bool put_plain(struct capture *c, const struct scroll_line *line)
{
    size_t mark = c->out->len;
    bool keep = c->o->trailing || c->o->join;
    for (size_t at = 0; at < line->len;) {
        size_t from = at;
        while (at < line->len && line->text[at] >= ' ' && line->text[at] != 0x7f)
            at++;
        outbuf_put(c->out, line->text + from, at - from);
        if (at == line->len)
            break;
        size_t skip = c->o->escapes ? 0 : sgr_length(line->text + at, line->len - at);
        if (skip == 0) {
            c->out->len = mark;
            return false;
        }
        at += skip;
    }
    while (!keep && c->out->len > mark && c->out->p[c->out->len - 1] == ' ')
        c->out->len--;
    return true;
}

/* Prints line i: 0 is the buffer's top row, negative is scrollback. */
static enum err put_line(struct capture *c, int64_t i)
{
    const struct screen *owner = c->s;
    const struct gcell *cells = c->cells;
    int n = c->s->cols;
    if (i >= 0) {
        grid_get_row(c->b->grid, (int)i, c->cells);
    } else {
        struct scroll_line line;
        if (!scroll_get(c->s->scroll, (uint64_t)((int64_t)scroll_end(c->s->scroll) + i), &line))
            return ERR_NOT_FOUND;
        if (put_plain(c, &line))
            return ERR_OK;
        cells = line.cols ? row_reader_read(&c->reader, &line, &owner) : c->cells;
        n = line.cols;
        if (!cells)
            return ERR_MEMORY;
    }
    put_cells(c, owner, cells, shown_length(c, owner, cells, n));
    end_pen(c, owner);
    return ERR_OK;
}

static bool goes_on(const struct capture *c, int64_t i)
{
    if (i + 1 >= 0)
        return i + 1 < c->s->rows && c->b->wrapped[i + 1];
    return screen_line_wrapped(c->s, (uint64_t)((int64_t)scroll_end(c->s->scroll) + i));
}

static int64_t clamp_line(int32_t line, int64_t oldest, int64_t last)
{
    if (line == CAPTURE_FIRST || line < oldest)
        return oldest;
    return line == CAPTURE_LAST || line > last ? last : line;
}

static enum err capture_lines(struct capture *c)
{
    bool scrolls = c->b == &c->s->main;
    int64_t oldest = scrolls ? -(int64_t)scroll_count(c->s->scroll) : 0;
    int64_t first = clamp_line(c->o->start, oldest, c->s->rows - 1);
    int64_t last = clamp_line(c->o->end, oldest, c->s->rows - 1);
    if (first > last) {
        int64_t swap = first;
        first = last;
        last = swap;
    }
    for (int64_t i = first; i <= last; i++) {
        enum err e = put_line(c, i);
        if (e != ERR_OK)
            return e;
        if (!(c->o->join && i < last && goes_on(c, i)))
            outbuf_byte(c->out, '\n');
    }
    return c->out->bad ? ERR_MEMORY : ERR_OK;
}

enum err screen_capture(struct screen *s, const struct capture_opts *o, struct outbuf *out)
{
    struct capture c = {.s = s, .b = s->active, .o = o, .out = out};
    if (o->alternate && s->active == &s->main)
        return ERR_NOT_FOUND;
    if (o->alternate)
        c.b = &s->main;
    c.cells = calloc((size_t)s->cols, sizeof *c.cells);
    if (!c.cells)
        return ERR_MEMORY;
    enum err e = capture_lines(&c);
    row_reader_clear(&c.reader);
    free(c.cells);
    return e;
}
