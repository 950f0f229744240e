// Programs outlive viewers, connections, terminals and sleep.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, collect, createHost, isRunning, until, BIN } from '../integration/host.mjs';
import { Peer } from '../integration/peer.mjs';
import { createProxy } from '../integration/proxy.mjs';
import { Terminal } from '../integration/terminal.mjs';

const T = lib.MessageType;
const portOf = (link) => Number(new URL(link).port);

/** The page's clock, which a test may move on. */
class ShiftedClock {
  shift = 0;
  now = () => Date.now() + this.shift;
  set = (action, ms) => setTimeout(action, Math.min(ms, 1000));
  clear = (handle) => clearTimeout(handle);
  random = () => 0.5;
}

describe('lifetime', { concurrency: 4 }, () => {
  test('the host sleeps for half an hour: viewers see it is away within 10 s, and resume with the same link', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const clock = new ShiftedClock();
    const viewer = await host.join(shared.write, { clock });
    await viewer.until(() => viewer.stream.length > 0, 'the screen');
    const { pid } = await host.info();
    process.kill(pid, 'SIGSTOP');
    t.after(() => isRunning(pid) && process.kill(pid, 'SIGCONT'));
    clock.shift += 9500;
    await viewer.reaches('away');
    process.kill(pid, 'SIGCONT');
    clock.shift += 30 * 60_000;
    await host.advance(30 * 60_000 - 60_000);
    await viewer.welcomed(2);
    assert.equal(viewer.welcomes[1].resumed, true);
    viewer.type(shared.pane, 'echo aw""ake\r');
    await viewer.sees(/^awake$/m);
  });

  test('an outage while somebody types: what was typed before and during it arrives, each key once', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'stty -echo; while read -r x; do echo "<$x>"; done']);
    const proxy = await createProxy(t, portOf(shared.write));
    const viewer = await host.join(shared.write, { proxy });
    viewer.type(shared.pane, 'bef');
    proxy.cut({ refusing: true });
    viewer.type(shared.pane, 'ore, du');
    await viewer.until(() => viewer.states.filter(({ kind }) => kind === 'reconnecting').length >= 2, 'failed attempts');
    viewer.type(shared.pane, 'ring, aft');
    proxy.refusing = false;
    await viewer.welcomed(2);
    viewer.type(shared.pane, 'er\r');
    await viewer.sees(/^<before, during, after>$/m);
  });

  test('the owner’s terminal dies: the session, its program and its viewers live on', async (t) => {
    const host = await createHost(t);
    const terminal = new Terminal(`${BIN}/vitrine share --write -- sh -c 'echo up; exec cat'`, { env: host.env });
    t.after(() => terminal.kill());
    await terminal.waitFor('Links of this pane');
    const { links: [{ url }] } = await host.json('links', '--json');
    const viewer = await host.join(url);
    await viewer.sees(/^up$/m);
    await until(async () => (await host.json('ls', '--json'))[0].attached === 1, 'attached', DEADLINE_MS);
    terminal.kill();
    await until(async () => (await host.json('ls', '--json'))[0].attached === 0, 'detached', DEADLINE_MS);
    await host.type('%0', 'still here', 'Enter');
    await viewer.sees(/still here\n+still here/);
    assert.equal(viewer.welcomes.length, 1);
  });

  test('exit in the shell: the last screen stays, the status is told, nothing is started again', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const viewer = await host.join(shared.write);
    viewer.type(shared.pane, 'echo last wo""rds; exit\r');
    assert.equal((await viewer.bye()).text, 'exited 0');
    assert.match(viewer.text(), /^last words$/m);
    assert.equal(viewer.last(T.EXIT).status, 0);
    assert.equal(viewer.sockets.length, 1);
    assert.deepEqual(await host.json('ls', '--json'), []);
  });
});

describe('connections that end or idle', { concurrency: 4 }, () => {
  test('a tab closed hard: its slot is free and counts are right at once', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const stays = await host.join(shared.view);
    const peer = await Peer.join(t, shared.view);
    await stays.until(() => stays.last(T.PRESENCE)?.viewers === 2, 'two');
    peer.wire.socket._socket.resetAndDestroy();
    const start = performance.now();
    await until(async () => (await host.json('shares', '--json'))[0].viewers === 1, 'one', DEADLINE_MS);
    assert.ok(performance.now() - start < 5000);
    await stays.until(() => stays.last(T.PRESENCE)?.viewers === 1, 'one');
    assert.equal((await host.json('viewers', '--json')).filter(({ away }) => !away).length, 1);
    assert.equal((await host.gate()).connections, 1);
  });

  test('behind a proxy that ends idle connections: something passes every 4 s, for an hour', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const proxy = await createProxy(t, portOf(shared.view));
    const viewer = await host.join(shared.view, { proxy });
    await viewer.until(() => viewer.stream.length > 0, 'the screen');
    for (let i = 0; i < 60; i++) {
      const before = proxy.downBytes;
      await host.advance(4100); // a proxy's shortest default is 10 times that
      await viewer.until(() => proxy.downBytes > before, `bytes after ${i * 4} s`);
      await viewer.until(() => viewer.viewer.connection.isSealed, 'the answer');
      await host.json('viewers', '--json');
    }
    await host.advance(1000);
    assert.deepEqual([viewer.welcomes.length, viewer.state.kind], [1, 'live']);
  });

  test('started without a terminal, a home or a login, as a service is: works', async (t) => {
    const host = await createHost(t);
    const env = { PATH: '/usr/bin:/bin', VITRINE_TMPDIR: host.runtime };
    for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS']) if (host.env[name]) env[name] = host.env[name];
    const { code, stdout, stderr } = await collect(['setsid', '-w', `${BIN}/vitrine`, 'share', '-d', '--json', '--write', '--', 'cat'], { env, cwd: '/' });
    assert.equal(code, 0, stderr);
    const { links, pane } = JSON.parse(stdout);
    const viewer = await host.join(links[1].url);
    viewer.type(pane, 'served\r');
    await viewer.sees(/served\nserved/);
  });

  test('share without -d and without a terminal prints the links and returns', async (t) => {
    const host = await createHost(t);
    const { code, stdout, stderr } = await host.run(['share', '--', 'cat']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /view: {2}http:/);
    assert.equal((await host.json('ls', '--json')).length, 1);
  });
});
