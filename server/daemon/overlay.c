/* Layout: lines are measured, a form is chosen (box, box and code, full width, code alone), then
 * drawn. A form is a handful of numbers; nothing is kept between draws. */
#include "server/daemon/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/secret.h"
#include "proto/utf8.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/qr.h"

#define BORDER_COLS 4 /* a line and a blank on both sides */
#define BORDER_ROWS 2
#define BESIDE_GAP  2
#define NOTE_MAX    96

static const struct pen pen_code = {.fg = COLOR_KIND_256 | 16, .bg = COLOR_KIND_256 | 231};
static const struct pen pen_title = {.flags = PEN_BOLD};
static const struct pen pen_note = {.flags = PEN_DIM};

/* --- opening and closing -------------------------------------------------------------------- */

bool overlay_is_open(const struct overlay *o)
{
    return o->title != NULL;
}

void overlay_close(struct overlay *o)
{
    if (o->text.p)
        secret_wipe(o->text.p, o->text.cap);
    outbuf_clear(&o->text);
    if (o->qr)
        secret_wipe(o->qr, sizeof *o->qr);
    free(o->qr);
    *o = (struct overlay){0};
}

void overlay_open_text(struct overlay *o, const char *title, const char *text, size_t n)
{
    overlay_close(o);
    o->title = title;
    o->scrolls = true;
    outbuf_put(&o->text, text, n);
}

/* Where the link of a line begins: after "role: "; the line's length when it has none. */
static size_t link_start(const char *line, size_t n)
{
    for (size_t i = 0; i + 3 <= n; i++) {
        if (memcmp(line + i, "://", 3) != 0)
            continue;
        while (i > 0 && line[i - 1] > ' ' && line[i - 1] < 0x7f)
            i--;
        return i;
    }
    return n;
}

/* The next line of text from *at on; false at the end. */
static bool next_line(const struct outbuf *text, size_t *at, const char **line, size_t *n)
{
    if (*at >= text->len)
        return false;
    *line = (const char *)text->p + *at;
    const char *end = memchr(*line, '\n', text->len - *at);
    *n = end ? (size_t)(end - *line) : text->len - *at;
    *at += *n + (end != NULL);
    return true;
}

static void encode_first_link(struct overlay *o)
{
    const char *line;
    size_t at = 0, n, start = 0;

    do {
        if (!next_line(&o->text, &at, &line, &n))
            return;
        start = link_start(line, n);
    } while (start == n);
    o->qr = malloc(sizeof *o->qr);
    if (o->qr && qr_encode(o->qr, line + start, n - start) == ERR_OK)
        return;
    free(o->qr);
    o->qr = NULL;
    o->no_qr = "the link is too long for a QR code";
}

void overlay_open_links(struct overlay *o, const char *title, const char *text, size_t n, bool utf8)
{
    overlay_close(o);
    o->title = title;
    if (outbuf_reserve(&o->text, n))
        outbuf_put(&o->text, text, n);
    if (utf8)
        encode_first_link(o);
    else
        o->no_qr = "a QR code needs a UTF-8 terminal";
}

/* --- measuring ------------------------------------------------------------------------------ */

struct lines {
    uint16_t count;
    uint16_t cols; /* of the longest */
};

static struct lines measure(const struct overlay *o)
{
    struct lines m = {0};
    const char *line;
    size_t at = 0, n;

    while (next_line(&o->text, &at, &line, &n)) {
        uint16_t cols = frame_text_cols(line, n);
        m.cols = cols > m.cols ? cols : m.cols;
        m.count++;
    }
    return m;
}

/* Rows that the lines take when links have rows of their own of full width. */
static uint16_t full_width_rows(const struct overlay *o, uint16_t cols)
{
    uint16_t rows = 0;
    const char *line;
    size_t at = 0, n;

    while (next_line(&o->text, &at, &line, &n)) {
        size_t start = link_start(line, n);
        rows = (uint16_t)(rows + (start > 0) + (n - start + cols - 1) / cols);
    }
    return rows;
}

enum form {
    FORM_BOX,       /* text in a box */
    FORM_BESIDE,    /* and the code to its right */
    FORM_BELOW,     /* or below */
    FORM_FULL,      /* links over the full width */
    FORM_FULL_CODE, /* and the code below */
    FORM_PAGE,      /* lines over everything, as many as there is room for */
};

struct layout_choice {
    enum form form;
    uint16_t quiet;     /* of the code */
    bool own_page;      /* the code has no room here, but alone it has */
    uint16_t need_rows; /* what the terminal lacks for it */
};

static bool code_fits(const struct overlay *o, uint16_t quiet, int cols, int rows)
{
    return o->qr && qr_cols(o->qr, quiet) <= cols && qr_rows(o->qr, quiet) <= rows;
}

/* The widest quiet zone for which the code fits; 0 when it does not. */
static uint16_t fitting_quiet(const struct overlay *o, int cols, int rows)
{
    if (code_fits(o, QR_QUIET, cols, rows))
        return QR_QUIET;
    return code_fits(o, QR_QUIET_MIN, cols, rows) ? QR_QUIET_MIN : 0;
}

static struct layout_choice choose(const struct overlay *o, uint16_t cols, uint16_t rows)
{
    struct layout_choice c = {.form = FORM_BOX};
    struct lines m = measure(o);
    bool boxed = m.cols + BORDER_COLS <= cols && m.count + BORDER_ROWS + 1 <= rows;

    if (o->scrolls) {
        c.form = boxed ? FORM_BOX : FORM_PAGE;
        return c;
    }
    if (boxed) {
        c.quiet = fitting_quiet(o, cols - m.cols - BORDER_COLS - BESIDE_GAP, rows - BORDER_ROWS);
        if (c.quiet)
            c.form = FORM_BESIDE;
        else if ((c.quiet = fitting_quiet(o, cols - BORDER_COLS, rows - m.count - BORDER_ROWS)))
            c.form = FORM_BELOW;
    } else {
        m.count = (uint16_t)(full_width_rows(o, cols) + 2); /* title and note */
        c.quiet = fitting_quiet(o, cols, rows - m.count);
        c.form = c.quiet ? FORM_FULL_CODE : FORM_FULL;
    }
    if (c.quiet || !o->qr)
        return c;
    c.own_page = fitting_quiet(o, cols, rows) != 0;
    c.need_rows = qr_rows(o->qr, QR_QUIET_MIN);
    return c;
}

void overlay_advance(struct overlay *o, uint16_t cols, uint16_t rows)
{
    if (!o->code_page && choose(o, cols, rows).own_page)
        o->code_page = true;
    else
        overlay_close(o);
}

bool overlay_scroll(struct overlay *o, uint16_t cols, uint16_t rows, int by)
{
    struct layout_choice c = choose(o, cols, rows);
    int lines = measure(o).count, most = lines - (rows > 1 ? rows - 1 : 1);
    int top = o->top + by;

    if (c.form != FORM_PAGE || most <= 0)
        return false;
    o->top = (uint16_t)(top < 0 ? 0 : top > most ? most : top);
    return true;
}

/* --- drawing -------------------------------------------------------------------------------- */

struct place {
    uint16_t row, col, rows, cols;
};

static void clear_area(struct frame *f, uint16_t rows)
{
    for (uint16_t row = 0; row < rows; row++)
        frame_blank_row(f, row);
}

/* Half of a wide character beside the box becomes a blank when the frame is fitted. */
static void draw_box(struct frame *f, const struct place *b, const char *title)
{
    uint16_t bottom = (uint16_t)(b->row + b->rows - 1), right = (uint16_t)(b->col + b->cols - 1);

    for (uint16_t row = b->row; row <= bottom; row++) {
        bool edge = row == b->row || row == bottom;
        frame_fill(f, row, b->col, b->cols, &frame_pen_default);
        f->wraps[row] = false;
        for (uint16_t col = b->col; edge && col <= right; col++)
            frame_text(f, row, col, f->cols, &frame_pen_default, "─", 3);
        const char *corners = row == b->row ? "┌┐" : row == bottom ? "└┘" : "││";
        frame_text(f, row, b->col, f->cols, &frame_pen_default, corners, 3);
        frame_text(f, row, right, f->cols, &frame_pen_default, corners + 3, 3);
    }
    if (b->row > 0)
        f->wraps[b->row - 1] = false;
    uint16_t col = frame_text(f, b->row, (uint16_t)(b->col + 2), right, &pen_title, " ", 1);
    col = frame_text(f, b->row, col, right, &pen_title, title, strlen(title));
    frame_text(f, b->row, col, right, &pen_title, " ", 1);
}

static void draw_code(const struct qr *q, uint16_t quiet, struct frame *f, uint16_t row,
                      uint16_t col)
{
    for (uint16_t y = 0; y < qr_rows(q, quiet); y++) {
        for (uint16_t x = 0; x < qr_cols(q, quiet); x++) {
            const char *block = qr_cell(q, quiet, x, y);
            frame_text(f, (uint16_t)(row + y), (uint16_t)(col + x), f->cols, &pen_code, block,
                       strlen(block));
        }
    }
}

/* The last line: what a key does, and why there is no code. */
static void note_text(const struct overlay *o, const struct layout_choice *c, char note[NOTE_MAX])
{
    if (c->own_page)
        snprintf(note, NOTE_MAX, "any key: QR code");
    else if (o->qr && !c->quiet)
        snprintf(note, NOTE_MAX, "any key closes · QR code needs %u columns × %u rows",
                 (unsigned)qr_cols(o->qr, QR_QUIET_MIN), (unsigned)c->need_rows + 1);
    else if (o->no_qr)
        snprintf(note, NOTE_MAX, "any key closes · %s", o->no_qr);
    else
        snprintf(note, NOTE_MAX, "any key closes");
}

static void draw_boxed_lines(const struct overlay *o, struct frame *f, const struct place *b)
{
    uint16_t row = (uint16_t)(b->row + 1), col = (uint16_t)(b->col + 2);
    const char *line;
    size_t at = 0, n;

    while (next_line(&o->text, &at, &line, &n))
        frame_text(f, row++, col, (uint16_t)(b->col + b->cols - 2), &frame_pen_default, line, n);
}

static void draw_boxed(const struct overlay *o, const struct layout_choice *c, struct frame *f,
                       uint16_t rows)
{
    char note[NOTE_MAX];
    struct lines m = measure(o);
    uint16_t note_cols, code_cols = c->quiet ? qr_cols(o->qr, c->quiet) : 0;
    uint16_t code_rows = c->quiet ? qr_rows(o->qr, c->quiet) : 0, inner = m.cols, high = m.count;

    note_text(o, c, note);
    note_cols = (uint16_t)(frame_text_cols(note, strlen(note)) + 2);
    if (c->form == FORM_BESIDE) {
        inner = (uint16_t)(m.cols + BESIDE_GAP + code_cols);
        high = code_rows > high ? code_rows : high;
    } else if (c->form == FORM_BELOW) {
        inner = code_cols > inner ? code_cols : inner;
        high = (uint16_t)(high + code_rows);
    }
    inner = note_cols > inner ? note_cols : inner;
    inner = inner + BORDER_COLS > f->cols ? (uint16_t)(f->cols - BORDER_COLS) : inner;
    struct place b = {.rows = (uint16_t)(high + BORDER_ROWS),
                      .cols = (uint16_t)(inner + BORDER_COLS)};
    b.row = (uint16_t)((rows - b.rows) / 2);
    b.col = (uint16_t)((f->cols - b.cols) / 2);
    draw_box(f, &b, o->title);
    draw_boxed_lines(o, f, &b);
    frame_text(f, (uint16_t)(b.row + b.rows - 1), (uint16_t)(b.col + 3),
               (uint16_t)(b.col + b.cols - 1), &pen_note, note, strlen(note));
    if (c->form == FORM_BESIDE)
        draw_code(o->qr, c->quiet, f, (uint16_t)(b.row + 1),
                  (uint16_t)(b.col + b.cols - 2 - code_cols));
    else if (c->form == FORM_BELOW)
        draw_code(o->qr, c->quiet, f, (uint16_t)(b.row + 1 + m.count), (uint16_t)(b.col + 2));
}

/* A link from the first column on, over as many rows as it needs; returns the row after it. Links
 * are ASCII, so columns are bytes. */
static uint16_t draw_link(struct frame *f, uint16_t row, uint16_t end, const char *link, size_t n)
{
    for (size_t at = 0; at < n && row < end; at += f->cols, row++) {
        size_t part = n - at < f->cols ? n - at : f->cols;
        frame_text(f, row, 0, f->cols, &frame_pen_default, link + at, part);
        f->wraps[row] = at + part < n && row + 1 < end;
    }
    return row;
}

static void draw_full(const struct overlay *o, const struct layout_choice *c, struct frame *f,
                      uint16_t rows)
{
    char note[NOTE_MAX];
    const char *line;
    size_t at = 0, n;
    uint16_t row = 0;

    clear_area(f, rows);
    note_text(o, c, note);
    frame_text(f, row++, 0, f->cols, &pen_title, o->title, strlen(o->title));
    while (row < rows && next_line(&o->text, &at, &line, &n)) {
        size_t start = link_start(line, n);
        if (start > 0)
            frame_text(f, row++, 0, f->cols, &frame_pen_default, line, start);
        row = draw_link(f, row, rows, line + start, n - start);
    }
    if (row < rows)
        frame_text(f, row++, 0, f->cols, &pen_note, note, strlen(note));
    if (c->form == FORM_FULL_CODE)
        draw_code(o->qr, c->quiet, f, row, 0);
}

/* Lines from the top one on, and below them which these are. */
static void draw_page(const struct overlay *o, struct frame *f, uint16_t rows)
{
    uint16_t row = 0, line_number = 0, count = measure(o).count;
    char note[NOTE_MAX];
    const char *line;
    size_t at = 0, n;

    clear_area(f, rows);
    while (row + 1 < rows && next_line(&o->text, &at, &line, &n))
        if (line_number++ >= o->top)
            frame_text(f, row++, 0, f->cols, &frame_pen_default, line, n);
    snprintf(note, sizeof note, "%s · lines %u to %u of %u · arrows and pages scroll, q closes",
             o->title, o->top + 1u, (unsigned)o->top + row, (unsigned)count);
    frame_text(f, (uint16_t)(rows - 1), 0, f->cols, &pen_note, note, strlen(note));
}

static void draw_code_page(const struct overlay *o, struct frame *f, uint16_t rows)
{
    uint16_t quiet = fitting_quiet(o, f->cols, rows);

    clear_area(f, rows);
    if (quiet == 0) {
        static const char gone[] = "QR code: no room any more";
        frame_text(f, 0, 0, f->cols, &pen_note, gone, strlen(gone));
        return;
    }
    draw_code(o->qr, quiet, f, (uint16_t)((rows - qr_rows(o->qr, quiet)) / 2),
              (uint16_t)((f->cols - qr_cols(o->qr, quiet)) / 2));
}

void overlay_draw(const struct overlay *o, struct frame *f, uint16_t rows)
{
    if (!overlay_is_open(o))
        return;
    rows = rows < f->rows ? rows : f->rows;
    f->cursor.visible = false;
    struct layout_choice c = choose(o, f->cols, rows);
    if (o->code_page)
        draw_code_page(o, f, rows);
    else if (c.form == FORM_PAGE)
        draw_page(o, f, rows);
    else if (c.form == FORM_FULL || c.form == FORM_FULL_CODE)
        draw_full(o, &c, f, rows);
    else
        draw_boxed(o, &c, f, rows);
}
