#include "server/daemon/screen_frozen.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/screen_row.h"
#include "server/daemon/screen_width.h"

/* A row that was shown. */
struct frozen_row {
    struct cell *cells; /* cols of them; NULL when memory ran out */
    bool continues;     /* the line above */
};

struct screen_frozen {
    struct screen *screen; /* NULL once it is gone */
    struct scroll_hold *hold;
    uint64_t first; /* number of line 0 */
    uint32_t history;
    uint16_t rows;
    uint16_t cols;
    struct frozen_row *shown;
    struct row_reader reader;
    struct cell *cells; /* of the line read last, of history */
    uint32_t cells_cap;
    struct screen_frozen *next; /* of the screen */
};

/* --- life ----------------------------------------------------------------------------------- */

static void copy_rows(struct screen_frozen *f, struct screen *s)
{
    for (uint16_t row = 0; row < f->rows; row++) {
        const struct cell *cells = screen_row(s, row);
        struct frozen_row *to = &f->shown[row];

        to->continues = s->active->wrapped[row];
        to->cells = cells ? malloc(f->cols * sizeof *cells) : NULL;
        if (to->cells)
            memcpy(to->cells, cells, f->cols * sizeof *cells);
    }
}

struct screen_frozen *screen_freeze(struct screen *s)
{
    struct screen_frozen *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->rows = screen_rows(s);
    f->cols = screen_cols(s);
    f->shown = calloc(f->rows, sizeof *f->shown);
    f->hold = f->shown ? scroll_hold(s->scroll) : NULL;
    if (!f->hold) {
        free(f->shown);
        free(f);
        return NULL;
    }
    f->first = scroll_hold_first(f->hold);
    f->history = (uint32_t)(scroll_hold_end(f->hold) - f->first);
    copy_rows(f, s);
    f->screen = s;
    f->next = s->frozen;
    s->frozen = f;
    return f;
}

void screen_frozen_orphan_all(struct screen *s)
{
    for (struct screen_frozen *f = s->frozen; f; f = f->next)
        f->screen = NULL;
    s->frozen = NULL;
}

void screen_frozen_mark_links(struct screen *s)
{
    for (const struct screen_frozen *f = s->frozen; f; f = f->next)
        for (uint16_t row = 0; row < f->rows; row++)
            for (uint16_t col = 0; f->shown[row].cells && col < f->cols; col++)
                intern_mark(&s->links, f->shown[row].cells[col].pen.link);
}

void screen_thaw(struct screen_frozen *f)
{
    if (!f)
        return;
    for (struct screen_frozen **at = f->screen ? &f->screen->frozen : NULL; at && *at;
         at = &(*at)->next) {
        if (*at != f)
            continue;
        *at = f->next;
        break;
    }
    for (uint16_t row = 0; row < f->rows; row++)
        free(f->shown[row].cells);
    free(f->shown);
    scroll_release(f->hold);
    row_reader_clear(&f->reader);
    free(f->cells);
    free(f);
}

uint32_t screen_frozen_lines(const struct screen_frozen *f)
{
    return f->history + f->rows;
}

uint16_t screen_frozen_rows(const struct screen_frozen *f)
{
    return f->rows;
}

/* --- cells ---------------------------------------------------------------------------------- */

static bool grow_cells(struct screen_frozen *f, uint32_t n)
{
    struct cell *grown;

    if (n <= f->cells_cap)
        return true;
    grown = realloc(f->cells, n * sizeof *grown);
    if (!grown)
        return false;
    f->cells = grown;
    f->cells_cap = n;
    return true;
}

/* Links of the scratch screen, by the numbers of the frozen one. */
static uint32_t adopt_link(const struct screen_frozen *f, const struct screen *owner, uint32_t link)
{
    size_t len;
    const void *text = link ? intern_get(&owner->links, link, &len) : NULL;

    return text && f->screen ? intern_add(&f->screen->links, text, len) : 0;
}

static const struct cell *history_cells(struct screen_frozen *f, uint32_t line, uint16_t *n)
{
    const struct screen *owner = NULL;
    struct scroll_line text;
    const struct gcell *cells;

    *n = 0;
    scroll_hold_get(f->hold, f->first + line, &text);
    if (text.cols == 0 || !grow_cells(f, text.cols))
        return NULL;
    cells = row_reader_read(&f->reader, &text, &owner);
    if (!cells)
        return NULL;
    *n = text.cols;
    for (uint16_t col = 0; col < *n; col++) {
        screen_show_cell(owner, &cells[col], &f->cells[col]);
        f->cells[col].pen.link = adopt_link(f, owner, f->cells[col].pen.link);
    }
    return f->cells;
}

const struct cell *screen_frozen_cells(struct screen_frozen *f, uint32_t line, uint16_t *n)
{
    *n = f->cols;
    if (line < f->history)
        return history_cells(f, line, n);
    return line - f->history < f->rows ? f->shown[line - f->history].cells : NULL;
}

/* --- text ----------------------------------------------------------------------------------- */

/* The number before a final byte, 1 when there is none; *at is left on the final byte. */
static uint32_t number(const uint8_t *p, size_t n, size_t *at)
{
    uint32_t v = 0;

    for (; *at < n && p[*at] >= '0' && p[*at] <= '9' && v < UINT16_MAX; (*at)++)
        v = v * 10 + (p[*at] - '0');
    return v ? v : 1;
}

/* Passes over an escape sequence at *at that leaves the text as it is, or moves right. False for
 * any other. */
static bool skip_sequence(const uint8_t *p, size_t n, size_t *at, uint16_t *x)
{
    size_t i = *at + 2;

    if (*at + 2 >= n)
        return false;
    if (p[*at + 1] == ']') {
        const uint8_t *end = memchr(p + i, '\a', n - i);

        if (!end)
            return false;
        *at = (size_t)(end - p) + 1;
        return true;
    }
    if (p[*at + 1] != '[')
        return false;
    uint32_t v = number(p, n, &i);
    while (i < n && (p[i] == ';' || p[i] == ':' || (p[i] >= '0' && p[i] <= '9')))
        i++;
    if (i >= n || (p[i] != 'm' && p[i] != 'C' && p[i] != 'X'))
        return false;
    if (p[i] == 'C')
        *x = (uint16_t)(*x + v);
    *at = i + 1;
    return true;
}

static size_t ascii_run(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (i < n && p[i] >= 0x20 && p[i] < 0x7f)
        i++;
    return i;
}

/* Reads a line's text without a terminal, which is what nearly all lines allow. False when this one
 * goes back and writes over itself. */
static bool read_plain(const struct scroll_line *line, struct line_text *out)
{
    const uint8_t *p = line->text;
    uint16_t x = 0;

    for (size_t at = 0; at < line->len;) {
        uint32_t cp;
        size_t used;

        if (p[at] == 0x1b) {
            if (!skip_sequence(p, line->len, &at, &x))
                return false;
            continue;
        }
        used = ascii_run(p + at, line->len - at);
        if (used > 0 && used < UINT16_MAX / 2u) {
            line_text_pad(out, x);
            line_text_put_ascii(out, (const char *)p + at, used);
            x = (uint16_t)(x + used);
            at += used;
            continue;
        }
        used = utf8_decode(p + at, line->len - at, &cp);
        unsigned width = used && cp >= 0x20 ? screen_width(cp) : 3;
        if (width > 2 || (width == 0 && x == 0) || x > line->cols)
            return false;
        line_text_pad(out, x);
        line_text_put(out, (const char *)p + at, used, width);
        x = (uint16_t)(x + width);
        at += used;
    }
    return true;
}

static void put_cells(const struct cell *cells, uint16_t n, struct line_text *out)
{
    for (uint16_t col = 0; col < n; col++) {
        unsigned width = cells[col].width == 2 && col + 1 < n ? 2 : 1;

        if (cells[col].len == 0)
            continue;
        line_text_pad(out, col);
        line_text_put(out, cells[col].text, cells[col].len, width);
    }
}

static bool goes_on(const struct screen_frozen *f, uint32_t line)
{
    struct scroll_line next;

    line++;
    if (line >= f->history)
        return line - f->history < f->rows && f->shown[line - f->history].continues;
    return scroll_hold_get(f->hold, f->first + line, &next) && next.wrapped;
}

void screen_frozen_text(struct screen_frozen *f, uint32_t line, struct line_text *out)
{
    struct scroll_line text;
    uint16_t n;

    line_text_begin(out);
    if (line >= screen_frozen_lines(f)) {
        line_text_end(out);
        return;
    }
    if (line >= f->history || !scroll_hold_get(f->hold, f->first + line, &text) ||
        !read_plain(&text, out)) {
        const struct cell *cells = screen_frozen_cells(f, line, &n);

        line_text_begin(out);
        if (cells)
            put_cells(cells, n, out);
    }
    out->goes_on = goes_on(f, line);
    line_text_end(out);
}
