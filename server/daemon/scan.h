/* The byte-driven VT state machine that stands in front of a screen.
 *
 * It decodes UTF-8 and splits a program's output into printed characters, controls and sequences
 * exactly where xterm.js 6 does (its parser is the authority on what bytes mean), whatever the
 * sizes of the pieces the bytes arrive in. It holds no screen state and knows no libvterm; it calls
 * back.
 *
 *   UTF-8 ──► GROUND ──ESC──► ESCAPE ──[──► CSI entry, param, intermediate, ignore ──► csi()
 *               ▲  │            ├──]──► OSC string ──BEL, ST──► osc()
 *               │  └─ print(),  ├──P──► DCS entry, …, passthrough ──ST──► dcs()
 *               │     control() ├──_ ^ X──► string to be ignored ──ST──► GROUND
 *               └───────────────┴── other ──► esc()
 *
 * Bounds: at most SCAN_PARAMS_MAX parameters and SCAN_SUBPARAMS_MAX sub-parameters (more are
 * dropped, as xterm.js does), values at most SCAN_VALUE_MAX, strings at most SCAN_STRING_MAX bytes
 * (a longer one is consumed to its end and dropped). */
#ifndef VITRINE_DAEMON_SCAN_H
#define VITRINE_DAEMON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/outbuf.h"

#define SCAN_PARAMS_MAX    32
#define SCAN_SUBPARAMS_MAX 32
#define SCAN_VALUE_MAX     0x7fffffff
#define SCAN_STRING_MAX    (1024u * 1024u)
/* An unfinished string longer than this is not replayed to a viewer who joins inside of it. */
#define SCAN_REPLAY_MAX 4096u

/* Parameters of a CSI or DCS sequence. A missing parameter is 0, a missing sub-parameter -1. */
struct scan_params {
    int32_t value[SCAN_PARAMS_MAX];
    uint8_t sub_start[SCAN_PARAMS_MAX]; /* where a parameter's sub-parameters begin in sub */
    uint8_t sub_count[SCAN_PARAMS_MAX];
    int32_t sub[SCAN_SUBPARAMS_MAX];
    uint8_t count; /* at least 1 when a sequence is handed over */
    uint8_t sub_total;
};

/* What identifies a sequence besides its parameters: prefix, intermediates and final byte in the
 * order they came, packed into one number: CSI ? 2 5 h is SCAN_ID2('?', 'h'). */
#define SCAN_ID2(a, b)    ((uint32_t)(a) << 8 | (uint32_t)(b))
#define SCAN_ID3(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))

/* How a string ended. Only ST and BEL make it count. */
enum scan_end { SCAN_END_ST, SCAN_END_BEL, SCAN_END_ABORTED };

/* Pointers handed over live until the callback returns. No callback may be NULL, and none may feed
 * the scanner. */
struct scan_events {
    /* n printable ASCII characters, 0x20 to 0x7e. */
    void (*ascii)(void *ctx, const uint8_t *p, size_t n);
    /* n characters, printable (0x20 to 0x7e, U+00A0 and above). 0 when one between printable ones
     * was ignored. */
    void (*print)(void *ctx, const uint32_t *cps, size_t n);
    /* A C0 or C1 control character other than those that begin or end sequences. */
    void (*control)(void *ctx, uint32_t c);
    void (*esc)(void *ctx, uint32_t id);
    void (*csi)(void *ctx, uint32_t id, const struct scan_params *p);
    /* The string between ESC ] and its end, as UTF-8, NUL-terminated behind n bytes. */
    void (*osc)(void *ctx, const char *text, size_t n, enum scan_end end);
    void (*dcs)(void *ctx, uint32_t id, const struct scan_params *p, const char *text, size_t n,
                enum scan_end end);
};

struct scan;

/* Returns NULL when memory ran out. events is copied; ctx is handed back as it is. */
struct scan *scan_create(const struct scan_events *events, void *ctx);
/* Frees s; NULL is fine. */
void scan_destroy(struct scan *s);
/* Feeds n bytes; callbacks come from inside. */
void scan_feed(struct scan *s, const uint8_t *p, size_t n);
/* Bytes fed so far. */
uint64_t scan_head(const struct scan *s);
/* The offset a keyframe made now has: the last one at which the stream stood between sequences and
 * between characters. It is the head when an unfinished string is longer than SCAN_REPLAY_MAX, or
 * when a control character took effect inside of an unfinished sequence. */
uint64_t scan_cut(const struct scan *s);
/* Appends what a keyframe must end with: nothing, unless scan_cut is the head inside of a sequence;
 * then what puts a terminal into it. A long string becomes one of the same kind without effect. */
void scan_write_tail(const struct scan *s, struct outbuf *out);

#endif
