// Queries: each is answered exactly once, with the bytes of this table, whoever is watching.
//
// Where xterm.js answers a query itself its answer is the table's (checked against xterm.js here);
// the rest are answers xterm.js leaves to the page. Keyframes must hold no query: a terminal that
// applies one says nothing.

import assert from 'node:assert/strict';
import test from 'node:test';

import { withDriver } from './driver.mjs';
import { escape, unescape } from './escape.mjs';
import { Viewer } from './xterm.mjs';

const COLS = 80;
const ROWS = 24;

// what is written, what the program gets, and whether xterm.js gives the same answer
const XTERM = true;
const OURS = false;
const TABLE = [
  ['\\e[c', '\\e[?1;2c', XTERM], ['\\e[0c', '\\e[?1;2c', XTERM], ['\\e[1c', '', XTERM],
  ['\\e[>c', '\\e[>0;276;0c', XTERM], ['\\e[>0c', '\\e[>0;276;0c', XTERM], ['\\e[>1c', '', XTERM],
  ['\\e[5n', '\\e[0n', XTERM], ['\\e[6n', '\\e[1;1R', XTERM], ['\\e[?6n', '\\e[?1;1R', XTERM],
  ['\\e[4;7H\\e[6n', '\\e[4;7R', XTERM], ['\\e[4;7H\\e[?6n', '\\e[?4;7R', XTERM],
  ['\\e[1;80Hx\\e[6n', '\\e[1;81R', XTERM], ['\\e[5;9r\\e[?6h\\e[6n', '\\e[5;1R', XTERM],
  ['\\e[9n', '', XTERM], ['\\e[?15n', '', XTERM],
  ['\\e[?7$p', '\\e[?7;1$y', XTERM], ['\\e[?7l\\e[?7$p', '\\e[?7;2$y', XTERM],
  ['\\e[?1$p', '\\e[?1;2$y', XTERM], ['\\e[?1h\\e[?1$p', '\\e[?1;1$y', XTERM],
  ['\\e[?25$p', '\\e[?25;1$y', XTERM], ['\\e[?25l\\e[?25$p', '\\e[?25;2$y', XTERM],
  ['\\e[?1049h\\e[?1049$p', '\\e[?1049;1$y', XTERM], ['\\e[?1047$p', '\\e[?1047;2$y', XTERM],
  ['\\e[?2004h\\e[?2004$p', '\\e[?2004;1$y', XTERM], ['\\e[?2026$p', '\\e[?2026;2$y', XTERM],
  ['\\e[?1003h\\e[?1003$p\\e[?1000$p', '\\e[?1003;1$y\\e[?1000;2$y', XTERM],
  ['\\e[?1006h\\e[?1006$p', '\\e[?1006;1$y', XTERM], ['\\e[?1005$p', '\\e[?1005;4$y', XTERM],
  ['\\e[?8$p', '\\e[?8;3$y', XTERM], ['\\e[?12$p', '\\e[?12;2$y', XTERM], ['\\e[?1048$p', '\\e[?1048;1$y', XTERM],
  ['\\e[?9999$p', '\\e[?9999;0$y', XTERM], ['\\e[4$p', '\\e[4;2$y', XTERM], ['\\e[4h\\e[4$p', '\\e[4;1$y', XTERM],
  ['\\e[20$p', '\\e[20;2$y', XTERM], ['\\e[12$p', '\\e[12;3$y', XTERM], ['\\e[2$p', '\\e[2;4$y', XTERM],
  ['\\e[99$p', '\\e[99;0$y', XTERM],
  ['\\eP$qr\\e\\\\', '\\eP1$r1;24r\\e\\\\', XTERM], ['\\e[3;9r\\eP$qr\\e\\\\', '\\eP1$r3;9r\\e\\\\', XTERM],
  ['\\eP$q"q\\e\\\\', '\\eP1$r0"q\\e\\\\', XTERM], ['\\e[1"q\\eP$q"q\\e\\\\', '\\eP1$r1"q\\e\\\\', XTERM],
  ['\\eP$q"p\\e\\\\', '\\eP1$r61;1"p\\e\\\\', XTERM], ['\\eP$qm\\e\\\\', '\\eP1$r0m\\e\\\\', XTERM],
  ['\\eP$q q\\e\\\\', '\\eP1$r2 q\\e\\\\', XTERM], ['\\eP$qz\\e\\\\', '\\eP0$r\\e\\\\', XTERM],
  ['\\e[18t', '\\e[8;24;80t', OURS], ['\\e[14t', '\\e[4;384;640t', OURS],
  ['\\e[16t', '\\e[6;16;8t', OURS], ['\\e[21t', '', OURS],
  ['\\e]52;c;?\\a', '', XTERM], ['\\e]8;;?\\a', '', XTERM], ['\\e]2;?\\a', '', XTERM],
  ['\\x05', '', XTERM], ['\\e[=c', '', XTERM], ['\\e[x', '', XTERM], ['\\eZ', '', XTERM],
];
// Answered, once, with an answer of our own choice of this form.
const FORMS = [
  ['\\e]10;?\\a', /^\x1b\]10;rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}(\x07|\x1b\\)$/],
  ['\\e]11;?\\a', /^\x1b\]11;rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}(\x07|\x1b\\)$/],
  ['\\e]12;?\\a', /^\x1b\]12;rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}(\x07|\x1b\\)$/],
  ['\\e]4;1;?\\a', /^\x1b\]4;1;rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}(\x07|\x1b\\)$/],
  ['\\e]11;#102030\\a\\e]11;?\\a', /^\x1b\]11;rgb:1010\/2020\/3030(\x07|\x1b\\)$/],
  ['\\e]4;7;#102030\\a\\e]4;7;?\\a', /^\x1b\]4;7;rgb:1010\/2020\/3030(\x07|\x1b\\)$/],
  ['\\e[>q', /^\x1bP>\|[ -~]+\x1b\\$/],
];

async function answerOf(driver, bytes, piece) {
  driver.create(COLS, ROWS, 100);
  let answer = '';
  for (let at = 0; at < bytes.length; at += piece) {
    answer += (await driver.feed(bytes.subarray(at, at + piece))).toString('latin1');
  }
  return answer;
}

test('queries are answered once, whole or byte by byte', (t) => withDriver(async (driver) => {
  for (const [query, expected, same] of TABLE) {
    const bytes = unescape(query);
    const viewer = new Viewer(COLS, ROWS);
    viewer.write(bytes);
    if (same) assert.equal(escape(Buffer.from(viewer.answers.join(''))), expected, `xterm.js on ${query}`);
    for (const piece of [bytes.length, 1]) {
      const answer = await answerOf(driver, bytes, piece);
      assert.equal(escape(Buffer.from(answer, 'latin1')), expected, `${query} in pieces of ${piece}`);
    }
  }
  for (const [query, form] of FORMS) {
    for (const piece of [1000, 1]) assert.match(await answerOf(driver, unescape(query), piece), form, query);
  }
  t.diagnostic(`${TABLE.length + FORMS.length} queries`);
}));

test('a keyframe asks nothing', () => withDriver(async (driver) => {
  for (const [query] of [...TABLE, ...FORMS]) {
    const bytes = unescape(query);
    driver.create(COLS, ROWS, 100);
    for (let at = 0; at < bytes.length; at++) {
      driver.feed(bytes.subarray(at, at + 1));
      const viewer = new Viewer(COLS, ROWS);
      viewer.applyKeyframe(await driver.keyframe(100));
      assert.deepEqual(viewer.answers, [], `keyframe after ${at + 1} bytes of ${query}`);
    }
  }
}));
