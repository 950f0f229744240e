/* Commands about the daemon itself: kill-server, start-server, gate, info, doctor. */
#include "proto/compat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crypto/aead.h"
#include "crypto/secret.h"
#include "server/daemon/commands.h"
#include "server/daemon/control.h"
#include "server/daemon/daemon.h"
#include "server/daemon/gate_link.h"
#include "server/daemon/json.h"
#include "server/daemon/loop.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/tunnel.h"
#include "server/daemon/viewer.h"

enum command_result cmd_kill_server(struct command *c)
{
    loop_stop(c->daemon->loop); /* at the end of this round; control_close writes what is left */
    return COMMAND_DONE;
}

enum command_result cmd_start_server(struct command *c)
{
    (void)c; /* that it runs is the whole of it */
    return COMMAND_DONE;
}

/* --- gate ----------------------------------------------------------------------------------- */

static const char *state_name(enum gate_state s)
{
    switch (s) {
    case GATE_OFF:
        return "off";
    case GATE_STARTING:
        return "starting";
    case GATE_READY:
        return "ready";
    case GATE_FAILED:
        return "failed";
    }
    return "unknown";
}

static void gate_json(const struct daemon *d, struct outbuf *out)
{
    const struct gate_link *g = d->gate;
    const struct gate_tls *tls = &gate_link_config(g)->tls;

    outbuf_printf(out, "{\"state\":\"%s\",\"address\":", state_name(gate_link_state(g)));
    json_string(out, gate_link_address(g));
    outbuf_printf(out, ",\"port\":%u,\"pid\":%ld,\"connections\":%zu,\"restarts\":%u",
                  gate_link_port(g), (long)gate_link_pid(g), gate_link_carriers(g),
                  gate_link_restarts(g));
    if (gate_link_state(g) == GATE_READY && tls->on) {
        outbuf_text(out, ",\"certificate\":{\"file\":");
        json_string(out, tls->chain);
        outbuf_printf(out, ",\"until\":%lld,\"sha256\":", (long long)tls->until_s);
        json_hex(out, tls->fingerprint, sizeof tls->fingerprint);
        outbuf_byte(out, '}');
    }
    if (tunnel_state(d->tunnel) != TUNNEL_OFF) {
        outbuf_text(out, ",\"tunnel\":{\"command\":");
        json_string(out, tunnel_command(d->tunnel));
        outbuf_printf(out, ",\"up\":%s,\"url\":",
                      tunnel_state(d->tunnel) == TUNNEL_UP ? "true" : "false");
        json_string(out, tunnel_url(d->tunnel));
        outbuf_byte(out, '}');
    }
    outbuf_byte(out, '}');
}

/* The end of a certificate and its fingerprint, as browsers show it. */
static void certificate_text(const struct gate_tls *tls, struct outbuf *out)
{
    time_t until = (time_t)tls->until_s;
    struct tm tm;
    char day[16];

    gmtime_r(&until, &tm);
    strftime(day, sizeof day, "%Y-%m-%d", &tm);
    outbuf_printf(out, "certificate: %s, until %s, SHA-256", tls->chain, day);
    for (size_t i = 0; i < sizeof tls->fingerprint; i++)
        outbuf_printf(out, "%c%02X", i == 0 ? ' ' : ':', tls->fingerprint[i]);
    outbuf_byte(out, '\n');
}

static void gate_text(const struct daemon *d, struct outbuf *out)
{
    const struct gate_link *g = d->gate;

    outbuf_printf(out, "gate: %s", state_name(gate_link_state(g)));
    if (gate_link_state(g) == GATE_READY)
        outbuf_printf(out, " on %s port %u, process %ld, %zu connections, restarted %u times",
                      gate_link_address(g), gate_link_port(g), (long)gate_link_pid(g),
                      gate_link_carriers(g), gate_link_restarts(g));
    outbuf_byte(out, '\n');
    if (gate_link_state(g) == GATE_READY && gate_link_config(g)->tls.on)
        certificate_text(&gate_link_config(g)->tls, out);
    if (tunnel_state(d->tunnel) != TUNNEL_OFF) {
        outbuf_printf(out, "tunnel: %s: ", tunnel_command(d->tunnel));
        tunnel_describe(d->tunnel, out);
        outbuf_byte(out, '\n');
    }
}

enum command_result cmd_gate(struct command *c)
{
    bool json_behind = c->args.n_words == 2 && strcmp(c->args.words[1], "--json") == 0;
    const char *what = c->args.n_words == 1 || json_behind ? c->args.words[0] : "";

    if (strcmp(what, "restart") == 0) {
        enum gate_state state = gate_link_state(c->daemon->gate);

        if (state != GATE_READY && state != GATE_STARTING)
            return command_fail(c, "the gate does not run: it starts with the first share");
        gate_link_restart(c->daemon->gate);
        return COMMAND_DONE;
    }
    if (strcmp(what, "status") != 0)
        return command_usage(c, "gate needs one word: status or restart");
    if (args_has(&c->args, "json") || json_behind) {
        gate_json(c->daemon, &c->out);
        outbuf_byte(&c->out, '\n');
    } else {
        gate_text(c->daemon, &c->out);
    }
    return COMMAND_DONE;
}

/* --- info ----------------------------------------------------------------------------------- */

static size_t count_viewers(const struct daemon *d)
{
    size_t n = 0;

    for (struct share *s = share_first(d->shares); s; s = s->next)
        n += s->viewers;
    return n;
}

enum command_result cmd_info(struct command *c)
{
    struct daemon *d = c->daemon;
    long long up = (long long)(loop_wall_s(d->loop) - d->started_s);

    if (args_has(&c->args, "json")) {
        outbuf_printf(&c->out,
                      "{\"version\":\"%s\",\"pid\":%ld,\"up_s\":%lld,\"sessions\":%zu,"
                      "\"shares\":%zu,\"viewers\":%zu,\"clients\":%zu,\"socket\":",
                      VITRINE_VERSION, (long)getpid(), up, session_count(d->sessions),
                      share_count(d->shares), count_viewers(d), control_client_count(d->control));
        json_string(&c->out, d->socket_path);
        outbuf_text(&c->out, ",\"gate\":");
        gate_json(d, &c->out);
        outbuf_text(&c->out, "}\n");
        return COMMAND_DONE;
    }
    outbuf_printf(&c->out, "vitrined %s, process %ld, up %llds, socket %s\n", VITRINE_VERSION,
                  (long)getpid(), up, d->socket_path);
    outbuf_printf(&c->out, "%zu sessions, %zu shares, %zu viewers, %zu clients\n",
                  session_count(d->sessions), share_count(d->shares), count_viewers(d),
                  control_client_count(d->control));
    gate_text(d, &c->out);
    return COMMAND_DONE;
}

/* --- doctor --------------------------------------------------------------------------------- */

struct checks {
    struct command *command;
    bool json;
    bool all_ok;
    const char *comma;
};

/* One line of the answer. */
static void check(struct checks *k, const char *name, bool ok, const char *detail)
{
    struct outbuf *out = &k->command->out;

    k->all_ok = k->all_ok && ok;
    if (!k->json) {
        outbuf_printf(out, "%-4s %s: %s\n", ok ? "ok" : "MISS", name, detail);
        return;
    }
    outbuf_printf(out, "%s{\"check\":", k->comma);
    json_string(out, name);
    outbuf_printf(out, ",\"ok\":%s,\"detail\":", ok ? "true" : "false");
    json_string(out, detail);
    outbuf_byte(out, '}');
    k->comma = ",";
}

static bool can_open_pty(void)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* The daemon's part: what a share needs of it. The client adds its own. */
enum command_result cmd_doctor(struct command *c)
{
    struct daemon *d = c->daemon;
    struct checks k = {c, args_has(&c->args, "json"), true, ""};
    bool gate = access(d->gate_program, X_OK) == 0;
    bool pty = can_open_pty();
    char text[512];

    if (k.json)
        outbuf_byte(&c->out, '[');
    snprintf(text, sizeof text, "%s, process %ld", VITRINE_VERSION, (long)getpid());
    check(&k, "daemon", true, text);
    snprintf(text, sizeof text, "%.400s%s", d->gate_program, gate ? "" : ": cannot be run");
    check(&k, "gate program", gate, text);
    snprintf(text, sizeof text, "AES-256-GCM by %s", aead_backend_name(aead_backend()));
    check(&k, "cipher", true, text);
    /* sharing works without it: a warning, not a failure */
    check(&k, "locked memory", true,
          secret_locked() ? "keys cannot reach the swap"
                          : "warning: keys could not be locked and may reach the swap: raise the "
                            "limit (ulimit -l)");
    check(&k, "pseudo-terminals", pty,
          pty ? "available" : "none is left: see /proc/sys/kernel/pty/max");
    if (k.json)
        outbuf_text(&c->out, "]\n");
    return k.all_ok ? COMMAND_DONE : COMMAND_FAILED;
}

#ifdef VITRINE_TEST
enum command_result cmd_advance_clock(struct command *c)
{
    long ms;

    if (c->args.n_words != 1 || args_number(c->args.words[0], 0, 2000000000L, &ms) != ERR_OK)
        return command_usage(c, "advance-clock needs milliseconds");
    loop_advance(c->daemon->loop, (uint64_t)ms);
    return COMMAND_DONE;
}
#endif
