// Links and what was typed stand nowhere but in the daemon's memory and the terminal they were printed
// on: not in command lines, environments, logs, files, HTTP answers, the output of other commands, nor
// in the memory of the process that faces the network.
//
// Each search has a counterpart that must find something, so that it can fail.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { lib } from '../web/setup.mjs';
import { BIN, DEADLINE_MS, collect, createHost, isSanitized, killHard, until } from './host.mjs';
import { createProxy } from './proxy.mjs';

const TOOL = path.join(process.env.TOOLS ?? path.join(BIN ?? '', '../tools'), 'scan_memory');

/** The forms a link's secret part may take somewhere. */
function formsOf(link) {
  const { secret } = lib.parseLink(link).link;
  const bytes = Buffer.from(secret);
  return { raw: bytes, hex: Buffer.from(bytes.toString('hex')), HEX: Buffer.from(bytes.toString('hex').toUpperCase()),
    base64: Buffer.from(bytes.toString('base64').replace(/=+$/, '')), base64url: Buffer.from(bytes.toString('base64url')),
    // the link's last characters: they end in the same way however the rest is aligned
    fragment: Buffer.from(link.split('#')[1].slice(-40)) };
}

/** A full visit: links printed, a viewer that types, resumes after a cut and after a gate's death. */
async function visit(t) {
  const host = await createHost(t);
  const canary = `canary${randomBytes(12).toString('hex')}`;
  const shared = await host.share(['bash', '--norc', '-c', 'stty -echo; while read x; do echo "got ${#x} bytes"; done']);
  const proxy = await createProxy(t, Number(new URL(shared.write).port));
  const viewer = await host.join(shared.write, { proxy });
  await host.vitrine('links', '--qr');
  viewer.type(shared.pane, `${canary}1\r`);
  await viewer.sees(/got \d+ bytes/);
  proxy.cut();
  await viewer.welcomed(2);
  await killHard((await host.gate()).pid);
  await viewer.welcomed(3);
  viewer.type(shared.pane, `${canary}2\r`);
  await viewer.sees(/got \d+ bytes\n+got \d+ bytes/);
  const reader = await host.join(shared.view);
  const { secret } = lib.parseLink(shared.write).link;
  const psk = Buffer.from(await lib.derivePsk(secret));
  const secrets = {
    ...prefixed('write', formsOf(shared.write)), ...prefixed('view', formsOf(shared.view)), psk,
    typed: Buffer.from(canary), token: Buffer.from(viewer.viewer.resumeToken), tokenHex: Buffer.from(lib.toHex(viewer.viewer.resumeToken)),
  };
  return { host, shared, viewer, reader, canary, secrets, info: await host.info() };
}

const prefixed = (name, forms) => Object.fromEntries(Object.entries(forms).map(([form, bytes]) => [`${name}.${form}`, bytes]));

const found = (secrets, haystack) => Object.entries(secrets).filter(([, bytes]) => haystack.includes(bytes)).map(([name]) => name);

function readOr(name) {
  try {
    return readFileSync(name);
  } catch {
    return Buffer.alloc(0);
  }
}

function filesUnder(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(dir, entry.name);
    if (entry.isDirectory()) return filesUnder(name);
    return entry.isFile() ? [name] : [];
  });
}

/** All that a gate answers to one raw request. */
function request(port, text) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject).on('close', () => resolve(Buffer.concat(chunks)));
  });
}

const get = (port, target, extra = '') => request(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${extra}Connection: close\r\n\r\n`);

describe('secrets', { concurrency: 2 }, () => {
  test('in no command line, environment, log, file, HTTP answer or other command’s output', async (t) => {
    const { host, secrets, info, canary } = await visit(t);
    const names = [];
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const file of ['cmdline', 'environ']) {
        const what = found(secrets, readOr(`/proc/${pid}/${file}`));
        if (what.length) names.push(`${pid} ${file}: ${what}`);
      }
    }
    assert.deepEqual(names, []);
    const environ = readOr(`/proc/${info.pid}/environ`);
    if (environ.length > 0) assert.ok(environ.includes(host.runtime), 'environments can be read');

    const files = filesUnder(host.dir);
    assert.ok(files.includes(`${host.socket}.log`) && statSync(`${host.socket}.log`).size > 100, 'there is a log');
    for (const file of files) assert.deepEqual(found(secrets, readFileSync(file)), [], file);
    assert.match(host.log, /viewer 1 came back as operator/);
    assert.equal(statSync(`${host.socket}.log`).mode & 0o777, 0o600);
    assert.equal(existsSync(path.join(host.home, 'core')), false);

    const { port } = await host.gate();
    for (const target of ['/', '/index.html', '/app.js', '/app.css', '/ws', '/nowhere', '/../../etc/passwd', '/%2e%2e/', '/licenses.txt']) {
      const answer = await get(port, target);
      assert.match(answer.toString('latin1', 0, 12), /^HTTP\/1\.1 \d/, target);
      assert.deepEqual(found(secrets, answer), [], target);
    }
    assert.match((await get(port, '/')).toString(), /<!doctype html>/i);

    for (const command of [['info'], ['info', '--json'], ['gate', 'status'], ['gate', '--json', 'status'], ['shares'], ['shares', '--json'], ['viewers'],
      ['viewers', '--json'], ['ls', '--json'], ['list-panes', '-a', '--json'], ['doctor'], ['doctor', '--json']]) {
      const { stdout, stderr } = await host.run(command);
      assert.deepEqual(found(secrets, Buffer.from(stdout + stderr)), [], command.join(' '));
    }
    const printed = await host.vitrine('links');
    const inLinks = found(secrets, Buffer.from(printed)).filter((name) => !name.endsWith('.base64')); // may be the same text
    assert.deepEqual(inLinks, ['write.base64url', 'write.fragment', 'view.base64url', 'view.fragment'], 'the search finds what is there');
    assert.ok(!printed.includes(canary));
  });

  test('not in the gate’s memory, though the daemon has them and the gate has what it must hold', async (t) => {
    if (process.getuid() !== 0) return t.skip('only root may read another process’s memory');
    const { host, shared, secrets, info, canary, viewer } = await visit(t);
    const planted = `planted${randomBytes(16).toString('hex')}`;
    const { port, pid } = await host.gate();
    const open = connect(port, '127.0.0.1'); // a request that is not finished stays in the gate's memory
    t.after(() => open.destroy());
    await new Promise((resolve) => open.write(`GET /${planted} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Wait: `, resolve));
    viewer.type(shared.pane, `${canary}3\r`);
    await viewer.sees(/(got \d+ bytes\n+){2}got/);
    const needles = { ...secrets, planted: Buffer.from(planted) };

    const scan = async (process_) => {
      const input = Object.values(needles).map((bytes) => bytes.toString('hex')).join('\n');
      const { code, stdout, stderr } = await collect([TOOL, String(process_)], { env: { PATH: process.env.PATH }, input });
      assert.equal(code, 0, stderr);
      const counts = stdout.trim().split('\n').map(Number);
      return Object.keys(needles).filter((_, i) => counts[i] > 0);
    };
    await until(async () => (await scan(pid)).includes('planted'), 'the planted text in the gate', DEADLINE_MS);
    assert.deepEqual(await scan(pid), ['planted']);
    const inDaemon = await scan(info.pid);
    for (const name of ['write.raw', 'view.raw', 'psk']) assert.ok(inDaemon.includes(name), `${name} in the daemon: ${inDaemon}`);
    assert.ok(!inDaemon.includes('planted'));
  });

  test('what was typed and echoed is in the daemon (its screen), not in the gate that carried it', async (t) => {
    if (process.getuid() !== 0) return t.skip('only root may read another process’s memory');
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const viewer = await host.join(shared.write);
    const canary = randomBytes(12).toString('hex');
    for (let i = 0; i < 20; i++) viewer.type(shared.pane, `${canary}\r`);
    await viewer.until(() => viewer.text().split(canary).length > 20, 'the echo');
    const { pid, gate } = await host.info();
    const count = async (one) => {
      const { code, stdout, stderr } = await collect([TOOL, String(one)], { env: { PATH: process.env.PATH }, input: Buffer.from(canary).toString('hex') });
      assert.equal(code, 0, stderr);
      return Number(stdout);
    };
    assert.equal(await count(gate.pid), 0);
    assert.ok((await count(pid)) >= 20);
  });

  test('after unshare the link’s secret is wiped from the daemon once its tombstone is forgotten', async (t) => {
    if (process.getuid() !== 0 || isSanitized) return t.skip(isSanitized ? 'a sanitizer keeps freed memory' : 'only root may read another process’s memory');
    // As release builds are linked: a symbol that is bound late leaves registers on the stack.
    const host = await createHost(t, { env: { LD_BIND_NOW: '1' } });
    const shared = await host.share(['cat']);
    const { secret } = lib.parseLink(shared.write).link;
    const { pid } = await host.info();
    const scan = async () => {
      const input = [Buffer.from(secret), formsOf(shared.write).fragment].map((bytes) => bytes.toString('hex')).join('\n');
      const { code, stdout, stderr } = await collect([TOOL, String(pid)], { env: { PATH: process.env.PATH }, input });
      assert.equal(code, 0, stderr);
      return stdout.trim().split('\n').map(Number);
    };
    const [raw, text] = await scan();
    assert.equal(raw, 1, 'one copy, in guarded memory');
    assert.equal(text, 0, 'the printed link is wiped once it is sent');
    await host.vitrine('unshare', '--all');
    await host.advance(25 * 3600_000);
    await host.vitrine('ls');
    assert.deepEqual(await scan(), [0, 0]);
  });

  test('neither daemon nor gate may be dumped or traced by their own user', async (t) => {
    if (isSanitized) return t.skip('sanitized builds stay traceable: the leak check needs it');
    const host = await createHost(t, { plain: true });
    const started = await host.run(['share', '-d', '--json', '--', 'cat']);
    if (/Permission denied/.test(started.stderr)) return t.skip(`${BIN} is not open to other users`);
    assert.equal(started.code, 0, started.stderr);
    const { pid, gate } = await host.info();
    const [{ pid: program }] = await host.json('list-panes', '-a', '--json');
    const owner = (one) => statSync(`/proc/${one}/environ`).uid;
    assert.notEqual(owner(program), 0, 'a program’s files belong to its user');
    for (const one of [pid, gate.pid]) assert.equal(owner(one), 0, 'those of a process that is not dumpable to root');
  });
});
