/* A session with a real program, and terminals attached to it: each has an emulator that is written
 * what is drawn, and reports it as drawn unless told to hold back. For tests of attach. */
#ifndef VITRINE_TEST_ATTACH_RIG_H
#define VITRINE_TEST_ATTACH_RIG_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "crypto/secret.h"
#include "server/daemon/attach.h"
#include "server/daemon/daemon.h"
#include "server/daemon/loop.h"
#include "server/daemon/options.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pane.h"
#include "server/daemon/pty.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"

#define RIG_DEADLINE_MS 20000
#define RIG_POLL_MS     2
#define RIG_FLAGS       (IPC_CLIENT_TTY | IPC_CLIENT_UTF8 | IPC_CLIENT_COLOURS | IPC_CLIENT_COLOURS_256)

struct rig;

struct terminal {
    struct rig *rig;
    struct attach *attach;
    struct screen *screen;
    uint64_t drawn;
    uint32_t frames;
    bool hold; /* does not report what it has drawn */
    struct loop_task report;
    uint32_t detached; /* times asked for */
    enum ipc_detached reason;
    char text[64];
    uint32_t resumed;
    const char *links;
};

struct rig {
    struct loop *loop;
    struct session_list *sessions;
    struct share_list *shares;
    struct session *session;
    struct pane *pane;
    struct daemon *daemon;     /* what commands are run with */
    struct daemon own;         /* as much of one as commands about keys and terminals need */
    struct terminal *ended[4]; /* told when the session ends */
    struct loop_timer poll;
    bool (*until)(struct rig *r, const void *what);
    const void *what;
    uint32_t polls;
    bool met;
};

/* --- the loop ------------------------------------------------------------------------------- */

static inline void rig_on_poll(void *ctx)
{
    struct rig *r = ctx;

    r->met = r->until(r, r->what);
    if (r->met || r->polls-- == 0)
        loop_stop(r->loop);
    else
        loop_timer_start(&r->poll, RIG_POLL_MS);
}

/* Runs the loop until the condition holds; fails the test when it does not within the deadline. */
static inline void rig_wait(struct rig *r, bool (*until)(struct rig *r, const void *what),
                            const void *what)
{
    r->until = until;
    r->what = what;
    r->polls = RIG_DEADLINE_MS / RIG_POLL_MS;
    loop_timer_start(&r->poll, 0);
    loop_run(r->loop);
    assert_true(r->met);
}

static inline bool rig_rounds_over(struct rig *r, const void *what)
{
    (void)r;
    return --*(uint32_t *)(uintptr_t)what == 0;
}

/* Runs n polls' worth of rounds, for what must not happen. */
static inline void rig_rounds(struct rig *r, uint32_t n)
{
    rig_wait(r, rig_rounds_over, &n);
}

static inline void rig_reap(void *ctx)
{
    int status;

    (void)ctx;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        pane_child_ended(pid, status);
}

/* --- the session ---------------------------------------------------------------------------- */

static inline void rig_pane_removed(void *ctx, struct pane *p)
{
    (void)ctx;
    pane_destroy(p);
}

static inline void rig_session_ended(void *ctx, struct session *s)
{
    struct rig *r = ctx;

    for (size_t i = 0; i < 4; i++)
        if (r->ended[i] && r->ended[i]->attach && attach_session(r->ended[i]->attach) == s)
            attach_session_ended(r->ended[i]->attach, "exited 0");
    r->session = NULL;
    r->pane = NULL;
}

static inline void rig_pane_sized(void *ctx, struct pane *p, uint16_t cols, uint16_t rows)
{
    (void)ctx;
    assert_int_equal(pane_resize(p, cols, rows), ERR_OK);
}

static inline void rig_changed(void *ctx, struct session *s)
{
    (void)ctx;
    (void)s;
    attach_refresh_all();
}

/* Starts `sh -c script` in a session of 80x23. */
static inline void rig_start(struct rig *r, const char *script)
{
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm-256color",
                                      "LC_ALL=C.UTF-8", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct pty_command cmd = {.argv = argv, .env = env, .cwd = "/"};
    const struct session_hooks hooks = {rig_pane_removed, rig_session_ended, rig_pane_sized,
                                        rig_changed, r};
    char why[128] = "";

    *r = (struct rig){.loop = loop_create()};
    assert_non_null(r->loop);
    assert_int_equal(secret_init(), ERR_OK);
    assert_true(loop_signal(r->loop, SIGCHLD, rig_reap, r));
    loop_timer_init(&r->poll, r->loop, rig_on_poll, r);
    r->sessions = session_list_create(r->loop, &hooks);
    r->shares = share_list_create(r->loop);
    r->own = (struct daemon){.loop = r->loop,
                             .sessions = r->sessions,
                             .shares = r->shares,
                             .options = options_create("/bin/sh")};
    assert_non_null(r->own.options);
    r->own.world = (struct format_world){.loop = r->loop,
                                         .sessions = r->sessions,
                                         .shares = r->shares,
                                         .options = r->own.options,
                                         .socket_path = ""};
    r->daemon = &r->own;
    r->pane = pane_create(r->loop, 0, &cmd, 80, 23, 100, why, sizeof why);
    assert_string_equal(why, "");
    r->session = session_create(r->sessions, "work", r->pane, 0, 80, 23);
    assert_non_null(r->session);
    snprintf(r->session->current->name, sizeof r->session->current->name, "sh");
}

static inline void rig_end(struct rig *r)
{
    share_list_destroy(r->shares);
    session_list_destroy(r->sessions);
    loop_settle(r->loop);
    loop_destroy(r->loop);
    options_destroy(r->own.options);
    r->own.options = NULL;
}

/* --- terminals ------------------------------------------------------------------------------ */

static inline void rig_report(void *ctx)
{
    struct terminal *t = ctx;

    if (t->attach && !t->hold)
        attach_drawn(t->attach, t->drawn);
}

static inline void rig_on_draw(void *ctx, const uint8_t *p, size_t n)
{
    struct terminal *t = ctx;

    assert_true(n > 0);
    screen_feed(t->screen, p, n);
    t->drawn += n;
    t->frames++;
    loop_defer(t->rig->loop, &t->report);
}

static inline void rig_on_detach(void *ctx, enum ipc_detached reason, const char *text)
{
    struct terminal *t = ctx;

    t->detached++;
    t->reason = reason;
    snprintf(t->text, sizeof t->text, "%s", text);
    attach_destroy(t->attach); /* as the control socket does */
    t->attach = NULL;
}

static inline void rig_on_links(void *ctx, const struct share *s, struct outbuf *out)
{
    struct terminal *t = ctx;

    assert_non_null(s);
    outbuf_text(out, t->links);
}

static inline void rig_on_resume(void *ctx)
{
    struct terminal *t = ctx;

    assert_true(attach_wants_keys(t->attach));
    t->resumed++;
}

static inline void rig_attach(struct rig *r, struct terminal *t, uint16_t cols, uint16_t rows,
                              const struct attach_options *extra)
{
    struct attach_options o = extra ? *extra : (struct attach_options){.flags = RIG_FLAGS};
    const struct attach_ops ops = {.draw = rig_on_draw,
                                   .detach = rig_on_detach,
                                   .links = rig_on_links,
                                   .resume = rig_on_resume,
                                   .daemon = r->daemon,
                                   .world = r->daemon->world.options ? &r->daemon->world : NULL,
                                   .ctx = t};

    *t = (struct terminal){.rig = r, .links = "view: http://127.0.0.1/#abc\n"};
    o.cols = cols;
    o.rows = rows;
    o.flags = RIG_FLAGS;
    loop_task_init(&t->report, rig_report, t);
    t->screen = screen_create(cols, rows, 0, NULL, NULL);
    t->attach = attach_create(r->loop, r->sessions, r->session, r->shares, &o, &ops);
    assert_non_null(t->attach);
    assert_int_equal(t->frames, 0); /* nothing from inside */
}

static inline void rig_detach(struct terminal *t)
{
    loop_cancel(t->rig->loop, &t->report);
    attach_destroy(t->attach);
    t->attach = NULL;
    screen_destroy(t->screen);
    t->screen = NULL;
}

static inline void rig_resize(struct terminal *t, uint16_t cols, uint16_t rows)
{
    assert_int_equal(screen_resize(t->screen, cols, rows), ERR_OK);
    attach_resize(t->attach, cols, rows);
}

static inline void rig_type(struct terminal *t, const char *keys)
{
    attach_keys(t->attach, (const uint8_t *)keys, strlen(keys));
}

/* Output as if the program had written it, without waiting for one. */
static inline void rig_output(struct terminal *t, const char *bytes)
{
    screen_feed(pane_screen(t->rig->pane), (const uint8_t *)bytes, strlen(bytes));
    attach_refresh(t->attach);
}

/* The text of a row as the terminal shows it, without trailing blanks. */
static inline const char *rig_row(const struct terminal *t, uint16_t row)
{
    static char text[8192];
    const struct cell *cells = screen_row(t->screen, row);
    size_t n = 0;

    for (uint16_t x = 0; cells && x < screen_cols(t->screen); x++) {
        if (cells[x].len == 0 && cells[x].width)
            text[n++] = ' ';
        memcpy(text + n, cells[x].text, cells[x].len);
        n += cells[x].len;
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    return text;
}

struct rig_text {
    const struct terminal *terminal;
    const char *text;
    bool gone;
};

static inline bool rig_text_is(struct rig *r, const void *what)
{
    const struct rig_text *w = what;
    bool shown = false;

    for (uint16_t row = 0; row < screen_rows(w->terminal->screen); row++)
        shown = shown || strstr(rig_row(w->terminal, row), w->text);
    if (r->polls == 0 && shown == w->gone) {
        print_message("%s \"%s\":\n", w->gone ? "still there" : "not shown", w->text);
        for (uint16_t row = 0; row < screen_rows(w->terminal->screen); row++)
            print_message("  %s\n", rig_row(w->terminal, row));
    }
    return shown != w->gone;
}

static inline void rig_until_shown(struct terminal *t, const char *text)
{
    const struct rig_text w = {t, text, false};

    rig_wait(t->rig, rig_text_is, &w);
}

static inline void rig_until_gone(struct terminal *t, const char *text)
{
    const struct rig_text w = {t, text, true};

    rig_wait(t->rig, rig_text_is, &w);
}

static inline bool rig_shows(struct terminal *t, const char *text)
{
    const struct rig_text w = {t, text, false};

    return rig_text_is(t->rig, &w);
}

#endif
