#include "server/daemon/copy_mode.h"

#include <stdlib.h>

#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/screen_frozen.h"

#define SEPARATORS "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"

struct copy_mode {
    struct pane_mode mode; /* first: the pane knows this only */
    struct pane *pane;
    struct pane_observer observer;
    uint32_t source; /* id of the pane whose screen it is */
    struct screen_frozen *frozen;
    uint32_t lines; /* of it that are shown */
    struct line_text line;
    struct copy *copy;
    uint64_t number; /* of modes, in the upper half of versions */
};

static uint32_t modes; /* made so far */

/* --- lines ---------------------------------------------------------------------------------- */

static uint32_t count_lines(void *ctx)
{
    const struct copy_mode *m = ctx;

    return m->lines;
}

static void read_line(void *ctx, uint32_t line, struct line_text *out)
{
    const struct copy_mode *m = ctx;

    screen_frozen_text(m->frozen, line, out);
}

static struct copy_source source_of(struct copy_mode *m)
{
    return (struct copy_source){count_lines, read_line, m};
}

/* Another pane's screen ends with its last line that has anything in it. */
static uint32_t shown_lines(struct copy_mode *m, struct screen_frozen *f, bool own)
{
    uint32_t n = screen_frozen_lines(f), first = n - screen_frozen_rows(f);

    for (; !own && n > first; n--) {
        screen_frozen_text(f, n - 1, &m->line);
        if (m->line.used > 0)
            break;
    }
    return n;
}

/* --- life ----------------------------------------------------------------------------------- */

static void destroy(struct pane_mode *mode)
{
    struct copy_mode *m = (struct copy_mode *)(void *)mode;

    pane_unobserve(m->pane, &m->observer);
    copy_destroy(m->copy);
    screen_thaw(m->frozen);
    line_text_clear(&m->line);
    free(m);
}

static void on_resized(void *ctx, struct pane *p)
{
    struct copy_mode *m = ctx;
    const struct screen *s = pane_screen(p);

    copy_resize(m->copy, screen_cols(s), screen_rows(s));
}

/* Makes what the mode is over. False when memory ran out. */
static bool open_mode(struct copy_mode *m, struct pane *p, struct pane *from)
{
    const struct screen *own = pane_screen(p);
    struct screen *s = pane_screen(from);
    struct screen_cursor at = screen_cursor(s);
    struct copy_source source = source_of(m);

    m->frozen = screen_freeze(s);
    if (!m->frozen)
        return false;
    m->lines = shown_lines(m, m->frozen, p == from);
    m->copy = copy_create(&source, screen_cols(own), screen_rows(own), at.x,
                          screen_frozen_lines(m->frozen) - screen_frozen_rows(m->frozen) + at.y);
    return m->copy != NULL;
}

enum err copy_mode_enter(struct pane *p, struct pane *source, bool hide_position, bool scroll_exit)
{
    struct copy_mode *m;
    const char *search;
    bool regex;

    if (copy_mode_of(p))
        return ERR_OK;
    m = calloc(1, sizeof *m);
    if (!m)
        return ERR_MEMORY;
    if (!open_mode(m, p, source)) {
        screen_thaw(m->frozen);
        line_text_clear(&m->line);
        free(m);
        return ERR_MEMORY;
    }
    copy_set_flags(m->copy, hide_position, scroll_exit);
    search = pane_search(p, &regex);
    if (*search)
        copy_restore_search(m->copy, search, regex);
    m->mode.destroy = destroy;
    m->pane = p;
    m->source = pane_id(source);
    m->number = (uint64_t)++modes << 32;
    m->observer = (struct pane_observer){.resized = on_resized, .ctx = m};
    pane_set_mode(p, &m->mode);
    pane_observe(p, &m->observer);
    return ERR_OK;
}

void copy_mode_leave(struct pane *p)
{
    if (copy_mode_of(p))
        pane_set_mode(p, NULL);
}

struct copy_mode *copy_mode_of(const struct pane *p)
{
    struct pane_mode *mode = pane_mode(p);

    return mode && mode->destroy == destroy ? (struct copy_mode *)(void *)mode : NULL;
}

struct copy *copy_mode_state(struct copy_mode *m)
{
    return m->copy;
}

enum err copy_mode_refresh(struct copy_mode *m)
{
    struct copy_source source = source_of(m);
    struct screen_frozen *f;

    if (m->source != pane_id(m->pane)) /* the other pane may be gone */
        return ERR_OK;
    f = screen_freeze(pane_screen(m->pane));
    if (!f)
        return ERR_MEMORY;
    screen_thaw(m->frozen);
    m->frozen = f;
    m->lines = shown_lines(m, f, true);
    copy_reload(m->copy, &source);
    return ERR_OK;
}

void copy_mode_keep_search(struct copy_mode *m)
{
    struct copy_view v = copy_look(m->copy);

    if (*v.search)
        pane_set_search(m->pane, v.search, v.regex);
}

/* --- looking -------------------------------------------------------------------------------- */

const struct cell *copy_mode_cells(struct copy_mode *m, uint32_t line, uint16_t *n)
{
    *n = 0;
    return line < m->lines ? screen_frozen_cells(m->frozen, line, n) : NULL;
}

bool copy_mode_goes_on(struct copy_mode *m, uint32_t line)
{
    screen_frozen_text(m->frozen, line, &m->line);
    return m->line.goes_on;
}

uint64_t copy_mode_version(const struct pane *p)
{
    struct copy_mode *m = copy_mode_of(p);

    return m ? m->number + copy_version(m->copy) : 0;
}

/* --- options -------------------------------------------------------------------------------- */

struct copy_options copy_mode_options(const struct options *o, struct options_place at)
{
    struct copy_options c = {.wrap_search = true, .separators = SEPARATORS};

    if (!o)
        return c;
    c.vi = options_number(o, at, OPTION_mode_keys) == 1;
    c.wrap_search = options_flag(o, at, OPTION_wrap_search);
    c.separators = options_text(o, at, OPTION_word_separators);
    return c;
}

const char *copy_mode_table(const struct options *o, struct options_place at)
{
    return copy_mode_options(o, at).vi ? "copy-mode-vi" : "copy-mode";
}
