/* The program people and scripts call: one round trip to the daemon and out, or a terminal's relay.
 * It needs nothing but the C library. */
#include <stdio.h>

#include "server/client/cli.h"

int main(int argc, char **argv)
{
    int status = cli_run(argc, (const char *const *)argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status == CLI_DONE)
            status = CLI_REFUSED;
    }
    return status;
}
