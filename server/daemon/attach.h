/* A terminal attached to a session: what it shows is composed here and sent as differences.
 *
 *   panes, borders ┐
 *   status line ───┼─► frame (cells) ─ differences to what the terminal shows ─► DRAW
 *   overlay ───────┘      one frame in flight: a slow terminal skips frames, never queues them
 *   KEYS ─► prefix, paste markers ─► bindings, or the pane
 *
 * The terminal's own modes (cursor keys, keypad, mouse, focus, cursor shape) follow the active
 * pane's, so its keys arrive in the form the program asked for; bracketed paste is always on, and
 * its markers are taken out for programs that did not ask. The owner of the session's size is the
 * attached terminal that was used last. */
#ifndef VITRINE_DAEMON_ATTACH_H
#define VITRINE_DAEMON_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/err.h"
#include "proto/ipc_msg.h"
#include "server/daemon/style.h"
#include "server/daemon/prompt.h"

struct attach;
struct command;
struct config_list;
struct daemon;
struct format_client;
struct format_world;
struct outbuf;
struct loop;
struct menu;
struct pane;
struct session;
struct session_list;
struct share;
struct share_list;

#define ATTACH_INPUT_BYTES                                                                         \
    (64u << 10)                         /* kept for a program that does not read, above the pane's \
                                         */
#define ATTACH_FLIGHT_BYTES (32u << 10) /* drawn and not yet written by the terminal */
#define ATTACH_FRAME_MS     10          /* between frames under a flood */
#define ATTACH_SYNC_MS      100         /* the longest a program's update holds a frame back */
#define ATTACH_MESSAGE_MS   4000
#define ATTACH_NAME_MAX     80

#define STATUS_MESSAGE_MAX_BYTES 200

/* What an attached terminal needs of its surroundings; copied. */
struct attach_ops {
    /* Sends bytes for the terminal; total counts of what was written come back by attach_drawn. */
    void (*draw)(void *ctx, const uint8_t *p, size_t n);
    /* Asks for the end: the caller reports it to the client and destroys the attach. Not called
     * from inside attach_create. */
    void (*detach)(void *ctx, enum ipc_detached reason, const char *text);
    /* Appends the links of a share, one line each "role: URL", or why there are none; the buffer
     * holds secrets and is wiped by the caller. */
    void (*links)(void *ctx, const struct share *s, struct outbuf *out);
    /* attach_wants_keys has become true again. */
    void (*resume)(void *ctx);
    struct daemon *daemon;            /* for commands that keys run; they fail without one */
    const struct format_world *world; /* for options and formats; defaults without */
    void *ctx;
};

struct attach_options {
    uint16_t cols;
    uint16_t rows;
    unsigned flags; /* enum ipc_client_flag: colours, UTF-8 */
    bool read_only;
    bool ignore_size; /* it does not decide how large its session is */
    bool show_links;  /* begin with the overlay of links */
    const char *name; /* of its terminal; NULL for none */
    const char *term; /* $TERM; NULL for none */
    pid_t pid;        /* of its client; 0 when that is not known */
};

/* Attaches to s. All borrowed objects must outlive the attach. NULL when memory ran out. */
struct attach *attach_create(struct loop *l, struct session_list *sessions, struct session *s,
                             struct share_list *shares, const struct attach_options *o,
                             const struct attach_ops *ops);
/* Frees it; nothing more is drawn. NULL is fine. */
void attach_destroy(struct attach *a);
/* Keys and pastes as the terminal sent them, in any pieces. */
void attach_keys(struct attach *a, const uint8_t *p, size_t n);
/* False while the program does not take what was typed and the queue for it is full: the caller
 * then stops reading keys, and goes on when resume is called. */
bool attach_wants_keys(const struct attach *a);
void attach_resize(struct attach *a, uint16_t cols, uint16_t rows);
/* The terminal has written so many bytes of what draw was given, in all. */
void attach_drawn(struct attach *a, uint64_t total);
/* Something of the session or of the status line has changed: windows, panes, names, shares. Call
 * it before panes that were taken out are freed. */
void attach_refresh(struct attach *a);
/* The same for every attached terminal. */
void attach_refresh_all(void);
/* An option has changed: sizes, timers and looks of every attached terminal follow. */
void attach_options_changed(void);
struct session *attach_session(const struct attach *a);
bool attach_read_only(const struct attach *a);
/* Rings on every terminal attached to s, and shows a line there; text may be NULL. */
void attach_alert(const struct session *s, const char *text, bool bell);
/* Shows text in the status line for a while. */
void attach_message(struct attach *a, const char *text);
/* The same on every attached terminal. */
void attach_message_all(const char *text);
/* The session is about to end: text is how ("exited 0"). Calls detach at the end of the round. */
void attach_session_ended(struct attach *a, const char *text);

/* --- for commands --------------------------------------------------------------------------- */

/* The terminal used last, of those attached to s, of all when s is NULL. NULL when there is none.
 */
struct attach *attach_latest(const struct session *s);
/* The terminal of that name (with or without /dev/), NULL when there is none. */
struct attach *attach_named(const char *text);
/* The i-th terminal in the order they attached, NULL past the last. */
struct attach *attach_numbered(size_t i);
const char *attach_name(const struct attach *a);
/* What formats say of it; borrowed until it changes. */
void attach_describe(const struct attach *a, struct format_client *out);
/* Sets read-only or ignore-size. False for another name. */
bool attach_set_flag(struct attach *a, const char *name, bool on);
/* Stops its client, as C-z in a shell would. False when that cannot be reached. */
bool attach_suspend(const struct attach *a);
/* Detaches, and once the client has gone sends SIGHUP to the process that started it: whoever holds
 * the connection asks attach_hangs_up, 0 for nobody, when it reports the end. */
void attach_detach_and_hang_up(struct attach *a);
pid_t attach_hangs_up(const struct attach *a);
/* Detaches the terminals of a session, of all when s is NULL, but one, which may be NULL. */
void attach_detach_others(const struct session *s, const struct attach *except, bool hang_up);
/* Shows a line in the status line for a while; ms 0 for as long as the option says. */
void attach_say(struct attach *a, const char *text);
void attach_say_for(struct attach *a, const char *text, uint32_t ms);
/* The same for text that may have #[styles]. */
void attach_say_styled(struct attach *a, const char *text, uint32_t ms);
/* Until the message goes, keys go nowhere. */
void attach_mute(struct attach *a);
/* Shows text over the panes, lines ended by LF, under a title, which is static. */
void attach_show_text(struct attach *a, const char *title, const char *text, size_t n);
/* Shows the links of the active pane, or says that it has none. */
void attach_show_links(struct attach *a);
/* Detaches at the end of the round. */
void attach_detach(struct attach *a);
/* Goes to another session. */
void attach_switch(struct attach *a, struct session *s);
/* The session that was shown before, NULL when it has ended or there was none. */
struct session *attach_last_session(const struct attach *a);
/* Draws everything anew. */
void attach_redraw(struct attach *a);
/* The next key is looked up in this table (keytable.h). */
void attach_set_table(struct attach *a, const char *table);
/* Types into the active pane, behind what was typed before. */
void attach_type(struct attach *a, const uint8_t *p, size_t n);
/* Runs commands as a key would, one after the other; one that fails stops those joined to it. What
 * they write is shown. */
void attach_run(struct attach *a, const struct config_list *commands);

/* What command-prompt asks. Text is borrowed for the call; labels and begins are lists apart by
 * commas, NULL for none. */
struct attach_question {
    const char *labels;
    const char *begins;
    const char *line; /* commands; %% and %1 stand for the first answer, %2 for the second */
    enum prompt_form form;
    enum prompt_type type;
    bool each;   /* each change is an answer, with = in front */
    bool expand; /* formats in the line, once the answers stand in it */
};

/* Asks, then runs the line. False when something is being asked already, or memory ran out. */
bool attach_ask(struct attach *a, const struct attach_question *q);
/* Asks for y, then runs the line. As attach_ask. */
bool attach_confirm(struct attach *a, const char *label, const char *line);
/* After one of these: c, which returns COMMAND_LATER, is finished when the prompt goes: done when
 * its line was run. */
void attach_ask_wait(struct attach *a, struct command *c);
/* What is shown at a cell of the terminal; STATUS_RANGE_NONE outside of the status line, under a
 * message or a prompt, and where nothing is. *argument is 0 for the left and right side. */
enum status_range_kind attach_status_range_at(const struct attach *a, uint16_t x, uint16_t y,
                                              uint32_t *argument);
enum attach_choose_kind { ATTACH_CHOOSE_TREE, ATTACH_CHOOSE_BUFFER, ATTACH_CHOOSE_CLIENT };

/* What choose-tree and its like show. Texts are borrowed for the call, NULL for the usual ones. */
struct attach_choice {
    enum attach_choose_kind kind;
    bool sessions;       /* sessions are folded */
    bool windows;        /* windows are */
    bool no_preview;
    bool reversed;
    const char *format;  /* of each item */
    const char *filter;
    const char *order;
    const char *line;    /* commands for the chosen item, its target for %% */
    const char *content; /* a pane that shows this passes the filter too */
    bool content_is_regex;
    bool content_ignores_case;
};

/* Opens the list over the panes, in place of one that is open. ERR_MALFORMED for an unknown order
 * or a malformed regular expression, ERR_MEMORY. */
enum err attach_choose(struct attach *a, const struct attach_choice *o);
/* Opens a menu and takes it over; x and y are display-menu's words, NULL for the middle, p the pane
 * it belongs to. False, and m stays the caller's, when there is no room for it. */
bool attach_open_menu(struct attach *a, struct menu *m, const char *x, const char *y,
                      const struct pane *p);
/* Shows a clock over a pane until a key is pressed. */
void attach_show_clock(struct attach *a, const struct pane *p);
/* Shows each pane's number for a while, 0 for as long as the option says; a digit goes to that
 * pane.
 */
void attach_show_numbers(struct attach *a, uint32_t ms, const char *line, bool keyless);
/* What the mouse does in this terminal, for the commands of its binding. */
struct mouse_event;
/* The pointer selects in a pane that is in copy mode until the button is released. */
void attach_drag_select(struct attach *a, struct pane *p, const struct mouse_event *e);
/* The border under the pointer is moved until the button is released. */
void attach_drag_border(struct attach *a, const struct mouse_event *e);
/* Tells the program of the event's pane of it, if that asked for such events. */
void attach_mouse_pass(struct attach *a, const struct mouse_event *e);
/* The cell of a pane that the event is over, or beside. False when the pane is not shown. */
bool attach_mouse_cell(const struct attach *a, const struct pane *p, const struct mouse_event *e,
                       uint16_t *x, uint16_t *y);
/* Runs commands as attach_run, for an event, where that was. */
void attach_run_mouse(struct attach *a, const struct config_list *commands,
                      const struct mouse_event *e);
/* Sets the clipboard of every terminal that shows the pane, by OSC 52. */
void attach_set_clipboard(const struct pane *p, const uint8_t *text, size_t n);
/* Appends a format (format.h), expanded for what the terminal shows. */
void attach_expand(const struct attach *a, const char *text, struct outbuf *out);
/* Appends the commands of text, with variables and conditions of what the terminal shows. */
void attach_parse(const struct attach *a, const char *text, struct config_list *list);

#endif
