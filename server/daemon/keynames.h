/* Names of keys, as tmux's send-keys takes them, to the bytes an xterm sends for them.
 *
 *   name = modifier* key;  modifier = "C-" | "^" | "M-" | "S-";  key = a character, 0xHEX, or a
 *   name of the table: Enter, Escape, Up, F5, PPage, KP7, …
 *
 * Special keys follow the program's modes (application cursor keys and keypad) as the terminal's
 * own keyboard would, and take xterm's modifier parameter: CSI 1;5A for C-Up. */
#ifndef VITRINE_DAEMON_KEYNAMES_H
#define VITRINE_DAEMON_KEYNAMES_H

#include <stdint.h>

#include "proto/err.h"

struct outbuf;

/* Appends the bytes of the NUL-terminated key name; modes is screen_modes of the pane. Names match
 * without regard to case. Returns ERR_NOT_FOUND, and appends nothing, when name is no key: tmux
 * then types it literally. ERR_MEMORY when out is bad. */
enum err keynames_encode(const char *name, uint32_t modes, struct outbuf *out);

#endif
