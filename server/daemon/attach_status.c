/* The status lines of an attached terminal: status-format, expanded and drawn when something that
 * it may speak of has changed or status-interval is over; a message or a prompt over the last of
 * them; and the outer terminal's title. */
#include "server/daemon/attach_state.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/options_value.h"
#include "server/daemon/session.h"

static const struct pen pen_plain = {0};

/* --- where it is ---------------------------------------------------------------------------- */

/* How many lines the option asks for; a session that has ended, or no options: one. */
static uint16_t wanted_lines(const struct attach *a)
{
    return (uint16_t)attach_number(a, OPTION_status, 1);
}

uint16_t attach_status_rows(const struct attach *a)
{
    uint16_t lines = wanted_lines(a);

    return lines < a->rows ? lines : (uint16_t)(a->rows - 1);
}

uint16_t attach_top_rows(const struct attach *a)
{
    return attach_number(a, OPTION_status_position, 1) == 0 ? attach_status_rows(a) : 0;
}

uint16_t attach_area_rows(const struct attach *a)
{
    return (uint16_t)(a->rows - attach_status_rows(a));
}

/* The first row of the status lines, and the one of messages and prompts. */
static uint16_t first_row(const struct attach *a)
{
    return attach_top_rows(a) > 0 ? 0 : attach_area_rows(a);
}

static uint16_t message_row(const struct attach *a)
{
    if (attach_status_rows(a) > 0)
        return (uint16_t)(first_row(a) + attach_status_rows(a) - 1);
    return attach_number(a, OPTION_status_position, 1) == 0 ? 0 : (uint16_t)(a->rows - 1);
}

enum status_range_kind attach_status_range_at(const struct attach *a, uint16_t x, uint16_t y,
                                              uint32_t *argument)
{
    uint16_t first = first_row(a);

    *argument = 0;
    if (y < first || y >= first + attach_status_rows(a))
        return STATUS_RANGE_NONE;
    if ((a->message[0] || a->prompt.open) && y == message_row(a))
        return STATUS_RANGE_NONE;
    const struct styled_ranges *ranges = &a->ranges[y - first];
    for (size_t i = 0; i < ranges->n; i++) {
        if (x < ranges->at[i].start || x >= ranges->at[i].end)
            continue;
        *argument = ranges->at[i].argument;
        return ranges->at[i].kind;
    }
    return STATUS_RANGE_NONE;
}

void attach_status_changed(struct attach *a)
{
    a->status_stale = true;
    attach_wake(a);
}

/* --- drawing -------------------------------------------------------------------------------- */

/* status-style, with what status-fg and status-bg say on top. */
static struct pen line_pen(const struct attach *a)
{
    struct pen pen = attach_style(a, OPTION_status_style, &pen_plain);
    cell_color colour;

    if (options_colour(attach_text(a, OPTION_status_fg, "default"), &colour) && colour)
        pen.fg = colour;
    if (options_colour(attach_text(a, OPTION_status_bg, "default"), &colour) && colour)
        pen.bg = colour;
    return pen;
}

static void draw_line(struct attach *a, struct frame *f, uint16_t i, const struct pen *pen)
{
    const char *format = attach_item(a, OPTION_status_format, i);
    uint16_t row = (uint16_t)(first_row(a) + i);
    struct outbuf text = {0};

    a->ranges[i].n = 0;
    frame_blank_row(f, row);
    frame_fill(f, row, 0, f->cols, pen);
    if (!format)
        return;
    attach_expand_time(a, format, &text);
    outbuf_byte(&text, '\0');
    if (!text.bad)
        styled_draw((const char *)text.p, pen, f, row, 0, f->cols, &a->ranges[i]);
    outbuf_clear(&text);
}

static void draw_lines(struct attach *a, struct frame *f)
{
    uint16_t first = first_row(a), n = attach_status_rows(a);
    struct pen pen = {0};

    for (uint16_t i = 0; i < n && i < ATTACH_STATUS_LINES_MAX; i++) {
        if (!a->status_stale && a->status_plain && paint_keep(a->paint, (uint16_t)(first + i)))
            continue;
        if (pen_equal(&pen, &pen_plain))
            pen = line_pen(a);
        draw_line(a, f, i, &pen);
    }
}

static void draw_message(const struct attach *a, struct frame *f, uint16_t row)
{
    struct pen pen = attach_style(a, OPTION_message_style, &pen_plain);
    char shown[STATUS_MESSAGE_MAX_BYTES * 3 + 1];

    frame_blank_row(f, row);
    frame_fill(f, row, 0, f->cols, &pen);
    if (a->message_styled) {
        styled_draw(a->message, &pen, f, row, 0, f->cols, NULL);
        return;
    }
    size_t n =
        utf8_printable((const uint8_t *)a->message, strlen(a->message), shown, sizeof shown - 1);
    frame_text(f, row, 0, f->cols, &pen, shown, n);
}

void attach_draw_status(struct attach *a, struct frame *f)
{
    bool over = a->message[0] || a->prompt.open;

    draw_lines(a, f);
    a->status_plain = !over;
    if (a->prompt.open) {
        bool command = a->prompt.vi && a->prompt.command;
        struct pen pen = attach_style(
            a, command ? OPTION_message_command_style : OPTION_message_style, &pen_plain);

        prompt_draw(&a->prompt, f, message_row(a), &pen);
    } else if (over) {
        draw_message(a, f, message_row(a));
    }
    a->plain = a->plain && !(over && attach_status_rows(a) == 0); /* it lies over a pane's row */
}

/* --- the title ------------------------------------------------------------------------------ */

void attach_write_title(struct attach *a)
{
    char shown[ATTACH_TITLE_MAX + 1];
    struct outbuf text = {0};
    size_t n;

    if (!a->status_stale || a->session->dead || !attach_number(a, OPTION_set_titles, 0))
        return;
    attach_expand_time(a, attach_text(a, OPTION_set_titles_string, ""), &text);
    outbuf_byte(&text, '\0');
    n = text.bad ? 0
                 : utf8_printable(text.p, strlen((const char *)text.p), shown, sizeof shown - 1);
    shown[n] = '\0';
    outbuf_clear(&text);
    if (n == 0 || (a->title && strcmp(a->title, shown) == 0))
        return;
    free(a->title);
    a->title = strdup(shown);
    outbuf_printf(&a->out, "\033]0;%s\a", shown);
}

/* --- time ----------------------------------------------------------------------------------- */

static void on_clock(void *ctx)
{
    struct attach *a = ctx;

    attach_status_changed(a);
    attach_start_clock(a);
}

void attach_start_clock(struct attach *a)
{
    uint64_t seconds = (uint64_t)attach_number(a, OPTION_status_interval, 15);

    if (!a->clock.loop)
        loop_timer_init(&a->clock, a->loop, on_clock, a);
    if (seconds > 0)
        loop_timer_start(&a->clock, seconds * 1000);
    else
        loop_timer_stop(&a->clock);
}
