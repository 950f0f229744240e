// The modules behind panes and windows, without DOM: what is made of a LAYOUT, honest or not; where
// panes and borders stand; commands and their answers; and what the viewer keeps of panes that left.

import test from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { lib, require, seeded, until, web } from './setup.mjs';
import { FakeWindows } from './fake_windows.mjs';

const view = await import(path.join(web, 'lib/view.mjs'));
const WebSocket = require('ws');
const openSocket = (url, protocol) => new WebSocket(url, protocol, { perMessageDeflate: false });
const { Direction, PaneFlag, WindowFlag } = lib;
const T = lib.MessageType;

const pane = (id, x, y, cols, rows, flags = 0, title = '') => ({ id, x, y, cols, rows, flags, title });
const layout = (panes, more) => ({ windows: [], cols: 81, rows: 24, panes, ...more });

// --- text from outside --------------------------------------------------------------------------

test('names: one line, nothing unseen, no longer than a name', () => {
  const table = [
    ['plain', 'plain'],
    ['two\nlines\tand tabs', 'two lines and tabs'],
    ['\x1b[31mred\x07', '[31mred'],
    ['\u202eliver\u202c\u2066x\u2069\u200f', 'liverx'],
    ['family 👨‍👩‍👧', 'family 👨‍👩‍👧'],
    ['\ud800 alone', 'alone'],
    ['a'.repeat(200), `${'a'.repeat(80)}…`],
    ['👍'.repeat(81), `${'👍'.repeat(80)}…`],
    ['\u200b\u2028', ''],
  ];
  for (const [text, wanted] of table) assert.equal(lib.plainText(text), wanted, JSON.stringify(text));
});

// --- LAYOUT -------------------------------------------------------------------------------------

test('layout: flags and names are read', () => {
  const windows = [{ id: 7, flags: WindowFlag.ACTIVE | WindowFlag.BELL, name: 'ed\u202eit' }, { id: 8, flags: WindowFlag.VIEWED | WindowFlag.ACTIVITY, name: '' }];
  const read = view.readLayout(layout([pane(1, 0, 0, 81, 24, PaneFlag.ACTIVE | PaneFlag.DEAD, 'sh\n')], { windows }));
  assert.deepEqual(read.windows, [
    { id: 7, name: 'edit', active: true, viewed: false, bell: true, activity: false },
    { id: 8, name: '', active: false, viewed: true, bell: false, activity: true },
  ]);
  assert.deepEqual(read.panes, [{ id: 1, x: 0, y: 0, cols: 81, rows: 24, active: true, zoomed: false, dead: true, title: 'sh' }]);
  assert.equal(read.isArranged, true);
});

test('layout: what is no arrangement is said to be none', () => {
  const table = {
    'side by side': [layout([pane(1, 0, 0, 40, 24), pane(2, 41, 0, 40, 24)]), true],
    'touching': [layout([pane(1, 0, 0, 40, 24), pane(2, 40, 0, 41, 24)]), true],
    'one on the other': [layout([pane(1, 0, 0, 41, 24), pane(2, 40, 0, 40, 24)]), false],
    'the same twice': [layout([pane(1, 0, 0, 40, 24), pane(1, 41, 0, 40, 24)]), false],
    'no width': [layout([pane(1, 0, 0, 0, 24), pane(2, 41, 0, 40, 24)]), false],
    'no height': [layout([pane(1, 0, 0, 40, 0)]), false],
    'beside the grid': [layout([pane(1, 0, 0, 40, 24), pane(2, 42, 0, 40, 24)]), false],
    'below the grid': [layout([pane(1, 0, 1, 81, 24)]), false],
    'far away': [layout([pane(1, 65535, 65535, 65535, 65535)]), false],
    'a grid for a stadium': [layout([pane(1, 0, 0, 80, 24)], { cols: 65535, rows: 65535 }), false],
    'no panes': [layout([], { cols: 0, rows: 0 }), true],
  };
  for (const [name, [message, arranged]] of Object.entries(table)) {
    assert.equal(view.readLayout(message).isArranged, arranged, name);
  }
});

test('layout: lists are bounded; the active and the viewed one are always kept', () => {
  const windows = Array.from({ length: 10_000 }, (_, id) => ({ id, flags: id === 9000 ? WindowFlag.ACTIVE : id === 9999 ? WindowFlag.VIEWED : 0, name: 'n'.repeat(400) }));
  const panes = Array.from({ length: 300 }, (_, i) => pane(i, i, 0, 1, 24, i === 299 ? PaneFlag.ACTIVE : 0));
  const read = view.readLayout(layout(panes, { windows, cols: 300 }));
  assert.equal(read.windows.length, view.WINDOWS_MAX);
  assert.deepEqual(read.windows.slice(-2).map(({ id }) => id), [9000, 9999]);
  assert.equal(read.windowsLeftOut, 10_000 - view.WINDOWS_MAX);
  assert.equal(read.panes.length, view.PANES_MAX);
  assert.equal(read.panes.at(-1).id, 299);
  assert.equal(read.panesLeftOut, 300 - view.PANES_MAX);
});

// --- borders ------------------------------------------------------------------------------------

/** A random window, as the daemon splits: a tree, its panes' places, and its borders. */
function randomWindow(random, cols, rows) {
  const panes = [];
  let id = 0;
  const split = (x, y, w, h, not, depth) => {
    const axis = not === 'x' ? 'y' : not === 'y' ? 'x' : random() < 0.5 ? 'x' : 'y';
    const length = axis === 'x' ? w : h;
    const parts = 2 + Math.floor(random() * 2);
    if (depth === 0 || length < 4 * parts || random() < 0.25) return void panes.push(pane(++id, x, y, w, h));
    let at = 0;
    for (let i = 0; i < parts; i++) {
      const rest = length - at - (parts - 1 - i) * 4;
      const size = i === parts - 1 ? length - at : 3 + Math.floor(random() * (rest - 3) * 0.6);
      if (axis === 'x') split(x + at, y, size, h, axis, depth - 1);
      else split(x, y + at, w, size, axis, depth - 1);
      at += size + 1;
    }
  };
  split(0, 0, cols, rows, undefined, 3);
  return panes;
}

/** Every free line between two neighbours, as cells: "x 40 3" is column 40 at row 3. */
function freeCells(panes, cols, rows) {
  const taken = new Set();
  for (const { x, y, cols: w, rows: h } of panes) for (let i = x; i < x + w; i++) for (let j = y; j < y + h; j++) taken.add(`${i} ${j}`);
  const free = [];
  for (let i = 0; i < cols; i++) for (let j = 0; j < rows; j++) if (!taken.has(`${i} ${j}`)) free.push(`${i} ${j}`);
  return free;
}

test('borders: they cover what is free between panes, and each names a pane beside it', () => {
  const random = seeded(7);
  let borders = 0;
  for (let i = 0; i < 300; i++) {
    const panes = randomWindow(random, 120, 50);
    const found = view.bordersOf(panes);
    const free = new Set(freeCells(panes, 120, 50));
    for (const { axis, at, from, to, pane: id } of found) {
      borders++;
      for (let j = from; j < to; j++) assert.ok(free.has(axis === 'x' ? `${at} ${j}` : `${j} ${at}`));
      const p = panes.find((one) => one.id === id);
      const [start, length] = axis === 'x' ? [p.x, p.cols] : [p.y, p.rows];
      assert.ok(start + length === at || start === at + 1, 'the pane stands at the border');
    }
  }
  assert.ok(borders > 500, `${borders} borders`);
});

test('borders: the pane named is one whose nearest row or column has that border', () => {
  const left = pane(1, 0, 0, 40, 24);
  const table = [
    // a row of three: each but the last by the pane before it
    [[left, pane(2, 41, 0, 20, 24), pane(3, 62, 0, 19, 24)], ['x 40 1', 'x 61 2']],
    // a column at the right: the outer border by the left pane, the inner one by the upper
    [[left, pane(2, 41, 0, 40, 12), pane(3, 41, 13, 40, 11)], ['x 40 1', 'y 12 2']],
    // the left half is a row above a pane: a pane that is the last of its row or column is sure too
    [[pane(1, 0, 0, 20, 12), pane(2, 21, 0, 19, 12), pane(3, 0, 13, 40, 11), pane(4, 41, 0, 40, 24)], ['x 40 4', 'y 12 3', 'x 20 1']],
    // four at the left: whichever way they were split, the pane at the right is sure
    [[pane(1, 0, 0, 20, 12), pane(2, 21, 0, 19, 12), pane(3, 0, 13, 20, 11), pane(4, 21, 13, 19, 11), pane(5, 41, 0, 40, 24)], ['x 20 1', 'x 40 5', 'y 12 1', 'y 12 2']],
    [[left], []],
    [[], []],
  ];
  for (const [panes, wanted] of table) {
    const names = view.bordersOf(panes).map(({ axis, at, pane: id }) => `${axis} ${at} ${id}`);
    assert.deepEqual(names, wanted);
  }
});

test('geometry: neighbours share their line, cells stand where the grid says', () => {
  const cell = { width: 7.21875, height: 15 };
  const grid = { cols: 81, rows: 25 };
  const boxes = [pane(1, 0, 0, 40, 25), pane(2, 41, 0, 40, 12), pane(3, 41, 13, 40, 12)].map((place) => view.paneBox(place, grid, cell));
  const [left, upper, lower] = boxes.map(({ frame }) => frame);
  assert.equal(left.left + left.width - 1, upper.left);
  assert.equal(upper.top + upper.height - 1, lower.top);
  const size = view.gridSize(81, 25, cell, view.edgesOf(true));
  assert.equal(upper.left + upper.width, size.width);
  assert.equal(lower.top + lower.height, size.height);
  for (const { frame, cells } of boxes) {
    assert.ok(cells.left >= 0 && cells.top >= 0);
    assert.ok(cells.left + cells.width <= frame.width && cells.top + cells.height <= frame.height);
  }
  const start = ({ frame, cells }) => frame.left + 1 + cells.left;
  assert.ok(Math.abs(start(boxes[1]) - start(boxes[0]) - 41 * cell.width) <= 1);
});

/** A clock whose timers fire when told to. */
class StepClock {
  timers = [];
  now = () => 0;
  random = () => 0;
  set = (action) => this.timers.push(action);
  clear = () => undefined;
  step = async () => {
    for (const action of this.timers.splice(0)) action();
    await new Promise((resolve) => setImmediate(resolve));
  };
}

test('moving a border: one request at a time, and only the newest place is asked for', async () => {
  const clock = new StepClock();
  const asked = [];
  const answers = [];
  const move = new view.BorderMove(40, (cells) => (asked.push(cells), new Promise((resolve) => answers.push(resolve))), clock);
  for (const at of [41, 42, 45, 50]) move.want(at);
  assert.deepEqual(asked, [1]);
  answers.shift()(true);
  await clock.step();
  assert.deepEqual(asked, [1], 'they keep their distance');
  await clock.step();
  assert.deepEqual(asked, [1, 9]);
  move.want(30);
  answers.shift()(true);
  await clock.step();
  await clock.step();
  assert.deepEqual(asked, [1, 9, -20]);
  move.stands(50); // an older layout
  answers.shift()(false);
  await clock.step();
  move.stands(38); // as far as it went; nobody wants it further now
  await clock.step();
  assert.equal(move.isIdle, true);
  move.want(30);
  assert.deepEqual(asked, [1, 9, -20, -8]);
});

test('new lines are counted from where the end went out of view', () => {
  const lines = new view.NewLines();
  assert.equal(lines.update(100, true), 0);
  assert.equal(lines.update(100, false), 0);
  assert.equal(lines.update(103, false), 3);
  assert.equal(lines.update(103, true), 0);
  assert.equal(lines.update(110, false), 0);
  assert.equal(lines.update(undefined, false), 0);
});

// --- commands -----------------------------------------------------------------------------------

test('commands: numbered, answered by number, bounded, lost with the connection', async () => {
  const sent = [];
  let open = true;
  const commands = new lib.Commands((command) => (sent.push(command), open));
  const split = commands.run(lib.CommandOp.SPLIT_H, 3);
  const resize = commands.resize(4, Direction.DOWN, 300);
  assert.deepEqual(sent[0], { request: 1, op: 0, target: 3, arguments: new Uint8Array(0) });
  assert.deepEqual(sent[1].arguments, Uint8Array.of(3, 1, 44));
  commands.answered({ request: 2, result: lib.DoneResult.REFUSED, text: 'no room' });
  commands.answered({ request: 2, result: lib.DoneResult.OK, text: '' });
  commands.answered({ request: 99, result: lib.DoneResult.OK, text: '' });
  commands.answered({ request: 1, result: lib.DoneResult.OK, text: '' });
  assert.deepEqual(await split, { kind: 'done', text: '' });
  assert.deepEqual(await resize, { kind: 'refused', text: 'no room' });
  const many = Array.from({ length: lib.PENDING_MAX + 1 }, () => commands.run(lib.CommandOp.ZOOM, 1));
  assert.equal((await many.at(-1)).kind, 'busy');
  commands.lost();
  assert.deepEqual(new Set((await Promise.all(many)).map(({ kind }) => kind)), new Set(['lost', 'busy']));
  open = false;
  assert.equal((await commands.run(lib.CommandOp.ZOOM, 1)).kind, 'lost');
});

test('commands: every outcome but success has words', () => {
  assert.equal(view.outcomeWords({ kind: 'done', text: 'x' }), '');
  assert.match(view.outcomeWords({ kind: 'refused', text: 'no room' }), /no room$/);
  for (const kind of ['refused', 'busy', 'lost']) assert.match(view.outcomeWords({ kind, text: '' }), /\.$/);
});

// --- people ---------------------------------------------------------------------------------------

test('people: who joins, changes and leaves; a new connection begins anew', () => {
  const people = new lib.People();
  const change = (viewerId, kind, role, name) => ({ viewerId, kind, role, flags: 0, name });
  people.apply({ viewers: 3, changes: [change(1, 0, 0, 'ann\u202e'), change(2, 0, 1, '')] });
  assert.deepEqual(people.list, [{ name: '', mayType: true }, { name: 'ann', mayType: false }]);
  assert.deepEqual(view.peopleWords(people.list), ['Somebody without a name, may type', 'ann']);
  people.apply({ viewers: 2, changes: [change(2, 1, 1, ''), change(1, 2, 1, 'ann')] });
  assert.match(view.viewerWords(people.count, people.list).title, /ann, may type$/);
  people.apply({ viewers: 9, changes: Array.from({ length: 3000 }, (_, i) => change(i + 10, 0, 0, `n${i}`)) });
  assert.equal(people.list.length, 1024);
  assert.equal(view.peopleWords(people.list).at(-1), 'and 1004 more');
  people.clear();
  assert.deepEqual([people.count, people.list.length], [0, 0]);
});

// --- the viewer -----------------------------------------------------------------------------------

const TWO = (daemon) => daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 24, vt: 'one' }, { id: 2, x: 41, y: 0, cols: 40, rows: 24, vt: 'two' }] });

/** A daemon with two panes and a viewer that keeps each pane's text. */
async function pair(t, options = {}) {
  const daemon = await FakeWindows.start({ setUp: TWO, ...options });
  const text = new Map();
  const stream = ({ type, fields, done }) => {
    const before = type === T.KEYFRAME ? '' : text.get(fields.pane);
    text.set(fields.pane, before + new TextDecoder().decode(fields.vt ?? fields.data));
    done();
  };
  const viewer = new lib.Viewer({ link: daemon.url, openSocket, events: { stream } });
  t.after(async () => {
    viewer.stop();
    await daemon.down();
  });
  viewer.start();
  await until(() => viewer.state.kind === 'live' && text.size === 2, 'both panes');
  return { daemon, viewer, text };
}

test('a cut connection resumes with the offset of every pane', async (t) => {
  const { daemon, viewer, text } = await pair(t);
  await daemon.say(1, ' more');
  await until(() => text.get(1) === 'one more', 'output');
  daemon.peer.socket.terminate();
  await until(() => viewer.state.kind !== 'live', 'the loss');
  await daemon.say(2, ' lines');
  await until(() => viewer.state.kind === 'live' && text.get(2) === 'two lines', 'the rest');
  assert.deepEqual(daemon.peer.last(T.JOIN).panes, [{ pane: 1, offset: 5 }, { pane: 2, offset: 0 }]);
  assert.equal(text.get(1), 'one more');
});

test('panes that left the layout are forgotten, in JOIN too', async (t) => {
  const { daemon, viewer, text } = await pair(t);
  daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 2, x: 0, y: 0, cols: 81, rows: 24 }] });
  await daemon.change();
  await until(() => viewer.offsets().length === 1, 'the smaller list');
  assert.deepEqual(viewer.offsets().map(({ pane: id }) => id), [2]);
  await daemon.say(2, '!');
  await until(() => text.get(2).endsWith('!'), 'output');
});

test('ACK counts the bodies of all panes together', async (t) => {
  const { daemon } = await pair(t);
  const size = (bytes) => 4 + 8 + 8 + 2 + 2 + 4 + 1 + bytes;
  const total = 2 * size(3) + 2 * (4 + 8 + 2);
  await daemon.say(1, 'ab');
  await daemon.say(2, 'cd');
  await until(() => daemon.peer.last(T.ACK)?.total === total, 'the total');
});

test('a JOIN stays within 1 KiB, however many panes there are', async (t) => {
  const panes = Array.from({ length: 200 }, (_, i) => ({ id: i + 1, x: 0, y: 2 * i, cols: 10, rows: 1 }));
  const daemon = await FakeWindows.start({ setUp: (d) => d.setWindow(1, { cols: 10, rows: 400, panes }) });
  const viewer = new lib.Viewer({ link: daemon.url, openSocket, name: 'n'.repeat(64), pin: 'p'.repeat(64), client: 'vitrine-page' });
  t.after(async () => {
    viewer.stop();
    await daemon.down();
  });
  viewer.start();
  await until(() => viewer.offsets().length === 200, 'all panes');
  daemon.peer.socket.terminate();
  await until(() => daemon.peers.length === 2 && daemon.peer.last(T.JOIN), 'the second JOIN');
  assert.ok(lib.encode(T.JOIN, daemon.peer.last(T.JOIN)).length <= 1024);
});

test('commands go to the daemon and their answers come back; a loss answers the open ones', async (t) => {
  const { daemon, viewer } = await pair(t);
  daemon.answer = ({ op }) => (op === lib.CommandOp.ZOOM ? { result: lib.DoneResult.OK, text: '' } : { result: lib.DoneResult.NOT_FOUND, text: 'no such pane' });
  assert.equal((await viewer.commands.run(lib.CommandOp.ZOOM, 1)).kind, 'done');
  assert.deepEqual(await viewer.commands.run(lib.CommandOp.KILL_PANE, 9), { kind: 'refused', text: 'no such pane' });
  daemon.answer = () => new Promise(() => undefined);
  const open = viewer.commands.run(lib.CommandOp.ZOOM, 2);
  await until(() => daemon.commands.length === 3, 'the command');
  daemon.peer.socket.terminate();
  assert.equal((await open).kind, 'lost');
});
