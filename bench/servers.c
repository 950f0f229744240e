/* Servers that begin and end: the first command, which starts the server and a session in it and is
 * answered; and ten servers one after the other, each with a session, each ended. */
#include <stddef.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"

#define CYCLES 10

static void cold_start(struct peer *p, int i)
{
    int64_t ns = peer_run(p, "new-session -d -s first cat");

    if (peer_try(p, "has-session -t =first") != 0)
        program_fail("%s: the first session is not there", p->name);
    peer_stop(p);
    if (i >= SCENARIO_WARM_UP)
        samples_add("cold start to first answer", p->name, "ns", ns);
}

/* From before the first command until the process of the last server is gone. A server that is
 * still ending must be waited for: tmux's refuses the next command otherwise. */
static void cycles(struct peer *p, int i)
{
    int64_t total = 0;

    for (int n = 0; n < CYCLES; n++) {
        total += peer_run(p, "new-session -d -s cycle cat");
        if (peer_try(p, "has-session -t =cycle") != 0)
            program_fail("%s: new-session made none", p->name);
        total += peer_stop(p);
    }
    if (i >= SCENARIO_WARM_UP)
        samples_add("10 servers created and killed", p->name, "ns", total);
}

static void repeat(struct scenario_setup *s, void (*take_sample)(struct peer *, int))
{
    for (int i = 0; i < SCENARIO_WARM_UP + s->samples; i++) {
        for (int half = 0; half < PEERS; half++)
            take_sample(scenario_turn(s, i, half), i);
    }
}

void servers_run(struct scenario_setup *s)
{
    repeat(s, cold_start);
    repeat(s, cycles);
}
