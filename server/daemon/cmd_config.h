/* What the commands that run programs share: run-shell, if-shell, pipe-pane. */
#ifndef VITRINE_DAEMON_CMD_CONFIG_H
#define VITRINE_DAEMON_CMD_CONFIG_H

#include "server/daemon/config_run.h"

/* The environment of a program that is run for a command of that origin: the session's, or the
 * daemon's, with what tells where it happened. The caller frees it by environment_free_list. NULL
 * when memory ran out. */
char **cmd_config_environment(const struct config_origin *o);

#endif
