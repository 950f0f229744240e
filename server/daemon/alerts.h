/* Bells, activity and silence of windows, as tmux tells them.
 *
 *   BEL in a pane ──────┐                      ┌─► the window's mark ! # ~, where nobody looks
 *   output ─────────────┼─► monitor-* of it ───┼─► hook alert-bell, alert-activity, alert-silence
 *   no output for a time┘                      └─► *-action says whether terminals are told:
 *                                                  a bell, or what visual-* says
 *
 * In one round a session's terminals are told of one thing at most. What is monitored costs a look
 * at a window when its panes had output, and one timer for all silences. */
#ifndef VITRINE_DAEMON_ALERTS_H
#define VITRINE_DAEMON_ALERTS_H

struct alerts;
struct daemon;
struct pane;

/* NULL when memory ran out. d must outlive it. */
struct alerts *alerts_create(struct daemon *d);
/* NULL is fine. */
void alerts_destroy(struct alerts *a);
/* A pane rang the bell, or wrote something. */
void alerts_bell(struct alerts *a, struct pane *p);
void alerts_output(struct alerts *a, struct pane *p);
/* An option or the windows there are have changed: looks anew at what is monitored. */
void alerts_refresh(struct alerts *a);

#endif
