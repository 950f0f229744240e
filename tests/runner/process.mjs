// Runs one program in a process group of its own, its output going to a log file, with a deadline
// for the whole group. Nothing of a group outlives its first process: it is told to end (SIGTERM)
// and killed if it does not. What leaves the group (daemons do) is found by strays().

import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

const KILL_AFTER_MS = 5000;
const groups = new Set();

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export function killAllGroups() {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
}

// Returns { code, signal, timedOut, error, seconds }; never throws.
export function runProgram(argv, { env, cwd, log, timeoutS }) {
  const start = process.hrtime.bigint();
  const out = openSync(log, 'a');
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', out, out],
    });
    closeSync(out);
    let timedOut = false;
    let killer = null;
    const timer = setTimeout(() => {
      timedOut = true;
      signalGroup(child.pid, 'SIGTERM');
      killer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), KILL_AFTER_MS);
    }, timeoutS * 1000);
    const finish = (end) => {
      clearTimeout(timer);
      clearTimeout(killer);
      if (child.pid !== undefined) {
        signalGroup(child.pid, 'SIGKILL');
        groups.delete(child.pid);
      }
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      resolve({ code: null, signal: null, error: null, timedOut, seconds, ...end });
    };
    if (child.pid !== undefined) groups.add(child.pid);
    child.on('error', (error) => finish({ error: error.message }));
    child.on('exit', (code, signal) => finish({ code, signal }));
  });
}

// Our processes started since `sinceMs` that run a program below one of `folders`, or name a path
// there on their command line: a daemon hides its exe link, but not the socket it was given.
export function strays(folders, sinceMs) {
  const found = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statSync(`/proc/${pid}`);
      if (stat.uid !== process.getuid() && process.getuid() !== 0) continue;
      if (startTimeMs(pid) < sinceMs) continue;
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const places = [readLink(`/proc/${pid}/exe`) ?? '', ...words];
      if (places.some((place) => folders.some((folder) => place.startsWith(folder)))) {
        found.push({ pid: Number(pid), command: words.join(' ').trim() });
      }
    } catch {
      // The process ended while it was looked at.
    }
  }
  return found;
}

// Ends strays at once; returns their command lines.
export function killStrays(folders, sinceMs) {
  return strays(folders, sinceMs).map(({ pid, command }) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
    return `${pid} ${command}`;
  });
}

function readLink(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

// Field 22 of stat: clock ticks (100 a second on Linux, for user space) after boot.
function startTimeMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const upMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  return Date.now() - upMs + ticks * 10;
}
