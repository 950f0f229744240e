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
    [ARGS_COMMAND_new_window] = cmd_new_window,
    [ARGS_COMMAND_split_window] = cmd_split_window,
    [ARGS_COMMAND_select_window] = cmd_select_window,
    [ARGS_COMMAND_next_window] = cmd_next_window,
    [ARGS_COMMAND_previous_window] = cmd_previous_window,
    [ARGS_COMMAND_last_window] = cmd_last_window,
    [ARGS_COMMAND_select_pane] = cmd_select_pane,
    [ARGS_COMMAND_last_pane] = cmd_last_pane,
    [ARGS_COMMAND_swap_pane] = cmd_swap_pane,
    [ARGS_COMMAND_swap_window] = cmd_swap_window,
    [ARGS_COMMAND_move_window] = cmd_move_window,
    [ARGS_COMMAND_rotate_window] = cmd_rotate_window,
    [ARGS_COMMAND_resize_pane] = cmd_resize_pane,
    [ARGS_COMMAND_resize_window] = cmd_resize_window,
    [ARGS_COMMAND_select_layout] = cmd_select_layout,
    [ARGS_COMMAND_next_layout] = cmd_next_layout,
    [ARGS_COMMAND_previous_layout] = cmd_previous_layout,
    [ARGS_COMMAND_rename_window] = cmd_rename_window,
    [ARGS_COMMAND_list_windows] = cmd_list_windows,
    [ARGS_COMMAND_kill_window] = cmd_kill_window,
    [ARGS_COMMAND_kill_pane] = cmd_kill_pane,
    [ARGS_COMMAND_break_pane] = cmd_break_pane,
    [ARGS_COMMAND_join_pane] = cmd_join_pane,
    [ARGS_COMMAND_send_keys] = cmd_send_keys,
    [ARGS_COMMAND_capture_pane] = cmd_capture_pane,
    [ARGS_COMMAND_clear_history] = cmd_clear_history,
    [ARGS_COMMAND_set_buffer] = cmd_set_buffer,
    [ARGS_COMMAND_show_buffer] = cmd_show_buffer,
    [ARGS_COMMAND_list_buffers] = cmd_list_buffers,
    [ARGS_COMMAND_delete_buffer] = cmd_delete_buffer,
    [ARGS_COMMAND_load_buffer] = cmd_load_buffer,
    [ARGS_COMMAND_save_buffer] = cmd_save_buffer,
    [ARGS_COMMAND_paste_buffer] = cmd_paste_buffer,
    [ARGS_COMMAND_wait_for] = cmd_wait_for,
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
