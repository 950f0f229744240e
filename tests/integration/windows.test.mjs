// Shares of windows and sessions: what viewers see of them, what they type into them, how they end.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, linkOf, until } from './host.mjs';
import { createProxy } from './proxy.mjs';
import { Peer, inputOf } from './peer.mjs';
import { FOLLOW, active, ids, newSession, newWindow, share, split, viewed, windowIds } from './windows.mjs';

const T = lib.MessageType;
const { ByeReason, Capability, NoticeCode, PaneFlag, PresenceKind, Role, WindowFlag } = lib;
const SHELL = ['bash', '--norc', '--noprofile'];

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

  test('LAYOUT comes when it would read differently, and not when something else happens', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    await newSession(host, 'other');
    const viewer = await host.join((await share(host, 'work', '--session')).view);
    await viewer.laidOut(({ windows }) => windows.length === 1);
    const count = () => viewer.messages.filter(({ type }) => type === T.LAYOUT).length;
    const had = count();
    for (const command of [['rename-session', '-t', 'other', 'third'], ['split-window', '-d', '-t', 'third'], ['new-window', '-d', '-t', 'third'], ['kill-session', '-t', 'third']])
      await host.vitrine(...command);
    await host.vitrine('rename-window', '-t', one.window, 'a name');
    const layout = await viewer.laidOut(({ windows }) => windows[0].name === 'a name');
    assert.deepEqual(layout.windows.length, 1);
    assert.equal(count(), had + 1);
    await host.type(one.pane, '-l', 'x');
    await viewer.sees(/x/);
    assert.equal(count(), had + 1);
  });

  test('a bell in another window is marked', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    const two = await newWindow(host, 'work', 'bells', ['sh', '-c', 'read x; printf "\\a"; cat']);
    const viewer = await host.join((await share(host, 'work', '--session')).view);
    await host.type(two.pane, 'Enter');
    await viewer.laidOut(({ windows }) => windows[1]?.flags & WindowFlag.BELL);
    await host.vitrine('select-window', '-t', two.window);
    await viewer.laidOut(({ windows }) => !(windows[1].flags & WindowFlag.BELL) && windows[1].flags & WindowFlag.ACTIVE);
  });

  test('a renamed session is the same, one made anew under its name is not', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo first; cat']);
    const shared = await share(host, 'work', '--session');
    const viewer = await host.join(shared.view);
    await host.vitrine('rename-session', '-t', 'work', 'moved');
    await newSession(host, 'work', ['sh', '-c', 'echo an impostor; cat']);
    await host.type(one.pane, 'still here', 'Enter');
    await viewer.sees(/still here/);
    await host.vitrine('kill-session', '-t', 'moved');
    assert.deepEqual((await viewer.bye()).reason, ByeReason.ENDED);
    assert.deepEqual(await host.json('shares', '--json'), []);
    assert.doesNotMatch(viewer.text(), /impostor/);
    const late = host.viewer(shared.view);
    assert.equal((await late.bye()).reason, ByeReason.ENDED);
  });

  test('a shared window is followed when its panes change and ends with the last of them', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo first; read x; echo the last words; exit 7']);
    const second = await split(host, one.pane, ['sh', '-c', 'echo second; read x; exit 3']);
    await newWindow(host, 'work', 'private', ['sh', '-c', 'echo private; cat']);
    const shared = await share(host, one.pane, '--window');
    const viewer = await host.join(shared.view);
    await viewer.seesIn(second, /second/);
    await host.type(second, 'Enter');
    await viewer.laidOut(({ panes }) => panes.length === 1 && panes[0].rows === 24);
    await host.type(one.pane, 'Enter');
    const end = await viewer.bye();
    assert.deepEqual([end.reason, end.text], [ByeReason.ENDED, 'exited 7']);
    assert.deepEqual(viewer.last(T.EXIT), { pane: one.paneId, how: 0, status: 7 });
    assert.match(viewer.text(), /the last words/);
    const late = host.viewer(shared.view);
    assert.equal((await late.bye()).text, 'exited 7');
    assert.match(late.text(), /the last words/);
    assert.equal((await host.json('list-windows', '--json', '-t', 'work')).length, 1);
    assert.deepEqual((await host.json('shares', '--json')).map(({ ended }) => ended), [true]);
    await host.vitrine('unshare', '--all');
  });

  test('a session that ends by itself: EXIT and BYE; one whose window is killed ends at once', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'keep');
    await newSession(host, 'work', ['sh', '-c', 'read x; echo done with it; exit 4']);
    const viewer = await host.join((await share(host, 'work', '--session')).view);
    await host.type('work:', 'Enter');
    assert.equal((await viewer.bye()).text, 'exited 4');
    assert.match(viewer.text(), /done with it/);
    await newSession(host, 'again');
    const other = await host.join((await share(host, 'again', '--session')).view);
    await other.laidOut(() => true);
    await host.vitrine('kill-window', '-t', 'again:');
    assert.equal((await other.bye()).reason, ByeReason.ENDED);
    await until(async () => (await host.json('shares', '--json')).every(({ ended }) => ended), 'the share to end', DEADLINE_MS);
  });

  test('remain-on-exit: the dead pane stays, its status is told, late too, and the share lives on', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo alive; cat']);
    await host.vitrine('set-option', '-g', 'remain-on-exit', 'on');
    const second = await split(host, one.pane, ['sh', '-c', 'echo gone; exit 9']);
    const shared = await share(host, 'work', '--session');
    const early = await host.join(shared.view);
    await early.got(T.EXIT, ({ status }) => status === 9);
    await early.laidOut(({ panes }) => panes.some(({ flags, id }) => flags & PaneFlag.DEAD && `%${id}` === second));
    const late = await host.join(shared.view);
    assert.deepEqual(await late.got(T.EXIT), { pane: Number(second.slice(1)), how: 0, status: 9 });
    await late.seesIn(second, /gone/);
    await host.type(one.pane, 'on and on', 'Enter');
    await late.seesIn(one.pane, /on and on/);
    await host.vitrine('kill-pane', '-t', second);
    await late.laidOut(({ panes }) => panes.length === 1);
    assert.equal(late.state.kind, 'live');
  });

  test('typing goes to the pane it is meant for, also one that is not in view', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const right = await split(host, one.pane, ['cat'], '-h');
    const two = await newWindow(host, 'work', 'second');
    const viewer = await host.join((await share(host, 'work', '--session')).write);
    await viewer.laidOut(({ panes }) => panes.length === 2);
    viewer.type(one.pane, 'to the left\r');
    viewer.type(right, 'to the right\r');
    await viewer.seesIn(one.pane, /to the left\nto the left/);
    await viewer.seesIn(right, /to the right\nto the right/);
    viewer.send(T.VIEW, { window: two.windowId });
    await viewer.laidOut((layout) => viewed(layout) === two.windowId);
    viewer.type(right, 'unseen\r');
    viewer.type(two.pane, 'seen\r');
    await viewer.seesIn(two.pane, /seen\nseen/);
    await host.sees(right, /unseen\nunseen/);
  });

  test('what is typed for a pane that has gone or was never known is taken and not delivered', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const outside = await newSession(host, 'outside');
    const second = await split(host, one.pane);
    const shared = await share(host, one.pane, '--window');
    const peer = await Peer.join(t, shared.write);
    await peer.got(T.LAYOUT);
    await host.vitrine('kill-pane', '-t', second);
    let seq = 0;
    for (const pane of [second, outside.pane, 4711, one.pane]) {
      await peer.send(T.INPUT, inputOf(pane, seq, 'evil'));
      seq += 4;
    }
    await peer.got(T.TAKEN, ({ inputNext }) => inputNext === seq);
    await peer.answers();
    const notices = peer.messages.filter(({ type, fields }) => type === T.NOTICE && fields.code === NoticeCode.NOT_DELIVERED);
    assert.equal(notices.length, 3);
    await host.sees(one.pane, /evil/);
    assert.doesNotMatch(await host.screen(outside.pane), /evil/);
  });

  test('a program that does not read holds up only what is typed for it', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const stuck = await split(host, one.pane, ['sh', '-c', 'stty raw -echo; echo stuck; exec sleep 1000']);
    const viewer = await host.join((await share(host, 'work', '--session')).write);
    await viewer.seesIn(stuck, /stuck/);
    viewer.type(stuck, 'x'.repeat(40_000));
    viewer.type(one.pane, 'not held up\r');
    await viewer.seesIn(one.pane, /not held up\nnot held up/);
  });

  test('who is here: operators by name to all, spectators by name to operators', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    const shared = await share(host, 'work', '--session');
    const names = (viewer) => [...viewer.people.values()].map(({ name, role }) => `${name}/${role}`).sort();
    const op = await host.join(shared.write, { name: 'Olga' });
    const watcher = await host.join(shared.view, { name: 'Sven' });
    const nameless = await host.join(shared.view);
    for (let i = 0; i < 3; i++) await host.advance(1100);
    await op.until(() => names(op).join() === `Sven/${Role.SPECTATOR}`, 'Sven at Olga’s');
    await watcher.until(() => names(watcher).join() === `Olga/${Role.OPERATOR}`, 'Olga at Sven’s');
    await nameless.until(() => names(nameless).join() === `Olga/${Role.OPERATOR}`, 'Olga at the other’s');
    for (const viewer of [op, watcher, nameless]) await viewer.got(T.PRESENCE, ({ viewers }) => viewers === 3);
    op.stop();
    await watcher.until(async () => (await host.advance(1100), watcher.people.size === 0), 'Olga to leave');
    const { changes } = watcher.last(T.PRESENCE);
    assert.deepEqual(changes.map(({ kind }) => kind), [PresenceKind.LEFT]);
  });

  test('forty operators with long names: all are named', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    const shared = await share(host, 'work', '--session');
    const peers = await Promise.all(Array.from({ length: 40 }, (_, i) => Peer.join(t, shared.write, { name: `${i} ${'n'.repeat(60)}` })));
    const last = await host.join(shared.view);
    await last.until(() => last.people.size === 40, '40 names');
    const sizes = last.messages.filter(({ type }) => type === T.PRESENCE).map(({ fields }) => fields.changes.length);
    assert.ok(Math.max(...sizes) <= 32, `${sizes}`);
    for (const peer of peers) peer.drop();
  });

  test('a resume goes on in every pane in view, without keyframes, and in the chosen window', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    const two = await newWindow(host, 'work', 'second', SHELL);
    const right = await split(host, two.pane, SHELL, '-h');
    const shared = await share(host, 'work', '--session');
    const proxy = await createProxy(t, Number(new URL(shared.write).port));
    const viewer = await host.join(shared.write, { proxy });
    viewer.send(T.VIEW, { window: two.windowId });
    for (const pane of [two.pane, right]) {
      await viewer.seesIn(pane, /\$ *$/);
      viewer.type(pane, 'echo be""fore\r');
      await viewer.seesIn(pane, /^before\n.*\$ *$/m);
    }
    const keyframes = () => viewer.stream.filter(({ type }) => type === T.KEYFRAME).length;
    const had = keyframes();
    proxy.cut({ refusing: true });
    await viewer.reaches('reconnecting');
    for (const pane of [two.pane, right]) {
      await host.type(pane, 'echo mean""while', 'Enter');
      await host.sees(pane, /^meanwhile$/m);
    }
    proxy.refusing = false;
    await viewer.welcomed(2);
    for (const pane of [two.pane, right]) {
      await viewer.seesIn(pane, /^meanwhile\n.*\$ *$/m);
      assert.equal(viewer.text(pane), await host.screen(pane, '-S', '-'));
    }
    assert.equal(keyframes(), had);
    assert.equal(viewed(viewer.layout), two.windowId);
  });

  test('a pane that floods beside one that is typed in: both get through, and end equal', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'read x; seq 300000; echo over; exec cat']);
    const typed = await split(host, one.pane, ['cat']);
    const shared = await share(host, 'work', '--session');
    const proxy = await createProxy(t, Number(new URL(shared.write).port), { bytesPerSecond: 200_000, delayMs: 5 });
    const viewer = await host.join(shared.write, { proxy });
    await viewer.laidOut(({ panes }) => panes.length === 2);
    await host.type(one.pane, 'Enter');
    await viewer.seesIn(one.pane, /\d{4}/);
    for (let i = 0; i < 10; i++) {
      viewer.type(typed, `word ${i}\r`);
      await viewer.seesIn(typed, new RegExp(`word ${i}\nword ${i}`));
    }
    await viewer.seesIn(one.pane, /^over$/m);
    const lines = (text) => text.split('\n').slice(-10).join();
    await viewer.until(async () => lines(viewer.text(one.pane)) === lines(await host.screen(one.pane)), 'the same screen');
  });

  test('a keyframe on its way when its window is left is cut short; the next one is whole', async (t) => {
    const host = await createHost(t);
    // a colour per character: more than a megabyte for the first thousand lines
    const print = "for (1..1000) { print join('', map { sprintf(\"\\033[38;5;%dm%s\", ($_ * 7) % 256, chr(97 + $_ % 26)) } 1..150), \"\\n\" } print \"\\033[mall of it\\n\"; exec 'cat'";
    await host.vitrine('new-session', '-d', '-s', 'work', '-x', '160', '-y', '24', '--', 'perl', '-e', print);
    const one = await ids(host, 'work:');
    const two = await newWindow(host, 'work', 'second', ['sh', '-c', 'echo second; cat']);
    await host.sees(one.pane, /all of it/);
    const { view } = await share(host, 'work', '--session');
    const proxy = await createProxy(t, Number(new URL(view).port), { bytesPerSecond: 400_000, delayMs: 5 }); // seconds for one
    const viewer = await host.join(view, { proxy });
    await viewer.seesIn(one.pane, /all of it/);
    const sizes = () => viewer.stream.filter(({ type, pane }) => type === T.KEYFRAME && pane === one.paneId).map(({ bytes }) => bytes);
    const [whole] = sizes();
    viewer.send(T.VIEW, { window: two.windowId });
    await viewer.seesIn(two.pane, /second/);
    viewer.onLayout = (layout) => {
      if (viewed(layout) === one.windowId) viewer.send(T.VIEW, { window: two.windowId }); // while its keyframe comes
    };
    await until(async () => {
      viewer.send(T.VIEW, { window: one.windowId });
      await host.advance(1100); // many VIEWs are few per second
      return sizes().some((bytes) => bytes < whole);
    }, 'a keyframe cut short', DEADLINE_MS);
    viewer.onLayout = undefined;
    await viewer.until(async () => {
      viewer.send(T.VIEW, { window: one.windowId });
      await host.advance(1100);
      return viewed(viewer.layout) === one.windowId;
    }, 'the first window');
    await viewer.seesIn(one.pane, /all of it/);
    assert.ok(sizes().at(-1) >= whole);
    assert.equal(viewer.text(one.pane), await host.screen(one.pane, '-S', '-'));
    assert.equal(viewer.welcomes.length, 1);
  });

  test('a phone joins: the size stays the owner’s, whoever looks', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const shared = await share(host, 'work', '--session');
    for (const link of [shared.view, shared.write]) {
      const peer = await Peer.join(t, link, { cols: 30, rows: 50 });
      await peer.send(T.SIZE, { cols: 20, rows: 10 });
      await peer.answers();
      const { cols, rows } = await peer.got(T.LAYOUT);
      assert.deepEqual([cols, rows], [80, 24]);
    }
    assert.equal((await host.vitrine('display-message', '-p', '-t', one.pane, '#{pane_width}x#{pane_height}')).trim(), '80x24');
    await host.vitrine('resize-window', '-t', one.window, '-x', '100', '-y', '30');
    const viewer = await host.join(shared.view);
    await viewer.laidOut(({ cols, rows }) => cols === 100 && rows === 30);
  });

  test('titles that the owner sets or programs print reach the layout', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'read x; printf "\\033]2;by the program\\a"; cat']);
    const viewer = await host.join((await share(host, 'work', '--session')).view);
    await host.vitrine('select-pane', '-t', one.pane, '-T', 'by the owner');
    await viewer.laidOut(({ panes }) => panes[0]?.title === 'by the owner');
    await host.type(one.pane, 'Enter');
    await viewer.laidOut(({ panes }) => panes[0].title === 'by the program');
  });

  test('viewers type into one pane, also where the owner’s keys go to all', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const second = await split(host, one.pane);
    await host.vitrine('set-option', '-w', '-t', 'work:', 'synchronize-panes', 'on');
    const viewer = await host.join((await share(host, one.pane)).write);
    viewer.type(one.pane, 'only one\r');
    await viewer.sees(/only one\nonly one/);
    assert.doesNotMatch(await host.screen(second), /only/);
  });

  test('a LAYOUT of several records, on a slow link', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work', ['sh', '-c', 'read x; seq 20000; cat']);
    const names = Array.from({ length: 40 }, (_, i) => `${i} ${'n'.repeat(58)}`);
    for (const name of names) await newWindow(host, 'work', name);
    const shared = await share(host, 'work', '--session');
    const proxy = await createProxy(t, Number(new URL(shared.view).port), { bytesPerSecond: 30_000 });
    const viewer = await host.join(shared.view, { proxy });
    await viewer.laidOut(({ windows }) => windows.length === 41);
    await host.type(one.pane, 'Enter');
    await viewer.sees(/^20000$/m);
    for (const round of [1, 2, 3]) {
      await host.vitrine('rename-window', '-t', one.window, `round ${round}`);
      const { windows } = await viewer.laidOut(({ windows: [first] }) => first.name === `round ${round}`);
      assert.deepEqual(windows.slice(1).map(({ name }) => name), names);
    }
    assert.equal(viewer.welcomes.length, 1);
  });

  test('twenty idle windows: what happens elsewhere sends their viewers nothing', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    for (let i = 0; i < 19; i++) await newWindow(host, 'work', `w${i}`);
    const peer = await Peer.join(t, (await share(host, 'work', '--session')).view);
    await peer.got(T.LAYOUT, ({ windows }) => windows.length === 20);
    await peer.got(T.KEYFRAME);
    await peer.got(T.PRESENCE);
    await peer.answers();
    const had = peer.messages.length;
    await host.vitrine('new-session', '-d', '-s', 'elsewhere', '--', 'sh', '-c', 'seq 100000; printf "\\a"; echo over; cat');
    await host.sees('elsewhere:', /over/);
    await peer.answers();
    const since = peer.messages.slice(had).filter(({ type }) => type !== T.PING && type !== T.PONG);
    assert.deepEqual(since, []);
  });
});

describe('shares on the command line', { concurrency: 2 }, () => {
  test('share of nothing is a session, in a pane that pane, of a command its pane', async (t) => {
    const host = await createHost(t);
    const fresh = await host.json('share', '--json', '-d');
    assert.equal(fresh.kind, 'session');
    const inPane = await host.run(['share', '--json', '-d'], { env: { VITRINE_PANE: fresh.pane } });
    assert.deepEqual([JSON.parse(inPane.stdout).kind, JSON.parse(inPane.stdout).pane], ['pane', fresh.pane]);
    assert.equal((await host.json('share', '--json', '-d', '--', 'cat')).kind, 'pane');
    assert.equal((await host.json('share', '--json', '-d', '--window', '--', 'cat')).kind, 'window');
    const lines = (await host.vitrine('shares')).trim().split('\n');
    assert.match(lines[0], /^1: session 0 "0", 1 link, 0 watching$/);
    assert.match(lines[1], /^2: pane %0 /);
    assert.match(lines[3], /^4: window @2 /);
    const { code, stderr } = await host.run(['share', '-d', '--window', '--session']);
    assert.equal(code, 2);
    assert.match(stderr, /--window or --session, not both/);
  });

  test('marks, counts and names of several shares over one pane', async (t) => {
    const host = await createHost(t);
    const one = await newSession(host, 'work');
    const second = await split(host, one.pane);
    const [pane, window, session] = [await share(host, one.pane, '-n', 'narrow'), await share(host, one.pane, '--window'), await share(host, 'work', '--session')];
    assert.deepEqual(new Set([pane, window, session].map((one) => one.share)).size, 3);
    for (const link of [pane.view, window.view, session.view]) await host.join(link);
    const format = async (target, text) => (await host.vitrine('display-message', '-p', '-t', target, text)).trim();
    const all = '#{shared} #{share_viewers} #{share_name} #{window_shared} #{window_viewers} #{session_shared} #{session_viewers}';
    assert.equal(await format(one.pane, all), '1 3 narrow 1 3 1 3');
    assert.equal(await format(second, all), `1 2 ${window.name} 1 3 1 3`);
    assert.match(await host.vitrine('list-sessions'), / \(shared, 3 watching\)$/m);
    assert.equal((await share(host, one.pane, '--window')).share, window.share, 'shared once');
    await host.vitrine('unshare', '-t', one.pane);
    assert.equal(await format(one.pane, '#{shared} #{share_id}'), `1 ${window.share}`);
    await host.vitrine('unshare', '-t', String(window.share));
    await host.vitrine('unshare', '-t', String(session.share));
    assert.equal(await format(one.pane, '#{shared}#{window_shared}#{session_shared}'), '000');
  });

  test('a view-only share of a session has no writing link', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'work');
    const shared = await host.json('share', '--json', '-d', '--session', '-t', 'work');
    assert.deepEqual(shared.links.map(({ role }) => role), ['spectator']);
    assert.equal(linkOf(shared, 'operator'), undefined);
    const viewer = await host.join(linkOf(shared, 'spectator'));
    assert.equal(viewer.viewer.capabilities & (Capability.TYPE | Capability.COMMANDS), 0);
  });
});
