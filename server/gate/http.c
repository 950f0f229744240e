#include "server/gate/http.h"

#include <string.h>
#include <strings.h>

#include "server/gate/gate.h"

size_t http_find_head_end(const uint8_t *p, size_t n, size_t known)
{
    size_t at = known > 3 ? known - 3 : 0;

    while (at + 4 <= n) {
        const uint8_t *cr = memchr(p + at, '\r', n - at - 3);

        if (cr == NULL)
            return 0;
        if (memcmp(cr, "\r\n\r\n", 4) == 0)
            return (size_t)(cr - p) + 4;
        at = (size_t)(cr - p) + 1;
    }
    return 0;
}

/* --- characters, tokens, lists (RFC 9110 5.6) ------------------------------------------------ */

static bool is_token_char(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(struct bytes t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!is_token_char(t.p[i]))
            return false;
    return t.len > 0;
}

static bool is_text(struct bytes v)
{
    for (size_t i = 0; i < v.len; i++)
        if ((v.p[i] < 0x20 && v.p[i] != '\t') || v.p[i] == 0x7f)
            return false;
    return true;
}

static struct bytes trim(struct bytes v)
{
    while (v.len > 0 && (v.p[0] == ' ' || v.p[0] == '\t'))
        v.p++, v.len--;
    while (v.len > 0 && (v.p[v.len - 1] == ' ' || v.p[v.len - 1] == '\t'))
        v.len--;
    return v;
}

/* Takes what stands before the next `mark` off *rest, which goes on behind it. */
static struct bytes split(struct bytes *rest, char mark)
{
    const uint8_t *at = rest->len > 0 ? memchr(rest->p, mark, rest->len) : NULL;
    struct bytes item = *rest;

    if (at == NULL) {
        rest->p += rest->len;
        rest->len = 0;
        return item;
    }
    item.len = (size_t)(at - item.p);
    rest->p = at + 1;
    rest->len -= item.len + 1;
    return item;
}

static bool is_word(struct bytes v, const char *word)
{
    return v.len == strlen(word) && strncasecmp((const char *)v.p, word, v.len) == 0;
}

static bool list_has(struct bytes list, const char *word)
{
    while (list.len > 0)
        if (is_word(trim(split(&list, ',')), word))
            return true;
    return false;
}

/* Quality 0 in any of its spellings: "q=0", "q=0.0", … */
static bool is_refused(struct bytes params)
{
    while (params.len > 0) {
        struct bytes p = trim(split(&params, ';'));

        if (p.len < 3 || (p.p[0] != 'q' && p.p[0] != 'Q') || p.p[1] != '=' || p.p[2] != '0')
            continue;
        for (size_t i = 3; i < p.len; i++)
            if (p.p[i] != '0' && p.p[i] != '.')
                return false;
        return true;
    }
    return false;
}

static bool list_accepts(struct bytes list, const char *coding)
{
    while (list.len > 0) {
        struct bytes params = split(&list, ',');

        if (is_word(trim(split(&params, ';')), coding))
            return !is_refused(params);
    }
    return false;
}

bool http_etag_matches(struct bytes value, const char *etag)
{
    while (value.len > 0) {
        struct bytes one = trim(split(&value, ','));

        if (one.len > 2 && one.p[0] == 'W' && one.p[1] == '/')
            one.p += 2, one.len -= 2;
        if (bytes_equal(one, bytes_of("*")) || bytes_equal(one, bytes_of(etag)))
            return true;
    }
    return false;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Fields of which one may stand in a request; a second one makes it ambiguous. */
static const struct single {
    const char *name;
    size_t value, has;
} singles[] = {
#define SINGLE(name, f)                                                                \
    {                                                                                  \
        name, offsetof(struct http_request, f), offsetof(struct http_request, has_##f) \
    }
    SINGLE("host", host),
    SINGLE("origin", origin),
    SINGLE("sec-websocket-key", ws_key),
    SINGLE("sec-websocket-version", ws_version),
    SINGLE("content-length", content_length),
    SINGLE("if-none-match", if_none_match),
#undef SINGLE
};

static int take_single(struct http_request *r, struct bytes name, struct bytes value, bool *taken)
{
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        bool *has = (bool *)((char *)r + singles[i].has);

        if (!is_word(name, singles[i].name))
            continue;
        if (*has)
            return 400;
        *has = *taken = true;
        memcpy((char *)r + singles[i].value, &value, sizeof value);
    }
    return 0;
}

static int take_field(struct http_request *r, struct bytes name, struct bytes value)
{
    bool taken = false;
    int status = take_single(r, name, value, &taken);

    if (status != 0 || taken)
        return status;
    if (is_word(name, "transfer-encoding")) {
        r->has_body = true;
    } else if (is_word(name, "connection")) {
        r->wants_close |= list_has(value, "close");
        r->wants_keep_alive |= list_has(value, "keep-alive");
        r->connection_upgrade |= list_has(value, "upgrade");
    } else if (is_word(name, "upgrade")) {
        r->upgrade_websocket |= list_has(value, "websocket");
    } else if (is_word(name, "sec-websocket-protocol")) {
        r->offers_subprotocol |= list_has(value, GATE_SUBPROTOCOL);
    } else if (is_word(name, "accept-encoding")) {
        r->accepts_gzip |= list_accepts(value, "gzip");
    }
    return 0;
}

static int parse_field(struct http_request *r, struct bytes line)
{
    struct bytes name;

    if (++r->fields > HTTP_FIELDS_MAX)
        return 431;
    if (memchr(line.p, ':', line.len) == NULL)
        return 400;
    name = split(&line, ':');
    if (!is_token(name) || !is_text(line))
        return 400;
    return take_field(r, name, trim(line));
}

/* --- the request line ------------------------------------------------------------------------ */

/* origin-form, or absolute-form as RFC 9112 3.2.2 wants servers to take it. */
static int parse_target(struct http_request *r, struct bytes target)
{
    static const char *const schemes[] = {"http://", "https://"};
    struct bytes path = target;

    for (size_t i = 0; i < target.len; i++)
        if (target.p[i] <= 0x20 || target.p[i] >= 0x7f)
            return 400;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t len = strlen(schemes[i]);

        if (target.len > len && strncasecmp((const char *)target.p, schemes[i], len) == 0) {
            path.p += len, path.len -= len;
            while (path.len > 0 && path.p[0] != '/')
                path.p++, path.len--;
        }
    }
    if (path.len == 0 || path.p[0] != '/')
        return r->method == HTTP_OTHER ? 0 : 400; /* "*" and authority-form: 405 by their method */
    r->path = split(&path, '?');
    return 0;
}

static int parse_request_line(struct http_request *r, struct bytes line)
{
    struct bytes method = split(&line, ' ');
    struct bytes target = split(&line, ' ');

    if (!is_token(method))
        return 400;
    r->method = bytes_equal(method, bytes_of("GET"))    ? HTTP_GET
                : bytes_equal(method, bytes_of("HEAD")) ? HTTP_HEAD
                                                        : HTTP_OTHER;
    if (line.len != 8 || memcmp(line.p, "HTTP/", 5) != 0)
        return 400;
    if (line.p[5] != '1' || line.p[6] != '.' || (line.p[7] != '0' && line.p[7] != '1'))
        return 505;
    r->minor_0 = line.p[7] == '0';
    return parse_target(r, target);
}

/* Takes the next line off *rest, without its CR LF; false when it holds either alone or none. */
static bool take_line(struct bytes *rest, struct bytes *line)
{
    if (rest->len == 0 || memchr(rest->p, '\n', rest->len) == NULL)
        return false;
    *line = split(rest, '\n');
    if (line->len == 0 || line->p[line->len - 1] != '\r')
        return false;
    line->len--;
    return line->len == 0 || memchr(line->p, '\r', line->len) == NULL;
}

static bool is_zero(struct bytes number)
{
    for (size_t i = 0; i < number.len; i++)
        if (number.p[i] != '0')
            return false;
    return number.len > 0;
}

static int check_request(struct http_request *r)
{
    if (!r->has_host && !r->minor_0)
        return 400;
    if (r->has_body && r->has_content_length)
        return 400;
    if (r->has_content_length)
        r->has_body = !is_zero(r->content_length);
    if (r->minor_0 && !r->wants_keep_alive)
        r->wants_close = true;
    return 0;
}

int http_parse_request(const uint8_t *p, size_t n, struct http_request *r)
{
    struct bytes rest = {p, n}, line;
    int status;

    memset(r, 0, sizeof *r);
    if (!take_line(&rest, &line))
        return 400;
    status = parse_request_line(r, line);
    while (status == 0) {
        if (!take_line(&rest, &line))
            return 400;
        if (line.len == 0)
            return check_request(r);
        status = parse_field(r, line);
    }
    return status;
}

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {304, "Not Modified"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {426, "Upgrade Required"},
        {431, "Request Header Fields Too Large"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Error";
}
