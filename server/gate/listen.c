#include "proto/compat.h"

#include "server/gate/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/gate/gate.h"

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un path;
};

static enum err fail(struct listener *l, enum err e, const char *what)
{
    char text[LISTEN_TEXT_MAX_BYTES + 1];
    int saved = errno;

    if (e == ERR_SYSTEM)
        snprintf(text, sizeof text, "%.80s: %s", what, strerror(saved));
    else
        snprintf(text, sizeof text, "%.80s", what);
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    memcpy(l->text, text, sizeof text);
    return e;
}

static void describe(struct listener *l, const union address *a)
{
    l->is_unix = a->any.sa_family == AF_UNIX;
    l->port = 0;
    l->address[0] = '\0';
    if (a->any.sa_family == AF_INET) {
        l->port = ntohs(a->v4.sin_port);
        inet_ntop(AF_INET, &a->v4.sin_addr, l->address, sizeof l->address);
    } else if (a->any.sa_family == AF_INET6) {
        l->port = ntohs(a->v6.sin6_port);
        inet_ntop(AF_INET6, &a->v6.sin6_addr, l->address, sizeof l->address);
    }
    if (l->is_unix)
        snprintf(l->text, sizeof l->text, "unix:%.*s", (int)sizeof a->path.sun_path,
                 a->path.sun_path);
    else
        snprintf(l->text, sizeof l->text, "%s", l->address);
}

enum err listen_take(struct listener *l, int fd)
{
    union address a;
    socklen_t len = sizeof a - 1;
    int listening = 0;
    socklen_t size = sizeof listening;

    memset(&a, 0, sizeof a);
    if (getsockname(fd, &a.any, &len) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening)
        return ERR_RANGE;
    if (a.any.sa_family != AF_INET && a.any.sa_family != AF_INET6 && a.any.sa_family != AF_UNIX)
        return ERR_RANGE;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
        return ERR_SYSTEM;
    l->fd = fd;
    describe(l, &a);
    return ERR_OK;
}

/* --- TCP ------------------------------------------------------------------------------------- */

/* One attempt; ERR_EXHAUSTED when that port is taken. */
static enum err try_port(struct listener *l, union address *a, socklen_t len, uint16_t port)
{
    int on = 1, off = 0;

    l->fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0)
        return fail(l, ERR_SYSTEM, "socket");
    setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (a->any.sa_family == AF_INET6)
        setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (a->any.sa_family == AF_INET6)
        a->v6.sin6_port = htons(port);
    else
        a->v4.sin_port = htons(port);
    if (bind(l->fd, &a->any, len) == 0 && listen(l->fd, LISTEN_BACKLOG) == 0)
        return listen_take(l, l->fd);
    if (errno == EADDRINUSE)
        return fail(l, ERR_EXHAUSTED, "the port is taken");
    return fail(l, ERR_SYSTEM, "bind");
}

static enum err open_ports(struct listener *l, union address *a, socklen_t len, uint16_t port,
                           bool required)
{
    unsigned last = required ? port : port + GATE_PORT_TRIES;
    enum err e = ERR_EXHAUSTED;

    for (unsigned p = port; p <= last && p <= 65535 && e == ERR_EXHAUSTED; p++)
        e = try_port(l, a, len, (uint16_t)p);
    return e;
}

/* Reads an address; returns its length for bind, or 0. */
static socklen_t parse_address(const char *text, union address *a)
{
    char inner[INET6_ADDRSTRLEN];
    size_t len = strlen(text);

    memset(a, 0, sizeof *a);
    if (strcmp(text, "localhost") == 0)
        text = "127.0.0.1";
    if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
        a->v4.sin_family = AF_INET;
        return sizeof a->v4;
    }
    if (text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    if (len >= sizeof inner)
        return 0;
    memcpy(inner, text, len);
    inner[len] = '\0';
    if (inet_pton(AF_INET6, inner, &a->v6.sin6_addr) != 1)
        return 0;
    a->v6.sin6_family = AF_INET6;
    return sizeof a->v6;
}

/* --- unix ------------------------------------------------------------------------------------ */

/* True when something accepts connections on the path. */
static bool is_served(const union address *a)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool served = fd >= 0 && (connect(fd, &a->any, sizeof a->path) == 0 || errno == EAGAIN);

    if (fd >= 0)
        close(fd);
    return served;
}

static bool is_socket(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static enum err open_unix(struct listener *l, const char *path)
{
    union address a;
    mode_t mask;
    int bound;

    memset(&a, 0, sizeof a);
    a.path.sun_family = AF_UNIX;
    if (path[0] != '/' || strlen(path) >= sizeof a.path.sun_path)
        return fail(l, ERR_RANGE, "unix: needs an absolute path of at most 107 bytes");
    memcpy(a.path.sun_path, path, strlen(path));
    if (is_socket(path)) {
        if (is_served(&a))
            return fail(l, ERR_EXHAUSTED, "another program listens on this path");
        unlink(path);
    }
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->fd < 0)
        return fail(l, ERR_SYSTEM, "socket");
    mask = umask(0117); /* owner and group: a reverse proxy is let in by its group */
    bound = bind(l->fd, &a.any, sizeof a.path);
    umask(mask);
    if (bound != 0 || listen(l->fd, LISTEN_BACKLOG) != 0)
        return fail(l, errno == EADDRINUSE ? ERR_EXHAUSTED : ERR_SYSTEM, path);
    return listen_take(l, l->fd);
}

enum err listen_open(struct listener *l, const char *bind, uint16_t port, bool required)
{
    union address a;
    socklen_t len;

    memset(l, 0, sizeof *l);
    l->fd = -1;
    if (strncmp(bind, "unix:", 5) == 0)
        return open_unix(l, bind + 5);
    len = parse_address(bind, &a);
    if (len == 0)
        return fail(l, ERR_RANGE, "not an IP address, [IPv6 address], or unix:/path");
    return open_ports(l, &a, len, port != 0 ? port : GATE_PORT_DEFAULT, required);
}
