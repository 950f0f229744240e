/* `vitrine doctor`: what a share needs, checked here and by the daemon, one list. */
#ifndef VITRINE_CLIENT_DOCTOR_H
#define VITRINE_CLIENT_DOCTOR_H

#include "proto/args.h"
#include "server/client/runtime_dir.h"

/* Prints the checks, as lines `ok|warn|MISS name: detail` or as JSON
 * {"checks":[{"check","ok","detail"}…],"ok":bool}, and returns CLI_DONE when nothing is missing.
 *
 * The daemon's part is its own `doctor` command: the same lines, or with --json the same objects in
 * an array; its exit status is not 0 when something is missing. */
int doctor_run(const struct runtime_choice *choice, const struct args *a);

#endif
