/* Options and formats for what an attached terminal shows. */
#include "server/daemon/attach_state.h"

#include <string.h>

#include "server/daemon/config_place.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/keytable.h"
#include "server/daemon/session.h"

#define NUMBERS_MS 1000

static struct target shown(const struct attach *a)
{
    struct target t = {NULL, NULL, NULL};

    if (a->session->dead || !a->session->current)
        return t;
    return (struct target){a->session, a->session->current, a->session->current->active};
}

static long number(const struct attach *a, enum option_id id, long otherwise)
{
    struct target t = shown(a);

    if (!a->ops.world)
        return otherwise;
    return options_number(a->ops.world->options, format_options_place(&t), id);
}

uint32_t attach_prefix(const struct attach *a, bool second)
{
    struct target t = shown(a);

    return keytable_prefix(a->ops.world ? a->ops.world->options : NULL, format_options_place(&t),
                           second);
}

uint32_t attach_repeat_ms(const struct attach *a)
{
    return (uint32_t)number(a, OPTION_repeat_time, KEYTABLE_REPEAT_MS);
}

uint32_t attach_message_ms(const struct attach *a)
{
    return (uint32_t)number(a, OPTION_display_time, ATTACH_MESSAGE_MS);
}

uint32_t attach_numbers_ms(const struct attach *a)
{
    return (uint32_t)number(a, OPTION_display_panes_time, NUMBERS_MS);
}

bool attach_mouse_is_on(const struct attach *a)
{
    struct target t = shown(a);

    return a->ops.world &&
           options_flag(a->ops.world->options, format_options_place(&t), OPTION_mouse);
}

enum status_range_kind attach_status_range_at(const struct attach *a, uint16_t x, uint16_t y,
                                              uint32_t *argument)
{
    const struct window *w;

    *argument = 0;
    if (a->session->dead || y < attach_area_rows(a) || a->message[0] || a->prompt.open)
        return STATUS_RANGE_NONE;
    w = status_window_at(a->session, a->cols, x);
    if (!w)
        return STATUS_RANGE_NONE;
    *argument = w->index;
    return STATUS_RANGE_WINDOW;
}

void attach_parse(const struct attach *a, const char *text, struct config_list *list)
{
    static const struct config_context no_context;
    struct target t = shown(a);

    if (!a->ops.world) {
        config_parse(text, strlen(text), NULL, &no_context, list);
        return;
    }
    struct format_place place = format_place(a->ops.world, &t);
    config_place_parse(&place, text, strlen(text), NULL, list);
}

void attach_expand(const struct attach *a, const char *text, struct outbuf *out)
{
    const struct format_client client = {.cols = a->cols,
                                         .rows = a->rows,
                                         .read_only = a->read_only,
                                         .prefix = a->table != NULL,
                                         .session = a->session};
    struct target t = shown(a);

    if (!a->ops.world) {
        outbuf_text(out, text);
        return;
    }
    struct format_place place = format_place(a->ops.world, &t);
    place.client = &client;
    format_vars_expand(&place, text, false, out);
}
