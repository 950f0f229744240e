#include "server/daemon/screen_charset.h"

#include <stddef.h>
#include <string.h>

/* Each set as the characters it replaces and what with, in the same order. */
static const struct set {
    uint8_t final;
    uint8_t other; /* a second final byte for the same set, 0 if none */
    const char *from;
    uint16_t to[32];
} sets[] = {
    {'0',
     0,
     "`abcdefghijklmnopqrstuvwxyz{|}~",
     {0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1, 0x2424, 0x240b, 0x2518,
      0x2510, 0x250c, 0x2514, 0x253c, 0x23ba, 0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c, 0x2524,
      0x2534, 0x252c, 0x2502, 0x2264, 0x2265, 0x03c0, 0x2260, 0x00a3, 0x00b7}},
    {'A', 0, "#", {0xa3}},                                                            /* British */
    {'4', 0, "#@[\\]{|}~", {0xa3, 0xbe, 'i', 0xbd, '|', 0xa8, 'f', 0xbc, 0xb4}},      /* Dutch */
    {'C', '5', "[\\]^`{|}~", {0xc4, 0xd6, 0xc5, 0xdc, 0xe9, 0xe4, 0xf6, 0xe5, 0xfc}}, /* Finnish */
    {'R', 0, "#@[\\]{|}~", {0xa3, 0xe0, 0xb0, 0xe7, 0xa7, 0xe9, 0xf9, 0xe8, 0xa8}},   /* French */
    {'Q',
     0,
     "@[\\]^`{|}~", /* French Canadian */
     {0xe0, 0xe2, 0xe7, 0xea, 0xee, 0xf4, 0xe9, 0xf9, 0xe8, 0xfb}},
    {'K', 0, "@[\\]{|}~", {0xa7, 0xc4, 0xd6, 0xdc, 0xe4, 0xf6, 0xfc, 0xdf}}, /* German */
    {'Y',
     0,
     "#@[\\]`{|}~", /* Italian */
     {0xa3, 0xa7, 0xb0, 0xe7, 0xe9, 0xf9, 0xe0, 0xf2, 0xe8, 0xec}},
    {'E',
     '6',
     "@[\\]^`{|}~", /* Norwegian, Danish */
     {0xc4, 0xc6, 0xd8, 0xc5, 0xdc, 0xe4, 0xe6, 0xf8, 0xe5, 0xfc}},
    {'Z', 0, "#@[\\]{|}", {0xa3, 0xa7, 0xa1, 0xd1, 0xbf, 0xb0, 0xf1, 0xe7}}, /* Spanish */
    {'H',
     '7',
     "@[\\]^`{|}~", /* Swedish */
     {0xc9, 0xc4, 0xd6, 0xc5, 0xdc, 0xe9, 0xe4, 0xf6, 0xe5, 0xfc}},
    {'=',
     0,
     "#@[\\]^_`{|}~", /* Swiss */
     {0xf9, 0xe0, 0xe9, 0xe7, 0xea, 0xee, 0xe8, 0xf4, 0xe4, 0xf6, 0xfc, 0xfb}},
};
#define SETS (sizeof sets / sizeof sets[0])

static const struct set *find_set(uint32_t final)
{
    for (size_t i = 0; i < SETS; i++)
        if (final && (final == sets[i].final || final == sets[i].other))
            return &sets[i];
    return NULL;
}

bool charset_is_known(uint32_t final)
{
    return final == 'B' || find_set(final);
}

uint8_t charset_of(uint32_t final)
{
    const struct set *set = find_set(final);
    return set ? set->final : CHARSET_ASCII;
}

uint32_t charset_map(uint8_t final, uint32_t c)
{
    const struct set *set = find_set(final);
    const char *at = set && c ? strchr(set->from, (int)c) : NULL;
    return at ? set->to[at - set->from] : c;
}

uint32_t charset_find(uint8_t final, uint32_t wanted)
{
    const struct set *set = find_set(final);
    for (size_t i = 0; set && set->from[i]; i++)
        if (set->to[i] == wanted)
            return (uint8_t)set->from[i];
    return charset_map(final, wanted) == wanted ? wanted : 0;
}
