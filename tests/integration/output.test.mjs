// What programs print: floods, slow links, viewers that stop reading, last bytes and exit statuses.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, isSanitized, residentBytes, until } from './host.mjs';
import { Peer } from './peer.mjs';
import { createProxy } from './proxy.mjs';

const T = lib.MessageType;
const { ByeReason, ExitHow, KeyframeReason } = lib;
const MEGABYTE = 1 << 20;
// Freed memory stays with a sanitizer for a while (its quarantine), so bounds are wider there.
const MEMORY_BOUND = isSanitized ? 320 * MEGABYTE : 24 * MEGABYTE;

const portOf = (link) => Number(new URL(link).port);
const lastLines = (text, n = 20) => text.split('\n').slice(-n).join('\n');

/** Both show the same last lines, once everything has come to rest. */
function sameEnd(host, viewer, pane) {
  return viewer.until(async () => lastLines(viewer.text()) === lastLines(await host.screen(pane, '-S', '-')), 'the same screen as the host’s');
}

describe('output', { concurrency: 3 }, () => {
  test('a command that prints one line and exits at once, 30 times: every byte, then the status, then the end', async (t) => {
    const host = await createHost(t);
    await host.share(['cat']); // keeps the gate
    for (let i = 0; i < 30; i++) {
      const { view } = await host.share(['sh', '-c', `echo "line ${i} of output"; printf 'last byte: %s' $((${i} * 7)); exit ${i}`]);
      const viewer = host.viewer(view);
      const bye = await viewer.bye();
      assert.equal(viewer.text(), `line ${i} of output\nlast byte: ${i * 7}`);
      const exit = viewer.last(T.EXIT);
      assert.deepEqual([exit.how, exit.status], [ExitHow.EXITED, i]);
      assert.deepEqual(bye, { reason: ByeReason.ENDED, text: `exited ${i}` });
      assert.deepEqual([viewer.states.map(({ kind }) => kind).at(-1), viewer.sockets.length], ['bye', 1]);
    }
  });

  test('the same with the viewer there from the start', async (t) => {
    const host = await createHost(t);
    for (let i = 0; i < 8; i++) {
      const shared = await host.share(['sh', '-c', `read x; seq 2000; printf end; exit 3`]);
      const viewer = await host.join(shared.write);
      viewer.type(shared.pane, '\r');
      assert.deepEqual(await viewer.bye(), { reason: ByeReason.ENDED, text: 'exited 3' });
      assert.match(viewer.text(), /^\n?1\n2\n3\n[^]*\n1999\n2000\nend$/);
    }
  });

  test('killed by a signal: said as such', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['sh', '-c', 'echo bye; kill -TERM $$']);
    const viewer = host.viewer(shared.view);
    assert.deepEqual(await viewer.bye(), { reason: ByeReason.ENDED, text: 'killed by signal 15' });
    assert.deepEqual([viewer.last(T.EXIT).how, viewer.last(T.EXIT).status], [ExitHow.SIGNALLED, 15]);
  });

  test('a program that ends while its children hold the terminal: what they print until then is there', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['sh', '-c', '(sleep 1000 &) ; echo parent; exit 4']);
    const viewer = host.viewer(shared.view);
    assert.equal((await viewer.bye()).text, 'exited 4');
    assert.equal(viewer.text(), 'parent');
  });

  test('a late joiner after the end sees the last screen and the status; nothing is started again', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'seq 100; read x; exit 5']);
    const first = await host.join(shared.write);
    await first.sees(/^100$/m);
    first.type(shared.pane, '\r');
    await first.bye();
    for (let i = 0; i < 2; i++) {
      const late = host.viewer(shared.view);
      assert.equal((await late.bye()).text, 'exited 5');
      assert.match(late.text(), /^1\n[^]*\n100$/);
      assert.equal(late.last(T.EXIT).status, 5);
    }
    assert.deepEqual((await host.json('shares', '--json')).map(({ ended }) => ended), [true]);
    assert.deepEqual(await host.json('ls', '--json'), []);
    assert.equal(first.sockets.length, 1, 'no reconnecting');
    await host.advance(31 * 60_000);
    assert.deepEqual(await host.json('shares', '--json'), [], 'kept for half an hour');
  });

  test('12 MB over a slow link: stays connected, pings are answered in time, ends equal', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; seq -f "line %.0f of a long build log, with some text behind it" 200000; exec cat']);
    const proxy = await createProxy(t, portOf(shared.write), { bytesPerSecond: 700_000 });
    const viewer = await host.join(shared.write, { proxy });
    viewer.type(shared.pane, '\r');
    let slowest = 0;
    for (let value = 1, done = false; !done; value++) {
      const start = performance.now();
      viewer.send(T.VIEWER_PING, { value });
      await viewer.got(T.PONG, (pong) => pong.value === value);
      slowest = Math.max(slowest, performance.now() - start);
      done = /line 200000 of/.test(viewer.text());
    }
    assert.ok(slowest < 5000, `a PONG took ${slowest} ms`);
    assert.equal(viewer.welcomes.length, 1);
    await sameEnd(host, viewer, shared.pane);
  });

  test('yes to a throttled viewer: memory of daemon and gate is bounded, Ctrl-C leads to the prompt', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const proxy = await createProxy(t, portOf(shared.write), { bytesPerSecond: 64_000, delayMs: 20 });
    const viewer = await host.join(shared.write, { proxy });
    const { pid, gate } = await host.info();
    const before = [pid, gate.pid].map(residentBytes);
    viewer.type(shared.pane, 'yes a flood of text\r');
    await viewer.until(() => viewer.bytes > 100_000 && viewer.stream.some(({ reason }) => reason === KeyframeReason.SKIP), 'a skip');
    const grown = [pid, gate.pid].map((one, i) => residentBytes(one) - before[i]);
    for (const bytes of grown) assert.ok(bytes < MEMORY_BOUND, `${grown}`);
    const start = performance.now();
    viewer.type(shared.pane, '\x03');
    await viewer.sees(/\$ $|\$$/);
    const took = performance.now() - start;
    assert.ok(took < 10_000, `Ctrl-C to prompt: ${took} ms`);
    viewer.type(shared.pane, 'echo af""ter\r');
    await viewer.sees(/^after$/m);
    await sameEnd(host, viewer, shared.pane);
  });

  test('one of two viewers stops reading: the other and the program keep full speed; it catches up later', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; seq 400000; echo over; exec cat']);
    const proxy = await createProxy(t, portOf(shared.view));
    const stalled = await host.join(shared.view, { proxy });
    const good = await host.join(shared.write);
    await stalled.until(() => stalled.stream.length > 0, 'a keyframe');
    proxy.stall();
    const { pid, gate } = await host.info();
    const before = [pid, gate.pid].map(residentBytes);
    good.type(shared.pane, '\r');
    await good.sees(/^over$/m);
    assert.match(good.text(), /\n399999\n400000\nover/);
    const grown = [pid, gate.pid].map((one, i) => residentBytes(one) - before[i]);
    for (const bytes of grown) assert.ok(bytes < MEMORY_BOUND, `${grown}`);
    assert.ok((await host.json('viewers', '--json')).some(({ role, behind }) => role === 'spectator' && behind));
    proxy.stall(false);
    await stalled.sees(/^over$/m);
    assert.equal(stalled.welcomes.length, 1);
    await sameEnd(host, stalled, shared.pane);
  });

  test('a viewer that never acknowledges gets what may be in flight and no more; others are untouched', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; seq 300000; echo over; exec cat']);
    const mute = await Peer.join(t, shared.view);
    const good = await host.join(shared.write);
    good.type(shared.pane, '\r');
    await good.sees(/^over$/m);
    await mute.answers();
    assert.ok(mute.bodyBytes > 16 << 10 && mute.bodyBytes <= mute.welcome.window + (64 << 10), `${mute.bodyBytes} bytes`);
    await mute.send(T.ACK, { total: mute.bodyBytes, panes: [] });
    await mute.got(T.KEYFRAME, ({ reason }) => reason === KeyframeReason.SKIP);
  });

  test('control messages never wait behind bulk: typing is TAKEN while a flood waits for a slow link', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'stty -echo; yes a flood & cat >/dev/null']);
    const proxy = await createProxy(t, portOf(shared.write), { bytesPerSecond: 100_000 });
    const viewer = await host.join(shared.write, { proxy });
    await viewer.until(() => viewer.bytes > 60_000, 'the flood');
    for (let i = 0; i < 5; i++) {
      const start = performance.now();
      viewer.type(shared.pane, `key ${i}\r`);
      await viewer.until(() => viewer.viewer.input.waiting === 0, 'TAKEN');
      assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
    }
  });

  test('a viewer whose terminal is slow is sent no more than it can render, and ends equal', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; seq 200000; echo over; exec cat']);
    const waiting = [];
    const viewer = await host.join(shared.write, { slow: (done) => waiting.push(done) });
    const { window } = viewer.welcomes[0].welcome;
    viewer.type(shared.pane, '\r');
    await host.sees(shared.pane, /^over$/m);
    await viewer.until(() => viewer.bytes > 10_000, 'some output');
    assert.ok(viewer.bytes <= window + (64 << 10), `${viewer.bytes} bytes not rendered`);
    const render = setInterval(() => waiting.splice(0).forEach((done) => done()), 2);
    t.after(() => clearInterval(render));
    await viewer.sees(/^over$/m);
    await sameEnd(host, viewer, shared.pane);
  });

  test('a heal: after a skip the scrollback is whole again', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; seq 6000; echo over; exec cat']);
    const waiting = [];
    const viewer = await host.join(shared.write, { slow: (done) => waiting.push(done) });
    viewer.type(shared.pane, '\r');
    await host.sees(shared.pane, /^over$/m);
    const render = setInterval(() => waiting.splice(0).forEach((done) => done()), 1);
    t.after(() => clearInterval(render));
    await viewer.sees(/^over$/m);
    await host.advance(1000);
    await viewer.sees(/\n1\n2\n3\n/);
    assert.equal(viewer.text(), await host.screen(shared.pane, '-S', '-'));
  });

  test('history is answered from any line, and says where it starts', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'seq 5000; exec cat']);
    await host.sees(shared.pane, /^5000$/m);
    const peer = await Peer.join(t, shared.view);
    const pane = Number(shared.pane.slice(1));
    await peer.send(T.HISTORY_REQUEST, { request: 7, pane, beforeLine: 100, count: 10 });
    const history = await peer.got(T.HISTORY);
    assert.deepEqual([history.request, history.firstLine, history.count], [7, 90, 10]);
    assert.match(Buffer.from(history.vt).toString(), /91\r?\n92\r?\n[^]*100/);
    await peer.send(T.HISTORY_REQUEST, { request: 8, pane: 4711, beforeLine: 1, count: 1 });
    assert.equal((await peer.got(T.DONE)).result, lib.DoneResult.NOT_FOUND);
    for (const [i, [beforeLine, count]] of [[0, 10], [2 ** 40, 5], [10, 0], [100, 0xffffffff]].entries()) {
      await peer.send(T.HISTORY_REQUEST, { request: 100 + i, pane, beforeLine, count });
      await peer.got(T.HISTORY, ({ request }) => request === 100 + i);
    }
    await until(() => peer.wire.end === undefined, 'alive', DEADLINE_MS);
  });
});
