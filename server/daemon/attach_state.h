/* What the files of attach share; nobody else includes it.
 *
 *   attach.c        life, pacing of frames, who owns the size
 *   attach_view.c   a frame from panes, status line and overlay; the terminal's modes
 *   attach_input.c  keys to commands and to the pane */
#ifndef VITRINE_DAEMON_ATTACH_STATE_H
#define VITRINE_DAEMON_ATTACH_STATE_H

#include "server/daemon/attach.h"
#include "server/daemon/keys.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/overlay.h"
#include "server/daemon/paint.h"
#include "server/daemon/pane.h"
#include "server/daemon/status.h"

#define ATTACH_ENDED_TEXT_MAX 96

/* The modes of the outer terminal that follow the pane's. */
struct attach_modes {
    uint32_t modes; /* of enum screen_mode: application cursor and keypad, focus */
    uint8_t mouse;  /* enum screen_mouse */
    uint8_t mouse_encoding;
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
    bool show_links;

    struct pane *pane; /* shown; NULL when there is none */
    struct pane_observer observer;
    bool observing;

    struct keys keys;
    struct loop_timer escape;
    struct outbuf pending; /* input the pane did not take yet */
    bool paused;           /* attach_wants_keys is false and resume is owed */
    bool paste_marked;     /* the paste that goes on is bracketed for the program */

    struct overlay overlay;
    char message[STATUS_MESSAGE_MAX_BYTES + 1]; /* "" for none */
    struct loop_timer message_over;
    struct loop_timer clock;

    struct paint *paint;
    struct outbuf out;
    struct attach_modes modes; /* as the terminal has them */
    bool modes_known;
    bool bell;
    bool wipe;             /* an overlay with secrets has closed: wipe after the next frame */
    struct keys_area area; /* as last painted */
    bool plain;            /* the last frame had nothing over the panes */
    bool *stale; /* rows of the pane's screen that changed since this terminal's last frame */
    uint16_t stale_rows; /* how many there are in stale; other sizes are stale as a whole */
    bool all_stale;

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
/* Follows the session to its active pane. */
void attach_find_pane(struct attach *a);
/* The terminal was used: its size becomes the session's. */
void attach_use(struct attach *a);
/* Takes over which rows of the pane's screen have changed, for all terminals that show it. */
void attach_collect_stale(struct attach *a);
/* Rows of the terminal that panes have; the status line has the last one. */
uint16_t attach_area_rows(const struct attach *a);

/* --- attach_view.c --- */
/* Appends the next frame's bytes to a->out. False when memory ran out. */
bool attach_compose(struct attach *a);

/* --- attach_input.c --- */
void attach_input_init(struct attach *a);
void attach_input_clear(struct attach *a);
/* The pane takes input again. */
void attach_flush_input(struct attach *a);
/* Forgets input that no program will read. */
void attach_drop_input(struct attach *a);
/* Shows the links of the pane, or says that it has none. */
void attach_open_links(struct attach *a);
/* Shows text in the status line for a while. */
void attach_say(struct attach *a, const char *text);

#endif
