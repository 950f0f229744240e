// TLS in the gate: modern versions only, certificates replaced under open connections, nothing of a
// peer that breaks the protocol is acted on.

import test, { describe, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Client, FIRST, Gate, STATE, TYPE, Viewer, config, frame, freePort, tlsFrame, until, withGate, wsFrame } from './gate.mjs';

let dir;
const made = {};

/** A self-signed certificate for 127.0.0.1 with its key. */
function make(name, extra = []) {
  const key = join(dir, `${name}.key`);
  const chain = join(dir, `${name}.pem`);
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '30', '-subj', `/CN=${name}`,
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', chain, ...(extra.length ? extra : ['-nodes'])], { stdio: 'ignore' });
  return { chain: readFileSync(chain), key: readFileSync(key) };
}

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'gate-tls-'));
  made.first = make('first');
  made.second = make('second');
  made.sealed = make('sealed', ['-passout', 'pass:secret']);
});
after(() => rmSync(dir, { recursive: true, force: true }));

function tlsSocket(gate, options = {}) {
  return connectTls({ port: gate.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...options });
}

async function secure(gate, options) {
  const socket = tlsSocket(gate, options);
  socket.on('error', () => {});
  await until(socket, ['secureConnect', 'close'], () => socket.getPeerCertificate()?.subject?.CN ?? socket.destroyed, 'a TLS handshake');
  return socket;
}

/** A TCP connection that is answered in TLS or closed: the bytes that came back. */
async function rawAnswer(gate, bytes) {
  const client = new Client(gate);
  client.write(bytes);
  await client.ending();
  return client.bytes;
}

describe('TLS', () => {
  test('serves the page and carries viewers', () => withGate({ tls: made.first }, async (gate) => {
    const socket = await secure(gate);
    assert.equal(socket.getPeerCertificate().subject.CN, 'first');
    assert.equal(socket.getProtocol(), 'TLSv1.3');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    const client = new Client(gate, null, null, socket);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const page = await client.answer();
    assert.equal(page.status, 200);
    assert.ok(page.body.includes('<!doctype html') || page.body.includes('<!DOCTYPE html'));
    client.destroy();

    const [viewer, channel] = await Viewer.join(gate, { socket: await secure(gate) });
    assert.equal(channel.flags & 4, 4, 'the daemon is told that the peer came over TLS');
    for (const size of [1, 100, 16384, 16385, 65535]) {
      const up = randomBytes(size);
      viewer.write(wsFrame(up));
      await gate.until(() => channel.data.at(-1).equals(up), `${size} bytes up`);
      const down = randomBytes(size === 65535 ? 30000 : size);
      gate.send(channel, down);
      const { payload } = await viewer.frame();
      assert.ok(payload.equals(down), `${size} bytes down`);
    }
    gate.close(channel, 1000, 'done');
    assert.equal(await viewer.closeCode(), 1000);
    viewer.destroy();
  }));

  test('TLS 1.2 with forward secrecy and AEAD, nothing older', () => withGate({ tls: made.first }, async (gate) => {
    const socket = await secure(gate, { maxVersion: 'TLSv1.2' });
    assert.equal(socket.getProtocol(), 'TLSv1.2');
    assert.match(socket.getCipher().name, /^ECDHE-.*(GCM|POLY1305)/);
    socket.destroy();
    for (const options of [
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
      { ALPNProtocols: ['h2'] },
    ]) {
      const refused = await secure(gate, options);
      assert.ok(refused.destroyed, JSON.stringify(options));
    }
    const socketAgain = await secure(gate);
    assert.equal(socketAgain.getPeerCertificate().subject.CN, 'first');
    socketAgain.destroy();
  }));

  test('a new certificate is for new connections; a bad one changes nothing', () => withGate({ tls: made.first }, async (gate) => {
    const [viewer, channel] = await Viewer.join(gate, { socket: await secure(gate) });
    gate.write(tlsFrame(made.second));
    let renewed = await secure(gate);
    while (renewed.getPeerCertificate().subject.CN === 'first') { // until the gate has read the frame
      renewed.destroy();
      renewed = await secure(gate);
    }
    assert.equal(renewed.getPeerCertificate().subject.CN, 'second');
    renewed.destroy();
    for (const bad of [{ chain: 'nothing', key: 'nothing' }, { chain: made.first.chain, key: made.second.key }, made.sealed]) {
      const before = gate.frames.filter(({ state }) => state === STATE.TLS_FAILED).length;
      gate.write(tlsFrame(bad));
      await gate.until(() => gate.frames.filter(({ state }) => state === STATE.TLS_FAILED).length > before, 'a report');
    }
    assert.match(gate.frames.at(-1).text, /key/);
    const still = await secure(gate);
    assert.equal(still.getPeerCertificate().subject.CN, 'second');
    still.destroy();
    const down = randomBytes(50);
    gate.send(channel, down);
    assert.ok((await viewer.frame()).payload.equals(down), 'the viewer of before is still there');
    viewer.destroy();
  }));

  test('a certificate that cannot be used ends the start with a reason', async () => {
    const gate = new Gate();
    gate.write(frame(TYPE.CONFIG, 0, config({ port: await freePort(), tls: made.sealed })));
    gate.write(tlsFrame(made.sealed));
    await gate.until(() => gate.frames.some(({ state }) => state === STATE.TLS_FAILED), 'a report');
    assert.equal(await gate.exited, 2);
    assert.ok(!gate.frames.some(({ state }) => state === STATE.LISTENING));
  });

  test('plain HTTP on the port is pointed to https', () => withGate({ tls: made.first }, async (gate) => {
    const ask = async (host) => {
      const client = new Client(gate);
      client.write(`GET /x?y HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const answer = await client.answer();
      client.destroy();
      return answer;
    };
    const { status, headers } = await ask(`127.0.0.1:${gate.port}`);
    assert.equal(status, 308);
    assert.equal(headers.get('location'), `https://127.0.0.1:${gate.port}/`);
    assert.equal((await ask('evil" host/..')).status, 400);
    const client = new Client(gate); // a WebSocket in the clear is none
    client.write('GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    assert.equal((await client.answer()).status, 308);
    client.destroy();
  }));

  test('garbage, half a hello, a hello and garbage: refused, nobody else notices', () => withGate({ tls: made.first }, async (gate) => {
    const [viewer, channel] = await Viewer.join(gate, { socket: await secure(gate) });
    const record = (type, body) => Buffer.concat([Buffer.from([type, 3, 3, body.length >> 8, body.length & 255]), body]);
    assert.equal((await rawAnswer(gate, record(0x16, randomBytes(300))))[0], 0x15, 'an alert');
    assert.equal((await rawAnswer(gate, Buffer.concat([record(0x16, Buffer.from([1, 255, 255, 255])), randomBytes(2000)])))[0], 0x15);
    const half = new Client(gate);
    half.write(record(0x16, randomBytes(16000)).subarray(0, 9000));
    (await secure(gate)).destroy(); // half was accepted before it
    gate.advance();
    await half.ending();
    const down = randomBytes(50);
    gate.send(channel, down);
    assert.ok((await viewer.frame()).payload.equals(down));
    viewer.destroy();
  }));

  test('a viewer that does not read fills no memory', () => withGate({ tls: made.first }, async (gate) => {
    const socket = await secure(gate);
    const [, channel] = await Viewer.join(gate, { socket });
    socket.pause();
    gate.autoCredit = true;
    let sent = 0;
    while (channel.credit >= 16393) {
      gate.send(channel, randomBytes(16384));
      sent += 16384;
    }
    assert.ok(sent >= 96 << 10, 'up to the credit');
    socket.resume();
    await gate.until(() => channel.credit === 128 << 10 || channel.credit + 16384 >= 128 << 10, 'credit comes back');
    socket.destroy();
  }));
});

describe('base path', () => {
  test('the page and its WebSocket live below it', () => withGate({ basePath: '/a/term/' }, async (gate) => {
    const get = async (path) => {
      const client = new Client(gate);
      client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      const { status } = await client.answer();
      client.destroy();
      return status;
    };
    assert.equal(await get('/a/term/'), 200);
    assert.equal(await get('/a/term/app.js'), 200);
    for (const path of ['/', '/app.js', '/a/term', '/a/terms/', '/a/term//', '/a/term/../term/']) assert.equal(await get(path), 404, path);
    const viewer = await Viewer.open(gate, { path: '/a/term/ws' });
    const first = randomBytes(FIRST);
    viewer.write(wsFrame(first));
    await gate.until(() => [...gate.channels.values()].some(({ data }) => data[0]?.equals(first)), 'a channel');
    viewer.destroy();
    await assert.rejects(Viewer.open(gate, { path: '/ws' }), /404/);
  }));

  for (const basePath of ['a/', '/a', '//', '/../', '/a/./', '/a b/', '/a"/']) {
    test(`${JSON.stringify(basePath)} is none`, async () => {
      const gate = new Gate();
      gate.write(frame(TYPE.CONFIG, 0, config({ port: await freePort(), basePath })));
      assert.equal(await gate.exited, 2);
    });
  }
});
