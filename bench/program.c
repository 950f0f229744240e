#include "proto/compat.h"

#include "bench/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void (*fail_hook)(void);
static int output_fd = -1;
static char *output;
static size_t output_length;

void program_on_fail(void (*clean_up)(void))
{
    fail_hook = clean_up;
}

void program_fail(const char *format, ...)
{
    void (*hook)(void) = fail_hook;
    va_list ap;

    fputs("bench: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    fail_hook = NULL; /* it may fail itself */
    if (hook)
        hook();
    exit(1);
}

int64_t program_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Signals as a shell's child has them, in a session of its own where asked. */
static void set_attributes(posix_spawnattr_t *attr, bool session)
{
    sigset_t all, none;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(attr);
    posix_spawnattr_setsigdefault(attr, &all);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setflags(attr, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                           (session ? POSIX_SPAWN_SETSID : 0)));
}

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static pid_t spawn(const posix_spawn_file_actions_t *actions, bool session,
                   const char *const argv[], const char *const env[])
{
    posix_spawnattr_t attr;
    pid_t pid;
    int e;

    set_attributes(&attr, session);
    e = posix_spawn(&pid, argv[0], actions, &attr, (char *const *)argv, (char *const *)env);
    posix_spawnattr_destroy(&attr);
    if (e != 0)
        program_fail("cannot start %s: %s", argv[0], strerror(e));
    return pid;
}

static void empty_output(void)
{
    if (output_fd < 0)
        output_fd = memfd_create("output", MFD_CLOEXEC);
    if (output_fd < 0 || ftruncate(output_fd, 0) != 0 || lseek(output_fd, 0, SEEK_SET) != 0)
        program_fail("no memory for output: %s", strerror(errno));
}

static void keep_output(void)
{
    struct stat st;

    if (fstat(output_fd, &st) != 0)
        program_fail("output is lost: %s", strerror(errno));
    output_length = (size_t)st.st_size;
    output = realloc(output, output_length + 1);
    if (!output || pread(output_fd, output, output_length, 0) != (ssize_t)output_length)
        program_fail("output is lost");
    output[output_length] = '\0';
}

int64_t program_run(const char *const argv[], const char *const env[], int *status)
{
    posix_spawn_file_actions_t actions;
    int64_t before, after;
    int wait_status;
    pid_t pid;

    empty_output();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
    before = program_now_ns();
    pid = spawn(&actions, false, argv, env);
    while (waitpid(pid, &wait_status, 0) < 0)
        if (errno != EINTR)
            program_fail("waitpid: %s", strerror(errno));
    after = program_now_ns();
    posix_spawn_file_actions_destroy(&actions);
    keep_output();
    *status = status_of(wait_status);
    return after - before;
}

pid_t program_start(const char *const argv[], const char *const env[])
{
    posix_spawn_file_actions_t actions;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    pid = spawn(&actions, false, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

pid_t program_start_on(const char *tty, const char *const argv[], const char *const env[])
{
    posix_spawn_file_actions_t actions;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, tty, O_RDWR, 0);
    pid = spawn(&actions, true, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

int program_wait(pid_t pid)
{
    int wait_status;

    while (waitpid(pid, &wait_status, 0) < 0)
        if (errno != EINTR)
            program_fail("waitpid: %s", strerror(errno));
    return status_of(wait_status);
}

const char *program_output(void)
{
    return output ? output : "";
}

size_t program_output_length(void)
{
    return output_length;
}
