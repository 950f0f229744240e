// The page's codec and link text against proto/vectors/, which the C side reads too, and the rules
// that a table cannot show.

import test from 'node:test';
import assert from 'node:assert/strict';
import { lib, readText, seeded } from './setup.mjs';
import { parseVectors } from './message_text.mjs';

const typeOf = (name) => lib.MessageType[name];
const vectors = parseVectors(readText('proto/vectors/messages.txt'), lib.fromHex);
const plainOf = (value) => JSON.parse(JSON.stringify(value, (_, v) => (v instanceof Uint8Array ? `x${lib.toHex(v)}` : v)));
const hasHuge = (value) => typeof value === 'bigint' || (typeof value === 'object' && Object.values(value).some(hasHuge));

test('messages: both ways, as in the vectors', () => {
  const names = new Set();
  for (const { name, fields, body, refused } of vectors.filter((v) => !v.refused)) {
    const bytes = lib.fromHex(body.slice(1));
    if (hasHuge(fields)) {
      assert.throws(() => lib.decode(typeOf(name), bytes), lib.Malformed, `${name} ${body}`);
      continue;
    }
    assert.deepEqual(plainOf(lib.decode(typeOf(name), bytes)), plainOf(fields), body);
    assert.equal(`x${lib.toHex(lib.encode(typeOf(name), fields))}`, body);
    names.add(name);
  }
  assert.deepEqual([...names].sort(), Object.keys(lib.MessageType).sort());
});

test('messages: what the vectors refuse is refused', () => {
  const refused = vectors.filter((v) => v.refused);
  assert.ok(refused.length > 100);
  for (const { name, body } of refused) {
    const decode = () => lib.decode(typeOf(name), lib.fromHex(body.slice(1)));
    assert.throws(decode, lib.Malformed, `${name} ${body}`);
  }
});

test('messages: every truncation is refused, except where the last field may be shorter', () => {
  for (const { name, fields, body } of vectors.filter((v) => !v.refused && v.body.length < 600)) {
    const last = lib.messages[typeOf(name)].fields.at(-1);
    const free = last[0] === 'rest' ? fields[last[1]].length : 0;
    const bytes = lib.fromHex(body.slice(1));
    for (let length = 0; length < bytes.length - free; length++) {
      assert.throws(() => lib.decode(typeOf(name), bytes.slice(0, length)), lib.Malformed, name);
    }
  }
});

test('messages: no bit flip does anything but decode or be malformed', () => {
  for (const { name, body } of vectors.filter((v) => !v.refused && v.body.length < 300)) {
    const bytes = lib.fromHex(body.slice(1));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >> 3] ^= 1 << (bit & 7);
      try {
        lib.decode(typeOf(name), bytes);
      } catch (error) {
        assert.ok(error instanceof lib.Malformed, `${name}: ${error}`);
      }
      bytes[bit >> 3] ^= 1 << (bit & 7);
    }
  }
});

test('messages: values that do not fit are refused when written', () => {
  const good = { pane: 1, offset: 0, data: new Uint8Array(1) };
  for (const bad of [{ pane: 2 ** 32 }, { pane: -1 }, { pane: 1.5 }, { offset: 2 ** 53 }, { data: undefined }]) {
    assert.throws(() => lib.encode(lib.MessageType.OUTPUT, { ...good, ...bad }), RangeError);
  }
});

// --- links ------------------------------------------------------------------------------------

const links = parseVectors(readText('proto/vectors/links.txt'), lib.fromHex);

test('links: both ways, as in the vectors', () => {
  const good = links.filter((v) => !v.refused);
  assert.ok(good.length >= 5);
  for (const { fields, body } of good) {
    const link = lib.parseFragment(`#${body}`);
    assert.equal(lib.toHex(link.daemonKey), lib.toHex(fields.daemonPk));
    assert.equal(lib.toHex(link.secret), lib.toHex(fields.secret));
    assert.equal(link.socketUrl ?? '', fields.wsUrl);
    assert.equal(lib.formatFragment(link), body);
  }
});

test('links: what the vectors refuse is refused', () => {
  const refused = links.filter((v) => v.refused);
  assert.ok(refused.length > 20);
  for (const { body } of refused) assert.throws(() => lib.parseFragment(body), lib.Malformed, body);
});

test('links: the socket is next to the page', () => {
  assert.equal(lib.socketUrlOf('http://127.0.0.1:8722/'), 'ws://127.0.0.1:8722/ws');
  assert.equal(lib.socketUrlOf('https://a.example/x/y/index.html?z'), 'wss://a.example/x/y/ws');
  assert.throws(() => lib.parseLink('https://a.example/'), lib.Malformed);
  const { body } = links.find((v) => !v.refused && v.fields.wsUrl === '');
  assert.equal(lib.parseLink(`https://a.example/x/#${body}`).socketUrl, 'wss://a.example/x/ws');
});

// --- reassembly -------------------------------------------------------------------------------

const { KEYFRAME, OUTPUT, LAYOUT, HISTORY } = lib.MessageType;
const part = (type, more, length, fill = 0) => ({ type, more, body: new Uint8Array(length).fill(fill) });

test('reassembly: parts of several types between one another', () => {
  const reassembly = new lib.Reassembly();
  assert.equal(reassembly.accept(part(KEYFRAME, true, 2, 1)), undefined);
  assert.equal(reassembly.accept(part(OUTPUT, false, 1, 9)).type, OUTPUT);
  assert.equal(reassembly.accept(part(HISTORY, true, 1, 5)), undefined);
  assert.equal(reassembly.accept(part(KEYFRAME, true, 1, 2)), undefined);
  assert.deepEqual([...reassembly.accept(part(KEYFRAME, false, 1, 3)).body], [1, 1, 2, 3]);
  assert.deepEqual([...reassembly.accept(part(HISTORY, false, 1, 6)).body], [5, 6]);
  assert.deepEqual([...reassembly.accept(part(KEYFRAME, false, 1, 7)).body], [7]);
});

test('reassembly: empty parts, other types and more than 4 MiB are malformed', () => {
  const refuse = (...parts) => {
    const reassembly = new lib.Reassembly();
    for (const one of parts.slice(0, -1)) reassembly.accept(one);
    assert.throws(() => reassembly.accept(parts.at(-1)), lib.Malformed);
  };
  refuse(part(OUTPUT, true, 1));
  refuse(part(KEYFRAME, true, 0));
  refuse(part(LAYOUT, true, 1), part(LAYOUT, false, 0));
  const big = Array.from({ length: 64 }, () => part(KEYFRAME, true, 65536));
  refuse(...big, part(KEYFRAME, false, 1));
  const reassembly = new lib.Reassembly();
  for (const one of big.slice(1)) reassembly.accept(one);
  assert.equal(reassembly.accept(part(KEYFRAME, false, 65536)).body.length, 4 << 20);
});

test('reassembly: types of a newer daemon are skipped', () => {
  assert.equal(new lib.Reassembly().accept(part(0x3f, false, 10)), undefined);
  assert.equal(new lib.Reassembly().accept(part(0x3f, true, 10)), undefined);
});

// --- input ------------------------------------------------------------------------------------

/** A daemon's end of the input: takes bytes by sequence number as protocol.md says. */
class Taker {
  next = 0;
  bytes = [];

  take({ seq, data }) {
    assert.ok(seq <= this.next, `hole: ${seq} after ${this.next}`);
    for (const byte of data.subarray(this.next - seq)) this.bytes.push(byte);
    this.next = Math.max(this.next, seq + data.length);
  }
}

test('input: a megabyte arrives once and in order, never more than 64 KiB on the way', () => {
  const taker = new Taker();
  const sent = [];
  const queue = new lib.InputQueue((chunk) => sent.push(chunk));
  const paste = Uint8Array.from({ length: 1_000_003 }, (_, i) => (i * 31) & 255);
  queue.push(1, paste);
  queue.flush();
  let onTheWay = 0;
  while (sent.length > 0) {
    onTheWay = sent.reduce((sum, { data }) => sum + data.length, 0);
    assert.ok(onTheWay <= 65536);
    taker.take(sent.shift());
    assert.ok(queue.taken(taker.next));
    queue.flush();
  }
  assert.equal(queue.waiting, 0);
  assert.deepEqual(Uint8Array.from(taker.bytes), paste);
});

test('input: cut connections at random places lose and double nothing', () => {
  const random = seeded(1);
  for (let round = 0; round < 200; round++) {
    const taker = new Taker();
    let wire = [];
    const queue = new lib.InputQueue((chunk) => wire.push(chunk));
    const all = [];
    for (let step = 0; step < 60; step++) {
      const typed = Uint8Array.from({ length: Math.floor(random() * 5000) }, () => random() * 256);
      all.push(...typed);
      queue.push(random() < 0.5 ? 1 : 2, typed);
      queue.flush();
      for (let n = Math.floor(random() * 3); n > 0 && wire.length > 0; n--) taker.take(wire.shift());
      if (random() < 0.3) {
        wire = [];
        assert.ok(queue.resume(taker.next));
      } else if (random() < 0.5) assert.ok(queue.taken(taker.next));
    }
    for (queue.flush(); queue.waiting > 0; queue.flush()) {
      while (wire.length > 0) taker.take(wire.shift());
      assert.ok(queue.taken(taker.next));
    }
    assert.deepEqual(taker.bytes, all);
  }
});

test('input: numbers that were never sent, or fall, are not believed', () => {
  const queue = new lib.InputQueue(() => undefined);
  queue.push(1, new Uint8Array(10));
  queue.flush();
  assert.equal(queue.taken(11), false);
  assert.equal(queue.taken(4), true);
  assert.equal(queue.taken(3), false);
  assert.equal(queue.resume(11), false);
});

test('input: a lone Ctrl-C ends a paste that is stuck, and goes out beyond the limit', () => {
  const sent = [];
  const queue = new lib.InputQueue((chunk) => sent.push(chunk));
  const interrupt = Uint8Array.of(3);
  queue.push(1, interrupt);
  queue.push(1, new Uint8Array(200_000).fill(120));
  queue.flush();
  assert.equal(queue.waiting, 200_001, 'while something moves it waits its turn');
  for (let i = 0; i < 2000; i++) queue.push(1, interrupt);
  assert.equal(queue.waiting, lib.KEPT_MAX_BYTES + lib.INTERRUPTS_MAX_BYTES);
  assert.deepEqual(sent.at(-1), { seq: queue.waiting - 1, pane: 1, data: interrupt });
  assert.ok(queue.taken(queue.waiting));
  queue.push(1, Uint8Array.of(100));
  queue.flush();
  assert.equal(sent.at(-1).seq, lib.KEPT_MAX_BYTES + lib.INTERRUPTS_MAX_BYTES);
});

test('input: a plain join discards all of it and says how much', () => {
  const sent = [];
  const queue = new lib.InputQueue((chunk) => sent.push(chunk));
  queue.push(1, new Uint8Array(100_000));
  queue.flush();
  assert.equal(queue.restart(7), 100_000);
  assert.equal(queue.waiting, 0);
  queue.push(1, Uint8Array.of(1));
  queue.flush();
  assert.equal(sent.at(-1).seq, 7);
});

// --- acknowledgements ---------------------------------------------------------------------------

test('ack: when all is rendered, and at least every 4 KiB; totals never fall', () => {
  const sent = [];
  const ledger = new lib.AckLedger((ack) => sent.push(ack));
  for (let i = 0; i < 10; i++) ledger.receive(1000);
  for (let i = 1; i <= 10; i++) ledger.render(1000, { pane: 1, offset: 900 * i });
  assert.deepEqual(sent.map(({ total }) => total), [5000, 10000]);
  assert.deepEqual(sent[1].panes, [{ pane: 1, offset: 9000 }]);
  ledger.receive(10);
  ledger.render(10);
  assert.deepEqual(sent[2], { total: 10010, panes: [] });
});
