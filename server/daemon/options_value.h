/* Checking values of options, and styles as cells have them. */
#ifndef VITRINE_DAEMON_OPTIONS_VALUE_H
#define VITRINE_DAEMON_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"
#include "server/daemon/cell.h"
#include "server/daemon/options.h"

/* Checks text as a value of that option and sets what it is as a number (0 for texts). Writes one
 * line to why when it is none. */
enum err options_check(const struct option_spec *spec, const char *text, long *number, char *why,
                       size_t why_len);
/* The i-th word of a choice option, as an owned-by-nobody buffer of cap bytes; "" past the end. */
void options_choice(const struct option_spec *spec, long i, char *out, size_t cap);

/* A colour: a name, brightred, colour123, #rrggbb, default. False when it is none. */
bool options_colour(const char *text, cell_color *out);
/* A style: `fg=red,bg=#202020,bold,nounderscore`, apart by commas or blanks, on top of what *pen
 * has; `default` takes base. Words about layout (align=…) are passed over. False when a word is
 * none; *pen is then unchanged. */
bool options_style(const char *text, const struct pen *base, struct pen *pen);

#endif
