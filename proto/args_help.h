/* What people are told of the command table: flags with their values and what they are for
 * (proto/flags.def), and what they may have meant by a name that is none. */
#ifndef VITRINE_PROTO_ARGS_HELP_H
#define VITRINE_PROTO_ARGS_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/args.h"

/* One flag of a command; all borrowed from the tables. */
struct args_flag_help {
    const char *name; /* not NUL-terminated, len bytes; a word when there are several */
    size_t len;
    const char *value; /* what the usage calls its value, value_len bytes; NULL for a switch */
    size_t value_len;
    const char *text; /* what it is for; "" when flags.def has no row */
};

/* The next flag of a command in the table's order; *at is NULL at first. False past the last. */
bool args_help_next(const struct command_spec *c, const char **at, struct args_flag_help *out);
/* Writes why a name is no command to why: `unknown command: nwe, did you mean new-window?`, or for
 * the beginning of several `ambiguous command: ki, could be: kill-pane, kill-server, …`. */
void args_help_unknown(const char *name, char *why, size_t why_len);
/* The command whose name or alias is nearest to a name with a slip or two; NULL when none is. */
const struct command_spec *args_help_nearest(const char *name);

#endif
