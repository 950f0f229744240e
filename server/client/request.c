#include "server/client/request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proto/ipc_msg.h"
#include "server/client/terminal.h"

#define BLOB_OVERHEAD 4

static bool names_utf8(const char *locale)
{
    for (; *locale; locale++) {
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
            return true;
    }
    return false;
}

/* POSIX's order of precedence; the C library is not asked, a static one knows no locales. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);

        if (v && v[0] != '\0')
            return names_utf8(v);
    }
    return false;
}

unsigned request_client_flags(void)
{
    const char *colour = getenv("COLORTERM");
    const char *term = getenv("TERM");
    unsigned flags = 0;

    if (terminal_is_there() && terminal_is_capable()) /* else `share` prints its links */
        flags |= IPC_CLIENT_TTY;
    if (locale_is_utf8())
        flags |= IPC_CLIENT_UTF8;
    if (colour && (strcmp(colour, "truecolor") == 0 || strcmp(colour, "24bit") == 0))
        flags |= IPC_CLIENT_COLOURS | IPC_CLIENT_COLOURS_256;
    if (term && strstr(term, "256color"))
        flags |= IPC_CLIENT_COLOURS_256;
    return flags;
}

/* A list of arguments being gathered, with the bytes they take on the wire. */
struct arguments {
    struct ipc_argument *items;
    size_t n;
    size_t bytes;
};

static void add(struct arguments *a, const char *text)
{
    a->items[a->n++].text = bytes_of(text);
    a->bytes += BLOB_OVERHEAD + strlen(text);
}

static bool is_variable(const char *text)
{
    const char *equals = strchr(text, '=');

    return equals && equals > text;
}

static bool gather_env(const char *const *env, struct arguments *a)
{
    size_t n = 0;

    while (env && env[n])
        n++;
    a->items = calloc(n > 0 ? n : 1, sizeof *a->items);
    for (size_t i = 0; a->items && i < n && a->n < UINT16_MAX; i++) {
        size_t cost = BLOB_OVERHEAD + strlen(env[i]);

        if (is_variable(env[i]) && cost <= REQUEST_ENV_MAX_BYTES - a->bytes)
            add(a, env[i]);
    }
    return a->items != NULL;
}

static bool gather_words(const struct request *r, struct arguments *a)
{
    a->items = calloc(r->argc > 0 ? r->argc : 1, sizeof *a->items);
    for (size_t i = 0; a->items && i < r->argc; i++)
        add(a, r->argv[i]);
    return a->items != NULL;
}

static enum err queue_hello(struct connection *c)
{
    struct ipc_hello hello = {IPC_MAGIC, IPC_VERSION, bytes_of(VITRINE_VERSION)};
    struct wbuf *w = connection_begin_frame(c, IPC_MSG_HELLO, 64);

    if (!w)
        return ERR_MEMORY;
    ipc_encode_hello(w, &hello);
    return connection_end_frame(c);
}

static enum err queue_command(struct connection *c, const struct request *r,
                              const struct arguments *words, const struct arguments *env)
{
    struct ipc_command m = {
        .flags = (uint8_t)r->flags,
        .cols = r->cols,
        .rows = r->rows,
        .term = bytes_of(r->term),
        .cwd = bytes_of(r->cwd),
        .argv = {.n = (uint16_t)words->n, .items = words->items},
        .env = {.n = (uint16_t)env->n, .items = env->items},
    };
    size_t size = 64 + words->bytes + env->bytes + m.term.len + m.cwd.len;
    struct wbuf *w;

    if (words->n > IPC_ARGV_MAX || size > IPC_BODY_MAX_BYTES)
        return ERR_SPACE;
    w = connection_begin_frame(c, IPC_MSG_COMMAND, size);
    if (!w)
        return ERR_MEMORY;
    ipc_encode_command(w, &m);
    return connection_end_frame(c);
}

enum err request_queue(struct connection *c, const struct request *r)
{
    struct arguments words = {NULL, 0, 0}, env = {NULL, 0, 0};
    enum err e = ERR_MEMORY;

    if (gather_words(r, &words) && gather_env(r->env, &env))
        e = queue_hello(c);
    if (e == ERR_OK)
        e = queue_command(c, r, &words, &env);
    free(words.items);
    free(env.items);
    return e;
}
