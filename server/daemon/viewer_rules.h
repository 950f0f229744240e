/* Which message a viewer may send when: one table, message x state x role, looked at before a body
 * is decoded (docs/protocol.md §5). */
#ifndef VITRINE_DAEMON_VIEWER_RULES_H
#define VITRINE_DAEMON_VIEWER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/viewer_msg.h"

enum viewer_state {
    VIEWER_JOINING, /* handshake done, JOIN awaited */
    VIEWER_WAITING, /* PIN or approval awaited */
    VIEWER_LIVE,
    VIEWER_LEAVING, /* BYE is owed or sent; what still arrives is ignored */
    VIEWER_STATES
};

enum viewer_rule {
    RULE_CUT,     /* ends the connection: no honest page sends it */
    RULE_IGNORE,  /* nothing happens */
    RULE_TAKE,    /* decode and act */
    RULE_DECLINE, /* decode, then say that it was not done: it was legal a moment ago, or for others
                   */
};

/* The rule for a message type. was_operator: this connection had the operator's role at some time,
 * so what it typed may have been on its way when it was taken back. */
enum viewer_rule viewer_rule(uint8_t type, enum viewer_state state, uint8_t role,
                             bool was_operator);
/* The longest body accepted in that state, in bytes. */
size_t viewer_rule_max(enum viewer_state state);

#endif
