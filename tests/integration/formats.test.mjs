// Formats and options, side by side with tmux where both should agree: the same sessions, windows
// and panes in each, the same format, the same text.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createHost, until } from './host.mjs';
import { noReference } from '../mux/compare.mjs';

/** A tmux of its own; run(...) gives { code, stdout, stderr }. */
function createTmux(t, home) {
  const dir = mkdtempSync(path.join(tmpdir(), 'vt-'));
  const env = { PATH: process.env.PATH, HOME: home, TMUX_TMPDIR: dir, LANG: 'C.UTF-8', SHELL: '/bin/bash' };
  const run = (...args) => new Promise((done) => {
    execFile('tmux', ['-L', 't', '-f', '/dev/null', ...args], { env, cwd: existsSync(home) ? home : dir }, (error, stdout, stderr) => {
      done({ code: error ? error.code : 0, stdout, stderr });
    });
  });
  t.after(async () => {
    await run('kill-server');
    rmSync(dir, { recursive: true, force: true });
  });
  return { run };
}

const LAYOUT = [
  ['new-session', '-d', '-s', 'work', '-n', 'edit', '-x', '80', '-y', '24', 'cat'],
  ['split-window', '-h', '-t', 'work:0', 'cat'],
  ['new-window', '-d', '-t', 'work', '-n', 'logs', 'cat'],
  ['new-session', '-d', '-s', 'other', '-n', 'shell', '-x', '80', '-y', '24', 'cat'],
  ['set-option', '-g', '@mine', 'a #{session_name}'],
];

const AGREE = [
  '#{session_name}', '#{session_windows}', '#{session_attached}', '#{session_id}', '#S:#I.#P #W #F #D',
  '#{window_index} #{window_name} #{window_id} #{window_active} #{window_panes}',
  '#{window_width}x#{window_height}', '#{window_layout}', '#{window_flags}', '#{window_raw_flags}', '#{window_zoomed_flag}',
  '#{pane_id} #{pane_index} #{pane_active} #{pane_width}x#{pane_height}', '#{pane_left} #{pane_right} #{pane_top} #{pane_bottom}',
  '#{pane_at_left}#{pane_at_right}#{pane_at_top}#{pane_at_bottom}', '#{pane_current_command}', '#{pane_dead}#{pane_in_mode}',
  '#{pane_current_path}', '#{cursor_x},#{cursor_y}', '#{history_size}', '#{alternate_on}', '#{host}', '#h', '#H', '#{nonsense}', 'a#{nonsense}b',
  '#{?session_attached,yes,no}', '#{?pane_active,yes,no}', '#{?nonsense,yes,no}', '#{?#{nonsense},yes,no}',
  '#{?#{==:#{session_name},work},yes,no}', '#{?1,a#,b,c}', '#{?0,a,#{?1,b,c}}',
  '#{==:a,a}#{==:a,b}#{!=:a,b}#{<:a,b}#{>:a,b}#{<=:b,a}#{>=:b,a}', '#{||:0,1}#{||:0,0}#{&&:1,1}#{&&:1,0}',
  '#{m:*or*,#{session_name}}#{m:x*,work}#{m/i:WO*,work}#{m/r:^w.r,work}#{m/ri:^W,work}',
  '#{=2:session_name}|#{=-2:session_name}|#{=9:session_name}', '#{=/2/..:session_name}|#{=/-2/..:session_name}',
  '[#{p8:session_name}][#{p-8:session_name}][#{p2:session_name}]', '#{=2;p4:session_name}|', '#{n:session_name} #{w:session_name}',
  '#{s/o/00/:session_name}', '#{s/(w)(o)/\\2\\1/:session_name}', '#{s/K/x/i:session_name}', '#{s/x*/-/:session_name}',
  '#{s/r/1/;s/k/2/:session_name}', '#{b:pane_current_path}', '#{d:pane_current_path}', '#{l:#{session_name}}', '#{l:a#,b}',
  '#{e|+|:1,2} #{e|-|:1,2} #{e|*|:3,4} #{e|/|:7,2} #{e|m|:7,4}', '#{e|/|f|3:7,2} #{e|+|f:1,2}', '#{e|<|:1,2}#{e|==|:1,2}#{e|>=|:1,2}', '#{e|+|:x,2}',
  '#{a:65}#{a:999}', '#{@mine}', '#{E:@mine}', '#{T:@mine}', '#{q:@mine}', '#{q/e:@mine}', '#{base-index}', '#{mouse}', '#{status-position}',
  '#{S:#{session_name} }', '#{W:#{window_name} }', '#{W:#{window_name} ,[#{window_name}] }', '#{P:#{pane_index} }', '#{P:#{pane_index},(#{pane_index})}',
  '## #, #} #z', '##[fg=red]x', 'a#{', 'a#{session_name', 'a#{?session_name}b', 'a#{==:x}b', 'a#', 'a#{}b', 'a#{zz:session_name}b', '%% %Y', '#{session_many_attached}',
  '#{window_start_flag}#{window_end_flag}#{window_last_flag}#{window_bell_flag}', '#{active_window_index} #{last_window_index}',
  '#{synchronize-panes}#{pane_synchronized}', '#{insert_flag}#{keypad_flag}#{wrap_flag}#{origin_flag}#{cursor_flag}',
];

describe('beside tmux', { skip: noReference }, () => {
  test(`${AGREE.length} formats give what they give there`, async (t) => {
    const host = await createHost(t);
    const tmux = createTmux(t, host.home);
    for (const line of LAYOUT) {
      assert.equal((await tmux.run(...line)).code, 0, `tmux ${line.join(' ')}`);
      await host.vitrine(...line);
    }
    const command = (run) => until(async () => /^cat$/m.test((await run()).stdout ?? ''), 'the program to run');
    await command(() => tmux.run('display-message', '-p', '-t', 'work:0.1', '#{pane_current_command}'));
    await command(() => host.run(['display-message', '-p', '-t', 'work:0.1', '#{pane_current_command}']));
    const differ = [];
    for (const format of AGREE) {
      const line = ['display-message', '-p', '-t', 'work:0.1', format];
      const want = (await tmux.run(...line)).stdout;
      const got = (await host.run(line)).stdout;
      if (got !== want) differ.push({ format, want, got });
    }
    assert.deepEqual(differ, []);
  });

  test('lists by -F and -f', async (t) => {
    const host = await createHost(t);
    const tmux = createTmux(t, host.home);
    for (const line of LAYOUT) {
      await tmux.run(...line);
      await host.vitrine(...line);
    }
    const lines = [
      ['list-sessions', '-F', '#{session_name}=#{session_windows}'], ['list-windows', '-t', 'work', '-F', '#I #W #F'],
      ['list-windows', '-a', '-F', '#S #I'], ['list-panes', '-a', '-F', '#S:#I.#P #{pane_width}'], ['list-panes', '-s', '-t', 'work', '-F', '#D'],
      ['list-panes', '-t', 'work:0'.concat(''), '-F', '#{pane_active}'], ['list-windows', '-a', '-f', '#{m:*l*,#{window_name}}', '-F', '#W'],
      ['list-windows', '-t', 'work'], ['new-window', '-d', '-P', '-t', 'work', '-F', '#{window_index} #{pane_id}', 'cat'], ['new-window', '-d', '-P', '-t', 'work', 'cat'],
    ];
    const untimed = (text) => text.replace(/\[history [^\]]*\]/g, '');
    for (const line of lines) {
      const want = (await tmux.run(...line)).stdout;
      if (line[0] === 'list-sessions' || line[1] === '-a') assert.deepEqual((await host.vitrine(...line)).trim().split('\n').sort(), want.trim().split('\n').sort());
      else assert.equal(untimed(await host.vitrine(...line)), untimed(want), line.join(' '));
    }
  });

  test('set-option and show-options say and print the same', async (t) => {
    const host = await createHost(t);
    const tmux = createTmux(t, host.home);
    for (const line of LAYOUT) {
      await tmux.run(...line);
      await host.vitrine(...line);
    }
    const lines = [
      'set -g foo 1', 'set -g base-index x', 'set -g base-index -1', 'set -g base-index 99999999999', 'set -g mouse maybe', 'set -g status-style zz',
      'set -g base', 'set -g sta on', 'set -g prefix C-zz', 'set -g default-shell nope', 'set -go base-index 1', 'show foo', 'show -g foo', 'show -gq foo',
      'set -t work @x 1', 'show -t work @x', 'show -v -t work @x', 'show -A -t work base-index', 'set -t work base-index 3', 'show -t work base-index',
      'show -gv base-index', 'set -u -t work base-index', 'show -t work base-index', 'set -q nope 1', 'set -g base-index 4', 'set -gu base-index',
      'show -g base-index', 'set -w -t work mode-keys vi', 'show -wv -t work mode-keys', 'setw -g mode-keys vi', 'showw -gv mode-keys',
      'set -ag status-left xyz', 'show -gv status-left', 'set -g status-style fg=red', 'set -ag status-style bold', 'show -gv status-style',
      'set -gF @f #{session_windows}', 'show -gv @f', 'set -g mouse', 'show -g mouse', 'set -p -t work:0.1 @y 1', 'show -p -t work:0.1', 'show -pv -t work:0.1 @y',
      'set -w -t work synchronize-panes on', 'show -pA -t work:0.1 synchronize-panes', 'set -s escape-time 20', 'show -sv escape-time', 'show -g @none',
      'set -g display-time 10', 'show -g display-time', 'set -g update-environment', 'set -g word-separators ab', 'show -gv word-separators',
    ];
    const plain = (text) => text.replace(/^vitrine: /gm, '').replace(/^usage: .*\n/gm, '');
    const differ = [];
    for (const line of lines) {
      const words = line.split(' ');
      const want = await tmux.run(...words);
      const got = await host.run(words);
      const a = [want.code, want.stdout, want.stderr];
      const b = [got.code, got.stdout, plain(got.stderr)];
      if (JSON.stringify(a) !== JSON.stringify(b)) differ.push({ line, want: a, got: b });
    }
    assert.deepEqual(differ, []);
  });
});
