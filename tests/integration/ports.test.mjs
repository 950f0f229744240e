// Where the gate listens: the default and what follows it, the asked-for port, the address, origins.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from './host.mjs';
import { openSocket } from './viewer.mjs';

const GATE_PORT = 8722;
const TRIES = 100;

/** A port of the kernel's choice that is being listened on until the test ends. */
async function takePort(t, port = 0, host = '127.0.0.1') {
  const server = createServer();
  const done = new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  await done.catch(() => undefined); // somebody else has it: that is as good
  t.after(() => server.close());
  return server.address()?.port ?? port;
}

async function freePort(t) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const portOf = (shared) => Number(new URL(shared.view).port);

/** How the gate answers a WebSocket with an Origin: 'open', or the HTTP status. */
function knockFrom(link, origin) {
  return new Promise((resolve, reject) => {
    const { socketUrl } = lib.parseLink(link);
    const socket = openSocket(socketUrl, lib.SUBPROTOCOL, origin === undefined ? {} : { headers: { Origin: origin } });
    socket.on('open', () => (resolve('open'), socket.terminate()));
    socket.on('unexpected-response', (_, response) => (resolve(response.statusCode), socket.terminate()));
    socket.on('error', reject);
  });
}

describe('ports, addresses and origins', { concurrency: 4 }, () => {
  test('the default port is taken: the next free one is used', async (t) => {
    await takePort(t, GATE_PORT);
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    assert.ok(portOf(shared) > GATE_PORT && portOf(shared) <= GATE_PORT + TRIES, shared.view);
    await host.join(shared.view);
  });

  test('an asked-for port that is taken: an error that names it, nothing else is listened on', async (t) => {
    const port = await takePort(t);
    const host = await createHost(t);
    const { code, stdout, stderr } = await host.run(['share', '-d', '--port', String(port), '--', 'cat']);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, new RegExp(`^vitrine: port ${port} is taken: .*--port`));
    const again = await host.run(['share', '-d', '--port', String(port), '--', 'cat']);
    assert.deepEqual([again.code, again.stderr], [code, stderr]);
    const shared = await host.share(['cat'], { options: ['--port', String(await freePort(t))] });
    await host.join(shared.view);
  });

  test('a second share asking for another port: an error naming the current one; the same port is fine', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const port = portOf(shared);
    const other = await host.run(['share', '-d', '--port', String(port === 9999 ? 9998 : 9999), '--', 'cat']);
    assert.equal(other.code, 1);
    assert.ok(other.stderr.includes(`port ${port}`), other.stderr);
    assert.equal((await host.run(['share', '-d', '--bind', '127.0.0.2', '--', 'cat'])).code, 1);
    assert.equal((await host.run(['share', '-d', '--origin', 'https://a.example', '--', 'cat'])).code, 1);
    assert.equal((await host.json('shares', '--json')).length, 1);
    assert.equal((await host.json('ls', '--json')).length, 1);
    assert.equal(portOf(await host.share(['cat'], { options: ['--port', String(port)] })), port);
    assert.equal(portOf(await host.share(['cat'])), port);
  });

  test('when nothing is shared any more, another port may be asked for at once', async (t) => {
    const host = await createHost(t);
    const first = await host.share(['cat']);
    await host.vitrine('unshare', '--all');
    const port = await freePort(t);
    const second = await host.share(['cat'], { options: ['--port', String(port)] });
    assert.notEqual(portOf(first), port);
    assert.equal(portOf(second), port);
    await host.join(second.view);
  });

  test('the gate ends a while after the last share and starts again with the next', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const { pid } = await host.gate();
    host.pids.add(pid);
    await host.vitrine('unshare', '--all');
    await host.advance(60_000);
    await until(async () => (await host.gate()).state === 'off', 'the gate to be off', DEADLINE_MS);
    const next = await host.share(['cat']);
    await host.join(next.view);
    assert.notEqual((await host.gate()).pid, pid);
    assert.notEqual(next.view, shared.view);
  });

  test('--bind chooses the address; one that is none, or not ours, is an error that says so', async (t) => {
    const host = await createHost(t);
    const bad = await host.run(['share', '-d', '--bind', 'nonsense', '--', 'cat']);
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /cannot listen on nonsense/);
    const foreign = await host.run(['share', '-d', '--bind', '192.0.2.1', '--', 'cat']);
    assert.equal(foreign.code, 1);
    assert.match(foreign.stderr, /cannot listen on 192\.0\.2\.1/);
    const shared = await host.share(['cat'], { options: ['--bind', '127.0.0.9'] });
    assert.equal(new URL(shared.view).hostname, '127.0.0.9');
    await host.join(shared.view);
  });

  test('several shares at once start one gate', async (t) => {
    const host = await createHost(t);
    const all = await Promise.all(Array.from({ length: 6 }, () => host.share(['cat'])));
    assert.equal(new Set(all.map(portOf)).size, 1);
    assert.equal(new Set(all.map(({ view }) => view)).size, 6);
    await Promise.all(all.map(({ view }) => host.join(view)));
  });

  test('what is no origin is refused before a gate is started', async (t) => {
    const host = await createHost(t);
    for (const origin of ['a.example', 'ftp://a.example', 'https://', 'https://a.example/path', 'https://a.example/', 'https://a@b.example', '']) {
      const { code, stderr } = await host.run(['share', '-d', '--origin', origin, '--', 'cat']);
      assert.equal(code, 2, origin);
      assert.match(stderr, /an origin is http/, origin);
    }
    assert.equal((await host.json('gate', '--json', 'status')).state, 'off');
    assert.deepEqual(await host.json('ls', '--json'), []);
  });

  test('a page of another origin is refused, with suffix, prefix and case tricks; ours is not', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--origin', 'https://desk.example:8443', '--origin', 'http://a.example'] });
    const own = `127.0.0.1:${portOf(shared)}`;
    const open = [undefined, `http://${own}`, 'https://desk.example:8443', 'http://a.example'];
    const refused = ['http://evil.example', `http://${own}.evil.example`, `http://evil${own}`, `http://evil.example/${own}`, `https://${own}`,
      `http://127.0.0.1`, `http://127.0.0.1:${portOf(shared) + 1}`, `http://user@${own}`, `http://${own}@evil.example`, 'null', 'https://desk.example',
      'https://desk.example:84430', 'https://sub.desk.example:8443', 'https://a.example', 'http://a.example.evil', 'http://A.example.evil', 'HTTP://EVIL.example', 'http://a.example, http://evil', '', 'file://'];
    for (const origin of open) assert.equal(await knockFrom(shared.view, origin), 'open', origin);
    for (const origin of refused) assert.equal(await knockFrom(shared.view, origin), 403, origin);
  });
});
