/* The byte-driven VT state machine that stands in front of a screen.
 *
 * It decodes UTF-8 and splits a program's output into printed characters, controls and sequences
 * exactly where xterm.js 6 does (its parser is the authority on what bytes mean), whatever the
 * sizes of the pieces the bytes arrive in. It holds no screen state and knows no libvterm; it calls
 * back.
 *
 *        UTF-8 ──► GROUND ──ESC──► ESCAPE ──[──► CSI entry/param/intermediate/ignore ──► csi()
 *                    ▲  │            ├──]──► OSC string ──BEL, ST──► osc()
 *                    │  └─ print(),  ├──P──► DCS entry/…/passthrough ──ST──► dcs()
 *                    │     control() ├──_ ^ X──► string to be ignored ──ST──►
 *                    └───────────────┴── other ──► esc()
 *
 * Bounds: at most SCAN_PARAMS_MAX parameters and SCAN_SUBPARAMS_MAX sub-parameters (more are
 * dropped, as xterm.js does), values at most SCAN_VALUE_MAX, strings at most SCAN_STRING_MAX bytes
 * (a longer one is consumed to its end and dropped). */
#ifndef VITRINE_DAEMON_SCAN_H
#define VITRINE_DAEMON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_PARAMS_MAX    32
#define SCAN_SUBPARAMS_MAX 32
#define SCAN_VALUE_MAX     0x7fffffff
#define SCAN_STRING_MAX    (1024u * 1024u)
#define SCAN_COLLECT_MAX   4

/* Parameters of a CSI or DCS sequence. A missing parameter is 0, a missing sub-parameter -1. */
struct scan_params {
    int32_t value[SCAN_PARAMS_MAX];
    uint8_t sub_start[SCAN_PARAMS_MAX]; /* where this parameter's sub-parameters begin in sub */
    uint8_t sub_count[SCAN_PARAMS_MAX];
    int32_t sub[SCAN_SUBPARAMS_MAX];
    uint8_t count; /* at least 1 when a sequence is handed over */
    uint8_t total_subs;
    bool rejected; /* too many digits, parameters or sub-parameters: the rest is dropped */
    bool rejected_sub;
};

/* What identifies a sequence besides its parameters: e.g. prefix '?' and final 'h'. Absent bytes
 * are 0. */
struct scan_id {
    uint8_t prefix;   /* < = > ? */
    uint8_t inter[2]; /* intermediates, 0x20–0x2f */
    uint8_t final;
};

/* Pointers handed over live until the callback returns. None may be NULL. */
struct scan_events {
    /* n characters, all printable, in one run without anything between them. */
    void (*print)(void *ctx, const uint32_t *cps, size_t n);
    /* A C0 or C1 control character other than those that begin sequences. */
    void (*control)(void *ctx, uint32_t c);
    void (*esc)(void *ctx, struct scan_id id);
    void (*csi)(void *ctx, struct scan_id id, const struct scan_params *p);
    /* The string between ESC ] and its terminator, as UTF-8; bel tells how it was terminated. */
    void (*osc)(void *ctx, const uint8_t *text, size_t n, bool bel);
    void (*dcs)(void *ctx, struct scan_id id, const struct scan_params *p, const uint8_t *text,
                size_t n);
};

/* Which kind of string the scanner is inside of. */
enum scan_string { SCAN_STRING_NONE, SCAN_STRING_OSC, SCAN_STRING_DCS, SCAN_STRING_OTHER };

struct scan;

/* Returns NULL when memory ran out. events is copied; ctx is handed back as it is. */
struct scan *scan_create(const struct scan_events *events, void *ctx);
void scan_destroy(struct scan *s);
/* Feeds n bytes; callbacks come from inside. */
void scan_feed(struct scan *s, const uint8_t *p, size_t n);
/* Back to the ground state, forgetting an unfinished sequence or character. */
void scan_reset(struct scan *s);
/* True when the stream stands between sequences and between characters: the only places where it
 * may be cut. */
bool scan_at_boundary(const struct scan *s);
/* Bytes fed since the last boundary; 0 at one. */
uint64_t scan_pending(const struct scan *s);
/* The kind of the unfinished string, SCAN_STRING_NONE outside of one. */
enum scan_string scan_in_string(const struct scan *s);

#endif
