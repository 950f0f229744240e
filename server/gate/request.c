#include "server/gate/request.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/gate/assets.h"
#include "server/gate/clock.h"
#include "server/gate/conn.h"
#include "server/gate/gate.h"
#include "server/gate/http.h"
#include "server/gate/log.h"
#include "server/gate/viewer.h"

#define HEAD_FIRST_BYTES 1024
#define ANSWER_BYTES_MAX 4096
#define DATE_BYTES       32

static const char security_headers[] =
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), "
    "payment=(), usb=()\r\n";

/* One answer. Without an asset the body is the reason as text. */
struct answer {
    int status;
    const char *extra; /* whole header lines, or "" */
    const struct asset *asset;
    bool gzip, bodyless, close;
};

static void format_date(char out[DATE_BYTES])
{
    time_t now = time(NULL);
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(out, DATE_BYTES, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

/* Headers that tell about the body; 304 repeats those of the 200 but has no length. */
static int format_body_headers(char *out, size_t room, const struct answer *a, size_t length)
{
    char size[48] = "";

    if (a->status != 304)
        snprintf(size, sizeof size, "Content-Length: %zu\r\n", length);
    if (a->asset == NULL)
        return snprintf(out, room,
                        "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n%s",
                        size);
    return snprintf(out, room,
                    "Content-Type: %s\r\nCache-Control: no-cache\r\nETag: %s\r\n"
                    "Vary: Accept-Encoding\r\n%s%s",
                    a->asset->type, a->asset->etag, a->gzip ? "Content-Encoding: gzip\r\n" : "",
                    size);
}

static struct bytes asset_bytes(const struct answer *a)
{
    struct bytes b;

    b.p = a->gzip ? a->asset->gz : a->asset->data;
    b.len = (size_t)((a->gzip ? a->asset->gz_end : a->asset->data_end) - b.p);
    return b;
}

static void write_head(struct message *m, const struct answer *a, size_t length)
{
    char date[DATE_BYTES];
    char *out = (char *)m->start;
    int n;

    format_date(date);
    n = snprintf(out, ANSWER_BYTES_MAX, "HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: %s\r\n%s",
                 a->status, http_reason(a->status), date, a->close ? "close" : "keep-alive",
                 a->extra);
    n += format_body_headers(out + n, ANSWER_BYTES_MAX - (size_t)n, a, length);
    n += snprintf(out + n, ANSWER_BYTES_MAX - (size_t)n,
                  "Content-Security-Policy: %.1000s\r\n%s\r\n", asset_csp, security_headers);
    m->len = (uint32_t)n;
}

/* Queues the answer and stops reading until it is sent. */
static void send_answer(struct conn *c, const struct answer *a)
{
    struct message *m = message_create(ANSWER_BYTES_MAX);
    char text[64];
    struct bytes body;

    if (m == NULL) {
        conn_doom(c);
        return;
    }
    snprintf(text, sizeof text, "%s\n", http_reason(a->status));
    body = a->asset != NULL ? asset_bytes(a) : bytes_of(text);
    write_head(m, a, body.len);
    if (!a->bodyless && a->asset == NULL) {
        memcpy(m->start + m->len, body.p, body.len);
        m->len += (uint32_t)body.len;
    } else if (!a->bodyless) {
        c->body = body.p;
        c->body_end = body.p + body.len;
    }
    c->state = CONN_RESPOND;
    c->close_after = a->close;
    conn_pause(c);
    conn_set_deadline(c, GATE_SEND_WAIT_S);
    conn_queue(c, m);
}

static void refuse(struct conn *c, int status, const char *extra)
{
    struct answer a = {.status = status, .extra = extra, .close = true};
    char peer[CONN_PEER_MAX_BYTES + 1];

    conn_peer_text(c, peer);
    log_event(LOG_HTTP, "refused a request from %s: %d %s", peer, status, http_reason(status));
    send_answer(c, &a);
}

void request_finish(struct conn *c)
{
    c->body = c->body_end = NULL;
    if (c->close_after) {
        conn_linger(c);
        return;
    }
    c->state = CONN_HEAD;
    conn_set_deadline(c, GATE_IDLE_S);
    conn_resume(c);
}

void request_expire(struct conn *c)
{
    if (c->head != NULL)
        refuse(c, 408, "");
    else
        conn_doom(c);
}

/* --- the WebSocket --------------------------------------------------------------------------- */

static bool origin_passes(const struct conn *c, const struct http_request *r)
{
    char peer[CONN_PEER_MAX_BYTES + 1];

    if (!r->has_origin || origin_is_allowed(&c->gate->config.origins, r->origin, r->host))
        return true;
    conn_peer_text(c, peer);
    log_event(LOG_ORIGIN, "refused a WebSocket from %s for the page of %s", peer,
              log_text(r->origin).text);
    return false;
}

/* The status to refuse an opening handshake with (RFC 6455 4.2.1), or 0. */
static int judge_upgrade(const struct conn *c, const struct http_request *r)
{
    if (!origin_passes(c, r))
        return 403;
    if (!r->connection_upgrade || !r->upgrade_websocket)
        return 426;
    if (r->minor_0 || r->has_body || !r->has_ws_key || !ws_key_is_valid(r->ws_key))
        return 400;
    if (!r->has_ws_version || !bytes_equal(r->ws_version, bytes_of("13")))
        return 426;
    return r->offers_subprotocol ? 0 : 400;
}

static void open_websocket(struct conn *c, const struct http_request *r, struct bytes rest)
{
    int status = judge_upgrade(c, r);

    if (status != 0)
        refuse(c, status,
               status == 426 ? "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" : "");
    else
        viewer_start(c, r, rest);
}

/* --- requests -------------------------------------------------------------------------------- */

static void answer_asset(struct conn *c, const struct http_request *r, const struct asset *asset,
                         bool close)
{
    struct answer a = {.status = 200, .extra = "", .asset = asset, .close = close};

    a.gzip = r->accepts_gzip && asset->gz != NULL;
    a.bodyless = r->method == HTTP_HEAD;
    if (r->has_if_none_match && http_etag_matches(r->if_none_match, asset->etag)) {
        a.status = 304;
        a.bodyless = true;
    }
    send_answer(c, &a);
}

/* The path below the base path, beginning with '/'; empty when it is not below it. */
static struct bytes below_base(const struct gate *g, struct bytes path)
{
    size_t base = strlen(g->config.base_path) - 1; /* its last '/' is the path's first */

    if (path.len <= base || memcmp(path.p, g->config.base_path, base + 1) != 0)
        return bytes_of("");
    return (struct bytes){path.p + base, path.len - base};
}

/* Plain HTTP where the page is on https: browsers take the link's fragment along (RFC 9110 10.2.2).
 * A Host that is no plain name or address is answered 400, so that nothing can be smuggled into the
 * answer's head. */
static void point_to_https(struct conn *c, const struct http_request *r)
{
    char extra[ORIGIN_MAX_BYTES + CONFIG_BASE_MAX_BYTES + 32];
    size_t n = r->has_host ? r->host.len : 0;

    if (n == 0 || n > ORIGIN_MAX_BYTES || !origin_is_authority(r->host)) {
        refuse(c, 400, "");
        return;
    }
    snprintf(extra, sizeof extra, "Location: https://%.*s%s\r\n", (int)n, (const char *)r->host.p,
             c->gate->config.base_path);
    refuse(c, 308, extra);
}

/* `rest` are bytes behind the head: of a WebSocket, or of a pipelined request, and then this answer
 * is the connection's last and the client asks again. */
static void handle_request(struct conn *c, const struct http_request *r, struct bytes rest)
{
    struct bytes path = below_base(c->gate, r->path);
    const struct asset *asset;

    if (c->gate->config.tls && c->tls == NULL) {
        point_to_https(c, r);
        return;
    }
    if (r->method == HTTP_OTHER) {
        refuse(c, 405, "Allow: GET, HEAD\r\n");
        return;
    }
    if (r->method == HTTP_GET && bytes_equal(path, bytes_of("/ws"))) {
        open_websocket(c, r, rest);
        return;
    }
    asset = asset_find(path);
    if (asset != NULL && !r->has_body) {
        answer_asset(c, r, asset, r->wants_close || rest.len > 0);
    } else {
        struct answer a = {.status = r->has_body ? 413 : 404, .extra = ""};

        a.bodyless = r->method == HTTP_HEAD;
        a.close = r->wants_close || r->has_body || rest.len > 0;
        send_answer(c, &a);
    }
}

static void take_head(struct conn *c, const uint8_t *head, size_t len, struct bytes rest)
{
    struct http_request r;
    int status = len > GATE_HEAD_MAX_BYTES ? 431 : http_parse_request(head, len, &r);

    if (status != 0)
        refuse(c, status, "");
    else
        handle_request(c, &r, rest);
}

/* Keeps bytes of a head that is not whole yet. */
static bool keep(struct conn *c, const uint8_t *p, size_t n)
{
    struct message *m;

    if (c->head == NULL) {
        uint64_t former = c->deadline_ms;

        conn_set_deadline(c, GATE_HEAD_WAIT_S);
        if (former < c->deadline_ms)
            c->deadline_ms = former;
        m = message_create(n > HEAD_FIRST_BYTES ? n : HEAD_FIRST_BYTES);
    } else {
        m = message_grow(c->head, c->head->len + n);
    }
    if (m == NULL)
        return false;
    c->head = m;
    memcpy(m->start + m->len, p, n);
    m->len += (uint32_t)n;
    return true;
}

/* The head began in an earlier read: looks at all of it. */
static void receive_more(struct conn *c, const uint8_t *p, size_t n)
{
    size_t known = c->head->len, end;
    struct message *m;

    if (!keep(c, p, n)) {
        conn_doom(c);
        return;
    }
    m = c->head;
    end = http_find_head_end(m->start, m->len, known);
    if (end == 0 && m->len <= GATE_HEAD_MAX_BYTES)
        return;
    c->head = NULL;
    if (end == 0)
        refuse(c, 431, "");
    else
        take_head(c, m->start, end, (struct bytes){m->start + end, m->len - end});
    message_destroy(m);
}

void request_receive(struct conn *c, const uint8_t *p, size_t n)
{
    size_t end;

    if (c->head != NULL) {
        receive_more(c, p, n);
        return;
    }
    end = http_find_head_end(p, n, 0);
    if (end > 0)
        take_head(c, p, end, (struct bytes){p + end, n - end});
    else if (n > GATE_HEAD_MAX_BYTES)
        refuse(c, 431, "");
    else if (!keep(c, p, n))
        conn_doom(c);
}
