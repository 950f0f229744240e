/* The model: sessions hold windows, a window holds a layout tree, its leaves are panes.
 *
 * Ids never come back: sessions are $n, windows @n, panes %n. Panes are known here as opaque
 * pointers with an id; who makes and destroys them registers a callback. An object that is removed
 * is unlinked at once and freed when the round is over. */
#ifndef VITRINE_DAEMON_SESSION_H
#define VITRINE_DAEMON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

struct layout;
struct loop;
struct pane;

#define SESSION_NAME_MAX_BYTES 64

struct window {
    uint32_t id;
    uint32_t index; /* within its session */
    char name[SESSION_NAME_MAX_BYTES + 1];
    struct session *session;
    struct layout *layout; /* owned */
    struct pane *active;
    struct window *next;
};

struct session {
    uint32_t id;
    char name[SESSION_NAME_MAX_BYTES + 1];
    int64_t created_s; /* wall clock */
    uint16_t cols;     /* of the panes' area */
    uint16_t rows;
    uint32_t attached; /* terminals attached now */
    struct window *windows;
    struct window *current;
    struct session *next;
    bool dead;
};

struct session_hooks {
    void (*pane_removed)(void *ctx, struct pane *p);     /* destroy it */
    void (*session_ended)(void *ctx, struct session *s); /* unlinked; freed after the round */
    void *ctx;
};

/* All sessions of this daemon. */
struct session_list;

struct session_list *session_list_create(struct loop *l, const struct session_hooks *hooks);
/* Ends every session, then frees the list. */
void session_list_destroy(struct session_list *list);
/* The first session, oldest first; follow ->next. */
struct session *session_first(const struct session_list *list);
size_t session_count(const struct session_list *list);

/* Makes a session with one window and one pane. name NULL or "" picks the next free number. The
 * pane becomes the session's. NULL when memory ran out. */
struct session *session_create(struct session_list *list, const char *name, struct pane *pane,
                               uint32_t pane_number, uint16_t cols, uint16_t rows);
/* Checks a name a user gave: ERR_MALFORMED when it is empty, too long, not UTF-8 or has control
 * characters, `:` or `.`; ERR_STATE when another session has it. */
enum err session_check_name(const struct session_list *list, const char *name);
enum err session_rename(struct session_list *list, struct session *s, const char *name);
/* Ends a session with its windows and panes. */
void session_end(struct session_list *list, struct session *s);
/* Takes a pane out; a window without panes goes, and so does a session without windows. */
void session_remove_pane(struct session_list *list, struct pane *pane);
/* The number that the next session will have. */
uint32_t session_next_id(const struct session_list *list);
/* Takes the next pane number. */
uint32_t session_next_pane_id(struct session_list *list);

/* What a target means: all three set, or all NULL. */
struct target {
    struct session *session;
    struct window *window;
    struct pane *pane;
};

/* Resolves tmux's targets: `session:window.pane`, `$id`, `@id`, `%id`, names, unambiguous prefixes,
 * `=name` for exact ones. NULL or "" is the newest session that was used. ERR_NOT_FOUND, or
 * ERR_MALFORMED when several match. */
enum err session_find(const struct session_list *list, const char *text, struct target *out);
/* Where a pane is; false when it is nowhere any more. */
bool session_of_pane(const struct session_list *list, const struct pane *pane, struct target *out);
/* Marks a session as the last one used. */
void session_touch(struct session_list *list, struct session *s);

#endif
