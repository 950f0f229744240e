#include "server/client/request.h"

#include <stdlib.h>
#include <string.h>

#include "proto/ipc_msg.h"

#define BLOB_OVERHEAD 4

extern char **environ;

const char *const *request_choose_env(const struct command_spec *spec, const char *only[static 2])
{
    only[0] = only[1] = NULL;
    if (spec && (spec->flags & ARGS_ENV) != 0)
        return (const char *const *)environ;
    for (char **v = environ; v && *v; v++) {
        if (strncmp(*v, "VITRINE_PANE=", 13) == 0)
            only[0] = *v;
    }
    return only;
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

enum err request_queue_hello(struct connection *c)
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

enum err request_queue_command(struct connection *c, const struct request *r)
{
    struct arguments words = {NULL, 0, 0}, env = {NULL, 0, 0};
    enum err e = ERR_MEMORY;

    if (gather_words(r, &words) && gather_env(r->env, &env))
        e = queue_command(c, r, &words, &env);
    free(words.items);
    free(env.items);
    return e;
}

enum err request_queue(struct connection *c, const struct request *r)
{
    enum err e = request_queue_hello(c);

    return e == ERR_OK ? request_queue_command(c, r) : e;
}
