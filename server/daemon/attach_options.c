/* Options and formats for what an attached terminal shows. */
#include "server/daemon/attach_state.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/config_place.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/keytable.h"
#include "server/daemon/options_value.h"
#include "server/daemon/session.h"

#define NUMBERS_MS 1000

static struct target shown(const struct attach *a)
{
    struct target t = {NULL, NULL, NULL};

    if (a->session->dead || !a->session->current)
        return t;
    return (struct target){a->session, a->session->current, a->session->current->active};
}

long attach_number(const struct attach *a, enum option_id id, long otherwise)
{
    struct target t = shown(a);

    if (!a->ops.world)
        return otherwise;
    return options_number(a->ops.world->options, format_options_place(&t), id);
}

const char *attach_text(const struct attach *a, enum option_id id, const char *otherwise)
{
    struct target t = shown(a);

    if (!a->ops.world)
        return otherwise;
    return options_text(a->ops.world->options, format_options_place(&t), id);
}

const char *attach_item(const struct attach *a, enum option_id id, long index)
{
    struct target t = shown(a);

    if (!a->ops.world)
        return NULL;
    return options_item(a->ops.world->options, format_options_place(&t), id, index);
}

struct pen attach_style(const struct attach *a, enum option_id id, const struct pen *base)
{
    struct outbuf text = {0};
    struct pen pen = *base;

    attach_expand(a, attach_text(a, id, "default"), &text);
    outbuf_byte(&text, '\0');
    if (!text.bad)
        options_style((const char *)text.p, base, &pen);
    outbuf_clear(&text);
    return pen;
}

bool attach_pane_flag(const struct attach *a, const struct pane *p, enum option_id id)
{
    struct target t = shown(a);

    t.pane = (struct pane *)(uintptr_t)p;
    return a->ops.world && options_flag(a->ops.world->options, format_options_place(&t), id);
}

struct pen attach_pane_style(const struct attach *a, struct pane *p, enum option_id id)
{
    struct target t = shown(a);
    struct pen pen = {0};
    char *text;

    t.pane = p;
    if (!a->ops.world || !options_is_used(a->ops.world->options, id))
        return pen;
    struct format_place place = format_place(a->ops.world, &t);
    text = format_vars_text(
        &place, options_text(a->ops.world->options, format_options_place(&t), id), false);
    if (text)
        options_style(text, &frame_pen_default, &pen);
    free(text);
    return pen;
}

uint32_t attach_prefix(const struct attach *a, bool second)
{
    struct target t = shown(a);

    return keytable_prefix(a->ops.world ? a->ops.world->options : NULL, format_options_place(&t),
                           second);
}

uint32_t attach_repeat_ms(const struct attach *a)
{
    return (uint32_t)attach_number(a, OPTION_repeat_time, KEYTABLE_REPEAT_MS);
}

uint32_t attach_message_ms(const struct attach *a)
{
    return (uint32_t)attach_number(a, OPTION_display_time, ATTACH_MESSAGE_MS);
}

uint32_t attach_numbers_ms(const struct attach *a)
{
    return (uint32_t)attach_number(a, OPTION_display_panes_time, NUMBERS_MS);
}

bool attach_mouse_is_on(const struct attach *a)
{
    struct target t = shown(a);

    return a->ops.world &&
           options_flag(a->ops.world->options, format_options_place(&t), OPTION_mouse);
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

static void expand(const struct attach *a, const char *text, bool with_time, struct outbuf *out)
{
    struct format_client client;
    struct target t = shown(a);

    if (!a->ops.world) {
        outbuf_text(out, text);
        return;
    }
    struct format_place place = format_place(a->ops.world, &t);
    attach_describe(a, &client);
    place.client = &client;
    format_vars_expand(&place, text, with_time, out);
}

void attach_expand(const struct attach *a, const char *text, struct outbuf *out)
{
    expand(a, text, false, out);
}

void attach_expand_time(const struct attach *a, const char *text, struct outbuf *out)
{
    expand(a, text, true, out);
}
