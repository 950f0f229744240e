/* Which pages may open the WebSocket. */
#include "server/gate/origin.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct origin_table table;

static void listen_on(const char *address, uint16_t port)
{
    memset(&table, 0, sizeof table);
    origin_add_own(&table, false, address, port);
}

struct row {
    const char *origin, *host;
    bool allowed;
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (origin_is_allowed(&table, bytes_of(rows[i].origin), bytes_of(rows[i].host)) !=
            rows[i].allowed)
            fail_msg("%s with Host %s", rows[i].origin, rows[i].host);
}

#define CHECK(rows) check(rows, sizeof rows / sizeof *(rows))

static void loopback(void **state)
{
    static const struct row rows[] = {
        {"http://127.0.0.1:8722", "127.0.0.1:8722", true},
        {"http://localhost:8722", "localhost:8722", true},
        {"http://localhost:8722", "127.0.0.1:8722", true},
        {"http://127.0.0.1:8723", "127.0.0.1:8723", false},
        {"http://127.0.0.1", "127.0.0.1", false},
        {"https://127.0.0.1:8722", "127.0.0.1:8722", false},
        {"http://[::1]:8722", "[::1]:8722", false},               /* another listener's page */
        {"http://evil.example:8722", "evil.example:8722", false}, /* rebound to loopback */
        {"http://evil.example", "127.0.0.1:8722", false},
        {"http://127.0.0.1:8722.evil.example", "127.0.0.1:8722", false},
        {"http://127.0.0.1:87220", "127.0.0.1:8722", false},
        {"http://127.0.0.1.evil.example:8722", "127.0.0.1:8722", false},
        {"http://xlocalhost:8722", "localhost:8722", false},
        {"http://evil.example/http://localhost:8722", "localhost:8722", false},
        {"http://evil@localhost:8722", "localhost:8722", false},
        {"http://localhost:8722/", "localhost:8722", false},
        {"http://LOCALHOST:8722", "localhost:8722", false},
        {"HTTP://localhost:8722", "localhost:8722", false},
        {"http://localhost:8722 ", "localhost:8722", false},
        {"http://localhost.:8722", "localhost.:8722", false},
        {"http://10.0.0.1:8722", "10.0.0.1:8722", false},
        {"localhost:8722", "localhost:8722", false},
        {"file://", "localhost:8722", false},
        {"null", "localhost:8722", false},
        {"NULL", "localhost:8722", false},
        {"", "localhost:8722", false},
    };

    (void)state;
    listen_on("127.0.0.1", 8722);
    CHECK(rows);
}

static void loopback6_and_default_port(void **state)
{
    static const struct row v6[] = {
        {"http://[::1]:8722", "[::1]:8722", true},
        {"http://localhost:8722", "localhost:8722", true},
        {"http://127.0.0.1:8722", "127.0.0.1:8722", false},
    };
    static const struct row port80[] = {
        {"http://127.0.0.1", "127.0.0.1", true},
        {"http://127.0.0.1:80", "127.0.0.1:80", false},
    };

    (void)state;
    listen_on("::1", 8722);
    CHECK(v6);
    listen_on("127.0.0.1", 80);
    CHECK(port80);
}

static void other_addresses(void **state)
{
    static const struct row rows[] = {
        {"http://192.168.1.5:8722", "192.168.1.5:8722", true},
        {"https://192.168.1.5", "192.168.1.5", true},
        {"http://[fd00::5]:8722", "[fd00::5]:8722", true},
        {"http://localhost:8722", "localhost:8722", true},
        {"http://192.168.1.5:8722", "192.168.1.6:8722", false},
        {"http://192.168.1.5:8722", "192.168.1.5", false},
        {"http://192.168.001.5:8722", "192.168.001.5:8722", false},
        {"http://3232235781:8722", "3232235781:8722", false},
        {"http://0x7f.1:8722", "0x7f.1:8722", false},
        {"http://[fd00::0005]:8722", "[fd00::0005]:8722", false},
        {"http://[fd00::5", "[fd00::5", false},
        {"http://192.168.1.5:8722/x", "192.168.1.5:8722/x", false},
        {"http://192.168.1.5.evil.example", "192.168.1.5.evil.example", false},
        {"http://evil.example:8722", "evil.example:8722", false},
        {"ftp://192.168.1.5", "192.168.1.5", false},
    };

    (void)state;
    listen_on("0.0.0.0", 8722);
    CHECK(rows);
    listen_on("192.168.1.5", 8722);
    assert_true(origin_is_allowed(&table, bytes_of("http://192.168.1.5:8722"), bytes_of("x")));
    assert_false(origin_is_allowed(&table, bytes_of("http://localhost:8722"), bytes_of("x")));
}

static void configured(void **state)
{
    static const struct row rows[] = {
        {"https://term.example.org", "127.0.0.1:8722", true},
        {"http://[fd00::1]:81", "x", true},
        {"https://term.example.org:443", "x", false}, /* no browser spells it so */
        {"https://term.example.org.evil.example", "x", false},
        {"http://term.example.org", "x", false},
        {"null", "x", true},
    };

    (void)state;
    listen_on("", 0);
    assert_true(origin_add(&table, bytes_of("HTTPS://Term.Example.org:443/")));
    assert_true(origin_add(&table, bytes_of("http://[FD00::1]:81")));
    table.allow_null = true;
    CHECK(rows);
    assert_int_equal(table.count, 2);
}

static void not_origins(void **state)
{
    static const char *const rows[] = {
        "",           "x",           "null",         "*",           "http://",
        "http:///",   "http://a/b",  "http://a:",    "http://a:0x", "http://a:70000",
        "http://a b", "http://[::1", "http://a@b",   "ws://a",      "http://a?",
        "http://a#b", "http://[]",   "http://*.com", "http://a\n",
    };
    char longest[ORIGIN_MAX_BYTES + 2];

    (void)state;
    memset(&table, 0, sizeof table);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (origin_add(&table, bytes_of(rows[i])))
            fail_msg("taken: %s", rows[i]);
    memset(longest, 'a', sizeof longest - 1);
    memcpy(longest, "http://", 7);
    longest[ORIGIN_MAX_BYTES + 1] = '\0';
    assert_false(origin_add(&table, bytes_of(longest)));
    longest[ORIGIN_MAX_BYTES] = '\0';
    assert_true(origin_add(&table, bytes_of(longest)));
    assert_true(origin_is_allowed(&table, bytes_of(longest), bytes_of("")));
}

static void full_table(void **state)
{
    char text[32];

    (void)state;
    memset(&table, 0, sizeof table);
    for (unsigned i = 0; i < ORIGINS_MAX; i++) {
        snprintf(text, sizeof text, "http://h%u", i);
        assert_true(origin_add(&table, bytes_of(text)));
    }
    assert_false(origin_add(&table, bytes_of("http://one-more")));
    assert_true(origin_add(&table, bytes_of("http://h0"))); /* there already */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback),        cmocka_unit_test(loopback6_and_default_port),
        cmocka_unit_test(other_addresses), cmocka_unit_test(configured),
        cmocka_unit_test(not_origins),     cmocka_unit_test(full_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
