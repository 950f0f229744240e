// Runs the same commands in tmux and in vitrine, each with a server of its own, and compares the exit
// status of every command and the windows and panes they leave.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const REFERENCE = '3.3a'; // versions differ in how they share out cells
const found = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim() ?? 'no tmux';

/** Why there is nothing to compare with here, or false. */
export const noReference = found === `tmux ${REFERENCE}` ? false : `made for tmux ${REFERENCE}, here is ${found}`;

const BIN = process.env.BIN ?? 'build/release/bin';

const WINDOWS = '#{session_name}:#{window_index} active=#{window_active} last=#{window_last_flag} zoomed=#{window_zoomed_flag} #{window_layout}';
const PANES = '#{pane_id} #{session_name}:#{window_index}.#{pane_index} active=#{pane_active} #{pane_width}x#{pane_height}';

function execute(file, args, env) {
  return new Promise((resolve) => {
    execFile(file, args, { env, encoding: 'utf8', timeout: 20_000 }, (error, stdout, stderr) => {
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
    return execute(file, [...first, ...words], this.env);
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

/** Runs lines in both; gives what each program did. */
export async function runBoth(lines) {
  const servers = [Server.make('tmux'), Server.make('vitrine')];
  try {
    return await Promise.all(servers.map(async (server) => {
      const codes = [];
      for (const line of ['new-session -d -s s -x 80 -y 24 cat', ...lines]) {
        const { code } = await server.run(...words(line));
        codes.push(`${line} → ${code === 0 ? 'done' : 'refused'}`);
      }
      return { codes, ...(await server.state()) };
    }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
