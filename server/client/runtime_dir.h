/* Where the daemon's socket is. The runtime directory is the first of
 *
 *     $VITRINE_TMPDIR             for tests, and for whoever wants it elsewhere
 *     $XDG_RUNTIME_DIR/vitrine    when that directory is ours
 *     /tmp/vitrine-<uid>
 *
 * and is used only if it is a directory, no symbolic link, ours, and closed to everyone else: in
 * /tmp somebody may have been there before us. */
#ifndef VITRINE_CLIENT_RUNTIME_DIR_H
#define VITRINE_CLIENT_RUNTIME_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"

#define RUNTIME_PATH_MAX 108 /* a sockaddr_un's, with its NUL */
#define RUNTIME_WHY_MAX  512

/* What the user said about the daemon; each may be NULL. */
struct runtime_choice {
    const char *path;   /* -S: the socket itself */
    const char *name;   /* -L: its name in the runtime directory */
    const char *config; /* -f: the config file of one that is started; an absolute path */
};

/* Writes the directory's path, which must be shorter than RUNTIME_PATH_MAX, to out; looks only at
 * the environment, and at who owns XDG_RUNTIME_DIR. ERR_RANGE with a line in why when too long. */
enum err runtime_dir_path(char out[RUNTIME_PATH_MAX], char why[RUNTIME_WHY_MAX]);
/* Makes the directory where it is missing, and checks it. On failure returns ERR_SYSTEM or
 * ERR_STATE and writes one line for the user, with what to do, to why. */
enum err runtime_dir_prepare(const char *dir, char why[RUNTIME_WHY_MAX]);
/* Writes the absolute path of the socket to out: -S, else -L, else the daemon whose pane we run in
 * ($VITRINE), else IPC_SOCKET_NAME; makes the runtime directory when the socket is in it. Errors as
 * for prepare; ERR_MALFORMED for a name with a slash, ERR_RANGE for a path that is too long. */
enum err runtime_dir_socket(const struct runtime_choice *choice, char out[RUNTIME_PATH_MAX],
                            char why[RUNTIME_WHY_MAX]);
/* True when this process runs in a pane of the daemon whose socket is at path. */
bool runtime_dir_is_nested(const char *path);

#endif
