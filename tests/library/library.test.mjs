// libvitrine as its users have it: installed, found by pkg-config, linked shared and static, driven by
// the examples of docs/examples and by checks.c, each against a daemon of its own.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BIN, DEADLINE_MS, collect, createHost, isSanitized, until } from '../integration/host.mjs';

const TOP = path.resolve(fileURLToPath(import.meta.url), '../../..');
const EXAMPLES = path.join(TOP, 'docs/examples');
const STRICT = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-g'];
// The sanitizers' runtime is the compiler's that built the library.
const CC = !isSanitized ? ['cc'] : [/clang/.test(process.env.VARIANT ?? 'clang') ? 'clang' : 'gcc', '-fsanitize=address,undefined'];

const dir = mkdtempSync(path.join(tmpdir(), 'lib-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const root = path.join(dir, 'root');
const lib = path.join(root, 'usr/lib');

function install() {
  const { BUILD = path.dirname(BIN), VARIANT = 'release' } = process.env;
  const argv = ['--no-print-directory', '-C', TOP, `VARIANT=${VARIANT}`, `BUILD=${BUILD}`, `DESTDIR=${root}`, 'PREFIX=/usr', 'install'];
  const { status, stdout, stderr } = spawnSync('make', argv, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

function pkgConfig(...args) {
  const env = { ...process.env, PKG_CONFIG_PATH: path.join(lib, 'pkgconfig'), PKG_CONFIG_SYSROOT_DIR: root };
  return execFileSync('pkg-config', [...args, 'vitrine'], { env, encoding: 'utf8' }).trim().split(/\s+/);
}

/** Compiles one file as its users would, and gives the program's path. */
function compile(source, name = path.basename(source, '.c'), link = pkgConfig('--libs')) {
  const out = path.join(dir, name);
  const argv = [...CC.slice(1), ...STRICT, '-D_POSIX_C_SOURCE=200809L', ...pkgConfig('--cflags'), '-o', out, source, ...link];
  const { status, stderr } = spawnSync(CC[0], argv, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return out;
}

/** A host whose programs find the library, and it the daemon. */
async function libraryHost(t) {
  const host = await createHost(t);
  Object.assign(host.env, { LD_LIBRARY_PATH: lib, PATH: `${BIN}:${process.env.PATH}`, VITRINE_BIN: BIN });
  return host;
}

const run = (host, program, args = [], options = {}) => collect([program, ...args], { env: host.env, cwd: host.home, ...options });

mkdirSync(root);
install();

describe('what is installed', () => {
  test('pkg-config knows the version that the program has', () => {
    const { stdout } = spawnSync(path.join(BIN, 'vitrine'), ['version'], { encoding: 'utf8' });
    assert.equal(`vitrine ${pkgConfig('--modversion')[0]}\n`, stdout);
  });

  test('the shared library exports what the header declares, and nothing else', () => {
    const text = execFileSync('nm', ['-D', '--defined-only', path.join(lib, 'libvitrine.so')], { encoding: 'utf8' });
    const exported = text.trim().split('\n').map((line) => line.split(' ').at(-1)).filter((name) => !/^(__(asan|odr|start|stop)|_init$|_fini$)/.test(name));
    const header = execFileSync('cc', ['-E', path.join(root, 'usr/include/vitrine.h')], { encoding: 'utf8' });
    const declared = [...header.matchAll(/visibility\("default"\)\)\)[^;(]*?\b(vitrine_\w+)\(/g)].map((match) => match[1]);
    assert.ok(declared.length > 30);
    assert.deepEqual(exported.sort(), declared.sort());
  });

  test('the static library has no other global names', { skip: isSanitized }, () => {
    const text = execFileSync('nm', ['-g', '--defined-only', path.join(lib, 'libvitrine.a')], { encoding: 'utf8' });
    const names = text.trim().split('\n').filter((line) => / [A-Z] /.test(line)).map((line) => line.split(' ').at(-1));
    assert.deepEqual(names.filter((name) => !name.startsWith('vitrine_')), []);
  });

  test('the soname is that of the first interface', () => {
    const text = execFileSync('readelf', ['-d', path.join(lib, 'libvitrine.so')], { encoding: 'utf8' });
    assert.match(text, /\(SONAME\).*\[libvitrine\.so\.0\]/);
  });

  test('the header is C++ too', () => {
    const argv = ['-x', 'c++', '-std=c++17', '-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-nostdinc++', path.join(root, 'usr/include/vitrine.h')];
    const { status, stderr } = spawnSync('clang', argv, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('a static program of it needs no library file', { skip: isSanitized }, async (t) => {
    const program = compile(path.join(EXAMPLES, 'hello.c'), 'hello-static', [path.join(lib, 'libvitrine.a'), '-static']);
    const host = await libraryHost(t);
    const { code, stdout, stderr } = await run(host, program);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'the shell says 42\n', stderr: '' });
  });
});

describe('examples', () => {
  const programs = Object.fromEntries(readdirSync(EXAMPLES).filter((name) => name.endsWith('.c')).map((name) => [path.basename(name, '.c'), compile(path.join(EXAMPLES, name))]));

  test('hello', async (t) => {
    const { code, stdout, stderr } = await run(await libraryHost(t), programs.hello);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'the shell says 42\n', stderr: '' });
  });

  test('list', async (t) => {
    const host = await libraryHost(t);
    const none = await run(host, programs.list);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^list: no server running on /);
    await host.vitrine('new', '-d', '-s', 'work', '-n', 'one', 'exec cat');
    const { code, stdout } = await run(host, programs.list);
    assert.equal(code, 0);
    assert.match(stdout, /^\$0 work\n {2}@0 0: one \(current\)\n {4}%0 80x24 cat in \S+ \(active\)\n$/);
  });

  test('run', async (t) => {
    const host = await libraryHost(t);
    const { code, stdout } = await run(host, programs.run, ['sh', '-c', 'echo out; echo err >&2; exit 7']);
    assert.deepEqual({ code, stdout }, { code: 7, stdout: 'out\r\nerr\r\n' });
    const killed = await run(host, programs.run, ['sh', '-c', 'kill -9 $$']);
    assert.equal(killed.code, 137);
  });

  test('expect', async (t) => {
    const { code, stdout, stderr } = await run(await libraryHost(t), programs.expect);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'name Ada, age 36\n', stderr: '' });
  });

  test('watch', async (t) => {
    const host = await libraryHost(t);
    await host.vitrine('new', '-d', '-s', 'work', 'echo first; read x; exit 5');
    const child = spawn(programs.watch, ['work'], { env: host.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const seen = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => { seen[name] += chunk; });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => seen.stdout.includes('first'), 'the first line', DEADLINE_MS);
    await host.type('work', 'Enter');
    assert.equal(await ended, 0);
    assert.equal(seen.stderr, '[exited 5]\n');
  });

  test('cells', async (t) => {
    const host = await libraryHost(t);
    await host.vitrine('new', '-d', '-s', 'work', '-x', '20', '-y', '3', "printf '\\033[1;31mhot\\033[m 世'; exec cat");
    await host.sees('work', /世/);
    const { code, stdout } = await run(host, programs.cells, ['work']);
    assert.equal(code, 0);
    assert.equal(stdout.split('\n')[1], `[b fg1:1]hot[] 世${' '.repeat(14)}`);
  });

  test('share', async (t) => {
    const host = await libraryHost(t);
    await host.vitrine('new', '-d', '-s', 'work', 'exec cat');
    const child = spawn(programs.share, ['work'], { env: host.env, stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => { text += chunk; });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => /^watch: http.*\ntype: http.*\n/m.test(text) || /^type: http.*\nwatch: http.*\n/m.test(text), 'both links', DEADLINE_MS);
    assert.equal((await host.json('shares', '--json')).length, 1);
    const viewer = await host.join(/watch: (\S+)/.exec(text)[1]);
    assert.equal(viewer.welcomes.length, 1);
    child.stdin.end('\n');
    assert.equal(await ended, 0);
    assert.deepEqual(await host.json('shares', '--json'), []);
  });

  test('agent', async (t) => {
    const input = 'echo one; echo two\nfalse\ncd /; pwd\n';
    const { code, stdout, stderr } = await run(await libraryHost(t), programs.agent, [], { input });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(stdout, 'one\ntwo\n\n[status 0]\n\n[status 1]\n/\n\n[status 0]\n');
  });
});

test('the program in the manual works', async (t) => {
  const manual = readFileSync(path.join(TOP, 'docs/libvitrine.3'), 'utf8');
  const source = path.join(dir, 'manual.c');
  writeFileSync(source, /\.Bd -literal[^\n]*\n([^]*?)\n\.Ed/.exec(manual)[1].replaceAll('\\e', '\\') + '\n');
  const { code, stdout, stderr } = await run(await libraryHost(t), compile(source));
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'this is Linux\n', stderr: '' });
});

describe('checks', () => {
  const program = compile(path.join(TOP, 'tests/library/checks.c'));
  const names = execFileSync(program, { env: { ...process.env, LD_LIBRARY_PATH: lib }, encoding: 'utf8' }).trim().split('\n');

  for (const name of names) {
    test(name, async (t) => {
      const host = await libraryHost(t);
      const { code, signal, stdout, stderr } = await run(host, program, [name]);
      assert.deepEqual({ code, signal, stdout, stderr }, { code: 0, signal: null, stdout: '', stderr: '' });
    });
  }
});
