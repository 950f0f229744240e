/* Starting the daemon, and doctor, which does. This program is the daemon too: called as `vitrined`
 * it does what FAKE_MODE says. */
#include "proto/compat.h"

#include "tests/unit/client/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define READY_FD   3
#define CLIENTS    5

/* --- the daemon ----------------------------------------------------------------------------- */

static struct fake fake;

/* One line for each start: what the daemon was given. */
static void note_start(const char *socket_path)
{
    char path[200], line[200];
    struct sigaction term;
    int fd, fds = 0;
    DIR *d = opendir("/proc/self/fd");

    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        fds += e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d);
    closedir(d);
    sigaction(SIGTERM, NULL, &term);
    snprintf(path, sizeof path, "%s.starts", socket_path);
    snprintf(line, sizeof line, "leader %d, fds %d, tty %d, term %d\n", getsid(0) == getpid(), fds,
             isatty(0) || isatty(1) || isatty(2), term.sa_handler == SIG_DFL);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, line, strlen(line)) < 0)
        exit(3);
    close(fd);
}

/* Answers one client. Returns false when it asked for the end. */
static bool serve(void)
{
    struct ipc_command m;
    struct ipc_argument word, option = {{NULL, 0}};
    struct rbuf r;

    fake_greet(&fake, &m);
    rbuf_init(&r, m.argv.wire.p, m.argv.wire.len);
    ipc_read_argument(&r, &word);
    if (m.argv.n > 1)
        ipc_read_argument(&r, &option);
    if (!bytes_equal(word.text, bytes_of("doctor")))
        fake_output(&fake, IPC_STREAM_OUT, "served\n");
    else if (!bytes_equal(option.text, bytes_of("--json")))
        fake_output(&fake, IPC_STREAM_OUT, "MISS cipher: none\n");
    else
        fake_output(&fake, IPC_STREAM_OUT,
                    "[{\"check\":\"cipher\",\"ok\":false,\"detail\":\"none\"}]\n");
    fake_exit(&fake, bytes_equal(word.text, bytes_of("doctor")) ? 1 : 0);
    fake_hang_up(&fake);
    return !bytes_equal(word.text, bytes_of("kill-server"));
}

static int be_vitrined(int argc, char **argv)
{
    const char *mode = getenv("FAKE_MODE");

    if (argc != 5 || strcmp(argv[1], "--socket") != 0 || strcmp(argv[3], "--ready-fd") != 0 ||
        atoi(argv[4]) != READY_FD)
        return 3;
    note_start(argv[2]);
    if (strcmp(mode, "silent") == 0)
        return 1;
    if (strcmp(mode, "refuse") == 0) {
        dprintf(READY_FD, "no room for\033[2Jkeys\nsecond line\n");
        return 1;
    }
    snprintf(fake.path, sizeof fake.path, "%s", argv[2]);
    fake_play(&fake);
    fake_listen(&fake);
    dprintf(READY_FD, "ok\n");
    close(READY_FD);
    while (serve())
        ;
    unlink(fake.path);
    return 0;
}

/* --- tests ---------------------------------------------------------------------------------- */

static struct client client;

static int begin(void **state)
{
    char self[4096], link[200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    (void)state;
    assert_true(n > 0);
    self[n] = '\0';
    fake_begin(&fake);
    snprintf(link, sizeof link, "%s/vitrined", fake.dir);
    assert_int_equal(symlink(self, link), 0);
    setenv("PATH", fake.dir, 1);
    setenv("FAKE_MODE", "serve", 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    setenv("PATH", "/usr/bin:/bin", 1);
    fake_end(&fake);
    return 0;
}

static size_t count_starts(char text[1024])
{
    char path[200];
    size_t n = 0, len;
    FILE *f;

    snprintf(path, sizeof path, "%s.starts", fake.path);
    f = fopen(path, "r");
    text[0] = '\0';
    if (!f)
        return 0;
    len = fread(text, 1, 1023, f);
    text[len] = '\0';
    fclose(f);
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

static void run(const char *const *words, int status)
{
    assert_int_equal(client_run(&client, words), status);
}

static void stop_daemon(void)
{
    run(WORDS("kill-server"), 0);
    client_clear(&client);
}

/* It leads its own session, has no terminal, no handlers, and no descriptor of ours but the pipe's
 * end. */
static void started_clean(void **state)
{
    int stray = fcntl(STDERR_FILENO, F_DUPFD, 20); /* as make or a shell may leave one */
    char starts[1024];

    (void)state;
    assert_true(stray >= 20);
    run(WORDS("new", "-d"), 0);
    assert_string_equal(client.text, "served\n");
    client_clear(&client);
    close(stray);
    run(WORDS("ls"), 0); /* the same daemon */
    client_clear(&client);
    assert_int_equal(count_starts(starts), 1);
    assert_string_equal(starts, "leader 1, fds 4, tty 0, term 1\n");
    stop_daemon();
    run(WORDS("ls"), 1);
    client_clear(&client);
}

static void many_at_once_start_one(void **state)
{
    struct client clients[CLIENTS];
    char starts[1024];

    (void)state;
    for (size_t i = 0; i < CLIENTS; i++)
        client_start(&clients[i], WORDS("new", "-d"));
    for (size_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(client_finish(&clients[i]), 0);
        assert_string_equal(clients[i].text, "served\n");
        client_clear(&clients[i]);
    }
    assert_int_equal(count_starts(starts), 1);
    stop_daemon();
}

/* A socket that a killed daemon left behind is no daemon. */
static void stale_socket(void **state)
{
    char starts[1024];

    (void)state;
    fake_listen(&fake);
    close(fake.listener);
    fake.listener = -1;
    run(WORDS("ls"), 1);
    assert_non_null(strstr(client.errors, "no server running on"));
    client_clear(&client);
    unlink(fake.path);
    run(WORDS("start-server"), 0);
    client_clear(&client);
    assert_int_equal(count_starts(starts), 1);
    stop_daemon();
}

static void daemon_that_cannot(void **state)
{
    (void)state;
    setenv("FAKE_MODE", "refuse", 1);
    run(WORDS("new", "-d"), 1);
    assert_string_equal(client.errors,
                        "vitrine: cannot start the daemon: no room for\xef\xbf\xbd[2Jkeys\n");
    client_clear(&client);
    setenv("FAKE_MODE", "silent", 1);
    run(WORDS("new", "-d"), 1);
    assert_non_null(strstr(client.errors, "it ended without a word; run it by hand: "));
    client_clear(&client);
}

static void daemon_that_is_not_there(void **state)
{
    (void)state;
    setenv("PATH", "/nonexistent", 1);
    run(WORDS("new", "-d"), 1);
    assert_string_equal(client.errors,
                        "vitrine: vitrined is neither beside vitrine nor in PATH: install it\n");
    client_clear(&client);
}

static void doctor_joins_both_lists(void **state)
{
    (void)state;
    setenv("LANG", "C", 1);
    run(WORDS("doctor"), 1);
    assert_non_null(strstr(client.text, "ok   vitrined: "));
    assert_non_null(strstr(client.text, "MISS vitrine-gate: neither beside vitrine nor in PATH"));
    assert_non_null(strstr(client.text, "warn terminal: none here"));
    assert_non_null(strstr(client.text, "warn locale: not UTF-8"));
    assert_non_null(strstr(client.text, "ok   server: started on "));
    assert_string_equal(client.text + client.len - 18, "MISS cipher: none\n");
    client_clear(&client);
    run(WORDS("doctor", "--json"), 1);
    assert_memory_equal(client.text, "{\"checks\":[{\"check\":\"vitrined\",\"ok\":true,", 41);
    assert_non_null(strstr(client.text,
                           "\"},{\"check\":\"cipher\",\"ok\":false,\"detail\":\"none\"}],"
                           "\"ok\":false}\n"));
    client_clear(&client);
    stop_daemon();
}

/* Without a daemon doctor says so, and still prints one whole object. */
static void doctor_without_a_daemon(void **state)
{
    (void)state;
    setenv("FAKE_MODE", "refuse", 1);
    run(WORDS("doctor", "--json"), 1);
    assert_non_null(strstr(client.text,
                           "{\"check\":\"server\",\"ok\":false,\"detail\":\"cannot start the "
                           "daemon: no room for"));
    assert_string_equal(client.text + client.len - 14, "],\"ok\":false}\n");
    client_clear(&client);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
        CASE(started_clean),
        CASE(many_at_once_start_one),
        CASE(stale_socket),
        CASE(daemon_that_cannot),
        CASE(daemon_that_is_not_there),
        CASE(doctor_joins_both_lists),
        CASE(doctor_without_a_daemon),
    };

    if (strcmp(argv[0], "vitrined") == 0)
        return be_vitrined(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
