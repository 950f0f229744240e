/* Searching, as text or as an extended regular expression. Lines that are wrapped into each other
 * are searched as one. Text without a capital letter matches capital letters too. Every cell behind
 * the end of a line is a blank, as it is on the screen. */
#include "proto/compat.h"

#include "server/daemon/copy_state.h"

#include <locale.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define JOINED_MAX  256u        /* lines searched as one */
#define COUNT_BYTES (16u << 20) /* of text in which matches are counted */

/* What is searched for. */
struct copy_finder {
    char *text; /* small letters when fold */
    size_t len;
    bool fold;
    bool is_regex;
    regex_t regex;
    regex_t plain;   /* the same for text that is ASCII, which is faster */
    locale_t locale; /* characters of several bytes are one; 0 when there is no such locale */
};

/* Wrapped lines as one text. */
struct joined {
    uint32_t first;
    uint32_t n;
    uint32_t at[JOINED_MAX + 1]; /* where each line begins */
    struct outbuf text;
    struct outbuf folded; /* small letters */
    bool ascii;
};

/* --- what is searched for ------------------------------------------------------------------- */

static void fold(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (uint8_t)(p[i] + 'a' - 'A');
}

static bool has_capital(const char *text)
{
    return text[strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0';
}

static void destroy_finder(struct copy_finder *f)
{
    if (!f)
        return;
    if (f->is_regex) {
        regfree(&f->regex);
        regfree(&f->plain);
    }
    if (f->locale)
        freelocale(f->locale);
    free(f->text);
    free(f);
}

static bool compile(struct copy_finder *f)
{
    locale_t old;
    int flags = REG_EXTENDED | (f->fold ? REG_ICASE : 0);

    if (regcomp(&f->plain, f->text, flags) != 0)
        return false;

    f->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    old = f->locale ? uselocale(f->locale) : (locale_t)0;
    f->is_regex = regcomp(&f->regex, f->text, flags) == 0;
    if (f->locale)
        uselocale(old);
    if (!f->is_regex)
        regfree(&f->plain);
    return f->is_regex;
}

/* NULL when memory ran out or the expression is none. */
static struct copy_finder *create_finder(const char *text, bool regex)
{
    struct copy_finder *f = calloc(1, sizeof *f);

    if (!f || !(f->text = strdup(text))) {
        free(f);
        return NULL;
    }
    f->len = strlen(text);
    f->fold = !has_capital(text);
    if (!regex || !text[strcspn(text, "^$*+()?[].\\")] || compile(f))
        return f;
    destroy_finder(f);
    return NULL;
}

/* regexec in the locale the expression was made for. */
static int execute(const struct copy_finder *f, bool ascii, const char *text, regmatch_t *m,
                   int flags)
{
    locale_t old;
    int result;

    if (ascii || !f->locale)
        return regexec(ascii ? &f->plain : &f->regex, text, 1, m, flags);
    old = uselocale(f->locale);
    result = regexec(&f->regex, text, 1, m, flags);
    uselocale(old);
    return result;
}

/* The first match that begins at or behind `from`. */
static bool find(const struct copy_finder *f, const struct joined *j, uint32_t from,
                 uint32_t *start, uint32_t *end)
{
    const char *text = (const char *)(f->fold && !f->is_regex ? j->folded.p : j->text.p);
    uint32_t len = (uint32_t)j->text.len;

    if (from >= len)
        return false;
    if (!f->is_regex) {
        const char *at = memmem(text + from, len - from, f->text, f->len);

        *start = at ? (uint32_t)(at - text) : 0;
        *end = *start + (uint32_t)f->len;
        return at != NULL;
    }
    while (from < len) {
        regmatch_t m = {.rm_so = (regoff_t)from, .rm_eo = (regoff_t)len};

        if (execute(f, j->ascii, text, &m, REG_STARTEND | (from > 0 ? REG_NOTBOL : 0)) != 0)
            return false;
        *start = (uint32_t)m.rm_so;
        *end = (uint32_t)m.rm_eo;
        if (*end > *start)
            return true;
        from = *end + 1; /* nothing is no match */
    }
    return false;
}

/* --- lines as one text ---------------------------------------------------------------------- */

static void clear_joined(struct joined *j)
{
    outbuf_clear(&j->text);
    outbuf_clear(&j->folded);
}

static bool is_ascii(const struct line_text *t)
{
    size_t i = 0;

    while (i < t->text.len && t->text.p[i] < 0x80)
        i++;
    return i == t->text.len;
}

static void put_blanks(struct outbuf *out, uint32_t n)
{
    uint8_t *at = outbuf_reserve(out, n);

    if (!at)
        return;
    memset(at, ' ', n);
    out->len += n;
}

static void add_line(struct copy *c, struct joined *j, uint32_t y)
{
    const struct line_text *t = copy_line(c, y);
    uint32_t used = t->used < c->cols ? t->used : c->cols;

    j->ascii = j->ascii && is_ascii(t);
    j->at[j->n++] = (uint32_t)j->text.len;
    outbuf_put(&j->text, t->text.p, t->used > 0 ? t->at[used] : 0);
    put_blanks(&j->text, t->goes_on || used >= c->cols ? 0 : c->cols - used);
}

/* Joins the lines around y. False when memory ran out. */
static bool join(struct copy *c, const struct copy_finder *f, uint32_t y, struct joined *j)
{
    uint32_t first = y;

    while (first > 0 && y - first < JOINED_MAX / 2 && copy_goes_on(c, first - 1))
        first--;
    outbuf_reset(&j->text);
    outbuf_reset(&j->folded);
    j->first = first;
    j->n = 0;
    j->ascii = true;
    for (y = first; j->n < JOINED_MAX && y <= copy_last_line(c); y++) {
        add_line(c, j, y);
        if (!copy_goes_on(c, y))
            break;
    }
    j->at[j->n] = (uint32_t)j->text.len;
    outbuf_byte(&j->text, 0); /* regexec wants one, though it is told the length */
    j->text.len -= j->text.bad ? 0 : 1;
    if (f->fold && !f->is_regex) {
        outbuf_put(&j->folded, j->text.p, j->text.len);
        if (!j->folded.bad)
            fold(j->folded.p, j->folded.len);
    }
    return !j->text.bad && !j->folded.bad && j->text.len > 0;
}

static struct copy_spot spot_of(struct copy *c, const struct joined *j, uint32_t byte)
{
    uint32_t i = 0;
    const struct line_text *t;
    struct copy_spot at;

    while (i + 1 < j->n && j->at[i + 1] <= byte)
        i++;
    at.y = j->first + i;
    t = copy_line(c, at.y);
    byte -= j->at[i];
    at.x =
        byte < t->text.len ? line_text_column(t, byte) : t->used + (byte - (uint32_t)t->text.len);
    return at;
}

/* Where the end of a match is: behind its last cell, in the line of that. */
static struct copy_spot end_spot(struct copy *c, const struct joined *j, uint32_t end)
{
    struct copy_spot at = spot_of(c, j, end - 1);

    do
        at.x++;
    while (copy_is_half(c, at));
    return at;
}

static uint32_t byte_of(struct copy *c, const struct joined *j, struct copy_spot at)
{
    const struct line_text *t = copy_line(c, at.y);
    uint32_t begin = j->at[at.y - j->first];

    if (at.x < t->used)
        return begin + t->at[at.x];
    return begin + (uint32_t)t->text.len + (at.x - t->used);
}

/* --- from match to match -------------------------------------------------------------------- */

/* The first match at or behind a spot, up to the lines joined to `last`. */
static bool find_from(struct copy *c, struct joined *j, struct copy_spot at, uint32_t last,
                      struct copy_spot *out)
{
    uint32_t start, end;

    while (at.y <= last) {
        if (!join(c, c->finder, at.y, j))
            return false;
        if (find(c->finder, j, byte_of(c, j, at), &start, &end)) {
            *out = spot_of(c, j, start);
            return true;
        }
        at = (struct copy_spot){0, j->first + j->n};
    }
    return false;
}

/* The last match of the joined lines that begins before a byte. */
static bool find_last(const struct copy_finder *f, const struct joined *j, uint32_t before,
                      uint32_t *out)
{
    uint32_t start, end, from = 0;
    bool found = false;

    while (find(f, j, from, &start, &end) && start < before) {
        *out = start;
        found = true;
        from = f->is_regex ? end : start + 1;
    }
    return found;
}

/* The last match that begins before a spot, down to the lines joined to `last`. */
static bool find_before(struct copy *c, struct joined *j, struct copy_spot at, uint32_t last,
                        struct copy_spot *out)
{
    uint32_t start, before;

    for (bool whole = false;; whole = true) {
        if (!join(c, c->finder, at.y, j))
            return false;
        before = whole ? (uint32_t)j->text.len : byte_of(c, j, at);
        if (find_last(c->finder, j, before, &start)) {
            *out = spot_of(c, j, start);
            return true;
        }
        if (j->first == 0 || j->first <= last)
            return false;
        at.y = j->first - 1;
    }
}

/* The match that covers a spot. */
static bool match_at(struct copy *c, struct joined *j, struct copy_spot at, struct copy_spot *from,
                     struct copy_spot *to)
{
    uint32_t start, end, byte, next = 0;

    if (!c->finder || !join(c, c->finder, at.y, j))
        return false;
    byte = byte_of(c, j, at);
    while (find(c->finder, j, next, &start, &end) && start <= byte) {
        next = end;
        if (byte >= end)
            continue;
        *from = spot_of(c, j, start);
        *to = end_spot(c, j, end);
        return true;
    }
    return false;
}

bool copy_match_at_cursor(struct copy *c, struct copy_spot *from, struct copy_spot *to)
{
    struct joined j = {0};
    struct copy_spot at = copy_cursor(c);
    bool found = c->marking && match_at(c, &j, at, from, to);

    if (c->marking && !found && (at.x > 0 || at.y > 0)) {
        copy_read_left(c, &at, true);
        found = match_at(c, &j, at, from, to);
    }
    clear_joined(&j);
    return found;
}

/* --- searching ------------------------------------------------------------------------------ */

bool copy_search_for(struct copy *c, const char *text, bool regex)
{
    struct copy_finder *f;
    char *copy;

    if (c->search && c->finder && strcmp(c->search, text) == 0 && c->regex == regex)
        return true;
    if (strlen(text) > COPY_SEARCH_BYTES)
        return false;
    copy = strdup(text);
    f = create_finder(text, regex);
    if (!copy) {
        destroy_finder(f);
        return false;
    }
    copy_search_end(c);
    destroy_finder(c->finder);
    free(c->search);
    c->search = copy;
    c->finder = f;
    c->regex = regex;
    c->counted = false;
    return f != NULL;
}

void copy_search_end(struct copy *c)
{
    c->marking = false;
    c->counted = false;
    c->version++;
}

void copy_search_forget(struct copy *c)
{
    destroy_finder(c->finder);
    free(c->search);
    c->finder = NULL;
    c->search = NULL;
}

static void count(struct copy *c, struct joined *j)
{
    uint32_t start, end;
    size_t bytes = 0;

    if (c->counted)
        return;
    c->counted = true;
    c->matches = 0;
    c->more_matches = false;
    for (uint32_t y = 0; y <= copy_last_line(c); y = j->first + j->n) {
        if (!join(c, c->finder, y, j))
            break;
        for (uint32_t from = 0; find(c->finder, j, from, &start, &end); from = end)
            c->matches++;
        bytes += j->text.len;
        if (bytes < COUNT_BYTES)
            continue;
        c->more_matches = true;
        break;
    }
}

/* One cell on, past the end of the line into the next. */
static struct copy_spot cell_behind(const struct copy *c, struct copy_spot at)
{
    if (at.x + 1 < c->cols)
        return (struct copy_spot){at.x + 1, at.y};
    if (at.y < copy_last_line(c))
        return (struct copy_spot){0, at.y + 1};
    return c->o.wrap_search ? (struct copy_spot){0, 0} : at;
}

static bool search_forward(struct copy *c, struct joined *j, struct copy_spot *out)
{
    struct copy_spot at = copy_cursor(c), from, to;
    const struct copy_spot top = {0, 0};

    if (c->o.vi && c->marking) {
        if (match_at(c, j, at, &from, &to))
            at = to;
    } else if (c->o.vi) {
        at = cell_behind(c, at);
    }
    return find_from(c, j, at, copy_last_line(c), out) ||
           (c->o.wrap_search && find_from(c, j, top, at.y, out));
}

static bool search_back(struct copy *c, struct joined *j, struct copy_spot *out)
{
    const struct copy_spot bottom = {c->cols, copy_last_line(c)};
    struct copy_spot at = copy_cursor(c);

    return find_before(c, j, at, 0, out) ||
           (c->o.wrap_search && find_before(c, j, bottom, at.y, out));
}

static bool go_to_match(struct copy *c, struct joined *j, bool forward)
{
    struct copy_spot at, from, to;

    if (!(forward ? search_forward : search_back)(c, j, &at))
        return false;
    count(c, j);
    c->marking = true;
    copy_go_to(c, at);
    if (match_at(c, j, at, &from, &to)) {
        if (forward && !c->o.vi)
            copy_set_cursor(c, to.x, c->y + (to.y - at.y));
        else if (!forward)
            copy_go_to(c, from);
    }
    copy_select_follow(c, false);
    return true;
}

bool copy_search(struct copy *c, bool forward)
{
    struct joined j = {0};
    bool found = c->finder && c->finder->len > 0 && go_to_match(c, &j, forward);

    clear_joined(&j);
    c->version++;
    return found;
}

/* --- showing -------------------------------------------------------------------------------- */

static bool is_current(const struct copy *c, bool vi, struct copy_spot from, struct copy_spot to)
{
    struct copy_spot at = copy_cursor(c);
    bool begun = from.y < at.y || (from.y == at.y && from.x <= at.x);

    if (vi || c->forward == false)
        return begun && (at.y < to.y || (at.y == to.y && at.x < to.x));
    return begun && (at.y < to.y || (at.y == to.y && at.x <= to.x));
}

size_t copy_matches(struct copy *c, bool vi, uint32_t line, struct copy_match *out, size_t max)
{
    struct joined j = {0};
    uint32_t start, end, next = 0;
    size_t n = 0;

    if (!c->marking || !c->finder || line > copy_last_line(c) || !join(c, c->finder, line, &j)) {
        clear_joined(&j);
        return 0;
    }
    while (n < max && find(c->finder, &j, next, &start, &end)) {
        struct copy_spot from = spot_of(c, &j, start), to = end_spot(c, &j, end);

        next = end;
        if (from.y > line)
            break;
        if (to.y < line)
            continue;
        out[n++] = (struct copy_match){.from = from.y < line ? 0 : from.x,
                                       .to = to.y > line ? c->cols : to.x,
                                       .current = is_current(c, vi, from, to)};
    }
    clear_joined(&j);
    return n;
}
