/* What the files of viewer share: who is in (viewer.c, viewer_admit.c), what they look at
 * (viewer_view.c), what they say (viewer_messages.c, viewer_input.c, viewer_command.c) and what
 * they are sent (viewer_send.c, viewer_turns.c, viewer_presence.c). Nobody else includes it. */
#ifndef VITRINE_DAEMON_VIEWER_STATE_H
#define VITRINE_DAEMON_VIEWER_STATE_H

#include "server/daemon/connection.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pace.h"
#include "server/daemon/pane.h"
#include "server/daemon/session.h"
#include "server/daemon/viewer.h"
#include "server/daemon/viewer_rules.h"

#define VIEWER_MALFORMED        "malformed message"
#define VIEWER_TOKEN_HASH_BYTES 32
#define VIEWER_SMALL_MAX_BYTES  (64u << 10) /* of small messages waiting for credit */

struct stream;

/* A pane that a viewer has been shown: it is here as long as the pane is in the share. */
struct viewer_pane {
    struct viewer *viewer;
    struct pane *pane;
    uint32_t id;
    struct pane_observer observer;
    struct outbuf input;   /* typed for it, not yet taken by its program */
    struct stream *stream; /* while it is in view */
    bool shown;            /* it is to be in view, and the active one there: viewer_look's */
    bool active;
    bool resumable; /* the former connection had a stream of it, which stood here: */
    uint64_t resume_from;
    uint64_t resume_sent;
    uint32_t resume_size;
    struct loop_task reaper;
    struct viewer_pane *next;
};

/* How often a viewer did something in the current second. */
struct viewer_rate {
    uint64_t since_ms; /* when counting began from none */
    unsigned n;
};

/* The messages that go in parts, of which there is one at a time on a connection. */
enum viewer_long { VIEWER_LONG_KEYFRAME, VIEWER_LONG_HISTORY, VIEWER_LONGS };

struct viewer {
    struct viewer_list *list;
    struct viewer *next;
    uint32_t id; /* 0 until admitted */
    struct share_link *link;
    struct share *share; /* NULL once its link is gone */
    uint8_t role;
    bool was_operator; /* on this connection */
    char name[VIEWER_NAME_MAX_BYTES + 1];
    char client[VIEWER_NAME_MAX_BYTES + 1];
    uint8_t token_hash[VIEWER_TOKEN_HASH_BYTES];
    uint8_t former_hash[VIEWER_TOKEN_HASH_BYTES]; /* valid until the first ACK after a WELCOME */
    bool former_valid;
    uint64_t joined_ms;
    uint64_t away_ms; /* when it went away */

    struct viewer_pane *panes;
    uint32_t view;        /* the window it wants to see, or VIEWER_VIEW_FOLLOW */
    bool look_owed;       /* windows or panes have changed since it looked */
    size_t input_queued;  /* bytes in its panes' input */
    uint64_t input_taken; /* bytes the programs' side has taken, across resumes */
    uint64_t input_told;  /* the last TAKEN or WELCOME said so */
    bool counted;         /* in its share's number of viewers */
    struct viewer_rate commands;
    struct viewer_rate views;

    struct connection *connection; /* NULL while away */
    enum viewer_state state;
    struct pace pace;
    struct viewer_pane *begun[VIEWER_LONGS]; /* whose message is on its way in parts */
    bool cut_short[VIEWER_LONGS];            /* it has left: an empty part must end its message */
    uint32_t turn;                           /* the pane whose bulk goes next */
    struct outbuf small; /* u8 type, u16 length, body: waiting for credit, in order */
    bool presence_owed;  /* who is here has changed since it was told */
    bool presence_due;   /* and may be told now */
    uint32_t *told;      /* ids of those it was told of, rising */
    size_t n_told;
    struct outbuf layout;       /* the LAYOUT it has, or is being sent */
    size_t layout_at;           /* so much of that is sent */
    bool layout_owed;           /* it may not be the right one any more */
    bool finishing;             /* the farewell timer runs */
    struct loop_timer timer;    /* JOIN awaited; liveness; away */
    struct loop_timer farewell; /* the last ACK, or a BYE that finds no credit */
    struct loop_task pump;
    struct loop_task reaper;
};

struct viewer_list {
    struct loop *loop;
    struct session_list *sessions;
    struct share_list *shares;
    struct viewer_hooks hooks;
    struct outbuf scratch; /* a LAYOUT that may turn out to be known */
    struct connection_list *connections;
    struct viewer *first;
    uint32_t next_id;
    char host_label[VIEWER_NAME_MAX_BYTES + 1];
    struct loop_timer presence;
    uint64_t presence_ms; /* when counts were last told */
};

/* --- viewer.c: life ------------------------------------------------------------------------- */

/* Frees a viewer that viewer_remove took off the list; a loop_fn. */
void viewer_free(void *viewer);
/* Takes the viewer off the list; freed after the round. Its connection is gone already. */
void viewer_remove(struct viewer *v);
/* Forgets the connection's part of a viewer: stream, timers, what waits to be sent. */
void viewer_drop_connection(struct viewer *v);
/* Ends the connection, which broke the protocol; the viewer may come back. */
void viewer_cut(struct viewer *v, const char *why);
/* Has viewer_pump run at the end of the round. */
void viewer_wake(struct viewer *v);
/* Takes the viewer out of its share's count of those who watch now. */
void viewer_uncount(struct viewer *v);
/* The viewer's timer, a loop_fn: JOIN awaited, liveness, away. viewer_arm_liveness starts it. */
void viewer_on_timer(void *viewer);
void viewer_arm_liveness(struct viewer *v);

/* --- viewer_admit.c ------------------------------------------------------------------------- */

/* A connection has proven a link: makes the viewer that JOIN is awaited from. */
void *viewer_on_proven(void *list, struct connection *c, struct share_link *link);
/* Takes a JOIN: resume or admission. */
void viewer_admit(struct viewer *v, const struct viewer_join *m);
/* What holders of a link that is gone are told. */
const char *viewer_gone_text(uint8_t reason);
/* Bits of enum viewer_capability that the viewer has. */
uint32_t viewer_capabilities(const struct viewer *v);

/* --- viewer_view.c -------------------------------------------------------------------------- */

/* What a share shows at this moment. */
struct viewer_sight {
    bool there;
    struct target at;
    struct window *window; /* the viewed one; NULL where there is only the pane `at.pane` */
};

struct viewer_sight viewer_see(const struct viewer *v);
/* Looks anew at what the viewer sees: panes that left the share are forgotten, those that left its
 * view are no longer sent, those that came into it will be; a LAYOUT is owed. May cut the viewer.
 */
void viewer_look(struct viewer *v);
/* The pane of that number, if it is in the share and the viewer knows it. */
struct viewer_pane *viewer_find_pane(const struct viewer *v, uint32_t id);
/* True when the share has that window, or the pane; out is where it is. */
bool viewer_find_window(const struct viewer *v, uint32_t id, struct target *out);
bool viewer_find_target(const struct viewer *v, uint32_t pane, struct target *out);
/* Sends the LAYOUT that is owed, as far as there is room. True when the viewer has the right one.
 */
bool viewer_send_layout(struct viewer *v);
/* Ends every stream; the panes remember where it stood, for a resume. */
void viewer_pause_panes(struct viewer *v);
/* Forgets every pane. */
void viewer_forget_panes(struct viewer *v);

/* --- viewer_layout.c ------------------------------------------------------------------------ */

/* Sends the LAYOUT that is owed, as far as there is room. True when the viewer has the right one.
 */
bool viewer_send_layout(struct viewer *v);

/* --- viewer_turns.c ------------------------------------------------------------------------- */

/* Begins to send the pane. False when memory ran out. */
bool viewer_start_stream(struct viewer_pane *e);
void viewer_end_stream(struct viewer_pane *e);
/* Sends what the panes in view have, in turns, as far as there is room. */
void viewer_pump_streams(struct viewer *v);

/* --- viewer_presence.c ---------------------------------------------------------------------- */

/* The viewers of a share changed: tells them, and whoever shows their number. */
void viewer_count_changed(struct viewer_list *list, struct share *share);
/* The list's timer, a loop_fn. */
void viewer_tell_presence(void *list);
void viewer_send_presence(struct viewer *v);

/* --- viewer_send.c -------------------------------------------------------------------------- */

/* Queues a small message; sent at the end of the round. A viewer that lets too many pile up is cut
 * off. */
void viewer_send(struct viewer *v, uint8_t type, const struct wbuf *body);
/* Sends what is queued, in order. True when nothing is left. */
bool viewer_flush(struct viewer *v);
/* End of a round, a loop_fn: everything this viewer is owed and may be sent now. */
void viewer_pump(void *viewer);
/* Says BYE and ends the viewer for good. */
void viewer_bye(struct viewer *v, enum viewer_bye_reason reason, const char *text);
/* BYE is sent: closes the connection and removes the viewer. */
void viewer_finish_bye(struct viewer *v);
/* A loop_fn: the last ACK, or credit for BYE, did not come. */
void viewer_on_farewell(void *viewer);

/* --- viewer_messages.c ---------------------------------------------------------------------- */

/* One message of the viewer's, any bytes. */
void viewer_take_message(void *viewer, uint8_t type, struct bytes body);
/* Sends a NOTICE, a DONE. */
void viewer_notice(struct viewer *v, enum viewer_notice_code code, const char *text);
void viewer_done(struct viewer *v, uint32_t request, enum viewer_done_result result,
                 const char *text);

/* --- viewer_input.c, viewer_command.c ------------------------------------------------------- */

/* INPUT. decline: it may not be typed any more. */
void viewer_take_input(struct viewer *v, struct bytes body, bool decline);
/* Moves queued input to the programs. */
void viewer_drain_input(struct viewer *v);
/* Input of a pane that left is taken and not delivered. */
void viewer_drop_input(struct viewer_pane *e, const char *why);
/* Counts one more; true when that is more than most in a second. */
bool viewer_too_many(struct viewer *v, struct viewer_rate *r, unsigned most);
/* COMMAND. decline: the viewer is none who may. */
void viewer_take_command(struct viewer *v, struct bytes body, bool decline);

#endif
