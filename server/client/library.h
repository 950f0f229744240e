/* What the files of libvitrine share; nobody else includes it.
 *
 *   vitrine_…() ─► a request with a number ─► connection.c ─► the daemon
 *        │ waits in library_wait()                              │
 *        └◄─ library_waiting: records, ANSWER ◄─ dispatch ◄─────┘
 *                         subscriptions, events ◄─┘
 *
 * One request waits at a time: the thread that made it is in library_wait(). Frames are acted on in
 * their order, whoever waits; those of requests that were given up are passed over. */
#ifndef VITRINE_CLIENT_LIBRARY_H
#define VITRINE_CLIENT_LIBRARY_H

#include "proto/buf.h"
#include "proto/err.h"
#include "proto/ipc_msg.h"
#include "server/client/connection.h"
#include "server/client/vitrine.h"

#define LIBRARY_TIMEOUT_MS 10000
#define LIBRARY_RESULT_MAX (512u << 20) /* bytes of one answer, all records together */
#define LIBRARY_ERROR_MAX  512

/* Bytes being gathered. Freed memory is wiped, links may have been in it. */
struct library_bytes {
    char *p;
    size_t len;
    size_t cap;
};

/* Appends n bytes. False without memory, or beyond LIBRARY_RESULT_MAX; *b is as before. */
bool library_put(struct library_bytes *b, const void *p, size_t n);
void library_bytes_clear(struct library_bytes *b);

/* A request whose answer is waited for; on the stack of who waits. */
struct library_waiting {
    uint32_t id;
    /* Takes a record that came before ANSWER; NULL when none may come. Not VITRINE_OK: given up. */
    int (*record)(struct library_waiting *w, uint8_t type, struct bytes body);
    void *ctx; /* record's */
    bool answered;
    int status; /* with answered: an enum vitrine_status */
};

/* A command under way. */
struct library_command {
    struct library_bytes output, errors;
    bool overflowed;
    bool exited;
    int status;
};

struct library_subscription {
    uint32_t id;
    struct vitrine_handlers handlers;
    void *ctx;
    bool started; /* SUBSCRIBED has come */
    bool gone;    /* to be freed once no handler of it runs */
    unsigned running;
    uint16_t column; /* with started: where the cursor stood */
    struct library_subscription *next;
};

struct vitrine {
    struct connection *c; /* NULL once lost */
    int timeout_ms;
    uint32_t last_id;
    unsigned handling; /* depth of handlers that run */
    int lost; /* why the connection is over, an enum vitrine_status; VITRINE_OK: it is not */
    bool welcomed;
    uint32_t pid;
    char build[65];
    char path[108];
    struct library_waiting *waiting;
    struct library_command *command;
    unsigned exits_owed; /* EXITs still to come of commands that were given up */
    struct library_subscription *subscriptions;
    struct vitrine_expect *expects;
    void (*on_event)(void *ctx, const struct vitrine_event *event);
    void *event_ctx;
    char error[LIBRARY_ERROR_MAX];
};

/* --- library.c ------------------------------------------------------------------------------ */

/* Notes one line and returns status. */
int library_fail(struct vitrine *v, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* VITRINE_OK when a request can be made now; else fails. */
int library_ready(struct vitrine *v);
/* A number for a request. */
uint32_t library_next_id(struct vitrine *v);
/* Begins a request's frame; NULL after failing. Then encode, then library_end_frame(). */
struct wbuf *library_begin_frame(struct vitrine *v, enum ipc_message_type type, size_t body_max);
int library_end_frame(struct vitrine *v);
/* A moment timeout_ms from now, for library_pump(); -1 is for ever. */
int64_t library_deadline(int timeout_ms);
/* Sends what is queued, waits for something to come and acts on all of it. VITRINE_OK,
 * VITRINE_E_TIMEOUT (not noted), or why the connection is over (noted). */
int library_pump(struct vitrine *v, int64_t deadline);
/* Waits for the answer to w, v->timeout_ms at most. The answer's status; a failure is noted. */
int library_wait(struct vitrine *v, struct library_waiting *w);
/* The same, for another time. */
int library_wait_until(struct vitrine *v, struct library_waiting *w, int64_t deadline);

/* --- library_command.c ---------------------------------------------------------------------- */

void library_take_output(struct vitrine *v, struct bytes body, bool *bad);
void library_take_exit(struct vitrine *v, struct bytes body, bool *bad);
/* Runs a command that must succeed; *output, unless NULL, is to be cleared. The failure's text is
 * the command's. */
int library_run(struct vitrine *v, const char *const *argv, int timeout_ms,
                struct vitrine_result *result);

/* --- library_output.c ----------------------------------------------------------------------- */

/* SUBSCRIBED, DATA, LAG, ENDED, EVENT. False when malformed. */
bool library_take_subscribed(struct vitrine *v, uint8_t type, struct bytes body);
bool library_take_event(struct vitrine *v, struct bytes body);
struct library_subscription *library_find_subscription(struct vitrine *v, uint32_t id);
/* The connection is over: every subscription ends. */
void library_end_subscriptions(struct vitrine *v);
/* Frees them, telling nobody. */
void library_drop_subscriptions(struct vitrine *v);

/* --- library_expect.c ----------------------------------------------------------------------- */

void library_drop_expects(struct vitrine *v);

#endif
