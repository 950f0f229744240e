#include "proto/compat.h"

#include "server/daemon/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/daemon/child.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pty.h"

#define READ_BYTES 4096

struct job {
    struct job_list *list;
    pid_t pid;
    int fd; /* what it prints; -1 once it has closed that */
    struct loop_watch *watch;
    struct outbuf output;
    void (*done)(void *ctx, const struct job_result *result);
    void (*dropped)(void *ctx);
    void *ctx;
    struct job *next;
};

struct job_list {
    struct loop *loop;
    struct job *first;
    size_t n;
};

struct job_list *jobs_create(struct loop *l)
{
    struct job_list *list = calloc(1, sizeof *list);

    if (list)
        list->loop = l;
    return list;
}

static void close_output(struct job *j)
{
    loop_unwatch(j->watch);
    j->watch = NULL;
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
}

static void free_job(struct job *j)
{
    for (struct job **at = &j->list->first; *at; at = &(*at)->next) {
        if (*at == j) {
            *at = j->next;
            j->list->n--;
            break;
        }
    }
    close_output(j);
    outbuf_clear(&j->output);
    free(j);
}

void jobs_destroy(struct job_list *list)
{
    while (list && list->first) {
        struct job *j = list->first;

        kill(-j->pid, SIGTERM);
        if (j->dropped)
            j->dropped(j->ctx);
        free_job(j);
    }
    free(list);
}

void job_forget(struct job *j)
{
    j->done = NULL;
    j->dropped = NULL;
}

/* Reads what there is. False at the end. */
static bool read_some(struct job *j)
{
    char bytes[READ_BYTES];
    ssize_t n;

    while ((n = read(j->fd, bytes, sizeof bytes)) > 0) {
        size_t room = JOBS_OUTPUT_MAX - j->output.len;

        outbuf_put(&j->output, bytes, (size_t)n < room ? (size_t)n : room);
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void on_output(void *ctx, unsigned events)
{
    struct job *j = ctx;

    (void)events;
    if (!read_some(j))
        close_output(j);
}

/* --- starting ------------------------------------------------------------------------------- */

/* A file without a name that holds what the program reads; -1 with errno. */
static int make_input(const uint8_t *input, size_t len)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t done = 0;

    while (fd >= 0 && done < len) {
        ssize_t n = write(fd, input + done, len - done);

        if (n < 0 && errno != EINTR) {
            int e = errno;

            close(fd);
            errno = e;
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static int set_actions(posix_spawn_file_actions_t *a, int in, int out, const char *cwd)
{
    int e = in >= 0 ? posix_spawn_file_actions_adddup2(a, in, STDIN_FILENO)
                    : posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (e == 0)
        e = posix_spawn_file_actions_adddup2(a, out, STDOUT_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(a, out, STDERR_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_addchdir_np(a, cwd);
    return e;
}

static int spawn(struct job *j, const struct job_request *r, int in, int out)
{
    char *argv[] = {"sh", "-c", (char *)r->line, NULL};
    bool enter = r->cwd && r->cwd[0] == '/' && access(r->cwd, X_OK) == 0;
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);

    if (e != 0)
        return e;
    e = set_actions(&actions, in, out, enter ? r->cwd : "/");
    pty_children_limit(true);
    if (e == 0)
        e = child_spawn(&j->pid, "/bin/sh", &actions, argv, (char *const *)r->env, true);
    pty_children_limit(false);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

static struct job *start(struct job_list *list, const struct job_request *r, int in, int *error)
{
    struct job *j = list->n < JOBS_MAX ? calloc(1, sizeof *j) : NULL;
    int fds[2];

    *error = list->n < JOBS_MAX ? ENOMEM : EAGAIN;
    if (!j)
        return NULL;
    if (pipe2(fds, O_CLOEXEC) < 0) {
        *error = errno;
        free(j);
        return NULL;
    }
    fcntl(fds[0], F_SETFL, O_NONBLOCK); /* ours only: the program's end blocks as usual */
    j->list = list;
    j->fd = fds[0];
    j->done = r->done;
    j->dropped = r->dropped;
    j->ctx = r->ctx;
    j->watch = loop_watch(list->loop, j->fd, LOOP_READ, on_output, j);
    *error = j->watch ? spawn(j, r, in, fds[1]) : ENOMEM;
    close(fds[1]);
    if (*error != 0) {
        close_output(j);
        free(j);
        return NULL;
    }
    j->next = list->first;
    list->first = j;
    list->n++;
    return j;
}

struct job *jobs_start(struct job_list *list, const struct job_request *r, int *error)
{
    return start(list, r, -1, error);
}

struct job *jobs_start_with(struct job_list *list, const struct job_request *r,
                            const uint8_t *input, size_t n, int *error)
{
    int in = make_input(input, n);
    struct job *j = NULL;

    if (in < 0) {
        *error = errno;
        return NULL;
    }
    j = start(list, r, in, error);
    close(in);
    return j;
}

bool jobs_child_ended(struct job_list *list, pid_t pid, int wait_status)
{
    struct job *j = list->first;
    struct job_result result = {.signalled = WIFSIGNALED(wait_status)};

    while (j && j->pid != pid)
        j = j->next;
    if (!j)
        return false;
    if (j->fd >= 0)
        read_some(j);
    result.code = result.signalled ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    result.output = &j->output;
    if (j->done)
        j->done(j->ctx, &result);
    free_job(j);
    return true;
}
