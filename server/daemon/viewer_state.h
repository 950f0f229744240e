/* What viewer.c (who is in) and viewer_messages.c (what they say) share; nobody else includes it.
 */
#ifndef VITRINE_DAEMON_VIEWER_STATE_H
#define VITRINE_DAEMON_VIEWER_STATE_H

#include "server/daemon/connection.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pace.h"
#include "server/daemon/pane.h"
#include "server/daemon/viewer.h"
#include "server/daemon/viewer_rules.h"

#define VIEWER_TOKEN_HASH_BYTES 32
#define VIEWER_SMALL_MAX_BYTES  (64u << 10) /* of small messages waiting for credit */

struct stream;

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

    struct outbuf input;           /* typed, not yet taken by the program */
    uint64_t input_taken;          /* bytes the program's side has taken, across resumes */
    uint64_t input_told;           /* the last TAKEN or WELCOME said so */
    struct pane_observer observer; /* for room in the pane's input */
    bool observing;
    bool counted; /* in its share's number of viewers */

    struct connection *connection; /* NULL while away */
    enum viewer_state state;
    struct pace pace;
    struct stream *stream;
    struct outbuf small; /* u8 type, u16 length, body: waiting for credit, in order */
    bool presence_owed;  /* the count has changed since it was told */
    bool presence_due;   /* and may be told now */
    bool layout_owed;
    bool finishing; /* the farewell timer runs */
    uint64_t resume_from;
    uint64_t resume_sent;
    uint32_t resume_size;
    struct loop_timer timer;    /* JOIN awaited; liveness; away */
    struct loop_timer farewell; /* the last ACK, or a BYE that finds no credit */
    struct loop_task pump;
    struct loop_task reaper;
};

struct viewer_list {
    struct loop *loop;
    struct share_list *shares;
    struct connection_list *connections;
    struct viewer *first;
    uint32_t next_id;
    char host_label[VIEWER_NAME_MAX_BYTES + 1];
    void (*changed)(void *ctx);
    void *ctx;
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
void viewer_stop_observing(struct viewer *v);
/* Takes the viewer out of its share's count of those who watch now. */
void viewer_uncount(struct viewer *v);
/* The number of a share's viewers changed: tells them, and whoever shows it. */
void viewer_count_changed(struct viewer_list *list, struct share *share);
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

/* --- viewer_send.c -------------------------------------------------------------------------- */

/* Queues a small message; sent at the end of the round. A viewer that lets too many pile up is cut
 * off. */
void viewer_send(struct viewer *v, uint8_t type, const struct wbuf *body);
/* Sends what is queued, in order. True when nothing is left. */
bool viewer_flush(struct viewer *v);
/* End of a round, a loop_fn: everything this viewer is owed and may be sent now. */
void viewer_pump(void *viewer);
/* Begins to show the share's pane. False when memory ran out. */
bool viewer_start_stream(struct viewer *v);
/* Says BYE and ends the viewer for good. */
void viewer_bye(struct viewer *v, enum viewer_bye_reason reason, const char *text);
/* BYE is sent: closes the connection and removes the viewer. */
void viewer_finish_bye(struct viewer *v);
/* A loop_fn: the last ACK, or credit for BYE, did not come. */
void viewer_on_farewell(void *viewer);

/* --- viewer_messages.c ---------------------------------------------------------------------- */

/* One message of the viewer's, any bytes. */
void viewer_take_message(void *viewer, uint8_t type, struct bytes body);
/* Moves queued input to the program. */
void viewer_drain_input(struct viewer *v);
/* Sends a NOTICE. */
void viewer_notice(struct viewer *v, enum viewer_notice_code code, const char *text);

#endif
