/* A pane's lines as cells. What does not fit into one answer comes in parts, by the numbers of
 * lines, so scrollback fits together even when the program goes on meanwhile; the last part has the
 * whole screen and is of one moment. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX    64
#define WIDTH_FACTOR 32 /* a cell's first byte is its width times this, plus its text's length */

struct link {
    uint32_t link;
    const char *target;
};

/* What vitrine_capture_cells() gives: screen must be first. */
struct block {
    struct vitrine_screen screen;
    const struct link *links;
    size_t n_links;
};

/* Being gathered. Pointers are places until the end. */
struct gather {
    struct vitrine *v;
    struct ipc_screen screen; /* the last one, without its title */
    bool has_screen;
    size_t title; /* place in texts */
    struct library_bytes lines;
    struct library_bytes cells;
    struct library_bytes links;
    struct library_bytes texts;
    uint64_t next; /* number of the line that must come */
    bool failed;
};

static size_t n_lines(const struct gather *g)
{
    return g->lines.len / sizeof(struct vitrine_line);
}

static void put(struct gather *g, struct library_bytes *b, const void *p, size_t n)
{
    if (!library_put(b, p, n))
        g->failed = true;
}

static size_t put_text(struct gather *g, struct bytes text)
{
    size_t at = g->texts.len;

    put(g, &g->texts, text.p, text.len);
    put(g, &g->texts, "", 1);
    return at;
}

/* --- records -------------------------------------------------------------------------------- */

static int take_screen(struct gather *g, struct bytes body)
{
    if (ipc_decode_screen(body, &g->screen) != ERR_OK || g->screen.cols == 0 ||
        g->screen.rows == 0 || g->screen.cursor_x >= g->screen.cols ||
        g->screen.cursor_y >= g->screen.rows)
        return VITRINE_E_PROTOCOL;
    g->title = put_text(g, g->screen.title);
    g->has_screen = true;
    return VITRINE_OK;
}

static int take_link(struct gather *g, struct bytes body)
{
    struct ipc_link m;
    struct link k;

    if (ipc_decode_link(body, &m) != ERR_OK)
        return VITRINE_E_PROTOCOL;
    memset(&k, 0, sizeof k);
    k.link = m.link;
    k.target = (const char *)(uintptr_t)put_text(g, m.target);
    put(g, &g->links, &k, sizeof k);
    return VITRINE_OK;
}

/* Takes the next cell's text out of r. False when it cannot be one. */
static bool take_cell(struct rbuf *r, const struct ipc_span *span, struct vitrine_cell *c)
{
    uint8_t head = rbuf_u8(r);

    memset(c, 0, sizeof *c);
    c->width = head / WIDTH_FACTOR;
    if (c->width > 2 || head % WIDTH_FACTOR >= sizeof c->text)
        return false;
    rbuf_copy(r, (uint8_t *)c->text, head % WIDTH_FACTOR);
    c->fg = span->fg;
    c->bg = span->bg;
    c->underline_color = span->underline_color;
    c->link = span->link;
    c->attributes = span->attributes & 0xff;
    c->underline = span->underline;
    return !r->bad;
}

static bool take_spans(struct gather *g, const struct ipc_line *m, struct vitrine_line *line)
{
    struct rbuf spans, text;

    rbuf_init(&spans, m->spans.wire.p, m->spans.wire.len);
    rbuf_init(&text, m->text.p, m->text.len);
    for (uint16_t i = 0; i < m->spans.n; i++) {
        struct ipc_span span;

        ipc_read_span(&spans, &span);
        if (span.cells > g->screen.cols - line->n)
            return false;
        for (uint16_t k = 0; k < span.cells; k++) {
            struct vitrine_cell cell;

            if (!take_cell(&text, &span, &cell))
                return false;
            put(g, &g->cells, &cell, sizeof cell);
        }
        line->n = (uint16_t)(line->n + span.cells);
    }
    return rbuf_done(&text);
}

static void forget_lines(struct gather *g)
{
    g->lines.len = 0;
    g->cells.len = 0;
}

static int take_line(struct gather *g, struct bytes body)
{
    struct vitrine_line line;
    struct ipc_line m;

    if (ipc_decode_line(body, &m) != ERR_OK || !g->has_screen)
        return VITRINE_E_PROTOCOL;
    if (m.line != g->next) /* lines before it are gone meanwhile */
        forget_lines(g);
    memset(&line, 0, sizeof line);
    line.number = m.line;
    line.wrapped = (m.flags & IPC_LINE_WRAPPED) != 0;
    if (!take_spans(g, &m, &line))
        return VITRINE_E_PROTOCOL;
    put(g, &g->lines, &line, sizeof line);
    g->next = m.line + 1;
    return VITRINE_OK;
}

static int take_record(struct library_waiting *w, uint8_t type, struct bytes body)
{
    struct gather *g = w->ctx;
    int status = VITRINE_E_PROTOCOL;

    if (type == IPC_MSG_SCREEN)
        status = take_screen(g, body);
    else if (type == IPC_MSG_LINK)
        status = take_link(g, body);
    else if (type == IPC_MSG_LINE)
        status = take_line(g, body);
    if (status == VITRINE_OK && g->failed)
        status = library_fail(g->v, VITRINE_E_MEMORY, "out of memory");
    return status;
}

/* --- asking --------------------------------------------------------------------------------- */

static int ask(struct gather *g, uint32_t pane, uint64_t from, uint32_t lines)
{
    struct library_waiting waiting = {.id = library_next_id(g->v), .record = take_record, .ctx = g};
    struct ipc_cells m = {waiting.id, pane, from, lines};
    struct wbuf *w = library_begin_frame(g->v, IPC_MSG_CELLS, 24);
    int status;

    g->has_screen = false;
    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_cells(w, &m);
    status = library_end_frame(g->v);
    if (status == VITRINE_OK)
        status = library_wait(g->v, &waiting);
    if (status == VITRINE_OK && !g->has_screen)
        status = library_fail(g->v, VITRINE_E_PROTOCOL, "the server sent no screen");
    return status;
}

static uint64_t end_of(const struct gather *g)
{
    return g->screen.top_line + g->screen.rows;
}

/* Takes lines of the screen back: it is asked for again, as a whole. */
static void forget_screen(struct gather *g)
{
    const struct vitrine_line *lines = (const struct vitrine_line *)g->lines.p;

    for (size_t n = n_lines(g); n > 0 && g->next > g->screen.top_line; n--, g->next--) {
        g->cells.len -= lines[n - 1].n * sizeof(struct vitrine_cell);
        g->lines.len -= sizeof *lines;
    }
}

/* Asks for part after part until one has brought the whole screen; mostly that is the first. A
 * program that prints faster than this reads is followed for PARTS_MAX of them. */
static int ask_all(struct gather *g, uint32_t pane, uint32_t history)
{
    uint64_t from = IPC_BEFORE_TOP(history);
    int status = VITRINE_OK;

    for (unsigned parts = 0; status == VITRINE_OK; parts++) {
        if (parts == PARTS_MAX)
            return library_fail(g->v, VITRINE_E_TIMEOUT, "the program prints too fast");
        status = ask(g, pane, from, UINT32_MAX);
        if (status != VITRINE_OK || (n_lines(g) > 0 && g->next == end_of(g)))
            break;
        forget_screen(g);
        if (n_lines(g) == 0 || g->next == from)
            return library_fail(g->v, VITRINE_E_PROTOCOL, "the server sent no lines");
        from = g->next;
    }
    return status;
}

/* --- the result ----------------------------------------------------------------------------- */

static void fill_screen(const struct ipc_screen *m, struct vitrine_screen *s)
{
    s->cols = m->cols;
    s->rows = m->rows;
    s->cursor_x = m->cursor_x;
    s->cursor_y = m->cursor_y;
    s->cursor_visible = (m->cursor_flags & IPC_CURSOR_VISIBLE) != 0;
    s->cursor_pending_wrap = (m->cursor_flags & IPC_CURSOR_PENDING_WRAP) != 0;
    s->cursor_shape = m->cursor_shape;
    s->mouse = m->mouse;
    s->modes = m->modes & 0xfff;
    s->offset = m->offset;
}

static void place_lines(struct vitrine_line *lines, size_t n, const struct vitrine_cell *cells)
{
    for (size_t i = 0; i < n; i++) {
        lines[i].cells = cells;
        cells += lines[i].n;
    }
}

static void place_links(struct link *links, size_t n, const char *texts)
{
    for (size_t i = 0; i < n; i++)
        links[i].target = texts + (uintptr_t)links[i].target;
}

/* Copies what b holds to `to`; returns where that ends. */
static char *lay(char *to, const struct library_bytes *b)
{
    if (b->len > 0)
        memcpy(to, b->p, b->len);
    return to + b->len;
}

/* Lays everything out in one piece: block, lines, links, cells, texts. Lines that scrolled out
 * while it was asked for make more history than was wanted: the oldest are left out. */
static struct block *lay_out(const struct gather *g, uint32_t history)
{
    struct block *b =
        calloc(1, sizeof *b + g->lines.len + g->links.len + g->cells.len + g->texts.len);
    size_t n = n_lines(g), n_history = n - g->screen.rows;
    size_t more = n_history > history ? n_history - history : 0;
    char *lines, *links, *cells, *texts;

    if (!b)
        return NULL;
    lines = (char *)(b + 1);
    links = lay(lines, &g->lines);
    cells = lay(links, &g->links);
    texts = lay(cells, &g->cells);
    lay(texts, &g->texts);
    b->n_links = g->links.len / sizeof(struct link);
    b->links = (struct link *)links;
    place_links((struct link *)links, b->n_links, texts);
    place_lines((struct vitrine_line *)lines, n, (struct vitrine_cell *)cells);
    fill_screen(&g->screen, &b->screen);
    b->screen.title = texts + g->title;
    b->screen.lines = (struct vitrine_line *)lines + more;
    b->screen.n_lines = n - more;
    b->screen.n_history = n_history - more;
    return b;
}

int vitrine_capture_cells(struct vitrine *v, uint32_t pane, uint32_t history,
                          struct vitrine_screen **out)
{
    struct gather g = {.v = v};
    struct block *b = NULL;
    int status = library_ready(v);

    *out = NULL;
    if (status == VITRINE_OK)
        status = ask_all(&g, pane, history);
    if (status == VITRINE_OK && n_lines(&g) < g.screen.rows)
        status = library_fail(v, VITRINE_E_PROTOCOL, "the server sent a part of the screen");
    if (status == VITRINE_OK && !(b = lay_out(&g, history)))
        status = library_fail(v, VITRINE_E_MEMORY, "out of memory");
    if (b)
        *out = &b->screen;
    library_bytes_clear(&g.lines);
    library_bytes_clear(&g.cells);
    library_bytes_clear(&g.links);
    library_bytes_clear(&g.texts);
    return status;
}

const char *vitrine_screen_link(const struct vitrine_screen *screen, uint32_t link)
{
    const struct block *b = (const struct block *)screen;

    for (size_t i = 0; i < b->n_links; i++) {
        if (b->links[i].link == link)
            return b->links[i].target;
    }
    return NULL;
}
