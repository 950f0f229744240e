#include "server/daemon/line_text.h"

#include <stdlib.h>

#define CELLS_FIRST 256u

void line_text_clear(struct line_text *t)
{
    outbuf_clear(&t->text);
    free(t->at);
    *t = (struct line_text){0};
}

void line_text_begin(struct line_text *t)
{
    outbuf_reset(&t->text);
    t->used = 0;
    t->goes_on = false;
}

/* Room for n cells more and the offset of the end. */
static bool grow(struct line_text *t, uint32_t n)
{
    uint32_t cap = t->cap ? t->cap : CELLS_FIRST;
    uint32_t *at;

    if (t->used + n + 1 <= t->cap)
        return true;
    while (cap < t->used + n + 1)
        cap *= 2;
    at = realloc(t->at, cap * sizeof *at);
    if (!at)
        return false;
    t->at = at;
    t->cap = cap;
    return true;
}

static void join(struct line_text *t, const char *utf8, size_t n)
{
    bool half = t->used > 1 && t->at[t->used - 1] == (uint32_t)t->text.len;

    outbuf_put(&t->text, utf8, n);
    if (half)
        t->at[t->used - 1] = (uint32_t)t->text.len;
}

void line_text_put(struct line_text *t, const char *utf8, size_t n, unsigned width)
{
    if (width == 0) {
        if (t->used > 0)
            join(t, utf8, n);
        return;
    }
    if (!grow(t, width) || t->used > UINT16_MAX - 2)
        return;
    t->at[t->used++] = (uint32_t)t->text.len;
    outbuf_put(&t->text, utf8, n);
    if (width == 2)
        t->at[t->used++] = (uint32_t)t->text.len;
}

void line_text_put_ascii(struct line_text *t, const char *p, size_t n)
{
    uint32_t begin = (uint32_t)t->text.len;

    if (n > UINT16_MAX - 2u - t->used || !grow(t, (uint32_t)n))
        return;
    for (size_t i = 0; i < n; i++)
        t->at[t->used + i] = begin + (uint32_t)i;
    t->used = (uint16_t)(t->used + n);
    outbuf_put(&t->text, p, n);
}

void line_text_pad(struct line_text *t, uint16_t col)
{
    while (t->used < col && grow(t, 1)) {
        t->at[t->used++] = (uint32_t)t->text.len;
        outbuf_byte(&t->text, ' ');
    }
}

void line_text_end(struct line_text *t)
{
    if (t->text.bad || !grow(t, 0)) {
        outbuf_reset(&t->text);
        t->used = 0;
    }
    if (grow(t, 0))
        t->at[t->used] = (uint32_t)t->text.len;
}

const char *line_text_cell(const struct line_text *t, uint16_t col, size_t *n)
{
    *n = 1;
    if (col >= t->used)
        return " ";
    *n = t->at[col + 1] - t->at[col];
    return (const char *)t->text.p + t->at[col];
}

bool line_text_is_half(const struct line_text *t, uint16_t col)
{
    return col < t->used && t->at[col + 1] == t->at[col];
}

uint16_t line_text_length(const struct line_text *t)
{
    uint16_t n = t->used;
    size_t len;

    while (n > 0) {
        const char *cell = line_text_cell(t, (uint16_t)(n - 1), &len);

        if (len != 1 || *cell != ' ')
            break;
        n--;
    }
    return n;
}

uint16_t line_text_column(const struct line_text *t, uint32_t byte)
{
    uint16_t low = 0, high = t->used;

    while (low + 1 < high) { /* the last cell that does not begin behind the byte */
        uint16_t middle = (uint16_t)((low + high) / 2);

        if (t->at[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return byte >= t->text.len ? t->used : low;
}
