/* Subscriptions, events, and waiting for a program's end. A subscription that is ended while its
 * own handler runs stays in memory until that returns. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <stdlib.h>
#include <string.h>

struct library_subscription *library_find_subscription(struct vitrine *v, uint32_t id)
{
    struct library_subscription *s = v->subscriptions;

    while (s && s->id != id)
        s = s->next;
    return s;
}

static void unlink_subscription(struct vitrine *v, struct library_subscription *s)
{
    for (struct library_subscription **at = &v->subscriptions; *at; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    s->gone = true;
    if (s->running == 0)
        free(s);
}

static void enter(struct vitrine *v, struct library_subscription *s)
{
    v->handling++;
    s->running++;
}

static void leave(struct vitrine *v, struct library_subscription *s)
{
    v->handling--;
    s->running--;
    if (s->gone && s->running == 0)
        free(s);
}

static void tell_end(struct vitrine *v, struct library_subscription *s,
                     const struct vitrine_end *end)
{
    enter(v, s);
    unlink_subscription(v, s);
    if (s->handlers.ended)
        s->handlers.ended(s->ctx, end);
    leave(v, s);
}

void library_end_subscriptions(struct vitrine *v)
{
    const struct vitrine_end lost = {VITRINE_LOST, 0};

    while (v->subscriptions)
        tell_end(v, v->subscriptions, &lost);
}

void library_drop_subscriptions(struct vitrine *v)
{
    while (v->subscriptions)
        unlink_subscription(v, v->subscriptions);
}

/* --- frames --------------------------------------------------------------------------------- */

static bool take_started(struct vitrine *v, struct bytes body)
{
    struct library_subscription *s;
    struct ipc_subscribed m;

    if (ipc_decode_subscribed(body, &m) != ERR_OK)
        return false;
    s = library_find_subscription(v, m.id);
    if (s) {
        s->started = true;
        s->column = m.column;
    }
    return true;
}

static bool take_data(struct vitrine *v, struct bytes body)
{
    struct library_subscription *s;
    struct ipc_data m;

    if (ipc_decode_data(body, &m) != ERR_OK)
        return false;
    s = library_find_subscription(v, m.id);
    if (!s || !s->handlers.output)
        return true;
    enter(v, s);
    s->handlers.output(s->ctx, m.offset, m.data.p, m.data.len);
    leave(v, s);
    return true;
}

static bool take_lag(struct vitrine *v, struct bytes body)
{
    struct library_subscription *s;
    struct ipc_lag m;

    if (ipc_decode_lag(body, &m) != ERR_OK || m.to < m.from)
        return false;
    s = library_find_subscription(v, m.id);
    if (!s || !s->handlers.lag)
        return true;
    enter(v, s);
    s->handlers.lag(s->ctx, m.from, m.to);
    leave(v, s);
    return true;
}

static bool take_ended(struct vitrine *v, struct bytes body)
{
    struct library_subscription *s;
    struct vitrine_end end;
    struct ipc_ended m;

    if (ipc_decode_ended(body, &m) != ERR_OK)
        return false;
    s = library_find_subscription(v, m.id);
    if (!s)
        return true;
    end.how = (enum vitrine_end_how)m.how; /* the same numbers */
    end.code = (int)m.code;
    tell_end(v, s, &end);
    return true;
}

bool library_take_subscribed(struct vitrine *v, uint8_t type, struct bytes body)
{
    switch (type) {
    case IPC_MSG_SUBSCRIBED:
        return take_started(v, body);
    case IPC_MSG_DATA:
        return take_data(v, body);
    case IPC_MSG_LAG:
        return take_lag(v, body);
    default:
        return take_ended(v, body);
    }
}

bool library_take_event(struct vitrine *v, struct bytes body)
{
    char name[256] = "";
    struct vitrine_event event;
    struct ipc_event m;

    if (ipc_decode_event(body, &m) != ERR_OK)
        return false;
    if (!v->on_event)
        return true;
    memcpy(name, m.name.p, m.name.len < sizeof name ? m.name.len : sizeof name - 1);
    event.kind = (enum vitrine_event_kind)m.kind; /* the same numbers */
    event.session = m.session;
    event.window = m.window;
    event.pane = m.pane;
    event.name = name;
    v->handling++;
    v->on_event(v->event_ctx, &event);
    v->handling--;
    return true;
}

/* --- subscribing ---------------------------------------------------------------------------- */

static int ask(struct vitrine *v, struct library_subscription *s, uint32_t pane, uint64_t from)
{
    bool output = s->handlers.output || s->handlers.lag;
    struct library_waiting waiting = {.id = s->id};
    struct ipc_subscribe m = {s->id, pane, output ? IPC_SUBSCRIBE_OUTPUT : 0, from};
    struct wbuf *w = library_begin_frame(v, IPC_MSG_SUBSCRIBE, 24);
    int status;

    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_subscribe(w, &m);
    status = library_end_frame(v);
    return status == VITRINE_OK ? library_wait(v, &waiting) : status;
}

int vitrine_subscribe(struct vitrine *v, uint32_t pane, uint64_t from,
                      const struct vitrine_handlers *handlers, void *ctx, uint32_t *id)
{
    struct library_subscription *s;
    int status = library_ready(v);
    uint32_t number;

    if (id)
        *id = 0;
    if (status != VITRINE_OK)
        return status;
    s = calloc(1, sizeof *s);
    if (!s)
        return library_fail(v, VITRINE_E_MEMORY, "out of memory");
    s->id = number = library_next_id(v);
    s->handlers = *handlers;
    s->ctx = ctx;
    s->next = v->subscriptions;
    v->subscriptions = s;
    status = ask(v, s, pane, from);
    if (status == VITRINE_OK && id)
        *id = number;
    /* refused: nothing has run; it may be gone already when the connection was lost */
    if (status != VITRINE_OK && (s = library_find_subscription(v, number)) != NULL)
        unlink_subscription(v, s);
    return status;
}

int vitrine_unsubscribe(struct vitrine *v, uint32_t id)
{
    struct library_subscription *s = library_find_subscription(v, id);
    struct ipc_unsubscribe m = {id};
    struct wbuf *w;

    if (!s)
        return library_fail(v, VITRINE_E_NOT_FOUND, "no such subscription");
    unlink_subscription(v, s);
    if (!v->c)
        return VITRINE_OK;
    w = library_begin_frame(v, IPC_MSG_UNSUBSCRIBE, 4);
    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_unsubscribe(w, &m);
    if (library_end_frame(v) != VITRINE_OK || connection_send(v->c) != ERR_OK)
        return library_fail(v, VITRINE_E_LOST, "the server went away");
    return VITRINE_OK;
}

int vitrine_on_event(struct vitrine *v,
                     void (*handler)(void *ctx, const struct vitrine_event *event), void *ctx)
{
    v->on_event = handler;
    v->event_ctx = ctx;
    return VITRINE_OK;
}

/* --- the end of a program ------------------------------------------------------------------- */

struct exit_wait {
    bool ended;
    struct vitrine_end end;
};

static void on_ended(void *ctx, const struct vitrine_end *end)
{
    struct exit_wait *w = ctx;

    w->ended = true;
    w->end = *end;
}

int vitrine_wait_exit(struct vitrine *v, uint32_t pane, int timeout_ms, struct vitrine_end *end)
{
    const struct vitrine_handlers handlers = {.ended = on_ended};
    int64_t deadline = library_deadline(timeout_ms);
    struct exit_wait w = {0};
    uint32_t id;
    int status = vitrine_subscribe(v, pane, VITRINE_NOW, &handlers, &w, &id);

    if (end)
        memset(end, 0, sizeof *end);
    while (status == VITRINE_OK && !w.ended)
        status = library_pump(v, deadline);
    if (w.ended && w.end.how != VITRINE_LOST) {
        if (end)
            *end = w.end;
        return VITRINE_OK;
    }
    if (!w.ended && v->c)
        vitrine_unsubscribe(v, id);
    if (status == VITRINE_E_TIMEOUT)
        library_fail(v, status, "the program did not end in time");
    return status;
}
