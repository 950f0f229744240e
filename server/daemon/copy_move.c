/* The cursor and what is seen. Going up and down keeps the column as far as lines are long enough,
 * and the end of the line where it was at one. */
#include "server/daemon/copy_state.h"

#include <string.h>

/* --- scrolling ------------------------------------------------------------------------------ */

void copy_scroll_up(struct copy *c, uint32_t n)
{
    uint32_t room = c->history - c->scroll;

    if (room == 0)
        return;
    c->scroll += n < room ? n : room;
    copy_select_follow(c, false);
}

void copy_scroll_down(struct copy *c, uint32_t n)
{
    if (c->scroll == 0)
        return;
    c->scroll -= n < c->scroll ? n : c->scroll;
    copy_select_follow(c, false);
}

void copy_set_cursor(struct copy *c, uint32_t x, uint32_t y)
{
    c->x = x < c->cols ? x : c->cols;
    c->y = y < c->rows ? y : c->rows - 1u;
}

static bool in_rectangle(const struct copy *c)
{
    return c->selecting && c->rectangle;
}

static void remember_wish(struct copy *c)
{
    uint32_t length = copy_length(c, copy_cursor_line(c));

    if (c->x == length)
        return;
    c->wish_x = c->x;
    c->wish_length = length;
}

/* At the end of a shorter line, or of any when the cursor was behind the end of its own. */
static void clamp_to_line(struct copy *c)
{
    uint32_t length = copy_length(c, copy_cursor_line(c));

    if ((c->x < c->wish_length || c->x == length) && c->x <= length)
        return;
    copy_set_cursor(c, length, c->y);
    copy_select_follow(c, false);
}

/* A selection of whole lines has its cursor at an end of the line. */
static void clamp_to_whole(struct copy *c)
{
    if (c->whole == COPY_LINES_NONE)
        return;
    if (c->whole == COPY_LINES_UP)
        copy_set_cursor(c, 0, c->y);
    else
        copy_set_cursor(c, c->rectangle ? c->cols : copy_length(c, copy_cursor_line(c)), c->y);
    copy_select_follow(c, false);
}

static void step(struct copy *c, bool up, bool scroll_only)
{
    bool keep = !in_rectangle(c);
    uint32_t edge = up ? 0 : c->rows - 1u, line;

    if (keep)
        remember_wish(c);
    line = copy_cursor_line(c);
    if (up ? c->whole == COPY_LINES_DOWN && line == c->from.y
           : c->whole == COPY_LINES_UP && line == c->to.y)
        copy_other_end(c);
    if (keep)
        copy_set_cursor(c, c->wish_x, c->y);
    if (!scroll_only && c->y != edge)
        c->y = up ? c->y - 1 : c->y + 1;
    else if (up)
        copy_scroll_up(c, 1);
    else
        copy_scroll_down(c, 1);
    copy_select_follow(c, false);
    if (keep)
        clamp_to_line(c);
    clamp_to_whole(c);
}

void copy_up(struct copy *c, bool scroll_only)
{
    step(c, true, scroll_only);
}

void copy_down(struct copy *c, bool scroll_only)
{
    step(c, false, scroll_only);
}

/* --- pages ---------------------------------------------------------------------------------- */

static uint32_t page_rows(const struct copy *c, bool half)
{
    if (c->rows <= 2)
        return 1;
    return half ? c->rows / 2u : c->rows - 2u;
}

static void begin_page(struct copy *c)
{
    remember_wish(c);
    c->x = c->wish_x;
}

static void end_page(struct copy *c)
{
    uint32_t length = copy_length(c, copy_cursor_line(c));

    if (!in_rectangle(c) && ((c->x >= c->wish_length && c->x != length) || c->x > length))
        copy_line_end(c);
    copy_select_follow(c, false);
}

void copy_page_up(struct copy *c, bool half)
{
    uint32_t n = page_rows(c, half);

    begin_page(c);
    if (c->scroll + n > c->history) {
        c->scroll = c->history;
        c->y = c->y < n ? 0 : c->y - n;
    } else {
        c->scroll += n;
    }
    end_page(c);
}

void copy_page_down(struct copy *c, bool half)
{
    uint32_t n = page_rows(c, half);

    begin_page(c);
    if (c->scroll < n) {
        c->scroll = 0;
        c->y = c->y + n >= c->rows ? c->rows - 1u : c->y + n;
    } else {
        c->scroll -= n;
    }
    end_page(c);
}

void copy_top(struct copy *c)
{
    if (c->whole == COPY_LINES_DOWN && copy_cursor_line(c) == c->from.y)
        copy_other_end(c);
    c->x = c->y = 0;
    c->scroll = c->history;
    copy_select_follow(c, false);
}

void copy_bottom(struct copy *c)
{
    if (c->whole == COPY_LINES_UP && copy_cursor_line(c) == c->to.y)
        copy_other_end(c);
    c->y = c->rows - 1u;
    c->x = copy_length(c, copy_last_line(c));
    c->scroll = 0;
    copy_select_follow(c, false);
}

/* --- to a spot ------------------------------------------------------------------------------ */

void copy_go_to(struct copy *c, struct copy_spot at)
{
    uint32_t top = c->history - c->scroll, gap = c->rows / 4u;

    c->x = at.x;
    if (at.y < top || at.y >= top + c->rows) {
        if (at.y < c->rows)
            top = 0;
        else if (at.y > c->history + c->rows - gap)
            top = c->history;
        else
            top = at.y + gap - c->rows;
        top = top < c->history ? top : c->history;
    }
    c->y = at.y - top;
    c->scroll = c->history - top;
    copy_select_follow(c, false);
}

/* A spot that was moved backwards becomes the cursor: above what is seen it scrolls. */
static void arrive_up(struct copy *c, struct copy_spot at)
{
    uint32_t top = c->history - c->scroll;

    for (uint32_t n = at.y < top ? top - at.y : 0; n > 0; n--)
        copy_up(c, true);
    copy_set_cursor(c, at.x, at.y > top ? at.y - top : 0);
    copy_select_follow(c, false);
}

static void arrive_down(struct copy *c, struct copy_spot at, bool keep_unit)
{
    uint32_t y = at.y - (c->history - c->scroll);

    for (uint32_t n = y >= c->rows ? y - c->rows + 1 : 0; n > 0; n--)
        copy_down(c, true);
    copy_set_cursor(c, at.x, y);
    copy_select_follow(c, keep_unit);
}

void copy_left(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_left(c, &at, true);
    arrive_up(c, at);
}

void copy_right(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_right(c, &at, true, in_rectangle(c));
    arrive_down(c, at, false);
}

void copy_line_start(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_line_start(c, &at, true);
    arrive_up(c, at);
}

void copy_line_end(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_line_end(c, &at, true, in_rectangle(c));
    arrive_down(c, at, false);
}

void copy_indentation(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_indentation(c, &at);
    arrive_up(c, at);
}

/* --- words ---------------------------------------------------------------------------------- */

void copy_next_word(struct copy *c, const char *separators)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_next_word(c, &at, separators);
    arrive_down(c, at, false);
}

void copy_word_end_spot(struct copy *c, struct copy_spot *at, const char *separators)
{
    if (!c->o.vi) {
        copy_read_word_end(c, at, separators);
        return;
    }
    if (!copy_in_set(c, *at, " "))
        copy_read_right(c, at, false, false);
    copy_read_word_end(c, at, separators);
    copy_read_left(c, at, true);
}

void copy_next_word_end(struct copy *c, const char *separators, bool keep_unit)
{
    struct copy_spot at = copy_cursor(c);

    copy_word_end_spot(c, &at, separators);
    arrive_down(c, at, keep_unit);
}

void copy_previous_word_spot(struct copy *c, struct copy_spot *at, const char *separators)
{
    copy_read_previous_word(c, at, separators, false, true);
}

void copy_previous_word(struct copy *c, const char *separators, bool already)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_previous_word(c, &at, separators, already, !c->o.vi);
    arrive_up(c, at);
}

void copy_next_paragraph(struct copy *c)
{
    uint32_t y = copy_cursor_line(c), last = copy_last_line(c);

    while (y < last && copy_length(c, y) == 0)
        y++;
    while (y < last && copy_length(c, y) > 0)
        y++;
    copy_go_to(c, (struct copy_spot){copy_length(c, y), y});
}

void copy_previous_paragraph(struct copy *c)
{
    uint32_t y = copy_cursor_line(c);

    while (y > 0 && copy_length(c, y) == 0)
        y--;
    while (y > 0 && copy_length(c, y) > 0)
        y--;
    copy_go_to(c, (struct copy_spot){0, y});
}

/* --- jumps in a line ------------------------------------------------------------------------ */

static void jump_forward(struct copy *c, bool to)
{
    struct copy_spot at = copy_cursor(c);

    at.x += to ? 2 : 1;
    if (!copy_read_find(c, &at, c->jump_text))
        return;
    if (to)
        copy_read_left(c, &at, true);
    arrive_down(c, at, false);
}

static void jump_back(struct copy *c, bool to)
{
    struct copy_spot at = copy_cursor(c);

    copy_read_left(c, &at, false);
    if (to)
        copy_read_left(c, &at, false);
    if (!copy_read_find_back(c, &at, c->jump_text))
        return;
    if (to)
        copy_read_right(c, &at, true, false);
    arrive_up(c, at);
}

void copy_jump(struct copy *c, enum copy_jump how)
{
    if (how == COPY_JUMP_FORWARD || how == COPY_JUMP_TO)
        jump_forward(c, how == COPY_JUMP_TO);
    else if (how != COPY_JUMP_NONE)
        jump_back(c, how == COPY_JUMP_TO_BACK);
}

/* --- brackets ------------------------------------------------------------------------------- */

static const char opening[] = "{[(", closing[] = "}])";

/* The bracket of a set at a cell, 0 when it is none. */
static char bracket_at(struct copy *c, struct copy_spot at, const char *set)
{
    const struct line_text *t = copy_line(c, at.y);
    size_t n;
    const char *p = at.x < c->cols ? line_text_cell(t, (uint16_t)at.x, &n) : " ";

    if (at.x >= c->cols)
        return 0;
    return n == 1 && strchr(set, *p) ? *p : 0;
}

static bool before(struct copy *c, struct copy_spot *at)
{
    uint32_t length = 0;

    if (at->x > 0) {
        at->x--;
        return true;
    }
    while (at->y > 0 && length == 0)
        length = copy_length(c, --at->y);
    if (length == 0)
        return false;
    at->x = length - 1;
    return true;
}

static bool behind(struct copy *c, struct copy_spot *at)
{
    if (at->x <= copy_length(c, at->y)) {
        at->x++;
        return true;
    }
    if (at->y >= copy_last_line(c))
        return false;
    at->x = 0;
    at->y++;
    return true;
}

/* From a bracket to the one that belongs to it. */
static bool find_partner(struct copy *c, struct copy_spot *at, char found, char partner,
                         bool (*go)(struct copy *c, struct copy_spot *at))
{
    const char both[] = {found, partner, 0};
    uint32_t depth = 1;

    while (depth > 0) {
        if (!go(c, at))
            return false;
        char b = bracket_at(c, *at, both);
        depth = b == 0 ? depth : b == found ? depth + 1 : depth - 1;
    }
    return true;
}

void copy_previous_bracket(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);
    char found;

    if (copy_length(c, at.y) == 0)
        return;
    found = bracket_at(c, at, closing);
    if (!found && !c->o.vi && at.x > 0) {
        at.x--;
        found = bracket_at(c, at, closing);
    }
    if (!found) {
        if (!c->o.vi)
            copy_previous_word(c, closing, true);
        return;
    }
    if (find_partner(c, &at, found, opening[strchr(closing, found) - closing], before))
        copy_go_to(c, at);
}

/* vi: a closing bracket goes back to the one that opened it; the cursor stays when there is none.
 */
static void match_closing(struct copy *c, struct copy_spot at)
{
    struct copy_spot old = copy_cursor(c);
    uint32_t scroll = c->scroll;

    copy_go_to(c, at);
    copy_previous_bracket(c);
    if (bracket_at(c, copy_cursor(c), closing)) {
        c->scroll = scroll;
        copy_go_to(c, old);
    }
}

/* vi looks on in the line, emacs only at the next cell. False when there is none. */
static bool find_opening(struct copy *c, struct copy_spot *at)
{
    uint32_t end = copy_length(c, at->y);

    for (uint32_t tried = 0; !bracket_at(c, *at, opening); tried++) {
        if (c->o.vi && bracket_at(c, *at, closing))
            return true;
        if (!c->o.vi && tried > 0)
            return false;
        if (at->x <= end) {
            at->x++;
            continue;
        }
        if (!c->o.vi || at->y >= copy_last_line(c) || !copy_goes_on(c, at->y))
            return false;
        at->x = 0;
        end = copy_length(c, ++at->y);
    }
    return true;
}

void copy_next_bracket(struct copy *c)
{
    struct copy_spot at = copy_cursor(c);
    char found;

    if (copy_length(c, at.y) == 0)
        return;
    if (!find_opening(c, &at)) {
        if (!c->o.vi)
            copy_next_word_end(c, opening, false);
        return;
    }
    found = bracket_at(c, at, opening);
    if (!found)
        match_closing(c, at);
    else if (find_partner(c, &at, found, closing[strchr(opening, found) - opening], behind))
        copy_go_to(c, at);
}
