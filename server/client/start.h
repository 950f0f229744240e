/* Finding the other programs and starting the daemon. */
#ifndef VITRINE_CLIENT_START_H
#define VITRINE_CLIENT_START_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"
#include "server/client/connection.h"

#define START_PATH_MAX 4096
#define START_WHY_MAX  512

/* Writes the path of a program that belongs to this one to out: beside our own executable, else in
 * the folder fixed at build time (VITRINE_LIBEXEC), else in PATH. False when it is in none. */
bool start_find_program(const char *name, char out[START_PATH_MAX]);
/* Connects to the daemon whose socket is socket_path, and starts one when nobody listens there; it
 * reads the config file of that absolute path, NULL for the user's own. Two clients at once start
 * one daemon: a lock beside the socket is held meanwhile. Returns what connection_open() does; any
 * failure has its line for the user in why. *started tells whether a daemon was started. */
enum err start_connect(const char *socket_path, const char *config, int timeout_ms,
                       struct connection **out, bool *started, char why[START_WHY_MAX]);
/* Writes the line for the user after connection_open() failed with e (errno still set). */
void start_explain(enum err e, const char *socket_path, char why[START_WHY_MAX]);

#endif
