/* Attaching: a client on a pseudo-terminal of the driver's, from before its process is started
 * until the last cell of the pane and the last of the status line have been read from the
 * terminal. Both are texts that stand nowhere else, so the order of drawing does not matter. */
#include "proto/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"

#define STATUS_END       "status-end"
#define DRAW_DEADLINE_MS 30000
#define DRAWN_MAX        (1u << 20)

static int open_terminal(char *name, size_t cap)
{
    struct winsize size = {.ws_col = SCENARIO_COLS, .ws_row = SCENARIO_ROWS};
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 || ptsname_r(fd, name, cap) != 0 ||
        ioctl(fd, TIOCSWINSZ, &size) != 0)
        program_fail("no pseudo-terminal: %s", strerror(errno));
    return fd;
}

/* Reads what is drawn until both texts were seen. */
static void read_drawn(const struct peer *p, int fd)
{
    static char drawn[DRAWN_MAX + 1];
    struct pollfd terminal = {.fd = fd, .events = POLLIN};
    size_t len = 0;

    do {
        ssize_t n;

        if (poll(&terminal, 1, DRAW_DEADLINE_MS) != 1)
            program_fail("%s: attach: nothing more is drawn", p->name);
        n = read(fd, drawn + len, DRAWN_MAX - len);
        if (n <= 0)
            program_fail("%s: attach ended: %s", p->name, drawn);
        len += (size_t)n;
        drawn[len] = '\0';
    } while (!memmem(drawn, len, SCENARIO_LAST, strlen(SCENARIO_LAST)) ||
             !memmem(drawn, len, STATUS_END, strlen(STATUS_END)));
}

/* Until the client has left the terminal. */
static void read_rest(int fd)
{
    char text[4096];

    while (read(fd, text, sizeof text) > 0)
        ;
}

static void take_sample(struct peer *p, int i)
{
    char name[64];
    int fd = open_terminal(name, sizeof name);
    int64_t before = program_now_ns(), after;
    pid_t pid = peer_start_on(p, name, "attach-session -t long");

    read_drawn(p, fd);
    after = program_now_ns();
    peer_run(p, "detach-client -s long");
    read_rest(fd);
    if (program_wait(pid) != 0)
        program_fail("%s: attach-session failed", p->name);
    close(fd);
    if (i >= SCENARIO_WARM_UP)
        samples_add("attach-session until drawn", p->name, "ns", after - before);
}

void attach_run(struct scenario_setup *s)
{
    for (int p = 0; p < PEERS; p++) {
        scenario_make_long(s, &s->peers[p]);
        peer_run(&s->peers[p], "set-option -g status-right %s", STATUS_END);
    }
    for (int i = 0; i < SCENARIO_WARM_UP + s->samples; i++) {
        for (int half = 0; half < PEERS; half++)
            take_sample(scenario_turn(s, i, half), i);
    }
    for (int p = 0; p < PEERS; p++)
        peer_stop(&s->peers[p]);
}
