/* Selecting with the mouse. A drag that begins in what a double or triple click selected goes on by
 * words or lines. */
#include "server/daemon/copy_state.h"

static void move_to(struct copy *c, uint32_t x, uint32_t y)
{
    copy_set_cursor(c, x, y);
    copy_select_follow(c, false);
}

void copy_point(struct copy *c, uint16_t x, uint16_t y)
{
    copy_set_cursor(c, x, y);
    c->version++;
}

void copy_drag_begin(struct copy *c, const struct copy_options *o, uint16_t x, uint16_t y)
{
    uint32_t line = c->history - c->scroll + y;

    c->o = *o;
    if (x < c->unit_from.x || x > c->unit_to.x || line != c->unit_from.y)
        c->unit = COPY_CHARACTERS;
    if (c->unit == COPY_CHARACTERS) {
        c->whole = COPY_LINES_NONE;
        copy_set_cursor(c, x, y);
        copy_select_begin(c);
    } else {
        move_to(c, c->unit == COPY_WORDS ? x : 0, y);
    }
}

bool copy_drag(struct copy *c, const struct copy_options *o, uint16_t x, uint16_t y)
{
    c->o = *o;
    move_to(c, x, y);
    if (y == 0 && c->scroll < c->history) {
        copy_up(c, true);
        move_to(c, x, 0);
        return true;
    }
    if (y + 1u >= c->rows && c->scroll > 0) {
        copy_down(c, true);
        move_to(c, x, c->rows - 1u);
        return true;
    }
    return false;
}
