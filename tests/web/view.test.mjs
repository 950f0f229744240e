// The view's modules without DOM; those that need a terminal use @xterm/headless.

import test from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { lib, require, root, web } from './setup.mjs';

const view = await import(path.join(web, 'lib/view.mjs'));
const { Terminal } = require('@xterm/headless');

// --- fit ----------------------------------------------------------------------------------------

// Cells as a DOM renderer makes them: whole pixels high, widths in steps.
const cell = (px) => ({ width: Math.round(px * 0.6 * 4) / 4, height: Math.ceil(px * 1.17) });
const request = (more) => ({ mode: 'fit', room: { width: 1000, height: 600 }, cols: 80, rows: 24, chosenPx: 15, cell, ...more });

test('fit: never above the chosen size, never cropped, the largest that fits', () => {
  for (let cols = 10; cols <= 400; cols += 13) {
    for (let rows = 5; rows <= 120; rows += 7) {
      const { fontPx, overflows } = view.chooseFit(request({ cols, rows }));
      const fits = (px) => cell(px).width * cols <= 1000 && cell(px).height * rows <= 600;
      assert.ok(fontPx <= 15 && fontPx >= view.FONT_MIN_PX);
      assert.equal(overflows, !fits(fontPx));
      if (overflows) assert.equal(fontPx, view.FONT_MIN_PX);
      else if (fontPx < 15) assert.ok(!fits(fontPx + 0.5), `${cols}x${rows} could be larger than ${fontPx}`);
    }
  }
});

test('fit: fill grows, natural keeps the size and scrolls', () => {
  assert.ok(view.chooseFit(request({ mode: 'fill', cols: 40, rows: 10 })).fontPx > 15);
  assert.deepEqual(view.chooseFit(request({ mode: 'natural', cols: 300 })), { fontPx: 15, overflows: true, couldShow: { cols: 111, rows: 33 } });
});

test('fit: a window without room still names a size of at least one cell', () => {
  const { couldShow } = view.chooseFit(request({ room: { width: 1, height: 1 } }));
  assert.deepEqual(couldShow, { cols: 1, rows: 1 });
});

// --- keys ---------------------------------------------------------------------------------------

test('keys: what the bar sends', () => {
  const none = { ctrl: false, alt: false };
  const table = [
    ['Escape', none, false, '\x1b'],
    ['Tab', none, false, '\t'],
    ['Tab', { ctrl: false, alt: true }, false, '\x1b\t'],
    ['Up', none, false, '\x1b[A'],
    ['Up', none, true, '\x1bOA'],
    ['Left', { ctrl: true, alt: false }, true, '\x1b[1;5D'],
    ['Right', { ctrl: false, alt: true }, false, '\x1b[1;3C'],
    ['End', { ctrl: true, alt: true }, false, '\x1b[1;7F'],
    ['PageUp', none, false, '\x1b[5~'],
    ['PageDown', { ctrl: true, alt: false }, false, '\x1b[6;5~'],
  ];
  for (const [key, modifiers, application, bytes] of table) {
    assert.equal(view.keyBytes(key, modifiers, application), bytes, key);
  }
});

test('keys: sticky modifiers', () => {
  const ctrl = { ctrl: true, alt: false };
  const table = [['c', '\x03'], ['C', '\x03'], ['[', '\x1b'], [' ', '\0'], ['@', '\0'], ['?', '\x7f'], ['é', 'é'], ['w\r', '\x17\r']];
  for (const [typed, sent] of table) assert.equal(view.applySticky(typed, ctrl), sent);
  assert.equal(view.applySticky('x', { ctrl: false, alt: true }), '\x1bx');
  assert.equal(view.applySticky('x', { ctrl: true, alt: true }), '\x1b\x18');
});

// --- words --------------------------------------------------------------------------------------

test('words: every state and every reason has some', () => {
  const states = [
    { kind: 'connecting' }, { kind: 'waiting', what: 'pin', attemptsLeft: 1, retryS: 0 },
    { kind: 'waiting', what: 'approval', attemptsLeft: 0, retryS: 0 }, { kind: 'live' }, { kind: 'away', since: 0 },
    ...['lost', 'host-gone', 'damaged'].map((cause) => ({ kind: 'reconnecting', since: 0, cause, attempt: 1 })),
    ...Object.values(lib.ByeReason).map((reason) => ({ kind: 'bye', reason, text: '' })),
    { kind: 'bye', reason: 200, text: '' }, { kind: 'refused' }, { kind: 'stopped' },
  ];
  const seen = new Set();
  for (const state of states) {
    const { short, tone } = view.stateWords(state);
    assert.ok(short.length > 3 && short.length < 50 && tone, JSON.stringify(state));
    seen.add(short);
  }
  assert.ok(seen.size >= states.length - 2);
});

test('words: nothing is said twice; the owner’s own words are shown', () => {
  const say = (reason, text) => view.stateWords({ kind: 'bye', reason, text }).long;
  assert.doesNotMatch(say(lib.ByeReason.REVOKED, 'this link was revoked'), /this link was revoked/);
  assert.equal(say(lib.ByeReason.KICKED, ''), 'The owner has removed you from this session.');
  assert.match(say(lib.ByeReason.KICKED, 'lunch'), /removed you.*“lunch”$/);
  assert.equal(say(200, 'news of a later version'), 'news of a later version');
});

test('words: how programs end', () => {
  assert.equal(view.exitWords({ how: 0, status: 0 }), 'exited with status 0');
  assert.equal(view.exitWords({ how: 1, status: 9 }), 'killed by SIGKILL');
  assert.equal(view.exitWords({ how: 1, status: 44 }), 'killed by signal 44');
  const ended = view.stateWords({ kind: 'bye', reason: lib.ByeReason.ENDED, text: '' }, { how: 0, status: 2 });
  assert.equal(ended.short, 'Ended, exited 2');
  assert.equal(ended.long, 'The program exited with status 2.');
  assert.equal(ended.retry, undefined);
});

test('words: who could read depends on who served the page', () => {
  const facts = { daemonKey: new Uint8Array(32), hostLabel: '', socketUrl: 'wss://relay.example/ws' };
  const say = (pageUrl) => view.whoCanRead({ ...facts, pageUrl }).join(' ');
  assert.match(say('https://relay.example/x/'), /could serve an altered page/);
  assert.match(say('https://pages.example/'), /sees sealed bytes only/);
  assert.match(say('file:///home/me/vitrine.html'), /saved file/);
});

// --- write queue ----------------------------------------------------------------------------------

/** A terminal that parses when told to. */
function slowSink() {
  const held = [];
  const sink = (data, parsed) => held.push({ data, parsed });
  return { held, sink, parse: () => held.shift().parsed() };
}

test('write queue: bounded, in order, steps wait for what is before them', async () => {
  const { held, sink, parse } = slowSink();
  const queue = new view.WriteQueue(sink);
  const log = [];
  queue.write(new Uint8Array(view.UNPARSED_MAX_BYTES), () => log.push('first'));
  queue.write(new Uint8Array(10), () => log.push('second'));
  queue.run(() => log.push('step'));
  queue.write(new Uint8Array(0), () => log.push('empty'));
  queue.run(() => log.push('last step'));
  let drained = false;
  void queue.drained().then(() => (drained = true));
  assert.equal(held.length, 1);
  parse();
  assert.deepEqual(log, ['first']);
  parse();
  assert.deepEqual(log, ['first', 'second', 'step']);
  await Promise.resolve();
  assert.equal(drained, false);
  parse();
  assert.deepEqual(log, ['first', 'second', 'step', 'empty', 'last step']);
  await Promise.resolve();
  assert.equal(drained, true);
});

test('write queue: large data goes in pieces that never cut a character; done comes once', () => {
  const { held, sink, parse } = slowSink();
  const queue = new view.WriteQueue(sink);
  const text = '€'.repeat(300_000);
  let done = 0;
  queue.write(lib.utf8(text), () => done++);
  let seen = '';
  while (held.length > 0) {
    assert.ok(held.reduce((sum, { data }) => sum + data.length, 0) <= view.UNPARSED_MAX_BYTES);
    assert.equal(done, 0);
    seen += new TextDecoder('utf-8', { fatal: true }).decode(held[0].data);
    parse();
  }
  assert.ok(seen === text);
  assert.equal(done, 1);
});

// --- with a terminal --------------------------------------------------------------------------------

const write = (terminal, data) => new Promise((resolve) => terminal.write(data, resolve));
const terminalOf = (options) => new Terminal({ allowProposedApi: true, cols: 20, rows: 5, scrollback: 100, ...options });

test('answer guard: nothing that is parsed speaks, whatever comes with it', async () => {
  const terminal = terminalOf();
  const guard = new view.AnswerGuard(terminal.parser);
  const said = [];
  terminal.onData((data) => guard.isOpen && said.push(data));
  terminal.onBinary((data) => guard.isOpen && said.push(data));
  for (const query of QUERIES) await write(terminal, query);
  await write(terminal, QUERIES.join('text'));
  assert.deepEqual(said, []);
  terminal.input('typed');
  assert.deepEqual(said, ['typed']);
  guard.dispose();
  await write(terminal, '\x1b[c');
  assert.equal(said.length, 2, 'without the guard the terminal does answer');
});

test('answer guard: what sets something is still acted on', async () => {
  const terminal = terminalOf();
  new view.AnswerGuard(terminal.parser);
  await write(terminal, '\x1b[?1004h\x1b[?1h');
  assert.equal(terminal.modes.sendFocusMode, true);
  assert.equal(terminal.modes.applicationCursorKeysMode, true);
});

const lines = (from, to) => Array.from({ length: to - from }, (_, i) => `line ${from + i}`).join('\r\n');
const topLine = (terminal) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY).translateToString(true);

test('scroll memory: the same line is on top after a keyframe with other history', async () => {
  const terminal = terminalOf();
  const memory = selectionless(new view.ScrollMemory(terminal));
  await write(terminal, lines(1000, 1050));
  memory.restart(1000);
  terminal.scrollToLine(10);
  assert.equal(topLine(terminal), 'line 1010');
  const place = memory.place();
  await write(terminal, `\x1bc${lines(1005, 1080)}`);
  memory.restart(1005);
  memory.restore(place);
  assert.equal(topLine(terminal), 'line 1010');
});

test('scroll memory: lines thrown away are counted', async () => {
  const terminal = terminalOf();
  const memory = selectionless(new view.ScrollMemory(terminal));
  await write(terminal, lines(0, 50));
  memory.restart(0);
  for (let i = 50; i < 400; i += 10) {
    await write(terminal, `\r\n${lines(i, i + 10)}`);
    memory.follow();
  }
  const first = terminal.buffer.active.getLine(0).translateToString(true);
  assert.equal(`line ${memory.first()}`, first);
});

test('scroll memory: at the end stays at the end', async () => {
  const terminal = terminalOf();
  const memory = selectionless(new view.ScrollMemory(terminal));
  await write(terminal, lines(0, 50));
  memory.restart(0);
  const place = memory.place();
  await write(terminal, `\x1bc${lines(0, 80)}`);
  memory.restart(0);
  memory.restore(place);
  assert.equal(topLine(terminal), 'line 75');
});

// The headless terminal has no selection.
function selectionless(memory) {
  memory.terminal.getSelectionPosition = () => undefined;
  return memory;
}

test('find: hits across wrapped lines, without regard to case', async () => {
  const terminal = terminalOf({ cols: 10 });
  await write(terminal, 'alpha\r\n12345678ALPHA\r\nno');
  const hits = view.findAll(terminal.buffer.active, 10, 'Alpha');
  assert.deepEqual(hits, [{ row: 0, col: 0, length: 5 }, { row: 1, col: 8, length: 5 }]);
  assert.deepEqual(view.findAll(terminal.buffer.active, 10, ''), []);
});

test('text of a buffer: wrapped lines are one, blanks at the end are gone', async () => {
  const terminal = terminalOf({ cols: 10 });
  await write(terminal, '1234567890abc\r\nx\r\n\r\n');
  assert.equal(view.bufferText(terminal.buffer.active), '1234567890abc\nx\n');
});

// --- what is built ----------------------------------------------------------------------------------

test('the page: small, and without anything inline or foreign', () => {
  const dist = path.join(web, 'dist');
  const size = readdirSync(dist).reduce((sum, name) => sum + gzipSync(readFileSync(path.join(dist, name))).length, 0);
  assert.ok(size < 250 * 1024, `${size} bytes`);
  const html = readFileSync(path.join(dist, 'index.html'), 'utf8');
  assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:|https?:\/\//i);
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/);
  assert.ok(existsSync(path.join(dist, 'licenses.txt')));
});

test('the page: the same sources give the same bytes', (t) => {
  const out = mkdtempSync(path.join(tmpdir(), 'vitrine-page-'));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  cpSync(path.join(web, 'gen'), path.join(out, 'gen'), { recursive: true });
  execFileSync(process.execPath, [path.join(root, 'web/build.mjs'), out]);
  const names = readdirSync(path.join(out, 'dist'));
  assert.ok(names.includes('app.js'));
  for (const name of names) {
    const [one, other] = [web, out].map((place) => readFileSync(path.join(place, 'dist', name)));
    assert.ok(one.equals(other), name);
  }
});

test('the page: the notices name everything that is bundled', () => {
  const notices = readFileSync(path.join(web, 'dist/licenses.txt'), 'utf8');
  for (const name of ['@xterm/xterm', '@xterm/addon-webgl', '@xterm/addon-unicode11', '@xterm/addon-web-links']) {
    assert.match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
  }
});

const QUERIES = [
  '\x1b[c', '\x1b[0c', '\x1b[>c', '\x1b[=c', '\x1b[5n', '\x1b[6n', '\x1b[?6n', '\x1b[?25$p', '\x1b[4$p', '\x1b[?2026$p',
  '\x1bP$qm\x1b\\', '\x1bP$q"p\x1b\\', '\x1bP+q544e\x1b\\', '\x1b]4;1;?\x07', '\x1b]4;1;?;2;rgb:00/00/00\x07',
  '\x1b]10;?\x07', '\x1b]11;?\x1b\\', '\x1b]12;?\x07', '\x1b]10;?;?;?\x07', '\x1b]52;c;?\x07', '\x1b[14t', '\x1b[18t',
  '\x1b[21t', '\x1b[>q', '\x1b[?u', '\x1b[x', '\x1b[?1004h', '\x1b[?1;1;0S', '\x05',
];
