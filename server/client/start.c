#include "proto/compat.h"

#include "server/client/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/utf8.h"

#define READY_DEADLINE_MS 10000 /* for the daemon's first line */
#define READY_FD          3     /* where the daemon finds the pipe's end */
#define READY_LINE_MAX    256

extern char **environ;

/* --- finding programs ----------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool try_dir(const char *dir, size_t dir_len, const char *name, char out[START_PATH_MAX])
{
    int n = snprintf(out, START_PATH_MAX, "%.*s/%s", (int)dir_len, dir, name);

    return n > 0 && n < START_PATH_MAX && is_program(out);
}

static bool beside_us(const char *name, char out[START_PATH_MAX])
{
    char self[START_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (n <= 0)
        return false;
    self[n] = '\0';
    slash = strrchr(self, '/');
    return slash && try_dir(self, (size_t)(slash - self), name, out);
}

static bool in_path(const char *name, char out[START_PATH_MAX])
{
    const char *p = getenv("PATH");

    while (p && *p) {
        size_t n = strcspn(p, ":");

        if (n > 0 && p[0] == '/' && try_dir(p, n, name, out))
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

bool start_find_program(const char *name, char out[START_PATH_MAX])
{
    if (beside_us(name, out))
        return true;
#ifdef VITRINE_LIBEXEC
    if (try_dir(VITRINE_LIBEXEC, strlen(VITRINE_LIBEXEC), name, out))
        return true;
#endif
    return in_path(name, out);
}

/* --- starting ------------------------------------------------------------------------------- */

/* The daemon gets nothing of ours but the end of the pipe: a descriptor it kept, of a shell's pipe
 * or of make, would make others wait for it. */
static int set_actions(posix_spawn_file_actions_t *a, int ready)
{
    int e = 0;

    for (int fd = 0; fd <= 2 && e == 0; fd++)
        e = posix_spawn_file_actions_addopen(a, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(a, ready, READY_FD);
    if (e == 0)
        e = posix_spawn_file_actions_addclosefrom_np(a, READY_FD + 1);
    return e;
}

static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t all, none;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(attr, &all);
    posix_spawnattr_setsigmask(attr, &none);
    return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
}

/* Starts program; returns 0 or an errno. The daemon's child.c does nearly the same for its
 * children: it may not be included here, and proto/, which both may include, makes no system calls.
 */
static int spawn(const char *program, const char *socket_path, const char *config, int ready)
{
    char fd_text[] = {'0' + READY_FD, '\0'};
    char *argv[] = {"vitrined",     "--socket", (char *)socket_path,
                    "--ready-fd",   fd_text,    config ? "--config" : NULL,
                    (char *)config, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    pid_t pid;
    int e;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    e = set_actions(&actions, ready);
    if (e == 0)
        e = set_attributes(&attr);
    if (e == 0)
        e = posix_spawn(&pid, program, &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads the daemon's first line. Returns its length, or 0 when it ended without one, or -1 when the
 * deadline passed. */
static ssize_t read_line(int fd, char line[READY_LINE_MAX])
{
    int64_t deadline = now_ms() + READY_DEADLINE_MS;
    size_t len = 0;

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - now_ms();
        ssize_t n;

        if (left <= 0 || (poll(&p, 1, (int)left) == 0))
            return -1;
        n = read(fd, line + len, READY_LINE_MAX - 1 - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0)
            len += (size_t)n;
        line[len] = '\0';
        if (n <= 0 || strchr(line, '\n') || len == READY_LINE_MAX - 1)
            break;
    }
    line[strcspn(line, "\n")] = '\0';
    return (ssize_t)strlen(line);
}

static enum err wait_ready(int fd, const char *program, char why[START_WHY_MAX])
{
    char line[READY_LINE_MAX];
    char shown[READY_LINE_MAX];
    ssize_t n = read_line(fd, line);

    if (n > 0 && strcmp(line, "ok") == 0)
        return ERR_OK;
    if (n > 0) {
        utf8_printable((const uint8_t *)line, (size_t)n, shown, sizeof shown - 1);
        snprintf(why, START_WHY_MAX, "cannot start the daemon: %s", shown);
    } else if (n == 0) {
        snprintf(
            why, START_WHY_MAX,
            "cannot start the daemon: it ended without a word; run it by hand: %.300s --socket "
            "PATH",
            program);
    } else {
        snprintf(why, START_WHY_MAX, "the daemon was not ready within %d s",
                 READY_DEADLINE_MS / 1000);
    }
    return ERR_STATE;
}

static enum err start_daemon(const char *socket_path, const char *config, char why[START_WHY_MAX])
{
    char program[START_PATH_MAX];
    int fds[2];
    int failed;
    enum err e;

    if (!start_find_program("vitrined", program)) {
        snprintf(why, START_WHY_MAX, "vitrined is neither beside vitrine nor in PATH: install it");
        return ERR_NOT_FOUND;
    }
    if (pipe2(fds, O_CLOEXEC) < 0) {
        snprintf(why, START_WHY_MAX, "cannot start the daemon: %s", strerror(errno));
        return ERR_SYSTEM;
    }
    failed = spawn(program, socket_path, config, fds[1]);
    close(fds[1]);
    if (failed == 0) {
        e = wait_ready(fds[0], program, why);
    } else {
        snprintf(why, START_WHY_MAX, "cannot start %.300s: %s", program, strerror(failed));
        e = ERR_SYSTEM;
    }
    close(fds[0]);
    return e;
}

/* --- connecting ----------------------------------------------------------------------------- */

void start_explain(enum err e, const char *socket_path, char why[START_WHY_MAX])
{
    if (e == ERR_NOT_FOUND)
        snprintf(why, START_WHY_MAX, "no server running on %s", socket_path);
    else if (e == ERR_AUTH)
        snprintf(why, START_WHY_MAX, "%s belongs to another user's server: use -S or -L",
                 socket_path);
    else if (e == ERR_SYSTEM && (errno == EAGAIN || errno == EINPROGRESS))
        snprintf(why, START_WHY_MAX, "the server on %s does not answer", socket_path);
    else
        snprintf(why, START_WHY_MAX, "cannot connect to %s: %s", socket_path,
                 e == ERR_SYSTEM ? strerror(errno) : err_text(e));
}

/* Takes the lock beside the socket, waiting for whoever holds it: they have READY_DEADLINE_MS. */
static int lock(const char *socket_path, char why[START_WHY_MAX])
{
    char path[START_PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s.lock", socket_path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd >= 0 && flock(fd, LOCK_EX) < 0) {
        if (errno == EINTR)
            continue;
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        snprintf(why, START_WHY_MAX, "cannot lock %.300s: %s", path, strerror(errno));
    return fd;
}

enum err start_connect(const char *socket_path, const char *config, int timeout_ms,
                       struct connection **out, bool *started, char why[START_WHY_MAX])
{
    enum err e = connection_open(socket_path, timeout_ms, out);
    int fd;

    *started = false;
    if (e != ERR_NOT_FOUND) {
        if (e != ERR_OK)
            start_explain(e, socket_path, why);
        return e;
    }
    fd = lock(socket_path, why);
    if (fd < 0)
        return ERR_SYSTEM;
    e = connection_open(socket_path, timeout_ms, out); /* somebody was faster */
    if (e == ERR_NOT_FOUND) {
        e = start_daemon(socket_path, config, why);
        *started = e == ERR_OK;
        if (e != ERR_OK)
            goto out;
        e = connection_open(socket_path, timeout_ms, out);
    }
    if (e != ERR_OK)
        start_explain(e, socket_path, why);
out:
    close(fd);
    return e;
}
