/* Configuration text of a place: its variables are those of set-environment, the session's, then the daemon's, and the
 * formats of its conditions speak of the place. */
#ifndef VITRINE_DAEMON_CONFIG_PLACE_H
#define VITRINE_DAEMON_CONFIG_PLACE_H

#include <stddef.h>

#include "server/daemon/config.h"
#include "server/daemon/format_vars.h"

/* As config_parse; NAME=value sets a variable of the global environment. */
void config_place_parse(const struct format_place *place, const char *text, size_t len,
                        const char *file, struct config_list *list);

#endif
