/* A connection's HTTP side: collects a request's head, answers it from the assets, or opens the
 * WebSocket. Every answer carries the same security headers; nothing here depends on which user or
 * link it is for, because the gate knows neither. */
#ifndef VITRINE_SERVER_GATE_REQUEST_H
#define VITRINE_SERVER_GATE_REQUEST_H

#include "server/gate/state.h"

/* Bytes from the peer in state CONN_HEAD. */
void request_receive(struct conn *c, const uint8_t *p, size_t n);
/* The answer is sent: waits for the next request, or ends. */
void request_finish(struct conn *c);
/* The head did not come in time. */
void request_expire(struct conn *c);

#endif
