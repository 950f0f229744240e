#include "server/daemon/viewer_rules.h"

#define T RULE_TAKE
#define D RULE_DECLINE
#define I RULE_IGNORE
#define C RULE_CUT

/* joining, waiting, live as spectator, live as one who was operator, live as operator, leaving */
static const struct {
    uint8_t type;
    uint8_t rules[6];
} table[] = {
    {VIEWER_MSG_JOIN, {T, T, C, C, C, I}},        {VIEWER_MSG_INPUT, {C, C, C, D, T, I}},
    {VIEWER_MSG_ACK, {C, C, T, T, T, I}},         {VIEWER_MSG_SIZE, {C, I, T, T, T, I}},
    {VIEWER_MSG_VIEWER_PING, {T, T, T, T, T, I}}, {VIEWER_MSG_HISTORY_REQUEST, {C, C, T, T, T, I}},
    {VIEWER_MSG_ASK, {C, C, D, D, D, I}},         {VIEWER_MSG_COMMAND, {C, C, D, D, T, I}},
    {VIEWER_MSG_VIEW, {C, C, T, T, T, I}},        {VIEWER_MSG_VIEWER_PONG, {T, T, T, T, T, I}},
};

#undef T
#undef D
#undef I
#undef C

static size_t column(enum viewer_state state, uint8_t role, bool was_operator)
{
    switch (state) {
    case VIEWER_JOINING:
        return 0;
    case VIEWER_WAITING:
        return 1;
    case VIEWER_LIVE:
        return role == ROLE_OPERATOR ? 4 : was_operator ? 3 : 2;
    case VIEWER_LEAVING:
    case VIEWER_STATES:
        break;
    }
    return 5;
}

enum viewer_rule viewer_rule(uint8_t type, enum viewer_state state, uint8_t role, bool was_operator)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].type == type)
            return (enum viewer_rule)table[i].rules[column(state, role, was_operator)];
    }
    return RULE_CUT;
}

size_t viewer_rule_max(enum viewer_state state)
{
    return state == VIEWER_JOINING || state == VIEWER_WAITING ? VIEWER_UP_EARLY_MAX_BYTES
                                                              : VIEWER_UP_MAX_BYTES;
}
