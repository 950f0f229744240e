/* Which web pages may open the WebSocket: a list of origins, compared byte for byte.
 *
 * Browsers send an origin in one canonical spelling (lower case, no default port, no slash), so any
 * other spelling is no browser's and is refused. The gate's own origins are those of its listener;
 * the Host field alone proves nothing, because a page whose name was rebound to 127.0.0.1 brings a
 * Host that equals its Origin. Only where the Host is an IP address can there have been no name to
 * rebind: that is how a gate on another address than loopback recognises its own page. */
#ifndef VITRINE_SERVER_GATE_ORIGIN_H
#define VITRINE_SERVER_GATE_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/buf.h"

#define ORIGIN_MAX_BYTES 300 /* scheme, a DNS name of 253 bytes, port */
#define ORIGINS_MAX      64

struct origin_table {
    char text[ORIGINS_MAX][ORIGIN_MAX_BYTES + 1];
    unsigned count;
    bool any_address; /* accept an IP-literal Host that the Origin equals */
    bool allow_null;
};

/* Adds an origin from the configuration in its canonical spelling: letters lowered, default port
 * and final slash dropped. False when it is none (http or https, host, port; no path) or the table
 * is full. */
bool origin_add(struct origin_table *t, struct bytes origin);
/* Adds the origins of a listener, with TLS or without, on this address ("127.0.0.1", "::1",
 * "0.0.0.0", …; "" for a unix socket, which has none) and port. */
void origin_add_own(struct origin_table *t, bool tls, const char *address, uint16_t port);
/* True for a host name or address with or without a port, as a Host field has it. */
bool origin_is_authority(struct bytes text);
/* Decides on an Origin field as it came, of a request with this Host field. */
bool origin_is_allowed(const struct origin_table *t, struct bytes origin, struct bytes host);

#endif
