/* Programs the daemon runs for run-shell, if-shell and hooks: `sh -c` with what it prints.
 *
 *   start ─► a process group of its own, no terminal ─► its end, or jobs_destroy
 *              └─ output, the first JOBS_OUTPUT_MAX bytes kept, the rest read and dropped
 *
 * A job is over when its shell has ended; what it left in the background goes on. */
#ifndef VITRINE_DAEMON_JOBS_H
#define VITRINE_DAEMON_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOBS_OUTPUT_MAX (256u << 10)
#define JOBS_MAX        256 /* at once */

struct job;
struct job_list;
struct loop;
struct outbuf;

struct job_result {
    bool signalled; /* code is a signal's number, otherwise the exit status */
    int code;
    struct outbuf *output; /* the job's; freed after the call */
};

/* All borrowed for the call. */
struct job_request {
    const char *line;       /* for sh -c */
    const char *const *env; /* NULL-terminated NAME=value */
    const char *cwd;        /* "/" where it cannot be entered */
    /* Called once when it is over; NULL when nobody asks. Not called after job_forget. */
    void (*done)(void *ctx, const struct job_result *result);
    void (*dropped)(void *ctx); /* called instead by jobs_destroy; may be NULL */
    void *ctx;
};

struct job_list *jobs_create(struct loop *l);
/* Ends every job (SIGTERM to its group) and frees the list. */
void jobs_destroy(struct job_list *list);
/* Starts one. NULL with an errno value in *error; EAGAIN when there are JOBS_MAX. */
struct job *jobs_start(struct job_list *list, const struct job_request *r, int *error);
/* The same for a program that reads n bytes of input, which are copied. */
struct job *jobs_start_with(struct job_list *list, const struct job_request *r,
                            const uint8_t *input, size_t n, int *error);
/* Nobody waits for it any more; it goes on. */
void job_forget(struct job *j);
/* Hands the end of a child process to its job; false when it was none of these. */
bool jobs_child_ended(struct job_list *list, pid_t pid, int wait_status);

#endif
