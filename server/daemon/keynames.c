/* Key names. A name is taken apart into modifiers and a key, the key is either a character or a row
 * of the table, and each kind of row has one way of being written (xterm's ctlseqs, "PC-Style
 * Function Keys" and "VT220-Style Function Keys"). */
#include "server/daemon/keynames.h"

#include <stdbool.h>
#include <stdio.h>
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

/* --- keys as numbers ------------------------------------------------------------------------ */

static uint32_t with_mods(uint32_t key, unsigned mods)
{
    return key | (mods & MOD_META ? KEY_META : 0) | (mods & MOD_CTRL ? KEY_CTRL : 0) |
           (mods & MOD_SHIFT ? KEY_SHIFT : 0);
}

/* Shift and Ctrl become part of the character where they can. */
static uint32_t char_key(uint32_t cp, unsigned mods)
{
    if ((mods & MOD_SHIFT) && cp >= 'a' && cp <= 'z') {
        cp -= 'a' - 'A';
        mods &= ~(unsigned)MOD_SHIFT;
    }
    if ((mods & MOD_CTRL) && with_ctrl(cp) != cp) {
        cp = with_ctrl(cp);
        mods &= ~(unsigned)MOD_CTRL;
    }
    return with_mods(cp, mods);
}

static uint32_t named_key(const struct key_name *k, unsigned mods)
{
    if (k->kind == KEY_CHAR && !(k->value == '\t' && (mods & MOD_SHIFT)))
        return char_key(k->value, mods);
    if (k->kind == KEY_CHAR) /* S-Tab */
        k = find_name("BTab");
    if (k->kind == KEY_BACKTAB)
        mods &= ~(unsigned)MOD_SHIFT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) /* the first of its names */
        if (names[i].kind == k->kind && names[i].value == k->value)
            return with_mods(KEY_NAMED + (uint32_t)i, mods);
    return KEY_NONE;
}

/* --- the mouse ------------------------------------------------------------------------------ */

static const char *const mouse_kinds[] = {
    "MouseDown",   "MouseUp",     "MouseDrag", "MouseDragEnd", "SecondClick",
    "DoubleClick", "TripleClick", "WheelUp",   "WheelDown",    "MouseMove"};
static const char *const mouse_places[] = {"Pane",        "Status",        "StatusLeft",
                                           "StatusRight", "StatusDefault", "Border"};

enum { MOUSE_KINDS = 10, MOUSE_PLACES = 6, MOUSE_BUTTONS = 12 };

uint32_t keynames_mouse(enum mouse_kind kind, unsigned button, enum mouse_place place)
{
    button = kind < MOUSE_WHEEL_UP && button < MOUSE_BUTTONS ? button : 0;
    return KEY_MOUSE + ((uint32_t)kind * MOUSE_BUTTONS + button) * MOUSE_PLACES + (uint32_t)place;
}

/* The button that stands at *name, which is left behind it; 0 for none. tmux has no 4 and 5, which
 * are the wheel. */
static unsigned take_button(const char **name)
{
    unsigned button = 0;

    while (**name >= '0' && **name <= '9' && button < MOUSE_BUTTONS)
        button = button * 10 + (unsigned)(*(*name)++ - '0');
    return button >= MOUSE_BUTTONS || button == 4 || button == 5 ? 0 : button;
}

static uint32_t parse_mouse(const char *name, unsigned mods)
{
    for (unsigned kind = MOUSE_KINDS; kind-- > 0;) { /* DragEnd before Drag */
        size_t n = strlen(mouse_kinds[kind]);
        const char *rest = name + n;
        unsigned button;

        if (strncasecmp(name, mouse_kinds[kind], n) != 0)
            continue;
        button = take_button(&rest);
        if ((button == 0) != (kind >= MOUSE_WHEEL_UP))
            continue;
        for (unsigned place = 0; place < MOUSE_PLACES; place++)
            if (strcasecmp(rest, mouse_places[place]) == 0)
                return with_mods(keynames_mouse((enum mouse_kind)kind, button,
                                                (enum mouse_place)place),
                                 mods);
    }
    return KEY_NONE;
}

static void mouse_text(uint32_t base, char *out, size_t n)
{
    uint32_t place = (base - KEY_MOUSE) % MOUSE_PLACES, rest = (base - KEY_MOUSE) / MOUSE_PLACES;
    uint32_t button = rest % MOUSE_BUTTONS, kind = rest / MOUSE_BUTTONS;
    char number[4] = "";

    if (button > 0)
        snprintf(number, sizeof number, "%u", button);
    if (kind < MOUSE_KINDS)
        snprintf(out, n, "%s%s%s", mouse_kinds[kind], number, mouse_places[place]);
}

/* -------------------------------------------------------------------------------------------- */

uint32_t keynames_parse(const char *name)
{
    const struct key_name *k;
    unsigned mods = 0;
    uint32_t cp;

    name = take_modifiers(name, &mods);
    if (parse_char(name, &cp))
        return char_key(cp, mods);
    k = find_name(name);
    return k ? named_key(k, mods) : parse_mouse(name, mods);
}

static void char_text(uint32_t cp, char *out, size_t n)
{
    uint8_t utf8[UTF8_MAX_BYTES + 1];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].kind != KEY_CHAR || names[i].value != cp)
            continue;
        snprintf(out, n, "%s", names[i].name);
        return;
    }
    if (cp < 0x20) {
        snprintf(out, n, "C-%s", cp == 0 ? "Space" : (char[2]){(char)(cp | 0x40), 0});
        if (cp >= 1 && cp <= 26)
            out[2] = (char)(cp | 0x60);
        return;
    }
    utf8[utf8_encode(cp, utf8)] = '\0';
    snprintf(out, n, "%s", (const char *)utf8);
}

void keynames_text(uint32_t key, char out[static KEYNAMES_TEXT_MAX])
{
    uint32_t base = key & (KEY_META - 1);
    size_t n = 0;

    if (key == KEY_NONE) {
        snprintf(out, KEYNAMES_TEXT_MAX, "None");
        return;
    }
    n += (size_t)snprintf(out, KEYNAMES_TEXT_MAX, "%s%s%s", key & KEY_CTRL ? "C-" : "",
                          key & KEY_META ? "M-" : "", key & KEY_SHIFT ? "S-" : "");
    if (base >= KEY_MOUSE)
        mouse_text(base, out + n, KEYNAMES_TEXT_MAX - n);
    else if (base < KEY_NAMED)
        char_text(base, out + n, KEYNAMES_TEXT_MAX - n);
    else if (base - KEY_NAMED < sizeof names / sizeof names[0])
        snprintf(out + n, KEYNAMES_TEXT_MAX - n, "%s", names[base - KEY_NAMED].name);
}

/* The key that a terminal sends with this final byte or number. */
static uint32_t find_sent(enum key_kind kind, uint32_t value, unsigned mods)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool same = kind == KEY_PAD ? names[i].pad == value : names[i].value == value;

        if (names[i].kind == kind && same)
            return with_mods(KEY_NAMED + (uint32_t)i, mods);
    }
    return KEY_NONE;
}

static uint32_t decode_final(uint8_t final, unsigned mods)
{
    uint32_t key = find_sent(KEY_CURSOR, final, mods);

    if (key == KEY_NONE)
        key = find_sent(KEY_SS3, final, mods);
    return key;
}

/* A number that is sent before `~`; Home and End have several. */
static uint32_t decode_number(uint32_t number, unsigned mods)
{
    if (number == 1 || number == 7)
        return decode_final('H', mods);
    if (number == 4 || number == 8)
        return decode_final('F', mods);
    return find_sent(KEY_TILDE, number, mods);
}

/* CSI number ; modifiers final. */
static uint32_t decode_csi(const uint8_t *p, size_t n)
{
    uint32_t v[2] = {1, 1};
    size_t at = 0, i = 0;

    if (n == 0)
        return KEY_NONE;
    for (; i + 1 < n && (p[i] == ';' || (p[i] >= '0' && p[i] <= '9')); i++) {
        if (p[i] == ';') {
            if (++at > 1)
                return KEY_NONE;
            v[at] = 0;
        } else {
            v[at] = (i == 0 ? 0 : v[at]) * 10 + (p[i] - '0');
        }
        if (v[at] > 0x10ffff)
            return KEY_NONE;
    }
    unsigned mods = v[1] > 0 ? (v[1] - 1) & (MOD_SHIFT | MOD_META | MOD_CTRL) : 0;
    if (i + 1 != n)
        return KEY_NONE;
    if (p[i] == '~')
        return decode_number(v[0], mods);
    if (p[i] == 'u') /* "CSI u": any character with modifiers */
        return char_key(v[0], mods);
    if (p[i] == 'Z')
        return find_sent(KEY_BACKTAB, 0, mods & ~(unsigned)MOD_SHIFT);
    return decode_final(p[i], mods);
}

uint32_t keynames_decode(const uint8_t *p, size_t n)
{
    uint32_t cp, key;

    if (n == 0)
        return KEY_NONE;
    if (n == 1 && p[0] < 0x80)
        return p[0];
    if (p[0] != 0x1b)
        return utf8_decode(p, n, &cp) == n ? cp : KEY_NONE;
    if (n > 2 && p[1] == '[')
        return decode_csi(p + 2, n - 2);
    if (n == 3 && p[1] == 'O') {
        key = decode_final(p[2], 0);
        return key != KEY_NONE ? key : find_sent(KEY_PAD, p[2], 0);
    }
    key = keynames_decode(p + 1, n - 1);
    return key == KEY_NONE ? KEY_NONE : key | KEY_META;
}
