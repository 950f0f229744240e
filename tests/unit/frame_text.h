/* A frame's rows as text, for tests. */
#ifndef VITRINE_TEST_FRAME_TEXT_H
#define VITRINE_TEST_FRAME_TEXT_H

#include <stddef.h>
#include <string.h>

#include "server/daemon/paint_frame.h"

#define ROW_TEXT_MAX 4096

/* The text of a row without its trailing blanks; static, until the next call. */
static inline const char *row_text(const struct frame *f, uint16_t row)
{
    static char text[ROW_TEXT_MAX];
    size_t n = 0;

    for (uint16_t x = 0; x < f->cols; x++) {
        const struct cell *c = &frame_row(f, row)[x];
        memcpy(text + n, c->text, c->len);
        n += c->len;
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    return text;
}

/* True when some row holds text. */
static inline bool frame_has(const struct frame *f, const char *text)
{
    for (uint16_t row = 0; row < f->rows; row++)
        if (strstr(row_text(f, row), text))
            return true;
    return false;
}

#endif
