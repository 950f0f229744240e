#include "proto/mux_msg.h"

#define TABLE        "proto/mux.def"
#define TABLE_PREFIX mux
#include "proto/table_define.h"

enum err mux_read_header(const uint8_t *p, size_t n, struct mux_header *h)
{
    struct rbuf r;

    if (n < MUX_HEADER_BYTES)
        return ERR_TRUNCATED;
    rbuf_init(&r, p, n);
    h->length = rbuf_u32(&r);
    h->type = rbuf_u8(&r);
    h->channel = rbuf_u32(&r);
    if (h->length > MUX_BODY_MAX_BYTES || h->type < MUX_MSG_OPEN || h->type > MUX_MSG_ORIGIN)
        return ERR_MALFORMED;
    return ERR_OK;
}

void mux_write_header(uint8_t out[MUX_HEADER_BYTES], const struct mux_header *h)
{
    struct wbuf w;

    wbuf_init(&w, out, MUX_HEADER_BYTES);
    wbuf_u32(&w, h->length);
    wbuf_u8(&w, h->type);
    wbuf_u32(&w, h->channel);
}
