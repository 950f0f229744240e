/* What is shared with whom: shares, their links, and the daemon's static key.
 *
 * A share is of a pane, a window or a session, and follows that object wherever it is moved and
 * whatever it is called: by pointer or number, never by name. Numbers do not come back, so another
 * object of the same name is not shared. Several shares may cover one pane.
 *
 *   live ── its last pane's program ends ──► kept: that pane's last screen, for those who come late
 *     └──── its object is gone otherwise ──► ended (daemon_shares.c)
 *
 * A share has any number of links; each link is a secret of its own with a role. Secrets live in
 * guarded memory only (crypto/secret.h) and are wiped with their link. A removed link leaves a
 * tombstone for SHARE_TOMBSTONE_MS, so that a holder who proves the secret can be told that it was
 * revoked.
 *
 * Nothing here knows viewers: viewer.c registers callbacks and keeps the counts. */
#ifndef VITRINE_DAEMON_SHARE_H
#define VITRINE_DAEMON_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"
#include "proto/viewer_msg.h"

struct loop;
struct outbuf;
struct pane;
struct session;
struct session_list;
struct target;
struct window;

#define SHARE_NAME_MAX_BYTES  64
#define SHARE_LABEL_MAX_BYTES 64
#define SHARE_TOMBSTONE_MS    (24ull * 3600 * 1000)
#define SHARE_REPLAY_MAX      4096 /* ephemerals remembered per link (protocol.md §3) */
#define SHARE_VIEWERS_MAX     1024

struct link_keys_guarded; /* link secret and psk, in guarded memory */

struct share_link {
    uint8_t id[VIEWER_LINK_ID_BYTES];
    struct link_keys_guarded *keys;
    uint8_t role; /* enum viewer_role */
    char label[SHARE_LABEL_MAX_BYTES + 1];
    uint8_t gone_reason; /* enum viewer_bye_reason, once it is a tombstone */
    bool gone;           /* a tombstone: its share may be gone too */
    uint64_t gone_at_ms;
    uint8_t (*seen)[16]; /* first halves of the ephemerals seen, a ring */
    uint32_t seen_len, seen_cap, seen_at;
    struct share *share; /* NULL for a tombstone */
    struct share_link *next;
};

enum share_kind { SHARE_PANE, SHARE_WINDOW, SHARE_SESSION };

struct share {
    uint32_t id;
    enum share_kind kind;
    uint32_t number;   /* of the pane, window or session */
    struct pane *pane; /* of a pane share; whoever destroys it ends the share before */
    struct pane *kept; /* its last pane once that is in no session any more, else NULL */
    bool commands;     /* operators may split, select and the like */
    char name[SHARE_NAME_MAX_BYTES + 1];
    int64_t created_s;
    uint32_t viewers; /* admitted and connected now; kept by viewer.c */
    struct share_link *links;
    struct share *next;
};

struct share_hooks {
    /* The link or share is being taken away: end its viewers with that reason. */
    void (*link_gone)(void *ctx, struct share_link *link, enum viewer_bye_reason reason);
    void *ctx;
};

struct share_list;

/* Makes an empty registry with a fresh static X25519 key. secret_init must have succeeded. NULL
 * when memory ran out. */
struct share_list *share_list_create(struct loop *l);
/* Ends every share and wipes every secret. */
void share_list_destroy(struct share_list *list);
void share_list_set_hooks(struct share_list *list, const struct share_hooks *hooks);
struct share *share_first(const struct share_list *list);
size_t share_count(const struct share_list *list);

/* The daemon's static key pair, guarded: public key in the first 32 bytes of what
 * share_public_key gives; the private one is for the handshake only. */
const uint8_t *share_public_key(const struct share_list *list);
const uint8_t *share_private_key(const struct share_list *list);

/* Shares the pane, window or session of `at`, all three of which are there, under a name. NULL when
 * memory ran out. */
struct share *share_create(struct share_list *list, enum share_kind kind, const struct target *at,
                           const char *name);
/* Adds a link. NULL when memory ran out. */
struct share_link *share_add_link(struct share *s, enum viewer_role role, const char *label);
/* Takes a link away; its viewers are told reason, it stays as a tombstone. */
void share_remove_link(struct share_list *list, struct share_link *link,
                       enum viewer_bye_reason reason);
/* Ends a share with all its links and frees it. */
void share_end(struct share_list *list, struct share *s, enum viewer_bye_reason reason);

/* Where what is shared is now: the pane, or the window or session with its active pane; only the
 * pane when it is kept. False when it is gone or has no pane any more. */
bool share_place(const struct share *s, const struct session_list *sessions, struct target *out);
/* True when the share shows the pane of `at` (its window and session may be NULL for none). */
bool share_covers(const struct share *s, const struct target *at);
/* The share of exactly that object, or NULL. */
struct share *share_exact(const struct share_list *list, enum share_kind kind,
                          const struct target *at);
/* Of the shares that show the pane of `at` the narrowest: its own, its window's, its session's;
 * NULL for none. */
struct share *share_narrowest(const struct share_list *list, const struct target *at);

/* How much is shared, and by how many viewers that is watched now. */
struct share_mark {
    uint32_t shares;
    uint32_t viewers;
};

struct share_mark share_mark_pane(const struct share_list *list, const struct target *at);
/* What shows any pane of a window, or of a session. */
struct share_mark share_mark_window(const struct share_list *list, const struct window *w);
struct share_mark share_mark_session(const struct share_list *list, const struct session *s);

struct share *share_by_id(const struct share_list *list, uint32_t id);
/* Finds a link by its public id, tombstones included; NULL when unknown. */
struct share_link *share_find_link(struct share_list *list, const uint8_t id[VIEWER_LINK_ID_BYTES]);
/* The pre-shared key of a link, guarded, borrowed while the link lives. */
const uint8_t *share_link_psk(const struct share_link *link);
/* True when a handshake with this ephemeral has succeeded on the link before. */
bool share_link_seen(const struct share_link *link, const uint8_t e[32]);
/* Remembers the ephemeral of a message 1 that verified: only those, so that nobody without the
 * secret can push others out. False when memory ran out: then it must not be let in. */
bool share_link_remember(struct share_link *link, const uint8_t e[32]);
/* Appends the link's URL: page_url, `#`, fragment, and the dot part when ws_url is not NULL. The
 * text is a secret: the caller wipes what held it. */
void share_link_url(const struct share_list *list, const struct share_link *link,
                    const char *page_url, const char *ws_url, struct outbuf *out);

#endif
