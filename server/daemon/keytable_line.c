#include "server/daemon/keytable_line.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/outbuf.h"

/* --- words ---------------------------------------------------------------------------------- */

static enum err add_word(struct keytable_line *line, const char *p, size_t n)
{
    char **words = realloc(line->words, (line->n + 1) * sizeof *words);

    if (!words)
        return ERR_MEMORY;
    line->words = words;
    words[line->n] = malloc(n + 1);
    if (!words[line->n])
        return ERR_MEMORY;
    if (n > 0)
        memcpy(words[line->n], p, n);
    words[line->n++][n] = '\0';
    return ERR_OK;
}

void keytable_free_line(struct keytable_line *line)
{
    for (size_t i = 0; i < line->n; i++)
        free(line->words[i]);
    free(line->words);
    *line = (struct keytable_line){0};
}

enum err keytable_copy_line(size_t n, const char *const *words, struct keytable_line *out)
{
    *out = (struct keytable_line){0};
    for (size_t i = 0; i < n; i++) {
        const char *word = strcmp(words[i], "\\;") == 0 ? ";" : words[i];

        if (add_word(out, word, strlen(word)) == ERR_OK)
            continue;
        keytable_free_line(out);
        return ERR_MEMORY;
    }
    return ERR_OK;
}

/* --- reading -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The end of { … }, which may hold others; NULL when it is not closed. */
static const char *brace_end(const char *at)
{
    unsigned depth = 0;

    for (; *at; at++) {
        depth += *at == '{';
        if (*at == '}' && --depth == 0)
            return at;
    }
    return NULL;
}

/* Takes what is between quotes; returns the character after them, NULL when they are not closed. */
static const char *read_quoted(const char *at, char quote, struct outbuf *word)
{
    for (; *at && *at != quote; at++) {
        if (quote == '"' && *at == '\\' && at[1] && strchr("\\\"$", at[1]))
            at++;
        outbuf_byte(word, (uint8_t)*at);
    }
    return *at ? at + 1 : NULL;
}

/* Takes one word; *separates when an unquoted `;` ended it. NULL when it is not whole. */
static const char *read_word(const char *at, struct outbuf *word, bool *separates)
{
    *separates = false;
    while (at && *at && !is_blank(*at)) {
        if (*at == '\'' || *at == '"') {
            at = read_quoted(at + 1, *at, word);
        } else if (*at == '\\' && at[1]) {
            outbuf_byte(word, (uint8_t)at[1]);
            at += 2;
        } else if (*at == ';' && (at[1] == '\0' || is_blank(at[1]))) {
            *separates = true;
            return at + 1;
        } else {
            outbuf_byte(word, (uint8_t)*at++);
        }
    }
    return at;
}

static const char *read_some(const char *at, struct keytable_line *out, enum err *e)
{
    struct outbuf word = {0};
    bool separates = false, plain = *at != '\'' && *at != '"';

    if (*at == '{') {
        const char *end = brace_end(at);
        if (end) {
            *e = add_word(out, at + 1, (size_t)(end - at - 1));
            return end + 1;
        }
        *e = ERR_MALFORMED;
        return at;
    }
    at = read_word(at, &word, &separates);
    *e = !at ? ERR_MALFORMED : word.bad ? ERR_MEMORY : ERR_OK;
    if (*e == ERR_OK && (word.len > 0 || !plain))
        *e = add_word(out, (const char *)word.p, word.len);
    if (*e == ERR_OK && separates)
        *e = add_word(out, ";", 1);
    outbuf_clear(&word);
    return at;
}

enum err keytable_read_line(const char *text, struct keytable_line *out)
{
    enum err e = strlen(text) < KEYTABLE_LINE_BYTES ? ERR_OK : ERR_RANGE;

    *out = (struct keytable_line){0};
    while (e == ERR_OK) {
        while (is_blank(*text))
            text++;
        if (!*text)
            return ERR_OK;
        text = read_some(text, out, &e);
    }
    keytable_free_line(out);
    return e;
}

/* --- writing -------------------------------------------------------------------------------- */

static void write_word(const char *word, struct outbuf *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.:,+=/@%!^*?";

    if (*word && strspn(word, plain) == strlen(word)) {
        outbuf_text(out, word);
        return;
    }
    outbuf_byte(out, '"');
    for (; *word; word++) {
        if (strchr("\\\"$", *word))
            outbuf_byte(out, '\\');
        outbuf_byte(out, (uint8_t)*word);
    }
    outbuf_byte(out, '"');
}

void keytable_write_line(const struct keytable_line *line, bool argument, struct outbuf *out)
{
    for (size_t i = 0; i < line->n; i++) {
        if (i > 0)
            outbuf_byte(out, ' ');
        if (strcmp(line->words[i], ";") == 0)
            outbuf_text(out, argument ? "\\;" : ";");
        else
            write_word(line->words[i], out);
    }
}

bool keytable_next_command(const struct keytable_line *line, size_t *at, size_t *first, size_t *n)
{
    while (*at < line->n && strcmp(line->words[*at], ";") == 0)
        ++*at;
    *first = *at;
    while (*at < line->n && strcmp(line->words[*at], ";") != 0)
        ++*at;
    *n = *at - *first;
    return *n > 0;
}
