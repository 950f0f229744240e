#include "proto/compat.h"

#include "server/client/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define RECEIVE_BYTES (64u << 10) /* asked of the kernel at once */

struct block {
    uint8_t *p;
    size_t start; /* used up before here */
    size_t end;
    size_t cap;
};

struct connection {
    int fd;
    bool ended;
    struct block in;
    struct block out;
    struct wbuf frame; /* the one being written, at the end of out */
    size_t mark;
};

/* Makes room for n bytes after b->end, moving what is held to the front. */
static bool reserve(struct block *b, size_t n)
{
    size_t held = b->end - b->start;
    size_t cap = b->cap > 0 ? b->cap : 4096;
    uint8_t *p;

    if (b->start > 0 && (b->cap - b->end < n || held == 0)) {
        memmove(b->p, b->p + b->start, held);
        b->start = 0;
        b->end = held;
    }
    if (b->cap - b->end >= n)
        return true;
    while (cap - held < n)
        cap *= 2;
    p = malloc(cap); /* not realloc: no copy may stay behind that connection_wipe() misses */
    if (!p)
        return false;
    if (held > 0) {
        memcpy(p, b->p, b->end);
        explicit_bzero(b->p, b->end);
    }
    free(b->p);
    b->p = p;
    b->cap = cap;
    return true;
}

static enum err connect_to(int fd, const char *path, int timeout_ms)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct timeval deadline = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

    if (strlen(path) >= sizeof a.sun_path) {
        errno = ENAMETOOLONG;
        return ERR_SYSTEM;
    }
    memcpy(a.sun_path, path, strlen(path));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return ERR_OK;
    return errno == ENOENT || errno == ECONNREFUSED ? ERR_NOT_FOUND : ERR_SYSTEM;
}

static enum err check_peer(int fd)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
        return ERR_SYSTEM;
    return peer.uid == geteuid() ? ERR_OK : ERR_AUTH;
}

static enum err open_socket(const char *path, int timeout_ms, int *fd)
{
    enum err e;
    int flags;

    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return ERR_SYSTEM;
    e = connect_to(*fd, path, timeout_ms);
    if (e == ERR_OK)
        e = check_peer(*fd);
    if (e != ERR_OK)
        return e;
    flags = fcntl(*fd, F_GETFL);
    return flags >= 0 && fcntl(*fd, F_SETFL, flags | O_NONBLOCK) == 0 ? ERR_OK : ERR_SYSTEM;
}

enum err connection_open(const char *path, int timeout_ms, struct connection **out)
{
    struct connection *c;
    int fd;
    enum err e = open_socket(path, timeout_ms, &fd);

    *out = NULL;
    if (e == ERR_OK) {
        c = calloc(1, sizeof *c);
        if (c) {
            c->fd = fd;
            *out = c;
            return ERR_OK;
        }
        e = ERR_MEMORY;
    }
    if (fd >= 0) {
        int saved = errno;

        close(fd);
        errno = saved;
    }
    return e;
}

void connection_close(struct connection *c)
{
    if (!c)
        return;
    close(c->fd);
    free(c->in.p);
    free(c->out.p);
    free(c);
}

int connection_fd(const struct connection *c)
{
    return c->fd;
}

short connection_events(const struct connection *c)
{
    return (short)((c->ended ? 0 : POLLIN) | (connection_queued(c) > 0 ? POLLOUT : 0));
}

size_t connection_queued(const struct connection *c)
{
    return c->out.end - c->out.start;
}

bool connection_ended(const struct connection *c)
{
    return c->ended;
}

struct wbuf *connection_begin_frame(struct connection *c, enum ipc_message_type type,
                                    size_t body_max)
{
    size_t room = body_max + IPC_HEADER_BYTES;

    if (!reserve(&c->out, room))
        return NULL;
    wbuf_init(&c->frame, c->out.p + c->out.end, room);
    c->mark = ipc_begin_frame(&c->frame, type);
    return &c->frame;
}

enum err connection_end_frame(struct connection *c)
{
    if (c->frame.bad || c->frame.len - IPC_HEADER_BYTES > IPC_BODY_MAX_BYTES)
        return ERR_SPACE;
    ipc_end_frame(&c->frame, c->mark);
    c->out.end += c->frame.len;
    return ERR_OK;
}

enum err connection_send(struct connection *c)
{
    while (connection_queued(c) > 0) {
        ssize_t n = send(c->fd, c->out.p + c->out.start, connection_queued(c), MSG_NOSIGNAL);

        if (n > 0)
            c->out.start += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return ERR_OK;
        else if (errno == EPIPE || errno == ECONNRESET)
            c->out.start = c->out.end = 0;
        else if (errno != EINTR)
            return ERR_SYSTEM;
    }
    return ERR_OK;
}

enum err connection_receive(struct connection *c)
{
    ssize_t n;

    if (!reserve(&c->in, RECEIVE_BYTES))
        return ERR_MEMORY;
    n = recv(c->fd, c->in.p + c->in.end, RECEIVE_BYTES, 0);
    if (n > 0)
        c->in.end += (size_t)n;
    else if (n == 0 || errno == ECONNRESET)
        c->ended = true;
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return ERR_SYSTEM;
    return ERR_OK;
}

enum err connection_next(struct connection *c, uint8_t *type, struct bytes *body)
{
    size_t held = c->in.end - c->in.start;
    struct ipc_header h;
    enum err e;

    if (held == 0)
        return ERR_TRUNCATED;
    e = ipc_read_header(c->in.p + c->in.start, held, &h);
    if (e != ERR_OK)
        return e;
    if (held - IPC_HEADER_BYTES < h.length)
        return ERR_TRUNCATED;
    *type = h.type;
    body->p = c->in.p + c->in.start + IPC_HEADER_BYTES;
    body->len = h.length;
    c->in.start += IPC_HEADER_BYTES + h.length;
    return ERR_OK;
}

void connection_wipe(struct connection *c)
{
    if (c->in.p)
        explicit_bzero(c->in.p, c->in.start);
}
