/* Variables of formats about a pane's copy mode. */
#ifndef VITRINE_DAEMON_FORMAT_COPY_H
#define VITRINE_DAEMON_FORMAT_COPY_H

#include <stdbool.h>

#include "server/daemon/options.h"

struct outbuf;
struct pane;

/* Appends a variable of that name. False when there is none, or, for all but pane_in_mode and
 * pane_search_string, when the pane is in no mode. */
bool format_copy_put(const struct pane *p, const struct options *o, struct options_place at,
                     const char *name, struct outbuf *out);

#endif
