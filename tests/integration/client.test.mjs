// The client against the real daemon: starting, attaching in a real terminal, the ways out.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { BIN, Host, collect, killHard, until } from './host.mjs';
import { Terminal } from './terminal.mjs';

const OTHER_ON = '\x1b[?1049h';
const OTHER_OFF = '\x1b[?1049l';
const PASTE_BYTES = 1_000_000;
const VITRINE = path.join(BIN, 'vitrine');

/** A host and its terminals, which end before it does. */
async function withHost(run) {
  const host = new Host();
  host.terminals = [];
  try {
    await run(host);
  } finally {
    for (const terminal of host.terminals) terminal.kill();
    await host.stop();
  }
}

/** A shell that says when it is there. */
const SHELL = ['sh', '-c', 'echo begin; exec bash --norc --noprofile'];

/** A terminal with a command line of the host's `vitrine`. */
function inTerminal(host, words, options = {}) {
  const terminal = new Terminal(`${VITRINE} ${words}`, { env: host.env, ...options });
  host.terminals.push(terminal);
  return terminal;
}

/** Process ids of programs that were started with this word among their arguments. */
function findProcesses(...words) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
        return words.every((word) => args.includes(word));
      } catch {
        return false;
      }
    })
    .map(Number);
}

const daemonPids = (host) => findProcesses('vitrined', host.socket);

test('clients that start at once start one daemon', () =>
  withHost(async (host) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => host.vitrine('new', '-d', '-s', name)));
    assert.equal(daemonPids(host).length, 1);
    const sessions = await host.json('ls', '--json');
    assert.deepEqual(sessions.map((session) => session.name).sort(), names);
  }));

test('attach, type, detach; the session lives on', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '--', ...SHELL);
    const terminal = inTerminal(host, 'attach -t work; stty -a; echo "status $?"');
    await terminal.waitFor(OTHER_ON);
    await terminal.waitFor('begin');
    terminal.type('echo $((40+2))x\r');
    await terminal.waitFor('42x');
    terminal.type('\x02d');
    await terminal.waitFor(OTHER_OFF);
    await terminal.waitFor('[detached (from session work)]');
    assert.equal(await terminal.finish(), 0);
    const settings = terminal.text.slice(terminal.seen);
    for (const word of ['icanon', 'echo', 'isig', 'icrnl', 'opost']) assert.match(settings, new RegExp(`[\\s;]${word}\\b`));
    assert.equal((await host.json('ls', '--json')).length, 1);
  }));

test('several commands on a line: the terminal shows what they left', () =>
  withHost(async (host) => {
    const terminal = inTerminal(host, "new -s pair cat \\; split-window 'echo second; exec cat' \\; rename-window both; echo \"status $?\"");
    await terminal.waitFor(OTHER_ON);
    await terminal.waitFor('second');
    await until(async () => (await host.vitrine('list-windows', '-t', 'pair', '-F', '#W')) === 'both\n', 'the window has its name');
    assert.equal((await host.json('list-panes', '-s', '-t', 'pair', '--json')).length, 2);
    terminal.type('\x02d');
    await terminal.waitFor('[detached (from session pair)]');
    await terminal.waitFor('status 0');
    await terminal.finish();
  }));

test('a terminal whose locale is not UTF-8 gets ASCII for everything', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'plain', '-n', 'fenêtre', '--', 'sh', '-c', 'printf "a\\303\\251b \\346\\227\\245 ok\\n"; exec cat');
    await host.vitrine('split-window', '-h', '-t', 'plain', 'cat');
    host.env.LC_ALL = 'C';
    const terminal = inTerminal(host, 'attach -t plain');
    await terminal.waitFor('a_b __ ok');
    await terminal.waitFor('0:fen_tre');
    assert.match(terminal.text, /\|/); // the border
    assert.doesNotMatch(terminal.text, /[\x80-\xff]/);
    terminal.type('\x02d');
    await terminal.waitFor('[detached (from session plain)]');
    await terminal.finish();
  }));

test('exit status of the session\'s program is told', () =>
  withHost(async (host) => {
    const terminal = inTerminal(host, 'new -s brief -- sh -c "echo begin; exec bash --norc"');
    await terminal.waitFor('begin');
    terminal.type('exit 3\r');
    await terminal.waitFor('[exited 3]');
    await terminal.finish();
  }));

test('the daemon killed: the terminal is whole and says so', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '--', ...SHELL);
    const terminal = inTerminal(host, 'attach; echo "status $?"; stty -a');
    await terminal.waitFor('begin');
    const [pid] = daemonPids(host);
    await killHard(pid);
    await terminal.waitFor(OTHER_OFF);
    await terminal.waitFor('[lost server]');
    await terminal.waitFor('status 1');
    await terminal.finish();
    assert.match(terminal.text.slice(terminal.seen), /[\s;]icanon\b/);
    await host.vitrine('new', '-d', '-s', 'again'); // beside the socket that was left
    assert.equal((await host.json('ls', '--json')).length, 1);
  }));

test('a paste of a megabyte reaches a program in raw mode byte for byte', () =>
  withHost(async (host) => {
    const file = path.join(host.dir, 'pasted');
    // Everything a program that did not ask for bracketed paste may be pasted; C-b is the prefix.
    const paste = Buffer.alloc(PASTE_BYTES);
    for (let i = 0, x = 1; i < PASTE_BYTES; i++) {
      x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
      paste[i] = 0x20 + ((x >>> 24) % 95);
    }
    const reader = `stty raw -echo; printf ready; head -c ${PASTE_BYTES} >${file}; printf taken; exec cat`;
    await host.vitrine('new', '-d', '-s', 'raw', '--', 'sh', '-c', reader);
    const terminal = inTerminal(host, 'attach');
    await terminal.waitFor('ready');
    terminal.type(paste);
    await terminal.waitFor('taken');
    const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(hash(readFileSync(file)), hash(paste));
    terminal.type('\x02d');
    assert.equal(await terminal.finish(), 0);
  }));

test('a terminal of another size: the program is told', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '--', ...SHELL);
    const terminal = inTerminal(host, 'attach -t work', { cols: 101, rows: 33 });
    await terminal.waitFor('begin');
    terminal.type('stty size\r');
    await terminal.waitFor('32 101'); // one row is the status line's
    terminal.type('\x02d');
    await terminal.finish();
  }));

test('its terminal gone: the client ends, the session lives on', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '--', ...SHELL);
    const terminal = inTerminal(host, 'attach -t work');
    await terminal.waitFor('begin');
    const client = () => findProcesses(VITRINE, 'attach');
    assert.equal(client().length, 1);
    terminal.kill();
    await until(() => client().length === 0, 'the client to end');
    await until(async () => (await host.json('ls', '--json'))[0].attached === 0, 'the daemon to notice');
  }));

test('asked to stop, it gives the terminal back and takes it again with its modes', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '--', ...SHELL);
    const terminal = inTerminal(host, 'attach -t work');
    await terminal.waitFor('\x1b[?2004h');
    await terminal.waitFor('begin');
    const [client] = findProcesses(VITRINE, 'attach');
    process.kill(client, 'SIGTSTP');
    await terminal.waitFor('\x1b[?2004l');
    await terminal.waitFor(OTHER_OFF);
    await terminal.waitFor(OTHER_ON);
    await terminal.waitFor('\x1b[?2004h');
    await terminal.waitFor('begin');
    terminal.type('\x02d');
    assert.equal(await terminal.finish(), 0);
  }));

test('no nesting; another command inside a pane finds its daemon', () =>
  withHost(async (host) => {
    await host.vitrine('new', '-d', '-s', 'work', '-x', '120', '--', ...SHELL);
    await host.vitrine('send-keys', '-t', 'work', '-l', `unset VITRINE_TMPDIR; ${VITRINE} attach; ${VITRINE} ls | wc -l`);
    await host.vitrine('send-keys', '-t', 'work', 'Enter');
    const screen = () => host.vitrine('capture-pane', '-p', '-t', 'work');
    await until(async () => /nested with care, unset \$VITRINE to force\n1\n/.test(await screen()), 'both answers');
  }));

test('share in a terminal that can show no session prints the links and returns', () =>
  withHost(async (host) => {
    for (const term of ['TERM=dumb', 'TERM=', '-u TERM']) {
      const terminal = new Terminal(`env ${term} ${VITRINE} share -- cat; echo over:$?`, { env: host.env });
      host.terminals.push(terminal);
      await terminal.waitFor('view:  http://');
      await terminal.waitFor('over:0');
      assert.equal(await terminal.ended, 0);
      assert.ok(!terminal.text.includes('\x1b'), JSON.stringify(terminal.text));
    }
  }));

test('a runtime directory that is no good is named, with what to do', () =>
  withHost(async (host) => {
    const create = (dir) => host.run(['new', '-d'], { env: { VITRINE_TMPDIR: path.join(host.dir, dir) } });
    mkdirSync(path.join(host.dir, 'open'), { mode: 0o755 });
    const open = await create('open');
    assert.equal(open.code, 1);
    assert.match(open.stderr, /^vitrine: runtime directory \S+ is open to others: chmod 700 it\n$/);
    writeFileSync(path.join(host.dir, 'file'), '');
    const below = await create('file/below');
    assert.equal(below.code, 1);
    assert.match(below.stderr, /^vitrine: cannot make the runtime directory .*\n$/);
  }));

test('a server ended and started at once: nobody meets the old one', () =>
  withHost(async (host) => {
    const rounds = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do';
    const script = `${rounds} "$0" new -d -s s$i || exit 1; "$0" kill-server || exit 2; done; "$0" new -d -s last; "$0" ls`;
    const { code, stdout, stderr } = await collect(['sh', '-c', script, VITRINE], { env: host.env, cwd: host.home });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^last: [^\n]+\n$/);
  }));

test('doctor finds everything here, in both forms', () =>
  withHost(async (host) => {
    const { checks, ok } = await host.json('doctor', '--json');
    const names = checks.map((check) => check.check);
    for (const name of ['vitrined', 'vitrine-gate', 'terminal', 'locale', 'socket', 'server', 'cipher']) assert.ok(names.includes(name), name);
    assert.equal(ok, checks.every((check) => check.ok));
    const lines = (await host.vitrine('doctor')).trimEnd().split('\n');
    assert.equal(lines.length, checks.length);
    for (const line of lines) assert.match(line, /^(ok {2}|warn) [a-z -]+: ./);
  }));
