/* The national and graphic character sets a program can switch to (ISO 2022), as xterm.js has them.
 */
#ifndef VITRINE_DAEMON_SCREEN_CHARSET_H
#define VITRINE_DAEMON_SCREEN_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

/* A set is named by the final byte that designates it: 'B' US ASCII, '0' line drawing, …. US ASCII
 * is always written as CHARSET_ASCII. */
#define CHARSET_ASCII 0u

/* True when ESC ( final designates a set that is known. */
bool charset_is_known(uint32_t final);
/* The set that a final byte designates, national sets with two names under one of them. */
uint8_t charset_of(uint32_t final);
/* The character that c (below 0x7f) stands for in a set. */
uint32_t charset_map(uint8_t set, uint32_t c);
/* A character that stands for `wanted` in a set: the reverse of charset_map; 0 when there is none.
 */
uint32_t charset_find(uint8_t set, uint32_t wanted);

#endif
