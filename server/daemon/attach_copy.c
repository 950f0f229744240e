/* Copy mode on an attached terminal: what is drawn instead of a pane's screen, which key table
 * holds, and the terminal's clipboard.
 *
 *   frozen line ─► cells ─► the mark's line ─► matches ─► the selection ─► [scrolled/history]
 */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/copy_mode.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/options_value.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"

#define MATCHES_MAX         256 /* drawn in one line */
#define CLIPBOARD_MAX_BYTES (1u << 20)

/* --- options -------------------------------------------------------------------------------- */

static struct options_place place_of(const struct attach *a, const struct pane *p)
{
    struct target t = {a->session, a->session->dead ? NULL : a->session->current, (struct pane *)p};

    return format_options_place(&t);
}

static const struct options *options_of(const struct attach *a)
{
    return a->ops.world ? a->ops.world->options : NULL;
}

static struct pen style(const struct attach *a, const struct pane *p, enum option_id id)
{
    const struct options *o = options_of(a);
    struct pen pen = frame_pen_default;

    if (o)
        options_style(options_text(o, place_of(a, p), id), &frame_pen_default, &pen);
    else
        pen.flags = PEN_INVERSE;
    return pen;
}

const char *attach_copy_table(const struct attach *a)
{
    if (!a->pane || !copy_mode_of(a->pane))
        return NULL;
    return copy_mode_table(options_of(a), place_of(a, a->pane));
}

/* --- drawing -------------------------------------------------------------------------------- */

/* One row of a pane in copy mode. */
struct drawing {
    const struct attach *a;
    struct pane *pane;
    const struct keys_area *at;
    struct frame *f;
    uint16_t y;    /* of the terminal */
    uint32_t line; /* of copy mode */
    struct copy *copy;
    struct copy_view look;
};

/* Gives columns of the pane a look, where they are seen. */
static void paint_cols(const struct drawing *d, uint32_t from, uint32_t to, const struct pen *pen)
{
    struct cell *row = frame_row(d->f, d->y) + d->at->x;
    uint32_t first = d->at->shift_x, end = first + d->at->cols;

    from = from > first ? from : first;
    to = to < end ? to : end;
    for (uint32_t x = from; x < to; x++)
        row[x - first].pen = *pen;
}

static void paint_mark(const struct drawing *d)
{
    struct pen pen = style(d->a, d->pane, OPTION_copy_mode_mark_style);
    struct pen turned = pen;

    if (!d->look.marked || d->line != d->look.mark_y)
        return;
    paint_cols(d, 0, UINT16_MAX, &pen);
    turned.fg = pen.bg;
    turned.bg = pen.fg;
    paint_cols(d, d->look.mark_x, d->look.mark_x + 1, &turned);
}

static void paint_matches(const struct drawing *d, bool vi)
{
    struct copy_match matches[MATCHES_MAX];
    struct pen pen = style(d->a, d->pane, OPTION_copy_mode_match_style);
    struct pen current = style(d->a, d->pane, OPTION_copy_mode_current_match_style);
    size_t n = d->look.searching ? copy_matches(d->copy, vi, d->line, matches, MATCHES_MAX) : 0;

    for (size_t i = 0; i < n; i++)
        paint_cols(d, matches[i].from, matches[i].to, matches[i].current ? &current : &pen);
}

static void paint_selection(const struct drawing *d, bool vi)
{
    struct pen pen = style(d->a, d->pane, OPTION_mode_style);
    uint32_t from, to;

    if (copy_selected(d->copy, vi, d->line, &from, &to))
        paint_cols(d, from, to, &pen);
}

/* How far up it is, and how much was found, at the right of the first row. */
static void draw_position(const struct drawing *d)
{
    struct pen pen = style(d->a, d->pane, OPTION_mode_style);
    const struct copy_view *v = &d->look;
    char text[80];
    uint16_t n;

    if (d->line != v->top || v->hide_position || d->at->shift_y > 0)
        return;
    if (v->searching)
        snprintf(text, sizeof text, "(%u%s results) [%u/%u]", v->matches,
                 v->more_matches ? "+" : "", v->scroll, v->history);
    else
        snprintf(text, sizeof text, "[%u/%u]", v->scroll, v->history);
    n = (uint16_t)strlen(text);
    if (n > d->at->cols)
        n = d->at->cols;
    frame_text(d->f, d->y, (uint16_t)(d->at->x + d->at->cols - n),
               (uint16_t)(d->at->x + d->at->cols), &pen, text, n);
}

/* Behind the last column the cursor cannot be shown: the cell there says that it is. */
static void draw_behind(const struct drawing *d)
{
    uint16_t last = (uint16_t)(d->at->x + d->at->cols - 1);

    if (d->line != d->look.top + d->look.y || d->look.x < (uint32_t)d->at->shift_x + d->at->cols ||
        d->at->cols == 0)
        return;
    frame_text(d->f, d->y, last, (uint16_t)(last + 1), &frame_pen_default, "$", 1);
}

bool attach_copy_draw_row(const struct attach_view *v, const struct keys_area *at, struct frame *f,
                          uint16_t y)
{
    struct copy_mode *m = copy_mode_of(v->pane);
    struct drawing d = {.a = v->attach, .pane = v->pane, .at = at, .f = f, .y = y};
    const struct cell *cells;
    uint16_t n;
    bool vi;

    if (!m)
        return false;
    vi = copy_mode_options(options_of(v->attach), place_of(v->attach, v->pane)).vi;
    d.copy = copy_mode_state(m);
    d.look = copy_look(d.copy);
    d.line = d.look.top + (uint32_t)(y - at->y + at->shift_y);
    cells = copy_mode_cells(m, d.line, &n);
    attach_draw_cells(v, f, y, at, cells, n);
    if (at->cols == f->cols)
        f->wraps[y] = n == f->cols && y + 1 < at->y + at->rows && copy_mode_goes_on(m, d.line);
    paint_mark(&d);
    paint_matches(&d, vi);
    paint_selection(&d, vi);
    draw_position(&d);
    draw_behind(&d);
    return true;
}

bool attach_copy_cursor(const struct attach_view *v, struct screen_cursor *out)
{
    struct copy_mode *m = copy_mode_of(v->pane);
    const struct screen *s = pane_screen(v->pane);
    struct copy_view look;

    if (!m)
        return false;
    look = copy_look(copy_mode_state(m));
    out->x = look.x < screen_cols(s) ? look.x : (uint16_t)(screen_cols(s) - 1);
    out->y = look.y < screen_rows(s) ? look.y : (uint16_t)(screen_rows(s) - 1);
    out->visible = true;
    out->shape = 0;
    return true;
}

void attach_copy_follow(struct attach_view *v)
{
    uint64_t version = copy_mode_version(v->pane);

    if (version == v->mode_version)
        return;
    v->mode_version = version;
    v->all_stale = true;
}

/* --- the clipboard -------------------------------------------------------------------------- */

static void put_base64(struct outbuf *out, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                     (left > 2 ? p[i + 2] : 0u);

        outbuf_byte(out, (uint8_t)digits[v >> 18]);
        outbuf_byte(out, (uint8_t)digits[v >> 12 & 63]);
        outbuf_byte(out, left > 1 ? (uint8_t)digits[v >> 6 & 63] : '=');
        outbuf_byte(out, left > 2 ? (uint8_t)digits[v & 63] : '=');
    }
}

void attach_set_clipboard(const struct pane *p, const uint8_t *text, size_t n)
{
    for (struct attach *a = attach_first(); a; a = a->next) {
        if (n > CLIPBOARD_MAX_BYTES || a->read_only || !attach_view_of(a, p) ||
            !(a->flags & (IPC_CLIENT_COLOURS | IPC_CLIENT_COLOURS_256)))
            continue;
        outbuf_reset(&a->clipboard); /* only the newest counts */
        outbuf_text(&a->clipboard, "\033]52;c;");
        put_base64(&a->clipboard, text, n);
        outbuf_byte(&a->clipboard, '\a');
        attach_wake(a);
    }
}

void attach_put_clipboard(struct attach *a)
{
    if (!a->clipboard.bad)
        outbuf_put(&a->out, a->clipboard.p, a->clipboard.len);
    outbuf_clear(&a->clipboard);
}
