#include "proto/link_text.h"

#include <stdbool.h>
#include <string.h>

#define KEYS_BYTES (1 + 2 * LINK_KEY_BYTES)

/* --- base64url ------------------------------------------------------------------------------ */

/* Arithmetic and not a table: secrets pass here, and a look-up's address depends on its index. */
static char digit_of(unsigned v)
{
    unsigned upper = (v - 26u) >> 31, lower = (v - 52u) >> 31, number = (v - 62u) >> 31;
    unsigned c = upper * ('A' + v) + (lower - upper) * ('a' + v - 26) +
                 (number - lower) * ('0' + v - 52) + (1 - number) * (v == 62 ? '-' : '_');

    return (char)c;
}

/* The value of a digit, or -1. */
static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

static void encode_base64(struct wbuf *w, const uint8_t *p, size_t n)
{
    unsigned held = 0, bits = 0;

    for (size_t i = 0; i < n; i++) {
        held = held << 8 | p[i];
        for (bits += 8; bits >= 6; bits -= 6)
            wbuf_u8(w, (uint8_t)digit_of(held >> (bits - 6) & 63));
        held &= 0xff;
    }
    if (bits > 0)
        wbuf_u8(w, (uint8_t)digit_of(held << (6 - bits) & 63));
}

/* Decodes into w. ERR_MALFORMED for a foreign character, a length no text has, or unused bits that
 * are not zero. */
static enum err decode_base64(struct wbuf *w, const char *text, size_t len)
{
    unsigned held = 0, bits = 0;

    for (size_t i = 0; i < len; i++) {
        int v = value_of(text[i]);

        if (v < 0)
            return ERR_MALFORMED;
        held = (held << 6 | (unsigned)v) & 0xfff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            wbuf_u8(w, (uint8_t)(held >> bits));
        }
    }
    if (len % 4 == 1 || (held & ((1u << bits) - 1)) != 0)
        return ERR_MALFORMED;
    return w->bad ? ERR_RANGE : ERR_OK;
}

/* --- URLs ----------------------------------------------------------------------------------- */

/* Length of the scheme of url if it is one of the list's, which ends with NULL; 0 otherwise. */
static size_t find_scheme(const char *url, const char *const *schemes)
{
    for (; *schemes; schemes++) {
        if (strncmp(url, *schemes, strlen(*schemes)) == 0)
            return strlen(*schemes);
    }
    return 0;
}

static enum err check_url(const char *url, size_t max_bytes, const char *const *schemes)
{
    size_t scheme = find_scheme(url, schemes);
    const char *host = url + scheme;
    size_t host_len = strcspn(host, "/?");

    if (scheme == 0)
        return ERR_MALFORMED;
    for (const char *p = url; *p; p++) {
        if (*p <= ' ' || *p > '~' || *p == '#' || *p == '\\')
            return ERR_MALFORMED;
    }
    if (strlen(url) > max_bytes)
        return ERR_RANGE;
    if (memchr(host, '@', host_len))
        return ERR_MALFORMED;
    if (strncmp(url, "file:", 5) != 0 && (host_len == 0 || host[0] == ':'))
        return ERR_MALFORMED;
    return ERR_OK;
}

enum err link_text_check_ws_url(const char *url)
{
    static const char *const schemes[] = {"ws://", "wss://", NULL};

    return check_url(url, LINK_WS_URL_MAX_BYTES, schemes);
}

enum err link_text_check_page_url(const char *url)
{
    static const char *const schemes[] = {"https://", "http://", "file://", NULL};

    return check_url(url, LINK_PAGE_URL_MAX_BYTES, schemes);
}

/* --- links ---------------------------------------------------------------------------------- */

static void wipe(uint8_t *p, size_t n)
{
    for (volatile uint8_t *v = p; n-- > 0; v++)
        *v = 0;
}

void link_text_write_fragment(struct wbuf *w, const uint8_t daemon_pk[LINK_KEY_BYTES],
                              const uint8_t secret[LINK_KEY_BYTES], const char *ws_url)
{
    uint8_t keys[KEYS_BYTES] = {LINK_SUITE};
    bool has_url = ws_url && ws_url[0] != '\0';

    if (has_url && link_text_check_ws_url(ws_url) != ERR_OK)
        w->bad = true;
    memcpy(keys + 1, daemon_pk, LINK_KEY_BYTES);
    memcpy(keys + 1 + LINK_KEY_BYTES, secret, LINK_KEY_BYTES);
    encode_base64(w, keys, sizeof keys);
    wipe(keys, sizeof keys);
    if (!has_url)
        return;
    wbuf_u8(w, '.');
    encode_base64(w, (const uint8_t *)ws_url, strlen(ws_url));
}

void link_text_write_url(struct wbuf *w, const char *page_url,
                         const uint8_t daemon_pk[LINK_KEY_BYTES],
                         const uint8_t secret[LINK_KEY_BYTES], const char *ws_url)
{
    if (link_text_check_page_url(page_url) != ERR_OK)
        w->bad = true;
    wbuf_put(w, page_url, strlen(page_url));
    wbuf_u8(w, '#');
    link_text_write_fragment(w, daemon_pk, secret, ws_url);
}

static enum err read_keys(const char *text, size_t len, struct link_text *l)
{
    uint8_t keys[KEYS_BYTES];
    struct wbuf w;
    enum err e;

    wbuf_init(&w, keys, sizeof keys);
    e = decode_base64(&w, text, len);
    if (e == ERR_OK && w.len > 0 && keys[0] != LINK_SUITE)
        e = ERR_UNSUPPORTED;
    else if (e == ERR_OK && w.len != sizeof keys)
        e = ERR_MALFORMED;
    if (e == ERR_OK) {
        memcpy(l->daemon_pk, keys + 1, LINK_KEY_BYTES);
        memcpy(l->secret, keys + 1 + LINK_KEY_BYTES, LINK_KEY_BYTES);
    }
    wipe(keys, sizeof keys);
    return e;
}

static enum err read_ws_url(const char *text, size_t len, struct link_text *l)
{
    struct wbuf w;
    enum err e;

    wbuf_init(&w, l->ws_url, LINK_WS_URL_MAX_BYTES);
    e = decode_base64(&w, text, len);
    if (e != ERR_OK)
        return e;
    l->ws_url[w.len] = '\0';
    if (memchr(l->ws_url, '\0', w.len)) /* would hide what follows it from the check */
        return ERR_MALFORMED;
    return link_text_check_ws_url(l->ws_url);
}

enum err link_text_read_fragment(const char *text, size_t len, struct link_text *l)
{
    const char *dot = len > 0 ? memchr(text, '.', len) : NULL;
    size_t keys_len = dot ? (size_t)(dot - text) : len;
    enum err e;

    memset(l, 0, sizeof *l);
    e = read_keys(text, keys_len, l);
    if (e == ERR_OK && dot)
        e = read_ws_url(dot + 1, len - keys_len - 1, l);
    if (e != ERR_OK)
        memset(l, 0, sizeof *l);
    return e;
}
