#include "server/daemon/cmd_reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link_text.h"
#include "server/daemon/command.h"
#include "server/daemon/daemon.h"
#include "server/daemon/environment.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/share.h"
#include "server/daemon/spawn.h"

#define URL_BYTES (GATE_URL_MAX + 64)

/* --- options -------------------------------------------------------------------------------- */

/* Where the host of an http or https URL begins; NULL when it is none. */
static const char *host_of(const char *url)
{
    if (strncmp(url, "https://", 8) == 0)
        return url + 8;
    return strncmp(url, "http://", 7) == 0 ? url + 7 : NULL;
}

/* An origin is a scheme, a host and perhaps a port (RFC 6454): nothing behind them. */
static bool is_origin(const char *text)
{
    const char *host = host_of(text);

    return host && *host && strlen(text) < GATE_TEXT_MAX &&
           strcspn(host, "/?#@ \t\\") == strlen(host);
}

static bool add_origin(struct command *c, struct gate_config *g, const char *origin)
{
    for (unsigned i = 0; i < g->n_origins; i++) {
        if (strcmp(g->origins[i], origin) == 0)
            return true;
    }
    if (g->n_origins == GATE_ORIGINS_MAX) {
        command_usage(c, "more than %d origins", GATE_ORIGINS_MAX);
        return false;
    }
    snprintf(g->origins[g->n_origins++], GATE_TEXT_MAX, "%s", origin);
    return true;
}

static bool read_origins(struct command *c, struct gate_config *g)
{
    for (size_t i = 0; args_value_at(&c->args, "origin", i); i++) {
        const char *origin = args_value_at(&c->args, "origin", i);

        if (!is_origin(origin)) {
            command_usage(c,
                          "--origin %.100s: an origin is http:// or https://, host and port, "
                          "nothing behind them",
                          origin);
            return false;
        }
        if (!add_origin(c, g, origin))
            return false;
    }
    g->allow_null_origin = args_has(&c->args, "saved-page");
    return true;
}

/* A URL that pages are fetched from: its origin may connect to the gate. A folder gets its final
 * slash, because the page's other files are beside it. */
static bool read_url(struct command *c, struct gate_config *g, const char *option, bool folder,
                     char out[GATE_URL_MAX])
{
    const char *text = args_value(&c->args, option);
    const char *host = text ? host_of(text) : NULL;
    char origin[GATE_TEXT_MAX];
    size_t host_len, len;

    if (!text)
        return true;
    len = strlen(text);
    host_len = host ? strcspn(host, "/") : 0;
    snprintf(origin, sizeof origin, "%.*s", host ? (int)(host - text) + (int)host_len : 0, text);
    if (!is_origin(origin) || len + 2 > GATE_URL_MAX || strpbrk(text, "?#") ||
        link_text_check_page_url(text) != ERR_OK) {
        command_usage(c,
                      "--%s %.100s: http:// or https://, a host, and perhaps a path, nothing else",
                      option, text);
        return false;
    }
    snprintf(out, GATE_URL_MAX, "%s%s", text, folder && text[len - 1] != '/' ? "/" : "");
    return add_origin(c, g, origin);
}

static bool read_base_path(struct command *c, struct gate_config *g)
{
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    const char *path = args_value(&c->args, "base-path");
    size_t len = path ? strlen(path) : 0;

    snprintf(g->base_path, sizeof g->base_path, "/");
    if (len == 0)
        return true;
    if (path[0] != '/' || len + 2 > sizeof g->base_path || strspn(path, unreserved) != len ||
        strstr(path, "//") || strstr(path, "/.")) {
        command_usage(c, "--base-path %.100s: a path as /some/where of plain characters", path);
        return false;
    }
    snprintf(g->base_path, sizeof g->base_path, "%s%s", path, path[len - 1] == '/' ? "" : "/");
    return true;
}

static bool read_tls(struct command *c, struct gate_config *g)
{
    const char *kind = args_value(&c->args, "tls");
    const char *chain = args_value(&c->args, "tls-cert"), *key = args_value(&c->args, "tls-key");
    char why[GATE_TLS_WHY] = "";

    if (kind && strcmp(kind, "self") != 0) {
        command_usage(c, "--tls %.50s: self, or name files with --tls-cert and --tls-key", kind);
        return false;
    }
    if ((chain || key) && (kind || !chain || !key)) {
        command_usage(c, "--tls-cert and --tls-key go together, and without --tls self");
        return false;
    }
    if ((chain && chain[0] != '/') || (key && key[0] != '/')) {
        command_usage(c, "--tls-cert and --tls-key: whole paths, beginning with /");
        return false;
    }
    if (!kind && !chain)
        return true;
    if (gate_tls_choose(&g->tls, chain, key, why) == ERR_OK)
        return true;
    command_fail(c, "%s", why);
    return false;
}

bool reach_read_options(struct command *c, struct gate_config *g)
{
    const char *bind = args_value(&c->args, "bind");
    long port = GATE_PORT;

    memset(g, 0, sizeof *g);
    if (!command_number(c, "port", 1, 65535, &port))
        return false;
    if (bind && (strlen(bind) >= sizeof g->bind || !*bind)) {
        command_usage(c, "--bind: not an address");
        return false;
    }
    g->port = (uint16_t)port;
    g->port_required = args_has(&c->args, "port");
    snprintf(g->bind, sizeof g->bind, "%s", bind ? bind : "127.0.0.1");
    return read_origins(c, g) && read_url(c, g, "url", true, g->url) &&
           read_url(c, g, "page-url", false, g->page_url) && read_base_path(c, g) && read_tls(c, g);
}

/* --- the gate that runs --------------------------------------------------------------------- */

static bool has_origin(const struct gate_config *g, const char *origin)
{
    for (unsigned i = 0; i < g->n_origins; i++) {
        if (strcmp(g->origins[i], origin) == 0)
            return true;
    }
    return false;
}

/* The option that asks for something else than the running gate is; NULL when none does. */
static const char *disagreement(struct command *c, const struct gate_config *want,
                                const struct gate_config *have, unsigned port)
{
    const struct args *a = &c->args;

    if (want->port_required && want->port != port)
        return "--port";
    if (args_has(a, "bind") && strcmp(want->bind, have->bind) != 0)
        return "--bind";
    if (args_has(a, "base-path") && strcmp(want->base_path, have->base_path) != 0)
        return "--base-path";
    if (want->tls.on && (!have->tls.on || strcmp(want->tls.chain, have->tls.chain) != 0 ||
                         strcmp(want->tls.key, have->tls.key) != 0))
        return want->tls.own ? "--tls" : "--tls-cert";
    if (args_has(a, "url") && strcmp(want->url, have->url) != 0)
        return "--url";
    if (args_has(a, "page-url") && strcmp(want->page_url, have->page_url) != 0)
        return "--page-url";
    if (want->allow_null_origin && !have->allow_null_origin)
        return "--saved-page";
    for (unsigned i = 0; i < want->n_origins; i++) {
        if (!has_origin(have, want->origins[i]))
            return "--origin";
    }
    return NULL;
}

/* A gate that runs stays as it is: asking for another is an error that says what differs. */
static bool agrees_with_running(struct command *c, const struct gate_config *want)
{
    struct gate_link *g = c->daemon->gate;
    const struct gate_config *have = gate_link_config(g);
    unsigned port = gate_link_port(g) ? gate_link_port(g) : have->port;
    const char *option = disagreement(c, want, have, port);

    if (!option)
        return true;
    command_fail(c,
                 "the gate listens on %s port %u already, with another %s: leave it out, or end "
                 "its shares first (vitrine unshare --all)",
                 have->bind, port, option);
    return false;
}

static bool asks_for_a_gate(const struct command *c)
{
    static const char *const options[] = {"port", "bind", "origin",   "saved-page", "base-path",
                                          "tls",  "url",  "page-url", "tls-cert"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (args_has(&c->args, options[i]))
            return true;
    }
    return false;
}

bool reach_start_gate(struct command *c, const struct gate_config *want)
{
    struct gate_link *g = c->daemon->gate;

    if (asks_for_a_gate(c) && !share_first(c->daemon->shares)) {
        tunnel_stop(c->daemon->tunnel);
        gate_link_stop(g); /* it may still run for a while after the last share */
    }
    if (gate_link_state(g) == GATE_STARTING || gate_link_state(g) == GATE_READY)
        return agrees_with_running(c, want);
    if (gate_link_start(g, want) == ERR_OK)
        return true;
    command_fail(c, "the gate cannot be started");
    return false;
}

/* --- URLs ----------------------------------------------------------------------------------- */

static bool is_wildcard(const char *address)
{
    return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
}

/* The gate's own address, with the base path. */
static void own_url(const struct daemon *d, char out[URL_BYTES])
{
    const struct gate_config *have = gate_link_config(d->gate);
    const char *address = gate_link_address(d->gate);
    const char *shown = is_wildcard(address) ? "127.0.0.1" : address;
    bool v6 = strchr(shown, ':') && shown[0] != '[';

    snprintf(out, URL_BYTES, v6 ? "http%s://[%s]:%u%s" : "http%s://%s:%u%s",
             have->tls.on ? "s" : "", shown, gate_link_port(d->gate),
             have->base_path[0] ? have->base_path : "/");
}

/* Where people find the gate: what the tunnel or the user said, else its own address. */
static void gate_url(const struct daemon *d, char out[URL_BYTES])
{
    const struct gate_config *have = gate_link_config(d->gate);
    const char *tunnel = tunnel_url(d->tunnel);

    if (tunnel[0] || have->url[0])
        snprintf(out, URL_BYTES, "%s", tunnel[0] ? tunnel : have->url);
    else
        own_url(d, out);
}

void reach_put_url(struct daemon *d, const struct share_link *link, struct outbuf *out)
{
    const struct gate_config *have = gate_link_config(d->gate);
    char gate[URL_BYTES], ws[URL_BYTES + 4];

    gate_url(d, gate);
    snprintf(ws, sizeof ws, "ws%sws", gate + strlen("http")); /* https gives wss */
    share_link_url(d->shares, link, have->page_url[0] ? have->page_url : gate,
                   have->page_url[0] ? ws : NULL, out);
}

/* --- the tunnel ----------------------------------------------------------------------------- */

bool reach_keep_tunnel(struct command *c, struct reach_tunnel *out)
{
    const char *line = args_value(&c->args, "tunnel");
    const char *pattern = args_value(&c->args, "tunnel-pattern");

    out->line = line ? strdup(line) : NULL;
    out->pattern = pattern ? strdup(pattern) : NULL;
    if ((!line || out->line) && (!pattern || out->pattern))
        return true;
    reach_clear_tunnel(out);
    return false;
}

void reach_clear_tunnel(struct reach_tunnel *t)
{
    free(t->line);
    free(t->pattern);
    *t = (struct reach_tunnel){NULL, NULL};
}

static enum err start_tunnel(struct command *c, const struct reach_tunnel *want,
                             char why[TUNNEL_WHY])
{
    struct daemon *d = c->daemon;
    char url[URL_BYTES];
    char **env = spawn_environment(c);
    struct tunnel_request r = {.command = want->line,
                               .pattern = want->pattern,
                               .fixed_url = gate_link_config(d->gate)->url,
                               .gate_url = url,
                               .port = gate_link_port(d->gate),
                               .env = (const char *const *)env};
    enum err e = env ? ERR_OK : ERR_MEMORY;

    own_url(d, url);
    url[strlen(url) - 1] = '\0';
    if (e == ERR_OK)
        e = tunnel_start(d->tunnel, &r, why);
    else
        snprintf(why, TUNNEL_WHY, "out of memory");
    environment_free_list(env);
    return e;
}

void reach_allow_tunnel(struct daemon *d)
{
    const char *url = tunnel_url(d->tunnel);
    const char *host = host_of(url);
    char origin[GATE_TEXT_MAX];

    if (!host)
        return;
    snprintf(origin, sizeof origin, "%.*s", (int)(host - url + (long)strcspn(host, "/")), url);
    if (is_origin(origin))
        gate_link_add_origin(d->gate, origin);
}

void reach_wait_tunnel(struct command *c, const struct reach_tunnel *want, tunnel_ready_fn *fn,
                       void *ctx)
{
    struct tunnel *t = c->daemon->tunnel;
    char why[TUNNEL_WHY] = "";

    if (!want->line) {
        fn(ctx, NULL);
        return;
    }
    if (tunnel_state(t) == TUNNEL_OFF || tunnel_state(t) == TUNNEL_FAILED)
        start_tunnel(c, want, why);
    else if (strcmp(tunnel_command(t), want->line) != 0)
        snprintf(why, sizeof why,
                 "another tunnel runs already: leave --tunnel out, or end its shares first "
                 "(vitrine unshare --all)");
    if (why[0])
        fn(ctx, why);
    else if (tunnel_wait(t, fn, ctx) != ERR_OK)
        fn(ctx, "too many commands wait for the tunnel");
}

const char *reach_advice(const struct daemon *d)
{
    const struct gate_config *have = gate_link_config(d->gate);

    if (have->tls.on && have->tls.own && !have->url[0] && !tunnel_url(d->tunnel)[0])
        return "The certificate is self-signed: browsers warn once before they open the page.";
    if (is_wildcard(gate_link_address(d->gate)) && !have->tls.on && !have->url[0] &&
        !tunnel_url(d->tunnel)[0])
        return "The gate listens on every address of this host; browsers elsewhere need https to "
               "open the page.";
    return NULL;
}
