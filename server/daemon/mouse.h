/* What happened with the mouse on an attached terminal, for the commands of its binding. Objects
 * are named by their ids, as they may be gone when a command that waited runs. */
#ifndef VITRINE_DAEMON_MOUSE_H
#define VITRINE_DAEMON_MOUSE_H

#include <stdbool.h>
#include <stdint.h>

#define MOUSE_NOTHING ((int64_t)-1)

struct mouse_event {
    unsigned button; /* xterm's number: button, modifiers, motion, wheel */
    uint16_t x;      /* cells of the terminal, from 0 */
    uint16_t y;      /* from the first row of panes; behind all of them for a status line */
    uint16_t row;    /* of the terminal */
    bool release;
    bool wheel;
    bool again;     /* told once more, as a double click: programs have heard of it */
    int64_t pane;   /* id of the one under it, or MOUSE_NOTHING */
    int64_t window; /* likewise; of the status line, or the one shown */
};

#endif
