/* What a command sends with itself: HELLO and COMMAND in one write. */
#ifndef VITRINE_CLIENT_REQUEST_H
#define VITRINE_CLIENT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/args.h"
#include "proto/err.h"
#include "server/client/connection.h"

#define REQUEST_ENV_MAX_BYTES (256u << 10)

/* Everything is borrowed. */
struct request {
    size_t argc;
    const char *const *argv; /* the command and what follows it */
    const char *const *env;  /* NAME=value, NULL-terminated; NULL for none */
    const char *term;        /* NULL for none */
    const char *cwd;         /* NULL for none */
    unsigned flags;          /* enum ipc_client_flag bits */
    uint16_t cols, rows;     /* with IPC_CLIENT_TTY */
};

/* The variables that a line of spec's command is sent with: this process's for commands that start
 * programs, for others only the one that names the pane it runs in, which is put into only. */
const char *const *request_choose_env(const struct command_spec *spec, const char *only[static 2]);
/* Queues HELLO. */
enum err request_queue_hello(struct connection *c);
/* Queues COMMAND for r. Variables without `=` or a name are left out, and so are those
 * that come after REQUEST_ENV_MAX_BYTES. ERR_SPACE when the words are too many or too long for the
 * socket's limits, ERR_MEMORY. */
enum err request_queue_command(struct connection *c, const struct request *r);
/* Both, so that they go out in one write. */
enum err request_queue(struct connection *c, const struct request *r);

#endif
