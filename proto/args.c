#include "proto/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/args_help.h"

#define START ARGS_START
#define ENV   ARGS_ENV
#define LOCAL ARGS_LOCAL
#define WORDS ARGS_WORDS
#define COMMAND(id, name, alias, options, usage, flags, target, role, summary)      \
    {ARGS_COMMAND_##id, name,   alias, options, usage, flags, ARGS_TARGET_##target, \
     ARGS_ROLE_##role,  summary},
static const struct command_spec commands[] = {
#include "proto/commands.def"
};
#undef COMMAND

const struct command_spec *args_commands(void)
{
    return commands;
}

const struct command_spec *args_find(const char *name, bool *ambiguous)
{
    const struct command_spec *found = NULL;
    size_t len = strlen(name);

    *ambiguous = false;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        const struct command_spec *c = &commands[i];

        if (strcmp(c->name, name) == 0 || (len > 0 && strcmp(c->alias, name) == 0))
            return c;
        if (len > 0 && strncmp(c->name, name, len) == 0) {
            *ambiguous = found != NULL;
            found = c;
        }
    }
    return *ambiguous ? NULL : found;
}

/* Looks for the option of len bytes at name in the table's words; sets *value when it takes one. */
static bool find_option(const char *options, const char *name, size_t len, bool *value)
{
    for (const char *p = options; *p;) {
        size_t n = strcspn(p, " ");
        bool takes = p[n - 1] == '=';

        if (n - takes == len && strncmp(p, name, len) == 0) {
            *value = takes;
            return true;
        }
        p += n;
        p += strspn(p, " ");
    }
    return false;
}

struct parser {
    size_t argc;
    const char *const *argv;
    size_t at;
    struct args *out;
    char *why;
    size_t why_len;
};

/* A value that the usage calls NAME=value must be one. */
static bool is_assignment(struct parser *p, const char *name, size_t len, const char *value)
{
    struct args_flag_help f;
    const char *at = NULL;

    if (!strstr(p->out->spec->usage, "NAME=value"))
        return true; /* most commands: their flags need not be looked through */
    while (args_help_next(p->out->spec, &at, &f)) {
        if (f.len == len && memcmp(f.name, name, len) == 0)
            return !f.value || f.value_len != 10 || memcmp(f.value, "NAME=value", 10) != 0 ||
                   (value[0] != '=' && strchr(value, '='));
    }
    return true;
}

static enum err add_option(struct parser *p, const char *name, size_t len, const char *value)
{
    struct args_option o = {name, len, value};

    if (p->out->n_options == ARGS_OPTIONS_MAX) {
        snprintf(p->why, p->why_len, "too many options");
        return ERR_RANGE;
    }
    p->out->options[p->out->n_options++] = o;
    return ERR_OK;
}

/* Adds an option whose value may be attached (NULL when not) or is the next word. */
static enum err take_option(struct parser *p, const char *name, size_t len, const char *attached,
                            const char *dashes)
{
    bool takes;

    if (!find_option(p->out->spec->options, name, len, &takes)) {
        snprintf(p->why, p->why_len, "unknown option %s%.*s", dashes, (int)len, name);
        return ERR_MALFORMED;
    }
    if (!takes) {
        if (!attached)
            return add_option(p, name, len, NULL);
        snprintf(p->why, p->why_len, "option %s%.*s takes no value", dashes, (int)len, name);
        return ERR_MALFORMED;
    }
    if (!attached && p->at + 1 < p->argc)
        attached = p->argv[++p->at];
    if (attached && !is_assignment(p, name, len, attached)) {
        snprintf(p->why, p->why_len, "option %s%.*s needs NAME=value: %s", dashes, (int)len, name,
                 attached);
        return ERR_MALFORMED;
    }
    if (attached)
        return add_option(p, name, len, attached);
    snprintf(p->why, p->why_len, "option %s%.*s needs a value", dashes, (int)len, name);
    return ERR_MALFORMED;
}

static enum err take_long(struct parser *p, const char *word)
{
    size_t len = strcspn(word, "=");

    if (len == 1) { /* `--d` is not `-d` */
        snprintf(p->why, p->why_len, "unknown option --%s", word);
        return ERR_MALFORMED;
    }
    return take_option(p, word, len, word[len] ? word + len + 1 : NULL, "--");
}

static enum err take_letters(struct parser *p, const char *word)
{
    for (; *word; word++) {
        bool takes = false;
        bool known = find_option(p->out->spec->options, word, 1, &takes);
        enum err e = take_option(p, word, 1, known && takes && word[1] ? word + 1 : NULL, "-");

        if (e != ERR_OK || takes)
            return e;
    }
    return ERR_OK;
}

static enum err take_word(struct parser *p, bool *end)
{
    const char *word = p->argv[p->at];

    if (word[0] != '-' || word[1] == '\0') {
        *end = true;
        return ERR_OK;
    }
    if (strcmp(word, "--") == 0) {
        p->at++;
        *end = true;
        return ERR_OK;
    }
    if (word[1] == '-')
        return take_long(p, word + 2);
    return take_letters(p, word + 1);
}

enum err args_parse(size_t argc, const char *const *argv, struct args *out, char *why,
                    size_t why_len)
{
    struct parser p = {argc, argv, 1, out, why, why_len};
    bool ambiguous = false;

    memset(out, 0, sizeof *out);
    out->spec = argc > 0 ? args_find(argv[0], &ambiguous) : NULL;
    if (!out->spec) {
        args_help_unknown(argc > 0 ? argv[0] : "", why, why_len);
        return ERR_NOT_FOUND;
    }
    for (bool end = false; p.at < argc;) {
        enum err e = take_word(&p, &end);

        if (e != ERR_OK)
            return e;
        if (end)
            break;
        p.at++;
    }
    out->words = argv + p.at;
    out->n_words = p.at < argc ? argc - p.at : 0;
    if (out->n_words == 0 || (out->spec->flags & ARGS_WORDS) != 0)
        return ERR_OK;
    snprintf(why, why_len, "takes no arguments: %s", out->words[0]);
    return ERR_MALFORMED;
}

const char *args_value_at(const struct args *a, const char *name, size_t i)
{
    size_t len = strlen(name);

    for (size_t k = 0; k < a->n_options; k++) {
        if (a->options[k].len == len && strncmp(a->options[k].name, name, len) == 0 && i-- == 0)
            return a->options[k].value;
    }
    return NULL;
}

bool args_has(const struct args *a, const char *name)
{
    size_t len = strlen(name);

    for (size_t k = 0; k < a->n_options; k++) {
        if (a->options[k].len == len && strncmp(a->options[k].name, name, len) == 0)
            return true;
    }
    return false;
}

const char *args_value(const struct args *a, const char *name)
{
    const char *last = NULL;
    size_t i = 0;

    for (const char *v; (v = args_value_at(a, name, i)) != NULL; i++)
        last = v;
    return last;
}

enum err args_number(const char *text, long low, long high, long *out)
{
    char *end;
    long v;

    if (strspn(text + (text[0] == '-'), "0123456789") == 0) /* strtol takes " 1" and "+1" too */
        return ERR_MALFORMED;
    errno = 0;
    v = strtol(text, &end, 10);
    if (*end != '\0')
        return ERR_MALFORMED;
    if (errno == ERANGE || v < low || v > high)
        return ERR_RANGE;
    *out = v;
    return ERR_OK;
}
