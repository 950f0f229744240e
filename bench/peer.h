/* A peer: one of the two multiplexers that are compared, with a server of its own.
 *
 * Both get the same: an empty environment but for PATH, HOME, SHELL, TERM and the folder of their
 * socket, no configuration (-f /dev/null), the same program in panes, and the same sizes. A command
 * is a line of words with blanks between them; there are no quotes. A command that fails where it
 * must not fails the run. */
#ifndef VITRINE_BENCH_PEER_H
#define VITRINE_BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEERS          2
#define PEER_WORDS_MAX 64
#define PEER_TEXT_MAX  1024
#define PEER_PATH_MAX  256

struct peer {
    const char *name;             /* vitrine or tmux, as results have it */
    const char *program;          /* path of its client */
    const char *daemon;           /* path of the file that runs as its server */
    char dir[PEER_PATH_MAX];      /* its socket and files */
    char variable[PEER_TEXT_MAX]; /* NAME=dir */
    const char *env[8];
};

/* Fills peers[0] with vitrine, whose programs are in bin, and peers[1] with the tmux on PATH. The
 * folders are made under base, which must exist. Strings are borrowed for ever. */
void peer_make_both(struct peer peers[PEERS], const char *bin, const char *base);

/* Runs a command, which must succeed. Returns its nanoseconds; its output is program_output's. */
int64_t peer_run(const struct peer *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* As peer_run, for a command that may fail; returns its exit status. */
int peer_try(const struct peer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Starts a command without waiting; program_wait collects it. */
pid_t peer_start(const struct peer *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Starts a command on a terminal of its own. */
pid_t peer_start_on(const struct peer *p, const char *tty, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails the run unless the last command wrote so many lines. */
void peer_expect_lines(const struct peer *p, const char *what, int lines);
/* Fails the run unless the last command wrote exactly this line. */
void peer_expect_text(const struct peer *p, const char *what, const char *text);

/* The server's process. */
pid_t peer_server(const struct peer *p);
/* Ends the server and waits until its process is gone. Returns nanoseconds from before kill-server
 * until then; 0 when none runs. */
int64_t peer_stop(const struct peer *p);

#endif
