/* Whole gates in child processes, for what needs descriptors on the socketpair: listeners that the
 * daemon keeps and gives to the next gate; and what the sandbox lets through. */
#include "proto/compat.h"

#include "server/gate/run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "proto/mux_msg.h"
#include "server/gate/gate.h"
#include "server/gate/sandbox.h"

#define DEADLINE_MS 20000

struct child {
    pid_t pid;
    int link;
};

static struct child start_gate(void)
{
    struct child c;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        close(pair[0]);
        _exit(run_gate(pair[1]));
    }
    close(pair[1]);
    c.link = pair[0];
    return c;
}

static int wait_exit(struct child *c)
{
    int status;

    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    close(c->link);
    return status;
}

union control {
    char space[CMSG_SPACE(sizeof(int) * MUX_LISTENERS_MAX)];
    struct cmsghdr align;
};

static void send_config(const struct child *c, uint16_t port, const int *fds, uint8_t nfds)
{
    struct mux_config config = {.version = MUX_VERSION, .listeners = nfds, .port = port};
    uint8_t frame[256];
    struct mux_header h = {0, MUX_MSG_CONFIG, 0};
    union control control;
    struct iovec iov = {frame, 0};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    struct wbuf w;

    config.bind = bytes_of("127.0.0.1");
    config.port_required = 1;
    wbuf_init(&w, frame + MUX_HEADER_BYTES, sizeof frame - MUX_HEADER_BYTES);
    mux_encode_config(&w, &config);
    h.length = (uint32_t)w.len;
    mux_write_header(frame, &h);
    iov.iov_len = MUX_HEADER_BYTES + w.len;
    if (nfds > 0) {
        struct cmsghdr *head;

        memset(&control, 0, sizeof control);
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
        head = CMSG_FIRSTHDR(&m);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
        memcpy(CMSG_DATA(head), fds, sizeof(int) * nfds);
    }
    assert_int_equal(sendmsg(c->link, &m, MSG_NOSIGNAL), (ssize_t)iov.iov_len);
}

static bool wait_readable(int fd)
{
    struct pollfd p = {fd, POLLIN, 0};

    return poll(&p, 1, DEADLINE_MS) == 1;
}

/* Receives one STATE; *fd is the descriptor that came along, or -1. */
static struct mux_state_report receive_state(const struct child *c, int *fd)
{
    static uint8_t frame[512];
    struct mux_state_report s;
    struct mux_header h;
    union control control;
    struct iovec iov = {frame, MUX_HEADER_BYTES};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *head;

    *fd = -1;
    assert_true(wait_readable(c->link));
    assert_int_equal(recvmsg(c->link, &m, MSG_CMSG_CLOEXEC), MUX_HEADER_BYTES);
    head = CMSG_FIRSTHDR(&m);
    if (head != NULL)
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    assert_int_equal(mux_read_header(frame, MUX_HEADER_BYTES, &h), ERR_OK);
    assert_int_equal(h.type, MUX_MSG_STATE);
    assert_int_equal(recv(c->link, frame + MUX_HEADER_BYTES, h.length, MSG_WAITALL), h.length);
    assert_int_equal(
        mux_decode_state_report((struct bytes){frame + MUX_HEADER_BYTES, h.length}, &s), ERR_OK);
    return s;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* Asks for the page on a connection that may have been made when no gate was there. */
static void expect_page(int fd)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    char answer[16] = "";

    assert_int_equal(send(fd, request, sizeof request - 1, MSG_NOSIGNAL), sizeof request - 1);
    assert_true(wait_readable(fd));
    assert_int_equal(recv(fd, answer, 15, MSG_WAITALL), 15);
    assert_string_equal(answer, "HTTP/1.1 200 OK");
    close(fd);
}

/* A port that is free now: 0 means the default one to the gate. */
static uint16_t free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static void kept_listener(void **state)
{
    struct child gate = start_gate();
    struct mux_state_report s;
    int kept, none, waiting;
    uint16_t port;

    (void)state;
    send_config(&gate, free_port(), NULL, 0);
    s = receive_state(&gate, &kept);
    assert_int_equal(s.state, MUX_STATE_LISTENING);
    assert_true(bytes_equal(s.text, bytes_of("127.0.0.1")));
    assert_true(kept >= 0);
    port = s.port;
    assert_int_equal(receive_state(&gate, &none).state, MUX_STATE_READY);
    expect_page(connect_to(port));
    for (int round = 0; round < 3; round++) {
        kill(gate.pid, SIGKILL);
        assert_true(WIFSIGNALED(wait_exit(&gate)));
        waiting = connect_to(port); /* no gate is there: the kernel takes it */
        gate = start_gate();
        send_config(&gate, 1, &kept, 1); /* the port is not looked at */
        s = receive_state(&gate, &none);
        assert_int_equal(s.state, MUX_STATE_LISTENING);
        assert_int_equal(s.port, port);
        assert_int_equal(none, -1);
        assert_int_equal(receive_state(&gate, &none).state, MUX_STATE_READY);
        expect_page(waiting);
        expect_page(connect_to(port));
    }
    shutdown(gate.link, SHUT_RDWR);
    assert_int_equal(WEXITSTATUS(wait_exit(&gate)), GATE_EXIT_OK);
    close(kept);
}

static void descriptors_that_are_no_listeners(void **state)
{
    int pair[2], file = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < 2; i++) {
        struct child gate = start_gate();
        const int fd = i == 0 ? file : pair[0];

        send_config(&gate, 1, &fd, 1);
        assert_int_equal(WEXITSTATUS(wait_exit(&gate)), GATE_EXIT_USAGE);
    }
    close(file);
    close(pair[0]);
    close(pair[1]);
}

static void not_a_socket(void **state)
{
    int file = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)state;
    assert_int_equal(run_gate(file), GATE_EXIT_USAGE);
    assert_int_equal(run_gate(-1), GATE_EXIT_USAGE);
    close(file);
}

/* --- sandbox --------------------------------------------------------------------------------- */

static int try_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int try_connect(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9)};

    return connect(0, (struct sockaddr *)&a, sizeof a);
}

static int try_open(void)
{
    return open("/etc/passwd", O_RDONLY);
}

static int try_unlink(void)
{
    return unlink("/nonexistent/file");
}

static int try_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid;
}

static int try_exec(void)
{
    char *const argv[] = {"true", NULL};

    return execv("/bin/true", argv);
}

static int try_ptrace(void)
{
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int try_pipe(void)
{
    int fds[2];

    return pipe(fds) == 0 && dup(fds[0]) >= 0 && close(fds[1]) == 0 ? 0 : -1;
}

/* What a child sees when it tries something in the sandbox: 0 done, EPERM refused, -SIGSYS killed.
 */
static int outcome(int (*attempt)(void))
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        if (sandbox_enter() != ERR_OK)
            _exit(99);
        _exit(attempt() >= 0 ? 0 : errno);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static void sandbox(void **state)
{
    (void)state;
    assert_int_equal(outcome(try_pipe), 0);
    assert_int_equal(outcome(try_socket), EPERM);
    assert_int_equal(outcome(try_connect), EPERM);
    assert_int_equal(outcome(try_unlink), EPERM);
    assert_int_equal(outcome(try_exec), -SIGSYS);
#ifndef SANITIZED
    assert_int_equal(outcome(try_open), EPERM);
    assert_int_equal(outcome(try_fork), EPERM);
    assert_int_equal(outcome(try_ptrace), -SIGSYS);
#else
    assert_int_equal(outcome(try_open), 0); /* what the leak check needs at exit */
    assert_int_equal(outcome(try_fork), 0);
    assert_int_equal(outcome(try_ptrace), 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_listener),
        cmocka_unit_test(descriptors_that_are_no_listeners),
        cmocka_unit_test(not_a_socket),
        cmocka_unit_test(sandbox),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
