/* `vitrine doctor`: what a share needs, checked here and by the daemon, one list. */
#ifndef VITRINE_CLIENT_DOCTOR_H
#define VITRINE_CLIENT_DOCTOR_H

#include "proto/args.h"
#include "server/client/runtime_dir.h"

/* Prints the checks, as lines `ok|warn|fail  name  what` or as JSON
 * {"checks":[{"name","status","detail"}…],"ok":bool}, and returns CLI_DONE when none failed.
 *
 * The daemon's part is its own `doctor` command: the same lines, or with --json the same objects in
 * an array; its exit status is not 0 when one failed. */
int doctor_run(const struct runtime_choice *choice, const struct args *a);

#endif
