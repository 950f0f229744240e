/* What commands print by a format: -F of lists and of -P, and filters. */
#ifndef VITRINE_DAEMON_CMD_FORMAT_H
#define VITRINE_DAEMON_CMD_FORMAT_H

#include <stdbool.h>

#include "server/daemon/command.h"
#include "server/daemon/format_vars.h"

/* Appends the command's -F, or else the given format, expanded for a target, and a newline. With -f
 * nothing is printed where that filter is false. */
void cmd_format_line(struct command *c, const struct target *at, const char *otherwise);
/* The same for a place of formats, with its extras. */
void cmd_format_place(struct command *c, const struct format_place *place, const char *otherwise);
/* Whether the target passes -f. */
bool cmd_format_passes(struct command *c, const struct target *at);

#endif
