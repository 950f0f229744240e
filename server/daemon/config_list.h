/* Lists of commands: what config files, bindings, hooks, prompts and command lines come to before
 * they run. Each command is its words; what reads them from text is config.h. */
#ifndef VITRINE_DAEMON_CONFIG_LIST_H
#define VITRINE_DAEMON_CONFIG_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"

struct outbuf;

#define CONFIG_WORDS_MAX 1000 /* of one command */

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

/* Zeroed it is empty. */
struct config_list {
    struct config_command *first;
    struct config_command *last;
    bool bad; /* memory ran out */
};

/* Appends an empty command. NULL, with list->bad, when memory ran out. */
struct config_command *config_list_add(struct config_list *list, const char *file, unsigned line);
/* Appends n bytes as a command's next word. False, with list->bad, when memory ran out; false too
 * for more than CONFIG_WORDS_MAX. */
bool config_list_add_word(struct config_list *list, struct config_command *c, const char *word,
                          size_t n);
/* Appends an error. */
void config_list_add_error(struct config_list *list, const char *file, unsigned line,
                           const char *what);
/* Appends the commands that words make up, as a shell hands them over: a `;` at the end of a word
 * ends a command, `\;` there is a semicolon. ERR_RANGE for too many words, ERR_MEMORY. */
enum err config_list_add_line(struct config_list *list, size_t n, const char *const *words);
/* Appends copies of all commands. ERR_MEMORY. */
enum err config_list_copy(const struct config_list *from, struct config_list *to);
/* What is wrong with the list: its first error, or a command that there is none of; NULL when
 * nothing is. Borrowed from the list or written to why. */
const char *config_list_fault(const struct config_list *list, char *why, size_t why_len);
/* Appends one word so that config_parse reads it back. */
void config_list_write_word(const char *word, struct outbuf *out);
/* Appends the commands with ` ; ` between those of a line and ` ;; ` between lines, names in full;
 * as an argument of bind-key, ` \; ` and ` \;\; `. config_parse reads them back. */
void config_list_write(const struct config_list *list, bool argument, struct outbuf *out);
void config_list_clear(struct config_list *list);

#endif
