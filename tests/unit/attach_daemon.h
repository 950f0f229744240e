/* A daemon without sockets, for tests of attached terminals that run commands. It is dressed as the
 * rig of attach_rig.h, whose terminals attach to it. */
#ifndef VITRINE_TEST_ATTACH_DAEMON_H
#define VITRINE_TEST_ATTACH_DAEMON_H

#include "server/daemon/command.h"
#include "server/daemon/daemon.h"
#include "server/daemon/layout.h"
#include "tests/unit/attach_rig.h"

#define WORDS_MAX 16

static struct daemon host;

/* Runs a command as a client would. What it wrote to stderr is left in
 * host_error. */
static char host_error[512];

static inline enum command_result host_run_words(size_t n, const char *const *words)
{
    static const struct ipc_command nothing = {0};
    struct command c = {.daemon = &host, .request = &nothing};
    enum command_result result = command_run_words(&c, n, words);
    snprintf(host_error, sizeof host_error, "%.*s", (int)c.err.len,
             c.err.p ? (const char *)c.err.p : "");
    outbuf_clear(&c.out);
    outbuf_clear(&c.err);
    return result;
}

/* The same for a line of words separated by blanks. */
static inline enum command_result host_run(const char *line)
{
    const char *words[WORDS_MAX];
    char text[512];
    size_t n = 0;

    snprintf(text, sizeof text, "%s", line);
    for (char *at = strtok(text, " "); at && n < WORDS_MAX; at = strtok(NULL, " "))
        words[n++] = at;
    return host_run_words(n, words);
}

/* A daemon with the session "work" of one pane, 80x23, that runs `program`. */
static inline void host_start(struct rig *r, const char *program)
{
    *r = (struct rig){.loop = NULL};
    assert_int_equal(secret_init(), ERR_OK);
    assert_true(daemon_open(&host, "/nonexistent/socket", "/nonexistent/gate"));
    r->daemon = &host;
    r->loop = host.loop;
    r->sessions = host.sessions;
    r->shares = host.shares;
    assert_true(loop_signal(r->loop, SIGCHLD, rig_reap, r));
    loop_timer_init(&r->poll, r->loop, rig_on_poll, r);
    const char *const words[] = {"new-session", "-d", "-s", "work", "-n",   "main",
                                 "-x",          "80", "-y", "23",   program};
    assert_int_equal(host_run_words(sizeof words / sizeof words[0], words), COMMAND_DONE);
    r->session = session_first(r->sessions);
    r->pane = r->session->current->active;
}

static inline void host_end(struct rig *r)
{
    loop_settle(r->loop);
    daemon_close(&host);
}

#endif
