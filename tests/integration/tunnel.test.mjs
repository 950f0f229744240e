// Tunnels: programs of the user's that print where they lead. Those here are scripts that print and
// end as a test says; what they would carry is reached directly.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from './host.mjs';
import { openSocket } from './viewer.mjs';

const START_MS = 30_000;

/** A tunnel program of the host: a shell script. */
function script(host, name, text) {
  const file = path.join(host.dir, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  return file;
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const pidIn = (file) => until(() => existsSync(file) && Number(readFileSync(file, 'utf8')), file, DEADLINE_MS);

/** The link's page, but reached on this machine. */
async function direct(host, link) {
  const { port } = await host.json('gate', '--json', 'status');
  return link.replace(/^[^#]*/, `http://127.0.0.1:${port}/`);
}

describe('tunnels', { concurrency: 4 }, () => {
  test('its URL stands in the links, its pages may connect, and all of it ends with the share', async (t) => {
    const host = await createHost(t);
    const pids = ['shell', 'child'].map((name) => path.join(host.dir, `${name}.pid`));
    const program = script(host, 'tunnel', `echo $$ >${pids[0]}
      sleep 1000 & echo $! >${pids[1]}
      echo "port $1 url $2 home $HOME"
      echo "welcome to the tunnel, read https://terms.example/x?y first"; echo "INF |  https://me.tunnel.example  |"
      echo "also https://second.tunnel.example"; wait`);
    const shared = await host.share(['cat'], { options: ['--tunnel', `exec ${program} %p %u`, '--tunnel-pattern', 'https://[a-z.]+tunnel\\.example'] });
    assert.match(shared.view, /^https:\/\/me\.tunnel\.example\/#[\w-]+$/);
    const viewer = await host.join(await direct(host, shared.write), { socketOptions: { headers: { Origin: 'https://me.tunnel.example' } } });
    viewer.type(shared.pane, 'hello\r');
    await viewer.sees(/hello/);
    const [shell, child] = await Promise.all(pids.map(pidIn));
    assert.ok(isAlive(shell) && isAlive(child));
    assert.match(await host.vitrine('gate', 'status'), /tunnel: .*: up, https:\/\/me\.tunnel\.example\//);
    await host.vitrine('unshare', '--all');
    await host.advance(5000);
    await until(() => !isAlive(shell) && !isAlive(child), 'the group is gone', DEADLINE_MS);
  });

  test('a tunnel that dies is noticed, shown, and started again; a new address is in the links', async (t) => {
    const host = await createHost(t);
    const count = path.join(host.dir, 'count');
    const pid = path.join(host.dir, 'pid');
    const program = script(host, 'tunnel', `n=$(cat ${count} 2>/dev/null || echo 0); echo $((n + 1)) >${count}
      echo $$ >${pid}; echo "https://t$n.example/some/path/ ready"; exec sleep 1000`);
    const shared = await host.share(['cat'], { options: ['--tunnel', `exec ${program}`] });
    assert.match(shared.view, /^https:\/\/t0\.example\/some\/path\/#/);
    process.kill(await pidIn(pid), 'SIGKILL');
    await until(async () => /down: the tunnel was killed by signal 9/.test(await host.vitrine('gate', 'status')), 'shown', DEADLINE_MS);
    await host.advance(1000);
    await until(async () => /up, https:\/\/t1\.example/.test(await host.vitrine('gate', 'status')), 'up again', DEADLINE_MS);
    const [{ links }] = [await host.json('links', '--json')].flat();
    assert.match(links[0].url, /^https:\/\/t1\.example\/some\/path\/#/);
    await host.join(await direct(host, links[0].url), { socketOptions: { headers: { Origin: 'https://t1.example' } } });
    assert.match(host.log, /the tunnel was killed by signal 9.*; starting it again in 1000 ms/);
  });

  test('one that ends at once: an error with its last words, and nothing is shared', async (t) => {
    const host = await createHost(t);
    const program = script(host, 'tunnel', 'printf "connecting\\n\\033[31mno such account\\033[0m\\n\\n" >&2; exit 3');
    const { code, stdout, stderr } = await host.run(['share', '-d', '--tunnel', program, '--', 'cat']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^vitrine: the tunnel ended with status 3: .*no such account/);
    assert.ok(!stderr.includes('\x1b'));
    assert.deepEqual(await host.json('shares', '--json'), []);
    const missing = await host.run(['share', '-d', '--tunnel', '/nowhere/tunnel', '--', 'cat']);
    assert.match(missing.stderr, /ended with status 127: .*not found/);
    await host.share(['cat']); // without one it works
  });

  test('one that prints nothing fails in time', async (t) => {
    const host = await createHost(t);
    const pid = path.join(host.dir, 'pid');
    const program = script(host, 'tunnel', `echo "still working on it"; echo $$ >${pid}; exec sleep 1000`);
    const sharing = host.run(['share', '-d', '--tunnel', program, '--', 'cat']);
    const running = await pidIn(pid);
    await host.advance(START_MS - 1000);
    assert.ok(isAlive(running));
    await host.advance(1000);
    const { code, stderr } = await sharing;
    assert.equal(code, 1);
    assert.match(stderr, /printed no address in 30 seconds; its last words: still working on it/);
    await until(() => !isAlive(running), 'it is ended', DEADLINE_MS);
  });

  test('megabytes of output, endless lines, NULs: read, dropped, and the address found', async (t) => {
    const host = await createHost(t);
    const program = script(host, 'tunnel', `head -c 5000000 /dev/zero; head -c 3000000 /dev/zero | tr '\\0' x; echo
      echo https://found.example; exec yes https://other.example`);
    const shared = await host.share(['cat'], { options: ['--tunnel', program] });
    assert.match(shared.view, /^https:\/\/found\.example\/#/);
    const viewer = await host.join(await direct(host, shared.write));
    viewer.type(shared.pane, 'still quick\r');
    await viewer.sees(/still quick/);
  });

  test('--url: the address is known, nothing is looked for; the tunnel is kept running', async (t) => {
    const host = await createHost(t);
    const pid = path.join(host.dir, 'pid');
    const program = script(host, 'tunnel', `echo $$ >${pid}; echo https://other.example; exec sleep 1000`);
    const shared = await host.share(['cat'], { options: ['--tunnel', program, '--url', 'https://mine.example/t/'] });
    assert.match(shared.view, /^https:\/\/mine\.example\/t\/#/);
    assert.ok(isAlive(await pidIn(pid)));
  });

  test('what makes no sense is refused before anything runs', async (t) => {
    const host = await createHost(t);
    for (const [options, reason] of [
      [['--tunnel', 'x'.repeat(5000)], /too long/],
      [['--tunnel', 'true', '--tunnel-pattern', '['], /no regular expression/],
    ]) {
      const { code, stderr } = await host.run(['share', '-d', ...options, '--', 'cat']);
      assert.equal(code, 1);
      assert.match(stderr, reason);
    }
    const program = script(host, 'tunnel', 'echo https://a.example; exec sleep 1000');
    const shared = await host.share(['cat'], { options: ['--tunnel', program] });
    const other = await host.run(['share', '-d', '--tunnel', 'true', '--', 'cat']);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /another tunnel runs already/);
    const socketUrl = lib.parseLink(await direct(host, shared.view)).socketUrl;
    const status = await new Promise((resolve, reject) => {
      const socket = openSocket(socketUrl, lib.SUBPROTOCOL, { headers: { Origin: 'https://evil.example' } });
      socket.on('open', () => (resolve(101), socket.terminate()));
      socket.on('unexpected-response', (_, response) => (resolve(response.statusCode), socket.terminate()));
      socket.on('error', reject);
    });
    assert.equal(status, 403);
  });
});
