#include "server/daemon/hooks.h"

#include <stdlib.h>
#include <string.h>

#include "proto/args.h"

struct hook {
    int64_t session;
    char *name;
    char **texts;
    size_t n;
    struct hook *next; /* by name */
};

struct hooks {
    struct hook *first;
};

static const char *const names[] = {
    "alert-activity",  "alert-bell",      "alert-silence",
    "client-attached", "client-detached", "pane-died",      "pane-exited",     "session-closed",
    "session-created", "session-renamed", "share-created",  "share-ended",     "viewer-joined",
    "viewer-left",     "window-linked",   "window-renamed", "window-unlinked",
};

const char *hooks_known_name(size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

bool hooks_known(const char *name)
{
    const struct command_spec *spec;
    bool ambiguous;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    if (strncmp(name, "after-", 6) != 0)
        return false;
    spec = args_find(name + 6, &ambiguous);
    return spec && strcmp(spec->name, name + 6) == 0;
}

struct hooks *hooks_create(void)
{
    return calloc(1, sizeof(struct hooks));
}

static void free_hook(struct hook *k)
{
    for (size_t i = 0; i < k->n; i++)
        free(k->texts[i]);
    free(k->texts);
    free(k->name);
    free(k);
}

void hooks_destroy(struct hooks *h)
{
    for (struct hook *k = h ? h->first : NULL, *next; k; k = next) {
        next = k->next;
        free_hook(k);
    }
    free(h);
}

static struct hook *find(const struct hooks *h, int64_t session, const char *name)
{
    struct hook *k = h->first;

    while (k && (k->session != session || strcmp(k->name, name) != 0))
        k = k->next;
    return k;
}

static struct hook *make(struct hooks *h, int64_t session, const char *name)
{
    struct hook *k = calloc(1, sizeof *k), **at = &h->first;

    if (k)
        k->name = strdup(name);
    if (!k || !k->name) {
        free(k);
        return NULL;
    }
    k->session = session;
    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    k->next = *at;
    *at = k;
    return k;
}

void hooks_unset(struct hooks *h, int64_t session, const char *name)
{
    for (struct hook **at = &h->first; *at; at = &(*at)->next) {
        struct hook *k = *at;

        if (k->session != session || strcmp(k->name, name) != 0)
            continue;
        *at = k->next;
        free_hook(k);
        return;
    }
}

void hooks_forget(struct hooks *h, int64_t session)
{
    for (struct hook **at = &h->first; *at && session != HOOKS_GLOBAL;) {
        struct hook *k = *at;

        if (k->session == session) {
            *at = k->next;
            free_hook(k);
        } else {
            at = &k->next;
        }
    }
}

enum err hooks_set(struct hooks *h, int64_t session, const char *name, const char *text,
                   bool append)
{
    struct hook *k = find(h, session, name);
    char *copy, **more;

    if (!hooks_known(name))
        return ERR_NOT_FOUND;
    if (strlen(text) > HOOKS_TEXT_MAX || (append && k && k->n >= HOOKS_PER_NAME))
        return ERR_RANGE;
    copy = strdup(text);
    if (!k && copy)
        k = make(h, session, name);
    more = k && copy ? realloc(k->texts, (k->n + 1) * sizeof *more) : NULL;
    if (!more) {
        free(copy);
        return ERR_MEMORY;
    }
    k->texts = more;
    while (!append && k->n > 0)
        free(k->texts[--k->n]);
    k->texts[k->n++] = copy;
    return ERR_OK;
}

const char *hooks_own(const struct hooks *h, int64_t session, const char *name, size_t i)
{
    const struct hook *k = find(h, session, name);

    return k && i < k->n ? k->texts[i] : NULL;
}

const char *hooks_text(const struct hooks *h, int64_t session, const char *name, size_t i)
{
    return find(h, session, name) ? hooks_own(h, session, name, i)
                                  : hooks_own(h, HOOKS_GLOBAL, name, i);
}

const char *hooks_name(const struct hooks *h, int64_t session, size_t i)
{
    for (const struct hook *k = h->first; k; k = k->next) {
        if (k->session == session && i-- == 0)
            return k->name;
    }
    return NULL;
}

bool hooks_empty(const struct hooks *h)
{
    return h->first == NULL;
}
