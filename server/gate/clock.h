/* The one clock of the gate: monotonic milliseconds. Test builds can move it forward. */
#ifndef VITRINE_SERVER_GATE_CLOCK_H
#define VITRINE_SERVER_GATE_CLOCK_H

#include <stdint.h>

/* Milliseconds since some fixed moment; never 0, never backwards. */
uint64_t clock_now_ms(void);
#ifdef VITRINE_TEST
void clock_advance_ms(uint64_t ms);
#endif

#endif
