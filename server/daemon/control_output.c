/* Subscriptions of programs to what panes print and to how they end.
 *
 *   pane's ring ──► subscription: an offset ──► the client's queue ──► its socket
 *
 * A subscription holds no bytes: it is a place in the pane's ring, which keeps PANE_RING_BYTES.
 * While the client's queue is full nothing is taken from the ring; who stays behind for longer than
 * the ring lasts gets LAG and goes on at the newest place between two sequences. So a client that
 * does not read costs its queue, whatever it subscribed to, and never slows a pane.
 *
 *   waiting (for the pane that a COMMAND makes) ─► running ─► ENDED, gone
 *
 * The end of a pane sends what is left of its output while the queue is below
 * CONTROL_OUT_MAX_BYTES, else LAG, then ENDED. */
#include "server/daemon/control_state.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/daemon.h"
#include "server/daemon/ring.h"
#include "server/daemon/screen.h"

struct subscription {
    struct client *client;
    uint32_t id;
    bool output;       /* DATA is wanted */
    struct pane *pane; /* NULL while it waits for one */
    uint64_t at;       /* offset of the next byte to send */
    struct pane_observer observer;
    struct loop_task reaper; /* the pane may still stand on the observer */
    struct subscription *next;
};

static void free_subscription(void *ctx)
{
    free(ctx);
}

static void remove_subscription(struct subscription *s)
{
    struct program *p = &s->client->program;

    for (struct subscription **at = &p->subscriptions; *at; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    p->n_subscriptions--;
    if (p->next_pane == s)
        p->next_pane = NULL;
    if (s->pane)
        pane_unobserve(s->pane, &s->observer);
    loop_defer(s->client->control->daemon->loop, &s->reaper);
}

static struct subscription *find_subscription(const struct client *k, uint32_t id)
{
    struct subscription *s = k->program.subscriptions;

    while (s && s->id != id)
        s = s->next;
    return s;
}

/* --- sending -------------------------------------------------------------------------------- */

static void send_data(struct subscription *s, const uint8_t *p, size_t n)
{
    struct ipc_data m = {s->id, s->at, {p, n}};
    uint8_t body[16 + IPC_DATA_MAX_BYTES];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_data(&w, &m);
    control_send(s->client, IPC_MSG_DATA, body, w.len);
    s->at += n;
}

static void send_lag(struct subscription *s, uint64_t to)
{
    struct ipc_lag m = {s->id, s->at, to};
    uint8_t body[32];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_lag(&w, &m);
    control_send(s->client, IPC_MSG_LAG, body, w.len);
    s->at = to;
}

/* The newest offset that the ring holds and where the stream stands between two sequences. */
static uint64_t newest_cut(struct pane *p)
{
    uint64_t cut = screen_cut(pane_screen(p)), tail = ring_tail(pane_ring(p));

    return cut > tail ? cut : tail;
}

/* Sends one piece. False when there is none, or no room below max. */
static bool send_piece(struct subscription *s, size_t max)
{
    const struct ring *r = pane_ring(s->pane);
    const uint8_t *p;
    size_t n;

    if (!s->output || s->at == ring_head(r) || s->client->out.len >= max)
        return false;
    if (s->at < ring_tail(r)) {
        send_lag(s, newest_cut(s->pane));
        return true;
    }
    p = ring_peek(r, s->at, IPC_DATA_MAX_BYTES, &n);
    send_data(s, p, n);
    return true;
}

static void send_waiting(struct subscription *s, size_t max)
{
    while (send_piece(s, max))
        ;
}

void control_resume_output(struct client *k)
{
    bool sent = true;

    while (sent) {
        sent = false;
        for (struct subscription *s = k->program.subscriptions; s; s = s->next)
            sent |= s->pane && send_piece(s, CONTROL_DATA_MAX_BYTES);
    }
}

static void send_ended(struct client *k, uint32_t id, enum ipc_end how, uint32_t code)
{
    struct ipc_ended m = {id, (uint8_t)how, code};
    uint8_t body[16];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_ended(&w, &m);
    control_send(k, IPC_MSG_ENDED, body, w.len);
}

static void send_subscribed(struct subscription *s, uint32_t pane, uint16_t column)
{
    struct ipc_subscribed m = {s->id, pane, s->at, column};
    uint8_t body[32];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_subscribed(&w, &m);
    control_send(s->client, IPC_MSG_SUBSCRIBED, body, w.len);
}

/* --- the pane ------------------------------------------------------------------------------- */

struct ended_pane control_describe_end(const struct pane *p)
{
    struct pane_status status = pane_status(p);
    struct ended_pane e = {pane_id(p), IPC_END_KILLED, 0};

    if (status.dead) {
        e.how = status.signalled ? IPC_END_SIGNALLED : IPC_END_EXITED;
        e.code = (uint32_t)status.code;
    }
    return e;
}

static void end_with_pane(struct subscription *s)
{
    struct ended_pane e = control_describe_end(s->pane);
    uint64_t head = ring_head(pane_ring(s->pane));

    send_waiting(s, CONTROL_OUT_MAX_BYTES);
    if (s->output && s->at < head)
        send_lag(s, head);
    send_ended(s->client, s->id, e.how, e.code);
    remove_subscription(s);
}

static void on_output(void *ctx, struct pane *p)
{
    (void)p;
    send_waiting(ctx, CONTROL_DATA_MAX_BYTES);
}

static void on_exited(void *ctx, struct pane *p)
{
    (void)p;
    end_with_pane(ctx);
}

void control_end_output(struct client *k, struct pane *p)
{
    for (struct subscription *s = k->program.subscriptions, *next; s; s = next) {
        next = s->next;
        if (s->pane == p)
            end_with_pane(s);
    }
}

/* Where the cursor stood, for who reads text: 0 behind a line feed too, when a program in raw mode
 * goes on below. */
static uint16_t column_of(const struct subscription *s)
{
    const uint8_t *last;
    size_t n;

    if (s->at == 0)
        return 0;
    last = ring_peek(pane_ring(s->pane), s->at - 1, 1, &n);
    return last && *last == '\n' ? 0 : screen_cursor(pane_screen(s->pane)).x;
}

static void begin(struct subscription *s, struct pane *p, uint64_t from)
{
    s->pane = p;
    s->at = from == IPC_NOW ? newest_cut(p) : from;
    s->observer = (struct pane_observer){.output = on_output, .exited = on_exited, .ctx = s};
    pane_observe(p, &s->observer);
    send_subscribed(s, pane_id(p), column_of(s));
    if (pane_status(p).dead)
        end_with_pane(s);
    else
        send_waiting(s, CONTROL_DATA_MAX_BYTES);
}

/* --- subscribing ---------------------------------------------------------------------------- */

static struct subscription *add_subscription(struct client *k, const struct ipc_subscribe *m)
{
    struct subscription *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->client = k;
    s->id = m->id;
    s->output = (m->flags & IPC_SUBSCRIBE_OUTPUT) != 0;
    loop_task_init(&s->reaper, free_subscription, s);
    s->next = k->program.subscriptions;
    k->program.subscriptions = s;
    k->program.n_subscriptions++;
    return s;
}

/* Why k may not subscribe; NULL when it may. */
static const char *obstacle(const struct client *k, const struct ipc_subscribe *m)
{
    if (find_subscription(k, m->id))
        return "this number is in use";
    if (k->program.n_subscriptions >= IPC_SUBSCRIPTIONS)
        return "too many subscriptions";
    if (m->pane == IPC_NEXT_PANE && k->program.next_pane)
        return "the next pane is waited for already";
    return NULL;
}

static const struct ended_pane *find_ended(const struct control *c, uint32_t pane)
{
    size_t n = c->n_ended < CONTROL_ENDED_PANES ? c->n_ended : CONTROL_ENDED_PANES;

    for (size_t i = 0; i < n; i++) {
        if (c->ended[i].pane == pane)
            return &c->ended[i];
    }
    return NULL;
}

/* A pane that is not there: if it ended not long ago, how it ended is still told. */
static void tell_ended(struct client *k, const struct ipc_subscribe *m)
{
    const struct ended_pane *e = find_ended(k->control, m->pane);

    if (!e) {
        control_answer(k, m->id, IPC_RESULT_NOT_FOUND, "no such pane");
        return;
    }
    control_answer(k, m->id, IPC_RESULT_DONE, "");
    send_ended(k, m->id, e->how, e->code);
}

void control_subscribe(struct client *k, const struct ipc_subscribe *m)
{
    const char *why = obstacle(k, m);
    struct target t = {NULL, NULL, NULL};
    struct subscription *s;

    if (why) {
        control_answer(k, m->id, IPC_RESULT_REFUSED, why);
        return;
    }
    if (m->pane != IPC_NEXT_PANE && !control_find_pane(k, m->pane, &t)) {
        tell_ended(k, m);
        return;
    }
    if (t.pane && m->from != IPC_NOW && m->from > ring_head(pane_ring(t.pane))) {
        control_answer(k, m->id, IPC_RESULT_REFUSED, "the pane has not printed so much");
        return;
    }
    s = add_subscription(k, m);
    if (!s) {
        control_answer(k, m->id, IPC_RESULT_MEMORY, "out of memory");
        return;
    }
    control_answer(k, m->id, IPC_RESULT_DONE, "");
    if (t.pane)
        begin(s, t.pane, m->from);
    else
        k->program.next_pane = s;
}

void control_subscribe_next(struct client *k, struct pane *p)
{
    struct subscription *s = k->program.next_pane;

    k->program.next_pane = NULL;
    begin(s, p, 0);
}

void control_subscribe_none(struct client *k)
{
    struct subscription *s = k->program.next_pane;

    send_ended(k, s->id, IPC_END_NO_PANE, 0);
    remove_subscription(s);
}

void control_unsubscribe(struct client *k, uint32_t id)
{
    struct subscription *s = find_subscription(k, id);

    if (!s)
        return;
    send_ended(k, id, IPC_END_ASKED, 0);
    remove_subscription(s);
}

void control_drop_output(struct client *k)
{
    while (k->program.subscriptions)
        remove_subscription(k->program.subscriptions);
}
