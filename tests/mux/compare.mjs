// Runs the same commands in tmux and in vitrine, each with a server of its own, and compares the exit
// status of every command and the windows and panes they leave; where a test asks for it, also what
// every command prints.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const REFERENCE = '3.3a'; // versions differ in how they share out cells
const found = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim() ?? 'no tmux';

/** Why there is nothing to compare with here, or false. */
export const noReference = found === `tmux ${REFERENCE}` ? false : `made for tmux ${REFERENCE}, here is ${found}`;

const DEADLINE_MS = 30_000;

const BIN = process.env.BIN ?? 'build/release/bin';

const WINDOWS = '#{session_name}:#{window_index} active=#{window_active} last=#{window_last_flag} zoomed=#{window_zoomed_flag} #{window_layout}';
const PANES = '#{pane_id} #{session_name}:#{window_index}.#{pane_index} active=#{pane_active} #{pane_width}x#{pane_height}';

function execute(file, args, env, cwd) {
  return new Promise((resolve) => {
    execFile(file, args, { env, cwd, encoding: 'utf8', timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr });
    });
  });
}

/** One of the two programs with a server of its own. */
export class Server {
  static make(kind) {
    const dir = mkdtempSync(path.join(tmpdir(), `vm-${kind}-`));
    const env = { PATH: process.env.PATH, HOME: dir, SHELL: '/bin/sh', LANG: 'C.UTF-8', TERM: 'xterm-256color', VITRINE_TMPDIR: dir, TMUX_TMPDIR: dir };
    for (const [name, value] of Object.entries(process.env)) if (/SAN_OPTIONS$/.test(name)) env[name] = value;
    return new Server(kind, dir, env);
  }

  constructor(kind, dir, env) {
    Object.assign(this, { kind, dir, env });
    this.command = kind === 'tmux' ? ['tmux', '-f', '/dev/null'] : [path.join(BIN, 'vitrine')];
  }

  run(...words) {
    const [file, ...first] = this.command;
    return execute(file, [...first, ...words], this.env, this.dir);
  }

  /** The state that the other program must have too. */
  async state() {
    const windows = await this.run('list-windows', '-a', '-F', WINDOWS);
    const panes = await this.run('list-panes', '-a', '-F', PANES);
    return { windows: windows.stdout.trim().split('\n'), panes: panes.stdout.trim().split('\n') };
  }

  async stop() {
    await this.run('kill-server');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Splits a line into words as a shell does; only quotes are special. */
export function words(line) {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
}

/** What a command said, in a form that both can have: vitrine puts its name before an error, and after
 *  a wrong line its usage; tmux words a wrong line in its own way. */
function said(server, { code, stdout, stderr }) {
  const error = code === 0 || /usage: |unknown flag|too (many|few) arguments/.test(stderr) ? '' : stderr.replace(/^vitrine: /, '').trimEnd();
  return `${stdout}${error}`.replaceAll(server.dir, 'DIR').replaceAll(new RegExp(`^${server.kind}$`, 'gm'), 'PROGRAM');
}

/** A step of a script: runs a line again and again until what it prints matches, and prints that. */
export function settle(line, pattern) {
  return Object.assign(async (server) => {
    const end = Date.now() + DEADLINE_MS;
    for (;;) {
      const answer = await server.run(...words(line));
      if (pattern.test(answer.stdout)) return said(server, answer);
      if (Date.now() > end) throw new Error(`${server.kind}: ${line}: no ${pattern} in ${JSON.stringify(answer)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, { label: `${line} until ${pattern}` });
}

/** A step: waits until a file in the server's directory matches, and prints it. */
export function file(name, pattern) {
  return Object.assign(async (server) => {
    const end = Date.now() + DEADLINE_MS;
    for (;;) {
      const full = path.join(server.dir, name);
      const text = existsSync(full) ? readFileSync(full, 'utf8') : '';
      if (pattern.test(text)) return text.replaceAll(server.dir, 'DIR');
      if (Date.now() > end) throw new Error(`${server.kind}: no ${pattern} in ${name}: ${JSON.stringify(text)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, { label: `${name} until ${pattern}` });
}

/** A step: writes a file into the server's directory. */
export function write(name, text) {
  return Object.assign(async (server) => {
    writeFileSync(path.join(server.dir, name), text);
    return '';
  }, { label: `write ${name} ${JSON.stringify(text)}` });
}

export const labelOf = (line) => line.label ?? line;

async function runLine(server, line, output) {
  if (typeof line === 'function') return `${line.label} → ${await line(server)}`;
  const answer = await server.run(...words(line));
  const done = answer.code === 0 ? 'done' : 'refused';
  return output ? `${line} → ${done}: ${said(server, answer)}` : `${line} → ${done}`;
}

/** Runs lines in both; gives what each program did, with `output` also what each line printed. */
export async function runBoth(lines, { output = false } = {}) {
  const servers = [Server.make('tmux'), Server.make('vitrine')];
  try {
    return await Promise.all(servers.map(async (server) => {
      const codes = [];
      for (const line of ['new-session -d -s s -x 80 -y 24 cat', ...lines]) codes.push(await runLine(server, line, output));
      return { codes, ...(await server.state()) };
    }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
