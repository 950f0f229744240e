/* The status line of an attached terminal.
 *
 *   [session] 0:name*                                   ● 2 watching  "title"  12:34
 *
 * Where room is short the title goes first, then the clock, then the end of the left side; the mark
 * that the pane is shared always stays. A message takes the left side's place for a while. */
#ifndef VITRINE_DAEMON_STATUS_H
#define VITRINE_DAEMON_STATUS_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct session;

#define STATUS_MESSAGE_MAX_BYTES 200
#define STATUS_TITLE_COLS_MAX    40

/* What it shows; text is borrowed and escaped here. */
struct status {
    const struct session *session;
    bool shared;         /* the pane shown, by a share of its own, its window's or its session's */
    uint32_t viewers;    /* of these shares */
    const char *title;   /* of the pane, NULL for none */
    const char *ended;   /* how its program ended, NULL while it runs */
    const char *message; /* NULL for none */
    int64_t now_s;       /* wall clock */
    bool read_only;
};

/* Draws s over a whole row of f. */
void status_draw(const struct status *s, struct frame *f, uint16_t row);
/* The window whose name stands in a column of a status line without message, NULL for none. */
struct window *status_window_at(const struct session *s, uint16_t cols, uint16_t col);
/* Milliseconds until the clock shows another minute. */
uint64_t status_clock_ms(int64_t now_s);

#endif
