/* What commands print by a format: -F of lists and of -P, and filters. */
#ifndef VITRINE_DAEMON_CMD_FORMAT_H
#define VITRINE_DAEMON_CMD_FORMAT_H

#include <stdbool.h>

#include "server/daemon/command.h"

/* Appends the command's -F, or else the given format, expanded for a target, and a newline. With -f
 * nothing is printed where that filter is false. */
void cmd_format_line(struct command *c, const struct target *at, const char *otherwise);
/* Whether the target passes -f. */
bool cmd_format_passes(struct command *c, const struct target *at);

#endif
