/* Message buffers and queues; the daemon's CONFIG. */
#include "server/gate/message.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "proto/mux_msg.h"
#include "server/gate/config.h"
#include "server/gate/gate.h"

static void rooms(void **state)
{
    (void)state;
    for (size_t room = 0; room <= 65544; room += room < 300 ? 1 : 997) {
        struct message *m = message_create(room);

        assert_non_null(m);
        assert_true(m->room >= room && m->len == 0);
        memset(m->start, 0xaa, m->room);
        m->len = m->room;
        message_prepend(m, (const uint8_t *)"0123456789abcdef", MESSAGE_FRONT_BYTES);
        assert_memory_equal(m->start, "0123456789abcdef", MESSAGE_FRONT_BYTES);
        assert_int_equal(m->len, m->room + MESSAGE_FRONT_BYTES);
        message_destroy(m);
    }
    assert_null(message_create(1u << 20));
    message_destroy(NULL);
}

static void buffers_are_used_again(void **state)
{
    struct message *a = message_create(1000), *b;

    (void)state;
    message_destroy(a);
    b = message_create(1500);
    assert_ptr_equal(a, b);
    assert_int_equal(b->len, 0);
    assert_int_equal(b->counted, 0);
    message_destroy(b);
}

static void growing_keeps_contents(void **state)
{
    struct message *m = message_create(10);

    (void)state;
    memcpy(m->start, "0123456789", 10);
    m->len = 10;
    assert_ptr_equal(message_grow(m, 5), m);
    m = message_grow(m, 60000);
    assert_true(m->room >= 60000);
    assert_int_equal(m->len, 10);
    assert_memory_equal(m->start, "0123456789", 10);
    assert_null(message_grow(m, 1u << 20));
    message_destroy(m);
}

static struct message *numbered(uint32_t len)
{
    struct message *m = message_create(len);

    m->len = len;
    return m;
}

static void queues(void **state)
{
    static const uint32_t order[] = {4, 1, 2, 3};
    struct message_queue q;

    (void)state;
    message_queue_init(&q);
    assert_null(message_queue_take(&q));
    message_queue_push(&q, numbered(1));
    message_queue_push(&q, numbered(2));
    message_queue_push_front(&q, numbered(4));
    message_queue_push(&q, numbered(3));
    assert_int_equal(q.bytes, 10);
    for (size_t i = 0; i < 4; i++) {
        struct message *m = message_queue_take(&q);

        assert_int_equal(m->len, order[i]);
        message_destroy(m);
    }
    assert_true(message_queue_is_empty(&q) && q.bytes == 0);
    message_queue_push_front(&q, numbered(5));
    message_queue_push(&q, numbered(6));
    message_queue_clear(&q);
    assert_true(message_queue_is_empty(&q) && q.bytes == 0);
    message_queue_push(&q, numbered(7));
    assert_int_equal(q.bytes, 7);
    message_queue_clear(&q);
}

static size_t encode(uint8_t *out, size_t cap, const struct mux_config *c)
{
    struct wbuf w;

    wbuf_init(&w, out, cap);
    mux_encode_config(&w, c);
    assert_false(w.bad);
    return w.len;
}

static void config(void **state)
{
    struct mux_text origins[] = {{bytes_of("https://a.example")}, {bytes_of("http://b:81")}};
    struct mux_config m = {.version = MUX_VERSION, .port = 4711, .port_required = 1};
    uint8_t body[512];
    struct gate_config c;
    size_t n;

    (void)state;
    n = encode(body, sizeof body, &m);
    assert_int_equal(config_read((struct bytes){body, n}, &c), ERR_OK);
    assert_string_equal(c.bind, "127.0.0.1");
    assert_true(c.port == 4711 && c.port_required && !c.origins.allow_null);
    assert_int_equal(c.max_unproven, GATE_UNPROVEN_MAX);
    assert_int_equal(c.max_per_address, GATE_PER_ADDRESS_MAX);
    m.bind = bytes_of("[::1]");
    m.allow_null_origin = 1;
    m.max_unproven = 5;
    m.max_per_address = 2;
    m.origins.n = 2;
    m.origins.items = origins;
    n = encode(body, sizeof body, &m);
    assert_int_equal(config_read((struct bytes){body, n}, &c), ERR_OK);
    assert_string_equal(c.bind, "[::1]");
    assert_true(c.max_unproven == 5 && c.max_per_address == 2 && c.origins.allow_null);
    assert_int_equal(c.origins.count, 2);
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut + 1);

        memcpy(copy, body, cut);
        assert_int_equal(config_read((struct bytes){copy, cut}, &c), ERR_MALFORMED);
        free(copy);
    }
}

static void bad_config(void **state)
{
    struct mux_text path = {bytes_of("https://a.example/path")};
    struct mux_config m = {.version = MUX_VERSION};
    uint8_t body[512];
    struct gate_config c;

    (void)state;
    m.version = MUX_VERSION + 1;
    assert_int_equal(config_read((struct bytes){body, encode(body, sizeof body, &m)}, &c),
                     ERR_UNSUPPORTED);
    m.version = MUX_VERSION;
    m.listeners = MUX_LISTENERS_MAX + 1;
    assert_int_equal(config_read((struct bytes){body, encode(body, sizeof body, &m)}, &c),
                     ERR_MALFORMED);
    m.listeners = 0;
    m.bind = (struct bytes){(const uint8_t *)"1.2.3.4\0x", 9};
    assert_int_equal(config_read((struct bytes){body, encode(body, sizeof body, &m)}, &c),
                     ERR_RANGE);
    m.bind = bytes_of("");
    m.origins.n = 1;
    m.origins.items = &path;
    assert_int_equal(config_read((struct bytes){body, encode(body, sizeof body, &m)}, &c),
                     ERR_RANGE);
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
        cmocka_unit_test(rooms),  cmocka_unit_test(buffers_are_used_again),
        cmocka_unit_test(queues), cmocka_unit_test(growing_keeps_contents),
        cmocka_unit_test(config), cmocka_unit_test(bad_config),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
