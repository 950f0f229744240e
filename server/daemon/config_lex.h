/* The words and signs of configuration text; config.c makes commands of them.
 *
 *   blanks separate; # where a word could begin starts a comment; \ at a line's end joins it to the
 *   next; '…' is taken as it stands; in "…" and outside, \ guards a character or names one (\n \t
 *   \e \101 \u00e9), $NAME and ${NAME} are variables; ~ and ~user begin a word as a home directory;
 *   ; { } are signs; a word that begins with % is a directive unless it is all % and digits
 *
 * This is the language of tmux 3.3a's cmd-parse.y. */
#ifndef VITRINE_DAEMON_CONFIG_LEX_H
#define VITRINE_DAEMON_CONFIG_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "server/daemon/outbuf.h"

enum config_token {
    CONFIG_END,
    CONFIG_NEWLINE,
    CONFIG_SEMICOLON,
    CONFIG_OPEN,  /* { */
    CONFIG_CLOSE, /* } */
    CONFIG_WORD,
    CONFIG_EQUALS,    /* a word NAME=value */
    CONFIG_DIRECTIVE, /* %if and its like */
    CONFIG_WRONG,     /* error says what */
};

struct config_lexer {
    const char *text;
    const char *p; /* how far it was read */
    const char *end;
    unsigned line;
    bool format;        /* a #{ … } may come next: after %if */
    struct outbuf word; /* of a word or directive, with its NUL */
    char error[96];     /* of CONFIG_WRONG */
    unsigned error_line;
    /* The value of a variable, or NULL; may be NULL. */
    const char *(*variable)(void *ctx, const char *name);
    void *ctx;
};

/* The next one. What it was read from ends at l->p. */
enum config_token config_lex_next(struct config_lexer *l);
/* Whether text begins with NAME=; its length without the =, else 0. */
size_t config_lex_name(const char *text);

#endif
