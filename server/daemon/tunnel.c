#include "proto/compat.h"

#include "server/daemon/tunnel.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/link_text.h"
#include "proto/utf8.h"
#include "server/daemon/child.h"
#include "server/daemon/log.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"

#define LINE_BYTES     4096
#define READ_BYTES     4096
#define READS_A_ROUND  16
#define WAITERS_MAX    32
#define BACKOFF_MIN_MS 1000
#define BACKOFF_MAX_MS 60000
#define STEADY_MS      60000 /* a tunnel that was up so long starts the back-off anew */
#define ANY_URL        "https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?"

/* Programs whose options and output are known. */
static const struct preset {
    const char *name;
    const char *command;
    const char *pattern;
} presets[] = {
    {"cloudflared", "exec cloudflared tunnel --no-autoupdate --no-tls-verify --url %u",
     "https://[a-z0-9-]+\\.trycloudflare\\.com"},
    {"tailscale", "exec tailscale serve %p", "https://[a-z0-9.-]+\\.ts\\.net(:[0-9]+)?"},
    {"tailscale-funnel", "exec tailscale funnel %p", "https://[a-z0-9.-]+\\.ts\\.net(:[0-9]+)?"},
    {"ngrok", "exec ngrok http %u --log stdout", "https://[a-z0-9.-]+\\.ngrok[a-z0-9.-]+"},
    {"localhost.run",
     "exec ssh -T -o BatchMode=yes -o ExitOnForwardFailure=yes -o ServerAliveInterval=15 "
     "-R 80:127.0.0.1:%p nokey@localhost.run",
     "https://[a-z0-9-]+\\.lhr\\.life"},
};

struct waiter {
    tunnel_ready_fn *fn;
    void *ctx;
};

struct tunnel {
    struct loop *loop;
    void (*changed)(void *ctx);
    void *ctx;
    enum tunnel_state state;
    char given[TUNNEL_COMMAND_MAX]; /* as the user said it */
    char *line;                     /* what sh runs */
    char **env;
    regex_t pattern;
    bool has_pattern;
    bool fixed;     /* its URL was told, not found */
    bool ever_up;   /* from then on it is started again when it ends */
    bool was_lost;  /* since it was up last */
    bool url_known; /* of this run */
    pid_t pid;      /* -1: none */
    pid_t ending;   /* one that was told to go; -1: none */
    int fd;
    struct loop_watch *watch;
    struct loop_timer timer;   /* start's time-out, or back-off */
    struct loop_timer killing; /* until SIGKILL for `ending` */
    uint64_t up_ms, backoff_ms;
    char url[TUNNEL_URL_MAX];
    char part[LINE_BYTES]; /* of the line that is being printed */
    size_t part_len;
    char last[LINE_BYTES]; /* the last line that says something, printable */
    char why[TUNNEL_WHY];
    struct waiter waiters[WAITERS_MAX];
    unsigned n_waiters;
};

static void start(struct tunnel *t);

/* --- who waits ------------------------------------------------------------------------------ */

static void tell_waiters(struct tunnel *t, const char *failure)
{
    while (t->n_waiters > 0) {
        struct waiter w = t->waiters[--t->n_waiters];

        w.fn(w.ctx, failure);
    }
}

enum err tunnel_wait(struct tunnel *t, tunnel_ready_fn *fn, void *ctx)
{
    if (t->state != TUNNEL_STARTING || t->ever_up) {
        fn(ctx, t->state == TUNNEL_FAILED ? t->why : NULL);
        return ERR_OK;
    }
    if (t->n_waiters == WAITERS_MAX)
        return ERR_MEMORY;
    t->waiters[t->n_waiters++] = (struct waiter){fn, ctx};
    return ERR_OK;
}

void tunnel_forget(struct tunnel *t, void *ctx)
{
    for (unsigned i = 0; i < t->n_waiters; i++) {
        if (t->waiters[i].ctx == ctx)
            t->waiters[i--] = t->waiters[--t->n_waiters];
    }
}

/* --- the process ---------------------------------------------------------------------------- */

static void close_output(struct tunnel *t)
{
    loop_unwatch(t->watch);
    t->watch = NULL;
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

/* Tells its whole group to go, and sees to it that it does. */
static void end_process(struct tunnel *t)
{
    close_output(t);
    if (t->pid <= 0)
        return;
    if (t->ending > 0)
        kill(-t->ending, SIGKILL);
    kill(-t->pid, SIGTERM);
    t->ending = t->pid;
    t->pid = -1;
    loop_timer_start(&t->killing, TUNNEL_GRACE_MS);
}

static void on_killing(void *ctx)
{
    struct tunnel *t = ctx;

    if (t->ending > 0)
        kill(-t->ending, SIGKILL);
    t->ending = -1;
}

/* It will not come up: whoever waits is told, and nothing is tried again. */
static void fail(struct tunnel *t)
{
    end_process(t);
    loop_timer_stop(&t->timer);
    t->state = TUNNEL_FAILED;
    log_line(LOG_GATE, "%s", t->why);
    tell_waiters(t, t->why);
}

/* It is not up any more, or did not come up again: another try after a while. */
static void try_again(struct tunnel *t)
{
    bool steady = t->state == TUNNEL_UP && loop_now_ms(t->loop) - t->up_ms > STEADY_MS;

    end_process(t);
    t->backoff_ms = steady || t->backoff_ms == 0 ? BACKOFF_MIN_MS : t->backoff_ms * 2;
    if (t->backoff_ms > BACKOFF_MAX_MS)
        t->backoff_ms = BACKOFF_MAX_MS;
    log_line(LOG_GATE, "%s; starting it again in %u ms", t->why, (unsigned)t->backoff_ms);
    t->state = TUNNEL_WAITING;
    loop_timer_start(&t->timer, t->backoff_ms);
    if (!t->was_lost)
        t->changed(t->ctx);
    t->was_lost = true;
}

static void lose(struct tunnel *t)
{
    if (t->ever_up)
        try_again(t);
    else
        fail(t);
}

static void on_timer(void *ctx)
{
    struct tunnel *t = ctx;

    if (t->state != TUNNEL_STARTING) {
        start(t);
        return;
    }
    snprintf(t->why, sizeof t->why, "the tunnel printed no address in %d seconds%s%.200s",
             TUNNEL_START_MS / 1000, t->last[0] ? "; its last words: " : "", t->last);
    lose(t);
}

static void become_up(struct tunnel *t, const char *url)
{
    bool news = t->was_lost || strcmp(t->url, url) != 0;

    snprintf(t->url, sizeof t->url, "%s", url);
    loop_timer_stop(&t->timer);
    t->state = TUNNEL_UP;
    t->up_ms = loop_now_ms(t->loop);
    t->why[0] = '\0';
    log_line(LOG_GATE, "the tunnel is up: %s", t->url);
    if (t->ever_up && news)
        t->changed(t->ctx);
    t->ever_up = true;
    t->was_lost = false;
    tell_waiters(t, NULL);
}

/* --- what it prints ------------------------------------------------------------------------- */

/* The first URL counts: what comes later is news, terms and advertisement. */
static void look_for_url(struct tunnel *t, const char *line)
{
    char url[TUNNEL_URL_MAX];
    regmatch_t m;
    int len;

    if (t->state != TUNNEL_STARTING || t->fixed || regexec(&t->pattern, line, 1, &m, 0) != 0)
        return;
    len = (int)(m.rm_eo - m.rm_so);
    if (len == 0 || (size_t)len + 2 > sizeof url)
        return;
    snprintf(url, sizeof url, "%.*s%s", len, line + m.rm_so, line[m.rm_eo - 1] == '/' ? "" : "/");
    if (link_text_check_page_url(url) == ERR_OK)
        become_up(t, url);
}

static void end_line(struct tunnel *t)
{
    char printable[LINE_BYTES];

    t->part[t->part_len] = '\0';
    if (t->part_len > 0 && strlen(t->part) == t->part_len) {
        look_for_url(t, t->part);
        utf8_printable((const uint8_t *)t->part, t->part_len, printable, sizeof printable - 1);
        if (printable[strspn(printable, " ")])
            memcpy(t->last, printable, sizeof t->last);
    }
    t->part_len = 0;
}

/* A line longer than there is room is looked at in pieces. */
static void take(struct tunnel *t, const char *p, size_t n)
{
    for (size_t i = 0; i < n && t->fd >= 0; i++) {
        if (p[i] == '\n' || p[i] == '\r' || t->part_len == sizeof t->part - 1)
            end_line(t);
        if (p[i] != '\n' && p[i] != '\r')
            t->part[t->part_len++] = p[i];
    }
}

static void on_output(void *ctx, unsigned events)
{
    struct tunnel *t = ctx;
    char bytes[READ_BYTES];
    ssize_t n = 1;

    (void)events;
    for (int i = 0; i < READS_A_ROUND && t->fd >= 0; i++) {
        n = read(t->fd, bytes, sizeof bytes);
        if (n <= 0)
            break;
        take(t, bytes, (size_t)n);
    }
    if (t->fd >= 0 && (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))) {
        end_line(t);
        close_output(t);
    }
}

bool tunnel_child_ended(struct tunnel *t, pid_t pid, int wait_status)
{
    bool signalled = WIFSIGNALED(wait_status);

    if (pid == t->ending) { /* its children, too, have had their time by now */
        kill(-pid, SIGKILL);
        t->ending = -1;
        loop_timer_stop(&t->killing);
        return true;
    }
    if (pid != t->pid)
        return false;
    if (t->fd >= 0)
        on_output(t, LOOP_READ);
    end_line(t);
    if (t->pid != pid) /* the last line changed everything */
        return true;
    snprintf(t->why, sizeof t->why, "the tunnel %s %d%s%.200s",
             signalled ? "was killed by signal" : "ended with status",
             signalled ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), t->last[0] ? ": " : "",
             t->last);
    kill(-pid, SIGTERM); /* what it left behind */
    t->pid = -1;
    lose(t);
    return true;
}

/* --- starting ------------------------------------------------------------------------------- */

static int spawn(struct tunnel *t, int out)
{
    char *argv[] = {"sh", "-c", t->line, NULL};
    posix_spawn_file_actions_t act;
    int e = posix_spawn_file_actions_init(&act);

    if (e != 0)
        return e;
    e = posix_spawn_file_actions_addopen(&act, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&act, out, STDOUT_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&act, out, STDERR_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_addchdir_np(&act, "/");
    if (e == 0)
        e = child_spawn(&t->pid, "/bin/sh", &act, argv, t->env, true);
    posix_spawn_file_actions_destroy(&act);
    return e;
}

static void start(struct tunnel *t)
{
    int fds[2];
    int e = pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;

    t->state = TUNNEL_STARTING;
    t->part_len = 0;
    t->last[0] = '\0';
    t->pid = -1;
    if (e == 0) {
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
        t->fd = fds[0];
        t->watch = loop_watch(t->loop, t->fd, LOOP_READ, on_output, t);
        e = t->watch ? spawn(t, fds[1]) : ENOMEM;
        close(fds[1]);
    }
    if (e != 0) {
        t->pid = -1;
        snprintf(t->why, sizeof t->why, "cannot start the tunnel: %s", strerror(e));
        lose(t);
    } else if (t->fixed) {
        become_up(t, t->url);
    } else {
        loop_timer_start(&t->timer, TUNNEL_START_MS);
    }
}

static const struct preset *preset_named(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    }
    return NULL;
}

/* The line for sh, with port and URL in place. NULL when memory ran out or it is too long. */
static char *expand(const char *command, const struct tunnel_request *r)
{
    struct outbuf out = {0};

    for (const char *p = command; *p; p++) {
        if (*p == '%' && p[1] == 'p')
            outbuf_printf(&out, "%u", r->port);
        else if (*p == '%' && p[1] == 'u')
            outbuf_text(&out, r->gate_url);
        else
            outbuf_byte(&out, (uint8_t)*p);
        if (*p == '%' && (p[1] == 'p' || p[1] == 'u' || p[1] == '%'))
            p++;
    }
    outbuf_byte(&out, '\0');
    if (out.bad || out.len > 2 * TUNNEL_COMMAND_MAX) {
        outbuf_clear(&out);
        return NULL;
    }
    return (char *)out.p;
}

static void free_env(char **env)
{
    for (char **e = env; e && *e; e++)
        free(*e);
    free(env);
}

static char **copy_env(const char *const *env)
{
    size_t n = 0;
    char **copy;

    while (env[n])
        n++;
    copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(env[i]);
        if (!copy[i]) {
            free_env(copy);
            return NULL;
        }
    }
    return copy;
}

static void forget_request(struct tunnel *t)
{
    free(t->line);
    t->line = NULL;
    free_env(t->env);
    t->env = NULL;
    if (t->has_pattern)
        regfree(&t->pattern);
    t->has_pattern = false;
    t->given[0] = '\0';
    t->url[0] = '\0';
    t->why[0] = '\0';
}

enum err tunnel_start(struct tunnel *t, const struct tunnel_request *r, char why[TUNNEL_WHY])
{
    const struct preset *known = preset_named(r->command);
    const char *pattern = r->pattern ? r->pattern : known ? known->pattern : ANY_URL;

    if (t->state != TUNNEL_OFF && t->state != TUNNEL_FAILED) {
        snprintf(why, TUNNEL_WHY, "a tunnel runs already");
        return ERR_STATE;
    }
    forget_request(t);
    if (strlen(r->command) >= sizeof t->given || regcomp(&t->pattern, pattern, REG_EXTENDED) != 0) {
        snprintf(why, TUNNEL_WHY, "the tunnel's %s",
                 strlen(r->command) >= sizeof t->given ? "command is too long"
                                                       : "pattern is no regular expression");
        return ERR_RANGE;
    }
    t->has_pattern = true;
    t->line = expand(known ? known->command : r->command, r);
    t->env = copy_env(r->env);
    if (!t->line || !t->env) {
        forget_request(t);
        snprintf(why, TUNNEL_WHY, "out of memory");
        return ERR_MEMORY;
    }
    strcpy(t->given, r->command);
    t->fixed = r->fixed_url && r->fixed_url[0];
    if (t->fixed)
        snprintf(t->url, sizeof t->url, "%s", r->fixed_url);
    t->ever_up = t->was_lost = false;
    t->backoff_ms = 0;
    start(t);
    return ERR_OK;
}

void tunnel_stop(struct tunnel *t)
{
    end_process(t);
    loop_timer_stop(&t->timer);
    t->state = TUNNEL_OFF;
    forget_request(t);
    tell_waiters(t, "the tunnel was stopped");
}

struct tunnel *tunnel_create(struct loop *l, void (*changed)(void *ctx), void *ctx)
{
    struct tunnel *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->loop = l;
    t->changed = changed;
    t->ctx = ctx;
    t->pid = t->ending = -1;
    t->fd = -1;
    loop_timer_init(&t->timer, l, on_timer, t);
    loop_timer_init(&t->killing, l, on_killing, t);
    return t;
}

void tunnel_destroy(struct tunnel *t)
{
    if (!t)
        return;
    tunnel_stop(t);
    loop_timer_stop(&t->killing);
    on_killing(t); /* nobody is there to wait */
    free(t);
}

/* --- looking -------------------------------------------------------------------------------- */

enum tunnel_state tunnel_state(const struct tunnel *t)
{
    return t->state;
}

const char *tunnel_command(const struct tunnel *t)
{
    return t->given;
}

const char *tunnel_url(const struct tunnel *t)
{
    return t->url;
}

void tunnel_describe(const struct tunnel *t, struct outbuf *out)
{
    static const char *const states[] = {"off", "starting", "up", "down", "failed"};

    outbuf_text(out, states[t->state]);
    if (t->state == TUNNEL_UP)
        outbuf_printf(out, ", %s", t->url);
    else if (t->why[0])
        outbuf_printf(out, ": %s", t->why);
}
