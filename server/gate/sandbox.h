/* What the gate may still ask of the kernel once it faces the network.
 *
 * A deny-list in a seccomp filter (part of the design is to turn it into an allow-list later):
 *   - killed: starting programs, looking into other processes, loading code into the kernel,
 *     changing namespaces or mounts, and another system call ABI than the compiled one. Nothing in
 *     the gate or its libraries does any of it, so whoever tries is an attacker.
 *   - refused with EPERM: opening files, making or connecting sockets, new processes, and changing
 *     other descriptors' owners. Libraries may try these at odd moments (time zone, resolver), and
 *     live with a refusal.
 * On top: no new privileges, no core files, not dumpable (nobody of the same user attaches). Builds
 * with AddressSanitizer keep what its leak check does at exit: processes, ptrace, opening files. */
#ifndef VITRINE_SERVER_GATE_SANDBOX_H
#define VITRINE_SERVER_GATE_SANDBOX_H

#include "proto/err.h"

#define SANDBOX_DESCRIPTORS 16384 /* soft limit: connections, above all */

/* Raises the limit of descriptors as far as allowed, up to SANDBOX_DESCRIPTORS. Before the loop is
 * made, which measures it. */
void sandbox_raise_limits(void);
/* Enters the sandbox, for good. ERR_SYSTEM when the kernel refuses. */
enum err sandbox_enter(void);

#endif
