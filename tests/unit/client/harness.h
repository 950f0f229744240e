/* A daemon that does what a test says, and the real client in a child process: in a terminal of its
 * own or between pipes. Every wait has a deadline, none is a sleep, and while one of the three is
 * waited for, what the others say is taken in. One fake and one client at a time. */
#ifndef VITRINE_TESTS_CLIENT_HARNESS_H
#define VITRINE_TESTS_CLIENT_HARNESS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <sys/types.h>

#include "proto/ipc_msg.h"

#define DEADLINE_MS 20000

/* --- the directory and the daemon's end ----------------------------------------------------- */

struct fake {
    char dir[64];
    char path[96]; /* dir/default */
    int listener;
    int peer; /* the client's connection, -1 before fake_accept() */
    bool peer_ended;
    uint8_t *in;
    size_t in_start, in_len;
};

/* Begins to play the daemon of f->path, which the caller sets. */
void fake_play(struct fake *f);
/* The same in a new runtime directory, in VITRINE_TMPDIR, and an environment that says nothing
 * else. */
void fake_begin(struct fake *f);
void fake_listen(struct fake *f);
void fake_accept(struct fake *f);
/* Closes the connection, as when the daemon dies. */
void fake_hang_up(struct fake *f);
/* Closes everything and removes the directory. */
void fake_end(struct fake *f);

/* Waits for the next frame; the body is valid until the next call. */
struct bytes fake_next(struct fake *f, uint8_t *type);
/* The same, and it must be of this type. */
struct bytes fake_expect(struct fake *f, enum ipc_message_type type);
/* Waits until the client has closed; frames before that are dropped. */
void fake_expect_end(struct fake *f);
/* Accepts, takes HELLO and COMMAND, answers WELCOME. *m borrows until the next frame. */
void fake_greet(struct fake *f, struct ipc_command *m);

void fake_welcome(struct fake *f, uint16_t version);
void fake_output(struct fake *f, enum ipc_stream stream, const char *text);
void fake_exit(struct fake *f, uint8_t status);
void fake_attached(struct fake *f, const char *session);
void fake_draw(struct fake *f, const void *p, size_t n);
void fake_detached(struct fake *f, enum ipc_detached reason, const char *text);
/* Sends bytes as they are. */
void fake_send(struct fake *f, const void *p, size_t n);

/* --- the client ----------------------------------------------------------------------------- */

struct client {
    pid_t pid;
    int in;      /* its standard input; the terminal's master */
    int out;     /* its standard output; the same in a terminal */
    int err;     /* its standard error; -1 in a terminal */
    int tty;     /* the terminal's own side, held open; -1 between pipes */
    int death;   /* at its end when the client has ended */
    bool paused; /* the output is not read: a terminal that takes nothing */
    char *text;  /* what it wrote, or the terminal showed; NUL-terminated */
    size_t len;
    size_t seen; /* how far client_wait_for() has looked */
    char *errors;
    size_t errors_len;
};

/* Starts cli_run() on the words, which end with NULL; the first is the command or a flag. */
void client_start(struct client *c, const char *const *words);
/* The same as another user, which only root may. */
void client_start_as(struct client *c, const char *const *words, uid_t uid);
void client_start_in_terminal(struct client *c, const char *const *words, uint16_t cols,
                              uint16_t rows);
/* Waits until text shows up in the output behind what the last call found. */
void client_wait_for(struct client *c, const char *text);
void client_type(struct client *c, const void *p, size_t n);
/* Waits for the end; returns the exit status, or 128 + the signal. Output is complete then. */
int client_finish(struct client *c);
/* Closes and frees. */
void client_clear(struct client *c);
/* Starts, finishes. */
int client_run(struct client *c, const char *const *words);

/* One turn of waiting: takes in what fake and client say. True when write_fd (-1 for none) takes
 * bytes. Fails the test when nothing happens within the deadline. */
bool harness_turn(int write_fd);

#endif
