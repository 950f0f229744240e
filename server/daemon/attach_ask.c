/* What an attached terminal asks: prompts of commands, a confirmation, which pane. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/daemon/config_list.h"
#include "server/daemon/keynames.h"
#include "server/daemon/options_value.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/session.h"

#define ANSWERS_MAX 9

/* What the open prompt is for. */
struct attach_asking {
    char *labels; /* apart by commas; NULL for a confirmation */
    char *begins;
    char *line;
    enum prompt_form form;
    enum prompt_type type;
    bool confirm;
    bool each;              /* each change is an answer */
    bool expand;            /* the line's formats, once the answers stand in it */
    struct command *waiter; /* told when it is over, or NULL */
    void (*answer)(struct attach *a, const char *answer); /* told instead of a line that is run */
    char *answers[ANSWERS_MAX];
    size_t n;
};

static void free_asking(struct attach_asking *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->n; i++)
        free(k->answers[i]);
    free(k->labels);
    free(k->begins);
    free(k->line);
    free(k);
}

/* The prompt goes; the one who waits for it is handed on to whoever calls this. */
static struct command *close_asking(struct attach *a)
{
    struct command *waiter = a->asking ? a->asking->waiter : NULL;

    free_asking(a->asking);
    a->asking = NULL;
    prompt_close(&a->prompt);
    attach_grab(a);
    attach_wake(a);
    if (waiter)
        waiter->cancel = NULL;
    return waiter;
}

static void stop_asking(struct attach *a)
{
    struct command *waiter = close_asking(a);

    if (waiter)
        command_finish(waiter, COMMAND_FAILED);
}

/* The command that waits is given up: its prompt goes. */
static void on_waiter_gone(struct command *c)
{
    for (struct attach *a = attach_first(); a; a = a->next) {
        if (a->asking && a->asking->waiter == c)
            close_asking(a);
    }
}

void attach_ask_wait(struct attach *a, struct command *c)
{
    a->asking->waiter = c;
    c->cancel = on_waiter_gone;
}

/* --- text ----------------------------------------------------------------------------------- */

/* An answer in a line, so that it is read back as it was typed. */
static void put_answer(struct outbuf *out, const char *answer)
{
    for (; *answer; answer++) {
        if (strchr("\\\"$", *answer))
            outbuf_byte(out, '\\');
        outbuf_byte(out, (uint8_t)*answer);
    }
}

static void fill_in(const struct attach_asking *k, struct outbuf *out)
{
    for (const char *at = k->line; *at; at++) {
        size_t i = at[1] == '%' ? 0 : (size_t)(at[1] - '1');

        if (*at != '%' || i >= k->n) {
            outbuf_byte(out, (uint8_t)*at);
            continue;
        }
        put_answer(out, k->answers[i]);
        at++;
        if (*at == '%' && at[1] == '%') /* %%% */
            at++;
    }
    outbuf_byte(out, 0);
}

static void run_text(struct attach *a, const char *text)
{
    struct config_list list = {0};
    char why[STATUS_MESSAGE_MAX_BYTES];
    const char *fault;

    attach_parse(a, text, &list);
    fault = config_list_fault(&list, why, sizeof why);
    if (fault)
        attach_say(a, fault);
    else if (list.first)
        attach_run(a, &list);
    config_list_clear(&list);
}

/* The i-th part of a list apart by commas, expanded, in out; false when there is none. */
static bool part(const struct attach *a, const char *list, size_t i, struct outbuf *out)
{
    char text[PROMPT_BYTES + 1];
    size_t n;

    outbuf_reset(out);
    for (; list && i > 0; i--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    if (!list) {
        outbuf_byte(out, 0);
        return false;
    }
    n = strcspn(list, ",");
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), list);
    attach_expand(a, text, out);
    outbuf_byte(out, 0);
    return true;
}

/* --- prompts -------------------------------------------------------------------------------- */

/* Opens the prompt for the next answer; false when all are there. */
static bool ask_next(struct attach *a)
{
    struct attach_asking *k = a->asking;
    struct outbuf label = {0}, begin = {0};
    bool more = part(a, k->labels, k->n, &label) && k->n < ANSWERS_MAX;

    part(a, k->begins, k->n, &begin);
    if (more && !label.bad && !begin.bad)
        prompt_open_form(&a->prompt, (const char *)label.p, k->each ? "" : (const char *)begin.p,
                         k->form, k->type);
    a->prompt.vi = attach_number(a, OPTION_status_keys, 0) == 1;
    outbuf_clear(&label);
    outbuf_clear(&begin);
    attach_grab(a);
    attach_wake(a);
    return more;
}

static char *copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* "(rename-window)" for a line without a label; ":" for one without commands. */
static char *default_label(const char *line)
{
    size_t n = strcspn(line, " ;");
    char *label = malloc(n + 4);

    if (label && strcmp(line, "%1") == 0)
        strcpy(label, ":");
    else if (label)
        snprintf(label, n + 4, "(%.*s) ", (int)n, line);
    return label;
}

/* Labels get a blank behind them. */
static char *spaced_labels(const char *labels)
{
    size_t n = strlen(labels), at = 0;
    char *out = malloc(2 * n + 2);

    for (size_t i = 0; out && i <= n; i++) {
        if (labels[i] == ',' || labels[i] == '\0')
            out[at++] = ' ';
        out[at++] = labels[i];
    }
    return out;
}

bool attach_ask(struct attach *a, const struct attach_question *q)
{
    struct attach_asking *k = a->asking ? NULL : calloc(1, sizeof *k);
    const char *line = q->line ? q->line : "%1";

    if (!k)
        return false;
    k->labels = q->labels ? spaced_labels(q->labels) : default_label(line);
    k->begins = copy_text(q->begins);
    k->line = strdup(line);
    k->form = q->form;
    k->type = q->type;
    k->each = q->each;
    k->expand = q->expand;
    if (!k->labels || !k->line || (q->begins && !k->begins)) {
        free_asking(k);
        return false;
    }
    a->asking = k;
    ask_next(a);
    return true;
}

bool attach_confirm(struct attach *a, const char *label, const char *line)
{
    struct attach_asking *k = a->asking ? NULL : calloc(1, sizeof *k);
    struct outbuf text = {0};

    if (!k || !(k->line = strdup(line))) {
        free(k);
        return false;
    }
    k->confirm = true;
    a->asking = k;
    attach_expand(a, label, &text);
    outbuf_text(&text, " ");
    outbuf_byte(&text, 0);
    prompt_open(&a->prompt, text.bad ? "Confirm? (y/n) " : (const char *)text.p, "", true);
    outbuf_clear(&text);
    attach_grab(a);
    attach_wake(a);
    return true;
}

/* The line with the answers in it. False when memory ran out. */
static bool make_text(struct attach *a, struct outbuf *out)
{
    const struct attach_asking *k = a->asking;
    struct outbuf expanded = {0};

    if (k->confirm)
        outbuf_text(out, k->line);
    else if (strcmp(k->line, "%1") == 0) /* typed as a command: as it stands */
        outbuf_text(out, k->answers[0]);
    else
        fill_in(k, out);
    outbuf_byte(out, 0);
    if (!k->expand || out->bad)
        return !out->bad;
    attach_expand(a, (const char *)out->p, &expanded);
    outbuf_byte(&expanded, 0);
    outbuf_clear(out);
    *out = expanded;
    return !out->bad;
}

/* The answer goes to a function, after the prompt has gone. */
static void tell_answer(struct attach *a)
{
    void (*answer)(struct attach *a, const char *answer) = a->asking->answer;
    char *text = strdup(a->prompt.text);

    close_asking(a);
    if (text)
        answer(a, text);
    free(text);
}

bool attach_ask_for(struct attach *a, const char *label, const char *begin, enum prompt_form form,
                    void (*fn)(struct attach *a, const char *answer))
{
    struct attach_asking *k = a->asking ? NULL : calloc(1, sizeof *k);

    if (!k)
        return false;
    k->confirm = true; /* one question, and no commands */
    k->answer = fn;
    a->asking = k;
    prompt_open_form(&a->prompt, label, begin, form, PROMPT_SEARCH);
    attach_grab(a);
    attach_wake(a);
    return true;
}

/* All answers are there: what was asked for is run, after the prompt has gone. */
static void answered(struct attach *a)
{
    struct attach_asking *k = a->asking;
    struct outbuf text = {0};
    bool run = !k->confirm || strcmp(a->prompt.text, "y") == 0 || strcmp(a->prompt.text, "Y") == 0;
    bool ok = make_text(a, &text);
    struct command *waiter;

    run = run && !k->each;
    waiter = close_asking(a);
    if (run && ok)
        run_text(a, (const char *)text.p);
    outbuf_clear(&text);
    if (waiter)
        command_finish(waiter, run || !ok ? COMMAND_DONE : COMMAND_FAILED);
}

static void take_answer(struct attach *a)
{
    struct attach_asking *k = a->asking;

    if (k->answer) {
        tell_answer(a);
        return;
    }
    if (!k->confirm) {
        if (k->form == PROMPT_LINE)
            prompt_remember_as(k->type, a->prompt.text);
        k->answers[k->n] = strdup(a->prompt.text);
        if (!k->answers[k->n]) {
            stop_asking(a);
            return;
        }
        k->n++;
        if (ask_next(a))
            return;
    }
    answered(a);
}

/* With -i: what stands there now, with a sign in front, is an answer for the line. */
static void answer_now(struct attach *a, char sign)
{
    struct attach_asking *k = a->asking;
    char answer[PROMPT_BYTES + 2];
    struct outbuf text = {0};

    snprintf(answer, sizeof answer, "%c%s", sign, a->prompt.text);
    k->answers[k->n] = strdup(answer);
    if (!k->answers[k->n])
        return;
    k->n++;
    if (make_text(a, &text))
        run_text(a, (const char *)text.p);
    outbuf_clear(&text);
    if (a->asking == k)
        free(k->answers[--k->n]);
}

/* With -i what it would begin with is what C-r and C-s mean while nothing was typed. False when
 * there is nothing. */
static bool take_begin(struct attach *a)
{
    struct outbuf begin = {0};

    part(a, a->asking->begins, a->asking->n, &begin);
    if (!begin.bad)
        prompt_paste(&a->prompt, begin.p, begin.len - 1);
    outbuf_clear(&begin);
    return a->prompt.text[0] != '\0';
}

/* C-r and C-s look on, back or forth; what changes the text looks anew. */
static void take_change(struct attach *a, uint32_t key, const char *before)
{
    if ((key == 18 || key == 19) && !a->prompt.text[0] && take_begin(a))
        answer_now(a, '=');
    else if (key == 18 || key == 19)
        answer_now(a, key == 18 ? '-' : '+');
    else if (strcmp(before, a->prompt.text) != 0)
        answer_now(a, '=');
}

void attach_ask_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n)
{
    char before[PROMPT_BYTES + 1];

    snprintf(before, sizeof before, "%s", a->prompt.text);
    switch (prompt_key(&a->prompt, key, p, n)) {
    case PROMPT_MORE:
        attach_wake(a);
        if (a->asking->each)
            take_change(a, key, before);
        break;
    case PROMPT_DONE:
        take_answer(a);
        break;
    case PROMPT_GONE:
        stop_asking(a);
        break;
    }
}

/* --- numbers of panes ----------------------------------------------------------------------- */

static void hide_numbers(struct attach *a)
{
    loop_timer_stop(&a->numbers_over);
    a->numbers = false;
    attach_grab(a);
    attach_wake(a);
}

static void on_numbers_over(void *ctx)
{
    hide_numbers(ctx);
}

void attach_show_numbers(struct attach *a, uint32_t ms, const char *line, bool keyless)
{
    a->numbers = true;
    a->numbers_keyless = keyless;
    free(a->numbers_line);
    a->numbers_line = line ? strdup(line) : NULL;
    loop_timer_start(&a->numbers_over, ms > 0 ? ms : attach_numbers_ms(a));
    attach_grab(a);
    attach_wake(a);
}

void attach_run_with(struct attach *a, const char *line, const char *answer)
{
    struct attach_asking k = {.line = (char *)line, .n = answer ? 1 : 0, .answers = {(char *)answer}};
    struct outbuf text = {0};

    fill_in(&k, &text);
    if (!text.bad)
        run_text(a, (const char *)text.p);
    outbuf_clear(&text);
}

bool attach_numbers_key(struct attach *a, uint32_t key)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;
    const struct layout_leaf *leaf;
    char id[16];

    if (a->numbers_keyless)
        return false;
    hide_numbers(a);
    if (key < '0' || key > '9')
        return false;
    leaf = w ? layout_at(w->layout, key - '0') : NULL;
    if (!leaf || a->read_only)
        return true;
    snprintf(id, sizeof id, "%%%u", leaf ? leaf->id : 0);
    if (a->numbers_line)
        attach_run_with(a, a->numbers_line, id);
    else
        session_select_pane(a->sessions, a->session->current, leaf->pane);
    return true;
}

/* Five rows of five cells, a bit each, as tmux's clock has them. */
static const uint8_t digits[10][5] = {
    {31, 17, 17, 17, 31}, {1, 1, 1, 1, 1},     {31, 1, 31, 16, 31},  {31, 1, 31, 1, 31},
    {17, 17, 31, 1, 1},   {31, 16, 31, 1, 31}, {31, 16, 31, 17, 31}, {31, 1, 1, 1, 1},
    {31, 17, 31, 17, 31}, {31, 17, 31, 1, 31},
};

static void draw_digit(struct frame *f, const struct pen *pen, unsigned digit, uint16_t x,
                       uint16_t y)
{
    for (uint16_t row = 0; row < 5; row++)
        for (uint16_t col = 0; col < 5; col++)
            if (digits[digit][row] >> (4 - col) & 1)
                frame_fill(f, (uint16_t)(y + row), (uint16_t)(x + col), 1, pen);
}

static void draw_number(struct frame *f, const struct keys_area *at, cell_color colour,
                        const char *text)
{
    const struct pen big = {.bg = colour};
    const struct pen small = {.fg = colour, .flags = PEN_BOLD};
    uint16_t n = (uint16_t)strlen(text), cols = (uint16_t)(6 * n - 1);

    if (at->cols < n || at->rows == 0)
        return;
    if (at->cols < cols || at->rows < 5) {
        uint16_t x = (uint16_t)(at->x + (at->cols - n) / 2);
        uint16_t y = (uint16_t)(at->y + at->rows / 2);

        f->wraps[y] = false;
        frame_text(f, y, x, f->cols, &small, text, n);
        return;
    }
    for (uint16_t i = 0; i < n; i++)
        draw_digit(f, &big, (unsigned)(text[i] - '0'),
                   (uint16_t)(at->x + (at->cols - cols) / 2 + 6 * i),
                   (uint16_t)(at->y + (at->rows - 5) / 2));
}

static cell_color number_colour(const struct attach *a, bool active)
{
    cell_color colour = COLOR_DEFAULT;

    options_colour(active ? attach_text(a, OPTION_display_panes_active_colour, "red")
                          : attach_text(a, OPTION_display_panes_colour, "blue"),
                   &colour);
    return colour;
}

void attach_draw_numbers(const struct attach *a, struct frame *f)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;

    for (uint32_t i = 0; a->numbers && w && i < layout_count(w->layout); i++) {
        const struct attach_view *v = attach_view_of(a, layout_at(w->layout, i)->pane);
        struct keys_area at;
        char text[16];

        if (!v)
            continue;
        at = attach_pane_area(a, v);
        snprintf(text, sizeof text, "%u", i);
        draw_number(f, &at, number_colour(a, v->pane == a->pane), text);
    }
}

/* --- the clock ------------------------------------------------------------------------------ */

void attach_show_clock(struct attach *a, const struct pane *p)
{
    a->clock_shown = true;
    a->clock_pane = pane_id(p);
    attach_grab(a);
    attach_wake(a);
}

static void draw_time(struct frame *f, const struct keys_area *at, const char *text)
{
    static const struct pen big = {.bg = COLOR_KIND_16 | 4}, small = {.fg = COLOR_KIND_16 | 4};
    uint16_t n = (uint16_t)strlen(text), cols = (uint16_t)(6 * n), x, y;

    for (uint16_t row = 0; row < at->rows; row++)
        frame_fill(f, (uint16_t)(at->y + row), at->x, at->cols, &frame_pen_default);
    x = (uint16_t)(at->x + (at->cols > cols ? at->cols - cols : 0) / 2);
    y = (uint16_t)(at->y + (at->rows > 5 ? at->rows - 5 : 0) / 2);
    if (at->cols < cols || at->rows < 6) {
        x = (uint16_t)(at->x + (at->cols > n ? at->cols - n : 0) / 2);
        frame_text(f, (uint16_t)(at->y + at->rows / 2), x, (uint16_t)(at->x + at->cols), &small,
                   text, n);
        return;
    }
    for (uint16_t i = 0; i < n; i++, x = (uint16_t)(x + 6)) {
        if (text[i] != ':') {
            draw_digit(f, &big, (unsigned)(text[i] - '0'), x, y);
            continue;
        }
        frame_fill(f, (uint16_t)(y + 1), (uint16_t)(x + 2), 1, &big);
        frame_fill(f, (uint16_t)(y + 3), (uint16_t)(x + 2), 1, &big);
    }
}

void attach_draw_clock(const struct attach *a, struct frame *f)
{
    time_t now = (time_t)loop_wall_s(a->loop);
    struct tm parts;
    char text[16];

    if (!a->clock_shown || !localtime_r(&now, &parts))
        return;
    strftime(text, sizeof text, "%H:%M", &parts);
    for (const struct attach_view *v = a->views; v; v = v->next) {
        struct keys_area at = attach_pane_area(a, v);

        if (pane_id(v->pane) != a->clock_pane || at.cols == 0 || at.rows == 0)
            continue;
        draw_time(f, &at, text);
        f->cursor.visible = false;
    }
}

/* --- life ----------------------------------------------------------------------------------- */

void attach_ask_init(struct attach *a)
{
    loop_timer_init(&a->numbers_over, a->loop, on_numbers_over, a);
}

void attach_ask_clear(struct attach *a)
{
    struct command *waiter = a->asking ? a->asking->waiter : NULL;

    loop_timer_stop(&a->numbers_over);
    free(a->numbers_line);
    a->numbers_line = NULL;
    free_asking(a->asking);
    a->asking = NULL;
    if (!waiter)
        return;
    waiter->cancel = NULL;
    command_fail(waiter, "the terminal that was asked has gone");
    command_finish(waiter, COMMAND_FAILED);
}
