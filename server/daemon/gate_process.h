/* Starting a gate process: its descriptors, its empty environment, and its first message. */
#ifndef VITRINE_DAEMON_GATE_PROCESS_H
#define VITRINE_DAEMON_GATE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "server/daemon/gate_link.h"

/* Starts program with fd, its end of the socketpair, as descriptor MUX_DAEMON_FD; its log is ours.
 * Returns 0 and sets *pid, or an errno value. */
int gate_process_spawn(char *program, int fd, pid_t *pid);
/* Sends CONFIG with the kept listeners over our end of the socketpair, in one message: the first
 * thing on a fresh one, so it fits. False when it could not be sent. */
bool gate_process_configure(int fd, const struct gate_config *config, const int *listeners,
                            unsigned n_listeners);

#endif
