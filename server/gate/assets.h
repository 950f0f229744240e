/* The page's files inside the gate: a constant table that server/gate/embed makes at build time. */
#ifndef VITRINE_SERVER_GATE_ASSETS_H
#define VITRINE_SERVER_GATE_ASSETS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"

struct asset {
    const char *path; /* "/app.js" */
    const char *type; /* value of Content-Type */
    const char *etag; /* quoted, the same for both forms' content */
    const uint8_t *data, *data_end;
    const uint8_t *gz, *gz_end; /* gzip of data, NULL where it would not be smaller */
};

extern const struct asset asset_table[];
extern const size_t asset_table_size;
extern const char asset_csp[]; /* value of Content-Security-Policy */

/* Returns the asset for a request's path without its query ("/" is the page), or NULL. Static. */
const struct asset *asset_find(struct bytes path);

#endif
