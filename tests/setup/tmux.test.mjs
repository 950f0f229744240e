// docs/tmux.md against the program: each command and option of tmux 3.3a (tmux-3.3a.txt) is either here,
// with all the flags that the page does not take away, or said not to be.

import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = path.resolve(fileURLToPath(import.meta.url), '../../..');
const read = (name) => readFileSync(path.join(TOP, name), 'utf8');
if (!process.env.BIN) throw new Error('BIN must name the folder with vitrine');

/** Lines `name (alias) usage` as { name, flags }. */
function parseCommands(text) {
  return new Map(text.trim().split('\n').map((line) => {
    const [, name, usage] = /^([a-z-]+)(?: \([a-z0-9]+\))? ?(.*)$/.exec(line);
    const words = usage.match(/(?<=^|[[ ])-[A-Za-z0-9]+(?=[\] ])/g) ?? [];
    return [name, new Set(words.flatMap((word) => [...word.slice(1)]))];
  }));
}

const [tmuxCommands, tmuxOptions] = (() => {
  const [commands, options] = read('tests/setup/tmux-3.3a.txt').replace(/^#.*\n/, '').split('options:');
  return [parseCommands(commands), options.trim().split(/\s+/)];
})();
const ours = parseCommands(execFileSync(path.join(process.env.BIN, 'vitrine'), ['list-commands'], { encoding: 'utf8' }));
const page = read('docs/tmux.md');
const rows = new Map([...page.matchAll(/^\| ([a-z-]+) \| (supported|differs|not there) \| (.*) \|$/gm)].map(([, name, state, text]) => [name, { state, text }]));
/** The second table: what is not there of the options. */
const absent = new Set([...page.slice(page.indexOf('## Options'), page.indexOf('## Keys')).matchAll(/^\| ([a-z0-9-]+) \| \S/gm)].map(([, name]) => name).filter((name) => name !== 'option'));

test('every command of tmux has its row, and no other', () => {
  assert.deepEqual([...rows.keys()].sort(), [...tmuxCommands.keys()].sort());
});

test('what is said to be there is, and what is said not to be is not', () => {
  for (const [name, { state }] of rows) assert.equal(ours.has(name), state !== 'not there', `docs/tmux.md: ${name} is ${state}`);
});

test('rows name exactly the flags that are not there', () => {
  for (const [name, { state, text }] of rows) {
    if (state === 'not there') continue;
    const lacks = [...tmuxCommands.get(name)].filter((flag) => !ours.get(name).has(flag)).sort();
    const said = (/^without ((?:-[A-Za-z0-9](?:, )?)+)/.exec(text)?.[1] ?? '').split(', ').filter(Boolean).map((flag) => flag.slice(1)).sort();
    assert.deepEqual(said, lacks, `docs/tmux.md: ${name}`);
    if (state === 'supported') assert.deepEqual(lacks, [], `docs/tmux.md: ${name} lacks flags`);
    else assert.notEqual(text, '', `docs/tmux.md: ${name} differs in what?`);
  }
});

test('what tmux has not is named', () => {
  const more = /^More than tmux has: ([^;]*)/m.exec(page)?.[1] ?? '';
  const named = new Set([...more.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  const own = [...ours.keys()].filter((name) => !tmuxCommands.has(name) && name !== 'advance-clock');
  assert.deepEqual([...named].sort(), own.sort());
});

test('every option of tmux is an option, or stands in the table of those that are not', () => {
  const known = new Set([...read('server/daemon/options.def').matchAll(/OPTION\(\w+,\s*"([^"]+)"/g)].map(([, name]) => name));
  assert.ok(known.size > 50);
  assert.deepEqual(tmuxOptions.filter((name) => known.has(name) === absent.has(name)), []);
  assert.deepEqual([...absent].filter((name) => !tmuxOptions.includes(name)), []);
});

test('keys that are said to be free are', () => {
  const bound = new Set([...read('server/daemon/keytable_defaults.c').matchAll(/(?:PREFIX|REPEAT)\("(\\?[^"]+)"/g)].map(([, key]) => key));
  const free = [...page.matchAll(/^\| `prefix (\S+)` \| [^|]* \| free \|$/gm)].map(([, key]) => key);
  assert.ok(bound.size > 50 && free.length > 0);
  assert.deepEqual(free.filter((key) => bound.has(key)), []);
});
