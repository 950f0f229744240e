/* Formats: text with variables, as tmux writes it.
 *
 *   #{name} #S            a variable; an unknown one is empty
 *   #{?cond,yes,no}       cond is a variable or a format; "" and "0" are false
 *   #{==:a,b} != < > <= >= && ||    text compared; 1 or 0
 *   #{m:pattern,text}     fnmatch; m/r a regular expression, m/i whatever the case
 *   #{=10:x} #{=-10:x} #{=/10/...:x}     cut to columns from the left or right, with a mark
 *   #{p10:x} #{p-10:x}    padded on the right or left
 *   #{s/a/b/:x}           every match of a regular expression replaced; \1 in b
 *   #{e|+|:1,2}           + - * / m == != < > <= >=; e|/|f|2: with decimals
 *   #{l:x} #{a:65} #{b:x} #{d:x} #{n:x} #{w:x} #{q:x} #{t:x}
 *                         literal, character, base and directory name, length in bytes and in
 *                         columns, quoted for a shell, time; t/p short, t/f/%H:%M/ by strftime
 *   #{E:x} #{T:x}         the value expanded again, T with strftime
 *   #{S:x} #{W:x,cur} #{P:x,cur}    x for each session, window, pane
 *   #(command)            the last line that a command printed
 *   ## #, #}              # , }
 *
 * Modifiers are joined by `;`. What is malformed ends the text there, as in tmux. Nesting, work and
 * output are bounded. */
#ifndef VITRINE_DAEMON_FORMAT_H
#define VITRINE_DAEMON_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outbuf;

#define FORMAT_DEPTH_MAX 64
#define FORMAT_STEPS_MAX 10000       /* pieces expanded for one text */
#define FORMAT_BYTES_MAX (64u << 10) /* of one piece; what is longer is cut */

typedef void format_each_fn(void *arg, const void *place, bool current);

/* Where values come from. `place` is the caller's own: which session, window, pane is meant. */
struct format_source {
    /* Appends the value of a variable. False when there is none of that name. */
    bool (*variable)(const void *place, const char *name, struct outbuf *out);
    /* Calls fn for every session ('S'), window ('W') of the place's session or pane ('P') of its
     * window, with what is meant there. May be NULL. */
    void (*each)(const void *place, char what, format_each_fn *fn, void *arg);
    /* Appends what a command printed last. NULL: #(command) is empty. */
    void (*job)(const void *place, const char *command, struct outbuf *out);
    int64_t now_s; /* wall clock */
};

/* Appends text expanded for a place to out. with_time: strftime sequences (%H:%M) are expanded
 * first. Marks out bad when memory ran out. */
void format_expand(const struct format_source *source, const void *place, const char *text,
                   bool with_time, struct outbuf *out);
/* The same as an owned string; NULL when memory ran out. */
char *format_text(const struct format_source *source, const void *place, const char *text,
                  bool with_time);
/* False for "" and "0". */
bool format_true(const char *value);
/* Columns that text takes, #[styles] not counted. */
size_t format_width(const char *text);

#endif
