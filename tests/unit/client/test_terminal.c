/* The terminal alone: a second opening where it is allowed, the caller's descriptors where it is
 * not, and writes that cannot wait for ever. */
#include "proto/compat.h"

#include "server/client/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define NOBODY 65534

/* What the child found, in bits of its exit status. */
enum {
    OWN_FDS = 1,
    ENTERED = 2,
    NONBLOCK_INSIDE = 4, /* of descriptor 0, while entered */
    NONBLOCK_AFTER = 8,
    COOKED_AFTER = 16,
    SIZE_KNOWN = 32,
};

static bool is_nonblocking(int fd)
{
    return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}

static int look_inside(void)
{
    struct termios now;
    struct terminal t;
    uint16_t cols, rows;
    int found = 0;

    if (!terminal_is_there() || !terminal_open(&t))
        return 0;
    found |= t.own_fds ? OWN_FDS : 0;
    found |= terminal_size(&cols, &rows) && cols == 91 && rows == 17 ? SIZE_KNOWN : 0;
    found |= terminal_enter(&t) ? ENTERED : 0;
    found |= is_nonblocking(0) ? NONBLOCK_INSIDE : 0;
    terminal_close(&t);
    found |= is_nonblocking(0) || is_nonblocking(1) ? NONBLOCK_AFTER : 0;
    found |= tcgetattr(0, &now) == 0 && (now.c_lflag & ICANON) ? COOKED_AFTER : 0;
    return found;
}

/* Runs look_inside() in a terminal; its device may be opened again or not. */
static int in_terminal(bool openable)
{
    struct winsize size = {.ws_col = 91, .ws_row = 17};
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), tty, status;
    pid_t pid;

    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
    tty = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(tty >= 0);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        for (int i = 0; i < 3; i++)
            dup2(tty, i);
        if (!openable && (fchmod(tty, 0) < 0 || (geteuid() == 0 && setuid(NOBODY) < 0)))
            _exit(255);
        _exit(look_inside());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(tty);
    close(master);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void opened_anew(void **state)
{
    (void)state;
    assert_int_equal(in_terminal(true), OWN_FDS | ENTERED | COOKED_AFTER | SIZE_KNOWN);
}

/* After su(1) the terminal's device is another user's. */
static void not_to_be_opened(void **state)
{
    (void)state;
    assert_int_equal(in_terminal(false), ENTERED | NONBLOCK_INSIDE | COOKED_AFTER | SIZE_KNOWN);
}

static void no_terminal(void **state)
{
    int null = open("/dev/null", O_RDWR), saved = dup(1);
    uint16_t cols = 9, rows = 9;

    (void)state;
    fflush(stdout);
    assert_true(null >= 0 && saved >= 0);
    dup2(null, 1);
    assert_false(terminal_is_there());
    assert_false(terminal_size(&cols, &rows));
    dup2(saved, 1);
    close(saved);
    close(null);
    assert_int_equal(cols, 0);
    assert_int_equal(rows, 0);
}

/* A reader that takes nothing: what fits is written, the rest is given up in time. */
static void write_with_a_deadline(void **state)
{
    static char big[1u << 20];
    int fds[2];
    ssize_t n, all = 0;

    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    assert_false(terminal_write_all(fds[1], big, sizeof big, 20));
    assert_int_equal(errno, ETIMEDOUT);
    while ((n = read(fds[0], big, sizeof big)) > 0)
        all += n;
    assert_true(all > 0 && (size_t)all < sizeof big);
    assert_true(terminal_write_all(fds[1], "rest", 4, 20));
    assert_int_equal(read(fds[0], big, sizeof big), 4);
    close(fds[0]);
    assert_false(terminal_write_all(fds[1], "x", 1, -1));
    assert_int_equal(errno, EPIPE);
    close(fds[1]);
    assert_true(terminal_write_all(-1, "", 0, -1));
    assert_false(terminal_write_all(-1, "x", 1, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opened_anew),
        cmocka_unit_test(not_to_be_opened),
        cmocka_unit_test(no_terminal),
        cmocka_unit_test(write_with_a_deadline),
    };
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &ignore, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
