/* Columns a character takes: the Unicode 11 rule viewers use (addon-unicode11 of xterm.js). */
#ifndef VITRINE_DAEMON_SCREEN_WIDTH_H
#define VITRINE_DAEMON_SCREEN_WIDTH_H

#include <stdint.h>

/* Returns 0 (combining, formatting, controls), 1 or 2. */
unsigned screen_width(uint32_t cp);

#endif
