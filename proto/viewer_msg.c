#include "proto/viewer_msg.h"

#define TABLE        "proto/viewer.def"
#define TABLE_PREFIX viewer
#include "proto/table_define.h"

enum { DOWN, UP };

static const struct {
    uint8_t type;
    uint8_t direction;
    const char *name;
} messages[] = {
#define MESSAGE(NAME, name, type, direction) {type, direction, #NAME},
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
};

const char *viewer_message_name(uint8_t type)
{
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        if (messages[i].type == type)
            return messages[i].name;
    }
    return NULL;
}

bool viewer_message_is_up(uint8_t type)
{
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        if (messages[i].type == type)
            return messages[i].direction == UP;
    }
    return false;
}

bool viewer_message_continues(uint8_t type)
{
    return type == VIEWER_MSG_KEYFRAME || type == VIEWER_MSG_HISTORY || type == VIEWER_MSG_LAYOUT;
}
