#include "server/daemon/format.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/daemon/format_parts.h"

static char *copy(const char *text, size_t len)
{
    char *out = malloc(len + 1);

    if (!out)
        return NULL;
    memcpy(out, text, len);
    out[len] = '\0';
    return out;
}

static char *fail(struct format_state *st)
{
    st->failed = true;
    return NULL;
}

bool format_true(const char *value)
{
    return value && *value && strcmp(value, "0") != 0;
}

/* --- what stands between #{ and } ----------------------------------------------------------- */

/* The value of a variable; *known says whether there is one. Owned. */
static char *find_variable(struct format_state *st, const char *name, bool *known)
{
    struct outbuf out = {0};

    *known = st->source->variable(st->place, name, &out);
    outbuf_byte(&out, '\0');
    if (!out.bad)
        return (char *)out.p;
    outbuf_clear(&out);
    return fail(st);
}

/* Two parts apart by a comma, expanded; false when there are not two. */
static bool expand_both(struct format_state *st, const char *text, char **left, char **right)
{
    const char *comma = format_skip(text, ",");

    if (!comma)
        return false;
    *left = format_piece(st, text, (size_t)(comma - text));
    *right = format_piece(st, comma + 1, strlen(comma + 1));
    if (*left && *right)
        return true;
    free(*left);
    free(*right);
    return false;
}

static bool compare(const struct format_modifier *m, const char *left, const char *right)
{
    int order = strcmp(left, right);

    switch (m->name[0]) {
    case '|':
        return format_true(left) || format_true(right);
    case '&':
        return format_true(left) && format_true(right);
    case '=':
        return order == 0;
    case '!':
        return order != 0;
    case '<':
        return m->name[1] ? order <= 0 : order < 0;
    case '>':
        return m->name[1] ? order >= 0 : order > 0;
    default:
        return format_matches(left, right, m->n > 0 && m->value[0] ? m->value[0] : "");
    }
}

static const struct format_modifier *find_comparison(const struct format_list *list)
{
    static const char *const names[] = {"||", "&&", "==", "!=", "<", ">", "<=", ">=", "m"};
    const struct format_modifier *found = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct format_modifier *m = format_modifier(list, names[i]);

        if (m && (!found || m > found))
            found = m;
    }
    return found;
}

static char *expand_comparison(struct format_state *st, const struct format_modifier *m,
                               const char *text)
{
    char *left, *right, *value;

    if (!expand_both(st, text, &left, &right))
        return NULL;
    value = m->name[0] == 'e' ? format_compute(m, left, right)
                              : copy(compare(m, left, right) ? "1" : "0", 1);
    free(left);
    free(right);
    return value ? value : fail(st);
}

/* A variable's value, else the format's; a text that expands to itself is no condition. */
static bool holds(struct format_state *st, const char *text, size_t len)
{
    char *name = copy(text, len);
    bool known = false, yes;
    char *value = name ? find_variable(st, name, &known) : fail(st);

    if (value && !known) {
        free(value);
        value = format_piece(st, text, len);
        if (value && strcmp(value, name) == 0)
            *value = '\0';
    }
    yes = format_true(value);
    free(value);
    free(name);
    return yes;
}

/* text is behind the question mark. NULL when a part is missing. */
static char *expand_condition(struct format_state *st, const char *text)
{
    const char *first = format_skip(text, ",");
    const char *second = first ? format_skip(first + 1, ",") : NULL;

    if (!second)
        return NULL;
    if (holds(st, text, (size_t)(first - text)))
        return format_piece(st, first + 1, (size_t)(second - first - 1));
    return format_piece(st, second + 1, strlen(second + 1));
}

/* --- loops ---------------------------------------------------------------------------------- */

struct each {
    struct format_state *st;
    const char *all;
    size_t all_len;
    const char *current;
    struct outbuf out;
};

static void expand_one(void *arg, const void *place, bool current)
{
    struct each *e = arg;
    const void *outer = e->st->place;
    char *value;

    if (e->out.len >= FORMAT_BYTES_MAX || e->st->failed)
        return;
    e->st->place = place;
    value = current ? format_piece(e->st, e->current, strlen(e->current))
                    : format_piece(e->st, e->all, e->all_len);
    e->st->place = outer;
    if (value)
        outbuf_text(&e->out, value);
    free(value);
}

static char *expand_loop(struct format_state *st, char what, const char *text)
{
    const char *comma = what == 'S' ? NULL : format_skip(text, ",");
    struct each e = {.st = st, .all = text, .current = comma ? comma + 1 : text};

    e.all_len = comma ? (size_t)(comma - text) : strlen(text);
    if (st->source->each)
        st->source->each(st->place, what, expand_one, &e);
    outbuf_byte(&e.out, '\0');
    if (!e.out.bad)
        return (char *)e.out.p;
    outbuf_clear(&e.out);
    return fail(st);
}

/* --- values and their modifiers -------------------------------------------------------------- */

static char *expand_character(struct format_state *st, const char *text)
{
    char *number = format_piece(st, text, strlen(text));
    char *end = number;
    long v = number ? strtol(number, &end, 10) : 0;

    if (!number)
        return NULL;
    if (*end || end == number || v < 32 || v > 126)
        *number = '\0';
    else
        number[0] = (char)v, number[1] = '\0'; /* two digits at least stood there */
    return number;
}

/* The value before modifiers change it. NULL when the format is malformed or memory ran out. */
static char *find_value(struct format_state *st, const struct format_list *list, const char *text)
{
    static const char loops[] = "SWP";
    const struct format_modifier *m = find_comparison(list);
    bool known;

    if (format_modifier(list, "l"))
        return copy(text, strlen(text));
    if (format_modifier(list, "a"))
        return expand_character(st, text);
    for (const char *p = loops; *p; p++) {
        const char name[] = {*p, '\0'};

        if (format_modifier(list, name))
            return expand_loop(st, *p, text);
    }
    if (m || (m = format_modifier(list, "e")))
        return expand_comparison(st, m, text);
    if (*text == '?')
        return expand_condition(st, text + 1);
    if (strstr(text, "#{"))
        return format_piece(st, text, strlen(text));
    return find_variable(st, text, &known);
}

static long argument_number(const struct format_modifier *m)
{
    char *end;
    long v = m && m->n > 0 && m->value[0] ? strtol(m->value[0], &end, 10) : 0;

    return m && m->n > 0 && m->value[0] && *end == '\0' && v > -100000 && v < 100000 ? v : 0;
}

static char *count(char *value, size_t n)
{
    struct outbuf out = {0};

    free(value);
    outbuf_printf(&out, "%zu", n);
    outbuf_byte(&out, '\0');
    return (char *)out.p;
}

/* Names, time and quotes: what tmux does to a variable's value. */
static char *apply_kind(struct format_state *st, const struct format_list *list, char *value)
{
    const struct format_modifier *m;

    if (value && (m = format_modifier(list, "t")))
        value = format_time(value, m, st->source->now_s);
    if (value && format_modifier(list, "b"))
        value = format_base(value);
    if (value && format_modifier(list, "d"))
        value = format_directory(value);
    if (value && (m = format_modifier(list, "q")))
        value = format_quote(value, m->n > 0 && m->value[0] && strpbrk(m->value[0], "eh"));
    return value;
}

static char *expand_again(struct format_state *st, const struct format_list *list, char *value)
{
    bool timed = format_modifier(list, "T") != NULL, outer = st->with_time;
    char *again;

    if (!value || (!timed && !format_modifier(list, "E")))
        return value;
    st->with_time = timed;
    again = format_piece(st, value, strlen(value));
    st->with_time = outer;
    free(value);
    return again;
}

static char *apply_all(struct format_state *st, const struct format_list *list, char *value)
{
    const struct format_modifier *m;

    value = expand_again(st, list, apply_kind(st, list, value));
    for (size_t i = 0; value && i < list->n; i++) {
        m = &list->at[i];
        if (m->name[0] == 's' && m->n >= 2 && m->value[0] && m->value[1])
            value = format_substitute(value, m->value[0], m->value[1],
                                      m->n > 2 && m->value[2] && strchr(m->value[2], 'i'));
    }
    m = format_modifier(list, "=");
    if (value && m && m->name[1] == '\0')
        value = format_cut(value, argument_number(m), m->n > 1 ? m->value[1] : NULL);
    if (value && (m = format_modifier(list, "p")))
        value = format_pad(value, argument_number(m));
    if (value && format_modifier(list, "n"))
        value = count(value, strlen(value));
    if (value && format_modifier(list, "w"))
        value = count(value, format_width(value));
    return value;
}

/* Expands what stands between the braces. NULL when it is malformed, or memory ran out. */
static char *expand_braces(struct format_state *st, const char *text, size_t len)
{
    char *inner = copy(text, len);
    const char *p = inner;
    struct format_list list;
    char *value;

    if (!inner)
        return fail(st);
    format_read_list(st, &p, &list);
    value = find_value(st, &list, p);
    if (value) {
        value = apply_all(st, &list, value);
        if (!value)
            st->failed = true;
    }
    format_free_list(&list);
    free(inner);
    return value;
}

/* --- texts ---------------------------------------------------------------------------------- */

static const char *alias(char c)
{
    static const char *const names[][2] = {
        {"D", "pane_id"},      {"F", "window_flags"}, {"H", "host"},
        {"I", "window_index"}, {"P", "pane_index"},   {"S", "session_name"},
        {"T", "pane_title"},   {"W", "window_name"},  {"h", "host_short"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i][0][0] == c)
            return names[i][1];
    }
    return NULL;
}

static bool put_owned(struct outbuf *out, char *value)
{
    if (value)
        outbuf_text(out, value);
    free(value);
    return value != NULL;
}

/* Hashes in front of [ stay: a style is read later, and ##[ must not become one. */
static const char *put_hashes(const char *p, struct outbuf *out)
{
    size_t n = strspn(p, "#");

    if (p[n] == '[') {
        outbuf_put(out, p, n + 1);
        return p + n + 1;
    }
    outbuf_byte(out, '#');
    return p + 2;
}

/* p is behind #( of a command. Its own formats are expanded first, and what it printed after. */
static const char *put_command(struct format_state *st, const char *p, struct outbuf *out)
{
    const char *end = p;
    struct outbuf text = {0};
    char *command;
    int inner = 1;

    for (; *end && inner > 0; end++)
        inner += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    if (inner > 0)
        return NULL;
    command = st->source->job ? format_piece(st, p, (size_t)(end - p - 1)) : NULL;
    if (command)
        st->source->job(st->place, command, &text);
    free(command);
    outbuf_byte(&text, '\0');
    if (!text.bad)
        put_owned(out, format_piece(st, (const char *)text.p, text.len - 1));
    outbuf_clear(&text);
    return end;
}

/* Expands what begins with the # at p. Returns where to go on, NULL to end the text here. */
static const char *expand_hash(struct format_state *st, const char *p, struct outbuf *out)
{
    const char *end, *name;

    switch (p[1]) {
    case '\0':
        outbuf_byte(out, '#');
        return NULL;
    case '(':
        return put_command(st, p + 2, out);
    case '{':
        end = format_skip(p, "}");
        if (!end || !put_owned(out, expand_braces(st, p + 2, (size_t)(end - p - 2))))
            return NULL;
        return end + 1;
    case '#':
        return put_hashes(p, out);
    case '}':
    case ',':
        outbuf_byte(out, (uint8_t)p[1]);
        return p + 2;
    default:
        name = alias(p[1]);
        if (!name)
            outbuf_put(out, p, 2);
        else if (!put_owned(out, expand_braces(st, name, strlen(name))))
            return NULL;
        return p + 2;
    }
}

static void expand_text(struct format_state *st, const char *p, struct outbuf *out)
{
    while (p && *p && out->len < FORMAT_BYTES_MAX && !st->failed) {
        size_t n = strcspn(p, "#");

        if (n > FORMAT_BYTES_MAX - out->len)
            n = FORMAT_BYTES_MAX - out->len;
        outbuf_put(out, p, n);
        p += n;
        if (*p == '#')
            p = expand_hash(st, p, out);
    }
    if (out->len > FORMAT_BYTES_MAX)
        out->len = FORMAT_BYTES_MAX;
}

/* strftime of a whole text, owned; one that gives nothing is empty, as in tmux. */
static char *put_time(struct format_state *st, char *text)
{
    size_t cap = strlen(text) * 4 + 1024;
    char *out = malloc(cap);
    time_t now = (time_t)st->source->now_s;
    struct tm tm;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the user's own */
    if (out && (!localtime_r(&now, &tm) || strftime(out, cap, text, &tm) == 0))
        out[0] = '\0';
#pragma GCC diagnostic pop
    free(text);
    return out;
}

char *format_piece(struct format_state *st, const char *text, size_t len)
{
    char *whole = copy(text, len > FORMAT_BYTES_MAX ? FORMAT_BYTES_MAX : len);
    struct outbuf out = {0};

    if (whole && st->with_time && strchr(whole, '%'))
        whole = put_time(st, whole);
    if (!whole)
        return fail(st);
    if (st->depth < FORMAT_DEPTH_MAX && st->steps < FORMAT_STEPS_MAX) {
        st->depth++;
        st->steps++;
        expand_text(st, whole, &out);
        st->depth--;
    }
    free(whole);
    outbuf_byte(&out, '\0');
    if (!out.bad)
        return (char *)out.p;
    outbuf_clear(&out);
    return fail(st);
}

char *format_text(const struct format_source *source, const void *place, const char *text,
                  bool with_time)
{
    struct format_state st = {.source = source, .place = place, .with_time = with_time};

    return format_piece(&st, text, strlen(text));
}

void format_expand(const struct format_source *source, const void *place, const char *text,
                   bool with_time, struct outbuf *out)
{
    char *value = format_text(source, place, text, with_time);

    if (value)
        outbuf_text(out, value);
    else
        out->bad = true;
    free(value);
}
