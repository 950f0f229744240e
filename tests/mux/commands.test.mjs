// Windows and panes: each case is a script that tmux and vitrine must answer alike (compare.mjs).

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { noReference, runBoth } from './compare.mjs';

const H = 'split-window -h -t s cat';
const V = 'split-window -v -t s cat';
const W = 'new-window -t s: cat';

const CASES = {
  'split-window': [
    [H], [V], [H, V], [V, H], [H, H, H], [V, V, V], [H, V, H, V],
    ['split-window -h -b -t s cat'], ['split-window -v -b -t s cat'],
    ['split-window -h -l 20 -t s cat'], ['split-window -v -l 5 -t s cat'], ['split-window -h -l 30% -t s cat'],
    ['split-window -v -l 25% -t s cat'], ['split-window -h -b -l 10 -t s cat'],
    [H, 'split-window -f -v -t s cat'], [H, 'split-window -f -h -t s cat'], [V, 'split-window -f -h -b -t s cat'],
    [H, 'split-window -f -v -l 4 -t s cat'], ['split-window -d -h -t s cat'], ['split-window -h -Z -t s cat'],
    ['split-window -h -l 200 -t s cat'], ['split-window -h -l 0 -t s cat'], ['split-window -t nowhere cat'],
    [H, 'split-window -h -t s:0.0 cat'], [H, 'split-window -v -t %0 cat'], [H, V, 'split-window -h -t {top-left} cat'],
  ],
  'kill-pane': [
    ['kill-pane -t s'], [H, 'kill-pane -t s'], [H, V, 'kill-pane -t s:0.0'], [H, V, 'kill-pane -t s:0.1'],
    [H, V, H, 'kill-pane -a -t s:0.1'], [V, V, 'kill-pane -t s:0.1'], [H, V, 'kill-pane -t %7'],
    [H, H, V, 'kill-pane -t s:0.0', 'kill-pane -t s:0.0'],
  ],
  'resize-pane': [
    [H, 'resize-pane -t s:0.0 -R 5'], [H, 'resize-pane -t s:0.0 -L 5'], [H, 'resize-pane -t s:0.1 -L 5'],
    [H, 'resize-pane -t s:0.1 -R 5'], [V, 'resize-pane -t s:0.0 -D 3'], [V, 'resize-pane -t s:0.1 -U 3'],
    [H, 'resize-pane -t s:0.0 -x 20'], [H, 'resize-pane -t s:0.1 -x 20'], [V, 'resize-pane -t s:0.0 -y 5'],
    [H, 'resize-pane -t s:0.0 -x 25%'], [H, 'resize-pane -t s:0.0 -R 500'], [H, 'resize-pane -t s:0.0 -L 500'],
    [H, H, 'resize-pane -t s:0.0 -R 30'], [H, H, H, 'resize-pane -t s:0.3 -L 40'], [H, V, 'resize-pane -t s:0.1 -D 4'],
    [H, V, 'resize-pane -t s:0.2 -x 50'], ['resize-pane -t s -x 20'], [H, 'resize-pane -Z -t s'],
    [H, 'resize-pane -Z -t s', 'resize-pane -Z -t s'], [H, 'resize-pane -Z -t s', V], [H, 'resize-pane -Z -t s:0.0'],
    [H, 'resize-pane -Z -t s', 'select-pane -t s:0.0'], [H, 'resize-pane -Z -t s', 'select-pane -Z -t s:0.0'],
    [H, 'resize-pane -Z -t s', 'resize-pane -t s -L 3'], [H, 'resize-pane -R x -t s'],
  ],
  'select-layout': [
    ...['even-horizontal', 'even-vertical', 'main-horizontal', 'main-vertical', 'tiled'].flatMap((name) => [
      [H, V, `select-layout -t s ${name}`], [H, H, V, V, `select-layout -t s ${name}`],
    ]),
    ['select-layout -t s tiled'], [H, 'select-layout -t s even-h'], [H, 'select-layout -t s nonsense'],
    [H, 'select-layout -t s 0000,80x24,0,0,0'], [H, V, 'next-layout -t s'], [H, V, 'next-layout -t s', 'next-layout -t s'],
    [H, V, 'select-layout -t s tiled', 'previous-layout -t s'], [H, H, 'resize-pane -t s:0.0 -x 10', 'select-layout -E -t s'],
    [H, V, 'select-layout -t s even-vertical', 'kill-pane -t s:0.1', 'select-layout -t s'],
  ],
  'select-pane': [
    [H, 'select-pane -t s:0.0'], [H, V, 'select-pane -L -t s'], [H, V, 'select-pane -U -t s'], [H, V, 'select-pane -D -t s'],
    [H, V, 'select-pane -R -t s'], [H, V, 'select-pane -l -t s'], [H, V, 'last-pane -t s'], ['last-pane -t s'],
    [H, V, 'select-pane -t s:.+'], [H, V, 'select-pane -t s:.-'], [H, V, 'select-pane -t {left}'], [H, V, 'select-pane -t s:0.9'],
    [H, V, 'select-pane -t s:0.0', 'select-pane -t s:.!'],
  ],
  'swap and rotate': [
    [H, 'swap-pane -s s:0.0 -t s:0.1'], [H, V, 'swap-pane -U -t s'], [H, V, 'swap-pane -D -t s'], [H, V, 'swap-pane -d -s s:0.0 -t s:0.2'],
    [H, W, 'swap-pane -s s:0.0 -t s:1.0'], [H, V, 'rotate-window -t s'], [H, V, 'rotate-window -D -t s'], [H, V, V, 'rotate-window -U -t s'],
    [W, 'swap-window -s s:0 -t s:1'], [W, W, 'swap-window -d -s s:0 -t s:2'], [W, 'swap-window -s s:0 -t s:7'],
  ],
  'windows': [
    [W], [W, W], ['new-window -d -t s: cat'], ['new-window -t s:5 cat'], ['new-window -t s:0 cat'], ['new-window -k -t s:0 cat'],
    ['new-window -n name -t s: cat'], [W, 'new-window -a -t s:0 cat'], [W, 'new-window -b -t s:1 cat'], ['new-window -t nowhere: cat'],
    [W, 'select-window -t s:0'], [W, 'select-window -t s:9'], [W, W, 'next-window -t s'], [W, W, 'previous-window -t s'],
    [W, W, 'select-window -t s:0', 'last-window -t s'], ['last-window -t s'], ['next-window -t s'],
    [W, W, 'select-window -t s:^'], [W, W, 'select-window -t s:0', 'select-window -t s:$'], [W, W, 'select-window -t s:!'],
    [W, W, 'select-window -t s:-'], [W, W, 'select-window -t s:+1'], [W, 'select-window -n -t s'], [W, 'select-window -p -t s'],
    [W, 'select-window -l -t s'], [W, 'kill-window -t s:0'], [W, W, 'kill-window -t s:2'], [W, W, 'kill-window -t s:1'],
    [W, W, 'kill-window -a -t s:1'], [W, 'move-window -s s:0 -t s:7'], [W, 'move-window -s s:0 -t s:1'], [W, 'move-window -k -s s:0 -t s:1'],
    ['new-window -t s:5 cat', 'new-window -t s:9 cat', 'move-window -r -t s'], [W, 'move-window -d -s s:0 -t s:3'],
    ['rename-window -t s other'], ['rename-window -t s'], [W, 'select-window -T -t s:1'],
    ['resize-window -t s -x 100 -y 30'], [H, V, 'resize-window -t s -x 40 -y 12'], [H, V, 'resize-window -t s -x 160 -y 48'],
    [H, 'resize-window -t s -x 60', 'resize-window -t s -x 80'],
  ],
  'break and join': [
    ['break-pane -s s:0.0'], [H, 'break-pane -s s:0.1'], [H, 'break-pane -d -s s:0.0'], [H, V, 'break-pane -s s:0.1 -n out'],
    [W, 'join-pane -s s:0 -t s:1'], [W, 'join-pane -h -s s:0.0 -t s:1.0'], [W, 'join-pane -b -s s:0.0 -t s:1.0'],
    [W, 'join-pane -l 5 -s s:0.0 -t s:1.0'], [W, 'join-pane -d -s s:1.0 -t s:0.0'], [H, 'join-pane -s s:0.0 -t s:0.1'],
    [H, V, 'join-pane -h -s s:0.0 -t s:0.2'], ['join-pane -s s:0.0 -t s:0.0'],
    [H, V, 'break-pane -s s:0.2', 'join-pane -h -s s:1.0 -t s:0.0'],
  ],
  'several commands on a line': [
    [`${H} ; split-window -v cat`], [`new-session -d -s two cat ; split-window -h cat ; split-window -v cat`], [`${W} ; split-window cat ; select-pane -t s:1.0`],
    [`${H} ; kill-pane -t s:0.9 ; split-window -t s cat`], [`${H} ; no-such-command`], [`${H} ; split-window -Q`], [`${H} ;`],
    [`new-session -d -s two cat ; kill-session -t two ; split-window -t s cat`], ['new-session -d -s two cat; split-window cat'],
  ],
  'sessions': [
    ['new-session -d -s two cat'], ['new-session -d -s s cat'], ['new-session -d -s two cat', 'kill-session -t s'],
    ['new-session -d -s two cat', 'kill-session -a -t two'], ['has-session -t s'], ['has-session -t x'], ['rename-session -t s renamed'],
    ['new-session -d -s two cat', 'rename-session -t s two'], ['kill-session -t nowhere'], ['new-session -d -s two cat', 'has-session -t =tw'],
    ['new-session -d -s two cat', 'has-session -t tw'],
  ],
};

// Where vitrine means to differ, and why.
const PROPORTIONS = 'a resized window keeps the proportions of its panes; tmux adds the same to each';
const DIFFERS = {
  [`select-layout: ${H} ; select-layout -t s nonsense`]: 'tmux 3.3a ends its server over an unknown layout',
  [`windows: ${H} ; ${V} ; resize-window -t s -x 160 -y 48`]: PROPORTIONS,
  [`windows: ${H} ; resize-window -t s -x 60 ; resize-window -t s -x 80`]: PROPORTIONS,
};

describe('commands answered as tmux answers them', { concurrency: 4 }, () => {
  for (const [group, scripts] of Object.entries(CASES)) {
    for (const script of scripts) {
      const name = `${group}: ${script.join(' ; ')}`;
      test(name, { skip: noReference || DIFFERS[name] }, async () => {
        const [tmux, vitrine] = await runBoth(script);
        assert.deepEqual(vitrine, tmux);
      });
    }
  }
});
