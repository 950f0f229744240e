#!/usr/bin/python3
"""Records what real programs write to a terminal, for the join tests (tests/oracle).

    record.py [name...]      records the named streams, or all, next to this file as NAME.vts

Every program runs on its own pseudo-terminal in fresh namespaces, with an empty environment, a host
named demo, a home of /home/demo and only its own processes to see, so that nothing of the machine
that records gets into a recording. Nothing sleeps: a step waits for output that must come. The
recordings are committed; running this again gives others of the same kind, not the same bytes.

File format: see tests/oracle/stream.mjs.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = "/home/demo"
STEP_TIMEOUT_S = 20
PROMPT = r"\$ "
ENV = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "HOME": HOME,
    "PATH": "/usr/bin:/bin",
    "PS1": r"\[\e[1;32m\]demo\[\e[0m\]:\[\e[34m\]\W\[\e[0m\]$ ",
    "USER": "demo",
    "TZ": "UTC",
    "GIT_PAGER": "cat",
}


class Session:
    """One program on one pseudo-terminal, and the recording of it."""

    def __init__(self, argv, cols, rows, env=None):
        self.blocks = bytearray(b"VTS1\n")
        self.unseen = bytearray()
        self._note_size(cols, rows)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
            os.chdir(HOME)
            os.execve(shutil.which(argv[0], path=ENV["PATH"]), argv, {**ENV, **(env or {})})

    def _note_size(self, cols, rows):
        self.blocks += struct.pack(">cHH", b"S", cols, rows)

    def _read(self, deadline):
        """Records what comes next; False at the program's end."""
        if not select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise TimeoutError(f"no such output; unseen: {bytes(self.unseen)[-600:]!r}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # EIO: the other side is closed
            data = b""
        if data:
            self.blocks += struct.pack(">cI", b"D", len(data)) + data
            self.unseen += data
        return bool(data)

    def expect(self, pattern):
        """Waits until the output since the last match holds the pattern."""
        deadline = time.monotonic() + STEP_TIMEOUT_S
        while not (match := re.search(pattern.encode(), self.unseen, re.DOTALL)):
            if not self._read(deadline):
                raise EOFError(f"ended before {pattern!r}")
        del self.unseen[: match.end()]

    def send(self, text, pattern=None):
        os.write(self.fd, text.encode())
        if pattern:
            self.expect(pattern)

    def resize(self, cols, rows, pattern):
        self._note_size(cols, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.expect(pattern)

    def finish(self):
        """Reads to the program's end and returns the recording."""
        deadline = time.monotonic() + STEP_TIMEOUT_S
        while self._read(deadline):
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)
        return bytes(self.blocks)


def shell(cols, rows):
    session = Session(["bash", "--norc", "--noprofile", "-i"], cols, rows)
    session.expect(PROMPT)
    return session


def run(session, command, pattern=PROMPT):
    """Types a command, waits for its echo to end and then for a pattern, by default the prompt."""
    session.send(command + "\r")
    session.expect(r"\r\n")
    session.expect(pattern)


def leave(session):
    session.send("exit\r")
    return session.finish()


# --- the streams ------------------------------------------------------------------------------


def record_shell():
    """Typing, editing a line, history, a search, an interrupt, colours."""
    s = shell(80, 24)
    run(s, "echo hello, world")
    run(s, "ls --color=always -F")
    s.send("echo mistkae", "mistkae")
    s.send("\x7f\x7f\x7f\x7fake\x01", "ake")
    s.send("\x1bf\x1bf\r", PROMPT)
    s.send("\x1b[A\x1b[A", "color")
    s.send("\x15", r"\x1b\[K|\x08")
    s.send("\x12hello", "o': ")
    s.send("\r", PROMPT)
    s.send("cat\r", "cat\r\n")
    s.send("ping\r", "ping\r\nping")
    s.send("\x03", PROMPT)
    run(s, "printf '\\033[1;4;31mred\\033[0m \\033[48;5;22mgreen\\033[0m\\n'")
    run(s, "printf '\\033]0;a title\\007'; tput setaf 4; echo blue; tput sgr0")
    return leave(s)


def record_shell_small():
    s = shell(60, 12)
    run(s, "echo one; echo two")
    run(s, "printf 'a\\tb\\tc\\n'; seq 15")
    run(s, "ls --color=always")
    return leave(s)


def record_shell_resized():
    """A shell whose terminal is dragged about; long lines wrap differently each time."""
    s = shell(80, 24)
    run(s, "seq -s ' ' 100")
    s.send("echo a long command line that will be wrapped when the terminal shrinks", "shrinks")
    s.resize(40, 12, r"\x1b|\r")
    s.send("\r", PROMPT)
    run(s, "seq 20")
    s.resize(100, 30, PROMPT)
    run(s, "printf '\\033[44mcolour\\033[K\\033[0m\\n'")
    s.resize(33, 7, PROMPT)
    run(s, "seq -s ' ' 60")
    s.resize(80, 24, PROMPT)
    return leave(s)


def record_flood():
    s = shell(80, 24)
    run(s, "seq 1 1500")
    run(s, "for i in $(seq 60); do printf '\\033[3%dm%s\\033[0m\\n' $((i % 8)) \"$(seq -s, $i)\"; done")
    run(s, "for i in $(seq 0 5 100); do printf '\\r[%-20s] %d%%' $(seq -s= $((i / 5)) | tr -d 0-9) $i; done; echo")
    return leave(s)


def record_unicode():
    s = shell(40, 10)
    run(s, "cat unicode.txt")
    run(s, "cat unicode.txt unicode.txt")
    run(s, "echo 漢字\x7f\x7f仮名")
    return leave(s)


def record_gcc():
    s = shell(80, 24)
    run(s, "gcc -Wall -Wextra -fdiagnostics-color=always -c broken.c")
    run(s, "grep --color=always -n int broken.c")
    return leave(s)


def record_git():
    s = shell(80, 24)
    run(s, "git log --graph --color=always --oneline --decorate --all")
    run(s, "git log -p --color=always -3 --format=%h,%s")
    run(s, "git status")
    return leave(s)


def record_vim(tiny=False):
    s = Session(["vim.tiny" if tiny else "vim", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set nocp ruler showcmd",
                 "-c", "silent! syntax on", "long.c"], 80, 24)
    s.expect("Top|All")
    s.send("ohello \u6f22\u5b57 world\x1b", "4,|2,")
    s.send("G", r"Bot|\d+,\d")
    s.send("gg", "1,1")
    s.send("\x06", r"\d+,\d")
    s.send("\x02", r"\d+,\d")
    s.send("/return\r", r"return")
    s.send("ddp", r"\d+,\d")
    s.send(":set number\r", r"\x1b")
    s.send("u", "change|line")
    s.send(":q!\r")
    return s.finish()


def record_vim_tiny():
    return record_vim(tiny=True)


def record_vim_in_shell():
    """The alternate screen entered and left twice, with a resize inside, then the shell again."""
    s = shell(80, 24)
    run(s, "seq 30")
    s.send("vim -u NONE -i NONE -n -c 'set nocp ruler' story.txt\r", "Top|All")
    s.send(":split\r", r"story\.txt.*story\.txt")
    s.resize(60, 18, r"story\.txt.*story\.txt")
    s.send(":q!\r", r"\x1b")
    s.send(":q!\r", PROMPT)
    run(s, "echo back")
    s.send("less story.txt\r", r"story\.txt")
    s.send("q", PROMPT)
    return leave(s)


def record_less():
    s = shell(80, 24)
    s.send("less -R story.txt\r", "story.txt")
    s.send(" ", ":")
    s.send("/fox\r", r"\x1b\[7m|fox")
    s.send("n", r"\x1b")
    s.send("G", "END")
    s.send("kkk", ":")
    s.send("g", ":")
    s.send("q", PROMPT)
    return leave(s)


def record_htop():
    s = Session(["unshare", "--pid", "--fork", "--mount-proc", "htop", "-d", "5"], 80, 24)
    s.expect("F10|Quit")
    s.send("\x1b[B", r"\x1b")
    s.send("t", r"\x1b")
    s.resize(100, 20, "PID")
    s.send("I", r"\x1b")
    s.expect("[0-9]")
    s.send("q")
    return s.finish()


def record_top():
    s = Session(["unshare", "--pid", "--fork", "--mount-proc", "top", "-d", "1"], 80, 24)
    s.expect("PID")
    s.send("1", "top -")
    s.send("z", "top -")
    s.send("q")
    return s.finish()


def record_dialog():
    s = Session(["dialog", "--title", "A question", "--menu", "Choose one:", "12", "40", "4",
                 "1", "First", "2", "Second", "3", "Third \u6f22\u5b57"], 80, 24)
    s.expect("Cancel")
    s.send("2", r"\x1b")
    s.send("3", r"\x1b")
    s.send("\t", r"\x1b")
    s.send("\r")
    return s.finish()


def record_dialog_gauge():
    s = shell(70, 20)
    run(s, "seq 0 20 100 | dialog --gauge 'Please wait' 8 50 0")
    return leave(s)


def record_nano():
    s = Session(["nano", "-I", "story.txt"], 80, 24)
    s.expect("Exit")
    s.send("typed text \u2019quoted\u2019\r", "quoted")
    s.send("\x16", r"\x1b")
    s.send("\x0bx", "x")
    s.send("\x18", "Save")
    s.send("n")
    return s.finish()


def record_tmux():
    """Another multiplexer's client: regions, status line, splits, its own alternate screen."""
    argv = ["tmux", "-L", "demo", "-f", "tmux.conf", "new-session"]
    s = Session(argv, 80, 24)
    s.expect(PROMPT)
    run(s, "seq 40")
    s.send("\x02%", PROMPT)
    run(s, "ls --color=always")
    s.send('\x02"', PROMPT)
    run(s, "printf '\\033[41mred\\033[K\\n'")
    s.send("\x02o", r"\x1b")
    s.send("\x02[", r"\[tmux\]")
    s.send("q", r"\x1b")
    s.resize(70, 20, r"\x1b")
    s.send("\x02&", r"kill-window.*\?|\(y/n\)")
    s.send("y")
    return s.finish()


def record_regions():
    """Scroll regions, origin mode, insert and delete, as tput and hand-written programs use them."""
    s = shell(50, 14)
    run(s, "clear")
    run(s, "tput csr 3 9; tput cup 9 0; seq 20; tput csr 0 13")
    run(s, "tput cup 4 0; tput il 2; tput dl 1; tput ich 5; tput ri; tput ri")
    run(s, "printf '\\033[2;6r\\033[?6h\\033[1;1Horigin\\033[9;9Hlow\\033[?6l\\033[r'")
    run(s, "tput smcup; tput cup 5 5; echo alternate; tput rmcup")
    run(s, "tput sc; tput cup 0 0; tput rev; echo status; tput sgr0; tput rc")
    run(s, "tput smacs; echo lqqqk; tput rmacs; tput tbc; echo done")
    run(s, "reset -Q 2>/dev/null; clear; echo end")
    return leave(s)


def record_links():
    s = shell(60, 12)
    run(s, "printf '\\033]8;;http://a.example/\\033\\\\link\\033]8;;\\033\\\\ and \\033[4:3;58:5:9mwave\\033[m\\n'")
    run(s, "ls --hyperlink=always --color=always -1 | sed 's,file://[^/]*,file://demo,'")
    run(s, "printf '\\033]4;1;#ff8800\\007\\033[31mrecoloured\\033[m\\n\\033]104\\007'")
    run(s, "printf '\\033[?2026hsync\\033[?2026l\\n\\033[3 q\\033[?25l\\033[?25h'")
    return leave(s)


# --- the place they run in --------------------------------------------------------------------

STORY = "The quick brown fox jumps over the lazy dog, line {0}. " + "\u201cQuoted\u201d \u2014 na\u00efve." * 2 + "\n"
UNICODE = """\u6f22\u5b57 \u4eee\u540d \ud55c\uae00 \u7e41\u9ad4
emoji: \U0001f642 \U0001f680 \u2764\ufe0f \U0001f44d\U0001f3fd \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea
combining: e\u0301 a\u0308 n\u0303 o\u0302\u0301
box: \u250c\u2500\u252c\u2500\u2510 \u2588\u2593\u2592\u2591 \u2801\u28ff
greek \u03b1\u03b2\u03b3 cyrillic \u0434\u0436 hebrew \u05d0\u05d1 arabic \u0639\u0631\u0628 thai \u0e01\u0e33
\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57
"""
BROKEN_C = """#include <stdio.h>

static int twice(int n)
{
    return n * 2
}

int main(void)
{
    int unused;
    char *text = 5;
    printf("%d\\n", "text");
    undeclared(text);
    for (int i = 0; i < 3; i++)
        printf("%d", twice(i));
}
"""
TMUX_CONF = """set -g default-command "exec env 'PS1=demo$ ' bash --norc --noprofile -i"
set -g assume-paste-time 0
"""
GIT_STEPS = """
git init -q -b main .
git config user.name demo; git config user.email demo@localhost; git config core.pager cat
git add story.txt unicode.txt; git commit -q -m 'add a story'
git checkout -q -b side; echo side >> story.txt; git commit -q -am 'side: go on'
git checkout -q main; git add broken.c; git commit -q -m 'add a program'
git merge -q side -m 'merge side'; git tag v1
git checkout -q -b other HEAD~1; echo other >> unicode.txt; git commit -q -a -m 'other: text'
git checkout -q main; echo more >> broken.c; git commit -q -am 'more'
"""


def furnish():
    """Fills the home that every program sees."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/home"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/tmp"], check=True)
    subprocess.run(["hostname", "demo"], check=True)
    os.makedirs(f"{HOME}/folder")
    os.chdir(HOME)
    files = {"story.txt": "".join(STORY.format(i) for i in range(80)), "unicode.txt": UNICODE, "broken.c": BROKEN_C,
             "long.c": BROKEN_C * 5, "tmux.conf": TMUX_CONF}
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    with open("script.sh", "w", encoding="utf-8") as file:
        os.chmod(file.fileno(), 0o755)
    dates = {"GIT_AUTHOR_DATE": "2024-01-01T12:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T12:00:00Z"}
    subprocess.run(["sh", "-ec", GIT_STEPS], check=True, env={**ENV, **dates})


def enter_namespaces():
    """Starts this program again where the machine cannot be seen."""
    flags = ["--mount", "--uts", "--ipc", "--pid", "--fork", "--mount-proc"]
    if os.geteuid() != 0:
        flags.append("--map-root-user")
    os.execvp("unshare", ["unshare", *flags, sys.executable, os.path.abspath(__file__), "--inside", *sys.argv[1:]])


def main():
    if "--inside" not in sys.argv[1:]:
        enter_namespaces()
    furnish()
    recorders = {name[7:].replace("_", "-"): f for name, f in globals().items() if name.startswith("record_")}
    chosen = [name for name in sys.argv[1:] if name != "--inside"] or list(recorders)
    for name in chosen:
        try:
            recording = recorders[name]()
        except (TimeoutError, EOFError) as error:
            sys.exit(f"{name}: {error}")
        with open(os.path.join(HERE, name + ".vts"), "wb") as file:
            file.write(recording)
        print(f"{name}: {len(recording)} bytes")


if __name__ == "__main__":
    main()
