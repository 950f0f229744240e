/* What is shared with whom: shares, their links, and the daemon's static key.
 *
 * A share is of one pane (windows and sessions come with the multiplexer). It has any number of
 * links; each link is a secret of its own with a role. Secrets live in guarded memory only
 * (crypto/secret.h) and are wiped with their link. A removed link leaves a tombstone for
 * SHARE_TOMBSTONE_MS, so that a holder who proves the secret can be told that it was revoked.
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

struct share {
    uint32_t id;
    struct pane *pane; /* NULL once the pane is gone */
    uint32_t pane_number;
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

/* Shares a pane under a name. NULL when memory ran out. */
struct share *share_create(struct share_list *list, struct pane *pane, uint32_t pane_number,
                           const char *name);
/* Adds a link. NULL when memory ran out. */
struct share_link *share_add_link(struct share *s, enum viewer_role role, const char *label);
/* Takes a link away; its viewers are told reason, it stays as a tombstone. */
void share_remove_link(struct share_list *list, struct share_link *link,
                       enum viewer_bye_reason reason);
/* Ends a share with all its links and frees it. */
void share_end(struct share_list *list, struct share *s, enum viewer_bye_reason reason);

struct share *share_of_pane(const struct share_list *list, const struct pane *pane);
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
