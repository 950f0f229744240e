// Paste buffers, channels, key tables and what needs an attached terminal, from the command line.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createHost, until } from './host.mjs';

describe('buffers', () => {
  test('set, show, list, append, rename, delete; the newest is meant', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    await host.vitrine('set-buffer', 'one');
    await host.vitrine('set-buffer', '-b', 'named', 'two');
    assert.equal(await host.vitrine('show-buffer'), 'one');
    assert.equal(await host.vitrine('show-buffer', '-b', 'named'), 'two');
    await host.vitrine('set-buffer', '-a', '-b', 'named', '+more');
    assert.equal(await host.vitrine('show-buffer', '-b', 'named'), 'two+more');
    assert.match(await host.vitrine('list-buffers'), /named: 8 bytes/);
    await host.vitrine('delete-buffer', '-b', 'named');
    assert.equal((await host.run(['show-buffer', '-b', 'named'])).code, 1);
  });

  test('load-buffer and save-buffer: the bytes of a file; paste-buffer types them', async (t) => {
    const host = await createHost(t);
    const from = path.join(host.home, 'from'), to = path.join(host.home, 'to');
    writeFileSync(from, 'typed é\n');
    const shared = await host.shell();
    await host.vitrine('load-buffer', '-b', 'x', from);
    await host.vitrine('save-buffer', '-b', 'x', to);
    assert.equal(readFileSync(to, 'utf8'), 'typed é\n');
    await host.vitrine('set-buffer', 'echo pa""sted\n');
    await host.vitrine('paste-buffer', '-t', shared.pane);
    await host.sees(shared.pane, /^pasted$/m);
    await host.vitrine('clear-history', '-t', shared.pane);
    assert.equal(await host.vitrine('display-message', '-p', '-t', shared.pane, '#{history_size}'), '0\n');
  });

  test('wait-for: a signal before and after the wait', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    await host.vitrine('wait-for', '-S', 'early');
    await host.vitrine('wait-for', 'early');
    const waiting = host.vitrine('wait-for', 'late');
    await until(async () => Number((await host.json('info', '--json')).clients) === 2, 'it waits');
    await host.advance(86_400_000); // as long as it takes
    await host.vitrine('wait-for', '-S', 'late');
    await waiting;
  });
});

describe('keys', () => {
  test('bind-key, list-keys, unbind-key, from a config file too', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    writeFileSync(path.join(host.home, 'keys.conf'), 'bind-key -n F5 new-window \\; split-window\nunbind-key F12\n');
    await host.vitrine('source-file', 'keys.conf');
    assert.match(await host.vitrine('list-keys', '-T', 'root'), /F5 .*new-window \\; split-window/);
    await host.vitrine('unbind-key', '-n', 'F5');
    assert.doesNotMatch(await host.vitrine('list-keys', '-T', 'root'), /F5/);
  });

  test('what needs an attached terminal says so', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', 'cat');
    for (const line of [['command-prompt'], ['confirm-before', 'kill-server'], ['display-panes'], ['switch-client', '-n'], ['refresh-client']]) {
      const { code, stderr } = await host.run(line);
      assert.equal(code, 1, line.join(' '));
      assert.match(stderr, /^vitrine: /, line.join(' '));
    }
    await host.vitrine('send-prefix');
  });
});
