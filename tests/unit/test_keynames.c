/* Key names against what xterm sends, one line per rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/keynames.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/screen.h"

struct line {
    const char *name;
    const char *bytes;
    size_t n;
};

#define KEY(name, bytes)              \
    {                                 \
        name, bytes, sizeof bytes - 1 \
    }

static const struct line normal[] = {
    KEY("a", "a"),
    KEY("Z", "Z"),
    KEY("é", "é"),
    KEY("漢", "漢"),
    KEY("^", "^"),
    KEY("-", "-"),
    KEY("0x41", "A"),
    KEY("0x20AC", "€"),
    KEY("C-c", "\x03"),
    KEY("c-C", "\x03"),
    KEY("^c", "\x03"),
    KEY("^C", "\x03"),
    KEY("C-a", "\x01"),
    KEY("C-z", "\x1a"),
    KEY("C-@", "\0"),
    KEY("C-[", "\x1b"),
    KEY("C-\\", "\x1c"),
    KEY("C-]", "\x1d"),
    KEY("C-^", "\x1e"),
    KEY("C-_", "\x1f"),
    KEY("C-/", "\x1f"),
    KEY("C--", "\x1f"),
    KEY("C-?", "\x7f"),
    KEY("C-2", "\0"),
    KEY("C-3", "\x1b"),
    KEY("C-8", "\x7f"),
    KEY("C-1", "1"),
    KEY("C-é", "é"),
    KEY("C-Space", "\0"),
    KEY("M-x", "\033x"),
    KEY("m-x", "\033x"),
    KEY("M-é", "\033é"),
    KEY("C-M-x", "\033\x18"),
    KEY("M-C-x", "\033\x18"),
    KEY("M-^x", "\033\x18"),
    KEY("S-a", "A"),
    KEY("M--", "\033-"),
    KEY("Enter", "\r"),
    KEY("enter", "\r"),
    KEY("ENTER", "\r"),
    KEY("M-Enter", "\033\r"),
    KEY("C-Enter", "\r"),
    KEY("Escape", "\033"),
    KEY("M-Escape", "\033\033"),
    KEY("Space", " "),
    KEY("M-Space", "\033 "),
    KEY("Tab", "\t"),
    KEY("C-Tab", "\t"),
    KEY("BTab", "\033[Z"),
    KEY("S-Tab", "\033[Z"),
    KEY("C-S-Tab", "\033[1;5Z"),
    KEY("BSpace", "\x7f"),
    KEY("C-BSpace", "\x08"),
    KEY("M-BSpace", "\033\x7f"),
    KEY("Up", "\033[A"),
    KEY("Down", "\033[B"),
    KEY("Right", "\033[C"),
    KEY("Left", "\033[D"),
    KEY("Home", "\033[H"),
    KEY("End", "\033[F"),
    KEY("S-Up", "\033[1;2A"),
    KEY("M-Down", "\033[1;3B"),
    KEY("C-Right", "\033[1;5C"),
    KEY("C-S-Left", "\033[1;6D"),
    KEY("C-M-S-Home", "\033[1;8H"),
    KEY("IC", "\033[2~"),
    KEY("Insert", "\033[2~"),
    KEY("DC", "\033[3~"),
    KEY("Delete", "\033[3~"),
    KEY("PPage", "\033[5~"),
    KEY("PageUp", "\033[5~"),
    KEY("PgUp", "\033[5~"),
    KEY("NPage", "\033[6~"),
    KEY("PageDown", "\033[6~"),
    KEY("PgDn", "\033[6~"),
    KEY("C-DC", "\033[3;5~"),
    KEY("F1", "\033OP"),
    KEY("F2", "\033OQ"),
    KEY("F3", "\033OR"),
    KEY("F4", "\033OS"),
    KEY("F5", "\033[15~"),
    KEY("F6", "\033[17~"),
    KEY("F7", "\033[18~"),
    KEY("F8", "\033[19~"),
    KEY("F9", "\033[20~"),
    KEY("F10", "\033[21~"),
    KEY("F11", "\033[23~"),
    KEY("F12", "\033[24~"),
    KEY("S-F1", "\033[1;2P"),
    KEY("C-F5", "\033[15;5~"),
    KEY("KP0", "0"),
    KEY("KP9", "9"),
    KEY("KP*", "*"),
    KEY("KP.", "."),
    KEY("KP+", "+"),
    KEY("KP-", "-"),
    KEY("KP/", "/"),
    KEY("KPEnter", "\r"),
    KEY("M-KP5", "\0335"),
};

static const struct line application[] = {
    KEY("Up", "\033OA"),        KEY("Left", "\033OD"), KEY("Home", "\033OH"),
    KEY("End", "\033OF"),       KEY("F1", "\033OP"),   KEY("PPage", "\033[5~"),
    KEY("C-Up", "\033[1;5A"),   KEY("KP0", "\033Op"),  KEY("KP9", "\033Oy"),
    KEY("KPEnter", "\033OM"),   KEY("KP*", "\033Oj"),  KEY("KP+", "\033Ok"),
    KEY("KP-", "\033Om"),       KEY("KP.", "\033On"),  KEY("KP/", "\033Oo"),
    KEY("M-KP5", "\033\033Ou"), KEY("a", "a"),
};

static const char *const unknown[] = {
    "",    "Entr", "hello",   "ls -l", "F0",  "F13",  "F99",    "C-",   "M-C-",   "S-",
    "KP",  "KPx",  "C-hello", "ab",    "^ab", "0x",   "0xzz",   "0x1g", "0xd800", "0x110000",
    "Up ", " Up",  "\xff",    "\xc3",  "éa",  "Ente", "Enterr", "C-M-", "M-M-M-", "0x0000041",
};

static void check_table(const struct line *t, size_t n, uint32_t modes)
{
    struct outbuf out = {0};

    for (size_t i = 0; i < n; i++) {
        outbuf_reset(&out);
        if (keynames_encode(t[i].name, modes, &out) != ERR_OK || out.len != t[i].n ||
            memcmp(out.p, t[i].bytes, t[i].n) != 0)
            fail_msg("%s: %.*s", t[i].name, (int)out.len, (const char *)out.p);
    }
    outbuf_clear(&out);
}

static void names_as_xterm(void **state)
{
    (void)state;
    check_table(normal, sizeof normal / sizeof normal[0], 0);
}

static void names_in_application_modes(void **state)
{
    (void)state;
    check_table(application, sizeof application / sizeof application[0],
                SCREEN_APP_CURSOR | SCREEN_APP_KEYPAD);
}

static void unknown_names(void **state)
{
    struct outbuf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        if (keynames_encode(unknown[i], 0, &out) != ERR_NOT_FOUND || out.len != 0)
            fail_msg("taken for a key: '%s'", unknown[i]);
    outbuf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_as_xterm),
        cmocka_unit_test(names_in_application_modes),
        cmocka_unit_test(unknown_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
