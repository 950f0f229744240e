/* Which attached terminal a command is about. */
#ifndef VITRINE_DAEMON_CMD_CLIENT_H
#define VITRINE_DAEMON_CMD_CLIENT_H

#include "server/daemon/command.h"

/* The terminal that an option (-t or -c) names; without it the one whose key it was, else the one
 * used last at the session the command is given in, else of all. NULL after saying why. */
struct attach *cmd_client_find(struct command *c, const char *option);

#endif
