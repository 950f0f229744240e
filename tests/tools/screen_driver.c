/* A screen behind a pipe, for differential tests: reads requests on standard input, writes answers
 * on standard output. A request is u8 op, u32 length, payload; an answer u32 length, payload.
 *
 *   N  u16 cols, u16 rows, u32 history limit: starts over          → nothing
 *   F  bytes                             → what the screen answered the program
 *   R  u16 cols, u16 rows                → nothing
 *   K  u32 history lines                 → u64 offset, u64 first line, u16 cols, u16 rows, u32 lines, VT
 *   H  u64 before line, u32 count        → u64 first line, u32 count, VT
 *   C  u8 flags (1 -e, 2 -J, 4 history)  → text
 *   P                                    → JSON: title, cursor, modes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/buf.h"
#include "server/daemon/screen.h"

#define PAYLOAD_MAX (256u * 1024u * 1024u)

static struct outbuf answer;

static void on_reply(void *ctx, const uint8_t *p, size_t n)
{
    (void)ctx;
    outbuf_put(&answer, p, n);
}

static void put_number(struct outbuf *out, uint64_t v, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        outbuf_byte(out, (uint8_t)(v >> 8 * i));
}

static void put_json_text(struct outbuf *out, const char *text)
{
    outbuf_byte(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            outbuf_byte(out, '\\');
        outbuf_byte(out, (uint8_t)*text);
    }
    outbuf_byte(out, '"');
}

static void keyframe(struct screen *s, uint32_t lines)
{
    struct keyframe_info info;
    struct outbuf vt = {0};
    if (screen_keyframe(s, lines, &vt, &info) != ERR_OK)
        exit(1);
    put_number(&answer, info.offset, 8);
    put_number(&answer, info.first_line, 8);
    put_number(&answer, info.cols, 2);
    put_number(&answer, info.rows, 2);
    put_number(&answer, info.history_lines, 4);
    outbuf_put(&answer, vt.p, vt.len);
    outbuf_clear(&vt);
}

static void history(struct screen *s, uint64_t before, uint32_t count)
{
    uint64_t first;
    uint32_t n;
    struct outbuf vt = {0};
    if (screen_history(s, before, count, &vt, &first, &n) != ERR_OK)
        exit(1);
    put_number(&answer, first, 8);
    put_number(&answer, n, 4);
    outbuf_put(&answer, vt.p, vt.len);
    outbuf_clear(&vt);
}

static void capture(struct screen *s, uint8_t flags)
{
    struct capture_opts o = {.start = flags & 4 ? CAPTURE_FIRST : 0,
                             .end = CAPTURE_LAST,
                             .escapes = flags & 1,
                             .join = flags & 2};
    if (screen_capture(s, &o, &answer) != ERR_OK)
        exit(1);
}

static void probe(struct screen *s)
{
    struct screen_cursor c = screen_cursor(s);
    outbuf_text(&answer, "{\"title\":");
    put_json_text(&answer, screen_title(s));
    outbuf_text(&answer, ",\"cwd\":");
    put_json_text(&answer, screen_cwd(s));
    outbuf_printf(&answer,
                  ",\"x\":%u,\"y\":%u,\"visible\":%s,\"pending\":%s,\"shape\":%u,\"modes\":%u,"
                  "\"mouse\":%d,\"encoding\":%d,\"cols\":%u,\"rows\":%u,\"history\":%u}",
                  c.x, c.y, c.visible ? "true" : "false", c.pending_wrap ? "true" : "false",
                  c.shape, (unsigned)screen_modes(s), (int)screen_mouse(s),
                  (int)screen_mouse_encoding(s), screen_cols(s), screen_rows(s),
                  (unsigned)screen_history_count(s));
}

/* Builds the answer to a request. */
static void handle(struct screen **s, int op, struct rbuf *in)
{
    static const struct screen_events events = {.reply = on_reply};
    if (op == 'N') {
        uint16_t cols = rbuf_u16(in);
        uint16_t rows = rbuf_u16(in);
        screen_destroy(*s);
        *s = screen_create(cols, rows, rbuf_u32(in), &events, NULL);
        if (!*s)
            exit(1);
        return;
    }
    if (!*s)
        exit(2);
    if (op == 'F') {
        struct bytes bytes = rbuf_rest(in);
        screen_feed(*s, bytes.p, bytes.len);
    } else if (op == 'R') {
        uint16_t cols = rbuf_u16(in);
        if (screen_resize(*s, cols, rbuf_u16(in)) != ERR_OK)
            exit(1);
    } else if (op == 'K') {
        keyframe(*s, rbuf_u32(in));
    } else if (op == 'H') {
        uint64_t before = rbuf_u64(in);
        history(*s, before, rbuf_u32(in));
    } else if (op == 'C') {
        capture(*s, rbuf_u8(in));
    } else if (op == 'P') {
        probe(*s);
    } else {
        exit(2);
    }
}

int main(void)
{
    struct screen *s = NULL;
    uint8_t head[5];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        struct rbuf in;
        rbuf_init(&in, head + 1, 4);
        uint32_t len = rbuf_u32(&in);
        uint8_t *payload = len <= PAYLOAD_MAX ? malloc(len ? len : 1) : NULL;
        if (!payload || (len && fread(payload, len, 1, stdin) != 1))
            return 2;
        rbuf_init(&in, payload, len);
        outbuf_reset(&answer);
        handle(&s, head[0], &in);
        uint8_t size[4];
        struct wbuf w;
        wbuf_init(&w, size, sizeof size);
        wbuf_u32(&w, (uint32_t)answer.len);
        fwrite(size, sizeof size, 1, stdout);
        fwrite(answer.p ? answer.p : size, answer.len, 1, stdout);
        fflush(stdout);
        free(payload);
    }
    screen_destroy(s);
    outbuf_clear(&answer);
    return 0;
}
