/* What the files of control share; nobody else includes it. */
#ifndef VITRINE_DAEMON_CONTROL_STATE_H
#define VITRINE_DAEMON_CONTROL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/ipc_msg.h"
#include "server/daemon/command.h"
#include "server/daemon/config_list.h"
#include "server/daemon/control.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pane.h"

#define CONTROL_OUT_MAX_BYTES  (1u << 20)   /* queued for a program: nothing is read beyond it */
#define CONTROL_DATA_MAX_BYTES (256u << 10) /* queued: no DATA is added beyond it */
#define CONTROL_ENDED_PANES    256          /* whose end is remembered */

enum client_state {
    CLIENT_HELLO,
    CLIENT_COMMAND,
    CLIENT_WAITING, /* its command runs */
    CLIENT_ATTACHED,
    CLIENT_PROGRAM,
    CLIENT_CLOSING
};

struct subscription;

/* An INPUT that the pane's program has not taken whole. */
struct waiting_input {
    struct pane *pane; /* NULL: none waits */
    struct pane_observer observer;
    uint32_t id;
    struct outbuf rest;
};

/* What a program's connection has besides. */
struct program {
    bool events;
    bool events_lost; /* some were not told, and that has not been told */
    struct subscription *subscriptions;
    size_t n_subscriptions;
    struct subscription *next_pane; /* waits for the pane that a COMMAND makes */
    struct waiting_input input;
};

/* A line of several commands. */
struct command_line {
    struct config_list list;
    const struct config_command *at; /* the one that runs; NULL when the client gave a single one */
    int64_t where;                   /* number of the session that the next one is in */
    int64_t attach;                  /* of the session to attach to at the end, -1 for none */
    bool show_links;
    bool read_only;
};

struct client {
    struct control *control;
    int fd;
    uint16_t version; /* spoken on this connection */
    struct loop_watch *watch;
    enum client_state state;
    bool commanding; /* a command is under way */
    struct outbuf in;
    struct outbuf out;
    struct outbuf request_bytes; /* the body of COMMAND, while the command lives */
    struct ipc_command request;
    struct command command;
    struct command_line line;
    struct attach *attach;
    pid_t pid;     /* of the program at the other end; 0 when the kernel does not say */
    pid_t hang_up; /* sent SIGHUP when the client has gone; 0 for nobody */
    struct program program; /* with CLIENT_PROGRAM */
    struct loop_timer deadline;
    struct loop_task flush;
    struct loop_task reaper;
    bool dead;
    struct client *next;
};

struct ended_pane {
    uint32_t pane;
    enum ipc_end how;
    uint32_t code;
};

struct control {
    struct daemon *daemon;
    int fd;
    struct loop_watch *watch;
    struct loop_timer pause; /* runs while nobody is accepted */
    struct client *clients;
    size_t n_clients;
    struct ended_pane ended[CONTROL_ENDED_PANES]; /* a ring */
    size_t n_ended;                               /* in all */
};

/* --- control.c ------------------------------------------------------------------------------ */

/* Queues a frame whose body is already encoded; without memory nothing is queued. */
void control_send(struct client *k, enum ipc_message_type type, const void *body, size_t n);
/* EXIT; the connection is closed when that is written. */
void control_send_exit(struct client *k, uint8_t status);
/* Chooses again what to wait for on the client's socket. */
void control_watch_client(struct client *k);
/* Runs a COMMAND. False when it is malformed. */
bool control_take_command(struct client *k, struct bytes body);

/* What the command wrote, as OUTPUT. */
void control_send_outputs(struct client *k, const struct command *c);

/* --- control_line.c ------------------------------------------------------------------------- */

/* True for words that are several commands. */
bool control_line_begins(const struct client *k, size_t n, const char *const *words);
/* Runs the first of them, if nothing is wrong with any. */
enum command_result control_line_begin(struct client *k, size_t n, const char *const *words);
/* After a command: runs the next ones. True while one waits; else *result is the line's. */
bool control_line_goes_on(struct client *k, enum command_result *result);
void control_line_clear(struct client *k);

/* --- control_attach.c ----------------------------------------------------------------------- */

/* Attaches the client to c->session. */
void control_attach(struct client *k, struct command *c);
/* Ends the attach, and the client, with DETACHED. */
void control_end_attach(struct client *k, enum ipc_detached reason, const char *text);
/* Acts on a frame of an attached client. False when it is malformed or not allowed. */
bool control_take_attached(struct client *k, uint8_t type, struct bytes body);

/* --- control_program.c ---------------------------------------------------------------------- */

/* PROGRAM has come. False when it is malformed. */
bool control_begin_program(struct client *k, struct bytes body);
/* Acts on a frame of a program. False when it is malformed or not allowed. */
bool control_take_program(struct client *k, uint8_t type, struct bytes body);
/* A program's command has finished: nothing waits for its pane any more. */
void control_program_commanded(struct client *k);
/* The queue has got shorter: what waited for that goes on. */
void control_resume_program(struct client *k);
/* The client is going: lets go of panes. */
void control_end_program(struct client *k);
/* A pane is about to be destroyed: lets go of it. */
void control_forget_pane(struct client *k, struct pane *p);
/* Sends ANSWER. */
void control_answer(struct client *k, uint32_t id, enum ipc_result result, const char *text);
/* The pane of a number, with where it is; false when there is none. */
bool control_find_pane(struct client *k, uint32_t number, struct target *out);

/* --- control_list.c, control_cells.c: what they are asked ----------------------------------- */

void control_send_list(struct client *k, const struct ipc_list *m);
void control_send_cells(struct client *k, const struct ipc_cells *m);

/* --- control_output.c: subscriptions -------------------------------------------------------- */

void control_subscribe(struct client *k, const struct ipc_subscribe *m);
void control_unsubscribe(struct client *k, uint32_t id);
/* The pane that a subscription waited for is there. */
void control_subscribe_next(struct client *k, struct pane *p);
/* No pane came. */
void control_subscribe_none(struct client *k);
/* Sends what subscriptions have waiting, as far as the queue has room, in turns. */
void control_resume_output(struct client *k);
/* Ends the subscriptions to a pane that goes, with what is left of its output. */
void control_end_output(struct client *k, struct pane *p);
/* Frees all subscriptions. */
void control_drop_output(struct client *k);
/* How a pane that goes now has ended. */
struct ended_pane control_describe_end(const struct pane *p);

#endif
