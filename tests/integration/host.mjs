// A host for a test: its own daemon with its own runtime directory and a clean environment, the
// programs being those of BIN.
//
//   const host = await createHost(t)          ended with the test
//   const shared = await host.share(['cat'])  { share, pane, view, write, links }
//   const viewer = host.viewer(shared.write)  the page's own viewer with a terminal (viewer.mjs)
//
// Ending a host is part of every test: the daemon must go when it is told to, its gate with it, with
// no report of a sanitizer, and nothing may be left running.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../web/setup.mjs';
import { TestViewer } from './viewer.mjs';

export { until };

/** Ten times what the slowest step takes on a busy machine. */
export const DEADLINE_MS = 30_000;
const RUN_MS = 60_000;
const SANITIZED = ['ASAN_OPTIONS', 'LSAN_OPTIONS', 'UBSAN_OPTIONS'];
const REPORT = /ERROR: \w+Sanitizer|runtime error: /;

export const BIN = process.env.BIN ? path.resolve(process.env.BIN) : undefined;
export const isSanitized = /asan/.test(process.env.VARIANT ?? '') || /asan/.test(BIN ?? '');

const NOBODY = 65534;

/** A host that ends with the test. `env`: more variables, or undefined to take one away. `plain`: run
 *  by a user who is not root, also where the tests are. */
export async function createHost(t, { env = {}, plain = false } = {}) {
  const host = new Host(env);
  if (plain && process.getuid() === 0) host.giveTo(NOBODY);
  t.after(() => host.stop());
  return host;
}

export class Host {
  constructor(env = {}) {
    if (!BIN) throw new Error('BIN must name the folder with vitrine, vitrined and vitrine-gate');
    this.dir = mkdtempSync(path.join(tmpdir(), 'vi-'));
    this.home = path.join(this.dir, 'home');
    this.runtime = path.join(this.dir, 'run');
    mkdirSync(this.home);
    mkdirSync(this.runtime);
    chmodSync(this.runtime, 0o700);
    const given = { PATH: process.env.PATH, ...sanitizers(this.dir), HOME: this.home, LANG: 'C.UTF-8' };
    this.env = { ...given, VITRINE_TMPDIR: this.runtime, SHELL: '/bin/bash', PS1: '$ ', ...env };
    for (const name of Object.keys(this.env)) if (this.env[name] === undefined) delete this.env[name];
    this.viewers = [];
    this.pids = new Set();
    this.prefix = []; // before every command line
  }

  giveTo(uid) {
    for (const dir of [this.dir, this.home, this.runtime]) chownSync(dir, uid, uid);
    this.prefix = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  }

  get socket() {
    return path.join(this.runtime, 'default');
  }

  get log() {
    const name = `${this.socket}.log`;
    return existsSync(name) ? readFileSync(name, 'utf8') : '';
  }

  /** Runs `vitrine …` and gives { code, stdout, stderr }. */
  run(args, { env = {}, cwd = this.home, input, limits } = {}) {
    const all = { ...this.env, ...env };
    for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
    const program = path.join(BIN, 'vitrine');
    const plain = limits ? ['sh', '-c', `${limits}; exec "$0" "$@"`, program, ...args] : [program, ...args];
    return collect([...this.prefix, ...plain], { env: all, cwd, input });
  }

  /** Standard output of a command that must succeed. */
  async vitrine(...args) {
    const { code, stdout, stderr } = await this.run(args);
    assert.equal(code, 0, `vitrine ${args.join(' ')}: exit ${code}\n${stderr}\n${this.log}`);
    return stdout;
  }

  async json(...args) {
    return JSON.parse(await this.vitrine(...args));
  }

  /** Shares a command in a new pane, with a writing link unless `readOnly`. */
  async share(command, { readOnly = false, options = [] } = {}) {
    const write = readOnly ? [] : ['--write'];
    const shared = await this.json('share', '--json', '-d', ...write, ...options, '--', ...command);
    return { ...shared, view: linkOf(shared, 'spectator'), write: linkOf(shared, 'operator') };
  }

  /** A shell without history or start files: its screen is only the prompt. */
  async shell(options) {
    const shared = await this.share(['bash', '--norc', '--noprofile'], options);
    await this.sees(shared.pane, /\$ *$/);
    return shared;
  }

  /** The page's viewer on a link, with a terminal; started. Options: viewer.mjs. */
  viewer(link, options = {}) {
    const viewer = new TestViewer(link, options);
    this.viewers.push(viewer);
    viewer.start();
    return viewer;
  }

  /** A started viewer that is live. */
  async join(link, options) {
    const viewer = this.viewer(link, options);
    await viewer.live();
    return viewer;
  }

  /** What the pane shows, or with -S - all of it. */
  async screen(pane, ...options) {
    return (await this.vitrine('capture-pane', '-p', '-t', pane, ...options)).trimEnd();
  }

  sees(pane, pattern, ...options) {
    return until(async () => {
      const screen = await this.screen(pane, ...options);
      return pattern.test(screen) && { screen };
    }, `${pattern} in pane ${pane}`, DEADLINE_MS);
  }

  type(pane, ...keys) {
    return this.vitrine('send-keys', '-t', pane, ...keys);
  }

  advance(ms) {
    return this.vitrine('advance-clock', String(ms));
  }

  gate() {
    return this.json('gate', '--json', 'status');
  }

  async info() {
    const info = await this.json('info', '--json');
    this.pids.add(info.pid);
    if (info.gate.pid > 0) this.pids.add(info.gate.pid);
    return info;
  }

  /** Ends what was started; fails when something is left or a sanitizer complained. */
  async stop() {
    for (const viewer of this.viewers) viewer.stop();
    try {
      if (existsSync(this.socket)) await this.#stopServer();
      for (const pid of this.pids) await gone(pid);
      await this.#nothingLeft();
      this.#checkReports();
    } finally {
      for (const { pid } of processesWith(this.runtime)) kill(pid);
      rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  async #stopServer() {
    const info = await this.run(['info', '--json']);
    if (info.code !== 0) return;
    const { pid, gate } = JSON.parse(info.stdout);
    for (const one of [pid, gate.pid]) if (one > 0) this.pids.add(one);
    await this.vitrine('kill-server');
    await until(() => !existsSync(this.socket), 'the socket to be removed', DEADLINE_MS);
  }

  /** Programs that were hung up on need a moment. */
  async #nothingLeft() {
    const what = () => `processes to end: ${JSON.stringify(processesWith(this.runtime))}`;
    await until(() => processesWith(this.runtime).length === 0, { toString: what }, DEADLINE_MS);
  }

  #checkReports() {
    const files = readdirSync(this.dir).filter((name) => /^(asan|ubsan)\./.test(name));
    const reports = files.map((name) => readFileSync(path.join(this.dir, name), 'utf8'));
    if (REPORT.test(this.log)) reports.push(this.log);
    assert.equal(reports.join('\n'), '', 'sanitizer reports');
  }
}

// The runner's options when it gives some; otherwise reports go beside the host.
function sanitizers(dir) {
  const own = {
    ASAN_OPTIONS: `exitcode=99:detect_leaks=1:log_path=${path.join(dir, 'asan')}`,
    UBSAN_OPTIONS: `halt_on_error=1:print_stacktrace=1:log_path=${path.join(dir, 'ubsan')}`,
  };
  const given = SANITIZED.filter((name) => process.env[name]).map((name) => [name, process.env[name]]);
  return given.length > 0 ? Object.fromEntries(given) : own;
}

export const linkOf = (shared, role) => shared.links.find((link) => link.role === role)?.url;

/** Runs a program to its end: { code, signal, stdout, stderr }. */
export function collect(argv, { env, cwd, input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const out = { stdout: [], stderr: [] };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`did not end: ${argv.join(' ')}`));
    }, RUN_MS);
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => out[name].push(chunk));
    child.on('error', reject);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const text = (name) => Buffer.concat(out[name]).toString();
      resolve({ code, signal, stdout: text('stdout'), stderr: text('stderr') });
    });
  });
}

// --- processes -------------------------------------------------------------------------------

/** True while the process runs; one that only waits to be collected does not. */
export function isRunning(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)[0] !== 'Z';
  } catch {
    return false;
  }
}

export function gone(pid) {
  return until(() => !isRunning(pid), `process ${pid} to end`, DEADLINE_MS);
}

/** Ends a process the hard way and waits until it is gone. */
export async function killHard(pid) {
  kill(pid);
  await gone(pid);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it is gone
  }
}

/** Resident memory in bytes. */
export function residentBytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}

// Processes whose command line or environment names the runtime directory: the daemon, and what runs
// in its panes.
function processesWith(runtime) {
  const found = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || !isRunning(pid)) continue;
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const environ = read(`/proc/${pid}/environ`);
    if (`${command}\n${environ}`.includes(runtime)) found.push({ pid: Number(pid), command });
  }
  return found;
}

function read(name) {
  try {
    return readFileSync(name, 'latin1');
  } catch {
    return '';
  }
}
