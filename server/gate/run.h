/* The gate's life: set-up with the daemon, rounds, and the end. */
#ifndef VITRINE_SERVER_GATE_RUN_H
#define VITRINE_SERVER_GATE_RUN_H

struct gate;

/* Runs a gate on a connected stream socket to the daemon until it ends. Returns the exit code. */
int run_gate(int daemon_fd);
/* Begins the end: viewers are told that the daemon is gone, and RUN_STOP_MS later at the latest
 * run_gate returns `exit_code`. May be called anywhere; the first call counts. */
void run_stop(struct gate *g, int exit_code);

#define RUN_STOP_MS 1000

#endif
