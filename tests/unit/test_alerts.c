/* Bells, activity and silence: which window is marked, what terminals are told, when marks go. */
#include "tests/unit/attach_daemon.h"

/* Terminals of the rig have a screen without events; what rings is seen by this one's. */
static unsigned rings;

static void on_ring(void *ctx)
{
    (void)ctx;
    rings++;
}

static void attach_ringing(struct rig *r, struct terminal *t)
{
    static const struct screen_events events = {.bell = on_ring};

    rig_attach(r, t, 60, 10, NULL);
    r->session->attached++; /* as the control socket does */
    screen_destroy(t->screen);
    t->screen = screen_create(60, 10, 0, &events, NULL);
    rings = 0;
}

static struct window *second(const struct rig *r)
{
    return session_window_at(r->session, 1);
}

static struct window *start(struct rig *r, const char *options)
{
    host_start(r, "cat");
    assert_int_equal(host_run("new-window -d -t work: cat"), COMMAND_DONE);
    if (options)
        assert_int_equal(host_run(options), COMMAND_DONE);
    rig_rounds(r, 3);
    return second(r);
}

static void finish(struct rig *r, struct terminal *t)
{
    rig_detach(t);
    host_end(r);
}

static void ring_in(struct pane *p)
{
    screen_feed(pane_screen(p), (const uint8_t *)"\a", 1);
}

struct marks {
    const struct window *window;
    unsigned marks;
};

static bool has_marks(struct rig *r, const void *what)
{
    const struct marks *m = what;

    (void)r;
    return m->window->marks == m->marks;
}

static bool has_rung(struct rig *r, const void *what)
{
    (void)r;
    return rings == *(const unsigned *)what;
}

static void expect_marks(struct rig *r, const struct window *w, unsigned marks)
{
    const struct marks m = {w, marks};

    rig_wait(r, has_marks, &m);
}

static void bell_marks_and_rings(void **state)
{
    struct rig r;
    struct terminal t;
    unsigned once = 1, twice = 2;
    struct window *w = start(&r, NULL);

    (void)state;
    attach_ringing(&r, &t);
    ring_in(w->active);
    expect_marks(&r, w, WINDOW_BELL);
    rig_wait(&r, has_rung, &once);
    rig_until_shown(&t, "1:cat!");
    ring_in(r.pane); /* the current window: no mark */
    rig_wait(&r, has_rung, &twice);
    assert_int_equal(r.session->current->marks, 0);
    assert_int_equal(host_run("select-window -t work:1"), COMMAND_DONE);
    assert_int_equal(w->marks, 0);
    finish(&r, &t);
}

/* option, which window rings (0 the current one), whether it is marked, rings, what is said */
struct alert_case {
    const char *option;
    int window;
    unsigned marks;
    unsigned rings;
    const char *text;
};

static const struct alert_case bells[] = {
    {"set-option -g bell-action none", 1, WINDOW_BELL, 0, NULL},
    {"set-option -g bell-action current", 1, WINDOW_BELL, 0, NULL},
    {"set-option -g bell-action current", 0, 0, 1, NULL},
    {"set-option -g bell-action other", 0, 0, 0, NULL},
    {"set-option -g bell-action other", 1, WINDOW_BELL, 1, NULL},
    {"set-option -g monitor-bell off", 1, 0, 0, NULL},
    {"set-option -g visual-bell on", 1, WINDOW_BELL, 0, "Bell in window 1"},
    {"set-option -g visual-bell both", 1, WINDOW_BELL, 1, "Bell in window 1"},
    {"set-option -g visual-bell both", 0, 0, 1, "Bell in current window"},
};

static void bells_as_the_options_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bells / sizeof bells[0]; i++) {
        struct rig r;
        struct terminal t;
        struct window *w = start(&r, bells[i].option);

        attach_ringing(&r, &t);
        ring_in(bells[i].window ? w->active : r.pane);
        rig_rounds(&r, 3);
        expect_marks(&r, w, bells[i].marks);
        if (bells[i].text)
            rig_until_shown(&t, bells[i].text);
        rig_wait(&r, has_rung, &bells[i].rings);
        rig_rounds(&r, 10);
        assert_int_equal(rings, bells[i].rings);
        finish(&r, &t);
    }
}

static void nobody_attached_marks_the_current_window(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    start(&r, NULL);
    ring_in(r.pane);
    expect_marks(&r, r.session->current, WINDOW_BELL);
    attach_ringing(&r, &t); /* somebody looks */
    assert_int_equal(r.session->current->marks, 0);
    finish(&r, &t);
}

static void activity_marks_what_is_monitored(void **state)
{
    struct rig r;
    struct terminal t;
    unsigned once = 1;
    struct window *w = start(&r, "set-option -w -t work:1 monitor-activity on");

    (void)state;
    attach_ringing(&r, &t);
    pane_write(r.pane, (const uint8_t *)"x\r", 2); /* not monitored */
    pane_write(w->active, (const uint8_t *)"x\r", 2);
    expect_marks(&r, w, WINDOW_ACTIVITY);
    rig_wait(&r, has_rung, &once);
    rig_until_shown(&t, "1:cat#");
    pane_write(w->active, (const uint8_t *)"x\r", 2); /* it has the mark: told once */
    rig_rounds(&r, 20);
    assert_int_equal(rings, 1);
    assert_int_equal(r.session->current->marks, 0);
    finish(&r, &t);
}

static void silence_after_its_time(void **state)
{
    struct rig r;
    struct terminal t;
    struct window *w = start(&r, "set-option -w -t work:1 monitor-silence 30");

    (void)state;
    assert_int_equal(host_run("set-option -g visual-silence on"), COMMAND_DONE);
    attach_ringing(&r, &t);
    rig_rounds(&r, 3);
    loop_advance(r.loop, 29000);
    rig_rounds(&r, 3);
    assert_int_equal(w->marks, 0);
    loop_advance(r.loop, 2000);
    expect_marks(&r, w, WINDOW_SILENCE);
    rig_until_shown(&t, "Silence in window 1");
    assert_int_equal(rings, 0);
    finish(&r, &t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bell_marks_and_rings),
        cmocka_unit_test(bells_as_the_options_say),
        cmocka_unit_test(nobody_attached_marks_the_current_window),
        cmocka_unit_test(activity_marks_what_is_monitored),
        cmocka_unit_test(silence_after_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
