// What operators may do by COMMAND: eight things, inside the share and nowhere else.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib, seeded } from '../web/setup.mjs';
import { createHost, until } from './host.mjs';
import { Peer } from './peer.mjs';
import { active, newSession, newWindow, paneIds, share, split, viewed } from './windows.mjs';

const T = lib.MessageType;
const { CommandOp, DoneResult, Capability, PaneFlag } = lib;
const MALFORMED = 4002;
const AT_ONCE_MS = 4500;
const COMMANDS_S = 10;
const VIEWS_S = 20;

const resize = (direction, cells) => Uint8Array.of(direction, cells >> 8, cells & 255);
const activePane = (layout) => layout.panes.find(({ flags }) => flags & PaneFlag.ACTIVE)?.id;
const mayCommand = (viewer) => (viewer.viewer.capabilities & Capability.COMMANDS) !== 0;

/** A peer sends a COMMAND and gets its DONE. */
async function ask(peer, op, target, args = new Uint8Array()) {
  const request = (peer.requests = (peer.requests ?? 0) + 1);
  await peer.send(T.COMMAND, { request, op, target, arguments: args });
  return peer.got(T.DONE, (done) => done.request === request);
}

/** What there is: sessions, windows and panes with their places, and which is current. */
const picture = (host) =>
  host.vitrine('list-panes', '-a', '-F', '#{session_id} #{window_id} #{pane_id} #{pane_left},#{pane_top} #{pane_width}x#{pane_height} #{window_active}#{pane_active}#{window_zoomed_flag}');

describe('operators', { concurrency: 2 }, () => {
  test('each operation, of a session', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    await host.vitrine('set-option', '-g', 'default-command', 'echo by default; cat');
    const viewer = await host.join((await share(host, 'work', '--session')).write);
    await viewer.laidOut(({ panes }) => panes.length === 1);
    assert.ok(mayCommand(viewer));
    const ok = async (op, target, args) => assert.deepEqual((await viewer.command(op, target, args)).result, DoneResult.OK);

    await ok(CommandOp.SPLIT_H, one.paneId);
    let layout = await viewer.laidOut(({ panes }) => panes.length === 2);
    const right = layout.panes[1].id;
    assert.deepEqual(layout.panes.map(({ x, cols }) => [x, cols]), [[0, 40], [41, 39]]);
    assert.equal(activePane(layout), right, 'as split-window: the new pane is the active one');
    await viewer.seesIn(right, /by default/);
    await ok(CommandOp.SPLIT_V, right);
    layout = await viewer.laidOut(({ panes }) => panes.length === 3);
    assert.deepEqual(layout.panes.map(({ y }) => y), [0, 0, 13]);
    await ok(CommandOp.RESIZE, right, resize(0, 5));
    await viewer.laidOut(({ panes }) => panes.length === 3 && panes[1].x === 36);
    await ok(CommandOp.RESIZE, right, resize(3, 2));
    await viewer.laidOut(({ panes }) => panes[2].y === 15);
    await ok(CommandOp.SELECT_PANE, one.paneId);
    await viewer.laidOut((now) => activePane(now) === one.paneId);
    assert.equal((await host.vitrine('display-message', '-p', '-t', 'work:', '#{pane_id}')).trim(), one.pane, 'the owner’s too');
    await ok(CommandOp.ZOOM, right);
    await viewer.laidOut(({ panes }) => panes.length === 1 && panes[0].id === right && panes[0].flags & PaneFlag.ZOOMED);
    await ok(CommandOp.ZOOM, right);
    await viewer.laidOut(({ panes }) => panes.length === 3);
    await host.advance(1100);
    await ok(CommandOp.NEW_WINDOW, 0);
    layout = await viewer.laidOut(({ windows }) => windows.length === 2 && active({ windows }) !== one.windowId);
    assert.equal(viewed(layout), active(layout), 'following');
    await viewer.sees(/by default/);
    await ok(CommandOp.SELECT_WINDOW, one.windowId);
    await viewer.laidOut((now) => active(now) === one.windowId && viewed(now) === one.windowId);
    await ok(CommandOp.KILL_PANE, right);
    await viewer.laidOut(({ panes }) => panes.length === 2 && !paneIds({ panes }).includes(right));
  });

  test('of a window: its panes, not the session; and no other window’s', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const two = await newWindow(host, 'work', 'private');
    const peer = await Peer.join(t, (await share(host, one.pane, '--window')).write);
    assert.ok(peer.welcome.capabilities & Capability.COMMANDS);
    assert.equal((await ask(peer, CommandOp.SPLIT_V, one.paneId)).result, DoneResult.OK);
    const before = await picture(host);
    assert.equal((await ask(peer, CommandOp.NEW_WINDOW, 0)).result, DoneResult.REFUSED);
    assert.equal((await ask(peer, CommandOp.SELECT_WINDOW, two.windowId)).result, DoneResult.REFUSED);
    for (const op of [CommandOp.SPLIT_H, CommandOp.SPLIT_V, CommandOp.SELECT_PANE, CommandOp.ZOOM, CommandOp.KILL_PANE])
      assert.equal((await ask(peer, op, two.paneId)).result, DoneResult.NOT_FOUND);
    assert.equal(await picture(host), before);
  });

  test('foreign targets of a session share are not found, and nothing outside changes', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const other = await newSession(host, 'other');
    const peer = await Peer.join(t, (await share(host, 'work', '--session')).write);
    const before = await picture(host);
    const foreign = [[CommandOp.SPLIT_H, other.paneId], [CommandOp.KILL_PANE, other.paneId], [CommandOp.ZOOM, other.paneId], [CommandOp.SELECT_PANE, 0xffffffff],
      [CommandOp.SELECT_WINDOW, other.windowId], [CommandOp.SELECT_WINDOW, 0xffffffff]];
    for (const [op, target] of foreign) assert.equal((await ask(peer, op, target)).result, DoneResult.NOT_FOUND);
    assert.equal((await ask(peer, CommandOp.RESIZE, other.paneId, resize(0, 3))).result, DoneResult.NOT_FOUND);
    assert.equal(await picture(host), before);
    const moved = await newWindow(host, 'work', 'moves');
    await peer.got(T.LAYOUT, ({ windows }) => windows.length === 2);
    await host.vitrine('join-pane', '-d', '-s', moved.pane, '-t', other.pane);
    assert.equal((await ask(peer, CommandOp.KILL_PANE, moved.paneId)).result, DoneResult.NOT_FOUND);
    assert.deepEqual((await peer.got(T.LAYOUT, ({ windows }) => windows.length === 1 && windows[0].id === one.windowId)).cols, 80);
  });

  test('a pane share has none; --no-commands takes them away, from those who are in too', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const pane = await Peer.join(t, (await share(host, one.pane)).write);
    assert.equal(pane.welcome.capabilities & Capability.COMMANDS, 0);
    assert.equal((await ask(pane, CommandOp.SPLIT_H, one.paneId)).result, DoneResult.REFUSED);
    const viewer = await host.join((await share(host, 'work', '--session')).write);
    assert.ok(mayCommand(viewer));
    const shared = await share(host, 'work', '--session', '--no-commands');
    assert.equal(shared.commands, false);
    await viewer.until(() => !mayCommand(viewer), 'the capability to go');
    assert.equal((await viewer.command(CommandOp.SPLIT_H, one.paneId)).result, DoneResult.REFUSED);
    const late = await Peer.join(t, shared.write);
    assert.equal(late.welcome.capabilities & (Capability.COMMANDS | Capability.TYPE), Capability.TYPE);
    assert.equal((await ask(late, CommandOp.KILL_PANE, one.paneId)).result, DoneResult.REFUSED);
    assert.equal((await host.json('list-panes', '--json', '-t', 'work')).length, 1);
  });

  test('spectators are refused, and stay', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const peer = await Peer.join(t, (await share(host, 'work', '--session')).view);
    for (const op of Object.values(CommandOp).filter(Number.isInteger)) {
      const args = op === CommandOp.RESIZE ? resize(0, 1) : undefined;
      assert.equal((await ask(peer, op, one.paneId, args)).result, DoneResult.REFUSED);
    }
    await peer.answers();
    assert.equal((await host.json('list-panes', '--json', '-t', 'work')).length, 1);
  });

  test('more than ten in a second are refused until the second is over', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const peer = await Peer.join(t, (await share(host, 'work', '--session')).write);
    const requests = Array.from({ length: 100 }, (_, i) => i + 1);
    for (const request of requests) await peer.send(T.COMMAND, { request, op: CommandOp.SELECT_PANE, target: one.paneId, arguments: new Uint8Array() });
    const done = await Promise.all(requests.map((request) => peer.got(T.DONE, (fields) => fields.request === request)));
    const ok = done.filter(({ result }) => result === DoneResult.OK).length;
    const refused = done.filter(({ result }) => result === DoneResult.REFUSED);
    assert.equal(ok % COMMANDS_S, 0, `${ok} done`); // a loaded machine may take several seconds for them
    assert.ok(refused.length > 0);
    assert.match(refused[0].text, /too many commands/);
    await host.advance(1100);
    peer.requests = 1000;
    assert.equal((await ask(peer, CommandOp.SELECT_PANE, one.paneId)).result, DoneResult.OK);
  });

  test('VIEW without end costs no more keyframes than twenty a second, and the last ones count again later', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const two = await newWindow(host, 'work', 'second');
    const peer = await Peer.join(t, (await share(host, 'work', '--session')).view);
    await peer.got(T.LAYOUT, ({ windows }) => windows.length === 2);
    const begin = performance.now();
    for (let i = 0; i < 400; i++) {
      await peer.send(T.VIEW, { window: i % 2 ? one.windowId : two.windowId });
      await peer.answers(); // so that each is of a round of its own
    }
    const seconds = (performance.now() - begin) / 1000;
    const keyframes = peer.messages.filter(({ type }) => type === T.KEYFRAME).length;
    assert.ok(keyframes <= VIEWS_S * (seconds + 2), `${keyframes} in ${seconds} s`);
    await host.advance(1100);
    await peer.send(T.VIEW, { window: two.windowId });
    await peer.send(T.VIEW, { window: one.windowId });
    await peer.send(T.VIEW, { window: two.windowId });
    await until(() => viewed(peer.messages.filter(({ type }) => type === T.LAYOUT).at(-1).fields) === two.windowId, 'the second window');
  });

  test('what the command complains of is told: no room for a pane', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new-session', '-d', '-s', 'small', '-x', '2', '-y', '2', '--', 'cat');
    const peer = await Peer.join(t, (await share(host, 'small', '--session')).write);
    const { panes } = await peer.got(T.LAYOUT);
    const done = await ask(peer, CommandOp.SPLIT_H, panes[0].id);
    assert.deepEqual([done.result, done.text], [DoneResult.REFUSED, 'no space for a new pane']);
  });

  test('killing the last pane ends the share, in order', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'keep');
    const one = await newSession(host, 'work');
    const viewer = await host.join((await share(host, 'work', '--session')).write);
    await viewer.laidOut(() => true);
    viewer.send(T.COMMAND, { request: 1, op: CommandOp.KILL_PANE, target: one.paneId, arguments: new Uint8Array() });
    assert.equal((await viewer.bye()).reason, lib.ByeReason.ENDED);
  });

  test('malformed: an unknown operation, arguments of another length or range close, and do nothing', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const shared = await share(host, 'work', '--session');
    const body = (op, ...args) => Uint8Array.of(0, 0, 0, 1, op, 0, 0, 0, one.paneId, ...args);
    const bad = [[body(8)], [body(255)], [body(CommandOp.SPLIT_H, 0)], [body(CommandOp.KILL_PANE, ...Array(100).fill(37))], [body(CommandOp.RESIZE)], [body(CommandOp.RESIZE, 0, 0)],
      [body(CommandOp.RESIZE, 0, 0, 1, 0)], [body(CommandOp.RESIZE, 4, 0, 1)], [body(CommandOp.ZOOM).subarray(0, 8)], [new Uint8Array()]];
    for (const link of [shared.write, shared.view]) {
      for (const [bytes] of bad) {
        const peer = await Peer.join(t, link);
        await peer.sendBody(T.COMMAND, bytes);
        assert.equal((await until(() => peer.wire.end, `${bytes}: the end`, AT_ONCE_MS)).code, MALFORMED);
      }
    }
    assert.equal((await host.json('list-panes', '--json', '-t', 'work')).length, 1);
    await host.join(shared.write);
  });

  test('a thousand random COMMANDs and VIEWs: no crash, and nothing outside the share changes', async (t) => {
    const host = await createHost(t);
    const random = seeded(17);
    await newSession(host, 'other');
    const one = await newSession(host, 'work');
    await split(host, one.pane);
    const outside = async () => (await picture(host)).split('\n').filter((line) => line.startsWith('$0')).join('\n');
    const before = await outside();
    const shared = await share(host, one.pane, '--window');
    let peer = await Peer.join(t, shared.write);
    const pick = (n) => Math.floor(random() * n);
    for (let i = 0; i < 1000; i++) {
      const op = pick(8);
      const args = op === CommandOp.RESIZE ? resize(pick(4), pick(65536)) : new Uint8Array();
      if (pick(10) === 0) await peer.send(T.VIEW, { window: pick(4) });
      else if (op !== CommandOp.KILL_PANE || pick(4) === 0) await peer.send(T.COMMAND, { request: i, op, target: pick(12), arguments: args });
      if (i % 10 === 9) await peer.answers();
      if (i % 10 === 9) await host.advance(1000);
      if (peer.wire.end || peer.messages.some(({ type }) => type === T.BYE)) break; // it may kill the last one
    }
    assert.ok(!peer.wire.end || peer.wire.end.code === 1000, JSON.stringify(peer.wire.end));
    assert.equal(await outside(), before);
  });
});
