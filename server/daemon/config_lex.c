#include "proto/compat.h"

#include "server/daemon/config_lex.h"

#include <ctype.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "proto/utf8.h"

#define NAME_MAX_BYTES 128
#define NO_CHARACTER   (-1)

/* --- characters ----------------------------------------------------------------------------- */

/* A backslash before a line's end is none when a backslash guards it. */
static bool is_continued(const struct config_lexer *l)
{
    const char *at = l->p;

    if (l->end - at < 2 || at[0] != '\\' || at[1] != '\n')
        return false;
    while (at > l->text && at[-1] == '\\')
        at--;
    return (l->p - at) % 2 == 0;
}

static int look(struct config_lexer *l)
{
    while (is_continued(l)) {
        l->p += 2;
        l->line++;
    }
    if (l->p >= l->end)
        return NO_CHARACTER;
    if (l->p[0] == '\r' && l->end - l->p > 1 && l->p[1] == '\n')
        l->p++;
    return (unsigned char)*l->p;
}

static int take(struct config_lexer *l)
{
    int c = look(l);

    if (c != NO_CHARACTER)
        l->p++;
    if (c == '\n')
        l->line++;
    return c;
}

static bool is_one_of(int c, const char *set)
{
    return c != NO_CHARACTER && c != '\0' && strchr(set, c);
}

static bool is_name(int c, bool first)
{
    return c == '_' || (c != NO_CHARACTER && isalnum(c) && !(first && isdigit(c)));
}

__attribute__((format(printf, 2, 3))) static bool wrong(struct config_lexer *l, const char *what,
                                                        ...)
{
    va_list ap;

    if (l->error[0])
        return false;
    va_start(ap, what);
    vsnprintf(l->error, sizeof l->error, what, ap);
    va_end(ap);
    return false;
}

size_t config_lex_name(const char *text)
{
    size_t n = 0;

    while (is_name((unsigned char)text[n], n == 0))
        n++;
    return text[n] == '=' ? n : 0;
}

/* --- parts of words ------------------------------------------------------------------------- */

static bool take_code(struct config_lexer *l, int digits)
{
    uint8_t bytes[UTF8_MAX_BYTES];
    uint32_t cp = 0;
    bool ok = true;

    for (int i = 0; i < digits && ok; i++) {
        int c = look(l);

        ok = c != NO_CHARACTER && isxdigit(c);
        if (ok)
            cp = cp * 16 + (uint32_t)(isdigit(take(l)) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (!ok || cp == 0 || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
        return wrong(l, "invalid \\%c argument", digits == 4 ? 'u' : 'U');
    outbuf_put(&l->word, bytes, utf8_encode(cp, bytes));
    return true;
}

/* Three octal digits, the first of which was taken. */
static bool take_octal(struct config_lexer *l, int first)
{
    int v = first - '0';

    for (int i = 0; i < 2; i++) {
        int c = look(l);

        if (c < '0' || c > '7')
            return wrong(l, "invalid octal escape");
        v = v * 8 + (take(l) - '0');
    }
    if (v == 0 || v > 255)
        return wrong(l, "invalid octal escape");
    outbuf_byte(&l->word, (uint8_t)v);
    return true;
}

/* What follows a backslash, which was taken. */
static bool take_escape(struct config_lexer *l)
{
    static const char names[] = "abefnrstv", values[] = "\a\b\033\f\n\r \t\v";
    int c = take(l);

    if (c == NO_CHARACTER)
        return wrong(l, "a backslash at the end");
    if (c >= '0' && c <= '7')
        return take_octal(l, c);
    if (c == 'u' || c == 'U')
        return take_code(l, c == 'u' ? 4 : 8);
    if (is_one_of(c, names))
        c = (unsigned char)values[strchr(names, c) - names];
    outbuf_byte(&l->word, (uint8_t)c);
    return true;
}

/* What follows a dollar sign, which was taken. */
static bool take_variable(struct config_lexer *l)
{
    bool braces = look(l) == '{';
    char name[NAME_MAX_BYTES];
    size_t n = 0;
    const char *value;

    if (braces)
        take(l);
    while (is_name(look(l), n == 0 && !braces)) {
        if (n + 1 == sizeof name)
            return wrong(l, "environment variable is too long");
        name[n++] = (char)take(l);
    }
    name[n] = '\0';
    if (braces && look(l) != '}')
        return wrong(l, "invalid environment variable");
    if (braces)
        take(l);
    if (n == 0 && !braces)
        outbuf_byte(&l->word, '$');
    value = n > 0 && l->variable ? l->variable(l->ctx, name) : NULL;
    outbuf_text(&l->word, value ? value : "");
    return true;
}

/* What follows a ~, which was taken. */
static bool take_home(struct config_lexer *l)
{
    char name[NAME_MAX_BYTES];
    size_t n = 0;
    const char *home = NULL;
    const struct passwd *pw = NULL;

    for (int c; (c = look(l)) != NO_CHARACTER && !is_one_of(c, "/ \t\n\"';{}");) {
        if (n + 1 == sizeof name)
            return wrong(l, "user name is too long");
        name[n++] = (char)take(l);
    }
    name[n] = '\0';
    if (n == 0 && l->variable)
        home = l->variable(l->ctx, "HOME");
    if (n > 0)
        pw = getpwnam(name);
    if (pw)
        home = pw->pw_dir;
    if (!home || !*home)
        return wrong(l, n > 0 ? "no such user: ~%s" : "HOME is not set", name);
    outbuf_text(&l->word, home);
    return true;
}

/* A line's end inside quotes: blanks at the next line's beginning and a comment there go. */
static void take_line_end(struct config_lexer *l)
{
    outbuf_byte(&l->word, (uint8_t)take(l));
    while (is_one_of(look(l), " \t"))
        take(l);
    if (look(l) != '#')
        return;
    take(l);
    if (is_one_of(look(l), ",#{}:")) { /* a format */
        outbuf_byte(&l->word, '#');
        return;
    }
    while (look(l) != NO_CHARACTER && look(l) != '\n')
        take(l);
}

/* What is between quotes, the first of which was taken. */
static bool take_quoted(struct config_lexer *l, int quote)
{
    bool plain = quote == '\'', ok = true;

    if (look(l) == '~' && !plain) {
        take(l);
        ok = take_home(l);
    }
    for (int c; (c = look(l)) != quote;) {
        if (c == NO_CHARACTER)
            return wrong(l, "a quote is not closed");
        if (c == '\n') {
            take_line_end(l);
            continue;
        }
        take(l);
        if (c == '\\' && !plain)
            ok = take_escape(l) && ok;
        else if (c == '$' && !plain)
            ok = take_variable(l) && ok;
        else
            outbuf_byte(&l->word, (uint8_t)c);
    }
    take(l);
    return ok;
}

/* --- words ---------------------------------------------------------------------------------- */

static enum config_token take_word(struct config_lexer *l)
{
    bool ok = true;

    for (int c = look(l), first = c; c != NO_CHARACTER && !is_one_of(c, " \t\n;}"); c = look(l)) {
        take(l);
        if (c == '\\')
            ok = take_escape(l) && ok;
        else if (c == '$')
            ok = take_variable(l) && ok;
        else if (c == '~' && first == '~')
            ok = take_home(l) && ok;
        else if (c == '\'' || c == '"')
            ok = take_quoted(l, c) && ok;
        else
            outbuf_byte(&l->word, (uint8_t)c);
        first = NO_CHARACTER;
    }
    outbuf_byte(&l->word, '\0');
    if (!ok)
        return CONFIG_WRONG;
    return config_lex_name((const char *)l->word.p) > 0 ? CONFIG_EQUALS : CONFIG_WORD;
}

static enum config_token take_directive(struct config_lexer *l)
{
    static const char *const known[] = {"%if", "%elif", "%else", "%endif", "%hidden"};
    const char *word;

    for (int c = look(l); c != NO_CHARACTER && !is_one_of(c, " \t\n;}"); c = look(l))
        outbuf_byte(&l->word, (uint8_t)take(l));
    outbuf_byte(&l->word, '\0');
    word = (const char *)l->word.p;
    if (word[strspn(word, "%0123456789")] == '\0')
        return CONFIG_WORD;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(word, known[i]) == 0)
            return CONFIG_DIRECTIVE;
    }
    wrong(l, "put quotes around a word that begins with %%: %.40s", word);
    return CONFIG_WRONG;
}

/* #{ … } after %if; the # was taken. */
static enum config_token take_format(struct config_lexer *l)
{
    unsigned depth = 0;

    outbuf_byte(&l->word, '#');
    for (int c; (c = look(l)) != NO_CHARACTER && c != '\n';) {
        outbuf_byte(&l->word, (uint8_t)take(l));
        depth += c == '{';
        if (c != '}' || --depth > 0)
            continue;
        outbuf_byte(&l->word, '\0');
        return CONFIG_WORD;
    }
    wrong(l, "a format is not closed");
    return CONFIG_WRONG;
}

enum config_token config_lex_next(struct config_lexer *l)
{
    bool format = l->format;
    int c;

    l->format = false;
    l->error[0] = '\0';
    outbuf_reset(&l->word);
    while (is_one_of(look(l), " \t"))
        take(l);
    l->error_line = l->line;
    c = look(l);
    if (c == '#') {
        take(l);
        if (format && look(l) == '{')
            return take_format(l);
        while ((c = look(l)) != NO_CHARACTER && c != '\n')
            take(l);
    }
    if (c == NO_CHARACTER)
        return CONFIG_END;
    if (is_one_of(c, "\n;{}"))
        take(l);
    else
        return c == '%' ? take_directive(l) : take_word(l);
    return c == '\n'  ? CONFIG_NEWLINE
           : c == ';' ? CONFIG_SEMICOLON
           : c == '{' ? CONFIG_OPEN
                      : CONFIG_CLOSE;
}
