/* Listening sockets: made here, or taken over from the gate before. */
#ifndef VITRINE_SERVER_GATE_LISTEN_H
#define VITRINE_SERVER_GATE_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/err.h"

#define LISTEN_BACKLOG        512
#define LISTEN_TEXT_MAX_BYTES 160

struct listener {
    int fd; /* -1 when there is none */
    bool is_unix;
    uint16_t port;                        /* 0 for a unix socket */
    char address[INET6_ADDRSTRLEN];       /* without brackets; "" for a unix socket */
    char text[LISTEN_TEXT_MAX_BYTES + 1]; /* "127.0.0.1", "unix:/path"; after an error its reason */
};

/* Opens a listener on `bind` (an IPv4 address, an IPv6 address with or without brackets,
 * "localhost", or "unix:/path") and port (0: GATE_PORT_DEFAULT). When the port is taken and not
 * required, the next GATE_PORT_TRIES ports are tried. A unix socket that nobody listens on any more
 * is replaced. ERR_EXHAUSTED: taken; ERR_SYSTEM, ERR_RANGE: anything else; l->text says why and
 * l->fd is -1. */
enum err listen_open(struct listener *l, const char *bind, uint16_t port, bool required);
/* Describes a listening socket that another process opened. ERR_RANGE when fd is none. l owns fd
 * on success only. */
enum err listen_take(struct listener *l, int fd);

#endif
