/* HTTP/1.1 requests (RFC 9112), as much as serving a page and opening a WebSocket need: the request
 * line, the header fields that decide something here, and a strict refusal of what is ambiguous
 * (bare line feeds, folded lines, spaces before the colon, repeated single fields), because proxies
 * in front could read such a request in another way. No input or output; everything is borrowed
 * from the bytes given. */
#ifndef VITRINE_SERVER_GATE_HTTP_H
#define VITRINE_SERVER_GATE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"

#define HTTP_FIELDS_MAX 100

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_OTHER };

struct http_request {
    enum http_method method;
    struct bytes path; /* without query; begins with '/' */
    struct bytes host, origin, ws_key, ws_version, content_length, if_none_match;
    bool has_host, has_origin, has_ws_key, has_ws_version, has_content_length, has_if_none_match;
    bool minor_0;            /* HTTP/1.0 */
    bool wants_close;        /* Connection: close, or 1.0 without keep-alive */
    bool wants_keep_alive;   /* Connection: keep-alive */
    bool connection_upgrade; /* Connection: upgrade */
    bool upgrade_websocket;  /* Upgrade: websocket */
    bool offers_subprotocol; /* Sec-WebSocket-Protocol names GATE_SUBPROTOCOL */
    bool accepts_gzip;       /* Accept-Encoding: gzip with a quality above 0 */
    bool has_body;           /* Content-Length above 0 or any Transfer-Encoding */
    unsigned fields;
};

/* Looks for the end of a request's head (an empty line) in n bytes at p, of which the first `known`
 * were searched before without success. Returns the head's length, or 0. */
size_t http_find_head_end(const uint8_t *p, size_t n, size_t known);
/* Reads a whole head of n bytes, as http_find_head_end measured it. Returns 0, or the status to
 * refuse it with: 400, 431 (too many fields), 501 (transfer coding), 505. *r borrows from p. */
int http_parse_request(const uint8_t *p, size_t n, struct http_request *r);
/* The words for a status this gate answers with; static. */
const char *http_reason(int status);
/* True when the field value is "*" or a list that holds etag (quotes included, weak or not). */
bool http_etag_matches(struct bytes value, const char *etag);

#endif
