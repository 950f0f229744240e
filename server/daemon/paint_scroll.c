/* Scroll detection: for every distance, count the changed rows that are a row of the old frame that
 * far away; then take the best run of neighbours. Distances are bounded, and rows that differ do so
 * early, so this costs less than painting one row. */
#include "server/daemon/paint_scroll.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/paint_fit.h"
#include "server/daemon/paint_frame.h"

#define DISTANCE_MAX 64
#define GAIN_MIN     2 /* rows; less does not pay for setting margins */

static bool rows_equal(const struct frame *a, uint16_t row_a, const struct frame *b, uint16_t row_b)
{
    return memcmp(frame_row(a, row_a), frame_row(b, row_b), a->cols * sizeof(struct cell)) == 0;
}

static bool is_blank_row(const struct frame *f, uint16_t row)
{
    for (uint16_t x = 0; x < f->cols; x++)
        if (!paint_is_erased(&frame_row(f, row)[x]))
            return false;
    return true;
}

/* What a row of the next frame gains when it comes from row `from`: 1 when it need not be drawn
 * then, but must be drawn now. */
static bool row_gains(const struct frame *shown, const struct frame *next, int row, int from)
{
    return rows_equal(next, (uint16_t)row, shown, (uint16_t)from) &&
           !rows_equal(next, (uint16_t)row, shown, (uint16_t)row) &&
           !is_blank_row(next, (uint16_t)row);
}

/* Margins cut a line that goes on from one row to the next: how terminals mark that differs. */
static bool cuts_wrapped_line(const struct frame *f, const struct paint_scroll *s)
{
    int up = s->up > 0 ? s->up : 0, down = s->up < 0 ? -s->up : 0;
    int edges[] = {s->top - 1, s->top + up - 1, s->bottom, s->bottom - down};

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        if (edges[i] >= 0 && f->wraps[edges[i]])
            return true;
    return false;
}

/* The best run of rows that come from `up` rows below; returns its gain. */
static int best_run(const struct frame *shown, const struct frame *next, int up,
                    struct paint_scroll *s)
{
    int first = up < 0 ? -up : 0, end = up > 0 ? next->rows - up : next->rows;
    int best = 0, gain = 0, start = first;

    for (int row = first; row < end; row++) {
        if (!rows_equal(next, (uint16_t)row, shown, (uint16_t)(row + up))) {
            start = row + 1;
            gain = 0;
            continue;
        }
        gain += row_gains(shown, next, row, row + up);
        if (gain <= best)
            continue;
        best = gain;
        s->top = (uint16_t)(up > 0 ? start : start + up);
        s->bottom = (uint16_t)(up > 0 ? row + up : row);
        s->up = (int16_t)up;
    }
    return best;
}

/* Rows inside of the region that were right and will be blank. */
static int rows_lost(const struct frame *shown, const struct frame *next,
                     const struct paint_scroll *s)
{
    int first = s->up > 0 ? s->bottom - s->up + 1 : s->top;
    int count = abs(s->up), lost = 0;

    for (int row = first; row < first + count; row++)
        lost += rows_equal(shown, (uint16_t)row, next, (uint16_t)row) &&
                !is_blank_row(next, (uint16_t)row);
    return lost;
}

static int changed_rows(const struct frame *shown, const struct frame *next)
{
    int n = 0;

    for (uint16_t row = 0; row < next->rows; row++)
        n += !rows_equal(shown, row, next, row);
    return n;
}

bool paint_scroll_find(const struct frame *shown, const struct frame *next, struct paint_scroll *s)
{
    int changed = changed_rows(shown, next), best = GAIN_MIN - 1;
    int limit = next->rows - 1 < DISTANCE_MAX ? next->rows - 1 : DISTANCE_MAX;

    if (changed <= GAIN_MIN)
        return false;
    for (int distance = 1; distance <= limit && best < changed / 2; distance++) {
        for (int up = distance; up >= -distance; up -= 2 * distance) {
            struct paint_scroll found;
            int gain = best_run(shown, next, up, &found);
            if (gain <= best || cuts_wrapped_line(shown, &found))
                continue;
            gain -= rows_lost(shown, next, &found);
            if (gain <= best)
                continue;
            best = gain;
            *s = found;
        }
    }
    return best >= GAIN_MIN;
}

void paint_scroll_apply(struct frame *f, const struct paint_scroll *s)
{
    uint16_t count = (uint16_t)abs(s->up), kept = (uint16_t)(s->bottom - s->top + 1 - count);
    uint16_t to = s->up > 0 ? s->top : (uint16_t)(s->top + count);
    uint16_t from = s->up > 0 ? (uint16_t)(s->top + count) : s->top;
    uint16_t blank = s->up > 0 ? (uint16_t)(s->bottom - count + 1) : s->top;

    memmove(frame_row(f, to), frame_row(f, from), (size_t)kept * f->cols * sizeof(struct cell));
    memmove(&f->wraps[to], &f->wraps[from], kept * sizeof *f->wraps);
    for (uint16_t row = blank; row < blank + count; row++)
        frame_blank_row(f, row);
}
