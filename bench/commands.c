/* Command latency: what a person or a script waits for a command line, from before its process is
 * started until after it was collected.
 *
 * An operation is a row of the table: what is done before the clock starts, the command that is
 * timed, what must be true afterwards, and how the state before is restored. In a command, %i is
 * the number of the sample and %w a width that no sample before had. */
#include "proto/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/program.h"
#include "bench/samples.h"
#include "bench/scenario.h"

#define WINDOWS          20
#define CONFIG_LINES     1000
#define ECHO_DEADLINE_MS 30000

/* --- what must be true afterwards ------------------------------------------------------------- */

static int width_of(int i)
{
    return 20 + i % 2 * 20;
}

static void session_is_there(struct peer *p, int i)
{
    if (peer_try(p, "has-session -t =n%d", i) != 0)
        program_fail("%s: new-session made none", p->name);
}

static void session_is_gone(struct peer *p, int i)
{
    if (peer_try(p, "has-session -t =n%d", i) == 0)
        program_fail("%s: kill-session left it", p->name);
}

static void six_sessions_listed(struct peer *p, int i)
{
    (void)i;
    peer_expect_lines(p, "list-sessions", 6);
}

static void windows_listed(struct peer *p, int i)
{
    (void)i;
    peer_expect_lines(p, "list-windows", WINDOWS);
}

static void was_split(struct peer *p, int i)
{
    (void)i;
    peer_run(p, "list-panes -t split:0");
    peer_expect_lines(p, "split-window", 2);
}

static void was_resized(struct peer *p, int i)
{
    char text[16];

    snprintf(text, sizeof text, "%d", width_of(i));
    peer_run(p, "display-message -p -t wide:0.0 #{pane_width}");
    peer_expect_text(p, "resize-pane", text);
}

static void screen_was_captured(struct peer *p, int i)
{
    (void)i;
    if (!strstr(program_output(), SCENARIO_LAST) || !strstr(program_output(), "line 10000 "))
        program_fail("%s: capture-pane: the screen is incomplete", p->name);
}

static void all_was_captured(struct peer *p, int i)
{
    screen_was_captured(p, i);
    if (!strstr(program_output(), "line 1 ") || !strstr(program_output(), "line 5000 "))
        program_fail("%s: capture-pane -S -: lines are missing", p->name);
}

/* The program in a pane writes what it reads into a FIFO, whose end stays open here: without a
 * reader it would be ended by SIGPIPE. */
static struct {
    const struct peer *peer;
    int fd;
} fifos[PEERS];

static void open_fifo(const struct peer *p, const char *path)
{
    size_t i = fifos[0].peer ? 1 : 0;

    if (mkfifo(path, 0600) != 0 && errno != EEXIST)
        program_fail("cannot make %s: %s", path, strerror(errno));
    fifos[i].peer = p;
    fifos[i].fd = open(path, O_RDWR | O_CLOEXEC);
    if (fifos[i].fd < 0)
        program_fail("cannot open %s: %s", path, strerror(errno));
}

/* There the keys must come out. */
static void keys_arrived(struct peer *p, int i)
{
    char text[64], expected[64];
    size_t n = (size_t)snprintf(expected, sizeof expected, "key%d\n", i), got = 0;
    struct pollfd fifo = {.fd = fifos[fifos[0].peer != p].fd, .events = POLLIN};

    while (got < n) {
        ssize_t part;

        if (poll(&fifo, 1, ECHO_DEADLINE_MS) != 1)
            program_fail("%s: send-keys: nothing arrived", p->name);
        part = read(fifo.fd, text + got, sizeof text - got);
        got += part > 0 ? (size_t)part : 0;
    }
    if (got != n || memcmp(text, expected, n) != 0)
        program_fail("%s: send-keys: %.*s arrived", p->name, (int)got, text);
}

static void config_was_read(struct peer *p, int i)
{
    char text[16];

    snprintf(text, sizeof text, "%s%d", i % 2 ? "odd" : "even", CONFIG_LINES);
    peer_run(p, "show-options -gv status-left");
    peer_expect_text(p, "source-file", text);
}

/* --- the operations --------------------------------------------------------------------------- */

struct operation {
    const char *name;
    const char *before; /* NULL: nothing */
    const char *command;
    void (*verify)(struct peer *p, int i);
    const char *after;
};

static const struct operation operations[] = {
    {"new-session -d", NULL, "new-session -d -s n%i cat", session_is_there, "kill-session -t =n%i"},
    {"list-sessions", NULL, "list-sessions", six_sessions_listed, NULL},
    {"split-window -h", NULL, "split-window -h -t split:0.0 cat", was_split,
     "kill-pane -t split:0.1"},
    {"split-window -v", NULL, "split-window -v -t split:0.0 cat", was_split,
     "kill-pane -t split:0.1"},
    {"send-keys", NULL, "send-keys -t typed: key%i Enter", keys_arrived, NULL},
    {"capture-pane", NULL, "capture-pane -p -t long:", screen_was_captured, NULL},
    {"capture-pane -S - (10,000 lines)", NULL, "capture-pane -p -S - -t long:", all_was_captured,
     NULL},
    {"list-windows (20 windows)", NULL, "list-windows -t twenty:", windows_listed, NULL},
    {"resize-pane", NULL, "resize-pane -t wide:0.0 -x %w", was_resized, NULL},
    {"kill-session", "new-session -d -s n%i cat", "kill-session -t =n%i", session_is_gone, NULL},
    {"source-file (1,000 commands)", NULL, "source-file %d/%o.conf", config_was_read, NULL},
};

/* Fills in %i, %w, %d (the peer's folder) and %o ("odd" or "even"). */
static void expand(const char *text, const struct peer *p, int i, char out[PEER_TEXT_MAX])
{
    size_t n = 0;

    for (; *text; text++) {
        size_t room = PEER_TEXT_MAX - n;
        char *at = out + n;

        if (text[0] != '%')
            n += (size_t)snprintf(at, room, "%c", text[0]);
        else if (*++text == 'd')
            n += (size_t)snprintf(at, room, "%s", p->dir);
        else if (*text == 'o')
            n += (size_t)snprintf(at, room, "%s", i % 2 ? "odd" : "even");
        else
            n += (size_t)snprintf(at, room, "%d", *text == 'i' ? i : width_of(i));
        if (n >= PEER_TEXT_MAX)
            program_fail("a command is too long: %s", text);
    }
}

static int64_t run_line(struct peer *p, const char *text, int i)
{
    char line[PEER_TEXT_MAX];

    if (!text)
        return 0;
    expand(text, p, i, line);
    return peer_run(p, "%s", line);
}

static void take_sample(const struct operation *o, struct peer *p, int i)
{
    int64_t ns;

    run_line(p, o->before, i);
    ns = run_line(p, o->command, i);
    o->verify(p, i);
    run_line(p, o->after, i);
    if (i >= SCENARIO_WARM_UP)
        samples_add(o->name, p->name, "ns", ns);
}

/* --- the sessions they need ------------------------------------------------------------------- */

static void write_file(const struct peer *p, const char *name, const char *text)
{
    char path[PEER_PATH_MAX + 32];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    f = fopen(path, "w");
    if (!f || fputs(text, f) == EOF || fclose(f) != 0)
        program_fail("cannot write %s: %s", path, strerror(errno));
}

/* Options and bindings as configurations have them; the last line is what is looked for. */
static void write_config(const struct peer *p, const char *name, const char *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    for (int i = 1; f && i <= CONFIG_LINES; i++) {
        if (i % 2 == 0)
            fprintf(f, "set-option -g status-left %s%d\n", value, i);
        else
            fprintf(f, "bind-key -T prefix F%d select-window -t :%d\n", i % 12 + 1, i % 10);
    }
    if (!f || fclose(f) != 0)
        program_fail("out of memory");
    write_file(p, name, text);
    free(text);
}

static void make_typed(struct peer *p)
{
    char path[PEER_PATH_MAX + 8], text[PEER_PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/typed", p->dir);
    open_fifo(p, path);
    snprintf(text, sizeof text, "exec cat > %s\n", path);
    write_file(p, "type.sh", text);
    peer_run(p, "new-session -d -s typed -x %d -y %d sh %s/type.sh", SCENARIO_COLS, SCENARIO_ROWS,
             p->dir);
}

void scenario_make_long(struct scenario_setup *s, struct peer *p)
{
    char text[512];

    (void)s;
    snprintf(text, sizeof text,
             "seq -f 'line %%.0f of the output that a long build or a server would have written' "
             "1 %d\nprintf '%s'\nexec cat\n",
             SCENARIO_LINES, SCENARIO_LAST);
    write_file(p, "long.sh", text);
    peer_run(p, "new-session -d -s base -x %d -y %d cat", SCENARIO_COLS, SCENARIO_ROWS);
    peer_run(p, "set-option -g history-limit 20000");
    peer_run(p, "new-session -d -s long -x %d -y %d sh %s/long.sh", SCENARIO_COLS, SCENARIO_ROWS,
             p->dir);
    do
        peer_run(p, "capture-pane -p -t long:");
    while (!strstr(program_output(), SCENARIO_LAST));
}

static void make_sessions(struct scenario_setup *s, struct peer *p)
{
    scenario_make_long(s, p);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"twenty", "wide", "split"};

        peer_run(p, "new-session -d -s %s -x %d -y %d cat", names[i], SCENARIO_COLS, SCENARIO_ROWS);
    }
    for (int i = 1; i < WINDOWS; i++)
        peer_run(p, "new-window -d -t twenty: cat");
    peer_run(p, "split-window -h -t wide:0.0 cat");
    make_typed(p);
    write_config(p, "odd.conf", "odd");
    write_config(p, "even.conf", "even");
}

void commands_run(struct scenario_setup *s)
{
    for (int p = 0; p < PEERS; p++)
        make_sessions(s, &s->peers[p]);
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        for (int i = 0; i < SCENARIO_WARM_UP + s->samples; i++) {
            for (int half = 0; half < PEERS; half++)
                take_sample(&operations[o], scenario_turn(s, i, half), i);
        }
    }
    for (int p = 0; p < PEERS; p++)
        peer_stop(&s->peers[p]);
}
