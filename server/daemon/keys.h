/* What an attached terminal sends, taken apart: text for the program, commands after the prefix,
 * pastes, mouse reports.
 *
 *            ┌───────────── C-b ──────────────┐
 *            │                                ▼
 *   ──────► TEXT ◄── any key: command ────  PREFIX        in each: ESC … gathers a sequence first
 *            │  ▲
 *   ESC[200~ │  │ ESC[201~
 *            ▼  │
 *           PASTE  everything is literal
 *
 * Input comes in any pieces, so a piece may end inside a sequence. What may yet become a paste
 * marker or a mouse report is held; an ESC on its own is the Escape key, which only time can tell:
 * keys_held says how long to wait for more before keys_flush. While modal (an overlay is shown) the
 * next key or paste is swallowed and reported by dismiss instead, and mouse reports are swallowed.
 * Focus and mouse reports are no keys: they leave the prefix pending and no overlay closes for
 * them.
 *
 * Knows no pane and no clock; what it finds it hands over at once, in order. */
#ifndef VITRINE_DAEMON_KEYS_H
#define VITRINE_DAEMON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_PREFIX          0x02 /* C-b */
#define KEYS_PREFIX_NAME     "C-b"
#define KEYS_SEQUENCE_MAX    64
#define KEYS_ESCAPE_WAIT_MS  10  /* after ESC alone */
#define KEYS_PARTIAL_WAIT_MS 200 /* inside a sequence that a terminal sends whole */

enum keys_command {
    KEYS_SEND_PREFIX,
    KEYS_DETACH,
    KEYS_LINKS,
    KEYS_HELP,
    KEYS_REDRAW,
};

/* One binding after the prefix. */
struct keys_binding {
    uint8_t key;
    const char *name; /* for help */
    enum keys_command command;
    const char *summary;
};

/* What was found; none may be NULL. A callback may call keys_set_modal and nothing else of keys. */
struct keys_events {
    /* Bytes for the program; pasted ones (markers are not among them) are never commands. */
    void (*text)(void *ctx, const uint8_t *p, size_t n, bool pasted);
    /* A paste begins or ends; not called for one that is swallowed. */
    void (*paste)(void *ctx, bool begins);
    /* A whole mouse report: ESC [ < … M, ESC [ < … m, or ESC [ M and three bytes. */
    void (*mouse)(void *ctx, const uint8_t *p, size_t n);
    void (*command)(void *ctx, enum keys_command command);
    /* A key after the prefix that is not bound, as text for a message: "x", "C-x", "that key". */
    void (*unbound)(void *ctx, const char *name);
    /* A key while modal. */
    void (*dismiss)(void *ctx);
    void *ctx;
};

/* Embedded in its owner; set up by keys_init. All fields are private. */
struct keys {
    struct keys_events events;
    uint8_t state;
    bool modal;
    bool swallow;      /* the paste goes nowhere: it began while modal */
    uint8_t utf8_left; /* bytes of a swallowed character still to come */
    uint8_t seq[KEYS_SEQUENCE_MAX];
    uint8_t seq_len; /* held bytes, seq[0] is ESC */
};

void keys_init(struct keys *k, const struct keys_events *events);
/* Takes n bytes as the terminal sent them. */
void keys_feed(struct keys *k, const uint8_t *p, size_t n);
/* How many milliseconds to wait for the rest of what is held before keys_flush; 0 when nothing is
 * held, or only time will not tell (inside a paste). */
uint32_t keys_held(const struct keys *k);
/* Nothing more came: what is held were keys. */
void keys_flush(struct keys *k);
void keys_set_modal(struct keys *k, bool modal);
/* The i-th binding, NULL past the last. */
const struct keys_binding *keys_binding(size_t i);

/* The part of a terminal where a pane is shown: cells, from 0. */
struct keys_area {
    uint16_t x; /* of its first visible cell */
    uint16_t y;
    uint16_t cols; /* visible */
    uint16_t rows;
    uint16_t shift_x; /* columns of the pane left of what is visible */
    uint16_t shift_y;
};

/* Translates a mouse report from the terminal's to the pane's cells. Writes it to out and returns
 * its length; 0 when it is outside of the area or no report. Reports in pixels pass unchanged. */
size_t keys_shift_mouse(const uint8_t *p, size_t n, const struct keys_area *area, bool pixels,
                        uint8_t out[KEYS_SEQUENCE_MAX]);

#endif
