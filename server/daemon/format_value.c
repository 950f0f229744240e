/* What modifiers do to a value. */
#include "proto/compat.h"

#include "server/daemon/format_parts.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/utf8.h"
#include "server/daemon/screen_width.h"

#define SUBMATCHES   10
#define DECIMALS_MAX 100
#define TIME_MAX     256

/* The text of a buffer as an owned string; the buffer is empty afterwards. */
static char *take(struct outbuf *o)
{
    char *out;

    outbuf_byte(o, '\0');
    if (o->bad) {
        outbuf_clear(o);
        return NULL;
    }
    out = (char *)o->p;
    outbuf_init(o);
    return out;
}

/* --- columns -------------------------------------------------------------------------------- */

/* The next character, or a whole #[style], at p: how many bytes, and columns. */
static size_t next_character(const char *p, size_t *columns)
{
    const char *end = p[0] == '#' && p[1] == '[' ? strchr(p, ']') : NULL;
    uint32_t cp = 0;
    size_t n;

    *columns = 0;
    if (end)
        return (size_t)(end - p) + 1;
    n = utf8_decode((const uint8_t *)p, strlen(p), &cp);
    *columns = n > 0 ? screen_width(cp) : 1;
    return n > 0 ? n : 1;
}

size_t format_width(const char *text)
{
    size_t width = 0, w;

    for (; *text; width += w)
        text += next_character(text, &w);
    return width;
}

/* Copies what lies in the columns from `from` on, `n` of them, and every style. */
static void copy_columns(const char *text, size_t from, size_t n, struct outbuf *out)
{
    size_t at = 0, w;

    while (*text) {
        size_t len = next_character(text, &w);

        if ((text[0] == '#' && text[1] == '[') || (at >= from && at + w <= from + n))
            outbuf_put(out, text, len);
        at += w;
        text += len;
    }
}

char *format_cut(char *value, long columns, const char *mark)
{
    size_t width = format_width(value);
    size_t keep = columns < 0 ? 0ul - (unsigned long)columns : (unsigned long)columns;
    struct outbuf out = {0};

    if (columns == 0 || width <= keep)
        return value;
    if (mark && columns < 0)
        outbuf_text(&out, mark);
    copy_columns(value, columns < 0 ? width - keep : 0, keep, &out);
    if (mark && columns > 0)
        outbuf_text(&out, mark);
    free(value);
    return take(&out);
}

char *format_pad(char *value, long columns)
{
    size_t width = format_width(value);
    size_t want = columns < 0 ? 0ul - (unsigned long)columns : (unsigned long)columns;
    struct outbuf out = {0};

    if (want > FORMAT_BYTES_MAX)
        want = FORMAT_BYTES_MAX;
    if (width >= want)
        return value;
    if (columns > 0)
        outbuf_text(&out, value);
    for (size_t i = width; i < want; i++)
        outbuf_byte(&out, ' ');
    if (columns < 0)
        outbuf_text(&out, value);
    free(value);
    return take(&out);
}

/* --- patterns ------------------------------------------------------------------------------- */

bool format_matches(const char *pattern, const char *text, const char *flags)
{
    bool any_case = strchr(flags, 'i') != NULL;
    regex_t re;
    bool found;

    if (!strchr(flags, 'r'))
        return fnmatch(pattern, text, any_case ? FNM_CASEFOLD : 0) == 0;
    if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB | (any_case ? REG_ICASE : 0)) != 0)
        return false;
    found = regexec(&re, text, 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

/* Appends the replacement for one match: \0 to \9 are what its parts matched. */
static void put_replacement(const char *with, const char *text, const regmatch_t *m,
                            struct outbuf *out)
{
    for (; *with; with++) {
        const regmatch_t *part;

        if (with[0] != '\\' || with[1] < '0' || with[1] > '9') {
            outbuf_byte(out, (uint8_t)*with);
            continue;
        }
        part = &m[*++with - '0'];
        if (part->rm_so >= 0)
            outbuf_put(out, text + part->rm_so, (size_t)(part->rm_eo - part->rm_so));
    }
}

/* Every match from the left; an empty one right behind another is passed over. */
static void replace_all(const regex_t *re, const char *text, const char *with, bool once,
                        struct outbuf *out)
{
    size_t at = 0, done = 0, len = strlen(text);
    bool empty = false;
    regmatch_t m[SUBMATCHES];

    while (at <= len && out->len < FORMAT_BYTES_MAX) {
        size_t from, to;

        if (regexec(re, text + at, SUBMATCHES, m, at > 0 ? REG_NOTBOL : 0) != 0)
            break;
        from = at + (size_t)m[0].rm_so;
        to = at + (size_t)m[0].rm_eo;
        outbuf_put(out, text + done, from - done);
        done = to;
        if (empty || once || from != at || from != to) {
            put_replacement(with, text + at, m, out);
            at = to;
            empty = false;
        } else {
            at = to + 1;
            empty = true;
        }
        if (once)
            break;
    }
    outbuf_put(out, text + done, len - done);
}

char *format_substitute(char *value, const char *pattern, const char *with, bool any_case)
{
    struct outbuf out = {0};
    regex_t re;

    if (!*value || regcomp(&re, pattern, REG_EXTENDED | (any_case ? REG_ICASE : 0)) != 0)
        return value;
    replace_all(&re, value, with, *pattern == '^', &out);
    regfree(&re);
    free(value);
    return take(&out);
}

/* --- names, quotes -------------------------------------------------------------------------- */

char *format_base(char *value)
{
    size_t len = strlen(value), start;

    while (len > 1 && value[len - 1] == '/')
        len--;
    start = len;
    while (start > 0 && value[start - 1] != '/')
        start--;
    if (len == 1 && value[0] == '/')
        start = 0;
    memmove(value, value + start, len - start);
    value[len - start] = '\0';
    return value;
}

char *format_directory(char *value)
{
    size_t len = strlen(value);

    while (len > 1 && value[len - 1] == '/')
        len--;
    while (len > 0 && value[len - 1] != '/')
        len--;
    while (len > 1 && value[len - 1] == '/')
        len--;
    if (len > 0) {
        value[len] = '\0';
        return value;
    }
    free(value);
    return strdup(".");
}

char *format_quote(char *value, bool style)
{
    struct outbuf out = {0};

    for (const char *p = value; *p; p++) {
        if (style && *p == '#')
            outbuf_byte(&out, '#');
        if (!style && strchr("|&;<>()$`\\\"'*?[# =%", *p))
            outbuf_byte(&out, '\\');
        outbuf_byte(&out, (uint8_t)*p);
    }
    free(value);
    return take(&out);
}

/* --- time ----------------------------------------------------------------------------------- */

/* As `ls -l`: the time today, the day this month, the month this year. */
static const char *short_form(const struct tm *then, const struct tm *now, int64_t age_s)
{
    if (age_s < 24 * 3600)
        return "%H:%M";
    if ((then->tm_year == now->tm_year && then->tm_mon == now->tm_mon) || age_s < 28 * 24 * 3600)
        return "%a%d";
    if (age_s < 365 * 24 * 3600)
        return "%d%b";
    return "%h%y";
}

char *format_time(char *value, const struct format_modifier *how, int64_t now_s)
{
    const char *kind = how->n > 0 && how->value[0] ? how->value[0] : "";
    char *end, text[TIME_MAX] = "";
    time_t then = (time_t)strtoll(value, &end, 10), now = (time_t)now_s;
    const char *form = "%a %b %e %H:%M:%S %Y";
    struct tm a, b;

    if (end == value || *end || then == 0 || !localtime_r(&then, &a) || !localtime_r(&now, &b)) {
        *value = '\0';
        return value;
    }
    if (strchr(kind, 'p'))
        form = short_form(&a, &b, now - then);
    else if (strchr(kind, 'f') && how->n > 1 && how->value[1])
        form = how->value[1];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the user's own */
    if (strftime(text, sizeof text, form, &a) == 0)
        text[0] = '\0';
#pragma GCC diagnostic pop
    free(value);
    return strdup(text);
}

/* --- arithmetic ----------------------------------------------------------------------------- */

static bool read_number(const char *text, bool decimals, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || *out != *out || *out > 9e18 || *out < -9e18)
        return false;
    if (!decimals)
        *out = (double)(long long)*out;
    return true;
}

static double whole_rest(double a, double b)
{
    return b == 0 ? 0 : a - b * (double)(long long)(a / b);
}

/* False for an unknown operator, or a division by zero. */
static bool compute(const char *op, double a, double b, double *out)
{
    static const char *const ops[] = {"+",  "-",  "*", "/", "%%", "%", "m",
                                      "==", "!=", "<", ">", "<=", ">="};
    const double results[] = {a + b,
                              a - b,
                              a * b,
                              b == 0 ? 0 : a / b,
                              whole_rest(a, b),
                              whole_rest(a, b),
                              whole_rest(a, b),
                              a == b,
                              a != b,
                              a<b, a>
                                  b,
                              a <= b,
                              a >= b};

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(op, ops[i]) != 0)
            continue;
        *out = results[i];
        return b != 0 || i < 3 || i > 6;
    }
    return false;
}

char *format_compute(const struct format_modifier *how, const char *left, const char *right)
{
    const char *op = how->n > 0 && how->value[0] ? how->value[0] : "";
    bool decimals = how->n > 1 && how->value[1] && strchr(how->value[1], 'f');
    long places = decimals ? 2 : 0;
    char text[512] = "";
    double a, b, v;

    if (decimals && how->n > 2 && how->value[2])
        places = strtol(how->value[2], NULL, 10);
    if (places < 0 || places > DECIMALS_MAX)
        return strdup("");
    if (read_number(left, decimals, &a) && read_number(right, decimals, &b) &&
        compute(op, a, b, &v)) {
        if (!decimals)
            v = v > -1e18 && v < 1e18 ? (double)(long long)v : v;
        snprintf(text, sizeof text, "%.*f", (int)places, v);
    }
    return strdup(text);
}
