#include "server/daemon/scan.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

#define RUN_MAX  256u /* characters handed over at once */
#define HELD_MAX 512u /* bytes of an unfinished sequence kept for scan_write_tail */

enum state {
    GROUND,
    ESCAPE,
    ESCAPE_INTERMEDIATE,
    CSI_ENTRY,
    CSI_PARAM,
    CSI_INTERMEDIATE,
    CSI_IGNORE,
    IGNORED_STRING, /* SOS, PM, APC */
    OSC_STRING,
    DCS_ENTRY,
    DCS_PARAM,
    DCS_IGNORE,
    DCS_INTERMEDIATE,
    DCS_PASSTHROUGH,
    STATES
};

enum action {
    NOTHING,
    PRINT,
    EXECUTE,
    CLEAR,
    COLLECT,
    PARAM,
    ESC_DISPATCH,
    CSI_DISPATCH,
    DCS_HOOK,
    DCS_PUT,
    DCS_END,
    OSC_START,
    OSC_PUT,
    OSC_END,
};

struct step {
    uint8_t action;
    uint8_t next;
};

/* Character classes: everything from U+00A0 on behaves alike. */
#define CLASSES   0xa1u
#define NON_ASCII 0xa0u

struct scan {
    struct scan_events events;
    void *ctx;
    uint64_t head;
    uint64_t boundary; /* see scan_cut */
    enum state state;
    bool executed; /* a control took effect since the boundary */

    uint32_t cp;   /* the character being decoded */
    uint32_t need; /* continuation bytes still to come */
    uint32_t low;  /* smallest code point its length may encode */

    uint32_t run[RUN_MAX];
    size_t run_len;

    uint32_t id; /* prefix and intermediates collected so far */
    struct scan_params params;
    bool reject;     /* too many parameters: digits are dropped */
    bool reject_sub; /* too many sub-parameters */
    bool in_sub;

    uint32_t dcs_id;
    struct outbuf text; /* the string being assembled */
    bool too_long;

    uint8_t held[HELD_MAX]; /* the unfinished sequence without its control characters */
    size_t held_len;
    bool held_full;
};

/* --- the state machine ------------------------------------------------------------------------ */

static struct step to(enum action action, enum state next)
{
    return (struct step){(uint8_t)action, (uint8_t)next};
}

static bool is_c0(uint32_t c)
{
    return c < 0x20 && c != 0x18 && c != 0x1a && c != 0x1b;
}

/* What a character does in any state, unless the state says otherwise. */
static struct step step_anywhere(uint32_t c)
{
    switch (c) {
    case 0x1b:
        return to(CLEAR, ESCAPE);
    case 0x90:
        return to(CLEAR, DCS_ENTRY);
    case 0x9b:
        return to(CLEAR, CSI_ENTRY);
    case 0x9c:
        return to(NOTHING, GROUND);
    case 0x9d:
        return to(OSC_START, OSC_STRING);
    case 0x98:
    case 0x9e:
    case 0x9f:
        return to(NOTHING, IGNORED_STRING);
    default:
        break;
    }
    if (c == 0x18 || c == 0x1a || (c >= 0x80 && c <= 0x9a))
        return to(EXECUTE, GROUND);
    return to(NOTHING, GROUND); /* an error: the sequence is dropped with this character */
}

static struct step step_ground(uint32_t c)
{
    if ((c >= 0x20 && c <= 0x7e) || c == NON_ASCII)
        return to(PRINT, GROUND);
    return is_c0(c) ? to(EXECUTE, GROUND) : step_anywhere(c);
}

static struct step step_escape(uint32_t c)
{
    if (is_c0(c))
        return to(EXECUTE, ESCAPE);
    if (c == 0x7f)
        return to(NOTHING, ESCAPE);
    if (c >= 0x20 && c <= 0x2f)
        return to(COLLECT, ESCAPE_INTERMEDIATE);
    switch (c) {
    case '[':
        return to(CLEAR, CSI_ENTRY);
    case ']':
        return to(OSC_START, OSC_STRING);
    case 'P':
        return to(CLEAR, DCS_ENTRY);
    case 'X':
    case '^':
    case '_':
        return to(NOTHING, IGNORED_STRING);
    default:
        return c >= 0x30 && c <= 0x7e ? to(ESC_DISPATCH, GROUND) : step_anywhere(c);
    }
}

static struct step step_escape_intermediate(uint32_t c)
{
    if (is_c0(c))
        return to(EXECUTE, ESCAPE_INTERMEDIATE);
    if (c == 0x7f)
        return to(NOTHING, ESCAPE_INTERMEDIATE);
    if (c >= 0x20 && c <= 0x2f)
        return to(COLLECT, ESCAPE_INTERMEDIATE);
    return c >= 0x30 && c <= 0x7e ? to(ESC_DISPATCH, GROUND) : step_anywhere(c);
}

static struct step step_csi(enum state state, uint32_t c)
{
    if (is_c0(c))
        return to(EXECUTE, state);
    if (c == 0x7f || (state == CSI_IGNORE && c == NON_ASCII))
        return to(NOTHING, state);
    if (c >= 0x40 && c <= 0x7e)
        return to(state == CSI_IGNORE ? NOTHING : CSI_DISPATCH, GROUND);
    if (state == CSI_IGNORE)
        return c >= 0x20 && c <= 0x3f ? to(NOTHING, CSI_IGNORE) : step_anywhere(c);
    if (c >= 0x20 && c <= 0x2f)
        return to(COLLECT, CSI_INTERMEDIATE);
    if (c >= 0x30 && c <= 0x3b)
        return state == CSI_INTERMEDIATE ? to(NOTHING, CSI_IGNORE) : to(PARAM, CSI_PARAM);
    if (c >= 0x3c && c <= 0x3f)
        return state == CSI_ENTRY ? to(COLLECT, CSI_PARAM) : to(NOTHING, CSI_IGNORE);
    return step_anywhere(c);
}

static struct step step_osc(uint32_t c)
{
    if (c == 0x07 || c == 0x18 || c == 0x1a || c == 0x1b || c == 0x9c)
        return to(OSC_END, c == 0x1b ? ESCAPE : GROUND);
    if (c < 0x20)
        return to(NOTHING, OSC_STRING);
    return c <= 0x7f || c == NON_ASCII ? to(OSC_PUT, OSC_STRING) : step_anywhere(c);
}

static struct step step_dcs(enum state state, uint32_t c)
{
    if (is_c0(c) || c == 0x7f)
        return to(NOTHING, state);
    if (state == DCS_IGNORE)
        return (c >= 0x20 && c <= 0x7e) || c == NON_ASCII ? to(NOTHING, state) : step_anywhere(c);
    if (c >= 0x20 && c <= 0x2f)
        return to(COLLECT, DCS_INTERMEDIATE);
    if (c >= 0x30 && c <= 0x3b)
        return state == DCS_INTERMEDIATE ? to(NOTHING, DCS_IGNORE) : to(PARAM, DCS_PARAM);
    if (c >= 0x3c && c <= 0x3f)
        return state == DCS_ENTRY ? to(COLLECT, DCS_PARAM) : to(NOTHING, DCS_IGNORE);
    return c >= 0x40 && c <= 0x7e ? to(DCS_HOOK, DCS_PASSTHROUGH) : step_anywhere(c);
}

static struct step step_passthrough(uint32_t c)
{
    if (c == 0x18 || c == 0x1a || c == 0x1b || c == 0x9c)
        return to(DCS_END, c == 0x1b ? ESCAPE : GROUND);
    if (c == 0x7f)
        return to(NOTHING, DCS_PASSTHROUGH);
    return c < 0x7f || c == NON_ASCII ? to(DCS_PUT, DCS_PASSTHROUGH) : step_anywhere(c);
}

static struct step step_compute(enum state state, uint32_t c)
{
    switch (state) {
    case GROUND:
        return step_ground(c);
    case ESCAPE:
        return step_escape(c);
    case ESCAPE_INTERMEDIATE:
        return step_escape_intermediate(c);
    case CSI_ENTRY:
    case CSI_PARAM:
    case CSI_INTERMEDIATE:
    case CSI_IGNORE:
        return step_csi(state, c);
    case OSC_STRING:
        return step_osc(c);
    case DCS_ENTRY:
    case DCS_PARAM:
    case DCS_INTERMEDIATE:
    case DCS_IGNORE:
        return step_dcs(state, c);
    case DCS_PASSTHROUGH:
        return step_passthrough(c);
    case IGNORED_STRING:
        return c <= 0x7f && (c >= 0x20 || is_c0(c)) ? to(NOTHING, state) : step_anywhere(c);
    case STATES:
        break;
    }
    return to(NOTHING, GROUND);
}

static struct step steps[STATES][CLASSES];

static void build_steps(void)
{
    for (unsigned state = 0; state < STATES; state++)
        for (uint32_t c = 0; c < CLASSES; c++)
            steps[state][c] = step_compute((enum state)state, c);
}

/* --- life ------------------------------------------------------------------------------------- */

static void clear_params(struct scan *s)
{
    s->params.count = 1;
    s->params.value[0] = 0;
    s->params.sub_start[0] = 0;
    s->params.sub_count[0] = 0;
    s->params.sub_total = 0;
    s->reject = s->reject_sub = s->in_sub = false;
    s->id = 0;
}

struct scan *scan_create(const struct scan_events *events, void *ctx)
{
    struct scan *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (steps[GROUND]['a'].action != PRINT)
        build_steps();
    s->events = *events;
    s->ctx = ctx;
    outbuf_init(&s->text);
    clear_params(s);
    return s;
}

void scan_destroy(struct scan *s)
{
    if (!s)
        return;
    outbuf_clear(&s->text);
    free(s);
}

/* --- parameters and strings ---------------------------------------------------------------------
 */

static void add_param(struct scan *s)
{
    struct scan_params *p = &s->params;
    s->in_sub = false;
    if (p->count >= SCAN_PARAMS_MAX) {
        s->reject = true;
        return;
    }
    p->sub_start[p->count] = p->sub_total;
    p->sub_count[p->count] = 0;
    p->value[p->count++] = 0;
}

static void add_sub(struct scan *s)
{
    struct scan_params *p = &s->params;
    s->in_sub = true;
    if (s->reject || p->sub_total >= SCAN_SUBPARAMS_MAX) {
        s->reject_sub = true;
        return;
    }
    p->sub[p->sub_total++] = -1;
    p->sub_count[p->count - 1]++;
}

static void add_digit(struct scan *s, uint32_t digit)
{
    struct scan_params *p = &s->params;
    if (s->reject || (s->in_sub && (s->reject_sub || p->sub_total == 0)))
        return;
    int32_t *v = s->in_sub ? &p->sub[p->sub_total - 1] : &p->value[p->count - 1];
    if (*v == -1)
        *v = (int32_t)digit;
    else
        *v = *v > (SCAN_VALUE_MAX - 9) / 10 ? SCAN_VALUE_MAX : *v * 10 + (int32_t)digit;
}

static void take_param(struct scan *s, uint32_t c)
{
    if (c == ';')
        add_param(s);
    else if (c == ':')
        add_sub(s);
    else
        add_digit(s, c - '0');
}

static void start_string(struct scan *s)
{
    outbuf_reset(&s->text);
    s->too_long = false;
}

static void put_string(struct scan *s, uint32_t c)
{
    if (s->too_long)
        return;
    if (s->text.len + UTF8_MAX_BYTES > SCAN_STRING_MAX) {
        s->too_long = true;
        return;
    }
    uint8_t *at = outbuf_reserve(&s->text, UTF8_MAX_BYTES);
    if (at)
        s->text.len += utf8_encode(c, at);
}

/* Makes the string's text ready and tells how it ended; gives memory of a large one back. */
static enum scan_end close_string(struct scan *s, uint32_t c)
{
    size_t n = s->text.len;
    outbuf_byte(&s->text, 0);
    bool lost = s->too_long || s->text.bad;
    s->text.len = s->text.bad ? 0 : n;
    if (lost || c == 0x18 || c == 0x1a)
        return SCAN_END_ABORTED;
    return c == 0x07 ? SCAN_END_BEL : SCAN_END_ST;
}

static const char *string_text(const struct scan *s)
{
    return s->text.p && !s->text.bad ? (const char *)s->text.p : "";
}

static void release_string(struct scan *s)
{
    if (s->text.cap > SCAN_REPLAY_MAX)
        outbuf_clear(&s->text);
}

static void end_osc(struct scan *s, uint32_t c)
{
    enum scan_end end = close_string(s, c);
    s->events.osc(s->ctx, string_text(s), s->text.len, end);
    release_string(s);
    clear_params(s);
}

static void end_dcs(struct scan *s, uint32_t c)
{
    enum scan_end end = close_string(s, c);
    s->events.dcs(s->ctx, s->dcs_id, &s->params, string_text(s), s->text.len, end);
    release_string(s);
    clear_params(s);
}

/* --- characters ---------------------------------------------------------------------------------
 */

static void flush_run(struct scan *s)
{
    if (s->run_len)
        s->events.print(s->ctx, s->run, s->run_len);
    s->run_len = 0;
}

static void act(struct scan *s, enum action action, uint32_t c)
{
    switch (action) {
    case NOTHING:
        break;
    case PRINT:
        if (s->run_len == RUN_MAX)
            flush_run(s);
        s->run[s->run_len++] = c;
        break;
    case EXECUTE:
        s->events.control(s->ctx, c);
        break;
    case CLEAR:
        clear_params(s);
        break;
    case COLLECT:
        s->id = s->id << 8 | c;
        break;
    case PARAM:
        take_param(s, c);
        break;
    case ESC_DISPATCH:
        s->events.esc(s->ctx, s->id << 8 | c);
        break;
    case CSI_DISPATCH:
        s->events.csi(s->ctx, s->id << 8 | c, &s->params);
        break;
    case DCS_HOOK:
        s->dcs_id = s->id << 8 | c;
        start_string(s);
        break;
    case OSC_START:
        start_string(s);
        break;
    case DCS_PUT:
    case OSC_PUT:
        put_string(s, c);
        break;
    case DCS_END:
        end_dcs(s, c);
        break;
    case OSC_END:
        end_osc(s, c);
        break;
    }
}

static void hold(struct scan *s, const uint8_t *p, size_t n)
{
    if (s->held_len + n > HELD_MAX) {
        s->held_full = true;
        return;
    }
    memcpy(s->held + s->held_len, p, n);
    s->held_len += n;
}

static void set_boundary(struct scan *s, uint64_t at)
{
    s->boundary = at;
    s->executed = false;
    s->held_len = 0;
    s->held_full = false;
}

/* Handles one decoded character whose last byte is the one before `end`. */
static void take_char(struct scan *s, uint32_t c, uint64_t end)
{
    struct step step = steps[s->state][c < NON_ASCII ? c : NON_ASCII];
    if (step.action != PRINT)
        flush_run(s);
    bool inside = s->state != GROUND;
    s->state = (enum state)step.next;
    act(s, (enum action)step.action, c);
    uint8_t bytes[UTF8_MAX_BYTES];
    size_t n = utf8_encode(c, bytes);
    /* Every introducer begins anew: what stood before it is over, whatever it was. */
    bool begins = c == 0x1b || c == 0x90 || c == 0x98 || (c >= 0x9b && c <= 0x9f);
    if (s->state == GROUND) {
        set_boundary(s, end);
        if (!inside && step.action == NOTHING)
            s->events.print(s->ctx, NULL, 0);
    } else if (begins) {
        set_boundary(s, end - (c == 0x1b ? 1 : n));
        hold(s, bytes, n);
    } else if (step.action == EXECUTE) {
        s->executed = inside;
    } else {
        hold(s, bytes, n);
    }
}

/* Decodes a byte outside of ASCII, or one that breaks a character off. Invalid bytes vanish. */
static void take_high_byte(struct scan *s, uint8_t b, uint64_t end)
{
    if (s->need && (b & 0xc0) == 0x80) {
        s->cp = s->cp << 6 | (b & 0x3f);
        if (--s->need)
            return;
        bool bad = s->cp < s->low || s->cp > 0x10ffff || s->cp == 0xfeff ||
                   (s->cp >= 0xd800 && s->cp <= 0xdfff);
        if (!bad)
            take_char(s, s->cp, end);
        else if (s->state == GROUND)
            set_boundary(s, end);
        return;
    }
    s->need = b >= 0xf8 || b < 0xc0 ? 0 : b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    s->cp = b & (s->need == 3 ? 0x07 : s->need == 2 ? 0x0f : 0x1f);
    s->low = s->need == 3 ? 0x10000 : s->need == 2 ? 0x800 : 0x80;
    if (s->state == GROUND)
        set_boundary(s, s->need ? end - 1 : end);
}

static size_t ascii_run(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= 0x20 && p[i] <= 0x7e)
        i++;
    return i;
}

void scan_feed(struct scan *s, const uint8_t *p, size_t n)
{
    uint64_t start = s->head;
    size_t i = 0;
    while (i < n) {
        if (s->state == GROUND && !s->need) {
            size_t run = ascii_run(p + i, n - i);
            if (run) {
                flush_run(s);
                s->events.ascii(s->ctx, p + i, run);
                i += run;
                set_boundary(s, start + i);
                continue;
            }
        }
        uint8_t b = p[i++];
        if (b < 0x80) {
            s->need = 0;
            take_char(s, b, start + i);
        } else {
            take_high_byte(s, b, start + i);
        }
    }
    flush_run(s);
    s->head = start + n;
}

/* --- where the stream may be cut
 * ------------------------------------------------------------------ */

static bool in_string(const struct scan *s)
{
    return s->state == OSC_STRING || s->state == IGNORED_STRING || s->state == DCS_PASSTHROUGH ||
           s->state == DCS_IGNORE;
}

static bool in_long_string(const struct scan *s)
{
    return in_string(s) && s->head - s->boundary > SCAN_REPLAY_MAX;
}

/* True when the held bytes must be replayed, because part of what followed them took effect. */
static bool must_replay(const struct scan *s)
{
    return s->executed && !s->held_full && !s->need;
}

uint64_t scan_head(const struct scan *s)
{
    return s->head;
}

uint64_t scan_cut(const struct scan *s)
{
    return in_long_string(s) || must_replay(s) ? s->head : s->boundary;
}

void scan_write_tail(const struct scan *s, struct outbuf *out)
{
    if (in_long_string(s)) {
        if (s->state == OSC_STRING)
            outbuf_text(out, "\033]9999;");
        else
            outbuf_text(out, s->state == IGNORED_STRING ? "\033_" : "\033P9999z");
    } else if (must_replay(s)) {
        outbuf_put(out, s->held, s->held_len);
    }
}
