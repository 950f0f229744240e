/* What the daemon's CONFIG frame says, copied out of it. */
#ifndef VITRINE_SERVER_GATE_CONFIG_H
#define VITRINE_SERVER_GATE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"
#include "server/gate/origin.h"

#define CONFIG_BIND_MAX_BYTES 255 /* listen.h says what it may be */
#define CONFIG_BASE_MAX_BYTES 255

struct gate_config {
    char bind[CONFIG_BIND_MAX_BYTES + 1];
    uint16_t port;
    bool port_required;
    bool tls;
    char base_path[CONFIG_BASE_MAX_BYTES + 1]; /* begins and ends with '/' */
    uint8_t listeners; /* kept descriptors that came along */
    uint32_t max_unproven, max_per_address;
    struct origin_table origins;
};

/* Reads the body of a CONFIG frame; 0 and empty fields get their defaults. ERR_MALFORMED,
 * ERR_UNSUPPORTED for another mux version, ERR_RANGE for an origin or address that is none. */
enum err config_read(struct bytes body, struct gate_config *c);

#endif
