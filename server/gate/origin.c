#include "server/gate/origin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scheme {
    const char *prefix;
    const char *default_port;
} schemes[] = {{"http://", ":80"}, {"https://", ":443"}};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits <= 5 && text[digits] == '\0' && atoi(text) <= 65535;
}

/* host or host:port, where host is a name, an IPv4 address or a bracketed IPv6 address. */
static bool is_authority(const char *text)
{
    const char *name = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
    size_t host;

    if (text[0] == '[') {
        host = 1 + strspn(text + 1, "0123456789abcdef:.");
        if (host == 1 || text[host++] != ']')
            return false;
    } else {
        host = strspn(text, name);
    }
    return host > 0 && (text[host] == '\0' || (text[host] == ':' && is_port(text + host + 1)));
}

static const struct scheme *scheme_of(const char *text)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(text, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
            return &schemes[i];
    return NULL;
}

static bool is_listed(const struct origin_table *t, const char *text)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->text[i], text) == 0)
            return true;
    return false;
}

static bool append(struct origin_table *t, const char *text)
{
    if (is_listed(t, text))
        return true;
    if (t->count == ORIGINS_MAX)
        return false;
    snprintf(t->text[t->count++], sizeof t->text[0], "%s", text);
    return true;
}

/* Copies to a string, letters lowered; false when it is too long or holds a NUL. */
static bool copy_lowered(struct bytes from, char out[ORIGIN_MAX_BYTES + 1])
{
    if (from.len > ORIGIN_MAX_BYTES || memchr(from.p, '\0', from.len) != NULL)
        return false;
    for (size_t i = 0; i < from.len; i++)
        out[i] = (char)(from.p[i] >= 'A' && from.p[i] <= 'Z' ? from.p[i] | 0x20 : from.p[i]);
    out[from.len] = '\0';
    return true;
}

bool origin_is_authority(struct bytes text)
{
    char lowered[ORIGIN_MAX_BYTES + 1];

    return copy_lowered(text, lowered) && is_authority(lowered);
}

bool origin_add(struct origin_table *t, struct bytes origin)
{
    char text[ORIGIN_MAX_BYTES + 1];
    const struct scheme *scheme;

    if (!copy_lowered(origin, text))
        return false;
    scheme = scheme_of(text);
    if (scheme == NULL)
        return false;
    if (ends_with(text + strlen(scheme->prefix), "/"))
        text[strlen(text) - 1] = '\0';
    if (!is_authority(text + strlen(scheme->prefix)))
        return false;
    if (ends_with(text, scheme->default_port))
        text[strlen(text) - strlen(scheme->default_port)] = '\0';
    return append(t, text);
}

static void add_host(struct origin_table *t, bool tls, const char *host, uint16_t port)
{
    char text[ORIGIN_MAX_BYTES + 1];

    snprintf(text, sizeof text, "%s%s:%u", schemes[tls].prefix, host, port);
    origin_add(t, bytes_of(text));
}

/* The address as an origin writes it: IPv6 in brackets. */
static void add_address(struct origin_table *t, bool tls, const char *address, uint16_t port)
{
    char host[INET6_ADDRSTRLEN + 2];

    snprintf(host, sizeof host, strchr(address, ':') != NULL ? "[%s]" : "%s", address);
    add_host(t, tls, host, port);
}

void origin_add_own(struct origin_table *t, bool tls, const char *address, uint16_t port)
{
    bool any4 = strcmp(address, "0.0.0.0") == 0, any6 = strcmp(address, "::") == 0;
    bool loop4 = strncmp(address, "127.", 4) == 0, loop6 = strcmp(address, "::1") == 0;

    if (address[0] == '\0')
        return;
    if (any4 || any6 || loop4 || loop6)
        add_host(t, tls, "localhost", port);
    if (any4 || any6)
        add_address(t, tls, "127.0.0.1", port);
    if (any6)
        add_address(t, tls, "::1", port);
    if (!any4 && !any6)
        add_address(t, tls, address, port);
    if (!loop4 && !loop6)
        t->any_address = true;
}

/* An IPv4 address in its canonical spelling, or a bracketed IPv6 address, with or without port. */
static bool is_address(const char *host)
{
    char text[INET6_ADDRSTRLEN + 1], canonical[INET6_ADDRSTRLEN];
    unsigned char address[16];
    int family = host[0] == '[' ? AF_INET6 : AF_INET;
    size_t len = family == AF_INET6 ? strcspn(++host, "]") : strcspn(host, ":");

    if (len >= sizeof text)
        return false;
    memcpy(text, host, len);
    text[len] = '\0';
    return inet_pton(family, text, address) == 1 &&
           inet_ntop(family, address, canonical, sizeof canonical) != NULL &&
           strcmp(text, canonical) == 0;
}

bool origin_is_allowed(const struct origin_table *t, struct bytes origin, struct bytes host)
{
    char text[ORIGIN_MAX_BYTES + 1], lowered[ORIGIN_MAX_BYTES + 1];
    const struct scheme *scheme;

    if (bytes_equal(origin, bytes_of("null")))
        return t->allow_null;
    if (origin.len == 0 || !copy_lowered(origin, lowered))
        return false;
    memcpy(text, origin.p, origin.len);
    text[origin.len] = '\0';
    if (is_listed(t, text))
        return true;
    scheme = scheme_of(text);
    if (!t->any_address || scheme == NULL)
        return false;
    return bytes_equal(bytes_of(text + strlen(scheme->prefix)), host) &&
           is_authority(text + strlen(scheme->prefix)) && is_address(text + strlen(scheme->prefix));
}
