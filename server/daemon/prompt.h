/* A line that is typed into the status line, with a label in front: editing and its history.
 *
 *   Left Right Home End C-a C-e C-b C-f   move        Up Down     through the history
 *   BSpace Delete C-h C-d C-u C-k C-w     erase       Enter       done
 *   C-c Escape                            gone        anything    is inserted */
#ifndef VITRINE_DAEMON_PROMPT_H
#define VITRINE_DAEMON_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct pen;

#define PROMPT_BYTES   1024
#define PROMPT_LABEL   128
#define PROMPT_HISTORY 1000 /* lines kept at most of each kind, of the whole daemon */

/* What is typed: each kind has a history of its own. */
enum prompt_type {
    PROMPT_COMMAND,
    PROMPT_SEARCH,
    PROMPT_TARGET,
    PROMPT_WINDOW_TARGET,
    PROMPT_TYPES,
};

enum prompt_form {
    PROMPT_LINE,
    PROMPT_SINGLE,  /* one character is the answer */
    PROMPT_KEY,     /* one key is, by its name */
    PROMPT_NUMERIC, /* digits; another key ends it */
};

enum prompt_result {
    PROMPT_MORE,
    PROMPT_DONE, /* text is what was typed */
    PROMPT_GONE, /* given up */
};

/* Embedded; a zeroed one is closed. */
struct prompt {
    bool open;
    enum prompt_form form;
    enum prompt_type type;
    bool vi;      /* keys are vi's, else emacs' */
    bool command; /* vi's: keys are commands, not text */
    char label[PROMPT_LABEL + 1];
    char text[PROMPT_BYTES + 1]; /* UTF-8 */
    size_t len;
    size_t at;        /* the cursor's place in text */
    unsigned history; /* lines back, 0 for the one being typed */
};

/* Opens it with a text to begin with. Both are made printable and cut. single: PROMPT_SINGLE. */
void prompt_open(struct prompt *p, const char *label, const char *text, bool single);
/* The same with a form and a history. */
void prompt_open_form(struct prompt *p, const char *label, const char *text, enum prompt_form form,
                      enum prompt_type type);
/* "command", "search", "target", "window-target"; PROMPT_TYPES for no such name. */
enum prompt_type prompt_type_named(const char *name);
const char *prompt_type_name(enum prompt_type type);
void prompt_close(struct prompt *p);
/* A key (keynames.h) and the bytes it was sent as. It stays open. */
enum prompt_result prompt_key(struct prompt *p, uint32_t key, const uint8_t *bytes, size_t n);
/* Pasted text: line ends become blanks. */
void prompt_paste(struct prompt *p, const uint8_t *bytes, size_t n);
/* Adds a line to the history of commands, unless it is empty or the newest one. */
void prompt_remember(const char *text);
/* The same for any kind. */
void prompt_remember_as(enum prompt_type type, const char *text);
/* The i-th newest line of a history, NULL past the last. */
const char *prompt_history(enum prompt_type type, unsigned i);
void prompt_forget(enum prompt_type type);
/* How many lines the history keeps from now on. */
void prompt_set_history_limit(size_t n);
/* Draws it over a row of f with a pen and puts f's cursor there. */
void prompt_draw(const struct prompt *p, struct frame *f, uint16_t row, const struct pen *pen);

#endif
