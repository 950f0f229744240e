#include "server/daemon/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/keynames.h"
#include "server/daemon/paint_frame.h"

#define LINE_BYTES  1024
#define KEYED_LINES 36 /* 0 to 9, M-a to M-z */

/* --- items ---------------------------------------------------------------------------------- */

static void free_items(struct choose_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(items[i].name);
        free(items[i].text);
        free(items[i].target);
    }
    free(items);
}

void choose_clear(struct choose *c)
{
    free_items(c->items, c->n);
    free_items(c->former, c->n_former);
    free(c->shown);
    *c = (struct choose){0};
}

void choose_begin(struct choose *c)
{
    free_items(c->former, c->n_former);
    c->former = c->items;
    c->n_former = c->n;
    c->items = NULL;
    c->n = c->cap = 0;
}

static char *printable(const char *text)
{
    size_t n = strlen(text);
    char *out = malloc(3 * n + 1);

    if (out)
        utf8_printable((const uint8_t *)text, n, out, 3 * n);
    return out;
}

static const struct choose_item *former_of(const struct choose *c, uint64_t id)
{
    for (size_t i = 0; i < c->n_former; i++) {
        if (c->former[i].id == id)
            return &c->former[i];
    }
    return NULL;
}

static bool make_room(struct choose *c)
{
    size_t cap = c->cap ? 2 * c->cap : 64;
    struct choose_item *more;

    if (c->n < c->cap)
        return true;
    more = c->n < CHOOSE_ITEMS_MAX ? realloc(c->items, cap * sizeof *more) : NULL;
    if (!more)
        return false;
    c->items = more;
    c->cap = cap;
    return true;
}

bool choose_add(struct choose *c, uint64_t id, unsigned depth, bool expanded, const char *name,
                const char *text, const char *target)
{
    const struct choose_item *former = former_of(c, id);
    struct choose_item *k;

    if (!make_room(c))
        return false;
    k = &c->items[c->n++];
    *k = (struct choose_item){.id = id,
                              .depth = depth,
                              .name = printable(name),
                              .text = printable(text),
                              .target = strdup(target),
                              .expanded = former ? former->expanded : expanded,
                              .tagged = former && former->tagged};
    return k->name && k->text && k->target;
}

/* The item's parent, or SIZE_MAX. */
static size_t parent_of(const struct choose *c, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (c->items[k].depth < c->items[i].depth)
            return k;
    }
    return SIZE_MAX;
}

static void relate(struct choose *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct choose_item *k = &c->items[i];
        size_t next = i + 1;

        k->parent = next < c->n && c->items[next].depth > k->depth;
        while (next < c->n && c->items[next].depth > k->depth)
            next++;
        k->last = next == c->n || c->items[next].depth < k->depth;
    }
}

/* Which items are lines: those in nothing that is folded. */
static void find_lines(struct choose *c)
{
    size_t *lines = realloc(c->shown, (c->n + 1) * sizeof *lines);
    unsigned folded = UINT32_MAX; /* depth of what is folded just now */

    c->n_shown = 0;
    if (!lines)
        return;
    c->shown = lines;
    for (size_t i = 0; i < c->n; i++) {
        const struct choose_item *k = &c->items[i];

        if (k->depth > folded)
            continue;
        folded = k->parent && !k->expanded ? k->depth : UINT32_MAX;
        c->shown[c->n_shown++] = i;
    }
}

/* Keeps the selected item selected, or what stands where it was. */
static void keep_place(struct choose *c)
{
    for (size_t i = 0; i < c->n_shown; i++) {
        if (c->items[c->shown[i]].id == c->selected)
            c->at = i;
    }
    if (c->at >= c->n_shown)
        c->at = c->n_shown > 0 ? c->n_shown - 1 : 0;
    c->selected = c->n_shown > 0 ? c->items[c->shown[c->at]].id : 0;
}

void choose_end(struct choose *c)
{
    free_items(c->former, c->n_former);
    c->former = NULL;
    c->n_former = 0;
    relate(c);
    find_lines(c);
    keep_place(c);
}

/* --- the selection -------------------------------------------------------------------------- */

const struct choose_item *choose_selected(const struct choose *c)
{
    return c->n_shown > 0 ? &c->items[c->shown[c->at]] : NULL;
}

const struct choose_item *choose_tagged(const struct choose *c, size_t i)
{
    for (size_t k = 0; k < c->n; k++) {
        if (c->items[k].tagged && i-- == 0)
            return &c->items[k];
    }
    return NULL;
}

static void go_to(struct choose *c, size_t line)
{
    if (c->n_shown == 0)
        return;
    c->at = line < c->n_shown ? line : c->n_shown - 1;
    c->selected = c->items[c->shown[c->at]].id;
}

void choose_select(struct choose *c, uint64_t id)
{
    size_t i = 0;

    while (i < c->n && c->items[i].id != id)
        i++;
    if (i == c->n)
        return;
    for (size_t up = parent_of(c, i); up != SIZE_MAX; up = parent_of(c, up))
        c->items[up].expanded = true;
    c->selected = id;
    find_lines(c);
    keep_place(c);
}

bool choose_search(struct choose *c, const char *text)
{
    size_t from = c->n_shown > 0 ? c->shown[c->at] : 0;

    for (size_t i = 1; i <= c->n; i++) {
        const struct choose_item *k = &c->items[(from + i) % c->n];

        if (!strstr(k->name, text) && !strstr(k->text, text))
            continue;
        choose_select(c, k->id);
        return true;
    }
    return false;
}

/* --- keys ----------------------------------------------------------------------------------- */

static void move(struct choose *c, long by)
{
    long n = (long)c->n_shown, to = (long)c->at + by;

    if (n == 0)
        return;
    if (by == 1 || by == -1) /* by one it goes round, by pages it stops */
        to = (to + n) % n;
    go_to(c, (size_t)(to < 0 ? 0 : to >= n ? n - 1 : to));
}

/* Folds or unfolds; an item that has nothing to fold is left for its parent. */
static void fold(struct choose *c, bool expand)
{
    struct choose_item *k = c->n_shown > 0 ? &c->items[c->shown[c->at]] : NULL;

    if (!k)
        return;
    if (expand || (k->parent && k->expanded)) {
        if (expand && (!k->parent || k->expanded))
            move(c, 1);
        k->expanded = expand;
    } else {
        size_t up = parent_of(c, c->shown[c->at]);

        if (up == SIZE_MAX) {
            move(c, -1);
        } else {
            c->items[up].expanded = false;
            c->selected = c->items[up].id;
        }
    }
    find_lines(c);
    keep_place(c);
}

static void fold_all(struct choose *c, bool expand)
{
    size_t top = c->n_shown > 0 ? c->shown[c->at] : 0;

    for (size_t i = 0; i < c->n; i++)
        c->items[i].expanded = expand;
    while (!expand && c->n > 0 && parent_of(c, top) != SIZE_MAX)
        top = parent_of(c, top);
    if (c->n > 0)
        c->selected = c->items[top].id;
    find_lines(c);
    keep_place(c);
}

static void tag_all(struct choose *c, bool tagged)
{
    for (size_t i = 0; i < c->n; i++)
        c->items[i].tagged = tagged && c->items[i].depth == 0;
}

/* As in tmux what an item is in, and what is in it, is not tagged beside it. */
static void tag(struct choose *c)
{
    size_t i = c->n_shown > 0 ? c->shown[c->at] : 0;

    if (c->n_shown == 0)
        return;
    if (!c->items[i].tagged) {
        for (size_t up = parent_of(c, i); up != SIZE_MAX; up = parent_of(c, up))
            c->items[up].tagged = false;
        for (size_t k = i + 1; k < c->n && c->items[k].depth > c->items[i].depth; k++)
            c->items[k].tagged = false;
    }
    c->items[i].tagged = !c->items[i].tagged;
    if (c->at + 1 < c->n_shown)
        move(c, 1);
}

/* The line that a key names; SIZE_MAX for none. */
static size_t line_of_key(uint32_t key)
{
    if (key >= '0' && key <= '9')
        return key - '0';
    key ^= KEY_META;
    return key >= 'a' && key <= 'z' ? key - 'a' + 10 : SIZE_MAX;
}

enum action {
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    FIRST,
    LAST,
    FOLD,
    UNFOLD,
    FOLD_ALL,
    UNFOLD_ALL,
    TAG,
    TAG_NONE,
    TAG_ALL,
    TAKE,
    CLOSE,
    NOTHING
};

static enum action action_of(uint32_t key)
{
    static const struct {
        const char *key;
        enum action action;
    } keys[] = {
        {"Up", UP},           {"k", UP},           {"C-p", UP},        {"Down", DOWN},
        {"j", DOWN},          {"C-n", DOWN},       {"PPage", PAGE_UP}, {"C-b", PAGE_UP},
        {"NPage", PAGE_DOWN}, {"C-f", PAGE_DOWN},  {"g", FIRST},       {"Home", FIRST},
        {"G", LAST},          {"End", LAST},       {"Left", FOLD},     {"h", FOLD},
        {"-", FOLD},          {"Right", UNFOLD},   {"l", UNFOLD},      {"+", UNFOLD},
        {"M--", FOLD_ALL},    {"M-+", UNFOLD_ALL}, {"t", TAG},         {"T", TAG_NONE},
        {"C-t", TAG_ALL},     {"Enter", TAKE},     {"q", CLOSE},       {"Escape", CLOSE},
        {"C-c", CLOSE},       {"C-g", CLOSE},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (key == keynames_parse(keys[i].key))
            return keys[i].action;
    }
    return NOTHING;
}

static void act(struct choose *c, enum action action, uint16_t rows)
{
    long page = rows > 1 ? rows - 1 : 1;

    if (action == UP || action == DOWN)
        move(c, action == UP ? -1 : 1);
    else if (action == PAGE_UP || action == PAGE_DOWN)
        move(c, action == PAGE_UP ? -page - (page == 1) : page + (page == 1));
    else if (action == FIRST || action == LAST)
        go_to(c, action == FIRST ? 0 : SIZE_MAX);
    else if (action == FOLD || action == UNFOLD)
        fold(c, action == UNFOLD);
    else if (action == FOLD_ALL || action == UNFOLD_ALL)
        fold_all(c, action == UNFOLD_ALL);
    else if (action == TAG)
        tag(c);
    else
        tag_all(c, action == TAG_ALL);
}

enum choose_result choose_key(struct choose *c, uint32_t key, uint16_t rows)
{
    size_t line = line_of_key(key);
    enum action action = action_of(key);

    if (line != SIZE_MAX) {
        if (line >= c->n_shown)
            return CHOOSE_STAY;
        go_to(c, line);
        return CHOOSE_TAKEN;
    }
    if (action == NOTHING)
        return CHOOSE_OTHER;
    if (action == CLOSE)
        return CHOOSE_CLOSED;
    if (action == TAKE)
        return c->n_shown > 0 ? CHOOSE_TAKEN : CHOOSE_STAY;
    act(c, action, rows);
    return CHOOSE_STAY;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void key_text(size_t line, char out[16])
{
    if (line < 10)
        snprintf(out, 16, "(%zu)", line);
    else if (line < KEYED_LINES)
        snprintf(out, 16, "(M-%c)", (char)('a' + line - 10));
    else
        out[0] = '\0';
}

/* The lines of the tree in front of an item, and whether it folds. */
static void tree_text(const struct choose *c, size_t i, char *out, size_t cap)
{
    const struct choose_item *k = &c->items[i];
    const char *sign = !k->parent ? "  " : k->expanded ? "- " : "+ ";
    size_t up = parent_of(c, i), n = 0;
    bool flat = true;

    for (size_t m = 0; m < c->n; m++)
        flat = flat && c->items[m].depth == 0 && !c->items[m].parent;
    out[0] = '\0';
    if (flat)
        return;
    if (k->depth > 0) {
        for (unsigned d = 1; d < k->depth && n + 16 < cap; d++)
            n += (size_t)snprintf(out + n, cap - n, "%s",
                                  up != SIZE_MAX && c->items[up].last ? "    " : "│   ");
        n += (size_t)snprintf(out + n, cap - n, "%s", k->last ? "└─> " : "├─> ");
    }
    snprintf(out + n, cap - n, "%s", sign);
}

static void draw_line(const struct choose *c, struct frame *f, uint16_t row, size_t line,
                      int key_cols, const struct pen *pen)
{
    const struct choose_item *k = &c->items[c->shown[line]];
    char key[16], tree[256], text[LINE_BYTES];

    key_text(line, key);
    tree_text(c, c->shown[line], tree, sizeof tree);
    snprintf(text, sizeof text, "%-*s%s%s%s%s%s", key_cols, key, tree, k->name,
             k->tagged ? "*" : "", *k->text ? ": " : "", k->text);
    frame_fill(f, row, 0, f->cols, pen);
    frame_text(f, row, 0, f->cols, pen, text, strlen(text));
}

void choose_draw(struct choose *c, struct frame *f, uint16_t rows, const struct pen *selected)
{
    int key_cols = c->n_shown > 10 ? 6 : 4;

    if (c->at < c->top)
        c->top = c->at;
    if (rows > 0 && c->at >= c->top + rows)
        c->top = c->at - rows + 1;
    if (c->top + rows > c->n_shown)
        c->top = c->n_shown > rows ? c->n_shown - rows : 0;
    for (uint16_t row = 0; row < rows; row++) {
        size_t line = c->top + row;

        frame_blank_row(f, row);
        if (line < c->n_shown)
            draw_line(c, f, row, line, key_cols, line == c->at ? selected : &frame_pen_default);
    }
}
