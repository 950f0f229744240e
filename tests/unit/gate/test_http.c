/* HTTP requests: what is taken, what is refused and how; every truncation; every byte damaged. */
#include "server/gate/http.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define REQ(line, fields) line "\r\n" fields "\r\n"

/* Parses a copy of exactly the text's size, so that the sanitizer sees a byte too many. */
static int parse(const char *text, size_t n, struct http_request *r, uint8_t **copy)
{
    *copy = malloc(n);
    assert_non_null(*copy);
    memcpy(*copy, text, n);
    return http_parse_request(*copy, n, r);
}

static void statuses(void **state)
{
    static const struct {
        const char *text;
        int status;
    } rows[] = {
        {REQ("GET / HTTP/1.1", "Host: a\r\n"), 0},
        {REQ("GET /app.js?x=1 HTTP/1.1", "host:a\r\n"), 0},
        {REQ("HEAD / HTTP/1.1", "HOST: \t a \t\r\n"), 0},
        {REQ("GET / HTTP/1.0", ""), 0},
        {REQ("GET http://a/x HTTP/1.1", "Host: a\r\n"), 0},
        {REQ("GET HTTPS://a/x HTTP/1.1", "Host: a\r\n"), 0},
        {REQ("POST /x HTTP/1.1", "Host: a\r\nContent-Length: 3\r\n"), 0},
        {REQ("OPTIONS * HTTP/1.1", "Host: a\r\n"), 0},
        {REQ("CONNECT a:1 HTTP/1.1", "Host: a\r\n"), 0},
        {REQ("GET / HTTP/1.1", "Host: \xc3\xa4\r\n"), 0},
        {REQ("GET / HTTP/1.1", ""), 400},                       /* no Host */
        {REQ("GET / HTTP/1.1", "Host: a\r\nHost: a\r\n"), 400}, /* twice */
        {REQ("GET / HTTP/1.1", "Host: a\r\nOrigin: b\r\norigin: c\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
         400},
        {REQ("GET / HTTP/1.1", "Host: a\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Key: b\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\n folded: b\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host : a\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\nno colon\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\n: empty name\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\r\nX: \x01\r\n"), 400},
        {REQ("GET / HTTP/1.1", "Host: a\nX: b\r\n"), 400}, /* a bare line feed */
        {REQ("GET / HTTP/1.1", "Host: a\rX: b\r\n"), 400}, /* a bare carriage return */
        {REQ("GET / HTTP/1.1 ", "Host: a\r\n"), 400},
        {REQ("GET  / HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("GET / http/1.1", "Host: a\r\n"), 400},
        {REQ("GET /\tx HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("GET /\xc3\xa4 HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("GET x HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("GET http://a HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("G@T / HTTP/1.1", "Host: a\r\n"), 400},
        {REQ(" / HTTP/1.1", "Host: a\r\n"), 400},
        {REQ("GET /", ""), 400},
        {REQ("", ""), 400},
        {REQ("GET / HTTP/2.0", "Host: a\r\n"), 505},
        {REQ("GET / HTTP/1.2", "Host: a\r\n"), 505},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_request r;
        uint8_t *copy;
        int status = parse(rows[i].text, strlen(rows[i].text), &r, &copy);

        if (status != rows[i].status)
            fail_msg("row %zu: %d, not %d", i, status, rows[i].status);
        free(copy);
    }
}

static void nul_bytes_are_refused(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
    static const char line[] = "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n";
    struct http_request r;

    (void)state;
    assert_int_equal(http_parse_request((const uint8_t *)text, sizeof text - 1, &r), 400);
    assert_int_equal(http_parse_request((const uint8_t *)line, sizeof line - 1, &r), 400);
}

static void fields(void **state)
{
    static const char text[] =
        "GET /ws?token=1#x HTTP/1.1\r\nHost: example.org:80\r\nOrigin: http://example.org\r\n"
        "Connection: keep-alive, Upgrade\r\nUpgrade: h2c,  WebSocket\r\n"
        "Sec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: x , vitrine.v1\r\n"
        "Sec-WebSocket-Key: k\r\nSec-WebSocket-Version: 13\r\nAccept-Encoding: br;q=1, "
        "GZIP ;q=0.5\r\nIf-None-Match: \"a\", W/\"b\"\r\n\r\n";
    struct http_request r;

    (void)state;
    assert_int_equal(http_parse_request((const uint8_t *)text, sizeof text - 1, &r), 0);
    assert_true(r.method == HTTP_GET && !r.minor_0 && !r.has_body && !r.wants_close);
    assert_true(bytes_equal(r.path, bytes_of("/ws")));
    assert_true(bytes_equal(r.host, bytes_of("example.org:80")));
    assert_true(bytes_equal(r.origin, bytes_of("http://example.org")));
    assert_true(bytes_equal(r.ws_key, bytes_of("k")));
    assert_true(bytes_equal(r.ws_version, bytes_of("13")));
    assert_true(r.connection_upgrade && r.upgrade_websocket && r.offers_subprotocol);
    assert_true(r.accepts_gzip && r.wants_keep_alive);
    assert_true(http_etag_matches(r.if_none_match, "\"a\""));
    assert_true(http_etag_matches(r.if_none_match, "\"b\""));
    assert_false(http_etag_matches(r.if_none_match, "\"c\""));
    assert_true(http_etag_matches(bytes_of("*"), "\"c\""));
}

static bool flag_of(const char *field, size_t offset)
{
    char text[256];
    struct http_request r;

    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", field);
    assert_int_equal(http_parse_request((const uint8_t *)text, strlen(text), &r), 0);
    return *(bool *)((char *)&r + offset);
}

#define FLAG(field, f) flag_of(field, offsetof(struct http_request, f))

static void flags(void **state)
{
    (void)state;
    assert_true(FLAG("Accept-Encoding: gzip", accepts_gzip));
    assert_true(FLAG("Accept-Encoding: br, gzip;q=0.001", accepts_gzip));
    assert_false(FLAG("Accept-Encoding: gzip;q=0", accepts_gzip));
    assert_false(FLAG("Accept-Encoding: gzip; Q=0.000", accepts_gzip));
    assert_false(FLAG("Accept-Encoding: xgzip, gzipx", accepts_gzip));
    assert_false(FLAG("Accept-Encoding:", accepts_gzip));
    assert_true(FLAG("Connection: CLOSE", wants_close));
    assert_false(FLAG("Connection: closed", wants_close));
    assert_false(FLAG("Sec-WebSocket-Protocol: vitrine.v10, vitrine", offers_subprotocol));
    assert_false(FLAG("Upgrade: websockets", upgrade_websocket));
    assert_true(FLAG("Content-Length: 1", has_body));
    assert_true(FLAG("Content-Length: x", has_body));
    assert_false(FLAG("Content-Length: 00", has_body));
    assert_true(FLAG("Transfer-Encoding: identity", has_body));
}

static void too_many_fields(void **state)
{
    char text[16 + HTTP_FIELDS_MAX * 8 + 64] = "GET / HTTP/1.1\r\nHost: a\r\n";
    size_t n = strlen(text);
    struct http_request r;

    (void)state;
    for (int i = 0; i < HTTP_FIELDS_MAX - 1; i++, n += 6)
        memcpy(text + n, "x: y\r\n", 6);
    memcpy(text + n, "\r\n", 2);
    assert_int_equal(http_parse_request((const uint8_t *)text, n + 2, &r), 0);
    memcpy(text + n, "x: y\r\n\r\n", 8);
    assert_int_equal(http_parse_request((const uint8_t *)text, n + 8, &r), 431);
}

/* Wherever the head is cut, its end is found exactly once all of it is there. */
static void head_end(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
    size_t whole = sizeof text - 1 - 4;

    (void)state;
    for (size_t n = 0; n < sizeof text; n++)
        for (size_t known = 0; known <= n && known < whole; known++)
            assert_int_equal(http_find_head_end((const uint8_t *)text, n, known),
                             n >= whole ? whole : 0);
}

static const char sample[] =
    "GET /ws HTTP/1.1\r\nHost: a:1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Protocol: vitrine.v1\r\nAccept-Encoding: gzip;q=1\r\nContent-Length: 0\r\n\r\n";

static void truncations_and_damage(void **state)
{
    struct http_request r;
    uint8_t *copy;

    (void)state;
    for (size_t n = 1; n < sizeof sample - 1; n++) {
        assert_int_not_equal(parse(sample, n, &r, &copy), 0);
        free(copy);
    }
    for (size_t bit = 0; bit < (sizeof sample - 1) * 8; bit++) {
        char text[sizeof sample];
        int status;

        memcpy(text, sample, sizeof sample);
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        status = parse(text, sizeof sample - 1, &r, &copy);
        assert_true(status == 0 || status == 400 || status == 505);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(fields),
        cmocka_unit_test(flags),
        cmocka_unit_test(too_many_fields),
        cmocka_unit_test(head_end),
        cmocka_unit_test(truncations_and_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
