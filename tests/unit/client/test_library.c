/* libvitrine at a daemon that keeps no rule: silent, gone, of another version, or saying what
 * cannot be. Each time an error with a line, in time, and nothing left behind.
 *
 * The daemon is a child process that plays a script: what to wait for, what to say, how to end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/ipc_msg.h"
#include "server/client/vitrine.h"

#define SHORT_MS   150
#define SCRIPT_MAX (4u << 20)

/* What the daemon says: first at once, second after a request has come. */
struct script {
    uint8_t *first, *second;
    size_t n_first, n_second;
    bool silent; /* stays open afterwards, saying nothing; else it closes */
};

static char dir[64], path[100];
static pid_t child;

static void write_all(int fd, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

        if (done <= 0)
            return; /* the library has had enough */
        p += done;
        n -= (size_t)done;
    }
}

static void play(int listener, const struct script *s)
{
    uint8_t room[65536];

    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd < 0)
            _exit(1);
        if (recv(fd, room, sizeof room, 0) > 0)
            write_all(fd, s->first, s->n_first);
        if (s->n_second > 0 && recv(fd, room, sizeof room, 0) > 0)
            write_all(fd, s->second, s->n_second);
        while (s->silent && recv(fd, room, sizeof room, 0) > 0)
            ;
        close(fd);
    }
}

static void start(const struct script *s)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    unlink(path);
    memcpy(a.sun_path, path, strlen(path));
    assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(listener, 16), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a check fails */
        play(listener, s);
    }
    close(listener);
}

static void stop(void)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static int begin_group(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/vitrine-test-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/default", dir);
    setenv("VITRINE_TMPDIR", dir, 1);
    unsetenv("VITRINE");
    return 0;
}

static int end_group(void **state)
{
    (void)state;
    unlink(path);
    rmdir(dir);
    return 0;
}

static int open_library(struct vitrine **v)
{
    struct vitrine_options o = VITRINE_OPTIONS_INIT;

    o.socket_path = path;
    o.timeout_ms = SHORT_MS;
    return vitrine_open(v, &o);
}

/* --- scripts -------------------------------------------------------------------------------- */

static uint8_t first_room[SCRIPT_MAX], second_room[SCRIPT_MAX];

/* Appends a frame to w whose body `encode` writes. */
#define FRAME(w, TYPE, name, ...)                             \
    do {                                                      \
        const struct ipc_##name m_ = {__VA_ARGS__};           \
        size_t mark_ = ipc_begin_frame(&(w), IPC_MSG_##TYPE); \
        struct wbuf part_;                                    \
        wbuf_init(&part_, (w).base + mark_, (w).cap - mark_); \
        part_.len = IPC_HEADER_BYTES;                         \
        ipc_encode_##name(&part_, &m_);                       \
        assert_false(part_.bad);                              \
        (w).len = mark_ + part_.len;                          \
        ipc_end_frame(&(w), mark_);                           \
    } while (0)

static struct wbuf welcome(unsigned version)
{
    struct wbuf w;

    wbuf_init(&w, first_room, sizeof first_room);
    FRAME(w, WELCOME, welcome, .version = (uint16_t)version, .pid = 4711,
          .build = bytes_of("0.0.9"));
    return w;
}

static struct wbuf answers(void)
{
    struct wbuf w;

    wbuf_init(&w, second_room, sizeof second_room);
    return w;
}

static struct script script_of(const struct wbuf *first, const struct wbuf *second, bool silent)
{
    struct script s = {.silent = silent};

    if (first) {
        s.first = first->base;
        s.n_first = first->len;
    }
    if (second) {
        s.second = second->base;
        s.n_second = second->len;
    }
    return s;
}

/* Opens at a script; gives the status, and closes. */
static int try_open(const struct script *s, const char *says)
{
    struct vitrine *v;
    int status;

    start(s);
    status = open_library(&v);
    assert_non_null(v);
    if (says)
        assert_non_null(strstr(vitrine_error(v), says));
    if (status != VITRINE_OK) {
        assert_true(vitrine_error(v)[0] != '\0');
        assert_int_equal(vitrine_fd(v), -1);
        assert_int_equal(vitrine_kill_pane(v, 1), status);
    }
    vitrine_close(v);
    stop();
    return status;
}

/* --- opening -------------------------------------------------------------------------------- */

static void silent_daemon(void **state)
{
    struct script s = {.silent = true};

    (void)state;
    assert_int_equal(try_open(&s, "does not answer"), VITRINE_E_TIMEOUT);
}

static void closing_daemon(void **state)
{
    struct script s = {.silent = false};

    (void)state;
    assert_int_equal(try_open(&s, "went away"), VITRINE_E_LOST);
}

static void another_version(void **state)
{
    static const unsigned versions[] = {0, 1, IPC_VERSION + 1, UINT16_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct wbuf w = welcome(versions[i]);
        struct script s = script_of(&w, NULL, true);

        assert_int_equal(try_open(&s, "0.0.9, process 4711"), VITRINE_E_VERSION);
    }
}

static void wrong_beginnings(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } rows[] = {
        {"HTTP/1.1 400 Bad Request\r\n\r\n", 28},
        {"\0\0\0\0\0", 5},           /* no such type */
        {"\xff\xff\xff\xff\x81", 5}, /* longer than any */
        {"\0\0\0\1\x81\0", 6},       /* WELCOME cut short */
        {"\0\0\0\1\x83\0", 6},       /* EXIT before it */
        {"\0\0\0\x0e\x81\0\2\0\0\0\1\0\5"
         "0.1.0x",
         19},                                                       /* bytes left over */
        {"\0\0\0\x0d\x81\0\2\0\0\0\1\0\5\xff\xff\xff\xff\xff", 18}, /* no UTF-8 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct script s = {.first = (uint8_t *)rows[i].bytes, .n_first = rows[i].n, .silent = true};

        assert_int_equal(try_open(&s, "cannot be understood"), VITRINE_E_PROTOCOL);
    }
}

static void cut_welcome(void **state)
{
    struct wbuf w = welcome(IPC_VERSION);
    struct script s = script_of(&w, NULL, true);
    size_t whole = s.n_first;

    (void)state;
    s.n_first = whole - 1;
    assert_int_equal(try_open(&s, "does not answer"), VITRINE_E_TIMEOUT);
    s.silent = false;
    for (size_t n = 1; n < whole; n++) {
        s.n_first = n;
        assert_int_equal(try_open(&s, "went away"), VITRINE_E_LOST);
    }
    s.silent = true;
    s.n_first = whole;
    assert_int_equal(try_open(&s, NULL), VITRINE_OK);
}

/* A program compiled with a header that knew fewer members; what it lacks is as if not chosen. */
static void an_older_header(void **state)
{
    struct wbuf w = welcome(IPC_VERSION);
    struct script s = script_of(&w, NULL, true);
    struct vitrine_options o = {
        .socket_path = path, .start = true, .events = true, .timeout_ms = -7};
    struct vitrine *v;

    (void)state;
    start(&s);
    o.size = offsetof(struct vitrine_options, socket_name);
    assert_int_equal(vitrine_open(&v, &o), VITRINE_OK);
    assert_int_equal(vitrine_server_pid(v), 4711);
    assert_string_equal(vitrine_server_version(v), "0.0.9");
    vitrine_close(v);
    stop();
}

/* Misuse is refused before anything is asked of the daemon, and the connection stays good. */
static void misuse(void **state)
{
    struct wbuf w = welcome(IPC_VERSION);
    struct script s = script_of(&w, NULL, true);
    struct vitrine_place at;
    struct vitrine_share share;
    struct vitrine *v;

    (void)state;
    start(&s);
    assert_int_equal(open_library(&v), VITRINE_OK);
    assert_int_equal(vitrine_split(v, 1, (enum vitrine_side)7, 0, NULL, &at), VITRINE_E_ARGUMENT);
    assert_int_equal(vitrine_split(v, 1, VITRINE_LEFT, 100, NULL, &at), VITRINE_E_ARGUMENT);
    assert_int_equal(vitrine_share(v, 1, (enum vitrine_share_scope)3, false, 0, &share),
                     VITRINE_E_ARGUMENT);
    assert_int_equal(vitrine_unsubscribe(v, 9), VITRINE_E_NOT_FOUND);
    assert_int_equal(vitrine_dispatch(v, 0), VITRINE_E_TIMEOUT);
    assert_true(vitrine_fd(v) >= 0);
    vitrine_close(v);
    stop();
}

/* --- requests ------------------------------------------------------------------------------- */

/* The first request of a connection has number 1. */
static int list(struct vitrine *v)
{
    struct vitrine_pane *panes;
    size_t n;
    int status = vitrine_list_panes(v, &panes, &n);

    assert_true((status == VITRINE_OK) == (panes != NULL));
    vitrine_free(panes);
    return status;
}

static int cells(struct vitrine *v)
{
    struct vitrine_screen *screen;
    int status = vitrine_capture_cells(v, 1, 10, &screen);

    assert_true((status == VITRINE_OK) == (screen != NULL));
    for (size_t i = 0; screen && i < screen->n_lines; i++) {
        for (size_t k = 0; k < screen->lines[i].n; k++) {
            assert_true(memchr(screen->lines[i].cells[k].text, 0, 28) != NULL);
            vitrine_screen_link(screen, screen->lines[i].cells[k].link);
        }
    }
    vitrine_free(screen);
    return status;
}

static int command(struct vitrine *v)
{
    struct vitrine_result r;
    int status = vitrine_command(v, (const char *const[]){"ls", NULL}, SHORT_MS, &r);

    assert_true((status == VITRINE_OK) == (r.output != NULL));
    vitrine_result_clear(&r);
    return status;
}

static int share(struct vitrine *v)
{
    struct vitrine_share s;
    int status = vitrine_share(v, 1, VITRINE_SHARE_PANE, true, SHORT_MS, &s);

    vitrine_share_clear(&s);
    return status;
}

static int expect(struct vitrine *v)
{
    struct vitrine_expect *e;
    int status = vitrine_expect_begin(v, 1, &e);

    if (status == VITRINE_OK)
        status = vitrine_expect(e, "needle", VITRINE_TEXT, SHORT_MS, NULL);
    if (e)
        assert_non_null(vitrine_expect_text(e));
    return status; /* e is freed with the connection */
}

static int type(struct vitrine *v)
{
    return vitrine_send_text(v, 1, "x", 1, 0);
}

/* Makes one request of a daemon that answers so. */
static int request(const struct script *s, int (*make)(struct vitrine *v))
{
    struct vitrine *v;
    int status;

    start(s);
    status = open_library(&v);
    assert_int_equal(status, VITRINE_OK);
    status = make(v);
    if (status != VITRINE_OK)
        assert_true(vitrine_error(v)[0] != '\0');
    vitrine_close(v);
    stop();
    return status;
}

static int (*const requests[])(struct vitrine *) = {list, cells, command, share, expect, type};
#define N_REQUESTS (sizeof requests / sizeof requests[0])

static void never_answered(void **state)
{
    struct wbuf w = welcome(IPC_VERSION);
    struct script s = script_of(&w, NULL, true);

    (void)state;
    for (size_t i = 0; i < N_REQUESTS; i++)
        assert_int_equal(request(&s, requests[i]), VITRINE_E_TIMEOUT);
}

static void closed_instead(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), none = answers();
    struct script s = script_of(&w, &none, false);

    (void)state;
    s.second = (uint8_t *)"\0";
    s.n_second = 1; /* the beginning of a length */
    for (size_t i = 0; i < N_REQUESTS; i++)
        assert_int_equal(request(&s, requests[i]), VITRINE_E_LOST);
}

/* Answers that belong to nothing are passed over, then it is still waited. */
static void strangers(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = answers();
    struct script s;

    (void)state;
    for (uint32_t id = 100; id < 200; id++) {
        FRAME(a, ANSWER, answer, .id = id);
        FRAME(a, PANE, pane, .id = id);
        FRAME(a, SCREEN, screen, .id = id);
        FRAME(a, DATA, data, .id = id, .data = bytes_of("x"));
        FRAME(a, ENDED, ended, .id = id);
        FRAME(a, EVENT, event, .session = id);
    }
    s = script_of(&w, &a, true);
    for (size_t i = 0; i < N_REQUESTS; i++)
        assert_int_equal(request(&s, requests[i]), VITRINE_E_TIMEOUT);
}

static void wrong_records(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = answers();
    struct script s;

    (void)state;
    FRAME(a, SESSION, session, .id = 1); /* panes were asked for */
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, list), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, ATTACHED, attached, .session = bytes_of("x")); /* programs never attach */
    s = script_of(&w, &a, true);
    for (size_t i = 0; i < N_REQUESTS; i++)
        assert_int_equal(request(&s, requests[i]), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, EXIT, exit, .status = 0); /* nobody ran a command */
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, list), VITRINE_E_PROTOCOL);
}

static void wrong_screens(void **state)
{
    const struct ipc_span wide = {.cells = 80}, wider = {.cells = 81};
    struct wbuf w = welcome(IPC_VERSION), a;
    uint8_t text[200] = {0};
    struct script s;

    (void)state;
    a = answers();
    FRAME(a, ANSWER, answer, .id = 1); /* no screen at all */
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, SCREEN, screen, .id = 1, .cols = 80, .rows = 24);
    FRAME(a, ANSWER, answer, .id = 1); /* a screen without lines */
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, SCREEN, screen, .id = 1, .cols = 80, .rows = 24);
    FRAME(a, LINE, line, .id = 1, .spans = {.n = 1, .items = &wider}, .text = {text, 81});
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, SCREEN, screen, .id = 1, .cols = 80, .rows = 24);
    FRAME(a, LINE, line, .id = 1, .spans = {.n = 1, .items = &wide}, .text = {text, 79});
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, SCREEN, screen, .id = 1, .cols = 80, .rows = 24, .cursor_x = 80);
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
    a = answers();
    FRAME(a, LINE, line, .id = 1); /* before its screen */
    s = script_of(&w, &a, true);
    assert_int_equal(request(&s, cells), VITRINE_E_PROTOCOL);
}

static void wrong_shares(void **state)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "{\"share\":1,\"links\":[{\"url\":\"x\"}]}",
        "{\"share\":-1,\"links\":[]}",
        "{\"share\":1,\"links\":[{\"url\":\"a\",\"label\":\"\",\"url\":\"b\"}],\"links\":[]}",
        "{\"share\":1,\"links\":[",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct wbuf w = welcome(IPC_VERSION), a = answers();
        struct script s;

        FRAME(a, OUTPUT, output, .stream = IPC_STREAM_OUT, .data = bytes_of(texts[i]));
        FRAME(a, EXIT, exit, .status = 0);
        s = script_of(&w, &a, true);
        assert_int_equal(request(&s, share), VITRINE_E_PROTOCOL);
    }
}

/* What the daemon says in an error is shown without what would move a terminal's cursor. */
static void texts_are_printable(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = answers();
    struct vitrine_pane *panes;
    struct vitrine *v;
    struct script s;
    size_t n;

    (void)state;
    FRAME(a, ANSWER, answer, .id = 1, .result = IPC_RESULT_REFUSED,
          .text = bytes_of("\033[2Jevil\nline"));
    s = script_of(&w, &a, true);
    start(&s);
    assert_int_equal(open_library(&v), VITRINE_OK);
    assert_int_equal(vitrine_list_panes(v, &panes, &n), VITRINE_E_LIMIT);
    assert_null(strpbrk(vitrine_error(v), "\033\n"));
    assert_non_null(strstr(vitrine_error(v), "evil"));
    vitrine_close(v);
    stop();
}

/* --- every changed bit ---------------------------------------------------------------------- */

/* A good answer to every kind of request. */
static struct wbuf good_answers(void)
{
    static const struct ipc_span span = {.cells = 2, .link = 3};
    static uint8_t text[] = {33, 'a', 33, 'b'};
    struct wbuf a = answers();

    FRAME(a, PANE, pane, .id = 1, .title = bytes_of("t"), .program = bytes_of("p"),
          .directory = bytes_of("d"), .tty = bytes_of("/dev/x"));
    FRAME(a, SCREEN, screen, .id = 1, .cols = 2, .rows = 2, .title = bytes_of("t"));
    FRAME(a, LINK, link, .id = 1, .link = 3, .target = bytes_of("http://x/"));
    FRAME(a, LINE, line, .id = 1, .line = 0, .spans = {.n = 1, .items = &span}, .text = {text, 4});
    FRAME(a, LINE, line, .id = 1, .line = 1, .spans = {.n = 1, .items = &span}, .text = {text, 4});
    FRAME(a, OUTPUT, output, .stream = IPC_STREAM_OUT,
          .data =
              bytes_of("{\"share\":1,\"links\":[{\"url\":\"u\",\"label\":\"\",\"role\":\"x\"}]}"));
    FRAME(a, ANSWER, answer, .id = 1);
    FRAME(a, SUBSCRIBED, subscribed, .id = 1, .pane = 1);
    FRAME(a, DATA, data, .id = 1, .data = bytes_of("hay and a nee"));
    FRAME(a, LAG, lag, .id = 1, .from = 13, .to = 20);
    FRAME(a, DATA, data, .id = 1, .offset = 20, .data = bytes_of("needle"));
    FRAME(a, ENDED, ended, .id = 1, .how = IPC_END_SIGNALLED, .code = 9);
    FRAME(a, EXIT, exit, .status = 0);
    return a;
}

static void each_changed_bit(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = good_answers();
    struct script s = script_of(&w, &a, false);

    (void)state;
    for (size_t bit = 0; bit < a.len * 8; bit += 3) {
        s.second[bit / 8] ^= (uint8_t)(1u << bit % 8);
        request(&s, requests[bit % N_REQUESTS]);
        s.second[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void each_cut(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = good_answers();
    struct script s = script_of(&w, &a, false);

    (void)state;
    for (size_t n = 1; n < a.len; n++) {
        s.n_second = n;
        request(&s, requests[n % N_REQUESTS]);
    }
}

/* --- without end ---------------------------------------------------------------------------- */

/* A daemon that answers each line of history with one more is not asked for ever. */
static void lines_without_end(void **state)
{
    struct wbuf w = welcome(IPC_VERSION), a = answers();
    struct script s;

    (void)state;
    FRAME(a, SCREEN, screen, .id = 1, .cols = 2, .rows = 2, .top_line = UINT64_MAX - 10);
    FRAME(a, LINE, line, .id = 1, .line = 7);
    FRAME(a, ANSWER, answer, .id = 1);
    for (uint32_t id = 2; id < 1000; id++) {
        FRAME(a, SCREEN, screen, .id = id, .cols = 2, .rows = 2, .top_line = UINT64_MAX - 10);
        FRAME(a, LINE, line, .id = id, .line = 7);
        FRAME(a, ANSWER, answer, .id = id);
    }
    s = script_of(&w, &a, true);
    assert_true(request(&s, cells) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_daemon),
        cmocka_unit_test(closing_daemon),
        cmocka_unit_test(another_version),
        cmocka_unit_test(wrong_beginnings),
        cmocka_unit_test(cut_welcome),
        cmocka_unit_test(an_older_header),
        cmocka_unit_test(misuse),
        cmocka_unit_test(never_answered),
        cmocka_unit_test(closed_instead),
        cmocka_unit_test(strangers),
        cmocka_unit_test(wrong_records),
        cmocka_unit_test(wrong_screens),
        cmocka_unit_test(wrong_shares),
        cmocka_unit_test(texts_are_printable),
        cmocka_unit_test(each_changed_bit),
        cmocka_unit_test(each_cut),
        cmocka_unit_test(lines_without_end),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, begin_group, end_group);
}
