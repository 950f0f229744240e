/* Modes: setting, resetting, and reporting them. */
#include "server/daemon/screen_state.h"

/* Modes that are one bit of state: number, bit, whether set means off. */
static const struct {
    int32_t mode;
    uint32_t bit;
} bits[] = {
    {1, SCREEN_APP_CURSOR},      {5, SCREEN_REVERSE_VIDEO},      {7, SCREEN_AUTOWRAP},
    {25, SCREEN_CURSOR_VISIBLE}, {45, SCREEN_REVERSE_WRAP},      {66, SCREEN_APP_KEYPAD},
    {1004, SCREEN_FOCUS},        {2004, SCREEN_BRACKETED_PASTE}, {2026, SCREEN_SYNC},
};
#define BITS (sizeof bits / sizeof bits[0])

static uint32_t bit_of(int32_t mode)
{
    for (size_t i = 0; i < BITS; i++)
        if (bits[i].mode == mode)
            return bits[i].bit;
    return 0;
}

static enum screen_mouse mouse_of(int32_t mode)
{
    switch (mode) {
    case 9:
        return SCREEN_MOUSE_X10;
    case 1000:
        return SCREEN_MOUSE_CLICK;
    case 1002:
        return SCREEN_MOUSE_DRAG;
    case 1003:
        return SCREEN_MOUSE_ANY;
    default:
        return SCREEN_MOUSE_NONE;
    }
}

static void set_bit(struct screen *s, uint32_t bit, bool on)
{
    s->modes = on ? s->modes | bit : s->modes & ~bit;
    s->dirty_any = true;
}

static void set_alternate(struct screen *s, int32_t mode, bool on)
{
    if (on) {
        if (mode == 1049)
            screen_save_cursor(s);
        screen_show_alternate(s);
        return;
    }
    screen_show_main(s);
    if (mode == 1049)
        screen_restore_cursor(s);
}

static void reset_charsets(struct screen *s)
{
    for (int i = 0; i < CHARSETS; i++)
        s->charsets[i] = CHARSET_ASCII;
    s->charset = CHARSET_ASCII;
}

static void set_dec(struct screen *s, int32_t mode, bool on)
{
    uint32_t bit = bit_of(mode);
    if (bit) {
        set_bit(s, bit, on);
        return;
    }
    if (mouse_of(mode)) {
        s->mouse = on ? mouse_of(mode) : SCREEN_MOUSE_NONE;
        return;
    }
    switch (mode) {
    case 2:
        if (on)
            reset_charsets(s);
        break;
    case 6:
        set_bit(s, SCREEN_ORIGIN, on);
        screen_set_cursor(s, 0, 0);
        break;
    case 12:
        s->blink = on;
        break;
    case 1006:
        s->mouse_encoding = on ? SCREEN_MOUSE_SGR : SCREEN_MOUSE_DEFAULT;
        break;
    case 1016:
        s->mouse_encoding = on ? SCREEN_MOUSE_SGR_PIXELS : SCREEN_MOUSE_DEFAULT;
        break;
    case 1048:
        if (on)
            screen_save_cursor(s);
        else
            screen_restore_cursor(s);
        break;
    case 47:
    case 1047:
    case 1049:
        set_alternate(s, mode, on);
        break;
    default:
        break;
    }
}

void screen_set_mode(struct screen *s, const struct scan_params *p, bool dec, bool on)
{
    for (int i = 0; i < p->count; i++) {
        if (dec)
            set_dec(s, p->value[i], on);
        else if (p->value[i] == 4)
            set_bit(s, SCREEN_INSERT, on);
        else if (p->value[i] == 20)
            set_bit(s, SCREEN_NEWLINE, on);
    }
}

enum { REPORT_UNKNOWN, REPORT_SET, REPORT_RESET, REPORT_ALWAYS_SET, REPORT_ALWAYS_RESET };

static int report(bool on)
{
    return on ? REPORT_SET : REPORT_RESET;
}

static int report_ansi(const struct screen *s, int32_t mode)
{
    switch (mode) {
    case 2:
        return REPORT_ALWAYS_RESET;
    case 4:
        return report(s->modes & SCREEN_INSERT);
    case 12:
        return REPORT_ALWAYS_SET;
    case 20:
        return report(s->modes & SCREEN_NEWLINE);
    default:
        return REPORT_UNKNOWN;
    }
}

int screen_mode_report(const struct screen *s, int32_t mode, bool dec)
{
    if (!dec)
        return report_ansi(s, mode);
    if (mode != 5 && bit_of(mode))
        return report(s->modes & bit_of(mode));
    if (mouse_of(mode))
        return report(s->mouse == mouse_of(mode));
    switch (mode) {
    case 6:
        return report(s->modes & SCREEN_ORIGIN);
    case 8:
        return REPORT_ALWAYS_SET;
    case 12:
        return report(s->blink);
    case 67:
    case 1005:
    case 1015:
        return REPORT_ALWAYS_RESET;
    case 1006:
        return report(s->mouse_encoding == SCREEN_MOUSE_SGR);
    case 1016:
        return report(s->mouse_encoding == SCREEN_MOUSE_SGR_PIXELS);
    case 1048:
        return REPORT_SET;
    case 47:
    case 1047:
    case 1049:
        return report(s->active == &s->alternate);
    default:
        return REPORT_UNKNOWN;
    }
}

void screen_reset_modes(struct screen *s)
{
    s->modes &= SCREEN_CURSOR_VISIBLE | SCREEN_NEWLINE | SCREEN_REVERSE_VIDEO;
    s->modes |= SCREEN_AUTOWRAP;
    s->cursor_style = 0;
    s->cursor_blink = -1;
    s->dirty_any = true;
}
