// Channels and credit between the gate and its daemon: bounded memory, fairness, and clean ends.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { CREDIT, Client, FIRST, Gate, HEADER, STATE, TYPE, Viewer, config, evictions, frame, get, withGate, wsFrame } from './gate.mjs';

const { WebSocket } = createRequire(new URL('../../web/package.json', import.meta.url))('ws');

async function openSocket(gate) {
  const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/ws`, 'vitrine.v1');
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const first = randomBytes(FIRST);
  socket.send(first);
  const mine = () => [...gate.channels.values()].find(({ data }) => data[0]?.equals(first));
  return [socket, await gate.until(mine, 'a channel')];
}

/** Sends blocks to a channel as its credit allows, until the total or until stopped. */
async function pour(gate, channel, total, block, onSent = () => {}) {
  for (let sent = 0; sent < total; sent += block.length) {
    await gate.until(() => channel.credit >= HEADER + block.length || channel.closed, 'credit', 120000);
    if (channel.closed) return;
    gate.send(channel, block);
    onSent(block);
  }
}

test('ids count up, OPEN names the peer, flags say where it comes from', () => withGate({}, async (gate) => {
  for (let id = 1; id <= 3; id++) {
    const [viewer, channel] = await Viewer.join(gate, { origin: `http://127.0.0.1:${gate.port}` });
    assert.equal(channel.id, id);
    assert.equal(channel.peer, `127.0.0.1:${viewer.socket.localPort}`);
    assert.equal(channel.origin, `http://127.0.0.1:${gate.port}`);
    assert.equal(channel.flags, 1);
    viewer.destroy();
    await gate.until(() => channel.closed, 'CLOSE');
  }
}));

test('a unix socket listens for a reverse proxy', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'vitrine-gate-'));
  const path = join(dir, 'gate.sock');
  try {
    await withGate({ bind: `unix:${path}`, origins: ['https://a.example'] }, async (gate) => {
      assert.equal(gate.address, `unix:${path}`);
      const [viewer, channel] = await Viewer.join(gate, { unix: path, origin: 'https://a.example' });
      assert.equal(channel.peer, 'unix');
      assert.equal(channel.flags, 2);
      viewer.destroy();
    });
    assert.ok(existsSync(path)); // the daemon removes it
    await withGate({ bind: `unix:${path}` }, async (gate) => { // nobody listens there any more
      const [viewer] = await Viewer.join(gate, { unix: path });
      const second = new Gate();
      second.write(frame(TYPE.CONFIG, 0, config({ bind: `unix:${path}` })));
      assert.equal(await second.exited, 3);
      assert.equal(second.frames[0].state, STATE.PORT_TAKEN);
      viewer.destroy();
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('IPv6 loopback', async (t) => {
  const probe = createServer();
  const able = await new Promise((resolve) => probe.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true)));
  probe.close();
  if (!able) return t.skip('no IPv6 on this machine');
  for (const bind of ['[::1]', '::1']) await withGate({ bind }, async (gate) => assert.match(gate.address, /::1$/));
});

test('a port that is taken: the next free one, or a report when it was required', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address();
  await withGate({ port }, async (gate) => {
    assert.ok(gate.port > port && gate.port <= port + 100);
    assert.equal((await get(gate, '/')).status, 200);
  });
  const gate = new Gate();
  gate.write(frame(TYPE.CONFIG, 0, config({ port, required: true })));
  assert.equal(await gate.exited, 3);
  assert.equal(gate.frames[0].state, STATE.PORT_TAKEN);
  assert.equal(gate.frames[0].port, port);
  assert.match(gate.log, /cannot listen on 127\.0\.0\.1: the port is taken/);
  taken.close();
});

test('addresses that are none are reported', async () => {
  for (const bind of ['example.org', '1.2.3', '[::1', 'unix:relative', 'unix:/nonexistent/x', '203.0.113.1', `unix:/${'x'.repeat(110)}`]) {
    const gate = new Gate();
    gate.write(frame(TYPE.CONFIG, 0, config({ bind, port: 4711 })));
    assert.equal(await gate.exited, 3, bind);
    assert.equal(gate.frames[0].state, STATE.BIND_FAILED, bind);
    assert.notEqual(gate.frames[0].text, '', bind);
  }
});

test('a CONFIG that is none ends the gate with a line', async () => {
  const good = config();
  const rows = [
    frame(TYPE.CONFIG, 0, good.subarray(0, 10)),
    frame(TYPE.CONFIG, 0, Buffer.concat([good, Buffer.from([0])])),
    frame(TYPE.CONFIG, 0, config({ version: 3 })),
    frame(TYPE.CONFIG, 0, config({ listeners: 1 })),
    frame(TYPE.CONFIG, 0, config({ origins: ['not an origin'] })),
    frame(TYPE.DATA, 1, Buffer.from('x')),
    randomBytes(64).fill(0xff, 0, 4),
  ];
  for (const bytes of rows) {
    const gate = new Gate();
    gate.write(bytes);
    assert.equal(await gate.exited, 2);
    assert.match(gate.log, /no usable CONFIG/);
  }
  const gone = new Gate();
  gone.link.end();
  assert.equal(await gone.exited, 2);
});

test('frames that are not in order end the gate with a line, and viewers are told', async () => {
  const rows = [
    ['garbage', () => randomBytes(100).fill(0xff, 0, 5)],
    ['an unknown type', () => frame(9, 1, Buffer.alloc(0))],
    ['a second CONFIG', () => frame(TYPE.CONFIG, 0, config())],
    ['a gate\'s OPEN', () => frame(TYPE.OPEN, 1, Buffer.alloc(5))],
    ['a gate\'s STATE', () => frame(TYPE.STATE, 0, Buffer.alloc(5))],
    ['DATA for channel 0', () => frame(TYPE.DATA, 0, Buffer.from('x'))],
    ['DATA for a channel that never was', () => frame(TYPE.DATA, 7, Buffer.from('x'))],
    ['CLOSE for a channel that never was', () => frame(TYPE.CLOSE, 7, Buffer.from([3, 232, 0, 0]))],
    ['empty DATA', () => frame(TYPE.DATA, 1, Buffer.alloc(0))],
    ['a short CREDIT', () => frame(TYPE.CREDIT, 1, Buffer.alloc(3))],
    ['a long CREDIT', () => frame(TYPE.CREDIT, 1, Buffer.alloc(5))],
    ['CREDIT for more than was used', () => frame(TYPE.CREDIT, 1, Buffer.from([0, 2, 0, 1]))],
    ['DATA beyond credit', () => Buffer.concat(Array(200).fill(frame(TYPE.DATA, 1, Buffer.alloc(65535)))), 'stalled'],
    ['a CLOSE that is not UTF-8', () => frame(TYPE.CLOSE, 1, Buffer.from([3, 232, 0, 1, 0xff]))],
  ];
  for (const [name, bytes, stalled] of rows) {
    await withGate({}, async (gate) => {
      const [viewer] = await Viewer.join(gate);
      if (stalled) viewer.socket.pause();
      gate.write(bytes());
      assert.equal(await gate.exited, 4, name);
      assert.match(gate.log, /the daemon's frames are not in order/, name);
      viewer.socket.resume();
      if (!stalled) assert.equal(await viewer.closeCode(), 4004, name);
      viewer.destroy();
    });
  }
});

test('frames for channels that are over are ignored', () => withGate({}, async (gate) => {
  const [viewer, channel] = await Viewer.join(gate);
  viewer.destroy();
  await gate.until(() => channel.closed, 'CLOSE');
  gate.write(frame(TYPE.DATA, channel.id, Buffer.from('late')));
  gate.write(frame(TYPE.CREDIT, channel.id, Buffer.from([0, 0, 0, 9])));
  gate.close(channel, 1000);
  gate.close(channel, 1000);
  const [other, second] = await Viewer.join(gate);
  gate.close(second, 4000, 'refused');
  gate.write(frame(TYPE.DATA, second.id, Buffer.from('late')));
  assert.equal(await other.closeCode(), 4000);
  assert.equal((await get(gate, '/')).status, 200);
  other.destroy();
}));

test('when the daemon ends, viewers are told and the port is free', async () => {
  const gate = await new Gate().start();
  const viewers = [];
  for (let i = 0; i < 20; i++) viewers.push(await Viewer.join(gate));
  const silent = new Client(gate);
  await silent.connected();
  gate.link.end();
  for (const [viewer] of viewers) assert.equal(await viewer.closeCode(), 4004);
  assert.equal(await gate.exited, 0);
  await silent.ending();
  await withGate({ port: gate.port, required: true }, async (next) => assert.equal(next.port, gate.port));
});

test('SIGTERM ends it at once, also with viewers that do not read', async () => {
  const gate = await new Gate().start();
  const [viewer, channel] = await Viewer.join(gate);
  viewer.socket.pause();
  gate.send(channel, randomBytes(60000));
  const from = process.hrtime.bigint();
  gate.process.kill('SIGTERM');
  assert.equal(await gate.exited, 0);
  assert.ok(process.hrtime.bigint() - from < 5_000_000_000n);
  viewer.destroy();
});

test('CLOSE goes out behind the DATA before it', () => withGate({}, async (gate) => {
  const [socket, channel] = await openSocket(gate);
  let bytes = 0;
  socket.on('message', (data) => { bytes += data.length; });
  for (let i = 0; i < 100; i++) gate.send(channel, Buffer.alloc(1000, i));
  gate.close(channel, 1000, 'bye');
  const code = await new Promise((resolve) => socket.once('close', resolve));
  assert.equal(code, 1000);
  assert.equal(bytes, 100_000);
}));

test('a viewer that does not take the close is cut off in time', () => withGate({}, async (gate) => {
  const [viewer, channel] = await Viewer.join(gate);
  viewer.socket.pause();
  gate.close(channel, 1000);
  assert.equal((await get(gate, '/')).status, 200);
  gate.advance();
  await get(gate, '/');
  viewer.socket.resume();
  await viewer.ending();
}));

for (const size of [100, 4096, 65535]) {
  test(`50 MB in records of ${size} bytes arrive unharmed both ways`, () => withGate({}, async (gate) => {
    const total = (process.env.VITRINE_SHORT ? 5 : 50) * (size < 1000 ? 1e5 : 1e6);
    const [socket, channel] = await openSocket(gate);
    const [down, up, gotDown, gotUp] = Array.from({ length: 4 }, () => createHash('sha256'));
    let received = 0;
    socket.on('message', (data) => { gotDown.update(data); received += data.length; gate.link.emit('progress'); });
    const block = randomBytes(size);
    const started = process.hrtime.bigint();
    const sending = pour(gate, channel, total, block, (sent) => down.update(sent));
    let uploaded = 0;
    while (uploaded < total) {
      up.update(block);
      uploaded += size;
      await new Promise((resolve) => socket.send(block, resolve));
      if (channel.data.length > 1) channel.data.splice(1).forEach((data) => gotUp.update(data));
    }
    await sending;
    await gate.until(() => received === uploaded, 'everything down', 120000);
    await gate.until(() => {
      channel.data.splice(1).forEach((data) => gotUp.update(data));
      return channel.bytes === uploaded + (uploaded / size) * HEADER + FIRST + HEADER;
    }, 'everything up', 120000);
    assert.equal(gotDown.digest('hex'), down.digest('hex'));
    assert.equal(gotUp.digest('hex'), up.digest('hex'));
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    console.log(`# ${size} B: ${(2 * uploaded / 1e6 / seconds).toFixed(0)} MB/s both ways together`);
    socket.terminate();
  }));
}

test('a stalled viewer holds its own credit only, while another runs at full speed', () => withGate({}, async (gate) => {
  const [stalled, blocked] = await Viewer.join(gate);
  stalled.socket.pause();
  const block = randomBytes(16000);
  const [socket, channel] = await openSocket(gate);
  let received = 0;
  socket.on('message', (data) => { received += data.length; gate.link.emit('progress'); });
  let filled = 0;
  const fill = () => {
    for (; blocked.credit >= HEADER + block.length; filled += block.length) gate.send(blocked, block);
  };
  do { // until it gives no credit back any more: the kernel's buffers and 128 KiB are full
    fill();
    await pour(gate, channel, 2e6, block);
  } while (blocked.credit >= HEADER + block.length);
  const before = gate.rssKib();
  const ticks = gate.cpuTicks();
  const had = received;
  await pour(gate, channel, 20e6, block);
  await gate.until(() => received >= had + 20e6, 'the other viewer');
  assert.ok(blocked.credit < HEADER + block.length);
  gate.assertGrownBelow(before, 2048);
  console.log(`# the stalled viewer took ${filled >> 10} KiB, 20 MB cost ${gate.cpuTicks() - ticks} ticks`);
  stalled.socket.resume();
  await gate.until(() => blocked.credit > CREDIT - (20 << 10), 'credit back');
  stalled.destroy();
  socket.terminate();
}));

test('a daemon that gives no credit stops the viewer, not the others', () => withGate({}, async (gate) => {
  gate.autoCredit = false;
  const [greedy, channel] = await Viewer.join(gate);
  const message = wsFrame(randomBytes(30000));
  let written = 0;
  const flood = () => { while (greedy.socket.write(message)) written += message.length; };
  greedy.socket.on('drain', flood);
  flood();
  await gate.until(() => channel.bytes > CREDIT - 2 * 30009, 'the first frames');
  const [other, second] = await Viewer.join(gate);
  other.write(wsFrame(Buffer.from('key')));
  await gate.until(() => second.data.length === 2, 'another viewer\'s message');
  assert.ok(channel.bytes <= CREDIT);
  const rss = gate.rssKib();
  for (let i = 0; i < 20; i++) {
    const had = channel.data.length;
    gate.giveBack(channel);
    await gate.until(() => channel.data.length > had, 'more');
    assert.ok(channel.owed <= CREDIT);
  }
  gate.assertGrownBelow(rss, 1024);
  greedy.socket.off('drain', flood);
  greedy.destroy();
  await gate.until(() => { gate.giveBack(channel); return channel.closed; }, 'CLOSE behind the data');
  assert.equal(channel.closed.code, 1006);
  other.destroy();
}));

/** True when no id comes again before every other that still follows had its turn. */
function takesTurns(ids) {
  return ids.every((id, at) => {
    const again = ids.indexOf(id, at + 1);
    if (again < 0) return true;
    const between = new Set(ids.slice(at, again));
    return ids.slice(again).every((other) => between.has(other));
  });
}

test('small messages pass pastes that wait, and pastes take turns', () => withGate({}, async (gate) => {
  const pasters = [];
  for (let i = 0; i < 16; i++) pasters.push((await Viewer.join(gate))[0]);
  const [typist, keys] = await Viewer.join(gate);
  const settle = async (viewer) => { // a pong: what came before the ping is in the gate
    viewer.write(wsFrame(Buffer.from('p'), { opcode: 9 }));
    assert.equal((await viewer.frame()).opcode, 10);
  };
  gate.link.pause(); // the daemon is busy: socketpair and gate fill up
  for (const paster of pasters) for (let i = 0; i < 2; i++) paster.write(wsFrame(randomBytes(30000)));
  for (const paster of pasters) await settle(paster);
  for (let i = 0; i < 10; i++) typist.write(wsFrame(Buffer.from('k')));
  await settle(typist);
  gate.link.resume();
  const whole = () => [...gate.channels.values()].every(({ id, data }) => data.length === (id === keys.id ? 11 : 3));
  await gate.until(whole, 'everything');
  const order = gate.order.filter(([type]) => type === TYPE.DATA).map(([, id]) => id);
  const behind = order.slice(order.lastIndexOf(keys.id) + 1);
  assert.ok(behind.length >= 8, `${behind.length} of 32 large messages came after the keys`);
  assert.ok(takesTurns(behind), behind.join(' '));
  for (const viewer of [...pasters, typist]) viewer.destroy();
}));

test('64 silent peers do not keep a viewer out', () => withGate({}, async (gate) => {
  const silent = Array.from({ length: 64 }, () => new Client(gate));
  await Promise.all(silent.map((client) => client.connected()));
  const from = process.hrtime.bigint();
  const [viewer, channel] = await Viewer.join(gate);
  assert.equal(channel.data.length, 1);
  assert.ok(process.hrtime.bigint() - from < 1_000_000_000n);
  for (const client of [...silent, viewer]) client.destroy();
}));

test('1,100 silent peers: random ones make room, viewers stay, memory is bounded', () => withGate({}, async (gate) => {
  const [early, channel] = await Viewer.join(gate);
  const before = gate.rssKib();
  const silent = [];
  for (let i = 0; i < 1100; i++) {
    silent.push(new Client(gate));
    if (i % 100 === 99) await Promise.all(silent.map((client) => client.connected()));
  }
  const [viewer] = await Viewer.join(gate);
  const gone = await evictions(silent, 1100 - 1024);
  assert.ok(gone <= 1100 - 1024 + 5, String(gone));
  console.log(`# ${((gate.rssKib() - before) / (1100 - gone)).toFixed(2)} KiB for a silent connection`);
  gate.assertGrownBelow(before, 8192);
  early.write(wsFrame(Buffer.from('still here')));
  await gate.until(() => channel.data.length === 2, 'the early viewer');
  for (const client of [...silent, viewer, early]) client.destroy();
}));

test('one address beyond loopback gets its share of unproven connections only', async (t) => {
  const found = Object.values(networkInterfaces()).flat().find(({ internal, family }) => !internal && family === 'IPv4');
  if (!found) return t.skip('no address beyond loopback');
  await withGate({ bind: '0.0.0.0', maxPerAddress: 8 }, async (gate) => {
    const local = new Client(gate);
    const clients = Array.from({ length: 20 }, () => new Client(gate, undefined, found.address));
    await Promise.all([local, ...clients].map((client) => client.connected()));
    assert.equal(await evictions(clients, 12), 12);
    assert.equal((await get(gate, '/')).status, 200);
    assert.equal(await evictions(clients, 12), 12);
    assert.equal(local.ended, false);
    for (const client of [local, ...clients]) client.destroy();
  });
});

test('without descriptors left, connections are dropped and room is made', () => withGate({ descriptors: 40 }, async (gate) => {
  const [early, channel] = await Viewer.join(gate);
  const silent = Array.from({ length: 80 }, () => new Client(gate));
  await Promise.all(silent.map((client) => client.connected()));
  await gate.until(() => /no descriptors left/.test(gate.log), 'the line');
  const ticks = gate.cpuTicks();
  let answer;
  for (let tries = 0; tries < 50 && answer?.status !== 200; tries++) answer = await get(gate, '/');
  assert.equal(answer.status, 200);
  early.write(wsFrame(Buffer.from('still here')));
  await gate.until(() => channel.data.length === 2, 'the early viewer');
  assert.ok(gate.cpuTicks() - ticks < 100);
  for (const client of [early, ...silent]) client.destroy();
}));

test('many idle viewers cost little memory and no time', () => withGate({}, async (gate) => {
  const count = 500;
  const [first] = await Viewer.join(gate);
  const before = gate.rssKib();
  const viewers = [];
  for (let i = 0; i < count; i++) viewers.push((await Viewer.join(gate))[0]);
  const each = (gate.rssKib() - before) / count;
  console.log(`# ${each.toFixed(2)} KiB for an idle viewer`);
  gate.assertGrownBelow(before, 16 * count);
  for (const viewer of [first, ...viewers]) viewer.destroy();
  await gate.until(() => [...gate.channels.values()].every(({ closed }) => closed), 'all CLOSE');
}));
