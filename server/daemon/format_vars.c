#include "proto/compat.h"

#include "server/daemon/format_vars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/daemon/config_list.h"
#include "server/daemon/environment.h"
#include "server/daemon/format.h"
#include "server/daemon/format_copy.h"
#include "server/daemon/format_jobs.h"
#include "server/daemon/layout.h"
#include "server/daemon/loop.h"
#include "server/daemon/options.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/pane.h"
#include "server/daemon/pipe.h"
#include "server/daemon/screen.h"
#include "server/daemon/share.h"

#define PATH_SIZE 4096

/* One variable: appends its value. Called only where the object it needs is there. */
typedef void variable_fn(const struct format_place *p, struct outbuf *out);

enum need { ALWAYS, SESSION, WINDOW, PANE, CLIENT };

struct variable {
    const char *name;
    enum need need;
    variable_fn *put;
};

static void put_flag(struct outbuf *out, bool yes)
{
    outbuf_byte(out, yes ? '1' : '0');
}

static struct options_place options_at(const struct target *at)
{
    struct options_place p = {at->session ? at->session->id : OPTIONS_GLOBAL,
                              at->window ? at->window->id : OPTIONS_GLOBAL,
                              at->pane ? pane_id(at->pane) : OPTIONS_GLOBAL};

    return p;
}

struct options_place format_options_place(const struct target *at)
{
    return options_at(at);
}

/* --- the server ------------------------------------------------------------------------------ */

static void put_host(const struct format_place *p, struct outbuf *out)
{
    char name[256] = "";

    (void)p;
    gethostname(name, sizeof name - 1);
    outbuf_text(out, name);
}

static void put_host_short(const struct format_place *p, struct outbuf *out)
{
    char name[256] = "";

    (void)p;
    gethostname(name, sizeof name - 1);
    outbuf_put(out, name, strcspn(name, "."));
}

static void put_pid(const struct format_place *p, struct outbuf *out)
{
    (void)p;
    outbuf_printf(out, "%ld", (long)getpid());
}

static void put_version(const struct format_place *p, struct outbuf *out)
{
    (void)p;
    outbuf_text(out, VITRINE_VERSION);
}

static void put_uid(const struct format_place *p, struct outbuf *out)
{
    (void)p;
    outbuf_printf(out, "%ld", (long)getuid());
}

static void put_socket_path(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->world->socket_path);
}

static void put_start_time(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%lld", (long long)p->world->started_s);
}

static void put_server_sessions(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%zu", session_count(p->world->sessions));
}

/* --- sessions -------------------------------------------------------------------------------- */

static void put_session_name(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->at.session->name);
}

static void put_session_id(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "$%u", p->at.session->id);
}

static void put_session_windows(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%zu", session_window_count(p->at.session));
}

static void put_session_attached(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, p->at.session->attached);
}

static void put_session_many_attached(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.session->attached > 1);
}

static void put_session_created(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%lld", (long long)p->at.session->created_s);
}

static void put_marks(const struct window *w, bool guarded, struct outbuf *out)
{
    if (w->marks & WINDOW_ACTIVITY)
        outbuf_text(out, guarded ? "##" : "#");
    if (w->marks & WINDOW_BELL)
        outbuf_byte(out, '!');
    if (w->marks & WINDOW_SILENCE)
        outbuf_byte(out, '~');
}

static void put_session_alerts(const struct format_place *p, struct outbuf *out)
{
    const char *comma = "";

    for (const struct window *w = p->at.session->windows; w; w = w->next) {
        if (!w->marks)
            continue;
        outbuf_printf(out, "%s%u", comma, w->index);
        put_marks(w, true, out);
        comma = ",";
    }
}

static void put_active_window_index(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, p->at.session->current->index);
}

static void put_last_window_index(const struct format_place *p, struct outbuf *out)
{
    const struct window *last = p->at.session->windows;

    while (last && last->next)
        last = last->next;
    if (last)
        outbuf_uint(out, last->index);
}

/* --- windows --------------------------------------------------------------------------------- */

static void put_window_id(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "@%u", p->at.window->id);
}

static void put_window_index(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, p->at.window->index);
}

static void put_window_name(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->at.window->name);
}

static void put_window_active(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window == p->at.session->current);
}

static void put_window_panes(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, layout_count(p->at.window->layout));
}

static void put_window_width(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, layout_cols(p->at.window->layout));
}

static void put_window_height(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, layout_rows(p->at.window->layout));
}

static void put_window_layout(const struct format_place *p, struct outbuf *out)
{
    layout_write(p->at.window->layout, out);
}

static void put_flags(const struct format_place *p, bool guarded, struct outbuf *out)
{
    const struct window *w = p->at.window;
    struct target marked;

    put_marks(w, guarded, out);
    if (w == w->session->current)
        outbuf_byte(out, '*');
    if (w == w->session->last)
        outbuf_byte(out, '-');
    if (session_marked(p->world->sessions, &marked) && marked.window == w)
        outbuf_byte(out, 'M');
    if (w->zoomed)
        outbuf_byte(out, 'Z');
}

static void put_window_flags(const struct format_place *p, struct outbuf *out)
{
    put_flags(p, true, out);
}

static void put_window_raw_flags(const struct format_place *p, struct outbuf *out)
{
    put_flags(p, false, out);
}

static void put_window_zoomed(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window->zoomed);
}

static void put_window_bell(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window->marks & WINDOW_BELL);
}

static void put_window_silence(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window->marks & WINDOW_SILENCE);
}

static void put_window_activity(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window->marks & WINDOW_ACTIVITY);
}

static void put_window_last(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window == p->at.session->last);
}

static void put_window_start(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window == p->at.session->windows);
}

static void put_window_end(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.window->next == NULL);
}

/* --- panes ----------------------------------------------------------------------------------- */

static struct screen *screen_of(const struct format_place *p)
{
    return pane_screen(p->at.pane);
}

static void put_pane_id(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%%%u", pane_id(p->at.pane));
}

static void put_pane_index(const struct format_place *p, struct outbuf *out)
{
    const struct window *w = p->at.window;
    uint32_t i = 0;

    while (i < layout_count(w->layout) && layout_at(w->layout, i)->pane != p->at.pane)
        i++;
    outbuf_uint(out, i + (uint32_t)options_number(p->world->options, options_at(&p->at),
                                                  OPTION_pane_base_index));
}

static void put_pane_active(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.pane == p->at.window->active);
}

static void put_pane_last(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->at.pane == p->at.window->last);
}

/* Where the pane is shown, or would be without the zoom. */
static struct layout_leaf place_of(const struct format_place *p)
{
    struct layout_leaf at = {0};

    if (!session_place(p->at.window, p->at.pane, &at)) {
        const struct layout_leaf *leaf = layout_find(p->at.window->layout, p->at.pane);

        if (leaf)
            at = *leaf;
    }
    return at;
}

static void put_pane_width(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, place_of(p).cols);
}

static void put_pane_height(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, place_of(p).rows);
}

/* The edges of the pane's place: 0 left, 1 right, 2 top, 3 bottom. */
static uint32_t edge(const struct format_place *p, int side)
{
    struct layout_leaf at = place_of(p);

    return side == 0   ? at.x
           : side == 1 ? at.x + at.cols - 1u
           : side == 2 ? at.y
                       : at.y + at.rows - 1u;
}

static void put_pane_left(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, edge(p, 0));
}

static void put_pane_right(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, edge(p, 1));
}

static void put_pane_top(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, edge(p, 2));
}

static void put_pane_bottom(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, edge(p, 3));
}

static void put_pane_at_left(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, edge(p, 0) == 0);
}

static void put_pane_at_right(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, edge(p, 1) + 1 >= layout_cols(p->at.window->layout));
}

static void put_pane_at_top(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, edge(p, 2) == 0);
}

static void put_pane_at_bottom(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, edge(p, 3) + 1 >= layout_rows(p->at.window->layout));
}

static void put_pane_title(const struct format_place *p, struct outbuf *out)
{
    const char *title = screen_title(screen_of(p));

    if (*title)
        outbuf_text(out, title);
    else
        put_host(p, out);
}

static void put_pane_command(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, pane_command_name(p->at.pane));
}

/* The process group in the foreground of the pane's terminal: field 8 of /proc/PID/stat. */
static long foreground(pid_t pid)
{
    char path[64], text[1024] = "";
    const char *end;
    long group = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    if (!fgets(text, sizeof text, f))
        text[0] = '\0';
    fclose(f);
    end = strrchr(text, ')'); /* the name before it may hold anything */
    if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %ld", &group) != 1)
        return 0;
    return group;
}

static void put_pane_path(const struct format_place *p, struct outbuf *out)
{
    char link[64], path[PATH_SIZE];
    long group = foreground(pane_pid(p->at.pane));
    ssize_t n;

    snprintf(link, sizeof link, "/proc/%ld/cwd", group > 0 ? group : (long)pane_pid(p->at.pane));
    n = readlink(link, path, sizeof path);
    if (n > 0)
        outbuf_put(out, path, (size_t)n);
}

static void put_pane_pid(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%ld", (long)pane_pid(p->at.pane));
}

static void put_pane_tty(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, pane_tty(p->at.pane));
}

static void put_pane_dead(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, pane_status(p->at.pane).dead);
}

static void put_dead_status(const struct format_place *p, struct outbuf *out)
{
    struct pane_status s = pane_status(p->at.pane);

    if (s.dead && !s.signalled)
        outbuf_printf(out, "%d", s.code);
}

static void put_dead_signal(const struct format_place *p, struct outbuf *out)
{
    struct pane_status s = pane_status(p->at.pane);

    if (s.dead && s.signalled)
        outbuf_printf(out, "%d", s.code);
}

static void put_dead_time(const struct format_place *p, struct outbuf *out)
{
    struct pane_status s = pane_status(p->at.pane);

    if (s.dead)
        outbuf_printf(out, "%lld", (long long)s.ended_s);
}

static void put_synchronized(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, options_flag(p->world->options, options_at(&p->at), OPTION_synchronize_panes));
}

static void put_cursor_x(const struct format_place *p, struct outbuf *out)
{
    struct screen_cursor c = screen_cursor(screen_of(p));

    outbuf_uint(out, c.x + (c.pending_wrap ? 1u : 0u));
}

static void put_cursor_y(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, screen_cursor(screen_of(p)).y);
}

static void put_history_size(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, screen_history_count(screen_of(p)));
}

static void put_history_limit(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, screen_history_limit(screen_of(p)));
}

static void put_mode(const struct format_place *p, uint32_t mode, struct outbuf *out)
{
    put_flag(out, screen_modes(screen_of(p)) & mode);
}

static void put_alternate_on(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_ALTERNATE, out);
}

static void put_cursor_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_CURSOR_VISIBLE, out);
}

static void put_insert_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_INSERT, out);
}

static void put_keypad_cursor_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_APP_CURSOR, out);
}

static void put_keypad_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_APP_KEYPAD, out);
}

static void put_origin_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_ORIGIN, out);
}

static void put_wrap_flag(const struct format_place *p, struct outbuf *out)
{
    put_mode(p, SCREEN_AUTOWRAP, out);
}

static void put_mouse_any(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, screen_mouse(screen_of(p)) != SCREEN_MOUSE_NONE);
}

static void put_zero(const struct format_place *p, struct outbuf *out)
{
    (void)p;
    outbuf_byte(out, '0');
}

/* --- marks, pipes and beginnings ------------------------------------------------------------- */

static void put_pane_marked(const struct format_place *p, struct outbuf *out)
{
    struct target t;

    put_flag(out, session_marked(p->world->sessions, &t) && t.pane == p->at.pane);
}

static void put_pane_marked_set(const struct format_place *p, struct outbuf *out)
{
    struct target t;

    put_flag(out, session_marked(p->world->sessions, &t));
}

static void put_window_marked(const struct format_place *p, struct outbuf *out)
{
    struct target t;

    put_flag(out, session_marked(p->world->sessions, &t) && t.window == p->at.window);
}

static void put_session_marked(const struct format_place *p, struct outbuf *out)
{
    struct target t;

    put_flag(out, session_marked(p->world->sessions, &t) && t.session == p->at.session);
}

static void put_pane_pipe(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->world->pipes && pipe_of(p->world->pipes, p->at.pane, NULL));
}

static void put_pane_pipe_dropped(const struct format_place *p, struct outbuf *out)
{
    uint64_t dropped = 0;

    if (p->world->pipes)
        pipe_of(p->world->pipes, p->at.pane, &dropped);
    outbuf_printf(out, "%llu", (unsigned long long)dropped);
}

static void put_pane_input_off(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, pane_input_off(p->at.pane));
}

static void put_pane_start_command(const struct format_place *p, struct outbuf *out)
{
    const char *const *words = pane_start_words(p->at.pane);

    for (size_t i = 0; words && words[i]; i++) {
        if (i > 0)
            outbuf_byte(out, ' ');
        config_list_write_word(words[i], out);
    }
}

static void put_pane_start_path(const struct format_place *p, struct outbuf *out)
{
    const char *path = pane_start_cwd(p->at.pane);

    outbuf_text(out, path ? path : "");
}

static void put_session_path(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->at.session->cwd ? p->at.session->cwd : "");
}

/* --- shares ---------------------------------------------------------------------------------- */

static struct share_mark mark_of_pane(const struct format_place *p)
{
    return share_mark_pane(p->world->shares, &p->at);
}

static struct share_mark mark_of_window(const struct format_place *p)
{
    return share_mark_window(p->world->shares, p->at.window);
}

static struct share_mark mark_of_session(const struct format_place *p)
{
    return share_mark_session(p->world->shares, p->at.session);
}

static const struct share *share_at(const struct format_place *p)
{
    return share_narrowest(p->world->shares, &p->at);
}

static void put_shared(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, mark_of_pane(p).shares);
}

static void put_share_viewers(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, mark_of_pane(p).viewers);
}

static void put_share_id(const struct format_place *p, struct outbuf *out)
{
    if (share_at(p))
        outbuf_uint(out, share_at(p)->id);
}

static void put_share_name(const struct format_place *p, struct outbuf *out)
{
    if (share_at(p))
        outbuf_text(out, share_at(p)->name);
}

static void put_window_shared(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, mark_of_window(p).shares);
}

static void put_window_viewers(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, mark_of_window(p).viewers);
}

static void put_session_shared(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, mark_of_session(p).shares);
}

static void put_session_viewers(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, mark_of_session(p).viewers);
}

/* --- clients --------------------------------------------------------------------------------- */

static void put_client_width(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, p->client->cols);
}

static void put_client_height(const struct format_place *p, struct outbuf *out)
{
    outbuf_uint(out, p->client->rows);
}

static void put_client_readonly(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->client->read_only);
}

static void put_client_prefix(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->client->prefix);
}

static void put_client_session(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->client->session ? p->client->session->name : "");
}

static void put_client_name(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->client->name ? p->client->name : "");
}

static void put_client_pid(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%ld", p->client->pid);
}

static void put_client_term(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->client->term ? p->client->term : "");
}

static void put_client_table(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->client->table ? p->client->table : "root");
}

static void put_client_created(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%lld", (long long)p->client->created_s);
}

static void put_client_activity(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%lld", (long long)p->client->activity_s);
}

static void put_client_written(const struct format_place *p, struct outbuf *out)
{
    outbuf_printf(out, "%llu", (unsigned long long)p->client->written);
}

static void put_client_utf8(const struct format_place *p, struct outbuf *out)
{
    put_flag(out, p->client->utf8);
}

static void put_client_flags(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, "attached");
    if (p->client->ignore_size)
        outbuf_text(out, ",ignore-size");
    if (p->client->read_only)
        outbuf_text(out, ",read-only");
    if (p->client->utf8)
        outbuf_text(out, ",UTF-8");
}

static void put_client_last_session(const struct format_place *p, struct outbuf *out)
{
    outbuf_text(out, p->client->last_session ? p->client->last_session->name : "");
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct variable variables[] = {
    {"active_window_index", SESSION, put_active_window_index},
    {"alternate_on", PANE, put_alternate_on},
    {"client_activity", CLIENT, put_client_activity},
    {"client_created", CLIENT, put_client_created},
    {"client_flags", CLIENT, put_client_flags},
    {"client_height", CLIENT, put_client_height},
    {"client_key_table", CLIENT, put_client_table},
    {"client_last_session", CLIENT, put_client_last_session},
    {"client_name", CLIENT, put_client_name},
    {"client_pid", CLIENT, put_client_pid},
    {"client_prefix", CLIENT, put_client_prefix},
    {"client_readonly", CLIENT, put_client_readonly},
    {"client_session", CLIENT, put_client_session},
    {"client_termname", CLIENT, put_client_term},
    {"client_tty", CLIENT, put_client_name},
    {"client_utf8", CLIENT, put_client_utf8},
    {"client_width", CLIENT, put_client_width},
    {"client_written", CLIENT, put_client_written},
    {"cursor_flag", PANE, put_cursor_flag},
    {"cursor_x", PANE, put_cursor_x},
    {"cursor_y", PANE, put_cursor_y},
    {"history_limit", PANE, put_history_limit},
    {"history_size", PANE, put_history_size},
    {"host", ALWAYS, put_host},
    {"host_short", ALWAYS, put_host_short},
    {"insert_flag", PANE, put_insert_flag},
    {"keypad_cursor_flag", PANE, put_keypad_cursor_flag},
    {"keypad_flag", PANE, put_keypad_flag},
    {"last_window_index", SESSION, put_last_window_index},
    {"mouse_any_flag", PANE, put_mouse_any},
    {"origin_flag", PANE, put_origin_flag},
    {"pane_active", PANE, put_pane_active},
    {"pane_at_bottom", PANE, put_pane_at_bottom},
    {"pane_at_left", PANE, put_pane_at_left},
    {"pane_at_right", PANE, put_pane_at_right},
    {"pane_at_top", PANE, put_pane_at_top},
    {"pane_bottom", PANE, put_pane_bottom},
    {"pane_current_command", PANE, put_pane_command},
    {"pane_current_path", PANE, put_pane_path},
    {"pane_dead", PANE, put_pane_dead},
    {"pane_dead_signal", PANE, put_dead_signal},
    {"pane_dead_status", PANE, put_dead_status},
    {"pane_dead_time", PANE, put_dead_time},
    {"pane_height", PANE, put_pane_height},
    {"pane_id", PANE, put_pane_id},
    {"pane_index", PANE, put_pane_index},
    {"pane_input_off", PANE, put_pane_input_off},
    {"pane_last", PANE, put_pane_last},
    {"pane_left", PANE, put_pane_left},
    {"pane_marked", PANE, put_pane_marked},
    {"pane_marked_set", PANE, put_pane_marked_set},
    {"pane_pid", PANE, put_pane_pid},
    {"pane_pipe", PANE, put_pane_pipe},
    {"pane_pipe_dropped", PANE, put_pane_pipe_dropped},
    {"pane_right", PANE, put_pane_right},
    {"pane_start_command", PANE, put_pane_start_command},
    {"pane_start_path", PANE, put_pane_start_path},
    {"pane_synchronized", PANE, put_synchronized},
    {"pane_title", PANE, put_pane_title},
    {"pane_top", PANE, put_pane_top},
    {"pane_tty", PANE, put_pane_tty},
    {"pane_width", PANE, put_pane_width},
    {"pid", ALWAYS, put_pid},
    {"server_sessions", ALWAYS, put_server_sessions},
    {"session_alerts", SESSION, put_session_alerts},
    {"session_attached", SESSION, put_session_attached},
    {"session_created", SESSION, put_session_created},
    {"session_grouped", SESSION, put_zero},
    {"session_id", SESSION, put_session_id},
    {"session_many_attached", SESSION, put_session_many_attached},
    {"session_marked", SESSION, put_session_marked},
    {"session_name", SESSION, put_session_name},
    {"session_path", SESSION, put_session_path},
    {"session_shared", SESSION, put_session_shared},
    {"session_viewers", SESSION, put_session_viewers},
    {"session_windows", SESSION, put_session_windows},
    {"share_id", PANE, put_share_id},
    {"share_name", PANE, put_share_name},
    {"share_viewers", PANE, put_share_viewers},
    {"shared", PANE, put_shared},
    {"socket_path", ALWAYS, put_socket_path},
    {"start_time", ALWAYS, put_start_time},
    {"uid", ALWAYS, put_uid},
    {"version", ALWAYS, put_version},
    {"window_active", WINDOW, put_window_active},
    {"window_activity_flag", WINDOW, put_window_activity},
    {"window_bell_flag", WINDOW, put_window_bell},
    {"window_bigger", WINDOW, put_zero},
    {"window_end_flag", WINDOW, put_window_end},
    {"window_flags", WINDOW, put_window_flags},
    {"window_height", WINDOW, put_window_height},
    {"window_id", WINDOW, put_window_id},
    {"window_index", WINDOW, put_window_index},
    {"window_last_flag", WINDOW, put_window_last},
    {"window_layout", WINDOW, put_window_layout},
    {"window_linked", WINDOW, put_zero},
    {"window_marked_flag", WINDOW, put_window_marked},
    {"window_name", WINDOW, put_window_name},
    {"window_panes", WINDOW, put_window_panes},
    {"window_raw_flags", WINDOW, put_window_raw_flags},
    {"window_shared", WINDOW, put_window_shared},
    {"window_silence_flag", WINDOW, put_window_silence},
    {"window_start_flag", WINDOW, put_window_start},
    {"window_viewers", WINDOW, put_window_viewers},
    {"window_visible_layout", WINDOW, put_window_layout},
    {"window_width", WINDOW, put_window_width},
    {"window_zoomed_flag", WINDOW, put_window_zoomed},
    {"wrap_flag", PANE, put_wrap_flag},
};

static int compare_name(const void *key, const void *v)
{
    return strcmp(key, ((const struct variable *)v)->name);
}

static bool is_there(const struct format_place *p, enum need need)
{
    switch (need) {
    case ALWAYS:
        return true;
    case SESSION:
        return p->at.session != NULL;
    case WINDOW:
        return p->at.window != NULL;
    case PANE:
        return p->at.pane != NULL && p->at.window != NULL;
    case CLIENT:
        return p->client != NULL;
    }
    return false;
}

static bool put_extra(const struct format_place *p, const char *name, struct outbuf *out)
{
    for (size_t i = 0; i < p->n_extra; i++) {
        if (strcmp(p->extra[i].name, name) != 0)
            continue;
        outbuf_text(out, p->extra[i].value);
        return true;
    }
    return false;
}

/* One item, or all apart by blanks. */
static bool put_array(const struct format_place *p, enum option_id id, const char *name,
                      struct outbuf *out)
{
    const char *bracket = strchr(name, '['), *text;
    struct options_place at = options_at(&p->at);
    long i = -1;

    if (bracket && (text = options_item(p->world->options, at, id, atol(bracket + 1))))
        outbuf_text(out, text);
    while (!bracket && (text = options_next_item(p->world->options, at, id, &i)))
        outbuf_printf(out, "%s%s", out->len > 0 ? " " : "", text);
    return true;
}

/* A flag reads 1 or 0 in formats, as in tmux. */
static bool put_option(const struct format_place *p, const char *name, struct outbuf *out)
{
    struct options_place at = options_at(&p->at);
    const char *user = name[0] == '@' ? options_user(p->world->options, at, name) : NULL;
    bool ambiguous;
    enum option_id id = name[0] == '@' ? OPTIONS : options_find(name, &ambiguous);

    if (user) {
        outbuf_text(out, user);
        return true;
    }
    if (id != OPTIONS && options_spec(id)->kind == OPTION_ARRAY)
        return put_array(p, id, name, out);
    if (id == OPTIONS || strcmp(options_spec(id)->name, name) != 0)
        return false;
    if (options_spec(id)->kind == OPTION_FLAG)
        put_flag(out, options_flag(p->world->options, at, id));
    else
        outbuf_text(out, options_text(p->world->options, at, id));
    return true;
}

static bool put_own_environment(const struct environment *e, const char *name, struct outbuf *out)
{
    const struct environment_entry *k = e ? environment_find(e, name) : NULL;

    if (!k || !k->value)
        return false;
    outbuf_text(out, k->value);
    return true;
}

static bool put_environment(const struct format_place *p, const char *name, struct outbuf *out)
{
    size_t len = strlen(name);

    if (put_own_environment(p->at.session ? &p->at.session->own : NULL, name, out) ||
        put_own_environment(p->world->environment, name, out))
        return true;

    for (char **e = p->at.session ? p->at.session->env : NULL; len > 0 && e && *e; e++) {
        if (strncmp(*e, name, len) != 0 || (*e)[len] != '=')
            continue;
        outbuf_text(out, *e + len + 1);
        return true;
    }
    return false;
}

static bool put_variable(const void *place, const char *name, struct outbuf *out)
{
    const struct format_place *p = place;
    const struct variable *v = bsearch(name, variables, sizeof variables / sizeof variables[0],
                                       sizeof variables[0], compare_name);

    if (put_extra(p, name, out))
        return true;
    if (!v && is_there(p, PANE) &&
        format_copy_put(p->at.pane, p->world->options, options_at(&p->at), name, out))
        return true;
    if (!v)
        return put_option(p, name, out) || put_environment(p, name, out);
    if (!is_there(p, v->need))
        return false;
    v->put(p, out);
    return true;
}

/* --- loops ----------------------------------------------------------------------------------- */

static int compare_session(const void *a, const void *b)
{
    const struct session *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* By name, as tmux lists them. */
static void each_session(const struct format_place *p, format_each_fn *fn, void *arg)
{
    size_t n = 0, count = session_count(p->world->sessions);
    struct session **all = calloc(count + 1, sizeof(struct session *));

    for (struct session *s = session_first(p->world->sessions); all && s && n < count; s = s->next)
        all[n++] = s;
    if (all)
        qsort(all, n, sizeof(struct session *), compare_session);
    for (size_t i = 0; i < n; i++) {
        struct target at = {all[i], NULL, NULL};
        struct format_place sub = format_place(p->world, &at);

        sub.client = p->client;
        fn(arg, &sub, p->client && p->client->session == all[i]);
    }
    free(all);
}

static void each_window(const struct format_place *p, format_each_fn *fn, void *arg)
{
    for (struct window *w = p->at.session ? p->at.session->windows : NULL; w; w = w->next) {
        struct target at = {p->at.session, w, NULL};
        struct format_place sub = format_place(p->world, &at);

        sub.client = p->client;
        fn(arg, &sub, w == p->at.session->current);
    }
}

static void each_pane(const struct format_place *p, format_each_fn *fn, void *arg)
{
    const struct window *w = p->at.window;

    for (uint32_t i = 0; w && i < layout_count(w->layout); i++) {
        struct format_place sub = *p;

        sub.at.pane = layout_at(w->layout, i)->pane;
        fn(arg, &sub, sub.at.pane == w->active);
    }
}

static void each(const void *place, char what, format_each_fn *fn, void *arg)
{
    if (what == 'S')
        each_session(place, fn, arg);
    else if (what == 'W')
        each_window(place, fn, arg);
    else
        each_pane(place, fn, arg);
}

/* --- commands -------------------------------------------------------------------------------- */

static void put_job(const void *place, const char *command, struct outbuf *out)
{
    const struct format_place *p = place;
    char *const *env = p->at.session && p->at.session->env ? p->at.session->env : environ;
    const char *cwd = "/";

    for (char *const *e = env; e && *e; e++)
        cwd = strncmp(*e, "PWD=/", 5) == 0 ? *e + 4 : cwd;
    if (p->world->jobs)
        outbuf_text(out, format_jobs_text(p->world->jobs, command, (const char *const *)env, cwd));
}

/* --- the way in ------------------------------------------------------------------------------ */

struct format_place format_place(const struct format_world *world, const struct target *at)
{
    struct format_place p = {.world = world, .at = *at};

    if (p.at.session && !p.at.window)
        p.at.window = p.at.session->current;
    if (p.at.window && !p.at.pane)
        p.at.pane = p.at.window->active;
    return p;
}

char *format_vars_text(const struct format_place *place, const char *text, bool with_time)
{
    struct format_source source = {put_variable, each, put_job, loop_wall_s(place->world->loop)};

    return format_text(&source, place, text, with_time);
}

void format_vars_expand(const struct format_place *place, const char *text, bool with_time,
                        struct outbuf *out)
{
    struct format_source source = {put_variable, each, put_job, loop_wall_s(place->world->loop)};

    format_expand(&source, place, text, with_time, out);
}

void format_vars_list(const struct format_place *place, struct outbuf *out)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (!is_there(place, variables[i].need))
            continue;
        outbuf_printf(out, "%s=", variables[i].name);
        variables[i].put(place, out);
        outbuf_byte(out, '\n');
    }
}
