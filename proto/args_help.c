#include "proto/args_help.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 32 /* of what is compared; the longest name has 22 */

#define FLAG(command, flag, text) {command, flag, text},
static const struct row {
    const char *command;
    const char *flag;
    const char *text;
} rows[] = {
#include "proto/flags.def"
};
#undef FLAG

/* --- flags ---------------------------------------------------------------------------------- */

static const char *find_text(const char *command, const char *flag, size_t len)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].flag[0] == flag[0] && strcmp(rows[i].command, command) == 0 &&
            strlen(rows[i].flag) == len && memcmp(rows[i].flag, flag, len) == 0)
            return rows[i].text;
    }
    return NULL;
}

/* The word behind a flag in the usage: `[-t pane]` has "pane" for "t". */
static void find_value(const char *usage, struct args_flag_help *f)
{
    f->value = "value";
    for (const char *p = usage; (p = strchr(p, '-')) != NULL; p++) {
        size_t dashes = p[1] == '-' ? 2 : 1;

        if ((p > usage && !strchr("[ |", p[-1])) || (dashes == 1) != (f->len == 1) ||
            strncmp(p + dashes, f->name, f->len) != 0 || p[dashes + f->len] != ' ')
            continue;
        f->value = p + dashes + f->len + 1;
        break;
    }
    f->value_len = strcspn(f->value, " ]|");
}

bool args_help_next(const struct command_spec *c, const char **at, struct args_flag_help *out)
{
    const char *p = *at ? *at : c->options;
    size_t n;

    p += strspn(p, " ");
    n = strcspn(p, " ");
    if (n == 0)
        return false;
    *at = p + n;
    *out = (struct args_flag_help){.name = p, .len = n};
    if (p[n - 1] == '=') {
        out->len--;
        find_value(c->usage, out);
    }
    out->text = find_text(c->name, out->name, out->len);
    if (!out->text)
        out->text = find_text("*", out->name, out->len);
    if (!out->text)
        out->text = "";
    return true;
}

/* --- names ---------------------------------------------------------------------------------- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters must change, come, go or swap with the next to make b of a. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows_of[3][NAME_MAX_BYTES + 1], *before = rows_of[0], *last = rows_of[1],
                                             *now = rows_of[2];
    size_t n = strlen(b);

    for (size_t j = 0; j <= n; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned *oldest = before;

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        before = last;
        last = now;
        now = oldest;
    }
    return last[n];
}

const struct command_spec *args_help_nearest(const char *name)
{
    const struct command_spec *all = args_commands(), *found = NULL;
    size_t len = strlen(name);
    unsigned best = len < 4 ? 2 : 3; /* less than this */

    if (len < 2 || len > NAME_MAX_BYTES)
        return NULL;
    for (size_t i = 0; i < ARGS_COMMANDS; i++) {
        const char *const names[] = {all[i].name, all[i].alias};

        for (size_t k = 0; k < 2; k++) {
            unsigned d = names[k][0] ? distance(name, names[k]) : best;

            if (d < best && d < len) {
                best = d;
                found = &all[i];
            }
        }
    }
    return found;
}

static void add(char *out, size_t size, const char *text)
{
    size_t n = strlen(out);

    if (n < size)
        snprintf(out + n, size - n, "%s", text);
}

void args_help_unknown(const char *name, char *why, size_t why_len)
{
    const struct command_spec *all = args_commands(), *near;
    bool ambiguous, first = true;

    args_find(name, &ambiguous);
    snprintf(why, why_len, "%s command: %s", ambiguous ? "ambiguous" : "unknown", name);
    near = ambiguous ? NULL : args_help_nearest(name);
    if (near) {
        add(why, why_len, ", did you mean ");
        add(why, why_len, near->name);
        add(why, why_len, "?");
    }
    for (size_t i = 0; ambiguous && i < ARGS_COMMANDS; i++) {
        if (strncmp(all[i].name, name, strlen(name)) != 0)
            continue;
        add(why, why_len, first ? ", could be: " : ", ");
        add(why, why_len, all[i].name);
        first = false;
    }
}
