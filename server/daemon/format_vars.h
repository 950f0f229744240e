/* The variables of formats: what the model says of a session, window, pane, terminal and share. */
#ifndef VITRINE_DAEMON_FORMAT_VARS_H
#define VITRINE_DAEMON_FORMAT_VARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/daemon/session.h"

struct format_jobs;
struct loop;
struct options;
struct outbuf;
struct paste_list;
struct pipe_list;
struct share_list;

/* Where formats find everything; all borrowed. */
struct format_world {
    const struct loop *loop;
    const struct session_list *sessions;
    const struct share_list *shares;
    const struct options *options;
    const struct paste_list *pastes; /* for choose-buffer, or NULL */
    const struct pipe_list *pipes;         /* NULL in worlds without pipe-pane */
    struct environment *environment; /* the global one, or NULL */
    const char *socket_path;
    int64_t started_s;
    struct format_jobs *jobs; /* for #(command); NULL for none */
};

/* An attached terminal, for client_* variables; all borrowed. */
struct format_client {
    uint16_t cols;
    uint16_t rows;
    bool read_only;
    bool ignore_size;
    bool utf8;
    bool prefix; /* the prefix key was pressed */
    const struct session *session;
    const struct session *last_session; /* shown before; NULL for none */
    const char *name;
    const char *term;
    const char *table; /* where its next key is looked up */
    long pid;
    uint64_t written; /* bytes drawn */
    int64_t created_s;
    int64_t activity_s;
};

/* One name and value more, for hooks and loops: `hook`, `viewer`. */
struct format_extra {
    const char *name;
    const char *value;
};

/* What a format speaks of; parts that are NULL give empty variables. */
struct format_place {
    const struct format_world *world;
    struct target at;
    const struct format_client *client;
    const struct format_extra *extra;
    size_t n_extra;
};

/* The place of a target; a missing window or pane becomes the current one. */
struct format_place format_place(const struct format_world *world, const struct target *at);
/* As format_expand and format_text, with these variables. An unknown name is an option, then a
 * variable of the session's environment. */
void format_vars_expand(const struct format_place *place, const char *text, bool with_time,
                        struct outbuf *out);
/* NULL when memory ran out; the caller frees. */
char *format_vars_text(const struct format_place *place, const char *text, bool with_time);
/* Appends every variable that has a meaning at a place, one line `name=value` each. */
void format_vars_list(const struct format_place *place, struct outbuf *out);
/* The ids options.h wants, of a target. */
struct options_place format_options_place(const struct target *at);

#endif
