// The page's cryptography against the known answers that the C side reads too.

import test from 'node:test';
import assert from 'node:assert/strict';
import { lib, readText } from './setup.mjs';
import { FILES, runKnownAnswers } from './known_answers.mjs';

test('known answers', async () => {
  const texts = Object.fromEntries(FILES.map((name) => [name, readText(`tests/vectors/${name}.txt`)]));
  const { checked, wrong } = await runKnownAnswers(lib, texts);
  assert.deepEqual(wrong, []);
  assert.ok(checked > 150, `${checked} checks`);
});

async function handshake({ daemonKey, psk = 1, prologue = 'p', alter = (bytes) => bytes } = {}) {
  const fill = (n) => new Uint8Array(32).fill(n);
  const own = await lib.x25519Generate();
  const options = async (key) => ({
    prologue: lib.utf8(key.prologue),
    psk: fill(key.psk),
    ephemeral: await lib.x25519Generate(),
  });
  const responder = new lib.NoiseResponder(await options({ prologue: 'p', psk: 1 }), own);
  const initiator = new lib.NoiseInitiator(await options({ prologue, psk }), daemonKey ?? own.publicKey);
  await responder.readFirst(alter(await initiator.writeFirst(new Uint8Array(4)), 1));
  const { message } = await responder.writeSecond(new Uint8Array(5));
  return initiator.readSecond(alter(message, 2));
}

test('a handshake with the right secrets succeeds', async () => {
  assert.equal((await handshake()).payload.length, 5);
});

test('another key, secret or prologue ends the handshake', async () => {
  const stranger = (await lib.x25519Generate()).publicKey;
  await assert.rejects(handshake({ daemonKey: stranger }), lib.CryptoError);
  await assert.rejects(handshake({ psk: 2 }), lib.CryptoError);
  await assert.rejects(handshake({ prologue: 'q' }), lib.CryptoError);
});

test('every flipped byte and every truncation of both messages ends the handshake', async () => {
  const flip = (message, at) => (bytes, which) => {
    if (which === message) bytes[at] ^= 0x40;
    return bytes;
  };
  const cut = (message, length) => (bytes, which) => (which === message ? bytes.slice(0, length) : bytes);
  for (const [message, length] of [[1, 52], [2, 53]]) {
    for (let at = 0; at < length; at++) {
      await assert.rejects(handshake({ alter: flip(message, at) }), lib.CryptoError, `flip ${at}`);
      await assert.rejects(handshake({ alter: cut(message, at) }), lib.CryptoError, `cut ${at}`);
    }
  }
});

const KEY = new Uint8Array(32).fill(7);

async function sealMany(count) {
  const writer = new lib.RecordWriter(KEY);
  const plain = (i) => lib.buildPlain(4, false, Uint8Array.of(i >> 8, i & 255));
  return Promise.all(Array.from({ length: count }, (_, i) => writer.seal(plain(i))));
}

test('records handed in at once come out in order', async () => {
  const records = await sealMany(500);
  const reader = new lib.RecordReader(KEY);
  const seen = [];
  await Promise.all(records.map((record) => reader.open(record).then(({ body }) => seen.push((body[0] << 8) | body[1]))));
  assert.deepEqual(seen, Array.from({ length: 500 }, (_, i) => i));
});

async function opened(records) {
  const reader = new lib.RecordReader(KEY);
  const results = await Promise.allSettled(records.map((record) => reader.open(record)));
  return results.map(({ status }) => status === 'fulfilled');
}

test('a repeated, dropped or swapped record ends the direction', async () => {
  const [a, b, c, d] = await sealMany(4);
  assert.deepEqual(await opened([a, b, b, c, d]), [true, true, false, false, false]);
  assert.deepEqual(await opened([a, c, d]), [true, false, false]);
  assert.deepEqual(await opened([b, a, c]), [false, false, false]);
});

test('no truncation or bit flip of a record opens', async () => {
  const [record] = await sealMany(1);
  for (let length = 0; length < record.length; length++) {
    assert.deepEqual(await opened([record.slice(0, length)]), [false]);
  }
  for (let bit = 0; bit < record.length * 8; bit++) {
    const altered = record.slice();
    altered[bit >> 3] ^= 1 << (bit & 7);
    assert.deepEqual(await opened([altered]), [false], `bit ${bit}`);
  }
});

test('a record larger than the limit is refused, the largest is not', async () => {
  const largest = lib.buildPlain(4, false, new Uint8Array(lib.PLAIN_MAX_BYTES - lib.HEADER_BYTES));
  const record = await new lib.RecordWriter(KEY).seal(largest);
  assert.equal(record.length, 65535);
  assert.deepEqual(await opened([record]), [true]);
  assert.throws(() => lib.buildPlain(4, false, new Uint8Array(lib.PLAIN_MAX_BYTES - 2)), RangeError);
  const over = await new lib.RecordWriter(KEY).seal(lib.concat(largest, Uint8Array.of(0)));
  assert.deepEqual(await opened([over]), [false]);
});

test('plaintexts: length past the end, and padding that is not zeros, are refused', () => {
  const good = lib.buildPlain(4, true, Uint8Array.of(1, 2, 3));
  assert.deepEqual({ ...lib.parsePlain(good), body: [...lib.parsePlain(good).body] }, { type: 4, more: true, body: [1, 2, 3] });
  assert.equal(good.length, 64);
  for (let at = 6; at < 64; at++) {
    const dirty = good.slice();
    dirty[at] = 1;
    assert.throws(() => lib.parsePlain(dirty), lib.CryptoError);
  }
  assert.throws(() => lib.parsePlain(good.slice(0, 5)), lib.CryptoError);
  for (const short of [[], [4], [4, 0]]) assert.throws(() => lib.parsePlain(Uint8Array.from(short)), lib.CryptoError);
});
