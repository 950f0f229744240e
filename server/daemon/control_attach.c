/* Clients that are attached: between the socket's frames and the terminal that attach.c composes.
 */
#include "server/daemon/control_state.h"

#include <stdio.h>
#include <unistd.h>

#include "server/daemon/attach.h"
#include "server/daemon/cmd_links.h"
#include "server/daemon/daemon.h"

static void send_detached(struct client *k, enum ipc_detached reason, const char *text)
{
    struct ipc_detached_report m = {(uint8_t)reason, bytes_of(text)};
    uint8_t body[512];
    struct wbuf w;

    wbuf_init(&w, body, sizeof body);
    ipc_encode_detached_report(&w, &m);
    control_send(k, IPC_MSG_DETACHED, body, w.len);
    control_send_exit(k, 0);
}

static void on_draw(void *ctx, const uint8_t *p, size_t n)
{
    struct client *k = ctx;

    for (size_t done = 0; done < n;) {
        size_t part = n - done < IPC_DATA_MAX_BYTES ? n - done : IPC_DATA_MAX_BYTES;

        control_send(k, IPC_MSG_DRAW, p + done, part);
        done += part;
    }
}

static void end_attach(struct client *k)
{
    attach_session(k->attach)->attached--;
    attach_destroy(k->attach);
    k->attach = NULL;
    daemon_refresh(k->control->daemon);
    daemon_terminal_left(k->control->daemon);
}

void control_end_attach(struct client *k, enum ipc_detached reason, const char *text)
{
    if (!k->attach)
        return;
    k->hang_up = attach_hangs_up(k->attach);
    send_detached(k, reason, text); /* text may be the attach's own */
    end_attach(k);
}

static void on_detach(void *ctx, enum ipc_detached reason, const char *text)
{
    control_end_attach(ctx, reason, text);
}

static void on_links(void *ctx, const struct share *s, struct outbuf *out)
{
    struct client *k = ctx;

    cmd_links_text(k->control->daemon, s, out);
}

static void on_resume(void *ctx)
{
    struct client *k = ctx;

    if (!k->dead)
        control_watch_client(k);
}

/* The terminal the client runs in, as the kernel knows it. */
static void find_terminal_name(const struct client *k, char name[ATTACH_NAME_MAX])
{
    char path[64];
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%ld/fd/0", (long)k->pid);
    n = k->pid > 0 ? readlink(path, name, ATTACH_NAME_MAX - 1) : -1;
    if (n > 0)
        name[n] = '\0';
    else
        snprintf(name, ATTACH_NAME_MAX, "client-%ld", (long)k->pid);
}

void control_attach(struct client *k, struct command *c)
{
    struct daemon *d = k->control->daemon;
    char name[ATTACH_NAME_MAX], term[32];
    struct attach_options o = {.cols = k->request.cols,
                               .rows = k->request.rows,
                               .flags = k->request.flags,
                               .read_only = c->read_only,
                               .ignore_size = c->ignore_size,
                               .show_links = c->show_links,
                               .name = name,
                               .term = term,
                               .pid = k->pid};
    struct attach_ops ops = {.draw = on_draw,
                             .detach = on_detach,
                             .links = on_links,
                             .resume = on_resume,
                             .daemon = d,
                             .world = &d->world,
                             .ctx = k};
    struct ipc_attached m = {bytes_of(c->session->name)};
    uint8_t body[128];
    struct wbuf w;

    find_terminal_name(k, name);
    snprintf(term, sizeof term, "%.*s", (int)k->request.term.len,
             k->request.term.p ? (const char *)k->request.term.p : "");
    wbuf_init(&w, body, sizeof body);
    ipc_encode_attached(&w, &m);
    control_send(k, IPC_MSG_ATTACHED, body, w.len);
    loop_timer_stop(&k->deadline);
    k->attach = attach_create(d->loop, d->sessions, c->session, d->shares, &o, &ops);
    if (!k->attach) {
        send_detached(k, IPC_DETACHED_KILLED, "out of memory");
        return;
    }
    k->state = CLIENT_ATTACHED;
    c->session->attached++;
    session_touch(d->sessions, c->session);
    daemon_refresh(d);
}

bool control_take_attached(struct client *k, uint8_t type, struct bytes body)
{
    struct ipc_keys keys;
    struct ipc_size size;
    struct ipc_drawn drawn;
    struct ipc_detach detach;

    if (type == IPC_MSG_KEYS && ipc_decode_keys(body, &keys) == ERR_OK)
        attach_keys(k->attach, keys.data.p, keys.data.len);
    else if (type == IPC_MSG_SIZE && ipc_decode_size(body, &size) == ERR_OK)
        attach_resize(k->attach, size.cols, size.rows);
    else if (type == IPC_MSG_DRAWN && ipc_decode_drawn(body, &drawn) == ERR_OK)
        attach_drawn(k->attach, drawn.total);
    else if (type == IPC_MSG_DETACH && ipc_decode_detach(body, &detach) == ERR_OK)
        control_end_attach(k, IPC_DETACHED_ASKED, "");
    else
        return false;
    return true;
}
