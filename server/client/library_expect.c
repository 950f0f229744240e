/* Waiting for text in a pane's output.
 *
 *   subscription ─► plain_text ─► text ─► search behind the last match
 *
 * The text is searched again whenever more has come. It ends where the output does so far, which is
 * no line's end (REG_NOTEOL), until the program ends: then it is. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/plain_text.h"

#define TEXT_MAX   (256u << 10)
#define GROUPS_MAX 10

struct vitrine_expect {
    struct vitrine *v;
    uint32_t subscription;
    bool column_taken; /* whether a line begins at the text's beginning is known */
    bool inside_line;  /* it does not */
    bool failed;       /* without memory */
    bool more;         /* has come since the last search */
    bool ended;
    struct vitrine_end end;
    struct plain_text text;
    struct vitrine_expect *next;
};

/* A pattern made ready. */
struct pattern {
    const char *text;
    unsigned flags;
    regex_t regex; /* with VITRINE_REGEX */
};

/* --- output --------------------------------------------------------------------------------- */

static void on_output(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    struct vitrine_expect *e = ctx;
    struct library_subscription *s = library_find_subscription(e->v, e->subscription);

    (void)offset;
    if (!e->column_taken && s) {
        e->column_taken = true;
        e->inside_line = s->column > 0;
    }
    if (!plain_text_put(&e->text, bytes, n))
        e->failed = true;
    e->more = true;
}

static void on_lag(void *ctx, uint64_t from, uint64_t to)
{
    struct vitrine_expect *e = ctx;

    (void)from;
    (void)to;
    if (!plain_text_gap(&e->text))
        e->failed = true;
    e->more = true;
}

static void on_ended(void *ctx, const struct vitrine_end *end)
{
    struct vitrine_expect *e = ctx;

    e->ended = true;
    e->end = *end;
    e->more = true;
}

int vitrine_expect_begin(struct vitrine *v, uint32_t pane, struct vitrine_expect **out)
{
    const struct vitrine_handlers handlers = {on_output, on_lag, on_ended};
    struct vitrine_expect *e;
    int status = library_ready(v);

    *out = NULL;
    if (status != VITRINE_OK)
        return status;
    e = calloc(1, sizeof *e);
    if (!e || !plain_text_put(&e->text, "", 0)) {
        free(e);
        return library_fail(v, VITRINE_E_MEMORY, "out of memory");
    }
    e->v = v;
    e->text.max = TEXT_MAX;
    e->more = true;
    e->subscription = v->last_id + 1; /* output may come before the next call returns */
    status = vitrine_subscribe(v, pane, VITRINE_NOW, &handlers, e, &e->subscription);
    if (status != VITRINE_OK) {
        plain_text_clear(&e->text);
        free(e);
        return status;
    }
    e->next = v->expects;
    v->expects = e;
    *out = e;
    return VITRINE_OK;
}

static void free_expect(struct vitrine_expect *e)
{
    plain_text_clear(&e->text);
    free(e);
}

void vitrine_expect_end(struct vitrine_expect *e)
{
    if (!e)
        return;
    for (struct vitrine_expect **at = &e->v->expects; *at; at = &(*at)->next) {
        if (*at == e) {
            *at = e->next;
            break;
        }
    }
    if (!e->ended)
        vitrine_unsubscribe(e->v, e->subscription);
    free_expect(e);
}

void library_drop_expects(struct vitrine *v)
{
    while (v->expects) {
        struct vitrine_expect *e = v->expects;

        v->expects = e->next;
        free_expect(e);
    }
}

const char *vitrine_expect_text(const struct vitrine_expect *e)
{
    return e->text.text;
}

/* --- searching ------------------------------------------------------------------------------ */

static int prepare(struct vitrine *v, struct pattern *p, const char *text, unsigned flags)
{
    int how = REG_EXTENDED | REG_NEWLINE | ((flags & VITRINE_ICASE) ? REG_ICASE : 0);
    char why[128];
    int e;

    p->text = text;
    p->flags = flags;
    if (!text || *text == '\0')
        return library_fail(v, VITRINE_E_ARGUMENT, "an empty pattern");
    if (flags & ~(unsigned)(VITRINE_REGEX | VITRINE_ICASE))
        return library_fail(v, VITRINE_E_ARGUMENT, "unknown flags");
    if (!(flags & VITRINE_REGEX))
        return VITRINE_OK;
    e = regcomp(&p->regex, text, how);
    if (e == 0)
        return VITRINE_OK;
    regerror(e, NULL, why, sizeof why);
    return library_fail(v, VITRINE_E_ARGUMENT, "%s: %s", text, why);
}

static bool equal_here(const char *text, const struct pattern *p)
{
    size_t n = strlen(p->text);

    if (!(p->flags & VITRINE_ICASE))
        return strncmp(text, p->text, n) == 0;
    for (size_t i = 0; i < n; i++) {
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)p->text[i]))
            return false;
    }
    return true;
}

static bool find_text(const char *text, const struct pattern *p, regmatch_t *at)
{
    for (size_t i = 0; text[i]; i++) {
        if (!equal_here(text + i, p))
            continue;
        at->rm_so = (regoff_t)i;
        at->rm_eo = (regoff_t)(i + strlen(p->text));
        return true;
    }
    return false;
}

/* Fills in where the pattern is; places that are not used are -1. */
static bool find(const struct vitrine_expect *e, const struct pattern *p, regmatch_t at[GROUPS_MAX])
{
    int how = (e->ended ? 0 : REG_NOTEOL) | (e->inside_line ? REG_NOTBOL : 0);

    for (size_t i = 0; i < GROUPS_MAX; i++)
        at[i].rm_so = at[i].rm_eo = -1;
    if (p->flags & VITRINE_REGEX)
        return regexec(&p->regex, e->text.text, GROUPS_MAX, at, how) == 0;
    return find_text(e->text.text, p, at);
}

/* --- the match ------------------------------------------------------------------------------ */

static char *copy(const char *text, regoff_t from, regoff_t to)
{
    return from < 0 ? NULL : strndup(text + from, (size_t)(to - from));
}

static bool fill_match(const char *text, const regmatch_t at[GROUPS_MAX], struct vitrine_match *m)
{
    m->before = strndup(text, (size_t)at[0].rm_so);
    m->groups = calloc(GROUPS_MAX, sizeof *m->groups);
    if (!m->before || !m->groups)
        return false;
    m->n_groups = 1;
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        m->groups[i] = copy(text, at[i].rm_so, at[i].rm_eo);
        if (at[i].rm_so >= 0 && !m->groups[i])
            return false;
        if (at[i].rm_so >= 0)
            m->n_groups = i + 1;
    }
    m->text = m->groups[0];
    return true;
}

void vitrine_match_clear(struct vitrine_match *m)
{
    free(m->before);
    for (size_t i = 0; i < m->n_groups; i++)
        free(m->groups[i]);
    free(m->groups);
    memset(m, 0, sizeof *m);
}

/* Takes the match out of the text. An empty one takes nothing. */
static int take_match(struct vitrine_expect *e, const regmatch_t at[GROUPS_MAX],
                      struct vitrine_match *m)
{
    size_t end = (size_t)at[0].rm_eo;

    if (m && !fill_match(e->text.text, at, m)) {
        m->n_groups = m->groups ? GROUPS_MAX : 0;
        vitrine_match_clear(m);
        return library_fail(e->v, VITRINE_E_MEMORY, "out of memory");
    }
    if (end > 0)
        e->inside_line = e->text.text[end - 1] != '\n';
    e->column_taken = true;
    plain_text_drop(&e->text, end);
    return VITRINE_OK;
}

/* --- waiting -------------------------------------------------------------------------------- */

static int say_ended(struct vitrine_expect *e, const char *pattern)
{
    if (e->end.how == VITRINE_LOST)
        return library_ready(e->v);
    if (e->end.how == VITRINE_NO_PANE)
        return library_fail(e->v, VITRINE_E_ENDED, "no pane was made");
    return library_fail(e->v, VITRINE_E_ENDED, "the program ended without saying %s", pattern);
}

static int wait_for(struct vitrine_expect *e, const struct pattern *p, int64_t deadline,
                    regmatch_t at[GROUPS_MAX])
{
    for (;;) {
        uint64_t dropped = e->text.dropped;
        int status;

        if (e->failed)
            return library_fail(e->v, VITRINE_E_MEMORY, "out of memory");
        if (find(e, p, at))
            return VITRINE_OK;
        if (e->ended)
            return say_ended(e, p->text);
        e->more = false;
        do
            status = library_pump(e->v, deadline);
        while (status == VITRINE_OK && !e->more);
        if (e->text.dropped != dropped)
            e->inside_line = true;
        if (status == VITRINE_E_TIMEOUT)
            return library_fail(e->v, status, "%s was not seen in time", p->text);
        if (status != VITRINE_OK && !e->more)
            return status;
    }
}

int vitrine_expect(struct vitrine_expect *e, const char *pattern, unsigned flags, int timeout_ms,
                   struct vitrine_match *match)
{
    int64_t deadline = library_deadline(timeout_ms);
    regmatch_t at[GROUPS_MAX];
    struct pattern p;
    int status = VITRINE_OK;

    if (match)
        memset(match, 0, sizeof *match);
    if (e->v->handling > 0)
        status = library_ready(e->v);
    if (status == VITRINE_OK)
        status = prepare(e->v, &p, pattern, flags);
    if (status != VITRINE_OK)
        return status;
    status = wait_for(e, &p, deadline, at);
    if (status == VITRINE_OK)
        status = take_match(e, at, match);
    if (flags & VITRINE_REGEX)
        regfree(&p.regex);
    return status;
}
