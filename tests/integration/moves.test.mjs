// Panes and windows that move while they are shared: viewers see exactly what is in the share now.
//
// A canary is text that a pane's program prints while the pane is outside. Whatever a viewer was ever
// sent is kept and searched for it.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lib, seeded } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from './host.mjs';
import { Peer } from './peer.mjs';
import { paneNumber } from './viewer.mjs';
import { FOLLOW, newSession, newWindow, paneIds, share, split, viewed, windowIds } from './windows.mjs';

const T = lib.MessageType;
const { ByeReason, PaneFlag, WindowFlag } = lib;
const STEPS = process.env.VITRINE_SHORT ? 30 : 120;

/** A viewer that keeps all it is sent. */
async function recorded(host, link, options) {
  const viewer = host.viewer(link, options);
  viewer.record = [];
  await viewer.live();
  return viewer;
}

const sent = (viewer) => Buffer.concat(viewer.record).toString('latin1');

describe('moves', { concurrency: 2 }, () => {
  for (const [name, leave] of [
    ['break-pane', (host, pane) => host.vitrine('break-pane', '-d', '-s', pane, '-t', 'outside:')],
    ['join-pane', (host, pane) => host.vitrine('join-pane', '-d', '-s', pane, '-t', 'outside:')],
    ['swap-pane', (host, pane) => host.vitrine('swap-pane', '-d', '-s', pane, '-t', 'outside:')],
  ])
    test(`${name} out of a shared window: nothing of the pane is sent from then on`, async (t) => {
      const host = await createHost(t);
      await newSession(host, 'outside', ['sh', '-c', 'echo OUTSIDE; cat']);
      const one = await newSession(host, 'work');
      const go = path.join(host.home, 'go');
      const pane = await split(host, one.pane, ['sh', '-c', `until [ -e ${go} ]; do echo tick; sleep 0.01; done; echo CANARY; cat`]);
      const shared = await share(host, one.pane, '--window');
      const viewers = [await recorded(host, shared.view), await recorded(host, shared.write)];
      for (const viewer of viewers) await viewer.seesIn(pane, /tick/);
      await leave(host, pane);
      writeFileSync(go, '');
      await host.sees(pane, /CANARY/, '-S', '-');
      viewers[1].type(pane, 'typed into what has left\r');
      for (const viewer of viewers) await viewer.laidOut((layout) => !paneIds(layout).includes(paneNumber(pane)));
      await viewers[1].got(T.NOTICE);
      await host.type(one.pane, 'the end', 'Enter');
      for (const viewer of viewers) {
        await viewer.seesIn(one.pane, /the end\nthe end/);
        assert.doesNotMatch(sent(viewer), /CANARY/);
        assert.equal(/OUTSIDE/.test(sent(viewer)), name === 'swap-pane', 'what came in for it is shown');
      }
      assert.doesNotMatch(await host.screen(pane, '-S', '-'), /typed into/);
      await host.vitrine('kill-pane', '-t', pane);
    });

  test('what a slow viewer had not been sent when the pane left is not sent any more', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'outside');
    const one = await newSession(host, 'work');
    const pane = await split(host, one.pane, ['sh', '-c', 'read x; seq 200000; echo CANARY; cat']);
    const shared = await share(host, one.pane, '--window');
    const waiting = [];
    const viewer = await recorded(host, shared.view, { slow: (done) => waiting.push(done) });
    await viewer.laidOut(({ panes }) => panes.length === 2);
    await host.type(pane, 'Enter');
    await host.sees(pane, /CANARY/);
    await host.vitrine('join-pane', '-d', '-s', pane, '-t', 'outside:');
    viewer.slow = undefined;
    for (const done of waiting.splice(0)) done();
    await viewer.laidOut(({ panes }) => panes.length === 1);
    await host.type(one.pane, 'the end', 'Enter');
    await viewer.seesIn(one.pane, /the end\nthe end/);
    assert.doesNotMatch(sent(viewer), /CANARY/);
  });

  test('a shared pane is followed: broken off, joined elsewhere, its window and session gone', async (t) => {
    const host = await createHost(t);
    const other = await newSession(host, 'other', ['sh', '-c', 'echo OTHER; cat']);
    const one = await newSession(host, 'work', ['sh', '-c', 'echo WORK; cat']);
    const pane = await split(host, one.pane, ['sh', '-c', 'echo mine; cat'], '-h');
    const viewer = await recorded(host, (await share(host, pane)).write);
    await viewer.sees(/mine/);
    const stillThere = async (word) => {
      viewer.type(pane, `${word}\r`);
      await viewer.sees(new RegExp(`${word}\n${word}`));
      await viewer.until(async () => {
        const [{ cols, rows }] = viewer.layout.panes;
        return `${cols}x${rows}` === (await host.vitrine('display-message', '-p', '-t', pane, '#{pane_width}x#{pane_height}')).trim();
      }, 'its size');
      assert.deepEqual(windowIds(viewer.layout), [0]);
    };
    await host.vitrine('break-pane', '-d', '-s', pane);
    await stillThere('broken');
    await host.vitrine('join-pane', '-d', '-s', pane, '-t', other.pane);
    await stillThere('joined');
    await host.vitrine('kill-session', '-t', 'work');
    await host.vitrine('kill-pane', '-t', other.pane);
    await stillThere('alone');
    await host.vitrine('kill-session', '-t', 'other');
    assert.equal((await viewer.bye()).reason, ByeReason.ENDED);
    assert.doesNotMatch(sent(viewer), /OTHER|WORK/);
  });

  test('a shared window whose only pane is joined to another ends; a session likewise', async (t) => {
    const host = await createHost(t);
    const outside = await newSession(host, 'outside');
    const one = await newSession(host, 'work');
    const two = await newWindow(host, 'work', 'second');
    const [window, session] = [await share(host, two.pane, '--window'), await share(host, 'work', '--session')];
    const [a, b] = [await host.join(window.view), await host.join(session.view)];
    await b.laidOut(({ windows }) => windows.length === 2);
    await host.vitrine('join-pane', '-d', '-s', two.pane, '-t', outside.pane);
    assert.equal((await a.bye()).reason, ByeReason.ENDED);
    await b.laidOut(({ windows }) => windows.length === 1);
    await host.vitrine('join-pane', '-d', '-s', one.pane, '-t', outside.pane);
    assert.equal((await b.bye()).reason, ByeReason.ENDED);
    assert.deepEqual(await host.json('shares', '--json'), []);
    assert.equal((await host.json('list-panes', '--json', '-t', 'outside')).length, 3);
  });

  test('input that waits for a program is not typed after its pane has left', async (t) => {
    const host = await createHost(t);
    await newSession(host, 'outside');
    const one = await newSession(host, 'work');
    const go = path.join(host.home, 'go'), got = path.join(host.home, 'got');
    const stuck = await split(host, one.pane, ['sh', '-c', `stty raw -echo; echo stuck; until [ -e ${go} ]; do sleep 0.05; done; exec cat > ${got}`]);
    const shared = await share(host, one.pane, '--window');
    await host.sees(stuck, /stuck/);
    const peer = await Peer.join(t, shared.write);
    await peer.got(T.LAYOUT);
    const typed = await peer.type(stuck, Buffer.alloc(400_000, 'x'), { untilFull: true });
    await host.vitrine('join-pane', '-d', '-s', stuck, '-t', 'outside:');
    await peer.got(T.NOTICE, ({ code }) => code === lib.NoticeCode.NOT_DELIVERED);
    await peer.got(T.TAKEN, ({ inputNext }) => inputNext === typed);
    writeFileSync(go, '');
    const typeEnd = async () => (await host.run(['send-keys', '-t', stuck, '-l', 'E'])).code === 0;
    await until(typeEnd, 'room for one character', DEADLINE_MS);
    const read = () => (existsSync(got) ? readFileSync(got, 'latin1') : '');
    await until(() => read().endsWith('E'), 'the end of what was typed', DEADLINE_MS);
    const delivered = read().length - 1;
    assert.ok(delivered > 0 && typed - delivered >= 60_000, `${delivered} of ${typed}`);
  });

  test('at random: what two viewers see is what the daemon shows, and never what is outside', async (t) => {
    const host = await createHost(t);
    const run = new RandomMoves(host, seeded(Number(process.env.SEED ?? 4)));
    await run.start();
    for (let i = 0; i < STEPS && (await run.step()); i++) if (i % 3 === 2) await run.settle();
    await run.settle();
    run.checkCanaries();
  });
});

/** Random commands on a shared session and one outside, and what must hold when it is quiet. */
class RandomMoves {
  constructor(host, random) {
    Object.assign(this, { host, random, log: [], canaries: new Map(), words: 0 });
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  async start() {
    const { host } = this;
    await newSession(host, 'outside', ['cat']);
    this.one = await newSession(host, 'work', ['cat']);
    this.shared = await share(host, 'work', '--session');
    this.viewers = [await recorded(host, this.shared.view), await recorded(host, this.shared.write)];
    for (const viewer of this.viewers) viewer.wants = FOLLOW;
    await this.look();
  }

  /** The model, as list-panes says it. */
  async look() {
    const fields = ['session_name', 'window_id', 'window_index', 'window_name', 'window_active', 'window_zoomed_flag', 'window_width', 'window_height',
      'pane_id', 'pane_active', 'pane_left', 'pane_top', 'pane_width', 'pane_height'];
    const text = await this.host.vitrine('list-panes', '-a', '-F', fields.map((name) => `#{${name}}`).join(' '));
    this.panes = text.trim().split('\n').map((line) => Object.fromEntries(line.split(' ').map((value, i) => [fields[i], value])));
    return this.panes;
  }

  in(session) {
    return this.panes.filter(({ session_name }) => session_name === session);
  }

  /** One random command. False when the share has come to its end. */
  async step() {
    const anywhere = () => this.pick(this.panes).pane_id;
    const shared = () => this.pick(this.in('work')).pane_id;
    const outside = () => this.pick(this.in('outside')).pane_id;
    const commands = [
      () => ['split-window', this.pick(['-h', '-v']), '-t', shared(), '--', 'cat'],
      () => ['split-window', this.pick(['-hb', '-vb', '-hf']), '-t', shared(), '--', 'cat'],
      () => ['split-window', '-d', '-t', outside(), '--', 'cat'],
      () => ['kill-pane', '-t', anywhere()],
      () => ['resize-pane', '-Z', '-t', shared()],
      () => ['resize-pane', this.pick(['-L', '-R', '-U', '-D']), '-t', shared(), '3'],
      () => ['swap-pane', '-s', anywhere(), '-t', shared()],
      () => ['swap-pane', '-d', '-s', shared(), '-t', outside()],
      () => ['break-pane', this.pick(['-d', '-d', '-P']), '-s', shared()],
      () => ['break-pane', '-d', '-s', shared(), '-t', 'outside:'],
      () => ['join-pane', '-d', '-s', anywhere(), '-t', shared()],
      () => ['join-pane', '-h', '-s', shared(), '-t', anywhere()],
      () => ['join-pane', '-d', '-s', shared(), '-t', outside()],
      () => ['select-window', '-t', this.pick(this.in('work')).window_id],
      () => ['select-pane', '-t', shared()],
      () => ['new-window', '-d', '-t', 'work:', '--', 'cat'],
      () => ['rename-window', '-t', this.pick(this.in('work')).window_id, `w${this.words++}`],
      () => ['select-layout', '-t', shared(), this.pick(['tiled', 'even-horizontal', 'main-vertical'])],
    ];
    if (this.random() < 0.4) await this.say(anywhere());
    else if (this.random() < 0.25) this.view(this.pick(this.viewers));
    else if (this.random() < 0.1) await this.cut(this.pick(this.viewers));
    else await this.command(this.pick(commands)());
    await this.look();
    if (this.in('outside').length === 0) await newSession(this.host, 'outside', ['cat']).then(() => this.look());
    return this.in('work').length > 0;
  }

  async command(args) {
    if (args[0] === 'kill-pane' && this.in('work').length === 1) return;
    if (/^(join|break)-pane/.test(args[0]) && this.in('work').length === 1) return;
    const { code, stderr } = await this.host.run(args);
    this.log.push(`${args.join(' ')}: ${code} ${stderr.trim()}`);
    assert.ok(code === 0 || code === 1, this.log.at(-1));
    await this.look();
    for (const { pane_id } of this.in('work')) this.canaries.delete(pane_id); // its scrollback is shown now
  }

  /** A network that breaks; the viewer comes back, to the window it had. */
  async cut(viewer) {
    const count = viewer.welcomes.length;
    viewer.cut();
    this.log.push('cut');
    await this.command(['split-window', '-d', '-t', this.in('work')[0].pane_id, '--', 'cat']);
    await viewer.welcomed(count + 1);
  }

  view(viewer) {
    viewer.wants = this.random() < 0.3 ? FOLLOW : Number(this.pick(this.panes).window_id.slice(1));
    if (!this.in('work').some(({ window_id }) => window_id === `@${viewer.wants}`)) viewer.wants = viewer.had ?? FOLLOW;
    viewer.had = viewer.wants;
    viewer.send(T.VIEW, { window: viewer.wants });
    this.log.push(`view ${viewer.wants}`);
  }

  /** Has a pane print something: a canary where it is outside. */
  async say(pane) {
    const outside = this.in('outside').some(({ pane_id }) => pane_id === pane);
    const word = `${outside ? 'CANARY' : 'word'}-${this.words++}-`;
    await this.host.type(pane, word, 'Enter');
    this.log.push(`say ${word} in ${pane}`);
    if (outside) this.canaries.set(pane, [...(this.canaries.get(pane) ?? []), word]);
  }

  /** What a viewer should have: the panes of its window, by number. */
  expected(viewer) {
    const mine = this.in('work');
    const wanted = mine.filter(({ window_id }) => window_id === `@${viewer.wants}`);
    if (wanted.length === 0) viewer.wants = viewer.had = FOLLOW;
    const panes = wanted.length > 0 ? wanted : mine.filter(({ window_active }) => window_active === '1');
    const [{ window_zoomed_flag: zoomed, window_width, window_height, window_id }] = panes;
    const shown = zoomed === '1' ? panes.filter(({ pane_active }) => pane_active === '1') : panes;
    const place = (pane) => (zoomed === '1' ? `0,0,${window_width},${window_height}` : `${pane.pane_left},${pane.pane_top},${pane.pane_width},${pane.pane_height}`);
    const windows = new Map(mine.map((pane) => [pane.window_id, `${pane.window_id} ${pane.window_name} ${pane.window_active}`]));
    return {
      windows: [...windows.values()], viewed: Number(window_id.slice(1)), grid: `${window_width}x${window_height}`,
      panes: shown.map((pane) => `${pane.pane_id} ${place(pane)} ${pane.pane_active} ${zoomed}`).sort(),
    };
  }

  seen({ layout }) {
    const bit = (flags, flag) => (flags & flag ? 1 : 0);
    return {
      windows: layout.windows.map(({ id, name, flags }) => `@${id} ${name} ${bit(flags, WindowFlag.ACTIVE)}`),
      viewed: viewed(layout), grid: `${layout.cols}x${layout.rows}`,
      panes: layout.panes.map((p) => `%${p.id} ${p.x},${p.y},${p.cols},${p.rows} ${bit(p.flags, PaneFlag.ACTIVE)} ${bit(p.flags, PaneFlag.ZOOMED)}`).sort(),
    };
  }

  /** Waits until both viewers show what the daemon does. */
  async settle() {
    const captures = new Map();
    await this.look();
    for (const viewer of this.viewers) {
      await this.agree(() => [JSON.stringify(this.seen(viewer)), JSON.stringify(this.expected(viewer))], 'LAYOUT');
      for (const id of paneIds(viewer.layout)) {
        if (!captures.has(id)) captures.set(id, await this.quiet(id));
        await this.agree(() => [visible(viewer.screens.get(id)), captures.get(id)], `pane %${id}`);
      }
    }
  }

  /** A pane's screen once it has said all: what was typed is there twice. */
  async quiet(id) {
    const read = async () => (await this.host.screen(`%${id}`)).replaceAll(/ +$/gm, '');
    let before = await read();
    await until(async () => {
      const now = await read();
      const same = now === before;
      before = now;
      return same;
    }, `pane %${id} to be quiet`, DEADLINE_MS);
    return before;
  }

  async agree(both, what) {
    try {
      await until(async () => {
        const [a, b] = both();
        return a === b;
      }, what, DEADLINE_MS);
    } catch (error) {
      const [a, b] = both();
      throw new Error(`${what}: the viewer has\n${a}\nand the daemon\n${b}\nafter\n${this.log.slice(-30).join('\n')}`, { cause: error });
    }
  }

  checkCanaries() {
    const words = [...this.canaries.values()].flat();
    assert.ok(words.length > 0);
    for (const viewer of this.viewers) for (const word of words) assert.ok(!sent(viewer).includes(word), `${word} was sent\n${this.log.join('\n')}`);
  }
}

function visible(screen) {
  if (!screen) return undefined;
  const { buffer, rows } = screen.term;
  const lines = Array.from({ length: rows }, (_, i) => buffer.active.getLine(buffer.active.baseY + i)?.translateToString(true) ?? '');
  return lines.join('\n').trimEnd();
}
