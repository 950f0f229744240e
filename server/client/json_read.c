#include "server/client/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

void json_read_init(struct json_read *r, const char *text, size_t n)
{
    r->p = text;
    r->end = text + n;
    r->bad = false;
}

static char peek(struct json_read *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p != '\0')
        r->p++;
    if (r->bad || r->p == r->end) {
        r->bad = true;
        return '\0';
    }
    return *r->p;
}

static bool take(struct json_read *r, char c)
{
    if (peek(r) != c || r->bad) {
        r->bad = true;
        return false;
    }
    r->p++;
    return true;
}

void json_read_enter(struct json_read *r, char open)
{
    take(r, open);
}

bool json_read_more(struct json_read *r, char close, size_t *n)
{
    char c = peek(r);

    if (r->bad)
        return false;
    if (c == close) {
        r->p++;
        return false;
    }
    if (*n > 0 && !take(r, ','))
        return false;
    (*n)++;
    return true;
}

/* --- strings -------------------------------------------------------------------------------- */

static uint32_t take_hex(struct json_read *r)
{
    uint32_t v = 0;

    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *d = r->p < r->end && *r->p ? strchr(digits, *r->p) : NULL;

        if (!d) {
            r->bad = true;
            return 0;
        }
        v = v * 16 + (uint32_t)(d - digits) % 16;
        r->p++;
    }
    return v;
}

/* The code point behind `\u`, also one written as two halves. */
static uint32_t take_code_point(struct json_read *r)
{
    uint32_t v = take_hex(r), low;

    if (v < 0xd800 || v > 0xdbff)
        return v;
    if (r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u') {
        r->bad = true;
        return 0;
    }
    r->p += 2;
    low = take_hex(r);
    if (low < 0xdc00 || low > 0xdfff)
        r->bad = true;
    return 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
}

/* What stands behind a backslash; returns the bytes written to out. */
static size_t take_escape(struct json_read *r, uint8_t out[UTF8_MAX_BYTES])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = r->p < r->end && *r->p ? strchr(from, *r->p) : NULL;
    uint32_t v;

    if (at) {
        r->p++;
        out[0] = (uint8_t)to[at - from];
        return 1;
    }
    if (r->p == r->end || *r->p != 'u') {
        r->bad = true;
        return 0;
    }
    r->p++;
    v = take_code_point(r);
    if (r->bad || v == 0 || (v >= 0xd800 && v <= 0xdfff)) {
        r->bad = true;
        return 0;
    }
    return utf8_encode(v, out);
}

/* Writes a string's text to out, at most cap bytes with the NUL (out NULL: nowhere). Returns how
 * long it is. */
static size_t take_text(struct json_read *r, char *out, size_t cap)
{
    size_t n = 0;

    if (!take(r, '"'))
        return 0;
    while (!r->bad && r->p < r->end && *r->p != '"') {
        uint8_t piece[UTF8_MAX_BYTES] = {(uint8_t)*r->p++};
        size_t len = piece[0] == '\\' ? take_escape(r, piece) : 1;

        if (piece[0] < 0x20 && len == 1 && r->p[-1] == (char)piece[0])
            r->bad = true; /* a control character as it is */
        for (size_t i = 0; i < len; i++, n++) {
            if (out && n + 1 < cap)
                out[n] = (char)piece[i];
        }
    }
    if (out)
        out[n < cap ? n : cap - 1] = '\0';
    if (r->p == r->end)
        r->bad = true;
    if (!r->bad)
        r->p++;
    return n;
}

void json_read_name(struct json_read *r, char name[static JSON_NAME_MAX])
{
    name[0] = '\0';
    take_text(r, name, JSON_NAME_MAX);
    take(r, ':');
}

char *json_read_string(struct json_read *r)
{
    struct json_read measure = *r;
    size_t n = take_text(&measure, NULL, 0);
    char *text = measure.bad ? NULL : malloc(n + 1);

    if (!text) {
        r->bad = true;
        return NULL;
    }
    take_text(r, text, n + 1);
    return text;
}

/* --- other values --------------------------------------------------------------------------- */

uint32_t json_read_number(struct json_read *r)
{
    uint64_t v = 0;
    int digits = 0;

    peek(r);
    while (!r->bad && r->p < r->end && *r->p >= '0' && *r->p <= '9' && digits < 11) {
        v = v * 10 + (uint64_t)(*r->p++ - '0');
        digits++;
    }
    if (digits == 0 || v > UINT32_MAX || (r->p < r->end && strchr(".eE", *r->p) && *r->p))
        r->bad = true;
    return r->bad ? 0 : (uint32_t)v;
}

static void skip_word(struct json_read *r)
{
    const char *start = r->p;

    while (r->p < r->end && *r->p && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *r->p))
        r->p++;
    if (r->p == start)
        r->bad = true;
}

static void skip(struct json_read *r, int depth)
{
    char c = peek(r), close = c == '{' ? '}' : ']';
    char name[JSON_NAME_MAX];
    size_t n = 0;

    if (depth > JSON_DEPTH_MAX)
        r->bad = true;
    if (r->bad)
        return;
    if (c == '"') {
        take_text(r, NULL, 0);
        return;
    }
    if (c != '{' && c != '[') {
        skip_word(r);
        return;
    }
    r->p++;
    while (json_read_more(r, close, &n)) {
        if (c == '{')
            json_read_name(r, name);
        skip(r, depth + 1);
    }
}

void json_read_skip(struct json_read *r)
{
    skip(r, 0);
}
