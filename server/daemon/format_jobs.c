#include "proto/compat.h"

#include "server/daemon/format_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/jobs.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"

struct entry {
    struct format_jobs *owner;
    char *command;
    char *text;        /* the last line; NULL before the first */
    struct job *job;   /* while it runs */
    int64_t started_s; /* wall clock */
    int64_t asked_s;
    struct entry *next;
};

struct format_jobs {
    struct loop *loop;
    struct job_list *jobs;
    void (*changed)(void *ctx);
    void *ctx;
    struct entry *first;
    size_t n;
};

static void free_entry(struct entry *e)
{
    if (e->job)
        job_forget(e->job);
    free(e->command);
    free(e->text);
    free(e);
}

static void forget_idle(struct format_jobs *f, int64_t now_s)
{
    for (struct entry **at = &f->first; *at;) {
        struct entry *e = *at;

        if (now_s - e->asked_s < FORMAT_JOBS_IDLE_S) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        f->n--;
        free_entry(e);
    }
}

static struct entry *find(struct format_jobs *f, const char *command, int64_t now_s)
{
    struct entry *e = f->first;

    while (e && strcmp(e->command, command) != 0)
        e = e->next;
    if (e)
        return e;
    forget_idle(f, now_s);
    e = f->n < FORMAT_JOBS_MAX ? calloc(1, sizeof *e) : NULL;
    if (!e || !(e->command = strdup(command))) {
        free(e);
        return NULL;
    }
    e->owner = f;
    e->started_s = INT64_MIN;
    e->next = f->first;
    f->first = e;
    f->n++;
    return e;
}

/* The last line of what was printed, owned. */
static char *last_line(const struct outbuf *out)
{
    size_t end = out->len, start;

    while (end > 0 && (out->p[end - 1] == '\n' || out->p[end - 1] == '\r'))
        end--;
    for (start = end; start > 0 && out->p[start - 1] != '\n';)
        start--;
    if (end - start > FORMAT_JOBS_LINE_MAX)
        end = start + FORMAT_JOBS_LINE_MAX;
    return strndup(end > start ? (const char *)out->p + start : "", end - start);
}

static void on_done(void *ctx, const struct job_result *result)
{
    struct entry *e = ctx;
    char *text = last_line(result->output);
    bool same = text && e->text && strcmp(text, e->text) == 0;

    e->job = NULL;
    if (!text)
        return;
    free(e->text);
    e->text = text;
    if (!same)
        e->owner->changed(e->owner->ctx);
}

static void on_dropped(void *ctx)
{
    ((struct entry *)ctx)->job = NULL;
}

static void run(struct entry *e, const char *const *env, const char *cwd)
{
    static const char *const nothing[] = {NULL};
    const struct job_request r = {.line = e->command,
                                  .env = env ? env : nothing,
                                  .cwd = cwd,
                                  .done = on_done,
                                  .dropped = on_dropped,
                                  .ctx = e};
    char text[128];
    int error;

    e->job = jobs_start(e->owner->jobs, &r, &error);
    if (e->job || e->text)
        return;
    snprintf(text, sizeof text, "<'%.80s' didn't start>", e->command);
    e->text = strdup(text);
}

const char *format_jobs_text(struct format_jobs *f, const char *command, const char *const *env,
                             const char *cwd)
{
    int64_t now_s = loop_wall_s(f->loop);
    struct entry *e = find(f, command, now_s);

    if (!e)
        return "";
    e->asked_s = now_s;
    if (!e->job && e->started_s != now_s) {
        e->started_s = now_s;
        run(e, env, cwd);
    }
    return e->text ? e->text : "";
}

struct format_jobs *format_jobs_create(struct loop *l, struct job_list *jobs,
                                       void (*changed)(void *ctx), void *ctx)
{
    struct format_jobs *f = calloc(1, sizeof *f);

    if (f)
        *f = (struct format_jobs){.loop = l, .jobs = jobs, .changed = changed, .ctx = ctx};
    return f;
}

void format_jobs_destroy(struct format_jobs *f)
{
    while (f && f->first) {
        struct entry *e = f->first;

        f->first = e->next;
        free_entry(e);
    }
    free(f);
}
