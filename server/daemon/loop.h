/* The daemon's event loop: libuv behind a small interface, so that every timer reads one clock that
 * tests can advance, and every round ends with one place where output is computed and sent.
 *
 *   round: timers ─► deferred tasks ─► wait ─► descriptors' callbacks (read, change state, defer)
 *
 * Deferred tasks run after the callbacks of a round and before the next wait. */
#ifndef VITRINE_DAEMON_LOOP_H
#define VITRINE_DAEMON_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

typedef void loop_fn(void *ctx);

/* Embedded in its owner; zeroed and set up by loop_timer_init. */
struct loop_timer {
    struct loop *loop;
    loop_fn *fn;
    void *ctx;
    uint64_t due_ms;
    size_t slot; /* place in the heap, from 1; 0 when not running */
};

/* Embedded in its owner; runs once at the end of the round for each time it is deferred. */
struct loop_task {
    loop_fn *fn;
    void *ctx;
    struct loop_task *next;
    bool queued;
};

enum loop_event { LOOP_READ = 1, LOOP_WRITE = 2 };

struct loop_watch;
typedef void loop_watch_fn(void *ctx, unsigned events);

/* Returns NULL when memory or descriptors ran out. */
struct loop *loop_create(void);
/* Frees the loop; every watch and signal must have been ended, timers are forgotten. */
void loop_destroy(struct loop *l);
/* Runs until loop_stop. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* Runs deferred tasks until there are none, outside of loop_run: for an orderly end. */
void loop_settle(struct loop *l);

/* Milliseconds of a clock that goes on while the machine sleeps; the same value during a round. */
uint64_t loop_now_ms(const struct loop *l);
/* Wall-clock seconds since 1970, moved along by loop_advance. */
int64_t loop_wall_s(const struct loop *l);
/* Moves the clock ahead; timers due by then run in this round. For tests. */
void loop_advance(struct loop *l, uint64_t ms);

void loop_timer_init(struct loop_timer *t, struct loop *l, loop_fn *fn, void *ctx);
/* Runs fn once, ms from now; a running timer is moved. */
void loop_timer_start(struct loop_timer *t, uint64_t ms);
void loop_timer_stop(struct loop_timer *t);
bool loop_timer_running(const struct loop_timer *t);

void loop_task_init(struct loop_task *t, loop_fn *fn, void *ctx);
void loop_defer(struct loop *l, struct loop_task *t);
/* Takes a task back; must be called before its owner is freed. */
void loop_cancel(struct loop *l, struct loop_task *t);

/* Watches fd for a set of enum loop_event; fn gets what happened (errors arrive as both). NULL when
 * memory ran out. The descriptor stays the caller's, who must end the watch before closing it. */
struct loop_watch *loop_watch(struct loop *l, int fd, unsigned events, loop_watch_fn *fn,
                              void *ctx);
/* Changes what is watched for; 0 pauses. */
void loop_watch_set(struct loop_watch *w, unsigned events);
/* Ends a watch: fn is not called again. NULL is fine. */
void loop_unwatch(struct loop_watch *w);

/* Calls fn in the loop after the signal arrived. Lives until loop_destroy. */
bool loop_signal(struct loop *l, int signal_number, loop_fn *fn, void *ctx);

#endif
