#include "proto/compat.h"

#include "server/daemon/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "server/daemon/child.h"

#define LINE_BUFFER_BYTES 4095 /* what the kernel's line discipline holds for the program */

static struct rlimit children_limit;
static struct rlimit own_limit;
static bool limit_raised;

void pty_raise_descriptor_limit(void)
{
    if (getrlimit(RLIMIT_NOFILE, &children_limit) != 0)
        return;
    own_limit = children_limit;
    own_limit.rlim_cur = own_limit.rlim_max;
    limit_raised = setrlimit(RLIMIT_NOFILE, &own_limit) == 0;
}

void pty_children_limit(bool children)
{
    if (limit_raised)
        setrlimit(RLIMIT_NOFILE, children ? &children_limit : &own_limit);
}

/* Opens the master side and names the slave. Returns 0 or an errno value. */
static int open_master(struct pty *p, uint16_t cols, uint16_t rows)
{
    struct winsize size = {.ws_col = cols, .ws_row = rows};

    p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (p->master < 0)
        return errno;
    if (limit_raised && (rlim_t)p->master + PTY_SPARE_DESCRIPTORS > own_limit.rlim_cur)
        return EMFILE; /* the lowest free number is given out: so few are left */
    if (grantpt(p->master) != 0 || unlockpt(p->master) != 0 ||
        ptsname_r(p->master, p->path, sizeof p->path) != 0)
        return errno ? errno : ENOTTY;
    return ioctl(p->master, TIOCSWINSZ, &size) == 0 ? 0 : errno;
}

/* The slave is opened in the child, after setsid, so it becomes its controlling terminal. */
static int set_actions(posix_spawn_file_actions_t *act, const struct pty *p, const char *cwd)
{
    int e = posix_spawn_file_actions_addopen(act, STDIN_FILENO, p->path, O_RDWR, 0);

    if (e == 0)
        e = posix_spawn_file_actions_adddup2(act, STDIN_FILENO, STDOUT_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(act, STDIN_FILENO, STDERR_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_addchdir_np(act, cwd);
    return e;
}

static const char *env_value(const char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    }
    return NULL;
}

/* Looks name up in the PATH the program will have; out gets an absolute or relative path to it. */
static int find_program(const char *name, const char *const *env, char *out, size_t cap)
{
    const char *path = env_value(env, "PATH");
    int e = ENOENT;

    if (strchr(name, '/')) {
        if (strlen(name) >= cap)
            return ENAMETOOLONG;
        memcpy(out, name, strlen(name) + 1);
        return 0;
    }
    if (!path || !*path)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*path) {
        size_t len = strcspn(path, ":");

        if (len > 0 && len + strlen(name) + 2 <= cap) {
            memcpy(out, path, len);
            out[len] = '/';
            memcpy(out + len + 1, name, strlen(name) + 1);
            if (access(out, X_OK) == 0)
                return 0;
            if (errno == EACCES)
                e = EACCES;
        }
        path += len + (path[len] == ':');
    }
    return e;
}

static int spawn_in(struct pty *p, const struct pty_command *cmd, const char *program,
                    const char *cwd)
{
    posix_spawn_file_actions_t act;
    int e = posix_spawn_file_actions_init(&act);

    if (e != 0)
        return e;
    e = set_actions(&act, p, cwd);
    if (e == 0)
        e = child_spawn(&p->pid, program, &act, (char *const *)cmd->argv, (char *const *)cmd->env,
                        true);
    posix_spawn_file_actions_destroy(&act);
    return e;
}

static int spawn(struct pty *p, const struct pty_command *cmd)
{
    char program[4096];
    bool enter = cmd->cwd && *cmd->cwd == '/' && access(cmd->cwd, X_OK) == 0;
    int e =
        find_program(cmd->program ? cmd->program : cmd->argv[0], cmd->env, program, sizeof program);

    if (e != 0)
        return e;
    pty_children_limit(true);
    e = spawn_in(p, cmd, program, enter ? cmd->cwd : "/");
    pty_children_limit(false);
    return e;
}

int pty_open(struct pty *p, const struct pty_command *cmd, uint16_t cols, uint16_t rows)
{
    int e;

    p->master = -1;
    p->pid = -1;
    e = open_master(p, cols, rows);
    if (e == 0)
        e = spawn(p, cmd);
    if (e != 0)
        pty_close(p);
    return e;
}

void pty_close(struct pty *p)
{
    if (p->master >= 0)
        close(p->master);
    p->master = -1;
}

/* The program's side, without becoming its terminal's owner; -1 when it cannot be opened. */
static int open_slave(const struct pty *p)
{
    return open(p->path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
}

bool pty_input_full(const struct pty *p)
{
    int slave = open_slave(p);
    int held = 0;
    bool full = slave >= 0 && ioctl(slave, FIONREAD, &held) == 0 && held >= LINE_BUFFER_BYTES;

    if (slave >= 0)
        close(slave);
    return full;
}

void pty_interrupt(const struct pty *p)
{
    int slave = open_slave(p);

    if (slave >= 0) {
        tcflush(slave, TCIFLUSH);
        close(slave);
    }
    ioctl(p->master, TIOCSIG, SIGINT);
}

int pty_resize(struct pty *p, uint16_t cols, uint16_t rows)
{
    struct winsize size = {.ws_col = cols, .ws_row = rows};

    return ioctl(p->master, TIOCSWINSZ, &size) == 0 ? 0 : errno;
}
