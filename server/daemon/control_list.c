/* What there is, as records for programs: sessions, windows, panes. */
#include "server/daemon/control_state.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/daemon.h"
#include "server/daemon/layout.h"
#include "server/daemon/ring.h"
#include "server/daemon/screen.h"

#define TEXT_BYTES   4096 /* of a title, a directory */
#define RECORD_BYTES (3 * TEXT_BYTES)

static void send_session(struct client *k, uint32_t id, const struct session *s)
{
    struct ipc_session m = {.id = id,
                            .session = s->id,
                            .name = bytes_of(s->name),
                            .created_s = (uint64_t)s->created_s,
                            .attached = s->attached,
                            .cols = s->cols,
                            .rows = s->rows,
                            .windows = (uint32_t)session_window_count(s),
                            .current_window = s->current->id};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_session(&w, &m);
    control_send(k, IPC_MSG_SESSION, body, w.len);
}

static uint8_t window_flags(const struct window *win)
{
    unsigned flags = 0;

    flags |= win == win->session->current ? IPC_WINDOW_CURRENT : 0u;
    flags |= win == win->session->last ? IPC_WINDOW_LAST : 0u;
    flags |= (win->marks & WINDOW_BELL) ? IPC_WINDOW_BELL : 0u;
    flags |= (win->marks & WINDOW_ACTIVITY) ? IPC_WINDOW_ACTIVITY : 0u;
    flags |= win->zoomed ? IPC_WINDOW_ZOOMED : 0u;
    return (uint8_t)flags;
}

static void send_window(struct client *k, uint32_t id, const struct window *win)
{
    const struct layout_leaf *active = layout_find(win->layout, win->active);
    struct ipc_window m = {.id = id,
                           .window = win->id,
                           .session = win->session->id,
                           .index = win->index,
                           .name = bytes_of(win->name),
                           .cols = layout_cols(win->layout),
                           .rows = layout_rows(win->layout),
                           .panes = layout_count(win->layout),
                           .active_pane = active ? active->id : 0,
                           .flags = window_flags(win)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_window(&w, &m);
    control_send(k, IPC_MSG_WINDOW, body, w.len);
}

/* Text that programs and users chose; out holds TEXT_BYTES + 1. */
static struct bytes printable(const char *text, char *out)
{
    struct bytes b = {(const uint8_t *)out, 0};

    b.len = utf8_printable((const uint8_t *)text, strlen(text), out, TEXT_BYTES);
    return b;
}

static uint8_t pane_flags(const struct window *win, const struct pane *p)
{
    struct pane_status status = pane_status(p);
    unsigned flags = win->active == p ? IPC_PANE_ACTIVE : 0u;

    flags |= status.dead ? IPC_PANE_DEAD : 0u;
    flags |= status.signalled ? IPC_PANE_SIGNALLED : 0u;
    return (uint8_t)flags;
}

static void send_pane(struct client *k, uint32_t id, struct window *win, uint32_t index)
{
    const struct layout_leaf *leaf = layout_at(win->layout, index);
    struct screen *screen = pane_screen(leaf->pane);
    struct target at = {win->session, win, leaf->pane};
    struct format_place place = format_place(&k->control->daemon->world, &at);
    char *path = format_vars_text(&place, "#{pane_current_path}", false);
    char title[TEXT_BYTES + 1], directory[TEXT_BYTES + 1];
    struct ipc_pane m = {.id = id,
                         .pane = leaf->id,
                         .window = win->id,
                         .session = win->session->id,
                         .index = index,
                         .x = leaf->x,
                         .y = leaf->y,
                         .cols = screen_cols(screen),
                         .rows = screen_rows(screen),
                         .flags = pane_flags(win, leaf->pane),
                         .code = (uint8_t)pane_status(leaf->pane).code,
                         .pid = (uint32_t)pane_pid(leaf->pane),
                         .history = screen_history_count(screen),
                         .offset = ring_head(pane_ring(leaf->pane)),
                         .title = printable(screen_title(screen), title),
                         .directory = printable(path ? path : "", directory),
                         .tty = bytes_of(pane_tty(leaf->pane))};
    char program[256];
    uint8_t body[RECORD_BYTES];
    struct wbuf w;

    m.program.p = (const uint8_t *)program;
    m.program.len =
        utf8_printable((const uint8_t *)pane_command_name(leaf->pane),
                       strlen(pane_command_name(leaf->pane)), program, sizeof program - 1);
    wbuf_init(&w, body, sizeof body);
    ipc_encode_pane(&w, &m);
    control_send(k, IPC_MSG_PANE, body, w.len);
    free(path);
}

static void send_windows(struct client *k, const struct ipc_list *m, const struct session *s)
{
    for (struct window *win = s->windows; win; win = win->next) {
        if (m->flags & IPC_LIST_WINDOWS)
            send_window(k, m->id, win);
        for (uint32_t i = 0; (m->flags & IPC_LIST_PANES) && layout_at(win->layout, i); i++)
            send_pane(k, m->id, win, i);
    }
}

void control_send_list(struct client *k, const struct ipc_list *m)
{
    struct session_list *list = k->control->daemon->sessions;

    for (const struct session *s = session_first(list); s; s = s->next) {
        if (m->flags & IPC_LIST_SESSIONS)
            send_session(k, m->id, s);
        send_windows(k, m, s);
    }
    control_answer(k, m->id, IPC_RESULT_DONE, "");
}
