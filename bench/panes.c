/* Thousands of panes in one server. The kernel has pseudo-terminals for one peer at a time only, so
 * the peers take turns by whole rounds. A round: panes one by one, each by a command line; memory;
 * a stretch in which nothing happens, and the processor time it costs; memory again; the end of the
 * server; then panes by many clients at once. */
#include "proto/compat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"
#include "bench/usage.h"

#define ROUNDS      3
#define QUIET_MS    8000 /* for each 1,000 panes, and at most */
#define AT_ONCE     16
#define PTYS_SPARED 256 /* for everybody else on the machine */

static int panes_allowed(int wanted)
{
    FILE *f = fopen("/proc/sys/kernel/pty/max", "r");
    int max = 0, used = 0;

    if (!f || fscanf(f, "%d", &max) != 1)
        program_fail("cannot read /proc/sys/kernel/pty/max");
    fclose(f);
    f = fopen("/proc/sys/kernel/pty/nr", "r");
    if (f && fscanf(f, "%d", &used) == 1)
        max -= used;
    if (f)
        fclose(f);
    return max - PTYS_SPARED < wanted ? max - PTYS_SPARED : wanted;
}

static int64_t per_pane(int64_t total, int panes)
{
    return total / panes;
}

static void create_one_by_one(struct peer *p, int panes)
{
    pid_t server;
    int64_t empty, pss, total = 0;

    peer_run(p, "new-session -d -s many -x %d -y %d sh", SCENARIO_COLS, SCENARIO_ROWS);
    server = peer_server(p);
    empty = usage_resident_bytes(server);
    pss = usage_proportional_bytes(server);
    for (int i = 1; i < panes; i++) {
        int64_t ns = peer_run(p, "new-window -d -t many: sh");

        total += ns;
        samples_add("new-window, one by one", p->name, "ns", ns);
    }
    samples_add("per pane created", p->name, "ns", per_pane(total, panes - 1));
    peer_run(p, "list-panes -a");
    peer_expect_lines(p, "new-window", panes);
    samples_add("RSS per pane", p->name, "bytes",
                per_pane(usage_resident_bytes(server) - empty, panes - 1));
    if (pss >= 0)
        samples_add("PSS per pane", p->name, "bytes",
                    per_pane(usage_proportional_bytes(server) - pss, panes - 1));
}

/* A stretch in which nothing is asked of the server, and the processor time it takes. This is what
 * is measured, no waiting for something. */
static void stay_quiet(struct peer *p, int panes, const char *label)
{
    int ms = panes >= 1000 ? QUIET_MS : QUIET_MS * panes / 1000;
    struct timespec quiet = {ms / 1000, ms % 1000 * 1000000L};
    pid_t server = peer_server(p);
    int64_t cpu = usage_cpu_ns(server), before = program_now_ns();

    while (nanosleep(&quiet, &quiet) != 0 && errno == EINTR)
        ;
    cpu = usage_cpu_ns(server) - cpu;
    samples_add(label, p->name, "ppm", cpu * 1000000 / (program_now_ns() - before));
}

static void measure_quiet(struct peer *p, int panes)
{
    stay_quiet(p, panes, "processor, first 8 s of quiet");
    samples_add("RSS per pane after quiet", p->name, "bytes",
                per_pane(usage_resident_bytes(peer_server(p)), panes));
    stay_quiet(p, panes, "processor, next 8 s");
}

static void create_at_once(struct peer *p, int panes)
{
    int started = 1, ended = 1;
    int64_t before;

    peer_run(p, "new-session -d -s many -x %d -y %d sh", SCENARIO_COLS, SCENARIO_ROWS);
    before = program_now_ns();
    while (ended < panes) {
        while (started < panes && started - ended < AT_ONCE) {
            peer_start(p, "new-window -d -t many: sh");
            started++;
        }
        if (program_wait(-1) != 0)
            program_fail("%s: new-window failed among %d at once", p->name, AT_ONCE);
        ended++;
    }
    samples_add("per pane created, 16 at once", p->name, "ns",
                per_pane(program_now_ns() - before, panes - 1));
    peer_run(p, "list-panes -a");
    peer_expect_lines(p, "new-window", panes);
    peer_stop(p);
}

void panes_run(struct scenario_setup *s)
{
    int panes = panes_allowed(s->panes);

    if (panes < 2)
        program_fail("no pseudo-terminals left for this scenario");
    for (int i = 0; i < ROUNDS; i++) {
        for (int half = 0; half < PEERS; half++) {
            struct peer *p = scenario_turn(s, i, half);

            samples_add("panes", p->name, "panes", panes);
            create_one_by_one(p, panes);
            measure_quiet(p, panes);
            samples_add("end of the server", p->name, "ns", peer_stop(p));
            create_at_once(p, panes / 3);
        }
    }
}
