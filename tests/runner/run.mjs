// Runs one suite: its own log, its own temporary folder, its own place for sanitizer reports, and a
// deadline; returns its tally. Any report of a sanitizer, from whichever process of the suite, is a
// failure: a daemon that prints one and lives on, or dies unnoticed, must not pass.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { emptyTally, fail, judge, parseEvents, parsePlain } from './parse.mjs';
import { killAllGroups, killStrays, runProgram } from './process.mjs';

export const TOP = resolve(fileURLToPath(import.meta.url), '../../..');
const REPORTER = join(TOP, 'tests/runner/reporter.mjs');
const MAKE_OWN = ['MAKEFLAGS', 'MAKELEVEL', 'MFLAGS', 'MAKEOVERRIDES', 'BUILD', 'VARIANT'];
const FOREIGN = ['VITRINE', 'VITRINE_PANE', 'TMUX', 'NODE_TEST_CONTEXT', 'NODE_OPTIONS'];
const REPORT_LINES = 60;
const REPORT_MARK = /ERROR: (Address|Leak)Sanitizer|runtime error: /;

function makeArgs(root, variant) {
  const place = [`VARIANT=${variant}`, `BUILD=${join(root, variant)}`];
  return ['make', '--no-print-directory', ...(variant === 'page' ? [] : place)];
}

function sanitizerEnv(reports) {
  const at = (name) => `log_path=${join(reports, name)}`;
  return {
    ASAN_OPTIONS: `${at('asan')}:exitcode=99:detect_leaks=1:detect_stack_use_after_return=1`,
    UBSAN_OPTIONS: `${at('ubsan')}:print_stacktrace=1:halt_on_error=1`,
    LSAN_OPTIONS: `suppressions=${join(TOP, 'tests/runner/lsan.supp')}:print_suppressions=0`,
  };
}

// The environment of a suite: this machine's, without what would change a test's meaning.
function suiteEnv(suite, context) {
  const { build, temp, reports, smoke } = context;
  const env = { ...process.env };
  for (const name of [...MAKE_OWN, ...FOREIGN]) delete env[name];
  Object.assign(env, sanitizerEnv(reports), { TMPDIR: temp, BUILD: build });
  if (suite.variant) {
    const places = { BIN: join(build, 'bin'), TOOLS: join(build, 'tools') };
    Object.assign(env, places, { VARIANT: suite.variant });
  }
  return { ...env, ...(smoke ? suite.smokeEnv : {}) };
}

function testFiles(suite) {
  const dir = resolve(TOP, 'tests', suite.dir);
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.endsWith('.test.mjs'));
  return names.sort().map((name) => join(dir, name));
}

function nodeCommand(files, events) {
  return [process.execPath, '--test', '--test-reporter=spec', '--test-reporter-destination=stdout',
    `--test-reporter=${REPORTER}`, `--test-reporter-destination=${events}`, ...files];
}

function collectReports(tally, reports, logText) {
  const names = readdirSync(reports).sort();
  for (const name of names) {
    const text = readFileSync(join(reports, name), 'utf8').split('\n').slice(0, REPORT_LINES);
    fail(tally, `sanitizer report ${name}`, text.join('\n'));
  }
  const line = logText.split('\n').find((text) => REPORT_MARK.test(text));
  if (names.length === 0 && line !== undefined) fail(tally, 'sanitizer report in the log', line);
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function runIn(suite, context) {
  const { log, temp } = context;
  const options = { env: suiteEnv(suite, context), cwd: TOP, log, timeoutS: suite.timeoutS };
  if (suite.kind !== 'node') {
    const end = await runProgram(suite.argv(context), options);
    return { end, tally: judge(parsePlain(readIfThere(log)), end) };
  }
  const files = testFiles(suite);
  if (files.length === 0) {
    const tally = fail(emptyTally(), `no test files in tests/${suite.dir}`);
    return { end: { seconds: 0 }, tally };
  }
  const events = join(temp, 'events.jsonl');
  const end = await runProgram(nodeCommand(files, events), options);
  return { end, tally: judge(parseEvents(readIfThere(events)), end) };
}

// The temporary folders of suites that run now, for endEverything.
const temps = new Set();

// Ends the suites that run now, and what they started.
export function endEverything() {
  killAllGroups();
  killStrays([...temps].map((temp) => `${temp}/`), 0);
  for (const temp of temps) rmSync(temp, { recursive: true, force: true });
}

// Returns { suite, tally, seconds, log }. A daemon that outlives its suite is a failure. Short temporary names: a socket's path is at most 107 bytes.
export async function runSuite(suite, { root, smoke }) {
  const logs = join(root, 'test-logs');
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `${suite.name.replace('/', '-')}.log`);
  rmSync(log, { force: true });
  const temp = mkdtempSync(join(tmpdir(), 'vt-'));
  const reports = mkdtempSync(join(tmpdir(), 'vr-'));
  const context = { build: resolve(TOP, root, suite.variant ?? ''), log, temp, reports, smoke };
  temps.add(temp);
  try {
    const { end, tally } = await runIn(suite, context);
    for (const line of killStrays([`${temp}/`], 0)) fail(tally, `left running: ${line}`);
    collectReports(tally, reports, readIfThere(log));
    return { suite, tally, seconds: end.seconds, log };
  } finally {
    temps.delete(temp);
    rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
    rmSync(reports, { recursive: true, force: true });
  }
}

function targetsOf(variant) {
  if (variant === 'page') return ['page'];
  return variant === 'release' ? ['all'] : ['all', 'tools', 'unit-programs'];
}

// Builds what the suites of one variant need, as much of it as can be.
export async function buildVariant(variant, { root, jobs }) {
  const logs = join(root, 'test-logs');
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `build-${variant}.log`);
  rmSync(log, { force: true });
  const argv = [...makeArgs(resolve(TOP, root), variant), '-k', `-j${jobs}`, ...targetsOf(variant)];
  const env = { ...process.env };
  for (const name of MAKE_OWN) delete env[name];
  const end = await runProgram(argv, { env, cwd: TOP, log, timeoutS: 900 });
  const failed = end.code !== 0;
  return { variant, seconds: end.seconds, log, failed };
}
