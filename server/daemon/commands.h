/* Who runs which command of proto/commands.def: one row each. */
#ifndef VITRINE_DAEMON_COMMANDS_H
#define VITRINE_DAEMON_COMMANDS_H

#include "server/daemon/command.h"

/* The function for a command; NULL for those that the client runs itself. */
command_run *commands_find(enum args_command id);

#define COMMAND(id, name, alias, options, usage, flags, target, role, summary) command_run cmd_##id;
#include "proto/commands.def"
#undef COMMAND

#endif
