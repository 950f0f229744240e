#include "proto/ipc_msg.h"

#define TABLE        "proto/ipc.def"
#define TABLE_PREFIX ipc
#include "proto/table_define.h"

static bool is_known(uint8_t type)
{
    static const uint8_t types[] = {
#define MESSAGE(NAME, name, type, direction) type,
#include "proto/table_begin.h"
#include "proto/ipc.def"
#include "proto/table_end.h"
    };

    for (size_t i = 0; i < sizeof types; i++) {
        if (types[i] == type)
            return true;
    }
    return false;
}

enum err ipc_read_header(const uint8_t *p, size_t n, struct ipc_header *h)
{
    struct rbuf r;

    if (n < IPC_HEADER_BYTES)
        return ERR_TRUNCATED;
    rbuf_init(&r, p, n);
    h->length = rbuf_u32(&r);
    h->type = rbuf_u8(&r);
    return h->length <= IPC_BODY_MAX_BYTES && is_known(h->type) ? ERR_OK : ERR_MALFORMED;
}

size_t ipc_begin_frame(struct wbuf *w, enum ipc_message_type type)
{
    size_t mark = w->len;

    wbuf_u32(w, 0);
    wbuf_u8(w, (uint8_t)type);
    return mark;
}

void ipc_end_frame(struct wbuf *w, size_t mark)
{
    struct wbuf head;

    if (w->bad)
        return;
    wbuf_init(&head, w->base + mark, 4);
    wbuf_u32(&head, (uint32_t)(w->len - mark - IPC_HEADER_BYTES));
}
