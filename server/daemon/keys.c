/* The input filter of attached terminals. Outside of a paste every ESC begins a sequence, which is
 * gathered until it is complete and then handled as one key, report or marker; all other bytes pass
 * in runs. Inside a paste only the end marker is looked for. */
#include "server/daemon/keys.h"

#include <stdio.h>
#include <string.h>

#define ESC 0x1b

enum { STATE_TEXT, STATE_PREFIX, STATE_PASTE };

static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";
#define MARKER_BYTES (sizeof paste_end - 1)

static const struct keys_binding bindings[] = {
    {'d', "d", KEYS_DETACH, "detach this terminal; programs run on"},
    {'S', "S", KEYS_LINKS, "show the links of this pane, with a QR code"},
    {'r', "r", KEYS_REDRAW, "redraw the terminal"},
    {'?', "?", KEYS_HELP, "show these keys"},
    {KEYS_PREFIX, KEYS_PREFIX_NAME, KEYS_SEND_PREFIX, "send " KEYS_PREFIX_NAME " to the program"},
};

const struct keys_binding *keys_binding(size_t i)
{
    return i < sizeof bindings / sizeof bindings[0] ? &bindings[i] : NULL;
}

void keys_init(struct keys *k, const struct keys_events *events)
{
    *k = (struct keys){.events = *events};
}

void keys_set_modal(struct keys *k, bool modal)
{
    k->modal = modal;
}

/* --- single keys ---------------------------------------------------------------------------- */

static const char *key_text(uint8_t b, char out[static 8])
{
    if (b > 0x20 && b < 0x7f)
        snprintf(out, 8, "%c", b);
    else if (b > 0 && b < 0x20 && b != ESC)
        snprintf(out, 8, "C-%c", b <= 26 ? b | 0x60 : b | 0x40);
    else
        snprintf(out, 8, "%s", b == ' ' ? "Space" : b == ESC ? "Escape" : "");
    return *out ? out : "that key";
}

/* A key that begins with byte b, all of it but the rest of a character, came after the prefix. */
static void run_binding(struct keys *k, uint8_t b)
{
    char text[8];

    k->state = STATE_TEXT;
    for (size_t i = 0; keys_binding(i); i++) {
        if (bindings[i].key != b)
            continue;
        if (bindings[i].command == KEYS_SEND_PREFIX)
            k->events.text(k->events.ctx, &b, 1, false);
        else
            k->events.command(k->events.ctx, bindings[i].command);
        return;
    }
    k->events.unbound(k->events.ctx, key_text(b, text));
}

static uint8_t bytes_after_lead(uint8_t b)
{
    return b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc0 ? 1 : 0;
}

/* One byte that must not reach the program: it ends an overlay or follows the prefix. */
static void take_key(struct keys *k, uint8_t b)
{
    k->utf8_left = bytes_after_lead(b);
    if (k->modal)
        k->events.dismiss(k->events.ctx);
    else
        run_binding(k, b);
}

static size_t take_text(struct keys *k, const uint8_t *p, size_t n)
{
    size_t run = 0;

    while (run < n && p[run] != ESC && p[run] != KEYS_PREFIX)
        run++;
    if (run > 0)
        k->events.text(k->events.ctx, p, run, false);
    else
        k->state = STATE_PREFIX;
    return run > 0 ? run : 1;
}

/* --- sequences ------------------------------------------------------------------------------ */

enum progress { MORE, DONE, BROKEN };

/* Whether the sequence s with its newest byte at n - 1 is complete. */
static enum progress sequence_progress(const uint8_t *s, size_t n)
{
    uint8_t last = s[n - 1];

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

static void begin_paste(struct keys *k)
{
    k->state = STATE_PASTE;
    k->swallow = k->modal;
    if (k->modal)
        k->events.dismiss(k->events.ctx);
    else
        k->events.paste(k->events.ctx, true);
}

static void finish_sequence(struct keys *k)
{
    uint8_t s[KEYS_SEQUENCE_MAX];
    size_t n = k->seq_len;

    memcpy(s, k->seq, n);
    k->seq_len = 0;
    if (n == MARKER_BYTES && memcmp(s, paste_begin, n) == 0)
        begin_paste(k);
    else if (n == MARKER_BYTES && memcmp(s, paste_end, n) == 0)
        return; /* its beginning was missed: nothing to end */
    else if (is_report(s, n))
        k->events.text(k->events.ctx, s, n, false);
    else if (is_mouse(s, n)) {
        if (!k->modal)
            k->events.mouse(k->events.ctx, s, n);
    } else if (k->modal || k->state == STATE_PREFIX) {
        take_key(k, n == 1 ? ESC : 0);
        k->utf8_left = bytes_after_lead(s[n - 1]); /* Alt and a character of several bytes */
    } else
        k->events.text(k->events.ctx, s, n, false);
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
    if (n > 0 && !k->swallow)
        k->events.text(k->events.ctx, p, n, true);
}

static void end_paste(struct keys *k)
{
    k->seq_len = 0;
    k->state = STATE_TEXT;
    if (!k->swallow)
        k->events.paste(k->events.ctx, false);
    k->swallow = false;
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
    if (k->state == STATE_PASTE)
        return take_pasted(k, p, n);
    if (k->seq_len > 0)
        return take_sequence(k, *p);
    if (k->utf8_left > 0 && (*p & 0xc0) == 0x80) {
        k->utf8_left--;
        return 1;
    }
    k->utf8_left = 0;
    if (*p == ESC) {
        k->seq[k->seq_len++] = ESC;
        return 1;
    }
    if (!k->modal && k->state == STATE_TEXT)
        return take_text(k, p, n);
    take_key(k, *p);
    return 1;
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
    if (k->seq_len == 0 || k->state == STATE_PASTE)
        return 0;
    return k->seq_len == 1 ? KEYS_ESCAPE_WAIT_MS : KEYS_PARTIAL_WAIT_MS;
}

void keys_flush(struct keys *k)
{
    if (k->seq_len > 0 && k->state != STATE_PASTE)
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
