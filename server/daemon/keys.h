/* What an attached terminal sends, taken apart: text for the program, keys that may be bound,
 * pastes, mouse reports.
 *
 *   bytes ─┬─ runs without ESC and stop bytes ─► text
 *          ├─ ESC …, stop bytes, and every key while grabbing ─► key (one at a time)
 *          ├─ ESC [200~ … ESC [201~ ─► paste, text (pasted), paste
 *          └─ mouse reports ─► mouse;  focus reports ─► text
 *
 * Input comes in any pieces, so a piece may end inside a sequence or a character. What is not yet
 * whole is held; an ESC on its own is the Escape key, which only time can tell: keys_held says how
 * long to wait for more before keys_flush. Knows no pane, no binding and no clock; what it finds it
 * hands over at once, in order. */
#ifndef VITRINE_DAEMON_KEYS_H
#define VITRINE_DAEMON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_SEQUENCE_MAX    64
#define KEYS_ESCAPE_WAIT_MS  10  /* after ESC alone */
#define KEYS_PARTIAL_WAIT_MS 200 /* inside a sequence that a terminal sends whole */

/* What was found; none may be NULL. A callback may call keys_grab and keys_set_stops and nothing
 * else of keys. */
struct keys_events {
    /* Bytes for the program; pasted ones (markers are not among them) are never keys. */
    void (*text)(void *ctx, const uint8_t *p, size_t n, bool pasted);
    void (*paste)(void *ctx, bool begins);
    /* A whole mouse report: ESC [ < … M, ESC [ < … m, or ESC [ M and three bytes. */
    void (*mouse)(void *ctx, const uint8_t *p, size_t n);
    /* One key that may be bound: its number (keynames.h, KEY_NONE when it is unknown) and bytes. */
    void (*key)(void *ctx, uint32_t key, const uint8_t *p, size_t n);
    void *ctx;
};

/* Embedded in its owner; set up by keys_init. All fields are private. */
struct keys {
    struct keys_events events;
    bool pasting;
    bool grab;
    uint8_t stops[32]; /* a bit per byte */
    uint8_t seq[KEYS_SEQUENCE_MAX];
    uint8_t seq_len; /* held bytes: a sequence from ESC on, or the first bytes of a character */
};

void keys_init(struct keys *k, const struct keys_events *events);
/* Takes n bytes as the terminal sent them. */
void keys_feed(struct keys *k, const uint8_t *p, size_t n);
/* How many milliseconds to wait for the rest of what is held before keys_flush; 0 when nothing is
 * held, or only time will not tell (inside a paste). */
uint32_t keys_held(const struct keys *k);
/* Nothing more came: what is held were keys. */
void keys_flush(struct keys *k);
/* While grabbing every key is handed over by `key`, none by `text`. */
void keys_grab(struct keys *k, bool grab);
/* The bytes, a bit each, with which keys begin that go to `key` also while not grabbing. */
void keys_set_stops(struct keys *k, const uint8_t stops[static 32]);

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
