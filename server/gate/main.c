/* vitrine-gate: the process that faces the network and holds no key. See gate.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "proto/mux_msg.h"
#include "server/gate/gate.h"
#include "server/gate/run.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("vitrine-gate " VITRINE_VERSION "\n");
        return GATE_EXIT_OK;
    }
    if (argc != 1) {
        fprintf(stderr, "usage: vitrine-gate (started by vitrined; see vitrine(1))\n");
        return GATE_EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* of a log that may not grow */
    return run_gate(MUX_DAEMON_FD);
}
