/* Names of keys, as tmux's send-keys takes them, to the bytes an xterm sends for them.
 *
 *   name = modifier* key;  modifier = "C-" | "^" | "M-" | "S-";  key = a character, 0xHEX, or a
 *   name of the table: Enter, Escape, Up, F5, PPage, KP7, …
 *
 * A key is also a number, for tables: parsed from its name, or decoded from the bytes a terminal
 * sent, by the same table the other way round. Special keys follow the program's modes (application
 * cursor keys and keypad) as the terminal's own keyboard would, and take xterm's modifier
 * parameter: CSI 1;5A for C-Up. */
#ifndef VITRINE_DAEMON_KEYNAMES_H
#define VITRINE_DAEMON_KEYNAMES_H

#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

struct outbuf;

/* Appends the bytes of the NUL-terminated key name; modes is screen_modes of the pane. Names match
 * without regard to case. Returns ERR_NOT_FOUND, and appends nothing, when name is no key: tmux
 * then types it literally. ERR_MEMORY when out is bad. */
enum err keynames_encode(const char *name, uint32_t modes, struct outbuf *out);

/* --- keys as numbers ------------------------------------------------------------------------ */

/* A key: a code point (C-b is 2, Enter 13, Escape 27) or KEY_NAMED and an index, with modifiers.
 * What a terminal sends alike is one key: C-m is Enter, C-i Tab, S-a is A. */
#define KEY_NONE  UINT32_MAX
#define KEY_NAMED 0x110000u
#define KEY_META  (1u << 24)
#define KEY_CTRL  (1u << 25)
#define KEY_SHIFT (1u << 26)

#define KEYNAMES_TEXT_MAX 40

/* Events of the mouse are keys too, named as tmux does: MouseDown1Pane, WheelUpStatus. */
#define KEY_MOUSE 0x200000u

enum mouse_kind {
    MOUSE_DOWN,
    MOUSE_UP,
    MOUSE_DRAG,
    MOUSE_DRAG_END,
    MOUSE_SECOND_CLICK,
    MOUSE_DOUBLE_CLICK,
    MOUSE_TRIPLE_CLICK,
    MOUSE_WHEEL_UP,   /* from here on: of no button */
    MOUSE_WHEEL_DOWN,
    MOUSE_MOVE,
};

enum mouse_place {
    MOUSE_ON_PANE,
    MOUSE_ON_STATUS, /* a window's name there */
    MOUSE_ON_STATUS_LEFT,
    MOUSE_ON_STATUS_RIGHT,
    MOUSE_ON_STATUS_DEFAULT,
    MOUSE_ON_BORDER,
};

/* The key of an event; button 1 to 11, which the kinds of no button ignore. */
uint32_t keynames_mouse(enum mouse_kind kind, unsigned button, enum mouse_place place);

/* The key of a name, KEY_NONE when it is none. */
uint32_t keynames_parse(const char *name);
/* Writes a key's name, which keynames_parse reads back. */
void keynames_text(uint32_t key, char out[static KEYNAMES_TEXT_MAX]);
/* The key of the n bytes that a terminal sent for one, KEY_NONE when they mean no known one. */
uint32_t keynames_decode(const uint8_t *p, size_t n);

#endif
