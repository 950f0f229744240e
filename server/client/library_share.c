/* Shares, by the commands share, links, shares and unshare and what they print with --json. Links
 * are secrets: every buffer they pass through here is wiped. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/json_read.h"

#define LINKS_MAX  64
#define SHARES_MAX 65536

static void wipe_string(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

void vitrine_share_clear(struct vitrine_share *s)
{
    for (size_t i = 0; i < s->n_links; i++) {
        wipe_string(s->links[i].url);
        free(s->links[i].label);
    }
    free(s->links);
    memset(s, 0, sizeof *s);
}

/* --- what the commands print ---------------------------------------------------------------- */

static void read_link(struct json_read *r, struct vitrine_link *k)
{
    char name[JSON_NAME_MAX];
    size_t n = 0;

    json_read_enter(r, '{');
    while (json_read_more(r, '}', &n)) {
        json_read_name(r, name);
        if (strcmp(name, "url") == 0 && !k->url) {
            k->url = json_read_string(r);
        } else if (strcmp(name, "label") == 0 && !k->label) {
            k->label = json_read_string(r);
        } else if (strcmp(name, "role") == 0) {
            char *role = json_read_string(r);

            k->write = role && strcmp(role, "operator") == 0;
            free(role);
        } else {
            json_read_skip(r);
        }
    }
    if (!k->url || !k->label)
        r->bad = true;
}

static void read_links(struct json_read *r, struct vitrine_share *s)
{
    size_t n = 0;

    if (s->links)
        r->bad = true;
    json_read_enter(r, '[');
    while (json_read_more(r, ']', &n)) {
        if (!s->links)
            s->links = calloc(LINKS_MAX, sizeof *s->links);
        if (!s->links || s->n_links == LINKS_MAX) {
            r->bad = true;
            return;
        }
        read_link(r, &s->links[s->n_links++]);
    }
}

/* One share as `share --json` and `links --json` print it. */
static bool read_share(const struct vitrine_result *text, struct vitrine_share *s)
{
    char name[JSON_NAME_MAX];
    bool has_id = false;
    struct json_read r;
    size_t n = 0;

    json_read_init(&r, text->output, text->output_len);
    json_read_enter(&r, '{');
    while (json_read_more(&r, '}', &n)) {
        json_read_name(&r, name);
        if (strcmp(name, "share") == 0) {
            s->id = json_read_number(&r);
            has_id = true;
        } else if (strcmp(name, "links") == 0) {
            read_links(&r, s);
        } else {
            json_read_skip(&r);
        }
    }
    return !r.bad && has_id;
}

/* Runs a command that prints a share. */
static int run_for_share(struct vitrine *v, const char *const *argv, int timeout_ms,
                         struct vitrine_share *out)
{
    struct vitrine_result r;
    int status;

    memset(out, 0, sizeof *out);
    status = library_run(v, argv, timeout_ms, &r);
    if (v->c)
        connection_wipe(v->c);
    if (status != VITRINE_OK)
        return status;
    if (!read_share(&r, out)) {
        vitrine_share_clear(out);
        status = library_fail(v, VITRINE_E_PROTOCOL, "the server did not describe the share");
    }
    vitrine_result_clear(&r);
    return status;
}

/* --- sharing -------------------------------------------------------------------------------- */

int vitrine_share(struct vitrine *v, uint32_t pane, enum vitrine_share_scope scope, bool write,
                  int timeout_ms, struct vitrine_share *out)
{
    static const char *const scopes[] = {NULL, "--window", "--session"};
    const char *argv[8] = {"share", "-d", "--json", "-t"};
    char target[16];
    size_t n = 5;

    memset(out, 0, sizeof *out);
    if ((unsigned)scope > VITRINE_SHARE_SESSION)
        return library_fail(v, VITRINE_E_ARGUMENT, "no such scope");
    snprintf(target, sizeof target, "%%%u", pane);
    argv[4] = target;
    if (scopes[scope])
        argv[n++] = scopes[scope];
    if (write)
        argv[n++] = "--write";
    return run_for_share(v, argv, timeout_ms, out);
}

int vitrine_share_links(struct vitrine *v, uint32_t share, struct vitrine_share *out)
{
    char target[16];
    const char *argv[] = {"links", "--json", "-t", target, NULL};

    snprintf(target, sizeof target, "%u", share);
    return run_for_share(v, argv, v->timeout_ms, out);
}

int vitrine_unshare(struct vitrine *v, uint32_t share)
{
    char target[16];
    const char *argv[] = {"unshare", "-t", target, NULL};

    snprintf(target, sizeof target, "%u", share);
    return library_run(v, argv, v->timeout_ms, NULL);
}

static uint32_t read_share_id(struct json_read *r)
{
    char name[JSON_NAME_MAX];
    bool has_id = false;
    uint32_t id = 0;
    size_t n = 0;

    json_read_enter(r, '{');
    while (json_read_more(r, '}', &n)) {
        json_read_name(r, name);
        if (strcmp(name, "share") == 0) {
            id = json_read_number(r);
            has_id = true;
        } else {
            json_read_skip(r);
        }
    }
    if (!has_id)
        r->bad = true;
    return id;
}

int vitrine_list_shares(struct vitrine *v, uint32_t **list, size_t *n)
{
    const char *argv[] = {"shares", "--json", NULL};
    struct library_bytes ids = {NULL, 0, 0};
    struct vitrine_result text;
    struct json_read r;
    int status;

    *list = NULL;
    *n = 0;
    status = library_run(v, argv, v->timeout_ms, &text);
    if (status != VITRINE_OK)
        return status;
    json_read_init(&r, text.output, text.output_len);
    json_read_enter(&r, '[');
    for (size_t i = 0; json_read_more(&r, ']', &i) && i <= SHARES_MAX;) {
        uint32_t id = read_share_id(&r);

        r.bad |= !library_put(&ids, &id, sizeof id);
    }
    if (r.bad)
        status = library_fail(v, VITRINE_E_PROTOCOL, "the server did not list its shares");
    else if (!library_put(&ids, "", 1)) /* an empty list is not NULL */
        status = library_fail(v, VITRINE_E_MEMORY, "out of memory");
    if (status == VITRINE_OK) {
        *list = (uint32_t *)(void *)ids.p;
        *n = ids.len / sizeof **list;
    } else {
        library_bytes_clear(&ids);
    }
    vitrine_result_clear(&text);
    return status;
}
