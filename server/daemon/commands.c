#include "server/daemon/commands.h"

#include <stddef.h>

static command_run *const table[ARGS_COMMANDS] = {
    [ARGS_COMMAND_new_session] = cmd_new_session,
    [ARGS_COMMAND_attach_session] = cmd_attach_session,
    [ARGS_COMMAND_detach_client] = cmd_detach_client,
    [ARGS_COMMAND_list_sessions] = cmd_list_sessions,
    [ARGS_COMMAND_has_session] = cmd_has_session,
    [ARGS_COMMAND_rename_session] = cmd_rename_session,
    [ARGS_COMMAND_list_panes] = cmd_list_panes,
    [ARGS_COMMAND_send_keys] = cmd_send_keys,
    [ARGS_COMMAND_capture_pane] = cmd_capture_pane,
    [ARGS_COMMAND_kill_session] = cmd_kill_session,
    [ARGS_COMMAND_kill_server] = cmd_kill_server,
    [ARGS_COMMAND_start_server] = cmd_start_server,
    [ARGS_COMMAND_share] = cmd_share,
    [ARGS_COMMAND_shares] = cmd_shares,
    [ARGS_COMMAND_links] = cmd_links,
    [ARGS_COMMAND_unshare] = cmd_unshare,
    [ARGS_COMMAND_viewers] = cmd_viewers,
    [ARGS_COMMAND_kick] = cmd_kick,
    [ARGS_COMMAND_gate] = cmd_gate,
    [ARGS_COMMAND_info] = cmd_info,
    [ARGS_COMMAND_doctor] = cmd_doctor,
#ifdef VITRINE_TEST
    [ARGS_COMMAND_advance_clock] = cmd_advance_clock,
#endif
};

command_run *commands_find(enum args_command id)
{
    return id < ARGS_COMMANDS ? table[id] : NULL;
}
