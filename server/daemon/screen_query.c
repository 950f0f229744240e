/* Answers to a program's queries, exactly once, by the terminal viewers have: an xterm.js with 256
 * and direct colours. What it does not know is not answered (kitty keyboard, window titles). */
#include "server/daemon/screen_state.h"

#include <string.h>

/* The size of a cell told to programs that ask in pixels; nobody here knows viewers' fonts. */
#define CELL_WIDTH_PX  8
#define CELL_HEIGHT_PX 16

#define ANSWER_MAX 128

#define ANSWER(s, ...)                                   \
    do {                                                 \
        struct outbuf answer_buf = {0};                  \
        outbuf_printf(&answer_buf, __VA_ARGS__);         \
        screen_reply((s), answer_buf.p, answer_buf.len); \
        outbuf_clear(&answer_buf);                       \
    } while (0)

static void answer_status(struct screen *s, int32_t which, bool dec)
{
    if (which == 5 && !dec)
        screen_reply_text(s, "\033[0n");
    else if (which == 6)
        ANSWER(s, "\033[%s%d;%dR", dec ? "?" : "", s->active->y + 1, s->active->x + 1);
}

static void answer_window(struct screen *s, const struct scan_params *p)
{
    switch (p->value[0]) {
    case 14:
        if (p->count < 2 || p->value[1] != 2)
            ANSWER(s, "\033[4;%d;%dt", s->rows * CELL_HEIGHT_PX, s->cols * CELL_WIDTH_PX);
        break;
    case 16:
        ANSWER(s, "\033[6;%d;%dt", CELL_HEIGHT_PX, CELL_WIDTH_PX);
        break;
    case 18:
        ANSWER(s, "\033[8;%d;%dt", s->rows, s->cols);
        break;
    default:
        break;
    }
}

static bool answer_device(struct screen *s, uint32_t id, int32_t value)
{
    switch (id) {
    case 'c':
        if (value <= 0)
            screen_reply_text(s, "\033[?1;2c");
        return true;
    case SCAN_ID2('>', 'c'):
        if (value <= 0)
            screen_reply_text(s, "\033[>0;276;0c");
        return true;
    case SCAN_ID2('>', 'q'):
        if (value <= 0)
            screen_reply_text(s, "\033P>|xterm.js(6.0.0)\033\\");
        return true;
    default:
        return false;
    }
}

bool screen_csi_query(struct screen *s, uint32_t id, const struct scan_params *p)
{
    int32_t value = p->value[0];
    if (answer_device(s, id, value))
        return true;
    switch (id) {
    case 'n':
    case SCAN_ID2('?', 'n'):
        answer_status(s, value, id != 'n');
        return true;
    case SCAN_ID2('$', 'p'):
        ANSWER(s, "\033[%d;%d$y", value, screen_mode_report(s, value, false));
        return true;
    case SCAN_ID3('?', '$', 'p'):
        ANSWER(s, "\033[?%d;%d$y", value, screen_mode_report(s, value, true));
        return true;
    case 't':
        answer_window(s, p);
        return value == 14 || value == 16 || value == 18;
    default:
        return false;
    }
}

/* --- DECRQSS
 * ---------------------------------------------------------------------------------------- */

static void answer_setting(struct screen *s, const char *what)
{
    static const int style_codes[] = {2, 2, 4, 6};
    const struct buffer *b = s->active;
    if (strcmp(what, "\"q") == 0)
        ANSWER(s, "\033P1$r%d\"q\033\\", s->pen.bg & BG_PROTECTED ? 1 : 0);
    else if (strcmp(what, "\"p") == 0)
        screen_reply_text(s, "\033P1$r61;1\"p\033\\");
    else if (strcmp(what, "r") == 0)
        ANSWER(s, "\033P1$r%d;%dr\033\\", b->top + 1, b->bottom + 1);
    else if (strcmp(what, "m") == 0) {
        struct pen shown = raw_pen_show(&s->pen);
        struct outbuf sgr = {0};
        sgr_write(&sgr, NULL, &shown);
        outbuf_byte(&sgr, 0);
        if (!sgr.bad) /* without the CSI it begins with */
            ANSWER(s, "\033P1$r%s\033\\", (const char *)sgr.p + 2);
        outbuf_clear(&sgr);
    } else if (strcmp(what, " q") == 0) {
        ANSWER(s, "\033P1$r%d q\033\\", style_codes[s->cursor_style] - (s->cursor_blink > 0));
    } else {
        screen_reply_text(s, "\033P0$r\033\\");
    }
}

/* --- XTGETTCAP
 * -------------------------------------------------------------------------------------- */

static int hex_value(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static const char *capability(const char *name)
{
    static const char *const known[][2] = {{"TN", "xterm-256color"},
                                           {"name", "xterm-256color"},
                                           {"Co", "256"},
                                           {"colors", "256"},
                                           {"RGB", "8/8/8"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

/* Answers one name, given as n hexadecimal digits. */
static void answer_capability(struct screen *s, const char *hex, size_t n)
{
    char name[32];
    size_t len = 0;
    bool good = n > 0 && n % 2 == 0 && n / 2 < sizeof name;
    for (size_t i = 0; good && i < n; i += 2) {
        int high = hex_value(hex[i]);
        int low = hex_value(hex[i + 1]);
        good = high >= 0 && low >= 0;
        if (good)
            name[len++] = (char)(high * 16 + low);
    }
    name[good ? len : 0] = 0;
    const char *value = good ? capability(name) : NULL;
    struct outbuf out = {0};
    outbuf_printf(&out, "\033P%d+r", value ? 1 : 0);
    if (n < ANSWER_MAX && good)
        outbuf_put(&out, hex, n);
    for (const char *c = value ? value : ""; *c; c++)
        outbuf_printf(&out, "%s%02X", c == value ? "=" : "", (unsigned)(unsigned char)*c);
    outbuf_text(&out, "\033\\");
    screen_reply(s, out.p, out.len);
    outbuf_clear(&out);
}

void screen_dcs(struct screen *s, uint32_t id, const struct scan_params *p, const char *text,
                size_t n, enum scan_end end)
{
    (void)p;
    if (end == SCAN_END_ABORTED)
        return;
    if (id == SCAN_ID2('$', 'q')) {
        answer_setting(s, strlen(text) == n ? text : "");
    } else if (id == SCAN_ID2('+', 'q')) {
        for (size_t at = 0; at <= n && at < ANSWER_MAX * 4;) {
            size_t len = strcspn(text + at, ";");
            answer_capability(s, text + at, len);
            at += len + 1;
        }
    }
}
