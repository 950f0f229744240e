#include "server/client/plain_text.h"

#include <stdlib.h>
#include <string.h>

enum { BEL = 7, BS = 8, HT = 9, LF = 10, CR = 13, CAN = 24, SUB = 26, ESC = 27, DEL = 127 };

/* --- the text ------------------------------------------------------------------------------- */

static bool reserve(struct plain_text *t, size_t n)
{
    size_t cap = t->cap > 0 ? t->cap : 256;
    char *p;

    while (cap < t->len + n + 1)
        cap *= 2;
    if (cap == t->cap)
        return true;
    p = realloc(t->text, cap);
    if (!p)
        return false;
    t->text = p;
    t->cap = cap;
    return true;
}

void plain_text_drop(struct plain_text *t, size_t n)
{
    if (n == 0)
        return;
    t->len -= n;
    memmove(t->text, t->text + n, t->len);
    t->text[t->len] = '\0';
}

/* Beyond the limit a quarter of the text goes, whole characters. */
static void keep_limit(struct plain_text *t)
{
    size_t n;

    if (t->max == 0 || t->len < t->max)
        return;
    n = t->len - t->max / 4 * 3;
    while (n < t->len && ((uint8_t)t->text[n] & 0xc0) == 0x80)
        n++;
    t->dropped += n;
    plain_text_drop(t, n);
}

static bool add(struct plain_text *t, char c)
{
    keep_limit(t);
    if (!reserve(t, 1))
        return false;
    t->text[t->len++] = c;
    t->text[t->len] = '\0';
    return true;
}

static bool end_line(struct plain_text *t)
{
    if (t->len == 0 || t->text[t->len - 1] == '\n')
        return true;
    return add(t, '\n');
}

static void take_back(struct plain_text *t)
{
    size_t n = t->len;

    if (n == 0 || t->text[n - 1] == '\n')
        return;
    do
        n--;
    while (n > 0 && ((uint8_t)t->text[n] & 0xc0) == 0x80);
    t->len = n;
    t->text[n] = '\0';
}

/* --- the bytes ------------------------------------------------------------------------------ */

static bool take_control(struct plain_text *t, uint8_t b)
{
    switch (b) {
    case ESC:
        t->state = PLAIN_ESCAPE;
        return true;
    case LF:
        return add(t, '\n');
    case CR:
        t->return_held = true;
        return true;
    case BS:
        take_back(t);
        return true;
    case HT:
        return add(t, ' ');
    default:
        return true;
    }
}

static bool take_text(struct plain_text *t, uint8_t b)
{
    if (t->return_held && b != CR) {
        t->return_held = false;
        if (b == LF)
            return add(t, '\n');
        if (!end_line(t))
            return false;
    }
    if (b < 0x20 || b == DEL)
        return take_control(t, b);
    return add(t, (char)b);
}

static void take_escape(struct plain_text *t, uint8_t b)
{
    t->string_bel = b == ']';
    if (b == '[')
        t->state = PLAIN_CSI;
    else if (b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X')
        t->state = PLAIN_STRING;
    else if (b >= 0x20 && b < 0x30)
        t->state = PLAIN_INTERMEDIATE;
    else if (b != ESC)
        t->state = PLAIN_TEXT;
}

/* What the end of a control sequence leaves in the text. */
static bool finish_csi(struct plain_text *t, uint8_t final)
{
    t->state = PLAIN_TEXT;
    if (strchr("HfABEFdJ", final))
        return end_line(t);
    if (strchr("CG`", final))
        return add(t, ' ');
    return true;
}

/* Control characters inside a sequence act as outside of it (ECMA-48, as terminals do). */
static bool take_csi(struct plain_text *t, uint8_t b)
{
    if (b == CAN || b == SUB)
        t->state = PLAIN_TEXT;
    else if (b < 0x20)
        return take_control(t, b);
    else if (b >= 0x40 && b < DEL)
        return finish_csi(t, b);
    return true;
}

static void take_string(struct plain_text *t, uint8_t b)
{
    if (b == ESC)
        t->state = PLAIN_ST;
    else if (b == CAN || b == SUB || (b == BEL && t->string_bel))
        t->state = PLAIN_TEXT;
}

static bool take(struct plain_text *t, uint8_t b)
{
    switch (t->state) {
    case PLAIN_TEXT:
        return take_text(t, b);
    case PLAIN_ST: /* ESC ends the string; what follows is `\` or begins a sequence */
        t->state = PLAIN_TEXT;
        if (b != '\\')
            take_escape(t, b);
        return true;
    case PLAIN_ESCAPE:
        take_escape(t, b);
        return true;
    case PLAIN_INTERMEDIATE:
        if (b >= 0x30 || b == CAN || b == SUB)
            t->state = PLAIN_TEXT;
        else if (b == ESC)
            t->state = PLAIN_ESCAPE;
        return true;
    case PLAIN_CSI:
        return take_csi(t, b);
    case PLAIN_STRING:
        take_string(t, b);
        return true;
    }
    return true;
}

bool plain_text_put(struct plain_text *t, const void *p, size_t n)
{
    const uint8_t *at = p;

    if (!reserve(t, 0))
        return false;
    t->text[t->len] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (!take(t, at[i]))
            return false;
    }
    return true;
}

bool plain_text_gap(struct plain_text *t)
{
    t->state = PLAIN_TEXT;
    t->return_held = false;
    return end_line(t);
}

void plain_text_clear(struct plain_text *t)
{
    free(t->text);
    memset(t, 0, sizeof *t);
}
