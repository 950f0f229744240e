#include "server/daemon/config_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/args_help.h"
#include "server/daemon/outbuf.h"

/* --- building ------------------------------------------------------------------------------- */

struct config_command *config_list_add(struct config_list *list, const char *file, unsigned line)
{
    struct config_command *c = calloc(1, sizeof *c);

    if (!c || (file && !(c->file = strdup(file)))) {
        free(c);
        list->bad = true;
        return NULL;
    }
    c->line = line;
    if (list->last)
        list->last->next = c;
    else
        list->first = c;
    list->last = c;
    return c;
}

bool config_list_add_word(struct config_list *list, struct config_command *c, const char *word,
                          size_t n)
{
    char **more, *copy;

    if (c->n == CONFIG_WORDS_MAX)
        return false;
    more = realloc(c->words, (c->n + 2) * sizeof *more);
    copy = malloc(n + 1);
    if (more)
        c->words = more;
    if (!more || !copy) {
        free(copy);
        list->bad = true;
        return false;
    }
    if (n > 0)
        memcpy(copy, word, n);
    copy[n] = '\0';
    c->words[c->n++] = copy;
    c->words[c->n] = NULL;
    return true;
}

void config_list_add_error(struct config_list *list, const char *file, unsigned line,
                           const char *what)
{
    struct config_command *c = config_list_add(list, file, line);

    if (c && !(c->error = strdup(what))) {
        c->error = strdup("");
        list->bad = true;
    }
}

enum err config_list_add_line(struct config_list *list, size_t n, const char *const *words)
{
    struct config_command *c = NULL;
    bool joined = false;

    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(words[i]);

        if (strcmp(words[i], ";;") == 0) { /* as config_list_write has it between lines */
            c = NULL;
            joined = false;
            continue;
        }
        bool guarded = len > 1 && words[i][len - 1] == ';' && words[i][len - 2] == '\\';
        bool ends = len > 0 && words[i][len - 1] == ';' && !guarded;

        len -= ends ? 1 : 0;
        if ((!ends || len > 0) && !c) {
            c = config_list_add(list, NULL, 1);
            if (!c)
                return ERR_MEMORY;
            c->joined = joined;
            joined = true;
        }
        if ((!ends || len > 0) && !config_list_add_word(list, c, words[i], guarded ? len - 1 : len))
            return list->bad ? ERR_MEMORY : ERR_RANGE;
        if (guarded)
            c->words[c->n - 1][len - 2] = ';';
        if (ends)
            c = NULL;
    }
    return ERR_OK;
}

enum err config_list_copy(const struct config_list *from, struct config_list *to)
{
    for (const struct config_command *c = from->first; c && !to->bad; c = c->next) {
        struct config_command *made = config_list_add(to, c->file, c->line);

        if (made)
            made->joined = c->joined;
        if (made && c->error && !(made->error = strdup(c->error)))
            to->bad = true;
        for (size_t i = 0; made && i < c->n && !to->bad; i++)
            config_list_add_word(to, made, c->words[i], strlen(c->words[i]));
    }
    return to->bad ? ERR_MEMORY : ERR_OK;
}

void config_list_clear(struct config_list *list)
{
    for (struct config_command *c = list->first, *next; c; c = next) {
        next = c->next;
        for (size_t i = 0; i < c->n; i++)
            free(c->words[i]);
        free(c->words);
        free((char *)c->error);
        free((char *)c->file);
        free(c);
    }
    memset(list, 0, sizeof *list);
}

const char *config_list_fault(const struct config_list *list, char *why, size_t why_len)
{
    bool ambiguous;

    if (list->bad)
        return "out of memory";
    for (const struct config_command *c = list->first; c; c = c->next) {
        if (c->error)
            return c->error;
        if (args_find(c->words[0], &ambiguous))
            continue;
        args_help_unknown(c->words[0], why, why_len);
        return why;
    }
    return NULL;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Characters of a word; quoted: between double quotes. */
static void write_characters(const char *word, bool quoted, struct outbuf *out)
{
    static const char raw[] = "\\\a\b\f\n\r\t\v", names[] = "\\abfnrtv";

    for (; *word; word++) {
        const char *at = strchr(raw, *word);
        bool variable =
            *word == '$' && (isalpha((unsigned char)word[1]) || word[1] == '_' || word[1] == '{');

        if (at)
            outbuf_printf(out, "\\%c", names[at - raw]);
        else if (iscntrl((unsigned char)*word))
            outbuf_printf(out, "\\%03o", (unsigned)(unsigned char)*word);
        else if (quoted && (*word == '"' || variable))
            outbuf_printf(out, "\\%c", *word);
        else
            outbuf_byte(out, (uint8_t)*word);
    }
}

void config_list_write_word(const char *word, struct outbuf *out)
{
    bool marks = strchr(word, '"') && !strpbrk(word, "\\\a\b\033\f\n\r\t\v");
    bool quoted = strpbrk(word, " #';${}%") || (strchr(word, '"') && !marks);

    if (!*word) {
        outbuf_text(out, "''");
    } else if (*word != ' ' && !word[1] && (quoted || marks || *word == '~')) {
        outbuf_printf(out, "\\%c", *word);
    } else if (quoted) {
        outbuf_text(out, *word == '~' ? "\"\\" : "\"");
        write_characters(word, true, out);
        outbuf_byte(out, '"');
    } else if (marks) {
        outbuf_printf(out, "'%s'", word);
    } else {
        outbuf_text(out, *word == '~' ? "\\" : "");
        write_characters(word, false, out);
    }
}

/* A word whose last semicolon is to stay one when bind-key takes it. */
static void write_argument(const char *word, struct outbuf *out)
{
    size_t n = strlen(word);
    struct outbuf guarded = {0};

    if (n == 0 || word[n - 1] != ';') {
        config_list_write_word(word, out);
        return;
    }
    outbuf_put(&guarded, word, n - 1);
    outbuf_text(&guarded, "\\;");
    outbuf_byte(&guarded, '\0');
    if (guarded.bad)
        out->bad = true;
    else
        config_list_write_word((const char *)guarded.p, out);
    outbuf_clear(&guarded);
}

static void write_command(const struct config_command *c, bool argument, struct outbuf *out)
{
    bool ambiguous;
    const struct command_spec *spec = args_find(c->words[0], &ambiguous);

    for (size_t i = 0; i < c->n; i++) {
        const char *word = i == 0 && spec ? spec->name : c->words[i];

        if (i > 0)
            outbuf_byte(out, ' ');
        if (argument)
            write_argument(word, out);
        else
            config_list_write_word(word, out);
    }
}

void config_list_write(const struct config_list *list, bool argument, struct outbuf *out)
{
    bool first = true;

    for (const struct config_command *c = list->first; c; c = c->next) {
        if (c->error)
            continue;
        if (!first && c->joined)
            outbuf_text(out, argument ? " \\; " : " ; ");
        else if (!first)
            outbuf_text(out, argument ? " \\;\\; " : " ;; ");
        write_command(c, argument, out);
        first = false;
    }
}
