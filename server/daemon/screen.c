#include "server/daemon/screen_state.h"

#include <stdlib.h>
#include <string.h>

#define CLUSTERS_MAX GLYPH_CONTENT
#define LINKS_MAX    0xffffffu
#define FEED_STEP    16384u /* bytes between looks at whether a sweep is due */

/* --- what scan calls -------------------------------------------------------------------------- */

static void on_ascii(void *ctx, const uint8_t *p, size_t n)
{
    screen_print_ascii(ctx, p, n);
}

/* Whatever is not printed ends a run of characters … */
static struct screen *end_run(void *ctx)
{
    struct screen *s = ctx;
    screen_settle_run(s);
    s->printing = false;
    return s;
}

static void on_print(void *ctx, const uint32_t *cps, size_t n)
{
    if (n)
        screen_print(ctx, cps, n);
    else
        end_run(ctx);
}

/* … and what REP and combining characters refer to. */
static void forget_last(struct screen *s)
{
    s->last_width = 0;
    s->last_joined = false;
}

static void on_control(void *ctx, uint32_t c)
{
    struct screen *s = end_run(ctx);
    screen_control(s, c);
    forget_last(s);
}

static void on_esc(void *ctx, uint32_t id)
{
    struct screen *s = end_run(ctx);
    screen_esc(s, id);
    forget_last(s);
}

static void on_csi(void *ctx, uint32_t id, const struct scan_params *p)
{
    struct screen *s = end_run(ctx);
    screen_csi(s, id, p);
    forget_last(s);
}

static void on_osc(void *ctx, const char *text, size_t n, enum scan_end end)
{
    struct screen *s = end_run(ctx);
    screen_osc(s, text, n, end);
    forget_last(s);
}

static void on_dcs(void *ctx, uint32_t id, const struct scan_params *p, const char *text, size_t n,
                   enum scan_end end)
{
    struct screen *s = end_run(ctx);
    screen_dcs(s, id, p, text, n, end);
    forget_last(s);
}

static const struct scan_events scan_events = {.ascii = on_ascii,
                                               .print = on_print,
                                               .control = on_control,
                                               .esc = on_esc,
                                               .csi = on_csi,
                                               .osc = on_osc,
                                               .dcs = on_dcs};

/* --- life ------------------------------------------------------------------------------------- */

static int clamp_size(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

static bool create_parts(struct screen *s, uint32_t history_limit)
{
    s->scan = scan_create(&scan_events, s);
    s->scroll = scroll_create(history_limit);
    s->dirty = calloc((size_t)s->rows, sizeof *s->dirty);
    s->row_cells = calloc((size_t)s->cols, sizeof *s->row_cells);
    return s->scan && s->scroll && s->dirty && s->row_cells &&
           buffer_create(&s->main, s->cols, s->rows, true) &&
           buffer_create(&s->alternate, s->cols, s->rows, false);
}

struct screen *screen_create(uint16_t cols, uint16_t rows, uint32_t history_limit,
                             const struct screen_events *ev, void *ctx)
{
    struct screen *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (ev)
        s->events = *ev;
    s->ctx = ctx;
    s->cols = clamp_size(cols, SCREEN_COLS_MIN, SCREEN_COLS_MAX);
    s->rows = clamp_size(rows, SCREEN_ROWS_MIN, SCREEN_ROWS_MAX);
    s->active = &s->main;
    s->modes = SCREEN_CURSOR_VISIBLE | SCREEN_AUTOWRAP;
    s->cursor_blink = -1;
    intern_init(&s->pens, PEN_NUMBER_MAX);
    intern_init(&s->clusters, CLUSTERS_MAX);
    intern_init(&s->links, LINKS_MAX);
    screen_colors_reset(s);
    if (!create_parts(s, history_limit)) {
        screen_destroy(s);
        return NULL;
    }
    screen_touch_all(s);
    return s;
}

static void free_stack(char **stack, uint32_t *count)
{
    while (*count)
        free(stack[--*count]);
}

void screen_destroy(struct screen *s)
{
    if (!s)
        return;
    screen_frozen_orphan_all(s);
    free(s->shown_cells);
    free(s->row_cells);
    free(s->dirty);
    free_stack(s->titles, &s->title_count);
    free_stack(s->icons, &s->icon_count);
    free(s->title);
    free(s->icon);
    free(s->cwd);
    scroll_destroy(s->scroll);
    buffer_clear(&s->alternate);
    buffer_clear(&s->main);
    intern_clear(&s->links);
    intern_clear(&s->clusters);
    intern_clear(&s->pens);
    scan_destroy(s->scan);
    free(s);
}

/* ESC c. As in xterm.js it leaves the title, the palette, the newline mode and the cursor's
 * visibility and blinking alone. */
void screen_reset(struct screen *s)
{
    screen_show_main(s);
    screen_reset_modes(s);
    s->modes &= ~(uint32_t)SCREEN_REVERSE_VIDEO;
    s->pen = (struct raw_pen){0};
    memset(s->charsets, CHARSET_ASCII, sizeof s->charsets);
    s->charset = CHARSET_ASCII;
    s->level = 0;
    s->mouse = SCREEN_MOUSE_NONE;
    s->mouse_encoding = SCREEN_MOUSE_DEFAULT;
    memset(s->kitty, 0, sizeof s->kitty);
    scroll_forget(s->scroll);
    buffer_home(&s->main, s->cols, s->rows);
    buffer_home(&s->alternate, s->cols, s->rows);
    s->main.saved = s->alternate.saved = (struct saved_cursor){0};
    for (int row = 0; row < s->rows; row++) {
        grid_erase(s->main.grid, row, 0, s->cols, 0);
        s->main.wrapped[row] = false;
    }
    grid_set_plain(s->main.grid);
    screen_touch_all(s);
}

/* --- input and output ------------------------------------------------------------------------- */

void screen_feed_bench(struct screen *s, const uint8_t *p, size_t n)
{
    while (n) {
        size_t part = n < FEED_STEP ? n : FEED_STEP;
        scan_feed(s->scan, p, part);
        screen_sweep(s);
        p += part;
        n -= part;
    }
    end_run(s);
}

void screen_feed(struct screen *s, const uint8_t *p, size_t n)
{
    screen_feed_bench(s, p, n);
    grid_settle(s->main.grid);
    if (s->alternate.grid)
        grid_settle(s->alternate.grid);
    s->dirty_any = true;
}

void screen_rest(struct screen *s)
{
    grid_rest(s->main.grid);
    if (s->alternate.grid)
        grid_rest(s->alternate.grid);
}

void screen_reply(struct screen *s, const void *p, size_t n)
{
    if (s->events.reply && p && n)
        s->events.reply(s->ctx, p, n);
}

void screen_reply_text(struct screen *s, const char *text)
{
    screen_reply(s, text, strlen(text));
}

uint64_t screen_head(const struct screen *s)
{
    return scan_head(s->scan);
}

uint64_t screen_cut(const struct screen *s)
{
    return scan_cut(s->scan);
}

void screen_clear_history(struct screen *s)
{
    scroll_forget(s->scroll);
}

uint32_t screen_history_limit(const struct screen *s)
{
    return scroll_limit(s->scroll);
}

void screen_set_history_limit(struct screen *s, uint32_t lines)
{
    scroll_set_limit(s->scroll, lines);
}

/* --- dirty rows ------------------------------------------------------------------------------- */

void screen_touch(struct screen *s, int row)
{
    s->dirty[row] = true;
}

void screen_touch_all(struct screen *s)
{
    memset(s->dirty, true, (size_t)s->rows);
    s->dirty_any = true;
}

bool screen_row_dirty(const struct screen *s, uint16_t row)
{
    return row < s->rows && s->dirty[row];
}

bool screen_dirty(const struct screen *s)
{
    return s->dirty_any;
}

void screen_clean(struct screen *s)
{
    memset(s->dirty, false, (size_t)s->rows);
    s->dirty_any = false;
}

/* --- getters ---------------------------------------------------------------------------------- */

uint16_t screen_cols(const struct screen *s)
{
    return (uint16_t)s->cols;
}

uint16_t screen_rows(const struct screen *s)
{
    return (uint16_t)s->rows;
}

static uint8_t cursor_shape(const struct screen *s)
{
    if (s->cursor_style == 0)
        return 0;
    return (uint8_t)(s->cursor_style * 2 - (s->cursor_blink > 0));
}

struct screen_cursor screen_cursor(const struct screen *s)
{
    const struct buffer *b = s->active;
    return (struct screen_cursor){.x = (uint16_t)int_min(b->x, s->cols - 1),
                                  .y = (uint16_t)b->y,
                                  .visible = s->modes & SCREEN_CURSOR_VISIBLE,
                                  .pending_wrap = b->x >= s->cols,
                                  .shape = cursor_shape(s)};
}

uint32_t screen_modes(const struct screen *s)
{
    return s->modes | (s->active == &s->alternate ? (uint32_t)SCREEN_ALTERNATE : 0);
}

enum screen_mouse screen_mouse(const struct screen *s)
{
    return s->mouse;
}

enum screen_mouse_encoding screen_mouse_encoding(const struct screen *s)
{
    return s->mouse_encoding;
}

const char *screen_title(const struct screen *s)
{
    return s->title ? s->title : "";
}

const char *screen_cwd(const struct screen *s)
{
    return s->cwd ? s->cwd : "";
}

const char *screen_link(const struct screen *s, uint32_t link, const char **id)
{
    const char *text = intern_get(&s->links, link, NULL);
    if (!text)
        return NULL;
    const char *semicolon = strchr(text, ';');
    if (id)
        *id = semicolon + 1;
    return text + strlen(text) + 1;
}

uint64_t screen_first_line(const struct screen *s)
{
    return scroll_first(s->scroll);
}

uint64_t screen_top_line(const struct screen *s)
{
    return scroll_end(s->scroll);
}

uint32_t screen_history_count(const struct screen *s)
{
    return scroll_count(s->scroll);
}
