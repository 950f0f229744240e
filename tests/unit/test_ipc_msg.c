/* The local socket's messages: vectors, mutations, frames. */
#include "proto/ipc_msg.h"

#define TABLE        "proto/ipc.def"
#define TABLE_PREFIX ipc
#define VECTORS      "proto/vectors/ipc.txt"
#include "tests/unit/message_text.h"
#include "tests/unit/message_suite.h"

static bool is_type(unsigned type)
{
    return (type >= 0x01 && type <= 0x06) || (type >= 0x10 && type <= 0x16) ||
           (type >= 0x81 && type <= 0x86) || (type >= 0x90 && type <= 0x9b);
}

static void headers(void **state)
{
    struct ipc_header h;

    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        uint8_t head[IPC_HEADER_BYTES] = {0x00, 0x10, 0x00, 0x00, (uint8_t)type};

        for (size_t n = 0; n < sizeof head; n++)
            assert_int_equal(ipc_read_header(head, n, &h), ERR_TRUNCATED);
        assert_int_equal(ipc_read_header(head, sizeof head, &h),
                         is_type(type) ? ERR_OK : ERR_MALFORMED);
        assert_int_equal(h.length, IPC_BODY_MAX_BYTES);
        assert_int_equal(h.type, type);
        head[3] = 1; /* one byte above the largest body */
        assert_int_equal(ipc_read_header(head, sizeof head, &h), ERR_MALFORMED);
    }
}

static void frames_hold_their_length(void **state)
{
    uint8_t room[64];
    const uint8_t want[] = {0, 0, 0, 4, 0x04, 0, 80, 0, 24, 0, 0, 0, 1, 0x83, 9};
    struct ipc_size size = {80, 24};
    struct ipc_exit end = {9};
    struct wbuf w;
    size_t mark;

    (void)state;
    wbuf_init(&w, room, sizeof room);
    mark = ipc_begin_frame(&w, IPC_MSG_SIZE);
    ipc_encode_size(&w, &size);
    ipc_end_frame(&w, mark);
    mark = ipc_begin_frame(&w, IPC_MSG_EXIT);
    ipc_encode_exit(&w, &end);
    ipc_end_frame(&w, mark);
    assert_int_equal(w.len, sizeof want);
    assert_memory_equal(room, want, sizeof want);
}

static void frames_without_room(void **state)
{
    struct ipc_size size = {80, 24};

    (void)state;
    for (size_t cap = 0; cap < IPC_HEADER_BYTES + 4; cap++) {
        uint8_t *exact = malloc(cap > 0 ? cap : 1);
        struct wbuf w;
        size_t mark;

        assert_non_null(exact);
        wbuf_init(&w, exact, cap);
        mark = ipc_begin_frame(&w, IPC_MSG_SIZE);
        ipc_encode_size(&w, &size);
        ipc_end_frame(&w, mark);
        assert_true(w.bad);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MESSAGE_TESTS,
        cmocka_unit_test(headers),
        cmocka_unit_test(frames_hold_their_length),
        cmocka_unit_test(frames_without_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
