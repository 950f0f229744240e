// Set-up and installation: what `deps` says and does when things are missing (with stand-ins for
// apt and dpkg), that the notices match what the page bundles, and that uninstall takes back all
// that install laid down. BUILD and VARIANT name the build to install.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TOP = resolve(fileURLToPath(import.meta.url), '../../..');
const dir = mkdtempSync(join(tmpdir(), 'setup-'));
after(() => rmSync(dir, { recursive: true }));

const PACKAGES = readFileSync(join(TOP, 'tests/setup/packages'), 'utf8').split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/\s+/));

// A folder of stand-ins in front of PATH. Each notes its call in the file `calls`.
function standIns(bodies) {
  const bin = mkdtempSync(join(dir, 'bin-'));
  for (const [name, body] of Object.entries(bodies)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>${bin}/calls\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function deps(bin, ...args) {
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const program = join(TOP, 'tests/setup/deps');
  const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
  return { status, stderr, calls: bin ? readCalls(bin) : [] };
}

function readCalls(bin) {
  try {
    return readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const ROOT = 'case $1 in -u) echo 0 ;; esac';
const USER = 'case $1 in -u) echo 1000 ;; esac';
const ALL = PACKAGES.map(([, name]) => `echo 'installed ${name}'`).join('\n');
const NOT_VTERM = ALL.replace("echo 'installed libvterm-dev'", ':');

describe('deps', () => {
  test('the list names every package once, in one of two groups', () => {
    const names = PACKAGES.map(([, name]) => name);
    assert.equal(new Set(names).size, names.length);
    for (const [group] of PACKAGES) assert.match(group, /^(run|test)$/);
  });

  test('nothing missing: apt is not called', () => {
    const bin = standIns({ 'dpkg-query': ALL, 'apt-get': 'exit 1', 'apt-cache': 'exit 1' });
    const { status, calls } = deps(bin, 'run', 'test');
    assert.equal(status, 0);
    assert.deepEqual(calls.filter((call) => call.startsWith('apt')), []);
  });

  test('--check names what is missing and the next step', () => {
    const { status, stderr } = deps(standIns({ 'dpkg-query': NOT_VTERM }), '--check', 'run');
    assert.equal(status, 1);
    assert.match(stderr, /missing: libvterm-dev .*make deps/);
  });

  test('only what is missing is installed, without questions', () => {
    const bin = standIns({
      'dpkg-query': NOT_VTERM,
      'apt-get': `echo "frontend $DEBIAN_FRONTEND" >>$(dirname "$0")/calls`,
      'apt-cache': 'exit 0',
      id: ROOT,
    });
    const { status, calls } = deps(bin, 'run', 'test');
    assert.equal(status, 0);
    const apt = calls.filter((call) => call.startsWith('apt-get'));
    assert.equal(apt.length, 1);
    assert.match(apt[0], / -y .* libvterm-dev$/);
    assert.ok(calls.includes('frontend noninteractive'));
  });

  test('a package apt does not know: lists are fetched first', () => {
    const bin = standIns({
      'dpkg-query': NOT_VTERM, 'apt-get': 'exit 0', 'apt-cache': 'exit 1', id: ROOT,
    });
    const { status, calls } = deps(bin, 'run');
    assert.equal(status, 0);
    const apt = calls.filter((call) => call.startsWith('apt-get'));
    assert.match(apt[0], /^apt-get update/);
    assert.match(apt[1], /libvterm-dev$/);
  });

  test('a package that cannot be installed is named, with what to try', () => {
    const bin = standIns({
      'dpkg-query': NOT_VTERM,
      'apt-get': 'case "$*" in *libvterm-dev) exit 100 ;; esac',
      'apt-cache': 'exit 0',
      id: ROOT,
    });
    const { status, stderr } = deps(bin, 'run');
    assert.equal(status, 1);
    assert.match(stderr, /cannot install libvterm-dev: try: apt-get install libvterm-dev/);
  });

  test('a user whose sudo wants a password is told the command', () => {
    const bin = standIns({
      'dpkg-query': NOT_VTERM, 'apt-get': 'exit 0', 'apt-cache': 'exit 0', id: USER, sudo: 'exit 1',
    });
    const { status, stderr } = deps(bin, 'run');
    assert.equal(status, 1);
    assert.match(stderr, /run: sudo apt-get install .*libvterm-dev/);
  });

  test('a user with sudo installs through it', () => {
    const bin = standIns({
      'dpkg-query': NOT_VTERM, 'apt-get': 'exit 0', 'apt-cache': 'exit 0', id: USER,
      sudo: 'shift; exec "$@"',
    });
    const { status, calls } = deps(bin, 'run');
    assert.equal(status, 0);
    const wanted = /^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get/;
    assert.ok(calls.some((call) => wanted.test(call)));
  });
});

test('the notices match the lock file', () => {
  const script = join(TOP, 'tests/setup/notices.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

// --- install --------------------------------------------------------------------------------

function listTree(root) {
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    const path = join(root, entry.name);
    return entry.isDirectory() ? [`${path}/`, ...listTree(path)] : [path];
  }).sort();
}

function make(target, destdir) {
  const { BUILD, VARIANT } = process.env;
  const argv = ['--no-print-directory', '-C', TOP, `VARIANT=${VARIANT}`, `BUILD=${BUILD}`,
    `DESTDIR=${destdir}`, 'PREFIX=/opt/v', target];
  const { status, stdout, stderr } = spawnSync('make', argv, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

describe('install', () => {
  const destdir = join(dir, 'dest');
  const prefix = join(destdir, 'opt/v');
  const COMPLETIONS = ['share/bash-completion/completions/vitrine', 'share/zsh/site-functions/_vitrine', 'share/fish/vendor_completions.d/vitrine.fish'];
  for (const folder of ['bin', 'share/doc', 'share/man/man1', 'share/man/man3', 'share/man/man5', 'share/man/man8', 'include', 'lib/pkgconfig', ...COMPLETIONS.map(dirname)]) {
    mkdirSync(join(prefix, folder), { recursive: true });
  }
  const before = listTree(destdir);

  test('lays down the programs, the licences and the manual', () => {
    make('install', destdir);
    const files = listTree(prefix).map((path) => path.slice(prefix.length + 1));
    for (const name of ['vitrine', 'vitrined', 'vitrine-gate']) {
      assert.ok(files.includes(`bin/${name}`));
      assert.equal(statSync(join(prefix, 'bin', name)).mode & 0o777, 0o755);
    }
    assert.ok(files.includes('share/doc/vitrine/LICENSE'));
    assert.ok(files.includes('share/doc/vitrine/THIRD-PARTY-NOTICES'));
    for (const name of COMPLETIONS) assert.ok(files.includes(name), name);
    const pages = readdirSync(join(TOP, 'docs')).filter((name) => name.endsWith('.1'));
    for (const page of pages) assert.ok(files.includes(`share/man/man1/${page}`));
    assert.ok(files.includes('share/man/man5/vitrine.conf.5'));
    assert.ok(files.includes('share/man/man8/vitrined.8'));
    for (const name of ['include/vitrine.h', 'lib/libvitrine.a', 'lib/libvitrine.so', 'lib/libvitrine.so.0', 'lib/pkgconfig/vitrine.pc', 'share/man/man3/libvitrine.3']) {
      assert.ok(files.includes(name), name);
    }
  });

  test('the installed program runs', () => {
    const program = join(prefix, 'bin/vitrine');
    const { status, stdout } = spawnSync(program, ['version'], { encoding: 'utf8' });
    assert.equal(status, 0);
    assert.match(stdout, /^vitrine \d+\.\d+\.\d+/);
  });

  test('uninstall leaves what was there before, and nothing else', () => {
    make('uninstall', destdir);
    assert.deepEqual(listTree(destdir), before);
  });
});
