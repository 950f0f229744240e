/* The gate mux's messages: vectors, mutations, headers. */
#include "proto/mux_msg.h"

#define TABLE        "proto/mux.def"
#define TABLE_PREFIX mux
#define VECTORS      "proto/vectors/mux.txt"
#include "tests/unit/message_text.h"
#include "tests/unit/message_suite.h"

static void headers_both_ways(void **state)
{
    const struct mux_header heads[] = {
        {0, MUX_MSG_OPEN, 0},
        {MUX_BODY_MAX_BYTES, MUX_MSG_STATE, UINT32_MAX},
        {0x1234, MUX_MSG_DATA, 0x89abcdef},
    };
    const uint8_t last[] = {0, 0, 0x12, 0x34, 0x02, 0x89, 0xab, 0xcd, 0xef};
    uint8_t wire[MUX_HEADER_BYTES];
    struct mux_header h;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        mux_write_header(wire, &heads[i]);
        for (size_t n = 0; n < sizeof wire; n++)
            assert_int_equal(mux_read_header(wire, n, &h), ERR_TRUNCATED);
        assert_int_equal(mux_read_header(wire, sizeof wire, &h), ERR_OK);
        assert_int_equal(h.length, heads[i].length);
        assert_int_equal(h.type, heads[i].type);
        assert_int_equal(h.channel, heads[i].channel);
    }
    assert_memory_equal(wire, last, sizeof last);
}

static void headers_refused(void **state)
{
    uint8_t wire[MUX_HEADER_BYTES] = {0};
    struct mux_header h;

    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        wire[4] = (uint8_t)type;
        assert_int_equal(mux_read_header(wire, sizeof wire, &h),
                         type >= MUX_MSG_OPEN && type <= MUX_MSG_ORIGIN ? ERR_OK : ERR_MALFORMED);
    }
    mux_write_header(wire, &(struct mux_header){MUX_BODY_MAX_BYTES + 1, MUX_MSG_DATA, 1});
    assert_int_equal(mux_read_header(wire, sizeof wire, &h), ERR_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MESSAGE_TESTS,
        cmocka_unit_test(headers_both_ways),
        cmocka_unit_test(headers_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
