/* The bench driver: bench BIN FLOORS OUT SAMPLES PANES SCENARIO...
 *
 * BIN has vitrine's programs, FLOORS the two empty ones, OUT gets SCENARIO.json for every scenario
 * that is named. Any effect that is missing ends the run with status 1 and a line that says which;
 * nothing is written for that scenario then. */
#include "proto/compat.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"

static const struct {
    const char *name;
    void (*run)(struct scenario_setup *s);
} scenarios[] = {
    {"footprint", footprint_run}, {"commands", commands_run}, {"attach", attach_run},
    {"servers", servers_run},     {"panes", panes_run},
};

static struct scenario_setup setup;

struct peer *scenario_turn(struct scenario_setup *s, int i, int half)
{
    return &s->peers[(i + half) % PEERS];
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void clean_up(void)
{
    for (int i = 0; i < PEERS; i++)
        peer_try(&setup.peers[i], "kill-server");
    nftw(setup.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void run_scenario(const char *name, const char *out)
{
    char path[PEER_PATH_MAX];

    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(scenarios[i].name, name) != 0)
            continue;
        printf("%s\n", name);
        fflush(stdout);
        scenarios[i].run(&setup);
        snprintf(path, sizeof path, "%s/%s.json", out, name);
        samples_write(path, name);
        return;
    }
    program_fail("no such scenario: %s", name);
}

int main(int argc, char **argv)
{
    static char dir[] = "/tmp/vitrine-bench-XXXXXX";

    if (argc < 7) {
        fputs("usage: bench BIN FLOORS OUT SAMPLES PANES SCENARIO...\n", stderr);
        return 2;
    }
    if (!mkdtemp(dir))
        program_fail("no folder for the run");
    setup = (struct scenario_setup){.dir = dir,
                                    .bin = argv[1],
                                    .floors = argv[2],
                                    .samples = atoi(argv[4]),
                                    .panes = atoi(argv[5])};
    peer_make_both(setup.peers, argv[1], dir);
    program_on_fail(clean_up);
    for (int i = 6; i < argc; i++)
        run_scenario(argv[i], argv[3]);
    clean_up();
    return 0;
}
