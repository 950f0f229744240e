#include "server/daemon/cell.h"

#include <string.h>

#include "server/daemon/outbuf.h"

bool pen_equal(const struct pen *a, const struct pen *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool looks_equal(const struct pen *a, const struct pen *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->underline_color == b->underline_color &&
           ((a->flags ^ b->flags) & ~PEN_PROTECTED) == 0 && a->underline == b->underline;
}

static void write_color(struct outbuf *out, uint32_t base, cell_color color)
{
    uint32_t value = COLOR_VALUE(color);
    switch (COLOR_KIND(color)) {
    case COLOR_KIND_16:
        if (base == 58)
            outbuf_printf(out, ";58:5:%u", value);
        else
            outbuf_printf(out, ";%u", value < 8 ? base - 8 + value : base + 52 + value - 8);
        break;
    case COLOR_KIND_256:
        outbuf_printf(out, base == 58 ? ";%u:5:%u" : ";%u;5;%u", base, value);
        break;
    case COLOR_KIND_RGB:
        outbuf_printf(out, base == 58 ? ";%u:2::%u:%u:%u" : ";%u;2;%u;%u;%u", base, value >> 16,
                      value >> 8 & 0xff, value & 0xff);
        break;
    default:
        break;
    }
}

void sgr_write(struct outbuf *out, const struct pen *from, const struct pen *to)
{
    static const struct {
        uint16_t flag;
        const char *code;
    } codes[] = {{PEN_BOLD, ";1"},   {PEN_DIM, ";2"},      {PEN_ITALIC, ";3"},
                 {PEN_BLINK, ";5"},  {PEN_INVERSE, ";7"},  {PEN_CONCEAL, ";8"},
                 {PEN_STRIKE, ";9"}, {PEN_OVERLINE, ";53"}};
    if (from && looks_equal(from, to))
        return;
    outbuf_text(out, "\033[0");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (to->flags & codes[i].flag)
            outbuf_text(out, codes[i].code);
    if (to->underline == UNDERLINE_SINGLE)
        outbuf_text(out, ";4");
    else if (to->underline != UNDERLINE_NONE)
        outbuf_printf(out, ";4:%u", (unsigned)to->underline);
    write_color(out, 38, to->fg);
    write_color(out, 48, to->bg);
    write_color(out, 58, to->underline_color);
    outbuf_byte(out, 'm');
}
