/* The command table (proto/commands.def) and the parser of command lines after it: one parser for
 * the client, which refuses a wrong line at once, and for the daemon, which trusts no client. */
#ifndef VITRINE_PROTO_ARGS_H
#define VITRINE_PROTO_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"

#define COMMAND(id, name, alias, options, usage, flags, target, role, summary) ARGS_COMMAND_##id,
enum args_command {
#include "proto/commands.def"
    ARGS_COMMANDS
};
#undef COMMAND

enum args_flag {
    ARGS_START = 1, /* the client starts the daemon when none runs */
    ARGS_ENV = 2,   /* the client sends its environment */
    ARGS_LOCAL = 4, /* the client runs it */
    ARGS_WORDS = 8, /* it takes words after its options */
};

/* What -t names. */
enum args_target {
    ARGS_TARGET_NONE,
    ARGS_TARGET_SESSION,
    ARGS_TARGET_WINDOW,
    ARGS_TARGET_PANE,
    ARGS_TARGET_CLIENT,
    ARGS_TARGET_SHARE, /* a share's number, or what is shared */
};

/* Whose commands may run it. */
enum args_role {
    ARGS_ROLE_OWNER,
    ARGS_ROLE_OPERATOR, /* who may type in a share, inside it, and the owner */
};

struct command_spec {
    enum args_command id;
    const char *name;
    const char *alias; /* "" when there is none */
    const char *options;
    const char *usage; /* what follows the name */
    unsigned flags;    /* enum args_flag bits */
    enum args_target target;
    enum args_role role;
    const char *summary;
};

#define ARGS_OPTIONS_MAX 32

struct args_option {
    const char *name; /* as in the table: "t", "json"; not NUL-terminated, len bytes */
    size_t len;
    const char *value; /* NULL for a switch */
};

/* A parsed line. Everything points into the argv it came from and into the table. */
struct args {
    const struct command_spec *spec;
    struct args_option options[ARGS_OPTIONS_MAX];
    size_t n_options;
    const char *const *words; /* what follows the options */
    size_t n_words;
};

/* The whole table, ARGS_COMMANDS entries in the order of enum args_command; static. */
const struct command_spec *args_commands(void);
/* Finds a command by name, alias or unambiguous prefix, as tmux does. NULL when there is none; then
 * *ambiguous tells whether several begin so. */
const struct command_spec *args_find(const char *name, bool *ambiguous);
/* Parses argv[0] (the command) to argv[argc - 1] into *out. Options may be bundled (-dP), their
 * values attached (-tname, --json=x) or the next word; `--` ends them, and so does the first word
 * that is no option. Words after a command that takes none are a wrong line. On failure writes one
 * line (no newline) for the user to why, at most why_len bytes with its NUL, and returns
 * ERR_NOT_FOUND for an unknown command, ERR_MALFORMED for a wrong line (out->spec is then set),
 * ERR_RANGE for too many options. */
enum err args_parse(size_t argc, const char *const *argv, struct args *out, char *why,
                    size_t why_len);
/* True when the option was given. name as in the table. */
bool args_has(const struct args *a, const char *name);
/* The last value given for an option, or NULL. */
const char *args_value(const struct args *a, const char *name);
/* The i-th value given for an option that may be repeated, or NULL. */
const char *args_value_at(const struct args *a, const char *name, size_t i);
/* Reads a decimal number from low to high. ERR_MALFORMED or ERR_RANGE otherwise. */
enum err args_number(const char *text, long low, long high, long *out);

#endif
