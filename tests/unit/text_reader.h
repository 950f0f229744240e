/* Reads and writes the values of proto/vectors/ (their grammar is at the top of each file). Shared
 * by the tests of the message tables and of links; small enough to live in a header. */
#ifndef VITRINE_TESTS_TEXT_READER_H
#define VITRINE_TESTS_TEXT_READER_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "proto/buf.h"

#define TEXT_LINE_MAX  (256u << 10)
#define TEXT_ITEMS_MAX 16

/* A line being read, and the room that what it holds is put into. A wrong line fails the test. */
struct text_reader {
    const char *p;
    size_t used;
    uint64_t room[TEXT_LINE_MAX / 8];
};

static inline void *text_room(struct text_reader *t, size_t n)
{
    void *out = (uint8_t *)t->room + t->used;

    t->used += (n + 7) / 8 * 8;
    assert_true(t->used <= sizeof t->room);
    return out;
}

static inline void text_begin(struct text_reader *t, const char *line)
{
    t->p = line;
    t->used = 0;
}

static inline bool text_skip(struct text_reader *t, const char *what)
{
    size_t n = strlen(what);

    if (strncmp(t->p, what, n) != 0)
        return false;
    t->p += n;
    return true;
}

static inline void text_expect(struct text_reader *t, const char *what)
{
    if (!text_skip(t, what))
        fail_msg("expected \"%s\" at \"%.40s\"", what, t->p);
}

/* The blank before a field, which the first one of a list's item does not have, and `name=`. */
static inline void text_name(struct text_reader *t, const char *name)
{
    text_skip(t, " ");
    text_expect(t, name);
    text_expect(t, "=");
}

static inline uint64_t text_number(struct text_reader *t)
{
    char *end;
    uint64_t v = strtoull(t->p, &end, 10);

    assert_true(end != t->p);
    t->p = end;
    return v;
}

static inline int text_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

static inline struct bytes text_hex(struct text_reader *t)
{
    size_t n = 0;
    uint8_t *out;

    text_expect(t, "x");
    while (text_digit(t->p[n]) >= 0)
        n++;
    assert_int_equal(n % 2, 0);
    out = text_room(t, n / 2);
    for (size_t i = 0; i < n / 2; i++)
        out[i] = (uint8_t)(text_digit(t->p[2 * i]) << 4 | text_digit(t->p[2 * i + 1]));
    t->p += n;
    return (struct bytes){out, n / 2};
}

static inline char text_escape(struct text_reader *t)
{
    if (*t->p != 'u')
        return *t->p++;
    t->p += 5;
    return (char)(text_digit(t->p[-2]) << 4 | text_digit(t->p[-1]));
}

static inline struct bytes text_string(struct text_reader *t)
{
    char *out = text_room(t, strlen(t->p));
    size_t n = 0;

    text_expect(t, "\"");
    while (*t->p != '"') {
        char c = *t->p++;

        assert_true(c != '\0');
        out[n++] = c == '\\' ? text_escape(t) : c;
    }
    t->p++;
    return (struct bytes){(uint8_t *)out, n};
}

static inline void text_put(struct wbuf *w, const char *text)
{
    wbuf_put(w, text, strlen(text));
}

static inline void text_put_number(struct wbuf *w, uint64_t v)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
    text_put(w, digits);
}

static inline void text_put_hex(struct wbuf *w, struct bytes b)
{
    static const char digits[] = "0123456789abcdef";

    text_put(w, "x");
    for (size_t i = 0; i < b.len; i++) {
        wbuf_u8(w, (uint8_t)digits[b.p[i] >> 4]);
        wbuf_u8(w, (uint8_t)digits[b.p[i] & 15]);
    }
}

static inline void text_put_string(struct wbuf *w, struct bytes b)
{
    text_put(w, "\"");
    for (size_t i = 0; i < b.len; i++) {
        uint8_t c = b.p[i];
        char escape[8];

        if (c < 0x20 || c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            text_put(w, escape);
            continue;
        }
        if (c == '"' || c == '\\')
            wbuf_u8(w, '\\');
        wbuf_u8(w, c);
    }
    text_put(w, "\"");
}

/* Reads the vector file at path, calls each() for every line that says something. Returns how many
 * there were. */
static inline size_t text_each_line(const char *path, void (*each)(const char *line))
{
    static char line[TEXT_LINE_MAX];
    FILE *f = fopen(path, "r");
    size_t n = 0;

    if (!f)
        fail_msg("cannot read %s: run from the top folder", path);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        each(line);
        n++;
    }
    fclose(f);
    return n;
}

#endif
