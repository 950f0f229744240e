/* Configuration text, as tmux writes it, into commands: the one grammar of config files, bindings,
 * hooks, prompts and what if-shell chooses. Words are config_lex.h's.
 *
 *   ; or a line's end ends a command; NAME=value, alone or before a command, sets a variable for
 *   what follows, with %hidden in front for this text only; { … } is one word: what stands between,
 *   lines too; %if format, %elif format, %else, %endif choose among the commands between them
 *
 * What is wrong on one line is noted with its number and does not stop the rest. */
#ifndef VITRINE_DAEMON_CONFIG_H
#define VITRINE_DAEMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "server/daemon/config_list.h"

#define CONFIG_BYTES_MAX (1u << 20) /* of one text */
#define CONFIG_DEPTH_MAX 32         /* of %if, and of { } in { } */

/* What a text may ask for; any may be NULL. */
struct config_context {
    /* The value of a variable, or NULL. */
    const char *(*variable)(void *ctx, const char *name);
    /* NAME=value in the text; hidden: not for programs. */
    void (*assign)(void *ctx, const char *name, const char *value, bool hidden);
    /* Whether %if's format is true. */
    bool (*holds)(void *ctx, const char *format);
    void *ctx;
};

/* Appends what text says to list. file (may be NULL) is its name for messages. */
void config_parse(const char *text, size_t len, const char *file,
                  const struct config_context *context, struct config_list *list);

#endif
