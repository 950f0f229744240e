/* The commands that need no daemon: version, help, list-commands. */
#ifndef VITRINE_CLIENT_LOCAL_COMMANDS_H
#define VITRINE_CLIENT_LOCAL_COMMANDS_H

#include "proto/args.h"

/* Each runs its command, of a parsed line, and returns the exit status. */
int local_commands_version(void);
/* a may be NULL for the overview. */
int local_commands_help(const struct args *a);
int local_commands_list(const struct args *a);
/* Explains one command on standard output. */
void local_commands_explain(const struct command_spec *c);

#endif
