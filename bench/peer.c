#include "proto/compat.h"

#include "bench/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/program.h"

#define STOP_DEADLINE_MS 60000

static const char path_variable[] = "PATH=/usr/local/bin:/usr/bin:/bin";

struct line {
    char text[PEER_TEXT_MAX];
    const char *argv[PEER_WORDS_MAX];
};

static void find_in_path(const char *name, char out[PEER_PATH_MAX])
{
    for (const char *at = path_variable + 5; *at;) {
        size_t n = strcspn(at, ":");

        snprintf(out, PEER_PATH_MAX, "%.*s/%s", (int)n, at, name);
        if (access(out, X_OK) == 0)
            return;
        at += n + (at[n] == ':');
    }
    program_fail("%s is not installed", name);
}

static void make(struct peer *p, const char *name, const char *variable, const char *base)
{
    p->name = name;
    snprintf(p->dir, sizeof p->dir, "%s/%s", base, name);
    if (mkdir(p->dir, 0700) != 0 && errno != EEXIST)
        program_fail("cannot make %s: %s", p->dir, strerror(errno));
    snprintf(p->variable, sizeof p->variable, "%s=%s", variable, p->dir);
    p->env[0] = path_variable;
    p->env[1] = "HOME=/";
    p->env[2] = "SHELL=/bin/sh";
    p->env[3] = "TERM=xterm-256color";
    p->env[4] = p->variable;
    p->env[5] = NULL;
}

void peer_make_both(struct peer peers[PEERS], const char *bin, const char *base)
{
    static char vitrine[PEER_PATH_MAX], vitrined[PEER_PATH_MAX], tmux[PEER_PATH_MAX];

    snprintf(vitrine, sizeof vitrine, "%s/vitrine", bin);
    snprintf(vitrined, sizeof vitrined, "%s/vitrined", bin);
    find_in_path("tmux", tmux);
    make(&peers[0], "vitrine", "VITRINE_TMPDIR", base);
    peers[0].program = vitrine;
    peers[0].daemon = vitrined;
    make(&peers[1], "tmux", "TMUX_TMPDIR", base);
    peers[1].program = peers[1].daemon = tmux;
}

static void __attribute__((format(printf, 3, 0)))
build_line(const struct peer *p, struct line *l, const char *format, va_list ap)
{
    size_t n = 0;
    char *save;

    l->argv[n++] = p->program;
    l->argv[n++] = "-f";
    l->argv[n++] = "/dev/null";
    vsnprintf(l->text, sizeof l->text, format, ap);
    for (char *w = strtok_r(l->text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        if (n == PEER_WORDS_MAX - 1)
            program_fail("a command is too long: %s", format);
        l->argv[n++] = w;
    }
    l->argv[n] = NULL;
}

static void show_line(const struct line *l, char out[PEER_TEXT_MAX])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 3; l->argv[i] && used < PEER_TEXT_MAX; i++)
        used += (size_t)snprintf(out + used, PEER_TEXT_MAX - used, " %s", l->argv[i]);
}

int64_t peer_run(const struct peer *p, const char *format, ...)
{
    char shown[PEER_TEXT_MAX];
    struct line l;
    int64_t ns;
    va_list ap;
    int status;

    va_start(ap, format);
    build_line(p, &l, format, ap);
    va_end(ap);
    ns = program_run(l.argv, p->env, &status);
    if (status != 0) {
        show_line(&l, shown);
        program_fail("%s%s: exit %d: %s", p->name, shown, status, program_output());
    }
    return ns;
}

int peer_try(const struct peer *p, const char *format, ...)
{
    struct line l;
    va_list ap;
    int status;

    va_start(ap, format);
    build_line(p, &l, format, ap);
    va_end(ap);
    program_run(l.argv, p->env, &status);
    return status;
}

pid_t peer_start(const struct peer *p, const char *format, ...)
{
    struct line l;
    va_list ap;

    va_start(ap, format);
    build_line(p, &l, format, ap);
    va_end(ap);
    return program_start(l.argv, p->env);
}

pid_t peer_start_on(const struct peer *p, const char *tty, const char *format, ...)
{
    struct line l;
    va_list ap;

    va_start(ap, format);
    build_line(p, &l, format, ap);
    va_end(ap);
    return program_start_on(tty, l.argv, p->env);
}

void peer_expect_lines(const struct peer *p, const char *what, int lines)
{
    int found = 0;

    for (const char *at = program_output(); *at; at++)
        found += *at == '\n';
    if (found != lines)
        program_fail("%s: %s: %d lines and not %d: %s", p->name, what, found, lines,
                     program_output());
}

void peer_expect_text(const struct peer *p, const char *what, const char *text)
{
    size_t n = strlen(text);
    const char *found = program_output();

    if (strncmp(found, text, n) != 0 || strcmp(found + n, "\n") != 0)
        program_fail("%s: %s: %s and not %s", p->name, what, found, text);
}

pid_t peer_server(const struct peer *p)
{
    peer_run(p, "display-message -p #{pid}");
    return (pid_t)strtol(program_output(), NULL, 10);
}

int64_t peer_stop(const struct peer *p)
{
    struct pollfd gone = {.events = POLLIN};
    int64_t before;
    pid_t pid;

    if (peer_try(p, "display-message -p #{pid}") != 0)
        return 0;
    pid = (pid_t)strtol(program_output(), NULL, 10);
    gone.fd = pid > 1 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (gone.fd < 0)
        program_fail("%s's server has no process: %s", p->name, program_output());
    before = program_now_ns();
    peer_try(p, "kill-server");
    if (poll(&gone, 1, STOP_DEADLINE_MS) != 1)
        program_fail("%s's server does not end", p->name);
    close(gone.fd);
    return program_now_ns() - before;
}
