// Tests of the oracle itself, without the daemon: that it notices what it must notice, that its
// reset resets, and that xterm.js's own state does not depend on how its input is cut.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { escape, unescape } from './escape.mjs';
import { generated, random } from './generate.mjs';
import { diff, equal, wrapped } from './state.mjs';
import { decode, recorded } from './stream.mjs';
import { REPEAT_MAX, RESET, Viewer } from './xterm.mjs';

const COLS = 20;
const ROWS = 5;

// Each pair differs in one thing a viewer can see or a program can meet later.
const DIFFERENT = [
  ['a', 'b'], ['a', 'a '], [' ', ''], ['\\e[1ma\\e[m', 'a'], ['\\e[31ma\\e[m', '\\e[38;5;1ma\\e[m'],
  ['\\e[4ma\\e[m', '\\e[4:3ma\\e[m'], ['\\e[4;58;5;1ma\\e[m', '\\e[4ma\\e[m'], ['\\e[31m', ''],
  ['\\e[41m\\e[K\\e[m', ''], ['\\e[4:3m\\e[24m\\e[58;5;1m', ''], ['\\e]8;;a\\ax\\e]8;;\\a', 'x'],
  ['\\e]8;;a\\ax\\e]8;;\\a', '\\e]8;;b\\ax\\e]8;;\\a'], ['\\e]8;;a\\a', ''], ['\\e[2;3H', ''],
  ['01234567890123456789', '01234567890123456789\\b\\e[C'], ['\\e7', 'a\\e7\\b \\b'],
  ['\\e[2;3H\\e7\\e[H', ''], ['\\e[31m\\e7\\e[m', ''], ['\\e(0\\e7\\e(B', ''], ['\\e[2;4r', ''],
  ['\\e[3GA\\e[3G \\r\\e[3G\\eH\\r', '\\e[3GA\\e[3G \\r'], ['\\e)0', ''], ['\\x0e', ''], ['\\e[4h', ''],
  ['\\e[20h', ''], ['\\e[?1h', ''], ['\\e=', ''], ['\\e[?6h', ''], ['\\e[?7l', ''], ['\\e[?12h', ''],
  ['\\e[?25l', ''], ['\\e[?45h', ''], ['\\e[?1000h', ''], ['\\e[?1006h', ''], ['\\e[?1004h', ''],
  ['\\e[?2004h', ''], ['\\e[?2026h', ''], ['\\e[3 q', ''], ['\\e[?47h', ''], ['\\e[?47hab\\e[?47l', 'ab\\e[D\\e[D'],
  ['\\e[?47h\\e[2;2H\\e7\\e[H\\e[?47l', ''], ['\\e[?47ha\\e[H', '\\e[?47hb\\e[H'], ['\\e]2;t\\a', ''],
  ['\\e]2;t\\a\\e[22;2t', '\\e]2;t\\a'],
  ['\\e]4;1;#123456\\a', ''], ['\\e]10;#123456\\a', ''], ['a', 'a\\e[m'], ['\\e', ''], ['\\xe2', ''],
  ['0123456789012345678901', '01234567890123456789\\r\\n01'], ['\\{6:\\n}\\e[H', '\\{5:\\n}\\e[H'],
  ['a\\{6:\\n}\\e[H', '\\e[C\\{6:\\n}\\e[H'], ['e\\u{301}\\e[m', 'e\\e[m'], ['\\e[1\\x22q', ''],
];

function fed(text, cols = COLS, rows = ROWS) {
  const viewer = new Viewer(cols, rows);
  viewer.write(typeof text === 'string' ? unescape(text) : text);
  return viewer;
}

test('different states compare unequal, equal ones equal', () => {
  for (const [a, b] of DIFFERENT) {
    assert.ok(!equal(fed(a), fed(b), true), `${a} and ${b} were taken for the same`);
    assert.ok(diff(fed(a), fed(b), true).length > 0, `no difference shown for ${a} and ${b}`);
    assert.ok(equal(fed(a), fed(a), true), `${a} differs from itself`);
  }
});

test('the in-band reset leaves nothing behind', () => {
  for (const text of DIFFERENT.flat()) {
    const viewer = fed(text);
    viewer.applyKeyframe({ cols: COLS, rows: ROWS, vt: Buffer.alloc(0) });
    assert.deepEqual(diff(new Viewer(COLS, ROWS), viewer, true), [], `after ${text} and ${escape(Buffer.from(RESET))}`);
  }
});

function assertCutIndependent(name, cols, rows, bytes, step) {
  const whole = fed(bytes, cols, rows);
  const pieces = new Viewer(cols, rows);
  for (let at = 0; at < bytes.length;) {
    const n = step();
    pieces.write(bytes.subarray(at, at + n));
    at += n;
  }
  assert.deepEqual(diff(whole, pieces, true), [], name);
}

test('a terminal does not depend on how its input is cut', () => {
  const text = readFileSync(new URL('../dialect/table.txt', import.meta.url), 'utf8');
  for (const line of text.split('\n').filter((row) => row && !row.startsWith('#'))) {
    const [name, size, sequence] = line.split('\t');
    const [cols, rows] = size.split('x').map(Number);
    assertCutIndependent(name, cols, rows, unescape(sequence), () => 1);
  }
  const r = random(1);
  for (const { name, segments: [{ cols, rows, bytes }] } of [...generated(), ...recorded()]) {
    assertCutIndependent(name, cols, rows, bytes, () => 1 + r.below(7));
  }
});

test('counts beyond the screen are bounded and do the same', () => {
  for (const final of ['L', 'M', 'S', 'T', 'I', 'Z']) {
    const start = 'a\\tb\\r\\nc\\r\\nd\\e[2;9H';
    const huge = fed(`${start}\\e[2147483647${final}x`);
    assert.deepEqual(diff(fed(`${start}\\e[${COLS}${final}x`), huge, true), [], final);
  }
  const repeated = fed('a\\e[2147483647b');
  assert.equal(repeated.core.buffers.normal.ybase, Math.ceil((1 + REPEAT_MAX) / COLS) - ROWS);
});

test('ED 1 in the bottom right corner erases', () => {
  for (const erase of ['\\e[1J', '\\e[?1J']) {
    const text = `abc\\e[${ROWS};${COLS}Hx`;
    assert.deepEqual(diff(fed(`${text}\\e[2J`), fed(text + erase), true), [], erase);
  }
});

test('ED 1 in the last column ends the wrapping of erased rows and of the one below', () => {
  const row = '0123456789'.repeat(COLS / 10);
  const wrappedRows = (text) => {
    const viewer = fed(text);
    return Array.from({ length: 3 + ROWS }, (_, y) => wrapped(viewer, y));
  };
  const text = row.repeat(ROWS + 3); // three lines of scrollback, all rows wrapped
  assert.deepEqual(wrappedRows(text), [false, true, true, true, true, true, true, true]);
  const erased = wrappedRows(`${text}\\e[3;${COLS}H\\e[1J`);
  assert.deepEqual(erased, [false, true, true, false, false, false, false, true]);
});

test('the readable form of bytes reads back', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  assert.deepEqual(unescape(escape(bytes)), bytes);
  assert.deepEqual(unescape('\\{3:ab}\\u{6f22}'), Buffer.from('ababab漢'));
  assert.throws(() => unescape('\\q'));
});

test('stream files decode to segments', () => {
  const file = Buffer.from('VTS1\nS\0\x50\0\x18D\0\0\0\x02hiS\0\x0a\0\x05D\0\0\0\x01!', 'latin1');
  assert.deepEqual(decode(file), [
    { cols: 80, rows: 24, bytes: Buffer.from('hi') }, { cols: 10, rows: 5, bytes: Buffer.from('!') }]);
  assert.throws(() => decode(Buffer.from('VTS0\n')));
  assert.throws(() => decode(Buffer.concat([file, Buffer.from('X')])));
});
