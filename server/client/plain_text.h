/* A program's output as plain text: what a person would read, without escape sequences.
 *
 * It is a reader's view of the bytes, not a screen: lines are as long as the program made them.
 *
 *   CR LF, LF, a lone CR                      one line feed
 *   a jump of the cursor (CUP, CUU, VPA, ED)  a line feed, unless a line begins there already
 *   a move to the right (CUF, CHA, HT)        one space
 *   BS                                        takes the last character of the line back
 *   other control characters, ESC, CSI, OSC, DCS, APC, PM, SOS   nothing
 *
 * State is kept between calls, so sequences and characters may be cut anywhere. */
#ifndef VITRINE_CLIENT_PLAIN_TEXT_H
#define VITRINE_CLIENT_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plain_state {
    PLAIN_TEXT,
    PLAIN_ESCAPE,
    PLAIN_INTERMEDIATE,
    PLAIN_CSI,
    PLAIN_STRING,
    PLAIN_ST
};

/* All zeros at first. text is NUL-terminated once plain_text_put() succeeded. */
struct plain_text {
    char *text;
    size_t len;
    size_t cap;
    size_t max;       /* 0: no limit; else the oldest text goes when it would be longer */
    uint64_t dropped; /* bytes of text that went, in all */
    enum plain_state state;
    bool string_bel;  /* the string that is passed over ends at BEL too: OSC */
    bool return_held; /* a CR, not told from CR LF yet */
};

/* Appends n bytes of output. False without memory; the text is as far as it came. */
bool plain_text_put(struct plain_text *t, const void *p, size_t n);
/* Output was lost: ends the line, and a sequence that was not complete. */
bool plain_text_gap(struct plain_text *t);
/* Removes the first n bytes of text. */
void plain_text_drop(struct plain_text *t, size_t n);
void plain_text_clear(struct plain_text *t);

#endif
