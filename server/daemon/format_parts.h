/* What format.c takes a format apart with; nobody else includes it.
 *
 *   format.c        expansion: variables, conditions, comparisons, loops
 *   format_list.c   the modifiers in front of the colon
 *   format_value.c  what modifiers do to a value */
#ifndef VITRINE_DAEMON_FORMAT_PARTS_H
#define VITRINE_DAEMON_FORMAT_PARTS_H

#include "server/daemon/format.h"
#include "server/daemon/outbuf.h"

#define FORMAT_MODIFIERS_MAX 16
#define FORMAT_ARGUMENTS_MAX 4

struct format_modifier {
    char name[3];
    size_t n;                          /* arguments */
    char *value[FORMAT_ARGUMENTS_MAX]; /* expanded, owned */
};

struct format_list {
    struct format_modifier at[FORMAT_MODIFIERS_MAX];
    size_t n;
};

/* One text's expansion. */
struct format_state {
    const struct format_source *source;
    const void *place;
    bool with_time;
    unsigned depth;
    unsigned steps;
    bool failed; /* memory ran out */
};

/* --- format.c --- */
/* Expands len bytes; the caller frees. NULL when memory ran out. */
char *format_piece(struct format_state *st, const char *text, size_t len);

/* --- format_list.c --- */
/* The first of the characters in `end` outside of inner formats, or NULL. */
const char *format_skip(const char *text, const char *end);
/* Reads the modifiers at *text and moves it behind their colon. Without a colon there are none. */
void format_read_list(struct format_state *st, const char **text, struct format_list *list);
void format_free_list(struct format_list *list);
/* The last modifier of that name, or NULL. */
const struct format_modifier *format_modifier(const struct format_list *list, const char *name);

/* --- format_value.c --- */
/* Each takes an owned value and gives an owned one; NULL when memory ran out. */
char *format_cut(char *value, long columns, const char *mark);
char *format_pad(char *value, long columns);
char *format_substitute(char *value, const char *pattern, const char *with, bool any_case);
char *format_time(char *value, const struct format_modifier *how, int64_t now_s);
char *format_directory(char *value);
char *format_base(char *value);
char *format_quote(char *value, bool style);
/* fnmatch, or with r in flags a regular expression; i: whatever the case. */
bool format_matches(const char *pattern, const char *text, const char *flags);
/* An owned result, "" when an operand is no number; NULL when memory ran out. */
char *format_compute(const struct format_modifier *how, const char *left, const char *right);

#endif
