#include "server/gate/config.h"

#include <string.h>

#include "proto/mux_msg.h"
#include "server/gate/gate.h"

static enum err read_origins(const struct mux_config *m, struct origin_table *t)
{
    struct rbuf r;
    struct mux_text origin;

    rbuf_init(&r, m->origins.wire.p, m->origins.wire.len);
    for (uint16_t i = 0; i < m->origins.n; i++) {
        mux_read_text(&r, &origin);
        if (!origin_add(t, origin.text))
            return ERR_RANGE;
    }
    t->allow_null = m->allow_null_origin != 0;
    return ERR_OK;
}

static enum err read_bind(struct bytes text, char out[CONFIG_BIND_MAX_BYTES + 1])
{
    if (text.len > CONFIG_BIND_MAX_BYTES || memchr(text.p, '\0', text.len) != NULL)
        return ERR_RANGE;
    memcpy(out, text.p, text.len);
    if (text.len == 0)
        strcpy(out, "127.0.0.1");
    return ERR_OK;
}

/* Segments of unreserved characters (RFC 3986 2.3), none of them "." or "..". */
static bool is_base_path(const char *text)
{
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    if (*text++ != '/')
        return false;
    while (*text != '\0') {
        size_t n = strspn(text, unreserved);

        if (n == 0 || text[n] != '/' || strspn(text, ".") == n)
            return false;
        text += n + 1;
    }
    return true;
}

static enum err read_base_path(struct bytes text, char out[CONFIG_BASE_MAX_BYTES + 1])
{
    strcpy(out, "/");
    if (text.len == 0)
        return ERR_OK;
    if (text.len > CONFIG_BASE_MAX_BYTES || memchr(text.p, '\0', text.len) != NULL)
        return ERR_RANGE;
    memcpy(out, text.p, text.len);
    out[text.len] = '\0';
    return is_base_path(out) ? ERR_OK : ERR_RANGE;
}

enum err config_read(struct bytes body, struct gate_config *c)
{
    struct mux_config m;
    enum err e = mux_decode_config(body, &m);

    memset(c, 0, sizeof *c);
    if (e == ERR_OK && m.version != MUX_VERSION)
        e = ERR_UNSUPPORTED;
    if (e == ERR_OK && m.listeners > MUX_LISTENERS_MAX)
        e = ERR_MALFORMED;
    if (e == ERR_OK)
        e = read_bind(m.bind, c->bind);
    if (e == ERR_OK)
        e = read_base_path(m.base_path, c->base_path);
    if (e == ERR_OK)
        e = read_origins(&m, &c->origins);
    if (e != ERR_OK)
        return e;
    c->port = m.port;
    c->port_required = m.port_required != 0;
    c->listeners = m.listeners;
    c->tls = m.tls != 0;
    c->max_unproven = m.max_unproven != 0 ? m.max_unproven : GATE_UNPROVEN_MAX;
    c->max_per_address = m.max_per_address != 0 ? m.max_per_address : GATE_PER_ADDRESS_MAX;
    return ERR_OK;
}
