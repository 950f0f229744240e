#include "server/daemon/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/config_lex.h"

struct parser {
    struct config_lexer lex;
    const char *file;
    const struct config_context *context;
    struct config_list *list;
    struct config_command *command; /* being read, the list's last; NULL before its first word */
    bool begun;                     /* its words are read, if only to be passed over */
    bool joined;                    /* a command of this line came before */
    bool hidden;                    /* %hidden came before */
    bool failed;                    /* this line is wrong: passed over */
    bool taken[CONFIG_DEPTH_MAX];   /* of each open %if: a branch was taken */
    bool active[CONFIG_DEPTH_MAX];  /* and this one is it */
    unsigned depth;
};

static bool is_active(const struct parser *s)
{
    for (unsigned i = 0; i < s->depth; i++) {
        if (!s->active[i])
            return false;
    }
    return true;
}

/* --- commands ------------------------------------------------------------------------------- */

/* Makes what is read of the command an error. Lines say what is wrong with them once. */
static void complain(struct parser *s, unsigned line, const char *what)
{
    struct config_command *c = s->command;

    if (s->failed)
        return;
    s->failed = true;
    if (!c)
        c = config_list_add(s->list, s->file, line);
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        free(c->words[i]);
    free(c->words);
    c->words = NULL;
    c->n = 0;
    c->line = line;
    c->joined = false;
    c->error = strdup(what);
    s->list->bad = s->list->bad || !c->error;
    s->command = NULL;
}

static void add_word(struct parser *s, unsigned line, const char *word, size_t n)
{
    s->begun = true;
    if (s->failed || !is_active(s))
        return;
    if (!s->command) {
        s->command = config_list_add(s->list, s->file, line);
        if (!s->command)
            return;
        s->command->joined = s->joined;
    }
    if (!config_list_add_word(s->list, s->command, word, n) && !s->list->bad)
        complain(s, line, "too many words");
}

static void end_command(struct parser *s)
{
    s->joined = s->joined || s->command;
    s->command = NULL;
    s->begun = false;
    s->hidden = false;
}

static void end_line(struct parser *s)
{
    end_command(s);
    s->joined = false;
    s->failed = false;
}

static void assign(struct parser *s)
{
    char *word = (char *)s->lex.word.p;
    size_t n = config_lex_name(word);

    word[n] = '\0';
    if (is_active(s) && !s->failed && s->context->assign)
        s->context->assign(s->context->ctx, word, word + n + 1, s->hidden);
}

/* --- braces --------------------------------------------------------------------------------- */

/* Goes to the partner of a brace that was read; false when there is none. What is wrong in between
 * is wrong here: *line and error say the first of it. */
static bool skip_braces(struct parser *s, unsigned *line, char *error, size_t error_len)
{
    for (unsigned inner = 1;;) {
        enum config_token t = config_lex_next(&s->lex);

        if (t == CONFIG_END)
            snprintf(error, error_len, "a brace is not closed");
        if (t == CONFIG_OPEN && ++inner > CONFIG_DEPTH_MAX && !error[0])
            snprintf(error, error_len, "braces are nested too deep");
        if (t == CONFIG_WRONG && !error[0]) {
            *line = s->lex.error_line;
            snprintf(error, error_len, "%s", s->lex.error);
        }
        if (t == CONFIG_END || (t == CONFIG_CLOSE && --inner == 0))
            return !error[0];
    }
}

/* The opening brace was read: what follows, up to its partner, is a word. */
static void read_braces(struct parser *s)
{
    const char *from = s->lex.p;
    unsigned line = s->lex.line, command_line = line;
    char error[sizeof s->lex.error] = "";
    struct outbuf word = {0};

    if (!s->begun)
        complain(s, line, "a command is missing before {");
    if (!skip_braces(s, &line, error, sizeof error)) {
        complain(s, line, error);
        return;
    }
    outbuf_put(&word, from, (size_t)(s->lex.p - 1 - from));
    if (word.len > 0 && word.p[word.len - 1] == ';') /* no end of a command of bind-key's words */
        outbuf_byte(&word, ' ');
    if (word.bad)
        s->list->bad = true;
    else
        add_word(s, command_line, (const char *)word.p, word.len);
    outbuf_clear(&word);
}

/* --- conditions ----------------------------------------------------------------------------- */

/* The format after %if or %elif; false after complaining. */
static bool read_holds(struct parser *s, bool matters, bool *yes)
{
    enum config_token t;

    s->lex.format = true;
    t = config_lex_next(&s->lex);
    if (t != CONFIG_WORD && t != CONFIG_EQUALS) {
        complain(s, s->lex.error_line, t == CONFIG_WRONG ? s->lex.error : "%if needs a format");
        if (t == CONFIG_NEWLINE)
            end_line(s);
        return false;
    }
    *yes = matters && s->context->holds &&
           s->context->holds(s->context->ctx, (const char *)s->lex.word.p);
    return true;
}

static void read_if(struct parser *s)
{
    bool yes = false;

    if (s->depth == CONFIG_DEPTH_MAX) {
        complain(s, s->lex.line, "%if is nested too deep");
        return;
    }
    read_holds(s, is_active(s), &yes);
    s->active[s->depth] = yes;
    s->taken[s->depth++] = yes;
}

static void read_else(struct parser *s, bool last)
{
    unsigned i = s->depth - 1;
    bool yes, around;

    s->depth--;
    around = is_active(s);
    s->depth++;
    yes = around && !s->taken[i];
    s->active[i] = false; /* what is said of it by what is wrong now is said anyway */
    if (!last && !read_holds(s, yes, &yes))
        return;
    s->active[i] = yes;
    s->taken[i] = s->taken[i] || yes;
}

static void read_directive(struct parser *s)
{
    const char *word = (const char *)s->lex.word.p;

    if (strcmp(word, "%hidden") == 0) {
        s->hidden = true;
        return;
    }
    end_command(s);
    if (strcmp(word, "%if") == 0)
        read_if(s);
    else if (s->depth == 0)
        complain(s, s->lex.line, "no %if before");
    else if (strcmp(word, "%endif") == 0)
        s->depth--;
    else
        read_else(s, strcmp(word, "%else") == 0);
}

/* --- the text ------------------------------------------------------------------------------- */

static void read_semicolon(struct parser *s, bool after_semicolon)
{
    if (!s->begun && !s->joined && is_active(s))
        complain(s, s->lex.line, "a command is missing before ;");
    end_command(s);
    if (after_semicolon) /* as config_list_write separates lines */
        s->joined = false;
}

static void read_token(struct parser *s, enum config_token t, bool after_semicolon)
{
    switch (t) {
    case CONFIG_NEWLINE:
        end_line(s);
        break;
    case CONFIG_SEMICOLON:
        read_semicolon(s, after_semicolon);
        break;
    case CONFIG_OPEN:
        read_braces(s);
        break;
    case CONFIG_CLOSE:
        complain(s, s->lex.line, "a brace is closed that is not open");
        break;
    case CONFIG_EQUALS:
        if (!s->begun) {
            assign(s);
            break;
        }
        add_word(s, s->lex.error_line, (const char *)s->lex.word.p, s->lex.word.len - 1);
        break;
    case CONFIG_WORD:
        add_word(s, s->lex.error_line, (const char *)s->lex.word.p, s->lex.word.len - 1);
        break;
    case CONFIG_DIRECTIVE:
        read_directive(s);
        break;
    case CONFIG_WRONG:
        complain(s, s->lex.error_line, s->lex.error);
        break;
    case CONFIG_END:
        break;
    }
}

void config_parse(const char *text, size_t len, const char *file,
                  const struct config_context *context, struct config_list *list)
{
    struct parser s = {.lex = {.text = text,
                               .p = text,
                               .end = len > 0 ? text + len : text,
                               .line = 1,
                               .variable = context->variable,
                               .ctx = context->ctx},
                       .file = file,
                       .context = context,
                       .list = list};
    enum config_token t = CONFIG_NEWLINE, before;

    if (len == 0)
        return;
    if (len > CONFIG_BYTES_MAX || memchr(text, '\0', len)) {
        complain(&s, 1, len > CONFIG_BYTES_MAX ? "too long" : "holds a NUL byte");
        return;
    }
    do {
        before = t;
        t = config_lex_next(&s.lex);
        if (s.lex.word.bad)
            list->bad = true;
        else
            read_token(&s, t, before == CONFIG_SEMICOLON);
    } while (t != CONFIG_END && !list->bad);
    end_line(&s);
    if (s.depth > 0)
        complain(&s, s.lex.line, "%if without %endif");
    outbuf_clear(&s.lex.word);
}
