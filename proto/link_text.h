/* A share link as text (docs/protocol.md §1):
 *
 *     <page URL>#<fragment>
 *     fragment = b64url(0x01 || daemon_pk[32] || link_secret[32]) ["." b64url(WebSocket URL)]
 *
 * base64url without padding, canonical: one link has one text. The first byte fixes the suite. What
 * stands in a link is the secret of a share: callers wipe these structs and texts after use. */
#ifndef VITRINE_PROTO_LINK_TEXT_H
#define VITRINE_PROTO_LINK_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "proto/buf.h"
#include "proto/err.h"

#define LINK_SUITE              0x01
#define LINK_KEY_BYTES          32
#define LINK_PAGE_URL_MAX_BYTES 1024
#define LINK_WS_URL_MAX_BYTES   1024
#define LINK_FRAGMENT_MAX_BYTES (87 + 1 + 1366)
#define LINK_URL_MAX_BYTES      (LINK_PAGE_URL_MAX_BYTES + 1 + LINK_FRAGMENT_MAX_BYTES)

struct link_text {
    uint8_t daemon_pk[LINK_KEY_BYTES];
    uint8_t secret[LINK_KEY_BYTES];
    char ws_url[LINK_WS_URL_MAX_BYTES + 1]; /* "" when the page connects to where it came from */
};

/* Checks the URL of a WebSocket: ws:// or wss://, a host, no user name, no fragment, printable
 * ASCII without blanks and backslashes, at most LINK_WS_URL_MAX_BYTES. ERR_MALFORMED or ERR_RANGE.
 */
enum err link_text_check_ws_url(const char *url);
/* Checks the URL of a page in the same way: http://, https:// or file://; the last needs no host.
 */
enum err link_text_check_page_url(const char *url);
/* Appends a fragment without `#` to w: at most LINK_FRAGMENT_MAX_BYTES, no NUL. ws_url may be NULL
 * or
 * "" for a page that connects to where it came from. A wrong URL or lack of room marks w bad. */
void link_text_write_fragment(struct wbuf *w, const uint8_t daemon_pk[LINK_KEY_BYTES],
                              const uint8_t secret[LINK_KEY_BYTES], const char *ws_url);
/* Appends a whole link: page_url, `#` and the fragment; at most LINK_URL_MAX_BYTES, no NUL. */
void link_text_write_url(struct wbuf *w, const char *page_url,
                         const uint8_t daemon_pk[LINK_KEY_BYTES],
                         const uint8_t secret[LINK_KEY_BYTES], const char *ws_url);
/* Reads a fragment of len bytes, without its `#`. Refuses whatever write would not have written:
 * another suite is ERR_UNSUPPORTED, everything else ERR_MALFORMED or ERR_RANGE; *l is then zeros.
 */
enum err link_text_read_fragment(const char *text, size_t len, struct link_text *l);

#endif
