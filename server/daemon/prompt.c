#include "server/daemon/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/keynames.h"
#include "server/daemon/paint_frame.h"

/* The newest line first. */
static char *history[PROMPT_TYPES][PROMPT_HISTORY];

static const char *const type_names[PROMPT_TYPES] = {"command", "search", "target",
                                                     "window-target"};
static size_t history_limit = 100;

enum prompt_type prompt_type_named(const char *name)
{
    unsigned i = 0;

    while (i < PROMPT_TYPES && strcmp(type_names[i], name) != 0)
        i++;
    return (enum prompt_type)i;
}

const char *prompt_type_name(enum prompt_type type)
{
    return type_names[type];
}

void prompt_remember_as(enum prompt_type type, const char *text)
{
    char **lines = history[type];
    char *copy;

    if (!*text || (lines[0] && strcmp(lines[0], text) == 0) || !(copy = strdup(text)))
        return;
    free(lines[PROMPT_HISTORY - 1]);
    memmove(lines + 1, lines, sizeof history[type] - sizeof lines[0]);
    lines[0] = copy;
    prompt_set_history_limit(history_limit);
}

static void cut_history(char **lines)
{
    for (size_t i = history_limit; i < PROMPT_HISTORY && lines[i]; i++) {
        free(lines[i]);
        lines[i] = NULL;
    }
}

void prompt_set_history_limit(size_t n)
{
    history_limit = n < PROMPT_HISTORY ? n : PROMPT_HISTORY;
    for (unsigned i = 0; i < PROMPT_TYPES; i++)
        cut_history(history[i]);
}

void prompt_remember(const char *text)
{
    prompt_remember_as(PROMPT_COMMAND, text);
}

const char *prompt_history(enum prompt_type type, unsigned i)
{
    return i < PROMPT_HISTORY ? history[type][i] : NULL;
}

void prompt_forget(enum prompt_type type)
{
    for (unsigned i = 0; i < PROMPT_HISTORY; i++) {
        free(history[type][i]);
        history[type][i] = NULL;
    }
}

void prompt_open_form(struct prompt *p, const char *label, const char *text, enum prompt_form form,
                      enum prompt_type type)
{
    *p = (struct prompt){.open = true, .form = form, .type = type};
    utf8_printable((const uint8_t *)label, strlen(label), p->label, PROMPT_LABEL);
    p->len = utf8_printable((const uint8_t *)text, strlen(text), p->text, PROMPT_BYTES);
    p->at = p->len;
}

void prompt_open(struct prompt *p, const char *label, const char *text, bool single)
{
    prompt_open_form(p, label, text, single ? PROMPT_SINGLE : PROMPT_LINE, PROMPT_COMMAND);
}

void prompt_close(struct prompt *p)
{
    *p = (struct prompt){.open = false};
}

/* --- editing -------------------------------------------------------------------------------- */

static bool continues(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}

static size_t before(const struct prompt *p, size_t at)
{
    while (at > 0 && continues(p->text[--at]))
        continue;
    return at;
}

static size_t after(const struct prompt *p, size_t at)
{
    if (at < p->len)
        at++;
    while (at < p->len && continues(p->text[at]))
        at++;
    return at;
}

static void erase(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text + from, p->text + to, p->len - to + 1);
    p->len -= to - from;
    p->at = from;
}

static size_t word_start(const struct prompt *p)
{
    size_t at = p->at;

    while (at > 0 && p->text[at - 1] == ' ')
        at--;
    while (at > 0 && p->text[at - 1] != ' ')
        at--;
    return at;
}

static void insert(struct prompt *p, const char *bytes, size_t n)
{
    if (p->len + n > PROMPT_BYTES)
        return;
    memmove(p->text + p->at + n, p->text + p->at, p->len - p->at + 1);
    memcpy(p->text + p->at, bytes, n);
    p->at += n;
    p->len += n;
}

/* Puts a line of the history in place of the text; the line that was being typed is lost. */
static void recall(struct prompt *p, int by)
{
    int to = (int)p->history + by;

    char **lines = history[p->type];

    if (to < 0 || to > PROMPT_HISTORY || (to > 0 && !lines[to - 1]))
        return;
    p->history = (unsigned)to;
    p->len = 0;
    p->text[0] = '\0';
    if (to > 0) {
        p->len = utf8_printable((const uint8_t *)lines[to - 1], strlen(lines[to - 1]), p->text,
                                PROMPT_BYTES);
    }
    p->at = p->len;
}

static bool is(uint32_t key, const char *name)
{
    return key == keynames_parse(name);
}

static bool move_key(struct prompt *p, uint32_t key)
{
    if (is(key, "Left") || is(key, "C-b"))
        p->at = before(p, p->at);
    else if (is(key, "Right") || is(key, "C-f"))
        p->at = after(p, p->at);
    else if (is(key, "Home") || is(key, "C-a"))
        p->at = 0;
    else if (is(key, "End") || is(key, "C-e"))
        p->at = p->len;
    else if (is(key, "Up") || is(key, "C-p"))
        recall(p, 1);
    else if (is(key, "Down") || is(key, "C-n"))
        recall(p, -1);
    else
        return false;
    return true;
}

static bool erase_key(struct prompt *p, uint32_t key)
{
    if (is(key, "BSpace") || is(key, "C-h"))
        erase(p, before(p, p->at), p->at);
    else if (is(key, "DC") || is(key, "C-d"))
        erase(p, p->at, after(p, p->at));
    else if (is(key, "C-u"))
        erase(p, 0, p->len);
    else if (is(key, "C-k"))
        erase(p, p->at, p->len);
    else if (is(key, "C-w"))
        erase(p, word_start(p), p->at);
    else
        return false;
    return true;
}

/* --- vi's commands -------------------------------------------------------------------------- */

static size_t next_word(const struct prompt *p)
{
    size_t at = p->at;

    while (at < p->len && p->text[at] != ' ')
        at++;
    while (at < p->len && p->text[at] == ' ')
        at++;
    return at;
}

static size_t word_end(const struct prompt *p)
{
    size_t at = p->at < p->len ? p->at + 1 : p->at;

    while (at < p->len && p->text[at] == ' ')
        at++;
    while (at + 1 < p->len && p->text[at + 1] != ' ')
        at++;
    return at < p->len ? at : p->len;
}

static bool vi_move(struct prompt *p, uint32_t key)
{
    switch (key) {
    case 'h':
        p->at = before(p, p->at);
        break;
    case 'l':
        p->at = after(p, p->at);
        break;
    case '0':
    case '^':
        p->at = 0;
        break;
    case '$':
        p->at = p->len;
        break;
    case 'b':
    case 'B':
        p->at = word_start(p);
        break;
    case 'w':
    case 'W':
        p->at = next_word(p);
        break;
    case 'e':
    case 'E':
        p->at = word_end(p);
        break;
    case 'k':
        recall(p, 1);
        break;
    case 'j':
        recall(p, -1);
        break;
    default:
        return false;
    }
    return true;
}

/* Keys that change the text, or go on with typing. */
static void vi_edit(struct prompt *p, uint32_t key)
{
    p->command = strchr("aAiICsS", (int)key) == NULL;
    if (key == 'a')
        p->at = after(p, p->at);
    else if (key == 'A')
        p->at = p->len;
    else if (key == 'I')
        p->at = 0;
    else if (key == 'x' || key == 's')
        erase(p, p->at, after(p, p->at));
    else if (key == 'X')
        erase(p, before(p, p->at), p->at);
    else if (key == 'D' || key == 'C')
        erase(p, p->at, p->len);
    else if (key == 'S' || key == 'd')
        erase(p, 0, p->len);
}

static enum prompt_result vi_key(struct prompt *p, uint32_t key)
{
    if (is(key, "Enter") || is(key, "C-j"))
        return PROMPT_DONE;
    if (is(key, "Escape") || is(key, "C-c") || key == 'q')
        return PROMPT_GONE;
    if (is(key, "BSpace"))
        p->at = before(p, p->at);
    else if (!move_key(p, key) && !vi_move(p, key) && key > 0x20 && key < 0x7f)
        vi_edit(p, key);
    return PROMPT_MORE;
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key, const uint8_t *bytes, size_t n)
{
    bool text = key != KEY_NONE && key >= 0x20 && key < KEY_NAMED && key != 0x7f;
    char shown[UTF8_MAX_BYTES + 1];

    if (p->form == PROMPT_KEY) {
        char name[KEYNAMES_TEXT_MAX] = "";

        if (key != KEY_NONE)
            keynames_text(key, name);
        p->len = utf8_printable((const uint8_t *)name, strlen(name), p->text, PROMPT_BYTES);
        return PROMPT_DONE;
    }
    if (p->vi && p->form == PROMPT_LINE && p->command)
        return vi_key(p, key);
    if (p->vi && p->form == PROMPT_LINE && is(key, "Escape")) {
        p->command = true;
        p->at = before(p, p->at);
        return PROMPT_MORE;
    }
    if (is(key, "Escape") || is(key, "C-c") || is(key, "C-g"))
        return PROMPT_GONE;
    if (p->form == PROMPT_NUMERIC && !(key >= '0' && key <= '9') && !is(key, "Enter") &&
        !is(key, "BSpace"))
        return PROMPT_DONE;
    if (p->form == PROMPT_SINGLE) {
        insert(p, (const char *)bytes, text && n <= UTF8_MAX_BYTES ? n : 0);
        return PROMPT_DONE;
    }
    if (is(key, "Enter") || is(key, "C-j"))
        return PROMPT_DONE;
    if (!move_key(p, key) && !erase_key(p, key) && text)
        insert(p, shown, utf8_printable(bytes, n, shown, UTF8_MAX_BYTES));
    return PROMPT_MORE;
}

void prompt_paste(struct prompt *p, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i] == '\r' || bytes[i] == '\n' || bytes[i] == '\t' ? ' ' : (char)bytes[i];

        if ((uint8_t)c >= 0x20 && c != 0x7f)
            insert(p, &c, 1);
    }
}

/* --- drawing -------------------------------------------------------------------------------- */

void prompt_draw(const struct prompt *p, struct frame *f, uint16_t row, const struct pen *pen)
{
    uint16_t label = frame_text_cols(p->label, strlen(p->label)), col;
    uint16_t room;
    size_t from = 0;

    frame_blank_row(f, row);
    frame_fill(f, row, 0, f->cols, pen);
    if (label + 2u > f->cols) /* the text matters more */
        label = 0;
    room = (uint16_t)(f->cols - label);
    while (frame_text_cols(p->text + from, p->at - from) >= room && from < p->at)
        from = after(p, from);
    col = label ? frame_text(f, row, 0, f->cols, pen, p->label, strlen(p->label)) : 0;
    frame_text(f, row, col, f->cols, pen, p->text + from, p->len - from);
    f->cursor = (struct frame_cursor){
        .x = (uint16_t)(col + frame_text_cols(p->text + from, p->at - from)),
        .y = row,
        .visible = true,
    };
}
