/* The bindings of copy mode, with emacs and with vi keys, and those of the mouse: tmux's. */
#include "server/daemon/keytable.h"

#include <stddef.h>

#define BIND(table, key, line)        \
    {                                 \
        table, key, false, line, NULL \
    }
#define EMACS_LINE(key, line) BIND("copy-mode", key, line)
#define VI_LINE(key, line)    BIND("copy-mode-vi", key, line)
#define MOUSE(key, line)      BIND("root", key, line)

/* A key that runs one command of copy mode; one that begins a count. */
#define EMACS(key, command)     EMACS_LINE(key, "send-keys -X " command)
#define VI(key, command)        VI_LINE(key, "send-keys -X " command)
#define COUNT(digit)            "command-prompt -N -I " digit " -p (repeat) { send-keys -N \"%%\" }"
#define EMACS_COUNT(key, digit) EMACS_LINE(key, COUNT(digit))
#define VI_COUNT(key, digit)    VI_LINE(key, COUNT(digit))

/* What a program that asked for the mouse, or copy mode, makes of an event; else the other line. */
#define MOUSE_OR(line) \
    "if-shell -F \"#{||:#{pane_in_mode},#{mouse_any_flag}}\" { send-keys -M } { " line " }"
/* A double or triple click selects, shows that for a moment, and copies. */
#define SELECT(what)                                                   \
    "select-pane -t = ; " MOUSE_OR("copy-mode -H ; send-keys -X " what \
                                   " ; run-shell -d 0.3 ; send-keys -X copy-pipe-and-cancel")

static const struct keytable_default defaults[] = {
    MOUSE("MouseDown1Pane", "select-pane -t = ; send-keys -M"),
    MOUSE("MouseDown1Status", "select-window -t ="),
    MOUSE("MouseDown2Pane", "select-pane -t = ; " MOUSE_OR("paste-buffer -p")),
    MOUSE("MouseDrag1Pane", MOUSE_OR("copy-mode -M")),
    MOUSE("MouseDrag1Border", "resize-pane -M"),
    MOUSE("WheelUpPane", MOUSE_OR("copy-mode -e")),
    MOUSE("WheelUpStatus", "previous-window"),
    MOUSE("WheelDownStatus", "next-window"),
    MOUSE("DoubleClick1Pane", SELECT("select-word")),
    MOUSE("TripleClick1Pane", SELECT("select-line")),

    EMACS("C-Space", "begin-selection"),
    EMACS("C-a", "start-of-line"),
    EMACS("C-b", "cursor-left"),
    EMACS("C-c", "cancel"),
    EMACS("C-e", "end-of-line"),
    EMACS("C-f", "cursor-right"),
    EMACS("C-g", "clear-selection"),
    EMACS("C-k", "copy-pipe-end-of-line-and-cancel"),
    EMACS("C-n", "cursor-down"),
    EMACS("C-p", "cursor-up"),
    EMACS_LINE("C-r", "command-prompt -i -I \"#{pane_search_string}\" -T search -p \"(search up)\" "
                      "{ send-keys -X search-backward-incremental \"%%\" }"),
    EMACS_LINE("C-s", "command-prompt -i -I \"#{pane_search_string}\" -T search -p \"(search "
                      "down)\" { send-keys -X search-forward-incremental \"%%\" }"),
    EMACS("C-v", "page-down"),
    EMACS("C-w", "copy-pipe-and-cancel"),
    EMACS("Escape", "cancel"),
    EMACS("Space", "page-down"),
    EMACS(",", "jump-reverse"),
    EMACS(";", "jump-again"),
    EMACS_LINE("F",
               "command-prompt -1 -p \"(jump backward)\" { send-keys -X jump-backward \"%%\" }"),
    EMACS("N", "search-reverse"),
    EMACS("P", "toggle-position"),
    EMACS("R", "rectangle-toggle"),
    EMACS_LINE(
        "T",
        "command-prompt -1 -p \"(jump to backward)\" { send-keys -X jump-to-backward \"%%\" }"),
    EMACS("X", "set-mark"),
    EMACS_LINE("f", "command-prompt -1 -p \"(jump forward)\" { send-keys -X jump-forward \"%%\" }"),
    EMACS_LINE("g", "command-prompt -p \"(goto line)\" { send-keys -X goto-line \"%%\" }"),
    EMACS("n", "search-again"),
    EMACS("q", "cancel"),
    EMACS("r", "refresh-from-pane"),
    EMACS_LINE(
        "t", "command-prompt -1 -p \"(jump to forward)\" { send-keys -X jump-to-forward \"%%\" }"),
    EMACS_LINE("MouseDown1Pane", "select-pane"),
    EMACS_LINE("MouseDrag1Pane", "select-pane ; send-keys -X begin-selection"),
    EMACS("MouseDragEnd1Pane", "copy-pipe-and-cancel"),
    EMACS_LINE("WheelUpPane", "select-pane ; send-keys -X -N 5 scroll-up"),
    EMACS_LINE("WheelDownPane", "select-pane ; send-keys -X -N 5 scroll-down"),
    EMACS_LINE("DoubleClick1Pane", "select-pane ; send-keys -X select-word ; run-shell -d 0.3 ; "
                                   "send-keys -X copy-pipe-and-cancel"),
    EMACS_LINE("TripleClick1Pane", "select-pane ; send-keys -X select-line ; run-shell -d 0.3 ; "
                                   "send-keys -X copy-pipe-and-cancel"),
    EMACS("Home", "start-of-line"),
    EMACS("End", "end-of-line"),
    EMACS("NPage", "page-down"),
    EMACS("PPage", "page-up"),
    EMACS("Up", "cursor-up"),
    EMACS("Down", "cursor-down"),
    EMACS("Left", "cursor-left"),
    EMACS("Right", "cursor-right"),
    EMACS("M-C-b", "previous-matching-bracket"),
    EMACS("M-C-f", "next-matching-bracket"),
    EMACS_COUNT("M-1", "1"),
    EMACS_COUNT("M-2", "2"),
    EMACS_COUNT("M-3", "3"),
    EMACS_COUNT("M-4", "4"),
    EMACS_COUNT("M-5", "5"),
    EMACS_COUNT("M-6", "6"),
    EMACS_COUNT("M-7", "7"),
    EMACS_COUNT("M-8", "8"),
    EMACS_COUNT("M-9", "9"),
    EMACS("M-<", "history-top"),
    EMACS("M->", "history-bottom"),
    EMACS("M-R", "top-line"),
    EMACS("M-b", "previous-word"),
    EMACS("M-f", "next-word-end"),
    EMACS("M-m", "back-to-indentation"),
    EMACS("M-r", "middle-line"),
    EMACS("M-v", "page-up"),
    EMACS("M-w", "copy-pipe-and-cancel"),
    EMACS("M-x", "jump-to-mark"),
    EMACS("M-{", "previous-paragraph"),
    EMACS("M-}", "next-paragraph"),
    EMACS("M-Up", "halfpage-up"),
    EMACS("M-Down", "halfpage-down"),
    EMACS("C-Up", "scroll-up"),
    EMACS("C-Down", "scroll-down"),

    VI("C-b", "page-up"),
    VI("C-c", "cancel"),
    VI("C-d", "halfpage-down"),
    VI("C-e", "scroll-down"),
    VI("C-f", "page-down"),
    VI("C-h", "cursor-left"),
    VI("C-j", "copy-pipe-and-cancel"),
    VI("Enter", "copy-pipe-and-cancel"),
    VI("C-u", "halfpage-up"),
    VI("C-v", "rectangle-toggle"),
    VI("C-y", "scroll-up"),
    VI("Escape", "clear-selection"),
    VI("Space", "begin-selection"),
    VI_LINE("#", "send-keys -FX search-backward \"#{copy_cursor_word}\""),
    VI("$", "end-of-line"),
    VI("%", "next-matching-bracket"),
    VI_LINE("*", "send-keys -FX search-forward \"#{copy_cursor_word}\""),
    VI(",", "jump-reverse"),
    VI_LINE("/",
            "command-prompt -T search -p \"(search down)\" { send-keys -X search-forward \"%%\" }"),
    VI("0", "start-of-line"),
    VI_COUNT("1", "1"),
    VI_COUNT("2", "2"),
    VI_COUNT("3", "3"),
    VI_COUNT("4", "4"),
    VI_COUNT("5", "5"),
    VI_COUNT("6", "6"),
    VI_COUNT("7", "7"),
    VI_COUNT("8", "8"),
    VI_COUNT("9", "9"),
    VI_LINE(":", "command-prompt -p \"(goto line)\" { send-keys -X goto-line \"%%\" }"),
    VI(";", "jump-again"),
    VI_LINE("?",
            "command-prompt -T search -p \"(search up)\" { send-keys -X search-backward \"%%\" }"),
    VI("A", "append-selection-and-cancel"),
    VI("B", "previous-space"),
    VI("D", "copy-pipe-end-of-line-and-cancel"),
    VI("E", "next-space-end"),
    VI_LINE("F", "command-prompt -1 -p \"(jump backward)\" { send-keys -X jump-backward \"%%\" }"),
    VI("G", "history-bottom"),
    VI("H", "top-line"),
    VI("J", "scroll-down"),
    VI("K", "scroll-up"),
    VI("L", "bottom-line"),
    VI("M", "middle-line"),
    VI("N", "search-reverse"),
    VI("P", "toggle-position"),
    VI_LINE("T",
            "command-prompt -1 -p \"(jump to backward)\" { send-keys -X jump-to-backward \"%%\" }"),
    VI("V", "select-line"),
    VI("W", "next-space"),
    VI("X", "set-mark"),
    VI("^", "back-to-indentation"),
    VI("b", "previous-word"),
    VI("e", "next-word-end"),
    VI_LINE("f", "command-prompt -1 -p \"(jump forward)\" { send-keys -X jump-forward \"%%\" }"),
    VI("g", "history-top"),
    VI("h", "cursor-left"),
    VI("j", "cursor-down"),
    VI("k", "cursor-up"),
    VI("l", "cursor-right"),
    VI("n", "search-again"),
    VI("o", "other-end"),
    VI("q", "cancel"),
    VI("r", "refresh-from-pane"),
    VI_LINE("t",
            "command-prompt -1 -p \"(jump to forward)\" { send-keys -X jump-to-forward \"%%\" }"),
    VI("v", "rectangle-toggle"),
    VI("w", "next-word"),
    VI("{", "previous-paragraph"),
    VI("}", "next-paragraph"),
    VI_LINE("MouseDown1Pane", "select-pane"),
    VI_LINE("MouseDrag1Pane", "select-pane ; send-keys -X begin-selection"),
    VI("MouseDragEnd1Pane", "copy-pipe-and-cancel"),
    VI_LINE("WheelUpPane", "select-pane ; send-keys -X -N 5 scroll-up"),
    VI_LINE("WheelDownPane", "select-pane ; send-keys -X -N 5 scroll-down"),
    VI_LINE("DoubleClick1Pane", "select-pane ; send-keys -X select-word ; run-shell -d 0.3 ; "
                                "send-keys -X copy-pipe-and-cancel"),
    VI_LINE("TripleClick1Pane", "select-pane ; send-keys -X select-line ; run-shell -d 0.3 ; "
                                "send-keys -X copy-pipe-and-cancel"),
    VI("BSpace", "cursor-left"),
    VI("NPage", "page-down"),
    VI("PPage", "page-up"),
    VI("Up", "cursor-up"),
    VI("Down", "cursor-down"),
    VI("Left", "cursor-left"),
    VI("Right", "cursor-right"),
    VI("M-x", "jump-to-mark"),
    VI("C-Up", "scroll-up"),
    VI("C-Down", "scroll-down"),
};

const struct keytable_default *keytable_copy_default_at(unsigned i)
{
    return i < sizeof defaults / sizeof defaults[0] ? &defaults[i] : NULL;
}
