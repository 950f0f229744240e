/* The palette: OSC 4, 10, 11, 12 set or ask for colours, 104 and 110 to 112 restore them. */
#include "server/daemon/screen_state.h"

#include <stdlib.h>
#include <string.h>

#define COLOR_TEXT_MAX 64

/* The colours a program is told while it has not set them: xterm.js's defaults. */
static uint32_t default_color(int index)
{
    static const uint32_t ansi[16] = {0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b,
                                      0x06989a, 0xd3d7cf, 0x555753, 0xef2929, 0x8ae234, 0xfce94f,
                                      0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec};
    static const uint8_t level[6] = {0, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
    if (index < 16)
        return ansi[index];
    if (index < 232) {
        int i = index - 16;
        return (uint32_t)level[i / 36] << 16 | (uint32_t)level[i / 6 % 6] << 8 | level[i % 6];
    }
    if (index < PALETTE_COLORS)
        return (uint32_t)(8 + (index - 232) * 10) * 0x010101u;
    return index == COLOR_BACKGROUND ? 0x000000 : 0xffffff;
}

static void restore_color(struct screen *s, int index)
{
    s->color_set[index] = false;
    s->color_value[index] = default_color(index);
}

void screen_colors_reset(struct screen *s)
{
    for (int i = 0; i < COLORS; i++)
        restore_color(s, i);
}

/* --- colour specifications (XParseColor's rgb: and # forms)
 * ---------------------------------------- */

/* Reads n hexadecimal digits; false if there is another character. */
static bool read_hex(const char *text, size_t n, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return n > 0;
}

static bool parse_rgb(const char *text, size_t n, uint32_t *color)
{
    size_t digits = (n - 2) / 3;
    uint32_t part;
    *color = 0;
    if (n < 5 || (n - 2) % 3 || digits > 4)
        return false;
    uint32_t base = (1u << 4 * digits) - 1;
    for (int i = 0; i < 3; i++) {
        const char *at = text + (size_t)i * (digits + 1);
        if (!read_hex(at, digits, &part) || (i < 2 && at[digits] != '/'))
            return false;
        *color = *color << 8 | (part * 255 * 2 + base) / (base * 2); /* rounded */
    }
    return true;
}

static bool parse_hash(const char *text, size_t n, uint32_t *color)
{
    size_t digits = n / 3;
    uint32_t part;
    *color = 0;
    if (n == 0 || n % 3 || digits > 4)
        return false;
    for (int i = 0; i < 3; i++) {
        if (!read_hex(text + (size_t)i * digits, digits, &part))
            return false;
        part = digits == 1 ? part << 4 : part >> 4 * (digits - 2);
        *color = *color << 8 | part;
    }
    return true;
}

static bool parse_color(const char *text, size_t n, uint32_t *color)
{
    if (n > 4 && (memcmp(text, "rgb:", 4) == 0 || memcmp(text, "RGB:", 4) == 0))
        return parse_rgb(text + 4, n - 4, color);
    return n > 1 && text[0] == '#' && parse_hash(text + 1, n - 1, color);
}

/* --- commands
 * ---------------------------------------------------------------------------------------- */

static void report_color(struct screen *s, int index, enum scan_end end)
{
    uint32_t c = s->color_value[index];
    struct outbuf out = {0};
    if (index < PALETTE_COLORS)
        outbuf_printf(&out, "\033]4;%d;", index);
    else
        outbuf_printf(&out, "\033]%d;", index - COLOR_FOREGROUND + 10);
    outbuf_printf(&out, "rgb:%02x%02x/%02x%02x/%02x%02x", c >> 16, c >> 16, c >> 8 & 0xff,
                  c >> 8 & 0xff, c & 0xff, c & 0xff);
    outbuf_text(&out, end == SCAN_END_BEL ? "\a" : "\033\\");
    screen_reply(s, out.p, out.len);
    outbuf_clear(&out);
}

static void set_or_report(struct screen *s, int index, const char *spec, size_t n,
                          enum scan_end end)
{
    uint32_t color = 0;
    if (n == 1 && *spec == '?') {
        report_color(s, index, end);
    } else if (n <= COLOR_TEXT_MAX && parse_color(spec, n, &color)) {
        s->color_value[index] = color;
        s->color_set[index] = true;
    }
}

/* A palette index: decimal digits only, below 256; -1 for anything else. */
static int read_index(const char *text, size_t n)
{
    int v = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || v >= PALETTE_COLORS)
            return -1;
        v = v * 10 + (text[i] - '0');
    }
    return n > 0 && v < PALETTE_COLORS ? v : -1;
}

/* OSC 4: pairs of index and colour. */
static void set_palette(struct screen *s, const char *text, enum scan_end end)
{
    while (*text) {
        size_t index_len = strcspn(text, ";");
        if (!text[index_len])
            return;
        const char *spec = text + index_len + 1;
        size_t spec_len = strcspn(spec, ";");
        int index = read_index(text, index_len);
        if (index >= 0)
            set_or_report(s, index, spec, spec_len, end);
        text = spec + spec_len + (spec[spec_len] != 0);
    }
}

/* OSC 10, 11, 12: a list goes on to the next of the three. */
static void set_special(struct screen *s, int index, const char *text, enum scan_end end)
{
    for (; index < COLORS; index++) {
        size_t len = strcspn(text, ";");
        set_or_report(s, index, text, len, end);
        if (!text[len])
            return;
        text += len + 1;
    }
}

static void restore_palette(struct screen *s, const char *text)
{
    if (!*text)
        for (int i = 0; i < PALETTE_COLORS; i++)
            restore_color(s, i);
    while (*text) {
        size_t len = strcspn(text, ";");
        int index = read_index(text, len);
        if (index >= 0)
            restore_color(s, index);
        text += len + (text[len] != 0);
    }
}

void screen_osc_color(struct screen *s, uint32_t command, const char *text, enum scan_end end)
{
    switch (command) {
    case 4:
        set_palette(s, text, end);
        break;
    case 10:
    case 11:
    case 12:
        set_special(s, (int)command - 10 + COLOR_FOREGROUND, text, end);
        break;
    case 104:
        restore_palette(s, text);
        break;
    case 110:
    case 111:
    case 112:
        restore_color(s, (int)command - 110 + COLOR_FOREGROUND);
        break;
    default:
        break;
    }
}
