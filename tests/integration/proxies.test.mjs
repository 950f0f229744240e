// The reverse proxies of docs/reaching.md, with the configurations printed there, started for real:
// the page comes through, and a viewer that joins, types, and stays.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer, connect } from 'node:net';
import path from 'node:path';
import { DEADLINE_MS, createHost, until } from './host.mjs';

const DOC = readFileSync('docs/reaching.md', 'utf8');

/** The configuration under a heading of the document. */
function documented(heading) {
  const section = DOC.split(`### ${heading}\n`)[1].split('\n#')[0];
  return section.split('\n').filter((line) => line.startsWith('    ')).map((line) => line.slice(4)).join('\n');
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function certificate(dir) {
  const [chain, key, both] = ['chain.pem', 'key.pem', 'both.pem'].map((name) => path.join(dir, name));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '2', '-nodes', '-subj', '/CN=proxy',
    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', chain], { stdio: 'ignore' });
  writeFileSync(both, readFileSync(chain, 'utf8') + readFileSync(key, 'utf8'));
  return { chain, key, both };
}

const PROXIES = {
  nginx(dir, port, gate, { chain, key }) {
    const file = path.join(dir, 'nginx.conf');
    writeFileSync(file, `daemon off; error_log stderr; pid ${dir}/nginx.pid; events {}
      http { access_log off; client_body_temp_path ${dir}/t1; proxy_temp_path ${dir}/t2; fastcgi_temp_path ${dir}/t3;
        uwsgi_temp_path ${dir}/t4; scgi_temp_path ${dir}/t5;
        server { listen 127.0.0.1:${port} ssl; ssl_certificate ${chain}; ssl_certificate_key ${key};
          ${gate(documented('nginx'))} } }`);
    return ['nginx', '-c', file, '-e', 'stderr'];
  },
  Caddy(dir, port, gate, { chain, key }) {
    const file = path.join(dir, 'Caddyfile');
    const site = gate(documented('Caddy')).replace('host.example {', `https://127.0.0.1:${port} {\n bind 127.0.0.1\n tls ${chain} ${key}`);
    writeFileSync(file, `{\n admin off\n auto_https disable_redirects\n}\n${site}\n`);
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
  },
  HAProxy(dir, port, gate, { both }) {
    const file = path.join(dir, 'haproxy.cfg');
    const text = gate(documented('HAProxy')).replace(/bind .*/, `bind 127.0.0.1:${port} ssl crt ${both}`);
    writeFileSync(file, `defaults\n timeout connect 5s\n timeout client 50s\n timeout server 50s\n${text}\n`);
    return ['haproxy', '-db', '-f', file];
  },
};

/** Starts a proxy that ends with the test; resolves when it listens. */
async function start(t, argv, port, env) {
  const proxy = spawn(argv[0], argv.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  let gone = false;
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => {
    for (const event of ['exit', 'error']) proxy.once(event, (what) => (gone = true, log += ` ${event} ${what}`, resolve()));
  });
  t.after(async () => {
    proxy.kill('SIGTERM');
    await ended;
  });
  await until(() => gone || new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  }), `${argv[0]} to listen\n${log}`, DEADLINE_MS);
  assert.ok(!gone, log);
}

function fetchPage(url) {
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    }).on('error', reject);
  });
}

describe('reverse proxies', { concurrency: 3 }, () => {
  for (const [name, make] of Object.entries(PROXIES)) {
    test(`${name}: page, WebSocket, and a viewer that stays`, async (t) => {
      const host = await createHost(t);
      const dir = path.join(host.dir, 'proxy');
      mkdirSync(dir);
      const port = await freePort();
      const url = `https://127.0.0.1:${port}/term/`;
      const shared = await host.share(['cat'], { options: ['--base-path', '/term', '--url', url] });
      assert.ok(shared.view.startsWith(`${url}#`));
      const own = await host.json('gate', '--json', 'status');
      const gate = (text) => text.replaceAll('127.0.0.1:8722', `127.0.0.1:${own.port}`);
      await start(t, make(dir, port, gate, certificate(dir)), port, { PATH: `${process.env.PATH}:/usr/sbin`, HOME: dir });

      const page = await fetchPage(url);
      assert.equal(page.status, 200);
      assert.match(page.body, /<script[^>]* src="app\.js"/);
      const options = { socketOptions: { rejectUnauthorized: false, headers: { Origin: `https://127.0.0.1:${port}` } } };
      const viewer = await host.join(shared.write, options);
      const paste = 'x'.repeat(100).concat('\r').repeat(300);
      viewer.type(shared.pane, paste);
      viewer.type(shared.pane, 'the end\r');
      await viewer.sees(/the end/);
      for (let round = 0; round < 3; round++) {
        await host.advance(4000); // a ping and its answer
        await viewer.sees(/the end/);
      }
      assert.equal(viewer.closes.length, 0);
      await host.vitrine('unshare', '--all');
      await until(() => viewer.closes.length > 0, 'it is told', DEADLINE_MS);
      assert.equal(viewer.closes[0].code, 1000);
    });
  }
});
