// The daemon's local socket under clients that keep no rule: each is dropped, alone, with one line in
// the log; a command running meanwhile, and one after it, work as ever. Frames: docs/ipc.md.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { BIN, DEADLINE_MS, Host, collect, createHost, isSanitized, residentBytes, until } from './host.mjs';

const HELLO = 1;
const COMMAND = 2;
const KEYS = 3;
const WELCOME = 0x81;
const EXIT = 0x83;
const PROGRAM = 0x10;
const LIST = 0x11;
const INPUT = 0x12;
const CELLS = 0x13;
const SUBSCRIBE = 0x14;
const UNSUBSCRIBE = 0x15;
const CANCEL = 0x16;
const ANSWER = 0x90;
const SUBSCRIBED = 0x97;
const DATA = 0x98;
const ENDED = 0x9a;
const MAGIC = 0x5654524e;
const BODY_MAX = 1 << 20;

const u8 = (v) => Buffer.of(v);
const u16 = (v) => Buffer.of(v >> 8, v & 0xff);
const u32 = (v) => Buffer.of(v >>> 24, (v >> 16) & 0xff, (v >> 8) & 0xff, v & 0xff);
const blob = (bytes) => Buffer.concat([u32(Buffer.byteLength(bytes)), Buffer.from(bytes)]);
const str = (text) => Buffer.concat([u16(Buffer.byteLength(text)), Buffer.from(text)]);
const frame = (type, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length), u8(type), body]);
};
const hello = (magic = MAGIC, version = 1) => frame(HELLO, u32(magic), u16(version), str('test'));
const command = (...argv) => frame(COMMAND, u8(0), u16(0), u16(0), blob(''), blob('/'), u16(argv.length), ...argv.map(blob), u16(0));

/** Sends bytes; gives { frames, ended } once the daemon has closed, or when `enough` frames came. */
function talk(host, bytes, { enough = Infinity, end = false } = {}) {
  return new Promise((resolve) => {
    const socket = connect(host.socket);
    const chunks = [];
    const frames = () => {
      let all = Buffer.concat(chunks);
      const out = [];
      while (all.length >= 5 && all.length >= 5 + all.readUInt32BE(0)) {
        out.push({ type: all[4], body: all.subarray(5, 5 + all.readUInt32BE(0)) });
        all = all.subarray(5 + all.readUInt32BE(0));
      }
      return out;
    };
    const finish = (ended) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ frames: frames(), ended });
    };
    const timer = setTimeout(() => finish(false), DEADLINE_MS / 4);
    socket.on('error', () => undefined).on('close', () => finish(true));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (frames().length >= enough) finish(false);
    });
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

describe('the local socket', { concurrency: 4 }, () => {
  let host;
  let pid;
  before(async () => {
    host = new Host();
    await host.vitrine('new', '-d', '-s', 'main', 'cat');
    pid = (await host.info()).pid;
  });
  after(async () => {
    assert.equal((await host.info()).pid, pid);
    await host.type('main', 'fi""ne', 'Enter');
    await host.sees('main', /fi""ne\nfi""ne/);
    await host.stop();
  });

  test('a well-formed command works, in one write or byte by byte', async () => {
    const whole = Buffer.concat([hello(), command('has-session', '-t', 'main')]);
    const { frames, ended } = await talk(host, whole);
    assert.deepEqual([frames.map(({ type }) => type), frames.at(-1).body[0], ended], [[WELCOME, EXIT], 0, true]);
    const got = await new Promise((resolve, reject) => {
      const socket = connect(host.socket);
      const chunks = [];
      socket.on('error', reject).on('data', (chunk) => chunks.push(chunk)).on('close', () => resolve(Buffer.concat(chunks)));
      (async () => {
        for (const byte of whole) {
          socket.write(u8(byte));
          await new Promise(setImmediate);
        }
      })();
    });
    assert.equal(got.at(-1), 0);
  });

  const dropped = [
    ['garbage', randomBytes(4096)], ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')], ['zeros', Buffer.alloc(64)],
    ['another magic', hello(0x12345678)], ['HELLO cut short', frame(HELLO, u32(MAGIC))], ['HELLO with bytes left over', frame(HELLO, u32(MAGIC), u16(1), str('x'), u8(0))],
    ['a frame longer than allowed', Buffer.concat([u32(BODY_MAX + 1), u8(HELLO)])], ['a frame of 4 GiB', Buffer.concat([u32(0xffffffff), u8(HELLO)])],
    ['a type of nobody', frame(0x7f, u8(0))], ['a type of the daemon', frame(EXIT, u8(0))], ['COMMAND before HELLO', command('ls')],
    ['HELLO twice', Buffer.concat([hello(), hello()])], ['KEYS before being attached', Buffer.concat([hello(), frame(KEYS, Buffer.from('evil'))])],
    ['COMMAND without words', Buffer.concat([hello(), command()])], ['COMMAND with too many words', Buffer.concat([hello(), command(...Array(1025).fill('x'))])],
    ['a word with a NUL', Buffer.concat([hello(), command('ls', 'a\0b')])], ['a list longer than its body', Buffer.concat([hello(), frame(COMMAND, u8(0), u16(0), u16(0), blob(''), blob('/'), u16(9), blob('ls'))])],
    ['a word longer than its body', Buffer.concat([hello(), frame(COMMAND, u8(0), u16(0), u16(0), blob(''), blob('/'), u16(1), u32(99), Buffer.from('ls'))])],
    ['flags of nobody knows what, bytes left over', Buffer.concat([hello(), frame(COMMAND, u8(255), u16(0), u16(0), blob(''), blob('/'), u16(1), blob('ls'), u16(0), u8(1))])],
  ];
  for (const [what, bytes] of dropped) {
    test(`${what}: dropped`, async () => {
      const { frames, ended } = await talk(host, bytes);
      assert.ok(ended, 'closed by the daemon');
      assert.deepEqual(frames.filter(({ type }) => type !== WELCOME), [], 'no answer');
    });
  }

  test('every byte of a good conversation changed: an answer or a closed connection, never more', async () => {
    const whole = Buffer.concat([hello(), command('has-session', '-t', 'main')]);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] ^= 1 << (at % 8);
      const { frames } = await talk(host, changed, { end: true });
      for (const { type } of frames) assert.ok([WELCOME, 0x82, EXIT].includes(type), `byte ${at}`);
    }
  });

  test('cut off at every byte: nothing happens', async () => {
    const whole = Buffer.concat([hello(), command('kill-server')]);
    for (let n = 0; n < whole.length; n += 3) await talk(host, whole.subarray(0, n), { end: true });
    assert.equal((await host.info()).pid, pid);
  });

  test('another version: told which one the daemon has, exit 1', async () => {
    const { frames, ended } = await talk(host, Buffer.concat([hello(MAGIC, 99), command('kill-server')]));
    assert.ok(ended);
    assert.deepEqual(frames.map(({ type }) => type), [WELCOME, EXIT]);
    assert.deepEqual([frames[0].body.readUInt16BE(0), frames[1].body[0]], [2, 1]);
  });

  test('the version before: answered in that version, without programs', async () => {
    const { frames } = await talk(host, Buffer.concat([hello(MAGIC, 1), command('has-session', '-t', 'main')]));
    assert.deepEqual(frames.map(({ type }) => type), [WELCOME, EXIT]);
    assert.deepEqual([frames[0].body.readUInt16BE(0), frames[1].body[0]], [1, 0]);
    const old = await talk(host, Buffer.concat([hello(MAGIC, 1), frame(PROGRAM, u8(0))]));
    assert.deepEqual(old.frames.filter(({ type }) => type !== WELCOME), []);
    assert.ok(old.ended);
  });

  test('words that are wrong lines by themselves are answered as the client would', async () => {
    for (const [argv, status] of [[['no-such-command'], 2], [['ls', '--nope'], 2], [[''], 2], [['x'.repeat(100_000)], 2], [['has-session', '-t', 'y'.repeat(100_000)], 1], [['help'], 1]]) {
      const { frames } = await talk(host, Buffer.concat([hello(), command(...argv)]));
      assert.equal(frames.at(-1).type, EXIT);
      assert.equal(frames.at(-1).body[0], status, argv[0].slice(0, 20));
    }
  });

  test('clients that say nothing, or do not read, are dropped in time and hold up nobody', async (t) => {
    const own = await createHost(t);
    await own.vitrine('new', '-d', '-s', 'big', 'seq 5000; exec cat');
    await own.sees('big', /5000/);
    const idle = Array.from({ length: 50 }, () => connect(own.socket).on('error', () => undefined));
    const closed = idle.map((socket) => new Promise((resolve) => socket.on('close', resolve)));
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
    const deaf = connect(own.socket).on('error', () => undefined);
    t.after(() => deaf.destroy());
    deaf.write(Buffer.concat([hello(), command('capture-pane', '-p', '-S', '-', '-t', 'big')]));
    deaf.pause();
    await own.vitrine('ls');
    for (const socket of idle) socket.resume();
    await own.advance(11_000);
    await Promise.all(closed);
    await own.vitrine('ls');
  });

  test('the log has a line for what was dropped, and not one for each of hundreds', async (t) => {
    const own = await createHost(t);
    await own.vitrine('start-server');
    for (let i = 0; i < 300; i++) await talk(own, Buffer.from('GET / HTTP/1.1\r\n\r\n'), { end: true });
    const lines = own.log.split('\n').filter((line) => /client: dropped/.test(line));
    assert.ok(lines.length >= 1 && lines.length < 60, `${lines.length} lines`);
  });

  test('the socket and its directory are the user’s own', () => {
    assert.equal(statSync(host.socket).mode & 0o077, 0);
    assert.equal(statSync(host.runtime).mode & 0o077, 0);
  });

  test('a second daemon on the same socket says that one runs already, and leaves it alone', async () => {
    const { code, stderr } = await collect([`${BIN}/vitrined`, '--socket', host.socket], { env: host.env });
    assert.equal(code, 1);
    assert.match(stderr, /a server runs on .* already/);
    await host.vitrine('ls');
  });

  test('another user’s client is refused', async (t) => {
    if (process.getuid() !== 0) return t.skip('only root can become another user');
    const own = await createHost(t, { plain: true });
    const started = await own.run(['start-server']);
    if (/Permission denied/.test(started.stderr)) return t.skip(`${BIN} is not open to other users`);
    const stranger = ['setpriv', '--reuid=65533', '--regid=65534', '--clear-groups', `${BIN}/vitrine`, 'ls'];
    const { code, stderr } = await collect(stranger, { env: own.env, cwd: '/' });
    assert.equal(code, 1);
    assert.match(stderr, /belongs to another user|denied/);
    await until(async () => (await own.run(['ls'])).code === 0, 'the owner', DEADLINE_MS);
  });
});

// --- programs --------------------------------------------------------------------------------

const u64 = (v) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(v)); return b; };
const program = (flags = 0) => Buffer.concat([frame(HELLO, u32(MAGIC), u16(2), str('test')), frame(PROGRAM, u8(flags))]);
const NOW = 0xffffffffffffffffn;
const subscribe = (id, pane, from = NOW, flags = 1) => frame(SUBSCRIBE, u32(id), u32(pane), u8(flags), u64(from));
const answersOf = (frames) => frames.filter(({ type }) => type === ANSWER).map(({ body }) => [body.readUInt32BE(0), body[4]]);

describe('programs that keep no rule', () => {
  let host;
  let pid;
  let pane;
  before(async () => {
    host = new Host();
    await host.vitrine('new', '-d', '-s', 'main', 'echo begin; exec cat');
    await host.sees('main', /begin/);
    pane = Number((await host.json('list-panes', '-a', '--json'))[0].id.slice(1));
    pid = (await host.info()).pid;
  });
  after(async () => {
    assert.equal((await host.info()).pid, pid);
    await host.type('main', 'still', 'Enter');
    await host.sees('main', /still\nstill/);
    await host.stop();
  });

  const dropped = [
    ['a request before PROGRAM', () => Buffer.concat([hello(MAGIC, 2), frame(LIST, u32(1), u8(7))])],
    ['PROGRAM twice', () => Buffer.concat([program(), frame(PROGRAM, u8(0))])],
    ['PROGRAM after COMMAND', () => Buffer.concat([hello(MAGIC, 2), command('wait-for', 'never'), frame(PROGRAM, u8(0))])],
    ['KEYS', () => Buffer.concat([program(), frame(KEYS, Buffer.from('evil'))])],
    ['what the daemon says', () => Buffer.concat([program(), frame(DATA, u32(1), u64(0), Buffer.from('evil'))])],
    ['two commands at once', () => Buffer.concat([program(), command('wait-for', 'never'), command('ls')])],
    ['INPUT without a number', () => Buffer.concat([program(), frame(INPUT, u32(0), u32(pane), Buffer.from('evil'))])],
    ['more INPUT than may be', () => Buffer.concat([program(), frame(INPUT, u32(1), u32(pane), Buffer.alloc(16385, 'e'))])],
    ['LIST cut short', () => Buffer.concat([program(), frame(LIST, u32(1))])],
    ['CELLS with bytes left over', () => Buffer.concat([program(), frame(CELLS, u32(1), u32(pane), u64(0), u32(1), u8(0))])],
    ['SUBSCRIBE cut short', () => Buffer.concat([program(), frame(SUBSCRIBE, u32(1), u32(pane), u8(1))])],
    ['UNSUBSCRIBE cut short', () => Buffer.concat([program(), frame(UNSUBSCRIBE, u16(1))])],
    ['CANCEL cut short', () => Buffer.concat([program(), frame(CANCEL)])],
  ];
  for (const [what, bytes] of dropped) {
    test(`${what}: dropped`, async () => {
      const { frames, ended } = await talk(host, bytes());
      assert.ok(ended, 'closed by the daemon');
      assert.deepEqual(frames.filter(({ type }) => type !== WELCOME), [], 'no answer');
    });
  }

  test('what is not there is answered, and the connection stays', async () => {
    const bytes = Buffer.concat([program(), subscribe(1, 4711), frame(INPUT, u32(2), u32(4711), Buffer.from('x')), frame(CELLS, u32(3), u32(4711), u64(0), u32(1)),
      frame(UNSUBSCRIBE, u32(77)), frame(CANCEL, u32(77)), frame(CANCEL, u32(0)), subscribe(4, pane, 1n << 40n), frame(LIST, u32(5), u8(0)), frame(LIST, u32(6), u8(255))]);
    const { frames, ended } = await talk(host, bytes, { enough: 10 });
    assert.deepEqual(answersOf(frames), [[1, 1], [2, 1], [3, 1], [4, 2], [5, 0], [6, 0]]);
    assert.ok(!ended);
  });

  test('10,000 subscriptions: what is allowed is, the rest is refused', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => subscribe(i + 1, pane, NOW));
    const { frames } = await talk(host, Buffer.concat([program(), ...many, subscribe(5, pane), frame(LIST, u32(20_000), u8(0))]), { enough: 1 + 10_000 + 1024 + 2 });
    const answers = answersOf(frames);
    assert.equal(answers.filter(([, result]) => result === 0).length, 1024 + 1); // and LIST's
    assert.equal(answers.filter(([, result]) => result === 2).length, 10_000 - 1024 + 1);
    assert.equal(frames.filter(({ type }) => type === SUBSCRIBED).length, 1024);
  });

  test('subscribing and unsubscribing without end leaves nothing behind', async () => {
    const rounds = Array.from({ length: 5000 }, () => Buffer.concat([subscribe(1, pane), frame(UNSUBSCRIBE, u32(1))]));
    const { frames } = await talk(host, Buffer.concat([program(), ...rounds]), { enough: 1 + 3 * 5000 });
    assert.equal(frames.filter(({ type }) => type === ENDED).length, 5000);
    assert.ok(answersOf(frames).every(([, result]) => result === 0));
  });

  test('every byte of a good conversation changed: never more than a closed connection', async () => {
    const whole = Buffer.concat([program(1), frame(LIST, u32(1), u8(7)), frame(CELLS, u32(2), u32(pane), u64(NOW), u32(99)), subscribe(3, pane, 0), frame(UNSUBSCRIBE, u32(3)), frame(CANCEL, u32(0)), command('has-session', '-t', 'main')]);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] ^= 1 << (at % 8);
      await talk(host, changed, { end: true });
    }
  });

  test('never reading: requests wait, memory does not grow, panes are not slowed', async (t) => {
    const own = await createHost(t);
    await own.vitrine('new', '-d', '-s', 'work', '-x', '200', '-y', '50', 'read go; seq 1 400000; echo over; exec cat');
    const number = Number((await own.json('list-panes', '-a', '--json'))[0].id.slice(1));
    const { pid: daemon } = await own.info();
    const deaf = Array.from({ length: 8 }, () => connect(own.socket).on('error', () => undefined));
    t.after(() => deaf.forEach((socket) => socket.destroy()));
    const subscriptions = Array.from({ length: 100 }, (_, i) => subscribe(i + 1, number, 0));
    const asks = Array.from({ length: 20_000 }, (_, i) => frame(CELLS, u32(1000 + i), u32(number), u64(NOW), u32(50)));
    for (const socket of deaf) {
      socket.pause();
      socket.write(Buffer.concat([program(1), ...subscriptions, ...asks]));
    }
    await own.vitrine('ls');
    const before = residentBytes(daemon);
    await own.type('work', 'Enter');
    await own.sees('work', /over/);
    // Eight clients, of which each may have a megabyte and what one answer takes waiting.
    if (!isSanitized) assert.ok(residentBytes(daemon) - before < 64 << 20, `${residentBytes(daemon) - before} bytes more`);
    await own.vitrine('ls');
  });
});
