/* A menu on an attached terminal (display-menu): where it begins, its keys, its drawing. */
#include "server/daemon/attach_state.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/format_vars.h"
#include "server/daemon/options.h"
#include "server/daemon/options_value.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/session.h"

static void close_menu(struct attach *a)
{
    menu_close(&a->menu);
    attach_grab(a);
    attach_wake(a);
}

/* The first column of the status line that is the current window's; 0 where it is not shown. */
static uint16_t window_column(const struct attach *a)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;

    for (uint16_t y = 0; w && y < a->rows; y++) {
        for (uint16_t x = 0; x < a->cols; x++) {
            uint32_t index;

            if (attach_status_range_at(a, x, y, &index) == STATUS_RANGE_WINDOW && index == w->index)
                return x;
        }
    }
    return 0;
}

/* Where the pane is that the menu belongs to. */
static struct keys_area pane_place(const struct attach *a, const struct pane *p)
{
    const struct attach_view *v = attach_view_of(a, p ? p : a->pane);
    struct keys_area none = {.cols = a->cols, .rows = attach_area_rows(a)};

    return v ? attach_pane_area(a, v) : none;
}

/* One axis: a word of tmux's, or a number. n is the menu's size, all the terminal's. */
static uint16_t place(const char *text, uint16_t all, uint16_t n, uint16_t pane, uint16_t window)
{
    long v = 0;

    if (text && strcmp(text, "P") == 0)
        v = pane;
    else if (text && (strcmp(text, "W") == 0 || strcmp(text, "S") == 0))
        v = window;
    else if (text && strcmp(text, "R") == 0)
        v = (long)all - n;
    else if (text && args_number(text, 0, UINT16_MAX, &v) == ERR_OK)
        ;
    else
        v = ((long)all - n) / 2;
    return (uint16_t)(v < 0 ? 0 : v);
}

bool attach_open_menu(struct attach *a, struct menu *m, const char *x, const char *y,
                      const struct pane *p)
{
    uint16_t cols = menu_cols(m), high = menu_rows(m), rows = attach_area_rows(a);
    struct keys_area at = pane_place(a, p);
    uint32_t bottom = (uint32_t)at.y + at.rows;

    if (cols > a->cols || high > rows)
        return false;
    menu_close(&a->menu);
    a->menu = *m;
    memset(m, 0, sizeof *m);
    a->menu.open = true;
    a->menu.at = -1;
    a->menu.x = place(x, a->cols, cols, at.x, window_column(a));
    a->menu.y = place(y, rows, high, bottom > high ? (uint16_t)(bottom - high) : 0,
                      (uint16_t)(rows - high));
    attach_grab(a);
    attach_wake(a);
    return true;
}

void attach_menu_key(struct attach *a, uint32_t key)
{
    enum menu_result result = menu_key(&a->menu, key);
    char *line;

    attach_wake(a);
    if (result == MENU_STAY)
        return;
    line = result == MENU_TAKEN ? strdup(a->menu.items[a->menu.at].line) : NULL;
    close_menu(a);
    if (line)
        attach_run_with(a, line, NULL);
    free(line);
}

void attach_draw_menu(const struct attach *a, struct frame *f)
{
    const struct target none = {NULL, NULL, NULL};
    struct pen pen = frame_pen_default;

    if (!a->menu.open)
        return;
    if (a->ops.world)
        options_style(
            options_text(a->ops.world->options, format_options_place(&none), OPTION_mode_style),
            &frame_pen_default, &pen);
    menu_draw(&a->menu, f, attach_area_rows(a), &pen);
}
