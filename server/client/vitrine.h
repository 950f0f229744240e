/* libvitrine: drive Vitrine, the terminal server, from a program. See libvitrine(3).
 *
 *     struct vitrine *v;
 *     struct vitrine_expect *e;
 *     struct vitrine_place at;
 *
 *     if (vitrine_open(&v, NULL) == VITRINE_OK &&
 *         vitrine_new_session(v, NULL, &at) == VITRINE_OK &&
 *         vitrine_expect_begin(v, at.pane, &e) == VITRINE_OK &&
 *         vitrine_send_text(v, at.pane, "make\n", 5, 1000) == VITRINE_OK &&
 *         vitrine_expect(e, "^make: .*$", VITRINE_REGEX, 60000, NULL) == VITRINE_OK)
 *         puts("it said something");
 *     else
 *         fprintf(stderr, "%s\n", vitrine_error(v));
 *     vitrine_close(v);
 *
 * Errors. Every function that can fail returns an enum vitrine_status, VITRINE_OK being 0 and all
 * others negative. vitrine_error() is one line about the last call that failed, in the daemon's
 * words where the daemon refused. A failed call leaves its results empty: NULL, 0.
 *
 * Ownership. What is given to a function is borrowed for the call. What a function gives is the
 * caller's, who frees it with the function named beside it; lists and screens are one piece of
 * memory each, with everything they point to. What a handler gets is borrowed until it returns.
 *
 * Threads. There are no globals. A connection, and all that came from it, is used by one thread at
 * a time; threads that each open their own do not disturb one another.
 *
 * Waiting. Functions wait for the daemon, which answers at once. Where something else is waited
 * for there is a timeout_ms: 0 looks once, -1 waits for ever. Handlers run inside
 * vitrine_dispatch() and inside any other call that waits on the same connection. A handler may
 * call vitrine_unsubscribe(); all else gives VITRINE_E_STATE there.
 *
 * Signals. No handler is installed, SIGPIPE is never raised. Waiting goes on after EINTR.
 *
 * Numbers. Sessions are $1, windows @1, panes %1 in the command language: here plain numbers. They
 * never come back while the daemon lives. */
#ifndef VITRINE_H
#define VITRINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VITRINE_API __attribute__((visibility("default")))
#else
#define VITRINE_API
#endif

struct vitrine;        /* a connection */
struct vitrine_expect; /* output being waited through */

enum vitrine_status {
    VITRINE_OK = 0,
    VITRINE_E_REFUSED = -1,    /* the daemon ran the command, which failed */
    VITRINE_E_USAGE = -2,      /* the command line is wrong */
    VITRINE_E_NOT_FOUND = -3,  /* no such session, window, pane, share, subscription */
    VITRINE_E_NO_SERVER = -4,  /* no daemon listens, and none was to be started, or it did not */
    VITRINE_E_PERMISSION = -5, /* the socket or its directory is not this user's alone */
    VITRINE_E_VERSION = -6,    /* the daemon speaks another version */
    VITRINE_E_LOST = -7,       /* the daemon went away: close this connection and open another */
    VITRINE_E_PROTOCOL = -8,   /* it sent what cannot be understood; likewise */
    VITRINE_E_TIMEOUT = -9,    /* it did not happen in time */
    VITRINE_E_ENDED = -10,     /* the pane's program has ended */
    VITRINE_E_LIMIT = -11,     /* too long or too many for the socket; text tells which */
    VITRINE_E_ARGUMENT = -12,  /* the caller's mistake */
    VITRINE_E_STATE = -13,     /* not allowed now: inside a handler, or out of order */
    VITRINE_E_MEMORY = -14,
    VITRINE_E_SYSTEM = -15 /* a system call failed; text has errno's words */
};

/* A short English text for a status; static, never NULL. */
VITRINE_API const char *vitrine_status_text(int status);
/* Version of the library, as "0.1.0"; static. */
VITRINE_API const char *vitrine_version(void);

/* --- connecting ----------------------------------------------------------------------------- */

/* Begin with VITRINE_OPTIONS_INIT, which holds the size, so that members can be added. */
struct vitrine_options {
    size_t size;
    const char *socket_path; /* the socket itself, as -S; NULL: see vitrine(1) */
    const char *socket_name; /* its name in the runtime directory, as -L; NULL: "default" */
    bool start;              /* start a daemon when none listens */
    const char *config;      /* absolute path of its config file, as -f; NULL: the user's own */
    bool events;             /* tell vitrine_on_event()'s handler what comes and goes */
    int timeout_ms;          /* for the daemon's answers; 0: 10,000 */
};
#define VITRINE_OPTIONS_INIT                                              \
    {                                                                     \
        sizeof(struct vitrine_options), NULL, NULL, false, NULL, false, 0 \
    }

/* Connects. options NULL: the user's own daemon, started when it does not run. *out is set also on
 * failure, so that vitrine_error() can be asked, and is to be closed; only without memory it is
 * NULL. */
VITRINE_API int vitrine_open(struct vitrine **out, const struct vitrine_options *options);
/* Ends subscriptions and expects, frees everything. NULL is fine. Panes live on. */
VITRINE_API void vitrine_close(struct vitrine *v);
/* One line about the last call that failed, "" before the first; valid until the next call.
 * v may be NULL: memory ran out. */
VITRINE_API const char *vitrine_error(const struct vitrine *v);
/* The daemon's process id and version. The text lives as long as v. */
VITRINE_API uint32_t vitrine_server_pid(const struct vitrine *v);
VITRINE_API const char *vitrine_server_version(const struct vitrine *v);
/* Frees what a function of this library gave and told to free so; NULL is fine. */
VITRINE_API void vitrine_free(void *p);

/* --- event loops ---------------------------------------------------------------------------- */

/* The socket, to poll for POLLIN; it stays the library's. -1 once the connection is lost. */
VITRINE_API int vitrine_fd(const struct vitrine *v);
/* Takes what has come and runs handlers. Waits up to timeout_ms until there is anything. VITRINE_OK
 * when something came, VITRINE_E_TIMEOUT when not, VITRINE_E_LOST at the end. */
VITRINE_API int vitrine_dispatch(struct vitrine *v, int timeout_ms);

/* --- any command ---------------------------------------------------------------------------- */

struct vitrine_result {
    int status;   /* 0 done, 1 refused or not found, 2 usage */
    char *output; /* standard output and error, NUL-terminated, never NULL */
    size_t output_len;
    char *errors;
    size_t errors_len;
};

/* Runs a command of vitrine(1): argv is its name and words, ended by NULL. VITRINE_OK when it was
 * run, whatever its status; attaching is not possible. On VITRINE_E_TIMEOUT a command that waits
 * (wait-for) is cancelled. Clear the result. The working directory and, where commands start
 * programs, the environment are the caller's. */
VITRINE_API int vitrine_command(struct vitrine *v, const char *const *argv, int timeout_ms,
                                struct vitrine_result *result);
/* Wipes and frees both texts. */
VITRINE_API void vitrine_result_clear(struct vitrine_result *result);

/* --- what there is -------------------------------------------------------------------------- */

struct vitrine_session {
    uint32_t id;
    const char *name;
    int64_t created_s; /* seconds since 1970 */
    uint32_t attached; /* terminals */
    uint16_t cols, rows;
    uint32_t windows; /* how many */
    uint32_t current_window;
};

struct vitrine_window {
    uint32_t id;
    uint32_t session;
    uint32_t index;
    const char *name;
    uint16_t cols, rows;
    uint32_t panes; /* how many */
    uint32_t active_pane;
    bool current; /* its session shows it */
    bool last;    /* it showed it before */
    bool bell, activity, zoomed;
};

enum vitrine_end_how {
    VITRINE_EXITED,    /* code is the exit status */
    VITRINE_SIGNALLED, /* code is the signal */
    VITRINE_KILLED,    /* the pane was taken away while its program ran */
    VITRINE_UNSUBSCRIBED,
    VITRINE_NO_PANE, /* VITRINE_NEXT_PANE: the command made none */
    VITRINE_LOST     /* the connection ended */
};

struct vitrine_end {
    enum vitrine_end_how how;
    int code;
};

struct vitrine_pane {
    uint32_t id;
    uint32_t window;
    uint32_t session;
    uint32_t index;      /* in its window */
    uint16_t x, y;       /* place in its window */
    uint16_t cols, rows; /* of its screen */
    bool active;
    bool dead;              /* its program has ended, as `end` tells */
    struct vitrine_end end; /* with dead */
    uint32_t pid;
    uint32_t history;      /* lines of scrollback */
    uint64_t offset;       /* bytes printed so far */
    const char *title;     /* control characters of programs are replaced in these */
    const char *program;   /* in the foreground */
    const char *directory; /* of that program */
    const char *tty;
};

/* All there are, oldest sessions first, windows and panes in their order. Free with vitrine_free().
 * *list is not NULL for an empty list. */
VITRINE_API int vitrine_list_sessions(struct vitrine *v, struct vitrine_session **list, size_t *n);
VITRINE_API int vitrine_list_windows(struct vitrine *v, struct vitrine_window **list, size_t *n);
VITRINE_API int vitrine_list_panes(struct vitrine *v, struct vitrine_pane **list, size_t *n);

/* A session, window and pane that belong together. */
struct vitrine_place {
    uint32_t session, window, pane;
};

/* What text means as a pane, as -t of the commands: "work", "work:1.0", "%3". NULL or "": the pane
 * this program runs in, else the session used last. */
VITRINE_API int vitrine_find(struct vitrine *v, const char *target, struct vitrine_place *out);

/* --- making and ending ---------------------------------------------------------------------- */

/* What to start. Begin with VITRINE_SPAWN_INIT. */
struct vitrine_spawn {
    size_t size;
    const char *const *argv; /* ended by NULL; one word: a line for the shell; NULL: a shell */
    const char *name;        /* of the session or window; NULL: chosen by the daemon */
    const char *directory;   /* NULL: the caller's */
    const char *const *env;  /* NAME=value besides the session's, ended by NULL; at most 16 */
    uint16_t cols, rows;     /* of a new session; 0: 80 by 24 */
};
#define VITRINE_SPAWN_INIT                                         \
    {                                                              \
        sizeof(struct vitrine_spawn), NULL, NULL, NULL, NULL, 0, 0 \
    }

enum vitrine_side { VITRINE_BELOW, VITRINE_RIGHT, VITRINE_ABOVE, VITRINE_LEFT };

/* spawn NULL: a shell, nothing chosen; out NULL: not asked. The session stays detached, the window
 * and the pane do not become the current ones. percent is the new pane's part, 0 for a half. */
VITRINE_API int vitrine_new_session(struct vitrine *v, const struct vitrine_spawn *spawn,
                                    struct vitrine_place *out);
VITRINE_API int vitrine_new_window(struct vitrine *v, uint32_t session,
                                   const struct vitrine_spawn *spawn, struct vitrine_place *out);
VITRINE_API int vitrine_split(struct vitrine *v, uint32_t pane, enum vitrine_side side,
                              unsigned percent, const struct vitrine_spawn *spawn,
                              struct vitrine_place *out);
/* Gives a pane that size, as far as its window allows; a window that nobody is attached to. */
VITRINE_API int vitrine_resize_pane(struct vitrine *v, uint32_t pane, uint16_t cols, uint16_t rows);
VITRINE_API int vitrine_resize_window(struct vitrine *v, uint32_t window, uint16_t cols,
                                      uint16_t rows);
VITRINE_API int vitrine_kill_session(struct vitrine *v, uint32_t session);
VITRINE_API int vitrine_kill_window(struct vitrine *v, uint32_t window);
VITRINE_API int vitrine_kill_pane(struct vitrine *v, uint32_t pane);

/* --- typing --------------------------------------------------------------------------------- */

/* Types n bytes as they are: "\r" is the Return key, "\003" C-c. Waits while the program does not
 * read and the pane's queue of 64 KiB is full. After VITRINE_E_TIMEOUT a part was typed. */
VITRINE_API int vitrine_send_text(struct vitrine *v, uint32_t pane, const void *text, size_t n,
                                  int timeout_ms);
/* Presses keys by their names in the command language, ended by NULL: "C-c", "Up", "Enter", "M-x";
 * other words are typed. */
VITRINE_API int vitrine_send_keys(struct vitrine *v, uint32_t pane, const char *const *keys);

/* --- what a pane shows ---------------------------------------------------------------------- */

/* The newest `history` lines of scrollback (UINT32_MAX: all) and the screen as UTF-8 text, a line
 * feed after each line, trailing spaces left out. Free with vitrine_free(). len may be NULL. */
VITRINE_API int vitrine_capture_text(struct vitrine *v, uint32_t pane, uint32_t history,
                                     char **text, size_t *len);

/* Colours: 0 the terminal's own; else a kind in the top byte and its value below. */
#define VITRINE_COLOR_KIND(c)  ((c) >> 24)
#define VITRINE_COLOR_VALUE(c) ((c)&0xffffffu)
enum vitrine_color_kind {
    VITRINE_COLOR_DEFAULT,
    VITRINE_COLOR_16,  /* 0 to 15 */
    VITRINE_COLOR_256, /* 0 to 255 */
    VITRINE_COLOR_RGB  /* 0xRRGGBB */
};

enum vitrine_attribute { /* bits */
                         VITRINE_BOLD = 1,
                         VITRINE_DIM = 2,
                         VITRINE_ITALIC = 4,
                         VITRINE_BLINK = 8,
                         VITRINE_INVERSE = 16,
                         VITRINE_CONCEAL = 32,
                         VITRINE_STRIKE = 64,
                         VITRINE_OVERLINE = 128
};

enum vitrine_underline {
    VITRINE_UNDERLINE_NONE,
    VITRINE_UNDERLINE_SINGLE,
    VITRINE_UNDERLINE_DOUBLE,
    VITRINE_UNDERLINE_CURLY,
    VITRINE_UNDERLINE_DOTTED,
    VITRINE_UNDERLINE_DASHED
};

struct vitrine_cell {
    char text[28];       /* UTF-8, NUL-terminated; "" for an empty cell, shown as a space */
    uint8_t width;       /* 1 or 2; 0 for the second half of a wide character */
    uint8_t underline;   /* enum vitrine_underline */
    uint16_t attributes; /* enum vitrine_attribute bits */
    uint32_t fg, bg, underline_color;
    uint32_t link; /* 0: none; else for vitrine_screen_link() */
};

struct vitrine_line {
    uint64_t number; /* counted from the pane's first line; never changes */
    bool wrapped;    /* goes on in the next line */
    uint16_t n;      /* cells; what is right of them is empty */
    const struct vitrine_cell *cells;
};

enum vitrine_mode { /* bits */
                    VITRINE_MODE_APP_CURSOR = 1 << 0,
                    VITRINE_MODE_APP_KEYPAD = 1 << 1,
                    VITRINE_MODE_BRACKETED_PASTE = 1 << 2,
                    VITRINE_MODE_FOCUS = 1 << 3,
                    VITRINE_MODE_ALTERNATE = 1
                                             << 4, /* the alternate screen: a full-screen program */
                    VITRINE_MODE_SYNC = 1 << 5,    /* in the middle of an update */
                    VITRINE_MODE_INSERT = 1 << 6,
                    VITRINE_MODE_AUTOWRAP = 1 << 7,
                    VITRINE_MODE_ORIGIN = 1 << 8,
                    VITRINE_MODE_REVERSE_WRAP = 1 << 9,
                    VITRINE_MODE_REVERSE_VIDEO = 1 << 10,
                    VITRINE_MODE_NEWLINE = 1 << 11
};

struct vitrine_screen {
    uint16_t cols, rows;
    uint16_t cursor_x, cursor_y; /* column and row of the screen, from 0 */
    bool cursor_visible;
    bool cursor_pending_wrap; /* the next character goes to the next line */
    uint8_t cursor_shape;     /* DECSCUSR's parameter, 0 to 6 */
    uint8_t mouse;            /* 0 none, 1 X10, 2 clicks, 3 drags, 4 all motion */
    uint32_t modes;           /* enum vitrine_mode bits */
    uint64_t offset;          /* bytes of output that made it */
    const char *title;
    size_t n_history;                 /* lines before the screen's own */
    size_t n_lines;                   /* n_history + rows */
    const struct vitrine_line *lines; /* lines[n_history] is the screen's top row */
};

/* The screen, and up to `history` lines of scrollback before it. Free with vitrine_free(). */
VITRINE_API int vitrine_capture_cells(struct vitrine *v, uint32_t pane, uint32_t history,
                                      struct vitrine_screen **out);
/* Where a cell's link leads (OSC 8), or NULL; lives as long as the screen. */
VITRINE_API const char *vitrine_screen_link(const struct vitrine_screen *screen, uint32_t link);

/* --- output as it comes --------------------------------------------------------------------- */

#define VITRINE_NOW       UINT64_MAX
#define VITRINE_NEXT_PANE UINT32_MAX

/* Any may be NULL. Without output and lag only the end is told. */
struct vitrine_handlers {
    /* n bytes as the program wrote them, the first of which is number `offset`. */
    void (*output)(void *ctx, uint64_t offset, const void *bytes, size_t n);
    /* Bytes from `from` up to `to` are lost: this program read too slowly. It goes on at `to`,
     * which is between two escape sequences; vitrine_capture_cells() has what is shown. */
    void (*lag)(void *ctx, uint64_t from, uint64_t to);
    /* The last one of a subscription. */
    void (*ended)(void *ctx, const struct vitrine_end *end);
};

/* Subscribes to a pane's output from a byte on: VITRINE_NOW, an offset, or 0 for all that the
 * daemon still has (256 KiB; what is older is reported as lag). pane VITRINE_NEXT_PANE: the one
 * that the next vitrine_new_session(), _new_window(), _split() or command of this connection makes,
 * from its first byte, so that nothing of it is missed. handlers is copied. *id is for
 * vitrine_unsubscribe(), may be NULL. */
VITRINE_API int vitrine_subscribe(struct vitrine *v, uint32_t pane, uint64_t from,
                                  const struct vitrine_handlers *handlers, void *ctx, uint32_t *id);
/* Ends a subscription: its handlers are not called any more, `ended` neither. */
VITRINE_API int vitrine_unsubscribe(struct vitrine *v, uint32_t id);

enum vitrine_event_kind {
    VITRINE_SESSION_CREATED,
    VITRINE_SESSION_CLOSED,
    VITRINE_SESSION_RENAMED,
    VITRINE_WINDOW_CREATED,
    VITRINE_WINDOW_CLOSED,
    VITRINE_WINDOW_RENAMED,
    VITRINE_PANE_CREATED,
    VITRINE_PANE_CLOSED,
    VITRINE_EVENTS_LOST /* some were not told, this program read too slowly: list again */
};

struct vitrine_event {
    enum vitrine_event_kind kind;
    uint32_t session, window,
        pane;         /* what it is about and what that is in; UINT32_MAX: not known */
    const char *name; /* of the session or window; "" for panes */
};

/* With options.events: handler is told what comes and goes, whoever did it. NULL: nobody is. */
VITRINE_API int vitrine_on_event(struct vitrine *v,
                                 void (*handler)(void *ctx, const struct vitrine_event *event),
                                 void *ctx);

/* --- waiting for output --------------------------------------------------------------------- */

enum vitrine_expect_flag {                    /* bits */
                           VITRINE_TEXT = 0,  /* the pattern is text as it is */
                           VITRINE_REGEX = 1, /* a POSIX extended regular expression (regex(7)) */
                           VITRINE_ICASE = 2  /* case does not matter */
};

struct vitrine_match {
    char *text;   /* what matched, NUL-terminated */
    char *before; /* what came between the last match, or the beginning, and this one */
    size_t n_groups;
    char **groups; /* [0] is text itself; NULL where a group took no part */
};

/* Arms: output of the pane from now on (VITRINE_NEXT_PANE: from its first byte) is kept for
 * vitrine_expect(), so that what a program answers before that is called is not missed. The program
 * keeps 256 KiB of text; what is older goes. */
VITRINE_API int vitrine_expect_begin(struct vitrine *v, uint32_t pane, struct vitrine_expect **out);
/* Waits until a pattern is found behind the last match. It is looked for in plain text: escape
 * sequences are left out, a line ends in "\n" alone, a lone carriage return or a jump of the cursor
 * ends a line too, and a backspace takes a character back. Programs' lines are not wrapped. In a
 * regular expression "." and "[^x]" do not cross lines, "^" and "$" are at lines' beginnings and
 * ends, and the end of what has come so far is no line's end. Where output was lost by lag
 * nothing matches across the gap. VITRINE_E_ENDED when the program ended without it,
 * VITRINE_E_TIMEOUT, VITRINE_E_ARGUMENT for a bad expression. *match, unless NULL, is to be
 * cleared; what was not matched stays for the next call. */
VITRINE_API int vitrine_expect(struct vitrine_expect *e, const char *pattern, unsigned flags,
                               int timeout_ms, struct vitrine_match *match);
/* All text behind the last match, NUL-terminated; valid until the next call on the connection. */
VITRINE_API const char *vitrine_expect_text(const struct vitrine_expect *e);
VITRINE_API void vitrine_match_clear(struct vitrine_match *match);
/* Frees e; NULL is fine. */
VITRINE_API void vitrine_expect_end(struct vitrine_expect *e);

/* Waits until a pane's program ends; of one that ended lately the end is still known, else
 * VITRINE_E_NOT_FOUND. */
VITRINE_API int vitrine_wait_exit(struct vitrine *v, uint32_t pane, int timeout_ms,
                                  struct vitrine_end *end);

/* --- sharing -------------------------------------------------------------------------------- */

enum vitrine_share_scope { VITRINE_SHARE_PANE, VITRINE_SHARE_WINDOW, VITRINE_SHARE_SESSION };

struct vitrine_link {
    bool write; /* whoever has it can type as you; else only watch */
    char *url;  /* a secret */
    char *label;
};

struct vitrine_share {
    uint32_t id;
    size_t n_links;
    struct vitrine_link *links;
};

/* Shares a pane, the window or the session it is in: makes a link to watch and, with write, one to
 * type; waits up to timeout_ms for the gate. Where it is shared already the links are the same, and
 * one that is missing is made. Clear the share. */
VITRINE_API int vitrine_share(struct vitrine *v, uint32_t pane, enum vitrine_share_scope scope,
                              bool write, int timeout_ms, struct vitrine_share *out);
/* The links of a share again. */
VITRINE_API int vitrine_share_links(struct vitrine *v, uint32_t share, struct vitrine_share *out);
/* Ends a share: its links open nothing any more, viewers are told and gone. */
VITRINE_API int vitrine_unshare(struct vitrine *v, uint32_t share);
/* Numbers of all shares. Free with vitrine_free(). */
VITRINE_API int vitrine_list_shares(struct vitrine *v, uint32_t **list, size_t *n);
/* Wipes and frees the links. */
VITRINE_API void vitrine_share_clear(struct vitrine_share *share);

#ifdef __cplusplus
}
#endif

#endif
