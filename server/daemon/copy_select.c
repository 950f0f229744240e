/* What is selected. A selection has two ends; one of them follows the cursor. With emacs keys the
 * cell behind it does not belong to it, with vi keys it does. One that began as words or as whole
 * lines grows by such units, on both sides of where it began. */
#include "server/daemon/copy_state.h"

#include <stdlib.h>
#include <string.h>

static bool is_before(struct copy_spot a, struct copy_spot b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/* --- following the cursor ------------------------------------------------------------------- */

/* The end of the word that the cursor is in; true when it is the selection's beginning. */
static bool follow_words(struct copy *c, struct copy_spot *at)
{
    struct copy_spot next = {at->x + 1, at->y};

    if (is_before(*at, c->pressed)) {
        copy_previous_word_spot(c, at, c->separators);
        c->to = c->unit_to;
        return true;
    }
    if (at->x >= copy_length(c, at->y) || !copy_in_set(c, next, c->separators))
        copy_word_end_spot(c, at, c->separators);
    c->from = c->unit_from;
    return false;
}

static bool follow_lines(struct copy *c, struct copy_spot *at)
{
    if (at->y < c->pressed.y) {
        at->x = 0;
        c->to = c->unit_to;
        return true;
    }
    at->x = copy_length(c, at->y);
    c->from = c->unit_from;
    return false;
}

void copy_select_follow(struct copy *c, bool keep_unit)
{
    struct copy_spot at = copy_cursor(c);
    bool begins = c->drag == COPY_DRAG_START;

    c->version++;
    if ((!c->selecting && c->whole == COPY_LINES_NONE) || c->drag == COPY_DRAG_NONE)
        return;
    if (!keep_unit && c->unit == COPY_WORDS)
        begins = follow_words(c, &at);
    else if (!keep_unit && c->unit == COPY_WHOLE_LINES)
        begins = follow_lines(c, &at);
    if (begins)
        c->from = at;
    else
        c->to = at;
}

/* --- beginning and ending ------------------------------------------------------------------- */

void copy_select_begin(struct copy *c)
{
    c->from = c->to = copy_cursor(c);
    c->drag = COPY_DRAG_END;
    c->selecting = true;
    copy_select_follow(c, true);
}

void copy_select_stop(struct copy *c)
{
    c->drag = COPY_DRAG_NONE;
    c->whole = COPY_LINES_NONE;
    c->unit = COPY_CHARACTERS;
}

void copy_select_clear(struct copy *c)
{
    uint32_t length = copy_length(c, copy_cursor_line(c));

    c->selecting = false;
    copy_select_stop(c);
    if (c->x > length)
        copy_set_cursor(c, length, c->y);
    c->version++;
}

void copy_other_end(struct copy *c)
{
    struct copy_spot at;
    uint32_t top = c->history - c->scroll;

    if (!c->selecting && c->whole == COPY_LINES_NONE)
        return;
    if (c->whole != COPY_LINES_NONE)
        c->whole = c->whole == COPY_LINES_DOWN ? COPY_LINES_UP : COPY_LINES_DOWN;
    c->drag = c->drag == COPY_DRAG_END ? COPY_DRAG_START : COPY_DRAG_END;
    at = c->drag == COPY_DRAG_START ? c->from : c->to;
    if (at.y < top)
        top = at.y;
    else if (at.y >= top + c->rows)
        top = at.y - c->rows + 1;
    c->scroll = c->history - top;
    c->x = at.x;
    c->y = at.y - top;
    copy_select_follow(c, true);
}

/* --- words and lines ------------------------------------------------------------------------ */

static void begin_unit(struct copy *c, enum copy_unit unit)
{
    c->whole = COPY_LINES_DOWN;
    c->rectangle = false;
    c->unit = unit;
    c->pressed = copy_cursor(c);
}

void copy_select_line(struct copy *c, uint32_t n)
{
    begin_unit(c, COPY_WHOLE_LINES);
    copy_line_start(c);
    c->unit_from = copy_cursor(c);
    copy_select_begin(c);
    copy_line_end(c);
    c->unit_to.y = copy_cursor_line(c);
    c->unit_to.x = copy_length(c, c->unit_to.y);
    for (; n > 1; n--) {
        copy_down(c, false);
        copy_line_end(c);
    }
}

static void set_separators(struct copy *c)
{
    char *copy = strdup(c->o.separators);

    if (!copy)
        return;
    free(c->separators);
    c->separators = copy;
}

void copy_select_word(struct copy *c)
{
    struct copy_spot next;

    begin_unit(c, COPY_WORDS);
    set_separators(c);
    copy_previous_word(c, c->separators, false);
    c->unit_from = copy_cursor(c);
    copy_select_begin(c);
    next = (struct copy_spot){c->unit_from.x + 1, c->unit_from.y};
    if (next.x >= c->cols && copy_goes_on(c, next.y))
        next = (struct copy_spot){0, next.y + 1};
    /* a word of one character ends where it begins */
    if (c->unit_from.x >= copy_length(c, c->unit_from.y) || !copy_in_set(c, next, " "))
        copy_next_word_end(c, c->separators, true);
    else
        copy_select_follow(c, true);
    c->unit_to = copy_cursor(c);
    if (is_before(c->unit_to, c->pressed))
        c->pressed = c->unit_to;
}

/* --- what it covers ------------------------------------------------------------------------- */

/* Columns of the first line, of those between, and of the last. */
struct range {
    struct copy_spot from;
    struct copy_spot to;
    uint32_t first_from, first_to;
    uint32_t rest_from, rest_to;
    uint32_t last_to;
};

static struct range cover(const struct copy *c, bool vi)
{
    bool turned = is_before(c->to, c->from);
    struct range r = {.from = turned ? c->to : c->from, .to = turned ? c->from : c->to};
    uint32_t fixed = c->drag == COPY_DRAG_END ? c->from.x : c->to.x;

    if (!c->rectangle) {
        r.first_from = r.from.x;
        r.rest_to = c->cols;
        r.last_to = vi ? r.to.x + 1 : r.to.x;
    } else if (fixed < c->x) {
        r.first_from = r.rest_from = fixed;
        r.rest_to = r.last_to = vi ? c->x + 1 : c->x;
    } else {
        r.first_from = r.rest_from = c->x;
        r.rest_to = r.last_to = fixed + 1;
    }
    return r;
}

bool copy_selected(const struct copy *c, bool vi, uint32_t line, uint32_t *from, uint32_t *to)
{
    struct range r = cover(c, vi);

    if (!c->selecting || line < r.from.y || line > r.to.y)
        return false;
    *from = line == r.from.y ? r.first_from : r.rest_from;
    *to = line == r.to.y ? r.last_to : r.rest_to;
    if (*to > c->cols)
        *to = c->cols;
    return *from < *to;
}

/* --- as text -------------------------------------------------------------------------------- */

static uint32_t at_most(uint32_t v, uint32_t most)
{
    return v < most ? v : most;
}

static void put_cells(struct copy *c, uint32_t y, uint32_t from, uint32_t to, struct outbuf *out)
{
    const struct line_text *t = copy_line(c, y);

    for (uint32_t x = from; x < to; x++) {
        size_t n;
        const char *p = line_text_cell(t, (uint16_t)x, &n);

        outbuf_put(out, p, n);
    }
}

/* A wrapped line keeps its blanks and goes on in the next one without a line feed. */
static void put_line(struct copy *c, uint32_t y, uint32_t from, uint32_t to, struct outbuf *out)
{
    bool wrapped = copy_goes_on(c, y);
    uint32_t end = wrapped ? at_most(copy_line(c, y)->used, c->cols) : copy_length(c, y);

    if (from > to)
        return;
    to = at_most(to, end);
    put_cells(c, y, at_most(from, end), to, out);
    if (!wrapped || to != end)
        outbuf_byte(out, '\n');
}

void copy_match_text(struct copy *c, struct outbuf *out)
{
    struct copy_spot from, to;

    if (!copy_match_at_cursor(c, &from, &to))
        return;
    for (; from.y < to.y; from = (struct copy_spot){0, from.y + 1})
        put_cells(c, from.y, from.x, at_most(copy_line(c, from.y)->used, c->cols), out);
    put_cells(c, from.y, from.x, to.x, out);
}

void copy_selection_text(struct copy *c, struct outbuf *out)
{
    struct range r = cover(c, c->o.vi);
    size_t before = out->len;
    uint32_t end;

    if (!c->selecting && c->whole == COPY_LINES_NONE) {
        copy_match_text(c, out);
        return;
    }
    end = copy_length(c, r.to.y);
    if (!c->rectangle)
        r.last_to = at_most(r.to.x, end) + (c->o.vi ? 1 : 0);
    for (uint32_t y = r.from.y; y <= r.to.y; y++)
        put_line(c, y, y == r.from.y ? r.first_from : r.rest_from,
                 y == r.to.y ? r.last_to : r.rest_to, out);
    /* the last line feed is copied only with vi keys, from behind the end of the line */
    if (out->len > before && (!c->o.vi || r.last_to <= end) &&
        (!copy_goes_on(c, r.to.y) || r.last_to != end))
        out->len--;
}
