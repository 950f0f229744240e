/* What operators' COMMANDs do: the owner's commands, run on what was found in the share. */
#ifndef VITRINE_DAEMON_OPERATE_H
#define VITRINE_DAEMON_OPERATE_H

#include <stdbool.h>
#include <stddef.h>

struct viewer_request;

/* Runs a decoded, allowed request for a daemon (struct daemon *); a hook of viewer.h. False after
 * writing why not, one line of at most cap bytes, to why. */
bool operate_run(void *daemon, const struct viewer_request *r, char *why, size_t cap);

#endif
