/* The viewer protocol's messages: vectors, mutations, and what the table says about types. */
#include "proto/viewer_msg.h"

#define TABLE        "proto/viewer.def"
#define TABLE_PREFIX viewer
#define VECTORS      "proto/vectors/messages.txt"
#include "tests/unit/message_text.h"
#include "tests/unit/message_suite.h"

static void types_have_names_and_directions(void **state)
{
    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        const char *name = viewer_message_name((uint8_t)type);
        bool known = (type >= 0x01 && type <= 0x10) || (type >= 0x41 && type <= 0x4a);

        assert_int_equal(name != NULL, known);
        assert_int_equal(viewer_message_is_up((uint8_t)type), known && type >= 0x41);
    }
    assert_string_equal(viewer_message_name(VIEWER_MSG_WELCOME), "WELCOME");
    assert_string_equal(viewer_message_name(VIEWER_MSG_VIEWER_PONG), "VIEWER_PONG");
}

static void only_long_messages_continue(void **state)
{
    (void)state;
    for (unsigned type = 0; type < 256; type++)
        assert_int_equal(viewer_message_continues((uint8_t)type),
                         type == 0x02 || type == 0x03 || type == 0x08);
}

/* A list of as many items as its count can say, in a body of exactly that size. */
static void largest_list(void **state)
{
    size_t size = 8 + 2 + UINT16_MAX * 12u;
    uint8_t *body = calloc(1, size);
    struct viewer_ack ack;
    struct viewer_pane_offset item = {0, 0};
    struct rbuf r;

    (void)state;
    assert_non_null(body);
    body[8] = body[9] = 0xff;
    body[size - 1] = 7;
    assert_int_equal(viewer_decode_ack((struct bytes){body, size}, &ack), ERR_OK);
    assert_int_equal(ack.panes.n, UINT16_MAX);
    rbuf_init(&r, ack.panes.wire.p, ack.panes.wire.len);
    for (size_t i = 0; i < UINT16_MAX; i++)
        viewer_read_pane_offset(&r, &item);
    assert_true(rbuf_done(&r));
    assert_int_equal(item.offset, 7);
    assert_int_equal(viewer_decode_ack((struct bytes){body, size - 1}, &ack), ERR_MALFORMED);
    free(body);
}

static void largest_string(void **state)
{
    static char text[UINT16_MAX + 1];
    struct viewer_notice notice = {0, {(uint8_t *)text, UINT16_MAX}};
    struct wbuf w;

    (void)state;
    memset(text, 'a', sizeof text);
    wbuf_init(&w, body_room, sizeof body_room);
    viewer_encode_notice(&w, &notice);
    assert_false(w.bad);
    assert_true(check_body(find_codec("NOTICE", 6), (struct bytes){w.base, w.len}));
    notice.text.len = sizeof text;
    wbuf_init(&w, body_room, sizeof body_room);
    viewer_encode_notice(&w, &notice);
    assert_true(w.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MESSAGE_TESTS,
        cmocka_unit_test(types_have_names_and_directions),
        cmocka_unit_test(only_long_messages_continue),
        cmocka_unit_test(largest_list),
        cmocka_unit_test(largest_string),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
