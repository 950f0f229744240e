/* Viewers: who they are, what they may do, what they are sent.
 *
 *   connection proven ─► JOINING ─JOIN─► admission ─► LIVE ─► LEAVING ─► gone
 *                                           │          │ connection lost
 *                                           ▼          ▼
 *                                          BYE       away (30 min) ─JOIN with token─► LIVE
 *
 * A viewer is a person's presence in a share and outlives its connections: a resume token, stored
 * hashed, brings role, input position and stream back. Input is queued per viewer, in order, until
 * the program takes it, and each byte is counted once (TAKEN), so that nothing typed is lost or
 * doubled across connections. */
#ifndef VITRINE_DAEMON_VIEWER_H
#define VITRINE_DAEMON_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/viewer_msg.h"

struct carrier;
struct loop;
struct pane;
struct session_list;
struct share;
struct share_link;
struct share_list;
struct target;
struct viewer;
struct viewer_list;

#define VIEWER_NAME_MAX_BYTES  64
#define VIEWER_JOIN_MS         5000
#define VIEWER_PING_MS         4000
#define VIEWER_SILENCE_MS      40000
#define VIEWER_AWAY_MS         (30ull * 60 * 1000)
#define VIEWER_AWAY_MAX        1024        /* of a share; all who may watch it may have to resume */
#define VIEWER_FAREWELL_MS     30000       /* for the last ACK after a program's end */
#define VIEWER_INPUT_MAX_BYTES (65u << 10) /* sent and not TAKEN: 64 KiB, and lone interrupts */
#define VIEWER_QUEUE_MAX_BYTES (256u << 10) /* grows by resumes while the program does not read */
#define VIEWER_PRESENCE_MS     1000
#define VIEWER_COMMANDS_S      10 /* COMMANDs a second; more are refused */
#define VIEWER_VIEWS_S         20 /* VIEWs a second, each of which may cost keyframes */

/* A COMMAND of an operator's, decoded and found to be allowed. */
struct viewer_request {
    uint8_t op;              /* enum viewer_command_op */
    const struct target *at; /* the pane or window it is about, in the share */
    uint8_t direction;       /* of RESIZE: left, right, up, down */
    uint16_t cells;
};

struct viewer_hooks {
    /* A count that is shown anywhere has changed. */
    void (*changed)(void *ctx);
    /* Does what an operator asks for. False after writing why not, one line, to why. */
    bool (*command)(void *ctx, const struct viewer_request *r, char *why, size_t cap);
    void *ctx;
};

/* Makes the list and installs the share registry's hook for links that go. NULL when memory ran
 * out. */
struct viewer_list *viewer_list_create(struct loop *l, struct session_list *sessions,
                                       struct share_list *shares, const char *host_label,
                                       const struct viewer_hooks *hooks);
/* Says BYE to everybody and frees the list. */
void viewer_list_destroy(struct viewer_list *list);

/* The gate link's hooks: a carrier has opened (returns what the others get), has data, is gone, has
 * credit. */
void *viewer_carrier_open(void *list, struct carrier *c, const char *peer, const char *origin,
                          unsigned flags);
void viewer_carrier_data(void *connection, uint8_t *p, size_t n);
void viewer_carrier_closed(void *connection);
void viewer_carrier_credit(void *connection);

/* Windows, panes, names or marks have changed: everybody looks anew at the end of the round, before
 * anything more is sent. */
void viewer_model_changed(struct viewer_list *list);
/* The pane is about to be destroyed. */
void viewer_pane_gone(struct viewer_list *list, struct pane *p);
/* What a share lets its operators do has changed: they are told. */
void viewer_share_changed(struct viewer_list *list, const struct share *s);

/* What lists and the owner see of a viewer. */
struct viewer_info {
    uint32_t id;
    uint8_t role;
    bool away;
    bool behind;
    const char *name;   /* printable */
    const char *client; /* what the viewer says it is; printable */
    const char *peer;   /* address, "" while away */
    const char *label;  /* of its link */
    uint32_t share_id;
    uint64_t since_s; /* seconds since it joined */
    uint64_t input_bytes;
};

/* Viewers one by one: NULL gives the first, and NULL is returned at the end. */
struct viewer *viewer_next(const struct viewer_list *list, const struct viewer *v);
struct viewer_info viewer_describe(const struct viewer *v);
struct viewer *viewer_by_id(const struct viewer_list *list, uint32_t id);
/* Sends a viewer away for good, with a reason it is shown. */
void viewer_kick(struct viewer *v, const char *text);

#endif
