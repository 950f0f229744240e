// Completion in bash, zsh and fish themselves: what they offer for lines that somebody types, with a
// daemon and without one.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { BIN, createHost, until } from './host.mjs';
import { Terminal } from './terminal.mjs';

const FILES = path.join(BIN, '../completion');
const DEADLINE_MS = 60_000;

/** Lines as typed, and what must be among the offers for their last word. */
const CASES = [
  ['vitrine kill-', ['kill-server', 'kill-session', 'kill-window', 'kill-pane']],
  ['vitrine split-window -', ['-b', '-h', '-v', '-t']],
  ['vitrine links --', ['--json', '--qr']],
  ['vitrine splitw -t work:', ['0.0', '0.1']],
  ['vitrine splitw -t ', ['work:0.0', 'work:0.1', '%0', '%1']],
  ['vitrine select-window -t ', ['work:0', 'other:0']],
  ['vitrine attach -t ', ['work', 'other']],
  ['vitrine set-option -g main-pane-', ['main-pane-height', 'main-pane-width']],
  ['vitrine select-layout ', ['even-horizontal', 'even-vertical', 'main-horizontal', 'main-vertical', 'tiled']],
  ['vitrine set-hook -g pane-', ['pane-died', 'pane-exited']],
  ['vitrine bind-key x kill-s', ['kill-server', 'kill-session']],
  ['vitrine help kill-s', ['kill-server', 'kill-session']],
  ['vitrine gate ', ['status', 'restart']],
  ['vitrine source-file /etc/pass', ['passwd']],
];

/** Where a daemon is asked but none runs: nothing is offered, and nobody complains. */
const SILENT = ['vitrine -L nobody attach -t ', 'vitrine -L nobody splitw -t ', 'vitrine -L nobody paste-buffer -b '];

async function inhabited(t) {
  const host = await createHost(t);
  host.env.PATH = `${BIN}:${host.env.PATH}`;
  await host.vitrine('new', '-d', '-s', 'work', 'cat');
  await host.vitrine('split-window', '-t', 'work', 'cat');
  await host.vitrine('new', '-d', '-s', 'other', 'cat');
  return host;
}

/** A shell in a terminal: types lines and a tab, looks at what comes. */
class Typist {
  constructor(host, line) {
    this.terminal = new Terminal(line, { env: { ...host.env, PS1: '> ' }, cols: 132, rows: 50 });
  }

  /** Runs fn with a shell that is set up, and ends the shell. */
  static async use(host, [line, setUp], fn) {
    const typist = new Typist(host, line);
    try {
      typist.terminal.type(`${setUp}; echo re''ady\n`);
      await typist.terminal.waitFor('ready\r\n');
      await fn(typist);
    } finally {
      typist.terminal.kill(); // the shell ends with its terminal
      await typist.terminal.finish();
    }
  }

  /** Resolves when all offers stand behind the line, after the keys. */
  async expect(line, keys, offers) {
    const from = this.terminal.text.length;
    this.terminal.type(`\x15${line}${keys}`);
    const shown = () => this.terminal.text.slice(from).split(line).slice(1).join(' ');
    await until(() => offers.every((offer) => shown().includes(offer)), `${offers} for ${line}`, DEADLINE_MS).catch((error) => {
      throw new Error(`${error.message} in ${JSON.stringify(this.terminal.text.slice(from))}`);
    });
  }

  /** What is shown for a line that has nothing to offer. */
  async silent(line, keys) {
    const from = this.terminal.text.length;
    this.terminal.type(`\x15${line}${keys}\x15echo do''ne\n`);
    await until(() => this.terminal.text.slice(from).includes('done\r\n'), `an end after ${line}`, DEADLINE_MS);
    return this.terminal.text.slice(from);
  }
}

const SHELLS = {
  bash: ['exec bash --norc -i', `bind 'set show-all-if-ambiguous on' 'set page-completions off' 'set completion-query-items 0' 'set bell-style none'; source ${FILES}/vitrine.bash`],
  zsh: ['exec zsh -f -i', `fpath=(${FILES} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep`],
};

for (const [shell, how] of Object.entries(SHELLS)) {
  describe(shell, () => {
    test('offers commands, flags and what they take', async (t) => {
      const host = await inhabited(t);
      await Typist.use(host, how, async (typist) => {
        for (const [typed, offers] of CASES) await typist.expect(typed, '\t\t', offers);
        if (shell !== 'zsh') return;
        await typist.expect('vitrine split-window -', '\t', ['side by side', 'one below the other']);
        await typist.expect('vitrine kill-se', '\t', ['end every session', 'end a session and its programs']);
      });
    });

    test('completes a word that only one thing begins', async (t) => {
      const host = await inhabited(t);
      await Typist.use(host, how, async ({ terminal }) => {
        terminal.type('vitrine has-session -t oth\t && echo fou\'\'nd\n');
        await terminal.waitFor('found\r\n');
      });
    });

    test('without a daemon it offers nothing of one and says nothing', async (t) => {
      const host = await createHost(t);
      host.env.PATH = `${BIN}:${host.env.PATH}`;
      await Typist.use(host, how, async (typist) => {
        for (const typed of SILENT) assert.doesNotMatch(await typist.silent(typed, '\t'), /vitrine: |server|work|rror/);
      });
    });
  });
}

describe('fish', () => {
  const complete = (host, typed) => {
    const script = `source ${FILES}/vitrine.fish; complete -C ${JSON.stringify(typed)}`;
    const out = execFileSync('fish', ['--no-config', '-c', script], { env: host.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: DEADLINE_MS });
    return new Map(out.split('\n').filter(Boolean).map((row) => row.split('\t')));
  };

  test('offers commands, flags and what they take, with what they are for', async (t) => {
    const host = await inhabited(t);
    for (const [typed, offers] of CASES) {
      const words = [...complete(host, typed).keys()];
      for (const offer of offers) assert.ok(words.some((word) => word.endsWith(offer)), `${offer} for ${typed} in ${words}`);
    }
    assert.equal(complete(host, 'vitrine split-window -').get('-h'), 'side by side');
    assert.equal(complete(host, 'vitrine kill-ser').get('kill-server'), 'end every session, every share and the daemon');
  });

  test('without a daemon it offers nothing of one and says nothing', async (t) => {
    const host = await createHost(t);
    host.env.PATH = `${BIN}:${host.env.PATH}`;
    for (const typed of SILENT) assert.deepEqual([...complete(host, typed)], []);
  });
});
