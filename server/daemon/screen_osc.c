/* OSC strings: titles, links, working directory, clipboard. Colours are in screen_color.c. */
#include "server/daemon/screen_state.h"

#include <stdlib.h>
#include <string.h>

/* Replaces *at by a copy of n bytes; keeps the old one when memory ran out. */
static void replace_text(char **at, const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy)
        return;
    memcpy(copy, text, n);
    copy[n] = 0;
    free(*at);
    *at = copy;
}

void screen_set_title(struct screen *s, const char *text, size_t n)
{
    if (n > SCREEN_TEXT_MAX)
        return;
    replace_text(&s->title, text, n);
    if (s->events.title)
        s->events.title(s->ctx);
}

static void set_icon(struct screen *s, const char *text, size_t n)
{
    if (n <= SCREEN_TEXT_MAX)
        replace_text(&s->icon, text, n);
}

/* --- the title stack (CSI 22 t, CSI 23 t)
 * ---------------------------------------------------------- */

static void push_text(char **stack, uint32_t *count, const char *text)
{
    char *copy = NULL;
    replace_text(&copy, text ? text : "", text ? strlen(text) : 0);
    if (!copy)
        return;
    if (*count == TITLE_STACK_MAX) {
        free(stack[0]);
        memmove(stack, stack + 1, (TITLE_STACK_MAX - 1) * sizeof *stack);
        --*count;
    }
    stack[(*count)++] = copy;
}

void screen_title_stack(struct screen *s, int32_t op, int32_t which)
{
    bool title = which == 0 || which == 2;
    bool icon = which == 0 || which == 1;
    if (op == 22) {
        if (title)
            push_text(s->titles, &s->title_count, s->title);
        if (icon)
            push_text(s->icons, &s->icon_count, s->icon);
    } else if (op == 23) {
        if (title && s->title_count) {
            char *text = s->titles[--s->title_count];
            screen_set_title(s, text, strlen(text));
            free(text);
        }
        if (icon && s->icon_count) {
            free(s->icon);
            s->icon = s->icons[--s->icon_count];
        }
    }
}

/* --- links
 * ----------------------------------------------------------------------------------------- */

/* Finds id=… among parameters separated by colons. */
static size_t find_id(const char *params, size_t n, const char **id)
{
    for (size_t at = 0; at < n;) {
        size_t len = 0;
        while (at + len < n && params[at + len] != ':')
            len++;
        if (len >= 3 && memcmp(params + at, "id=", 3) == 0) {
            *id = params + at + 3;
            return len - 3;
        }
        at += len + 1;
    }
    return 0;
}

/* A link is kept as its id (with a serial number in front, so that links without one stay apart),
 * NUL, and its target, NUL. */
static uint32_t add_link(struct screen *s, const char *id, size_t id_len, const char *uri,
                         size_t uri_len)
{
    struct outbuf key = {0};
    outbuf_printf(&key, "%u;", id_len ? 0u : ++s->link_serial);
    outbuf_put(&key, id, id_len);
    outbuf_byte(&key, 0);
    outbuf_put(&key, uri, uri_len);
    outbuf_byte(&key, 0);
    uint32_t number = key.bad ? 0 : intern_add(&s->links, key.p, key.len);
    outbuf_clear(&key);
    return number;
}

static void trim(const char **text, size_t *n)
{
    while (*n && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*n;
    }
    while (*n && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t'))
        --*n;
}

static void set_link(struct screen *s, const char *text, size_t n)
{
    const char *semicolon = memchr(text, ';', n);
    if (!semicolon || n > SCREEN_TEXT_MAX)
        return;
    const char *params = text;
    size_t params_len = (size_t)(semicolon - text);
    const char *uri = semicolon + 1;
    size_t uri_len = n - params_len - 1;
    trim(&params, &params_len);
    if (uri_len) {
        const char *id = "";
        size_t id_len = find_id(params, params_len, &id);
        raw_pen_set_link(&s->pen, add_link(s, id, id_len, uri, uri_len));
    } else if (params_len == 0) {
        raw_pen_set_link(&s->pen, 0);
    }
}

/* --- clipboard
 * --------------------------------------------------------------------------------------- */

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes base64 (RFC 4648, padding optional) into out; false for anything else. */
static bool decode_base64(const char *text, size_t n, struct outbuf *out)
{
    uint32_t bits = 0;
    unsigned have = 0;
    while (n && text[n - 1] == '=')
        n--;
    for (size_t i = 0; i < n; i++) {
        int value = base64_value(text[i]);
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            outbuf_byte(out, (uint8_t)(bits >> have));
        }
    }
    return have < 6;
}

void screen_osc_clipboard(struct screen *s, const char *text, size_t n)
{
    const char *semicolon = memchr(text, ';', n);
    if (!semicolon || !s->events.clipboard)
        return;
    const char *data = semicolon + 1;
    size_t len = n - (size_t)(data - text);
    struct outbuf out = {0};
    if (decode_base64(data, len, &out) && !out.bad) /* "?", a read, is no base64 */
        s->events.clipboard(s->ctx, out.p, out.len);
    outbuf_clear(&out);
}

/* --- dispatch
 * ---------------------------------------------------------------------------------------- */

static void set_cwd(struct screen *s, const char *text, size_t n)
{
    if (n > SCREEN_TEXT_MAX)
        return;
    replace_text(&s->cwd, text, n);
    if (s->events.cwd)
        s->events.cwd(s->ctx);
}

/* Reads the number a string begins with; false when it has none xterm.js would accept. */
static bool read_command(const char *text, size_t n, uint32_t *command, size_t *used)
{
    size_t i = 0;
    uint32_t v = 0;
    for (; i < n && text[i] != ';'; i++) {
        if (text[i] < '0' || text[i] > '9' || v > 99999)
            return false;
        v = v * 10 + (uint32_t)(text[i] - '0');
    }
    *command = v;
    *used = i < n ? i + 1 : i;
    return i > 0;
}

void screen_osc(struct screen *s, const char *text, size_t n, enum scan_end end)
{
    uint32_t command;
    size_t used;
    if (end == SCAN_END_ABORTED || !read_command(text, n, &command, &used))
        return;
    text += used;
    n -= used;
    switch (command) {
    case 0:
        screen_set_title(s, text, n);
        set_icon(s, text, n);
        break;
    case 1:
        set_icon(s, text, n);
        break;
    case 2:
        screen_set_title(s, text, n);
        break;
    case 7:
        set_cwd(s, text, n);
        break;
    case 8:
        set_link(s, text, n);
        break;
    case 52:
        screen_osc_clipboard(s, text, n);
        break;
    default:
        screen_osc_color(s, command, text, end);
        break;
    }
}
