/* pipe-pane under load: a command that reads gets everything, one that does not costs the pane
 * nothing and memory a bounded amount; and what becomes of a pipe, and of a pane that is given
 * another program. */
#include "tests/unit/attach_rig.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/daemon/pipe.h"
#include "server/daemon/ring.h"

#define FLOOD_BYTES 9500000u /* more than the queue and the kernel's buffers take */

static char file[64];
static unsigned told;
static uint64_t told_bytes;

static void on_dropping(void *ctx, struct pane *p, uint64_t n)
{
    (void)ctx;
    assert_non_null(p);
    told++;
    told_bytes = n;
}

static struct pipe_list *start(struct rig *r, const char *script)
{
    static unsigned serial;

    snprintf(file, sizeof file, "/tmp/vitrine-test-pipe-%ld-%u", (long)getpid(), serial++);
    unlink(file);
    told = 0;
    rig_start(r, script);
    return pipe_list_create(r->loop);
}

static void end(struct rig *r, struct pipe_list *list)
{
    pipe_list_destroy(list);
    rig_end(r);
    unlink(file);
}

/* Its command finds the file as $OUT. */
static int open_pipe(struct pipe_list *list, struct pane *p, const char *line, bool in, bool out)
{
    char variable[80];
    const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", variable, NULL};
    struct pipe_request r = {.line = line,
                             .env = env,
                             .cwd = "/",
                             .to_command = out,
                             .to_pane = in,
                             .dropping = on_dropping};

    snprintf(variable, sizeof variable, "OUT=%s", file);
    return pipe_open(list, p, &r);
}

static void type(struct rig *r, const char *text)
{
    assert_int_equal(pane_write(r->pane, (const uint8_t *)text, strlen(text)), strlen(text));
}

static bool file_is_large(struct rig *r, const void *bytes)
{
    struct stat st;

    (void)r;
    return stat(file, &st) == 0 && st.st_size >= *(const off_t *)bytes;
}

static bool has_printed(struct rig *r, const void *bytes)
{
    return ring_head(pane_ring(r->pane)) >= *(const uint64_t *)bytes;
}

/* The program has said that it is ready for a line. */
static void wait_ready(struct rig *r)
{
    uint64_t ready = strlen("ready");

    rig_wait(r, has_printed, &ready);
}

static void a_reader_gets_everything(void **state)
{
    struct rig r;
    struct pipe_list *list = start(&r, "stty -echo -onlcr; printf ready; read x; seq 100001 300000; cat");
    off_t all = 200000 * 7;
    struct stat st;
    uint64_t dropped = 1;

    (void)state;
    wait_ready(&r);
    assert_int_equal(open_pipe(list, r.pane, "cat > $OUT", false, true), 0);
    type(&r, "\n");
    rig_wait(&r, file_is_large, &all);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_size, all);
    assert_true(pipe_of(list, r.pane, &dropped));
    assert_int_equal(dropped, 0);
    assert_int_equal(told, 0);
    end(&r, list);
}

static void a_stuck_command_costs_a_bounded_queue(void **state)
{
    struct rig r;
    struct pipe_list *list =
        start(&r, "stty -echo -onlcr; printf ready; read x; head -c 9500000 /dev/zero | tr '\\0' x; cat");
    uint64_t all = 5 + FLOOD_BYTES, dropped = 0;

    (void)state;
    wait_ready(&r);
    assert_int_equal(open_pipe(list, r.pane, "exec sleep 1000", false, true), 0);
    type(&r, "\n");
    rig_wait(&r, has_printed, &all); /* the program was not slowed: it is through */
    rig_rounds(&r, 2);
    assert_true(pipe_of(list, r.pane, &dropped));
    assert_true(dropped > 0 && dropped <= FLOOD_BYTES - PIPE_QUEUE_BYTES);
    assert_int_equal(told, 1);
    assert_true(told_bytes > 0 && told_bytes <= dropped);
    assert_true(pipe_close(list, r.pane)); /* what waits is not waited for by anybody here */
    assert_false(pipe_of(list, r.pane, NULL));
    end(&r, list);
}

static bool is_stuffed(struct rig *r, const void *what)
{
    (void)what;
    return pane_room(r->pane) == 0;
}

static void a_pane_that_does_not_read_is_not_flooded(void **state)
{
    struct rig r;
    struct pipe_list *list = start(&r, "stty raw -echo; exec sleep 1000");

    (void)state;
    assert_int_equal(open_pipe(list, r.pane, "exec yes", true, false), 0);
    rig_wait(&r, is_stuffed, NULL);
    rig_rounds(&r, 20); /* nothing is read beyond it, and nothing spins */
    assert_int_equal(pane_room(r.pane), 0);
    end(&r, list);
}

static bool has_no_pipe(struct rig *r, const void *list)
{
    return !pipe_of(list, r->pane, NULL);
}

static void a_command_that_ends_closes_its_pipe(void **state)
{
    struct rig r;
    struct pipe_list *list = start(&r, "cat");

    (void)state;
    assert_int_equal(open_pipe(list, r.pane, "exit 0", false, true), 0);
    rig_wait(&r, has_no_pipe, list);
    assert_int_equal(open_pipe(list, r.pane, "exec cat > $OUT", false, true), 0);
    assert_true(pipe_of(list, r.pane, NULL));
    end(&r, list);
}

static void a_pane_that_goes_leaves_what_it_printed(void **state)
{
    struct rig r;
    struct pipe_list *list = start(&r, "stty -echo -onlcr; printf ready; read x; seq 100001 200000; cat");
    uint64_t printed = 5 + 100000 * 7;
    off_t all = 100000 * 7;

    (void)state;
    wait_ready(&r);
    /* the command begins to read only after the pane has gone */
    assert_int_equal(open_pipe(list, r.pane,
                               "until [ -e $OUT.go ]; do sleep 0.02; done; cat > $OUT", false,
                               true),
                     0);
    type(&r, "\n");
    rig_wait(&r, has_printed, &printed);
    assert_true(pipe_close(list, r.pane));
    session_end(r.sessions, r.session);
    char go[96];
    snprintf(go, sizeof go, "%s.go", file);
    FILE *f = fopen(go, "w");
    assert_non_null(f);
    fclose(f);
    rig_wait(&r, file_is_large, &all);
    unlink(go);
    end(&r, list);
}

static bool shows_second(struct rig *r, const void *what)
{
    struct outbuf text = {0};
    struct capture_opts o = {.end = CAPTURE_LAST};
    bool yes;

    (void)what;
    assert_int_equal(screen_capture(pane_screen(r->pane), &o, &text), ERR_OK);
    outbuf_byte(&text, 0);
    yes = strstr((const char *)text.p, "second") && !strstr((const char *)text.p, "first");
    outbuf_clear(&text);
    return yes;
}

static void a_respawned_pane_is_the_same(void **state)
{
    static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    static const char *const argv[] = {"sh", "-c", "echo second; exec cat", NULL};
    static const char *const none[] = {"/nonexistent/program", NULL};
    struct pty_command cmd = {.argv = argv, .env = env, .cwd = "/"};
    struct pty_command bad = {.program = none[0], .argv = none, .env = env, .cwd = "/"};
    char why[128] = "";
    struct rig r;
    struct pipe_list *list =
        start(&r, "printf 'first\\033[?1049h\\033[?1000h\\033]0;half a title'; exec cat");
    uint64_t some = 20;

    (void)state;
    rig_wait(&r, has_printed, &some);
    pid_t before = pane_pid(r.pane);
    assert_false(pane_respawn(r.pane, &bad, why, sizeof why));
    assert_true(strlen(why) > 0);
    assert_int_equal(pane_pid(r.pane), before); /* nothing has changed */
    assert_true(pane_respawn(r.pane, &cmd, why, sizeof why));
    assert_int_not_equal(pane_pid(r.pane), before);
    assert_int_equal(pane_id(r.pane), 0);
    rig_wait(&r, shows_second, NULL);
    rig_rounds(&r, 5); /* the first program's end is not the pane's */
    assert_false(pane_status(r.pane).dead);
    assert_int_equal(screen_modes(pane_screen(r.pane)) & SCREEN_ALTERNATE, 0);
    assert_int_equal(screen_mouse(pane_screen(r.pane)), SCREEN_MOUSE_NONE);
    end(&r, list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_gets_everything),
        cmocka_unit_test(a_stuck_command_costs_a_bounded_queue),
        cmocka_unit_test(a_pane_that_does_not_read_is_not_flooded),
        cmocka_unit_test(a_command_that_ends_closes_its_pipe),
        cmocka_unit_test(a_pane_that_goes_leaves_what_it_printed),
        cmocka_unit_test(a_respawned_pane_is_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
