#include "server/daemon/keyframe_lines.h"

static const struct raw_pen plain_pen;

void line_writer_init(struct line_writer *lw, struct outbuf *out, int cols, int rows)
{
    *lw = (struct line_writer){.w = {.out = out}, .cols = cols, .rows = rows, .first = true};
}

void line_writer_clear(struct line_writer *lw)
{
    row_reader_clear(&lw->reader);
}

void keyframe_line_of_scroll(struct keyframe_line *line, const struct screen *s, uint64_t number)
{
    *line = (struct keyframe_line){0};
    if (!scroll_get(s->scroll, number, &line->text))
        return;
    /* A line of another width does not continue one that now ends elsewhere. One of this width that
     * follows such a line may: resizing cleared the mark, but a deleted line can bring another up. */
    bool same = line->text.cols == s->cols;
    line->wrapped = line->text.wrapped && same;
    line->full = line->text.full && same;
    line->starts = line->text.starts;
}

void keyframe_line_of_row(struct keyframe_line *line, struct screen *s, struct buffer *b, int row,
                          struct gcell *cells)
{
    grid_get_row(b->grid, row, cells);
    *line = (struct keyframe_line){.cells = cells,
                                   .owner = s,
                                   .wrapped = b->wrapped[row],
                                   .full = row_is_full(s, cells, s->cols),
                                   .starts = row_starts(s, cells, s->cols)};
}

static void go_to_column(struct line_writer *lw, int col)
{
    outbuf_printf(lw->w.out, "\033[%dG", col + 1);
}

/* Makes the terminal wrap from this row into the next and come back, leaving both empty. */
static void mark_next_wrapped(struct line_writer *lw)
{
    struct outbuf *out = lw->w.out;
    row_writer_reset(&lw->w);
    if (lw->pending) {
        outbuf_text(out, " \r\033[X");
        lw->row = int_min(lw->row + 1, lw->rows - 1);
        lw->pending = false;
    }
    go_to_column(lw, lw->cols - 1);
    outbuf_text(out, "x \r\033[X\033[A");
    go_to_column(lw, lw->cols - 1);
    outbuf_text(out, "\033[X\r");
    lw->row = int_min(lw->row, lw->rows - 2);
}

/* The same for the very first line, whose predecessor is not there: SU takes that one away. */
static void mark_first_wrapped(struct line_writer *lw)
{
    go_to_column(lw, lw->cols - 1);
    outbuf_text(lw->w.out, "x \033[S\033[A\r\033[X");
}

/* A wrap that scrolls fills the new row with the background of the character that caused it. */
static void write_cells(struct line_writer *lw, const struct screen *owner,
                        const struct gcell *cells, int n, bool scrolls)
{
    struct raw_pen pen = screen_pen_at(owner, cells[0].pen);
    lw->w.fill = scrolls ? raw_pen_of_erase(&pen) : plain_pen;
    row_write(&lw->w, owner, cells, n, lw->cols);
    lw->w.fill = plain_pen;
}

static void write_scroll_line(struct line_writer *lw, const struct keyframe_line *line,
                              bool scrolls)
{
    const struct scroll_line *text = &line->text;
    row_writer_reset(&lw->w);
    if (text->cols <= lw->cols && !(scrolls && text->starts_colored)) {
        outbuf_put(lw->w.out, text->text, text->len);
        lw->w.saves = lw->w.saves || text->saves;
        return;
    }
    const struct screen *owner = NULL;
    const struct gcell *cells = row_reader_read(&lw->reader, text, &owner);
    if (!cells) {
        lw->w.out->bad = true;
        return;
    }
    write_cells(lw, owner, cells, text->cols, scrolls);
    row_writer_reset(&lw->w); /* the open link is a number of the scratch screen */
}

static void write_content(struct line_writer *lw, const struct keyframe_line *line)
{
    bool scrolls = lw->pending && lw->row == lw->rows - 1;
    if (lw->pending && !scrolls)
        lw->row++;
    lw->pending = false;
    if (line->cells)
        write_cells(lw, line->owner, line->cells, lw->cols, scrolls);
    else if (line->text.cols)
        write_scroll_line(lw, line, scrolls);
}

static void end_line(struct line_writer *lw)
{
    if (lw->w.at.bg & RAW_COLOR) /* a line feed that scrolls would fill with it */
        raw_pen_write(lw->w.out, &lw->w.at, &plain_pen);
    outbuf_text(lw->w.out, "\r\n");
    lw->row = int_min(lw->row + 1, lw->rows - 1);
}

void line_writer_add(struct line_writer *lw, const struct keyframe_line *line,
                     const struct keyframe_line *next)
{
    bool flows = next && next->wrapped && line->full && next->starts;
    bool marked = next && next->wrapped && !flows;
    if (lw->first && line->wrapped)
        mark_first_wrapped(lw);
    lw->first = false;
    if (marked)
        mark_next_wrapped(lw);
    write_content(lw, line);
    if (flows) {
        lw->pending = true;
    } else if (marked) {
        outbuf_text(lw->w.out, "\r\033[B");
        lw->row++;
    } else if (next) {
        end_line(lw);
    }
}
