/* The sizes of windows: what window-size makes of the terminals that show them.
 *
 *   latest, owner    the terminal used last          largest, smallest    of all, each way
 *   manual, fixed    what resize-window said
 *
 * Terminals that only watch have no say. With aggressive-resize only those count that show the
 * window now, so that the others keep the size they had. New windows are as large as the current
 * one. */
#include "server/daemon/attach_state.h"

#include "server/daemon/format_vars.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"

enum policy {
    POLICY_LARGEST,
    POLICY_SMALLEST,
    POLICY_MANUAL,
    POLICY_LATEST,
    POLICY_OWNER,
    POLICY_FIXED
};

struct size {
    uint16_t cols;
    uint16_t rows;
};

static struct size size_of(const struct attach *a)
{
    uint16_t rows = attach_area_rows(a);

    return (struct size){a->cols > SCREEN_COLS_MIN ? a->cols : SCREEN_COLS_MIN,
                         rows > SCREEN_ROWS_MIN ? rows : SCREEN_ROWS_MIN};
}

static uint16_t pick(uint16_t a, uint16_t b, bool largest)
{
    return (a > b) == largest ? a : b;
}

/* The size that a policy gives; 0 columns when nobody has a say. */
static struct size choose(const struct session *s, enum policy policy)
{
    struct size size = {0, 0};

    for (const struct attach *a = attach_first(); a; a = a->next) {
        struct size own;

        if (a->session != s || a->read_only || a->ignore_size || a->ending)
            continue;
        own = size_of(a);
        if (size.cols == 0)
            size = own;
        else if (policy == POLICY_LARGEST || policy == POLICY_SMALLEST)
            size = (struct size){pick(size.cols, own.cols, policy == POLICY_LARGEST),
                                 pick(size.rows, own.rows, policy == POLICY_LARGEST)};
    }
    return size;
}

static long window_number(const struct attach *a, struct window *w, enum option_id id,
                          long otherwise)
{
    struct target t = {w->session, w, NULL};

    if (!a->ops.world)
        return otherwise;
    return options_number(a->ops.world->options, format_options_place(&t), id);
}

void attach_size_windows(const struct attach *a)
{
    struct session *s = a->session;
    struct size size;

    for (struct window *w = s->dead ? NULL : s->windows; w; w = w->next) {
        enum policy policy = (enum policy)window_number(a, w, OPTION_window_size, POLICY_LATEST);

        if (policy == POLICY_MANUAL || policy == POLICY_FIXED)
            continue;
        if (w != s->current && window_number(a, w, OPTION_aggressive_resize, 0))
            continue;
        size = choose(s, policy);
        if (size.cols == 0)
            continue;
        if (w == s->current) {
            s->cols = size.cols;
            s->rows = size.rows;
        }
        if (layout_cols(w->layout) != size.cols || layout_rows(w->layout) != size.rows)
            session_resize_window(a->sessions, w, size.cols, size.rows);
    }
}
