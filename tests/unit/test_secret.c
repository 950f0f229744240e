/* Guarded memory: what is handed out, how it is mapped, and what ends the process. */
#include "proto/compat.h"

#include "crypto/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* The sanitizer's runtime answers mlock() itself and locks nothing; what needs locks is not tried.
 */
#if defined(__SANITIZE_ADDRESS__)
#define LOCKS_WORK 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKS_WORK 0
#endif
#endif
#ifndef LOCKS_WORK
#define LOCKS_WORK 1
#else
#include <sanitizer/asan_interface.h>
#endif

static int setup(void **state)
{
    (void)state;
    return secret_init();
}

static void test_sizes(void **state)
{
    (void)state;
    assert_null(secret_alloc(0));
    assert_null(secret_alloc(SECRET_MAX_BYTES + 1));
    assert_null(secret_alloc(SIZE_MAX));
    secret_free(NULL);
    for (size_t n = 1; n <= SECRET_MAX_BYTES; n = n < 70 ? n + 1 : n * 2) {
        uint8_t *p = secret_alloc(n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % SECRET_ALIGN_BYTES, 0);
        assert_true(secret_is_zero(p, n));
        memset(p, 0xff, n);
        secret_free(p);
    }
}

/* What was freed is wiped at once, not at the next use; under the sanitizer it may not be touched.
 */
static void test_free_wipes(void **state)
{
    (void)state;
    uint8_t *keep = secret_alloc(64); /* so that the chunk stays */
    uint8_t *volatile p = secret_alloc(64);
    assert_non_null(keep);
    assert_non_null(p);
    memset(p, 0x5a, 64);
    secret_free(p);
#if LOCKS_WORK
    assert_true(secret_is_zero(p, 64));
#else
    assert_true(__asan_address_is_poisoned(p) && __asan_address_is_poisoned(p + 63));
#endif
    secret_free(keep);
}

/* Enough of each size for several chunks: all usable, none overlapping, all zero when used again.
 */
static void test_many(void **state)
{
    enum { COUNT = 600 };
    static const size_t sizes[] = {32, 300, 1300, 4096};
    uint8_t *p[COUNT];
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            size_t n = sizes[i % 4];
            p[i] = secret_alloc(n);
            assert_non_null(p[i]);
            assert_true(secret_is_zero(p[i], n));
            memset(p[i], (int)(i % 255 + 1), n);
        }
        for (size_t i = 0; i < COUNT; i++) {
            size_t at = (i * 7) % COUNT; /* another order than they were made in */
            for (size_t k = 0; k < sizes[at % 4]; k++)
                assert_int_equal(p[at][k], at % 255 + 1);
            secret_free(p[at]);
        }
    }
}

struct mapping {
    uintptr_t start, end;
    char perms[5];
    bool locked, no_dump;
    char next_perms[5]; /* of the mapping that follows */
};

/* Reads what the kernel says about the mapping that holds at. */
static void mapping_of(const void *at, struct mapping *m)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char *line = NULL;
    size_t room = 0;
    bool inside = false;
    memset(m, 0, sizeof *m);
    assert_non_null(f);
    while (m->next_perms[0] == '\0' && getline(&line, &room, f) > 0) {
        uintptr_t start, end;
        char perms[5];
        if (sscanf(line, "%lx-%lx %4s ", &start, &end, perms) == 3) {
            if (inside)
                memcpy(m->next_perms, perms, sizeof perms);
            inside = start <= (uintptr_t)at && (uintptr_t)at < end;
            if (inside)
                *m = (struct mapping){.start = start, .end = end};
            if (inside)
                memcpy(m->perms, perms, sizeof perms);
        } else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            m->locked = strstr(line, " lo") != NULL;
            m->no_dump = strstr(line, " dd") != NULL;
        }
    }
    free(line);
    fclose(f);
}

static void test_mapping(void **state)
{
    struct mapping m;
    (void)state;
    void *p = secret_alloc(64);
    assert_non_null(p);
    mapping_of(p, &m);
    assert_string_equal(m.perms, "rw-p");
    assert_true(m.no_dump);
    if (LOCKS_WORK)
        assert_int_equal(m.locked, secret_locked());
    assert_string_equal(m.next_perms, "---p");
    secret_free(p);
}

/* Runs body in a child; returns its wait status. */
static int in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    int status = 0;
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(99);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void free_twice(void)
{
    void *p = secret_alloc(64);
    secret_free(p);
    secret_free(p);
}

static void free_inside(void)
{
    uint8_t *p = secret_alloc(64);
    secret_free(p + 1);
}

static void free_foreign(void)
{
    int here;
    secret_free(&here);
}

static void test_bad_free_ends_the_process(void **state)
{
    void (*const bodies[])(void) = {free_twice, free_inside, free_foreign};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        int status = in_child(bodies[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
    }
}

/* Not allowed to lock anything: secrets work on, and the fact is known. */
static void without_locks(void)
{
    struct rlimit none = {0, 0};
    void *p[200];
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0))
        _exit(98);
    for (size_t i = 0; i < 200; i++) {
        p[i] = secret_alloc(1300); /* more than fits what was made and locked before */
        if (p[i] == NULL)
            _exit(1);
        memset(p[i], 1, 1300);
    }
    if (secret_locked())
        _exit(2);
    for (size_t i = 0; i < 200; i++)
        secret_free(p[i]);
    _exit(0);
}

static void test_lock_limit(void **state)
{
    (void)state;
    if (!LOCKS_WORK) {
        print_message("the sanitizer's runtime turns mlock() off\n");
        skip();
    }
    int status = in_child(without_locks);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_compare_and_wipe(void **state)
{
    uint8_t a[33], b[33];
    (void)state;
    secret_random(a, sizeof a);
    memcpy(b, a, sizeof a);
    assert_true(secret_equal(a, b, sizeof a));
    assert_true(secret_equal(a, b, 0));
    for (size_t bit = 0; bit < sizeof a * 8; bit++) {
        b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(secret_equal(a, b, sizeof a));
        b[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    secret_wipe(a, sizeof a);
    assert_true(secret_is_zero(a, sizeof a));
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = 1;
        assert_false(secret_is_zero(a, sizeof a));
        a[i] = 0;
    }
    secret_wipe(NULL, 0);
}

static void fill_ones(uint8_t *buf, size_t n, void *context)
{
    *(size_t *)context += n;
    memset(buf, 1, n);
}

static void test_random(void **state)
{
    uint8_t a[32], b[32];
    size_t asked = 0;
    (void)state;
    secret_random(a, sizeof a);
    secret_random(b, sizeof b);
    assert_memory_not_equal(a, b, sizeof a);
    secret_test_random(fill_ones, &asked);
    secret_random(a, sizeof a);
    secret_test_random(NULL, NULL);
    assert_int_equal(asked, sizeof a);
    assert_int_equal(a[0], 1);
    secret_random(a, sizeof a);
    assert_int_equal(asked, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_free_wipes),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_mapping),
        cmocka_unit_test(test_bad_free_ends_the_process),
        cmocka_unit_test(test_lock_limit),
        cmocka_unit_test(test_compare_and_wipe),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
