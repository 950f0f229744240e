// Large numbers of everything: panes made and ended, clients attached to one session, sessions. What
// they cost is given back, ids stay what they are, and nobody hinders anybody.
//
// The sanitized build makes fewer panes: its allocator keeps what was freed, and it is slow.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEADLINE_MS, createHost, isSanitized, residentBytes, until } from '../integration/host.mjs';
import { Attached } from './attached.mjs';

const PANES = isSanitized ? 300 : 3000;
const CLIENTS = 200;
const LINES = 40;
const SESSIONS = isSanitized ? 200 : 500;
const PTYS_SPARED = 256; // for everybody else
const AT_ONCE = 8;
const LONG_MS = 6 * DEADLINE_MS;
const KEPT_PER_PANE_BYTES = 2 << 10; // by the allocator, in pieces
const REST_MS = 5000; // more than the daemon's
const KEPT_BYTES = 4 << 20;

/** Why so many pseudo-terminals cannot be had, or false. */
function tooFewTerminals(wanted) {
  const value = (name) => Number(readFileSync(`/proc/sys/kernel/pty/${name}`, 'utf8'));
  const free = value('max') - value('nr') - PTYS_SPARED;
  return free < wanted && `${wanted} pseudo-terminals are wanted, the kernel has ${free} to spare`;
}

/** Open descriptors of a process; undefined where only root may know. */
function descriptorsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

/** A daemon with one session "base", which stays; and what it takes. */
async function startDaemon(t) {
  const host = await createHost(t);
  await host.vitrine('new-session', '-d', '-s', 'base', 'cat');
  const { pid } = await host.info();
  return { host, pid, descriptors: descriptorsOf(pid), memory: residentBytes(pid) };
}

/** Runs commands in the daemon, one a line. */
async function source(host, lines) {
  const file = path.join(host.dir, 'commands.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  await host.vitrine('source-file', file);
}

const list = async (host, ...argv) => (await host.vitrine(...argv)).trim().split('\n');

/** Panes of session "many" in windows, half of them split, and made by many clients at the end. */
async function makePanes(host, count) {
  await host.vitrine('new-session', '-d', '-s', 'many', 'sh');
  const byClients = AT_ONCE * 4;
  const bySource = count - 1 - byClients;
  const splits = Math.floor(bySource / 3);
  const lines = Array.from({ length: bySource }, (_, i) =>
    (i < bySource - splits ? 'new-window -d -t many: sh' : `split-window -d -t many:${bySource - i} sh`));
  await source(host, lines);
  const client = async () => {
    for (let i = 0; i < byClients / AT_ONCE; i++) await host.vitrine('new-window', '-d', '-t', 'many:', 'sh');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

async function backToStart({ host, pid, descriptors, memory }, panes) {
  if (descriptors !== undefined) {
    await until(() => descriptorsOf(pid) <= descriptors, 'descriptors to be closed', LONG_MS);
  }
  if (isSanitized) return;
  const allowed = memory + KEPT_BYTES + panes * KEPT_PER_PANE_BYTES;
  const what = () => `memory to be given back: ${residentBytes(pid)} of ${allowed} bytes`;
  await until(() => residentBytes(pid) <= allowed, { toString: what }, DEADLINE_MS);
  assert.deepEqual(await list(host, 'list-sessions', '-F', '#{session_name}'), ['base']);
}

test(`${PANES} panes are made and ended`, { skip: tooFewTerminals(PANES) }, async (t) => {
  const daemon = await startDaemon(t);
  const { host, pid } = daemon;
  let first;
  for (let round = 0; round < 2; round++) {
    await makePanes(host, PANES);
    const panes = await list(host, 'list-panes', '-s', '-t', 'many', '-F', '#{pane_id} #{window_id} #{pane_dead}');
    assert.equal(panes.length, PANES);
    assert.equal(new Set(panes.map((line) => line.split(' ')[0])).size, PANES);
    assert.ok(panes.every((line) => line.endsWith(' 0')));
    const windows = await list(host, 'list-windows', '-t', 'many', '-F', '#{window_id}');
    assert.deepEqual(windows, [...new Set(panes.map((line) => line.split(' ')[1]))]);
    if (round === 0) {
      await quiet(host);
      const each = (residentBytes(pid) - daemon.memory) / PANES;
      t.diagnostic(`${PANES} panes, ${(each / 1024).toFixed(1)} KiB of the daemon's memory for each at rest${isSanitized ? ' (sanitized)' : ''}`);
      first = windows;
    } else {
      assert.ok(windows.every((id) => !first.includes(id)), 'an id was given twice');
    }
    await endHalf(host, windows);
    await host.vitrine('kill-session', '-t', 'many');
    await backToStart(daemon, PANES);
  }
});

/** Time passes: screens are put to rest, and memory is given back. Prompts were written by then. */
async function quiet(host) {
  const prompts = async () => {
    const shown = await list(host, 'list-panes', '-s', '-t', 'many', '-F', '#{cursor_x}');
    return shown.every((x) => Number(x) > 0);
  };
  await until(prompts, 'all shells to prompt', LONG_MS);
  for (let i = 0; i < 3; i++) await host.advance(REST_MS);
}

/** Every second window goes; the others are what they were. */
async function endHalf(host, windows) {
  await source(host, windows.filter((_, i) => i % 2).map((id) => `kill-window -t ${id}`));
  const left = await list(host, 'list-windows', '-t', 'many', '-F', '#{window_id}');
  assert.deepEqual(left, windows.filter((_, i) => i % 2 === 0));
}

const attachedTo = async (host) => Number(await host.vitrine('display-message', '-p', '-t', 'base:', '#{session_attached}'));

test(`${CLIENTS} clients on one session, one of them stalled`, async (t) => {
  const daemon = await startDaemon(t);
  const { host } = daemon;
  const clients = Array.from({ length: CLIENTS }, () => new Attached(host.socket, 'base'));
  t.after(() => Promise.all(clients.map((client) => client.close())));
  await Promise.all(clients.map((client) => client.attached));
  assert.equal(await attachedTo(host), CLIENTS);

  const [stalled, ...others] = clients;
  stalled.stall();
  const [typist] = others;
  for (let i = 0; i < LINES; i++) typist.type(`line ${i} ${'x'.repeat(60)}\r`);
  const echoed = async () => (await host.screen('base', '-S', '-')).split('\n').length;
  await until(async () => (await echoed()) === 2 * LINES, 'all that was typed to be read and repeated', LONG_MS);
  typist.type('the-end');
  const sees = (client) => client.rows().some((row) => row.startsWith('the-end'));
  await until(() => others.every(sees), 'all clients to be drawn', LONG_MS);

  const screen = (await host.vitrine('capture-pane', '-p', '-t', 'base')).split('\n').slice(0, 23);
  const shows = (client) => client.rows().slice(0, 23).join('\n') === screen.join('\n');
  await until(() => others.every(shows), 'all clients to show the pane', LONG_MS);
  stalled.resume();
  await until(() => shows(stalled), 'the stalled client to catch up', LONG_MS);
  await Promise.all(clients.map((client) => client.close()));
  await until(async () => (await attachedTo(host)) === 0, 'the clients to be gone', DEADLINE_MS);
  await backToStart(daemon, CLIENTS);
});

test(`${SESSIONS} sessions`, { skip: tooFewTerminals(SESSIONS) }, async (t) => {
  const daemon = await startDaemon(t);
  const { host } = daemon;
  const names = Array.from({ length: SESSIONS }, (_, i) => `s${i}`);
  await source(host, names.map((name) => `new-session -d -s ${name} cat`));
  const sessions = await list(host, 'list-sessions', '-F', '#{session_id} #{session_name}');
  const made = new Map(sessions.map((line) => line.split(' ').reverse()));
  assert.deepEqual([...made.keys()].sort(), ['base', ...names].sort());

  const middle = names[SESSIONS >> 1];
  assert.equal((await host.vitrine('display-message', '-p', '-t', `${made.get(middle)}:`, '#{session_name}')).trim(), middle);
  await source(host, names.filter((name) => name !== middle).map((name) => `kill-session -t =${name}`));
  assert.deepEqual(await list(host, 'list-sessions', '-F', '#{session_id} #{session_name}'),
    sessions.filter((line) => / base$/.test(line) || line.endsWith(` ${middle}`)));
  await host.vitrine('kill-session', '-t', `=${middle}`);
  await backToStart(daemon, SESSIONS);
});
