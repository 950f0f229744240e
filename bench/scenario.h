/* The scenarios of docs/benchmarks.md. Each measures both peers side by side and leaves its numbers
 * with samples.h; main.c has the table of them. */
#ifndef VITRINE_BENCH_SCENARIO_H
#define VITRINE_BENCH_SCENARIO_H

#include "bench/peer.h"

struct scenario_setup {
    struct peer peers[PEERS];
    const char *dir;    /* for files of the run */
    const char *floors; /* folder of the two empty programs */
    const char *bin;    /* folder of vitrine's programs */
    int samples;        /* of a latency, without the warm-up */
    int panes;          /* of the scenario with many panes */
};

#define SCENARIO_WARM_UP 5
#define SCENARIO_COLS    120
#define SCENARIO_ROWS    40
#define SCENARIO_LINES   10000 /* of scrollback */

/* Which peer has the i-th turn's first or second half: A B, then B A, so that what one leaves
 * behind does not always meet the same other. */
struct peer *scenario_turn(struct scenario_setup *s, int i, int half);

/* One command line after another against a running server, and attaching. */
void commands_run(struct scenario_setup *s);
/* Attaching to a session with SCENARIO_LINES of scrollback, until the last cell is drawn. */
void attach_run(struct scenario_setup *s);
/* Servers that begin and end: first answer, create and kill. */
void servers_run(struct scenario_setup *s);
/* Empty programs, sizes of programs, memory of servers. */
void footprint_run(struct scenario_setup *s);
/* Thousands of panes. */
void panes_run(struct scenario_setup *s);

/* Makes the session "long", whose pane has written SCENARIO_LINES lines, all of which have arrived
 * in its scrollback; the last text of its screen is SCENARIO_LAST. */
#define SCENARIO_LAST "the-last-cell"
void scenario_make_long(struct scenario_setup *s, struct peer *p);

#endif
