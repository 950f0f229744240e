/* The bindings a daemon begins with: tmux's, of every command that exists, and S for links. */
#include "server/daemon/keytable.h"

#include <stddef.h>

#define PREFIX(key, line, note)          \
    {                                    \
        "prefix", key, false, line, note \
    }
#define REPEAT(key, line, note)         \
    {                                   \
        "prefix", key, true, line, note \
    }

/* tmux's menus, without what they say of words under the mouse. */
#define MENU_NEEDS(condition, name) "\"#{?" condition ",,-}" name "\""
#define MENU_MARK                   "\"#{?pane_marked,Unmark,Mark}\" m 'select-pane -m' "

#define WINDOW_MENU                                                                           \
    "display-menu -T '#[align=centre]#{window_index}:#{window_name}' -x W -y W "              \
    MENU_NEEDS("#{>:#{session_windows},1}", "Swap Left") " l 'swap-window -t :-1' "           \
    MENU_NEEDS("#{>:#{session_windows},1}", "Swap Right") " r 'swap-window -t :+1' "          \
    MENU_NEEDS("pane_marked_set", "Swap Marked") " s swap-window '' "                         \
    "Kill X kill-window Respawn R 'respawn-window -k' " MENU_MARK                             \
    "Rename n 'command-prompt -F -I \"#W\" \"rename-window -t #{window_id} -- \\\"%%\\\"\"' '' " \
    "'New After' w 'new-window -a' 'New At End' W new-window"

#define PANE_MENU                                                                             \
    "display-menu -T '#[align=centre]#{pane_index} (#{pane_id})' -x P -y P "                  \
    "'Horizontal Split' h 'split-window -h' 'Vertical Split' v 'split-window -v' '' "         \
    MENU_NEEDS("#{>:#{window_panes},1}", "Swap Up") " u 'swap-pane -U' "                      \
    MENU_NEEDS("#{>:#{window_panes},1}", "Swap Down") " d 'swap-pane -D' "                    \
    MENU_NEEDS("pane_marked_set", "Swap Marked") " s swap-pane '' "                           \
    "Kill X kill-pane Respawn R 'respawn-pane -k' " MENU_MARK                                 \
    MENU_NEEDS("#{>:#{window_panes},1}", "#{?window_zoomed_flag,Unzoom,Zoom}")                \
    " z 'resize-pane -Z'"

static const struct keytable_default defaults[] = {
    PREFIX("C-b", "send-prefix", "send the prefix key to the program"),
    PREFIX("C-o", "rotate-window", "rotate through the panes"),
    PREFIX("C-z", "suspend-client", "stop this terminal's client; fg goes on"),
    PREFIX("Space", "next-layout", "next layout"),
    PREFIX("!", "break-pane", "give the pane a window of its own"),
    PREFIX("\"", "split-window", "split, one below the other"),
    PREFIX("#", "list-buffers", "list the paste buffers"),
    PREFIX("$", "command-prompt -I '#S' 'rename-session -- \"%%\"'", "rename the session"),
    PREFIX("%", "split-window -h", "split, side by side"),
    PREFIX("&", "confirm-before -p 'kill-window #W? (y/n)' kill-window", "end the window"),
    PREFIX("'", "command-prompt -T window-target -p index 'select-window -t \":%%\"'", "go to a window by index"),
    PREFIX("(", "switch-client -p", "go to the session before"),
    PREFIX(")", "switch-client -n", "go to the next session"),
    PREFIX(",", "command-prompt -I '#W' 'rename-window -- \"%%\"'", "rename the window"),
    PREFIX("-", "delete-buffer", "delete the newest paste buffer"),
    PREFIX(".", "command-prompt -T target -p '(move-window)' 'move-window -t \"%%\"'", "move the window"),
    PREFIX("/", "command-prompt -k -p key 'list-keys -1N \"%%\"'", "say what a key does"),
    PREFIX("0", "select-window -t :=0", "go to window 0"),
    PREFIX("1", "select-window -t :=1", "go to window 1"),
    PREFIX("2", "select-window -t :=2", "go to window 2"),
    PREFIX("3", "select-window -t :=3", "go to window 3"),
    PREFIX("4", "select-window -t :=4", "go to window 4"),
    PREFIX("5", "select-window -t :=5", "go to window 5"),
    PREFIX("6", "select-window -t :=6", "go to window 6"),
    PREFIX("7", "select-window -t :=7", "go to window 7"),
    PREFIX("8", "select-window -t :=8", "go to window 8"),
    PREFIX("9", "select-window -t :=9", "go to window 9"),
    PREFIX(":", "command-prompt", "type a command"),
    PREFIX(";", "last-pane", "go to the pane before"),
    PREFIX("<", WINDOW_MENU, "show a menu about the window"),
    PREFIX("=", "choose-buffer -Z", "choose a paste buffer from a list"),
    PREFIX(">", PANE_MENU, "show a menu about the pane"),
    PREFIX("?", "list-keys -N", "show these keys"),
    PREFIX("D", "choose-client -Z", "choose a terminal from a list"),
    PREFIX("E", "select-layout -E", "spread the panes evenly"),
    PREFIX("L", "switch-client -l", "go to the last session"),
    PREFIX("M", "select-pane -M", "clear the marked pane"),
    PREFIX("S", "links", "show the links of this pane, with a QR code"),
    PREFIX("[", "copy-mode", "look back, search and copy"),
    PREFIX("]", "paste-buffer -p", "paste the newest buffer"),
    PREFIX("c", "new-window", "open a window"),
    PREFIX("d", "detach-client", "detach this terminal; programs run on"),
    PREFIX("f", "command-prompt 'find-window -Z -- \"%%\"'", "search for a pane"),
    PREFIX("i", "display-message", "say where this is"),
    PREFIX("l", "last-window", "go to the last window"),
    PREFIX("m", "select-pane -m", "mark the pane, or take its mark away"),
    PREFIX("n", "next-window", "go to the next window"),
    PREFIX("o", "select-pane -t :.+", "go to the next pane"),
    PREFIX("p", "previous-window", "go to the window before"),
    PREFIX("q", "display-panes", "show the panes' numbers"),
    PREFIX("r", "refresh-client", "redraw the terminal"),
    PREFIX("s", "choose-tree -Zs", "choose a session from a list"),
    PREFIX("t", "clock-mode", "show a clock"),
    PREFIX("w", "choose-tree -Zw", "choose a window from a list"),
    PREFIX("x", "confirm-before -p 'kill-pane #P? (y/n)' kill-pane", "end the pane"),
    PREFIX("z", "resize-pane -Z", "zoom the pane, or back"),
    PREFIX("{", "swap-pane -U", "swap with the pane before"),
    PREFIX("}", "swap-pane -D", "swap with the next pane"),
    PREFIX("~", "show-messages", "show messages"),
    PREFIX("PPage", "copy-mode -u", "look back by a page"),
    REPEAT("Up", "select-pane -U", "go to the pane above"),
    REPEAT("Down", "select-pane -D", "go to the pane below"),
    REPEAT("Left", "select-pane -L", "go to the pane on the left"),
    REPEAT("Right", "select-pane -R", "go to the pane on the right"),
    PREFIX("M-1", "select-layout even-horizontal", "all side by side"),
    PREFIX("M-2", "select-layout even-vertical", "all one below the other"),
    PREFIX("M-3", "select-layout main-horizontal", "a large one above"),
    PREFIX("M-4", "select-layout main-vertical", "a large one on the left"),
    PREFIX("M-5", "select-layout tiled", "tiled"),
    PREFIX("M-n", "next-window -a", "go to the next window with a mark"),
    PREFIX("M-o", "rotate-window -D", "rotate through the panes, backwards"),
    PREFIX("M-p", "previous-window -a", "go to the window before with a mark"),
    REPEAT("M-Up", "resize-pane -U 5", "move the border up by 5"),
    REPEAT("M-Down", "resize-pane -D 5", "move the border down by 5"),
    REPEAT("M-Left", "resize-pane -L 5", "move the border left by 5"),
    REPEAT("M-Right", "resize-pane -R 5", "move the border right by 5"),
    REPEAT("C-Up", "resize-pane -U", "move the border up"),
    REPEAT("C-Down", "resize-pane -D", "move the border down"),
    REPEAT("C-Left", "resize-pane -L", "move the border left"),
    REPEAT("C-Right", "resize-pane -R", "move the border right"),
};

const struct keytable_default *keytable_default_at(unsigned i)
{
    const unsigned n = sizeof defaults / sizeof defaults[0];

    return i < n ? &defaults[i] : keytable_copy_default_at(i - n);
}
