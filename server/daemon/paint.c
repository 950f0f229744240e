/* The differ. It keeps a model of the terminal (cells, cursor, pen, open link) that every writing
 * function updates; a part of the model that is not certain is marked unknown and set explicitly
 * before it matters. */
#include "server/daemon/paint.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/ipc_msg.h"
#include "server/daemon/paint_fit.h"
#include "server/daemon/paint_scroll.h"

#define GAP_MAX 3 /* unchanged cells that are cheaper to write than to jump over */

struct paint {
    unsigned flags;
    paint_link_fn *link_fn;
    void *ctx;
    struct frame shown; /* what the terminal shows, fitted */
    struct frame next;
    bool known;
    uint16_t x, y; /* the terminal's cursor */
    bool x_known;
    bool y_known;
    struct pen pen;
    bool pen_known;
    uint32_t link; /* open now */
    bool cursor_visible;
    uint8_t cursor_shape;
    bool cursor_known;
    bool wrapping; /* the last column of the row above was just printed */
    unsigned jumps;
    struct outbuf body;
};

struct paint *paint_create(unsigned flags, paint_link_fn *link, void *ctx)
{
    struct paint *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->flags = flags;
    p->link_fn = link;
    p->ctx = ctx;
    return p;
}

static void wipe_body(struct paint *p)
{
    if (p->body.p)
        secret_wipe(p->body.p, p->body.cap);
    outbuf_reset(&p->body);
}

void paint_destroy(struct paint *p)
{
    if (!p)
        return;
    wipe_body(p);
    outbuf_clear(&p->body);
    frame_clear(&p->next);
    frame_clear(&p->shown);
    free(p);
}

struct frame *paint_begin(struct paint *p, uint16_t cols, uint16_t rows)
{
    if (cols == 0 || rows == 0 || !frame_resize(&p->next, cols, rows))
        return NULL;
    return &p->next;
}

static bool shown_is_known(const struct paint *p)
{
    return p->known && p->shown.cols == p->next.cols && p->shown.rows == p->next.rows;
}

bool paint_keep(struct paint *p, uint16_t row)
{
    if (!shown_is_known(p))
        return false;
    memcpy(frame_row(&p->next, row), frame_row(&p->shown, row), p->next.cols * sizeof(struct cell));
    p->next.wraps[row] = p->shown.wraps[row];
    return true;
}

void paint_invalidate(struct paint *p)
{
    p->known = false;
}

void paint_wipe(struct paint *p)
{
    wipe_body(p);
    if (p->next.cells)
        frame_blank(&p->next);
}

/* --- the terminal's state ------------------------------------------------------------------- */

/* CSI a ; b final, with what is 1 left out. */
static void csi(struct paint *p, unsigned a, unsigned b, char final)
{
    outbuf_text(&p->body, "\033[");
    if (a > 1)
        outbuf_uint(&p->body, a);
    if (b > 1) {
        outbuf_byte(&p->body, ';');
        outbuf_uint(&p->body, b);
    }
    outbuf_byte(&p->body, (uint8_t) final);
}

static void move_in_row(struct paint *p, uint16_t x)
{
    if (x == 0)
        outbuf_byte(&p->body, '\r');
    else if (p->x_known && x > p->x)
        csi(p, x - p->x, 1, 'C');
    else if (p->x_known && p->x - x <= GAP_MAX)
        outbuf_put(&p->body, "\b\b\b", p->x - x);
    else
        csi(p, x + 1u, 1, 'G');
}

/* A line feed ends the line it leaves: not where that goes on. */
static void move_to(struct paint *p, uint16_t x, uint16_t y)
{
    if (p->x_known && p->y_known && p->x == x && p->y == y)
        return;
    if (p->y_known && p->y == y)
        move_in_row(p, x);
    else if (p->y_known && y == p->y + 1 && x == 0 && !p->next.wraps[p->y])
        outbuf_text(&p->body, "\r\n");
    else
        csi(p, y + 1u, x + 1u, 'H');
    p->x = x;
    p->y = y;
    p->x_known = p->y_known = true;
    p->jumps++;
}

static void set_pen(struct paint *p, const struct pen *pen)
{
    sgr_write(&p->body, p->pen_known ? &p->pen : NULL, pen);
    p->pen = *pen;
    p->pen_known = true;
}

/* Only what RFC 3986 allows in a URI may stand between the sequence's delimiters. */
static const char *link_target(struct paint *p, uint32_t link)
{
    const char *uri = link && p->link_fn ? p->link_fn(p->ctx, link) : NULL;

    for (const char *c = uri; c && *c; c++)
        if (*c <= 0x20 || *c >= 0x7f)
            return NULL;
    return uri;
}

/* OSC 8 with an id, so that a link drawn in pieces is one to the terminal. */
static void set_link(struct paint *p, uint32_t link)
{
    if (link == p->link)
        return;
    const char *uri = link_target(p, link);
    if (uri) {
        outbuf_text(&p->body, "\033]8;id=v");
        outbuf_uint(&p->body, link);
        outbuf_byte(&p->body, ';');
        outbuf_text(&p->body, uri);
        outbuf_text(&p->body, "\033\\");
    } else if (p->link) {
        outbuf_text(&p->body, "\033]8;;\033\\");
    }
    p->link = uri ? link : 0;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* True when the cell looks right in the pen the terminal has: of a fitted blank without decoration
 * only the background is seen. */
static bool pen_serves(const struct paint *p, const struct cell *c)
{
    const uint16_t seen = PEN_INVERSE | PEN_STRIKE | PEN_OVERLINE;

    if (!p->pen_known)
        return false;
    if (c->len == 1 && c->text[0] == ' ' && !c->pen.underline && !(c->pen.flags & seen))
        return p->pen.bg == c->pen.bg && !p->pen.underline && !(p->pen.flags & seen);
    return pen_equal(&p->pen, &c->pen);
}

static void put_cell(struct paint *p, const struct cell *c)
{
    set_link(p, c->pen.link);
    if (!pen_serves(p, c))
        set_pen(p, &c->pen);
    outbuf_put(&p->body, c->text, c->len);
    p->x = (uint16_t)(p->x + c->width);
    if (!paint_is_plain(c))
        p->x_known = p->y_known = false;
    else if (p->x >= p->next.cols)
        p->x_known = false;
}

static void erase_from(struct paint *p, uint16_t x, uint16_t y)
{
    move_to(p, x, y);
    set_pen(p, &frame_pen_default);
    csi(p, 1, 1, 'K');
}

/* The column from which on a row is blank. */
static uint16_t text_end(const struct cell *row, uint16_t cols)
{
    while (cols > 0 && paint_is_erased(&row[cols - 1]))
        cols--;
    return cols;
}

/* True when the unchanged cells from x up to `to` are better written again than jumped over. */
static bool bridge_gap(const struct paint *p, const struct cell *row, uint16_t x, uint16_t to)
{
    if (to - x > GAP_MAX)
        return false;
    for (; x < to; x++)
        if (row[x].len != 1 || row[x].width != 1 || !pen_serves(p, &row[x]) ||
            row[x].pen.link != p->link)
            return false;
    return true;
}

/* Brings the cursor to x, over the cells in between where that is shorter. */
static void approach(struct paint *p, const struct cell *row, uint16_t x, uint16_t y)
{
    if (p->x_known && p->y_known && p->y == y && p->x < x && bridge_gap(p, row, p->x, x))
        while (p->x < x)
            put_cell(p, &row[p->x]);
    move_to(p, x, y);
}

/* Row y stops going on in row y + 1: terminals forget that when either is erased at that edge
 * (which of them differs), so the last cell and all of the next row are drawn anew. */
static void break_wrap(struct paint *p, uint16_t y)
{
    struct cell *row = frame_row(&p->shown, y);
    uint16_t x = (uint16_t)(p->shown.cols - 1);

    x = (uint16_t)(x - (row[x].width == 0));
    erase_from(p, x, y);
    frame_fill(&p->shown, y, x, 2, &frame_pen_default);
    erase_from(p, 0, (uint16_t)(y + 1));
    frame_fill(&p->shown, (uint16_t)(y + 1), 0, p->shown.cols, &frame_pen_default);
    if (p->next.wraps[y + 1])
        p->shown.wraps[y + 1] = false; /* to be made again */
}

/* True when the end of row y and the begin of the next must be printed in one go: they changed, or
 * the row's blank end would be erased, which may end the wrap. */
static bool must_wrap(const struct paint *p, uint16_t y)
{
    const struct cell *next = frame_row(&p->next, y), *shown = frame_row(&p->shown, y);
    uint16_t cols = p->next.cols;

    if (!p->next.wraps[y])
        return false;
    uint16_t end = text_end(next, cols);
    end = end < cols ? end : (uint16_t)(cols - 1);
    return !p->shown.wraps[y] ||
           memcmp(next + end, shown + end, (size_t)(cols - end) * sizeof *next) != 0 ||
           !cell_equal(next + cols, shown + cols);
}

/* Prints the first cell of a row by autowrap from the last column of the row above. */
static void put_wrapped(struct paint *p, const struct cell *c, uint16_t y)
{
    p->x = 0;
    p->y = y;
    put_cell(p, c);
    p->x_known = p->y_known = false; /* until the cursor is placed */
}

static void paint_row(struct paint *p, uint16_t y)
{
    const struct cell *next = frame_row(&p->next, y), *shown = frame_row(&p->shown, y);
    uint16_t cols = p->next.cols, x = 0, end = text_end(next, cols);
    bool wrap = must_wrap(p, y);

    if (wrap)
        end = cols;
    if (p->wrapping) {
        put_wrapped(p, next, y);
        x = next->width;
        end = end > x ? end : x;
    }
    p->wrapping = wrap;
    for (; x < end; x = (uint16_t)(x + next[x].width)) {
        if (cell_equal(&next[x], &shown[x]) && !(wrap && x == cols - 1))
            continue;
        approach(p, next, x, y);
        put_cell(p, &next[x]);
    }
    while (end < cols && cell_equal(&next[end], &shown[end]))
        end++;
    if (end < cols)
        erase_from(p, end, y);
}

/* --- frames --------------------------------------------------------------------------------- */

static void scroll(struct paint *p)
{
    struct paint_scroll s;

    if (!paint_scroll_find(&p->shown, &p->next, &s))
        return;
    set_pen(p, &frame_pen_default); /* rows that come free take its background */
    csi(p, s.top + 1u, s.bottom + 1u, 'r');
    p->x_known = p->y_known = false;
    move_to(p, 0, s.up > 0 ? s.bottom : s.top);
    for (int i = abs(s.up); i > 0; i--)
        outbuf_text(&p->body, s.up > 0 ? "\n" : "\033M");
    csi(p, 1, 1, 'r');
    p->x_known = p->y_known = false;
    p->jumps++;
    paint_scroll_apply(&p->shown, &s);
}

/* From nothing: an empty screen in the default pen. */
static bool start_over(struct paint *p)
{
    if (!frame_resize(&p->shown, p->next.cols, p->next.rows))
        return false;
    frame_blank(&p->shown);
    outbuf_text(&p->body, "\033[r\033]8;;\033\\\033[m\033[H\033[2J");
    p->pen = frame_pen_default;
    p->link = 0;
    p->x = p->y = 0;
    p->pen_known = p->x_known = p->y_known = true;
    p->cursor_known = false;
    p->jumps = 2;
    return true;
}

static void paint_body(struct paint *p)
{
    for (uint16_t y = 0; y < p->next.rows; y++)
        if (p->shown.wraps[y] && !p->next.wraps[y])
            break_wrap(p, y);
    p->wrapping = false;
    for (uint16_t y = 0; y < p->next.rows; y++)
        paint_row(p, y);
    set_link(p, 0);
}

static void place_cursor(struct paint *p)
{
    struct frame_cursor *c = &p->next.cursor;

    c->x = c->x < p->next.cols ? c->x : (uint16_t)(p->next.cols - 1);
    c->y = c->y < p->next.rows ? c->y : (uint16_t)(p->next.rows - 1);
    if (c->visible)
        approach(p, frame_row(&p->next, c->y), c->x, c->y);
    if (c->shape != p->cursor_shape)
        outbuf_printf(&p->body, "\033[%u q", (unsigned)c->shape);
    p->cursor_shape = c->shape;
}

/* Hidden while more than one place is painted, shown last. */
static void write_out(struct paint *p, struct outbuf *out)
{
    bool visible = p->next.cursor.visible, was = p->cursor_visible || !p->cursor_known;
    bool hide = was && (!visible || p->jumps > 1);

    if (hide)
        outbuf_text(out, "\033[?25l");
    outbuf_put(out, p->body.p, p->body.len);
    if (visible && (hide || !was || !p->cursor_known))
        outbuf_text(out, "\033[?25h");
    p->cursor_visible = visible;
    p->cursor_known = true;
}

static void swap_frames(struct paint *p)
{
    struct frame old = p->shown;

    p->shown = p->next;
    p->next = old;
}

void paint_end(struct paint *p, struct outbuf *out)
{
    outbuf_reset(&p->body);
    p->jumps = 0;
    paint_fit(&p->next, p->flags);
    if (!shown_is_known(p)) {
        p->known = false;
        if (!start_over(p))
            return;
    } else {
        scroll(p);
    }
    paint_body(p);
    place_cursor(p);
    write_out(p, out);
    p->known = !p->body.bad && !out->bad;
    swap_frames(p);
}
