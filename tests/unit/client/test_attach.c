/* A terminal attached to a session: what goes through, and that the terminal is whole afterwards.
 */
#include "proto/compat.h"

#include "tests/unit/client/harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WORDS(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define OTHER_ON    "\033[?1049h"
#define OTHER_OFF   "\033[?1049l"
#define PASTE_BYTES (1u << 20)

static struct fake fake;
static struct client client;
static struct termios before;

static int begin(void **state)
{
    (void)state;
    fake_begin(&fake);
    fake_listen(&fake);
    return 0;
}

static int end(void **state)
{
    (void)state;
    client_clear(&client);
    fake_end(&fake);
    return 0;
}

static void expect_size(uint16_t cols, uint16_t rows)
{
    struct ipc_size size;

    assert_int_equal(ipc_decode_size(fake_expect(&fake, IPC_MSG_SIZE), &size), ERR_OK);
    assert_int_equal(size.cols, cols);
    assert_int_equal(size.rows, rows);
}

/* Attached: the terminal is raw and on its other screen; its size is not told a second time. */
static void attach(void)
{
    struct ipc_command m;
    struct termios now;

    client_start_in_terminal(&client, WORDS("attach", "-t", "work"), 100, 30);
    assert_int_equal(tcgetattr(client.tty, &before), 0);
    fake_greet(&fake, &m);
    assert_int_equal(m.flags & IPC_CLIENT_TTY, IPC_CLIENT_TTY);
    assert_int_equal(m.cols, 100);
    assert_int_equal(m.rows, 30);
    fake_attached(&fake, "work");
    client_wait_for(&client, OTHER_ON);
    assert_int_equal(tcgetattr(client.tty, &now), 0);
    assert_int_equal(now.c_lflag & (ICANON | ECHO | ISIG | IEXTEN), 0);
    assert_int_equal(now.c_iflag & (ICRNL | IXON), 0);
    assert_int_equal(now.c_oflag & OPOST, 0);
}

/* The last place of text in what the terminal showed from `from` on; it may hold NUL. */
static const char *find_last(const char *from, const char *text)
{
    const char *end = client.text + client.len;
    const char *last = NULL;

    for (const char *p = from; (p = memmem(p, (size_t)(end - p), text, strlen(text))) != NULL; p++)
        last = p;
    return last;
}

/* The terminal is as it was: its settings, its screen, its modes. */
static void check_restored(void)
{
    static const char *const off[] = {"\033[?1000l", "\033[?1002l", "\033[?1003l", "\033[?1006l",
                                      "\033[?1004l", "\033[?2004l", "\033[?25h",   "\033[0 q",
                                      "\033[?1l",    "\033>",       OTHER_OFF};
    struct termios now;
    const char *last_on;

    assert_int_equal(tcgetattr(client.tty, &now), 0);
    assert_int_equal(now.c_lflag, before.c_lflag);
    assert_int_equal(now.c_iflag, before.c_iflag);
    assert_int_equal(now.c_oflag, before.c_oflag);
    assert_int_equal(now.c_cflag, before.c_cflag);
    assert_memory_equal(now.c_cc, before.c_cc, sizeof now.c_cc);
    assert_non_null(client.text);
    last_on = find_last(client.text, OTHER_ON);
    assert_non_null(last_on);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        if (!find_last(last_on, off[i]))
            fail_msg("not restored: %s", off[i] + 1);
    }
}

static void check_ends_with(const char *text)
{
    size_t n = strlen(text);

    assert_true(client.len >= n);
    assert_string_equal(client.text + client.len - n, text);
}

/* --- through -------------------------------------------------------------------------------- */

static void drawing_and_detaching(void **state)
{
    struct ipc_drawn drawn;

    (void)state;
    attach();
    fake_draw(&fake, "hello\nthere", 11);
    client_wait_for(&client, "hello\nthere"); /* no CR was added */
    assert_int_equal(ipc_decode_drawn(fake_expect(&fake, IPC_MSG_DRAWN), &drawn), ERR_OK);
    assert_int_equal(drawn.total, 11);
    fake_draw(&fake, "\xff\0\x1b", 3);
    assert_int_equal(ipc_decode_drawn(fake_expect(&fake, IPC_MSG_DRAWN), &drawn), ERR_OK);
    assert_int_equal(drawn.total, 14);
    assert_int_equal(fcntl(client.tty, F_GETFL) & O_NONBLOCK, 0); /* the shell's, too */
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
    check_ends_with("[detached (from session work)]\r\n");
}

static void control_characters_are_keys(void **state)
{
    const char keys[] = "\003\032\034\021\023\004\026\177\r\n\033[A\0\xff";
    struct bytes b = {NULL, 0};
    char got[64];
    size_t n = 0;

    (void)state;
    attach();
    client_type(&client, keys, sizeof keys);
    while (n < sizeof keys) {
        b = fake_expect(&fake, IPC_MSG_KEYS);
        assert_true(n + b.len <= sizeof got);
        memcpy(got + n, b.p, b.len);
        n += b.len;
    }
    assert_memory_equal(got, keys, sizeof keys);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
}

static void paste_of_a_megabyte(void **state)
{
    uint8_t *paste = malloc(PASTE_BYTES);
    uint32_t x = 1;

    (void)state;
    assert_non_null(paste);
    for (size_t i = 0; i < PASTE_BYTES; i++) {
        x = x * 1664525u + 1013904223u;
        paste[i] = (uint8_t)(x >> 24);
    }
    attach();
    client_type(&client, paste, PASTE_BYTES);
    for (size_t n = 0; n < PASTE_BYTES;) {
        struct bytes b = fake_expect(&fake, IPC_MSG_KEYS);

        assert_true(b.len > 0 && b.len <= IPC_DATA_MAX_BYTES && n + b.len <= PASTE_BYTES);
        assert_memory_equal(b.p, paste + n, b.len);
        n += b.len;
    }
    free(paste);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
}

static void resizing(void **state)
{
    const struct winsize sizes[] = {{.ws_col = 90, .ws_row = 20}, {.ws_col = 200, .ws_row = 50}};

    (void)state;
    attach();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ioctl(client.in, TIOCSWINSZ, &sizes[i]), 0);
        expect_size(sizes[i].ws_col, sizes[i].ws_row);
    }
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
}

/* Between the command and ATTACHED the size may change. */
static void resized_before_attached(void **state)
{
    const struct winsize size = {.ws_col = 77, .ws_row = 22};
    struct ipc_command m;

    (void)state;
    client_start_in_terminal(&client, WORDS("attach"), 100, 30);
    assert_int_equal(tcgetattr(client.tty, &before), 0);
    fake_greet(&fake, &m);
    assert_int_equal(ioctl(client.in, TIOCSWINSZ, &size), 0);
    fake_attached(&fake, "work");
    expect_size(77, 22);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
}

/* A terminal that takes nothing holds the daemon back, not the keys; nothing is lost. */
static void terminal_that_takes_nothing(void **state)
{
    enum { PARTS = 10 }; /* more than a terminal holds, less than a socket */
    uint64_t total = 0;
    char part[4096];

    (void)state;
    attach();
    client.paused = true;
    memset(part, '#', sizeof part);
    for (int i = 0; i < PARTS; i++)
        fake_draw(&fake, part, sizeof part);
    client_type(&client, "k", 1);
    for (uint8_t type = 0; type != IPC_MSG_KEYS;) {
        struct bytes b = fake_next(&fake, &type);
        struct ipc_drawn drawn;

        if (type == IPC_MSG_DRAWN && ipc_decode_drawn(b, &drawn) == ERR_OK)
            total = drawn.total;
    }
    assert_true(total < sizeof part * PARTS);
    client.paused = false;
    while (total < sizeof part * PARTS) {
        struct ipc_drawn drawn;

        assert_int_equal(ipc_decode_drawn(fake_expect(&fake, IPC_MSG_DRAWN), &drawn), ERR_OK);
        assert_true(drawn.total > total);
        total = drawn.total;
    }
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    total = 0;
    for (size_t i = 0; i < client.len; i++)
        total += client.text[i] == '#';
    assert_int_equal(total, sizeof part * PARTS);
    check_restored();
}

/* --- out ------------------------------------------------------------------------------------ */

static void daemon_dies(void **state)
{
    (void)state;
    attach();
    fake_draw(&fake, "last words", 10);
    fake_hang_up(&fake);
    assert_int_equal(client_finish(&client), 1);
    assert_non_null(strstr(client.text, "last words"));
    check_restored();
    check_ends_with("[lost server]\r\n");
}

/* The daemon dies while the terminal takes nothing: the client does not wait for ever, nor spin. */
static void daemon_dies_behind_a_blocked_terminal(void **state)
{
    char part[4096];
    struct termios now;

    (void)state;
    attach();
    client.paused = true;
    memset(part, '#', sizeof part);
    for (int i = 0; i < 10; i++)
        fake_draw(&fake, part, sizeof part);
    fake_hang_up(&fake);
    assert_int_equal(client_finish(&client), 1);
    assert_int_equal(tcgetattr(client.tty, &now), 0);
    assert_int_equal(now.c_lflag, before.c_lflag);
}

static void signals_detach(void **state)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct ipc_detach m;

        attach();
        assert_int_equal(kill(client.pid, signals[i]), 0);
        assert_int_equal(ipc_decode_detach(fake_expect(&fake, IPC_MSG_DETACH), &m), ERR_OK);
        assert_int_equal(m.signal, signals[i]);
        fake_detached(&fake, IPC_DETACHED_ASKED, "");
        fake_exit(&fake, 1);
        assert_int_equal(client_finish(&client), 1);
        check_restored();
        fake_hang_up(&fake);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

static void signal_and_a_daemon_that_does_not_answer(void **state)
{
    (void)state;
    attach();
    assert_int_equal(kill(client.pid, SIGTERM), 0);
    fake_expect(&fake, IPC_MSG_DETACH);
    assert_int_equal(client_finish(&client), 1);
    check_restored();
    check_ends_with("[terminated]\r\n");
}

static void terminal_goes_away(void **state)
{
    struct ipc_detach m;

    (void)state;
    attach();
    close(client.tty);
    close(client.in);
    client.in = client.out = client.tty = -1;
    assert_int_equal(ipc_decode_detach(fake_expect(&fake, IPC_MSG_DETACH), &m), ERR_OK);
    assert_int_equal(m.signal, SIGHUP);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    fake_expect_end(&fake);
    client_finish(&client);
}

static void farewells(void **state)
{
    static const struct {
        enum ipc_detached reason;
        const char *text;
        const char *want;
        uint8_t status;
    } rows[] = {
        {IPC_DETACHED_ASKED, "", "[detached (from session work)]\r\n", 0},
        {IPC_DETACHED_ENDED, "", "[exited]\r\n", 0},
        {IPC_DETACHED_ENDED, "exited 3", "[exited 3]\r\n", 3},
        {IPC_DETACHED_STOPPING, "", "[server exited]\r\n", 1},
        {IPC_DETACHED_REPLACED, "", "[detached (from session work)]\r\n", 0},
        {IPC_DETACHED_KILLED, "", "[terminated]\r\n", 1},
        {IPC_DETACHED_ENDED, "\033[2J\nx", "[\xef\xbf\xbd[2J\xef\xbf\xbdx]\r\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        attach();
        fake_detached(&fake, rows[i].reason, rows[i].text);
        fake_exit(&fake, rows[i].status);
        assert_int_equal(client_finish(&client), rows[i].status);
        check_restored();
        check_ends_with(rows[i].want);
        fake_hang_up(&fake);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

/* What is said after the end stands on the terminal's own screen. */
static void output_after_detaching(void **state)
{
    (void)state;
    attach();
    fake_detached(&fake, IPC_DETACHED_ENDED, "");
    fake_output(&fake, IPC_STREAM_ERR, "a word\n");
    fake_exit(&fake, 4);
    assert_int_equal(client_finish(&client), 4);
    check_restored();
    check_ends_with("[exited]\r\na word\r\n");
}

static void nonsense_while_attached(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } rows[] = {
        {"\0\0\0\0\x7f", 5},         {"\0\0\0\3\x84\0\1a", 8},    {"\0\0\0\2\x82\1x", 7},
        {"\0\0\0\3\x86\x05\0\0", 8}, {"\xff\xff\xff\xff\x85", 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        attach();
        fake_send(&fake, rows[i].bytes, rows[i].n);
        assert_int_equal(client_finish(&client), 1);
        check_restored();
        check_ends_with("does not understand\r\n");
        fake_hang_up(&fake);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

/* --- stopped and continued ------------------------------------------------------------------ */

static void stopped_and_continued(void **state)
{
    struct termios now;
    int status;

    (void)state;
    attach();
    assert_int_equal(kill(client.pid, SIGSTOP), 0);
    assert_int_equal(waitpid(client.pid, &status, WUNTRACED), client.pid);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(tcsetattr(client.tty, TCSANOW, &before), 0); /* the shell's prompt */
    assert_int_equal(kill(client.pid, SIGCONT), 0);
    client_wait_for(&client, OTHER_ON);
    expect_size(100, 30);
    assert_int_equal(tcgetattr(client.tty, &now), 0);
    assert_int_equal(now.c_lflag & (ICANON | ECHO), 0);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
}

/* Asked to stop, it gives the terminal back first. (The kernel does not stop a session's leader.)
 */
static void asked_to_stop(void **state)
{
    (void)state;
    attach();
    assert_int_equal(kill(client.pid, SIGTSTP), 0);
    client_wait_for(&client, OTHER_OFF);
    client_wait_for(&client, OTHER_ON);
    expect_size(100, 30);
    fake_detached(&fake, IPC_DETACHED_ASKED, "");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    check_restored();
}

/* --- refused -------------------------------------------------------------------------------- */

static void refused_here(void **state)
{
    static const struct {
        const char *name, *value; /* of a variable; "" unsets it */
        const char *says;
    } rows[] = {
        {"TERM", "", "TERM is not set"},
        {"TERM", "dumb", "a dumb terminal"},
        {"VITRINE", "nested", "sessions should be nested with care, unset $VITRINE to force"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char value[200];

        snprintf(value, sizeof value, "%s,1,0", fake.path);
        if (rows[i].value[0] == '\0')
            unsetenv(rows[i].name);
        else
            setenv(rows[i].name, strcmp(rows[i].value, "nested") ? rows[i].value : value, 1);
        client_start_in_terminal(&client, WORDS("new"), 80, 24);
        assert_int_equal(client_finish(&client), 1);
        assert_non_null(client.text);
        assert_non_null(strstr(client.text, rows[i].says));
        assert_null(strstr(client.text, OTHER_ON));
        client_clear(&client);
        setenv("TERM", "xterm", 1);
        unsetenv("VITRINE");
    }
    client_run(&client, WORDS("version"));
}

/* Another daemon's sessions may be shown in a pane. */
static void nested_in_another_daemon(void **state)
{
    struct ipc_command m;

    (void)state;
    setenv("VITRINE", "/somewhere/else,1,0", 1);
    client_start_in_terminal(&client, WORDS("-L", "default", "attach"), 80, 24);
    fake_greet(&fake, &m);
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    unsetenv("VITRINE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
        CASE(drawing_and_detaching),
        CASE(control_characters_are_keys),
        CASE(paste_of_a_megabyte),
        CASE(resizing),
        CASE(resized_before_attached),
        CASE(terminal_that_takes_nothing),
        CASE(daemon_dies),
        CASE(daemon_dies_behind_a_blocked_terminal),
        CASE(signals_detach),
        CASE(signal_and_a_daemon_that_does_not_answer),
        CASE(terminal_goes_away),
        CASE(farewells),
        CASE(output_after_detaching),
        CASE(nonsense_while_attached),
        CASE(stopped_and_continued),
        CASE(asked_to_stop),
        CASE(refused_here),
        CASE(nested_in_another_daemon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
