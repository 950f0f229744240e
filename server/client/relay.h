/* From the request to the exit status: the loop that relays a command's output, and a terminal's
 * bytes both ways once the daemon has attached it. */
#ifndef VITRINE_CLIENT_RELAY_H
#define VITRINE_CLIENT_RELAY_H

#include "server/client/connection.h"

#define RELAY_STATUS_LOST       1  /* the daemon went away, or is another version */
#define RELAY_UNANSWERED        -1 /* it went away before a word: it was ending, nothing was run */
#define RELAY_CAPTURE_MAX_BYTES (1u << 20)

/* A command's standard output, kept. */
struct relay_output {
    char *text; /* NUL-terminated; the caller frees it */
    size_t len;
};

/* Sends what is queued, relays until EXIT and returns the exit status. cols and rows are the
 * terminal's size as the request told it, 0 if it did not. Output goes to descriptors 1 and 2; when
 * the daemon attaches, the terminal of 0 and 1 is entered and always restored. Whatever goes wrong
 * is said on standard error and gives RELAY_STATUS_LOST. */
int relay_run(struct connection *c, uint16_t cols, uint16_t rows);
/* The same for a command that does not attach and whose standard output the caller wants; more than
 * RELAY_CAPTURE_MAX_BYTES of it is dropped. out->text is NULL when there was none. */
int relay_capture(struct connection *c, struct relay_output *out);

#endif
