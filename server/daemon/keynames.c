/* Key names. A name is taken apart into modifiers and a key, the key is either a character or a row
 * of the table, and each kind of row has one way of being written (xterm's ctlseqs, "PC-Style
 * Function Keys" and "VT220-Style Function Keys"). */
#include "server/daemon/keynames.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "proto/utf8.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/screen.h"

enum { MOD_SHIFT = 1, MOD_META = 2, MOD_CTRL = 4 };

enum key_kind {
    KEY_CHAR,   /* value: the character it sends */
    KEY_CURSOR, /* value: final byte; CSI A, SS3 A in application mode, CSI 1;mA */
    KEY_SS3,    /* value: final byte; SS3 P, CSI 1;mP */
    KEY_TILDE,  /* value: number; CSI 5~, CSI 5;m~ */
    KEY_PAD,    /* value: character; SS3 and final in application keypad mode */
    KEY_BACKTAB,
};

struct key_name {
    const char *name;
    uint8_t kind;
    uint8_t value;
    uint8_t pad; /* KEY_PAD: final byte */
};

static const struct key_name names[] = {
    {"Enter", KEY_CHAR, '\r', 0},    {"Escape", KEY_CHAR, 0x1b, 0}, {"Space", KEY_CHAR, ' ', 0},
    {"Tab", KEY_CHAR, '\t', 0},      {"BSpace", KEY_CHAR, 0x7f, 0}, {"BTab", KEY_BACKTAB, 0, 0},
    {"Up", KEY_CURSOR, 'A', 0},      {"Down", KEY_CURSOR, 'B', 0},  {"Right", KEY_CURSOR, 'C', 0},
    {"Left", KEY_CURSOR, 'D', 0},    {"Home", KEY_CURSOR, 'H', 0},  {"End", KEY_CURSOR, 'F', 0},
    {"IC", KEY_TILDE, 2, 0},         {"Insert", KEY_TILDE, 2, 0},   {"DC", KEY_TILDE, 3, 0},
    {"Delete", KEY_TILDE, 3, 0},     {"PPage", KEY_TILDE, 5, 0},    {"PageUp", KEY_TILDE, 5, 0},
    {"PgUp", KEY_TILDE, 5, 0},       {"NPage", KEY_TILDE, 6, 0},    {"PageDown", KEY_TILDE, 6, 0},
    {"PgDn", KEY_TILDE, 6, 0},       {"F1", KEY_SS3, 'P', 0},       {"F2", KEY_SS3, 'Q', 0},
    {"F3", KEY_SS3, 'R', 0},         {"F4", KEY_SS3, 'S', 0},       {"F5", KEY_TILDE, 15, 0},
    {"F6", KEY_TILDE, 17, 0},        {"F7", KEY_TILDE, 18, 0},      {"F8", KEY_TILDE, 19, 0},
    {"F9", KEY_TILDE, 20, 0},        {"F10", KEY_TILDE, 21, 0},     {"F11", KEY_TILDE, 23, 0},
    {"F12", KEY_TILDE, 24, 0},       {"KP/", KEY_PAD, '/', 'o'},    {"KP*", KEY_PAD, '*', 'j'},
    {"KP-", KEY_PAD, '-', 'm'},      {"KP+", KEY_PAD, '+', 'k'},    {"KP.", KEY_PAD, '.', 'n'},
    {"KPEnter", KEY_PAD, '\r', 'M'}, {"KP0", KEY_PAD, '0', 'p'},    {"KP1", KEY_PAD, '1', 'q'},
    {"KP2", KEY_PAD, '2', 'r'},      {"KP3", KEY_PAD, '3', 's'},    {"KP4", KEY_PAD, '4', 't'},
    {"KP5", KEY_PAD, '5', 'u'},      {"KP6", KEY_PAD, '6', 'v'},    {"KP7", KEY_PAD, '7', 'w'},
    {"KP8", KEY_PAD, '8', 'x'},      {"KP9", KEY_PAD, '9', 'y'},
};

/* Skips the modifiers at the front of name. The last character is never one: "^" and "C-" alone are
 * text. */
static const char *take_modifiers(const char *name, unsigned *mods)
{
    static const struct {
        const char *text;
        unsigned mod;
    } prefixes[] = {{"C-", MOD_CTRL}, {"M-", MOD_META}, {"S-", MOD_SHIFT}, {"^", MOD_CTRL}};

    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
            size_t n = strlen(prefixes[i].text);
            if (strncasecmp(name, prefixes[i].text, n) != 0 || name[n] == '\0')
                continue;
            *mods |= prefixes[i].mod;
            name += n;
            found = true;
        }
    }
    return name;
}

static const struct key_name *find_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(name, names[i].name) == 0)
            return &names[i];
    return NULL;
}

/* What Ctrl makes of a character: the C0 controls and the digits that stand for some of them. A
 * character without a control stays itself. */
static uint32_t with_ctrl(uint32_t cp)
{
    static const char from[] = "2345678/ -?";
    static const uint8_t to[] = {0, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x7f, 0x1f, 0, 0x1f, 0x7f};

    if (cp >= '@' && cp <= '_')
        return cp & 0x1f;
    if (cp >= 'a' && cp <= '~')
        return cp & 0x1f;
    if (cp == 0x7f)
        return 0x08;
    if (cp == 0 || cp > 0x7f)
        return cp;
    const char *at = strchr(from, (int)cp);
    return at ? to[at - from] : cp;
}

static void put_char(struct outbuf *out, uint32_t cp, unsigned mods)
{
    uint8_t utf8[UTF8_MAX_BYTES];

    if ((mods & MOD_SHIFT) && cp >= 'a' && cp <= 'z')
        cp -= 'a' - 'A';
    if (mods & MOD_CTRL)
        cp = with_ctrl(cp);
    if (mods & MOD_META)
        outbuf_byte(out, 0x1b);
    outbuf_put(out, utf8, utf8_encode(cp, utf8));
}

/* CSI number ; modifiers final; the number is left out where it would be 1 and no modifier
 * follows. */
static void put_csi(struct outbuf *out, uint32_t number, unsigned mods, uint8_t final)
{
    outbuf_text(out, "\033[");
    if (mods || final == '~')
        outbuf_uint(out, number);
    if (mods) {
        outbuf_byte(out, ';');
        outbuf_uint(out, 1 + mods);
    }
    outbuf_byte(out, final);
}

static void put_ss3(struct outbuf *out, uint8_t final)
{
    outbuf_text(out, "\033O");
    outbuf_byte(out, final);
}

static void put_pad(struct outbuf *out, const struct key_name *k, unsigned mods, uint32_t modes)
{
    if (!(modes & SCREEN_APP_KEYPAD)) {
        put_char(out, k->value, mods);
        return;
    }
    if (mods & MOD_META)
        outbuf_byte(out, 0x1b);
    put_ss3(out, k->pad);
}

static void put_named(struct outbuf *out, const struct key_name *k, unsigned mods, uint32_t modes)
{
    switch ((enum key_kind)k->kind) {
    case KEY_CHAR:
        if (k->value == '\t' && (mods & MOD_SHIFT))
            put_csi(out, 1, mods & ~(unsigned)MOD_SHIFT, 'Z');
        else
            /* Enter, Tab and Escape are controls already */
            put_char(out, k->value, k->value < 0x20 ? mods & MOD_META : mods);
        break;
    case KEY_CURSOR:
        if (!mods && (modes & SCREEN_APP_CURSOR))
            put_ss3(out, k->value);
        else
            put_csi(out, 1, mods, k->value);
        break;
    case KEY_SS3:
        if (!mods)
            put_ss3(out, k->value);
        else
            put_csi(out, 1, mods, k->value);
        break;
    case KEY_TILDE:
        put_csi(out, k->value, mods, '~');
        break;
    case KEY_PAD:
        put_pad(out, k, mods, modes);
        break;
    case KEY_BACKTAB:
        put_csi(out, 1, mods & ~(unsigned)MOD_SHIFT, 'Z');
        break;
    }
}

/* A single character, or 0x and hexadecimal digits for one. */
static bool parse_char(const char *name, uint32_t *cp)
{
    size_t n = strlen(name);

    if (n == 0)
        return false;
    if (utf8_decode((const uint8_t *)name, n, cp) == n)
        return true;
    if (n < 3 || n > 8 || strncasecmp(name, "0x", 2) != 0)
        return false;
    *cp = 0;
    for (const char *c = name + 2; *c; c++) {
        static const char digits[] = "0123456789abcdef";
        const char *at = strchr(digits, *c | 0x20);
        if (!at)
            return false;
        *cp = *cp * 16 + (uint32_t)(at - digits);
    }
    return *cp < 0xd800 || (*cp > 0xdfff && *cp <= 0x10ffff);
}

enum err keynames_encode(const char *name, uint32_t modes, struct outbuf *out)
{
    unsigned mods = 0;
    uint32_t cp;

    name = take_modifiers(name, &mods);
    if (parse_char(name, &cp)) {
        put_char(out, cp, mods);
    } else {
        const struct key_name *k = find_name(name);
        if (!k)
            return ERR_NOT_FOUND;
        put_named(out, k, mods, modes);
    }
    return out->bad ? ERR_MEMORY : ERR_OK;
}
