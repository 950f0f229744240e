/* WebSocket frames from a peer: whole messages out of any cut of the bytes; every violation. */
#include "server/gate/ws.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/gate/gate.h"

/* What a parser handed on, as text: "m5 " a message of 5 bytes whose contents were right, "p2 ",
 * "c1000 ". */
struct seen {
    char text[4096];
    size_t len;
};

static void note(struct seen *s, char kind, unsigned value)
{
    s->len += (size_t)snprintf(s->text + s->len, sizeof s->text - s->len, "%c%u ", kind, value);
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 7 + 3);
}

static int on_message(void *ctx, struct message *m)
{
    for (size_t i = 0; i < m->len; i++)
        assert_int_equal(m->start[i], byte_at(i));
    note(ctx, 'm', m->len);
    message_destroy(m);
    return 0;
}

static int on_ping(void *ctx, struct bytes payload)
{
    for (size_t i = 0; i < payload.len; i++)
        assert_int_equal(payload.p[i], byte_at(i));
    note(ctx, 'p', (unsigned)payload.len);
    return 0;
}

static int on_close(void *ctx, uint16_t code, struct bytes reason)
{
    note(ctx, 'c', code);
    note(ctx, 'r', (unsigned)reason.len);
    return GATE_CLOSE_NORMAL;
}

static const struct ws_sink sink = {on_message, on_ping, on_close};

/* Appends a masked frame whose payload goes on from byte `at` of the pattern. */
static size_t put_frame(uint8_t *out, uint8_t first, size_t n, size_t at)
{
    static const uint8_t mask[4] = {0xa1, 0x02, 0xff, 0x00};
    size_t len = 0;

    out[len++] = first;
    if (n < 126) {
        out[len++] = (uint8_t)(0x80 | n);
    } else {
        out[len++] = n < 65536 ? 0x80 | 126 : 0x80 | 127;
        for (int shift = n < 65536 ? 8 : 56; shift >= 0; shift -= 8)
            out[len++] = (uint8_t)((uint64_t)n >> shift);
    }
    memcpy(out + len, mask, 4);
    len += 4;
    for (size_t i = 0; i < n; i++)
        out[len++] = byte_at(at + i) ^ mask[i & 3];
    return len;
}

static int feed(const uint8_t *p, size_t n, size_t step, struct seen *s)
{
    struct ws_parser parser;
    int code = 0;

    memset(s, 0, sizeof *s);
    ws_parser_init(&parser, 65535);
    for (size_t at = 0; at < n && code == 0; at += step) {
        size_t part = n - at < step ? n - at : step;
        uint8_t *copy = malloc(part);

        memcpy(copy, p + at, part);
        code = ws_parser_feed(&parser, copy, part, &sink, s);
        free(copy);
    }
    ws_parser_clear(&parser);
    return code;
}

static uint8_t wire[300000];

static void messages_in_any_cut(void **state)
{
    static const char expected[] = "m0 m1 m69 p0 m125 m126 p125 m1000 m20000 m65535 ";
    struct seen s;
    size_t n = 0;

    (void)state;
    n += put_frame(wire + n, 0x82, 0, 0);
    n += put_frame(wire + n, 0x82, 1, 0);
    n += put_frame(wire + n, 0x82, 69, 0);
    n += put_frame(wire + n, 0x89, 0, 0);
    n += put_frame(wire + n, 0x82, 125, 0);
    n += put_frame(wire + n, 0x82, 126, 0);
    n += put_frame(wire + n, 0x02, 400,
                   0); /* 1,000 bytes in three parts, a ping and a pong between */
    n += put_frame(wire + n, 0x89, 125, 0);
    n += put_frame(wire + n, 0x00, 0, 0);
    n += put_frame(wire + n, 0x8a, 5, 0);
    n += put_frame(wire + n, 0x80, 600, 400);
    n += put_frame(wire + n, 0x82, 20000, 0);
    n += put_frame(wire + n, 0x82, 65535, 0);
    for (size_t step = 1; step < 70; step++) {
        assert_int_equal(feed(wire, n, step, &s), 0);
        assert_string_equal(s.text, expected);
    }
    assert_int_equal(feed(wire, n, n, &s), 0);
    assert_string_equal(s.text, expected);
}

static void violations(void **state)
{
    static const struct {
        uint8_t bytes[16];
        size_t n;
        int code;
    } rows[] = {
        {{0x82, 0x01, 'x'}, 3, GATE_CLOSE_PROTOCOL},  /* not masked */
        {{0x82, 0x00}, 2, GATE_CLOSE_PROTOCOL},       /* not masked, empty */
        {{0x82, 0x7e, 0, 0}, 4, GATE_CLOSE_PROTOCOL}, /* not masked, extended length 0 */
        {{0x88, 0x00}, 2, GATE_CLOSE_PROTOCOL},       /* not masked close */
        {{0xc2, 0x81}, 2, GATE_CLOSE_PROTOCOL},       /* reserved bits */
        {{0xa2, 0x81}, 2, GATE_CLOSE_PROTOCOL},
        {{0x92, 0x81}, 2, GATE_CLOSE_PROTOCOL},
        {{0x83, 0x81}, 2, GATE_CLOSE_PROTOCOL}, /* reserved opcodes */
        {{0x87, 0x81}, 2, GATE_CLOSE_PROTOCOL},
        {{0x8b, 0x81}, 2, GATE_CLOSE_PROTOCOL},
        {{0x8f, 0x81}, 2, GATE_CLOSE_PROTOCOL},
        {{0x80, 0x81}, 2, GATE_CLOSE_PROTOCOL},   /* continuation of nothing */
        {{0x81, 0x81}, 2, GATE_CLOSE_NOT_BINARY}, /* text */
        {{0x01, 0x81}, 2, GATE_CLOSE_NOT_BINARY},
        {{0x09, 0x80}, 2, GATE_CLOSE_PROTOCOL}, /* fragmented ping */
        {{0x89, 0xfe}, 2, GATE_CLOSE_PROTOCOL}, /* long ping */
        {{0x88, 0xff}, 2, GATE_CLOSE_PROTOCOL}, /* long close */
        {{0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 14, GATE_CLOSE_TOO_BIG},
        {{0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 14, GATE_CLOSE_TOO_BIG},
        {{0x82, 0xff, 0xff, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0}, 14, GATE_CLOSE_TOO_BIG},
        {{0x88, 0x81, 0, 0, 0, 0, 3}, 7, GATE_CLOSE_PROTOCOL},       /* half a code */
        {{0x88, 0x82, 0, 0, 0, 0, 3, 0xed}, 8, GATE_CLOSE_PROTOCOL}, /* 1005 */
        {{0x88, 0x82, 0, 0, 0, 0, 0, 0}, 8, GATE_CLOSE_PROTOCOL},
        {{0x88, 0x83, 0, 0, 0, 0, 3, 0xe8, 0xff}, 9, GATE_CLOSE_PROTOCOL}, /* reason not UTF-8 */
    };
    struct seen s;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (feed(rows[i].bytes, rows[i].n, 1, &s) != rows[i].code)
            fail_msg("row %zu, byte by byte", i);
        if (feed(rows[i].bytes, rows[i].n, rows[i].n, &s) != rows[i].code)
            fail_msg("row %zu, at once", i);
        assert_int_equal(s.len, 0);
    }
}

static void message_inside_message(void **state)
{
    struct seen s;
    size_t n = put_frame(wire, 0x02, 10, 0);

    (void)state;
    n += put_frame(wire + n, 0x82, 10, 0);
    assert_int_equal(feed(wire, n, n, &s), GATE_CLOSE_PROTOCOL);
}

static void fragments_are_bounded(void **state)
{
    struct seen s;
    size_t n = put_frame(wire, 0x02, 60000, 0);

    (void)state;
    n += put_frame(wire + n, 0x80, 5536, 60000);
    assert_int_equal(feed(wire, n, n, &s), GATE_CLOSE_TOO_BIG);
    n = put_frame(wire, 0x02, 0, 0);
    for (int i = 1; i < WS_FRAGMENTS_MAX; i++)
        n += put_frame(wire + n, 0x00, 0, 0);
    assert_int_equal(feed(wire, n, n, &s), 0);
    n += put_frame(wire + n, 0x00, 0, 0);
    assert_int_equal(feed(wire, n, n, &s), GATE_CLOSE_MALFORMED);
}

static void closes(void **state)
{
    static const uint8_t plain[] = {0x88, 0x80, 1, 2, 3, 4};
    static const uint8_t coded[] = {0x88, 0x84, 0, 0, 0, 0, 0x0f, 0xa0, 'o', 'k'};
    struct seen s;

    (void)state;
    assert_int_equal(feed(plain, sizeof plain, 1, &s), GATE_CLOSE_NORMAL);
    assert_string_equal(s.text, "c1005 r0 ");
    assert_int_equal(feed(coded, sizeof coded, 100, &s), GATE_CLOSE_NORMAL);
    assert_string_equal(s.text, "c4000 r2 ");
}

static int drop_message(void *ctx, struct message *m)
{
    (void)ctx;
    message_destroy(m);
    return 0;
}

static int drop_ping(void *ctx, struct bytes payload)
{
    (void)ctx;
    (void)payload;
    return 0;
}

static bool is_expected_end(int code)
{
    return code == 0 || code == GATE_CLOSE_PROTOCOL || code == GATE_CLOSE_NOT_BINARY ||
           code == GATE_CLOSE_TOO_BIG || code == GATE_CLOSE_NORMAL;
}

/* A damaged stream ends in a close code or goes on; a cut one waits. The sanitizer watches. */
static void damage(void **state)
{
    static const struct ws_sink quiet = {drop_message, drop_ping, on_close};
    struct seen s;
    size_t n = put_frame(wire, 0x02, 40, 0);

    (void)state;
    n += put_frame(wire + n, 0x89, 3, 0);
    n += put_frame(wire + n, 0x80, 130, 40);
    for (size_t bit = 0; bit < n * 8; bit++) {
        struct ws_parser parser;
        uint8_t *copy = malloc(n);

        memcpy(copy, wire, n);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(&s, 0, sizeof s);
        ws_parser_init(&parser, 65535);
        assert_true(is_expected_end(ws_parser_feed(&parser, copy, n, &quiet, &s)));
        ws_parser_clear(&parser);
        free(copy);
    }
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(feed(wire, cut, 7, &s), 0);
}

static void server_frames(void **state)
{
    static const size_t sizes[] = {0, 1, 125, 126, 65535};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct message *m = message_create(sizes[i]);
        size_t head = sizes[i] > 125 ? 4 : 2;

        m->len = (uint32_t)sizes[i];
        ws_frame_message(m, WS_BINARY);
        assert_int_equal(m->len, sizes[i] + head);
        assert_int_equal(m->start[0], 0x82);
        if (head == 2)
            assert_int_equal(m->start[1], sizes[i]);
        else
            assert_int_equal(m->start[1] << 16 | m->start[2] << 8 | m->start[3],
                             126 << 16 | (int)sizes[i]);
        message_destroy(m);
    }
}

static void server_closes(void **state)
{
    char reason[200];
    struct message *m;

    (void)state;
    m = ws_create_close(4000, bytes_of("refused"));
    assert_int_equal(m->len, 2 + 2 + 7);
    assert_memory_equal(m->start, "\x88\x09\x0f\xa0refused", 11);
    message_destroy(m);
    m = ws_create_close(1005, bytes_of("never sent"));
    assert_int_equal(m->len, 2);
    message_destroy(m);
    memset(reason, 'x', sizeof reason);
    memcpy(reason + 121, "\xe2\x82\xac", 3); /* would be cut in the middle */
    m = ws_create_close(1000, (struct bytes){(uint8_t *)reason, sizeof reason});
    assert_int_equal(m->len, 2 + 2 + 121);
    message_destroy(m);
}

/* RFC 6455 1.3 */
static void opening(void **state)
{
    char accept[WS_ACCEPT_BYTES + 1];

    (void)state;
    ws_accept_key(bytes_of("dGhlIHNhbXBsZSBub25jZQ=="), accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_true(ws_key_is_valid(bytes_of("dGhlIHNhbXBsZSBub25jZQ==")));
    assert_false(ws_key_is_valid(bytes_of("dGhlIHNhbXBsZSBub25jZQ=")));
    assert_false(ws_key_is_valid(bytes_of("dGhlIHNhbXBsZSBub25jZ===")));
    assert_false(ws_key_is_valid(bytes_of("dGhlIHNhbXBsZSBub25 ZQ==")));
    assert_false(ws_key_is_valid(bytes_of("")));
}

static int release(void **state)
{
    (void)state;
    message_release_kept();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_in_any_cut),
        cmocka_unit_test(violations),
        cmocka_unit_test(message_inside_message),
        cmocka_unit_test(fragments_are_bounded),
        cmocka_unit_test(closes),
        cmocka_unit_test(damage),
        cmocka_unit_test(server_frames),
        cmocka_unit_test(server_closes),
        cmocka_unit_test(opening),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
