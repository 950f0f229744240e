/* pipe-pane: a pane's output to a command's standard input, and what the command prints to the pane
 * as if it were typed.
 *
 *   pane ─► ring ─► socket ─► command        what the socket does not take now waits in a queue of
 *                    └─ queue ─┘             PIPE_QUEUE_BYTES; what does not fit there is dropped
 *   command ─► socket ─► pane_write          read only while the pane takes input
 *
 * The pane never waits for the command. Each time dropping begins the owner is told; the bytes are
 * counted. A pipe whose pane goes, or that is closed, still writes what waits, for at most
 * PIPE_LINGER_MS. A command that ends closes its pipe. */
#ifndef VITRINE_DAEMON_PIPE_H
#define VITRINE_DAEMON_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct pane;
struct pipe_list;

#define PIPE_QUEUE_BYTES (8u << 20)
#define PIPE_LINGER_MS   10000
#define PIPE_MAX         1024 /* at once, those that only write out included */

/* All borrowed for the call. */
struct pipe_request {
    const char *line;       /* for sh -c */
    const char *const *env; /* NULL-terminated NAME=value */
    const char *cwd;        /* "/" where it cannot be entered */
    bool to_command;        /* the pane's output is the command's input */
    bool to_pane;           /* the command's output is typed into the pane */
    /* Bytes begin to be dropped; n is how many have been so far, with these. */
    void (*dropping)(void *ctx, struct pane *p, uint64_t n);
    void *ctx;
};

struct pipe_list *pipe_list_create(struct loop *l);
/* Closes every pipe at once and frees the list. NULL is fine. */
void pipe_list_destroy(struct pipe_list *list);
/* Starts a command at a pane that has none. Returns 0 or an errno value; EAGAIN when there are
 * PIPE_MAX. */
int pipe_open(struct pipe_list *list, struct pane *p, const struct pipe_request *r);
/* Takes the pipe off a pane; what waits is still written. False when it has none. */
bool pipe_close(struct pipe_list *list, const struct pane *p);
/* True when the pane has one; *dropped (may be NULL) is how many bytes were lost. */
bool pipe_of(const struct pipe_list *list, const struct pane *p, uint64_t *dropped);

#endif
