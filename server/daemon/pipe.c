#include "proto/compat.h"

#include "server/daemon/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/daemon/child.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pane.h"
#include "server/daemon/pty.h"
#include "server/daemon/ring.h"

#define READ_BYTES (16u << 10)

struct pane_pipe {
    struct pipe_list *list;
    struct pane *pane; /* NULL once it only writes out */
    struct pane_observer observer;
    int fd;
    struct loop_watch *watch;
    uint64_t at; /* in the pane's ring */
    struct outbuf queue;
    size_t written; /* of queue, from its front */
    bool to_command;
    bool to_pane;
    bool full; /* bytes are being dropped */
    bool dead;
    uint64_t dropped;
    void (*dropping)(void *ctx, struct pane *p, uint64_t n);
    void *ctx;
    struct loop_timer linger;
    struct loop_task reaper;
    struct pane_pipe *next;
};

struct pipe_list {
    struct loop *loop;
    struct pane_pipe *first;
    size_t n;
};

struct pipe_list *pipe_list_create(struct loop *l)
{
    struct pipe_list *list = calloc(1, sizeof *list);

    if (list)
        list->loop = l;
    return list;
}

/* --- the end -------------------------------------------------------------------------------- */

static void free_pipe(void *ctx)
{
    struct pane_pipe *k = ctx;

    outbuf_clear(&k->queue);
    free(k);
}

static void leave_pane(struct pane_pipe *k)
{
    if (k->pane)
        pane_unobserve(k->pane, &k->observer);
    k->pane = NULL;
}

/* Ends it now: what waits is lost. */
static void end_pipe(struct pane_pipe *k)
{
    if (k->dead)
        return;
    k->dead = true;
    leave_pane(k);
    for (struct pane_pipe **at = &k->list->first; *at; at = &(*at)->next) {
        if (*at == k) {
            *at = k->next;
            k->list->n--;
            break;
        }
    }
    loop_timer_stop(&k->linger);
    loop_unwatch(k->watch);
    close(k->fd);
    loop_defer(k->list->loop, &k->reaper);
}

void pipe_list_destroy(struct pipe_list *list)
{
    while (list && list->first)
        end_pipe(list->first);
    if (list)
        loop_settle(list->loop);
    free(list);
}

static void on_linger_over(void *ctx)
{
    end_pipe(ctx);
}

/* --- to the command ------------------------------------------------------------------------- */

static size_t waiting(const struct pane_pipe *k)
{
    return k->queue.len - k->written;
}

static void watch_as_needed(struct pane_pipe *k)
{
    bool reads = !k->to_pane || !k->pane || pane_room(k->pane) > 0;

    loop_watch_set(k->watch, (reads ? LOOP_READ : 0u) | (waiting(k) > 0 ? LOOP_WRITE : 0u));
}

/* Writes what the socket takes. False when nobody reads there any more. */
static bool write_some(struct pane_pipe *k, const uint8_t *p, size_t n, size_t *done)
{
    *done = 0;
    while (*done < n) {
        ssize_t r = send(k->fd, p + *done, n - *done, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return errno == EAGAIN;
        *done += (size_t)r;
    }
    return true;
}

/* Bytes are lost, and are told about once until the queue has run empty. */
static void drop(struct pane_pipe *k, uint64_t n)
{
    k->dropped += n;
    if (!k->full && k->dropping && k->pane)
        k->dropping(k->ctx, k->pane, k->dropped);
    k->full = true;
}

/* Keeps what there is room for; the rest is dropped. */
static void keep(struct pane_pipe *k, const uint8_t *p, size_t n)
{
    size_t room = PIPE_QUEUE_BYTES - waiting(k), part = n < room ? n : room;

    if (k->written > PIPE_QUEUE_BYTES / 2) {
        outbuf_drop(&k->queue, k->written);
        k->written = 0;
    }
    outbuf_put(&k->queue, p, part);
    if (k->queue.bad) { /* none of it was kept */
        k->queue.bad = false;
        part = 0;
    }
    if (part < n)
        drop(k, n - part);
}

static bool take_piece(struct pane_pipe *k, const uint8_t *p, size_t n)
{
    size_t done = 0;

    if (waiting(k) == 0 && !write_some(k, p, n, &done))
        return false;
    if (done < n)
        keep(k, p + done, n - done);
    return true;
}

/* Takes what the pane has printed since the last time. False when the command has gone. */
static bool take_output(struct pane_pipe *k)
{
    const struct ring *r = pane_ring(k->pane);

    while (k->at < ring_head(r)) {
        size_t n;
        const uint8_t *p = ring_peek(r, k->at, PANE_RING_BYTES, &n);

        if (n == 0) { /* more than the ring holds came in one round */
            drop(k, ring_tail(r) - k->at);
            k->at = ring_tail(r);
            continue;
        }
        k->at += n;
        if (k->to_command && !take_piece(k, p, n))
            return false;
    }
    return true;
}

static void on_output(void *ctx, struct pane *p)
{
    struct pane_pipe *k = ctx;

    (void)p;
    if (take_output(k))
        watch_as_needed(k);
    else
        end_pipe(k);
}

/* The queue's front to the socket. False when it is over. */
static bool flush(struct pane_pipe *k)
{
    size_t done;
    bool ok = write_some(k, k->queue.p + k->written, waiting(k), &done);

    k->written += done;
    if (!ok)
        return false;
    if (waiting(k) > 0)
        return true;
    outbuf_clear(&k->queue);
    k->written = 0;
    k->full = false;
    return k->pane != NULL;
}

/* --- to the pane ---------------------------------------------------------------------------- */

/* False at the end. */
static bool read_some(struct pane_pipe *k)
{
    uint8_t bytes[READ_BYTES];
    size_t room = k->to_pane && k->pane ? pane_room(k->pane) : sizeof bytes;
    ssize_t n;

    if (room == 0)
        return true;
    n = recv(k->fd, bytes, room < sizeof bytes ? room : sizeof bytes, MSG_DONTWAIT);
    if (n > 0 && k->to_pane && k->pane)
        pane_write(k->pane, bytes, (size_t)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void on_room(void *ctx, struct pane *p)
{
    (void)p;
    watch_as_needed(ctx);
}

static void on_event(void *ctx, unsigned events)
{
    struct pane_pipe *k = ctx;

    if (((events & LOOP_WRITE) && waiting(k) > 0 && !flush(k)) ||
        ((events & LOOP_READ) && !read_some(k)))
        end_pipe(k);
    else
        watch_as_needed(k);
}

/* --- the beginning -------------------------------------------------------------------------- */

static int set_actions(posix_spawn_file_actions_t *a, const struct pipe_request *r, int fd,
                       const char *cwd)
{
    int e = r->to_command
                ? posix_spawn_file_actions_adddup2(a, fd, STDIN_FILENO)
                : posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    if (e == 0 && r->to_pane)
        e = posix_spawn_file_actions_adddup2(a, fd, STDOUT_FILENO);
    else if (e == 0)
        e = posix_spawn_file_actions_addopen(a, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_addopen(a, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_addchdir_np(a, cwd);
    return e;
}

static int start(const struct pipe_request *r, int fd)
{
    char *argv[] = {"sh", "-c", (char *)r->line, NULL};
    bool enter = r->cwd && r->cwd[0] == '/' && access(r->cwd, X_OK) == 0;
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    pid_t pid;

    if (e != 0)
        return e;
    e = set_actions(&actions, r, fd, enter ? r->cwd : "/");
    pty_children_limit(true);
    if (e == 0)
        e = child_spawn(&pid, "/bin/sh", &actions, argv, (char *const *)r->env, true);
    pty_children_limit(false);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

static void set_up(struct pane_pipe *k, struct pipe_list *list, struct pane *p,
                   const struct pipe_request *r)
{
    k->list = list;
    k->pane = p;
    k->to_command = r->to_command;
    k->to_pane = r->to_pane;
    k->dropping = r->dropping;
    k->ctx = r->ctx;
    k->at = ring_head(pane_ring(p));
    k->observer.output = on_output;
    k->observer.room = on_room;
    k->observer.ctx = k;
    loop_timer_init(&k->linger, list->loop, on_linger_over, k);
    loop_task_init(&k->reaper, free_pipe, k);
}

int pipe_open(struct pipe_list *list, struct pane *p, const struct pipe_request *r)
{
    struct pane_pipe *k = list->n < PIPE_MAX ? calloc(1, sizeof *k) : NULL;
    int fds[2], e;

    if (!k)
        return list->n < PIPE_MAX ? ENOMEM : EAGAIN;
    set_up(k, list, p, r);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        e = errno;
        free(k);
        return e;
    }
    fcntl(fds[0], F_SETFL, O_NONBLOCK); /* ours only: the command's end blocks as usual */
    k->fd = fds[0];
    k->watch = loop_watch(list->loop, k->fd, LOOP_READ, on_event, k);
    e = k->watch ? start(r, fds[1]) : ENOMEM;
    close(fds[1]);
    if (e != 0) {
        loop_unwatch(k->watch);
        close(k->fd);
        free(k);
        return e;
    }
    pane_observe(p, &k->observer);
    k->next = list->first;
    list->first = k;
    list->n++;
    return 0;
}

/* --- from outside --------------------------------------------------------------------------- */

static struct pane_pipe *find(const struct pipe_list *list, const struct pane *p)
{
    struct pane_pipe *k = list->first;

    while (k && k->pane != p)
        k = k->next;
    return k;
}

bool pipe_close(struct pipe_list *list, const struct pane *p)
{
    struct pane_pipe *k = p ? find(list, p) : NULL;

    if (!k)
        return false;
    if (!take_output(k) || waiting(k) == 0) {
        end_pipe(k);
        return true;
    }
    leave_pane(k);
    loop_timer_start(&k->linger, PIPE_LINGER_MS);
    watch_as_needed(k);
    return true;
}

bool pipe_of(const struct pipe_list *list, const struct pane *p, uint64_t *dropped)
{
    const struct pane_pipe *k = p ? find(list, p) : NULL;

    if (k && dropped)
        *dropped = k->dropped;
    return k != NULL;
}
