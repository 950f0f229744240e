#include "server/gate/ws.h"

#include <libwebsockets.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/gate/gate.h"

#define KEY_BYTES 24 /* base64 of 16 bytes */

void ws_parser_init(struct ws_parser *p, uint32_t limit)
{
    memset(p, 0, sizeof *p);
    p->limit = limit;
}

void ws_parser_clear(struct ws_parser *p)
{
    message_destroy(p->data);
    message_destroy(p->control);
    p->data = p->control = NULL;
}

/* --- frame header ---------------------------------------------------------------------------- */

static bool is_control(const struct ws_parser *p)
{
    return (p->opcode & 8) != 0;
}

/* Length of the whole header, as far as the bytes so far tell it. */
static size_t header_need(const struct ws_parser *p)
{
    uint8_t len = p->header[1] & 0x7f;

    if (p->have < 2)
        return 2;
    return 2 + (len == 126 ? 2u : len == 127 ? 8u : 0u) + 4;
}

/* The first two bytes say enough to refuse most of what is wrong. */
static int check_first_bytes(struct ws_parser *p)
{
    bool first = p->data == NULL;

    p->final = (p->header[0] & 0x80) != 0;
    p->opcode = p->header[0] & 0x0f;
    if ((p->header[0] & 0x70) != 0 || (p->header[1] & 0x80) == 0)
        return GATE_CLOSE_PROTOCOL;
    if (is_control(p))
        return p->opcode > WS_PONG || !p->final || (p->header[1] & 0x7f) > WS_CONTROL_MAX_BYTES
                   ? GATE_CLOSE_PROTOCOL
                   : 0;
    if (p->opcode > WS_BINARY || (p->opcode == WS_CONTINUATION) == first)
        return GATE_CLOSE_PROTOCOL;
    return p->opcode == WS_TEXT ? GATE_CLOSE_NOT_BINARY : 0;
}

static uint64_t payload_length(const struct ws_parser *p)
{
    uint8_t len = p->header[1] & 0x7f;
    struct rbuf r;

    rbuf_init(&r, p->header + 2, 8);
    return len == 126 ? rbuf_u16(&r) : len == 127 ? rbuf_u64(&r) : len;
}

/* The message buffer for this frame, large enough for all of it. */
static int make_room(struct ws_parser *p)
{
    struct message **slot = is_control(p) ? &p->control : &p->data;
    size_t so_far = *slot != NULL ? (*slot)->len : 0;
    struct message *m;

    if (!is_control(p) && (p->left > p->limit || so_far + p->left > p->limit))
        return GATE_CLOSE_TOO_BIG;
    if (!is_control(p) && ++p->fragments > WS_FRAGMENTS_MAX)
        return GATE_CLOSE_MALFORMED;
    m = *slot == NULL ? message_create((size_t)p->left)
                      : message_grow(*slot, so_far + (size_t)p->left);
    if (m == NULL)
        return GATE_CLOSE_TOO_BIG;
    *slot = m;
    return 0;
}

static int begin_payload(struct ws_parser *p)
{
    p->left = payload_length(p);
    memcpy(p->mask, p->header + p->have - 4, 4);
    p->mask_at = 0;
    p->have = 0;
    p->in_payload = true;
    return make_room(p);
}

/* Takes header bytes; *used says how many. */
static int feed_header(struct ws_parser *p, const uint8_t *in, size_t n, size_t *used)
{
    int code;

    *used = 0;
    while (*used < n) {
        p->header[p->have++] = in[(*used)++];
        if (p->have == 2 && (code = check_first_bytes(p)) != 0)
            return code;
        if (p->have >= 2 && p->have == header_need(p))
            return begin_payload(p);
    }
    return 0;
}

/* --- payload --------------------------------------------------------------------------------- */

/* out = in XOR mask, eight bytes at a time; RFC 6455 5.3. */
static void unmask(struct ws_parser *p, uint8_t *out, const uint8_t *in, size_t n)
{
    uint8_t turned[8];
    uint64_t mask, word;
    size_t i = 0;

    for (size_t k = 0; k < sizeof turned; k++)
        turned[k] = p->mask[(p->mask_at + k) & 3];
    memcpy(&mask, turned, sizeof mask);
    for (; i + 8 <= n; i += 8) {
        memcpy(&word, in + i, sizeof word);
        word ^= mask;
        memcpy(out + i, &word, sizeof word);
    }
    for (; i < n; i++)
        out[i] = in[i] ^ turned[i & 7];
    p->mask_at = (uint8_t)((p->mask_at + n) & 3);
}

static bool close_code_is_valid(uint16_t code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
           (code >= 3000 && code <= 4999);
}

static int finish_close(struct bytes body, const struct ws_sink *sink, void *ctx)
{
    uint16_t code = GATE_CLOSE_NO_STATUS;
    struct rbuf r;

    rbuf_init(&r, body.p, body.len);
    if (body.len > 0)
        code = rbuf_u16(&r);
    if (body.len > 0 && (r.bad || !close_code_is_valid(code)))
        return GATE_CLOSE_PROTOCOL;
    body = rbuf_rest(&r);
    if (!utf8_valid(body.p, body.len))
        return GATE_CLOSE_PROTOCOL;
    return sink->on_close(ctx, code, body);
}

static int finish_control(struct ws_parser *p, const struct ws_sink *sink, void *ctx)
{
    struct message *m = p->control;
    struct bytes body = {m->start, m->len};
    int code = 0;

    p->control = NULL;
    if (p->opcode == WS_PING)
        code = sink->on_ping(ctx, body);
    else if (p->opcode == WS_CLOSE)
        code = finish_close(body, sink, ctx);
    message_destroy(m);
    return code;
}

static int finish_frame(struct ws_parser *p, const struct ws_sink *sink, void *ctx)
{
    struct message *m = p->data;

    p->in_payload = false;
    if (is_control(p))
        return finish_control(p, sink, ctx);
    if (!p->final)
        return 0;
    p->data = NULL;
    p->fragments = 0;
    return sink->on_message(ctx, m);
}

int ws_parser_feed(struct ws_parser *p, const uint8_t *in, size_t n, const struct ws_sink *sink,
                   void *ctx)
{
    int code = 0;

    while (code == 0 && (n > 0 || (p->in_payload && p->left == 0))) {
        struct message *m;
        size_t used;

        if (!p->in_payload) {
            code = feed_header(p, in, n, &used);
        } else {
            m = is_control(p) ? p->control : p->data;
            used = p->left < n ? (size_t)p->left : n;
            unmask(p, m->start + m->len, in, used);
            m->len += (uint32_t)used;
            p->left -= used;
            if (p->left == 0)
                code = finish_frame(p, sink, ctx);
        }
        in += used;
        n -= used;
    }
    return code;
}

/* --- what the server sends ------------------------------------------------------------------- */

void ws_frame_message(struct message *m, enum ws_opcode opcode)
{
    uint8_t header[4] = {(uint8_t)(0x80 | opcode), 0, 0, 0};

    if (m->len <= 125) {
        header[1] = (uint8_t)m->len;
        message_prepend(m, header, 2);
        return;
    }
    header[1] = 126;
    header[2] = (uint8_t)(m->len >> 8);
    header[3] = (uint8_t)m->len;
    message_prepend(m, header, 4);
}

/* The longest beginning of text that ends with a character and has at most max bytes. */
static size_t cut_text(struct bytes text, size_t max)
{
    size_t at = 0, used;
    uint32_t cp;

    while (at < text.len) {
        used = utf8_decode(text.p + at, text.len - at, &cp);
        if (used == 0 || at + used > max)
            break;
        at += used;
    }
    return at;
}

struct message *ws_create_close(uint16_t code, struct bytes reason)
{
    struct message *m = message_create(WS_CONTROL_MAX_BYTES);
    struct wbuf w;

    if (m == NULL)
        return NULL;
    reason.len = cut_text(reason, WS_REASON_MAX_BYTES);
    wbuf_init(&w, m->start, WS_CONTROL_MAX_BYTES);
    if (close_code_is_valid(code)) {
        wbuf_u16(&w, code);
        wbuf_put(&w, reason.p, reason.len);
    }
    m->len = (uint32_t)w.len;
    ws_frame_message(m, WS_CLOSE);
    return m;
}

/* --- opening --------------------------------------------------------------------------------- */

bool ws_key_is_valid(struct bytes key)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if (key.len != KEY_BYTES || memcmp(key.p + 22, "==", 2) != 0)
        return false;
    for (size_t i = 0; i < 22; i++)
        if (memchr(alphabet, key.p[i], sizeof alphabet - 1) == NULL)
            return false;
    return true;
}

void ws_accept_key(struct bytes key, char out[WS_ACCEPT_BYTES + 1])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t text[KEY_BYTES + sizeof guid - 1];
    uint8_t digest[20];
    char base64[2 * WS_ACCEPT_BYTES]; /* the encoder wants more room than it fills */

    memcpy(text, key.p, KEY_BYTES);
    memcpy(text + KEY_BYTES, guid, sizeof guid - 1);
    lws_SHA1(text, sizeof text, digest);
    lws_b64_encode_string((const char *)digest, sizeof digest, base64, sizeof base64);
    memcpy(out, base64, WS_ACCEPT_BYTES);
    out[WS_ACCEPT_BYTES] = '\0';
}
