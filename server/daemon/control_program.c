/* A program's connection: it stays, carries any number of commands, one at a time, and besides them
 * typed requests, each with a number that its answer repeats.
 *
 * What a program may make the daemon hold is bounded: its queue (beyond CONTROL_OUT_MAX_BYTES it is
 * not read), IPC_SUBSCRIPTIONS subscriptions, and one INPUT that waits for a pane's program. */
#include "server/daemon/control_state.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/daemon.h"
#include "server/daemon/hooks_watch.h"

/* Looking for what happens costs something: only while a program wants to know. */
static void choose_events(struct control *c)
{
    bool wanted = false;

    for (const struct client *k = c->clients; k; k = k->next)
        wanted |= k->program.events;
    hooks_watch_panes(c->daemon->watch, wanted);
}

static void send_event(struct client *k, const struct ipc_event *event)
{
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_event(&w, event);
    control_send(k, IPC_MSG_EVENT, body, w.len);
}

static void send_events_lost(struct client *k)
{
    const struct ipc_event m = {IPC_EVENT_LOST, UINT32_MAX, UINT32_MAX, UINT32_MAX, {NULL, 0}};

    if (!k->program.events_lost)
        return;
    k->program.events_lost = false;
    send_event(k, &m);
}

void control_tell_event(struct control *c, const struct ipc_event *event)
{
    for (struct client *k = c->clients; k; k = k->next) {
        if (!k->program.events)
            continue;
        if (k->out.len >= CONTROL_OUT_MAX_BYTES) {
            k->program.events_lost = true;
            continue;
        }
        send_events_lost(k);
        send_event(k, event);
    }
}

bool control_begin_program(struct client *k, struct bytes body)
{
    struct ipc_program m;

    if (ipc_decode_program(body, &m) != ERR_OK)
        return false;
    k->program.events = (m.flags & IPC_PROGRAM_EVENTS) != 0;
    k->state = CLIENT_PROGRAM;
    loop_timer_stop(&k->deadline);
    choose_events(k->control);
    return true;
}

void control_answer(struct client *k, uint32_t id, enum ipc_result result, const char *text)
{
    struct ipc_answer m = {id, (uint8_t)result, bytes_of(text)};
    uint8_t body[256];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_answer(&w, &m);
    control_send(k, IPC_MSG_ANSWER, body, w.len);
}

bool control_find_pane(struct client *k, uint32_t number, struct target *out)
{
    const struct target none = {NULL, NULL, NULL};
    char text[16];

    snprintf(text, sizeof text, "%%%u", number);
    return target_find(k->control->daemon->sessions, text, TARGET_PANE, &none, 0, out) == ERR_OK;
}

/* --- input ---------------------------------------------------------------------------------- */

static void end_input(struct client *k)
{
    struct waiting_input *i = &k->program.input;

    if (!i->pane)
        return;
    pane_unobserve(i->pane, &i->observer);
    i->pane = NULL;
    outbuf_clear(&i->rest);
}

static void answer_input(struct client *k, enum ipc_result result, const char *text)
{
    uint32_t id = k->program.input.id;

    end_input(k);
    control_answer(k, id, result, text);
}

static void on_room(void *ctx, struct pane *p)
{
    struct client *k = ctx;
    struct waiting_input *i = &k->program.input;

    outbuf_drop(&i->rest, pane_write(p, i->rest.p, i->rest.len));
    if (i->rest.len == 0)
        answer_input(k, IPC_RESULT_DONE, "");
}

static void on_exited(void *ctx, struct pane *p)
{
    (void)p;
    answer_input(ctx, IPC_RESULT_ENDED, "the program has ended");
}

static void wait_for_room(struct client *k, struct pane *p, uint32_t id, const uint8_t *rest,
                          size_t n)
{
    struct waiting_input *i = &k->program.input;

    outbuf_put(&i->rest, rest, n);
    if (i->rest.bad) {
        outbuf_clear(&i->rest);
        control_answer(k, id, IPC_RESULT_MEMORY, "out of memory");
        return;
    }
    i->pane = p;
    i->id = id;
    i->observer = (struct pane_observer){.room = on_room, .exited = on_exited, .ctx = k};
    pane_observe(p, &i->observer);
}

static void type(struct client *k, const struct ipc_input *m)
{
    struct target t;
    size_t taken;

    if (k->program.input.pane) {
        control_answer(k, m->id, IPC_RESULT_REFUSED, "other input waits");
        return;
    }
    if (!control_find_pane(k, m->pane, &t)) {
        control_answer(k, m->id, IPC_RESULT_NOT_FOUND, "no such pane");
        return;
    }
    if (pane_status(t.pane).dead) {
        control_answer(k, m->id, IPC_RESULT_ENDED, "the program has ended");
        return;
    }
    taken = pane_write(t.pane, m->data.p, m->data.len);
    if (taken < m->data.len)
        wait_for_room(k, t.pane, m->id, m->data.p + taken, m->data.len - taken);
    else
        control_answer(k, m->id, IPC_RESULT_DONE, "");
}

static bool take_input(struct client *k, struct bytes body)
{
    struct ipc_input m;

    if (ipc_decode_input(body, &m) != ERR_OK || m.id == 0 || m.data.len > IPC_DATA_MAX_BYTES)
        return false;
    type(k, &m);
    return true;
}

/* --- the other requests --------------------------------------------------------------------- */

static void cancel_command(struct client *k)
{
    struct command *c = &k->command;

    if (!k->commanding || !c->cancel)
        return;
    c->cancel(c);
    c->cancel = NULL;
    command_fail(c, "cancelled");
    command_finish(c, COMMAND_FAILED);
}

/* What has ended by itself meanwhile was answered: nothing is said about it again. */
static bool take_cancel(struct client *k, struct bytes body)
{
    struct ipc_cancel m;

    if (ipc_decode_cancel(body, &m) != ERR_OK)
        return false;
    if (m.id == 0)
        cancel_command(k);
    else if (k->program.input.pane && k->program.input.id == m.id)
        answer_input(k, IPC_RESULT_CANCELLED, "cancelled");
    return true;
}

static bool take_list(struct client *k, struct bytes body)
{
    struct ipc_list m;

    if (ipc_decode_list(body, &m) != ERR_OK)
        return false;
    control_send_list(k, &m);
    return true;
}

static bool take_cells(struct client *k, struct bytes body)
{
    struct ipc_cells m;

    if (ipc_decode_cells(body, &m) != ERR_OK)
        return false;
    control_send_cells(k, &m);
    return true;
}

static bool take_subscribe(struct client *k, struct bytes body)
{
    struct ipc_subscribe m;

    if (ipc_decode_subscribe(body, &m) != ERR_OK)
        return false;
    control_subscribe(k, &m);
    return true;
}

static bool take_unsubscribe(struct client *k, struct bytes body)
{
    struct ipc_unsubscribe m;

    if (ipc_decode_unsubscribe(body, &m) != ERR_OK)
        return false;
    control_unsubscribe(k, m.id);
    return true;
}

static bool take_command(struct client *k, struct bytes body)
{
    return !k->commanding && control_take_command(k, body);
}

bool control_take_program(struct client *k, uint8_t type, struct bytes body)
{
    static const struct {
        uint8_t type;
        bool (*take)(struct client *k, struct bytes body);
    } rows[] = {
        {IPC_MSG_COMMAND, take_command},     {IPC_MSG_LIST, take_list},
        {IPC_MSG_INPUT, take_input},         {IPC_MSG_CELLS, take_cells},
        {IPC_MSG_SUBSCRIBE, take_subscribe}, {IPC_MSG_UNSUBSCRIBE, take_unsubscribe},
        {IPC_MSG_CANCEL, take_cancel},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type == type)
            return rows[i].take(k, body);
    }
    return false;
}

/* --- what happens meanwhile ----------------------------------------------------------------- */

void control_program_commanded(struct client *k)
{
    if (k->program.next_pane)
        control_subscribe_none(k);
}

void control_resume_program(struct client *k)
{
    send_events_lost(k);
    control_resume_output(k);
}

void control_forget_pane(struct client *k, struct pane *p)
{
    if (k->program.input.pane == p)
        answer_input(k, IPC_RESULT_ENDED, "the pane is gone");
    control_end_output(k, p);
}

void control_end_program(struct client *k)
{
    end_input(k);
    control_drop_output(k);
    if (k->program.events)
        choose_events(k->control);
}
