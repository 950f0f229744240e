/* COMMAND: what operators may do to what is shared, and nothing else.
 *
 * An allow-list of eight operations with fixed arguments. A target is a number; it is looked for
 * inside the share only, so that nothing outside can be named. No text of a viewer's reaches the
 * command parser, a format or a program. */
#include "server/daemon/session.h"
#include "server/daemon/share.h"
#include "server/daemon/viewer_state.h"

#define DIRECTION_MAX 3
#define RESIZE_BYTES  3 /* u8 direction, u16 cells */

/* What a target of an operation is. */
enum target_is { NO_OP, A_PANE, A_WINDOW, NOTHING };

static enum target_is target_of(uint8_t op)
{
    switch ((enum viewer_command_op)op) {
    case COMMAND_OP_SPLIT_H:
    case COMMAND_OP_SPLIT_V:
    case COMMAND_OP_SELECT_PANE:
    case COMMAND_OP_ZOOM:
    case COMMAND_OP_KILL_PANE:
    case COMMAND_OP_RESIZE:
        return A_PANE;
    case COMMAND_OP_SELECT_WINDOW:
        return A_WINDOW;
    case COMMAND_OP_NEW_WINDOW:
        return NOTHING;
    }
    return NO_OP;
}

/* Reads the operation's arguments. False when they are not exactly what it has. */
static bool read_arguments(const struct viewer_command *m, struct viewer_request *r)
{
    struct rbuf in;

    rbuf_init(&in, m->arguments.p, m->arguments.len);
    r->op = m->op;
    if (m->op != COMMAND_OP_RESIZE)
        return m->arguments.len == 0;
    if (m->arguments.len != RESIZE_BYTES)
        return false;
    r->direction = rbuf_u8(&in);
    r->cells = rbuf_u16(&in);
    return r->direction <= DIRECTION_MAX;
}

bool viewer_too_many(struct viewer *v, struct viewer_rate *r, unsigned most)
{
    uint64_t now = loop_now_ms(v->list->loop);

    if (now - r->since_ms >= 1000) {
        r->since_ms = now;
        r->n = 0;
    }
    if (r->n >= most)
        return true;
    r->n++;
    return false;
}

/* Finds what the command is about. */
static bool resolve(const struct viewer *v, const struct viewer_command *m, struct target *out)
{
    switch (target_of(m->op)) {
    case A_PANE:
        return viewer_find_target(v, m->target, out);
    case A_WINDOW:
        return viewer_find_window(v, m->target, out);
    case NOTHING:
        return share_place(v->share, v->list->sessions, out) && out->session;
    case NO_OP:
        break;
    }
    return false;
}

static const char *refusal(struct viewer *v, const struct viewer_command *m, bool decline)
{
    bool of_session = target_of(m->op) != A_PANE;

    if (decline || !(viewer_capabilities(v) & CAPABILITY_COMMANDS))
        return "commands are not part of this share";
    if (of_session && v->share->kind != SHARE_SESSION)
        return "only one window is shared";
    if (viewer_too_many(v, &v->commands, VIEWER_COMMANDS_S))
        return "too many commands; try again in a second";
    return NULL;
}

void viewer_take_command(struct viewer *v, struct bytes body, bool decline)
{
    struct viewer_command m;
    struct viewer_request r = {0};
    struct target at = {NULL, NULL, NULL};
    const char *refused;
    char why[160] = "";
    bool ok;

    if (viewer_decode_command(body, &m) != ERR_OK || !read_arguments(&m, &r)) {
        viewer_cut(v, VIEWER_MALFORMED);
        return;
    }
    refused = refusal(v, &m, decline);
    if (refused) {
        viewer_done(v, m.request, DONE_RESULT_REFUSED, refused);
        return;
    }
    if (!resolve(v, &m, &at)) {
        viewer_done(v, m.request, DONE_RESULT_NOT_FOUND, "there is no such thing in this share");
        return;
    }
    r.at = &at;
    ok = v->list->hooks.command(v->list->hooks.ctx, &r, why, sizeof why);
    if (v->connection && v->state == VIEWER_LIVE) /* the command may have ended the share */
        viewer_done(v, m.request, ok ? DONE_RESULT_OK : DONE_RESULT_REFUSED, why);
}

void viewer_share_changed(struct viewer_list *list, const struct share *s)
{
    for (struct viewer *v = list->first; v; v = v->next) {
        struct viewer_role_change m = {.role = v->role, .reason = ROLE_REASON_OWNER};
        uint8_t body[16];
        struct wbuf w;

        if (v->share != s || v->state != VIEWER_LIVE || v->role != ROLE_OPERATOR)
            continue;
        m.capabilities = viewer_capabilities(v);
        wbuf_init(&w, body, sizeof body);
        viewer_encode_role_change(&w, &m);
        viewer_send(v, VIEWER_MSG_ROLE, &w);
    }
}
