/* Running one program and taking its time: posix_spawn, one blocking waitpid, the monotonic clock.
 * What it writes goes into memory, so that a sample's effect can be verified after the clock
 * stopped. There is no polling and no sleep in a sample. */
#ifndef VITRINE_BENCH_PROGRAM_H
#define VITRINE_BENCH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Says why the run is worth nothing, ends the servers that still run, and exits with status 1. */
void program_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Called by program_fail before it exits; one for the whole program. */
void program_on_fail(void (*clean_up)(void));

/* Monotonic nanoseconds. */
int64_t program_now_ns(void);

/* Runs argv (argv[0] is a path) with the environment env, input from /dev/null, output and errors
 * into the buffer behind program_output, until it has ended. Returns nanoseconds from before the
 * spawn until after the wait; *status gets the exit status, or 128 and the signal. */
int64_t program_run(const char *const argv[], const char *const env[], int *status);
/* Starts argv without waiting; its output is thrown away. Returns the process. */
pid_t program_start(const char *const argv[], const char *const env[]);
/* Starts argv as the leader of a session whose terminal is the pseudo-terminal tty. */
pid_t program_start_on(const char *tty, const char *const argv[], const char *const env[]);
/* Waits for a started program, of pid, or of any when pid is -1. Returns the exit status as above.
 */
int program_wait(pid_t pid);

/* What the last program_run's program wrote, NUL-terminated, until the next one; its length. */
const char *program_output(void);
size_t program_output_length(void);

#endif
