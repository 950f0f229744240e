#include "server/daemon/paint_border.h"

#include <stdbool.h>

#include "server/daemon/cell.h"

/* True when a line goes through the cell; what is outside of the window counts as one, so that
 * lines end at its edge without a corner. */
static bool is_line(const struct paint_border *b, int x, int y)
{
    if (x < 0 || y < 0 || x >= b->cols || y >= b->rows)
        return true;
    for (size_t i = 0; i < b->n; i++) {
        const struct layout_leaf *p = &b->panes[i];

        if (x >= p->x && x < p->x + p->cols && y >= p->y && y < p->y + p->rows)
            return false;
    }
    return true;
}

/* The active of two panes has the half of the line between them that is on its side of the middle:
 * the first the upper or left half, the second the other. */
static bool is_half(const struct layout_leaf *p, int x, int y, bool beside)
{
    if (beside)
        return p->x == 0 ? y <= p->rows / 2 : y > p->rows / 2;
    return p->y == 0 ? x <= p->cols / 2 : x > p->cols / 2;
}

static bool is_active(const struct paint_border *b, int x, int y)
{
    if (b->active >= b->n)
        return false;
    const struct layout_leaf *p = &b->panes[b->active];
    bool beside = (x == p->x - 1 || x == p->x + p->cols) && y >= p->y - 1 && y <= p->y + p->rows;
    bool above = (y == p->y - 1 || y == p->y + p->rows) && x >= p->x - 1 && x <= p->x + p->cols;

    if (b->n == 2 && b->halves)
        return (beside && is_half(p, x, y, true)) || (above && is_half(p, x, y, false));
    return beside || above;
}

const char *paint_border_cell(const struct paint_border *b, uint16_t x, uint16_t y,
                              const struct pen **pen)
{
    /* by the neighbours that are lines: left 8, right 4, up 2, down 1 */
    static const char *const shapes[][16] = {
        {"·", "│", "│", "│", "─", "┌", "└", "├", "─", "┐", "┘", "┤", "─", "┬", "┴", "┼"},
        {"·", "║", "║", "║", "═", "╔", "╚", "╠", "═", "╗", "╝", "╣", "═", "╦", "╩", "╬"},
        {"·", "┃", "┃", "┃", "━", "┏", "┗", "┣", "━", "┓", "┛", "┫", "━", "┳", "┻", "╋"},
        {".", "|", "|", "|", "-", "+", "+", "+", "-", "+", "+", "+", "-", "+", "+", "+"}};

    if (!is_line(b, x, y))
        return NULL;
    *pen = is_active(b, x, y) ? &b->active_pen : &b->pen;
    return shapes[b->lines][8 * is_line(b, x - 1, y) + 4 * is_line(b, x + 1, y) + 2 * is_line(b, x, y - 1) +
                  is_line(b, x, y + 1)];
}
