// The WebSocket's opening and framing: who may open one, and how each violation ends.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { Client, FIRST, TYPE, Viewer, acceptKey, request, upgradeText, withGate, wsFrame } from './gate.mjs';

const { WebSocket } = createRequire(new URL('../../web/package.json', import.meta.url))('ws');
const first = () => wsFrame(randomBytes(FIRST));

test('the opening handshake is answered as RFC 6455 has it, without extensions', () => withGate({}, async (gate) => {
  const viewer = await Viewer.open(gate, { extra: 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n' });
  assert.equal(viewer.headers.get('sec-websocket-accept'), acceptKey('dGhlIHNhbXBsZSBub25jZQ=='));
  assert.equal(viewer.headers.get('sec-websocket-protocol'), 'vitrine.v1');
  assert.equal(viewer.headers.has('sec-websocket-extensions'), false);
  viewer.destroy();
}));

test('wrong openings are refused with a status', () => withGate({}, async (gate) => {
  const rows = [
    [{ protocol: null }, 400],
    [{ protocol: 'vitrine.v2' }, 400],
    [{ protocol: 'VITRINE.V1x, vitrine' }, 400],
    [{ version: 8 }, 426],
    [{ version: null }, 426],
    [{ key: null }, 400],
    [{ key: 'short' }, 400],
    [{ path: '/ws/' }, 404],
    [{ path: '/other' }, 404],
    [{ extra: 'Content-Length: 4\r\n' }, 400],
    [{ extra: 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' }, 400],
  ];
  for (const [options, status] of rows) {
    const answer = await request(gate, upgradeText(options));
    assert.equal(answer.status, status, JSON.stringify(options));
    if (status === 426) assert.equal(answer.headers.get('sec-websocket-version'), '13');
  }
  assert.equal((await request(gate, upgradeText().replace('Upgrade: websocket', 'Upgrade: h2c'))).status, 426);
  assert.equal((await request(gate, upgradeText().replace('GET', 'POST'))).status, 405);
  assert.equal((await Viewer.open(gate, { protocol: 'x, vitrine.v1' })).headers.get('sec-websocket-protocol'), 'vitrine.v1');
  assert.equal((await Viewer.open(gate, { path: '/ws?x=1' })).headers.get('upgrade'), 'websocket');
}));

test('origins: own, configured and absent ones pass, all others do not', () => withGate({ origins: ['https://term.example.org'] }, async (gate) => {
  const own = `127.0.0.1:${gate.port}`;
  const rows = [
    [undefined, own, 101],
    [`http://${own}`, own, 101],
    [`http://localhost:${gate.port}`, `localhost:${gate.port}`, 101],
    ['https://term.example.org', own, 101],
    [`http://evil.example:${gate.port}`, `evil.example:${gate.port}`, 403],
    [`http://${own}.evil.example`, own, 403],
    [`http://${own}0`, own, 403],
    [`http://LOCALHOST:${gate.port}`, own, 403],
    [`https://${own}`, own, 403],
    ['http://127.0.0.1', own, 403],
    [`http://10.1.2.3:${gate.port}`, `10.1.2.3:${gate.port}`, 403],
    ['https://term.example.org.evil.example', own, 403],
    ['https://TERM.example.org', own, 403],
    ['null', own, 403],
    ['', own, 403],
  ];
  for (const [origin, host, status] of rows) {
    assert.equal((await request(gate, upgradeText({ origin, host }))).status, status, String(origin));
  }
  await gate.until(() => /refused a WebSocket from 127\.0\.0\.1:\d+ for the page of http:\/\/evil\.example/.test(gate.log), 'a log line');
}));

test('a saved page needs its option; an address needs a listener beyond loopback', async () => {
  await withGate({ allowNull: true }, async (gate) => {
    assert.equal((await request(gate, upgradeText({ origin: 'null' }))).status, 101);
  });
  await withGate({ bind: '0.0.0.0' }, async (gate) => {
    const host = `10.1.2.3:${gate.port}`;
    assert.equal((await request(gate, upgradeText({ origin: `http://${host}`, host }))).status, 101);
    assert.equal((await request(gate, upgradeText({ origin: 'http://evil.example', host: 'evil.example' }))).status, 403);
  });
});

test('log lines about peers are escaped and rate-limited', () => withGate({}, async (gate) => {
  const lines = () => gate.log.split('\n').filter((line) => line.includes('for the page of'));
  for (let i = 0; i < 40; i++) await request(gate, upgradeText({ origin: `http://e\x9b31m\u202e${i}` }));
  assert.ok(lines().length >= 1 && lines().length <= 6, String(lines().length));
  assert.doesNotMatch(gate.log, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  await gate.stop();
}));

test('violations before and after message 1 close with their code', () => withGate({}, async (gate) => {
  const rows = [
    ['not masked', wsFrame(randomBytes(FIRST), { mask: false }), 1002],
    ['not masked and empty', wsFrame(Buffer.alloc(0), { mask: false }), 1002],
    ['text', wsFrame(Buffer.from('hello'), { opcode: 1 }), 1003],
    ['reserved bit', wsFrame(randomBytes(FIRST), { rsv: 0x40 }), 1002],
    ['reserved opcode', wsFrame(randomBytes(3), { opcode: 3 }), 1002],
    ['continuation of nothing', wsFrame(randomBytes(3), { opcode: 0 }), 1002],
    ['too big', wsFrame(Buffer.alloc(65536)), 1009],
    ['empty', wsFrame(Buffer.alloc(0)), 4002],
  ];
  const early = [
    ['one byte short', wsFrame(randomBytes(FIRST - 1)), 4002],
    ['one byte long', wsFrame(randomBytes(FIRST + 1)), 4002],
    ['long', wsFrame(randomBytes(5000)), 4002],
  ];
  for (const [name, bytes, code] of [...rows, ...early]) {
    const viewer = await Viewer.open(gate);
    viewer.write(bytes);
    assert.equal(await viewer.closeCode(), code, name);
    await viewer.ending();
    viewer.destroy();
  }
  assert.equal(gate.channels.size, 0);
  for (const [name, bytes, code] of rows) {
    const [viewer, channel] = await Viewer.join(gate);
    viewer.write(bytes);
    assert.equal(await viewer.closeCode(), code, name);
    await gate.until(() => channel.closed, 'CLOSE');
    assert.equal(channel.closed.code, code);
    assert.equal(channel.data.length, 1);
    viewer.destroy();
  }
}));

test('messages come whole, whatever their fragments; control frames may stand between', () => withGate({}, async (gate) => {
  const [viewer, channel] = await Viewer.join(gate);
  const message = randomBytes(65535);
  for (let at = 0; at < message.length; at += 1000) {
    const last = at + 1000 >= message.length;
    viewer.write(wsFrame(message.subarray(at, at + 1000), { opcode: at === 0 ? 2 : 0, fin: last }));
    if (at % 10000 === 0) viewer.write(wsFrame(Buffer.from(`ping ${at}`), { opcode: 9 }));
  }
  await gate.until(() => channel.data.length === 2, 'the message');
  assert.ok(channel.data[1].equals(message));
  const pong = await viewer.frame();
  assert.equal(pong.opcode, 10);
  assert.match(pong.payload.toString(), /^ping \d+$/);
  viewer.destroy();
}));

test('endless fragments end', () => withGate({}, async (gate) => {
  const [viewer] = await Viewer.join(gate);
  viewer.write(wsFrame(Buffer.from('x'), { fin: false }));
  viewer.write(Buffer.concat(Array.from({ length: 2000 }, () => wsFrame(Buffer.alloc(0), { opcode: 0, fin: false }))));
  assert.equal(await viewer.closeCode(), 4002);
  viewer.destroy();
}));

test('a flood of pings costs nothing and is answered', () => withGate({}, async (gate) => {
  const [viewer] = await Viewer.join(gate);
  const before = gate.rssKib();
  viewer.socket.pause();
  const ping = wsFrame(Buffer.alloc(125, 'p'), { opcode: 9 });
  for (let i = 0; i < 100; i++) {
    await new Promise((resolve) => viewer.socket.write(Buffer.concat(Array(200).fill(ping)), resolve));
  }
  viewer.write(wsFrame(Buffer.from('last'), { opcode: 9 }));
  viewer.socket.resume();
  for (;;) {
    const { opcode, payload } = await viewer.frame();
    assert.equal(opcode, 10);
    if (payload.toString() === 'last') break;
  }
  gate.assertGrownBelow(before, 1024);
  viewer.destroy();
}));

test('message 1 may come together with the opening, or in single bytes', () => withGate({}, async (gate) => {
  const viewer = new Viewer(gate);
  viewer.write(Buffer.concat([Buffer.from(upgradeText()), first(), wsFrame(Buffer.from('more'))]));
  await gate.until(() => gate.channels.get(1)?.data.length === 2, 'both messages');
  assert.equal(gate.channels.get(1).data[1].toString(), 'more');
  const slow = await Viewer.open(gate);
  for (const byte of first()) slow.write(Buffer.from([byte]));
  await gate.until(() => gate.channels.get(2)?.data.length === 1, 'a channel');
  viewer.destroy();
  slow.destroy();
}));

test('without message 1 the WebSocket is closed in time; a viewer with one stays', () => withGate({}, async (gate) => {
  const silent = await Viewer.open(gate);
  const partial = await Viewer.open(gate);
  const [viewer, channel] = await Viewer.join(gate);
  partial.write(first().subarray(0, 40));
  assert.equal((await request(gate, upgradeText({ protocol: null }))).status, 400);
  gate.advance();
  assert.equal(await silent.closeCode(), 4002);
  assert.equal(await partial.closeCode(), 4002);
  for (let i = 0; i < 10; i++) gate.advance();
  viewer.write(wsFrame(Buffer.from('still here')));
  await gate.until(() => channel.data.length === 2, 'its message');
  for (const one of [silent, partial, viewer]) one.destroy();
}));

test('closing from the page is answered with its code, and told', () => withGate({}, async (gate) => {
  for (const [payload, code] of [[Buffer.alloc(0), 1005], [Buffer.from([3, 0xe8]), 1000], [Buffer.from([0x0f, 0xa0, 0x6f, 0x6b]), 4000]]) {
    const [viewer, channel] = await Viewer.join(gate);
    viewer.write(wsFrame(Buffer.from('last words')));
    viewer.write(wsFrame(payload, { opcode: 8 }));
    assert.equal(await viewer.closeCode(), code);
    await viewer.ending();
    await gate.until(() => channel.closed, 'CLOSE');
    assert.equal(channel.closed.code, code);
    assert.equal(channel.data[1].toString(), 'last words');
  }
  const [viewer, channel] = await Viewer.join(gate);
  viewer.socket.resetAndDestroy();
  await gate.until(() => channel.closed, 'CLOSE');
  assert.equal(channel.closed.code, 1006);
}));

test('another WebSocket implementation gets along', () => withGate({}, async (gate) => {
  const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/ws`, 'vitrine.v1', { origin: `http://127.0.0.1:${gate.port}` });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  assert.equal(socket.extensions, '');
  socket.send(randomBytes(FIRST));
  const channel = await gate.until(() => gate.channels.get(1)?.data.length && gate.channels.get(1), 'a channel');
  assert.equal(channel.origin, `http://127.0.0.1:${gate.port}`);
  assert.match(channel.peer, /^127\.0\.0\.1:\d+$/);
  const sizes = [1, 125, 126, 1000, 65535];
  const got = [];
  socket.on('message', (data) => got.push(data));
  const sent = sizes.map((size) => randomBytes(size));
  for (const message of sent) socket.send(message);
  await gate.until(() => channel.data.length === 1 + sizes.length, 'its messages');
  sent.forEach((message, i) => assert.ok(channel.data[i + 1].equals(message)));
  for (const message of sent) gate.send(channel, message);
  gate.close(channel, 4000, 'refused');
  const end = await new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString()])));
  assert.deepEqual(end, [4000, 'refused']);
  assert.equal(got.length, sent.length);
  sent.forEach((message, i) => assert.ok(got[i].equals(message)));
}));

test('a connection that is closed hard mid-frame leaves nothing behind', () => withGate({}, async (gate) => {
  const [viewer, channel] = await Viewer.join(gate);
  viewer.write(wsFrame(randomBytes(60000)).subarray(0, 30000));
  const other = new Client(gate);
  await other.connected();
  viewer.destroy();
  await gate.until(() => channel.closed, 'CLOSE');
  assert.equal(channel.data.length, 1);
  assert.deepEqual(gate.order.filter(([, id]) => id === channel.id).map(([type]) => type), [TYPE.OPEN, TYPE.DATA, TYPE.CLOSE]);
  other.destroy();
}));
