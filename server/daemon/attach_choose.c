/* choose-tree, choose-buffer and choose-client on an attached terminal: the items of choose.h from
 * what there is, a preview below them, and what keys do besides. The list lies over the panes of
 * this terminal alone. Items are texts and ids: what they stand for may go at any time, and is then
 * not found when something is to be done with it. */
#include "server/daemon/attach_state.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/choose.h"
#include "server/daemon/format.h"
#include "server/daemon/format_vars.h"
#include "server/daemon/keynames.h"
#include "server/daemon/options.h"
#include "server/daemon/options_value.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/paste.h"
#include "server/daemon/screen.h"
#include "server/daemon/session.h"
#include "server/daemon/target.h"

#define KIND_SESSION (1ull << 32) /* in ids of items, above the number */
#define KIND_WINDOW  (2ull << 32)
#define KIND_PANE    (3ull << 32)
#define SAMPLE_BYTES 50
#define TARGET_BYTES 192
#define ROWS_MIN     10 /* of the list, below which there is no preview */

struct attach_choosing {
    enum attach_choose_kind kind;
    struct choose list;
    char *format; /* owned, as the next two; NULL for the usual one */
    char *filter;
    char *line;    /* commands for the chosen item */
    regex_t regex; /* a pane that shows this passes the filter too */
    bool has_regex;
    char *search;
    unsigned order; /* which of the kind's orders */
    bool reversed;
    bool squeezed; /* -s: sessions are folded; -w: windows are */
    bool windows;
    bool preview;
    bool unmatched; /* nothing passes the filter: everything is shown */
    bool stale;
};

static const char *const orders[][5] = {
    [ATTACH_CHOOSE_TREE] = {"index", "name", "time"},
    [ATTACH_CHOOSE_BUFFER] = {"time", "name", "size"},
    [ATTACH_CHOOSE_CLIENT] = {"name", "size", "creation", "activity"},
};

#define TREE_FORMAT                                                                             \
    "#{?pane_format,#{pane_current_command}#{?pane_active,*,}#{?pane_marked,M,}"                \
    "#{?#{&&:#{pane_title},#{!=:#{pane_title},#{host_short}}},: \"#{pane_title}\",},"           \
    "#{?window_format,#{window_name}#{window_flags}"                                            \
    "#{?#{&&:#{==:#{window_panes},1},#{&&:#{pane_title},#{!=:#{pane_title},#{host_short}}}},: " \
    "\"#{pane_title}\",},#{session_windows} windows#{?session_attached, (attached),}}}"
#define BUFFER_FORMAT "#{t/p:buffer_created}: #{buffer_size} bytes: \"#{buffer_sample}\""
#define CLIENT_FORMAT "#{t/p:client_activity}: session #{session_name}"

/* --- life ----------------------------------------------------------------------------------- */

void attach_close_choosing(struct attach *a)
{
    struct attach_choosing *k = a->choosing;

    if (!k)
        return;
    a->choosing = NULL;
    choose_clear(&k->list);
    free(k->format);
    free(k->filter);
    free(k->line);
    free(k->search);
    if (k->has_regex)
        regfree(&k->regex);
    free(k);
}

static void close_list(struct attach *a)
{
    attach_close_choosing(a);
    attach_grab(a);
    attach_wake(a);
}

static bool copy(const char *text, char **out)
{
    *out = text ? strdup(text) : NULL;
    return !text || *out;
}

static bool find_order(struct attach_choosing *k, const char *name)
{
    while (orders[k->kind][k->order] && strcmp(orders[k->kind][k->order], name) != 0)
        k->order++;
    return orders[k->kind][k->order] != NULL;
}

/* The content as a regular expression, which it may not be itself. False when it is none. */
static bool prepare_content(struct attach_choosing *k, const struct attach_choice *o)
{
    int flags = REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (o->content_ignores_case ? REG_ICASE : 0);
    struct outbuf text = {0};

    for (const char *p = o->content; p && *p; p++) {
        if (!o->content_is_regex && strchr(".[]*^$\\+?(){}|", *p))
            outbuf_byte(&text, '\\');
        outbuf_byte(&text, (uint8_t)*p);
    }
    outbuf_byte(&text, 0);
    k->has_regex = o->content && !text.bad && regcomp(&k->regex, (const char *)text.p, flags) == 0;
    outbuf_clear(&text);
    return !o->content || k->has_regex;
}

enum err attach_choose(struct attach *a, const struct attach_choice *o)
{
    static const char *const lines[] = {
        [ATTACH_CHOOSE_TREE] = "switch-client -Zt '%%'",
        [ATTACH_CHOOSE_BUFFER] = "paste-buffer -b '%%'",
        [ATTACH_CHOOSE_CLIENT] = "detach-client -t '%%'",
    };
    struct attach_choosing *k = calloc(1, sizeof *k);
    enum err e = ERR_OK;

    if (!k)
        return ERR_MEMORY;
    attach_close_choosing(a);
    a->choosing = k;
    k->kind = o->kind;
    k->preview = !o->no_preview;
    k->reversed = o->reversed;
    k->squeezed = o->sessions;
    k->windows = o->windows;
    if (!copy(o->format, &k->format) || !copy(o->filter, &k->filter) ||
        !copy(o->line ? o->line : lines[o->kind], &k->line))
        e = ERR_MEMORY;
    else if ((o->order && !find_order(k, o->order)) || !prepare_content(k, o))
        e = ERR_MALFORMED;
    if (e != ERR_OK) {
        attach_close_choosing(a);
        return e;
    }
    k->stale = true;
    k->list.selected = UINT64_MAX; /* the current one, once it is there */
    attach_grab(a);
    attach_wake(a);
    return ERR_OK;
}

void attach_choosing_changed(struct attach *a)
{
    if (a->choosing)
        a->choosing->stale = true;
}

/* --- items ---------------------------------------------------------------------------------- */

/* Takes `#[…]` out: a line has one look. */
static void drop_styles(char *text)
{
    char *to = text;

    while (*text) {
        const char *end = text[0] == '#' && text[1] == '[' ? strchr(text, ']') : NULL;

        if (end)
            text += end - text + 1;
        else
            *to++ = *text++;
    }
    *to = '\0';
}

/* True when the pane's screen shows the content that is looked for. */
static bool shows_content(const struct attach_choosing *k, struct pane *p)
{
    const struct capture_opts o = {.end = CAPTURE_LAST};
    struct outbuf text = {0};
    bool yes = false;

    if (screen_capture(pane_screen(p), &o, &text) == ERR_OK) {
        outbuf_byte(&text, 0);
        yes = !text.bad && regexec(&k->regex, (const char *)text.p, 0, NULL, 0) == 0;
    }
    outbuf_clear(&text);
    return yes;
}

static bool passes(const struct attach_choosing *k, const struct format_place *place)
{
    char *value = k->filter ? format_vars_text(place, k->filter, false) : NULL;
    bool yes = !k->filter || k->unmatched || format_true(value);

    free(value);
    return yes || (k->has_regex && place->at.pane && shows_content(k, place->at.pane));
}

static bool add(struct attach *a, const struct format_place *place, uint64_t id, unsigned depth,
                bool expanded, const char *name, const char *target)
{
    static const char *const formats[] = {TREE_FORMAT, BUFFER_FORMAT, CLIENT_FORMAT};
    struct attach_choosing *k = a->choosing;
    char *text = format_vars_text(place, k->format ? k->format : formats[k->kind], true);
    bool ok = text != NULL;

    if (ok)
        drop_styles(text);
    ok = ok && choose_add(&k->list, id, depth, expanded, name, text, target);
    free(text);
    return ok;
}

static bool add_panes(struct attach *a, struct window *w, const char *window_target)
{
    static const struct format_extra extra = {"pane_format", "1"};
    uint32_t n = layout_count(w->layout);
    bool ok = true;

    for (uint32_t i = 0; i < n && n > 1 && ok; i++) {
        const struct layout_leaf *leaf = layout_at(w->layout, i);
        struct target at = {w->session, w, leaf->pane};
        struct format_place place = format_place(a->ops.world, &at);
        char target[TARGET_BYTES + 16], name[16];

        place.extra = &extra;
        place.n_extra = 1;
        if (!passes(a->choosing, &place))
            continue;
        snprintf(target, sizeof target, "%s.%%%u", window_target, leaf->id);
        snprintf(name, sizeof name, "%u", i);
        ok = add(a, &place, KIND_PANE | leaf->id, 2, false, name, target);
    }
    return ok;
}

/* True when the filter lets one of a window's panes through. */
static bool window_passes(struct attach *a, struct window *w)
{
    for (uint32_t i = 0; i < layout_count(w->layout); i++) {
        struct target at = {w->session, w, layout_at(w->layout, i)->pane};
        struct format_place place = format_place(a->ops.world, &at);

        if (passes(a->choosing, &place))
            return true;
    }
    return false;
}

static bool add_window(struct attach *a, struct window *w)
{
    static const struct format_extra extra = {"window_format", "1"};
    const struct attach_choosing *k = a->choosing;
    struct target at = {w->session, w, w->active};
    struct format_place place = format_place(a->ops.world, &at);
    char target[TARGET_BYTES], name[16];

    place.extra = &extra;
    place.n_extra = 1;
    snprintf(target, sizeof target, "=%s:%u", w->session->name, w->index);
    snprintf(name, sizeof name, "%u", w->index);
    return add(a, &place, KIND_WINDOW | w->id, 1, !k->squeezed && !k->windows, name, target) &&
           add_panes(a, w, target);
}

static int compare(const struct attach_choosing *k, long by_number, const char *x, const char *y)
{
    int order = by_number < 0 ? -1 : by_number > 0;

    if (strcmp(orders[k->kind][k->order], "name") == 0)
        order = strcmp(x, y);
    return k->reversed ? -order : order;
}

static struct window **sorted_windows(const struct attach_choosing *k, struct session *s, size_t *n)
{
    struct window **all = calloc(session_window_count(s) + 1, sizeof *all);

    *n = 0;
    for (struct window *w = s->windows; all && w; w = w->next) {
        size_t i = (*n)++;

        for (; i > 0 &&
               compare(k, (long)w->index - (long)all[i - 1]->index, w->name, all[i - 1]->name) < 0;
             i--)
            all[i] = all[i - 1];
        all[i] = w;
    }
    return all;
}

static bool add_session(struct attach *a, struct session *s)
{
    const struct attach_choosing *k = a->choosing;
    struct target at = {s, s->current, s->current->active};
    struct format_place place = format_place(a->ops.world, &at);
    char target[TARGET_BYTES];
    bool any = false, ok = true;
    struct window **all;
    size_t n;

    for (struct window *w = s->windows; w; w = w->next)
        any = any || window_passes(a, w);
    if (!any)
        return true;
    snprintf(target, sizeof target, "=%s:", s->name);
    if (!add(a, &place, KIND_SESSION | s->id, 0, !k->squeezed, s->name, target))
        return false;
    all = sorted_windows(k, s, &n);
    for (size_t i = 0; all && i < n && ok; i++)
        ok = !window_passes(a, all[i]) || add_window(a, all[i]);
    free(all);
    return all && ok;
}

static bool add_sessions(struct attach *a)
{
    const struct attach_choosing *k = a->choosing;
    struct session **all = calloc(session_count(a->sessions) + 1, sizeof *all);
    bool ok = all != NULL;
    size_t n = 0;

    for (struct session *s = session_first(a->sessions); ok && s; s = s->next) {
        size_t i = n++;

        for (;
             i > 0 && compare(k, (long)s->id - (long)all[i - 1]->id, s->name, all[i - 1]->name) < 0;
             i--)
            all[i] = all[i - 1];
        all[i] = s;
    }
    for (size_t i = 0; i < n && ok; i++)
        ok = add_session(a, all[i]);
    free(all);
    return ok;
}

/* A buffer has no number: its name's hash is its id. */
static uint64_t id_of_name(const char *name)
{
    uint64_t h = 14695981039346656037u;

    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 1099511628211u;
    return h;
}

static bool add_buffer(struct attach *a, const struct paste *b)
{
    const struct target nowhere = {NULL, NULL, NULL};
    struct format_place place = format_place(a->ops.world, &nowhere);
    char size[24], created[24], sample[SAMPLE_BYTES + 1];
    const struct format_extra extra[] = {{"buffer_name", b->name},
                                         {"buffer_size", size},
                                         {"buffer_created", created},
                                         {"buffer_sample", sample}};

    snprintf(size, sizeof size, "%zu", b->len);
    snprintf(created, sizeof created, "%lld", (long long)b->created_s);
    utf8_printable(b->text, b->len < SAMPLE_BYTES ? b->len : SAMPLE_BYTES, sample, SAMPLE_BYTES);
    place.extra = extra;
    place.n_extra = sizeof extra / sizeof extra[0];
    return !passes(a->choosing, &place) ||
           add(a, &place, id_of_name(b->name), 0, false, b->name, b->name);
}

static bool add_buffers(struct attach *a)
{
    const struct attach_choosing *k = a->choosing;
    const struct paste *first = a->ops.world->pastes ? a->ops.world->pastes->first : NULL;
    const struct paste **all;
    size_t n = 0;
    bool ok;

    for (const struct paste *b = first; b; b = b->next)
        n++;
    all = calloc(n + 1, sizeof *all);
    ok = all != NULL;
    n = 0;
    for (const struct paste *b = first; ok && b; b = b->next) { /* the newest first */
        bool size = strcmp(orders[k->kind][k->order], "size") == 0;
        size_t i = n++;

        for (; i > 0 && compare(k, size ? (long)b->len - (long)all[i - 1]->len : 1, b->name,
                                all[i - 1]->name) < 0;
             i--)
            all[i] = all[i - 1];
        all[i] = b;
    }
    for (size_t i = 0; i < n && ok; i++)
        ok = add_buffer(a, all[i]);
    free(all);
    return ok;
}

static bool add_clients(struct attach *a)
{
    struct attach *other;
    bool ok = true;

    for (size_t i = 0; ok && (other = attach_numbered(i)) != NULL; i++) {
        struct target at = {other->session, NULL, NULL};
        struct format_place place = format_place(a->ops.world, &at);
        struct format_client client;

        attach_describe(other, &client);
        place.client = &client;
        if (passes(a->choosing, &place))
            ok = add(a, &place, other->serial, 0, false, other->name, other->name);
    }
    return ok;
}

static bool add_all(struct attach *a)
{
    if (a->choosing->kind == ATTACH_CHOOSE_TREE)
        return add_sessions(a);
    return a->choosing->kind == ATTACH_CHOOSE_BUFFER ? add_buffers(a) : add_clients(a);
}

static void select_current(struct attach *a)
{
    struct attach_choosing *k = a->choosing;
    const struct window *w = a->session->dead ? NULL : a->session->current;

    if (k->kind == ATTACH_CHOOSE_CLIENT)
        choose_select(&k->list, a->serial);
    else if (k->kind == ATTACH_CHOOSE_TREE && w && k->squeezed)
        choose_select(&k->list, KIND_SESSION | a->session->id);
    else if (k->kind == ATTACH_CHOOSE_TREE && w && (k->windows || layout_count(w->layout) == 1))
        choose_select(&k->list, KIND_WINDOW | w->id);
    else if (k->kind == ATTACH_CHOOSE_TREE && w)
        choose_select(&k->list, KIND_PANE | layout_find(w->layout, w->active)->id);
}

static void build(struct attach *a)
{
    struct attach_choosing *k = a->choosing;
    bool first = k->list.selected == UINT64_MAX;
    bool ok;

    k->stale = false;
    k->unmatched = false;
    choose_begin(&k->list);
    ok = add_all(a);
    if (ok && k->list.n == 0 && k->filter) { /* as tmux: then everything, and a word about it */
        k->unmatched = true;
        ok = add_all(a);
    }
    choose_end(&k->list);
    if (!ok)
        attach_say(a, "not everything is shown: out of memory");
    if (first)
        select_current(a);
}

/* --- what is done with items ---------------------------------------------------------------- */

/* Runs a line with the target of every tagged item for %%, or of the selected one. */
static void run_for(struct attach *a, const char *line, bool tagged)
{
    struct attach_choosing *k = a->choosing;
    const struct choose_item *item =
        tagged ? choose_tagged(&k->list, 0) : choose_selected(&k->list);
    char *targets[256];
    size_t n = 0;

    for (size_t i = 0; item && n < sizeof targets / sizeof targets[0]; i++) {
        targets[n] = strdup(item->target);
        n += targets[n] != NULL;
        item = tagged ? choose_tagged(&k->list, i + 1) : NULL;
    }
    for (size_t i = 0; i < n; i++) { /* each may change everything, this list too */
        attach_run_with(a, line, targets[i]);
        free(targets[i]);
    }
    attach_choosing_changed(a);
    attach_wake(a);
}

/* The command that ends what an item is. */
static const char *kill_line(uint64_t id)
{
    if (id >= KIND_PANE)
        return "kill-pane -t '%%'";
    return id >= KIND_WINDOW ? "kill-window -t '%%'" : "kill-session -t '%%'";
}

static bool is_yes(const char *answer)
{
    return strcmp(answer, "y") == 0 || strcmp(answer, "Y") == 0;
}

static void on_kill(struct attach *a, const char *answer)
{
    const struct choose_item *item = a->choosing ? choose_selected(&a->choosing->list) : NULL;

    if (item && is_yes(answer))
        run_for(a, kill_line(item->id), false);
}

/* Each by its own command; ids are taken one by one, as the list may be built anew between. */
static void on_kill_tagged(struct attach *a, const char *answer)
{
    const struct choose_item *item;

    if (!is_yes(answer))
        return;
    while (a->choosing && (item = choose_tagged(&a->choosing->list, 0)) != NULL) {
        char *target = strdup(item->target);
        uint64_t id = item->id;

        ((struct choose_item *)(uintptr_t)item)->tagged = false;
        if (target)
            attach_run_with(a, kill_line(id), target);
        free(target);
    }
    attach_choosing_changed(a);
    attach_wake(a);
}

static void ask_kill(struct attach *a, bool tagged)
{
    static const char *const kinds[] = {"session", "window", "pane"};
    const struct choose_item *item = choose_selected(&a->choosing->list);
    char label[160];
    size_t n = 0;

    while (choose_tagged(&a->choosing->list, n))
        n++;
    if (!item || (tagged && n == 0))
        return;
    if (tagged)
        snprintf(label, sizeof label, "Kill %zu tagged? ", n);
    else
        snprintf(label, sizeof label, "Kill %s %.100s? ", kinds[(item->id >> 32) - 1], item->name);
    attach_ask_for(a, label, "", PROMPT_SINGLE, tagged ? on_kill_tagged : on_kill);
}

static void on_search(struct attach *a, const char *answer)
{
    struct attach_choosing *k = a->choosing;

    if (!k || !*answer)
        return;
    free(k->search);
    k->search = strdup(answer);
    if (k->search && !choose_search(&k->list, k->search))
        attach_say(a, "not found");
    attach_wake(a);
}

static void on_filter(struct attach *a, const char *answer)
{
    struct attach_choosing *k = a->choosing;

    if (!k)
        return;
    free(k->filter);
    k->filter = *answer ? strdup(answer) : NULL;
    k->stale = true;
    attach_wake(a);
}

/* Keys of every kind. False when it is none of them. */
static bool common_key(struct attach *a, uint32_t key)
{
    struct attach_choosing *k = a->choosing;

    if (key == 'v')
        k->preview = !k->preview;
    else if (key == 'O')
        k->order = orders[k->kind][k->order + 1] ? k->order + 1 : 0;
    else if (key == 'r')
        k->reversed = !k->reversed;
    else if (key == 's' || key == 19) /* C-s */
        attach_ask_for(a, "(search) ", "", PROMPT_LINE, on_search);
    else if (key == 'n' && k->search)
        choose_search(&k->list, k->search);
    else if (key == 'f')
        attach_ask_for(a, "(filter) ", k->filter ? k->filter : "", PROMPT_LINE, on_filter);
    else
        return false;
    k->stale = k->stale || key == 'O' || key == 'r';
    return true;
}

static void tree_key(struct attach *a, uint32_t key)
{
    if (key == 'x' || key == 'X')
        ask_kill(a, key == 'X');
    else if (key == 'm')
        run_for(a, "select-pane -m -t '%%'", false);
    else if (key == 'M')
        run_for(a, "select-pane -M", false);
    else if (key == 'H')
        select_current(a);
}

/* Keys that run a line for the selected item, or in capitals for the tagged ones. */
static void other_key(struct attach *a, uint32_t key)
{
    static const struct {
        enum attach_choose_kind kind;
        char key;
        const char *line;
        bool closes;
    } keys[] = {
        {ATTACH_CHOOSE_BUFFER, 'd', "delete-buffer -b '%%'", false},
        {ATTACH_CHOOSE_BUFFER, 'p', "paste-buffer -b '%%'", true},
        {ATTACH_CHOOSE_CLIENT, 'd', "detach-client -t '%%'", false},
        {ATTACH_CHOOSE_CLIENT, 'x', "detach-client -P -t '%%'", false},
        {ATTACH_CHOOSE_CLIENT, 'z', "suspend-client -t '%%'", false},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bool tagged = key == (uint32_t)keys[i].key - 32;

        if (keys[i].kind != a->choosing->kind || (!tagged && key != (uint32_t)keys[i].key))
            continue;
        run_for(a, keys[i].line, tagged);
        if (keys[i].closes)
            close_list(a);
        return;
    }
}

static void take(struct attach *a)
{
    struct attach_choosing *k = a->choosing;
    const struct choose_item *item = choose_selected(&k->list);
    char *line = strdup(k->line), *target = item ? strdup(item->target) : NULL;

    close_list(a);
    if (line && target)
        attach_run_with(a, line, target);
    free(line);
    free(target);
}

static uint16_t list_rows(const struct attach *a)
{
    uint16_t all = attach_area_rows(a), rows = (uint16_t)(all / 3 * 2);

    if (!a->choosing->preview)
        return all;
    if (rows > a->choosing->list.n_shown)
        rows = (uint16_t)(all / 2);
    if (rows < ROWS_MIN || all - rows < 2)
        return all;
    return rows;
}

void attach_choosing_key(struct attach *a, uint32_t key)
{
    struct attach_choosing *k = a->choosing;

    if (k->stale)
        build(a);
    switch (common_key(a, key) ? CHOOSE_STAY : choose_key(&k->list, key, list_rows(a))) {
    case CHOOSE_STAY:
        break;
    case CHOOSE_CLOSED:
        close_list(a);
        break;
    case CHOOSE_TAKEN:
        take(a);
        break;
    case CHOOSE_OTHER:
        if (k->kind == ATTACH_CHOOSE_TREE)
            tree_key(a, key);
        else
            other_key(a, key);
        break;
    }
    attach_wake(a);
}

/* --- drawing -------------------------------------------------------------------------------- */

static struct pen mode_pen(const struct attach *a)
{
    const struct target none = {NULL, NULL, NULL};
    struct pen pen = frame_pen_default;

    options_style(
        options_text(a->ops.world->options, format_options_place(&none), OPTION_mode_style),
        &frame_pen_default, &pen);
    return pen;
}

static void draw_box(const struct attach *a, struct frame *f, uint16_t top, uint16_t bottom)
{
    const struct attach_choosing *k = a->choosing;
    const struct choose_item *item = choose_selected(&k->list);
    char title[256];

    snprintf(title, sizeof title, " %.100s (sort: %s%s)%s ", item ? item->name : "",
             orders[k->kind][k->order], k->reversed ? ", reversed" : "",
             !k->filter     ? ""
             : k->unmatched ? " (filter: no matches)"
                            : " (filter: active)");
    for (uint16_t y = top; y <= bottom; y++) {
        frame_blank_row(f, y);
        for (uint16_t x = 0; x < f->cols; x++) {
            bool edge = y == top || y == bottom, side = x == 0 || x + 1 == f->cols;
            const char *line = !edge && !side ? NULL : edge && !side ? "─" : "│";

            if (edge && side)
                line = y == top ? (x == 0 ? "┌" : "┐") : x == 0 ? "└" : "┘";
            if (line)
                frame_text(f, y, x, f->cols, &frame_pen_default, line, strlen(line));
        }
    }
    frame_text(f, top, 1, f->cols, &frame_pen_default, title, strlen(title));
}

/* The pane that an item stands for; NULL when it has gone, or is none. */
static struct pane *pane_of(const struct attach *a, const struct choose_item *item)
{
    const struct target none = {NULL, NULL, NULL};
    struct target at;
    struct attach *other;

    if (a->choosing->kind == ATTACH_CHOOSE_BUFFER)
        return NULL;
    if (a->choosing->kind == ATTACH_CHOOSE_CLIENT) {
        other = attach_named(item->target);
        return other ? other->pane : NULL;
    }
    if (target_find(a->sessions, item->target, TARGET_PANE, &none, 0, &at) != ERR_OK)
        return NULL;
    return at.pane;
}

static void draw_pane(struct frame *f, struct pane *p, uint16_t top, uint16_t bottom)
{
    struct screen *s = pane_screen(p);
    uint16_t rows = (uint16_t)(bottom - top), n = screen_cols(s), skip = 0;
    uint16_t cursor = screen_cursor(s).y;

    if (cursor >= rows) /* what happens is at the cursor */
        skip = (uint16_t)(cursor - rows + 1);
    n = n < f->cols - 2 ? n : (uint16_t)(f->cols - 2);
    for (uint16_t y = 0; y < rows; y++) {
        const struct cell *cells = screen_row(s, (uint16_t)(y + skip));
        struct cell *out = frame_row(f, (uint16_t)(top + y)) + 1;

        if (!cells)
            break;
        frame_put(f, (uint16_t)(top + y), 1, cells, n);
        for (uint16_t i = 0; i < n; i++)
            out[i].pen.link = 0;
    }
}

static void draw_buffer(const struct attach *a, struct frame *f, const char *name, uint16_t top,
                        uint16_t bottom)
{
    const struct paste *b = a->ops.world->pastes ? a->ops.world->pastes->first : NULL;
    size_t at = 0;

    while (b && strcmp(b->name, name) != 0)
        b = b->next;
    for (uint16_t y = top; b && y < bottom && at < b->len; y++) {
        const uint8_t *end = memchr(b->text + at, '\n', b->len - at);
        size_t n = end ? (size_t)(end - b->text) - at : b->len - at;

        frame_text(f, y, 1, (uint16_t)(f->cols - 1), &frame_pen_default, (const char *)b->text + at,
                   n < 4096 ? n : 4096);
        at += n + 1;
    }
}

void attach_draw_choosing(struct attach *a, struct frame *f)
{
    struct attach_choosing *k = a->choosing;
    uint16_t rows, bottom = (uint16_t)(attach_area_rows(a) - 1);
    const struct choose_item *item;
    struct pane *p;
    struct pen pen;

    if (!k)
        return;
    if (k->stale)
        build(a);
    rows = list_rows(a);
    pen = mode_pen(a);
    choose_draw(&k->list, f, rows, &pen);
    f->cursor.visible = false;
    item = choose_selected(&k->list);
    if (rows > bottom || f->cols < 4)
        return;
    draw_box(a, f, rows, bottom);
    p = item ? pane_of(a, item) : NULL;
    if (p)
        draw_pane(f, p, (uint16_t)(rows + 1), bottom);
    else if (item && k->kind == ATTACH_CHOOSE_BUFFER)
        draw_buffer(a, f, item->target, (uint16_t)(rows + 1), bottom);
}
