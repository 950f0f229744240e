/* Where the socket is, and which directories are not good enough for it. */
#include "server/client/runtime_dir.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char top[64];
static char why[RUNTIME_WHY_MAX];
static char path[RUNTIME_PATH_MAX];

static int begin(void **state)
{
    (void)state;
    strcpy(top, "/tmp/vitrine-test-XXXXXX");
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    unsetenv("VITRINE");
    unsetenv("VITRINE_TMPDIR");
    unsetenv("XDG_RUNTIME_DIR");
    why[0] = path[0] = '\0';
    return 0;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    return system(command);
}

static const char *in_top(const char *name)
{
    static char out[2][128];
    static int at;

    at = !at;
    snprintf(out[at], sizeof out[at], "%s/%s", top, name);
    return out[at];
}

static enum err ask(const char *socket_path, const char *name)
{
    struct runtime_choice choice = {socket_path, name, NULL};

    return runtime_dir_socket(&choice, path, why);
}

/* --- which directory ------------------------------------------------------------------------ */

static void order_of_places(void **state)
{
    char fallback[64];

    (void)state;
    snprintf(fallback, sizeof fallback, "/tmp/vitrine-%lu", (unsigned long)geteuid());
    assert_int_equal(runtime_dir_path(path, why), ERR_OK);
    assert_string_equal(path, fallback);
    setenv("XDG_RUNTIME_DIR", top, 1);
    assert_int_equal(runtime_dir_path(path, why), ERR_OK);
    assert_string_equal(path, in_top("vitrine"));
    setenv("VITRINE_TMPDIR", in_top("other"), 1);
    assert_int_equal(runtime_dir_path(path, why), ERR_OK);
    assert_string_equal(path, in_top("other"));
    setenv("VITRINE_TMPDIR", "", 1);
    assert_int_equal(runtime_dir_path(path, why), ERR_OK);
    assert_string_equal(path, in_top("vitrine"));
}

static void xdg_that_is_not_ours(void **state)
{
    const char *rows[] = {"", "relative", "/nonexistent/dir", "/dev/null", NULL};

    (void)state;
    if (geteuid() == 0) {
        assert_int_equal(mkdir(in_top("foreign"), 0700), 0);
        assert_int_equal(chown(in_top("foreign"), 65534, 65534), 0);
        rows[4] = in_top("foreign");
    }
    for (size_t i = 0; i < 5 && rows[i]; i++) {
        setenv("XDG_RUNTIME_DIR", rows[i], 1);
        assert_int_equal(runtime_dir_path(path, why), ERR_OK);
        assert_memory_equal(path, "/tmp/vitrine-", 13);
    }
}

static void made_for_us_alone(void **state)
{
    struct stat st;

    (void)state;
    umask(0);
    assert_int_equal(runtime_dir_prepare(in_top("new"), why), ERR_OK);
    umask(022);
    assert_int_equal(lstat(in_top("new"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(runtime_dir_prepare(in_top("new"), why), ERR_OK); /* and again */
}

static void check_refused(const char *dir, enum err want, const char *says)
{
    assert_int_equal(runtime_dir_prepare(dir, why), want);
    if (!strstr(why, says) || !strstr(why, dir) || strchr(why, '\n'))
        fail_msg("%s: %s", says, why);
}

static void not_good_enough(void **state)
{
    static const mode_t modes[] = {0710, 0701, 0770, 0777, 0755, 0720};

    (void)state;
    assert_int_equal(mkdir(in_top("dir"), 0700), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(in_top("dir"), modes[i]), 0);
        check_refused(in_top("dir"), ERR_STATE, "open to others: chmod 700 it");
    }
    assert_int_equal(chmod(in_top("dir"), 0700), 0);
    assert_int_equal(symlink("dir", in_top("link")), 0);
    check_refused(in_top("link"), ERR_STATE, "is a symbolic link");
    assert_int_equal(symlink("nowhere", in_top("dangling")), 0);
    check_refused(in_top("dangling"), ERR_STATE, "is a symbolic link");
    assert_int_equal(close(open(in_top("file"), O_WRONLY | O_CREAT, 0600)), 0);
    check_refused(in_top("file"), ERR_STATE, "is no directory");
    check_refused(in_top("file/below"), ERR_SYSTEM, "cannot make the runtime directory");
    check_refused(in_top("missing/below"), ERR_SYSTEM, "set XDG_RUNTIME_DIR or VITRINE_TMPDIR");
}

static void of_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root can make another user's folder\n");
        skip();
    }
    assert_int_equal(mkdir(in_top("theirs"), 0700), 0);
    assert_int_equal(chown(in_top("theirs"), 65534, 65534), 0);
    check_refused(in_top("theirs"), ERR_STATE, "belongs to another user");
}

/* --- which socket --------------------------------------------------------------------------- */

static void named_sockets(void **state)
{
    static const char *const bad[] = {"", ".", "..", ".hidden", "a/b", "/a"};

    (void)state;
    setenv("VITRINE_TMPDIR", in_top("run"), 1);
    assert_int_equal(ask(NULL, NULL), ERR_OK);
    assert_string_equal(path, in_top("run/default"));
    assert_int_equal(access(in_top("run"), F_OK), 0);
    assert_int_equal(ask(NULL, "work"), ERR_OK);
    assert_string_equal(path, in_top("run/work"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(ask(NULL, bad[i]), ERR_MALFORMED);
}

static void sockets_by_path(void **state)
{
    char want[128];

    (void)state;
    assert_int_equal(ask("/run/x", "ignored"), ERR_OK);
    assert_string_equal(path, "/run/x");
    assert_int_equal(ask("here", NULL), ERR_OK);
    snprintf(want, sizeof want, "%s/here", top);
    assert_string_equal(path, want);
    assert_int_equal(ask("", NULL), ERR_MALFORMED);
}

/* A socket's address holds 107 bytes and a NUL: the longest path passes, one byte more does not. */
static void lengths(void **state)
{
    char longest[200];

    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[0] = '/';
    longest[107] = '\0';
    assert_int_equal(ask(longest, NULL), ERR_OK);
    assert_string_equal(path, longest);
    longest[107] = 'a';
    longest[108] = '\0';
    assert_int_equal(ask(longest, NULL), ERR_RANGE);
    assert_non_null(strstr(why, "use -S"));
    setenv("VITRINE_TMPDIR", top, 1);
    longest[107 - strlen(top)] = '\0';
    assert_int_equal(ask(NULL, longest + 1), ERR_OK);
    assert_int_equal(strlen(path), 107);
    longest[107 - strlen(top)] = 'a';
    longest[108 - strlen(top)] = '\0';
    assert_int_equal(ask(NULL, longest + 1), ERR_RANGE);
}

static void inside_a_pane(void **state)
{
    static const char *const bad[] = {"", ",1,0", "relative,1,0"};

    (void)state;
    setenv("VITRINE_TMPDIR", top, 1);
    setenv("VITRINE", "/run/user/7/vitrine/work,99,2", 1);
    assert_int_equal(ask(NULL, NULL), ERR_OK);
    assert_string_equal(path, "/run/user/7/vitrine/work");
    assert_true(runtime_dir_is_nested(path));
    assert_false(runtime_dir_is_nested("/run/user/7/vitrine/wor"));
    assert_false(runtime_dir_is_nested("/run/user/7/vitrine/workx"));
    assert_int_equal(ask(NULL, "default"), ERR_OK); /* what the user says goes first */
    assert_string_equal(path, in_top("default"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("VITRINE", bad[i], 1);
        assert_int_equal(ask(NULL, NULL), ERR_OK);
        assert_string_equal(path, in_top("default"));
        assert_false(runtime_dir_is_nested(path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
        CASE(order_of_places),   CASE(xdg_that_is_not_ours),
        CASE(made_for_us_alone), CASE(not_good_enough),
        CASE(of_another_user),   CASE(named_sockets),
        CASE(sockets_by_path),   CASE(lengths),
        CASE(inside_a_pane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
