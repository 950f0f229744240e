// Connections break, gates die, hosts sleep: viewers come back to the same program, nothing that was
// typed is lost or doubled, nothing that was printed is missing.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, killHard, until } from './host.mjs';
import { Peer, inputOf } from './peer.mjs';
import { createProxy } from './proxy.mjs';

const T = lib.MessageType;
const { ByeReason, KeyframeReason } = lib;
const AWAY_MS = 30 * 60_000;
const KEPT_BYTES = 64 << 10;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const raw = (length) => ['bash', '--norc', '-c', `stty raw -echo; echo ready; head -c ${length} | sha256sum; stty sane; echo over; exec cat`];

const portOf = (link) => Number(new URL(link).port);

/** Types numbered words while `disturb(i)` breaks things; the program must get exactly these bytes. */
async function typeThrough(t, { words, disturb, prepare }) {
  const all = Array.from({ length: words }, (_, i) => `word ${i} of many; `).join('');
  const host = await createHost(t);
  const shared = await host.share(raw(all.length));
  const proxy = await createProxy(t, portOf(shared.write));
  const viewer = await host.join(shared.write, { proxy });
  await viewer.sees(/ready/);
  await prepare?.({ host, shared });
  for (let i = 0; i < words; i++) {
    viewer.type(shared.pane, `word ${i} of many; `);
    await disturb({ i, host, proxy, viewer, shared });
  }
  await viewer.sees(new RegExp(sha256(all)));
  assert.equal(viewer.lostInput, 0);
  assert.deepEqual(viewer.welcomes.slice(1).map(({ resumed }) => resumed).filter((resumed) => !resumed), []);
  return { host, viewer, shared };
}

describe('resuming', { concurrency: 4 }, () => {
  test('the connection is cut again and again while typing: no key is lost or doubled', async (t) => {
    const { viewer } = await typeThrough(t, {
      words: 200,
      disturb: async ({ i, proxy, viewer }) => {
        if (i % 60 !== 30) return;
        const count = viewer.welcomes.length;
        proxy.cut();
        await viewer.welcomed(count + 1);
      },
    });
    assert.equal(viewer.welcomes.length, 4);
  });

  test('the gate is killed while typing: same program, same port, same link, input exact', async (t) => {
    let before;
    const { host, viewer, shared } = await typeThrough(t, {
      words: 200,
      prepare: async ({ host }) => (before = await host.gate()),
      disturb: async ({ i, host, viewer }) => {
        if (i % 80 !== 40) return;
        const { pid } = await host.gate();
        const count = viewer.welcomes.length;
        await killHard(pid);
        await viewer.welcomed(count + 1);
      },
    });
    const now = await host.gate();
    assert.deepEqual([now.port, now.restarts], [before.port, 2]);
    assert.notEqual(now.pid, before.pid);
    await host.join(shared.view);
    assert.match(viewer.text(), /ready/);
  });

  test('output goes on exactly where it stopped, without a keyframe, when the gap is short', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const proxy = await createProxy(t, portOf(shared.write));
    const viewer = await host.join(shared.write, { proxy });
    viewer.type(shared.pane, 'echo be""fore\r');
    await viewer.sees(/^before$/m);
    const keyframes = () => viewer.stream.filter(({ type }) => type === T.KEYFRAME).length;
    const had = keyframes();
    proxy.cut({ refusing: true });
    await viewer.reaches('reconnecting');
    await host.type(shared.pane, 'echo mean""while', 'Enter');
    await host.sees(shared.pane, /^meanwhile$/m);
    proxy.refusing = false;
    await viewer.welcomed(2);
    await viewer.sees(/^meanwhile$/m);
    assert.equal(keyframes(), had);
    assert.equal(viewer.text(), await host.screen(shared.pane, '-S', '-'));
  });

  test('70 s without a network during a build: same process, same screen, same link', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'echo pid $$; while read x; do seq $x; done']);
    const proxy = await createProxy(t, portOf(shared.write));
    const viewer = await host.join(shared.write, { proxy });
    await viewer.sees(/pid \d+/);
    const [{ pid }] = await host.json('list-panes', '--json', '-t', shared.pane);
    proxy.stall();
    await host.advance(41_000);
    await until(async () => (await host.json('viewers', '--json'))[0].away, 'the daemon to notice', DEADLINE_MS);
    await host.advance(29_000);
    await host.type(shared.pane, '20000', 'Enter');
    await host.sees(shared.pane, /^20000$/m);
    proxy.stall(false);
    proxy.cut();
    await viewer.welcomed(2);
    await viewer.sees(/^20000$/m);
    assert.equal(viewer.welcomes[1].resumed, true);
    assert.equal((await host.json('list-panes', '--json', '-t', shared.pane))[0].pid, pid);
    await viewer.until(async () => viewer.text().split('\n').slice(-20).join() === (await host.screen(shared.pane)).split('\n').slice(-20).join(), 'the same screen');
  });

  test('away for less than 30 minutes resumes; for more it is a plain join', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.write, { name: 'Ann' });
    await peer.send(T.INPUT, inputOf(shared.pane, 0, 'abc'));
    await peer.got(T.TAKEN);
    const awake = async () => {
      await until(async () => (await host.json('viewers', '--json'))[0].away, 'away', DEADLINE_MS);
    };
    peer.drop();
    await awake();
    await host.advance(AWAY_MS - 5000);
    const second = await Peer.join(t, shared.write, { resumeToken: peer.welcome.resumeToken });
    assert.deepEqual([second.welcome.viewerId, second.welcome.inputNext], [peer.welcome.viewerId, 3]);
    assert.equal((await host.json('viewers', '--json'))[0].name, 'Ann', 'the name is restored');
    second.drop();
    await awake();
    await host.advance(AWAY_MS + 1000);
    assert.deepEqual(await host.json('viewers', '--json'), []);
    const third = await Peer.join(t, shared.write, { resumeToken: second.welcome.resumeToken });
    assert.notEqual(third.welcome.viewerId, peer.welcome.viewerId);
    assert.equal(third.welcome.inputNext, 0);
  });

  test('tokens: rotated at WELCOME; the former one holds until the first ACK; unknown and foreign ones are plain joins', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const other = await host.share(['cat']);
    const first = await Peer.join(t, shared.write);
    const id = first.welcome.viewerId;
    const second = await Peer.join(t, shared.write, { resumeToken: first.welcome.resumeToken });
    assert.equal(second.welcome.viewerId, id);
    assert.notDeepEqual(second.welcome.resumeToken, first.welcome.resumeToken);
    const third = await Peer.join(t, shared.write, { resumeToken: first.welcome.resumeToken }); // WELCOME was lost
    assert.equal(third.welcome.viewerId, id);
    await third.got(T.KEYFRAME);
    await third.send(T.ACK, { total: third.bodyBytes, panes: [] });
    await third.answers();
    for (const [link, token] of [
      [shared.write, second.welcome.resumeToken], // the one before: void since the ACK
      [shared.write, new Uint8Array(16).fill(7)],
      [shared.view, third.welcome.resumeToken], // of another link
      [other.write, third.welcome.resumeToken],
    ]) {
      const peer = await Peer.join(t, link, { resumeToken: token });
      assert.notEqual(peer.welcome.viewerId, id);
    }
    assert.equal(third.wire.end, undefined, 'nobody was replaced');
    const last = await Peer.join(t, shared.write, { resumeToken: third.welcome.resumeToken });
    assert.equal(last.welcome.viewerId, id);
  });

  test('a token used again ends the older connection with BYE(replaced), which does not come back', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const viewer = await host.join(shared.write);
    await viewer.until(() => viewer.stream.length > 0, 'a keyframe');
    const peer = await Peer.join(t, shared.write, { resumeToken: viewer.viewer.resumeToken });
    assert.equal((await viewer.bye()).reason, ByeReason.REPLACED);
    assert.equal((await viewer.until(() => viewer.closes[0], 'the close')).code, 1000);
    await peer.answers();
    assert.equal(viewer.sockets.length, 1);
    assert.equal((await host.json('viewers', '--json')).length, 1);
    assert.equal((await host.json('shares', '--json'))[0].viewers, 1);
  });

  test('offsets that were never sent, or are from before a size change, are not believed: a keyframe', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'stty -echo; echo one; exec cat']);
    await host.sees(shared.pane, /one/); // all that comes by itself: no offset beyond it is true
    const first = await Peer.join(t, shared.write);
    const { offset } = await first.got(T.KEYFRAME);
    const pane = Number(shared.pane.slice(1));
    let token = first.welcome.resumeToken;
    for (const bad of [offset + 1, offset + 1e6, Number.MAX_SAFE_INTEGER]) {
      const peer = await Peer.join(t, shared.write, { resumeToken: token, panes: [{ pane, offset: bad }] });
      assert.equal(peer.welcome.viewerId, first.welcome.viewerId);
      assert.equal((await peer.got(T.KEYFRAME)).reason, KeyframeReason.RESUME, String(bad));
      token = peer.welcome.resumeToken;
    }
    const good = await Peer.join(t, shared.write, { resumeToken: token, panes: [{ pane: 99, offset: 1 }, { pane, offset }] });
    await good.send(T.INPUT, inputOf(shared.pane, 0, 'two\r'));
    assert.equal((await good.got(T.OUTPUT)).offset, offset);
    assert.equal(good.messages.some(({ type }) => type === T.KEYFRAME), false);
  });

  test('input that waits for a program that does not read survives a cut connection, in both queues', async (t) => {
    const host = await createHost(t);
    const go = path.join(host.dir, 'go');
    const length = 5 * KEPT_BYTES;
    const shared = await host.share(['bash', '--norc', '-c',
      `stty raw -echo; echo ready; until [ -e ${go} ]; do sleep 0.05; done; head -c ${length} | sha256sum; exec cat`]);
    const proxy = await createProxy(t, portOf(shared.write));
    const viewer = await host.join(shared.write, { proxy });
    await viewer.sees(/ready/);
    const paste = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
    viewer.type(shared.pane, paste);
    const settled = async () => {
      let before = -1;
      await until(async () => {
        const same = viewer.viewer.input.waiting === before;
        before = viewer.viewer.input.waiting;
        await host.json('viewers', '--json');
        return same;
      }, 'the queues to be full', DEADLINE_MS);
    };
    for (let i = 2; i < 5; i++) {
      await settled();
      proxy.cut();
      await viewer.welcomed(i);
    }
    await settled();
    assert.ok(viewer.states.every(({ cause }) => cause !== 'damaged'), JSON.stringify(viewer.states));
    writeFileSync(go, '');
    await viewer.sees(new RegExp(sha256(paste)));
    assert.deepEqual([viewer.lostInput, viewer.welcomes.length], [0, 4]);
  });

  test('a page that was reloaded: everything so far is there, and what is typed then counts on', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'seq 300; exec cat']);
    const viewer = await host.join(shared.write);
    await viewer.sees(/^300$/m);
    viewer.type(shared.pane, 'first\r');
    await viewer.sees(/first\nfirst/);
    const token = viewer.viewer.resumeToken;
    viewer.stop();
    const again = await host.join(shared.write, { resumeToken: token });
    await again.sees(/first\nfirst/);
    assert.match(again.text(), /^1\n2\n3\n/);
    assert.equal(again.viewer.viewerId, viewer.viewer.viewerId);
    again.type(shared.pane, 'second\r');
    await again.sees(/second\nsecond/);
  });

  test('the gate dies three times in a row: it comes back, viewers too', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const viewers = [await host.join(shared.write), await host.join(shared.view)];
    for (let i = 1; i <= 3; i++) {
      const { pid } = await until(async () => {
        const gate = await host.gate();
        return gate.state === 'ready' && gate;
      }, 'the gate', DEADLINE_MS);
      await killHard(pid);
      await until(async () => (await host.gate()).restarts === i, `restart ${i}`, DEADLINE_MS);
    }
    await host.advance(10_000); // the back-off
    for (const viewer of viewers) await viewer.until(() => viewer.state.kind === 'live' && viewer.welcomes.length > 1, 'live again');
    viewers[0].type(shared.pane, 'echo up ag""ain\r');
    for (const viewer of viewers) await viewer.sees(/^up again$/m);
  });

  test('the daemon is gone for good: the gate goes too, viewers keep trying and say why', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['sleep', '1000']);
    const viewer = await host.join(shared.view);
    const { pid, gate } = await host.info();
    const [{ pid: program }] = await host.json('list-panes', '--json', '-t', shared.pane);
    for (const one of [gate.pid, program]) host.pids.add(one);
    await killHard(pid);
    assert.equal((await viewer.reaches('reconnecting')).cause, 'host-gone');
    assert.equal(viewer.closes[0].code, 4004);
  });
});
