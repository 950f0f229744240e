#include "server/gate/clock.h"

#include <time.h>

static uint64_t advanced_ms;

uint64_t clock_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1 + advanced_ms;
}

#ifdef VITRINE_TEST
void clock_advance_ms(uint64_t ms)
{
    advanced_ms += ms;
}
#endif
