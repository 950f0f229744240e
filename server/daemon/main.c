/* vitrined: builds the daemon in dependency order, runs its loop, takes it down in reverse.
 *
 * Started by the client as `vitrined --socket PATH --ready-fd N`: once it listens it writes "ok" to
 * descriptor N, or one line saying why it cannot. By hand, without --ready-fd, it stays in the
 * foreground and logs to standard error. */
#include "proto/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crypto/secret.h"
#include "server/daemon/config_run.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/jobs.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/pane.h"
#include "server/daemon/pty.h"
#include "server/daemon/tunnel.h"

#define PATH_SIZE 4096

struct arguments {
    const char *socket;
    const char *config; /* NULL for the usual place */
    int ready_fd;       /* -1: in the foreground */
};

/* --- options -------------------------------------------------------------------------------- */

static int usage(void)
{
    fputs("usage: vitrined --socket path [--config file] [--ready-fd n]\n", stderr);
    return 2;
}

static bool read_options(int argc, char **argv, struct arguments *o)
{
    long fd;

    o->socket = NULL;
    o->config = NULL;
    o->ready_fd = -1;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--socket") == 0)
            o->socket = argv[i + 1];
        else if (strcmp(argv[i], "--config") == 0)
            o->config = argv[i + 1];
        else if (strcmp(argv[i], "--ready-fd") == 0 &&
                 args_number(argv[i + 1], 3, 1 << 20, &fd) == ERR_OK)
            o->ready_fd = (int)fd;
        else
            return false;
    }
    return o->socket != NULL;
}

/* Says to who started us that we listen (NULL), or why not. */
static void report(const struct arguments *o, const char *failure)
{
    if (o->ready_fd < 0) {
        if (failure)
            fprintf(stderr, "vitrined: %s\n", failure);
        return;
    }
    dprintf(o->ready_fd, "%s\n", failure ? failure : "ok");
    close(o->ready_fd);
}

/* --- the process ---------------------------------------------------------------------------- */

/* The gate stands beside this program. */
static void find_gate(char out[PATH_SIZE])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_SIZE - sizeof "vitrine-gate");
    char *slash;

    out[n > 0 ? n : 0] = '\0';
    slash = strrchr(out, '/');
    memcpy(slash ? slash + 1 : out, "vitrine-gate", sizeof "vitrine-gate");
}

/* Keys must not reach core files, nor other processes of this user through ptrace: a process that
 * is not dumpable writes no core, whatever its limit, which programs in panes inherit. */
static void harden(void)
{
    prctl(PR_SET_DUMPABLE, 0);
}

/* Standard error becomes the log file beside the socket; nothing else of the starter stays open. */
static void detach(const struct arguments *o)
{
    char path[PATH_SIZE];
    int null, log;

    if (o->ready_fd < 0)
        return;
    snprintf(path, sizeof path, "%s.log", o->socket);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    if (log >= 0 || null >= 0)
        dup2(log >= 0 ? log : null, STDERR_FILENO);
    fcntl(o->ready_fd, F_SETFD, FD_CLOEXEC);
    for (int fd = 3; fd < 1024; fd++) {
        if (fd != o->ready_fd)
            close(fd);
    }
    if (chdir("/") != 0)
        log_line(LOG_GENERAL, "cannot enter /: %s", strerror(errno));
}

static void on_child(void *ctx)
{
    struct daemon *d = ctx;
    int status;

    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (!gate_link_child_ended(d->gate, pid, status) &&
            !tunnel_child_ended(d->tunnel, pid, status) && !pane_child_ended(pid, status))
            jobs_child_ended(d->jobs, pid, status);
    }
}

static void on_stop(void *ctx)
{
    struct daemon *d = ctx;

    loop_stop(d->loop);
}

static bool watch_signals(struct daemon *d)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a log that may not grow is no reason to end */
    return loop_signal(d->loop, SIGCHLD, on_child, d) &&
           loop_signal(d->loop, SIGTERM, on_stop, d) && loop_signal(d->loop, SIGINT, on_stop, d);
}

/* vitrine.conf of the user, or the file that was asked for. */
static void load_config(struct daemon *d, const struct arguments *o)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[PATH_SIZE] = "";

    if (o->config) {
        config_run_file(d, o->config, true);
        return;
    }
    if (base && base[0] == '/')
        snprintf(path, sizeof path, "%s/vitrine/vitrine.conf", base);
    else if (home && home[0] == '/')
        snprintf(path, sizeof path, "%s/.config/vitrine/vitrine.conf", home);
    if (path[0])
        config_run_file(d, path, false);
}

int main(int argc, char **argv)
{
    struct arguments o;
    struct daemon d;
    bool listening;
    char gate[PATH_SIZE];
    char why[PATH_SIZE] = "cannot start: out of memory or descriptors";

    if (!read_options(argc, argv, &o))
        return usage();
    harden();
    detach(&o);
    pty_raise_descriptor_limit();
    find_gate(gate);
    if (secret_init() != ERR_OK) {
        report(&o, "no source of random numbers");
        return 1;
    }
    if (!daemon_open(&d, o.socket, gate)) {
        report(&o, why);
        return 1;
    }
    d.control = watch_signals(&d) ? control_open(&d, why, sizeof why) : NULL;
    listening = d.control != NULL;
    if (listening)
        load_config(&d, &o);
    report(&o, listening ? NULL : why);
    if (listening)
        loop_run(d.loop);
    control_close(d.control);
    d.control = NULL;
    daemon_close(&d);
    return listening ? 0 : 1;
}
