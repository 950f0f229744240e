/* The input filter of attached terminals. Outside of a paste every ESC begins a sequence, which is
 * gathered until it is complete and then handed over as one key, report or marker; all other bytes
 * pass in runs. Inside a paste only the end marker is looked for. */
#include "server/daemon/keys.h"

#include <stdio.h>
#include <string.h>

#include "server/daemon/keynames.h"

#define ESC 0x1b

static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";
#define MARKER_BYTES (sizeof paste_end - 1)

void keys_init(struct keys *k, const struct keys_events *events)
{
    *k = (struct keys){.events = *events};
}

void keys_grab(struct keys *k, bool grab)
{
    k->grab = grab;
}

void keys_set_stops(struct keys *k, const uint8_t stops[static 32])
{
    memcpy(k->stops, stops, sizeof k->stops);
}

/* --- text ----------------------------------------------------------------------------------- */

static bool stops(const struct keys *k, uint8_t b)
{
    return b == ESC || k->grab || (k->stops[b / 8] >> b % 8 & 1);
}

static unsigned bytes_after_lead(uint8_t b)
{
    return b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc0 ? 1 : 0;
}

/* A run for the program, or the begin of a key. */
static size_t take_text(struct keys *k, const uint8_t *p, size_t n)
{
    size_t run = 0;

    while (run < n && !stops(k, p[run]))
        run++;
    if (run > 0) {
        k->events.text(k->events.ctx, p, run, false);
    } else if (*p == ESC || bytes_after_lead(*p)) {
        k->seq[k->seq_len++] = *p;
        return 1;
    } else {
        k->events.key(k->events.ctx, keynames_decode(p, 1), p, 1);
        return 1;
    }
    return run;
}

/* --- sequences ------------------------------------------------------------------------------ */

enum progress { MORE, DONE, BROKEN };

/* Whether the sequence s with its newest byte at n - 1 is complete. */
static enum progress sequence_progress(const uint8_t *s, size_t n)
{
    uint8_t last = s[n - 1], lead = s[0] == ESC ? s[1] : s[0];
    size_t at = s[0] == ESC; /* of a character: alone, or with Alt */

    if (bytes_after_lead(lead)) {
        if (n > at + 1 && (last & 0xc0) != 0x80)
            return BROKEN;
        return n == at + 1 + bytes_after_lead(lead) ? DONE : MORE;
    }
    if (n == 2)
        return last < 0x20 ? BROKEN : last == '[' || last == 'O' ? MORE : DONE;
    if (s[1] == '[' && s[2] == 'M') /* a mouse report of the old form: three bytes of any value */
        return n == 6 ? DONE : MORE;
    if (last < 0x20)
        return BROKEN;
    if (s[1] == '[' && s[2] == '[') /* function keys of the Linux console */
        return n == 4 ? DONE : MORE;
    if (last < 0x40)
        return n == KEYS_SEQUENCE_MAX ? DONE : MORE;
    return DONE;
}

static bool is_report(const uint8_t *s, size_t n)
{
    return n == 3 && s[1] == '[' && (s[2] == 'I' || s[2] == 'O');
}

static bool is_mouse(const uint8_t *s, size_t n)
{
    return n >= 6 && s[1] == '[' && (s[2] == 'M' || s[2] == '<');
}

static void finish_sequence(struct keys *k)
{
    uint8_t s[KEYS_SEQUENCE_MAX];
    size_t n = k->seq_len;

    memcpy(s, k->seq, n);
    k->seq_len = 0;
    if (n == MARKER_BYTES && memcmp(s, paste_begin, n) == 0) {
        k->pasting = true;
        k->events.paste(k->events.ctx, true);
    } else if (n == MARKER_BYTES && memcmp(s, paste_end, n) == 0) {
        return; /* its beginning was missed: nothing to end */
    } else if (is_report(s, n)) {
        k->events.text(k->events.ctx, s, n, false);
    } else if (is_mouse(s, n)) {
        k->events.mouse(k->events.ctx, s, n);
    } else {
        k->events.key(k->events.ctx, keynames_decode(s, n), s, n);
    }
}

static size_t take_sequence(struct keys *k, uint8_t b)
{
    k->seq[k->seq_len] = b;
    switch (sequence_progress(k->seq, k->seq_len + 1u)) {
    case MORE:
        k->seq_len++;
        return 1;
    case DONE:
        k->seq_len++;
        finish_sequence(k);
        return 1;
    case BROKEN:
        break;
    }
    finish_sequence(k);
    return 0;
}

/* --- pastes --------------------------------------------------------------------------------- */

static void put_pasted(struct keys *k, const uint8_t *p, size_t n)
{
    if (n > 0)
        k->events.text(k->events.ctx, p, n, true);
}

static void end_paste(struct keys *k)
{
    k->seq_len = 0;
    k->pasting = false;
    k->events.paste(k->events.ctx, false);
}

static size_t take_pasted(struct keys *k, const uint8_t *p, size_t n)
{
    if (*p == (uint8_t)paste_end[k->seq_len]) {
        k->seq[k->seq_len++] = *p;
        if (k->seq_len == MARKER_BYTES)
            end_paste(k);
        return 1;
    }
    if (k->seq_len > 0) {
        put_pasted(k, k->seq, k->seq_len);
        k->seq_len = 0;
        return 0;
    }
    const uint8_t *escape = memchr(p, ESC, n);
    size_t run = escape ? (size_t)(escape - p) : n;
    put_pasted(k, p, run);
    return run;
}

/* --- feeding -------------------------------------------------------------------------------- */

static size_t take_some(struct keys *k, const uint8_t *p, size_t n)
{
    if (k->pasting)
        return take_pasted(k, p, n);
    if (k->seq_len > 0)
        return take_sequence(k, *p);
    return take_text(k, p, n);
}

void keys_feed(struct keys *k, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t used = take_some(k, p, n);
        p += used;
        n -= used;
    }
}

uint32_t keys_held(const struct keys *k)
{
    if (k->seq_len == 0 || k->pasting)
        return 0;
    return k->seq_len == 1 && k->seq[0] == ESC ? KEYS_ESCAPE_WAIT_MS : KEYS_PARTIAL_WAIT_MS;
}

void keys_flush(struct keys *k)
{
    if (k->seq_len > 0 && !k->pasting)
        finish_sequence(k);
}

/* --- mouse ---------------------------------------------------------------------------------- */

/* Moves one coordinate, counted from 1, into the pane; false when it is outside and stays so. */
static bool shift(uint32_t *v, uint16_t first, uint16_t shown, uint16_t by, bool clamp)
{
    uint32_t from = first + 1u, to = (uint32_t)first + shown;

    if (*v < 1 || shown == 0 || ((*v < from || *v > to) && !clamp))
        return false;
    *v = (*v > to ? to : *v < from ? from : *v) - first + by;
    return true;
}

static bool parse_number(const uint8_t **p, const uint8_t *end, uint8_t stop, uint32_t *v)
{
    const uint8_t *start = *p;

    for (*v = 0; *p < end && **p >= '0' && **p <= '9' && *v < 100000; ++*p)
        *v = *v * 10 + (**p - '0');
    return *p > start && *p < end && (stop == 0 || *(*p)++ == stop);
}

static size_t shift_sgr(const uint8_t *p, size_t n, const struct keys_area *a, uint8_t *out)
{
    const uint8_t *at = p + 3, *end = p + n;
    uint32_t b, x, y;

    if (!parse_number(&at, end, ';', &b) || !parse_number(&at, end, ';', &x) ||
        !parse_number(&at, end, 0, &y) || at + 1 != end)
        return 0;
    /* a release or drag that began inside must not get lost */
    bool clamp = *at == 'm' || (b & 32);
    if (!shift(&x, a->x, a->cols, a->shift_x, clamp) ||
        !shift(&y, a->y, a->rows, a->shift_y, clamp))
        return 0;
    return (size_t)snprintf((char *)out, KEYS_SEQUENCE_MAX, "\033[<%u;%u;%u%c", b, x, y, *at);
}

static size_t shift_bytes(const uint8_t *p, const struct keys_area *a, uint8_t *out)
{
    uint32_t x = p[4] - 32u, y = p[5] - 32u;
    bool clamp = (p[3] & 3) == 3 || ((p[3] - 32) & 32);

    if (p[3] < 32 || p[4] < 33 || p[5] < 33 || !shift(&x, a->x, a->cols, a->shift_x, clamp) ||
        !shift(&y, a->y, a->rows, a->shift_y, clamp) || x > 223 || y > 223)
        return 0;
    memcpy(out, p, 4);
    out[4] = (uint8_t)(x + 32);
    out[5] = (uint8_t)(y + 32);
    return 6;
}

size_t keys_shift_mouse(const uint8_t *p, size_t n, const struct keys_area *area, bool pixels,
                        uint8_t out[KEYS_SEQUENCE_MAX])
{
    if (!is_mouse(p, n) || n > KEYS_SEQUENCE_MAX)
        return 0;
    if (p[2] == 'M')
        return n == 6 ? shift_bytes(p, area, out) : 0;
    if (!pixels)
        return shift_sgr(p, n, area, out);
    memcpy(out, p, n);
    return n;
}
