/* The gate's log: one line per event on stderr, which is the daemon's log.
 *
 * Peers cause most events, so each kind may say LOG_BURST lines at once and one every LOG_EVERY_MS
 * after that; what was left out is counted and told with the kind's next line. Peer text goes
 * through log_text. */
#ifndef VITRINE_SERVER_GATE_LOG_H
#define VITRINE_SERVER_GATE_LOG_H

#include "proto/buf.h"

#define LOG_BURST          5
#define LOG_EVERY_MS       2000
#define LOG_TEXT_MAX_BYTES 100

enum log_kind {
    LOG_START,   /* start, stop, listeners */
    LOG_LINK,    /* the daemon's end */
    LOG_LIBRARY, /* what libwebsockets complains about */
    LOG_ACCEPT,  /* accept, limits, evictions */
    LOG_HTTP,    /* refused requests */
    LOG_ORIGIN,  /* refused origins */
    LOG_WS,      /* WebSocket violations */
    LOG_KINDS
};

void log_event(enum log_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct log_text {
    char text[LOG_TEXT_MAX_BYTES + 1];
};
/* Peer text made printable and cut short. */
struct log_text log_text(struct bytes from_peer);

#endif
