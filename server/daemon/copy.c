/* The life of copy mode's state, its lines, and what others see of it. */
#include "server/daemon/copy.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/copy_state.h"

/* --- lines ---------------------------------------------------------------------------------- */

const struct line_text *copy_line(struct copy *c, uint32_t y)
{
    struct copy_cached *at = &c->cache[y % COPY_CACHE];

    if (!at->valid || at->line != y) {
        c->source.read(c->source.ctx, y, &at->text);
        at->line = y;
        at->valid = true;
    }
    return &at->text;
}

uint32_t copy_length(struct copy *c, uint32_t y)
{
    uint32_t n = line_text_length(copy_line(c, y));

    return n < c->cols ? n : c->cols;
}

bool copy_goes_on(struct copy *c, uint32_t y)
{
    return copy_line(c, y)->goes_on;
}

struct copy_spot copy_cursor(const struct copy *c)
{
    return (struct copy_spot){c->x, copy_cursor_line(c)};
}

uint32_t copy_cursor_line(const struct copy *c)
{
    return c->history - c->scroll + c->y;
}

/* --- life ----------------------------------------------------------------------------------- */

static void count_lines(struct copy *c)
{
    uint32_t lines = c->source.lines(c->source.ctx);

    c->lines = lines > c->rows ? lines : c->rows;
    c->history = c->lines - c->rows;
    for (uint32_t i = 0; i < COPY_CACHE; i++)
        c->cache[i].valid = false;
    c->version++;
}

static uint32_t at_most(uint32_t v, uint32_t most)
{
    return v < most ? v : most;
}

/* Puts the cursor at a line, as near to the row it was in as can be. */
static void keep_line(struct copy *c, uint32_t line, uint32_t row)
{
    uint32_t top;

    line = at_most(line, copy_last_line(c));
    row = at_most(row, c->rows - 1u);
    top = at_most(line > row ? line - row : 0, c->history);
    c->scroll = c->history - top;
    c->y = line - top;
}

struct copy *copy_create(const struct copy_source *source, uint16_t cols, uint16_t rows, uint16_t x,
                         uint32_t line)
{
    struct copy *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->source = *source;
    c->cols = cols;
    c->rows = rows > 0 ? rows : 1;
    count_lines(c);
    c->x = at_most(x, cols);
    keep_line(c, line, line > c->history ? line - c->history : 0);
    c->mark = copy_cursor(c);
    c->separators = strdup("");
    if (c->separators)
        return c;
    copy_destroy(c);
    return NULL;
}

void copy_destroy(struct copy *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < COPY_CACHE; i++)
        line_text_clear(&c->cache[i].text);
    free(c->separators);
    copy_search_forget(c);
    free(c);
}

void copy_resize(struct copy *c, uint16_t cols, uint16_t rows)
{
    uint32_t line = copy_cursor_line(c);
    bool bottom = c->scroll == 0;

    if (cols == c->cols && rows == c->rows)
        return;
    c->cols = cols;
    c->rows = rows > 0 ? rows : 1;
    count_lines(c);
    c->x = at_most(c->x, cols);
    c->wish_x = at_most(c->wish_x, cols);
    if (bottom && line >= c->history)
        keep_line(c, line, line - c->history);
    else
        keep_line(c, line, c->y);
}

static void shift(struct copy_spot *at, uint32_t before, uint32_t now)
{
    at->y = at->y + now > before ? at_most(at->y + now - before, now - 1) : 0;
}

void copy_reload(struct copy *c, const struct copy_source *source)
{
    uint32_t before = c->lines, scroll = c->scroll;

    c->source = *source;
    count_lines(c);
    c->scroll = at_most(scroll, c->history);
    shift(&c->from, before, c->lines);
    shift(&c->to, before, c->lines);
    shift(&c->unit_from, before, c->lines);
    shift(&c->unit_to, before, c->lines);
    shift(&c->pressed, before, c->lines);
    shift(&c->mark, before, c->lines);
    copy_search_end(c);
}

/* --- looking -------------------------------------------------------------------------------- */

void copy_restore_search(struct copy *c, const char *text, bool regex)
{
    copy_search_for(c, text, regex);
    c->forward = false;
}

struct copy_view copy_look(struct copy *c)
{
    struct copy_spot from, to;

    return (struct copy_view){
        .x = (uint16_t)c->x,
        .y = (uint16_t)c->y,
        .scroll = c->scroll,
        .history = c->history,
        .top = c->history - c->scroll,
        .selecting = c->selecting,
        .rectangle = c->rectangle,
        .hide_position = c->hide_position,
        .scroll_exit = c->scroll_exit,
        .from_x = c->from.x,
        .from_y = c->from.y,
        .to_x = c->to.x,
        .to_y = c->to.y,
        .searching = c->marking,
        .matches = c->matches,
        .more_matches = c->more_matches,
        .search = c->search ? c->search : "",
        .regex = c->regex,
        .at_match = copy_match_at_cursor(c, &from, &to),
        .follows = c->drag != COPY_DRAG_NONE,
        .marked = c->show_mark,
        .mark_x = c->mark.x,
        .mark_y = c->mark.y,
    };
}

uint32_t copy_version(const struct copy *c)
{
    return c->version;
}

void copy_set_flags(struct copy *c, bool hide_position, bool scroll_exit)
{
    c->hide_position = hide_position;
    c->scroll_exit = scroll_exit;
    c->version++;
}

void copy_set_count(struct copy *c, uint32_t n)
{
    c->count = n < COPY_REPEAT_MAX ? n : COPY_REPEAT_MAX;
}

/* True when the cell ends a word. */
static bool ends_word(struct copy *c, struct copy_spot at, const char *separators)
{
    return copy_in_set(c, at, " ") || copy_in_set(c, at, separators);
}

/* The last cell of a line that belongs to it. */
static uint32_t last_cell(struct copy *c, uint32_t y)
{
    uint32_t n = copy_goes_on(c, y) ? copy_line(c, y)->used : copy_length(c, y);

    n = at_most(n, c->cols);
    return n > 0 ? n - 1 : 0;
}

/* The cell before or behind, where the line is wrapped also in the line above or below. False when
 * there is none. */
static bool step(struct copy *c, struct copy_spot *at, bool back)
{
    if (back && at->x == 0) {
        if (at->y == 0 || !copy_goes_on(c, at->y - 1))
            return false;
        at->y--;
        at->x = last_cell(c, at->y);
        return true;
    }
    if (!back && at->x >= last_cell(c, at->y)) {
        if (at->y >= copy_last_line(c) || !copy_goes_on(c, at->y))
            return false;
        *at = (struct copy_spot){0, at->y + 1};
        return true;
    }
    at->x = back ? at->x - 1 : at->x + 1;
    return true;
}

void copy_word_at_cursor(struct copy *c, const char *separators, struct outbuf *out)
{
    struct copy_spot at = copy_cursor(c), before = at;
    bool more = true;
    size_t n;

    if (ends_word(c, at, separators)) /* the one that begins behind it */
        more = step(c, &at, false);
    else
        while (step(c, &before, true) && !ends_word(c, before, separators))
            at = before;
    for (; more && !ends_word(c, at, separators); more = step(c, &at, false)) {
        const char *p = line_text_cell(copy_line(c, at.y), (uint16_t)at.x, &n);

        outbuf_put(out, p, n);
    }
}

void copy_line_at_cursor(struct copy *c, struct outbuf *out)
{
    const struct line_text *t = copy_line(c, copy_cursor_line(c));
    uint16_t n = line_text_length(t);

    outbuf_put(out, t->text.p, n > 0 ? t->at[n] : 0);
}
