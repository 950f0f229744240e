// tmux and vitrine attached side by side, each in a window of an outer tmux, whose screens say what they show.

import { setTimeout as pause } from 'node:timers/promises';
import { Server, words } from './compare.mjs';

const DEADLINE_MS = 20_000;
const ROWS_TOP = 3;

/** One SGR sequence's parameters onto a look; only what capture-pane writes. */
function apply(look, parameters) {
  for (let i = 0; i < parameters.length; i++) {
    const n = parameters[i];
    if (n === 0) Object.assign(look, { fg: 'default', bg: 'default', flags: new Set() });
    else if (n === 38 || n === 48) {
      const used = parameters[i + 1] === 5 ? 3 : 5;
      look[n === 38 ? 'fg' : 'bg'] = parameters.slice(i, i + used).join(':');
      i += used - 1;
    } else if (n === 39 || (n >= 30 && n < 38) || (n >= 90 && n < 98)) look.fg = n === 39 ? 'default' : `${n}`;
    else if (n === 49 || (n >= 40 && n < 48) || (n >= 100 && n < 108)) look.bg = n === 49 ? 'default' : `${n}`;
    else look.flags.add(n);
  }
}

/** Captured lines as runs of text of one look. The colour of blanks' text is nothing that is seen. */
function looks(lines, cols) {
  const look = { fg: 'default', bg: 'default', flags: new Set() };
  return lines.map((line) => {
    const runs = [];
    const put = (text) => {
      for (const c of text) {
        const seen = c !== ' ' || look.flags.has(7) || look.flags.has(4);
        const key = `${seen ? look.fg : ''}/${look.bg}/${seen ? [...look.flags].sort().join('+') : ''}`;
        if (runs.at(-1)?.key === key) runs.at(-1).text += c;
        else runs.push({ key, text: c });
      }
    };
    let width = 0;
    for (const [, sgr, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
      if (text === undefined) apply(look, sgr.split(';').map(Number));
      else { put(text); width += text.length; }
    }
    put(' '.repeat(Math.max(0, cols - width)));
    return runs.map((run) => `${run.key} ${run.text}`).join(' ').trimEnd();
  });
}

function quote(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export class Pair {
  static async start([cols, rows], windows) {
    const pair = new Pair();
    pair.cols = cols;
    pair.outer = Server.make('tmux');
    pair.inner = [Server.make('tmux'), Server.make('vitrine')];
    await pair.outer.run('new-session', '-d', '-x', `${cols}`, '-y', `${rows}`, '-s', 'outer', 'cat');
    await pair.outer.run('set', '-g', 'status', 'off');
    for (const server of pair.inner) await pair.attach(server, cols, rows, windows);
    return pair;
  }

  async attach(server, cols, rows, windows) {
    // the clock and the title are not what is compared; names stay as they are given
    const lines = [`new-session -d -s s -x ${cols} -y ${rows} cat`, "set -g status-right '\"title\"'", 'set -g automatic-rename off', ...windows];
    for (const line of lines) await server.run(...words(line));
    const env = Object.entries({ ...server.env, TERM: 'xterm-256color' }).map(([name, value]) => quote(`${name}=${value}`));
    const command = ['exec env -i', ...env, ...server.command.map(quote), 'attach-session -t s'].join(' ');
    await this.outer.run('new-window', '-t', 'outer:', '-n', server.kind, command);
    const shown = await this.until(server, (rows) => rows.join('').includes('[s]'));
    if (!shown.join('').includes('[s]')) throw new Error(`${server.kind} does not attach:\n${shown.join('\n')}`);
  }

  /** What status lines may be on: the first and last rows, with colours. */
  async shown(server) {
    const { stdout } = await this.outer.run('capture-pane', '-e', '-p', '-t', `outer:${server.kind}`);
    const rows = looks(stdout.split('\n').slice(0, -1), this.cols);
    return [...rows.slice(0, ROWS_TOP), ...rows.slice(-ROWS_TOP)];
  }

  /** Waits until something holds of what is shown; gives what is shown in the end. */
  async until(server, holds) {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const shown = await this.shown(server);
      if (holds(shown) || Date.now() > deadline) return shown;
      await pause(30);
    }
  }

  async undo(lines) {
    for (const line of lines.map(words)) {
      if (line[0] !== 'set') continue;
      for (const server of this.inner) await server.run('set', '-gu', line[2].replace(/\[.*/, '')); // an array as a whole
    }
    for (const server of this.inner) await server.run('set', '-g', 'status-right', '"title"');
  }

  /** Runs lines in both and gives what they show then, ours once it is the same or never will be. */
  async compare(lines, mayChangeNothing = false) {
    const [tmux, vitrine] = this.inner;
    const before = await this.shown(tmux);
    for (const line of lines) for (const server of this.inner) await server.run(...words(line));
    let last = before;
    const settled = (shown) => {
      const same = shown.join('\n') === last.join('\n');
      last = shown;
      return same && (lines.length === 0 || mayChangeNothing || shown.join('\n') !== before.join('\n'));
    };
    const reference = await this.until(tmux, settled);
    if (lines.length > 0 && !mayChangeNothing && reference.join('\n') === before.join('\n')) throw new Error(`this changes nothing in tmux, it tests nothing:\n${before.join('\n')}`);
    const ours = await this.until(vitrine, (shown) => shown.join('\n') === reference.join('\n'));
    await this.undo(lines);
    return { reference, ours };
  }

  async stop() {
    for (const server of [this.outer, ...this.inner]) await server.stop();
  }
}
