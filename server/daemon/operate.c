/* One line of the command table per operation. Numbers are all that is filled in, and they are
 * those of what was found, so a line means exactly that pane, window or session. It runs as the
 * owner's command would: options such as default-command, hooks and errors are the same. */
#include "proto/compat.h"

#include "server/daemon/operate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/args.h"
#include "server/daemon/command.h"
#include "server/daemon/daemon.h"
#include "server/daemon/pane.h"
#include "server/daemon/viewer.h"

#define WORDS_MAX 5
#define WORD_MAX  16
#define CWD_MAX   4096

struct line {
    char texts[WORDS_MAX][WORD_MAX];
    const char *words[WORDS_MAX];
    size_t n;
};

static void put(struct line *l, const char *text)
{
    snprintf(l->texts[l->n], WORD_MAX, "%s", text);
    l->words[l->n] = l->texts[l->n];
    l->n++;
}

/* -t and the number of what the command is about. */
static void put_target(struct line *l, char sign, uint32_t number)
{
    char text[WORD_MAX];

    snprintf(text, sizeof text, sign == '$' ? "%c%u:" : "%c%u", sign, number);
    put(l, "-t");
    put(l, text);
}

static void put_resize(struct line *l, const struct viewer_request *r)
{
    static const char *const directions[] = {"-L", "-R", "-U", "-D"};
    char cells[WORD_MAX];

    snprintf(cells, sizeof cells, "%u", r->cells > 0 ? r->cells : 1u);
    put(l, directions[r->direction & 3]);
    put_target(l, '%', pane_id(r->at->pane));
    put(l, cells);
}

static void put_line(struct line *l, const struct viewer_request *r)
{
    static const struct {
        const char *command;
        const char *option;
        char sign; /* of the target; 0 where put_resize writes it */
    } lines[] = {
        [COMMAND_OP_SPLIT_H] = {"split-window", "-h", '%'},
        [COMMAND_OP_SPLIT_V] = {"split-window", "-v", '%'},
        [COMMAND_OP_SELECT_PANE] = {"select-pane", NULL, '%'},
        [COMMAND_OP_SELECT_WINDOW] = {"select-window", NULL, '@'},
        [COMMAND_OP_ZOOM] = {"resize-pane", "-Z", '%'},
        [COMMAND_OP_NEW_WINDOW] = {"new-window", NULL, '$'},
        [COMMAND_OP_KILL_PANE] = {"kill-pane", NULL, '%'},
        [COMMAND_OP_RESIZE] = {"resize-pane", NULL, 0},
    };
    char sign = lines[r->op].sign;

    put(l, lines[r->op].command);
    if (lines[r->op].option)
        put(l, lines[r->op].option);
    if (sign == 0)
        put_resize(l, r);
    else
        put_target(l, sign,
                   sign == '%'   ? pane_id(r->at->pane)
                   : sign == '@' ? r->at->window->id
                                 : r->at->session->id);
}

/* The first line of what a command complained of, without the program's name. */
static void first_line(const struct outbuf *err, char *out, size_t cap)
{
    static const char ours[] = "vitrine: ";
    const char *text = err->len > 0 ? (const char *)err->p : "failed";
    size_t n = err->len > 0 ? err->len : strlen(text);
    const char *end = memchr(text, '\n', n);

    n = end ? (size_t)(end - text) : n;
    if (n >= sizeof ours - 1 && memcmp(text, ours, sizeof ours - 1) == 0) {
        text += sizeof ours - 1;
        n -= sizeof ours - 1;
    }
    snprintf(out, cap, "%.*s", (int)n, text);
}

/* The command table has the last word on what operators' commands may be. */
static bool is_operators(const char *name)
{
    bool ambiguous;
    const struct command_spec *spec = args_find(name, &ambiguous);

    return spec && spec->role == ARGS_ROLE_OPERATOR;
}

bool operate_run(void *daemon, const struct viewer_request *r, char *why, size_t cap)
{
    struct ipc_command request = {0};
    struct command c = {.daemon = daemon, .request = &request};
    struct line l = {.n = 0};
    char path[64], cwd[CWD_MAX];
    enum command_result result;
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%ld/cwd", (long)pane_pid(r->at->pane));
    n = readlink(path, cwd, sizeof cwd);
    if (n > 0 && (size_t)n < sizeof cwd)
        request.cwd = (struct bytes){(const uint8_t *)cwd, (size_t)n};
    put_line(&l, r);
    if (!is_operators(l.words[0])) {
        snprintf(why, cap, "only the owner may do that");
        return false;
    }
    result = command_run_words(&c, l.n, l.words);
    if (result != COMMAND_DONE)
        first_line(&c.err, why, cap);
    outbuf_clear(&c.out);
    outbuf_clear(&c.err);
    return result == COMMAND_DONE;
}
