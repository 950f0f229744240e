// The page's viewer class with a terminal behind it, driven as the page drives its own: what a person
// with the link would see, as text, plus everything that was said on the way.

import { createHash } from 'node:crypto';
import { lib, require, until } from '../web/setup.mjs';
import { Viewer as Screen } from '../oracle/xterm.mjs';

const WebSocket = require('ws');
const T = lib.MessageType;
const WAIT_MS = 30_000;

/** Opens WebSockets as a program does: no Origin, nothing compressed. */
export function openSocket(url, protocol, options = {}) {
  return new WebSocket(url, protocol, { perMessageDeflate: false, ...options });
}

/** A link that goes through another port (a proxy's). */
export const through = (link, port) => link.replace(/^(http:\/\/[^/]*):\d+/, `$1:${port}`);

export class TestViewer {
  /**
   * options: those of the page's viewer; `proxy`: go through it; `slow`: a function that is handed
   * each stream item's done() and decides when the item counts as rendered.
   */
  constructor(link, { proxy, slow, socketOptions, ...options } = {}) {
    this.states = [];
    this.messages = []; // { type, fields } but for the stream's
    this.welcomes = []; // { welcome, resumed }
    this.stream = []; // { type, offset, reason, bytes }
    this.closes = [];
    this.lostInput = 0;
    this.bytes = 0;
    this.output = createHash('sha256');
    this.keep = undefined; // a list to which OUTPUT bytes are added
    this.screens = new Map(); // pane to terminal: of the panes in the last LAYOUT
    this.layout = undefined; // the last LAYOUT
    this.onLayout = undefined; // called with each, at once
    this.people = new Map(); // viewer id to { role, name }, as PRESENCE says
    this.slow = slow;
    this.sockets = [];
    this.viewer = new lib.Viewer({
      link: proxy ? through(link, proxy.port) : link,
      openSocket: (url, protocol) => this.#open(url, protocol, socketOptions),
      events: this.#events(),
      ...options,
    });
  }

  #open(url, protocol, options) {
    const socket = openSocket(url, protocol, options);
    socket.on('close', (code, reason) => this.closes.push({ code, reason: reason.toString() }));
    socket.on('error', () => undefined);
    this.socket = socket;
    this.sockets.push(socket);
    return socket;
  }

  #events() {
    return {
      state: (state) => this.states.push(state),
      welcome: (welcome, resumed) => this.welcomes.push({ welcome, resumed }),
      message: (type, fields) => this.#message(type, fields),
      inputLost: (bytes) => (this.lostInput += bytes),
      stream: (item) => this.#take(item),
    };
  }

  #message(type, fields) {
    this.messages.push({ type, fields });
    if (type === T.LAYOUT) this.#setLayout(fields);
    if (type !== T.PRESENCE) return;
    for (const { viewerId, kind, role, name } of fields.changes)
      if (kind === lib.PresenceKind.LEFT) this.people.delete(viewerId);
      else this.people.set(viewerId, { role, name });
  }

  #setLayout(layout) {
    this.layout = layout;
    this.textAt = undefined;
    const ids = new Set(layout.panes.map(({ id }) => id));
    for (const id of this.screens.keys()) if (!ids.has(id)) this.screens.delete(id);
    this.onLayout?.(layout);
  }

  #take({ type, fields, done }) {
    const data = fields.vt ?? fields.data;
    const { offset, reason, pane } = fields;
    this.stream.push({ type, offset, reason, bytes: data.length, pane });
    this.bytes += data.length;
    this.record?.push(Buffer.from(data));
    // as the page: what comes for a pane that is not in the layout is the end of a message cut short
    const known = this.layout?.panes.some(({ id }) => id === pane);
    if (type === T.KEYFRAME && known) {
      if (!this.screens.has(pane)) this.screens.set(pane, new Screen(fields.cols, fields.rows));
      this.screens.get(pane).applyKeyframe(fields);
    } else if (type === T.OUTPUT) {
      this.screens.get(pane)?.write(data);
      this.keep?.push(Buffer.from(data));
    }
    if (this.slow) this.slow(done);
    else done();
  }

  /** The active pane of the layout. */
  get activePane() {
    const panes = this.layout?.panes ?? [];
    return (panes.find(({ flags }) => flags & lib.PaneFlag.ACTIVE) ?? panes[0])?.id;
  }

  /** The active pane's terminal. */
  get screen() {
    return this.screens.get(this.activePane);
  }

  start() {
    this.viewer.start();
  }

  stop() {
    this.viewer.stop();
    for (const socket of this.sockets) socket.terminate();
  }

  get state() {
    return this.viewer.state;
  }

  until(check, what, ms = WAIT_MS) {
    return until(check, `${what}; state ${JSON.stringify(this.state)}`, ms);
  }

  reaches(kind) {
    return this.until(() => this.state.kind === kind && this.state, `state ${kind}`);
  }

  live() {
    return this.reaches('live');
  }

  /** Live for the nth time: WELCOMEs are counted. */
  async welcomed(count) {
    await this.until(() => this.welcomes.length >= count, `${count} WELCOMEs`);
    return this.welcomes[count - 1];
  }

  /** The whole text of a pane, the active one unless told, scrollback included, without blanks at line
   *  ends or empty lines at the end. */
  text(pane) {
    const screen = pane === undefined ? this.screen : this.screens.get(paneNumber(pane));
    if (!screen) return '';
    if (pane === undefined && this.textAt === this.stream.length) return this.shown; // nothing came since
    const buffer = screen.term.buffer.active;
    const lines = [];
    for (let i = 0; i < buffer.length; i++) lines.push(buffer.getLine(i).translateToString(true));
    const text = lines.join('\n').trimEnd();
    if (pane === undefined) [this.textAt, this.shown] = [this.stream.length, text];
    return text;
  }

  async sees(pattern, ms) {
    return this.#waitFor(pattern, undefined, ms);
  }

  /** The same in a pane that need not be the active one. */
  seesIn(pane, pattern, ms) {
    return this.#waitFor(pattern, pane, ms);
  }

  async #waitFor(pattern, pane, ms) {
    try {
      return await this.until(() => pattern.exec(this.text(pane)), `${pattern}`, ms);
    } catch (error) {
      error.message += `\non the screen:\n${this.text(pane).slice(-4000)}`;
      throw error;
    }
  }

  /** Waits for a LAYOUT that check likes, which need not be the newest any more. */
  laidOut(check, what) {
    return this.until(() => this.layout && check(this.layout) && this.layout, what ?? `layout ${check}`);
  }

  /** Sends a COMMAND and gives its DONE. */
  async command(op, target, args = new Uint8Array()) {
    const request = (this.requests = (this.requests ?? 0) + 1);
    this.send(T.COMMAND, { request, op, target, arguments: args });
    return this.got(T.DONE, (done) => done.request === request);
  }

  /** The fields of the last message of a type. */
  last(type) {
    return this.messages.filter((message) => message.type === type).at(-1)?.fields;
  }

  async got(type, check = () => true) {
    const found = () => this.messages.find((message) => message.type === type && check(message.fields));
    return (await this.until(found, `message ${lib.messageName?.(type) ?? type}`)).fields;
  }

  /** How it ended: the fields of BYE. */
  async bye() {
    const { reason, text } = await this.reaches('bye');
    return { reason, text };
  }

  type(pane, text) {
    this.viewer.type(paneNumber(pane), typeof text === 'string' ? lib.utf8(text) : text);
  }

  send(type, fields) {
    this.viewer.send(type, fields);
  }

  /** The connection breaks as a network breaks: no close, both ends find out. */
  cut() {
    this.socket.terminate();
  }
}

export const paneNumber = (pane) => (typeof pane === 'number' ? pane : Number(pane.slice(1)));
