/* What has happened since the last look: sessions, windows, shares, viewers and attached terminals
 * are compared with what was there; hooks run for the differences, and programs that want events
 * are told. One place finds them all, whichever way they came about. */
#ifndef VITRINE_DAEMON_HOOKS_WATCH_H
#define VITRINE_DAEMON_HOOKS_WATCH_H

#include <stdbool.h>

struct daemon;
struct hooks_watch;

struct hooks_watch *hooks_watch_create(struct daemon *d);
void hooks_watch_destroy(struct hooks_watch *w);
/* What there is now is what was there: before the first hook is set. */
void hooks_watch_begin(struct hooks_watch *w);
/* Programs want to know of sessions, windows and panes from the end of this round on, or no longer.
 */
void hooks_watch_panes(struct hooks_watch *w, bool wanted);
/* Looks at the end of the round; nothing while no hook is set and no program wants events. */
void hooks_watch_wake(struct hooks_watch *w);

#endif
