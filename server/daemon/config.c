#include "proto/compat.h"

#include "server/daemon/config.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/outbuf.h"

#define NAME_MAX_BYTES 128

struct parser {
    const char *p;
    const char *end;
    unsigned line;
    const char *file;
    const struct config_context *context;
    struct config_list *list;
    char **words;
    size_t n;
    unsigned command_line; /* where the command began */
    bool joined;
    bool failed;                   /* this line is wrong: passed over */
    bool taken[CONFIG_DEPTH_MAX];  /* of each open %if: a branch was taken */
    bool active[CONFIG_DEPTH_MAX]; /* and this one is it */
    unsigned depth;
};

static bool at_end(const struct parser *s)
{
    return s->p >= s->end;
}

static char peek(const struct parser *s, size_t n)
{
    return (size_t)(s->end - s->p) > n ? s->p[n] : '\0';
}

/* --- what comes out ------------------------------------------------------------------------- */

static void append(struct parser *s, struct config_command *made)
{
    if (s->file && !(made->file = strdup(s->file)))
        s->list->bad = true;
    if (s->list->last)
        s->list->last->next = made;
    else
        s->list->first = made;
    s->list->last = made;
}

static void drop_words(struct parser *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->words[i]);
    free(s->words);
    s->words = NULL;
    s->n = 0;
}

static void complain(struct parser *s, const char *what)
{
    struct config_command *made = calloc(1, sizeof *made);

    drop_words(s);
    s->failed = true;
    if (made)
        made->error = strdup(what);
    if (!made || !made->error) {
        free(made);
        s->list->bad = true;
        return;
    }
    made->line = s->line;
    append(s, made);
}

static void add_word(struct parser *s, char *word)
{
    char **more = NULL;

    if (word && s->n < CONFIG_WORDS_MAX)
        more = realloc(s->words, (s->n + 2) * sizeof *more);
    if (!more) {
        s->list->bad = s->list->bad || s->n < CONFIG_WORDS_MAX;
        free(word);
        if (s->n >= CONFIG_WORDS_MAX)
            complain(s, "too many words");
        return;
    }
    if (s->n == 0)
        s->command_line = s->line;
    s->words = more;
    s->words[s->n++] = word;
    s->words[s->n] = NULL;
}

/* NAME=value alone is no command. */
static bool assign(struct parser *s)
{
    const char *word = s->n == 1 ? s->words[0] : "";
    size_t len = strcspn(word, "=");
    char name[NAME_MAX_BYTES];

    if (word[len] != '=' || len == 0 || len >= sizeof name || isdigit((unsigned char)word[0]))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)word[i]) && word[i] != '_')
            return false;
    }
    memcpy(name, word, len);
    name[len] = '\0';
    if (s->context->assign)
        s->context->assign(s->context->ctx, name, word + len + 1);
    drop_words(s);
    return true;
}

static void end_command(struct parser *s, bool line_ends)
{
    struct config_command *made;

    if (s->n > 0 && !assign(s)) {
        made = calloc(1, sizeof *made);
        if (made) {
            made->line = s->command_line;
            made->joined = s->joined;
            made->words = s->words;
            made->n = s->n;
            append(s, made);
            s->words = NULL;
            s->n = 0;
            s->joined = true;
        } else {
            s->list->bad = true;
            drop_words(s);
        }
    }
    if (line_ends)
        s->joined = false;
}

/* --- parts of words ------------------------------------------------------------------------- */

static void put_code(struct parser *s, size_t digits, struct outbuf *out)
{
    uint8_t bytes[UTF8_MAX_BYTES];
    uint32_t cp = 0;

    for (size_t i = 0; i < digits; i++, s->p++) {
        char c = peek(s, 0);

        if (!isxdigit((unsigned char)c)) {
            complain(s, "invalid \\u argument");
            return;
        }
        cp = cp * 16 + (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (cp == 0 || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
        complain(s, "invalid \\u argument");
    else
        outbuf_put(out, bytes, utf8_encode(cp, bytes));
}

/* p is at a backslash. */
static void read_escape(struct parser *s, struct outbuf *out)
{
    static const char names[] = "abefnrstv", values[] = "\a\b\033\f\n\r \t\v";
    char c = peek(s, 1);
    const char *at = c ? strchr(names, c) : NULL;

    s->p += c ? 2 : 1;
    if (c == '\n') {
        s->line++;
    } else if (c == 'u' || c == 'U') {
        put_code(s, c == 'u' ? 4 : 8, out);
    } else if (c >= '0' && c <= '7') {
        unsigned v = (unsigned)(c - '0');

        for (int i = 0; i < 2 && peek(s, 0) >= '0' && peek(s, 0) <= '7'; i++)
            v = v * 8 + (unsigned)(*s->p++ - '0');
        if (v == 0 || v > 255)
            complain(s, "invalid octal escape");
        else
            outbuf_byte(out, (uint8_t)v);
    } else if (at) {
        outbuf_byte(out, (uint8_t)values[at - names]);
    } else if (c) {
        outbuf_byte(out, (uint8_t)c);
    }
}

/* p is at a dollar sign. */
static void read_variable(struct parser *s, struct outbuf *out)
{
    bool braces = peek(s, 1) == '{';
    size_t at = braces ? 2 : 1, n = 0;
    char name[NAME_MAX_BYTES];
    const char *value;

    while (n + 1 < sizeof name &&
           (isalnum((unsigned char)peek(s, at + n)) || peek(s, at + n) == '_'))
        n++;
    if (n == 0 || (braces && peek(s, at + n) != '}')) {
        if (braces)
            complain(s, "invalid environment variable");
        else
            outbuf_byte(out, '$');
        s->p++;
        return;
    }
    memcpy(name, s->p + at, n);
    name[n] = '\0';
    s->p += at + n + (braces ? 1 : 0);
    value = s->context->variable ? s->context->variable(s->context->ctx, name) : NULL;
    outbuf_text(out, value ? value : "");
}

/* p is at a ~ that begins a word. */
static void read_home(struct parser *s, struct outbuf *out)
{
    char name[NAME_MAX_BYTES];
    size_t n = 0;
    const char *home = NULL;
    struct passwd *pw;

    s->p++;
    while (n + 1 < sizeof name && peek(s, n) && !strchr("/ \t\n\"';{}", peek(s, n)))
        n++;
    memcpy(name, s->p, n);
    name[n] = '\0';
    if (n == 0 && s->context->variable)
        home = s->context->variable(s->context->ctx, "HOME");
    if (!home || !*home) {
        pw = n == 0 ? NULL : getpwnam(name);
        home = pw ? pw->pw_dir : NULL;
    }
    if (home) {
        outbuf_text(out, home);
    } else {
        outbuf_byte(out, '~');
        outbuf_put(out, s->p, n);
    }
    s->p += n;
}

static void read_quoted(struct parser *s, char quote, struct outbuf *out)
{
    unsigned from = s->line;

    for (s->p++; !at_end(s) && *s->p != quote && !s->failed;) {
        if (*s->p == '\n')
            s->line++;
        if (quote == '"' && *s->p == '\\')
            read_escape(s, out);
        else if (quote == '"' && *s->p == '$')
            read_variable(s, out);
        else
            outbuf_byte(out, (uint8_t)*s->p++);
    }
    if (s->failed)
        return;
    if (at_end(s)) {
        s->line = from;
        complain(s, "a quote is not closed");
    } else {
        s->p++;
    }
}

/* p is at a brace: everything up to its partner, quotes and comments respected. */
static void read_braces(struct parser *s, struct outbuf *out)
{
    unsigned from = s->line;
    int inner = 1;
    char quote = 0;

    for (s->p++; !at_end(s); s->p++) {
        char c = *s->p;

        if (c == '\n')
            s->line++;
        if (c == '\\' && quote != '\'' && s->p + 1 < s->end) {
            outbuf_byte(out, (uint8_t)*s->p++);
            if (*s->p == '\n')
                s->line++;
        } else if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#' && s->p[-1] != '{' && peek(s, 1) == '{') { /* a format */
        } else if (c == '{') {
            inner++;
        } else if (c == '}' && --inner == 0) {
            s->p++;
            return;
        }
        outbuf_byte(out, (uint8_t)*s->p);
    }
    s->line = from;
    complain(s, "a brace is not closed");
}

/* --- words and lines ------------------------------------------------------------------------ */

static bool ends_word(char c)
{
    return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '\r';
}

static void read_word(struct parser *s)
{
    struct outbuf out = {0};
    bool first = true;

    if (*s->p == '{') {
        read_braces(s, &out);
        first = false;
    }
    for (; !s->failed && !at_end(s) && !ends_word(*s->p); first = false) {
        if (*s->p == '~' && first)
            read_home(s, &out);
        else if (*s->p == '\\')
            read_escape(s, &out);
        else if (*s->p == '$')
            read_variable(s, &out);
        else if (*s->p == '\'' || *s->p == '"')
            read_quoted(s, *s->p, &out);
        else
            outbuf_byte(&out, (uint8_t)*s->p++);
    }
    outbuf_byte(&out, '\0');
    if (out.bad || s->failed) {
        s->list->bad = s->list->bad || out.bad;
        outbuf_clear(&out);
        return;
    }
    add_word(s, (char *)out.p);
}

static void skip_line(struct parser *s)
{
    while (!at_end(s) && *s->p != '\n')
        s->p++;
}

static void read_line(struct parser *s)
{
    s->failed = false;
    s->joined = false;
    while (!at_end(s) && *s->p != '\n') {
        if (s->failed || *s->p == '#') {
            skip_line(s);
        } else if (*s->p == ' ' || *s->p == '\t' || *s->p == '\r') {
            s->p++;
        } else if (*s->p == '\\' && peek(s, 1) == '\n') {
            s->p += 2;
            s->line++;
        } else if (*s->p == ';') {
            s->p++;
            end_command(s, false);
        } else {
            read_word(s);
        }
    }
    end_command(s, true);
}

/* --- conditions ----------------------------------------------------------------------------- */

static bool is_active(const struct parser *s)
{
    for (unsigned i = 0; i < s->depth; i++) {
        if (!s->active[i])
            return false;
    }
    return true;
}

static bool holds(struct parser *s, const char *format, size_t len)
{
    char *copy = strndup(format, len);
    size_t n = copy ? strlen(copy) : 0;
    char *text = copy;
    bool yes;

    if (n >= 2 && (copy[0] == '"' || copy[0] == '\'') && copy[n - 1] == copy[0]) {
        copy[n - 1] = '\0';
        text++;
    }
    yes = copy && s->context->holds && s->context->holds(s->context->ctx, text);
    free(copy);
    return yes;
}

static void read_condition(struct parser *s)
{
    const char *word = s->p, *end;
    size_t n = 0;

    skip_line(s);
    end = s->p;
    while (end > word && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
        end--;
    while (word + n < end && word[n] != ' ' && word[n] != '\t')
        n++;
    while (word + n < end && (word[n] == ' ' || word[n] == '\t'))
        n++;
    if (strncmp(word, "%if", 3) == 0) {
        if (s->depth == CONFIG_DEPTH_MAX) {
            complain(s, "%if is nested too deep");
            return;
        }
        s->active[s->depth] = is_active(s) && holds(s, word + n, (size_t)(end - word) - n);
        s->taken[s->depth] = s->active[s->depth];
        s->depth++;
    } else if (s->depth == 0) {
        complain(s, "no %if before");
    } else if (strncmp(word, "%endif", 6) == 0) {
        s->depth--;
    } else {
        unsigned i = s->depth - 1;
        bool last = strncmp(word, "%else", 5) == 0;

        s->depth--; /* what is around it */
        s->active[i] =
            !s->taken[i] && is_active(s) && (last || holds(s, word + n, (size_t)(end - word) - n));
        s->depth++;
        s->taken[i] = s->taken[i] || s->active[i];
    }
}

static bool is_condition(const struct parser *s)
{
    static const char *const words[] = {"%if", "%elif", "%else", "%endif"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t len = strlen(words[i]);

        if ((size_t)(s->end - s->p) >= len && memcmp(s->p, words[i], len) == 0 &&
            ends_word(peek(s, len)))
            return true;
    }
    return false;
}

void config_parse(const char *text, size_t len, const char *file,
                  const struct config_context *context, struct config_list *list)
{
    struct parser s = {
        .p = text, .end = text + len, .line = 1, .file = file, .context = context, .list = list};

    if (len > CONFIG_BYTES_MAX || memchr(text, '\0', len)) {
        complain(&s, len > CONFIG_BYTES_MAX ? "too long" : "holds a NUL byte");
        return;
    }
    while (!at_end(&s)) {
        while (peek(&s, 0) == ' ' || peek(&s, 0) == '\t')
            s.p++;
        s.failed = false;
        if (is_condition(&s))
            read_condition(&s);
        else if (is_active(&s))
            read_line(&s);
        else
            skip_line(&s);
        if (!at_end(&s)) {
            s.p++;
            s.line++;
        }
    }
    if (s.depth > 0)
        complain(&s, "%if without %endif");
    drop_words(&s);
}

void config_free(struct config_list *list)
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
