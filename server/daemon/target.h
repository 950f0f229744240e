/* Targets: the text after -t, as tmux reads it.
 *
 *   target  = session ":" window "." pane      each part may be missing: the current one is meant
 *           | "$" id | "@" id | "%" id         ids, alone or as a part
 *           | one part alone                   a session, window or pane, by what the command
 * wants, else the next larger thing of that name session = name | "=" exact name | unambiguous
 * prefix window  = index | name | prefix | ^ {start} | ! {last} | $ {end} | +n {next} | -n
 * {previous} pane    = index | ! {last} | + {next} | - {previous} | {left-of} {right-of} {up-of}
 * {down-of} | {top} {bottom} {left} {right} {top-left} {top-right} {bottom-left} {bottom-right}
 * alone: ~ {marked}   the marked pane */
#ifndef VITRINE_DAEMON_TARGET_H
#define VITRINE_DAEMON_TARGET_H

#include "proto/err.h"
#include "server/daemon/session.h"

enum target_kind { TARGET_SESSION, TARGET_WINDOW, TARGET_PANE };

/* Resolves text (NULL or "" means the current target) for a command that wants that kind. current
 * is where the command was given: all NULL takes the session that was used last. pane_base is what
 * pane-base-index is. ERR_NOT_FOUND, or ERR_MALFORMED when several sessions match a prefix. */
enum err target_find(const struct session_list *list, const char *text, enum target_kind kind,
                     const struct target *current, int pane_base, struct target *out);

#define TARGET_WHY_MAX 160

/* The same; a failure says in why what could not be found, as tmux words it: "can't find pane: 9".
 */
enum err target_find_why(const struct session_list *list, const char *text, enum target_kind kind,
                         const struct target *current, int pane_base, struct target *out,
                         char why[static TARGET_WHY_MAX]);

#endif
