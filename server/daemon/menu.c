#include "server/daemon/menu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/keynames.h"
#include "server/daemon/paint_frame.h"

#define KEY_GAP 2 /* columns between a name and its key */

static const struct pen pen_disabled = {.flags = PEN_DIM};
static const struct pen pen_title = {.flags = PEN_BOLD};

bool menu_add(struct menu *m, const char *name, uint32_t key, const char *line)
{
    struct menu_item *k = m->n < MENU_ITEMS_MAX ? &m->items[m->n] : NULL;
    bool rule = !name || !*name;

    if (!k)
        return false;
    *k = (struct menu_item){.key = KEY_NONE};
    m->n++;
    if (rule)
        return true;
    k->disabled = name[0] == '-';
    k->name = strdup(name + k->disabled);
    k->line = strdup(line);
    k->key = key;
    return k->name && k->line;
}

void menu_close(struct menu *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->items[i].name);
        free(m->items[i].line);
    }
    free(m->title);
    *m = (struct menu){.open = false};
}

/* --- measuring ------------------------------------------------------------------------------ */

static uint16_t key_cols(const struct menu_item *k, char text[KEYNAMES_TEXT_MAX + 3])
{
    char name[KEYNAMES_TEXT_MAX];

    text[0] = '\0';
    if (k->key == KEY_NONE)
        return 0;
    keynames_text(k->key, name);
    return (uint16_t)snprintf(text, KEYNAMES_TEXT_MAX + 3, "(%s)", name);
}

uint16_t menu_cols(const struct menu *m)
{
    uint16_t cols = m->title ? frame_text_cols(m->title, strlen(m->title)) : 0;
    char text[KEYNAMES_TEXT_MAX + 3];

    for (size_t i = 0; i < m->n; i++) {
        const struct menu_item *k = &m->items[i];
        uint16_t key = key_cols(k, text), n = 0;

        if (k->name)
            n = (uint16_t)(frame_text_cols(k->name, strlen(k->name)) + (key ? KEY_GAP + key : 0));
        cols = n > cols ? n : cols;
    }
    return (uint16_t)(cols + 4);
}

uint16_t menu_rows(const struct menu *m)
{
    return (uint16_t)(m->n + 2);
}

/* --- keys ----------------------------------------------------------------------------------- */

static bool can_be_chosen(const struct menu *m, int i)
{
    return i >= 0 && (size_t)i < m->n && m->items[i].name && !m->items[i].disabled;
}

/* The next item that can be chosen, going round; stays where there is none. */
static void move(struct menu *m, int by)
{
    int n = (int)m->n, at = m->at < 0 && by < 0 ? n : m->at;

    for (int i = 0; i < n; i++) {
        at = (at + by + n) % n;
        if (!can_be_chosen(m, at))
            continue;
        m->at = at;
        return;
    }
}

static bool is(uint32_t key, const char *name)
{
    return key == keynames_parse(name);
}

enum menu_result menu_key(struct menu *m, uint32_t key)
{
    for (size_t i = 0; i < m->n && key != KEY_NONE; i++) {
        if (m->items[i].key != key || !can_be_chosen(m, (int)i))
            continue;
        m->at = (int)i;
        return MENU_TAKEN;
    }
    if (is(key, "Up") || is(key, "k") || is(key, "BTab"))
        move(m, -1);
    else if (is(key, "Down") || is(key, "j") || is(key, "Tab"))
        move(m, 1);
    else if (is(key, "Enter"))
        return can_be_chosen(m, m->at) ? MENU_TAKEN : MENU_CLOSED;
    else if (is(key, "q") || is(key, "Escape") || is(key, "C-c") || is(key, "C-g"))
        return MENU_CLOSED;
    return MENU_STAY;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void draw_edge(struct frame *f, uint16_t row, uint16_t x, uint16_t cols, const char *parts)
{
    for (uint16_t i = 0; i < cols; i++) {
        const char *part = parts + 3 * (i == 0 ? 0 : i + 1 == cols ? 2 : 1);

        frame_text(f, row, (uint16_t)(x + i), f->cols, &frame_pen_default, part, 3);
    }
}

static void draw_item(struct frame *f, const struct menu_item *k, uint16_t row, uint16_t x,
                      uint16_t cols, const struct pen *pen)
{
    char key[KEYNAMES_TEXT_MAX + 3];
    uint16_t n = key_cols(k, key), end = (uint16_t)(x + cols - 2);

    frame_fill(f, row, x, cols, &frame_pen_default);
    frame_text(f, row, x, f->cols, &frame_pen_default, "│", 3);
    frame_text(f, row, (uint16_t)(x + cols - 1), f->cols, &frame_pen_default, "│", 3);
    frame_fill(f, row, (uint16_t)(x + 1), (uint16_t)(cols - 2), pen);
    frame_text(f, row, (uint16_t)(x + 2), end, pen, k->name, strlen(k->name));
    if (n > 0)
        frame_text(f, row, (uint16_t)(end - n), end, pen, key, n);
}

bool menu_draw(const struct menu *m, struct frame *f, uint16_t rows, const struct pen *selected)
{
    uint16_t cols = menu_cols(m), high = menu_rows(m), x = m->x, y = m->y;

    if (cols > f->cols || high > rows)
        return false;
    x = x + cols > f->cols ? (uint16_t)(f->cols - cols) : x;
    y = y + high > rows ? (uint16_t)(rows - high) : y;
    draw_edge(f, y, x, cols, "┌─┐");
    if (m->title) {
        uint16_t n = frame_text_cols(m->title, strlen(m->title));

        frame_text(f, y, (uint16_t)(x + (cols - n) / 2), (uint16_t)(x + cols - 1), &pen_title,
                   m->title, strlen(m->title));
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct menu_item *k = &m->items[i];
        uint16_t row = (uint16_t)(y + 1 + i);

        f->wraps[row] = false;
        if (!k->name)
            draw_edge(f, row, x, cols, "├─┤");
        else
            draw_item(f, k, row, x, cols,
                      (int)i == m->at ? selected
                      : k->disabled   ? &pen_disabled
                                      : &frame_pen_default);
    }
    draw_edge(f, (uint16_t)(y + high - 1), x, cols, "└─┘");
    f->cursor.visible = false;
    return true;
}
