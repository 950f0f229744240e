/* The mouse. Where it is off, programs that asked for reports get them in their own form and cells.
 * Where it is on, each report is a key (keynames.h) with a place and what is under it:
 *
 *   report ─┬─ something is dragged ─► attach_drag.c
 *           └─ key ─► binding, of copy mode or the root table ─► its commands
 *                └─ not bound ─► the program of the pane, if it asked
 *
 * A second press at the same place within a moment is SecondClick, a third one TripleClick; when
 * there is no third one it was DoubleClick. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/copy_mode.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/keynames.h"
#include "server/daemon/keytable.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"

enum { BUTTON_MASK = 3, SHIFT = 4, META = 8, CTRL = 16, MOTION = 32, WHEEL = 64, MORE = 128 };
enum { RELEASED = 3 };

#define CLICK_MS   300
#define PIXELS_X   8 /* of a cell, as the screen answers programs that ask */
#define PIXELS_Y   16
#define LEGACY_MAX 223 /* cells that a report of three bytes can name */

/* --- for programs --------------------------------------------------------------------------- */

/* Mouse is off: what the terminal reports is in the form the active pane asked for. */
static void pass(struct attach *a, const uint8_t *p, size_t n)
{
    uint8_t moved[KEYS_SEQUENCE_MAX];
    const struct attach_view *v = attach_view_of(a, a->pane);

    /* a report from before the program turned them off would be typed into a shell */
    if (a->read_only || !v || screen_mouse(pane_screen(v->pane)) == SCREEN_MOUSE_NONE ||
        a->modes.mouse == SCREEN_MOUSE_NONE || copy_mode_of(v->pane))
        return;
    struct keys_area area = attach_pane_area(a, v);
    area.y = (uint16_t)(area.y + a->top);
    n = keys_shift_mouse(p, n, &area, a->modes.mouse_encoding == SCREEN_MOUSE_SGR_PIXELS, moved);
    if (n > 0 && !pane_status(a->pane).dead)
        attach_type(a, moved, n);
}

/* True when a program with this kind of reporting hears of it. */
static bool is_heard(enum screen_mouse kind, const struct mouse_event *e)
{
    bool motion = e->button & MOTION;

    switch (kind) {
    case SCREEN_MOUSE_NONE:
        return false;
    case SCREEN_MOUSE_X10:
        return !motion && !e->release && !(e->button & WHEEL);
    case SCREEN_MOUSE_CLICK:
        return !motion;
    case SCREEN_MOUSE_DRAG:
        return !motion || (e->button & BUTTON_MASK) != RELEASED;
    case SCREEN_MOUSE_ANY:
        return true;
    }
    return false;
}

/* A report in the form a program asked for, for a cell of its screen, from 0. Its length, 0 when
 * that form cannot say it. */
static int encode(enum screen_mouse_encoding form, const struct mouse_event *e, unsigned x,
                  unsigned y, char out[static 48])
{
    unsigned button = e->button;

    if (form == SCREEN_MOUSE_SGR_PIXELS) { /* the middle of the cell */
        x = x * PIXELS_X + PIXELS_X / 2;
        y = y * PIXELS_Y + PIXELS_Y / 2;
    } else {
        x++;
        y++;
    }
    if (form != SCREEN_MOUSE_DEFAULT)
        return snprintf(out, 48, "\033[<%u;%u;%u%c", button, x, y, e->release ? 'm' : 'M');
    if (x > LEGACY_MAX || y > LEGACY_MAX)
        return 0;
    if (e->release)
        button = (button & ~(unsigned)BUTTON_MASK) | RELEASED;
    return snprintf(out, 48, "\033[M%c%c%c", (int)(button + 32), (int)(x + 32), (int)(y + 32));
}

/* The view of the pane an event is for: where the button was pressed, while it is held. */
static struct attach_view *heard_in(const struct attach *a, const struct mouse_event *e)
{
    struct attach_view *v = a->views;

    if (a->drag.pane && (e->release || (e->button & MOTION)))
        return attach_view_of(a, a->drag.pane);
    while (v && pane_id(v->pane) != e->pane)
        v = v->next;
    return v;
}

void attach_mouse_pass(struct attach *a, const struct mouse_event *e)
{
    const struct attach_view *v = heard_in(a, e);
    uint16_t x, y;
    char text[48];
    int n;

    if (!v || e->again || a->read_only || copy_mode_of(v->pane) || pane_status(v->pane).dead ||
        !is_heard(screen_mouse(pane_screen(v->pane)), e) ||
        !attach_mouse_cell(a, v->pane, e, &x, &y))
        return;
    n = encode(screen_mouse_encoding(pane_screen(v->pane)), e, x, y, text);
    if (n <= 0)
        return;
    if (v->pane == a->pane)
        attach_type(a, (const uint8_t *)text, (size_t)n);
    else
        pane_write(v->pane, (const uint8_t *)text, (size_t)n);
}

/* --- what happened where -------------------------------------------------------------------- */

static bool parse(const uint8_t *p, size_t n, struct mouse_event *e)
{
    char text[KEYS_SEQUENCE_MAX + 1], final;
    unsigned x, y;

    if (n < 6 || n > KEYS_SEQUENCE_MAX || p[2] != '<')
        return false;
    memcpy(text, p, n);
    text[n] = '\0';
    if (sscanf(text + 3, "%5u;%5u;%5u%c", &e->button, &x, &y, &final) != 4 || x < 1 || y < 1 ||
        x > UINT16_MAX || y > UINT16_MAX || (final != 'M' && final != 'm'))
        return false;
    e->x = (uint16_t)(x - 1);
    e->y = (uint16_t)(y - 1);
    e->release = final == 'm';
    e->wheel = e->button & WHEEL;
    e->again = false;
    return true;
}

static struct attach_view *view_at(const struct attach *a, uint16_t x, uint16_t y)
{
    for (struct attach_view *v = a->views; v; v = v->next) {
        struct keys_area at = attach_pane_area(a, v);

        if (x >= at.x && x < at.x + at.cols && y >= at.y && y < at.y + at.rows)
            return v;
    }
    return NULL;
}

/* The same for a status line: of windows only their names are something. */
static enum mouse_place find_in_status(const struct attach *a, struct mouse_event *e)
{
    const struct window *w = a->session->windows;
    uint32_t index;
    enum status_range_kind range = attach_status_range_at(a, e->x, e->row, &index);

    e->window = MOUSE_NOTHING;
    if (range == STATUS_RANGE_LEFT)
        return MOUSE_ON_STATUS_LEFT;
    if (range == STATUS_RANGE_RIGHT)
        return MOUSE_ON_STATUS_RIGHT;
    if (range != STATUS_RANGE_WINDOW)
        return MOUSE_ON_STATUS_DEFAULT;
    while (w && w->index != index)
        w = w->next;
    e->window = w ? (int64_t)w->id : MOUSE_NOTHING;
    return w ? MOUSE_ON_STATUS : MOUSE_ON_STATUS_DEFAULT;
}

/* Names what is under the pointer. */
static enum mouse_place find_place(const struct attach *a, struct mouse_event *e)
{
    const struct attach_view *v = view_at(a, e->x, e->y);

    e->pane = MOUSE_NOTHING;
    e->window = a->session->current->id;
    if (e->y >= attach_area_rows(a))
        return find_in_status(a, e);
    if (!v)
        return MOUSE_ON_BORDER;
    e->pane = pane_id(v->pane);
    return MOUSE_ON_PANE;
}

/* 1 to 3, and from 8 on those that xterm numbers 128 and up, as tmux counts. */
static unsigned button_number(unsigned button)
{
    if (button & MORE)
        return 8 + (button & BUTTON_MASK);
    return 1 + (button & BUTTON_MASK);
}

static uint32_t with_modifiers(uint32_t key, unsigned button)
{
    return key | (button & SHIFT ? KEY_SHIFT : 0) | (button & META ? KEY_META : 0) |
           (button & CTRL ? KEY_CTRL : 0);
}

/* --- bindings ------------------------------------------------------------------------------- */

/* The binding in copy mode's table, when the pane under the pointer is in it, else in the root
 * table. After the prefix key the table that it chose comes first. */
static const struct keytable_binding *find_binding(const struct attach *a,
                                                   const struct mouse_event *e, uint32_t key)
{
    const struct attach_view *v = a->views;
    const struct keytable_binding *b = a->table ? keytable_find(a->table, key) : NULL;
    struct target t = {a->session, a->session->current, NULL};

    while (v && pane_id(v->pane) != e->pane)
        v = v->next;
    if (!b && v && copy_mode_of(v->pane)) {
        t.pane = v->pane;
        b = keytable_find(
            copy_mode_table(a->ops.world ? a->ops.world->options : NULL, format_options_place(&t)),
            key);
    }
    return b ? b : keytable_find(KEYTABLE_ROOT, key);
}

/* Runs the binding of an event; one that has none is the program's. */
static void tell(struct attach *a, enum mouse_kind kind, enum mouse_place place,
                 const struct mouse_event *e)
{
    uint32_t key = with_modifiers(keynames_mouse(kind, button_number(e->button), place), e->button);
    const struct keytable_binding *b = find_binding(a, e, key);

    if (b)
        attach_run_mouse(a, &b->commands, e);
    else
        attach_mouse_pass(a, e);
}

/* --- events --------------------------------------------------------------------------------- */

static void on_click_over(void *ctx)
{
    struct attach *a = ctx;
    struct mouse_event e = a->clicks.event;
    bool two = a->clicks.n == 2;

    a->clicks.n = 0;
    e.again = true;
    if (two && !a->ending && !a->session->dead)
        tell(a, MOUSE_DOUBLE_CLICK, (enum mouse_place)a->clicks.place, &e);
}

/* Which press this is: one that follows another at the same place soon. */
static enum mouse_kind count_click(struct attach *a, enum mouse_place place,
                                   const struct mouse_event *e)
{
    static const enum mouse_kind kinds[] = {MOUSE_DOWN, MOUSE_SECOND_CLICK, MOUSE_TRIPLE_CLICK};
    struct attach_clicks *k = &a->clicks;
    bool same = k->n > 0 && k->event.button == e->button && k->event.pane == e->pane &&
                k->event.window == e->window && k->place == (uint32_t)place;
    unsigned n = same ? k->n : 0;

    k->n = n == 2 ? 0 : n + 1;
    k->event = *e;
    k->place = (uint32_t)place;
    if (k->n > 0)
        loop_timer_start(&a->click_over, CLICK_MS);
    else
        loop_timer_stop(&a->click_over);
    return kinds[n];
}

static void press(struct attach *a, enum mouse_place place, const struct mouse_event *e)
{
    const struct attach_view *v = view_at(a, e->x, e->y);

    attach_drag_end(a);
    a->drag.pane = place == MOUSE_ON_PANE && v ? v->pane : NULL;
    a->drag.pressed = *e;
    tell(a, count_click(a, place, e), place, e);
}

/* A drag is where it began: what was pressed is selected or moved. */
static void drag(struct attach *a, const struct mouse_event *e)
{
    struct mouse_event from = *e;
    enum mouse_place place;

    if (attach_drag_on(a, e))
        return;
    a->clicks.n = 0; /* it was no click */
    loop_timer_stop(&a->click_over);
    if (!a->drag.moved) {
        from.x = a->drag.pressed.x;
        from.y = a->drag.pressed.y;
        from.row = a->drag.pressed.row;
    }
    place = find_place(a, &from);
    a->drag.moved = true;
    if (heard_in(a, e) && screen_mouse(pane_screen(heard_in(a, e)->pane)) != SCREEN_MOUSE_NONE)
        from.x = e->x, from.y = e->y,
        from.row = e->row; /* for a program it is where the pointer is */
    tell(a, MOUSE_DRAG, place, &from);
    attach_drag_on(a, e);
}

static void release(struct attach *a, enum mouse_place place, const struct mouse_event *e)
{
    const struct attach_view *v = attach_view_of(a, a->drag.selects);
    bool dragged = a->drag.moved;
    struct mouse_event at = *e;

    if (a->drag.selects || a->drag.border_of)
        attach_drag_on(a, e);
    if (v) { /* also when the pointer has left the pane */
        at.pane = pane_id(v->pane);
        place = MOUSE_ON_PANE;
    }
    a->drag.selects = NULL;
    a->drag.border_of = NULL;
    tell(a, dragged ? MOUSE_DRAG_END : MOUSE_UP, place, &at);
    attach_drag_end(a);
}

static void act(struct attach *a, struct mouse_event *e)
{
    enum mouse_place place = find_place(a, e);

    if (e->wheel && (e->button & BUTTON_MASK) < 2)
        tell(a, e->button & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP, place, e);
    else if (e->wheel)
        attach_mouse_pass(a, e);
    else if (e->release)
        release(a, place, e);
    else if (!(e->button & MOTION))
        press(a, place, e);
    else if ((e->button & BUTTON_MASK) == RELEASED)
        tell(a, MOUSE_MOVE, place, e);
    else
        drag(a, e);
}

void attach_mouse(struct attach *a, const uint8_t *p, size_t n)
{
    struct mouse_event e = {0};

    if (!attach_mouse_is_on(a)) {
        pass(a, p, n);
        return;
    }
    if (a->read_only || a->session->dead || !a->session->current || a->prompt.open ||
        !parse(p, n, &e))
        return;
    e.row = e.y;
    e.y = e.y < a->top ? UINT16_MAX : (uint16_t)(e.y - a->top);
    act(a, &e);
}

void attach_mouse_init(struct attach *a)
{
    loop_timer_init(&a->click_over, a->loop, on_click_over, a);
    attach_drag_init(a);
}

void attach_mouse_clear(struct attach *a)
{
    loop_timer_stop(&a->click_over);
    attach_drag_clear(a);
}
