/* Configuration text, as tmux writes it, into commands.
 *
 *   words are apart by blanks; # begins a comment where a word could; ; ends a command, \; is a
 * word '…' is taken as it stands; in "…" and outside \ guards a character, \n \t \e \u1234 are
 * those, $NAME and ${NAME} are variables; ~ and ~user begin a word as a home directory { … } is one
 * word: what stands between, lines too \ at a line's end goes on with the next; NAME=value sets a
 * variable for what follows %if format, %elif, %else, %endif stand on lines of their own
 *
 * What is wrong on one line is noted with its number and does not stop the rest. */
#ifndef VITRINE_DAEMON_CONFIG_H
#define VITRINE_DAEMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_BYTES_MAX (1u << 20) /* of one text */
#define CONFIG_WORDS_MAX 1000       /* of one command */
#define CONFIG_DEPTH_MAX 32         /* of %if */

/* One command, or with an error what is wrong on that line. */
struct config_command {
    const char *file; /* owned; where it stands, NULL for a text without a name */
    unsigned line;
    bool joined;       /* stands behind the one before on its line: not run when that failed */
    const char *error; /* owned; NULL for a command */
    char **words;      /* owned, as are they; NULL-terminated */
    size_t n;
    struct config_command *next;
};

struct config_list {
    struct config_command *first;
    struct config_command *last;
    bool bad; /* memory ran out */
};

/* What a text may ask for; any may be NULL. */
struct config_context {
    /* The value of a variable, or NULL. */
    const char *(*variable)(void *ctx, const char *name);
    /* NAME=value in the text; hidden: for the text only. */
    void (*assign)(void *ctx, const char *name, const char *value);
    /* Whether %if's format is true. */
    bool (*holds)(void *ctx, const char *format);
    void *ctx;
};

/* Appends what text says to list. file (may be NULL) is its name for messages. */
void config_parse(const char *text, size_t len, const char *file,
                  const struct config_context *context, struct config_list *list);
void config_free(struct config_list *list);

#endif
