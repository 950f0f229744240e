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
#define PROMPT_HISTORY 100 /* lines kept, of the whole daemon */

enum prompt_result {
    PROMPT_MORE,
    PROMPT_DONE, /* text is what was typed */
    PROMPT_GONE, /* given up */
};

/* Embedded; a zeroed one is closed. */
struct prompt {
    bool open;
    bool single;  /* one key is the answer */
    bool vi;      /* keys are vi's, else emacs' */
    bool command; /* vi's: keys are commands, not text */
    char label[PROMPT_LABEL + 1];
    char text[PROMPT_BYTES + 1]; /* UTF-8 */
    size_t len;
    size_t at;        /* the cursor's place in text */
    unsigned history; /* lines back, 0 for the one being typed */
};

/* Opens it with a text to begin with. Both are made printable and cut. */
void prompt_open(struct prompt *p, const char *label, const char *text, bool single);
void prompt_close(struct prompt *p);
/* A key (keynames.h) and the bytes it was sent as. It stays open. */
enum prompt_result prompt_key(struct prompt *p, uint32_t key, const uint8_t *bytes, size_t n);
/* Pasted text: line ends become blanks. */
void prompt_paste(struct prompt *p, const uint8_t *bytes, size_t n);
/* Adds a line to the history, unless it is empty or the newest one. */
void prompt_remember(const char *text);
/* Draws it over a row of f with a pen and puts f's cursor there. */
void prompt_draw(const struct prompt *p, struct frame *f, uint16_t row, const struct pen *pen);

#endif
