// The small daemon with windows and panes: what tests lay out by hand is what viewers see. It answers
// VIEW itself, and COMMAND by what a test puts into `answer`; it draws no conclusions from either.
//
//   const daemon = await FakeWindows.start()
//   daemon.setWindow(1, { name: 'edit', cols: 81, rows: 24, panes: [{ id: 1, x: 0, y: 0, cols: 40, rows: 24 }, …] })
//   await daemon.change()            tells everybody: LAYOUT, then the keyframes of panes that are new
//   await daemon.say(1, 'text')      a pane's program prints

import { lib } from './setup.mjs';
import { FakeDaemon } from './fake_daemon.mjs';

const T = lib.MessageType;

/** One pane's stream. */
class FakePane {
  constructor(place) {
    Object.assign(this, { title: '', dead: false, zoomed: false, vt: '' }, place);
    this.keyframe = lib.utf8(this.vt);
    this.stream = new Uint8Array(0);
    this.base = 0;
    this.drawn = 0; // counts keyframes
  }

  /** Another place; another size begins the stream anew, as a resize does. */
  move(place) {
    const resized = place.cols !== this.cols || place.rows !== this.rows || place.vt !== undefined;
    Object.assign(this, { dead: false, zoomed: false }, place);
    if (!resized) return;
    if (place.vt !== undefined) this.keyframe = lib.utf8(place.vt);
    this.drawn++;
    this.base += this.stream.length;
    this.stream = new Uint8Array(0);
  }
}

export class FakeWindows extends FakeDaemon {
  windows = new Map(); // id -> { name, flags, cols, rows, panes: ids, active }
  panes = new Map();
  current = undefined; // the host's window
  commands = []; // { op, target, arguments } as they come
  answer = () => ({ result: lib.DoneResult.OK, text: '' });
  capabilities = undefined;
  say = (pane, text) => this.exclusive(() => this.print(pane, lib.utf8(text)));

  static async start(options = {}) {
    const daemon = new FakeWindows();
    const { setUp, ...fields } = options;
    setUp?.(daemon);
    return FakeDaemon.begin(Object.assign(daemon, fields));
  }

  /** Adds or changes a window; panes that are gone from it are forgotten. */
  setWindow(id, { name = `window ${id}`, flags = 0, cols = 80, rows = 24, panes, active = panes[0].id }) {
    for (const old of this.windows.get(id)?.panes ?? []) if (!panes.some((pane) => pane.id === old)) this.panes.delete(old);
    for (const place of panes) {
      const known = this.panes.get(place.id);
      if (known) known.move(place);
      else this.panes.set(place.id, new FakePane(place));
    }
    this.windows.set(id, { name, flags, cols, rows, panes: panes.map((pane) => pane.id), active });
    this.current ??= id;
  }

  /** Everybody sees what changed. */
  change() {
    return this.exclusive(async () => {
      for (const peer of this.peers) if (peer.joined && peer.state === 'sealed') await this.update(peer);
    });
  }

  viewedBy(peer) {
    return this.windows.has(peer.view) ? peer.view : this.current;
  }

  layoutFor(peer) {
    const viewed = this.viewedBy(peer);
    const window = this.windows.get(viewed);
    const { WindowFlag: W, PaneFlag: P } = lib;
    const windows = Array.from(this.windows, ([id, { name, flags }]) => ({
      id, name, flags: flags | (id === this.current ? W.ACTIVE : 0) | (id === viewed ? W.VIEWED : 0),
    }));
    const panes = window.panes.map((id) => {
      const { x, y, cols, rows, dead, zoomed, title } = this.panes.get(id);
      const flags = (id === window.active ? P.ACTIVE : 0) | (zoomed ? P.ZOOMED : 0) | (dead ? P.DEAD : 0);
      return { id, x, y, cols, rows, flags, title };
    });
    return { windows, cols: window.cols, rows: window.rows, panes };
  }

  async update(peer) {
    const layout = this.layoutFor(peer);
    await peer.send(T.LAYOUT, layout);
    const before = peer.sent ?? new Map();
    peer.sent = new Map();
    for (const { id } of layout.panes) {
      const pane = this.panes.get(id);
      if (before.get(id) !== pane.drawn) await this.showPane(peer, pane, undefined);
      peer.sent.set(id, pane.drawn);
    }
  }

  async showPane(peer, pane, offset) {
    const { id, base, stream, cols, rows, keyframe } = pane;
    const held = offset !== undefined && offset >= base && offset <= base + stream.length;
    if (!held) await peer.send(T.KEYFRAME, { pane: id, offset: base, firstLine: 0, cols, rows, historyLines: 0, reason: 0, vt: keyframe });
    const from = held ? offset : base;
    if (from < base + stream.length) await peer.send(T.OUTPUT, { pane: id, offset: from, data: stream.subarray(from - base) });
  }

  async print(id, data) {
    const pane = this.panes.get(id);
    const offset = pane.base + pane.stream.length;
    pane.stream = lib.concat(pane.stream, data);
    for (const peer of this.peers) {
      if (peer.joined && peer.state === 'sealed' && peer.sent?.has(id)) await peer.send(T.OUTPUT, { pane: id, offset, data });
    }
  }

  async show(peer, _offset, join, isKnown) {
    await peer.send(T.LAYOUT, this.layoutFor(peer));
    await peer.send(T.PRESENCE, { viewers: this.peers.filter((p) => p.joined && p.state === 'sealed').length, changes: [] });
    peer.sent = new Map();
    for (const id of this.windows.get(this.viewedBy(peer)).panes) {
      const pane = this.panes.get(id);
      await this.showPane(peer, pane, isKnown ? join.panes.find((one) => one.pane === id)?.offset : undefined);
      peer.sent.set(id, pane.drawn);
    }
  }

  async handle(peer, type, fields) {
    if (type === T.VIEW) {
      peer.view = fields.window;
      return this.exclusive(() => this.update(peer));
    }
    if (type === T.COMMAND) {
      this.commands.push(fields);
      const { result, text } = await this.answer(fields, peer);
      return peer.send(T.DONE, { request: fields.request, result, text });
    }
    return super.handle(peer, type, fields);
  }

  async input(peer, fields) {
    peer.typed = (peer.typed ?? new Map()).set(fields.pane, (peer.typed?.get(fields.pane) ?? '') + new TextDecoder().decode(fields.data));
    this.echo = false;
    return super.input(peer, fields);
  }
}
