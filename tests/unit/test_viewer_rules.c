/* Which message a viewer may send when: the whole table, once more as it is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/daemon/viewer_rules.h"

/* t taken, d declined, i ignored, c cut; joining, waiting, spectator, former operator, operator,
 * leaving. */
static const struct {
    uint8_t type;
    const char *rules;
} rows[] = {
    {VIEWER_MSG_JOIN, "ttccci"},        {VIEWER_MSG_INPUT, "cccdti"},
    {VIEWER_MSG_ACK, "ccttti"},         {VIEWER_MSG_SIZE, "cittti"},
    {VIEWER_MSG_VIEWER_PING, "ttttti"}, {VIEWER_MSG_HISTORY_REQUEST, "ccttti"},
    {VIEWER_MSG_ASK, "ccdddi"},         {VIEWER_MSG_COMMAND, "ccddti"},
    {VIEWER_MSG_VIEW, "ccttti"},        {VIEWER_MSG_VIEWER_PONG, "ttttti"},
};

static const struct {
    enum viewer_state state;
    uint8_t role;
    bool was_operator;
} columns[] = {
    {VIEWER_JOINING, ROLE_SPECTATOR, false}, {VIEWER_WAITING, ROLE_SPECTATOR, false},
    {VIEWER_LIVE, ROLE_SPECTATOR, false},    {VIEWER_LIVE, ROLE_SPECTATOR, true},
    {VIEWER_LIVE, ROLE_OPERATOR, true},      {VIEWER_LEAVING, ROLE_OPERATOR, true},
};

static char letter(enum viewer_rule rule)
{
    return rule == RULE_TAKE ? 't' : rule == RULE_DECLINE ? 'd' : rule == RULE_IGNORE ? 'i' : 'c';
}

static void every_message_in_every_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            enum viewer_rule rule = viewer_rule(rows[i].type, columns[k].state, columns[k].role,
                                                columns[k].was_operator);

            if (letter(rule) != rows[i].rules[k])
                fail_msg("%s in column %zu: %c", viewer_message_name(rows[i].type), k,
                         letter(rule));
        }
    }
}

/* Every type a viewer may send at all has a row above; all others end the connection. */
static void no_other_message(void **state)
{
    (void)state;
    for (unsigned type = 0; type < 256; type++) {
        bool listed = false;

        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            listed = listed || rows[i].type == type;
        assert_int_equal(listed, viewer_message_is_up((uint8_t)type));
        if (!listed)
            assert_int_equal(viewer_rule((uint8_t)type, VIEWER_LIVE, ROLE_OPERATOR, true),
                             RULE_CUT);
    }
}

static void early_messages_are_short(void **state)
{
    (void)state;
    assert_int_equal(viewer_rule_max(VIEWER_JOINING), VIEWER_UP_EARLY_MAX_BYTES);
    assert_int_equal(viewer_rule_max(VIEWER_WAITING), VIEWER_UP_EARLY_MAX_BYTES);
    assert_int_equal(viewer_rule_max(VIEWER_LIVE), VIEWER_UP_MAX_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_in_every_state),
        cmocka_unit_test(no_other_message),
        cmocka_unit_test(early_messages_are_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
