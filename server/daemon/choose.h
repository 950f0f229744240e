/* A list to choose from, as tmux's choose-tree shows it: items in a tree that folds, tags, a
 * search, a selection; keys to items, and drawing.
 *
 *   choose_begin, choose_add …, choose_end    the items anew; what was folded, tagged and selected
 *                                             stays by the items' ids
 *
 *   Up Down k j C-p C-n    by one             PPage NPage C-b C-f    by a page    g G Home End ends
 *   Left Right h l - +     fold, unfold       M-- M-+   all          t T C-t      tag, none, all
 *   0 to 9, M-a to M-z     take that line     Enter     take         q Escape C-c C-g  close */
#ifndef VITRINE_DAEMON_CHOOSE_H
#define VITRINE_DAEMON_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct pen;

#define CHOOSE_ITEMS_MAX 20000

struct choose_item {
    uint64_t id; /* of what it stands for */
    unsigned depth;
    char *name;   /* owned, as the next two */
    char *text;   /* shown behind the name */
    char *target; /* for commands */
    bool parent;  /* of the items behind it that are deeper */
    bool expanded;
    bool tagged;
    bool last; /* of its siblings */
};

/* Embedded; a zeroed one is empty. */
struct choose {
    struct choose_item *items;
    size_t n;
    size_t cap;
    struct choose_item *former; /* while the items are being added */
    size_t n_former;
    size_t *shown; /* which items are lines */
    size_t n_shown;
    size_t at;  /* line that is selected */
    size_t top; /* first line that is seen */
    uint64_t selected;
};

enum choose_result {
    CHOOSE_STAY,   /* the key was for the list */
    CHOOSE_CLOSED, /* to be closed */
    CHOOSE_TAKEN,  /* the selected item was chosen */
    CHOOSE_OTHER,  /* the key means nothing here */
};

void choose_clear(struct choose *c);
void choose_begin(struct choose *c);
/* Adds an item behind those there are; texts are copied and made printable. expanded holds for an
 * item that was not there before. False when memory ran out or there are too many. */
bool choose_add(struct choose *c, uint64_t id, unsigned depth, bool expanded, const char *name,
                const char *text, const char *target);
void choose_end(struct choose *c);
/* Selects the item of an id and unfolds what it is in; nothing when there is none. */
void choose_select(struct choose *c, uint64_t id);
/* The selected item, NULL when there is none. */
const struct choose_item *choose_selected(const struct choose *c);
/* The i-th tagged item, NULL past the last. */
const struct choose_item *choose_tagged(const struct choose *c, size_t i);
/* A key (keynames.h); rows is how many lines are seen. */
enum choose_result choose_key(struct choose *c, uint32_t key, uint16_t rows);
/* Selects the next item whose name or text holds some text, going round. False when none does. */
bool choose_search(struct choose *c, const char *text);
/* Draws lines over the first `rows` rows of f, the selected one in a pen. */
void choose_draw(struct choose *c, struct frame *f, uint16_t rows, const struct pen *selected);

#endif
