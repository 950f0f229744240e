// A host for a test: its own daemon with its own runtime directory and a clean environment. BIN names
// the folder of the programs. stop() ends everything that was started and removes the directory.

import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from '../web/setup.mjs';

const run = promisify(execFile);

function binFolder() {
  if (!process.env.BIN) throw new Error('BIN must name the folder with vitrine, vitrined and vitrine-gate');
  return process.env.BIN;
}

export class Host {
  constructor() {
    this.bin = binFolder();
    this.dir = mkdtempSync(path.join(tmpdir(), 'vitrine-host-'));
    chmodSync(this.dir, 0o700);
    const { PATH, ASAN_OPTIONS, LSAN_OPTIONS, UBSAN_OPTIONS } = process.env;
    const sanitizers = Object.entries({ ASAN_OPTIONS, LSAN_OPTIONS, UBSAN_OPTIONS }).filter(([, value]) => value);
    this.env = {
      PATH,
      HOME: this.dir,
      XDG_RUNTIME_DIR: this.dir,
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      PS1: '$ ',
      ...Object.fromEntries(sanitizers),
    };
  }

  /** Runs `vitrine …`; its standard output. Throws with its error text when it fails. */
  async vitrine(...args) {
    const { stdout } = await run(path.join(this.bin, 'vitrine'), args, { env: this.env, cwd: this.dir, timeout: 60_000 });
    return stdout;
  }

  async json(...args) {
    return JSON.parse(await this.vitrine(...args));
  }

  /** Shares a command in a new pane: { view, write, pane, share } with view and write as URLs. */
  async share(command, ...options) {
    const shared = await this.json('share', '--json', '-d', '--write', ...options, '--', ...command);
    const url = (role) => shared.links.find((link) => link.role === role)?.url;
    return { ...shared, view: url('spectator'), write: url('operator') };
  }

  /** A plain shell without history or start files, so that its screen is only the prompt. */
  shell(...options) {
    return this.share(['bash', '--norc', '--noprofile'], ...options);
  }

  /** What the pane shows. */
  async screen(pane) {
    return (await this.vitrine('capture-pane', '-p', '-t', pane)).trimEnd();
  }

  /** Process id of the daemon's child that faces the network. */
  async gatePid() {
    const status = await this.json('gate', '--json', 'status');
    return status.pid;
  }

  async stop() {
    await this.vitrine('kill-server').catch(() => undefined);
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  log() {
    return readFileSync(path.join(this.dir, 'vitrine/default.log'), 'utf8');
  }
}

/** Ends a process the hard way and waits until it is gone. */
export async function killHard(pid) {
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(pid), `process ${pid} to end`);
}

function isRunning(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0] !== 'Z';
  } catch {
    return false;
  }
}
