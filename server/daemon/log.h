/* The daemon's log: one line per event to standard error, which main points at the log file.
 *
 * Lines about peers are rate-limited per kind, so that no peer can fill a disk. Nothing secret is
 * ever passed here; text from peers goes through utf8_printable first (log_peer does). */
#ifndef VITRINE_DAEMON_LOG_H
#define VITRINE_DAEMON_LOG_H

#include <stddef.h>
#include <stdint.h>

/* One kind, one budget: at most LOG_BURST lines at once and one a second after that. */
enum log_kind { LOG_GENERAL, LOG_VIEWER, LOG_GATE, LOG_CLIENT, LOG_PANE, LOG_KINDS };

#define LOG_BURST 10

/* Writes one line; the newline is added. Dropped lines are counted and told with the next one. */
void log_line(enum log_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
