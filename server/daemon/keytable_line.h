/* Command lines: words as a shell would split them, and back to text.
 *
 *   words are separated by blanks; '…' takes everything, "…" everything but \ before \ " $; \ takes
 *   the next character; a word ; separates commands, and so does one at the end of a word. As an
 *   argument of bind-key it is written \; . { … } is one word, taken as it stands. */
#ifndef VITRINE_DAEMON_KEYTABLE_LINE_H
#define VITRINE_DAEMON_KEYTABLE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/err.h"

struct outbuf;

#define KEYTABLE_LINE_BYTES (16u << 10)

/* Words; the word ";" separates commands. Zeroed it is empty. */
struct keytable_line {
    char **words; /* owned, as are they */
    size_t n;
};

/* Splits text. ERR_MALFORMED when a quote or a brace is not closed, ERR_RANGE when it is too long,
 * ERR_MEMORY; *out is empty then. */
enum err keytable_read_line(const char *text, struct keytable_line *out);
/* Copies words; "\;" becomes ";". ERR_MEMORY. */
enum err keytable_copy_line(size_t n, const char *const *words, struct keytable_line *out);
void keytable_free_line(struct keytable_line *line);
/* Appends the line so that keytable_read_line reads it back; `;` as \; when it is to be an argument
 * of bind-key. */
void keytable_write_line(const struct keytable_line *line, bool argument, struct outbuf *out);
/* The words of the command from *at on, up to a separator, which is skipped. False at the end. */
bool keytable_next_command(const struct keytable_line *line, size_t *at, size_t *first, size_t *n);

#endif
