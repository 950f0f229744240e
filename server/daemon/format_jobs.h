/* #(command) in formats: what a command printed last, without ever waiting for it.
 *
 *   asked ─► known: its last line        unknown: empty
 *     └─ not running and not run in this second ─► sh -c ─► a line ─► redraw
 *
 * So a status line shows what was printed before and is drawn again when there is more. Commands
 * that nobody asked for in an hour are forgotten. */
#ifndef VITRINE_DAEMON_FORMAT_JOBS_H
#define VITRINE_DAEMON_FORMAT_JOBS_H

#include <stdint.h>

#define FORMAT_JOBS_MAX      200
#define FORMAT_JOBS_LINE_MAX 4096
#define FORMAT_JOBS_IDLE_S   3600

struct format_jobs;
struct job_list;
struct loop;

/* changed is called when a command has printed something that was asked for. NULL when memory ran
 * out. */
struct format_jobs *format_jobs_create(struct loop *l, struct job_list *jobs,
                                       void (*changed)(void *ctx), void *ctx);
/* Forgets all; what runs goes on. Call it before jobs_destroy. */
void format_jobs_destroy(struct format_jobs *f);
/* What a command printed last, "" when nothing yet. env (NAME=value, NULL-terminated, may be NULL)
 * and cwd are for running it. Borrowed until the next call. */
const char *format_jobs_text(struct format_jobs *f, const char *command, const char *const *env,
                             const char *cwd);

#endif
