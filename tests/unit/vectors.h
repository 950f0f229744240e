/* Reads tests/vectors (see the README there): blocks of `name = hex` lines. Include after cmocka.h.
 * Tests run from the top of the tree. Anything malformed or missing fails the test that asked. */
#ifndef VITRINE_TESTS_VECTORS_H
#define VITRINE_TESTS_VECTORS_H

#include "proto/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR_VALUES_MAX 24

struct vector {
    char name[40];
    uint8_t *p;
    size_t len;
};

/* One block at a time; its values live until the next vectors_next() or vectors_close(). */
struct vectors {
    FILE *file;
    struct vector values[VECTOR_VALUES_MAX];
    size_t count;
};

static inline void vectors_open(struct vectors *v, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/vectors/%s", name);
    memset(v, 0, sizeof *v);
    v->file = fopen(path, "r");
    if (v->file == NULL)
        fail_msg("cannot open %s: run the tests from the top of the tree", path);
}

static inline void vectors_forget(struct vectors *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->values[i].p);
    v->count = 0;
}

static inline void vectors_close(struct vectors *v)
{
    vectors_forget(v);
    fclose(v->file);
}

static inline uint8_t vectors_nibble(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    if (at == NULL)
        fail_msg("'%c' is no hex digit", c);
    return (uint8_t)(at - digits);
}

static inline void vectors_add(struct vectors *v, const char *line)
{
    const char *equals = strstr(line, " =");
    if (equals == NULL || v->count == VECTOR_VALUES_MAX ||
        (size_t)(equals - line) >= sizeof v->values[0].name)
        fail_msg("bad vector line: %s", line);
    struct vector *x = &v->values[v->count++];
    memset(x->name, 0, sizeof x->name);
    memcpy(x->name, line, (size_t)(equals - line));
    const char *hex = equals + 2;
    hex += strspn(hex, " ");
    x->len = strlen(hex) / 2;
    assert_int_equal(strlen(hex), x->len * 2);
    x->p = malloc(x->len + 1); /* exact but for one byte, so that empty values have an address */
    assert_non_null(x->p);
    for (size_t i = 0; i < x->len; i++)
        x->p[i] = (uint8_t)(vectors_nibble(hex[2 * i]) << 4 | vectors_nibble(hex[2 * i + 1]));
}

/* Reads the next block; false at the end of the file. */
static inline bool vectors_next(struct vectors *v)
{
    char *line = NULL;
    size_t room = 0;
    vectors_forget(v);
    while (getline(&line, &room, v->file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0' && v->count > 0)
            break;
        if (line[0] != '\0' && line[0] != '#')
            vectors_add(v, line);
    }
    free(line);
    return v->count > 0;
}

static inline bool vectors_has(const struct vectors *v, const char *name)
{
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->values[i].name, name) == 0)
            return true;
    }
    return false;
}

static inline struct bytes vectors_get(const struct vectors *v, const char *name)
{
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->values[i].name, name) == 0)
            return (struct bytes){v->values[i].p, v->values[i].len};
    }
    fail_msg("no value '%s' in this block", name);
    return (struct bytes){NULL, 0};
}

/* The value as a fixed-size one, such as a key. */
static inline const uint8_t *vectors_fixed(const struct vectors *v, const char *name, size_t len)
{
    struct bytes b = vectors_get(v, name);
    assert_int_equal(b.len, len);
    return b.p;
}

static inline void assert_bytes(const uint8_t *got, size_t len, struct bytes want)
{
    assert_int_equal(len, want.len);
    if (len > 0)
        assert_memory_equal(got, want.p, len);
}

#endif
