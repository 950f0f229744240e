/* A pane: one program on a pseudo-terminal, the screen its output made, and the newest bytes of it.
 *
 *   program ─► PTY ─► pane: ring (raw bytes, absolute offsets), screen (what they mean)
 *                       │ at the end of the round
 *                       └─► observers: attached terminals, viewers' streams
 *   observers ─► pane_write ─► bounded queue ─► PTY ─► program
 *
 * A pane lives on after its program ended ("dead"), with its last screen and the exit status, until
 * its owner destroys it. It never stops reading its program for an observer's sake. */
#ifndef VITRINE_DAEMON_PANE_H
#define VITRINE_DAEMON_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/err.h"

struct loop;
struct pane;
struct ring;
struct screen;
struct pty_command;

#define PANE_INPUT_MAX_BYTES (64u << 10) /* queued for a program that does not read */
#define PANE_RING_BYTES      (256u << 10)

/* What an observer wants to hear; any callback may be NULL. All but room run at the end of a round,
 * at most once per round and pane. */
struct pane_observer {
    void (*output)(void *ctx, struct pane *p);  /* new bytes or a changed screen */
    void (*resized)(void *ctx, struct pane *p); /* after screen and program got the new size */
    void (*exited)(void *ctx, struct pane *p);  /* all output was seen, pane_status holds */
    void (*titled)(void *ctx, struct pane *p);
    void (*belled)(void *ctx, struct pane *p);
    void (*room)(void *ctx, struct pane *p); /* the input queue has room again */
    void (*clipboard)(void *ctx, struct pane *p, const uint8_t *text, size_t n);
    void *ctx;
    struct pane_observer *next; /* the pane's */
    bool gone;                  /* the pane's */
};

struct pane_status {
    bool dead;
    bool signalled; /* code is a signal's number, otherwise an exit status */
    int code;
    int64_t ended_s; /* wall clock, when it is dead */
};

/* Starts cmd (see pty.h) on a new pseudo-terminal and reads it. id is unique for the daemon's life.
 * Returns NULL with a reason of at most why_len bytes in why. */
struct pane *pane_create(struct loop *l, uint32_t id, const struct pty_command *cmd, uint16_t cols,
                         uint16_t rows, uint32_t history_limit, char *why, size_t why_len);
/* Starts another program in a pane whose own has ended, or ends that first (SIGHUP): same pane,
 * same id, an empty screen under the scrollback it had. False with a reason in why; nothing has
 * changed then. */
bool pane_respawn(struct pane *p, const struct pty_command *cmd, char *why, size_t why_len);
/* The screen as a program finds it that has just been started; scrollback stays (send-keys -R). */
void pane_reset_terminal(struct pane *p);
/* What the pane was started with, for the next respawn: n words (none: the shell) and a directory,
 * copied. False when memory ran out: the former ones stay. */
bool pane_set_start(struct pane *p, size_t n, const char *const *words, const char *cwd);
/* These, borrowed: NULL-terminated words; NULL where nothing was set. */
const char *const *pane_start_words(const struct pane *p);
const char *pane_start_cwd(const struct pane *p);
/* Ends the program (SIGHUP to its process group) and frees the pane once the round is over.
 * Observers hear nothing any more. NULL is fine. */
void pane_destroy(struct pane *p);

/* Shows bytes as if the program had written them, at the end of what it wrote. */
void pane_show(struct pane *p, const void *data, size_t n);
uint32_t pane_id(const struct pane *p);
struct screen *pane_screen(struct pane *p);
const struct ring *pane_ring(const struct pane *p);
pid_t pane_pid(const struct pane *p);
/* Name of the program that runs in the foreground, for titles; "" when unknown. Borrowed until the
 * next call. */
const char *pane_command_name(struct pane *p);
/* Path of the pseudo-terminal, borrowed. */
const char *pane_tty(const struct pane *p);
struct pane_status pane_status(const struct pane *p);
/* When the pane last had output, in loop_now_ms. */
uint64_t pane_output_ms(const struct pane *p);

/* Queues input for the program. Returns how many bytes were taken, from the front: all, fewer when
 * the queue is full (room will be called), 0 when dead. A lone interrupt character finds a full
 * queue: it discards the queue and signals the program instead (protocol.md §5, Input). */
size_t pane_write(struct pane *p, const uint8_t *data, size_t n);
/* While input is off (select-pane -d) what is written is taken and goes nowhere; the answers of the
 * pane's own terminal still reach the program. */
void pane_set_input_off(struct pane *p, bool off);
bool pane_input_off(const struct pane *p);
/* Bytes that pane_write would take now. */
size_t pane_room(const struct pane *p);
/* True when data is one interrupt character and the terminal would turn it into a signal. */
bool pane_is_interrupt(const struct pane *p, const uint8_t *data, size_t n);
/* Discards queued input and sends the interrupt signal. */
void pane_interrupt(struct pane *p);
/* Gives the program and the screen another size; SIGWINCH reaches the program only if it differs.
 */
enum err pane_resize(struct pane *p, uint16_t cols, uint16_t rows);

/* How often the size has changed. */
uint32_t pane_resizes(const struct pane *p);

/* Called when a program sets the clipboard; NULL for nothing. */
void pane_set_clipboard_hook(void (*fn)(void *ctx, struct pane *p, const uint8_t *text, size_t n),
                             void *ctx);
/* Registers o, which the caller owns and keeps in place until pane_unobserve. */
void pane_observe(struct pane *p, struct pane_observer *o);
void pane_unobserve(struct pane *p, struct pane_observer *o);

/* --- what lies over it ---------------------------------------------------------------------- */

/* A mode that is shown instead of the screen: copy mode. The first member of its owner's struct. */
struct pane_mode {
    void (*destroy)(struct pane_mode *m);
};

struct pane_mode *pane_mode(const struct pane *p);
/* Destroys the mode there is and takes another, or none. It is destroyed with the pane, before the
 * screen is. */
void pane_set_mode(struct pane *p, struct pane_mode *m);
/* What copy mode searched for last in this pane, for the next time; "" before the first. Borrowed
 * until it is set. */
const char *pane_search(const struct pane *p, bool *regex);
void pane_set_search(struct pane *p, const char *text, bool regex);

/* Hands the end of a child process to its pane; false when it was none of ours. Called by main for
 * each reaped child. */
bool pane_child_ended(pid_t pid, int wait_status);

#endif
