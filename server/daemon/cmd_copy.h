/* Keys and commands for a pane in copy mode, which send-keys passes on. */
#ifndef VITRINE_DAEMON_CMD_COPY_H
#define VITRINE_DAEMON_CMD_COPY_H

#include "server/daemon/command.h"

/* send-keys -X: the words of the command are one of copy mode's. */
enum command_result cmd_copy_run(struct command *c, const struct target *t);
/* The count that the next command of copy mode takes. */
enum command_result cmd_copy_count(struct command *c, const struct target *t, long n);
/* send-keys -M: the mouse event goes to the program of the pane it was over. */
enum command_result cmd_copy_pass_mouse(struct command *c);
/* True when the pane is in copy mode: its words were keys there, by its key table. */
bool cmd_copy_keys(struct command *c, const struct target *t, long times);
/* A program wrote to the clipboard (OSC 52): as set-clipboard says. For pane_set_clipboard_hook. */
void cmd_copy_clipboard(void *daemon, struct pane *p, const uint8_t *text, size_t n);

#endif
