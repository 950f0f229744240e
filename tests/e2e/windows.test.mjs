// Panes and windows on the page, in real Chromium and real Firefox, against the small daemon with
// windows (tests/web): what a daemon may send and what the page makes of it, honest or not.
// tests/e2e/window_share.test.mjs does the same with the real programs.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib, until } from '../web/setup.mjs';
import { FakeWindows } from '../web/fake_windows.mjs';
import { BROWSERS, chord, hasFocus, launch, open, barText } from './browser.mjs';
import { bodyText, boxOf, dragBy, menuItem, paneText, shownPanes, tabNames, tick } from './panes.mjs';

const T = lib.MessageType;
const { CommandOp, WindowFlag } = lib;
const PHONE = { width: 390, height: 780, hasTouch: true, isMobile: false };

const side = (id, x, cols, more) => ({ id, x, y: 0, cols, rows: 24, title: `pane ${id}`, vt: `text of ${id} `, ...more });
const TWO = (daemon) => daemon.setWindow(1, { name: 'edit', cols: 81, rows: 24, panes: [side(1, 0, 40), side(2, 41, 40)] });
const THREE_WINDOWS = (daemon) => {
  TWO(daemon);
  daemon.setWindow(2, { name: 'logs', flags: WindowFlag.ACTIVITY, panes: [side(3, 0, 80)] });
  daemon.setWindow(3, { name: 'build', flags: WindowFlag.BELL, panes: [side(4, 0, 80)] });
};

for (const name of BROWSERS) {
  describe(name, () => {
    let running;
    before(async () => (running = await launch(name)));
    after(() => running?.close());
    suite(() => running, name);
  });
}

/** A daemon and a live page on it, both ended with the test; nothing may complain. */
async function visit(t, running, { setUp = TWO, view, panes = 2, ...options } = {}) {
  const daemon = await FakeWindows.start({ setUp, ...options });
  const page = await open(running(), daemon.url, view);
  t.after(async () => {
    const { complaints } = page;
    await page.close();
    await daemon.down();
    assert.deepEqual(complaints, []);
  });
  await until(async () => (await barText(page)) === 'Live', 'the connection');
  if (panes) await until(async () => (await shownPanes(page)).length === panes, `${panes} panes`);
  if (!view?.hasTouch) await until(() => hasFocus(page), 'the focus');
  return { daemon, page };
}

/** Runs in the page: every different arrangement of panes and their upper left cells, as text. */
const RECORD_PICTURES = () => {
  globalThis.pictures = [];
  const look = () => {
    const shown = [...document.querySelectorAll('.frame:not(.coming):not([hidden])')];
    const text = shown.map((frame) => {
      const { left, top, width, height } = frame.getBoundingClientRect();
      const screen = frame.querySelector('.xterm-screen').getBoundingClientRect();
      return [left, top, width, height, screen.left, screen.top].map(Math.round).join(' ');
    }).sort().join(' | ');
    if (text && text !== globalThis.pictures.at(-1)) globalThis.pictures.push(text);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};

const says = (page, text) => until(async () => (await bodyText(page)).includes(text), `"${text}" on the page`);
const commanded = (daemon, n = 1) => until(() => daemon.commands.length >= n && daemon.commands.at(-1), `command ${n}`);

function suite(running, name) {
  test('panes stand where the layout says, each with its title, the focused one marked', async (t) => {
    const setUp = (daemon) => daemon.setWindow(1, { cols: 100, rows: 30, active: 2, panes: [
      { id: 1, x: 0, y: 0, cols: 60, rows: 30, title: 'editor', vt: 'left' },
      { id: 2, x: 61, y: 0, cols: 39, rows: 14, title: 'make', vt: 'upper' },
      { id: 3, x: 61, y: 15, cols: 39, rows: 15, title: '', vt: 'lower' },
    ] });
    const { page } = await visit(t, running, { setUp, panes: 3 });
    const panes = await shownPanes(page);
    assert.deepEqual(panes.map(({ title }) => title), ['editor', 'make', 'Pane 3']);
    assert.deepEqual(panes.map(({ focused }) => focused), [false, true, false]);
    assert.deepEqual(panes.map(({ label }) => label), ['Pane 1 of 3: editor', 'Pane 2 of 3: make', 'Pane 3 of 3']);
    assert.deepEqual(panes.map(({ text }) => text), ['left', 'upper', 'lower']);
    const [left, upper, lower] = panes.map(({ screen }) => screen);
    const cell = { width: left.width / 60, height: left.height / 30 };
    assert.ok(Math.abs(upper.left - left.left - 61 * cell.width) < 1.5, JSON.stringify(panes));
    assert.ok(Math.abs(lower.top - upper.top - 15 * cell.height) < 1.5);
    assert.equal(new Set(panes.map(({ font }) => font)).size, 1);
  });

  test('many panes are drawn smaller, whole; a narrow window shows one at a time', async (t) => {
    const panes = Array.from({ length: 16 }, (_, i) => ({ id: i + 1, x: 50 * (i % 4), y: 15 * (i >> 2), cols: 49, rows: 14, title: `job ${i + 1}`, vt: `job ${i + 1}` }));
    const { page } = await visit(t, running, { setUp: (d) => d.setWindow(1, { cols: 199, rows: 59, panes }), panes: 16, view: { width: 1280, height: 800 } });
    const stage = await boxOf(page, '.stage');
    for (const { screen } of await shownPanes(page)) {
      assert.ok(screen.left >= stage.left && screen.right <= stage.right && screen.top >= stage.top && screen.bottom <= stage.bottom, JSON.stringify({ screen, stage }));
    }
    await page.setViewport(PHONE);
    await until(async () => (await shownPanes(page)).length === 1, 'one pane');
    await page.select('.switcher select', '7');
    await until(async () => (await shownPanes(page))[0]?.text === 'job 7', 'the chosen one');
    await page.click('.switcher button[aria-label="Next pane"]');
    await until(async () => (await shownPanes(page))[0]?.text === 'job 8', 'the next one');
    await page.click('.switcher .all');
    await until(async () => (await shownPanes(page)).length === 16, 'all of them');
  });

  test('at the size as set, the focused pane is scrolled to', async (t) => {
    const { page } = await visit(t, running, { view: { width: 620, height: 500 } });
    await page.evaluate(() => localStorage.setItem('vitrine.look', JSON.stringify({ fit: 'natural', fontPx: 20 })));
    await page.reload();
    await says(page, 'Scroll');
    const isInView = async (at) => {
      const [stage, panes] = [await boxOf(page, '.stage'), await shownPanes(page)];
      return panes.length === 2 && panes[at].screen.left >= stage.left - 1 && panes[at].screen.left < stage.right - 100;
    };
    await until(() => isInView(0), 'the first pane');
    await until(() => hasFocus(page), 'the focus');
    await chord(page, ['Control', 'F6']);
    await until(() => isInView(1), 'the second pane');
  });

  test('keys go to the pane that has the focus; Ctrl-F6 goes to the next', async (t) => {
    const { daemon, page } = await visit(t, running);
    await page.keyboard.type('a');
    const [, second] = await shownPanes(page);
    await page.mouse.click(second.screen.left + 30, second.screen.top + 30);
    await page.keyboard.type('b');
    await chord(page, ['Control', 'F6']);
    await page.keyboard.type('c');
    await until(() => daemon.typedText === 'abc', 'the keys');
    assert.deepEqual([...daemon.peer.typed], [[1, 'ac'], [2, 'b']]);
    assert.deepEqual(daemon.commands, []);
    assert.match(await bodyText(page), /pane 1/);
  });

  test('a split keeps the other panes’ terminals, places in the scrollback and selections', async (t) => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\r\n');
    const { daemon, page } = await visit(t, running, { setUp: (d) => d.setWindow(1, { cols: 81, rows: 24, panes: [side(1, 0, 40, { vt: lines }), side(2, 41, 40)] }) });
    await until(async () => (await paneText(page, 0)).includes('line 99'), 'the lines');
    for (let i = 0; i < 2; i++) await chord(page, ['Shift', 'PageUp']);
    await until(async () => (await paneText(page, 0)).startsWith('line 30\n'), 'further up');
    await page.evaluate(() => (globalThis.first = document.querySelector('.frame')));
    const { screen } = (await shownPanes(page))[0];
    await page.mouse.click(screen.left + 10, screen.top + 5, { count: 2 });
    daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 24 }, { id: 2, x: 41, y: 0, cols: 40, rows: 12 }, { id: 5, x: 41, y: 13, cols: 40, rows: 11, vt: 'new one' }] });
    await daemon.change();
    await until(async () => (await shownPanes(page)).length === 3, 'the new pane');
    assert.ok(await page.evaluate(() => globalThis.first === document.querySelector('.frame')));
    assert.ok((await paneText(page, 0)).startsWith('line 30\n'));
    await chord(page, ['Control', 'c']);
    await says(page, 'Copied.');
    daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 24 }, { id: 5, x: 41, y: 0, cols: 40, rows: 24, vt: 'alone' }] });
    await daemon.change();
    await until(async () => (await shownPanes(page)).map(({ id }) => id).length === 2, 'the pane to go');
    assert.ok(await page.evaluate(() => globalThis.first === document.querySelector('.frame')));
  });

  test('nothing jumps: a join, a split and another window each change the picture once', async (t) => {
    const daemon = await FakeWindows.start({ setUp: THREE_WINDOWS });
    const page = await open(running(), 'about:blank');
    t.after(async () => {
      await page.close();
      await daemon.down();
    });
    await page.evaluateOnNewDocument(RECORD_PICTURES);
    await page.goto(daemon.url);
    const pictures = () => page.evaluate(() => globalThis.pictures);
    const becomes = (n) => until(async () => (await pictures())?.length >= n && (await shownPanes(page)).every(({ text }) => text), `picture ${n}`);
    await becomes(1);
    const three = [side(1, 0, 40), side(2, 41, 40, { rows: 12, vt: 'resized' }), side(5, 41, 40, { y: 13, rows: 11 })];
    daemon.setWindow(1, { cols: 81, rows: 24, panes: three });
    await daemon.change();
    await becomes(2);
    await tick(page, '.tab:nth-child(2)');
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 3', 'the window');
    const seen = await pictures();
    assert.equal(seen.length, 3, seen.join('\n'));
    assert.deepEqual(seen.map((one) => one.split(' | ').length), [2, 3, 1], seen.join('\n'));
  });

  test('a phone’s bar says state, title, rights and the number of viewers', async (t) => {
    const { page } = await visit(t, running, { view: PHONE, panes: 1 });
    await says(page, 'May type');
    const boxes = await page.evaluate(() => ['.state', '.title', '.role', '.viewers', '.pane-menu-button', '.bar .menu-button'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON()));
    for (const [i, { left, right, width }] of boxes.entries()) {
      assert.ok(width > 12 && left >= 0 && right <= 390, `${i}: ${left} to ${right}`);
      if (i > 0) assert.ok(left >= boxes[i - 1].right - 1, `${i} stands on the one before it`);
    }
    assert.match(await page.evaluate(() => document.querySelector('.bar').innerText), /Live[^]*pane 1[^]*May type[^]*1/);
  });

  test('lines that come while somebody reads further up are counted, and one press goes there', async (t) => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\r\n');
    const { daemon, page } = await visit(t, running, { setUp: (d) => d.setWindow(1, { cols: 81, rows: 24, panes: [side(1, 0, 40, { vt: lines }), side(2, 41, 40)] }) });
    await chord(page, ['Shift', 'PageUp']);
    await until(async () => (await paneText(page, 0)).startsWith('line 53\n'), 'further up');
    await daemon.say(1, '\r\none\r\ntwo\r\nthree');
    await says(page, '3 new lines ↓');
    await page.click('.frame.focused .more');
    await until(async () => (await paneText(page, 0)).endsWith('three'), 'the end');
    assert.doesNotMatch(await bodyText(page), /new line/);
  });

  test('windows are tabs: marks, a view of one’s own, following the host', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS, role: lib.Role.SPECTATOR });
    assert.deepEqual(await tabNames(page), ['edit*The host is here', 'logsActivity', 'buildBell']);
    assert.match(await bodyText(page), /Following the host/);
    await page.evaluate(() => document.querySelectorAll('.tab')[1].click());
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 3', 'the other window');
    assert.equal(daemon.peer.last(T.VIEW).window, 2);
    assert.deepEqual(await tabNames(page), ['editThe host is here', 'logs*Activity', 'buildBell']);
    daemon.current = 3;
    await daemon.change();
    await until(async () => (await tabNames(page))[2] === 'buildBellThe host is here', 'the host’s move');
    assert.equal((await shownPanes(page))[0].text, 'text of 3');
    await page.click('.follow');
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 4', 'the host’s window');
    assert.equal(daemon.peer.last(T.VIEW).window, lib.FOLLOW_HOST);
    assert.deepEqual(daemon.commands, []);
  });

  test('tabs by keyboard; the focus stays with them', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS });
    await page.focus('.tab[aria-selected="true"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await until(() => daemon.peer.last(T.VIEW)?.window === 2, 'VIEW');
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 3', 'the window');
    await page.keyboard.press('End');
    await page.keyboard.press(' ');
    await until(() => daemon.peer.last(T.VIEW)?.window === 3, 'VIEW of the last');
    assert.equal(daemon.typedText, '');
  });

  test('a view of one’s own is asked for again after an outage; when its window closes the host is followed', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS });
    await page.evaluate(() => document.querySelectorAll('.tab')[1].click());
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 3', 'the window');
    daemon.peer.socket.terminate();
    await until(() => daemon.peers.length === 2 && daemon.peer.last(T.VIEW)?.window === 2, 'VIEW again');
    await until(async () => (await shownPanes(page))[0]?.text === 'text of 3', 'the window again');
    daemon.windows.delete(2);
    await daemon.change();
    await until(() => daemon.peer.last(T.VIEW).window === lib.FOLLOW_HOST, 'following');
    await until(async () => (await shownPanes(page)).length === 2, 'the host’s window');
  });

  test('fifty windows: the viewed tab is in view, wherever it is', async (t) => {
    const setUp = (d) => {
      for (let i = 1; i <= 50; i++) d.setWindow(i, { name: `window ${i}`, panes: [side(i, 0, 80)] });
      d.current = 50;
    };
    const { page } = await visit(t, running, { setUp, panes: 1 });
    const row = await boxOf(page, '.tabs');
    const tab = await boxOf(page, '.tab[aria-selected="true"]');
    assert.ok(tab.left >= row.left && tab.right <= row.right + 1, JSON.stringify({ tab, row }));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });

  test('an operator splits, zooms, makes active, resizes and closes by the menu', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS });
    const table = [
      ['Split: new pane to the right', CommandOp.SPLIT_H, 1],
      ['Split: new pane below', CommandOp.SPLIT_V, 1],
      ['Zoom this pane', CommandOp.ZOOM, 1],
      ['New window', CommandOp.NEW_WINDOW, 0],
    ];
    for (const [i, [text, op, target]] of table.entries()) {
      await menuItem(page, text);
      const command = await commanded(daemon, i + 1);
      assert.deepEqual([command.op, command.target, command.arguments.length], [op, target, 0], text);
    }
    await page.click('.pane-menu-button');
    await page.click('.popup button[aria-label="Border right"]');
    assert.deepEqual(await commanded(daemon, 5), { request: 5, op: CommandOp.RESIZE, target: 1, arguments: new Uint8Array([1, 0, 2]) });
    await page.keyboard.press('Escape');
    await menuItem(page, 'Close this pane…');
    assert.match(await bodyText(page), /Close “pane 1”\? Its program ends, for everyone\./);
    assert.equal(daemon.commands.length, 5, 'asked first');
    await tick(page, '.popup .danger');
    assert.equal((await commanded(daemon, 6)).op, CommandOp.KILL_PANE);
    await chord(page, ['Control', 'F6']);
    await menuItem(page, 'Make this pane the host’s active one');
    const select = await commanded(daemon, 7);
    assert.deepEqual([select.op, select.target], [CommandOp.SELECT_PANE, 2]);
    await page.evaluate(() => document.querySelectorAll('.tab')[1].click());
    await until(async () => (await shownPanes(page)).length === 1, 'the other window');
    await menuItem(page, 'Make this window the host’s current one');
    const window = await commanded(daemon, 8);
    assert.deepEqual([window.op, window.target], [CommandOp.SELECT_WINDOW, 2]);
  });

  test('after a split of one’s own the focus goes to the new pane; after another’s it stays', async (t) => {
    const { daemon, page } = await visit(t, running);
    const three = (active) => daemon.setWindow(1, { cols: 81, rows: 24, active, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 12 }, { id: 3, x: 0, y: 13, cols: 40, rows: 11, vt: 'third' }, { id: 2, x: 41, y: 0, cols: 40, rows: 24 }] });
    daemon.answer = async () => {
      three(3);
      await daemon.change();
      return { result: 0, text: '' };
    };
    await menuItem(page, 'Split: new pane below');
    await until(async () => (await shownPanes(page)).find(({ focused }) => focused)?.text === 'third', 'the focus');
    await page.keyboard.type('x');
    await until(() => daemon.peer.typed?.get(3) === 'x', 'the key');
    three(2);
    await daemon.change();
    await says(page, 'host is here');
    await page.keyboard.type('y');
    await until(() => daemon.peer.typed.get(3) === 'xy', 'the next key');
  });

  test('a refusal is a sentence', async (t) => {
    const { daemon, page } = await visit(t, running);
    daemon.answer = () => ({ result: lib.DoneResult.REFUSED, text: 'pane too small' });
    await menuItem(page, 'Split: new pane to the right');
    await says(page, 'The host refused that: pane too small');
  });

  test('borders are dragged, and moved by keys', async (t) => {
    const { daemon, page } = await visit(t, running);
    daemon.answer = async ({ op, arguments: [direction, high, low] }) => {
      const cells = ((high << 8) | low) * (direction === 0 ? -1 : 1);
      assert.equal(op, CommandOp.RESIZE);
      const cols = daemon.panes.get(1).cols + cells;
      daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols, rows: 24 }, { id: 2, x: cols + 1, y: 0, cols: 80 - cols, rows: 24 }] });
      await daemon.change();
      return { result: 0, text: '' };
    };
    const cell = (await shownPanes(page))[0].screen.width / 40;
    await dragBy(page, '.handle.x', -10 * cell, 0);
    await until(() => daemon.panes.get(1).cols === 30, 'the border');
    assert.ok(daemon.commands.length <= 10 && daemon.commands.every(({ target }) => target === 1), JSON.stringify(daemon.commands));
    await until(async () => Math.abs((await shownPanes(page))[0].screen.width - 30 * cell) < 2, 'the pane');
    await page.focus('.handle.x');
    await page.keyboard.press('ArrowRight');
    await until(() => daemon.panes.get(1).cols === 31, 'one cell');
    await until(async () => (await page.evaluate(() => document.querySelector('.handle.x').getAttribute('aria-valuenow'))) === '31', 'the value');
    await chord(page, ['Shift', 'ArrowLeft']);
    await until(() => daemon.panes.get(1).cols === 26, 'five cells');
    assert.equal(daemon.typedText, '');
  });

  test('spectators see no commands', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS, role: lib.Role.SPECTATOR });
    assert.equal(await page.evaluate(() => document.querySelectorAll('.handle').length), 0);
    await page.click('.pane-menu-button');
    assert.doesNotMatch(await bodyText(page), /Split|Zoom|Close this pane|New window|For everyone/i);
    await page.keyboard.press('Escape');
    await daemon.broadcast(T.ROLE, { role: 1, capabilities: 31, reason: 0 });
    await until(() => page.evaluate(() => document.querySelectorAll('.handle').length === 1), 'the handle');
    await daemon.broadcast(T.ROLE, { role: 1, capabilities: 1, reason: 0 });
    await until(() => page.evaluate(() => document.querySelectorAll('.handle').length === 0), 'the handle to go');
  });

  test('a dead pane says how its program ended, the share goes on; a respawned one lives', async (t) => {
    const { daemon, page } = await visit(t, running);
    const set = (dead) => daemon.setWindow(1, { cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 24, dead }, { id: 2, x: 41, y: 0, cols: 40, rows: 24 }] });
    await daemon.broadcast(T.EXIT, { pane: 1, how: 0, status: 3 });
    set(true);
    await daemon.change();
    await says(page, 'exited with status 3');
    assert.equal(await barText(page), 'Live');
    await page.keyboard.type('x');
    await says(page, 'The program in this pane has ended.');
    assert.equal(daemon.typedText, '');
    set(false);
    await daemon.change();
    await until(async () => !(await bodyText(page)).includes('exited with status'), 'the new program');
    await page.keyboard.type('y');
    await until(() => daemon.typedText === 'y', 'the key');
  });

  test('the end of a share of windows: the last screens stay, counts and tabs go quiet', async (t) => {
    const { daemon, page } = await visit(t, running, { setUp: THREE_WINDOWS });
    await says(page, '1 viewer');
    await daemon.broadcast(T.LAYOUT, { windows: [], cols: 0, rows: 0, panes: [] });
    await daemon.broadcast(T.BYE, { reason: lib.ByeReason.ENDED, text: '' });
    await until(async () => (await barText(page)) === 'Ended', 'the end');
    await says(page, 'The session has ended.');
    assert.doesNotMatch(await bodyText(page), /viewer|You may type/);
    assert.deepEqual((await shownPanes(page)).map(({ text }) => text), ['text of 1', 'text of 2']);
    assert.equal(await page.evaluate(() => document.querySelector('.windows').inert && document.querySelector('.pane-menu-button').hidden), true);
  });

  test('find, copy and save are of the focused pane', async (t) => {
    const { page } = await visit(t, running, { setUp: (d) => d.setWindow(1, { cols: 81, rows: 24, panes: [side(1, 0, 40, { vt: 'needle' }), side(2, 41, 40, { vt: 'needle\r\nneedle' })] }) });
    await chord(page, ['Control', 'F6']);
    await chord(page, ['Control', 'Shift', 'F']);
    await page.keyboard.type('needle');
    await says(page, '2 of 2');
    await page.keyboard.press('Escape');
    await until(() => hasFocus(page), 'the focus');
  });

  test('resume with several panes: nothing is drawn twice', async (t) => {
    const { daemon, page } = await visit(t, running);
    await daemon.say(1, 'A');
    await daemon.say(2, 'B');
    await until(async () => (await paneText(page, 1)) === 'text of 2 B', 'output');
    daemon.peer.socket.terminate();
    await until(() => daemon.peers.length === 2, 'the new connection');
    await daemon.say(1, 'a');
    await daemon.say(2, 'b');
    await until(async () => (await paneText(page, 0)) === 'text of 1 Aa' && (await paneText(page, 1)) === 'text of 2 Bb', 'both');
    assert.equal(daemon.peer.last(T.JOIN).panes.length, 2);
  });

  test('queries in any pane are not answered', async (t) => {
    const { daemon, page } = await visit(t, running);
    for (const id of [1, 2]) await daemon.say(id, '\x1b[c\x1b[6n\x1b[>c');
    await daemon.say(2, 'seen');
    await until(async () => (await paneText(page, 1)).includes('seen'), 'the text');
    await page.keyboard.type('x');
    await until(() => daemon.typedText.includes('x'), 'the key');
    assert.equal(daemon.typedText, 'x');
  });

  test('a pane for a lone share: no tabs, no title line, no switcher', async (t) => {
    const { page } = await visit(t, running, { setUp: (d) => d.setWindow(1, { panes: [side(1, 0, 80)] }), panes: 1 });
    const shown = await page.evaluate(() => ['.windows', '.switcher', '.pane-title'].map((one) => document.querySelector(one).checkVisibility()));
    assert.deepEqual(shown, [false, false, false]);
  });

  test('hostile layouts: bounded, a sentence, no error', async (t) => {
    const { daemon, page } = await visit(t, running);
    const send = (panes, more) => daemon.broadcast(T.LAYOUT, { windows: [{ id: 1, flags: 9, name: 'w' }], cols: 81, rows: 24, panes, ...more });
    const raw = (id, x, y, cols, rows, title = '') => ({ id, x, y, cols, rows, flags: 0, title });
    await send([raw(1, 0, 0, 80, 24, '\u202egnp.exe\x07\n'), raw(2, 10, 0, 60, 24)]);
    await says(page, 'makes no sense');
    await until(async () => (await shownPanes(page)).length === 1, 'one pane at a time');
    await send([raw(1, 0, 0, 0, 0), raw(2, 65535, 65535, 65535, 65535)], { cols: 65535, rows: 65535 });
    await send(Array.from({ length: 65 }, (_, i) => raw(100 + i, 2 * i, 0, 1, 1, 'T'.repeat(60_000))), { cols: 200 });
    await send([raw(1, 0, 0, 40, 24), raw(2, 41, 0, 40, 24)], { windows: Array.from({ length: 10_000 }, (_, i) => ({ id: i, flags: 0, name: `\u2066${i}` })) });
    await says(page, '9,500 more not shown');
    await daemon.broadcast(T.KEYFRAME, { pane: 1, offset: 0, firstLine: 0, cols: 65535, rows: 65535, historyLines: 0, reason: 0, vt: lib.utf8('large') });
    await says(page, 'larger than this page can show');
    await daemon.broadcast(T.KEYFRAME, { pane: 77, offset: 0, firstLine: 0, cols: 10, rows: 10, historyLines: 0, reason: 0, vt: lib.utf8('nobody asked') });
    await daemon.broadcast(T.DONE, { request: 12345, result: 0, text: '' });
    await daemon.broadcast(T.EXIT, { pane: 999, how: 1, status: 9 });
    await daemon.broadcast(T.NOTICE, { code: 0, text: 'the end \u202eof it\x1b[31m' });
    await says(page, 'the end of it');
    await until(() => page.evaluate(() => document.querySelectorAll('.frame').length === 2), 'two panes');
  });
}
