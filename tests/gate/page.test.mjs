// HTTP: the page's files, their headers, and clean answers to what is wrong.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { Client, Gate, get, request, withGate } from './gate.mjs';

const DIST = new URL('../../build/web/dist/', import.meta.url);
const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/index.html', 'index.html', 'text/html; charset=utf-8'],
  ['/app.js', 'app.js', 'text/javascript; charset=utf-8'],
  ['/app.css', 'app.css', 'text/css; charset=utf-8'],
  ['/licenses.txt', 'licenses.txt', 'text/plain; charset=utf-8'],
];

test('files arrive whole, compressed or not, with their type', () => withGate({}, async (gate) => {
  for (const [path, file, type] of FILES) {
    const content = readFileSync(new URL(file, DIST));
    const plain = await get(gate, path);
    assert.equal(plain.status, 200);
    assert.equal(plain.headers.get('content-type'), type);
    assert.equal(plain.headers.has('content-encoding'), false);
    assert.ok(plain.body.equals(content), path);
    const packed = await get(gate, path, 'Accept-Encoding: gzip, br\r\n');
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.ok(packed.body.length < content.length);
    assert.ok(gunzipSync(packed.body).equals(content), path);
    const refused = await get(gate, path, 'Accept-Encoding: gzip;q=0\r\n');
    assert.ok(refused.body.equals(content));
  }
}));

test('HEAD has the length and no body; a known ETag gets 304', () => withGate({}, async (gate) => {
  const full = await get(gate, '/app.js');
  const head = await get(gate, '/app.js', '', 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), full.headers.get('content-length'));
  const etag = full.headers.get('etag');
  for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const same = await get(gate, '/app.js', `If-None-Match: ${value}\r\n`);
    assert.equal(same.status, 304);
    assert.equal(same.headers.has('content-length'), false);
    assert.equal(same.headers.get('etag'), etag);
  }
  assert.equal((await get(gate, '/app.js', 'If-None-Match: "other"\r\n')).status, 200);
}));

test('every answer carries the security headers and no banner', () => withGate({}, async (gate) => {
  const csp = readFileSync(new URL('csp.txt', DIST), 'utf8').trim();
  const answers = [await get(gate, '/'), await get(gate, '/none'), await get(gate, '/', '', 'POST'), await get(gate, '/ws')];
  for (const { headers, status } of answers) {
    assert.equal(headers.get('content-security-policy'), csp, String(status));
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.match(headers.get('permissions-policy'), /camera=\(\)/);
    assert.equal(headers.has('server'), false);
    assert.match(headers.get('date'), /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
  }
  assert.equal(answers[0].headers.get('cache-control'), 'no-cache');
  for (const directive of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) assert.ok(csp.includes(directive));
  assert.doesNotMatch(csp, /unsafe|\*/);
}));

test('wrong requests get clean answers', () => withGate({}, async (gate) => {
  const host = 'Host: x\r\n';
  const rows = [
    ['GET /none HTTP/1.1\r\n', host, 404],
    ['GET /../etc/passwd HTTP/1.1\r\n', host, 404],
    ['GET /%2e%2e/index.html HTTP/1.1\r\n', host, 404],
    ['GET /csp.txt HTTP/1.1\r\n', host, 404],
    ['GET //app.js HTTP/1.1\r\n', host, 404],
    ['POST / HTTP/1.1\r\n', host, 405],
    ['PUT /app.js HTTP/1.1\r\n', host, 405],
    ['OPTIONS * HTTP/1.1\r\n', host, 405],
    ['CONNECT x:1 HTTP/1.1\r\n', host, 405],
    ['HEAD /ws HTTP/1.1\r\n', host, 404],
    ['GET / HTTP/1.1\r\n', '', 400],
    ['GET / HTTP/1.1\r\n', `${host}${host}`, 400],
    ['GET /\r\n', '', 400],
    ['\x16\x03\x01\x02\r\n', '', 400],
    ['GET / HTTP/2.0\r\n', host, 505],
    ['GET / HTTP/1.1\r\n', `${host}Content-Length: 5\r\n`, 413],
    ['GET / HTTP/1.1\r\n', `${host}Transfer-Encoding: chunked\r\n`, 413],
    ['GET / HTTP/1.1\r\n', `${host}X: ${'y'.repeat(20000)}\r\n`, 431],
    [`GET /${'y'.repeat(40000)} HTTP/1.1\r\n`, host, 431],
    ['GET / HTTP/1.1\r\n', host + 'X: y\r\n'.repeat(200), 431],
  ];
  for (const [line, fields, status] of rows) {
    const answer = await request(gate, `${line}${fields}\r\n`, { head: line.startsWith('HEAD') });
    assert.equal(answer.status, status, line.slice(0, 60));
    if (status === 405) assert.equal(answer.headers.get('allow'), 'GET, HEAD');
  }
  assert.equal((await get(gate, '/')).status, 200);
}));

test('a head of just under the limit passes, in pieces of any size', () => withGate({}, async (gate) => {
  const text = `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'c'.repeat(16000)}\r\n\r\n`;
  assert.equal((await request(gate, text)).status, 200);
  for (const step of [1, 7, 1000]) {
    const client = new Client(gate);
    await client.connected();
    for (let at = 0; at < 300; at += step) client.write(text.slice(at, Math.min(at + step, 300)));
    client.write(text.slice(300));
    assert.equal((await client.answer()).status, 200);
    client.destroy();
  }
}));

test('connections are kept alive; a pipelined request is left to be asked again', () => withGate({}, async (gate) => {
  const client = new Client(gate);
  for (let i = 0; i < 5; i++) {
    client.write('GET /app.css HTTP/1.1\r\nHost: x\r\n\r\n');
    const { status, headers } = await client.answer();
    assert.equal(status, 200);
    assert.equal(headers.get('connection'), 'keep-alive');
  }
  client.write('GET /app.css HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal((await client.answer()).headers.get('connection'), 'close');
  await client.ending();
  for (const text of ['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']) {
    const one = new Client(gate);
    one.write(text);
    assert.equal((await one.answer()).status, 200);
    await one.ending();
  }
}));

test('a client that sends its request and shuts its side still gets the answer', () => withGate({}, async (gate) => {
  const client = new Client(gate);
  client.socket.end('GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n');
  const { body } = await client.answer();
  assert.ok(body.equals(readFileSync(new URL('app.js', DIST))));
}));

test('a client that reads slowly gets everything, and costs no memory', () => withGate({}, async (gate) => {
  const clients = Array.from({ length: 50 }, () => new Client(gate));
  await Promise.all(clients.map((client) => client.connected()));
  const before = gate.rssKib();
  for (const client of clients) client.socket.pause();
  for (const client of clients) client.write('GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal((await get(gate, '/')).status, 200);
  gate.assertGrownBelow(before, 4096);
  for (const client of clients) client.socket.resume();
  const size = readFileSync(new URL('app.js', DIST)).length;
  for (const client of clients) assert.equal((await client.answer()).body.length, size);
  for (const client of clients) client.destroy();
}));

test('half a request is answered 408 and silence is closed, in time', () => withGate({}, async (gate) => {
  const half = new Client(gate);
  const silent = new Client(gate);
  const kept = new Client(gate);
  half.write('GET / HTTP/1.1\r\nHost:');
  kept.write('GET /app.css HTTP/1.1\r\nHost: x\r\n\r\n');
  await silent.connected();
  await kept.answer();
  assert.equal((await get(gate, '/')).status, 200); // all three are accepted by now
  gate.advance();
  assert.equal((await half.answer()).status, 408);
  await half.ending();
  await silent.ending();
  assert.equal(kept.ended, false); // it may wait longer between requests
  gate.advance();
  await kept.ending();
}));

test('dripping header bytes does not extend the time', () => withGate({}, async (gate) => {
  const slow = new Client(gate);
  slow.write('GET / HTTP/1.1\r\nX: ');
  assert.equal((await get(gate, '/')).status, 200);
  slow.write('y');
  assert.equal((await get(gate, '/')).status, 200);
  gate.advance();
  assert.equal((await slow.answer()).status, 408);
}));

test('started without a daemon it says so', async () => {
  const gate = new Gate({ withLink: false });
  assert.equal(await gate.exited, 2);
  assert.match(gate.log, /the daemon starts this program/);
});
