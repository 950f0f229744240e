// Shares of windows and sessions: what viewers see of them, what stays outside, what operators may do.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib } from '../web/setup.mjs';
import { createHost, linkOf, until } from './host.mjs';
import { paneNumber } from './viewer.mjs';

const T = lib.MessageType;
const { CommandOp, PaneFlag, WindowFlag, DoneResult, Capability, Role } = lib;
const FOLLOW = 0xffffffff;
const SHELL = ['sh', '-c', 'PS1="$ " exec bash --norc --noprofile'];

/** A session with one window of one shell, not shared yet. */
export async function newSession(host, name, command = ['cat']) {
  await host.vitrine('new-session', '-d', '-s', name, '-x', '80', '-y', '24', '--', ...command);
  return ids(host, `${name}:`);
}

export async function ids(host, target) {
  const text = await host.vitrine('display-message', '-p', '-t', target, '#{session_id} #{window_id} #{pane_id}');
  const [session, window, pane] = text.trim().split(' ');
  return { session, window, pane, windowId: Number(window.slice(1)), paneId: paneNumber(pane) };
}

export async function share(host, target, ...options) {
  const shared = await host.json('share', '--json', '-d', '--write', '-t', target, ...options);
  return { ...shared, view: linkOf(shared, 'spectator'), write: linkOf(shared, 'operator') };
}

/** Splits a pane; gives the new one. */
export async function split(host, target, command = ['cat'], ...options) {
  return (await host.vitrine('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', target, ...options, '--', ...command)).trim();
}

export async function newWindow(host, session, name, command = ['cat']) {
  const text = await host.vitrine('new-window', '-d', '-P', '-F', '#{window_id} #{pane_id}', '-t', `${session}:`, '-n', name, '--', ...command);
  const [window, pane] = text.trim().split(' ');
  return { window, pane, windowId: Number(window.slice(1)), paneId: paneNumber(pane) };
}

const paneIds = (layout) => layout.panes.map(({ id }) => id);
const windowIds = (layout) => layout.windows.map(({ id }) => id);
const viewed = (layout) => layout.windows.find(({ flags }) => flags & WindowFlag.VIEWED)?.id;
const active = (layout) => layout.windows.find(({ flags }) => flags & WindowFlag.ACTIVE)?.id;

describe('windows', { concurrency: 2 }, () => {
  test('a shared window: every pane in its place, and each one’s output', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo left; cat']);
    const right = await split(host, one.pane, ['sh', '-c', 'echo right; cat'], '-h');
    const shared = await share(host, one.pane, '--window');
    assert.equal(shared.kind, 'window');
    assert.equal(shared.window, one.window);
    const viewer = await host.join(shared.view);
    const layout = await viewer.laidOut(({ panes }) => panes.length === 2);
    assert.deepEqual([layout.cols, layout.rows], [80, 24]);
    assert.deepEqual(layout.panes.map(({ x, y, cols, rows }) => [x, y, cols, rows]), [[0, 0, 40, 24], [41, 0, 39, 24]]);
    assert.deepEqual(windowIds(layout), [one.windowId]);
    assert.equal(layout.windows[0].flags & (WindowFlag.ACTIVE | WindowFlag.VIEWED), WindowFlag.ACTIVE | WindowFlag.VIEWED);
    await viewer.seesIn(one.pane, /left/);
    await viewer.seesIn(right, /right/);
    await host.type(right, 'only here', 'Enter');
    await viewer.seesIn(right, /only here/);
    assert.doesNotMatch(viewer.text(one.pane), /only here/);
  });

  test('a shared session: windows, VIEW, and following the owner again', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo first; cat']);
    const two = await newWindow(host, 'work', 'second', ['sh', '-c', 'echo second; cat']);
    const shared = await share(host, 'work', '--session');
    assert.equal(shared.session, one.session);
    const [a, b] = [await host.join(shared.view), await host.join(shared.view)];
    for (const viewer of [a, b]) await viewer.laidOut((layout) => viewed(layout) === one.windowId && layout.windows.length === 2);
    await a.seesIn(one.pane, /first/);
    a.send(T.VIEW, { window: two.windowId });
    await a.laidOut((layout) => viewed(layout) === two.windowId && active(layout) === one.windowId);
    await a.seesIn(two.pane, /second/);
    assert.equal(viewed(b.layout), one.windowId, 'nobody else was moved');
    await host.vitrine('select-window', '-t', two.window);
    await b.seesIn(two.pane, /second/);
    await host.vitrine('select-window', '-t', one.window);
    await b.laidOut((layout) => viewed(layout) === one.windowId);
    await a.laidOut((layout) => viewed(layout) === two.windowId && active(layout) === one.windowId);
    a.send(T.VIEW, { window: FOLLOW });
    await a.laidOut((layout) => viewed(layout) === one.windowId);
    a.send(T.VIEW, { window: 4711 });
    a.send(T.VIEW, { window: two.windowId });
    await a.laidOut((layout) => viewed(layout) === two.windowId);
    await host.vitrine('kill-window', '-t', two.window);
    await a.laidOut((layout) => viewed(layout) === one.windowId && layout.windows.length === 1, 'following again');
  });

  test('zoom shows one pane as large as the window, and the others again after it', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo left; cat']);
    const right = await split(host, one.pane, ['sh', '-c', 'echo right; cat'], '-h');
    const viewer = await host.join((await share(host, one.pane, '--window')).view);
    await viewer.seesIn(right, /right/);
    await host.vitrine('resize-pane', '-Z', '-t', one.pane);
    const layout = await viewer.laidOut(({ panes }) => panes.length === 1);
    assert.deepEqual(layout.panes[0], { id: one.paneId, x: 0, y: 0, cols: 80, rows: 24, flags: PaneFlag.ACTIVE | PaneFlag.ZOOMED, title: '' });
    await viewer.until(() => viewer.screens.get(one.paneId)?.term.cols === 80, 'the zoomed size');
    await host.type(right, 'behind', 'Enter');
    await host.sees(right, /behind\nbehind/);
    await host.vitrine('resize-pane', '-Z', '-t', one.pane);
    await viewer.laidOut(({ panes }) => panes.length === 2);
    await viewer.seesIn(right, /behind\nbehind/);
  });
});
