#include "server/daemon/paint_fit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/ipc_msg.h"
#include "proto/utf8.h"
#include "server/daemon/paint_frame.h"

/* --- colours -------------------------------------------------------------------------------- */

/* xterm's own values of the 16 colours, to find the nearest one. */
static const uint32_t palette_16[16] = {
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};
static const uint8_t cube_levels[6] = {0, 95, 135, 175, 215, 255};

static uint32_t distance(uint32_t a, uint32_t b)
{
    int red = (int)(a >> 16) - (int)(b >> 16);
    int green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
    int blue = (int)(a & 255) - (int)(b & 255);

    return (uint32_t)(red * red + green * green + blue * blue);
}

/* The RGB of entry 16–255 of the 256-colour palette: a 6x6x6 cube, then 24 greys. */
static uint32_t rgb_of_256(uint32_t i)
{
    if (i < 16)
        return palette_16[i];
    if (i >= 232)
        return (8 + 10 * (i - 232)) * 0x010101u;
    i -= 16;
    return (uint32_t)cube_levels[i / 36] << 16 | (uint32_t)cube_levels[i / 6 % 6] << 8 |
           cube_levels[i % 6];
}

static uint32_t cube_index(uint32_t v)
{
    return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

static uint32_t nearest_256(uint32_t rgb)
{
    uint32_t red = rgb >> 16, green = rgb >> 8 & 255, blue = rgb & 255;
    uint32_t cube = 16 + 36 * cube_index(red) + 6 * cube_index(green) + cube_index(blue);
    uint32_t mean = (red + green + blue) / 3;
    uint32_t grey = mean < 8 ? 232 : mean > 238 ? 255 : 232 + (mean - 3) / 10;

    return distance(rgb_of_256(grey), rgb) < distance(rgb_of_256(cube), rgb) ? grey : cube;
}

static uint32_t nearest_16(uint32_t rgb)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < 16; i++)
        if (distance(palette_16[i], rgb) < distance(palette_16[best], rgb))
            best = i;
    return best;
}

cell_color paint_fit_color(cell_color color, unsigned flags)
{
    uint32_t kind = COLOR_KIND(color), value = COLOR_VALUE(color);

    if ((flags & IPC_CLIENT_COLOURS) || kind == COLOR_DEFAULT || kind == COLOR_KIND_16)
        return color;
    if (flags & IPC_CLIENT_COLOURS_256)
        return kind == COLOR_KIND_RGB ? COLOR_KIND_256 | nearest_256(value) : color;
    if (kind == COLOR_KIND_256 && value < 16)
        return COLOR_KIND_16 | value;
    return COLOR_KIND_16 | nearest_16(kind == COLOR_KIND_RGB ? value : rgb_of_256(value & 255));
}

/* --- pens ----------------------------------------------------------------------------------- */

static void fit_pen(struct pen *p, unsigned flags)
{
    p->flags &= (uint16_t)~PEN_PROTECTED;
    /* SGR 58 knows no 16 colours of their own */
    if (COLOR_KIND(p->underline_color) == COLOR_KIND_16)
        p->underline_color = COLOR_KIND_256 | COLOR_VALUE(p->underline_color);
    if (flags & IPC_CLIENT_COLOURS)
        return;
    p->fg = paint_fit_color(p->fg, flags);
    p->bg = paint_fit_color(p->bg, flags);
    /* sub-parameters confuse old terminals */
    p->underline_color = COLOR_DEFAULT;
    p->underline = p->underline ? UNDERLINE_SINGLE : UNDERLINE_NONE;
    if (!(flags & IPC_CLIENT_COLOURS_256))
        p->link = 0;
}

/* Of a blank, only what can be seen. */
static void fit_blank_pen(struct pen *p)
{
    const uint16_t lines = PEN_STRIKE | PEN_OVERLINE;

    if (!p->underline)
        p->underline_color = COLOR_DEFAULT;
    if (p->underline || (p->flags & (PEN_INVERSE | lines)))
        return;
    p->flags = 0;
    p->fg = COLOR_DEFAULT;
}

/* --- text ----------------------------------------------------------------------------------- */

/* ASCII for what Vitrine and text-mode programs draw with. */
static char ascii_for(uint32_t cp)
{
    if (cp < 0x80)
        return (char)cp;
    if (cp == 0xa0)
        return ' ';
    if (cp >= 0x2010 && cp <= 0x2015)
        return '-';
    if (cp == 0x2018 || cp == 0x2019)
        return '\'';
    if (cp == 0x201c || cp == 0x201d)
        return '"';
    if (cp == 0xb7)
        return '.';
    if (cp == 0x2022 || cp == 0x25cf)
        return '*';
    if (cp == 0x2500 || cp == 0x2501 || cp == 0x2550)
        return '-';
    if (cp == 0x2502 || cp == 0x2503 || cp == 0x2551)
        return '|';
    if (cp > 0x2503 && cp < 0x2580)
        return '+';
    if (cp >= 0x2580 && cp <= 0x2593)
        return '#';
    return '_'; /* as tmux does, once for each column */
}

/* The first character of the cell's text; 0 when there is none that may be sent. */
static uint32_t first_char(const struct cell *c)
{
    uint32_t cp;

    if (c->len == 1)
        return (uint8_t)(c->text[0] - 0x20) < 0x5f ? (uint32_t)c->text[0] : 0;
    if (c->len > CELL_TEXT_MAX || utf8_decode((const uint8_t *)c->text, c->len, &cp) == 0)
        return 0;
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ? 0 : cp;
}

static void set_ascii(struct cell *c, char ch)
{
    *c = (struct cell){.pen = c->pen, .width = 1, .len = 1};
    c->text[0] = ch;
}

static bool is_space(const struct cell *c)
{
    return c->len == 1 && c->text[0] == ' ';
}

/* Fits the cell at x and returns how many columns it takes. */
static uint16_t fit_cell(struct cell *row, uint16_t x, uint16_t cols, unsigned flags)
{
    struct cell *c = &row[x];
    uint32_t cp = first_char(c);
    bool wide = c->width == 2 && x + 1 < cols && c[1].width == 0;

    fit_pen(&c->pen, flags);
    if (cp == 0 || c->width == 0 || (c->width == 2 && !wide))
        set_ascii(c, ' ');
    else if (!(flags & IPC_CLIENT_UTF8) && (cp >= 0x80 || c->len > 1))
        set_ascii(c, ascii_for(cp));
    if (is_space(c))
        fit_blank_pen(&c->pen);
    if (!wide)
        return 1;
    c[1].pen = c->pen;
    if (c->width == 2) {
        c[1] = (struct cell){.pen = c->pen};
    } else if (c->text[0] == '_') {
        set_ascii(&c[1], '_');
    } else {
        set_ascii(&c[1], ' ');
        fit_blank_pen(&c[1].pen);
    }
    return 2;
}

void paint_fit(struct frame *f, unsigned flags)
{
    for (uint16_t y = 0; y < f->rows; y++) {
        struct cell *row = frame_row(f, y);
        for (uint16_t x = 0; x < f->cols;)
            x = (uint16_t)(x + fit_cell(row, x, f->cols, flags));
        const struct cell *last = &row[f->cols - 1];
        f->wraps[y] = f->wraps[y] && y + 1 < f->rows && last->width == 1 && paint_is_plain(last);
    }
}

bool paint_is_plain(const struct cell *c)
{
    uint32_t cp;

    if (c->len == 1)
        return true;
    if (utf8_decode((const uint8_t *)c->text, c->len, &cp) != c->len)
        return false;
    return cp < 0x2190 || (cp >= 0x2500 && cp < 0x25a0) || (cp >= 0x3041 && cp < 0xa000) ||
           (cp >= 0xac00 && cp < 0xd7a4);
}

bool paint_is_erased(const struct cell *c)
{
    static const struct cell erased = {.width = 1, .len = 1, .text = " "};

    return cell_equal(c, &erased);
}
