// History: lines asked for by absolute number are the lines the reference has in its scrollback.
//
// A page cannot prepend lines to its terminal: it joins without history and fills a second terminal
// from HISTORY answers, page by page going back. Here the same is done, and the second terminal's
// lines must be the reference's, cell by cell, in whatever portions they were asked for.

import assert from 'node:assert/strict';
import test from 'node:test';

import { withDriver } from './driver.mjs';
import { unescape } from './escape.mjs';
import { generate } from './generate.mjs';
import { HISTORY_LINES } from './join.mjs';
import { lineText, wrapped } from './state.mjs';
import { recorded } from './stream.mjs';
import { Viewer } from './xterm.mjs';

const PORTIONS = [1, 7, 1000];

/** Every scrollback line, going back in portions as a page does: [{firstLine, count, vt}], oldest first. */
async function fetchBack(driver, before, oldest, portion) {
  const answers = [];
  while (before > oldest) {
    const answer = await driver.history(before, portion);
    assert.equal(answer.firstLine + answer.count, before, 'lines end where they were asked to');
    assert.ok(answer.count > 0 && answer.count <= portion);
    answers.unshift(answer);
    before = answer.firstLine;
  }
  assert.equal(before, oldest);
  return answers;
}

function textOf(viewer, from, count) {
  const { lines } = viewer.core.buffers.normal;
  return Array.from({ length: count }, (_, i) => lineText(viewer, lines.get(from + i)));
}

/** Compares one answer, written to a second terminal, with the reference's lines from `from` on. */
function compareAnswer(reference, answer, from) {
  const second = new Viewer(reference.term.cols, reference.term.rows);
  second.write(answer.vt);
  assert.deepEqual(textOf(second, 0, answer.count), textOf(reference, from, answer.count));
  for (let i = 1; i < answer.count; i++) {
    assert.equal(wrapped(second, i), wrapped(reference, from + i), `wrapping of line ${from + i}`);
  }
}

async function compareHistory(driver, { name, segments }) {
  const [{ cols, rows, bytes }] = segments;
  const reference = new Viewer(cols, rows);
  reference.write(bytes);
  driver.create(cols, rows, HISTORY_LINES);
  driver.feed(bytes);
  const keyframe = await driver.keyframe(HISTORY_LINES);
  const lines = reference.core.buffers.normal.ybase;
  assert.equal(keyframe.historyLines, lines, `${name}: lines of scrollback`);
  for (const portion of PORTIONS) {
    const end = keyframe.firstLine + keyframe.historyLines;
    for (const answer of await fetchBack(driver, end, keyframe.firstLine, portion)) {
      compareAnswer(reference, answer, answer.firstLine - keyframe.firstLine);
    }
  }
  return lines;
}

function one(name, cols, rows, text) {
  return { name, segments: [{ cols, rows, bytes: unescape(text) }] };
}

test('history lines are the scrollback lines', (t) => withDriver(async (driver) => {
  const streams = [
    one('plain', 20, 4, '\\{30:line\\r\\n}'), one('wrapped', 10, 3, '\\{9:0123456789abcdefghij123\\r\\n}'),
    one('coloured', 20, 3, '\\{9:\\e[41mred \\e[4:3mwave\\e[0;44m\\e[K\\e[m\\r\\n}'),
    one('wide', 9, 3, '\\{9:漢字漢字漢字 e\u0301\\r\\n}'),
    one('links', 20, 3, '\\{9:\\e]8;;http://a.example/\\alink\\e]8;;\\a\\r\\n}'),
    ...['mixed', 'scroll', 'wide'].map((kind) => generate(kind, 77, 6000, [[30, 5]])),
    ...recorded(),
  ];
  let lines = 0;
  for (const stream of streams) lines += await compareHistory(driver, stream);
  t.diagnostic(`${streams.length} streams, ${lines} lines, in portions of ${PORTIONS.join(', ')}`);
  assert.ok(lines > 100);
}));

test('numbers stay true when old lines are dropped', () => withDriver(async (driver) => {
  driver.create(20, 4, 50);
  for (let i = 0; i < 200; i++) driver.feed(Buffer.from(`line ${i}\r\n`));
  const { firstLine, historyLines } = await driver.keyframe(1000);
  assert.deepEqual([firstLine, historyLines], [147, 50]);
  assert.equal((await driver.history(150, 2)).vt.toString(), 'line 148\r\nline 149\r\n');
  const reached = await driver.history(149, 10);
  assert.deepEqual([reached.firstLine, reached.count], [147, 2]);
  assert.equal((await driver.history(147, 10)).count, 0);
  assert.equal((await driver.history(0, 10)).count, 0);
  assert.equal((await driver.keyframe(3)).historyLines, 3);
}));
