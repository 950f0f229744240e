// Programs in panes, environments, marks, terminals and prompts: each case is a script that tmux and
// vitrine must answer alike, in exit status, output, error text and the panes that are left
// (compare.mjs).

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { file, labelOf, noReference, runBoth, settle, write } from './compare.mjs';

const H = 'split-window -h -t s cat';
const W = 'new-window -t s: cat';
const TWO = 'new-session -d -s two -x 80 -y 24 cat';
const STAY = 'set-option -g remain-on-exit on';
const ENDED = settle("list-panes -s -t s -F '#{pane_dead}'", /^1/m);
const screen = (pattern) => settle('capture-pane -p -t s', pattern);

const CASES = {
  'respawn': [
    ['respawn-pane -t s'], ['respawn-window -t s'], ['respawn-pane -t nowhere'], ['respawn-pane -k -t %9'],
    ['respawn-pane -k -t s'], ['respawn-window -k -t s'], [H, 'respawn-window -k -t s'], [H, 'respawn-window -t s'],
    ["respawn-pane -k -t s 'echo again; cat'", screen(/again/)],
    ["respawn-pane -k -e COLOUR=blue -t s 'echo $COLOUR; cat'", screen(/blue/)],
    ["respawn-pane -k -c / -t s 'pwd; cat'", screen(/^\/$/m)],
    [STAY, "new-window -t s:5 'exit 3'", ENDED, 'respawn-pane -t s:5 cat', "display-message -p -t s:5 '#{pane_id} #{pane_dead}'"],
    [STAY, "new-window -t s:5 'exit 3'", ENDED, "respawn-window -t s:5 'echo b; cat'", settle('capture-pane -p -t s:5', /b/)],
    ["respawn-pane -k -t s 'echo one; cat'", screen(/one/), 'respawn-pane -k -t s', screen(/one/)],
    ["display-message -p -t s '#{pane_start_command}'"], ["respawn-pane -k -t s 'cat -u'", "display-message -p -t s '#{pane_start_command}'"],
  ],
  'pipe-pane': [
    ['pipe-pane -t nowhere cat'], ['pipe-pane -t s'], ["pipe-pane -t s ''"], ["display-message -p -t s '#{pane_pipe}'"],
    ["pipe-pane -t s 'cat > out'", "display-message -p -t s '#{pane_pipe}'", 'pipe-pane -t s', "display-message -p -t s '#{pane_pipe}'"],
    ["pipe-pane -O -t s 'cat > out'", 'send-keys -t s hello Enter', file('out', /hello\r\nhello/)],
    ["pipe-pane -t s 'cat > #{pane_index}.out'", 'send-keys -t s x Enter', file('0.out', /x\r\nx/)],
    ["pipe-pane -o -t s 'cat > a'", "pipe-pane -o -t s 'cat > b'", "display-message -p -t s '#{pane_pipe}'"],
    ["pipe-pane -I -t s 'echo typed'", screen(/typed\ntyped/)],
    ["pipe-pane -IO -t s 'echo both; cat > out'", screen(/both\nboth/), file('out', /both/)],
    ["pipe-pane -t s 'exit 0'", settle("display-message -p -t s '#{pane_pipe}'", /^0/)],
    [STAY, "new-window -t s:5 'exit 3'", ENDED, 'pipe-pane -t s:5 cat'],
    ["pipe-pane -t s 'cat > out'", 'respawn-pane -k -t s', "display-message -p -t s '#{pane_pipe}'"],
  ],
  'environment': [
    ['set-environment -t s A 1', 'show-environment -t s A'], ['set-environment -g A 1', 'show-environment -g A'],
    ['set-environment -t s A'], ['set-environment -t s A=b c'], ["set-environment -t s '' x"], ['show-environment -t s NOPE'],
    ['set-environment -t nowhere A 1'], ['show-environment -t nowhere'], ['set-environment -u -t s A 1'], ['set-environment -r -t s A 1'],
    ['set-environment -t s A 1', 'set-environment -u -t s A', 'show-environment -t s A'],
    ['set-environment -r -t s A', 'show-environment -t s A'], ['set-environment -r -t s A', 'show-environment -s -t s A'],
    ["set-environment -t s A 'x $y \"z\"'", 'show-environment -s -t s A'], ['set-environment -h -t s A 1', 'show-environment -t s A'],
    ['set-environment -h -t s A 1', 'show-environment -h -t s A'], ["set-environment -F -t s A '#{session_name}'", 'show-environment -t s A'],
    ['show-environment -t s'], ['set-environment -t s A 1', "new-window -t s: 'echo A=$A; cat'", settle('capture-pane -p -t s', /A=1/)],
    ['set-environment -g A 2', "new-window -t s: 'echo A=$A; cat'", settle('capture-pane -p -t s', /A=2/)],
    ['set-environment -g A 2', 'set-environment -t s A 3', "new-window -t s: 'echo A=$A; cat'", settle('capture-pane -p -t s', /A=3/)],
    ['set-environment -g A 2', 'set-environment -r -t s A', "new-window -t s: 'echo A=${A-none}; cat'", settle('capture-pane -p -t s', /A=none/)],
    ['set-environment -h -t s A 2', "new-window -t s: 'echo A=${A-none}; cat'", settle('capture-pane -p -t s', /A=none/)],
    ['set-environment -t s A 2', "display-message -p -t s '#{A}'"], ['set-environment -h -g A 2', "display-message -p -t s '#{A}'"],
    [write('a.conf', 'B=from-file\nset-environment -g C "$B"\n'), 'source-file a.conf', 'show-environment -g C'],
    ["new-window -e X=1 -e Y=2 -t s: 'echo $X$Y; cat'", settle('capture-pane -p -t s', /12/)],
    ["split-window -e X=5 -t s 'echo x$X; cat'", settle('capture-pane -p -t s', /x5/)],
  ],
  'directories': [
    ["new-window -c / -t s: 'pwd; cat'", settle('capture-pane -p -t s', /^\/$/m)],
    ["respawn-pane -k -c /usr -t s 'cd /; cat'", "split-window -c '#{pane_start_path}/bin' -t s 'pwd; cat'", settle('capture-pane -p -t s', /usr.bin/)],
    ["new-session -d -s two -c /usr -x 80 -y 24 cat", "display-message -p -t two '#{session_path} #{pane_start_path}'"],
    ["display-message -p -t s '#{session_path}'"],
  ],
  'marks': [
    ['select-pane -m -t s', "display-message -p -t s '#{pane_marked}#{pane_marked_set}#{window_marked_flag}#{window_flags}'"],
    ['select-pane -m -t s', 'select-pane -m -t s', "display-message -p -t s '#{pane_marked}#{pane_marked_set}'"],
    ['select-pane -m -t s', 'select-pane -M', "display-message -p -t s '#{pane_marked_set}'"],
    [H, 'select-pane -m -t s:0.0', "display-message -p -t '{marked}' '#{pane_id}'"], [H, 'select-pane -m -t s:0.0', "display-message -p -t ~ '#{pane_id}'"],
    ['select-pane -t {marked}'], ['select-pane -t ~'], [H, W, 'select-pane -m -t s:0.1', 'join-pane -t s:1'],
    [H, W, 'select-pane -m -t s:0.0', 'swap-pane -t s:1.0'], [W, 'select-pane -m -t s:0.0', 'swap-window -t s:1'],
    [H, 'select-pane -m -t s:0.1', 'kill-pane -t s:0.1', "display-message -p -t s '#{pane_marked_set}'", 'select-pane -t {marked}'],
    [W, 'select-pane -m -t s:0.0', 'move-pane -t s:1'],
  ],
  'input': [
    ['select-pane -d -t s', "display-message -p -t s '#{pane_input_off}'"], ['select-pane -d -t s', 'select-pane -e -t s', "display-message -p -t s '#{pane_input_off}'"],
    ['select-pane -d -t s', 'send-keys -t s lost Enter', 'select-pane -e -t s', 'send-keys -t s found Enter', screen(/found\nfound/)],
    ['send-keys -N 3 -t s x', screen(/xxx/)], ['send-keys -N 0 -t s x'], ["send-keys -F -t s '#{session_name}!'", screen(/s!/)],
    ['send-keys -H -t s 61 62', screen(/ab/)], ['send-keys -l -t s Enter', screen(/Enter/)], ["send-keys -t s abc Enter", screen(/abc\nabc/), 'send-keys -R -t s', settle('capture-pane -p -t s', /^\n*$/)],
    ['send-keys -t nowhere x'], [H, 'last-pane -d -t s', "display-message -p -t s:0.0 '#{pane_input_off}'"],
  ],
  'windows between sessions': [
    [TWO, 'move-window -s s:0 -t two:3'], [TWO, W, 'move-window -s s:0 -t two:'], [TWO, W, 'move-window -s s:0 -t two:0'], [TWO, W, 'move-window -k -s s:0 -t two:0'],
    [TWO, 'swap-window -s s:0 -t two:0'], [TWO, W, 'swap-window -d -s s:1 -t two:0'], [W, W, 'move-window -a -s s:0 -t s:1'], [W, W, 'move-window -b -s s:2 -t s:0'],
    ['move-window -s s:0 -t s:0'], ['unlink-window -t s'], ['unlink-window -k -t s'], [W, 'unlink-window -k -t s:1'],
    [H, 'select-layout -t s even-vertical', 'select-layout -o -t s'], ['select-layout -o -t s'], [H, 'select-layout -t s even-vertical', 'select-layout -t s even-horizontal', 'select-layout -o -t s', 'select-layout -o -t s'],
    ['resize-window -x 100 -y 40 -t s', 'resize-window -A -t s'], ['resize-window -x 100 -y 40 -t s', 'resize-window -a -t s'],
    [W, 'select-window -t :=0'], [W, 'rename-window -t s:0 alpha', 'select-window -t s:=alp'], [W, 'rename-window -t s:0 alpha', 'select-window -t s:alp'],
    [W, 'rename-window -t s:0 alpha', "select-window -t 's:al*'"], ["has-session -t 's*'"], ['kill-session -C -t s'],
  ],
  'terminals and prompts': [
    ['list-clients'], ["list-clients -F '#{client_name}'"], ['list-clients -t nowhere'], ['detach-client'], ['detach-client -a'], ['detach-client -s s'],
    ['detach-client -t /dev/none'], ['suspend-client'], ['switch-client -n'], ['switch-client -t s'], ['refresh-client'], ['refresh-client -t none'],
    ['command-prompt'], ['command-prompt -T nonsense'], ['confirm-before kill-server'], ['display-panes'], ['show-prompt-history'], ['show-prompt-history -T search'],
    ['show-prompt-history -T nonsense'], ['clear-prompt-history'], ['clear-prompt-history -T nonsense'], ['send-prefix -t s'],
    ['display-message -c none x'], ['display-message -F a b'], ["display-message -p -F '#{session_name}'"],
  ],
  'buffers': [
    ['set-buffer -b a hello', 'list-buffers'], ['set-buffer -b a hello', "list-buffers -F '#{buffer_name} #{buffer_size} #{buffer_sample}'"],
    ['set-buffer -b a hello', 'set-buffer -b b other', "list-buffers -f '#{==:#{buffer_name},a}' -F '#{buffer_name}'"],
    ['set-buffer -b a one', 'set-buffer -a -b a two', 'show-buffer -b a'], ['set-buffer -b a one', 'set-buffer -n c -b a', 'show-buffer -b c'],
    ['show-buffer'], ['show-buffer -b none'], ['set-buffer -b a x', 'delete-buffer -b a', 'show-buffer -b a'], ['set-buffer -b a x', 'save-buffer -b a out', file('out', /x/)],
    [write('in', 'text\nmore\n'), 'load-buffer -b l in', 'show-buffer -b l'], ['load-buffer nothere'], ['set-buffer -b a pasted', 'paste-buffer -b a -t s', screen(/pasted/)],
    [write('in', 'a\nb\n'), 'load-buffer -b l in', "paste-buffer -d -s , -b l -t s", screen(/a,b,/), 'show-buffer -b l'], ['paste-buffer -b none -t s'],
    ["send-keys -t s 'a\\b' Enter", screen(/a.b\na.b/), 'capture-pane -p -C -t s'], ['capture-pane -a -p -t s'], ['capture-pane -a -q -p -t s'], ['capture-pane -t nowhere'],
    ['send-keys -t s one Enter', screen(/one\none/), 'capture-pane -b c -t s', 'show-buffer -b c'], ['capture-pane -p -S 0 -E 0 -t s'],
  ],
  'choosing': [
    ['choose-tree -t nowhere'], ['choose-buffer'], ['choose-buffer -t nowhere'], ['choose-client -t nowhere'], ['find-window -t nowhere x'], ['find-window'],
    ['clock-mode -t nowhere'], ['display-menu a b c'],
  ],
  'shell': [
    ["run-shell 'echo out'"], ["run-shell 'exit 3'"], ["run-shell -d 0.05 'echo late'"], ['run-shell -d 0.01'], ["run-shell -d x 'echo'"],
    ["run-shell -C 'rename-window -t s new'"], ["run-shell -t nowhere 'echo'"], ["run-shell -b 'echo done > mark'", file('mark', /done/)],
    ["run-shell -t s 'echo #{session_name}'"], ["if-shell true 'rename-window -t s yes' 'rename-window -t s no'"], ["if-shell false 'rename-window -t s yes' 'rename-window -t s no'"],
    ["if-shell -F 1 'rename-window -t s yes'"], ["if-shell -F '' 'rename-window -t s yes' 'rename-window -t s no'"], ["if-shell -b true 'run-shell \"echo b > mark\"'", file('mark', /b/)],
    ["if-shell -t nowhere true 'kill-server'"], [write('a.conf', 'rename-window -t s a\n'), write('b.conf', 'new-window -t s:4 cat\n'), "source-file '*.conf'"],
    ['source-file missing.conf'], ['source-file -q missing.conf'], [write('s.conf', 'rename-window -t s f\n'), "source-file -F '#{l:s}.conf'"],
    [write('n.conf', 'rename-window -t s f\n'), 'source-file -n n.conf'], ['wait-for -S c', 'wait-for c'], ['wait-for -U c'], ['wait-for -L c', 'wait-for -U c'],
  ],
};

// Where vitrine means to differ, and why. What scripts cannot show: lists to choose from lie over one
// terminal, not in a pane (so they need one, and -Z is implied); display-panes does not wait for its
// key (-b is implied); a window is in one session only (no link-window, no session groups); no
// lock-*, customize-mode, display-popup, server-access, detach-client -E, panes without a program
// (-I of split-window and display-message), capture-pane -P, panning (refresh-client -D -L -R -U -c),
// flags of clients but read-only and ignore-size.
const SHOWN = 'run-shell prints what its program prints; tmux 3.3a shows it in a pane';
const GONE = 'a target that is not there is an error; tmux goes on with none';
const DIFFERS = {
  "pipe-pane: pipe-pane -t s 'exit 0' ; display-message -p -t s '#{pane_pipe}' until /^0/": 'a pipe is closed when its command ends; tmux 3.3a finds out when it writes',
  "input: send-keys -F -t s '#{session_name}!' ; capture-pane -p -t s until /s!/": '-F expands formats in every key; in tmux 3.3a only for -X',
  'terminals and prompts: detach-client -s s': 'a session that nobody is attached to has nobody to detach: no error',
  'terminals and prompts: display-message -c none x': GONE,
  "shell: run-shell 'echo out'": SHOWN,
  "shell: run-shell 'exit 3'": SHOWN,
  "shell: run-shell -d 0.05 'echo late'": SHOWN,
  "shell: run-shell -t s 'echo #{session_name}'": SHOWN,
  "shell: run-shell -t nowhere 'echo'": GONE,
  "shell: if-shell -t nowhere true 'kill-server'": GONE,
};

describe('commands answered as tmux answers them, with what they print', { concurrency: 4 }, () => {
  for (const [group, scripts] of Object.entries(CASES)) {
    for (const script of scripts) {
      const name = `${group}: ${script.map(labelOf).join(' ; ')}`;
      test(name, { skip: noReference || DIFFERS[name] }, async () => {
        const [tmux, vitrine] = await runBoth(script, { output: true });
        assert.deepEqual(vitrine, tmux);
      });
    }
  }
});
