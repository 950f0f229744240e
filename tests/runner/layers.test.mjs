// The layering check itself: each rule with an include that keeps it and one that breaks it.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { judgeInclude, parseTable, rankOf } from './layers.mjs';
import { TOP } from './run.mjs';

const table = parseTable(`
folder proto
folder crypto        proto
folder server/daemon proto crypto
system vterm.h       server/daemon/screen
rank 0 log
rank 1 screen
rank 3 pane cmd_*
rank 4 cmd_late
`);

const own = (path) => ({ own: true, path });
const library = (path) => ({ own: false, path });

const rows = [
  ['proto/buf.c', own('proto/err.h'), true],
  ['proto/buf.c', own('crypto/kdf.h'), false],
  ['crypto/kdf.c', own('proto/err.h'), true],
  ['crypto/kdf.c', own('server/daemon/log.h'), false],
  ['crypto/kdf.c', own('nowhere/kdf.h'), false],
  ['server/daemon/pane.c', own('server/daemon/screen.h'), true],
  ['server/daemon/screen.c', own('server/daemon/pane.h'), false],
  ['server/daemon/pane.c', own('server/daemon/cmd_new.h'), true],
  ['server/daemon/screen.c', library('vterm.h'), true],
  ['server/daemon/pane.c', library('vterm.h'), false],
  ['server/daemon/pane.c', library('stdio.h'), true],
];

for (const [file, include, allowed] of rows) {
  test(`${file} ${allowed ? 'may' : 'may not'} include ${include.path}`, () => {
    assert.equal(judgeInclude(table, file, include) === '', allowed);
  });
}

test('ranks: an exact name wins over a pattern, an unknown one has none', () => {
  assert.equal(rankOf(table, 'cmd_new'), 3);
  assert.equal(rankOf(table, 'cmd_late'), 4);
  assert.equal(rankOf(table, 'other'), undefined);
});

test('a line that is no rule is an error', () => {
  assert.throws(() => parseTable('floder proto'), /floder/);
});

// A copy of the check with a tree of its own: proto with a system call, a client and a libvitrine.so
// with a library.
test('system calls in proto and libraries of the client are found', () => {
  const dir = mkdtempSync(join(tmpdir(), 'layers-'));
  after(() => rmSync(dir, { recursive: true }));
  for (const folder of ['tests/runner', 'obj/proto', 'bin', 'lib']) {
    mkdirSync(join(dir, folder), { recursive: true });
  }
  copyFileSync(join(TOP, 'tests/runner/layers.mjs'), join(dir, 'tests/runner/layers.mjs'));
  writeFileSync(join(dir, 'tests/layers.txt'), 'folder proto\nsymbol str*\n');
  writeFileSync(join(dir, 'x.c'), 'int close(int); int x(int); int x(int f) { return close(f); }\n');
  writeFileSync(join(dir, 'm.c'), 'double cos(double); int main(int c) { return (int)cos(c); }\n');
  execFileSync('gcc', ['-c', '-o', join(dir, 'obj/proto/x.o'), join(dir, 'x.c')]);
  execFileSync('gcc', ['-fno-builtin', '-o', join(dir, 'bin/vitrine'), join(dir, 'm.c'), '-lm']);
  execFileSync('gcc', ['-fno-builtin', '-fPIC', '-shared', '-o', join(dir, 'lib/libvitrine.so.0.1.0'), join(dir, 'm.c'), '-lm']);
  const argv = [join(dir, 'tests/runner/layers.mjs'), dir];
  const result = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  assert.match(result.stdout, /x\.o: calls close/);
  assert.match(result.stdout, /client: needs libm/);
  assert.match(result.stdout, /libvitrine\.so: needs libm/);
  assert.match(result.stdout, /^0 passed, 3 failed$/m);
  assert.equal(result.status, 1);
});
