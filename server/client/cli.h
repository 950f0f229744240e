/* The command line: flags of the program, the command, where it runs. */
#ifndef VITRINE_CLIENT_CLI_H
#define VITRINE_CLIENT_CLI_H

#include <stddef.h>

#include "proto/args.h"
#include "server/client/runtime_dir.h"

/* Exit statuses. */
#define CLI_DONE    0
#define CLI_REFUSED 1
#define CLI_USAGE   2

/* Runs the program. argv as main() has it. Returns the exit status. */
int cli_run(int argc, const char *const *argv);
/* Says on standard error, in one line, what is wrong with a line of spec's command. */
int cli_usage_error(const struct command_spec *spec, const char *why);
/* Says on standard error what went wrong: `vitrine: ` and the line. Returns CLI_REFUSED. */
int cli_error(const char *why);

#endif
