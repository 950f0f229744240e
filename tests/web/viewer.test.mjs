// The viewer class against the fake daemon: joining, resuming, refusals, silence, and what it does
// with records that were tampered with. Time is a clock of the test's own.

import test from 'node:test';
import assert from 'node:assert/strict';
import { lib, require, until } from './setup.mjs';
import { FakeDaemon } from './fake_daemon.mjs';

const WebSocket = require('ws');
const T = lib.MessageType;
const openSocket = (url, protocol) => new WebSocket(url, protocol, { perMessageDeflate: false });

/** Timers fire when the test moves the clock. */
class TestClock {
  time = 1_000_000;
  timers = new Map();
  next = 1;
  now = () => this.time;
  random = () => 0.5;
  set = (action, ms) => (this.timers.set(this.next, { at: this.time + ms, action }), this.next++);
  clear = (handle) => this.timers.delete(handle);

  advance(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(([, t]) => t.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.time = due[1].at;
      due[1].action();
    }
    this.time = end;
  }
}

/** A daemon, a viewer on it that collects the screen's bytes, and a clock. Ended with the test. */
async function pair(t, daemonOptions = {}, viewerOptions = {}) {
  const daemon = await FakeDaemon.start(daemonOptions);
  const clock = new TestClock();
  const seen = { states: [], text: '', lost: 0, resumed: [], messages: [] };
  const events = {
    state: (state) => seen.states.push(state.kind),
    welcome: (_, resumed) => seen.resumed.push(resumed),
    stream: ({ type, fields, done }) => {
      if (type === T.KEYFRAME) seen.text = '';
      seen.text += Buffer.from(fields.vt ?? fields.data).toString();
      done();
    },
    message: (type, fields) => seen.messages.push({ type, fields }),
    inputLost: (bytes) => (seen.lost += bytes),
  };
  const viewer = new lib.Viewer({ link: daemon.url, openSocket, clock, events, ...viewerOptions });
  t.after(async () => {
    viewer.stop();
    await daemon.down();
  });
  viewer.start();
  return { daemon, viewer, clock, seen };
}

const live = ({ viewer }) => until(() => viewer.state.kind === 'live', 'live');
const kind = ({ viewer }, wanted) => until(() => viewer.state.kind === wanted && viewer.state, wanted);

test('joins, renders, acknowledges what it rendered', async (t) => {
  const all = await pair(t, { keyframe: lib.utf8('hello ') });
  await live(all);
  await all.daemon.output('world');
  await until(() => all.seen.text === 'hello world', 'text');
  const bodies = 4 + 8 + 8 + 2 + 2 + 4 + 1 + 6 + (4 + 8 + 5);
  const ack = await until(() => all.daemon.peer.last(T.ACK)?.total === bodies && all.daemon.peer.last(T.ACK), 'ack');
  assert.deepEqual(ack.panes, [{ pane: 1, offset: 5 }]);
  assert.deepEqual(all.seen.states, ['connecting', 'live']);
});

test('types; bytes are kept until they are taken', async (t) => {
  const all = await pair(t, { echo: false, takes: false });
  await live(all);
  all.viewer.type(1, lib.utf8('ls\r'));
  await until(() => all.daemon.typedText === 'ls\r', 'input');
  assert.equal(all.viewer.input.waiting, 3);
  await all.daemon.peer.send(T.TAKEN, { inputNext: 3 });
  await until(() => all.viewer.input.waiting === 0, 'taken');
});

test('a cut connection resumes: no key lost or doubled, output goes on where it stopped', async (t) => {
  const all = await pair(t, { takes: false, echo: false });
  await live(all);
  await all.daemon.output('one ');
  all.viewer.type(1, lib.utf8('abc'));
  await until(() => all.daemon.typedText === 'abc' && all.seen.text === 'one ', 'first half');
  all.daemon.peer.socket.terminate();
  await kind(all, 'reconnecting');
  all.viewer.type(1, lib.utf8('def'));
  await all.daemon.output('two ');
  all.clock.advance(300);
  await live(all);
  await until(() => all.daemon.typedText === 'abcdef', 'second half');
  await until(() => all.seen.text === 'one two ', 'text');
  assert.deepEqual(all.seen.resumed, [false, true]);
  assert.deepEqual(all.daemon.peer.last(T.JOIN).panes, [{ pane: 1, offset: 4 }]);
});

test('when the daemon no longer knows the viewer, input is discarded and that is said', async (t) => {
  const all = await pair(t, { takes: false, echo: false });
  await live(all);
  all.viewer.type(1, lib.utf8('abc'));
  await until(() => all.daemon.typedText === 'abc', 'input');
  all.daemon.known.clear();
  all.daemon.peer.socket.terminate();
  await kind(all, 'reconnecting');
  all.clock.advance(300);
  await live(all);
  assert.equal(all.seen.lost, 3);
});

test('offsets are asked for only after the terminal has drained', async (t) => {
  let release;
  const drained = () => new Promise((resolve) => (release = resolve));
  const all = await pair(t, {}, { drained });
  await until(() => release, 'the question');
  assert.equal(all.daemon.peer.last(T.JOIN), undefined);
  release();
  await live(all);
});

test('a PIN is asked for, and the right one lets in', async (t) => {
  const all = await pair(t, { pin: '4711' });
  assert.deepEqual(await kind(all, 'waiting'), { kind: 'waiting', what: 'pin', attemptsLeft: 5, retryS: 0 });
  all.viewer.submitPin('1');
  await until(() => all.daemon.peer.messages.length === 2, 'second JOIN');
  all.viewer.submitPin('4711');
  await live(all);
});

test('a refused link stays refused; one that worked is tried again', async (t) => {
  const all = await pair(t, { refuse: true });
  await kind(all, 'refused');
  assert.equal(all.clock.timers.size, 0);
  all.daemon.refuse = false;
  all.viewer.start();
  await live(all);
  all.daemon.refuse = true;
  all.daemon.peer.socket.terminate();
  await kind(all, 'reconnecting');
  let attempts = 0;
  while (all.viewer.state.kind === 'reconnecting') {
    const verdicts = all.seen.states.length;
    all.clock.advance(8_000); // the longest delay, and less than an attempt may take
    await until(() => all.seen.states.length > verdicts, 'the verdict');
    attempts++;
  }
  assert.equal(all.viewer.state.kind, 'refused');
  assert.equal(attempts, 4);
});

test('after a sealed BYE nothing reconnects, also when the close comes with it', async (t) => {
  const all = await pair(t);
  await live(all);
  void all.daemon.peer.send(T.BYE, { reason: lib.ByeReason.KICKED, text: 'bye' });
  await until(() => all.daemon.peer.socket.readyState !== 1, 'close');
  assert.deepEqual(await kind(all, 'bye'), { kind: 'bye', reason: lib.ByeReason.KICKED, text: 'bye' });
  all.clock.advance(600_000);
  assert.equal(all.daemon.peers.length, 1);
  assert.ok(all.viewer.resumeToken.every((byte) => byte === 0));
});

test('silence: away after 9 s, back with the next record, given up after 40 s', async (t) => {
  const all = await pair(t);
  await live(all);
  all.clock.advance(8_000);
  assert.equal(all.viewer.state.kind, 'live');
  all.clock.advance(2_000);
  assert.equal(all.viewer.state.kind, 'away');
  await all.daemon.peer.send(T.PING, { value: 77 });
  await live(all);
  await until(() => all.daemon.peer.last(T.VIEWER_PONG)?.value === 77, 'pong');
  all.clock.advance(39_000);
  assert.equal(all.viewer.state.kind, 'away');
  all.clock.advance(2_000);
  await until(() => all.daemon.peers.length === 2, 'a new connection');
});

test('waking up after a long sleep reconnects at once', async (t) => {
  const all = await pair(t);
  await live(all);
  all.clock.time += 3_600_000; // the machine slept: no timer fired
  all.viewer.nudge();
  assert.equal(all.viewer.state.kind, 'reconnecting');
  all.viewer.nudge();
  await live(all);
});

test('a daemon that lets in and cuts at once is tried ever more slowly', async (t) => {
  const all = await pair(t);
  const waits = [];
  for (let i = 0; i < 5; i++) {
    await live(all);
    all.daemon.peer.socket.terminate();
    await kind(all, 'reconnecting');
    const from = all.clock.time;
    const [{ at }] = all.clock.timers.values();
    waits.push(at - from);
    all.clock.advance(at - from);
  }
  assert.deepEqual(waits, [187.5, 375, 750, 1500, 3000]);
  await live(all);
  all.clock.time += 10_000;
  all.daemon.peer.socket.terminate();
  await kind(all, 'reconnecting');
  assert.equal([...all.clock.timers.values()][0].at - all.clock.time, 187.5);
});

test('a size that changes while joining is told after it, and only once', async (t) => {
  let release;
  const all = await pair(t, {}, { drained: () => new Promise((resolve) => (release = resolve)) });
  await until(() => release, 'the question');
  release();
  await until(() => all.daemon.peer.last(T.JOIN), 'JOIN');
  all.viewer.resize(100, 40);
  await live(all);
  await until(() => all.daemon.peer.last(T.SIZE), 'SIZE');
  all.viewer.resize(100, 40);
  all.viewer.resize(90, 40);
  await until(() => all.daemon.peer.last(T.SIZE).cols === 90, 'the second SIZE');
  assert.equal(all.daemon.peer.messages.filter(({ type }) => type === T.SIZE).length, 2);
});

test('an altered, missing or repeated record ends the connection; nothing of it is acted on', async (t) => {
  const damage = {
    altered: (record) => ((record[5] ^= 1), record),
    truncated: (record) => record.slice(0, -1),
    empty: () => new Uint8Array(0),
  };
  for (const [name, alter] of Object.entries(damage)) {
    const all = await pair(t);
    await live(all);
    await until(() => all.daemon.peer.last(T.ACK), 'first ack');
    all.daemon.peer.alter = alter;
    await all.daemon.output('evil');
    const state = await kind(all, 'reconnecting');
    assert.equal(state.cause, 'damaged', name);
    assert.ok(!all.seen.text.includes('evil'), name);
  }
});

test('messages that break the protocol end the connection', async (t) => {
  const ways = {
    'a hole in the stream': (peer) => peer.send(T.OUTPUT, { pane: 1, offset: 99, data: lib.utf8('x') }),
    'a pane without a keyframe': (peer) => peer.send(T.OUTPUT, { pane: 9, offset: 0, data: lib.utf8('x') }),
    'a viewer’s message': (peer) => peer.send(T.INPUT, { seq: 0, pane: 1, data: lib.utf8('x') }),
    'input that was never sent': (peer) => peer.send(T.TAKEN, { inputNext: 5 }),
    'bytes left over': (peer) => peer.sendPlain(lib.buildPlain(T.PING, false, new Uint8Array(9))),
    'an enum out of range': (peer) => peer.sendPlain(lib.buildPlain(T.ROLE, false, Uint8Array.of(9, 0, 0, 0, 0, 0))),
    'a text message': (peer) => peer.socket.send('hello'),
  };
  for (const [name, misbehave] of Object.entries(ways)) {
    const all = await pair(t);
    await live(all);
    await misbehave(all.daemon.peer);
    const state = await kind(all, 'reconnecting');
    assert.equal(state.cause, 'damaged', name);
    assert.ok(!all.seen.text.includes('x'), name);
  }
});

test('types of a newer daemon are skipped', async (t) => {
  const all = await pair(t);
  await live(all);
  await all.daemon.peer.sendPlain(lib.buildPlain(0x3f, false, Uint8Array.of(1, 2, 3)));
  await all.daemon.output('after');
  await until(() => all.seen.text === 'after', 'text');
});

test('another daemon’s key, or a wrong secret, never becomes a connection', async (t) => {
  const { daemon } = await pair(t);
  const stranger = (await lib.x25519Generate()).publicKey;
  const socketUrl = `ws://127.0.0.1:${daemon.port}/ws`;
  const link = { daemonKey: stranger, secret: daemon.secret, socketUrl: undefined };
  const viewer = new lib.Viewer({ link: { link, socketUrl }, openSocket, clock: new TestClock() });
  viewer.start();
  t.after(() => viewer.stop());
  await until(() => daemon.peers.find((peer) => peer.error), 'refusal by the daemon');
  assert.equal(viewer.connection?.isSealed ?? false, false);
});
