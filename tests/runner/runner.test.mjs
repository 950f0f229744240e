// The runner must not believe a suite that died, said nothing or ran nothing. Small scripts stand in
// for cmocka programs and test files, and fail in every way that has a name here.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { groupSkips, judge, markOf, parseCmocka, parsePlain, visible } from './parse.mjs';
import { strays } from './process.mjs';
import { runSuite, TOP } from './run.mjs';
import { selectSuites, suites } from './suites.mjs';

const dir = mkdtempSync(join(tmpdir(), 'runner-'));
after(() => rmSync(dir, { recursive: true }));

const EXIT_0 = { code: 0, signal: null, timedOut: false, error: null, seconds: 0 };

const GROUP = [
  '[==========] Running 2 test(s).',
  '[ RUN      ] first',
  '[       OK ] first',
  '[ RUN      ] second',
  '[       OK ] second',
  '[==========] 2 test(s) run.',
  '[  PASSED  ] 2 test(s).',
];

function counts(tally) {
  return [tally.passed, tally.failures.length, tally.skips.length];
}

describe('cmocka output', () => {
  const cases = [
    ['complete', GROUP, [2, 0, 0]],
    ['two groups', [...GROUP, ...GROUP], [4, 0, 0]],
    ['named group', [GROUP[0].replace('Running', 'group: Running'), ...GROUP.slice(1)], [2, 0, 0]],
    ['died in the second test', GROUP.slice(0, 4), [1, 1, 0]],
    ['stopped between tests', GROUP.slice(0, 3), [1, 1, 0]],
    ['group ends early', [...GROUP.slice(0, 3), ...GROUP.slice(5)], [1, 1, 0]],
    ['a failure, listed again', [...GROUP.slice(0, 4), '[  ERROR   ] --- 1 != 2',
      '[  FAILED  ] second', '[==========] 2 test(s) run.', '[  PASSED  ] 1 test(s).',
      '[  FAILED  ] 1 test(s), listed below:', '[  FAILED  ] second'], [1, 1, 0]],
    ['a skip, listed again', [...GROUP.slice(0, 4), 'no /dev/ptmx', '[  SKIPPED ] second',
      '[==========] 2 test(s) run.', '[  SKIPPED ] 1 test(s), listed below:',
      '[  SKIPPED ] second'], [1, 0, 1]],
    ['nothing', [], [0, 1, 0]],
    ['no test in the group', ['[==========] Running 0 test(s).', '[==========] 0 test(s) run.'],
      [0, 1, 0]],
  ];
  for (const [name, lines, expected] of cases) {
    test(name, () => {
      assert.deepEqual(counts(judge(parseCmocka(lines.join('\n')), EXIT_0)), expected);
    });
  }

  test('the reason for a skip is what the test printed', () => {
    const text = [GROUP[0], GROUP[1], 'no terminal here', '[  SKIPPED ] first'].join('\n');
    assert.equal(parseCmocka(text).skips[0].reason, 'no terminal here');
  });
});

test('a suite whose tests were all skipped is not called ok', () => {
  const skip = { name: 'x', reason: 'other version' };
  assert.equal(markOf({ passed: 1, failures: [], skips: [skip] }), 'ok  ');
  assert.equal(markOf({ passed: 0, failures: [], skips: [skip] }), 'none');
  assert.equal(markOf({ passed: 1, failures: [{ name: 'y' }], skips: [] }), 'FAIL');
});

test('skips are told once for each suite and reason', () => {
  const skips = [['a/gcc: x', 'r'], ['a/gcc: y', 'r'], ['a/gcc: z', 's'], ['b: x', 'r']]
    .map(([name, reason]) => ({ name, reason }));
  assert.deepEqual(groupSkips(skips).map(({ name, count }) => [name, count]),
    [['a/gcc: x', 2], ['a/gcc: z', 1], ['b: x', 1]]);
});

test('control characters are shown, line ends are kept', () => {
  assert.equal(visible('\x1b[2J\x9b1m\n\tx\r'), '\\x1b[2J\\x9b1m\n\tx\\x0d');
});

describe('how a program ended', () => {
  const text = GROUP.join('\n');
  const cases = [
    ['an exit code nobody counted', { code: 1 }, [2, 1, 0]],
    ['a signal after the last test', { code: null, signal: 'SIGSEGV' }, [2, 1, 0]],
    ['time-out', { code: null, signal: 'SIGTERM', timedOut: true }, [2, 1, 0]],
    ['not started', { code: null, error: 'ENOENT' }, [2, 1, 0]],
  ];
  for (const [name, end, expected] of cases) {
    test(name, () => {
      assert.deepEqual(counts(judge(parseCmocka(text), { ...EXIT_0, ...end })), expected);
    });
  }
});

describe('plain output', () => {
  const cases = [
    ['counts', 'ok\n3 passed, 0 failed\n', [3, 0, 0]],
    ['the last line counts', '1 passed, 0 failed\n3 passed, 2 failed, 1 skipped\n', [3, 2, 1]],
    ['nothing ran', '0 passed, 0 failed\n', [0, 1, 0]],
    ['no counts', 'all good\n', [0, 1, 0]],
    ['counts inside a sentence', 'so 3 passed, 0 failed\n', [0, 1, 0]],
  ];
  for (const [name, text, expected] of cases) {
    test(name, () => assert.deepEqual(counts(judge(parsePlain(text), EXIT_0)), expected));
  }
});

// --- real processes -------------------------------------------------------------------------

function script(name, body) {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function echoLines(lines) {
  return lines.map((line) => `echo '${line}'`).join('\n');
}

function runPlain(body, timeoutS = 30) {
  const path = script('suite', body);
  const suite = { name: 'fake/plain', kind: 'plain', variant: null, argv: () => [path], timeoutS };
  return runSuite(suite, { root: dir, smoke: false });
}

// A killed process takes a moment to be gone (or a zombie, where nobody collects it).
async function ended(pid) {
  const deadline = Date.now() + 10000;
  while (/^[^ZX]/.test(stateOf(pid))) {
    assert.ok(Date.now() < deadline, `${pid} still runs`);
    await setImmediate();
  }
}

function stateOf(pid) {
  try {
    return /\) (.) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];
  } catch {
    return '';
  }
}

describe('a plain suite', () => {
  test('passes when it counts and exits with 0', async () => {
    const { tally } = await runPlain('echo "2 passed, 0 failed"');
    assert.deepEqual(counts(tally), [2, 0, 0]);
  });
  test('that kills itself fails', async () => {
    const { tally } = await runPlain('echo "2 passed, 0 failed"; kill -SEGV $$');
    assert.match(tally.failures[0].name, /SIGSEGV/);
  });
  test('that hangs is ended with everything it started', async () => {
    const pidFile = join(dir, 'pid');
    const { tally } = await runPlain(`sleep 600 & echo $! >${pidFile}; wait`, 1);
    assert.match(tally.failures[0].name, /timed out/);
    const pid = readFileSync(pidFile, 'utf8').trim();
    await ended(pid);
  });
  test('with a sanitizer report from any process fails', async () => {
    const place = '$(echo "$ASAN_OPTIONS" | sed "s/log_path=//; s/:.*//")';
    const { tally } = await runPlain(`echo ERROR >${place}.123; echo "2 passed, 0 failed"`);
    assert.match(tally.failures[0].name, /sanitizer report asan.123/);
  });
  test('with a sanitizer report in its output fails', async () => {
    const { tally } = await runPlain('echo "x.c:1: runtime error: bad"; echo "2 passed, 0 failed"');
    assert.match(tally.failures[0].name, /sanitizer report/);
  });
});

function runNode(files) {
  const folder = mkdtempSync(join(dir, 'node-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const suite = { name: 'fake/node', kind: 'node', variant: null, dir: folder, timeoutS: 30 };
  return runSuite(suite, { root: dir, smoke: false });
}

const IMPORT = "import { test, describe } from 'node:test';\n";

describe('a node suite', () => {
  const cases = [
    ['passes, tests in describe counted once', { 'a.test.mjs':
      `${IMPORT}describe('d', () => { test('x', () => {}); test('y', () => {}); });` }, [2, 0, 0]],
    ['a failure inside describe is one failure', { 'a.test.mjs':
      `${IMPORT}describe('d', () => { test('x', () => { throw new Error('no'); }); });` }, [0, 1, 0]],
    ['a skip carries its reason', { 'a.test.mjs':
      `${IMPORT}test('x', { skip: 'no browser' }, () => {}); test('y', () => {});` }, [1, 0, 1]],
    ['a file without tests fails', { 'a.test.mjs': 'export {};', 'b.test.mjs':
      `${IMPORT}test('x', () => {});` }, [1, 1, 0]],
    ['a file that does not load fails', { 'a.test.mjs': 'throw new Error("broken");', 'b.test.mjs':
      `${IMPORT}test('x', () => {});` }, [1, 1, 0]],
    ['no file at all fails', {}, [0, 1, 0]],
  ];
  for (const [name, files, expected] of cases) {
    test(name, async () => assert.deepEqual(counts((await runNode(files)).tally), expected));
  }

  test('a file that is killed in a test fails', async () => {
    const text = `${IMPORT}test('x', () => process.kill(process.pid, 'SIGKILL'));`;
    const { tally } = await runNode({ 'a.test.mjs': text });
    assert.equal(tally.passed, 0);
    assert.ok(tally.failures.length > 0);
  });
  test('a file that exits with 0 before its test has ended fails', async () => {
    const text = `${IMPORT}test('x', () => process.exit(0));`;
    const { tally } = await runNode({ 'a.test.mjs': text });
    assert.equal(tally.passed, 0);
    assert.ok(tally.failures.length > 0);
  });
});

// --- run-unit -------------------------------------------------------------------------------

function runUnit(...programs) {
  return new Promise((resolve) => {
    execFile(join(TOP, 'tests/run-unit'), programs, (error, stdout) => {
      resolve({ code: error?.code ?? 0, last: stdout.trimEnd().split('\n').pop(), stdout });
    });
  });
}

describe('run-unit', () => {
  const good = script('test_good', echoLines(GROUP));
  const crash = script('test_crash', `${echoLines(GROUP.slice(0, 4))}\nkill -ABRT $$`);
  const silent = script('test_silent', 'exit 0');

  test('sums up programs', async () => {
    assert.deepEqual(await runUnit(good, good).then(({ code, last }) => [code, last]),
      [0, '4 passed, 0 failed']);
  });
  test('names the test a program died in', async () => {
    const { code, stdout } = await runUnit(good, crash);
    assert.equal(code, 1);
    assert.match(stdout, /^fail test_crash: second$/m);
  });
  test('a program that says nothing fails', async () => {
    assert.equal((await runUnit(silent)).code, 1);
  });
  test('a program that is not there fails', async () => {
    assert.equal((await runUnit(join(dir, 'absent'))).code, 1);
  });
  test('no program fails', async () => assert.equal((await runUnit()).code, 1));
});

// --- what is left running ---------------------------------------------------------------------

describe('strays', () => {
  const build = mkdtempSync(join(dir, 'build-'));
  const program = join(build, 'daemon');
  copyFileSync('/bin/sleep', program);

  test('a process of a build that was started since is found, no other one', async () => {
    const child = spawn(program, ['600'], { stdio: 'ignore' });
    await once(child, 'spawn');
    try {
      const since = Date.now() - 2000;
      assert.deepEqual(strays([`${build}/`], since).map(({ pid }) => pid), [child.pid]);
      assert.deepEqual(strays([`${dir}/other/`], since), []);
      assert.deepEqual(strays([`${build}/`], Date.now() + 60000), []);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    assert.deepEqual(strays([`${build}/`], 0), []);
  });

  test('a suite that leaves a process with a path in its folder fails, and it is ended', async () => {
    const { tally } = await runPlain(`cp /bin/sleep "$TMPDIR/daemon"
setsid "$TMPDIR/daemon" 600 &
until tr '\\0' ' ' </proc/$!/cmdline | grep -q "^$TMPDIR/daemon"; do :; done
echo "2 passed, 0 failed"`);
    assert.match(tally.failures[0].name, /left running: \d+ .*daemon 600/);
    const pid = /left running: (\d+)/.exec(tally.failures[0].name)[1];
    await ended(pid);
  });
});

// --- the table ------------------------------------------------------------------------------

function foldersWithTests() {
  const tests = join(TOP, 'tests');
  return readdirSync(tests, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => readdirSync(join(tests, name)).some((file) => file.endsWith('.test.mjs')));
}

describe('the table of suites', () => {
  test('names are unique', () => {
    assert.equal(new Set(suites.map(({ name }) => name)).size, suites.length);
  });
  test('a group, one suite, a list, and a mistake', () => {
    assert.equal(selectSuites('unit').length, 4);
    assert.equal(selectSuites('unit/gcc').length, 1);
    assert.equal(selectSuites('layers,crypto').length, 2);
    assert.throws(() => selectSuites('unti'), /no such suite: unti/);
  });
  test('every folder with test files is in the table', () => {
    const dirs = new Set(suites.map((suite) => suite.dir));
    assert.deepEqual(foldersWithTests().filter((name) => !dirs.has(name)), []);
  });
});
