/* The loop: timers in order, one clock that can be advanced, tasks at the end of the round, and a
 * clock that is fresh when a wait ends. */
#include "proto/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/daemon/loop.h"

#define TIMERS 200

struct ringing {
    struct loop *loop;
    struct loop_timer timers[TIMERS];
    uint64_t delay[TIMERS];
    size_t rung;
    uint64_t last;
    size_t expected;
};

struct ring {
    struct ringing *all;
    size_t i;
};

static void on_ring(void *ctx)
{
    struct ring *r = ctx;
    struct ringing *all = r->all;

    assert_true(all->delay[r->i] >= all->last);
    all->last = all->delay[r->i];
    if (++all->rung == all->expected)
        loop_stop(all->loop);
}

static void test_timers_ring_in_order(void **state)
{
    static struct ringing all;
    static struct ring rings[TIMERS];
    uint32_t seed = 1;

    (void)state;
    all.loop = loop_create();
    assert_non_null(all.loop);
    for (size_t i = 0; i < TIMERS; i++) {
        seed = seed * 1664525 + 1013904223;
        all.delay[i] = 100000 + (seed >> 8) % 5000;
        rings[i] = (struct ring){&all, i};
        loop_timer_init(&all.timers[i], all.loop, on_ring, &rings[i]);
        loop_timer_start(&all.timers[i], all.delay[i]);
    }
    all.expected = TIMERS;
    for (size_t i = 0; i < TIMERS; i += 3) { /* a third is stopped, wherever it stands */
        loop_timer_stop(&all.timers[i]);
        all.expected--;
    }
    loop_advance(all.loop, 110000);
    loop_run(all.loop);
    assert_int_equal(all.rung, all.expected);
    loop_destroy(all.loop);
}

static void note_order(void *ctx)
{
    char **at = ctx;

    *(*at)++ = 't';
}

static void stop(void *ctx)
{
    loop_stop(ctx);
}

static void test_task_runs_once_and_can_be_taken_back(void **state)
{
    char order[8] = "";
    char *at = order;
    struct loop *l = loop_create();
    struct loop_task a, b, end;

    (void)state;
    loop_task_init(&a, note_order, &at);
    loop_task_init(&b, note_order, &at);
    loop_task_init(&end, stop, l);
    loop_defer(l, &a);
    loop_defer(l, &a);
    loop_defer(l, &b);
    loop_defer(l, &end);
    loop_cancel(l, &b);
    loop_run(l);
    assert_string_equal(order, "t");
    loop_destroy(l);
}

struct waking {
    struct loop *loop;
    struct loop_watch *watch;
    struct loop_timer timer;
    int pipe[2];
    uint64_t before;
};

static void on_woken(void *ctx, unsigned events)
{
    struct waking *w = ctx;
    uint64_t waited = loop_now_ms(w->loop) - w->before;

    assert_true(events & LOOP_READ);
    assert_true(waited >= 50); /* not the time at which the wait began */
    loop_stop(w->loop);
}

static void test_clock_is_fresh_after_a_wait(void **state)
{
    struct waking w = {.loop = loop_create()};

    (void)state;
    assert_int_equal(pipe(w.pipe), 0);
    w.watch = loop_watch(w.loop, w.pipe[0], LOOP_READ, on_woken, &w);
    w.before = loop_now_ms(w.loop);
    if (fork() == 0) { /* wakes the loop while it has nothing else to wait for */
        usleep(80000);
        _exit(write(w.pipe[1], "x", 1) == 1 ? 0 : 1);
    }
    loop_run(w.loop);
    loop_unwatch(w.watch);
    loop_destroy(w.loop);
    close(w.pipe[0]);
    close(w.pipe[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timers_ring_in_order),
        cmocka_unit_test(test_task_runs_once_and_can_be_taken_back),
        cmocka_unit_test(test_clock_is_fresh_after_a_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
