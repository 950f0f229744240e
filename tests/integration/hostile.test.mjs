// Viewers that keep no rule. Each is cut off, alone: a witness on the same pane sees and types as
// before, the program gets nothing that was not allowed, and the daemon is the same process.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { lib, seeded } from '../web/setup.mjs';
import { DEADLINE_MS, Host, until } from './host.mjs';
import { Peer, Wire, greet, inputOf, joinOf, knock } from './peer.mjs';

const T = lib.MessageType;
const MALFORMED = 4002;
const REFUSED = 4000;
const REFUSAL_MS = 300;

/** One host for a group of tests, with a witness who must not notice anything. */
function witnessed() {
  const w = {};
  before(async () => {
    w.host = new Host();
    w.shared = await w.host.share(['cat']);
    w.pane = Number(w.shared.pane.slice(1));
    w.witness = await w.host.join(w.shared.write);
    w.pid = (await w.host.info()).pid;
  });
  after(async () => {
    w.witness.type(w.shared.pane, 'witness\r');
    await w.witness.sees(/witness\nwitness/);
    assert.equal(w.witness.welcomes.length, 1);
    assert.equal((await w.host.info()).pid, w.pid);
    assert.doesNotMatch(w.witness.text(), /evil/);
    await w.host.stop();
  });
  return w;
}

// Before the time limits (5 s without JOIN, 40 s of silence) end it with the same code.
const AT_ONCE_MS = 4500;
const closedWith = async (peer, code, what) => {
  const end = await until(() => peer.wire.end, `${what}: the end`, AT_ONCE_MS);
  assert.equal(end.code, code, what);
};
/** After the clock was moved. */
const timedOut = async (peer) => assert.equal((await until(() => peer.wire.end, 'the end', DEADLINE_MS)).code, MALFORMED);

// --- message × state × role ------------------------------------------------------------------

const BODIES = {
  JOIN: () => joinOf(),
  INPUT: (pane) => inputOf(pane, 0, 'evil'),
  ACK: () => ({ total: 0, panes: [] }),
  SIZE: () => ({ cols: 10, rows: 5 }),
  VIEWER_PING: () => ({ value: 1 }),
  HISTORY_REQUEST: (pane) => ({ request: 1, pane, beforeLine: 10, count: 5 }),
  ASK: () => ({ what: 0 }),
  COMMAND: (pane) => ({ request: 2, op: 0, target: pane, arguments: new Uint8Array(0) }),
  VIEW: () => ({ window: 0 }),
  VIEWER_PONG: () => ({ value: 1 }),
};

// What must happen: 'ok' nothing ends, a name: that message comes, 'cut': the connection ends.
const RULES = {
  //                joining    reader     writer
  JOIN:            ['WELCOME', 'cut',     'cut'],
  INPUT:           ['cut',     'cut',     'TAKEN'],
  ACK:             ['cut',     'ok',      'ok'],
  SIZE:            ['cut',     'ok',      'ok'],
  VIEWER_PING:     ['PONG',    'PONG',    'PONG'],
  HISTORY_REQUEST: ['cut',     'HISTORY', 'HISTORY'],
  ASK:             ['cut',     'NOTICE',  'NOTICE'],
  COMMAND:         ['cut',     'DONE',    'DONE'],
  VIEW:            ['cut',     'ok',      'ok'],
  VIEWER_PONG:     ['ok',      'ok',      'ok'],
};
const COLUMNS = ['joining', 'reader', 'writer'];

async function peerIn(t, w, column) {
  if (column === 'joining') return Peer.open(t, w.shared.write);
  return Peer.join(t, column === 'reader' ? w.shared.view : w.shared.write);
}

async function judge(peer, rule, name) {
  if (rule === 'cut') return closedWith(peer, MALFORMED, name);
  if (rule !== 'ok') await peer.got(T[rule]);
  await peer.answers();
}

describe('every message in every state and role', { concurrency: 8 }, () => {
  const w = witnessed();
  for (const [name, rules] of Object.entries(RULES)) {
    for (const [i, column] of COLUMNS.entries()) {
      test(`${name} from one who is ${column}: ${rules[i]}`, async (t) => {
        const peer = await peerIn(t, w, column);
        const pane = name === 'INPUT' && rules[i] === 'TAKEN' ? 4711 : w.pane; // nothing may reach the program
        await peer.send(T[name], BODIES[name](pane));
        await judge(peer, rules[i], name);
      });
    }
  }

  test('the table has every message a viewer may send', () => {
    const up = Object.keys(T).filter((name) => lib.isUp(T[name]));
    assert.deepEqual(Object.keys(RULES).sort(), up.sort());
  });

  test('types that are the daemon’s, or nobody’s: cut off, in every state', async (t) => {
    const strange = [0, 1, 3, 4, 10, 0x10, 0x3f, 0x40, 0x4b, 0x60, 0x7f];
    for (const column of COLUMNS) {
      await Promise.all(strange.map(async (type) => {
        const peer = await peerIn(t, w, column);
        await peer.sendBody(type, new Uint8Array(8));
        await closedWith(peer, MALFORMED, `type ${type} while ${column}`);
      }));
    }
  });

  test('a message that goes on in the next record: cut off', async (t) => {
    for (const column of COLUMNS) {
      const peer = await peerIn(t, w, column);
      await peer.sendPlain(lib.buildPlain(T.VIEWER_PING, true, new Uint8Array(4)));
      await closedWith(peer, MALFORMED, column);
    }
  });

  test('bodies cut short at every byte, or with a byte too many: cut off', async (t) => {
    const rows = Object.entries(BODIES).map(([name, make]) => [name, lib.encode(T[name], make(4711))]);
    const cases = [];
    for (const [name, body] of rows) {
      const open = name === 'INPUT'; // it ends in bytes of any number
      for (let n = 0; n < body.length; n++) if (!(open && n >= 12)) cases.push([name, body.subarray(0, n)]);
      if (!open) cases.push([name, lib.concat(body, Uint8Array.of(0))]);
    }
    assert.ok(cases.length > 100);
    const next = cases[Symbol.iterator]();
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (const [name, body] of next) {
        const peer = await peerIn(t, w, name === 'JOIN' ? 'joining' : 'writer');
        await peer.sendBody(T[name], body);
        await closedWith(peer, MALFORMED, `${name} of ${body.length} bytes`);
      }
    }));
  });

  test('numbers out of range, text that is not UTF-8: cut off', async (t) => {
    const join = lib.encode(T.JOIN, joinOf({ name: 'ab' }));
    const rows = [
      ['ASK', Uint8Array.of(2)], ['ASK', Uint8Array.of(255)], ['COMMAND', lib.concat(new Uint8Array(4), Uint8Array.of(8), new Uint8Array(4))],
      ['JOIN', join.map((byte, i) => (i === 2 ? 0xff : byte))], ['JOIN', join.map((byte, i) => (i === 2 ? 0xc0 : byte))],
      ['ACK', lib.concat(new Uint8Array(8), Uint8Array.of(0xff, 0xff), new Uint8Array(24))],
    ];
    for (const [name, body] of rows) {
      const peer = await peerIn(t, w, name === 'JOIN' ? 'joining' : 'writer');
      await peer.sendBody(T[name], body);
      await closedWith(peer, MALFORMED, `${name} ${lib.toHex(body)}`);
    }
  });

  test('sizes: 1 KiB before WELCOME and 32 KiB after it are the most', async (t) => {
    const empty = lib.encode(T.JOIN, joinOf({ client: '' })).length;
    const rows = [
      ['joining', T.VIEWER_PONG, 1025], ['writer', T.INPUT, 32769], ['writer', T.INPUT, 60000], ['reader', T.VIEWER_PONG, 40000],
      ['joining', T.JOIN, 1025],
    ];
    for (const [column, type, bytes] of rows) {
      const peer = await peerIn(t, w, column);
      const head = type === T.INPUT ? lib.encode(T.INPUT, inputOf(4711, 0, '')) : new Uint8Array(0);
      const join = type === T.JOIN ? lib.encode(T.JOIN, joinOf({ client: 'x'.repeat(bytes - empty) })) : undefined;
      await peer.sendBody(type, join ?? lib.concat(head, new Uint8Array(bytes - head.length)));
      await closedWith(peer, MALFORMED, `${column} ${type} ${bytes}`);
    }
    const peer = await peerIn(t, w, 'writer');
    await peer.sendBody(T.INPUT, lib.concat(lib.encode(T.INPUT, inputOf(4711, 0, '')), new Uint8Array(32768 - 12)));
    await peer.got(T.TAKEN, ({ inputNext }) => inputNext === 32756);
    const joining = await peerIn(t, w, 'joining');
    await joining.send(T.JOIN, joinOf({ client: 'x'.repeat(1024 - empty) }));
    await joining.got(T.WELCOME);
  });

  test('a reader that types is cut off, and nothing is typed', async (t) => {
    const before = await w.host.screen(w.shared.pane);
    const peer = await peerIn(t, w, 'reader');
    await peer.send(T.INPUT, inputOf(w.pane, 0, 'evil\r'));
    await closedWith(peer, MALFORMED);
    assert.equal(await w.host.screen(w.shared.pane), before);
  });

  test('ACK that lies: above what was sent, falling, absurd: cut off; the truth is fine', async (t) => {
    for (const lie of [(n) => n + 1, () => 2 ** 52, (n) => n - 1]) {
      const peer = await peerIn(t, w, 'reader');
      await peer.got(T.KEYFRAME);
      const truth = peer.bodyBytes;
      await peer.send(T.ACK, { total: truth, panes: [{ pane: w.pane, offset: 0 }, { pane: 99, offset: 2 ** 52 }] });
      await peer.answers();
      await peer.send(T.ACK, { total: truth, panes: [] });
      await peer.answers();
      await peer.send(T.ACK, { total: lie(truth), panes: [] });
      await closedWith(peer, MALFORMED, String(lie));
    }
  });

  test('PINs, tokens and sizes of any kind in JOIN do not matter to a share without them', async (t) => {
    for (const fields of [{ pin: '0000' }, { cols: 0, rows: 0 }, { cols: 65535, rows: 65535 }, { panes: Array(20).fill({ pane: 1, offset: 9 }) }]) {
      const peer = await Peer.join(t, w.shared.view, fields);
      await peer.got(T.KEYFRAME);
    }
  });
});

// --- records ---------------------------------------------------------------------------------

describe('records', { concurrency: 8 }, () => {
  const w = witnessed();
  const evil = (n) => lib.buildPlain(T.INPUT, false, lib.encode(T.INPUT, inputOf(w.pane, 0, `evil ${n}\r`)));
  const ping = () => lib.buildPlain(T.VIEWER_PING, false, lib.encode(T.VIEWER_PING, { value: 5 }));

  test('replayed: the connection ends at once', async (t) => {
    const peer = await peerIn(t, w, 'writer');
    const record = await peer.seal(ping());
    peer.sendRaw(record);
    await peer.got(T.PONG);
    peer.sendRaw(record);
    await closedWith(peer, MALFORMED);
  });

  test('reordered: nothing of the second is acted on', async (t) => {
    const peer = await peerIn(t, w, 'writer');
    const [first, second] = [await peer.seal(ping()), await peer.seal(evil(1))];
    peer.sendRaw(second);
    peer.sendRaw(first);
    await closedWith(peer, MALFORMED);
  });

  test('one left out', async (t) => {
    const peer = await peerIn(t, w, 'writer');
    await peer.seal(ping());
    peer.sendRaw(await peer.seal(evil(2)));
    await closedWith(peer, MALFORMED);
  });

  test('truncated, lengthened, emptied, any one bit flipped', async (t) => {
    const random = seeded(20);
    const changes = [
      (r) => r.subarray(0, r.length - 1), (r) => r.subarray(0, 16), (r) => r.subarray(0, 1), (r) => r.subarray(1),
      (r) => lib.concat(r, Uint8Array.of(0)), (r) => new Uint8Array(r.length), (r) => lib.concat(r, r),
      ...Array.from({ length: 24 }, (_, i) => (r) => {
        const at = i === 0 ? 0 : i === 1 ? r.length - 1 : Math.floor(random() * r.length);
        return r.map((byte, k) => (k === at ? byte ^ (1 << Math.floor(random() * 8)) : byte));
      }),
    ];
    await Promise.all(changes.map(async (change) => {
      const peer = await peerIn(t, w, 'writer');
      peer.sendRaw(change(await peer.seal(evil(3))));
      await closedWith(peer, MALFORMED, String(change));
    }));
  });

  test('an empty WebSocket message, text, or one that is too big ends only that connection', async (t) => {
    const rows = [[new Uint8Array(0), MALFORMED], ['text', 1003], [new Uint8Array(65536), 1009], [new Uint8Array(200_000), 1009]];
    for (const [data, code] of rows) {
      const peer = await peerIn(t, w, 'writer');
      peer.sendRaw(data);
      await closedWith(peer, code, `${data.length}`);
    }
  });

  test('padding that is not zeros, a length past the end, no header: sealed well, yet malformed', async (t) => {
    const good = ping();
    const rows = [
      good.map((byte, i) => (i === good.length - 1 ? 1 : byte)), good.map((byte, i) => (i === 1 ? 0xff : byte)),
      Uint8Array.of(T.VIEWER_PING), Uint8Array.of(T.VIEWER_PING, 0),
    ];
    for (const plain of rows) {
      const peer = await peerIn(t, w, 'writer');
      await peer.sendPlain(plain);
      await closedWith(peer, MALFORMED, lib.toHex(plain.subarray(0, 4)));
    }
  });

  test('records of another connection, or sent back to the daemon, do not open', async (t) => {
    const [one, two] = [await peerIn(t, w, 'writer'), await peerIn(t, w, 'writer')];
    one.sendRaw(await two.seal(evil(4)));
    await closedWith(one, MALFORMED);
    const raw = [];
    two.wire.socket.on('message', (data) => raw.push(new Uint8Array(data)));
    await w.witness.send(T.VIEWER_PING, { value: 1 });
    await w.host.type(w.shared.pane, 'r', 'Enter');
    await until(() => raw.length > 0, 'a record', DEADLINE_MS);
    two.sendRaw(raw[0]);
    await closedWith(two, MALFORMED);
  });

  test('thousands of good records in one go are all served', async (t) => {
    const peer = await peerIn(t, w, 'writer');
    const records = await Promise.all(Array.from({ length: 3000 }, (_, value) => peer.seal(lib.buildPlain(T.VIEWER_PING, false, lib.encode(T.VIEWER_PING, { value })))));
    for (const record of records) peer.sendRaw(record);
    await peer.got(T.PONG, ({ value }) => value === 2999);
    assert.equal(peer.messages.filter(({ type }) => type === T.PONG).length, 3000);
  });
});

// --- handshake -------------------------------------------------------------------------------

describe('handshake', { concurrency: 8 }, () => {
  const w = witnessed();
  const closings = []; // { code, reason, ms }, of every refusal: they must all look alike

  const refused = async (message, what) => {
    const end = await knock(w.shared.write, message);
    assert.deepEqual([end.code, end.got.length], [REFUSED, 0], what);
    assert.ok(end.ms >= REFUSAL_MS - 2, `${what}: after ${end.ms} ms`);
    closings.push(end);
  };

  test('every byte of message 1 altered: refused', async () => {
    const { message } = await greet(w.shared.write);
    assert.equal(message.length, 69);
    await Promise.all(Array.from(message, async (_, at) => {
      const { message: fresh } = await greet(w.shared.write);
      await refused(fresh.map((byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte)), `byte ${at}`);
    }));
  });

  test('unknown link, wrong secret, low-order points, other kinds, zeros: refused, all alike', async () => {
    const { message } = await greet(w.shared.write);
    const random = () => crypto.getRandomValues(new Uint8Array(69));
    const withE = (hex) => {
      const out = message.slice();
      out.set(lib.fromHex(hex), 17);
      return out;
    };
    const lowOrder = ['00'.repeat(32), `01${'00'.repeat(31)}`, 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
      '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', `ec${'ff'.repeat(30)}7f`, `ed${'ff'.repeat(30)}7f`, `ee${'ff'.repeat(30)}7f`];
    const wrong = await greet(w.shared.write, { secret: new Uint8Array(32).fill(9) });
    const other = await greet(w.shared.view);
    const mixed = message.slice();
    mixed.set(other.message.subarray(1, 17), 1);
    const rows = [['random', Uint8Array.of(1, ...random().subarray(1))], ['wrong secret', wrong.message], ['another link’s id', mixed],
      ['kind 0', message.map((b, i) => (i ? b : 0))], ['kind 2', message.map((b, i) => (i ? b : 2))], ['zeros', new Uint8Array(69)],
      ...lowOrder.map((hex) => [`low order ${hex}`, withE(hex)])];
    await Promise.all(rows.map(([what, bytes]) => refused(bytes, what)));
  });

  test('a message 1 that worked, sent again: refused', async (t) => {
    const { message } = await greet(w.shared.write);
    const wire = new Wire(w.shared.write);
    t.after(() => wire.drop());
    await wire.send(message);
    await until(() => wire.got.length === 1, 'message 2', DEADLINE_MS);
    await refused(message, 'repeated');
  });

  test('message 1 of another length: closed, nothing answered', async () => {
    const { message } = await greet(w.shared.write);
    for (const bytes of [new Uint8Array(0), message.subarray(0, 1), message.subarray(0, 68), lib.concat(message, Uint8Array.of(0)), new Uint8Array(65535)]) {
      const end = await knock(w.shared.write, bytes);
      assert.deepEqual([end.code, end.got.length], [MALFORMED, 0], `${bytes.length} bytes`);
    }
  });

  test('records before message 2 has come: refused', async () => {
    const { message } = await greet(w.shared.write);
    const wire = new Wire(w.shared.write);
    await wire.opened;
    wire.socket.send(message);
    wire.socket.send(new Uint8Array(80));
    const { code } = await wire.closed;
    assert.ok([REFUSED, MALFORMED].includes(code), String(code));
  });

  test('payload of message 1 is not acted on', async (t) => {
    const peer = await Peer.open(t, w.shared.write, { payload: Uint8Array.of(255, 255, 255, 255) });
    await peer.send(T.JOIN, joinOf());
    await peer.got(T.WELCOME);
  });

  test('200 bad handshakes at once delay a real viewer by less than a second', async (t) => {
    const bad = Promise.all(Array.from({ length: 200 }, async () => knock(w.shared.write, Uint8Array.of(1, ...crypto.getRandomValues(new Uint8Array(68))))));
    const start = performance.now();
    const peer = await Peer.join(t, w.shared.view);
    await peer.got(T.KEYFRAME);
    assert.ok(performance.now() - start < 10_000);
    for (const { code } of await bad) assert.equal(code, REFUSED);
  });

  after(() => {
    assert.ok(closings.length > 80);
    assert.deepEqual([...new Set(closings.map(({ code, reason }) => `${code} ${reason}`))], ['4000 refused']);
  });

  test('one byte at a time on the wire: a whole visit works', async (t) => {
    const { message, noise } = await greet(w.shared.view);
    const port = Number(new URL(w.shared.view).port);
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.setNoDelay(true);
    const got = [];
    socket.on('data', (chunk) => got.push(chunk));
    const request = `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${Buffer.from('0123456789abcdef').toString('base64')}\r\nSec-WebSocket-Protocol: vitrine.v1\r\n\r\n`;
    const slowly = async (bytes) => {
      for (const byte of bytes) {
        socket.write(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
    };
    const masked = (payload) => {
      const mask = [1, 2, 3, 4];
      return lib.concat(Uint8Array.of(0x82, 0x80 | payload.length, ...mask), payload.map((byte, i) => byte ^ mask[i % 4]));
    };
    const all = () => Buffer.concat(got);
    await slowly(Buffer.from(request));
    await until(() => all().includes('\r\n\r\n'), '101', DEADLINE_MS);
    await slowly(masked(message));
    const answer = await until(() => {
      const frame = all().subarray(all().indexOf('\r\n\r\n') + 4);
      return frame.length >= 56 && frame.subarray(2, 56);
    }, 'message 2', DEADLINE_MS);
    const { split } = await noise.readSecond(new Uint8Array(answer.subarray(1)));
    const record = await new lib.RecordWriter(split.fromInitiator).seal(lib.buildPlain(T.JOIN, false, lib.encode(T.JOIN, joinOf())));
    const had = all().length;
    await slowly(masked(record.length < 126 ? record : assert.fail('too long for this test')));
    await until(() => all().length > had + 80, 'WELCOME', DEADLINE_MS);
  });
});

// --- time ------------------------------------------------------------------------------------

describe('time', { concurrency: 4 }, () => {
  test('JOIN within 5 s; silence for 40 s ends a viewer; a PONG keeps it', async (t) => {
    const host = new Host();
    t.after(() => host.stop());
    const shared = await host.share(['cat']);
    const late = await Peer.open(t, shared.view);
    const silent = await Peer.join(t, shared.view);
    const alive = await Peer.join(t, shared.view);
    await silent.got(T.KEYFRAME);
    await host.advance(5100);
    await timedOut(late);
    await alive.answers();
    await host.advance(25_000); // well before 40 s, however slow this machine is
    await alive.got(T.PING);
    await alive.answers();
    assert.equal(silent.wire.end, undefined);
    await host.advance(10_500);
    await timedOut(silent);
    await alive.answers();
    assert.equal((await host.json('viewers', '--json')).filter((one) => !one.away).length, 1);
  });

  test('the daemon pings after 4 s of sending nothing, so that a viewer knows it is there', async (t) => {
    const host = new Host();
    t.after(() => host.stop());
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.view);
    await peer.got(T.KEYFRAME);
    await peer.answers();
    for (let i = 1; i <= 3; i++) {
      await host.advance(4100);
      await until(() => peer.messages.filter(({ type }) => type === T.PING).length >= i, `PING ${i}`, DEADLINE_MS);
      const { value } = peer.messages.filter(({ type }) => type === T.PING).at(-1).fields;
      await peer.send(T.VIEWER_PONG, { value });
    }
  });

  test('64 peers that connect and say nothing, 64 that stop after message 2: a real viewer gets in at once', async (t) => {
    const host = new Host();
    t.after(() => host.stop());
    const shared = await host.share(['cat']);
    const idle = Array.from({ length: 64 }, () => new Wire(shared.view));
    t.after(() => idle.forEach((wire) => wire.drop()));
    await Promise.all(idle.map((wire) => wire.opened));
    await Promise.all(Array.from({ length: 64 }, () => Peer.open(t, shared.view)));
    const start = performance.now();
    const viewer = await host.join(shared.write);
    viewer.type(shared.pane, 'in\r');
    await viewer.sees(/in\nin/);
    assert.ok(performance.now() - start < 10_000);
  });
});
