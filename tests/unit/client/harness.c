#include "proto/compat.h"

#include "tests/unit/client/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/client/cli.h"

#define IN_MAX (4u << 20)

static struct fake *the_fake;
static struct client *the_client;

/* --- turns ---------------------------------------------------------------------------------- */

/* Reads what there is into a growing text. False at the end. */
static bool read_text(int fd, char **text, size_t *len)
{
    char part[65536];
    ssize_t n = read(fd, part, sizeof part);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0)
        return false;
    *text = realloc(*text, *len + (size_t)n + 1);
    assert_non_null(*text);
    memcpy(*text + *len, part, (size_t)n);
    *len += (size_t)n;
    (*text)[*len] = '\0';
    return true;
}

static void read_peer(struct fake *f)
{
    ssize_t n;

    if (f->in_start > 0) {
        memmove(f->in, f->in + f->in_start, f->in_len);
        f->in_start = 0;
    }
    assert_true(f->in_len < IN_MAX);
    n = recv(f->peer, f->in + f->in_len, IN_MAX - f->in_len, MSG_DONTWAIT);
    if (n > 0)
        f->in_len += (size_t)n;
    else if (n == 0 || errno == ECONNRESET)
        f->peer_ended = true;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

bool harness_turn(int write_fd)
{
    enum { PEER, OUT, ERR, DEATH, WRITE, N };
    struct fake *f = the_fake;
    struct client *c = the_client;
    struct pollfd p[N] = {
        [PEER] = {f && !f->peer_ended ? f->peer : -1, POLLIN, 0},
        [OUT] = {c && !c->paused ? c->out : -1, POLLIN, 0},
        [ERR] = {c ? c->err : -1, POLLIN, 0},
        [DEATH] = {c ? c->death : -1, POLLIN, 0},
        [WRITE] = {write_fd, POLLOUT, 0},
    };

    if (poll(p, N, DEADLINE_MS) <= 0)
        fail_msg("nothing happened; output so far: %s", c && c->text ? c->text : "");
    if (p[PEER].revents)
        read_peer(f);
    if (p[OUT].revents && !read_text(c->out, &c->text, &c->len) && c->tty < 0)
        close_fd(&c->out);
    if (p[ERR].revents && !read_text(c->err, &c->errors, &c->errors_len))
        close_fd(&c->err);
    if (p[DEATH].revents)
        close_fd(&c->death);
    return p[WRITE].revents != 0;
}

/* A client may end without waiting for all that is sent to it: no reason for a signal here. */
static ssize_t put(int fd, const void *p, size_t n)
{
    if (the_fake && fd == the_fake->peer)
        return send(fd, p, n, MSG_NOSIGNAL);
    return write(fd, p, n);
}

static void write_all(int fd, const void *p, size_t n)
{
    const uint8_t *at = p;

    while (n > 0) {
        ssize_t done;

        if (!harness_turn(fd))
            continue;
        done = put(fd, at, n < 4096 ? n : 4096);
        if (done < 0 && (errno == EPIPE || errno == ECONNRESET))
            return;
        assert_true(done > 0 || errno == EAGAIN);
        if (done > 0) {
            at += done;
            n -= (size_t)done;
        }
    }
}

/* --- the daemon's end ----------------------------------------------------------------------- */

void fake_play(struct fake *f)
{
    f->listener = f->peer = -1;
    f->in = malloc(IN_MAX);
    assert_non_null(f->in);
    the_fake = f;
}

void fake_begin(struct fake *f)
{
    static const char *const unset[] = {"XDG_RUNTIME_DIR", "VITRINE",  "VITRINE_PANE",
                                        "LC_ALL",          "LC_CTYPE", "COLORTERM"};

    memset(f, 0, sizeof *f);
    fake_play(f);
    strcpy(f->dir, "/tmp/vitrine-test-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/default", f->dir);
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++)
        unsetenv(unset[i]);
    setenv("VITRINE_TMPDIR", f->dir, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("LANG", "C.UTF-8", 1);
}

void fake_listen(struct fake *f)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    memcpy(a.sun_path, f->path, strlen(f->path));
    f->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(f->listener >= 0);
    assert_int_equal(bind(f->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(f->listener, 5), 0);
}

void fake_accept(struct fake *f)
{
    struct pollfd p = {f->listener, POLLIN, 0};

    assert_int_equal(poll(&p, 1, DEADLINE_MS), 1);
    f->peer = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    assert_true(f->peer >= 0);
    f->peer_ended = false;
    f->in_start = f->in_len = 0;
}

void fake_hang_up(struct fake *f)
{
    close_fd(&f->peer);
}

static void remove_dir(const char *dir)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

void fake_end(struct fake *f)
{
    close_fd(&f->peer);
    close_fd(&f->listener);
    free(f->in);
    remove_dir(f->dir);
    the_fake = NULL;
}

struct bytes fake_next(struct fake *f, uint8_t *type)
{
    struct ipc_header h;
    struct bytes body;

    for (;;) {
        enum err e = ipc_read_header(f->in + f->in_start, f->in_len, &h);

        assert_true(e == ERR_OK || e == ERR_TRUNCATED);
        if (e == ERR_OK && f->in_len - IPC_HEADER_BYTES >= h.length)
            break;
        if (f->peer_ended)
            fail_msg("the client has closed");
        harness_turn(-1);
    }
    *type = h.type;
    body.p = f->in + f->in_start + IPC_HEADER_BYTES;
    body.len = h.length;
    f->in_start += IPC_HEADER_BYTES + h.length;
    f->in_len -= IPC_HEADER_BYTES + h.length;
    return body;
}

struct bytes fake_expect(struct fake *f, enum ipc_message_type type)
{
    uint8_t got;
    struct bytes body = fake_next(f, &got);

    assert_int_equal(got, type);
    return body;
}

void fake_expect_end(struct fake *f)
{
    while (!f->peer_ended) {
        f->in_start = f->in_len = 0;
        harness_turn(-1);
    }
}

void fake_greet(struct fake *f, struct ipc_command *m)
{
    struct ipc_hello hello;

    fake_accept(f);
    assert_int_equal(ipc_decode_hello(fake_expect(f, IPC_MSG_HELLO), &hello), ERR_OK);
    assert_int_equal(hello.magic, IPC_MAGIC);
    assert_int_equal(hello.version, IPC_VERSION);
    assert_int_equal(ipc_decode_command(fake_expect(f, IPC_MSG_COMMAND), m), ERR_OK);
    fake_welcome(f, IPC_VERSION);
}

void fake_send(struct fake *f, const void *p, size_t n)
{
    write_all(f->peer, p, n);
}

static uint8_t room[IPC_HEADER_BYTES + 65536];
static struct wbuf frame;
static size_t mark;

static struct wbuf *begin(enum ipc_message_type type)
{
    wbuf_init(&frame, room, sizeof room);
    mark = ipc_begin_frame(&frame, type);
    return &frame;
}

static void finish(struct fake *f)
{
    ipc_end_frame(&frame, mark);
    assert_false(frame.bad);
    fake_send(f, room, frame.len);
}

void fake_welcome(struct fake *f, uint16_t version)
{
    struct ipc_welcome m = {version, 4711, bytes_of("0.0.0-fake")};

    ipc_encode_welcome(begin(IPC_MSG_WELCOME), &m);
    finish(f);
}

void fake_output(struct fake *f, enum ipc_stream stream, const char *text)
{
    struct ipc_output m = {(uint8_t)stream, bytes_of(text)};

    ipc_encode_output(begin(IPC_MSG_OUTPUT), &m);
    finish(f);
}

void fake_exit(struct fake *f, uint8_t status)
{
    struct ipc_exit m = {status};

    ipc_encode_exit(begin(IPC_MSG_EXIT), &m);
    finish(f);
}

void fake_attached(struct fake *f, const char *session)
{
    struct ipc_attached m = {bytes_of(session)};

    ipc_encode_attached(begin(IPC_MSG_ATTACHED), &m);
    finish(f);
}

void fake_draw(struct fake *f, const void *p, size_t n)
{
    struct ipc_draw m = {{p, n}};

    ipc_encode_draw(begin(IPC_MSG_DRAW), &m);
    finish(f);
}

void fake_detached(struct fake *f, enum ipc_detached reason, const char *text)
{
    struct ipc_detached_report m = {(uint8_t)reason, bytes_of(text)};

    ipc_encode_detached_report(begin(IPC_MSG_DETACHED), &m);
    finish(f);
}

/* --- the client ----------------------------------------------------------------------------- */

static void run_child(const char *const *words)
{
    const char *argv[32] = {"vitrine"};
    int argc = 1;

    for (; *words; words++)
        argv[argc++] = *words;
    exit(cli_run(argc, argv));
}

/* What the child holds of ours would keep connections and terminals alive. */
static void close_ours(const struct client *c)
{
    close(c->in);
    if (c->out >= 0 && c->out != c->in)
        close(c->out);
    if (c->err >= 0)
        close(c->err);
    close(c->death);
    if (the_fake && the_fake->listener >= 0)
        close(the_fake->listener);
    if (the_fake && the_fake->peer >= 0)
        close(the_fake->peer);
}

static void make_pipe(int *ours, int *theirs, bool to_them)
{
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    *ours = fds[to_them ? 1 : 0];
    *theirs = fds[to_them ? 0 : 1];
    assert_int_equal(fcntl(*ours, F_SETFD, FD_CLOEXEC), 0);
    assert_int_equal(fcntl(*ours, F_SETFL, O_NONBLOCK), 0);
}

static void init_client(struct client *c, int *alive)
{
    memset(c, 0, sizeof *c);
    c->in = c->out = c->err = c->tty = -1;
    make_pipe(&c->death, alive, false);
    fcntl(*alive, F_SETFD, FD_CLOEXEC);
    fflush(NULL); /* the child would write it again */
    the_client = c;
}

void client_start(struct client *c, const char *const *words)
{
    client_start_as(c, words, geteuid());
}

void client_start_as(struct client *c, const char *const *words, uid_t uid)
{
    int alive, fds[3];

    init_client(c, &alive);
    make_pipe(&c->in, &fds[0], true);
    make_pipe(&c->out, &fds[1], false);
    make_pipe(&c->err, &fds[2], false);
    c->pid = fork();
    assert_true(c->pid >= 0);
    if (c->pid == 0) {
        close_ours(c);
        for (int i = 0; i < 3; i++) {
            dup2(fds[i], i);
            close(fds[i]);
        }
        if (uid != geteuid() && setuid(uid) < 0)
            _exit(255);
        run_child(words);
    }
    close(alive);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
}

static void open_terminal(struct client *c, uint16_t cols, uint16_t rows)
{
    struct winsize size = {.ws_col = cols, .ws_row = rows};

    c->in = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(c->in >= 0);
    assert_int_equal(grantpt(c->in), 0);
    assert_int_equal(unlockpt(c->in), 0);
    assert_int_equal(ioctl(c->in, TIOCSWINSZ, &size), 0);
    c->tty = open(ptsname(c->in), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(c->tty >= 0);
    c->out = c->in;
}

void client_start_in_terminal(struct client *c, const char *const *words, uint16_t cols,
                              uint16_t rows)
{
    int alive;

    init_client(c, &alive);
    open_terminal(c, cols, rows);
    c->pid = fork();
    assert_true(c->pid >= 0);
    if (c->pid == 0) {
        close_ours(c);
        setsid();
        ioctl(c->tty, TIOCSCTTY, 0);
        for (int i = 0; i < 3; i++)
            dup2(c->tty, i);
        close(c->tty);
        run_child(words);
    }
    close(alive);
}

void client_wait_for(struct client *c, const char *text)
{
    for (;;) {
        const char *at =
            c->text ? memmem(c->text + c->seen, c->len - c->seen, text, strlen(text)) : NULL;

        if (at) {
            c->seen = (size_t)(at - c->text) + strlen(text);
            return;
        }
        if (c->death < 0)
            fail_msg("the client ended before \"%s\": %s%s", text, c->text ? c->text : "",
                     c->errors ? c->errors : "");
        harness_turn(-1);
    }
}

void client_type(struct client *c, const void *p, size_t n)
{
    write_all(c->in, p, n);
}

int client_finish(struct client *c)
{
    int status;

    the_client = c;
    if (c->tty < 0)
        close_fd(&c->in);
    while (c->death >= 0 || (c->tty < 0 && (c->out >= 0 || c->err >= 0)))
        harness_turn(-1);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    if (c->tty >= 0 && c->out >= 0 && !c->paused) {
        size_t before;

        do {
            before = c->len;
            read_text(c->out, &c->text, &c->len);
        } while (c->len > before);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void client_clear(struct client *c)
{
    if (c->out != c->in)
        close_fd(&c->out);
    close_fd(&c->in);
    close_fd(&c->err);
    close_fd(&c->tty);
    close_fd(&c->death);
    free(c->text);
    free(c->errors);
    the_client = NULL;
}

int client_run(struct client *c, const char *const *words)
{
    client_start(c, words);
    return client_finish(c);
}
