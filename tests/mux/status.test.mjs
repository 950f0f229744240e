// The status lines of tmux and of vitrine, both attached in windows of one outer tmux, compared row by row
// with their colours for one setting after the other (status.mjs).

import test, { describe, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { noReference } from './compare.mjs';
import { Pair } from './status.mjs';

const NAMES = ['rename-window -t s:0 alpha', 'new-window -d -t s:1 -n beta cat', 'new-window -d -t s:5 -n gamma cat'];
const MANY = [...NAMES, ...Array.from({ length: 9 }, (_, i) => `new-window -d -t s:${i + 10} -n window${i} cat`)];

/** Each: what is set, and undone after it; what both show must differ from what was there before. */
const CASES = [
  ["set -g status-left 'L#{session_name}R '"],
  ["set -g status-left '#[fg=red,bold]#S#[default] x '"],
  ["set -g status-right '#{window_index} of #{session_windows}'"],
  ["set -g status-right '#[align=centre]middle#[align=right]end'"],
  ["set -g status-left 'abcdefghijklmnopqrstuvwxyz'"],
  ["set -g status-left 'abcdefghijklmnopqrstuvwxyz'", 'set -g status-left-length 20'],
  ["set -g status-right 'abcdefghijklmnopqrstuvwxyz'", 'set -g status-right-length 5'],
  ['set -g status-left-style bg=blue,fg=white'],
  ['set -g status-right-style reverse'],
  ['set -g status-style bg=colour236,fg=colour252'],
  ['set -g status-bg red'], ['set -g status-fg brightwhite', 'set -g status-bg blue'],
  ['set -g status-justify centre'], ['set -g status-justify right'], ['set -g status-justify absolute-centre'],
  ["set -g window-status-format '<#I>'"],
  ["set -g window-status-current-format '[#I:#W#F]'"],
  ["set -g window-status-separator '|'"],
  ["set -g window-status-separator ''"],
  ['set -g window-status-style fg=red'],
  ['set -g window-status-current-style bg=yellow,bold'],
  ['set -g window-status-last-style underscore', 'select-window -t s:1', 'select-window -t s:0'],
  ['set -g window-status-style fg=red', 'set -g window-status-current-style fg=blue'],
  ['set -g status off'],
  ['set -g status 2'],
  ['set -g status 3', "set -g status-format[2] 'third #[align=right]line'"],
  ["set -g status-format[0] 'only #{W:#I ,(#I) }#[align=right,fg=red]that'"],
  ["set -g status-format[0] '#[fill=blue]filled'"],
  ["set -g status-format[0] '##[not a style] ###[fg=red]x ## #[bogus=1]y'"],
  ["set -g status-format[0] '#[push-default,fg=red]a#[default]b#[pop-default]c#[default]d'"],
  ['set -g @mine red', "set -g status-right '#[fg=#{@mine}]#{@mine}'"],
  ["set -g status-right '#{?client_prefix,P,-}#{?#{==:#S,s},yes,no}#{=3:session_name}'"],
  ["set -g status-right '#(echo one; echo two)'"],
  ["set -g status-right '%Y #{T:status-left}'"],
  ['set -g renumber-windows on', 'kill-window -t s:1', 'new-window -d -t s:7 -n delta cat'],
];

const TOP = [['set -g status-position top'], ['set -g status 2', 'set -g status-position top']];

/** Narrow terminals and many windows: what is cut. */
const NARROW = [[], ['set -g status-justify centre'], ['set -g status-justify right'], ['select-window -t s:14'], ['select-window -t s:18', 'set -g status-justify centre']];

function suite(name, size, windows, cases) {
  describe(name, { concurrency: false }, () => {
    let pair;
    before(async () => { pair = await Pair.start(size, windows); });
    after(() => pair?.stop());
    for (const lines of cases)
      test(lines.join(' ; ') || 'as it begins', async () => {
        const { reference, ours } = await pair.compare(lines, cases === NARROW); // cut to nothing, some look alike
        assert.deepEqual(ours, reference);
      });
  });
}

if (noReference) {
  test('status lines', { skip: noReference }, () => {});
} else {
  suite('status lines', [80, 24], NAMES, CASES);
  suite('status lines at the top', [80, 24], NAMES, TOP);
  suite('status lines that are cut', [60, 12], MANY, NARROW);
  suite('narrow status lines', [24, 12], MANY, NARROW);
}
