// Widths: every character of Unicode moves the cursor in the daemon's screen as far as in xterm.js.

import assert from 'node:assert/strict';
import test from 'node:test';

import { withDriver } from './driver.mjs';
import { Viewer } from './xterm.mjs';

const PLANE = 0x10000;
const PLANES = 17;
const ASK = '\r\x1b[K';

/** The code points of a plane that can be printed. */
function printable(plane) {
  const codes = Array.from({ length: PLANE }, (_, i) => plane * PLANE + i);
  return codes.filter((c) => c >= 0x20 && (c < 0x7f || c >= 0xa0) && (c < 0xd800 || c > 0xdfff));
}

/** How far the cursor moved for each answer to DSR, behind one letter: 0, 1 or 2. */
function widths(answers) {
  return [...answers.matchAll(/\x1b\[1;(\d+)R/g)].map(([, column]) => Number(column) - 2);
}

test('all characters are as wide as in xterm.js', (t) => withDriver(async (driver) => {
  let compared = 0;
  const viewer = new Viewer(20, 4);
  driver.create(20, 4, 0);
  for (let plane = 0; plane < PLANES; plane++) {
    const codes = printable(plane);
    const bytes = Buffer.from(codes.map((c) => `${ASK}a${String.fromCodePoint(c)}\x1b[6n`).join(''));
    viewer.answers.length = 0;
    viewer.write(bytes);
    const expected = widths(viewer.answers.join(''));
    const got = widths((await driver.feed(bytes)).toString('latin1'));
    assert.equal(expected.length, codes.length);
    assert.equal(got.length, codes.length);
    const wrong = codes.filter((_, i) => expected[i] !== got[i]).map((c) => c.toString(16));
    assert.deepEqual(wrong, [], `plane ${plane}`);
    assert.ok(plane > 2 || new Set(expected).size > 1, `plane ${plane} has more than one width`);
    compared += codes.length;
  }
  t.diagnostic(`${compared} characters`);
}));
