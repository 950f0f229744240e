/* What a pane shows and showed, as cells for programs: SCREEN, then each line as runs of one pen
 * with their texts, and before a line the targets of links in it that were not told yet. */
#include "server/daemon/control_state.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/daemon.h"
#include "server/daemon/screen.h"

#define TITLE_BYTES  4096
#define LINKS_KNOWN  256 /* numbers of links told lately; others may be told twice */
#define CELL_BYTES   (1 + CELL_TEXT_MAX)
#define SPAN_BYTES   23
#define WIDTH_FACTOR 32 /* of a cell's first byte; CELL_TEXT_MAX is below it */

struct cells {
    struct client *client;
    uint32_t id;
    struct screen *screen;
    uint64_t top; /* number of the visible top row */
    struct ipc_span spans[SCREEN_COLS_MAX];
    uint8_t text[SCREEN_COLS_MAX * CELL_BYTES];
    uint8_t body[64 + SCREEN_COLS_MAX * (CELL_BYTES + SPAN_BYTES)];
    uint32_t told[LINKS_KNOWN];
    size_t link_bytes;
    size_t line_bytes;
};

static void send_screen(struct cells *c)
{
    struct screen_cursor cursor = screen_cursor(c->screen);
    const char *text = screen_title(c->screen);
    char title[TITLE_BYTES + 1];
    struct ipc_screen m = {
        .id = c->id,
        .cols = screen_cols(c->screen),
        .rows = screen_rows(c->screen),
        .offset = screen_head(c->screen),
        .first_line = screen_first_line(c->screen),
        .top_line = c->top,
        .cursor_x = cursor.x,
        .cursor_y = cursor.y,
        .cursor_flags = (uint8_t)((cursor.visible ? IPC_CURSOR_VISIBLE : 0u) |
                                  (cursor.pending_wrap ? IPC_CURSOR_PENDING_WRAP : 0u)),
        .cursor_shape = cursor.shape,
        .modes = screen_modes(c->screen),
        .mouse = (uint8_t)screen_mouse(c->screen),
    };
    struct wbuf w;

    m.title.p = (const uint8_t *)title;
    m.title.len = utf8_printable((const uint8_t *)text, strlen(text), title, TITLE_BYTES);
    wbuf_init(&w, c->body, sizeof c->body);
    ipc_encode_screen(&w, &m);
    control_send(c->client, IPC_MSG_SCREEN, c->body, w.len);
}

/* Tells where a link leads, unless that was told just now or too much was told already. */
static void tell_link(struct cells *c, uint32_t link)
{
    uint32_t *told = &c->told[link % LINKS_KNOWN];
    const char *target = *told == link ? NULL : screen_link(c->screen, link, NULL);
    char shown[SCREEN_TEXT_MAX + 1];
    struct ipc_link m = {c->id, link, {(const uint8_t *)shown, 0}};
    struct wbuf w;

    *told = link;
    if (!target || c->link_bytes + strlen(target) > IPC_LINKS_MAX_BYTES)
        return;
    c->link_bytes += strlen(target);
    m.target.len = utf8_printable((const uint8_t *)target, strlen(target), shown, SCREEN_TEXT_MAX);
    wbuf_init(&w, c->body, sizeof c->body);
    ipc_encode_link(&w, &m);
    control_send(c->client, IPC_MSG_LINK, c->body, w.len);
}

static struct ipc_span span_of(const struct pen *pen)
{
    return (struct ipc_span){.cells = 1,
                             .fg = pen->fg,
                             .bg = pen->bg,
                             .underline_color = pen->underline_color,
                             .link = pen->link,
                             .attributes = pen->flags,
                             .underline = (uint8_t)pen->underline};
}

/* Turns n cells into runs and text. */
static void take_cells(struct cells *c, const struct cell *cells, uint16_t n, struct ipc_line *m)
{
    size_t len = 0;

    m->spans.n = 0;
    m->spans.items = c->spans;
    for (uint16_t i = 0; i < n; i++) {
        if (i > 0 && pen_equal(&cells[i].pen, &cells[i - 1].pen))
            c->spans[m->spans.n - 1].cells++;
        else
            c->spans[m->spans.n++] = span_of(&cells[i].pen);
        c->text[len++] = (uint8_t)(cells[i].width * WIDTH_FACTOR + cells[i].len);
        memcpy(c->text + len, cells[i].text, cells[i].len);
        len += cells[i].len;
    }
    m->text = (struct bytes){c->text, len};
}

/* False when there is no such line. */
static bool send_line(struct cells *c, uint64_t line)
{
    uint16_t n = screen_cols(c->screen);
    const struct cell *cells = line >= c->top ? screen_row(c->screen, (uint16_t)(line - c->top))
                                              : screen_line(c->screen, line, &n);
    struct ipc_line m = {.id = c->id, .line = line};
    struct wbuf w;

    if (!cells)
        return false;
    take_cells(c, cells, n, &m);
    if (line < c->top || !(screen_modes(c->screen) & SCREEN_ALTERNATE)) /* that one never wraps */
        m.flags = screen_line_wrapped(c->screen, line) ? IPC_LINE_WRAPPED : 0;
    for (uint16_t i = 0; i < m.spans.n; i++) {
        if (c->spans[i].link != 0)
            tell_link(c, c->spans[i].link);
    }
    wbuf_init(&w, c->body, sizeof c->body);
    ipc_encode_line(&w, &m);
    control_send(c->client, IPC_MSG_LINE, c->body, w.len);
    c->line_bytes += w.len;
    return true;
}

/* The first line that is asked for and there. */
static uint64_t choose_first(const struct cells *c, uint64_t from)
{
    uint64_t first = screen_first_line(c->screen), above = IPC_NOW - from;

    if (above <= UINT32_MAX) /* counted from the top row */
        from = above < c->top ? c->top - above : 0;
    return from > first ? from : first;
}

void control_send_cells(struct client *k, const struct ipc_cells *m)
{
    struct cells *c;
    struct target t;
    uint64_t line, end;

    if (!control_find_pane(k, m->pane, &t)) {
        control_answer(k, m->id, IPC_RESULT_NOT_FOUND, "no such pane");
        return;
    }
    c = calloc(1, sizeof *c);
    if (!c) {
        control_answer(k, m->id, IPC_RESULT_MEMORY, "out of memory");
        return;
    }
    c->client = k;
    c->id = m->id;
    c->screen = pane_screen(t.pane);
    c->top = screen_top_line(c->screen);
    line = choose_first(c, m->from);
    end = c->top + screen_rows(c->screen);
    send_screen(c);
    for (uint32_t i = 0; i < m->lines && i < IPC_LINES_MAX && line < end; i++, line++) {
        if ((line < c->top && c->line_bytes > IPC_HISTORY_BYTES) || !send_line(c, line))
            break;
    }
    control_answer(k, m->id, IPC_RESULT_DONE, "");
    free(c);
}
