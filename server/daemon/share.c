#include "server/daemon/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/link_keys.h"
#include "crypto/secret.h"
#include "crypto/x25519.h"
#include "proto/link_text.h"
#include "server/daemon/layout.h"
#include "server/daemon/loop.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/session.h"

#define SEEN_FIRST 16 /* ephemerals; the table grows to SHARE_REPLAY_MAX */
#define SEEN_BYTES 16

struct link_keys_guarded {
    uint8_t secret[LINK_SECRET_BYTES];
    uint8_t psk[LINK_PSK_BYTES];
};

struct static_keys {
    uint8_t public[X25519_BYTES];
    uint8_t private[X25519_BYTES];
};

struct share_list {
    struct loop *loop;
    struct share_hooks hooks;
    struct static_keys *keys; /* guarded */
    struct share *first;
    struct share_link *tombstones; /* newest first */
    struct loop_timer sweep;
    uint32_t next_id;
};

/* --- the registry --------------------------------------------------------------------------- */

static void free_link(struct share_link *link)
{
    secret_free(link->keys);
    free(link->seen);
    free(link);
}

/* Forgets tombstones that are old enough; the list has the newest first. */
static void sweep_tombstones(void *ctx)
{
    struct share_list *list = ctx;
    uint64_t now = loop_now_ms(list->loop);
    struct share_link **at = &list->tombstones;

    while (*at && now - (*at)->gone_at_ms < SHARE_TOMBSTONE_MS)
        at = &(*at)->next;
    while (*at) {
        struct share_link *old = *at;

        *at = old->next;
        free_link(old);
    }
    if (list->tombstones)
        loop_timer_start(&list->sweep, SHARE_TOMBSTONE_MS / 24);
}

struct share_list *share_list_create(struct loop *l)
{
    struct share_list *list = calloc(1, sizeof *list);

    if (!list)
        return NULL;
    list->loop = l;
    list->next_id = 1;
    loop_timer_init(&list->sweep, l, sweep_tombstones, list);
    list->keys = secret_alloc(sizeof *list->keys);
    if (!list->keys || x25519_keypair(list->keys->private, list->keys->public) != ERR_OK) {
        share_list_destroy(list);
        return NULL;
    }
    return list;
}

void share_list_set_hooks(struct share_list *list, const struct share_hooks *hooks)
{
    list->hooks = *hooks;
}

void share_list_destroy(struct share_list *list)
{
    if (!list)
        return;
    while (list->first)
        share_end(list, list->first, BYE_REASON_STOPPING);
    while (list->tombstones) {
        struct share_link *next = list->tombstones->next;

        free_link(list->tombstones);
        list->tombstones = next;
    }
    loop_timer_stop(&list->sweep);
    secret_free(list->keys);
    free(list);
}

const uint8_t *share_public_key(const struct share_list *list)
{
    return list->keys->public;
}

const uint8_t *share_private_key(const struct share_list *list)
{
    return list->keys->private;
}

struct share *share_first(const struct share_list *list)
{
    return list->first;
}

size_t share_count(const struct share_list *list)
{
    size_t n = 0;

    for (struct share *s = list->first; s; s = s->next)
        n++;
    return n;
}

/* --- shares --------------------------------------------------------------------------------- */

static uint32_t number_of(enum share_kind kind, const struct target *at)
{
    switch (kind) {
    case SHARE_PANE:
        return layout_find(at->window->layout, at->pane)->id;
    case SHARE_WINDOW:
        return at->window->id;
    case SHARE_SESSION:
        break;
    }
    return at->session->id;
}

struct share *share_create(struct share_list *list, enum share_kind kind, const struct target *at,
                           const char *name)
{
    struct share *s = calloc(1, sizeof *s);
    struct share **end = &list->first;

    if (!s)
        return NULL;
    s->id = list->next_id++;
    s->kind = kind;
    s->number = number_of(kind, at);
    s->pane = kind == SHARE_PANE ? at->pane : NULL;
    s->created_s = loop_wall_s(list->loop);
    snprintf(s->name, sizeof s->name, "%s", name);
    while (*end)
        end = &(*end)->next;
    *end = s;
    return s;
}

void share_end(struct share_list *list, struct share *s, enum viewer_bye_reason reason)
{
    while (s->links)
        share_remove_link(list, s->links, reason);
    for (struct share **at = &list->first; *at; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    free(s);
}

struct share *share_by_id(const struct share_list *list, uint32_t id)
{
    for (struct share *s = list->first; s; s = s->next) {
        if (s->id == id)
            return s;
    }
    return NULL;
}

/* --- what a share shows --------------------------------------------------------------------- */

static bool find_window(const struct session_list *sessions, uint32_t id, struct target *out)
{
    for (struct session *s = session_first(sessions); s; s = s->next) {
        for (struct window *w = s->windows; w; w = w->next) {
            if (w->id != id)
                continue;
            *out = (struct target){s, w, w->active};
            return layout_count(w->layout) > 0;
        }
    }
    return false;
}

static bool find_session(const struct session_list *sessions, uint32_t id, struct target *out)
{
    for (struct session *s = session_first(sessions); s; s = s->next) {
        if (s->id != id)
            continue;
        *out = (struct target){s, s->current, s->current->active};
        return true;
    }
    return false;
}

bool share_place(const struct share *s, const struct session_list *sessions, struct target *out)
{
    *out = (struct target){NULL, NULL, s->kept};
    if (s->kept)
        return true;
    switch (s->kind) {
    case SHARE_PANE:
        return session_of_pane(sessions, s->pane, out);
    case SHARE_WINDOW:
        return find_window(sessions, s->number, out);
    case SHARE_SESSION:
        break;
    }
    return find_session(sessions, s->number, out);
}

bool share_covers(const struct share *s, const struct target *at)
{
    if (s->kept || s->kind == SHARE_PANE)
        return at->pane && at->pane == (s->kept ? s->kept : s->pane);
    if (s->kind == SHARE_WINDOW)
        return at->window && at->window->id == s->number;
    return at->session && at->session->id == s->number;
}

struct share *share_exact(const struct share_list *list, enum share_kind kind,
                          const struct target *at)
{
    for (struct share *s = list->first; s; s = s->next) {
        if (s->kind == kind && !s->kept && share_covers(s, at))
            return s;
    }
    return NULL;
}

struct share *share_narrowest(const struct share_list *list, const struct target *at)
{
    struct share *found = NULL;

    for (struct share *s = list->first; s; s = s->next) {
        if (share_covers(s, at) && (!found || s->kind < found->kind))
            found = s;
    }
    return found;
}

static void count(struct share_mark *m, const struct share *s)
{
    m->shares++;
    m->viewers += s->viewers;
}

struct share_mark share_mark_pane(const struct share_list *list, const struct target *at)
{
    struct share_mark m = {0, 0};

    for (const struct share *s = list->first; s; s = s->next) {
        if (share_covers(s, at))
            count(&m, s);
    }
    return m;
}

static bool touches_window(const struct share *s, const struct window *w)
{
    const struct target at = {w->session, (struct window *)w, NULL};

    if (s->kept)
        return false;
    return s->kind == SHARE_PANE ? layout_find(w->layout, s->pane) != NULL : share_covers(s, &at);
}

struct share_mark share_mark_window(const struct share_list *list, const struct window *w)
{
    struct share_mark m = {0, 0};

    for (const struct share *s = list->first; s; s = s->next) {
        if (touches_window(s, w))
            count(&m, s);
    }
    return m;
}

static bool touches_session(const struct share *s, const struct session *in)
{
    for (const struct window *w = in->windows; w; w = w->next) {
        if (touches_window(s, w))
            return true;
    }
    return false;
}

struct share_mark share_mark_session(const struct share_list *list, const struct session *in)
{
    struct share_mark m = {0, 0};

    for (const struct share *s = list->first; s; s = s->next) {
        if (touches_session(s, in))
            count(&m, s);
    }
    return m;
}

/* --- links ---------------------------------------------------------------------------------- */

static bool make_keys(struct share_link *link)
{
    link->keys = secret_alloc(sizeof *link->keys);
    if (!link->keys)
        return false;
    secret_random(link->keys->secret, sizeof link->keys->secret);
    return link_keys_psk(link->keys->secret, link->keys->psk) == ERR_OK &&
           link_keys_id(link->keys->secret, link->id) == ERR_OK;
}

struct share_link *share_add_link(struct share *s, enum viewer_role role, const char *label)
{
    struct share_link *link = calloc(1, sizeof *link);
    struct share_link **at = &s->links;

    if (!link)
        return NULL;
    if (!make_keys(link)) {
        free_link(link);
        return NULL;
    }
    link->share = s;
    link->role = (uint8_t)role;
    snprintf(link->label, sizeof link->label, "%s", label ? label : "");
    while (*at)
        at = &(*at)->next;
    *at = link;
    return link;
}

void share_remove_link(struct share_list *list, struct share_link *link,
                       enum viewer_bye_reason reason)
{
    struct share_link **at = &link->share->links;

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    link->gone = true;
    link->gone_reason = (uint8_t)reason;
    link->gone_at_ms = loop_now_ms(list->loop);
    if (list->hooks.link_gone)
        list->hooks.link_gone(list->hooks.ctx, link, reason);
    link->share = NULL;
    link->next = list->tombstones;
    list->tombstones = link;
    if (!loop_timer_running(&list->sweep))
        loop_timer_start(&list->sweep, SHARE_TOMBSTONE_MS);
}

struct share_link *share_find_link(struct share_list *list, const uint8_t id[VIEWER_LINK_ID_BYTES])
{
    struct share_link *found = NULL;

    for (struct share *s = list->first; s; s = s->next) {
        for (struct share_link *k = s->links; k; k = k->next) {
            if (secret_equal(k->id, id, sizeof k->id))
                found = k;
        }
    }
    for (struct share_link *k = list->tombstones; k; k = k->next) {
        if (secret_equal(k->id, id, sizeof k->id))
            found = k;
    }
    return found;
}

const uint8_t *share_link_psk(const struct share_link *link)
{
    return link->keys->psk;
}

static bool reserve_seen(struct share_link *link)
{
    uint32_t cap = link->seen_cap ? link->seen_cap * 2 : SEEN_FIRST;
    void *grown;

    if (link->seen_len < link->seen_cap || link->seen_cap == SHARE_REPLAY_MAX)
        return true;
    grown = realloc(link->seen, (size_t)cap * sizeof link->seen[0]);
    if (!grown)
        return false;
    link->seen = grown;
    link->seen_cap = cap;
    return true;
}

bool share_link_seen(const struct share_link *link, const uint8_t e[32])
{
    for (uint32_t i = 0; i < link->seen_len; i++) {
        if (memcmp(link->seen[i], e, SEEN_BYTES) == 0)
            return true;
    }
    return false;
}

bool share_link_remember(struct share_link *link, const uint8_t e[32])
{
    if (!reserve_seen(link))
        return false;
    if (link->seen_len < link->seen_cap) {
        memcpy(link->seen[link->seen_len++], e, SEEN_BYTES);
    } else {
        memcpy(link->seen[link->seen_at], e, SEEN_BYTES);
        link->seen_at = (link->seen_at + 1) % link->seen_cap;
    }
    return true;
}

void share_link_url(const struct share_list *list, const struct share_link *link,
                    const char *page_url, const char *ws_url, struct outbuf *out)
{
    struct wbuf w;
    uint8_t *room = outbuf_reserve(out, LINK_URL_MAX_BYTES);

    if (!room)
        return;
    wbuf_init(&w, room, LINK_URL_MAX_BYTES);
    link_text_write_url(&w, page_url, list->keys->public, link->keys->secret, ws_url);
    if (w.bad)
        out->bad = true;
    else
        out->len += w.len;
}
