/* What viewers type: queued per pane, in order, until its program takes it, and each byte counted
 * once. A pane whose program does not read holds up only itself, as long as the viewer's share of
 * memory lasts. */
#include "server/daemon/viewer_state.h"

static void take(struct viewer_pane *e, size_t n)
{
    e->viewer->input_taken += n;
    e->viewer->input_queued -= n;
    outbuf_drop(&e->input, n);
}

void viewer_drop_input(struct viewer_pane *e, const char *why)
{
    if (e->input.len == 0)
        return;
    take(e, e->input.len);
    viewer_notice(e->viewer, NOTICE_CODE_NOT_DELIVERED, why);
}

void viewer_drain_input(struct viewer *v)
{
    if (v->look_owed && v->input_queued > 0) /* nothing is typed into what has left the share */
        viewer_look(v);
    for (struct viewer_pane *e = v->panes; e; e = e->next) {
        if (e->input.len == 0)
            continue;
        if (pane_status(e->pane).dead)
            viewer_drop_input(e, "the program has ended");
        else
            take(e, pane_write(e->pane, e->input.p, e->input.len));
    }
}

/* Where the next input byte belongs in the viewer's count. */
static uint64_t input_end(const struct viewer *v)
{
    return v->input_taken + v->input_queued;
}

/* Cuts what was received before off m. False when m leaves a gap. */
static bool trim_overlap(const struct viewer *v, struct viewer_input *m)
{
    uint64_t end = input_end(v);
    uint64_t known;

    if (m->seq > end)
        return false;
    known = end - m->seq;
    if (known > m->data.len)
        known = m->data.len;
    m->data.p += known;
    m->data.len -= (size_t)known;
    return true;
}

static void decline(struct viewer *v, size_t n, const char *why)
{
    v->input_taken += n;
    viewer_notice(v, NOTICE_CODE_NOT_DELIVERED, why);
}

static void queue(struct viewer_pane *e, struct bytes data)
{
    struct viewer *v = e->viewer;

    outbuf_put(&e->input, data.p, data.len);
    if (e->input.bad) {
        viewer_cut(v, "out of memory");
        return;
    }
    v->input_queued += data.len;
    viewer_drain_input(v);
}

void viewer_take_input(struct viewer *v, struct bytes body, bool declined)
{
    struct viewer_input m;
    struct viewer_pane *e;

    if (viewer_decode_input(body, &m) != ERR_OK || !trim_overlap(v, &m) ||
        input_end(v) + m.data.len > v->input_told + VIEWER_INPUT_MAX_BYTES) {
        viewer_cut(v, VIEWER_MALFORMED);
        return;
    }
    if (m.data.len == 0)
        return;
    if (v->look_owed)
        viewer_look(v);
    e = viewer_find_pane(v, m.pane);
    if (declined || !e) {
        decline(v, m.data.len,
                declined ? "you may not type at the moment" : "there is no such pane");
    } else if (e->input.len > 0 && pane_is_interrupt(e->pane, m.data.p, m.data.len)) {
        /* the program does not read: what was typed before is in the way of the interrupt */
        take(e, e->input.len);
        v->input_taken += m.data.len;
        pane_interrupt(e->pane);
    } else if (v->input_queued + m.data.len > VIEWER_QUEUE_MAX_BYTES) {
        decline(v, m.data.len, "the program does not read");
    } else {
        queue(e, m.data);
    }
    viewer_wake(v);
}
