#include "proto/compat.h"

#include "server/daemon/trim.h"

#include <malloc.h>
#include <stdbool.h>

#include "server/daemon/loop.h"

static struct loop_timer timer;
static bool is_open;

static void on_time(void *ctx)
{
    (void)ctx;
    malloc_trim(0);
}

void trim_open(struct loop *l)
{
    loop_timer_init(&timer, l, on_time, NULL);
    is_open = true;
}

void trim_close(void)
{
    if (is_open)
        loop_timer_stop(&timer);
    is_open = false;
}

void trim_soon(void)
{
    if (is_open && !loop_timer_running(&timer))
        loop_timer_start(&timer, TRIM_MS);
}
