/* What an attached terminal asks: prompts of commands, a confirmation, which pane. */
#include "server/daemon/attach_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/config_list.h"
#include "server/daemon/keynames.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/session.h"

#define ANSWERS_MAX 9

/* What the open prompt is for. */
struct attach_asking {
    char *labels; /* apart by commas; NULL for a confirmation */
    char *begins;
    char *line;
    bool single;
    bool confirm;
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

static void stop_asking(struct attach *a)
{
    free_asking(a->asking);
    a->asking = NULL;
    prompt_close(&a->prompt);
    attach_grab(a);
    attach_wake(a);
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
        prompt_open(&a->prompt, (const char *)label.p, (const char *)begin.p, k->single);
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
    k->single = q->single;
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

/* All answers are there: what was asked for is run, after the prompt has gone. */
static void answered(struct attach *a)
{
    struct attach_asking *k = a->asking;
    struct outbuf text = {0};
    bool run = !k->confirm || strcmp(a->prompt.text, "y") == 0 || strcmp(a->prompt.text, "Y") == 0;

    if (k->confirm) {
        outbuf_text(&text, k->line);
        outbuf_byte(&text, 0);
    } else if (strcmp(k->line, "%1") == 0) { /* typed as a command: as it stands */
        outbuf_text(&text, k->answers[0]);
        outbuf_byte(&text, 0);
    } else {
        fill_in(k, &text);
    }
    stop_asking(a);
    if (run && !text.bad)
        run_text(a, (const char *)text.p);
    outbuf_clear(&text);
}

static void take_answer(struct attach *a)
{
    struct attach_asking *k = a->asking;

    if (!k->confirm) {
        if (!k->single)
            prompt_remember(a->prompt.text);
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

void attach_ask_key(struct attach *a, uint32_t key, const uint8_t *p, size_t n)
{
    switch (prompt_key(&a->prompt, key, p, n)) {
    case PROMPT_MORE:
        attach_wake(a);
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

void attach_show_numbers(struct attach *a, uint32_t ms)
{
    a->numbers = true;
    loop_timer_start(&a->numbers_over, ms > 0 ? ms : attach_numbers_ms(a));
    attach_grab(a);
    attach_wake(a);
}

bool attach_numbers_key(struct attach *a, uint32_t key)
{
    const struct window *w = a->session->dead ? NULL : a->session->current;

    hide_numbers(a);
    if (!w || a->read_only || key < '0' || key > '9' || key - '0' >= layout_count(w->layout))
        return key >= '0' && key <= '9';
    session_select_pane(a->sessions, a->session->current, layout_at(w->layout, key - '0')->pane);
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

static void draw_number(struct frame *f, const struct keys_area *at, bool active, const char *text)
{
    const struct pen big = {.bg = COLOR_KIND_16 | (active ? 1 : 4)};
    const struct pen small = {.fg = COLOR_KIND_16 | (active ? 1 : 4), .flags = PEN_BOLD};
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
        draw_number(f, &at, v->pane == a->pane, text);
    }
}

/* --- life ----------------------------------------------------------------------------------- */

void attach_ask_init(struct attach *a)
{
    loop_timer_init(&a->numbers_over, a->loop, on_numbers_over, a);
}

void attach_ask_clear(struct attach *a)
{
    loop_timer_stop(&a->numbers_over);
    free_asking(a->asking);
    a->asking = NULL;
}
