#include "proto/compat.h"

#include "server/gate/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/gate/clock.h"

#define STATE_BYTES_MAX 512

enum err link_init(struct link *l, int fd)
{
    int type = 0;
    socklen_t size = sizeof type;

    memset(l, 0, sizeof *l);
    l->fd = fd;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return ERR_RANGE;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    l->in = malloc(LINK_IN_BYTES);
    l->out = malloc(LINK_OUT_BYTES);
    return l->in != NULL && l->out != NULL ? ERR_OK : ERR_MEMORY;
}

void link_clear(struct link *l)
{
    free(l->in);
    free(l->out);
    memset(l, 0, sizeof *l);
    l->fd = -1;
}

/* --- before the loop runs -------------------------------------------------------------------- */

union control {
    char space[CMSG_SPACE(sizeof(int) * MUX_LISTENERS_MAX)];
    struct cmsghdr align;
};

static void take_descriptors(struct msghdr *m, int fds[MUX_LISTENERS_MAX], unsigned *nfds)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (*nfds < MUX_LISTENERS_MAX)
                fds[(*nfds)++] = fd;
            else
                close(fd);
        }
    }
}

static bool wait_readable(int fd, uint64_t until_ms)
{
    struct pollfd p = {fd, POLLIN, 0};
    uint64_t now = clock_now_ms();

    return now < until_ms && poll(&p, 1, (int)(until_ms - now)) > 0;
}

/* Reads until `need` bytes are in l->in. */
static enum err wait_bytes(struct link *l, size_t need, uint64_t until_ms,
                           int fds[MUX_LISTENERS_MAX], unsigned *nfds)
{
    while (l->in_len < need) {
        union control control;
        struct iovec iov = {l->in + l->in_len, need - l->in_len};
        struct msghdr m = {.msg_iov = &iov,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
        ssize_t n;

        if (!wait_readable(l->fd, until_ms))
            return ERR_NOT_FOUND;
        n = recvmsg(l->fd, &m, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return ERR_NOT_FOUND;
        take_descriptors(&m, fds, nfds);
        l->in_len += (size_t)n;
    }
    return ERR_OK;
}

enum err link_wait_frame(struct link *l, int seconds, struct mux_header *h, struct bytes *body,
                         int fds[MUX_LISTENERS_MAX], unsigned *nfds)
{
    uint64_t until = clock_now_ms() + (uint64_t)seconds * 1000;
    enum err e;

    *nfds = 0;
    l->in_len = 0;
    e = wait_bytes(l, MUX_HEADER_BYTES, until, fds, nfds);
    if (e == ERR_OK)
        e = mux_read_header(l->in, l->in_len, h);
    if (e == ERR_OK)
        e = wait_bytes(l, MUX_HEADER_BYTES + h->length, until, fds, nfds);
    body->p = l->in + MUX_HEADER_BYTES;
    body->len = e == ERR_OK ? h->length : 0;
    l->in_len = 0;
    return e;
}

static void attach_descriptor(struct msghdr *m, union control *control, int fd)
{
    struct cmsghdr *c;

    memset(control, 0, sizeof *control);
    m->msg_control = control;
    m->msg_controllen = CMSG_SPACE(sizeof fd);
    c = CMSG_FIRSTHDR(m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

enum err link_send_state(struct link *l, const struct mux_state_report *s, int fd)
{
    uint8_t frame[MUX_HEADER_BYTES + STATE_BYTES_MAX];
    struct mux_header h = {0, MUX_MSG_STATE, 0};
    struct wbuf w;
    union control control;
    size_t len, at = 0;

    wbuf_init(&w, frame + MUX_HEADER_BYTES, STATE_BYTES_MAX);
    mux_encode_state_report(&w, s);
    if (w.bad)
        return ERR_SPACE;
    h.length = (uint32_t)w.len;
    mux_write_header(frame, &h);
    len = MUX_HEADER_BYTES + w.len;
    while (at < len) {
        struct iovec iov = {frame + at, len - at};
        struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
        ssize_t n;

        if (fd >= 0 && at == 0)
            attach_descriptor(&m, &control, fd);
        n = sendmsg(l->fd, &m, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return ERR_NOT_FOUND;
        at += n > 0 ? (size_t)n : 0;
    }
    return ERR_OK;
}

/* --- while it runs --------------------------------------------------------------------------- */

static enum err read_once(struct link *l)
{
    ssize_t n = recv(l->fd, l->in + l->in_len, LINK_IN_BYTES - l->in_len, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return ERR_OK;
    if (n <= 0)
        return ERR_NOT_FOUND;
    l->in_len += (size_t)n;
    return ERR_OK;
}

enum err link_receive(struct link *l,
                      enum err (*on_frame)(void *ctx, const struct mux_header *h,
                                           struct bytes body),
                      void *ctx)
{
    size_t at = 0;
    enum err e = read_once(l);

    while (e == ERR_OK) {
        struct mux_header h;
        struct bytes body;

        e = mux_read_header(l->in + at, l->in_len - at, &h);
        if (e == ERR_TRUNCATED || (e == ERR_OK && l->in_len - at < MUX_HEADER_BYTES + h.length)) {
            e = ERR_OK;
            break;
        }
        body.p = l->in + at + MUX_HEADER_BYTES;
        body.len = h.length;
        if (e == ERR_OK)
            e = on_frame(ctx, &h, body);
        at += MUX_HEADER_BYTES + h.length;
    }
    if (e != ERR_OK)
        return e;
    memmove(l->in, l->in + at, l->in_len - at);
    l->in_len -= at;
    return ERR_OK;
}

bool link_has_room(const struct link *l, size_t n)
{
    return LINK_OUT_BYTES - (l->out_len - l->out_from) >= n;
}

void link_put(struct link *l, const uint8_t *p, size_t n)
{
    if (LINK_OUT_BYTES - l->out_len < n) {
        memmove(l->out, l->out + l->out_from, l->out_len - l->out_from);
        l->out_len -= l->out_from;
        l->out_from = 0;
    }
    memcpy(l->out + l->out_len, p, n);
    l->out_len += n;
}

enum err link_flush(struct link *l)
{
    ssize_t n;

    if (link_is_flushed(l))
        return ERR_OK;
    n = send(l->fd, l->out + l->out_from, l->out_len - l->out_from, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS))
        return ERR_OK;
    if (n < 0)
        return ERR_NOT_FOUND;
    l->out_from += (size_t)n;
    if (link_is_flushed(l))
        l->out_from = l->out_len = 0;
    return ERR_OK;
}

bool link_is_flushed(const struct link *l)
{
    return l->out_from == l->out_len;
}
