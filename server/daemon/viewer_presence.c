/* Who is watching, as viewers are told it: how many, and by name those whom the viewer may know of.
 *
 * Everybody hears the number and the operators; operators also hear spectators who gave a name. A
 * viewer is told of others, not of itself. What a connection was told is kept, and PRESENCE says
 * what is different: at once after a quiet second, else at the next full one. */
#include <stdlib.h>
#include <string.h>

#include "server/daemon/share.h"
#include "server/daemon/viewer_state.h"

#define CHANGES_MAX        32 /* in one message; more follow in others */
#define CHANGE_FIXED_BYTES 9
#define HEAD_BYTES         6

/* The count is told to a share's viewers at once, and then at most every VIEWER_PRESENCE_MS: those
 * who are owed it then become due together. */
void viewer_tell_presence(void *ctx)
{
    struct viewer_list *list = ctx;

    list->presence_ms = loop_now_ms(list->loop);
    for (struct viewer *v = list->first; v; v = v->next) {
        v->presence_due = v->presence_owed;
        if (v->presence_due)
            viewer_wake(v);
    }
}

void viewer_count_changed(struct viewer_list *list, struct share *share)
{
    uint64_t since = loop_now_ms(list->loop) - list->presence_ms;

    for (struct viewer *v = list->first; v; v = v->next) {
        if (v->share == share && v->state == VIEWER_LIVE)
            v->presence_owed = true;
    }
    if (list->presence_ms == 0 || since == 0 || since >= VIEWER_PRESENCE_MS)
        viewer_tell_presence(list);
    else if (!loop_timer_running(&list->presence))
        loop_timer_start(&list->presence, VIEWER_PRESENCE_MS - since);
    list->hooks.changed(list->hooks.ctx);
}

static bool may_know(const struct viewer *v, const struct viewer *other)
{
    return other != v && other->counted && other->share == v->share &&
           (other->role == ROLE_OPERATOR || (v->role == ROLE_OPERATOR && other->name[0]));
}

static int compare(const void *a, const void *b)
{
    const struct viewer *const *x = a, *const *y = b;

    return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* Those v may know of, by rising id; the caller frees it. NULL when memory ran out. */
static const struct viewer **those_here(const struct viewer *v, size_t *n)
{
    const struct viewer **here = malloc((v->share->viewers + 1) * sizeof *here);

    *n = 0;
    for (const struct viewer *o = v->list->first; here && o; o = o->next) {
        if (may_know(v, o) && *n < v->share->viewers)
            here[(*n)++] = o;
    }
    if (here)
        qsort(here, *n, sizeof *here, compare);
    return here;
}

/* What is different between told and here, at most CHANGES_MAX; told becomes what it is after them,
 * in `after`, which has room for both. Returns how many. */
static uint16_t differences(const struct viewer *v, const struct viewer *const *here, size_t n,
                            struct viewer_presence_change *out, uint32_t *after, size_t *n_after)
{
    size_t i = 0, k = 0;
    uint16_t changes = 0;

    *n_after = 0;
    while (i < v->n_told || k < n) {
        uint32_t old = i < v->n_told ? v->told[i] : UINT32_MAX;
        uint32_t now = k < n ? here[k]->id : UINT32_MAX;
        bool same = old == now, full = changes == CHANGES_MAX;

        if (same || (old < now && full)) {
            after[(*n_after)++] = old;
        } else if (old < now) {
            out[changes++] =
                (struct viewer_presence_change){.viewer_id = old, .kind = PRESENCE_KIND_LEFT};
        } else if (!full) {
            after[(*n_after)++] = now;
            out[changes++] = (struct viewer_presence_change){.viewer_id = now,
                                                             .kind = PRESENCE_KIND_JOINED,
                                                             .role = here[k]->role,
                                                             .name = bytes_of(here[k]->name)};
        }
        i += old <= now;
        k += now <= old;
    }
    return changes;
}

/* Sends one message and keeps what it told. True when another may be needed. */
static bool send_one(struct viewer *v)
{
    struct viewer_presence_change changes[CHANGES_MAX];
    struct viewer_presence m = {.viewers = v->share->viewers};
    uint8_t body[HEAD_BYTES + CHANGES_MAX * (CHANGE_FIXED_BYTES + VIEWER_NAME_MAX_BYTES)];
    size_t n, n_after = 0;
    const struct viewer **here = those_here(v, &n);
    uint32_t *after = here ? malloc((n + v->n_told + 1) * sizeof *after) : NULL;
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    if (after) {
        m.changes.n = differences(v, here, n, changes, after, &n_after);
        m.changes.items = changes;
    }
    viewer_encode_presence(&w, &m);
    free(here);
    if (!after || w.bad || !connection_send(v->connection, VIEWER_MSG_PRESENCE, body, w.len)) {
        free(after);
        return false;
    }
    free(v->told);
    v->told = after;
    v->n_told = n_after;
    v->presence_owed = v->presence_due = m.changes.n == CHANGES_MAX;
    return v->presence_due;
}

void viewer_send_presence(struct viewer *v)
{
    while (v->connection && send_one(v))
        ;
}
