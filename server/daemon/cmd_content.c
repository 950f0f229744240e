/* Commands about what panes hold: keys into them, text out of them, buffers, channels. */
#include "proto/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/daemon/cmd_copy.h"
#include "server/daemon/cmd_format.h"
#include "server/daemon/commands.h"
#include "server/daemon/copy_mode.h"
#include "server/daemon/daemon.h"
#include "server/daemon/json.h"
#include "server/daemon/keynames.h"
#include "server/daemon/loop.h"
#include "server/daemon/pane.h"
#include "server/daemon/screen.h"
#include "server/daemon/target.h"

#define SAMPLE_BYTES 50 /* of a buffer in lists */
#define PATH_BYTES   4096
#define COUNT_MAX    10000 /* of send-keys -N */

/* --- keys and captures ---------------------------------------------------------------------- */

/* One word of send-keys as bytes. False when -H gets no hexadecimal byte. */
static bool encode_key(struct command *c, const char *word, uint32_t modes, struct outbuf *out)
{
    if (args_has(&c->args, "H")) {
        unsigned v;
        char rest;

        if (strlen(word) > 2 || sscanf(word, "%x%c", &v, &rest) != 1)
            return false;
        outbuf_byte(out, (uint8_t)v);
    } else if (args_has(&c->args, "l") || keynames_encode(word, modes, out) == ERR_NOT_FOUND) {
        outbuf_text(out, word);
    }
    return true;
}

/* All words, with -F after their formats were expanded. */
static enum command_result encode_keys(struct command *c, const struct target *t,
                                       struct outbuf *keys)
{
    struct format_place place = format_place(&c->daemon->world, t);
    uint32_t modes = screen_modes(pane_screen(t->pane));

    for (size_t i = 0; i < c->args.n_words; i++) {
        const char *word = c->args.words[i];
        char *expanded = args_has(&c->args, "F") ? format_vars_text(&place, word, false) : NULL;
        bool ok = encode_key(c, expanded ? expanded : word, modes, keys);

        free(expanded);
        if (!ok)
            return command_usage(c, "not a hexadecimal byte: %s", word);
    }
    return COMMAND_DONE;
}

static enum command_result type_keys(struct command *c, struct pane *p, const struct outbuf *keys,
                                     long times)
{
    size_t missing = 0;

    for (long i = 0; i < times && missing == 0; i++)
        missing = keys->len - pane_write(p, keys->p, keys->len);
    if (keys->bad || missing > 0)
        return command_fail(c, "the program does not read: %zu of %zu bytes were not delivered",
                            missing, keys->len);
    return COMMAND_DONE;
}

/* -N, with tmux's words for what is wrong. */
static bool read_count(struct command *c, long *out)
{
    const char *text = args_value(&c->args, "N");
    enum err e = text ? args_number(text, 1, COUNT_MAX, out) : ERR_OK;

    if (e == ERR_OK)
        return true;
    if (e == ERR_RANGE)
        command_fail(c, "repeat count too %s",
                     text[0] == '-' || text[0] == '0' ? "small" : "large");
    else
        command_fail(c, "repeat count invalid");
    return false;
}

/* -X runs a command of copy mode; -N alone is the count for the next one. */
static enum command_result run_in_mode(struct command *c, const struct target *t, long times)
{
    if (!args_has(&c->args, "X") && !copy_mode_of(t->pane))
        return COMMAND_DONE;
    if (args_value(&c->args, "N") && cmd_copy_count(c, t, times) != COMMAND_DONE)
        return COMMAND_FAILED;
    return args_has(&c->args, "X") ? cmd_copy_run(c, t) : COMMAND_DONE;
}

enum command_result cmd_send_keys(struct command *c)
{
    struct outbuf keys = {0};
    enum command_result result;
    struct target t;
    long times = 1;

    if (args_has(&c->args, "M"))
        return cmd_copy_pass_mouse(c);
    if (!read_count(c, &times))
        return COMMAND_FAILED;
    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    if (args_has(&c->args, "R"))
        pane_reset_terminal(t.pane);
    if (args_has(&c->args, "X") || c->args.n_words == 0)
        return run_in_mode(c, &t, times);
    if (cmd_copy_keys(c, &t, times))
        return COMMAND_DONE;
    result = encode_keys(c, &t, &keys);
    if (result == COMMAND_DONE)
        result = type_keys(c, t.pane, &keys, times);
    outbuf_clear(&keys);
    return result;
}

/* A -S or -E value: a line number or "-" for the end. False after saying what is wrong. */
static bool capture_line(struct command *c, const char *option, int32_t end, int32_t *out)
{
    const char *text = args_value(&c->args, option);
    long v = *out;

    if (text && strcmp(text, "-") == 0) {
        *out = end;
        return true;
    }
    if (!command_number(c, option, -2000000000L, 2000000000L, &v))
        return false;
    *out = (int32_t)v;
    return true;
}

/* -C: what is no text, and the backslash, as a backslash and three digits, as tmux does. */
static void escape_controls(struct outbuf *text)
{
    struct outbuf out = {0};

    for (size_t i = 0; i < text->len; i++) {
        uint8_t b = text->p[i];

        if (b == '\\')
            outbuf_text(&out, "\\\\");
        else if (b < 0x20 && b != '\n')
            outbuf_printf(&out, "\\%03o", b);
        else
            outbuf_byte(&out, b);
    }
    out.bad = out.bad || text->bad;
    outbuf_clear(text);
    *text = out;
}

enum command_result cmd_capture_pane(struct command *c)
{
    struct capture_opts o = {.end = CAPTURE_LAST,
                             .escapes = args_has(&c->args, "e"),
                             .join = args_has(&c->args, "J"),
                             .trailing = args_has(&c->args, "N"),
                             .alternate = args_has(&c->args, "a")};
    struct outbuf text = {0};
    struct target t;
    enum err e;

    if (!capture_line(c, "S", CAPTURE_FIRST, &o.start) ||
        !capture_line(c, "E", CAPTURE_LAST, &o.end))
        return COMMAND_USAGE;
    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    e = screen_capture(pane_screen(t.pane), &o, &text);
    if (args_has(&c->args, "C"))
        escape_controls(&text);
    if (e == ERR_OK && args_has(&c->args, "p"))
        outbuf_put(&c->out, text.p, text.len);
    else if (e == ERR_OK)
        e = paste_set(&c->daemon->pastes, args_value(&c->args, "b"), text.p, text.len,
                       loop_wall_s(c->daemon->loop), NULL);
    outbuf_clear(&text);
    if (e == ERR_NOT_FOUND && args_has(&c->args, "q")) {
        outbuf_text(&c->out, args_has(&c->args, "p") ? "\n" : "");
        return COMMAND_DONE;
    }
    if (e == ERR_NOT_FOUND)
        return command_fail(c, "no alternate screen");
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "%s", err_text(e));
}

enum command_result cmd_clear_history(struct command *c)
{
    struct target t;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    screen_clear_history(pane_screen(t.pane));
    return COMMAND_DONE;
}

/* --- buffers -------------------------------------------------------------------------------- */

/* The buffer that -b names, or the newest. NULL after saying why. */
static struct paste *find_buffer(struct command *c)
{
    const char *name = args_value(&c->args, "b");
    struct paste *b = paste_find(&c->daemon->pastes, name);

    if (!b)
        command_fail(c, name ? "no buffer %s" : "no buffers", name);
    return b;
}

static enum command_result set_buffer(struct command *c, const uint8_t *text, size_t n)
{
    enum err e = paste_set(&c->daemon->pastes, args_value(&c->args, "b"), text, n,
                            loop_wall_s(c->daemon->loop), NULL);

    if (e == ERR_RANGE)
        return command_fail(c, "too large for a buffer: %zu bytes", n);
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "buffer: %s", err_text(e));
}

enum command_result cmd_set_buffer(struct command *c)
{
    struct outbuf text = {0};
    enum command_result result;
    struct paste *b;

    if (args_value(&c->args, "n")) {
        b = find_buffer(c);
        if (!b)
            return COMMAND_FAILED;
        if (paste_rename(&c->daemon->pastes, b, args_value(&c->args, "n")) != ERR_OK)
            return command_fail(c, "bad buffer name: %s", args_value(&c->args, "n"));
        return COMMAND_DONE;
    }
    if (c->args.n_words != 1)
        return command_usage(c, "set-buffer needs the text");
    b = args_has(&c->args, "a") ? paste_find(&c->daemon->pastes, args_value(&c->args, "b"))
                                : NULL;
    if (b)
        outbuf_put(&text, b->text, b->len);
    outbuf_text(&text, c->args.words[0]);
    result = text.bad ? command_fail(c, "out of memory") : set_buffer(c, text.p, text.len);
    outbuf_clear(&text);
    return result;
}

enum command_result cmd_show_buffer(struct command *c)
{
    struct paste *b = find_buffer(c);

    if (!b)
        return COMMAND_FAILED;
    outbuf_put(&c->out, b->text, b->len);
    return COMMAND_DONE;
}

enum command_result cmd_delete_buffer(struct command *c)
{
    struct paste *b = find_buffer(c);

    if (!b)
        return COMMAND_FAILED;
    paste_delete(&c->daemon->pastes, b);
    return COMMAND_DONE;
}

static void print_buffer_json(struct command *c, const struct paste *b, const char *sample)
{
    outbuf_text(&c->out, "{\"name\":");
    json_string(&c->out, b->name);
    outbuf_printf(&c->out, ",\"bytes\":%zu,\"created\":%lld,\"sample\":", b->len,
                  (long long)b->created_s);
    json_string(&c->out, sample);
    outbuf_byte(&c->out, '}');
}

static void print_buffer(struct command *c, const struct paste *b, const char *sample)
{
    char size[24], created[24];
    const struct target nowhere = {NULL, NULL, NULL};
    const struct format_extra extra[] = {{"buffer_name", b->name},
                                         {"buffer_size", size},
                                         {"buffer_created", created},
                                         {"buffer_sample", sample}};
    struct format_place place = format_place(&c->daemon->world, &nowhere);

    snprintf(size, sizeof size, "%zu", b->len);
    snprintf(created, sizeof created, "%lld", (long long)b->created_s);
    place.extra = extra;
    place.n_extra = sizeof extra / sizeof extra[0];
    cmd_format_place(c, &place, "#{buffer_name}: #{buffer_size} bytes: \"#{buffer_sample}\"");
}

enum command_result cmd_list_buffers(struct command *c)
{
    bool json = args_has(&c->args, "json");
    const char *comma = "";

    outbuf_text(&c->out, json ? "[" : "");
    for (const struct paste *b = c->daemon->pastes.first; b; b = b->next) {
        char sample[SAMPLE_BYTES + 1];

        utf8_printable(b->text, b->len < SAMPLE_BYTES ? b->len : SAMPLE_BYTES, sample,
                       SAMPLE_BYTES);
        if (!json) {
            print_buffer(c, b, sample);
            continue;
        }
        outbuf_text(&c->out, comma);
        print_buffer_json(c, b, sample);
        comma = ",";
    }
    outbuf_text(&c->out, json ? "]\n" : "");
    return COMMAND_DONE;
}

/* A path relative to where the command was given. False when it is too long. */
static bool full_path(const struct command *c, const char *name, char out[PATH_BYTES])
{
    int n = name[0] == '/' ? snprintf(out, PATH_BYTES, "%s", name)
                           : snprintf(out, PATH_BYTES, "%.*s/%s", (int)c->request->cwd.len,
                                      (const char *)c->request->cwd.p, name);

    return n > 0 && n < PATH_BYTES;
}

static enum command_result load(struct command *c, int fd, const char *name)
{
    struct outbuf text = {0};
    enum command_result result;
    struct stat st;
    ssize_t n = 0;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > PASTE_MAX_BYTES)
        return command_fail(c, "%s: not a file of at most %u bytes", name, PASTE_MAX_BYTES);
    for (uint8_t *room; (room = outbuf_reserve(&text, PATH_BYTES)) != NULL;) {
        n = read(fd, room, PATH_BYTES);
        if (n <= 0 || text.len > PASTE_MAX_BYTES)
            break;
        text.len += (size_t)n;
    }
    if (n < 0)
        result = command_fail(c, "%s: %s", name, strerror(errno));
    else
        result = text.bad ? command_fail(c, "out of memory") : set_buffer(c, text.p, text.len);
    outbuf_clear(&text);
    return result;
}

enum command_result cmd_load_buffer(struct command *c)
{
    enum command_result result;
    char path[PATH_BYTES];
    int fd;

    if (c->args.n_words != 1)
        return command_usage(c, "load-buffer needs a file");
    if (!full_path(c, c->args.words[0], path))
        return command_fail(c, "the path is too long: %s", c->args.words[0]);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return command_fail(c, "%s: %s", path, strerror(errno));
    result = load(c, fd, path);
    close(fd);
    return result;
}

enum command_result cmd_save_buffer(struct command *c)
{
    struct paste *b = find_buffer(c);
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    char path[PATH_BYTES];
    size_t done = 0;
    int fd;

    if (c->args.n_words != 1)
        return command_usage(c, "save-buffer needs a file");
    if (!b)
        return COMMAND_FAILED;
    if (strcmp(c->args.words[0], "-") == 0) {
        outbuf_put(&c->out, b->text, b->len);
        return COMMAND_DONE;
    }
    if (!full_path(c, c->args.words[0], path))
        return command_fail(c, "the path is too long: %s", c->args.words[0]);
    fd = open(path, flags | (args_has(&c->args, "a") ? O_APPEND : O_TRUNC), 0600);
    while (fd >= 0 && done < b->len) {
        ssize_t n = write(fd, b->text + done, b->len - done);

        if (n < 0)
            break;
        done += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    if (fd < 0 || done < b->len)
        return command_fail(c, "%s: %s", c->args.words[0], strerror(errno));
    return COMMAND_DONE;
}

/* The text as it is typed: line feeds become the separator, a return unless -s says otherwise. */
static void put_pasted(const struct command *c, const struct paste *b, struct outbuf *out)
{
    const char *separator = args_value(&c->args, "s");

    if (!separator)
        separator = args_has(&c->args, "r") ? "\n" : "\r";
    for (size_t i = 0; i < b->len; i++) {
        if (b->text[i] == '\n')
            outbuf_text(out, separator);
        else
            outbuf_byte(out, b->text[i]);
    }
}

enum command_result cmd_paste_buffer(struct command *c)
{
    struct outbuf text = {0};
    struct paste *b;
    struct target t;
    bool bracketed;
    size_t taken;

    if (!daemon_find_target(c, TARGET_PANE, &t))
        return COMMAND_FAILED;
    b = find_buffer(c);
    if (!b)
        return COMMAND_FAILED;
    bracketed =
        args_has(&c->args, "p") && (screen_modes(pane_screen(t.pane)) & SCREEN_BRACKETED_PASTE);
    outbuf_text(&text, bracketed ? "\033[200~" : "");
    put_pasted(c, b, &text);
    outbuf_text(&text, bracketed ? "\033[201~" : "");
    taken = pane_write(t.pane, text.p, text.len);
    if (text.bad || taken < text.len)
        command_fail(c, "the program does not read: %zu of %zu bytes were not delivered",
                     text.len - taken, text.len);
    outbuf_clear(&text);
    if (args_has(&c->args, "d") && c->err.len == 0)
        paste_delete(&c->daemon->pastes, b);
    return c->err.len == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

/* --- wait-for ------------------------------------------------------------------------------- */

static void on_woken(void *ctx)
{
    struct command *c = ctx;

    free(c->state);
    c->state = NULL;
    command_finish(c, COMMAND_DONE);
}

static void cancel_wait(struct command *c)
{
    channel_forget(&c->daemon->channels, c->state);
    free(c->state);
    c->state = NULL;
}

static enum command_result sleep_on(struct command *c, const char *name)
{
    struct channel_waiter *w = calloc(1, sizeof *w);
    bool ready = false;
    enum err e = ERR_MEMORY;

    if (w) {
        w->wake = on_woken;
        w->ctx = c;
        e = args_has(&c->args, "L") ? channel_lock(&c->daemon->channels, name, w, &ready)
                                    : channel_wait(&c->daemon->channels, name, w, &ready);
    }
    if (e != ERR_OK || ready) {
        free(w);
        return e == ERR_OK ? COMMAND_DONE
                           : command_fail(c, "wait-for %.100s: %s", name, err_text(e));
    }
    c->state = w;
    c->cancel = cancel_wait;
    return COMMAND_LATER;
}

enum command_result cmd_wait_for(struct command *c)
{
    const char *name = c->args.n_words == 1 ? c->args.words[0] : NULL;
    enum err e = ERR_OK;

    if (!name)
        return command_usage(c, "wait-for needs one channel");
    if (args_has(&c->args, "S"))
        e = channel_signal(&c->daemon->channels, name);
    else if (args_has(&c->args, "U"))
        e = channel_unlock(&c->daemon->channels, name);
    else
        return sleep_on(c, name);
    if (e == ERR_STATE)
        return command_fail(c, "channel %s not locked", name);
    return e == ERR_OK ? COMMAND_DONE : command_fail(c, "wait-for %.100s: %s", name, err_text(e));
}
