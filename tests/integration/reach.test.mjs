// How a share is reached: TLS of the gate's own or from files, a base path, addresses that people
// elsewhere use, pages hosted elsewhere. Each with a viewer that really joins.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from './host.mjs';
import { openSocket } from './viewer.mjs';

const UNCHECKED = { socketOptions: { rejectUnauthorized: false } };
const DAY_MS = 86_400_000;

/** The certificate the gate shows now. */
function shown(link) {
  const { hostname, port } = new URL(link);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function makeFiles(host, name) {
  const chain = path.join(host.dir, 'cert.pem');
  const key = path.join(host.dir, 'cert.key');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '30', '-nodes', '-subj', `/CN=${name}`,
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', `${key}.new`, '-out', `${chain}.new`], { stdio: 'ignore' });
  renameSync(`${key}.new`, key);
  renameSync(`${chain}.new`, chain);
  return { chain, key, options: ['--tls-cert', chain, '--tls-key', key] };
}

const gatePid = async (host) => Number((await host.json('gate', '--json', 'status')).pid);

describe('reaching a share', { concurrency: 4 }, () => {
  test('--tls self: https of its own, kept over restarts, made anew in good time', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--tls', 'self'] });
    assert.match(shared.view, /^https:\/\/127\.0\.0\.1:\d+\/#/);
    const viewer = await host.join(shared.write, UNCHECKED);
    viewer.type(shared.pane, 'over tls\r');
    await viewer.sees(/over tls/);
    const first = await shown(shared.view);
    assert.ok(first.checkIP('127.0.0.1') && first.checkHost('localhost'), first.subjectAltName);
    assert.ok(first.verify(first.publicKey), 'signed by itself');
    const folder = path.join(host.home, '.local/state/vitrine');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of ['gate.pem', 'gate.key']) assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600);

    process.kill(await gatePid(host), 'SIGKILL');
    await viewer.live();
    assert.equal((await shown(shared.view)).fingerprint256, first.fingerprint256, 'the same after a restart');

    for (let days = 0; days < 360; days += 20) await host.advance(20 * DAY_MS);
    assert.equal((await shown(shared.view)).fingerprint256, first.fingerprint256, 'not before it is due');
    await host.advance(11 * DAY_MS);
    await until(async () => (await shown(shared.view)).fingerprint256 !== first.fingerprint256, 'a new certificate', DEADLINE_MS);
  });

  test('files: replaced ones are taken up without dropping anybody, bad ones are not', async (t) => {
    const host = await createHost(t);
    const files = makeFiles(host, 'one');
    const shared = await host.share(['cat'], { options: files.options });
    assert.equal((await shown(shared.view)).subject, 'CN=one');
    const viewer = await host.join(shared.write, UNCHECKED);
    makeFiles(host, 'two');
    await host.advance(10_000);
    await until(async () => (await shown(shared.view)).subject === 'CN=two', 'the new certificate', DEADLINE_MS);
    writeFileSync(files.key, 'nonsense');
    await host.advance(10_000);
    await until(() => /certificate stays as it was/.test(host.log), 'a line in the log', DEADLINE_MS);
    assert.equal((await shown(shared.view)).subject, 'CN=two');
    viewer.type(shared.pane, 'still here\r');
    await viewer.sees(/still here/);
    assert.equal(viewer.closes.length, 0);
  });

  test('certificates that cannot be used: an error with the reason, nothing is shared', async (t) => {
    const host = await createHost(t);
    const files = makeFiles(host, 'good');
    const other = path.join(host.dir, 'other');
    execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${other}.key`]);
    writeFileSync(`${other}.pem`, 'nonsense');
    mkdirSync(`${other}.folder`);
    writeFileSync(`${other}.long`, Buffer.alloc(100_000, 65));
    execFileSync('mkfifo', [`${other}.fifo`]);
    const cases = [
      [['--tls-cert', files.chain, '--tls-key', `${other}.key`], /not the certificate's/],
      [['--tls-cert', `${other}.pem`, '--tls-key', files.key], /holds no certificate/],
      [['--tls-cert', `${other}.none`, '--tls-key', files.key], /cannot read .*other\.none: No such file/],
      [['--tls-cert', files.chain, '--tls-key', `${other}.folder`], /it is no file/],
      [['--tls-cert', `${other}.fifo`, '--tls-key', files.key], /it is no file/],
      [['--tls-cert', `${other}.long`, '--tls-key', files.key], /too long/],
      [['--tls-cert', files.chain], /go together/],
      [['--tls-cert', 'cert.pem', '--tls-key', 'cert.key'], /whole paths/],
      [['--tls', 'maybe'], /--tls maybe: self/],
      [['--tls', 'self', ...files.options], /without --tls self/],
    ];
    for (const [options, reason] of cases) {
      const { code, stdout, stderr } = await host.run(['share', '-d', ...options, '--', 'cat']);
      assert.ok(code === 1 || code === 2, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, reason);
      assert.equal(stderr.trim().split('\n').length, code, stderr); // a usage error shows the usage
    }
    assert.deepEqual(await host.json('shares', '--json'), []);
    const shared = await host.share(['cat'], { options: files.options });
    await host.join(shared.view, UNCHECKED);
  });

  test('a state folder that others may write to is not used', async (t) => {
    const host = await createHost(t);
    const folder = path.join(host.home, '.local/state/vitrine');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    const { code, stderr } = await host.run(['share', '-d', '--tls', 'self', '--', 'cat']);
    assert.equal(code, 2);
    assert.match(stderr, /can be written by others/);
    assert.ok(!existsSync(path.join(folder, 'gate.key')));
    chmodSync(folder, 0o700);
    await host.share(['cat'], { options: ['--tls', 'self'] });
  });

  test('--base-path: page and WebSocket are below it', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--base-path', '/term/here'] });
    assert.equal(new URL(shared.view).pathname, '/term/here/');
    await host.join(shared.view);
    const page = new URL(shared.view);
    assert.equal((await fetch(`${page.origin}/term/here/`)).status, 200);
    assert.equal((await fetch(`${page.origin}/`)).status, 404);
    for (const bad of ['term', '/a//b', '/../x', '/a b', '/x?y', '/x#y', `/${'x'.repeat(300)}`]) {
      const { code, stderr } = await host.run(['share', '-d', '--base-path', bad, '--', 'cat']);
      assert.equal(code, 2, bad);
      assert.match(stderr, /--base-path/);
    }
  });

  test('--url is in the links, and pages from there may connect', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--url', 'https://share.example/some/path'] });
    assert.match(shared.view, /^https:\/\/share\.example\/some\/path\/#[\w-]+$/);
    const { port } = await host.json('gate', '--json', 'status');
    const direct = shared.view.replace(/^[^#]*/, `http://127.0.0.1:${port}/`);
    await host.join(direct, { socketOptions: { headers: { Origin: 'https://share.example' } } });
    const again = await host.run(['share', '-d', '--url', 'https://other.example/', '--', 'cat']);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /another --url/);
    for (const bad of ['share.example', 'ftp://x/', 'https://', 'https://a b/', 'https://x/?q', 'https://x/#f', 'https://me@x/', `https://x/${'y'.repeat(2000)}`]) {
      const { code, stderr } = await host.run(['share', '-d', '--url', bad, '--', 'cat']);
      assert.equal(code, 2, `${bad}: ${stderr}`);
    }
  });

  test('--page-url: the link names the page there and the WebSocket here', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--page-url', 'https://pages.example/v.html'] });
    assert.match(shared.view, /^https:\/\/pages\.example\/v\.html#[\w-]+\.[\w-]+$/);
    const { socketUrl } = lib.parseLink(shared.view);
    assert.match(socketUrl, /^ws:\/\/127\.0\.0\.1:\d+\/ws$/);
    await host.join(shared.view, { socketOptions: { headers: { Origin: 'https://pages.example' } } });
    const status = (origin) => new Promise((resolve, reject) => {
      const socket = openSocket(socketUrl, lib.SUBPROTOCOL, { headers: { Origin: origin } });
      socket.on('open', () => (resolve(101), socket.terminate()));
      socket.on('unexpected-response', (_, response) => (resolve(response.statusCode), socket.terminate()));
      socket.on('error', reject);
    });
    assert.equal(await status('https://evil.example'), 403);
    assert.equal(await status('null'), 403);
  });

  test('--saved-page: a page from a file may connect', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { options: ['--saved-page'] });
    await host.join(shared.view, { socketOptions: { headers: { Origin: 'null' } } });
  });

  test('no key of TLS is left in the log or readable by others', async (t) => {
    const host = await createHost(t);
    await host.share(['cat'], { options: ['--tls', 'self'] });
    const key = readFileSync(path.join(host.home, '.local/state/vitrine/gate.key'), 'utf8');
    assert.match(key, /PRIVATE KEY/);
    assert.ok(!host.log.includes(key.split('\n')[1]));
    rmSync(path.join(host.home, '.local/state/vitrine'), { recursive: true });
    process.kill(await gatePid(host), 'SIGKILL'); // the next one gets a certificate all the same
    await until(() => existsSync(path.join(host.home, '.local/state/vitrine/gate.key')), 'made again', DEADLINE_MS);
  });
});
