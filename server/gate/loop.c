#include "proto/compat.h"

#include "server/gate/loop.h"

#include <errno.h>
#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "server/gate/log.h"

struct loop {
    struct lws_context *context;
    struct lws_vhost *vhost;
    const struct loop_handlers *handlers;
    void *ctx;
    lws_sorted_usec_list_t tick;
    bool ending;
};

static struct loop *loop_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* A connection's socket. Its owner is NULL until it is adopted and once it is being closed. */
static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t len)
{
    void *owner = lws_get_opaque_user_data(wsi);

    (void)user;
    if (owner == NULL)
        return 0;
    switch ((int)reason) {
    case LWS_CALLBACK_RAW_RX:
        if (len > 0)
            loop_of(wsi)->handlers->on_data(owner, in, len);
        break;
    case LWS_CALLBACK_RAW_WRITEABLE:
        loop_of(wsi)->handlers->on_writable(owner);
        break;
    case LWS_CALLBACK_RAW_CLOSE:
        lws_set_opaque_user_data(wsi, NULL);
        loop_of(wsi)->handlers->on_closed(owner);
        break;
    default:
        break;
    }
    return 0;
}

/* A watched descriptor: listener, link, signals. */
static int on_watched(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t len)
{
    (void)user;
    (void)in;
    (void)len;
    if (lws_get_opaque_user_data(wsi) == NULL || loop_of(wsi)->ending)
        return 0;
    if (reason == LWS_CALLBACK_RAW_RX_FILE)
        loop_of(wsi)->handlers->on_readable(loop_of(wsi)->ctx, lws_get_socket_fd(wsi));
    else if (reason == LWS_CALLBACK_RAW_CLOSE_FILE)
        loop_of(wsi)->handlers->on_unwatched(loop_of(wsi)->ctx, lws_get_socket_fd(wsi));
    return 0;
}

static const struct lws_protocols protocols[] = {
    {.name = "watched", .callback = on_watched},
    {.name = "socket", .callback = on_socket, .rx_buffer_size = LOOP_READ_BYTES},
    {.name = NULL},
};

static void log_library(int level, const char *line)
{
    (void)level;
    log_event(LOG_LIBRARY, "%.*s", (int)strcspn(line, "\n"), line);
}

struct loop *loop_create(const struct loop_handlers *handlers, void *ctx)
{
    struct lws_context_creation_info info;
    struct loop *l = calloc(1, sizeof *l);

    if (l == NULL)
        return NULL;
    l->handlers = handlers;
    l->ctx = ctx;
    lws_set_log_level(LLL_ERR, log_library);
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = protocols;
    info.user = l;
    info.pt_serv_buf_size = LOOP_READ_BYTES + LWS_PRE;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    l->context = lws_create_context(&info);
    l->vhost = l->context != NULL ? lws_get_vhost_by_name(l->context, "default") : NULL;
    if (l->vhost == NULL) {
        loop_destroy(l);
        return NULL;
    }
    return l;
}

void loop_destroy(struct loop *l)
{
    if (l == NULL)
        return;
    l->ending = true;
    if (l->context != NULL)
        lws_context_destroy(l->context);
    free(l);
}

bool loop_run_round(struct loop *l)
{
    return lws_service(l->context, 0) >= 0;
}

static void on_tick(lws_sorted_usec_list_t *sul)
{
    struct loop *l = lws_container_of(sul, struct loop, tick);

    l->handlers->on_tick(l->ctx);
}

void loop_schedule_tick(struct loop *l, uint64_t ms)
{
    lws_sul_schedule(l->context, 0, &l->tick, on_tick, (lws_usec_t)ms * LWS_US_PER_MS);
}

static struct lws *adopt(struct loop *l, int fd, lws_adoption_type type, const char *protocol)
{
    lws_sock_file_fd_type descriptor;

    descriptor.sockfd = fd;
    return lws_adopt_descriptor_vhost(l->vhost, type, descriptor, protocol, NULL);
}

struct lws *loop_watch(struct loop *l, int fd)
{
    struct lws *wsi = adopt(l, fd, LWS_ADOPT_RAW_FILE_DESC, protocols[0].name);

    if (wsi != NULL)
        lws_set_opaque_user_data(wsi, l);
    return wsi;
}

struct lws *loop_adopt(struct loop *l, int fd, void *owner)
{
    struct lws *wsi = adopt(l, fd, LWS_ADOPT_SOCKET, protocols[1].name);

    if (wsi != NULL)
        lws_set_opaque_user_data(wsi, owner);
    return wsi;
}

long loop_send(struct lws *socket, const struct iovec *iov, size_t n)
{
    struct msghdr m;
    ssize_t sent;

    memset(&m, 0, sizeof m);
    m.msg_iov = (struct iovec *)(uintptr_t)iov;
    m.msg_iovlen = n;
    sent = sendmsg(lws_get_socket_fd(socket), &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS))
        return 0;
    return sent;
}

void loop_want_write(struct lws *socket)
{
    lws_callback_on_writable(socket);
}

void loop_pause(struct lws *socket)
{
    lws_rx_flow_control(socket, 0);
}

void loop_resume(struct lws *socket)
{
    lws_rx_flow_control(socket, 1);
}

void loop_shut(struct lws *socket)
{
    shutdown(lws_get_socket_fd(socket), SHUT_WR);
}

void loop_close(struct lws *socket)
{
    lws_set_opaque_user_data(socket, NULL);
    lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}
