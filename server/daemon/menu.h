/* display-menu: a box of items over the panes, each with a key; drawing and keys. */
#ifndef VITRINE_DAEMON_MENU_H
#define VITRINE_DAEMON_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct pen;

#define MENU_ITEMS_MAX 128

struct menu_item {
    char *name;    /* owned; NULL for a line between items */
    char *line;    /* commands; owned, NULL for none */
    uint32_t key;  /* keynames.h; KEY_NONE for none */
    bool disabled; /* shown, and cannot be chosen */
};

/* Embedded; a zeroed one is closed. */
struct menu {
    bool open;
    char *title; /* owned */
    struct menu_item items[MENU_ITEMS_MAX];
    size_t n;
    int at;        /* the selected item, -1 for none */
    uint16_t x, y; /* where the box begins; moved so that it fits */
};

enum menu_result {
    MENU_STAY,
    MENU_CLOSED, /* to be closed, nothing was chosen */
    MENU_TAKEN,  /* items[at] was chosen */
};

/* Adds an item; a name that is empty or NULL is a line between items, one that begins with - is
 * disabled. False when memory ran out or there are too many. */
bool menu_add(struct menu *m, const char *name, uint32_t key, const char *line);
void menu_close(struct menu *m);
/* Columns and rows of the box. */
uint16_t menu_cols(const struct menu *m);
uint16_t menu_rows(const struct menu *m);
enum menu_result menu_key(struct menu *m, uint32_t key);
/* Draws it over the first `rows` rows of f; selected is the chosen item's pen. False when it has no
 * room there. */
bool menu_draw(const struct menu *m, struct frame *f, uint16_t rows, const struct pen *selected);

#endif
