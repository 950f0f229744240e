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
#include "server/daemon/environment.h"

struct layout;
struct loop;
struct pane;

#define SESSION_NAME_MAX_BYTES 64
#define SESSION_INDEX_MAX      9999
#define SESSION_INDEX_NEXT     (-1) /* the lowest free one */

enum window_mark {
    WINDOW_BELL = 1,     /* a bell rang in it while nobody looked at it */
    WINDOW_ACTIVITY = 2, /* likewise, output */
    WINDOW_SILENCE = 4,  /* likewise, no output for monitor-silence */
};

struct window {
    uint32_t id;
    uint32_t index; /* within its session, which holds them in this order */
    char name[SESSION_NAME_MAX_BYTES + 1];
    struct session *session;
    struct layout *layout; /* owned */
    struct pane *active;
    struct pane *last; /* active before, or NULL */
    char *former;      /* layout before select-layout changed it, as text; owned, or NULL */
    int preset;        /* enum layout_preset it was arranged by last, -1 for none */
    bool zoomed;       /* the active pane is shown alone, as large as the window */
    unsigned marks;    /* enum window_mark */
    const struct pane *named_for; /* the active one when its name was looked at last */
    uint64_t left;     /* counts when it stopped being the current one; 0: it never was */
    uint64_t silence_ms; /* when its silence was told last, in loop_now_ms */
    struct window *next;
};

struct session {
    uint32_t id;
    char name[SESSION_NAME_MAX_BYTES + 1];
    int64_t created_s; /* wall clock */
    uint16_t cols;     /* of the panes' area */
    uint16_t rows;
    uint32_t attached; /* terminals attached now */
    uint64_t alerted_ms; /* when its terminals were last told of a bell, in loop_now_ms */
    struct window *windows;
    struct window *current;
    struct window *last; /* the one that was current before, or NULL */
    char **env;          /* NAME=value, NULL-terminated, for its panes; owned, may be NULL */
    struct environment own; /* what set-environment and update-environment say above it */
    char *cwd; /* where new panes start that are not made by a client elsewhere; owned, or NULL */
    struct session *next;
    bool dead;
};

struct session_hooks {
    void (*pane_removed)(void *ctx, struct pane *p);     /* destroy it */
    void (*session_ended)(void *ctx, struct session *s); /* unlinked; freed after the round */
    /* A pane's place has this size from now on; often it has it already. */
    void (*pane_sized)(void *ctx, struct pane *p, uint16_t cols, uint16_t rows);
    /* Windows, panes, names or marks of a session changed: draw it anew. */
    void (*changed)(void *ctx, struct session *s);
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
/* The session of exactly that name, or NULL. */
struct session *session_named(const struct session_list *list, const char *name);
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

/* --- windows -------------------------------------------------------------------------------- */

/* Adds a window with one pane at an index, or the lowest free one from `base` on. ERR_STATE when
 * the index is taken, ERR_MEMORY. The current window stays the current one. */
enum err session_add_window(struct session_list *list, struct session *s, int index, int base,
                            struct pane *pane, uint32_t pane_number, struct window **out);
/* Ends a window with its panes; the session too when it was the last. */
void session_remove_window(struct session_list *list, struct window *w);
/* Makes a window its session's current one and takes its marks away. */
void session_select_window(struct session_list *list, struct window *w);
/* The window n places after (before, when negative) w, going round. */
struct window *session_window_beside(const struct window *w, int n);
struct window *session_window_at(const struct session *s, uint32_t index);
size_t session_window_count(const struct session *s);
/* Gives a window another index. ERR_STATE when it is taken. */
enum err session_move_window(struct session_list *list, struct window *w, uint32_t index);
/* The window counts as one that never was the current one. */
void session_forget_left(struct window *w);
/* Moves a window into another session, at an index that must be free. The session it was in shows
 * another one, and ends when it was its last. */
enum err session_adopt_window(struct session_list *list, struct window *w, struct session *to,
                              uint32_t index);
/* Two windows, also of two sessions, change indices; the index that was current stays current. */
void session_swap_windows(struct session_list *list, struct window *a, struct window *b);
/* Sizes every window of the session. */
void session_resize(struct session_list *list, struct session *s, uint16_t cols, uint16_t rows);

/* Sizes one window, whatever its session's size is. */
void session_resize_window(struct session_list *list, struct window *w, uint16_t cols,
                           uint16_t rows);

/* --- panes of windows ----------------------------------------------------------------------- */

struct layout_split;
struct layout_leaf;

/* As layout_split; the window is unzoomed first. The active pane stays the active one. */
enum err session_split(struct session_list *list, struct window *w, struct pane *at,
                       const struct layout_split *how, struct pane *pane, uint32_t pane_number);
/* Makes a pane its window's active one; another than the zoomed one ends the zoom. */
void session_select_pane(struct session_list *list, struct window *w, struct pane *pane);
void session_zoom(struct session_list *list, struct window *w, bool zoomed);
/* Moves a pane out of its window into one of its own (SESSION_INDEX_NEXT from base). ERR_STATE when
 * it is alone already or the index is taken. */
enum err session_break_pane(struct session_list *list, struct pane *pane, struct session *to,
                            int index, int base, struct window **out);
/* Moves a pane beside another, of any window. ERR_STATE when they are the same; else as
 * layout_split. A window that it leaves empty goes. */
enum err session_join_pane(struct session_list *list, struct pane *pane, struct pane *beside,
                           const struct layout_split *how);
/* Two panes change places, also between windows; each window's active place stays. */
enum err session_swap_panes(struct session_list *list, struct pane *a, struct pane *b);
/* Call after layout.h's functions changed a window's layout: ends the zoom, sizes its panes. */
void session_arranged(struct session_list *list, struct window *w);
/* Where a pane is shown: its leaf, or the whole window while it is zoomed. False when it is not
 * shown at all, behind a zoomed one. */
bool session_place(const struct window *w, const struct pane *pane, struct layout_leaf *out);
/* Gives a window a mark of enum window_mark; it keeps it until somebody looks. */
void session_mark(struct session_list *list, struct window *w, enum window_mark mark);
/* Somebody looks at the current window: its marks go. */
void session_seen(struct session_list *list, struct session *s);
/* Says that a name or a mark changed. */
void session_changed(struct session_list *list, struct session *s);

/* Marks a pane (select-pane -m), of which there is at most one; number is its id. */
void session_mark_pane(struct session_list *list, uint32_t number);
void session_unmark_pane(struct session_list *list);

/* --- where panes are ------------------------------------------------------------------------ */

/* A session, window and pane that belong together, or three times NULL. target.h resolves text. */
struct target {
    struct session *session;
    struct window *window;
    struct pane *pane;
};

/* Where a pane is; false when it is nowhere any more. */
bool session_of_pane(const struct session_list *list, const struct pane *pane, struct target *out);
/* The pane of that number; false when there is none. */
bool session_pane_numbered(const struct session_list *list, uint32_t number, struct target *out);
/* The marked pane; false when there is none, or it has gone. */
bool session_marked(const struct session_list *list, struct target *out);
/* The session that was used last, or NULL. */
struct session *session_last_used(const struct session_list *list);
/* Marks a session as the last one used. */
void session_touch(struct session_list *list, struct session *s);

#endif
