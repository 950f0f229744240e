// Trees, lists, menus and the clock in a real terminal: what keys choose there is what happens.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { BIN, createHost, until } from './host.mjs';
import { Terminal } from './terminal.mjs';

/** A host with sessions `work` (windows main, logs) and `other`, and a terminal attached to work. */
async function attached(t) {
  const host = await createHost(t);
  await host.vitrine('new', '-d', '-s', 'work', '-n', 'main', '-x', '80', '-y', '23', 'cat');
  await host.vitrine('new-window', '-d', '-t', 'work:', '-n', 'logs', 'cat');
  await host.vitrine('new', '-d', '-s', 'other', '-n', 'third', 'cat');
  const terminal = new Terminal(`exec ${BIN}/vitrine attach -t work`, { env: host.env });
  t.after(() => terminal.kill());
  await terminal.waitFor('main');
  return { host, terminal };
}

const prefix = (keys) => `\x02${keys}`;
const shown = (host) => host.vitrine('list-clients', '-F', '#{client_session}:#{window_name}').then((text) => text.trim());
const becomes = (host, what) => until(async () => (await shown(host)) === what, 'what was chosen');

describe('lists to choose from', () => {
  test('a window, a session, one found by a text; q changes nothing', async (t) => {
    const { host, terminal } = await attached(t);
    terminal.type(prefix('w'));
    await terminal.waitFor('(sort: index)');
    terminal.type('qas before\r'); // the list is gone: what is typed reaches the pane
    await terminal.waitFor('as before');
    assert.equal(await shown(host), 'work:main');
    terminal.type(prefix('w'));
    await terminal.waitFor('(sort: index)');
    terminal.type('2');
    await becomes(host, 'work:logs');
    terminal.type(prefix('s'));
    await terminal.waitFor('other');
    terminal.type('sother\r\r');
    await becomes(host, 'other:third');
    terminal.type(prefix('f'));
    await terminal.waitFor('find-window');
    terminal.type('logs\r');
    await terminal.waitFor('filter: active');
    terminal.type('G\r');
    await becomes(host, 'work:logs');
  });

  test('tags, and what ends asks first', async (t) => {
    const { host, terminal } = await attached(t);
    terminal.type(prefix('w'));
    await terminal.waitFor('(sort: index)');
    terminal.type('jtX');
    await terminal.waitFor('Kill 1 tagged?');
    terminal.type('n');
    await terminal.waitFor('[work]'); // the prompt has gone
    assert.match(await host.vitrine('list-windows', '-a', '-F', '#{window_name}'), /logs/);
    terminal.type('X');
    await terminal.waitFor('Kill 1 tagged?');
    terminal.type('y');
    await until(async () => !/logs/.test(await host.vitrine('list-windows', '-a', '-F', '#{window_name}')), 'what was chosen');
  });

  test('buffers are pasted and deleted', async (t) => {
    const { host, terminal } = await attached(t);
    await host.vitrine('set-buffer', '-b', 'one', 'from-one');
    await host.vitrine('set-buffer', '-b', 'two', 'from-two');
    terminal.type(prefix('='));
    await terminal.waitFor('(sort: time)');
    terminal.type('d\r');
    await until(async () => /from-one/.test(await host.vitrine('capture-pane', '-p', '-t', 'work')), 'what was chosen');
    assert.equal((await host.run(['show-buffer', '-b', 'two'])).code, 1);
  });

  test('menus run what is chosen, the clock goes with a key, a marked pane is a target', async (t) => {
    const { host, terminal } = await attached(t);
    terminal.type(prefix('>'));
    await terminal.waitFor('Horizontal Split');
    terminal.type('h');
    await until(async () => (await host.vitrine('list-panes', '-t', 'work')).trim().split('\n').length === 2, 'what was chosen');
    terminal.type(prefix('m'));
    await until(async () => (await host.vitrine('display-message', '-p', '-t', 'work', '#{pane_marked_set}')).trim() === '1', 'what was chosen');
    terminal.type(prefix('t'));
    terminal.type('x');
    await host.vitrine('display-menu', '-T', 'own', 'Take it', 'k', 'rename-window -t work:logs taken');
    await terminal.waitFor('Take it');
    terminal.type('k');
    await until(async () => /taken/.test(await host.vitrine('list-windows', '-a', '-F', '#{window_name}')), 'what was chosen');
  });
});
