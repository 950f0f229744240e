/* The modifiers of a format: `m/ri:`, `=10;p20:`, `s/a/b/;s/c/d/:`. */
#include "server/daemon/format_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *format_skip(const char *text, const char *end)
{
    int inner = 0;

    for (; *text; text++) {
        if (*text == '#' && text[1] == '{')
            inner++;
        if (*text == '#' && text[1] && strchr(",#{}:", text[1])) {
            text++;
            continue;
        }
        if (*text == '}')
            inner--;
        if (inner <= 0 && strchr(end, *text))
            return text;
    }
    return NULL;
}

static bool is_end(char c)
{
    return c == ';' || c == ':';
}

static struct format_modifier *add(struct format_list *list, const char *name, size_t len)
{
    struct format_modifier *m;

    if (list->n == FORMAT_MODIFIERS_MAX)
        return NULL;
    m = &list->at[list->n++];
    memset(m, 0, sizeof *m);
    memcpy(m->name, name, len);
    return m;
}

/* Adds an argument; those beyond the maximum are read and forgotten. */
static void add_argument(struct format_state *st, struct format_modifier *m, const char *p,
                         const char *end)
{
    if (m && m->n < FORMAT_ARGUMENTS_MAX)
        m->value[m->n++] = format_piece(st, p, (size_t)(end - p));
}

/* Arguments between wrapper characters: /a/b/ or |a|. Returns where they end, NULL when they do
 * not. */
static const char *read_wrapped(struct format_state *st, struct format_modifier *m, const char *p)
{
    const char ends[] = {*p, ';', ':', '\0'};

    do {
        const char *end;

        if (*p == ends[0] && is_end(p[1]))
            return p + 1;
        end = format_skip(p + 1, ends);
        if (!end)
            return NULL;
        add_argument(st, m, p + 1, end);
        p = end;
    } while (!is_end(*p));
    return p;
}

/* Reads one modifier; NULL when there is none. */
static const char *read_one(struct format_state *st, struct format_list *list, const char *p)
{
    static const char *const pairs[] = {"||", "&&", "!=", "==", "<=", ">="};
    struct format_modifier *m;
    const char *end;

    if (strchr("labcdnwETSWP<>", *p) && is_end(p[1])) {
        add(list, p, 1);
        return p + 1;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strncmp(p, pairs[i], 2) == 0 && is_end(p[2])) {
            add(list, p, 2);
            return p + 2;
        }
    }
    if (!strchr("mCNst=peq", *p))
        return NULL;
    m = add(list, p, 1);
    p++;
    if (is_end(*p) || !*p)
        return *p ? p : NULL;
    if (ispunct((unsigned char)*p) && *p != '-')
        return read_wrapped(st, m, p);
    end = format_skip(p, ":;");
    if (end)
        add_argument(st, m, p, end);
    return end;
}

void format_read_list(struct format_state *st, const char **text, struct format_list *list)
{
    const char *p = *text;

    list->n = 0;
    while (p && *p && *p != ':') {
        if (*p == ';')
            p++;
        p = *p ? read_one(st, list, p) : NULL;
    }
    if (p && *p == ':')
        *text = p + 1;
    else
        format_free_list(list);
}

void format_free_list(struct format_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < list->at[i].n; k++)
            free(list->at[i].value[k]);
    }
    list->n = 0;
}

const struct format_modifier *format_modifier(const struct format_list *list, const char *name)
{
    const struct format_modifier *found = NULL;

    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->at[i].name, name) == 0)
            found = &list->at[i];
    }
    return found;
}
