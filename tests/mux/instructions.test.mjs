// What a command costs the client, counted in instructions, which do not depend on the machine's load. They
// depend on compiler, C library and the instructions they use, so a baseline is kept for each of those;
// where there is none the numbers are printed and nothing is judged.

import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BIN, collect, createHost } from '../integration/host.mjs';

const COMMANDS = {
  'list-sessions': ['list-sessions'],
  'send-keys': ['send-keys', '-t', 'base', 'x'],
  'split-window': ['split-window', '-d', '-t', 'base', 'cat'],
  'capture-pane': ['capture-pane', '-p', '-t', 'base'],
};
const MORE_ALLOWED = 1.05;
const baselines = JSON.parse(readFileSync(new URL('instructions.json', import.meta.url), 'utf8'));

const noValgrind = spawnSync('valgrind', ['--version']).error ? 'valgrind is not installed' : false;

/** What the numbers depend on. */
function describe() {
  const release = readFileSync('/etc/os-release', 'utf8');
  const field = (name) => new RegExp(`^${name}="?(.*?)"?$`, 'm').exec(release)?.[1] ?? '?';
  const gcc = execFileSync('gcc', ['-dumpfullversion'], { encoding: 'utf8' }).trim();
  const libc = execFileSync('getconf', ['GNU_LIBC_VERSION'], { encoding: 'utf8' }).trim();
  const avx2 = /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'utf8')) ? 'avx2' : 'no avx2';
  return `${field('ID')} ${field('VERSION_ID')}, gcc ${gcc}, ${libc}, ${process.arch}, ${avx2}`;
}

/** Instructions of one run of the client, which must succeed. */
async function count(host, words) {
  const argv = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', path.join(BIN, 'vitrine'), ...words];
  const { code, stderr } = await collect(argv, { env: { ...host.env, TERM: 'xterm-256color' }, cwd: '/' });
  assert.equal(code, 0, stderr);
  return Number(/Collected : (\d+)/.exec(stderr)[1]);
}

test('a command costs the client no more than it did', { skip: noValgrind }, async (t) => {
  const host = await createHost(t, { env: { LANG: undefined, PS1: undefined, HOME: '/', PATH: '/usr/bin:/bin' } });
  await host.vitrine('new-session', '-d', '-s', 'base', 'cat');
  const key = describe();
  const known = baselines[key];
  const found = {};
  for (const [name, words] of Object.entries(COMMANDS)) found[name] = await count(host, words);
  t.diagnostic(`${key}: ${JSON.stringify(found)}`);
  if (!known) {
    t.diagnostic('there is no baseline for this in instructions.json');
    return;
  }
  assert.deepEqual(Object.keys(known), Object.keys(COMMANDS));
  for (const [name, value] of Object.entries(found)) {
    assert.ok(value <= known[name] * MORE_ALLOWED, `${name}: ${value} instructions, it was ${known[name]}`);
  }
});
