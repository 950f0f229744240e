// The dialect: every line of table.txt fed to xterm.js and to the daemon's screen. At the end, and
// after every byte, a keyframe plus the bytes behind it must give xterm.js's own state; then both
// terminals get the same probes and must stay equal.
//
// Differences that remain are listed in known.txt (name, tab, reason). A listed difference is
// counted and printed; an unlisted one fails; a listed one that is gone fails too, so that the
// list stays true.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { withDriver } from '../oracle/driver.mjs';
import { escape, unescape } from '../oracle/escape.mjs';
import { diff, equal } from '../oracle/state.mjs';
import { Viewer } from '../oracle/xterm.mjs';
import { PROBES } from './probes.mjs';

const HISTORY_LINES = 10000;
const MINIMUM_LINES = 100;

function rows(name) {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
}

function table() {
  return rows('table.txt').map(([name, size, text]) => {
    const [cols, lines] = size.split('x').map(Number);
    return { name, cols, rows: lines, bytes: unescape(text) };
  });
}

/** The first difference at one cut, or null. `end` bytes have been fed to the reference. */
function compareCut(line, reference, keyframe, end) {
  const joiner = new Viewer(line.cols, line.rows);
  joiner.applyKeyframe(keyframe);
  joiner.write(line.bytes.subarray(keyframe.offset, end));
  if (!equal(reference, joiner, true)) return { end, keyframe, lines: diff(reference, joiner, true) };
  if (end < line.bytes.length) return null;
  for (const probe of PROBES) {
    reference.write(probe);
    joiner.write(probe);
    if (equal(reference, joiner, true)) continue;
    const lines = [`after probe ${escape(probe)}`, ...diff(reference, joiner, true)];
    return { end, keyframe, lines };
  }
  return null;
}

async function compareLine(driver, line) {
  driver.create(line.cols, line.rows, HISTORY_LINES);
  const keyframes = [driver.keyframe(HISTORY_LINES)];
  for (let at = 0; at < line.bytes.length; at++) {
    driver.feed(line.bytes.subarray(at, at + 1));
    keyframes.push(driver.keyframe(HISTORY_LINES));
  }
  const reference = new Viewer(line.cols, line.rows);
  const differences = [];
  for (let end = 0; end <= line.bytes.length; end++) {
    if (end) reference.write(line.bytes.subarray(end - 1, end));
    const difference = compareCut(line, reference, await keyframes[end], end);
    if (difference) differences.push(difference);
  }
  return { cuts: line.bytes.length + 1, differences };
}

function explain(line, { end, keyframe, lines }) {
  const text = escape(line.bytes.subarray(0, end));
  return [`  ${line.name} at byte ${end} (${line.cols}x${line.rows} ${text}), reference / keyframe:`,
    ...lines.map((part) => `    ${part}`), `    keyframe ${keyframe.offset}: ${escape(keyframe.vt)}`];
}

test('every line of the dialect joins alike', async (t) => {
  const known = new Map(rows('known.txt').map(([name, reason]) => [name, reason]));
  const only = process.env.DIALECT_ONLY?.split(',');
  const lines = table().filter(({ name }) => !only || only.includes(name));
  const failed = [];
  const named = [];
  let cuts = 0;
  let equalCuts = 0;
  await withDriver(async (driver) => {
    for (const line of lines) {
      const result = await compareLine(driver, line);
      cuts += result.cuts;
      equalCuts += result.cuts - result.differences.length;
      if (!result.differences.length) continue;
      if (known.has(line.name)) named.push(line.name);
      else failed.push(explain(line, result.differences[0]).join('\n'));
    }
  });
  t.diagnostic(`dialect: ${lines.length} sequences, ${lines.length - failed.length - named.length} ` +
    `equal, ${named.length} named differences; cuts tried ${cuts}, equal ${equalCuts}`);
  for (const name of named) t.diagnostic(`named difference: ${name}: ${known.get(name)}`);
  assert.ok(failed.length === 0, `${failed.length} sequences differ:\n${failed.join('\n')}`);
  if (only) return;
  assert.ok(lines.length >= MINIMUM_LINES);
  const gone = [...known.keys()].filter((name) => !named.includes(name));
  assert.deepEqual(gone, [], 'known.txt names differences that are gone');
});
