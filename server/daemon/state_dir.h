/* Where the daemon keeps what outlives it: $XDG_STATE_HOME/vitrine, else ~/.local/state/vitrine. */
#ifndef VITRINE_DAEMON_STATE_DIR_H
#define VITRINE_DAEMON_STATE_DIR_H

#include <stddef.h>

#include "proto/err.h"

/* Writes the path of `name` in that folder, which is made (mode 0700) when it is not there. With a
 * line in why: ERR_NOT_FOUND when neither variable is set, ERR_RANGE when the path is too long,
 * ERR_STATE when the folder is somebody else's or others may write to it, ERR_SYSTEM. */
enum err state_dir_path(const char *name, char *out, size_t cap, char *why, size_t why_cap);

#endif
