#include "server/daemon/loop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

#define LOOP_SIGNALS_MAX 8

struct signal_slot {
    uv_signal_t handle;
    struct loop *loop;
    loop_fn *fn;
    void *ctx;
};

struct loop {
    uv_loop_t uv;
    uv_timer_t timer;         /* the only libuv timer: rings for the earliest of ours */
    uv_prepare_t prepare;     /* runs due timers and deferred tasks before each wait */
    struct loop_timer **heap; /* heap[1] is due first */
    size_t heap_len;
    size_t heap_cap;
    struct loop_task *first;
    struct loop_task **last;
    uint64_t now_ms;
    bool clock_read; /* in this round: what a wait leaves behind is stale */
    uint64_t advanced_ms;
    struct signal_slot signals[LOOP_SIGNALS_MAX];
    size_t n_signals;
};

struct loop_watch {
    uv_poll_t poll;
    struct loop *loop;
    loop_watch_fn *fn;
    void *ctx;
};

/* --- clock ---------------------------------------------------------------------------------- */

static uint64_t boot_ms(void)
{
    struct timespec t;

#ifdef CLOCK_BOOTTIME
    clock_gettime(CLOCK_BOOTTIME, &t);
#else
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void read_clock(struct loop *l)
{
    l->now_ms = boot_ms() + l->advanced_ms;
    l->clock_read = true;
}

/* Before every callback that a wait has led to: the first of a round reads the clock. */
static void wake_clock(struct loop *l)
{
    if (!l->clock_read)
        read_clock(l);
}

uint64_t loop_now_ms(const struct loop *l)
{
    return l->now_ms;
}

int64_t loop_wall_s(const struct loop *l)
{
    return (int64_t)time(NULL) + (int64_t)(l->advanced_ms / 1000);
}

/* --- timers: a binary heap by due time ------------------------------------------------------ */

static void heap_put(struct loop *l, size_t slot, struct loop_timer *t)
{
    l->heap[slot] = t;
    t->slot = slot;
}

static void heap_up(struct loop *l, size_t slot)
{
    struct loop_timer *t = l->heap[slot];

    for (; slot > 1 && l->heap[slot / 2]->due_ms > t->due_ms; slot /= 2)
        heap_put(l, slot, l->heap[slot / 2]);
    heap_put(l, slot, t);
}

static void heap_down(struct loop *l, size_t slot)
{
    struct loop_timer *t = l->heap[slot];

    for (size_t child; (child = slot * 2) <= l->heap_len; slot = child) {
        if (child < l->heap_len && l->heap[child + 1]->due_ms < l->heap[child]->due_ms)
            child++;
        if (l->heap[child]->due_ms >= t->due_ms)
            break;
        heap_put(l, slot, l->heap[child]);
    }
    heap_put(l, slot, t);
}

static bool heap_reserve(struct loop *l)
{
    size_t cap = l->heap_cap ? l->heap_cap * 2 : 64;
    struct loop_timer **grown;

    if (l->heap_len + 1 < l->heap_cap)
        return true;
    grown = realloc(l->heap, cap * sizeof *grown);
    if (!grown)
        return false;
    l->heap = grown;
    l->heap_cap = cap;
    return true;
}

void loop_timer_init(struct loop_timer *t, struct loop *l, loop_fn *fn, void *ctx)
{
    memset(t, 0, sizeof *t);
    t->loop = l;
    t->fn = fn;
    t->ctx = ctx;
}

void loop_timer_start(struct loop_timer *t, uint64_t ms)
{
    struct loop *l = t->loop;

    loop_timer_stop(t);
    if (!heap_reserve(l))
        abort(); /* a lost timer could keep a revoked viewer in: ending is the safe answer */
    t->due_ms = l->now_ms + ms;
    heap_put(l, ++l->heap_len, t);
    heap_up(l, t->slot);
}

void loop_timer_stop(struct loop_timer *t)
{
    struct loop *l = t->loop;
    size_t slot = t->slot;
    struct loop_timer *moved;

    if (slot == 0)
        return;
    t->slot = 0;
    moved = l->heap[l->heap_len--];
    if (moved == t)
        return;
    heap_put(l, slot, moved);
    heap_up(l, slot);
    heap_down(l, moved->slot);
}

bool loop_timer_running(const struct loop_timer *t)
{
    return t->slot != 0;
}

static void run_due_timers(struct loop *l)
{
    while (l->heap_len > 0 && l->heap[1]->due_ms <= l->now_ms) {
        struct loop_timer *t = l->heap[1];

        loop_timer_stop(t);
        t->fn(t->ctx);
    }
}

/* --- tasks ---------------------------------------------------------------------------------- */

void loop_task_init(struct loop_task *t, loop_fn *fn, void *ctx)
{
    memset(t, 0, sizeof *t);
    t->fn = fn;
    t->ctx = ctx;
}

void loop_defer(struct loop *l, struct loop_task *t)
{
    if (t->queued)
        return;
    t->queued = true;
    t->next = NULL;
    *l->last = t;
    l->last = &t->next;
}

void loop_cancel(struct loop *l, struct loop_task *t)
{
    if (!t->queued)
        return;
    for (struct loop_task **p = &l->first; *p; p = &(*p)->next) {
        if (*p != t)
            continue;
        *p = t->next;
        if (!*p)
            l->last = p;
        break;
    }
    t->queued = false;
}

static void run_tasks(struct loop *l)
{
    while (l->first) {
        struct loop_task *t = l->first;

        l->first = t->next;
        if (!l->first)
            l->last = &l->first;
        t->queued = false;
        t->fn(t->ctx);
    }
}

/* --- rounds --------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer)
{
    (void)timer; /* it only ends the wait; on_prepare does the work */
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct loop *l = prepare->data;

    read_clock(l);
    run_due_timers(l);
    run_tasks(l);
    /* tasks may have started timers that are due at once */
    if (l->heap_len == 0)
        uv_timer_stop(&l->timer);
    else {
        uint64_t due = l->heap[1]->due_ms;

        uv_update_time(&l->uv);
        uv_timer_start(&l->timer, on_timer, due > l->now_ms ? due - l->now_ms : 0, 0);
    }
    l->clock_read = false; /* the wait comes next */
}

void loop_advance(struct loop *l, uint64_t ms)
{
    l->advanced_ms += ms;
    read_clock(l);
}

struct loop *loop_create(void)
{
    struct loop *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    if (uv_loop_init(&l->uv) != 0) {
        free(l);
        return NULL;
    }
    l->last = &l->first;
    uv_timer_init(&l->uv, &l->timer);
    uv_prepare_init(&l->uv, &l->prepare);
    l->prepare.data = l;
    uv_prepare_start(&l->prepare, on_prepare);
    read_clock(l);
    return l;
}

void loop_run(struct loop *l)
{
    uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
    uv_stop(&l->uv);
}

void loop_settle(struct loop *l)
{
    run_tasks(l);
}

void loop_destroy(struct loop *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n_signals; i++)
        uv_close((uv_handle_t *)&l->signals[i].handle, NULL);
    uv_close((uv_handle_t *)&l->timer, NULL);
    uv_close((uv_handle_t *)&l->prepare, NULL);
    uv_run(&l->uv, UV_RUN_DEFAULT);
    uv_loop_close(&l->uv);
    free(l->heap);
    free(l);
}

/* --- descriptors and signals ---------------------------------------------------------------- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct loop_watch *w = poll->data;
    unsigned out = 0;

    wake_clock(w->loop);
    if (status < 0 || (events & UV_DISCONNECT))
        out = LOOP_READ | LOOP_WRITE;
    if (events & UV_READABLE)
        out |= LOOP_READ;
    if (events & UV_WRITABLE)
        out |= LOOP_WRITE;
    w->fn(w->ctx, out);
}

struct loop_watch *loop_watch(struct loop *l, int fd, unsigned events, loop_watch_fn *fn, void *ctx)
{
    struct loop_watch *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    if (uv_poll_init(&l->uv, &w->poll, fd) != 0) {
        free(w);
        return NULL;
    }
    w->poll.data = w;
    w->loop = l;
    w->fn = fn;
    w->ctx = ctx;
    loop_watch_set(w, events);
    return w;
}

void loop_watch_set(struct loop_watch *w, unsigned events)
{
    int uv = (events & LOOP_READ ? UV_READABLE : 0) | (events & LOOP_WRITE ? UV_WRITABLE : 0);

    if (uv == 0)
        uv_poll_stop(&w->poll);
    else
        uv_poll_start(&w->poll, uv, on_poll);
}

static void on_watch_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void loop_unwatch(struct loop_watch *w)
{
    if (!w)
        return;
    uv_poll_stop(&w->poll);
    uv_close((uv_handle_t *)&w->poll, on_watch_closed);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct signal_slot *s = handle->data;

    (void)number;
    wake_clock(s->loop);
    s->fn(s->ctx);
}

bool loop_signal(struct loop *l, int signal_number, loop_fn *fn, void *ctx)
{
    struct signal_slot *s;

    if (l->n_signals == LOOP_SIGNALS_MAX)
        return false;
    s = &l->signals[l->n_signals];
    if (uv_signal_init(&l->uv, &s->handle) != 0)
        return false;
    s->handle.data = s;
    s->loop = l;
    s->fn = fn;
    s->ctx = ctx;
    l->n_signals++;
    return uv_signal_start(&s->handle, on_signal, signal_number) == 0;
}
