#include "server/daemon/status.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/utf8.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/session.h"

#define TEXT_MAX 512
#define GAP_COLS 2

static const struct pen pen_line = {.fg = COLOR_KIND_256 | 252, .bg = COLOR_KIND_256 | 236};
static const struct pen pen_current = {
    .fg = COLOR_KIND_256 | 231, .bg = COLOR_KIND_256 | 236, .flags = PEN_BOLD};
static const struct pen pen_shared = {
    .fg = COLOR_KIND_16 | 9, .bg = COLOR_KIND_256 | 236, .flags = PEN_BOLD};
static const struct pen pen_message = {.fg = COLOR_KIND_256 | 16, .bg = COLOR_KIND_256 | 220};

static const char ellipsis[] = "…";

/* Text with its escapes taken out; cols is what it takes. */
struct text {
    char bytes[TEXT_MAX];
    size_t n;
    uint16_t cols;
};

static void set_text(struct text *t, const char *from)
{
    t->n = utf8_printable((const uint8_t *)from, strlen(from), t->bytes, TEXT_MAX - 1);
    t->cols = frame_text_cols(t->bytes, t->n);
}

/* Draws t from col up to end, with an ellipsis where it is cut. */
static uint16_t draw_text(struct frame *f, uint16_t row, uint16_t col, uint16_t end,
                          const struct pen *pen, const struct text *t)
{
    if (col >= end)
        return col;
    if (col + t->cols <= end)
        return frame_text(f, row, col, end, pen, t->bytes, t->n);
    col = frame_text(f, row, col, (uint16_t)(end - 1), pen, t->bytes, t->n);
    return frame_text(f, row, col, end, pen, ellipsis, strlen(ellipsis));
}

static uint16_t draw_string(struct frame *f, uint16_t row, uint16_t col, uint16_t end,
                            const struct pen *pen, const char *from)
{
    struct text t;

    set_text(&t, from);
    return draw_text(f, row, col, end, pen, &t);
}

/* --- right ---------------------------------------------------------------------------------- */

static void mark_text(const struct status *s, struct text *t)
{
    char mark[40] = "";

    if (s->shared && s->viewers > 0)
        snprintf(mark, sizeof mark, "● %u watching", (unsigned)s->viewers);
    else if (s->shared)
        snprintf(mark, sizeof mark, "● shared");
    set_text(t, mark);
}

static void clock_text(const struct status *s, struct text *t)
{
    time_t now = (time_t)s->now_s;
    struct tm tm;
    char clock[8] = "";

    if (localtime_r(&now, &tm))
        strftime(clock, sizeof clock, "%H:%M", &tm);
    set_text(t, clock);
}

static void title_text(const struct status *s, struct text *t)
{
    char quoted[TEXT_MAX];
    struct text title;

    *t = (struct text){.n = 0};
    if (!s->title || !*s->title)
        return;
    set_text(&title, s->title);
    snprintf(quoted, sizeof quoted, "\"%.*s\"", TEXT_MAX - 4, title.bytes);
    set_text(t, quoted);
    if (t->cols > STATUS_TITLE_COLS_MAX)
        t->cols = STATUS_TITLE_COLS_MAX;
}

/* Draws one piece that ends before column end; returns where it begins, less a gap. */
static uint16_t draw_right(struct frame *f, uint16_t row, uint16_t left, uint16_t end,
                           const struct pen *pen, struct text *t)
{
    if (t->cols == 0 || left + t->cols > end)
        return end;
    uint16_t start = (uint16_t)(end - t->cols);
    t->cols = frame_text_cols(t->bytes, t->n); /* a title may be longer than its room */
    draw_text(f, row, start, end, pen, t);
    return start > GAP_COLS ? (uint16_t)(start - GAP_COLS) : 0;
}

/* --- left ----------------------------------------------------------------------------------- */

/* What tmux puts behind a window's name: activity, bell, current or last, zoomed. */
static void window_flags(const struct session *s, const struct window *w, char out[static 6])
{
    size_t n = 0;

    if (w->marks & WINDOW_ACTIVITY)
        out[n++] = '#';
    if (w->marks & WINDOW_BELL)
        out[n++] = '!';
    if (w == s->current)
        out[n++] = '*';
    else if (w == s->last)
        out[n++] = '-';
    if (w->zoomed)
        out[n++] = 'Z';
    out[n] = '\0';
}

static uint16_t draw_windows(const struct status *s, struct frame *f, uint16_t row, uint16_t col,
                             uint16_t end)
{
    char item[SESSION_NAME_MAX_BYTES + 32], flags[8];

    for (const struct window *w = s->session->windows; w; w = w->next) {
        bool current = w == s->session->current;
        window_flags(s->session, w, flags);
        snprintf(item, sizeof item, " %u:%s%s", (unsigned)w->index, w->name, flags);
        col = draw_string(f, row, col, end, current ? &pen_current : &pen_line, item);
    }
    return col;
}

struct window *status_window_at(const struct session *s, uint16_t cols, uint16_t col)
{
    char item[SESSION_NAME_MAX_BYTES + 32], flags[8];
    struct text t;
    uint32_t at = 0;

    snprintf(item, sizeof item, "[%s]", s->name);
    set_text(&t, item);
    at = t.cols;
    for (struct window *w = s->windows; w && at < cols; w = w->next) {
        window_flags(s, w, flags);
        snprintf(item, sizeof item, " %u:%s%s", (unsigned)w->index, w->name, flags);
        set_text(&t, item);
        if (col > at && col < at + t.cols) /* not the blank in front */
            return w;
        at += t.cols;
    }
    return NULL;
}

static uint16_t draw_left(const struct status *s, struct frame *f, uint16_t row, uint16_t end)
{
    char item[SESSION_NAME_MAX_BYTES + 8];

    if (s->message)
        return draw_string(f, row, 0, end, &pen_message, s->message);
    snprintf(item, sizeof item, "[%s]", s->session->name);
    uint16_t col = draw_string(f, row, 0, end, &pen_line, item);
    col = draw_windows(s, f, row, col, end);
    if (s->read_only)
        col = draw_string(f, row, col, end, &pen_current, " (read-only)");
    if (s->ended) {
        col = draw_string(f, row, col, end, &pen_line, " ");
        col = draw_string(f, row, col, end, &pen_message, s->ended);
    }
    return col;
}

void status_draw(const struct status *s, struct frame *f, uint16_t row)
{
    struct text mark, title, clock;
    uint16_t end = f->cols;

    mark_text(s, &mark);
    clock_text(s, &clock);
    title_text(s, &title);
    frame_fill(f, row, 0, f->cols, &pen_line);
    uint16_t reserved = mark.cols ? (uint16_t)(mark.cols + 1) : 0;
    uint16_t left = draw_left(s, f, row, reserved < end ? (uint16_t)(end - reserved) : 0);
    if (left > 0)
        left = (uint16_t)(left + GAP_COLS);
    uint16_t wanted = (uint16_t)(mark.cols ? mark.cols + GAP_COLS : 0);
    if (left + wanted + clock.cols <= end)
        end = draw_right(f, row, (uint16_t)(left + wanted), end, &pen_line, &clock);
    if (left + wanted + title.cols <= end)
        end = draw_right(f, row, (uint16_t)(left + wanted), end, &pen_line, &title);
    draw_right(f, row, 0, end, &pen_shared, &mark);
}

uint64_t status_clock_ms(int64_t now_s)
{
    int64_t past = now_s % 60;

    return (uint64_t)(60 - (past < 0 ? past + 60 : past)) * 1000;
}
