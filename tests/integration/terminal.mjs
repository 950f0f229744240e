// A real terminal for tests, by script(1): runs a command line in it, types, waits for what it shows.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

const DEADLINE_MS = 30_000;

export class Terminal {
  /** Runs a shell command line with these columns and rows; env is the whole environment. */
  constructor(line, { env, cols = 80, rows = 24 }) {
    const sized = `stty cols ${cols} rows ${rows}; ${line}`;
    this.child = spawn('script', ['-qfec', sized, '/dev/null'], { env: { SHELL: '/bin/sh', ...env, TERM: 'xterm-256color' } });
    this.text = '';
    this.seen = 0;
    this.waiting = new Set();
    this.ended = once(this.child, 'close').then(([code]) => code);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('latin1');
      stream.on('data', (data) => {
        this.text += data;
        for (const look of this.waiting) look();
      });
    }
    this.child.stdin.on('error', () => undefined); // it ended while we typed
  }

  type(keys) {
    this.child.stdin.write(keys, 'latin1');
  }

  /** Resolves when text shows up behind what the last call found. */
  waitFor(text) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(look);
        reject(new Error(`no ${JSON.stringify(text)} in ${JSON.stringify(this.text.slice(-2000))}`));
      }, DEADLINE_MS);
      const look = () => {
        const at = this.text.indexOf(text, this.seen);
        if (at < 0) return;
        this.seen = at + text.length;
        this.waiting.delete(look);
        clearTimeout(timer);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Resolves with the exit status; the text is complete then. */
  finish() {
    return this.ended;
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}
