/* Commands of the command language, and what is made of them.
 *
 * The connection carries one at a time. One that is given up is cancelled; its EXIT still comes and
 * is waited for before the next is sent. */
#include "proto/compat.h"

#include "server/client/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/client/request.h"

#define WORDS_MAX     256
#define SPAWN_ENV_MAX 16
#define PLACE         "#{session_id} #{window_id} #{pane_id}"

/* --- frames --------------------------------------------------------------------------------- */

void library_take_output(struct vitrine *v, struct bytes body, bool *bad)
{
    struct library_command *c = v->command;
    struct ipc_output m;

    *bad = ipc_decode_output(body, &m) != ERR_OK || m.stream == 0;
    if (*bad || v->exits_owed > 0)
        return;
    *bad = !c;
    if (c &&
        !library_put(m.stream == IPC_STREAM_OUT ? &c->output : &c->errors, m.data.p, m.data.len))
        c->overflowed = true;
}

void library_take_exit(struct vitrine *v, struct bytes body, bool *bad)
{
    struct ipc_exit m;

    *bad = ipc_decode_exit(body, &m) != ERR_OK;
    if (*bad)
        return;
    if (v->exits_owed > 0) {
        v->exits_owed--;
    } else if (v->command && !v->command->exited) {
        v->command->exited = true;
        v->command->status = m.status;
    } else {
        *bad = true;
    }
}

/* --- running one ---------------------------------------------------------------------------- */

static int send_command(struct vitrine *v, const char *const *argv)
{
    const char *only[2];
    char cwd[4096];
    bool ambiguous;
    struct request r = {.argv = argv, .flags = IPC_CLIENT_UTF8, .term = getenv("TERM")};
    enum err e;

    while (argv[r.argc])
        r.argc++;
    r.cwd = getcwd(cwd, sizeof cwd);
    r.env = request_choose_env(args_find(argv[0], &ambiguous), only);
    e = request_queue_command(v->c, &r);
    if (e == ERR_OK)
        return VITRINE_OK;
    return e == ERR_SPACE ? library_fail(v, VITRINE_E_LIMIT, "the command line is too long")
                          : library_fail(v, VITRINE_E_MEMORY, "out of memory");
}

static int send_cancel(struct vitrine *v, uint32_t id)
{
    struct ipc_cancel m = {id};
    struct wbuf *w = library_begin_frame(v, IPC_MSG_CANCEL, 4);

    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_cancel(w, &m);
    return library_end_frame(v);
}

static void give_up_command(struct vitrine *v)
{
    if (v->c && send_cancel(v, 0) == VITRINE_OK)
        connection_send(v->c);
    v->exits_owed++;
}

static int wait_for_exits(struct vitrine *v, int64_t deadline)
{
    int status = VITRINE_OK;

    while (v->exits_owed > 0 && status == VITRINE_OK)
        status = library_pump(v, deadline);
    return status;
}

static int run(struct vitrine *v, const char *const *argv, int64_t deadline,
               struct library_command *c)
{
    int status = wait_for_exits(v, deadline);

    if (status == VITRINE_OK)
        status = send_command(v, argv);
    if (status != VITRINE_OK)
        return status;
    v->command = c;
    while (!c->exited && status == VITRINE_OK)
        status = library_pump(v, deadline);
    v->command = NULL;
    if (c->exited)
        return VITRINE_OK;
    give_up_command(v);
    return status;
}

/* The texts as strings. False without memory. */
static bool give_result(struct library_command *c, struct vitrine_result *r)
{
    if (!library_put(&c->output, "", 1) || !library_put(&c->errors, "", 1))
        return false;
    r->status = c->status;
    r->output = c->output.p;
    r->output_len = c->output.len - 1;
    r->errors = c->errors.p;
    r->errors_len = c->errors.len - 1;
    return true;
}

int vitrine_command(struct vitrine *v, const char *const *argv, int timeout_ms,
                    struct vitrine_result *result)
{
    struct library_command c;
    int status = library_ready(v);

    memset(&c, 0, sizeof c);
    memset(result, 0, sizeof *result);
    if (status == VITRINE_OK && (!argv || !argv[0]))
        status = library_fail(v, VITRINE_E_ARGUMENT, "a command without words");
    if (status == VITRINE_OK) {
        status = run(v, argv, library_deadline(timeout_ms), &c);
        if (status == VITRINE_E_TIMEOUT)
            library_fail(v, status, "%s did not end in time", argv[0]);
    }
    if (status == VITRINE_OK && c.overflowed)
        status = library_fail(v, VITRINE_E_LIMIT, "%s printed too much", argv[0]);
    if (status == VITRINE_OK && give_result(&c, result))
        return VITRINE_OK;
    library_bytes_clear(&c.output);
    library_bytes_clear(&c.errors);
    return status != VITRINE_OK ? status : library_fail(v, VITRINE_E_MEMORY, "out of memory");
}

void vitrine_result_clear(struct vitrine_result *r)
{
    if (r->output)
        explicit_bzero(r->output, r->output_len);
    if (r->errors)
        explicit_bzero(r->errors, r->errors_len);
    free(r->output);
    free(r->errors);
    memset(r, 0, sizeof *r);
}

/* The daemon's first line, without `vitrine: ` in front of it. */
static int fail_as_said(struct vitrine *v, const struct vitrine_result *r)
{
    static const char prefix[] = "vitrine: ";
    const char *text = r->errors;
    int status = r->status == 2 ? VITRINE_E_USAGE : VITRINE_E_REFUSED;

    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        text += sizeof prefix - 1;
    if (strncmp(text, "can't find ", 11) == 0)
        status = VITRINE_E_NOT_FOUND;
    if (*text == '\0')
        return library_fail(v, status, "%s", vitrine_status_text(status));
    return library_fail(v, status, "%.*s", (int)strcspn(text, "\n"), text);
}

int library_run(struct vitrine *v, const char *const *argv, int timeout_ms,
                struct vitrine_result *result)
{
    struct vitrine_result r;
    int status = vitrine_command(v, argv, timeout_ms, &r);

    if (status == VITRINE_OK && r.status != 0)
        status = fail_as_said(v, &r);
    if (status == VITRINE_OK && result) {
        *result = r;
        return VITRINE_OK;
    }
    vitrine_result_clear(&r);
    if (result)
        memset(result, 0, sizeof *result);
    return status;
}

/* --- making things -------------------------------------------------------------------------- */

/* Words of a command line being put together; numbers become text in `numbers`. */
struct words {
    const char *words[WORDS_MAX];
    size_t n;
    char numbers[8][24];
    size_t n_numbers;
};

static void add(struct words *w, const char *word)
{
    if (w->n < WORDS_MAX - 1) /* the last is NULL; callers that may have more look first */
        w->words[w->n++] = word;
}

/* An option whose value is a number with something before and behind it: `-t` `%3`. */
static void add_number(struct words *w, const char *option, const char *before, unsigned number,
                       const char *behind)
{
    char *text = w->numbers[w->n_numbers++];

    snprintf(text, sizeof w->numbers[0], "%s%u%s", before, number, behind);
    add(w, option);
    add(w, text);
}

static int add_spawn(struct vitrine *v, struct words *w, const struct vitrine_spawn *s,
                     const char *name_option)
{
    size_t n = 0;

    for (n = 0; s->env && s->env[n]; n++) {
        if (n == SPAWN_ENV_MAX)
            return library_fail(v, VITRINE_E_LIMIT, "more than %d variables", SPAWN_ENV_MAX);
        add(w, "-e");
        add(w, s->env[n]);
    }
    if (s->name && name_option) {
        add(w, name_option);
        add(w, s->name);
    }
    if (s->directory) {
        add(w, "-c");
        add(w, s->directory);
    }
    if (s->cols > 0 && s->rows > 0 && name_option && name_option[1] == 's') {
        add_number(w, "-x", "", s->cols, "");
        add_number(w, "-y", "", s->rows, "");
    }
    add(w, "--");
    for (n = 0; s->argv && s->argv[n]; n++) {
        if (w->n >= WORDS_MAX - 1)
            return library_fail(v, VITRINE_E_LIMIT, "more than %zu words to start", n);
        add(w, s->argv[n]);
    }
    return VITRINE_OK;
}

/* The spawn a caller gave, in this library's size. */
static int copy_spawn(struct vitrine *v, const struct vitrine_spawn *given,
                      struct vitrine_spawn *out)
{
    memset(out, 0, sizeof *out);
    if (given && (given->size == 0 || given->size > sizeof *out))
        return library_fail(v, VITRINE_E_ARGUMENT, "a spawn of a newer library");
    if (given)
        memcpy(out, given, given->size);
    return VITRINE_OK;
}

static bool read_place(const char *text, struct vitrine_place *out)
{
    return sscanf(text, "$%u @%u %%%u", &out->session, &out->window, &out->pane) == 3;
}

/* Runs what was put together, which prints PLACE. */
static int run_for_place(struct vitrine *v, const struct words *w, struct vitrine_place *out)
{
    struct vitrine_place place;
    struct vitrine_result r;
    int status = library_run(v, w->words, v->timeout_ms, &r);

    if (status != VITRINE_OK)
        return status;
    if (!read_place(r.output, &place))
        status = library_fail(v, VITRINE_E_PROTOCOL, "the server did not say what it made");
    else if (out)
        *out = place;
    vitrine_result_clear(&r);
    return status;
}

static int make(struct vitrine *v, struct words *w, const struct vitrine_spawn *spawn,
                const char *name_option, struct vitrine_place *out)
{
    struct vitrine_spawn s;
    int status = library_ready(v);

    if (out)
        memset(out, 0, sizeof *out);
    if (status == VITRINE_OK)
        status = copy_spawn(v, spawn, &s);
    if (status != VITRINE_OK)
        return status;
    add(w, "-d");
    add(w, "-P");
    add(w, "-F");
    add(w, PLACE);
    status = add_spawn(v, w, &s, name_option);
    return status == VITRINE_OK ? run_for_place(v, w, out) : status;
}

int vitrine_new_session(struct vitrine *v, const struct vitrine_spawn *spawn,
                        struct vitrine_place *out)
{
    struct words w = {.words = {"new-session"}, .n = 1};

    return make(v, &w, spawn, "-s", out);
}

int vitrine_new_window(struct vitrine *v, uint32_t session, const struct vitrine_spawn *spawn,
                       struct vitrine_place *out)
{
    struct words w = {.words = {"new-window"}, .n = 1};

    add_number(&w, "-t", "$", session, ":");
    return make(v, &w, spawn, "-n", out);
}

int vitrine_split(struct vitrine *v, uint32_t pane, enum vitrine_side side, unsigned percent,
                  const struct vitrine_spawn *spawn, struct vitrine_place *out)
{
    struct words w = {.words = {"split-window"}, .n = 1};

    if ((unsigned)side > VITRINE_LEFT || percent > 99)
        return library_fail(v, VITRINE_E_ARGUMENT, "no such side, or not a percentage");
    add(&w, side == VITRINE_RIGHT || side == VITRINE_LEFT ? "-h" : "-v");
    if (side == VITRINE_ABOVE || side == VITRINE_LEFT)
        add(&w, "-b");
    if (percent > 0)
        add_number(&w, "-p", "", percent, "");
    add_number(&w, "-t", "%", pane, "");
    return make(v, &w, spawn, NULL, out);
}

int vitrine_find(struct vitrine *v, const char *target, struct vitrine_place *out)
{
    struct words w = {.words = {"display-message", "-p"}, .n = 2};

    memset(out, 0, sizeof *out);
    if (target && *target) {
        add(&w, "-t");
        add(&w, target);
    }
    add(&w, PLACE);
    return run_for_place(v, &w, out);
}

/* --- changing and ending -------------------------------------------------------------------- */

static int run_on(struct vitrine *v, const char *command, const char *sign, uint32_t number)
{
    struct words w = {.words = {command}, .n = 1};

    add_number(&w, "-t", sign, number, "");
    return library_run(v, w.words, v->timeout_ms, NULL);
}

static int resize(struct vitrine *v, const char *command, const char *sign, uint32_t number,
                  uint16_t cols, uint16_t rows)
{
    struct words w = {.words = {command}, .n = 1};

    add_number(&w, "-t", sign, number, "");
    add_number(&w, "-x", "", cols, "");
    add_number(&w, "-y", "", rows, "");
    return library_run(v, w.words, v->timeout_ms, NULL);
}

int vitrine_resize_pane(struct vitrine *v, uint32_t pane, uint16_t cols, uint16_t rows)
{
    return resize(v, "resize-pane", "%", pane, cols, rows);
}

int vitrine_resize_window(struct vitrine *v, uint32_t window, uint16_t cols, uint16_t rows)
{
    return resize(v, "resize-window", "@", window, cols, rows);
}

int vitrine_kill_session(struct vitrine *v, uint32_t session)
{
    return run_on(v, "kill-session", "$", session);
}

int vitrine_kill_window(struct vitrine *v, uint32_t window)
{
    return run_on(v, "kill-window", "@", window);
}

int vitrine_kill_pane(struct vitrine *v, uint32_t pane)
{
    return run_on(v, "kill-pane", "%", pane);
}

/* --- keys and text -------------------------------------------------------------------------- */

int vitrine_send_keys(struct vitrine *v, uint32_t pane, const char *const *keys)
{
    struct words w = {.words = {"send-keys"}, .n = 1};

    add_number(&w, "-t", "%", pane, "");
    add(&w, "--");
    for (size_t i = 0; keys && keys[i]; i++) {
        if (w.n >= WORDS_MAX - 1)
            return library_fail(v, VITRINE_E_LIMIT, "more than %zu keys", i);
        add(&w, keys[i]);
    }
    return library_run(v, w.words, v->timeout_ms, NULL);
}

static int type_piece(struct vitrine *v, uint32_t pane, const uint8_t *p, size_t n,
                      int64_t deadline)
{
    struct library_waiting waiting = {.id = library_next_id(v)};
    struct ipc_input m = {waiting.id, pane, {p, n}};
    struct wbuf *w = library_begin_frame(v, IPC_MSG_INPUT, 8 + n);
    int status;

    if (!w)
        return VITRINE_E_MEMORY;
    ipc_encode_input(w, &m);
    status = library_end_frame(v);
    if (status == VITRINE_OK)
        status = library_wait_until(v, &waiting, deadline);
    if (status != VITRINE_E_TIMEOUT || waiting.answered)
        return status;
    /* the answer to this tells whether it was typed after all */
    status = send_cancel(v, waiting.id);
    if (status == VITRINE_OK)
        status = library_wait(v, &waiting);
    if (status == VITRINE_E_STATE)
        return library_fail(v, VITRINE_E_TIMEOUT, "the program does not read its input");
    return status;
}

int vitrine_send_text(struct vitrine *v, uint32_t pane, const void *text, size_t n, int timeout_ms)
{
    int64_t deadline = library_deadline(timeout_ms);
    const uint8_t *p = text;
    int status = library_ready(v);

    for (size_t part; n > 0 && status == VITRINE_OK; p += part, n -= part) {
        part = n < IPC_DATA_MAX_BYTES ? n : IPC_DATA_MAX_BYTES;
        status = type_piece(v, pane, p, part, deadline);
    }
    return status;
}

int vitrine_capture_text(struct vitrine *v, uint32_t pane, uint32_t history, char **text,
                         size_t *len)
{
    struct words w = {.words = {"capture-pane", "-p"}, .n = 2};
    struct vitrine_result r;
    int status;

    *text = NULL;
    if (len)
        *len = 0;
    add_number(&w, "-t", "%", pane, "");
    if (history > INT32_MAX) {
        add(&w, "-S");
        add(&w, "-");
    } else {
        add_number(&w, "-S", history > 0 ? "-" : "", history, "");
    }
    status = library_run(v, w.words, v->timeout_ms, &r);
    if (status != VITRINE_OK)
        return status;
    *text = r.output;
    if (len)
        *len = r.output_len;
    r.output = NULL;
    vitrine_result_clear(&r);
    return VITRINE_OK;
}
