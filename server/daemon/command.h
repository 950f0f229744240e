/* Commands: what every one gets, and the table of who runs what.
 *
 * A client's COMMAND is parsed by proto/args.h and run by one function of commands.c's table. It
 * writes to out and err and returns how it went; one that has to wait returns COMMAND_LATER and
 * calls command_finish when it is done. Errors are one line: the thing, the reason, the next step.
 */
#ifndef VITRINE_DAEMON_COMMAND_H
#define VITRINE_DAEMON_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/args.h"
#include "proto/ipc_msg.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/session.h"

struct attach;
struct client;
struct daemon;
struct mouse_event;

enum command_result {
    COMMAND_DONE = 0,    /* exit status 0 */
    COMMAND_FAILED = 1,  /* refused or not found */
    COMMAND_USAGE = 2,   /* the line is wrong */
    COMMAND_LATER = 100, /* command_finish follows */
    COMMAND_ATTACH,      /* attach the client to `session` */
};

/* One command under way; the client's, lives until it is finished or the client is gone. */
struct command {
    struct daemon *daemon;
    struct client *client;
    struct args args;
    const struct ipc_command *request; /* flags, size, cwd, env; an empty one for bindings */
    struct attach *attach;             /* the attached terminal whose key ran it, or NULL */
    const struct mouse_event *mouse;   /* that ran it, or NULL */
    struct target current;             /* where that terminal is; all NULL otherwise */
    struct outbuf out;
    struct outbuf err;
    struct session *session; /* with COMMAND_ATTACH */
    bool show_links;
    bool read_only;
    bool ignore_size;
    void (*cancel)(struct command *c); /* set with COMMAND_LATER: the client has gone */
    void *state;                       /* the command's own, while it waits */
    /* Where command_finish goes for a command that no client gave; NULL for a client's. */
    void (*finished)(struct command *c, enum command_result result);
};

typedef enum command_result command_run(struct command *c);

/* Runs what words say; c is set up by the caller except for args. */
enum command_result command_run_words(struct command *c, size_t n, const char *const *words);
/* Sets what is called after every command that succeeded at once; NULL for nothing. */
void command_set_after(void (*after)(struct command *c));
/* Appends one line to c->err, "vitrine: " in front of it, and returns COMMAND_FAILED. */
enum command_result command_fail(struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a wrong line: adds the usage and returns COMMAND_USAGE. */
enum command_result command_usage(struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Value of a variable the client sent, or NULL; borrowed from the request, not NUL-terminated. */
struct bytes command_env(const struct command *c, const char *name);
/* Reads a number option; absent leaves *out. False after saying what is wrong. */
bool command_number(struct command *c, const char *option, long low, long high, long *out);
/* Ends a command that returned COMMAND_LATER. Implemented by control.c. */
void command_finish(struct command *c, enum command_result result);

#endif
