/* Names of windows after what runs in them: automatic-rename.
 *
 * Only a window whose active pane had output is looked at, and all of those at most once in
 * NAMES_MS, so that a flood costs nothing. */
#ifndef VITRINE_DAEMON_NAMES_H
#define VITRINE_DAEMON_NAMES_H

#define NAMES_MS 500

struct daemon;
struct names;
struct window;

/* NULL when memory ran out. d must outlive it. */
struct names *names_create(struct daemon *d);
/* NULL is fine. */
void names_destroy(struct names *n);
/* Some pane had output, or the windows or options there are have changed. */
void names_wake(struct names *n);
/* An option has changed: when it is about names, every window is looked at. */
void names_option(struct names *n, int option);
/* A user named the window: it keeps its name until automatic-rename is set for it again. */
void names_fix(struct daemon *d, const struct window *w);

#endif
