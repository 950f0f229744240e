// Shares: who may do what, what viewers are told when something is taken away, and what is left.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from './host.mjs';
import { Peer } from './peer.mjs';

const T = lib.MessageType;
const { ByeReason, Role, Capability } = lib;

describe('sharing', { concurrency: 4 }, () => {
  test('view only by default: no writing link is minted, printed or findable anywhere', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { readOnly: true });
    const text = await host.vitrine('share', '-d', '-t', shared.pane);
    const seen = [JSON.stringify(shared), text, await host.vitrine('links'), await host.vitrine('links', '--json'),
      await host.vitrine('shares', '--json'), await host.vitrine('info', '--json'), await host.vitrine('shares')];
    for (const one of seen) assert.doesNotMatch(one, /operator|write/);
    assert.deepEqual(shared.links.map(({ role }) => role), ['spectator']);
    const urls = new Set(seen.flatMap((one) => one.match(/http:[^\s"]+#[^\s"]+/g) ?? []));
    assert.deepEqual([...urls], [shared.view]);
    const viewer = await host.join(shared.view);
    assert.equal(viewer.viewer.role, Role.SPECTATOR);
    assert.equal(viewer.viewer.capabilities & Capability.TYPE, 0);
  });

  test('of several shares none is ended that was not named', async (t) => {
    const host = await createHost(t);
    const [one, two] = [await host.share(['cat']), await host.share(['cat'])];
    for (const command of ['unshare', 'links']) {
      const { code, stderr } = await host.run([command]);
      assert.equal(code, 1, command);
      assert.match(stderr, /several shares: name one with -t/);
    }
    assert.equal((await host.json('shares', '--json')).length, 2);
    await host.vitrine('unshare', '-t', String(two.share));
    assert.deepEqual((await host.json('shares', '--json')).map(({ share }) => share), [one.share]);
    await host.vitrine('unshare');
    assert.deepEqual(await host.json('shares', '--json'), []);
  });

  test('--write adds one operator link; its holder may type, the other may not', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const [reader, writer] = [await host.join(shared.view), await host.join(shared.write)];
    assert.deepEqual([reader.viewer.role, writer.viewer.role], [Role.SPECTATOR, Role.OPERATOR]);
    assert.ok(writer.viewer.capabilities & Capability.TYPE);
    writer.type(shared.pane, 'over here\r');
    await reader.sees(/over here\nover here/);
  });

  test('sharing again gives the same links; --write later adds the writing one and keeps viewers', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat'], { readOnly: true });
    const viewer = await host.join(shared.view);
    const again = await host.json('share', '--json', '-d', '--write', '-t', shared.pane);
    assert.deepEqual(again.links.map(({ role }) => role), ['spectator', 'operator']);
    assert.equal(again.links[0].url, shared.view);
    assert.equal(again.share, shared.share);
    assert.equal(viewer.state.kind, 'live');
    const third = await host.json('share', '--json', '-d', '--write', '-t', shared.pane);
    assert.deepEqual(third.links, again.links, 'a writing link that is there is not doubled');
  });

  test('a forgotten link is printed again by links, by number, pane or session', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const other = await host.share(['cat']);
    for (const target of [String(shared.share), shared.pane, '0']) {
      assert.deepEqual((await host.json('links', '--json', '-t', target)).links, shared.links, target);
    }
    assert.deepEqual((await host.json('links', '--json', '-t', other.pane)).links, other.links);
    await host.vitrine('kill-session', '-t', other.pane);
    assert.deepEqual((await host.json('links', '--json')).links, shared.links, 'the only share');
  });

  test('unshare: viewers are told, the link says so to whoever comes later, the program lives on', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const viewers = [await host.join(shared.view), await host.join(shared.write)];
    await host.vitrine('unshare', '-t', shared.pane);
    for (const viewer of viewers) {
      assert.deepEqual(await viewer.bye(), { reason: ByeReason.REVOKED, text: 'this link was revoked' });
      assert.equal((await viewer.until(() => viewer.closes[0], 'the close')).code, 1000);
    }
    await host.share(['cat']); // keeps the gate
    const late = host.viewer(shared.view);
    assert.equal((await late.bye()).reason, ByeReason.REVOKED);
    await host.type(shared.pane, 'echo li""ves', 'Enter');
    await host.sees(shared.pane, /^lives$/m);
  });

  test('kill-session: the program goes, viewers are told that it ended', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const viewer = await host.join(shared.view);
    const [{ pid }] = await host.json('list-panes', '--json', '-t', shared.pane);
    host.pids.add(pid);
    await host.vitrine('kill-session', '-t', shared.pane);
    assert.equal((await viewer.bye()).reason, ByeReason.ENDED);
    assert.deepEqual(await host.json('shares', '--json'), []);
    assert.deepEqual(await host.json('ls', '--json'), []);
  });

  test('a kicked viewer is told why, does not come back by itself, and its token is void', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const viewer = await host.join(shared.write);
    const other = await host.join(shared.view);
    const token = viewer.viewer.resumeToken.slice();
    const [{ id }] = (await host.json('viewers', '--json')).filter(({ role }) => role === 'operator');
    await host.vitrine('kick', String(id), 'enough for today');
    assert.deepEqual(await viewer.bye(), { reason: ByeReason.KICKED, text: 'enough for today' });
    const peer = await Peer.join(t, shared.write, { resumeToken: token });
    assert.notEqual(peer.welcome.viewerId, id);
    assert.equal(viewer.welcomes.length, 1);
    assert.equal(viewer.sockets.length, 1);
    assert.equal(other.state.kind, 'live');
  });

  test('a viewer that was away is kicked too', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.write);
    const token = peer.welcome.resumeToken;
    peer.drop();
    const away = await until(async () => (await host.json('viewers', '--json')).find((one) => one.away), 'away', DEADLINE_MS);
    await host.vitrine('kick', String(away.id));
    assert.deepEqual(await host.json('viewers', '--json'), []);
    const again = await Peer.join(t, shared.write, { resumeToken: token });
    assert.notEqual(again.welcome.viewerId, away.id);
  });

  test('many viewers on one pane: all see the same, counts are right, leaving is noticed', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const viewers = await Promise.all(Array.from({ length: 40 }, (_, i) => host.join(i % 2 ? shared.view : shared.write)));
    const shares = async () => (await host.json('shares', '--json'))[0].viewers;
    assert.equal(await shares(), 40);
    viewers[0].type(shared.pane, 'to all of you\r');
    for (const viewer of viewers) await viewer.sees(/to all of you\nto all of you/);
    await viewers[7].until(() => viewers[7].last(T.PRESENCE)?.viewers === 40, 'a count of 40');
    for (const viewer of viewers.slice(10)) viewer.stop();
    await until(async () => (await shares()) === 10, 'a count of 10', DEADLINE_MS);
    assert.equal((await host.json('viewers', '--json')).filter((one) => !one.away).length, 10);
    await viewers[0].until(() => viewers[0].last(T.PRESENCE).viewers === 10, 'a count of 10');
  });

  test('more viewers away than are remembered: who is away the longest is forgotten', async (t) => {
    const AWAY_MAX = 1024;
    const BATCH = 64;
    const host = await createHost(t);
    const shared = await host.share(['cat'], { readOnly: true });
    const all = async () => host.json('viewers', '--json');
    const first = await Peer.join(t, shared.view);
    first.drop();
    await until(async () => (await all())[0].away, 'the first to be away', DEADLINE_MS);
    let last;
    for (let i = 0; i < AWAY_MAX; i += BATCH) {
      const batch = await Promise.all(Array.from({ length: BATCH }, () => Peer.join(t, shared.view)));
      for (const peer of batch) peer.drop();
      last = batch.at(-1);
    }
    await until(async () => (await all()).every(({ away }) => away), 'everybody to be away', DEADLINE_MS);
    assert.equal((await all()).length, AWAY_MAX);
    const [gone, back] = await Promise.all([first, last].map(({ welcome }) => Peer.join(t, shared.view, { resumeToken: welcome.resumeToken })));
    assert.notEqual(gone.welcome.viewerId, first.welcome.viewerId);
    assert.equal(back.welcome.viewerId, last.welcome.viewerId);
  });

  test('the last viewer leaves: program and share live on', async (t) => {
    const host = await createHost(t);
    const shared = await host.shell();
    const viewer = await host.join(shared.write);
    viewer.type(shared.pane, 'x=kept\r');
    await viewer.sees(/x=kept/);
    viewer.stop();
    await until(async () => (await host.json('shares', '--json'))[0].viewers === 0, 'no viewer', DEADLINE_MS);
    const next = await host.join(shared.write);
    next.type(shared.pane, 'echo "$x"\r');
    await next.sees(/^kept$/m);
  });

  test('WELCOME names share and role; LAYOUT has the pane; the title follows the program', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', 'read x; printf "\\033]2;a new title\\007"; exec cat'],
      { options: ['-n', 'demo', '-x', '90', '-y', '20'] });
    const viewer = await host.join(shared.write);
    const { welcome } = viewer.welcomes[0];
    assert.equal(welcome.shareName, 'demo');
    assert.equal(welcome.inputNext, 0);
    assert.ok(welcome.window >= 16384);
    const layout = await viewer.got(T.LAYOUT);
    assert.deepEqual([layout.cols, layout.rows, layout.panes.length, layout.windows.length], [90, 20, 1, 1]);
    assert.equal(layout.panes[0].id, Number(shared.pane.slice(1)));
    viewer.type(shared.pane, '\r');
    await viewer.got(T.LAYOUT, ({ panes }) => panes[0].title === 'a new title');
  });

  test('names are cut to printable text before anybody sees them', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    await Peer.join(t, shared.view, { name: `\x1b]0;x\x07${'é'.repeat(200)}`, client: 'a\nb' });
    const [{ name, client }] = await host.json('viewers', '--json');
    assert.ok(Buffer.byteLength(name) <= 64, name);
    for (const text of [name, client]) assert.doesNotMatch(text, /[\x00-\x1f\x7f]/);
    assert.doesNotMatch(await host.vitrine('viewers'), /[\x00-\x09\x0b-\x1f]/);
  });

  test('a share that fails is undone: no session, no share is left behind', async (t) => {
    const host = await createHost(t);
    const { createServer } = await import('node:net');
    const taken = createServer();
    await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
    t.after(() => taken.close());
    const port = String(taken.address().port);
    await host.vitrine('new', '-d', '-s', 'mine', 'cat');
    for (const args of [['-t', 'mine'], ['--', 'cat']]) {
      const { code, stderr } = await host.run(['share', '-d', '--port', port, ...args]);
      assert.equal(code, 1);
      assert.ok(stderr.includes(`port ${port} is taken`), stderr);
      assert.deepEqual(await host.json('shares', '--json'), [], args.join(' '));
    }
    assert.deepEqual((await host.json('ls', '--json')).map(({ name }) => name), ['mine']);
    await host.advance(60_000);
    assert.notEqual((await host.gate()).state, 'ready', 'a gate that failed does not start by itself later');
  });
});
