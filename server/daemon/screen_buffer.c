/* The two buffers and switching between them. */
#include "server/daemon/screen_state.h"

#include <stdlib.h>
#include <string.h>

#define TAB_WIDTH 8

void buffer_home(struct buffer *b, int cols, int rows)
{
    b->x = b->y = 0;
    b->top = 0;
    b->bottom = rows - 1;
    for (int col = 0; col < cols; col++)
        b->tabs[col] = col % TAB_WIDTH == 0;
    b->tabs[cols] = false;
}

bool buffer_create(struct buffer *b, int cols, int rows, bool cells)
{
    b->wrapped = calloc((size_t)rows, sizeof *b->wrapped);
    b->tabs = calloc((size_t)cols + 1, sizeof *b->tabs);
    if (cells)
        b->grid = grid_create(cols, rows);
    if (!b->wrapped || !b->tabs || (cells && !b->grid)) {
        buffer_clear(b);
        return false;
    }
    buffer_home(b, cols, rows);
    return true;
}

void buffer_clear(struct buffer *b)
{
    grid_destroy(b->grid);
    free(b->wrapped);
    free(b->tabs);
    *b = (struct buffer){0};
}

void screen_show_alternate(struct screen *s)
{
    struct buffer *b = &s->alternate;
    if (s->active == b)
        return;
    b->grid = grid_create(s->cols, s->rows);
    if (!b->grid)
        return; /* out of memory: the program draws on the main screen */
    uint32_t pen = screen_erase_pen(s);
    for (int row = 0; pen && row < s->rows; row++)
        grid_erase(b->grid, row, 0, s->cols, pen);
    memset(b->wrapped, 0, (size_t)s->rows);
    b->x = s->main.x;
    b->y = s->main.y;
    s->active = b;
    screen_touch_all(s);
}

void screen_show_main(struct screen *s)
{
    struct buffer *b = &s->alternate;
    if (s->active != b)
        return;
    s->main.x = b->x;
    s->main.y = b->y;
    grid_destroy(b->grid);
    b->grid = NULL;
    buffer_home(b, s->cols, s->rows);
    s->active = &s->main;
    screen_touch_all(s);
}
