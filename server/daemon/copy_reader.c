/* Characters, words and ends of lines, over lines that may be wrapped. A spot behind the last
 * character of a line is a blank; so is everything that was never written. */
#include "server/daemon/copy_state.h"

#include <string.h>

#include "proto/utf8.h"

#define BLANK " "

bool copy_is_half(struct copy *c, struct copy_spot at)
{
    return at.x < UINT16_MAX && line_text_is_half(copy_line(c, at.y), (uint16_t)at.x);
}

static const char *cell(struct copy *c, struct copy_spot at, size_t *n)
{
    *n = 1;
    if (at.x >= c->cols)
        return BLANK;
    return line_text_cell(copy_line(c, at.y), (uint16_t)at.x, n);
}

bool copy_in_set(struct copy *c, struct copy_spot at, const char *set)
{
    size_t n, len = strlen(set);
    const char *text = cell(c, at, &n);
    uint32_t cp;

    for (size_t i = 0; n > 0 && i < len;) {
        size_t used = utf8_decode((const uint8_t *)set + i, len - i, &cp);

        used = used ? used : 1;
        if (used == n && memcmp(set + i, text, n) == 0)
            return true;
        i += used;
    }
    return false;
}

/* --- one step ------------------------------------------------------------------------------- */

static void leave_half(struct copy *c, struct copy_spot *at)
{
    while (at->x > 0 && copy_is_half(c, *at))
        at->x--;
}

void copy_read_up(struct copy *c, struct copy_spot *at)
{
    if (at->y == 0)
        return;
    at->y--;
    leave_half(c, at);
}

void copy_read_down(struct copy *c, struct copy_spot *at)
{
    if (at->y >= copy_last_line(c))
        return;
    at->y++;
    leave_half(c, at);
}

void copy_read_left(struct copy *c, struct copy_spot *at, bool wrap)
{
    leave_half(c, at);
    if (at->x == 0 && at->y > 0 && (wrap || copy_goes_on(c, at->y - 1))) {
        copy_read_up(c, at);
        copy_read_line_end(c, at, false, false);
    } else if (at->x > 0) {
        at->x--;
        leave_half(c, at);
    }
}

void copy_read_right(struct copy *c, struct copy_spot *at, bool wrap, bool all)
{
    uint32_t end = all ? c->cols : copy_length(c, at->y);

    if (wrap && at->x >= end && at->y < copy_last_line(c)) {
        at->x = 0;
        copy_read_down(c, at);
    } else if (at->x < end) {
        do
            at->x++;
        while (at->x < end && copy_is_half(c, *at));
    }
}

void copy_read_line_start(struct copy *c, struct copy_spot *at, bool wrap)
{
    while (wrap && at->y > 0 && copy_goes_on(c, at->y - 1))
        at->y--;
    at->x = 0;
}

void copy_read_line_end(struct copy *c, struct copy_spot *at, bool wrap, bool all)
{
    while (wrap && at->y < copy_last_line(c) && copy_goes_on(c, at->y))
        at->y++;
    at->x = all ? c->cols : copy_length(c, at->y);
}

void copy_read_indentation(struct copy *c, struct copy_spot *at)
{
    struct copy_spot first = *at, i;

    copy_read_line_start(c, &first, true);
    for (i.y = first.y; i.y <= copy_last_line(c); i.y++) {
        uint32_t end = copy_length(c, i.y);

        for (i.x = 0; i.x < end; i.x++) {
            if (copy_in_set(c, i, BLANK))
                continue;
            *at = i;
            return;
        }
        if (!copy_goes_on(c, i.y))
            return;
    }
}

/* --- words ---------------------------------------------------------------------------------- */

/* The last column of a line that belongs to it: a wrapped word is not broken, and a line that ends
 * is followed by a blank. */
static uint32_t last_column(struct copy *c, uint32_t y)
{
    uint32_t used;

    if (!copy_goes_on(c, y))
        return copy_length(c, y);
    used = copy_line(c, y)->used;
    return used + 1 >= c->cols ? c->cols - 1u : used > 0 ? used - 1 : 0;
}

/* Goes on in the next line when the spot has left this one. False at the end of everything. */
static bool wrap(struct copy *c, struct copy_spot *at, uint32_t *last)
{
    while (at->x > *last) {
        if (at->y >= copy_last_line(c))
            return false;
        at->x = 0;
        copy_read_down(c, at);
        *last = last_column(c, at->y);
    }
    return true;
}

static bool is_separator(struct copy *c, struct copy_spot at, const char *separators)
{
    return copy_in_set(c, at, separators) && !copy_in_set(c, at, BLANK);
}

static bool is_letter(struct copy *c, struct copy_spot at, const char *separators)
{
    return !copy_in_set(c, at, separators) && !copy_in_set(c, at, BLANK);
}

/* Over the run of separators, or of other characters, that the spot is in. False at the end of
 * everything. */
static bool pass_word(struct copy *c, struct copy_spot *at, uint32_t *last, const char *separators)
{
    bool separator = is_separator(c, *at, separators);
    bool more;

    do {
        at->x++;
        more = wrap(c, at, last);
    } while (more && (separator ? is_separator : is_letter)(c, *at, separators));
    return more;
}

void copy_read_next_word(struct copy *c, struct copy_spot *at, const char *separators)
{
    uint32_t last = last_column(c, at->y);

    if (!wrap(c, at, &last))
        return;
    if (!copy_in_set(c, *at, BLANK) && !pass_word(c, at, &last, separators))
        return;
    while (wrap(c, at, &last) && copy_in_set(c, *at, BLANK))
        at->x++;
}

void copy_read_word_end(struct copy *c, struct copy_spot *at, const char *separators)
{
    uint32_t last = last_column(c, at->y);

    while (wrap(c, at, &last)) {
        if (!copy_in_set(c, *at, BLANK)) {
            pass_word(c, at, &last, separators);
            return;
        }
        at->x++;
    }
}

/* True when there is a blank before the end of a line. */
static bool ends_in_blank(struct copy *c, struct copy_spot at)
{
    if (at.x == 0)
        return false;
    at.x--;
    return copy_in_set(c, at, BLANK);
}

/* Back to the last character of the word before. False when there is none. *letters: what kind it
 * is. */
static bool find_word_before(struct copy *c, struct copy_spot *at, const char *separators,
                             bool stop_at_end, bool *letters)
{
    for (;;) {
        if (at->x > 0) {
            at->x--;
            if (copy_in_set(c, *at, BLANK))
                continue;
            *letters = !copy_in_set(c, *at, separators);
            return true;
        }
        if (at->y == 0)
            return false;
        copy_read_up(c, at);
        copy_read_line_end(c, at, false, false);
        if (stop_at_end && ends_in_blank(c, *at)) {
            *letters = false;
            return true;
        }
    }
}

void copy_read_previous_word(struct copy *c, struct copy_spot *at, const char *separators,
                             bool already, bool stop_at_end)
{
    bool letters = !copy_in_set(c, *at, separators);
    struct copy_spot before;

    if ((already || copy_in_set(c, *at, BLANK)) &&
        !find_word_before(c, at, separators, stop_at_end, &letters))
        return;
    do {
        before = *at;
        if (at->x == 0) {
            if (at->y == 0 || !copy_goes_on(c, at->y - 1))
                break;
            copy_read_up(c, at);
            copy_read_line_end(c, at, false, true);
        }
        if (at->x > 0)
            at->x--;
    } while (!copy_in_set(c, *at, BLANK) && letters != copy_in_set(c, *at, separators));
    *at = before;
}

/* --- one character -------------------------------------------------------------------------- */

static bool is_text(struct copy *c, struct copy_spot at, const char *text)
{
    size_t n;
    const char *p = cell(c, at, &n);

    return n > 0 && n == strlen(text) && memcmp(p, text, n) == 0;
}

bool copy_read_find(struct copy *c, struct copy_spot *at, const char *text)
{
    struct copy_spot i = *at;

    for (;; i.y++, i.x = 0) {
        for (uint32_t end = copy_length(c, i.y); i.x < end; i.x++) {
            if (!is_text(c, i, text))
                continue;
            *at = i;
            return true;
        }
        if (i.y >= copy_last_line(c) || !copy_goes_on(c, i.y))
            return false;
    }
}

bool copy_read_find_back(struct copy *c, struct copy_spot *at, const char *text)
{
    struct copy_spot i = {at->x + 1, at->y};

    for (;;) {
        while (i.x > 0) {
            i.x--;
            if (!is_text(c, i, text))
                continue;
            *at = i;
            return true;
        }
        if (i.y == 0 || !copy_goes_on(c, i.y - 1))
            return false;
        i.y--;
        i.x = copy_length(c, i.y);
    }
}
