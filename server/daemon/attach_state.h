/* What the files of attach share; nobody else includes it.
 *
 *   attach.c        life, pacing of frames, who owns the size
 *   attach_panes.c  which panes are shown, and which of their rows have changed
 *   attach_view.c   a frame from panes, status line and overlay; the terminal's modes
 *   attach_input.c  keys to bindings, prompts, overlays and to the pane
 *   attach_run.c    commands that keys run
 *   attach_ask.c    prompts and the numbers of panes
 *   attach_choose.c  choose-tree and its like
 *   attach_client.c  names, descriptions, the process behind a terminal
 *   attach_menu.c   menus
 *   attach_options.c  what options and formats say
 *   attach_size.c   the sizes of windows, by the terminals that show them
 *   attach_status.c  status lines, messages, the outer terminal's title
 *   attach_copy.c   panes in copy mode, and the terminal's clipboard
 *   attach_mouse.c  the mouse: keys of bindings, and reports for programs
 *   attach_drag.c   what goes on while a button is held: borders, selections */
#ifndef VITRINE_DAEMON_ATTACH_STATE_H
#define VITRINE_DAEMON_ATTACH_STATE_H

#include "server/daemon/attach.h"
#include "server/daemon/command.h"
#include "server/daemon/keys.h"
#include "server/daemon/layout.h"
#include "server/daemon/mouse.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/options.h"
#include "server/daemon/overlay.h"
#include "server/daemon/paint.h"
#include "server/daemon/pane.h"
#include "server/daemon/menu.h"
#include "server/daemon/prompt.h"
#include "server/daemon/screen.h"
#include "server/daemon/styled.h"

#define ATTACH_ENDED_TEXT_MAX    96
#define ATTACH_STATUS_LINES_MAX  5
#define ATTACH_TITLE_MAX         1024 /* bytes */

/* The modes of the outer terminal that follow the pane's. */
struct attach_modes {
    uint32_t modes; /* of enum screen_mode: application cursor and keypad, focus */
    uint8_t mouse;  /* enum screen_mouse */
    uint8_t mouse_encoding;
};

struct frame;
struct attach_asking;
struct attach_choosing;
struct attach_run;

/* One pane as one terminal shows it. */
struct attach_view {
    struct attach *attach;
    struct pane *pane;
    struct pane_observer observer;
    bool observing;
    struct layout_leaf place; /* in its window */
    uint16_t hidden_x;        /* columns of the screen left of what a pane of one column shows */
    uint16_t hidden_y;
    uint32_t link_base;  /* upper bits of its links' numbers */
    bool *stale;         /* rows of its screen that changed since this terminal's last frame */
    uint16_t stale_rows; /* how many there are in stale; other sizes are stale as a whole */
    bool all_stale;
    uint64_t mode_version; /* of copy mode, as last drawn */
    bool styled;      /* its default colours are those of style */
    struct pen style; /* as window-style says */
    struct attach_view *next;
};

struct attach {
    struct loop *loop;
    struct session_list *sessions;
    struct session *session; /* when it ends it lives on until on_end has run */
    struct share_list *shares;
    struct attach_ops ops;
    struct attach *next; /* most recently used first */
    uint16_t cols;
    uint16_t rows;
    unsigned flags;
    bool read_only;
    bool ignore_size; /* it never decides how large its session is */
    bool show_links;

    char name[ATTACH_NAME_MAX]; /* of its terminal */
    char term[32];              /* $TERM */
    pid_t pid;                  /* of its client; 0 when that is not known */
    pid_t hang_up;              /* to be sent SIGHUP once the client has gone; 0 for nobody */
    uint64_t serial;            /* counts attached terminals, from 1 */
    int64_t created_s;
    int64_t activity_s;

    struct pane *pane;           /* the active one, among those in views; NULL when there is none */
    struct attach_view *views;   /* in the layout's order */
    struct attach_view *retired; /* to be freed */
    uint32_t last_link_base;
    bool unfocused;  /* the outer terminal has said that it has lost the focus */
    uint32_t window; /* id of the one whose size was looked at last */
    uint16_t window_cols;
    uint16_t window_rows;
    struct attach_drag {
        const struct pane *border_of; /* its right or lower border is dragged; NULL for none */
        bool vertical;                /* the line is: it moves left and right */
        uint16_t x, y;                /* where in the window the pointer was */
        struct pane *selects;         /* in copy mode: the pointer selects in it; NULL for none */
        bool moved;                   /* with a button held: its release ends a drag */
        const struct pane *pane;      /* a button was pressed in it and not released */
        struct mouse_event pressed;
        struct mouse_event last; /* for scrolling on while the pointer rests at an edge */
    } drag;
    struct loop_timer drag_on;
    struct attach_clicks {
        unsigned n; /* quick ones at one place so far: 0 to 2 */
        struct mouse_event event;
        uint32_t place; /* enum mouse_place */
    } clicks;
    struct loop_timer click_over;
    bool moved; /* panes, their places or the active one changed: no row is as it was */

    struct keys keys;
    uint32_t stops_of[3]; /* what the stop bytes are from: changes of tables, prefix keys */
    char *table;          /* where the next key is looked up; NULL for root */
    bool repeating;       /* in the prefix table after a binding that may be repeated */
    struct loop_timer repeat;
    bool swallow;            /* the paste goes nowhere: it closed an overlay */
    struct attach_run *runs; /* commands that wait */
    uint32_t last_session;   /* number of the session shown before */
    bool has_last_session;
    struct loop_timer escape;
    struct outbuf pending; /* input the pane did not take yet */
    bool paused;           /* attach_wants_keys is false and resume is owed */
    bool paste_marked;     /* the paste that goes on is bracketed for the program */

    struct overlay overlay;
    struct prompt prompt;
    struct attach_asking *asking; /* what the prompt is for */
    struct attach_choosing *choosing; /* a tree or list to choose from, or NULL */
    struct menu menu;
    bool clock_shown;   /* in a pane */
    uint32_t clock_pane; /* its number */
    bool numbers;                 /* of panes are shown */
    bool numbers_keyless;         /* and keys mean what they always do */
    char *numbers_line;           /* commands for the chosen pane; NULL: go there */
    struct loop_timer numbers_over;
    char message[STATUS_MESSAGE_MAX_BYTES + 1]; /* "" for none */
    bool message_styled;                        /* it may have #[styles] */
    bool message_mutes;                         /* keys go nowhere while it is shown */
    struct loop_timer message_over;
    struct loop_timer clock; /* until the status lines are drawn anew */
    bool status_stale;       /* what they speak of may have changed */
    bool status_plain;       /* the last frame had nothing over them */
    struct styled_ranges ranges[ATTACH_STATUS_LINES_MAX];
    char *title; /* the outer terminal's, as set last; NULL before */

    struct paint *paint;
    struct outbuf out;
    struct outbuf clipboard; /* to be sent with the next frame */
    struct attach_modes modes; /* as the terminal has them */
    bool modes_known;
    bool bell;
    bool wipe;             /* an overlay with secrets has closed: wipe after the next frame */
    struct keys_area area; /* what is seen of the window, as last painted */
    uint16_t top;          /* the terminal's first row of panes, as last painted */
    bool plain;            /* the last frame had nothing over the panes */
    bool dirty;
    struct loop_task frame;
    struct loop_timer pace;
    uint64_t painted_ms;
    uint64_t sync_ms; /* since when a program's update holds frames back */
    bool in_sync;
    uint64_t sent;
    uint64_t drawn;

    struct loop_task end;
    bool ending;
    enum ipc_detached end_reason;
    char end_text[ATTACH_ENDED_TEXT_MAX];
};

/* --- attach.c --- */
/* A frame is due. */
void attach_wake(struct attach *a);
/* Asks for the end at the end of the round. */
void attach_end(struct attach *a, enum ipc_detached reason, const char *text);
/* All attached terminals, the most recently used one first; follow ->next. */
struct attach *attach_first(void);
/* The terminal was used: its size becomes the session's. */
void attach_use(struct attach *a);

/* --- attach_panes.c --- */
/* Follows the session to its current window, the panes of that and the active one. */
void attach_follow(struct attach *a);
/* The outer terminal has got or lost the focus: the active pane's program is told. */
void attach_set_focused(struct attach *a, bool focused);
/* Stops observing every pane. */
void attach_leave_panes(struct attach *a);
/* Frees what attach_follow and attach_leave_panes took out; not from inside an observer. */
void attach_free_retired(struct attach *a);
/* The view of a pane, NULL when it is not shown. */
struct attach_view *attach_view_of(const struct attach *a, const struct pane *p);
/* Takes over which rows of a pane's screen have changed, for all terminals that show it. */
void attach_collect_stale(struct attach_view *v);
/* The painter's number for a link of a view's screen, 0 for none, and back to its target. */
uint32_t attach_link_number(const struct attach_view *v, uint32_t link);
const char *attach_link_target(void *ctx, uint32_t number);

/* --- attach_view.c --- */
/* Appends the next frame's bytes to a->out. False when memory ran out. */
bool attach_compose(struct attach *a);
/* Where the terminal shows a pane, as last painted; no columns or rows when it does not. */
struct keys_area attach_pane_area(const struct attach *a, const struct attach_view *v);
/* Puts n cells of a pane, or what is seen of them, into a row of the frame. */
void attach_draw_cells(const struct attach_view *v, struct frame *f, uint16_t y,
                       const struct keys_area *at, const struct cell *cells, uint16_t n);
/* True while something lies over the panes. */
bool attach_is_covered(const struct attach *a);

/* --- attach_input.c --- */
void attach_input_init(struct attach *a);
void attach_input_clear(struct attach *a);
/* The pane takes input again. */
void attach_flush_input(struct attach *a);
/* Forgets input that no program will read. */
void attach_drop_input(struct attach *a);
/* Which keys are looked at follows from what is open. Call it when that changes. */
void attach_grab(struct attach *a);
/* The first line of text without "vitrine: " as a message. */
void attach_say_error(struct attach *a, const char *text, size_t n);

/* --- attach_run.c --- */
/* Gives up commands that wait. */
void attach_cancel_runs(struct attach *a);

/* --- attach_ask.c --- */
void attach_ask_init(struct attach *a);
void attach_ask_clear(struct attach *a);
/* A key while the prompt is open, or pasted text. */
void attach_ask_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n);
/* A key while panes' numbers are shown. False when it is none for them; they are gone anyway. */
bool attach_numbers_key(struct attach *a, uint32_t key);
/* Draws the numbers over the panes. */
void attach_draw_numbers(const struct attach *a, struct frame *f);

/* Asks for a text; fn is called with it once the prompt has gone, and not at all when that is given
 * up. False when something is being asked already, or memory ran out. */
bool attach_ask_for(struct attach *a, const char *label, const char *begin, enum prompt_form form,
                    void (*fn)(struct attach *a, const char *answer));
/* Runs a line of commands with text for %%; text NULL: as it stands. */
void attach_run_with(struct attach *a, const char *line, const char *text);
/* Draws the clock over its pane. */
void attach_draw_clock(const struct attach *a, struct frame *f);

/* --- attach_choose.c --- */
void attach_close_choosing(struct attach *a);
/* What there is to choose from has changed. */
void attach_choosing_changed(struct attach *a);
void attach_choosing_key(struct attach *a, uint32_t key);
void attach_draw_choosing(struct attach *a, struct frame *f);

/* --- attach_menu.c --- */
void attach_menu_key(struct attach *a, uint32_t key);
void attach_draw_menu(const struct attach *a, struct frame *f);
/* --- attach_copy.c --- */
/* The key table of the active pane's copy mode, NULL when it is in none. */
const char *attach_copy_table(const struct attach *a);
/* Draws a row of a pane in copy mode; false when it is in none. */
bool attach_copy_draw_row(const struct attach_view *v, const struct keys_area *at, struct frame *f,
                          uint16_t y);
/* Copy mode's cursor; false when the pane is in none. */
bool attach_copy_cursor(const struct attach_view *v, struct screen_cursor *out);
/* Marks a view stale when copy mode shows something else. */
void attach_copy_follow(struct attach_view *v);
/* Appends what the terminal's clipboard is to become to the frame. */
void attach_put_clipboard(struct attach *a);

/* --- attach_mouse.c --- */
void attach_mouse_init(struct attach *a);
void attach_mouse_clear(struct attach *a);
void attach_mouse(struct attach *a, const uint8_t *p, size_t n);

/* --- attach_size.c --- */
/* Gives the windows of a's session the sizes that their window-size says. */
void attach_size_windows(const struct attach *a);

/* --- attach_status.c --- */
/* Rows of the terminal that status lines have, that are above the panes, and that panes have. */
uint16_t attach_status_rows(const struct attach *a);
uint16_t attach_top_rows(const struct attach *a);
uint16_t attach_area_rows(const struct attach *a);
/* What the status lines speak of may have changed. */
void attach_status_changed(struct attach *a);
/* Draws the status lines with a message or prompt over them. Call it after the panes are drawn. */
void attach_draw_status(struct attach *a, struct frame *f);
/* Appends what sets the outer terminal's title to a->out, when set-titles asks and it changed. */
void attach_write_title(struct attach *a);
/* Starts status-interval anew. */
void attach_start_clock(struct attach *a);
/* --- attach_drag.c --- */
void attach_drag_init(struct attach *a);
void attach_drag_clear(struct attach *a);
/* The pointer moved while something is dragged. False when nothing is. */
bool attach_drag_on(struct attach *a, const struct mouse_event *e);
/* The button was released. */
void attach_drag_end(struct attach *a);

/* --- attach_options.c --- */
/* An option's value for what is shown; otherwise where there are no options. */
long attach_number(const struct attach *a, enum option_id id, long otherwise);
const char *attach_text(const struct attach *a, enum option_id id, const char *otherwise);
/* An item of an array, or NULL. */
const char *attach_item(const struct attach *a, enum option_id id, long index);
/* A style option, its formats expanded, on top of base. */
struct pen attach_style(const struct attach *a, enum option_id id, const struct pen *base);
/* A flag of one of the panes shown. */
bool attach_pane_flag(const struct attach *a, const struct pane *p, enum option_id id);
/* A style option of one of them. */
struct pen attach_pane_style(const struct attach *a, struct pane *p, enum option_id id);
/* As attach_expand, with strftime sequences. */
void attach_expand_time(const struct attach *a, const char *text, struct outbuf *out);
/* What options say for the session that is shown. */
uint32_t attach_prefix(const struct attach *a, bool second);
uint32_t attach_repeat_ms(const struct attach *a);
uint32_t attach_message_ms(const struct attach *a);
uint32_t attach_numbers_ms(const struct attach *a);
bool attach_mouse_is_on(const struct attach *a);

#endif
