#include "proto/compat.h"

#include "server/daemon/pane.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pty.h"
#include "server/daemon/ring.h"
#include "server/daemon/screen.h"
#include "server/daemon/trim.h"

#define READ_BYTES        (16u << 10)
#define READS_PER_ROUND   16
#define DRAIN_MS          100  /* after the program ended, while others hold its terminal open */
#define REST_MS           3000 /* without output, until the screen is put to rest */
#define COMMAND_NAME_SIZE 64
#define PATH_BYTES        1024 /* of a command line that are looked at */

enum happened { OUTPUT = 1, RESIZED = 2, EXITED = 4, TITLED = 8, BELLED = 16 };

struct pane {
    struct loop *loop;
    uint32_t id;
    struct pty pty;
    struct loop_watch *watch;
    struct screen *screen;
    struct ring ring;
    struct outbuf input; /* not yet written to the program */
    struct pane_observer *observers;
    struct loop_task task;
    struct loop_task reaper; /* queued last, after the tasks of all who still hold the pane */
    struct loop_timer drain;
    struct loop_timer rest; /* runs while the screen is not at rest */
    unsigned happened;      /* enum happened, told at the end of the round */
    uint64_t output_ms;
    uint32_t resizes;
    int wait_status;
    int64_t ended_s;
    bool reaped;
    bool at_end; /* nothing more can be read */
    bool dead;
    bool destroyed;
    bool telling;
    bool input_off;
    char **start_words; /* owned, NULL-terminated; NULL where nothing was set */
    char *start_cwd;
    char command_name[COMMAND_NAME_SIZE];
    struct pane_mode *mode;
    char *search;
    bool search_regex;
    struct pane *next;
};

static struct pane *all_panes; /* to find the pane of a child that ended */

/* --- telling observers ---------------------------------------------------------------------- */

static void free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

static void free_pane(void *ctx)
{
    struct pane *p = ctx;

    loop_cancel(p->loop, &p->task);
    screen_destroy(p->screen);
    ring_clear(&p->ring);
    outbuf_clear(&p->input);
    free(p->search);
    free_words(p->start_words);
    free(p->start_cwd);
    free(p);
    trim_soon();
}

static void drop_gone_observers(struct pane *p)
{
    for (struct pane_observer **o = &p->observers; *o;) {
        if ((*o)->gone)
            *o = (*o)->next;
        else
            o = &(*o)->next;
    }
}

static void tell(struct pane *p, struct pane_observer *o, unsigned happened)
{
    if ((happened & RESIZED) && o->resized && !o->gone)
        o->resized(o->ctx, p);
    if ((happened & OUTPUT) && o->output && !o->gone)
        o->output(o->ctx, p);
    if ((happened & TITLED) && o->titled && !o->gone)
        o->titled(o->ctx, p);
    if ((happened & BELLED) && o->belled && !o->gone)
        o->belled(o->ctx, p);
    if ((happened & EXITED) && o->exited && !o->gone)
        o->exited(o->ctx, p);
}

static void on_round_end(void *ctx)
{
    struct pane *p = ctx;
    unsigned happened = p->happened;

    p->happened = 0;
    p->telling = true;
    for (struct pane_observer *o = p->observers; o && !p->destroyed; o = o->next) {
        if (!o->gone)
            tell(p, o, happened);
    }
    p->telling = false;
    drop_gone_observers(p);
}

static void note(struct pane *p, enum happened what)
{
    p->happened |= what;
    loop_defer(p->loop, &p->task);
}

void pane_observe(struct pane *p, struct pane_observer *o)
{
    o->gone = false;
    o->next = p->observers;
    p->observers = o;
}

void pane_unobserve(struct pane *p, struct pane_observer *o)
{
    if (p->telling) {
        /* the walk in on_round_end stands on the list: leave a husk and take it out after it */
        for (struct pane_observer **at = &p->observers; *at; at = &(*at)->next) {
            if (*at == o) {
                *at = o->next;
                break;
            }
        }
        o->gone = true;
        return;
    }
    o->gone = true;
    drop_gone_observers(p);
}

/* --- the end of a program ------------------------------------------------------------------- */

static void check_end(struct pane *p)
{
    if (p->dead || !p->reaped || !p->at_end)
        return;
    p->dead = true;
    p->ended_s = loop_wall_s(p->loop);
    loop_timer_stop(&p->drain);
    loop_unwatch(p->watch);
    p->watch = NULL;
    pty_close(&p->pty);
    outbuf_clear(&p->input);
    note(p, EXITED);
}

static void on_drained(void *ctx)
{
    struct pane *p = ctx;

    p->at_end = true;
    check_end(p);
}

static void reach_end(struct pane *p)
{
    p->at_end = true;
    loop_unwatch(p->watch);
    p->watch = NULL;
    check_end(p);
}

bool pane_child_ended(pid_t pid, int wait_status)
{
    for (struct pane *p = all_panes; p; p = p->next) {
        if (p->pty.pid != pid || p->reaped)
            continue;
        p->reaped = true;
        p->wait_status = wait_status;
        if (!p->at_end)
            loop_timer_start(&p->drain, DRAIN_MS);
        check_end(p);
        return true;
    }
    return false;
}

struct pane_status pane_status(const struct pane *p)
{
    struct pane_status s = {p->dead, false, 0, p->ended_s};

    if (p->dead && WIFSIGNALED(p->wait_status)) {
        s.signalled = true;
        s.code = WTERMSIG(p->wait_status);
    } else if (p->dead) {
        s.code = WEXITSTATUS(p->wait_status);
    }
    return s;
}

/* --- output --------------------------------------------------------------------------------- */

/* The timer is not moved by every output: it looks when the last one was. */
static void on_rest(void *ctx)
{
    struct pane *p = ctx;
    uint64_t quiet = loop_now_ms(p->loop) - p->output_ms;

    if (quiet < REST_MS) {
        loop_timer_start(&p->rest, REST_MS - quiet);
        return;
    }
    screen_rest(p->screen);
    trim_soon();
}

static void take_output(struct pane *p, const uint8_t *data, size_t n)
{
    ring_put(&p->ring, data, n);
    screen_feed(p->screen, data, n);
    p->output_ms = loop_now_ms(p->loop);
    if (!loop_timer_running(&p->rest))
        loop_timer_start(&p->rest, REST_MS);
    if (loop_timer_running(&p->drain))
        loop_timer_start(&p->drain, DRAIN_MS);
    note(p, OUTPUT);
}

void pane_show(struct pane *p, const void *data, size_t n)
{
    take_output(p, data, n);
}

static void read_output(struct pane *p)
{
    static uint8_t data[READ_BYTES];

    for (int i = 0; i < READS_PER_ROUND; i++) {
        ssize_t n = read(p->pty.master, data, sizeof data);

        if (n > 0) {
            take_output(p, data, (size_t)n);
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        reach_end(p); /* EIO: nobody holds the other side, and everything was read */
        return;
    }
}

/* --- input ---------------------------------------------------------------------------------- */

static void watch_as_needed(struct pane *p)
{
    if (p->watch)
        loop_watch_set(p->watch, LOOP_READ | (p->input.len > 0 ? LOOP_WRITE : 0u));
}

/* Writes what the kernel takes now; returns how much. */
static size_t write_now(struct pane *p, const uint8_t *data, size_t n)
{
    ssize_t done;

    do
        done = write(p->pty.master, data, n);
    while (done < 0 && errno == EINTR);
    return done > 0 ? (size_t)done : 0;
}

static void flush_input(struct pane *p)
{
    size_t before = p->input.len;

    outbuf_drop(&p->input, write_now(p, p->input.p, p->input.len));
    watch_as_needed(p);
    if (p->input.len == before)
        return;
    for (struct pane_observer *o = p->observers, *next; o; o = next) {
        next = o->next;
        if (o->room && !o->gone)
            o->room(o->ctx, p);
    }
}

size_t pane_room(const struct pane *p)
{
    if (p->at_end || p->reaped || p->input.len >= PANE_INPUT_MAX_BYTES)
        return 0;
    return PANE_INPUT_MAX_BYTES - p->input.len;
}

bool pane_is_interrupt(const struct pane *p, const uint8_t *data, size_t n)
{
    struct termios t;

    return n == 1 && p->pty.master >= 0 && tcgetattr(p->pty.master, &t) == 0 &&
           (t.c_lflag & ISIG) && data[0] == t.c_cc[VINTR] && data[0] != _POSIX_VDISABLE;
}

void pane_interrupt(struct pane *p)
{
    outbuf_reset(&p->input);
    watch_as_needed(p);
    if (p->pty.master >= 0)
        pty_interrupt(&p->pty);
}

void pane_set_input_off(struct pane *p, bool off)
{
    p->input_off = off;
}

bool pane_input_off(const struct pane *p)
{
    return p->input_off;
}

static size_t write_input(struct pane *p, const uint8_t *data, size_t n)
{
    size_t total = n;
    size_t room;

    if (p->at_end || p->reaped || n == 0)
        return 0;
    if (pane_is_interrupt(p, data, n) && (p->input.len > 0 || pty_input_full(&p->pty))) {
        pane_interrupt(p);
        return n;
    }
    if (p->input.len == 0) {
        size_t done = write_now(p, data, n);

        data += done;
        n -= done;
    }
    room = pane_room(p);
    if (n > room) {
        total -= n - room;
        n = room;
    }
    outbuf_put(&p->input, data, n);
    if (p->input.bad) { /* not queued: not taken */
        p->input.bad = false;
        total -= n;
    }
    watch_as_needed(p);
    return total;
}

size_t pane_write(struct pane *p, const uint8_t *data, size_t n)
{
    return p->input_off ? n : write_input(p, data, n);
}

static void on_event(void *ctx, unsigned events)
{
    struct pane *p = ctx;

    if ((events & LOOP_WRITE) && p->input.len > 0)
        flush_input(p);
    if ((events & LOOP_READ) && p->watch)
        read_output(p);
}

/* --- what the screen reports ---------------------------------------------------------------- */

static void on_reply(void *ctx, const uint8_t *data, size_t n)
{
    write_input(ctx, data, n);
}

static void on_bell(void *ctx)
{
    note(ctx, BELLED);
}

static void on_title(void *ctx)
{
    note(ctx, TITLED);
}

static void (*clipboard_hook)(void *ctx, struct pane *p, const uint8_t *text, size_t n);
static void *clipboard_ctx;

void pane_set_clipboard_hook(void (*fn)(void *ctx, struct pane *p, const uint8_t *text, size_t n),
                             void *ctx)
{
    clipboard_hook = fn;
    clipboard_ctx = ctx;
}

static void on_clipboard(void *ctx, const uint8_t *text, size_t n)
{
    struct pane *p = ctx;

    if (clipboard_hook)
        clipboard_hook(clipboard_ctx, p, text, n);

    for (struct pane_observer *o = p->observers; o; o = o->next) {
        if (o->clipboard && !o->gone)
            o->clipboard(o->ctx, p, text, n);
    }
}

/* --- life ----------------------------------------------------------------------------------- */

static struct pane *allocate(struct loop *l, uint32_t id, uint16_t cols, uint16_t rows,
                             uint32_t history_limit)
{
    static const struct screen_events events = {
        .reply = on_reply, .bell = on_bell, .title = on_title, .clipboard = on_clipboard};
    struct pane *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->loop = l;
    p->id = id;
    p->pty.master = -1;
    p->pty.pid = -1;
    loop_task_init(&p->task, on_round_end, p);
    loop_task_init(&p->reaper, free_pane, p);
    loop_timer_init(&p->drain, l, on_drained, p);
    loop_timer_init(&p->rest, l, on_rest, p);
    p->screen = screen_create(cols, rows, history_limit, &events, p);
    if (!p->screen || !ring_init(&p->ring, PANE_RING_BYTES)) {
        free_pane(p);
        return NULL;
    }
    return p;
}

struct pane *pane_create(struct loop *l, uint32_t id, const struct pty_command *cmd, uint16_t cols,
                         uint16_t rows, uint32_t history_limit, char *why, size_t why_len)
{
    struct pane *p = allocate(l, id, cols, rows, history_limit);
    int e;

    if (!p) {
        snprintf(why, why_len, "out of memory");
        return NULL;
    }
    e = pty_open(&p->pty, cmd, screen_cols(p->screen), screen_rows(p->screen));
    if (e != 0) {
        snprintf(why, why_len, "cannot start %s: %s", cmd->program ? cmd->program : cmd->argv[0],
                 strerror(e));
        free_pane(p);
        return NULL;
    }
    p->watch = loop_watch(l, p->pty.master, LOOP_READ, on_event, p);
    p->next = all_panes;
    all_panes = p;
    if (!p->watch) {
        snprintf(why, why_len, "out of memory");
        pane_destroy(p);
        return NULL;
    }
    p->output_ms = loop_now_ms(l);
    return p;
}

/* The first program's screen, modes and unfinished sequences do not reach into the second's time;
 * what scrolled off stays. CAN ends a sequence, DECSTR resets what it covers, the rest is named. */
#define RESET_SEQUENCE                                                                      \
    "\030\033[?1049l\033[!p\033[?9l\033[?1000l\033[?1002l\033[?1003l\033[?1004l\033[?1006l" \
    "\033[?1016l\033[?2004l\033[?2026l\033[?7h\033[?25h\033[m\033[r\033[H\033[2J"

void pane_reset_terminal(struct pane *p)
{
    take_output(p, (const uint8_t *)RESET_SEQUENCE, sizeof RESET_SEQUENCE - 1);
}

bool pane_respawn(struct pane *p, const struct pty_command *cmd, char *why, size_t why_len)
{
    struct loop_watch *watch = NULL;
    struct pty pty = {.master = -1};
    int e = pty_open(&pty, cmd, screen_cols(p->screen), screen_rows(p->screen));

    if (e == 0)
        watch = loop_watch(p->loop, pty.master, LOOP_READ, on_event, p);
    if (!watch) {
        snprintf(why, why_len, "cannot start %s: %s", cmd->program ? cmd->program : cmd->argv[0],
                 strerror(e != 0 ? e : ENOMEM));
        if (e == 0) {
            kill(-pty.pid, SIGHUP);
            pty_close(&pty);
        }
        return false;
    }
    loop_timer_stop(&p->drain);
    loop_unwatch(p->watch);
    if (!p->reaped && p->pty.pid > 0)
        kill(-p->pty.pid, SIGHUP); /* its end is nobody's any more */
    pty_close(&p->pty);
    p->pty = pty;
    p->watch = watch;
    p->reaped = p->at_end = p->dead = false;
    p->happened &= ~(unsigned)EXITED;
    outbuf_clear(&p->input);
    pane_reset_terminal(p);
    return true;
}

static char **copy_words(size_t n, const char *const *words)
{
    char **out = calloc(n + 1, sizeof *out);

    for (size_t i = 0; out && i < n; i++) {
        out[i] = strdup(words[i]);
        if (out[i])
            continue;
        free_words(out);
        return NULL;
    }
    return out;
}

bool pane_set_start(struct pane *p, size_t n, const char *const *words, const char *cwd)
{
    char **kept = copy_words(n, words);
    char *dir = strdup(cwd);

    if (!kept || !dir) {
        free_words(kept);
        free(dir);
        return false;
    }
    free_words(p->start_words);
    free(p->start_cwd);
    p->start_words = kept;
    p->start_cwd = dir;
    return true;
}

const char *const *pane_start_words(const struct pane *p)
{
    return (const char *const *)p->start_words;
}

const char *pane_start_cwd(const struct pane *p)
{
    return p->start_cwd;
}

void pane_destroy(struct pane *p)
{
    if (!p || p->destroyed)
        return;
    for (struct pane **at = &all_panes; *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            break;
        }
    }
    pane_set_mode(p, NULL);
    p->destroyed = true;
    loop_timer_stop(&p->drain);
    loop_timer_stop(&p->rest);
    loop_unwatch(p->watch);
    p->watch = NULL;
    if (!p->reaped && p->pty.pid > 0)
        kill(-p->pty.pid, SIGHUP);
    pty_close(&p->pty);
    p->at_end = true;
    loop_cancel(p->loop, &p->task);
    loop_defer(p->loop, &p->reaper);
}

enum err pane_resize(struct pane *p, uint16_t cols, uint16_t rows)
{
    enum err e;

    if (cols == screen_cols(p->screen) && rows == screen_rows(p->screen))
        return ERR_OK;
    e = screen_resize(p->screen, cols, rows);
    if (e != ERR_OK)
        return e;
    if (p->pty.master >= 0)
        pty_resize(&p->pty, screen_cols(p->screen), screen_rows(p->screen));
    p->resizes++;
    if (!loop_timer_running(&p->rest)) /* resizing has woken it */
        loop_timer_start(&p->rest, REST_MS);
    note(p, RESIZED);
    return ERR_OK;
}

uint32_t pane_resizes(const struct pane *p)
{
    return p->resizes;
}

uint32_t pane_id(const struct pane *p)
{
    return p->id;
}

struct screen *pane_screen(struct pane *p)
{
    return p->screen;
}

const struct ring *pane_ring(const struct pane *p)
{
    return &p->ring;
}

pid_t pane_pid(const struct pane *p)
{
    return p->pty.pid;
}

const char *pane_tty(const struct pane *p)
{
    return p->pty.path;
}

uint64_t pane_output_ms(const struct pane *p)
{
    return p->output_ms;
}

/* A command line's program: without its directory, a login shell's dash, or arguments in it. */
static void put_program(struct pane *p, const char *line)
{
    size_t n;

    line += strspn(line, " -");
    n = strcspn(line, " ");
    if (*line == '/')
        for (size_t i = 0; i < n; i++)
            if (line[i] == '/' && i + 1 < n)
                line += i + 1, n -= i + 1, i = (size_t)-1;
    snprintf(p->command_name, sizeof p->command_name, "%.*s", (int)n, line);
}

const char *pane_command_name(struct pane *p)
{
    char path[64], line[PATH_BYTES];
    pid_t group = p->pty.master >= 0 ? tcgetpgrp(p->pty.master) : -1;
    ssize_t n;
    int fd;

    if (group <= 0)
        return p->command_name;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)group);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return p->command_name;
    n = read(fd, line, sizeof line - 1);
    close(fd);
    if (n > 0) {
        line[n] = '\0';
        put_program(p, line);
    }
    return p->command_name;
}

/* --- what lies over it ---------------------------------------------------------------------- */

struct pane_mode *pane_mode(const struct pane *p)
{
    return p->mode;
}

void pane_set_mode(struct pane *p, struct pane_mode *m)
{
    struct pane_mode *old = p->mode;

    p->mode = NULL;
    if (old)
        old->destroy(old);
    p->mode = m;
}

const char *pane_search(const struct pane *p, bool *regex)
{
    *regex = p->search_regex;
    return p->search ? p->search : "";
}

void pane_set_search(struct pane *p, const char *text, bool regex)
{
    char *copy = strdup(text);

    if (!copy)
        return;
    free(p->search);
    p->search = copy;
    p->search_regex = regex;
}
