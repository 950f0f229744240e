/* What a sequence does: one table of names to the functions in the other files. */
#include "server/daemon/screen_state.h"

/* DECSTR. It leaves the mouse, tab stops and both screens alone. */
static void soft_reset(struct screen *s)
{
    struct buffer *b = s->active;
    screen_reset_modes(s);
    s->modes |= SCREEN_CURSOR_VISIBLE;
    b->top = 0;
    b->bottom = s->rows - 1;
    s->pen = (struct raw_pen){0};
    for (int i = 0; i < CHARSETS; i++)
        s->charsets[i] = CHARSET_ASCII;
    s->charset = CHARSET_ASCII;
    s->level = 0;
    b->saved = (struct saved_cursor){0};
}

static void set_cursor_style(struct screen *s, int32_t style)
{
    s->dirty_any = true;
    if (style == 0) {
        s->cursor_style = 0;
        s->cursor_blink = -1;
        return;
    }
    if (style <= 6)
        s->cursor_style = (uint8_t)((style + 1) / 2);
    s->cursor_blink = style % 2;
}

static void set_protection(struct screen *s, int32_t value)
{
    if (value == 1)
        s->pen.bg |= BG_PROTECTED;
    else if (value == 0 || value == 2)
        s->pen.bg &= ~BG_PROTECTED;
}

/* The kitty keyboard protocol's stack. Viewers cannot speak it yet, so it is only remembered. */
static void kitty_keyboard(struct screen *s, uint8_t op, const struct scan_params *p)
{
    struct kitty_stack *k = &s->kitty[s->active == &s->alternate];
    uint32_t flags = (uint32_t)p->value[0] & 0x1f;
    if (op == '>') {
        if (k->count == KITTY_STACK_MAX) {
            for (uint32_t i = 1; i < KITTY_STACK_MAX; i++)
                k->flags[i - 1] = k->flags[i];
            k->count--;
        }
        k->flags[k->count++] = flags;
    } else if (op == '<') {
        uint32_t n = (uint32_t)param_or_one(p, 0);
        k->count = n < k->count ? k->count - n : 0;
    } else if (k->count) {
        uint32_t *top = &k->flags[k->count - 1];
        int32_t how = param_or_one(p, 1);
        *top = how == 2 ? *top | flags : how == 3 ? *top & ~flags : flags;
    }
}

static void other_csi(struct screen *s, uint32_t id, const struct scan_params *p)
{
    switch (id) {
    case 'm':
        raw_pen_apply(&s->pen, p);
        break;
    case 'h':
    case 'l':
        screen_set_mode(s, p, false, id == 'h');
        break;
    case SCAN_ID2('?', 'h'):
    case SCAN_ID2('?', 'l'):
        screen_set_mode(s, p, true, id == SCAN_ID2('?', 'h'));
        break;
    case SCAN_ID2('!', 'p'):
        soft_reset(s);
        break;
    case SCAN_ID2(' ', 'q'):
        set_cursor_style(s, p->value[0]);
        break;
    case SCAN_ID2('"', 'q'):
        set_protection(s, p->value[0]);
        break;
    case 't':
        screen_title_stack(s, p->value[0], p->count > 1 ? p->value[1] : 0);
        break;
    case SCAN_ID2('>', 'u'):
    case SCAN_ID2('<', 'u'):
    case SCAN_ID2('=', 'u'):
        kitty_keyboard(s, (uint8_t)(id >> 8), p);
        break;
    default:
        break;
    }
}

void screen_csi(struct screen *s, uint32_t id, const struct scan_params *p)
{
    if (!screen_move_csi(s, id, p) && !screen_edit_csi(s, id, p) && !screen_csi_query(s, id, p))
        other_csi(s, id, p);
}

static void set_level(struct screen *s, uint8_t level)
{
    s->level = level;
    s->charset = s->charsets[level];
}

static void designate(struct screen *s, uint8_t which, uint8_t set)
{
    s->charsets[which] = set;
    if (s->level == which)
        s->charset = set;
}

/* ESC with an intermediate: designations, DECALN, and the two that choose UTF-8 or not. */
static void esc_intermediate(struct screen *s, uint32_t inter, uint32_t final)
{
    static const char starts[] = "()*+-.";
    static const uint8_t which[] = {0, 1, 2, 3, 1, 2};
    if (inter == '#' && final == '8') {
        screen_alignment_pattern(s);
    } else if (inter == '%' && (final == '@' || final == 'G')) {
        set_level(s, 0);
        designate(s, 0, CHARSET_ASCII);
    } else if (charset_is_known(final)) {
        for (size_t i = 0; i < sizeof which; i++)
            if (inter == (uint32_t)starts[i])
                designate(s, which[i], charset_of(final));
    }
}

void screen_esc(struct screen *s, uint32_t id)
{
    struct buffer *b = s->active;
    if (id > 0xff) {
        if (id <= 0xffff)
            esc_intermediate(s, id >> 8, id & 0xff);
        return;
    }
    switch (id) {
    case '7':
        screen_save_cursor(s);
        break;
    case '8':
        screen_restore_cursor(s);
        break;
    case 'D':
        screen_index(s);
        break;
    case 'E':
        b->x = 0;
        screen_index(s);
        break;
    case 'H':
        if (b->x <= s->cols)
            b->tabs[b->x] = true;
        break;
    case 'M':
        screen_reverse_index(s);
        break;
    case '=':
    case '>':
        s->modes =
            id == '=' ? s->modes | SCREEN_APP_KEYPAD : s->modes & ~(uint32_t)SCREEN_APP_KEYPAD;
        break;
    case 'c':
        screen_reset(s);
        break;
    case 'n':
    case '}':
        set_level(s, 2);
        break;
    case 'o':
    case '|':
        set_level(s, 3);
        break;
    case '~':
        set_level(s, 1);
        break;
    default:
        break;
    }
}
