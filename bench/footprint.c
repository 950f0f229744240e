/* What is there before anything is done: the cost of starting any program at all, how large the
 * programs are, and what a server holds in memory without a session, with one pane, and with
 * 100. */
#include <stdio.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"
#include "bench/usage.h"

#define ROUNDS 5
#define PANES  100

static void floor_sample(struct scenario_setup *s, const char *name, const char *label, int i)
{
    char path[PEER_PATH_MAX];
    const char *argv[] = {path, NULL};
    const char *env[] = {NULL};
    int64_t ns;
    int status;

    snprintf(path, sizeof path, "%s/%s", s->floors, name);
    ns = program_run(argv, env, &status);
    if (status != 0)
        program_fail("%s: exit %d", path, status);
    if (i >= SCENARIO_WARM_UP)
        samples_add("an empty program", label, "ns", ns);
}

static void size_of(struct scenario_setup *s, const char *name, const char *label)
{
    char path[PEER_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", s->bin, name);
    samples_add("program", label, "bytes", usage_loaded_bytes(path));
}

static void memory_of(struct peer *p, const char *resident, const char *proportional)
{
    pid_t server = peer_server(p);
    int64_t pss = usage_proportional_bytes(server);

    samples_add(resident, p->name, "bytes", usage_resident_bytes(server));
    if (pss >= 0)
        samples_add(proportional, p->name, "bytes", pss);
}

static void one_round(struct peer *p)
{
    peer_run(p, "new-session -d -s one sh");
    memory_of(p, "server with 1 pane, RSS", "server with 1 pane, PSS");
    peer_run(p, "set-option -s exit-empty off");
    peer_run(p, "kill-session -t one");
    memory_of(p, "server without a session, RSS", "server without a session, PSS");
    for (int i = 0; i < PANES; i++)
        peer_run(p, i == 0 ? "new-session -d -s many sh" : "new-window -d -t many: sh");
    peer_run(p, "list-panes -a");
    peer_expect_lines(p, "new-window", PANES);
    memory_of(p, "server with 100 panes, RSS", "server with 100 panes, PSS");
    peer_stop(p);
}

void footprint_run(struct scenario_setup *s)
{
    for (int i = 0; i < SCENARIO_WARM_UP + s->samples; i++) {
        floor_sample(s, i % 2 ? "floor-static" : "floor-dynamic", i % 2 ? "static" : "dynamic", i);
        floor_sample(s, i % 2 ? "floor-dynamic" : "floor-static", i % 2 ? "dynamic" : "static", i);
    }
    size_of(s, "vitrine", "vitrine");
    size_of(s, "vitrined", "vitrined");
    size_of(s, "vitrine-gate", "vitrine-gate");
    samples_add("program", "tmux", "bytes", usage_loaded_bytes(s->peers[1].program));
    for (int i = 0; i < ROUNDS; i++) {
        for (int half = 0; half < PEERS; half++)
            one_round(scenario_turn(s, i, half));
    }
}
