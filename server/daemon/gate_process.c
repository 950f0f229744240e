#include "proto/compat.h"

#include "server/daemon/gate_process.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/mux_msg.h"
#include "server/daemon/child.h"

/* The gate gets no environment: it needs none, and the user's may hold secrets. Test builds hand
 * the sanitizers' options on. */
static void fill_environment(char *env[], size_t cap)
{
    size_t n = 0;

#ifdef VITRINE_TEST
    extern char **environ;

    for (char **e = environ; *e && n + 1 < cap; e++) {
        if (strstr(*e, "SAN_OPTIONS="))
            env[n++] = *e;
    }
#else
    (void)cap;
#endif
    env[n] = NULL;
}

int gate_process_spawn(char *program, int fd, pid_t *pid)
{
    char *argv[] = {program, NULL};
    char *env[8];
    posix_spawn_file_actions_t act;
    int e = posix_spawn_file_actions_init(&act);

    if (e != 0)
        return e;
    fill_environment(env, sizeof env / sizeof env[0]);
    e = posix_spawn_file_actions_addopen(&act, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_addopen(&act, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&act, fd, MUX_DAEMON_FD);
    if (e == 0)
        e = child_spawn(pid, program, &act, argv, env, false);
    posix_spawn_file_actions_destroy(&act);
    return e;
}

static size_t write_config(const struct gate_config *config, unsigned n_listeners, uint8_t *out,
                           size_t cap)
{
    struct mux_text origins[GATE_ORIGINS_MAX];
    struct mux_config m = {.version = MUX_VERSION,
                           .listeners = (uint8_t)n_listeners,
                           .bind = bytes_of(config->bind),
                           .port = config->port,
                           .port_required = config->port_required,
                           .allow_null_origin = config->allow_null_origin,
                           .tls = config->tls.on,
                           .base_path = bytes_of(config->base_path)};
    struct mux_header h = {0, MUX_MSG_CONFIG, 0};
    struct wbuf w;

    for (unsigned i = 0; i < config->n_origins; i++)
        origins[i].text = bytes_of(config->origins[i]);
    m.origins.n = (uint16_t)config->n_origins;
    m.origins.items = origins;
    wbuf_init(&w, out + MUX_HEADER_BYTES, cap - MUX_HEADER_BYTES);
    mux_encode_config(&w, &m);
    h.length = (uint32_t)w.len;
    mux_write_header(out, &h);
    return w.bad ? 0 : MUX_HEADER_BYTES + w.len;
}

bool gate_process_configure(int fd, const struct gate_config *config, const int *listeners,
                            unsigned n_listeners)
{
    uint8_t frame[MUX_HEADER_BYTES + 64 + (GATE_ORIGINS_MAX + 2) * (GATE_TEXT_MAX + 2)];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * MUX_LISTENERS_MAX)];
    } control = {0};
    struct iovec v = {frame, write_config(config, n_listeners, frame, sizeof frame)};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

    if (n_listeners > 0) {
        struct cmsghdr *c;

        m.msg_control = control.bytes;
        m.msg_controllen = CMSG_SPACE(sizeof(int) * n_listeners);
        c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * n_listeners);
        memcpy(CMSG_DATA(c), listeners, sizeof(int) * n_listeners);
    }
    return v.iov_len > 0 && sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)v.iov_len;
}
