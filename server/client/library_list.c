/* Lists of sessions, windows and panes: records are gathered, texts beside them, and put into one
 * piece of memory at the end. Until then a text is its place among the texts. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <stdlib.h>
#include <string.h>

struct list {
    struct vitrine *v;
    struct library_bytes items;
    struct library_bytes texts;
    size_t n;
    bool failed; /* without memory */
};

static const char *put_text(struct list *l, struct bytes text)
{
    size_t at = l->texts.len;

    if (!library_put(&l->texts, text.p, text.len) || !library_put(&l->texts, "", 1))
        l->failed = true;
    return (const char *)(uintptr_t)at;
}

static int put_item(struct list *l, const void *item, size_t size)
{
    if (l->failed || !library_put(&l->items, item, size))
        return library_fail(l->v, VITRINE_E_MEMORY, "out of memory");
    l->n++;
    return VITRINE_OK;
}

/* --- records -------------------------------------------------------------------------------- */

static int take_session(struct library_waiting *w, uint8_t type, struct bytes body)
{
    struct list *l = w->ctx;
    struct vitrine_session s;
    struct ipc_session m;

    if (type != IPC_MSG_SESSION || ipc_decode_session(body, &m) != ERR_OK)
        return VITRINE_E_PROTOCOL;
    memset(&s, 0, sizeof s);
    s.id = m.session;
    s.name = put_text(l, m.name);
    s.created_s = (int64_t)m.created_s;
    s.attached = m.attached;
    s.cols = m.cols;
    s.rows = m.rows;
    s.windows = m.windows;
    s.current_window = m.current_window;
    return put_item(l, &s, sizeof s);
}

static int take_window(struct library_waiting *w, uint8_t type, struct bytes body)
{
    struct list *l = w->ctx;
    struct vitrine_window s;
    struct ipc_window m;

    if (type != IPC_MSG_WINDOW || ipc_decode_window(body, &m) != ERR_OK)
        return VITRINE_E_PROTOCOL;
    memset(&s, 0, sizeof s);
    s.id = m.window;
    s.session = m.session;
    s.index = m.index;
    s.name = put_text(l, m.name);
    s.cols = m.cols;
    s.rows = m.rows;
    s.panes = m.panes;
    s.active_pane = m.active_pane;
    s.current = (m.flags & IPC_WINDOW_CURRENT) != 0;
    s.last = (m.flags & IPC_WINDOW_LAST) != 0;
    s.bell = (m.flags & IPC_WINDOW_BELL) != 0;
    s.activity = (m.flags & IPC_WINDOW_ACTIVITY) != 0;
    s.zoomed = (m.flags & IPC_WINDOW_ZOOMED) != 0;
    return put_item(l, &s, sizeof s);
}

static void fill_place(struct vitrine_pane *s, const struct ipc_pane *m)
{
    s->id = m->pane;
    s->window = m->window;
    s->session = m->session;
    s->index = m->index;
    s->x = m->x;
    s->y = m->y;
    s->cols = m->cols;
    s->rows = m->rows;
    s->active = (m->flags & IPC_PANE_ACTIVE) != 0;
}

static int take_pane(struct library_waiting *w, uint8_t type, struct bytes body)
{
    struct list *l = w->ctx;
    struct vitrine_pane s;
    struct ipc_pane m;

    if (type != IPC_MSG_PANE || ipc_decode_pane(body, &m) != ERR_OK)
        return VITRINE_E_PROTOCOL;
    memset(&s, 0, sizeof s);
    fill_place(&s, &m);
    s.dead = (m.flags & IPC_PANE_DEAD) != 0;
    s.end.how = (m.flags & IPC_PANE_SIGNALLED) ? VITRINE_SIGNALLED : VITRINE_EXITED;
    s.end.code = m.code;
    s.pid = m.pid;
    s.history = m.history;
    s.offset = m.offset;
    s.title = put_text(l, m.title);
    s.program = put_text(l, m.program);
    s.directory = put_text(l, m.directory);
    s.tty = put_text(l, m.tty);
    return put_item(l, &s, sizeof s);
}

/* --- lists ---------------------------------------------------------------------------------- */

static int ask(struct vitrine *v, unsigned flags, struct library_waiting *waiting)
{
    struct ipc_list m = {waiting->id, (uint8_t)flags};
    struct wbuf *w = library_begin_frame(v, IPC_MSG_LIST, 8);
    int status;

    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_list(w, &m);
    status = library_end_frame(v);
    return status == VITRINE_OK ? library_wait(v, waiting) : status;
}

/* The items with the texts behind them; *texts is where these begin. */
static void *join(struct list *l, char **texts)
{
    char *all = malloc(l->items.len + l->texts.len + 1);

    if (!all) {
        library_fail(l->v, VITRINE_E_MEMORY, "out of memory");
        return NULL;
    }
    if (l->n > 0) {
        memcpy(all, l->items.p, l->items.len);
        memcpy(all + l->items.len, l->texts.p, l->texts.len);
    }
    *texts = all + l->items.len;
    return all;
}

static void *gather(struct vitrine *v, unsigned flags,
                    int (*record)(struct library_waiting *, uint8_t, struct bytes), size_t *n,
                    char **texts, int *status)
{
    struct list l = {.v = v};
    struct library_waiting w = {.record = record, .ctx = &l};
    void *all = NULL;

    *n = 0;
    *status = library_ready(v);
    if (*status == VITRINE_OK) {
        w.id = library_next_id(v);
        *status = ask(v, flags, &w);
    }
    if (*status == VITRINE_OK) {
        all = join(&l, texts);
        *n = l.n;
        *status = all ? VITRINE_OK : VITRINE_E_MEMORY;
    }
    library_bytes_clear(&l.items);
    library_bytes_clear(&l.texts);
    return all;
}

static void place_text(const char **text, char *texts)
{
    *text = texts + (uintptr_t)*text;
}

int vitrine_list_sessions(struct vitrine *v, struct vitrine_session **list, size_t *n)
{
    char *texts;
    int status;

    *list = gather(v, IPC_LIST_SESSIONS, take_session, n, &texts, &status);
    for (size_t i = 0; *list && i < *n; i++)
        place_text(&(*list)[i].name, texts);
    return status;
}

int vitrine_list_windows(struct vitrine *v, struct vitrine_window **list, size_t *n)
{
    char *texts;
    int status;

    *list = gather(v, IPC_LIST_WINDOWS, take_window, n, &texts, &status);
    for (size_t i = 0; *list && i < *n; i++)
        place_text(&(*list)[i].name, texts);
    return status;
}

int vitrine_list_panes(struct vitrine *v, struct vitrine_pane **list, size_t *n)
{
    char *texts;
    int status;

    *list = gather(v, IPC_LIST_PANES, take_pane, n, &texts, &status);
    for (size_t i = 0; *list && i < *n; i++) {
        place_text(&(*list)[i].title, texts);
        place_text(&(*list)[i].program, texts);
        place_text(&(*list)[i].directory, texts);
        place_text(&(*list)[i].tty, texts);
    }
    return status;
}
