#include "server/daemon/screen_pen.h"

#define COLOR_SLOTS 6 /* target, mode, colour space, three values */

bool raw_pen_equal(const struct raw_pen *a, const struct raw_pen *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->ext == b->ext && a->link == b->link;
}

static uint32_t style_of(const struct raw_pen *pen)
{
    return (pen->ext & EXT_STYLE) >> EXT_STYLE_SHIFT;
}

static void update_extended(struct raw_pen *pen)
{
    if (style_of(pen) == UNDERLINE_NONE && pen->link == 0)
        pen->bg &= ~BG_EXTENDED;
    else
        pen->bg |= BG_EXTENDED;
}

static void set_underline(struct raw_pen *pen, int32_t style)
{
    if (style < 0 || style > UNDERLINE_DASHED)
        style = UNDERLINE_SINGLE;
    pen->ext = (pen->ext & ~EXT_STYLE) | (uint32_t)style << EXT_STYLE_SHIFT;
    if (style == UNDERLINE_NONE)
        pen->fg &= ~FG_UNDERLINE;
    else
        pen->fg |= FG_UNDERLINE;
    update_extended(pen);
}

static void reset_pen(struct raw_pen *pen)
{
    pen->fg = pen->bg = pen->ext = 0;
    update_extended(pen);
}

void raw_pen_set_link(struct raw_pen *pen, uint32_t link)
{
    pen->link = link;
    update_extended(pen);
}

/* --- colours ---------------------------------------------------------------------------------- */

static void set_palette_16(uint32_t *word, uint32_t value)
{
    *word = (*word & ~(0x03000000u | 0xffu)) | COLOR_KIND_16 | value;
}

static uint32_t mix_color(uint32_t color, const int32_t slot[COLOR_SLOTS])
{
    if (slot[1] == 2) {
        uint32_t rgb = ((uint32_t)slot[3] & 0xff) << 16 | ((uint32_t)slot[4] & 0xff) << 8 |
                       ((uint32_t)slot[5] & 0xff);
        return (color & ~RAW_COLOR) | COLOR_KIND_RGB | rgb;
    }
    if (slot[1] == 5)
        return (color & ~(0x03000000u | 0xffu)) | COLOR_KIND_256 | ((uint32_t)slot[3] & 0xff);
    return color;
}

/* Gathers the slots of an extended colour whose parameters begin at pos, in any of the forms with
 * semicolons and colons; returns how many further parameters it used. */
static int gather_color(const struct scan_params *p, int pos, int32_t slot[COLOR_SLOTS])
{
    int space = 0; /* 1 once the colour space, which the form with semicolons lacks, is skipped */
    int used = 0;
    do {
        slot[used + space] = p->value[pos + used];
        int subs = p->sub_count[pos + used];
        if (subs) {
            const int32_t *sub = &p->sub[p->sub_start[pos + used]];
            int i = 0;
            do {
                if (slot[1] == 5)
                    space = 1;
                if (i + used + 1 + space < COLOR_SLOTS)
                    slot[used + i + 1 + space] = sub[i];
            } while (++i < subs && i + used + 1 + space < COLOR_SLOTS);
            break;
        }
        if ((slot[1] == 5 && used + space >= 2) || (slot[1] == 2 && used + space >= 5))
            break;
        if (slot[1])
            space = 1;
    } while (++used + pos < p->count && used + space < COLOR_SLOTS);
    for (int i = 2; i < COLOR_SLOTS; i++)
        if (slot[i] == -1)
            slot[i] = 0;
    return used;
}

static int apply_color(struct raw_pen *pen, const struct scan_params *p, int pos)
{
    int32_t slot[COLOR_SLOTS] = {0, 0, -1, 0, 0, 0};
    int used = gather_color(p, pos, slot);
    if (slot[0] == 38)
        pen->fg = mix_color(pen->fg, slot);
    else if (slot[0] == 48)
        pen->bg = mix_color(pen->bg, slot);
    else if (slot[0] == 58)
        pen->ext = (pen->ext & ~EXT_COLOR) | (mix_color(pen->ext & EXT_COLOR, slot) & EXT_COLOR);
    return used;
}

/* --- SGR
 * ------------------------------------------------------------------------------------------ */

static const struct flag {
    uint8_t on;
    uint8_t off;
    bool bg; /* which word the flag is in */
    uint32_t bit;
} flags[] = {
    {1, 22, false, FG_BOLD},   {2, 22, true, BG_DIM},       {3, 23, true, BG_ITALIC},
    {5, 25, false, FG_BLINK},  {7, 27, false, FG_INVERSE},  {8, 28, false, FG_CONCEAL},
    {9, 29, false, FG_STRIKE}, {53, 55, true, BG_OVERLINE},
};
#define FLAGS (sizeof flags / sizeof flags[0])

static void apply_flag(struct raw_pen *pen, int32_t code)
{
    for (size_t i = 0; i < FLAGS; i++) {
        uint32_t *word = flags[i].bg ? &pen->bg : &pen->fg;
        if (code == flags[i].on)
            *word |= flags[i].bit;
        else if (code == flags[i].off)
            *word &= ~flags[i].bit;
    }
}

static void apply_one(struct raw_pen *pen, const struct scan_params *p, int i)
{
    int32_t code = p->value[i];
    if (code >= 30 && code <= 37)
        set_palette_16(&pen->fg, (uint32_t)code - 30);
    else if (code >= 40 && code <= 47)
        set_palette_16(&pen->bg, (uint32_t)code - 40);
    else if (code >= 90 && code <= 97)
        set_palette_16(&pen->fg, (uint32_t)code - 90 + 8);
    else if (code >= 100 && code <= 107)
        set_palette_16(&pen->bg, (uint32_t)code - 100 + 8);
    else if (code == 0)
        reset_pen(pen);
    else if (code == 4)
        set_underline(pen, p->sub_count[i] ? p->sub[p->sub_start[i]] : UNDERLINE_SINGLE);
    else if (code == 21)
        set_underline(pen, UNDERLINE_DOUBLE);
    else if (code == 24)
        set_underline(pen, UNDERLINE_NONE);
    else if (code == 39)
        pen->fg &= ~RAW_COLOR;
    else if (code == 49)
        pen->bg &= ~RAW_COLOR;
    else if (code == 59) {
        pen->ext |= EXT_COLOR; /* xterm.js: an RGB white, not "none" */
        update_extended(pen);
    } else
        apply_flag(pen, code);
}

void raw_pen_apply(struct raw_pen *pen, const struct scan_params *p)
{
    for (int i = 0; i < p->count; i++) {
        int32_t code = p->value[i];
        if (code == 38 || code == 48 || code == 58)
            i += apply_color(pen, p, i);
        else
            apply_one(pen, p, i);
    }
}

/* --- views
 * ---------------------------------------------------------------------------------------- */

struct raw_pen raw_pen_of_cell(const struct raw_pen *pen)
{
    struct raw_pen cell = *pen;
    if (!(pen->bg & BG_EXTENDED))
        cell.ext = cell.link = 0;
    return cell;
}

struct raw_pen raw_pen_of_erase(const struct raw_pen *pen)
{
    return (struct raw_pen){.bg = pen->bg & RAW_COLOR};
}

static cell_color show_color(uint32_t word)
{
    uint32_t kind = COLOR_KIND(word & RAW_COLOR);
    if (kind == COLOR_KIND_RGB)
        return word & RAW_COLOR;
    return kind ? kind | (word & 0xff) : COLOR_DEFAULT;
}

struct pen raw_pen_show(const struct raw_pen *pen)
{
    static const struct {
        uint32_t bit;
        bool bg;
        uint16_t shown;
    } map[] = {{FG_BOLD, false, PEN_BOLD},         {BG_DIM, true, PEN_DIM},
               {BG_ITALIC, true, PEN_ITALIC},      {FG_BLINK, false, PEN_BLINK},
               {FG_INVERSE, false, PEN_INVERSE},   {FG_CONCEAL, false, PEN_CONCEAL},
               {FG_STRIKE, false, PEN_STRIKE},     {BG_OVERLINE, true, PEN_OVERLINE},
               {BG_PROTECTED, true, PEN_PROTECTED}};
    struct pen shown = {.fg = show_color(pen->fg), .bg = show_color(pen->bg)};
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        if ((map[i].bg ? pen->bg : pen->fg) & map[i].bit)
            shown.flags |= map[i].shown;
    if (pen->bg & BG_EXTENDED) {
        shown.underline_color = show_color(pen->ext & EXT_COLOR);
        shown.link = pen->link;
    }
    if (pen->fg & FG_UNDERLINE) {
        uint32_t style = pen->bg & BG_EXTENDED ? style_of(pen) : UNDERLINE_SINGLE;
        shown.underline = (uint16_t)style;
    }
    return shown;
}

/* --- writing
 * ---------------------------------------------------------------------------------------- */

/* SGR under construction: opened by its first code. */
struct sgr {
    struct outbuf *out;
    bool open;
};

static void code(struct sgr *sgr, uint32_t value)
{
    outbuf_text(sgr->out, sgr->open ? ";" : "\033[");
    sgr->open = true;
    outbuf_uint(sgr->out, value);
}

static void codes_color(struct sgr *sgr, uint32_t base, uint32_t color)
{
    uint32_t kind = COLOR_KIND(color);
    code(sgr, base);
    if (kind == COLOR_KIND_256) {
        code(sgr, 5);
        code(sgr, color & 0xff);
        return;
    }
    code(sgr, 2);
    code(sgr, color >> 16 & 0xff);
    code(sgr, color >> 8 & 0xff);
    code(sgr, color & 0xff);
}

static void write_color(struct sgr *sgr, uint32_t base, uint32_t at, uint32_t to)
{
    at &= RAW_COLOR;
    to &= RAW_COLOR;
    uint32_t kind = COLOR_KIND(to);
    if (at == to)
        return;
    if (kind == 0) {
        code(sgr, base + 1);
        return;
    }
    if (kind != COLOR_KIND_RGB && (at & RAW_STALE) != (to & RAW_STALE))
        codes_color(sgr, base, COLOR_KIND_RGB | (to & RAW_STALE));
    if (kind == COLOR_KIND_16) {
        uint32_t value = to & 0xff;
        code(sgr, value < 8 ? base - 8 + value : base + 52 + value - 8);
        return;
    }
    codes_color(sgr, base, to);
}

/* True when something of *at can only be taken away by SGR 0 (or is most easily). */
static bool needs_reset(const struct raw_pen *at, const struct raw_pen *to)
{
    uint32_t fg_off = at->fg & ~to->fg & ~RAW_COLOR;
    uint32_t bg_off = at->bg & ~to->bg & ~(RAW_COLOR | BG_EXTENDED);
    bool color_off = (at->ext & EXT_COLOR) != 0 && (to->ext & EXT_COLOR) == 0;
    bool all_off = to->fg == 0 && (to->bg & ~BG_EXTENDED) == 0 && to->ext == 0 &&
                   (at->fg != 0 || (at->bg & ~BG_EXTENDED) != 0 || at->ext != 0);
    /* The mark of extension says something else than what is behind it. */
    bool unsettled = ((at->bg & BG_EXTENDED) != 0) != (style_of(at) || at->link);
    return fg_off || bg_off || color_off || all_off || unsettled;
}

static void write_underline(struct sgr *sgr, struct raw_pen *at, const struct raw_pen *to)
{
    bool under = to->fg & FG_UNDERLINE;
    uint32_t style = style_of(to);
    bool same = !((at->fg ^ to->fg) & FG_UNDERLINE) && style_of(at) == style;
    if (same)
        return;
    if (!under) {
        code(sgr, 24);
        set_underline(at, UNDERLINE_NONE);
        return;
    }
    code(sgr, 4);
    if (style > UNDERLINE_SINGLE)
        outbuf_printf(sgr->out, ":%u", (unsigned)style);
    set_underline(at, style ? (int32_t)style : UNDERLINE_SINGLE);
}

/* The flags by single codes, which leave underline and the mark of extension alone. */
static void write_flags_gently(struct sgr *sgr, struct raw_pen *at, const struct raw_pen *to)
{
    for (size_t i = 0; i < FLAGS; i++) {
        uint32_t *word = flags[i].bg ? &at->bg : &at->fg;
        if (!(*word & ~(flags[i].bg ? to->bg : to->fg) & flags[i].bit))
            continue;
        code(sgr, flags[i].off);
        apply_flag(at, flags[i].off);
    }
    for (size_t i = 0; i < FLAGS; i++) {
        uint32_t *word = flags[i].bg ? &at->bg : &at->fg;
        if (!((flags[i].bg ? to->bg : to->fg) & ~*word & flags[i].bit))
            continue;
        code(sgr, flags[i].on);
        *word |= flags[i].bit;
    }
}

void raw_pen_write_words(struct outbuf *out, struct raw_pen *at, const struct raw_pen *to)
{
    struct sgr sgr = {.out = out};
    write_flags_gently(&sgr, at, to);
    write_color(&sgr, 38, at->fg, to->fg);
    write_color(&sgr, 48, at->bg, to->bg);
    at->fg = (at->fg & ~RAW_COLOR) | (to->fg & RAW_COLOR);
    at->bg = (at->bg & ~RAW_COLOR) | (to->bg & RAW_COLOR);
    if (sgr.open)
        outbuf_byte(out, 'm');
    if ((to->bg ^ at->bg) & BG_PROTECTED)
        outbuf_text(out, to->bg & BG_PROTECTED ? "\033[1\"q" : "\033[0\"q");
    at->bg = (at->bg & ~BG_PROTECTED) | (to->bg & BG_PROTECTED);
}

void raw_pen_write(struct outbuf *out, struct raw_pen *at, const struct raw_pen *to)
{
    struct sgr sgr = {.out = out};
    if (at->fg == to->fg && at->bg == to->bg && at->ext == to->ext)
        return;
    if (needs_reset(at, to)) {
        code(&sgr, 0);
        reset_pen(at);
    }
    for (size_t i = 0; i < FLAGS; i++) {
        uint32_t *word = flags[i].bg ? &at->bg : &at->fg;
        if ((flags[i].bg ? to->bg : to->fg) & ~*word & flags[i].bit) {
            code(&sgr, flags[i].on);
            *word |= flags[i].bit;
        }
    }
    write_underline(&sgr, at, to);
    write_color(&sgr, 38, at->fg, to->fg);
    write_color(&sgr, 48, at->bg, to->bg);
    at->fg = (at->fg & ~RAW_COLOR) | (to->fg & RAW_COLOR);
    at->bg = (at->bg & ~RAW_COLOR) | (to->bg & RAW_COLOR);
    uint32_t color = to->ext & EXT_COLOR;
    if (color && color != (at->ext & EXT_COLOR)) {
        if (COLOR_KIND(color) != COLOR_KIND_RGB && (at->ext & RAW_STALE) != (color & RAW_STALE))
            codes_color(&sgr, 58, COLOR_KIND_RGB | (color & RAW_STALE));
        codes_color(&sgr, 58, color);
        at->ext = (at->ext & ~EXT_COLOR) | color;
    }
    if (sgr.open)
        outbuf_byte(out, 'm');
    if (to->bg & ~at->bg & BG_PROTECTED) {
        outbuf_text(out, "\033[1\"q");
        at->bg |= BG_PROTECTED;
    }
}
