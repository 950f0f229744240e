/* Commands between pipes: what the daemon gets to see, what the user gets to see. */
#include "proto/compat.h"

#include "tests/unit/client/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake fake;
static struct client client;

static int begin(void **state)
{
    (void)state;
    fake_begin(&fake);
    return 0;
}

static int end(void **state)
{
    (void)state;
    client_clear(&client);
    fake_end(&fake);
    return 0;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The i-th argument of a list is text. */
static void check_argument(struct bytes wire, size_t i, const char *text)
{
    struct ipc_argument a = {{NULL, 0}};
    struct rbuf r;

    rbuf_init(&r, wire.p, wire.len);
    for (size_t k = 0; k <= i; k++)
        ipc_read_argument(&r, &a);
    assert_false(r.bad);
    assert_true(bytes_equal(a.text, bytes_of(text)));
}

static void output_and_status(void **state)
{
    struct ipc_command m;

    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("list-sessions", "--json"));
    fake_greet(&fake, &m);
    assert_int_equal(m.argv.n, 2);
    check_argument(m.argv.wire, 0, "list-sessions");
    check_argument(m.argv.wire, 1, "--json");
    assert_int_equal(m.env.n, 0);
    assert_int_equal(m.flags, IPC_CLIENT_UTF8 | IPC_CLIENT_COLOURS_256);
    assert_int_equal(m.cols, 0);
    assert_true(bytes_equal(m.term, bytes_of("xterm-256color")));
    assert_true(m.cwd.len > 1 && m.cwd.p[0] == '/');
    fake_output(&fake, IPC_STREAM_OUT, "one\n");
    fake_output(&fake, IPC_STREAM_ERR, "careful\n");
    fake_output(&fake, IPC_STREAM_OUT, "two\n");
    fake_exit(&fake, 7);
    assert_int_equal(client_finish(&client), 7);
    assert_string_equal(client.text, "one\ntwo\n");
    assert_string_equal(client.errors, "careful\n");
}

/* HELLO and COMMAND come in one write, so that a command costs one round trip. */
static void one_write(void **state)
{
    struct ipc_header h;

    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("ls"));
    fake_accept(&fake);
    while (fake.in_len == 0)
        harness_turn(-1);
    assert_int_equal(ipc_read_header(fake.in, fake.in_len, &h), ERR_OK);
    assert_int_equal(h.type, IPC_MSG_HELLO);
    assert_true(fake.in_len > IPC_HEADER_BYTES + h.length);
    fake_welcome(&fake, IPC_VERSION);
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
}

static void environment_goes_where_programs_start(void **state)
{
    struct ipc_command m;
    size_t found = 0;
    struct rbuf r;

    (void)state;
    setenv("VITRINE_TEST_VALUE", "a=b \n\xff", 1);
    putenv((char *)"=nameless");
    fake_listen(&fake);
    client_start(&client, WORDS("new", "-d", "--", "sh", "-c", ""));
    fake_greet(&fake, &m);
    assert_int_equal(m.argv.n, 6);
    check_argument(m.argv.wire, 5, "");
    rbuf_init(&r, m.env.wire.p, m.env.wire.len);
    for (size_t i = 0; i < m.env.n; i++) {
        struct ipc_argument a;

        ipc_read_argument(&r, &a);
        assert_true(a.text.len > 0 && a.text.p[0] != '=');
        found += bytes_equal(a.text, bytes_of("VITRINE_TEST_VALUE=a=b \n\xff"));
    }
    assert_int_equal(found, 1);
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    unsetenv("VITRINE_TEST_VALUE");
}

static void large_environment_is_bounded(void **state)
{
    char *big = malloc(300000);
    struct ipc_command m;

    (void)state;
    assert_non_null(big);
    memset(big, 'x', 299999);
    big[299999] = '\0';
    big[100000] = '\0';
    setenv("VITRINE_TEST_A", big, 1);
    setenv("VITRINE_TEST_B", big, 1);
    setenv("VITRINE_TEST_C", big, 1);
    fake_listen(&fake);
    client_start(&client, WORDS("new", "-d"));
    fake_greet(&fake, &m);
    assert_true(m.env.wire.len > 200000);
    assert_true(m.env.wire.len <= 256 * 1024);
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    unsetenv("VITRINE_TEST_A");
    unsetenv("VITRINE_TEST_B");
    unsetenv("VITRINE_TEST_C");
    free(big);
}

/* A daemon's pane: its socket is the default one, and its number goes along. */
static void inside_a_pane(void **state)
{
    struct ipc_command m;
    char value[200];

    (void)state;
    fake_listen(&fake);
    snprintf(value, sizeof value, "%s,123,0", fake.path);
    setenv("VITRINE", value, 1);
    setenv("VITRINE_PANE", "%5", 1);
    setenv("VITRINE_TMPDIR", "/nonexistent/anywhere", 1);
    client_start(&client, WORDS("send-keys", "x"));
    fake_greet(&fake, &m);
    assert_int_equal(m.env.n, 1);
    check_argument(m.env.wire, 0, "VITRINE_PANE=%5");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    unsetenv("VITRINE");
    unsetenv("VITRINE_PANE");
}

static void long_output(void **state)
{
    struct ipc_command m;
    char part[10001];

    (void)state;
    memset(part, 'z', 10000);
    part[10000] = '\0';
    fake_listen(&fake);
    client_start(&client, WORDS("capture-pane", "-p"));
    fake_greet(&fake, &m);
    for (int i = 0; i < 300; i++)
        fake_output(&fake, IPC_STREAM_OUT, part);
    fake_exit(&fake, 0);
    fake_hang_up(&fake);
    assert_int_equal(client_finish(&client), 0);
    assert_int_equal(client.len, 3000000);
    assert_null(memchr(client.text, 'y', client.len));
}

/* --- errors --------------------------------------------------------------------------------- */

static void nobody_listens(void **state)
{
    char want[160];

    (void)state;
    assert_int_equal(client_run(&client, WORDS("ls")), 1);
    snprintf(want, sizeof want, "vitrine: no server running on %s\n", fake.path);
    assert_string_equal(client.errors, want);
    assert_null(client.text);
}

/* Another user's server is not talked to. Only root can play two users. */
static void server_of_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        client_run(&client, WORDS("version"));
        print_message("only root can play two users\n");
        skip();
    }
    fake_listen(&fake);
    assert_int_equal(chmod(fake.dir, 0755), 0);
    assert_int_equal(chmod(fake.path, 0777), 0);
    client_start_as(&client, WORDS("-S", fake.path, "ls"), 65534);
    fake_accept(&fake);
    fake_expect_end(&fake);
    assert_int_equal(client_finish(&client), 1);
    assert_int_equal(fake.in_len, 0); /* not a word */
    assert_non_null(strstr(client.errors, "belongs to another user's server"));
}

static void daemon_of_another_version(void **state)
{
    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("ls"));
    fake_accept(&fake);
    fake_welcome(&fake, IPC_VERSION + 1);
    fake_hang_up(&fake);
    assert_int_equal(client_finish(&client), 1);
    assert_non_null(strstr(client.errors, "0.0.0-fake, process 4711"));
    assert_non_null(strstr(client.errors, "version 2"));
    assert_non_null(strstr(client.errors, VITRINE_VERSION));
    assert_non_null(strstr(client.errors, "kill 4711"));
    assert_ptr_equal(strchr(client.errors, '\n'), client.errors + client.errors_len - 1);
}

static void daemon_goes_away(void **state)
{
    struct ipc_command m;

    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("ls"));
    fake_greet(&fake, &m);
    fake_output(&fake, IPC_STREAM_OUT, "half");
    fake_hang_up(&fake);
    assert_int_equal(client_finish(&client), 1);
    assert_string_equal(client.text, "half");
    assert_string_equal(client.errors, "vitrine: the server went away\n");
}

/* It was ending, and had not taken the command: the next one gets it. */
static void daemon_that_was_ending(void **state)
{
    struct ipc_command m;

    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("ls"));
    for (int i = 0; i < 2; i++) {
        fake_accept(&fake);
        fake_expect(&fake, IPC_MSG_HELLO);
        fake_hang_up(&fake);
    }
    fake_greet(&fake, &m);
    check_argument(m.argv.wire, 0, "ls");
    fake_output(&fake, IPC_STREAM_OUT, "here\n");
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    assert_string_equal(client.text, "here\n");
    assert_null(client.errors);
}

static void daemons_that_never_answer(void **state)
{
    (void)state;
    fake_listen(&fake);
    client_start(&client, WORDS("ls"));
    for (int i = 0; i < 3; i++) {
        fake_accept(&fake);
        fake_hang_up(&fake);
    }
    assert_int_equal(client_finish(&client), 1);
    assert_string_equal(client.errors, "vitrine: the server went away\n");
}

static void nonsense_from_the_daemon(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } rows[] = {
        {"\0\0\0\0\x7f", 5},       /* no such type */
        {"\0\x20\0\0\x82", 5},     /* longer than a frame may be */
        {"\0\0\0\1\x01\0", 6},     /* a client's message */
        {"\0\0\0\0\x83", 5},       /* no status */
        {"\0\0\0\2\x83\0\0", 7},   /* two */
        {"\0\0\0\2\x82\3x", 7},    /* a third stream */
        {"\0\0\0\2\x82\0x", 7},    /* none */
        {"\0\0\0\1\x85x", 6},      /* DRAW before ATTACHED */
        {"\0\0\0\3\x86\0\0\0", 8}, /* DETACHED before it */
        {"\0\0\0\3\x84\0\1a", 8},  /* ATTACHED without a terminal */
    };

    (void)state;
    fake_listen(&fake);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ipc_command m;

        client_start(&client, WORDS("ls"));
        fake_greet(&fake, &m);
        fake_send(&fake, rows[i].bytes, rows[i].n);
        fake_expect_end(&fake);
        assert_int_equal(client_finish(&client), 1);
        assert_string_equal(client.errors,
                            "vitrine: the server sent what this program does not understand\n");
        fake_hang_up(&fake);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

/* Every wrong line: its status, and what its one line of error says. */
static void wrong_lines(void **state)
{
    static const struct {
        const char *words[4];
        int status;
        const char *says;
    } rows[] = {
        {{"nope"}, 2, "unknown command: nope"},
        {{"kill"}, 2, "ambiguous command: kill, could be: kill-window, "},
        {{"ls", "-q"}, 2, "unknown option -q; usage: vitrine list-sessions ["},
        {{"-x"}, 2, "unknown option -x"},
        {{"--nope", "ls"}, 2, "unknown option --nope"},
        {{"-L"}, 2, "option -L needs a value"},
        {{"-S"}, 2, "option -S needs a value"},
        {{"version", "x"}, 2, "takes no arguments"},
        {{"help", "nope"}, 2, "unknown command: nope"},
        {{"-L", "a/b", "ls"}, 1, "has no slash"},
        {{"-L", "", "ls"}, 1, "has no slash"},
        {{"-L.hidden", "ls"}, 1, "does not begin with a dot"},
        {{"new"}, 1, "not a terminal: use -d"},
        {{"attach"}, 1, "not a terminal"},
        {{"-S", "/nonexistent/x", "ls"}, 1, "no server running on /nonexistent/x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *words[5] = {NULL};

        memcpy(words, rows[i].words, sizeof rows[i].words);
        assert_int_equal(client_run(&client, words), rows[i].status);
        if (!client.errors || !strstr(client.errors, rows[i].says))
            fail_msg("%s: %s", rows[i].says, client.errors ? client.errors : "nothing");
        assert_ptr_equal(strchr(client.errors, '\n'), client.errors + client.errors_len - 1);
        assert_null(client.text);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

static void local_commands(void **state)
{
    static const struct {
        const char *words[3];
        const char *says;
    } rows[] = {
        {{"version"}, "vitrine " VITRINE_VERSION "\n"},
        {{"-V"}, "vitrine " VITRINE_VERSION "\n"},
        {{"--help"}, "usage: vitrine"},
        {{"-h"}, "new-session"},
        {{"help"}, "kill-server"},
        {{"help", "share"}, "usage: vitrine share"},
        {{"share", "--help"}, "usage: vitrine share"},
        {{"ls", "-h"}, "alias: ls"},
        {{"list-commands"}, "attach-session (attach) [-dErx]"},
        {{"lscm", "ls"}, "list-sessions (ls) ["},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *words[4] = {NULL};

        memcpy(words, rows[i].words, sizeof rows[i].words);
        assert_int_equal(client_run(&client, words), 0);
        if (!client.text || !strstr(client.text, rows[i].says))
            fail_msg("%s: %s", rows[i].says, client.text ? client.text : "nothing");
        assert_null(client.errors);
        client_clear(&client);
    }
    client_run(&client, WORDS("version"));
}

static void long_lines(void **state)
{
    char *words[1200];
    struct ipc_command m;

    (void)state;
    words[0] = (char *)"send-keys";
    words[1] = malloc(1u << 20);
    words[2] = NULL;
    assert_non_null(words[1]);
    memset(words[1], 'k', 1u << 20);
    fake_listen(&fake);
    words[1][(1u << 20) - 1] = '\0';
    assert_int_equal(client_run(&client, (const char *const *)words), 1);
    assert_string_equal(client.errors, "vitrine: the command line is too long\n");
    client_clear(&client);
    close(fake.listener);
    unlink(fake.path);
    fake_listen(&fake);
    words[1][900000] = '\0';
    client_start(&client, (const char *const *)words);
    fake_greet(&fake, &m);
    check_argument(m.argv.wire, 1, words[1]);
    fake_exit(&fake, 0);
    assert_int_equal(client_finish(&client), 0);
    free(words[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
        CASE(output_and_status),
        CASE(one_write),
        CASE(environment_goes_where_programs_start),
        CASE(large_environment_is_bounded),
        CASE(inside_a_pane),
        CASE(long_output),
        CASE(nobody_listens),
        CASE(server_of_another_user),
        CASE(daemon_of_another_version),
        CASE(daemon_goes_away),
        CASE(daemon_that_was_ending),
        CASE(daemons_that_never_answer),
        CASE(nonsense_from_the_daemon),
        CASE(wrong_lines),
        CASE(local_commands),
        CASE(long_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
