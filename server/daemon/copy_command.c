/* Copy mode's commands by name, in tmux's order. A row says what is run, how often, and what
 * becomes of the marks of matches: with emacs keys they go with the next movement, with vi keys
 * they stay until something is selected or copied. */
#include "server/daemon/copy_state.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"

/* A command under way. */
struct call {
    struct copy *c;
    const char *word; /* its first argument, NULL for none */
    const char *word2;
    uint32_t n; /* how often */
    struct copy_action *action;
    bool cancel;
};

typedef void command_fn(struct call *k);

enum marks { CLEAR_ALWAYS, CLEAR_EMACS, CLEAR_NEVER };

struct row {
    const char *name;
    command_fn *run;
    enum marks marks;
    unsigned words_min;
    unsigned words_max;
};

/* Runs what takes a copy and nothing else, as often as asked for. */
static void repeat(struct call *k, void (*fn)(struct copy *c))
{
    for (uint32_t i = 0; i < k->n; i++)
        fn(k->c);
}

#define REPEATED(name, fn)           \
    static void name(struct call *k) \
    {                                \
        repeat(k, fn);               \
    }

/* --- movement ------------------------------------------------------------------------------- */

static void up(struct copy *c)
{
    copy_up(c, false);
}

static void down(struct copy *c)
{
    copy_down(c, false);
}

static void page_up(struct copy *c)
{
    copy_page_up(c, false);
}

static void half_up(struct copy *c)
{
    copy_page_up(c, true);
}

static void next_word(struct copy *c)
{
    copy_next_word(c, c->o.separators);
}

static void next_word_end(struct copy *c)
{
    copy_next_word_end(c, c->o.separators, false);
}

static void previous_word(struct copy *c)
{
    copy_previous_word(c, c->o.separators, true);
}

static void next_space(struct copy *c)
{
    copy_next_word(c, "");
}

static void next_space_end(struct copy *c)
{
    copy_next_word_end(c, "", false);
}

static void previous_space(struct copy *c)
{
    copy_previous_word(c, "", true);
}

REPEATED(run_up, up)
REPEATED(run_down, down)
REPEATED(run_left, copy_left)
REPEATED(run_right, copy_right)
REPEATED(run_page_up, page_up)
REPEATED(run_half_up, half_up)
REPEATED(run_next_word, next_word)
REPEATED(run_next_word_end, next_word_end)
REPEATED(run_previous_word, previous_word)
REPEATED(run_next_space, next_space)
REPEATED(run_next_space_end, next_space_end)
REPEATED(run_previous_space, previous_space)
REPEATED(run_next_paragraph, copy_next_paragraph)
REPEATED(run_previous_paragraph, copy_previous_paragraph)
REPEATED(run_next_bracket, copy_next_bracket)
REPEATED(run_previous_bracket, copy_previous_bracket)

static void run_down_and_cancel(struct call *k)
{
    uint32_t y = k->c->y;

    run_down(k);
    k->cancel = y == k->c->y && k->c->scroll == 0;
}

static void run_scroll_up(struct call *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        copy_up(k->c, true);
}

static void run_scroll_down(struct call *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        copy_down(k->c, true);
    k->cancel = k->c->scroll_exit && k->c->scroll == 0;
}

static void run_scroll_down_and_cancel(struct call *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        copy_down(k->c, true);
    k->cancel = k->c->scroll == 0;
}

/* Down by pages until the bottom, which ends the mode where that is wanted. */
static void pages_down(struct call *k, bool half, bool exit)
{
    for (uint32_t i = 0; i < k->n && !k->cancel; i++) {
        copy_page_down(k->c, half);
        k->cancel = exit && k->c->scroll == 0;
    }
}

static void run_page_down(struct call *k)
{
    pages_down(k, false, k->c->scroll_exit);
}

static void run_page_down_and_cancel(struct call *k)
{
    pages_down(k, false, true);
}

static void run_half_down(struct call *k)
{
    pages_down(k, true, k->c->scroll_exit);
}

static void run_half_down_and_cancel(struct call *k)
{
    pages_down(k, true, true);
}

static void run_line_start(struct call *k)
{
    copy_line_start(k->c);
}

static void run_line_end(struct call *k)
{
    copy_line_end(k->c);
}

static void run_indentation(struct call *k)
{
    copy_indentation(k->c);
}

static void run_history_top(struct call *k)
{
    copy_top(k->c);
}

static void run_history_bottom(struct call *k)
{
    copy_bottom(k->c);
}

static void go_to_row(struct copy *c, uint32_t y)
{
    copy_set_cursor(c, 0, y);
    copy_select_follow(c, false);
}

static void run_top_line(struct call *k)
{
    go_to_row(k->c, 0);
}

static void run_middle_line(struct call *k)
{
    go_to_row(k->c, (k->c->rows - 1u) / 2);
}

static void run_bottom_line(struct call *k)
{
    go_to_row(k->c, k->c->rows - 1u);
}

/* So many lines up from the bottom. */
static void run_goto_line(struct call *k)
{
    char *end;
    long line = strtol(k->word, &end, 10);

    if (*k->word == '\0' || *end != '\0' || line < -1)
        return;
    k->c->scroll = line < 0 || line > (long)k->c->history ? k->c->history : (uint32_t)line;
    copy_select_follow(k->c, false);
}

static void run_set_mark(struct call *k)
{
    k->c->mark = copy_cursor(k->c);
    k->c->show_mark = true;
}

/* There and back again: the mark is then where the cursor was. */
static void run_jump_to_mark(struct call *k)
{
    struct copy *c = k->c;
    struct copy_spot mark = c->mark;

    c->mark = copy_cursor(c);
    c->show_mark = true;
    c->x = mark.x;
    c->scroll = mark.y < c->history ? c->history - mark.y : 0;
    c->y = mark.y < c->history ? 0 : mark.y - c->history;
    copy_select_follow(c, false);
}

/* --- jumps ---------------------------------------------------------------------------------- */

static void jump(struct call *k, enum copy_jump how)
{
    uint32_t cp;
    size_t n = utf8_decode((const uint8_t *)k->word, strlen(k->word), &cp);

    if (n == 0 || n >= sizeof k->c->jump_text)
        return;
    memcpy(k->c->jump_text, k->word, n);
    k->c->jump_text[n] = '\0';
    k->c->jump = how;
    for (uint32_t i = 0; i < k->n; i++)
        copy_jump(k->c, how);
}

static void run_jump_forward(struct call *k)
{
    jump(k, COPY_JUMP_FORWARD);
}

static void run_jump_back(struct call *k)
{
    jump(k, COPY_JUMP_BACK);
}

static void run_jump_to(struct call *k)
{
    jump(k, COPY_JUMP_TO);
}

static void run_jump_to_back(struct call *k)
{
    jump(k, COPY_JUMP_TO_BACK);
}

static void run_jump_again(struct call *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        copy_jump(k->c, k->c->jump);
}

static void run_jump_reverse(struct call *k)
{
    static const enum copy_jump other[] = {COPY_JUMP_NONE, COPY_JUMP_BACK, COPY_JUMP_FORWARD,
                                           COPY_JUMP_TO_BACK, COPY_JUMP_TO};

    for (uint32_t i = 0; i < k->n; i++)
        copy_jump(k->c, other[k->c->jump]);
}

/* --- searching ------------------------------------------------------------------------------ */

static void search(struct call *k, bool forward, bool regex)
{
    if (*k->word == '\0' || !copy_search_for(k->c, k->word, regex))
        return;
    k->c->forward = forward;
    for (uint32_t i = 0; i < k->n; i++)
        copy_search(k->c, forward);
}

static void run_search_forward(struct call *k)
{
    search(k, true, true);
}

static void run_search_back(struct call *k)
{
    search(k, false, true);
}

static void run_search_forward_text(struct call *k)
{
    search(k, true, false);
}

static void run_search_back_text(struct call *k)
{
    search(k, false, false);
}

static void search_more(struct call *k, bool reverse)
{
    for (uint32_t i = 0; i < k->n; i++)
        copy_search(k->c, k->c->forward != reverse);
}

static void run_search_again(struct call *k)
{
    search_more(k, false);
}

static void run_search_reverse(struct call *k)
{
    search_more(k, true);
}

/* Another text than before begins where the first one did. */
static void begin_incremental(struct copy *c, const char *text)
{
    if (!c->incremental) {
        c->incremental = true;
        c->before_search = (struct copy_spot){c->x, c->y};
        c->before_scroll = c->scroll;
    } else if (c->search && strcmp(text, c->search) != 0) {
        c->scroll = c->before_scroll;
        copy_set_cursor(c, c->before_search.x, c->before_search.y);
    }
}

/* The word's first character is what was pressed: = for a change, + and - for on and back. */
static void search_incremental(struct call *k, bool forward)
{
    struct copy *c = k->c;
    char what = *k->word;

    if (what == '\0')
        return;
    if (what == '+' || what == '-')
        forward = what == '+';
    begin_incremental(c, k->word + 1);
    if (k->word[1] == '\0') {
        copy_search_end(c);
        return;
    }
    c->forward = forward;
    if (!copy_search_for(c, k->word + 1, false) || !copy_search(c, forward))
        copy_search_end(c);
}

static void run_search_forward_incremental(struct call *k)
{
    search_incremental(k, true);
}

static void run_search_back_incremental(struct call *k)
{
    search_incremental(k, false);
}

/* --- selecting ------------------------------------------------------------------------------ */

static void run_begin_selection(struct call *k)
{
    k->c->whole = COPY_LINES_NONE;
    k->c->unit = COPY_CHARACTERS;
    copy_select_begin(k->c);
}

static void run_clear_selection(struct call *k)
{
    copy_select_clear(k->c);
}

static void run_stop_selection(struct call *k)
{
    copy_select_stop(k->c);
}

static void run_select_line(struct call *k)
{
    copy_select_line(k->c, k->n);
}

static void run_select_word(struct call *k)
{
    copy_select_word(k->c);
}

static void run_other_end(struct call *k)
{
    for (uint32_t i = 0; i < k->n % 2; i++)
        copy_other_end(k->c);
}

static void set_rectangle(struct copy *c, bool on)
{
    uint32_t length = copy_length(c, copy_cursor_line(c));

    c->rectangle = on;
    if (!on && c->x > length)
        copy_set_cursor(c, length, c->y);
    c->whole = COPY_LINES_NONE;
    copy_select_follow(c, false);
}

static void run_rectangle_on(struct call *k)
{
    set_rectangle(k->c, true);
}

static void run_rectangle_off(struct call *k)
{
    set_rectangle(k->c, false);
}

static void run_rectangle_toggle(struct call *k)
{
    set_rectangle(k->c, !k->c->rectangle);
}

/* --- copying -------------------------------------------------------------------------------- */

static void take(struct call *k)
{
    copy_selection_text(k->c, &k->action->text);
    k->action->copy = true;
    k->action->prefix = k->word;
}

static void take_for_pipe(struct call *k, bool copy)
{
    copy_selection_text(k->c, &k->action->text);
    k->action->copy = copy;
    k->action->pipe = true;
    k->action->command = k->word;
    k->action->prefix = k->word2;
}

static void run_copy(struct call *k)
{
    take(k);
    copy_select_clear(k->c);
}

static void run_copy_no_clear(struct call *k)
{
    take(k);
}

static void run_copy_and_cancel(struct call *k)
{
    run_copy(k);
    k->cancel = true;
}

static void run_append(struct call *k)
{
    take(k);
    k->action->append = true;
    k->action->prefix = NULL;
    copy_select_clear(k->c);
}

static void run_append_and_cancel(struct call *k)
{
    run_append(k);
    k->cancel = true;
}

static void run_copy_pipe(struct call *k)
{
    take_for_pipe(k, true);
    copy_select_clear(k->c);
}

static void run_copy_pipe_no_clear(struct call *k)
{
    take_for_pipe(k, true);
}

static void run_copy_pipe_and_cancel(struct call *k)
{
    run_copy_pipe(k);
    k->cancel = true;
}

static void run_pipe(struct call *k)
{
    take_for_pipe(k, false);
    copy_select_clear(k->c);
}

static void run_pipe_no_clear(struct call *k)
{
    take_for_pipe(k, false);
}

static void run_pipe_and_cancel(struct call *k)
{
    run_pipe(k);
    k->cancel = true;
}

/* From the cursor, or from the start of its line, to the end of the last of n lines. */
static void take_lines(struct call *k, bool whole, bool pipe)
{
    struct copy *c = k->c;
    struct copy_spot old = {c->x, c->y};
    uint32_t scroll = c->scroll;

    c->unit = COPY_CHARACTERS;
    if (whole)
        copy_line_start(c);
    copy_select_begin(c);
    for (uint32_t i = 1; i < k->n; i++)
        copy_down(c, false);
    copy_line_end(c);
    if (pipe)
        take_for_pipe(k, true);
    else
        take(k);
    c->scroll = scroll;
    copy_set_cursor(c, old.x, old.y);
    copy_select_clear(c);
}

static void run_copy_line(struct call *k)
{
    take_lines(k, true, false);
}

static void run_copy_line_and_cancel(struct call *k)
{
    take_lines(k, true, false);
    k->cancel = true;
}

static void run_copy_line_end(struct call *k)
{
    take_lines(k, false, false);
}

static void run_copy_line_end_and_cancel(struct call *k)
{
    take_lines(k, false, false);
    k->cancel = true;
}

static void run_pipe_line(struct call *k)
{
    take_lines(k, true, true);
}

static void run_pipe_line_and_cancel(struct call *k)
{
    take_lines(k, true, true);
    k->cancel = true;
}

static void run_pipe_line_end(struct call *k)
{
    take_lines(k, false, true);
}

static void run_pipe_line_end_and_cancel(struct call *k)
{
    take_lines(k, false, true);
    k->cancel = true;
}

/* --- the rest ------------------------------------------------------------------------------- */

static void run_cancel(struct call *k)
{
    k->cancel = true;
}

static void run_toggle_position(struct call *k)
{
    k->c->hide_position = !k->c->hide_position;
}

static void run_refresh(struct call *k)
{
    k->action->refresh = true;
}

static const struct row rows[] = {
    {"append-selection", run_append, CLEAR_ALWAYS, 0, 0},
    {"append-selection-and-cancel", run_append_and_cancel, CLEAR_ALWAYS, 0, 0},
    {"back-to-indentation", run_indentation, CLEAR_ALWAYS, 0, 0},
    {"begin-selection", run_begin_selection, CLEAR_ALWAYS, 0, 0},
    {"bottom-line", run_bottom_line, CLEAR_EMACS, 0, 0},
    {"cancel", run_cancel, CLEAR_ALWAYS, 0, 0},
    {"clear-selection", run_clear_selection, CLEAR_ALWAYS, 0, 0},
    {"copy-end-of-line", run_copy_line_end, CLEAR_ALWAYS, 0, 1},
    {"copy-end-of-line-and-cancel", run_copy_line_end_and_cancel, CLEAR_ALWAYS, 0, 1},
    {"copy-line", run_copy_line, CLEAR_ALWAYS, 0, 1},
    {"copy-line-and-cancel", run_copy_line_and_cancel, CLEAR_ALWAYS, 0, 1},
    {"copy-pipe", run_copy_pipe, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-and-cancel", run_copy_pipe_and_cancel, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-end-of-line", run_pipe_line_end, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-end-of-line-and-cancel", run_pipe_line_end_and_cancel, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-line", run_pipe_line, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-line-and-cancel", run_pipe_line_and_cancel, CLEAR_ALWAYS, 0, 2},
    {"copy-pipe-no-clear", run_copy_pipe_no_clear, CLEAR_NEVER, 0, 2},
    {"copy-selection", run_copy, CLEAR_ALWAYS, 0, 1},
    {"copy-selection-and-cancel", run_copy_and_cancel, CLEAR_ALWAYS, 0, 1},
    {"copy-selection-no-clear", run_copy_no_clear, CLEAR_NEVER, 0, 1},
    {"cursor-down", run_down, CLEAR_EMACS, 0, 0},
    {"cursor-down-and-cancel", run_down_and_cancel, CLEAR_ALWAYS, 0, 0},
    {"cursor-left", run_left, CLEAR_EMACS, 0, 0},
    {"cursor-right", run_right, CLEAR_EMACS, 0, 0},
    {"cursor-up", run_up, CLEAR_EMACS, 0, 0},
    {"end-of-line", run_line_end, CLEAR_EMACS, 0, 0},
    {"goto-line", run_goto_line, CLEAR_EMACS, 1, 1},
    {"halfpage-down", run_half_down, CLEAR_EMACS, 0, 0},
    {"halfpage-down-and-cancel", run_half_down_and_cancel, CLEAR_ALWAYS, 0, 0},
    {"halfpage-up", run_half_up, CLEAR_EMACS, 0, 0},
    {"history-bottom", run_history_bottom, CLEAR_EMACS, 0, 0},
    {"history-top", run_history_top, CLEAR_EMACS, 0, 0},
    {"jump-again", run_jump_again, CLEAR_EMACS, 0, 0},
    {"jump-backward", run_jump_back, CLEAR_EMACS, 1, 1},
    {"jump-forward", run_jump_forward, CLEAR_EMACS, 1, 1},
    {"jump-reverse", run_jump_reverse, CLEAR_EMACS, 0, 0},
    {"jump-to-backward", run_jump_to_back, CLEAR_EMACS, 1, 1},
    {"jump-to-forward", run_jump_to, CLEAR_EMACS, 1, 1},
    {"jump-to-mark", run_jump_to_mark, CLEAR_ALWAYS, 0, 0},
    {"middle-line", run_middle_line, CLEAR_EMACS, 0, 0},
    {"next-matching-bracket", run_next_bracket, CLEAR_ALWAYS, 0, 0},
    {"next-paragraph", run_next_paragraph, CLEAR_EMACS, 0, 0},
    {"next-space", run_next_space, CLEAR_EMACS, 0, 0},
    {"next-space-end", run_next_space_end, CLEAR_EMACS, 0, 0},
    {"next-word", run_next_word, CLEAR_EMACS, 0, 0},
    {"next-word-end", run_next_word_end, CLEAR_EMACS, 0, 0},
    {"other-end", run_other_end, CLEAR_EMACS, 0, 0},
    {"page-down", run_page_down, CLEAR_EMACS, 0, 0},
    {"page-down-and-cancel", run_page_down_and_cancel, CLEAR_ALWAYS, 0, 0},
    {"page-up", run_page_up, CLEAR_EMACS, 0, 0},
    {"pipe", run_pipe, CLEAR_ALWAYS, 0, 1},
    {"pipe-and-cancel", run_pipe_and_cancel, CLEAR_ALWAYS, 0, 1},
    {"pipe-no-clear", run_pipe_no_clear, CLEAR_NEVER, 0, 1},
    {"previous-matching-bracket", run_previous_bracket, CLEAR_ALWAYS, 0, 0},
    {"previous-paragraph", run_previous_paragraph, CLEAR_EMACS, 0, 0},
    {"previous-space", run_previous_space, CLEAR_EMACS, 0, 0},
    {"previous-word", run_previous_word, CLEAR_EMACS, 0, 0},
    {"rectangle-off", run_rectangle_off, CLEAR_ALWAYS, 0, 0},
    {"rectangle-on", run_rectangle_on, CLEAR_ALWAYS, 0, 0},
    {"rectangle-toggle", run_rectangle_toggle, CLEAR_ALWAYS, 0, 0},
    {"refresh-from-pane", run_refresh, CLEAR_ALWAYS, 0, 0},
    {"scroll-down", run_scroll_down, CLEAR_EMACS, 0, 0},
    {"scroll-down-and-cancel", run_scroll_down_and_cancel, CLEAR_ALWAYS, 0, 0},
    {"scroll-up", run_scroll_up, CLEAR_EMACS, 0, 0},
    {"search-again", run_search_again, CLEAR_NEVER, 0, 0},
    {"search-backward", run_search_back, CLEAR_NEVER, 0, 1},
    {"search-backward-incremental", run_search_back_incremental, CLEAR_NEVER, 1, 1},
    {"search-backward-text", run_search_back_text, CLEAR_NEVER, 0, 1},
    {"search-forward", run_search_forward, CLEAR_NEVER, 0, 1},
    {"search-forward-incremental", run_search_forward_incremental, CLEAR_NEVER, 1, 1},
    {"search-forward-text", run_search_forward_text, CLEAR_NEVER, 0, 1},
    {"search-reverse", run_search_reverse, CLEAR_NEVER, 0, 0},
    {"select-line", run_select_line, CLEAR_ALWAYS, 0, 0},
    {"select-word", run_select_word, CLEAR_ALWAYS, 0, 0},
    {"set-mark", run_set_mark, CLEAR_ALWAYS, 0, 0},
    {"start-of-line", run_line_start, CLEAR_EMACS, 0, 0},
    {"stop-selection", run_stop_selection, CLEAR_ALWAYS, 0, 0},
    {"toggle-position", run_toggle_position, CLEAR_NEVER, 0, 0},
    {"top-line", run_top_line, CLEAR_EMACS, 0, 0},
};

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static void settle_marks(struct copy *c, const struct row *row)
{
    if (strncmp(row->name, "search-", 7) == 0 || !c->marking)
        return;
    if (row->marks == CLEAR_NEVER || (row->marks == CLEAR_EMACS && c->o.vi))
        return;
    copy_search_end(c);
    c->incremental = false;
}

enum copy_result copy_run(struct copy *c, const struct copy_options *o, const char *name, size_t n,
                          const char *const *words, struct copy_action *action)
{
    const struct row *row = find_row(name);
    struct call k = {.c = c, .action = action, .n = c->count > 0 ? c->count : 1};

    *action = (struct copy_action){0};
    c->o = *o;
    c->count = 0;
    if (!row)
        return COPY_UNKNOWN;
    if (n < row->words_min || n > row->words_max)
        return COPY_ARGUMENT;
    k.word = n > 0 ? words[0] : strncmp(row->name, "search-", 7) == 0 ? "" : NULL;
    k.word2 = n > 1 ? words[1] : NULL;
    c->version++;
    row->run(&k);
    settle_marks(c, row);
    return k.cancel ? COPY_CANCEL : COPY_DONE;
}
