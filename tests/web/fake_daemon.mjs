// A daemon and gate in one small program, for driving the page and the viewer class without either:
// it serves build/web/dist with the real policy and speaks the daemon's side of the protocol with the
// page's own responder. One share, one link, one pane whose stream it keeps; tests write to the pane
// with output() and see what viewers send. Everything a test may want to vary is a public field.

import http from 'node:http';
import path from 'node:path';
import { readFileSync, existsSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { lib, require, root, web } from './setup.mjs';

const { WebSocketServer } = require('ws');
const T = lib.MessageType;
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** One connection that has sent its greeting. */
class Peer {
  constructor(daemon, socket) {
    this.daemon = daemon;
    this.socket = socket;
    this.messages = []; // { type, fields }
    this.state = 'greeting';
    this.work = Promise.resolve();
    socket.binaryType = 'arraybuffer';
    socket.on('message', (data) => {
      this.work = this.work.then(() => this.receive(new Uint8Array(data))).catch((error) => this.fail(error));
    });
    socket.on('close', () => (this.state = 'closed'));
    socket.on('error', () => undefined);
  }

  fail(error) {
    this.error = error;
    this.socket.close(4002);
  }

  async receive(bytes) {
    if (this.state === 'greeting') return this.greet(bytes);
    const plain = await this.reader.open(bytes);
    const fields = lib.decode(plain.type, plain.body);
    this.messages.push({ type: plain.type, fields });
    await this.daemon.handle(this, plain.type, fields);
  }

  async greet(bytes) {
    const { linkId, noise } = lib.splitGreeting(bytes);
    const { daemon } = this;
    if (daemon.refuse || lib.toHex(linkId) !== lib.toHex(daemon.linkId)) return this.socket.close(4000);
    const responder = new lib.NoiseResponder(
      { prologue: lib.concat(lib.utf8('vitrine/1'), linkId), psk: daemon.psk, ephemeral: await lib.x25519Generate() },
      daemon.keys,
    );
    await responder.readFirst(noise);
    const { message, split } = await responder.writeSecond(Uint8Array.of(0, 0, 0, 0, daemon.needs));
    this.reader = new lib.RecordReader(split.fromInitiator);
    this.writer = new lib.RecordWriter(split.fromResponder);
    this.state = 'sealed';
    this.socket.send(lib.concat(Uint8Array.of(2), message));
  }

  async send(type, fields) {
    const body = lib.encode(type, fields);
    for (let at = 0; at === 0 || at < body.length; at += 16000) {
      const more = at + 16000 < body.length;
      await this.sendPlain(lib.buildPlain(type, more, body.subarray(at, at + 16000)));
    }
  }

  async sendPlain(plain) {
    if (!this.writer) return;
    const record = await this.writer.seal(plain);
    this.socket.send(this.alter ? this.alter(record) : record);
  }

  last(type) {
    return this.messages.filter((m) => m.type === type).at(-1)?.fields;
  }
}

export class FakeDaemon {
  role = lib.Role.OPERATOR;
  needs = 0;
  pin = undefined;
  refuse = false;
  takes = true; // answers INPUT with TAKEN
  echo = true; // prints what is typed
  cols = 80;
  rows = 24;
  pane = 1;
  title = 'bash';
  stream = new Uint8Array(0); // all of the pane's bytes since keyframe
  base = 0; // offset of stream[0]
  keyframe = new Uint8Array(0); // VT before stream
  typed = []; // bytes of input taken, all viewers together
  peers = [];
  known = new Map(); // token -> { id, next }
  viewers = 0;
  line = Promise.resolve();

  /** Starts on a free port of 127.0.0.1. */
  static async start(options = {}) {
    return FakeDaemon.begin(Object.assign(new FakeDaemon(), options));
  }

  static async begin(daemon) {
    daemon.keys = await lib.x25519Generate();
    daemon.secret = new Uint8Array(randomBytes(32));
    daemon.linkId = await lib.deriveLinkId(daemon.secret);
    daemon.psk = await lib.derivePsk(daemon.secret);
    await daemon.listen(0);
    return daemon;
  }

  async listen(port) {
    this.server = http.createServer((request, response) => this.serve(request, response));
    this.sockets = new WebSocketServer({ server: this.server, path: '/ws', perMessageDeflate: false, handleProtocols: () => 'vitrine.v1' });
    this.sockets.on('connection', (socket) => this.peers.push(new Peer(this, socket)));
    await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = this.server.address().port;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/#${lib.formatFragment({ daemonKey: this.keys.publicKey, secret: this.secret })}`;
  }

  get peer() {
    return this.peers.at(-1);
  }

  /** The page, the modules under /lib/, this folder under /tests/, and what `pages` adds. */
  serve(request, response) {
    const name = new URL(request.url, 'http://x').pathname.replace(/\/$/, '/index.html');
    const folders = { lib: path.join(web, 'lib'), tests: path.join(root, 'tests/web') };
    const [, folder] = name.split('/');
    const file = path.join(folders[folder] ?? path.join(web, 'dist'), path.basename(name));
    const extra = this.pages?.[name];
    if (extra === undefined && !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': TYPES[path.extname(name)] ?? 'text/plain',
      'content-security-policy': readFileSync(path.join(web, 'dist/csp.txt'), 'utf8').trim(),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    response.end(extra ?? readFileSync(file));
  }

  /** Cuts every connection and stops listening; start again with listen(port). */
  async down() {
    for (const peer of this.peers) peer.socket.terminate();
    this.sockets.close();
    this.server.closeAllConnections?.();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Runs one thing after the other: what a joining viewer is shown, and what happens meanwhile. */
  exclusive(action) {
    const result = this.line.then(action);
    this.line = result.catch(() => undefined);
    return result;
  }

  /** The program prints. */
  output(data) {
    return this.exclusive(() => {
      const bytes = typeof data === 'string' ? lib.utf8(data) : data;
      const offset = this.base + this.stream.length;
      this.stream = lib.concat(this.stream, bytes);
      return this.tellAll(T.OUTPUT, { pane: this.pane, offset, data: bytes });
    });
  }

  /** Replaces the pane's content, as after a resize or a skip. */
  redraw(vt, reason = lib.KeyframeReason.RESIZE, more = {}) {
    return this.exclusive(() => {
      this.base += this.stream.length;
      this.stream = new Uint8Array(0);
      this.keyframe = lib.utf8(vt);
      return this.tellAll(T.KEYFRAME, { ...this.keyframeFields(reason), ...more });
    });
  }

  broadcast(type, fields) {
    return this.exclusive(() => this.tellAll(type, fields));
  }

  async tellAll(type, fields) {
    for (const peer of this.peers) if (peer.joined) await peer.send(type, fields);
  }

  keyframeFields(reason) {
    const { pane, cols, rows } = this;
    return { pane, offset: this.base, firstLine: 0, cols, rows, historyLines: 0, reason, vt: this.keyframe };
  }

  async handle(peer, type, fields) {
    if (type === T.JOIN) return this.exclusive(() => this.join(peer, fields));
    if (type === T.INPUT) return this.input(peer, fields);
  }

  async join(peer, join) {
    const token = lib.toHex(join.resumeToken);
    const old = this.known.get(token);
    if (this.pin !== undefined && !old && join.pin !== this.pin) {
      return peer.send(T.WAIT, { what: lib.WaitWhat.PIN, attemptsLeft: 5, retryS: 0 });
    }
    peer.viewer = old ?? { id: ++this.viewers, next: 0 };
    peer.joined = true;
    const resumeToken = new Uint8Array(randomBytes(16));
    this.known.set(lib.toHex(resumeToken), peer.viewer);
    await peer.send(T.WELCOME, {
      viewerId: peer.viewer.id, role: this.role, capabilities: this.capabilities ?? (this.role === lib.Role.OPERATOR ? 31 : 24),
      ttlS: 0, window: 262144, inputNext: peer.viewer.next, resumeToken, shareName: 'demo', hostLabel: 'workstation',
    });
    const offset = old && join.panes.find(({ pane }) => pane === this.pane)?.offset;
    await this.show(peer, offset, join, old !== undefined);
  }

  async show(peer, offset) {
    const { pane, cols, rows, title } = this;
    const one = { id: pane, x: 0, y: 0, cols, rows, flags: lib.PaneFlag.ACTIVE, title };
    const window = { id: 1, flags: lib.WindowFlag.ACTIVE | lib.WindowFlag.VIEWED, name: 'bash' };
    await peer.send(T.LAYOUT, { windows: [window], cols, rows, panes: [one] });
    await peer.send(T.PRESENCE, { viewers: this.peers.filter((p) => p.joined && p.state === 'sealed').length, changes: [] });
    const held = offset !== undefined && offset >= this.base && offset <= this.base + this.stream.length;
    if (!held) await peer.send(T.KEYFRAME, this.keyframeFields(offset === undefined ? 0 : 4));
    const from = held ? offset : this.base;
    const data = this.stream.subarray(from - this.base);
    for (let at = 0; at < data.length; at += 16000) {
      await peer.send(T.OUTPUT, { pane, offset: from + at, data: data.subarray(at, at + 16000) });
    }
  }

  async input(peer, { seq, data }) {
    const { viewer } = peer;
    if (this.role !== lib.Role.OPERATOR || seq > viewer.next) return peer.fail(new Error('bad INPUT'));
    const fresh = data.subarray(viewer.next - seq);
    viewer.next += fresh.length;
    this.typed.push(Buffer.from(fresh));
    if (this.takes) await peer.send(T.TAKEN, { inputNext: viewer.next });
    if (this.echo) await this.output(lib.utf8(new TextDecoder().decode(fresh).replaceAll('\r', '\r\n')));
  }

  get typedText() {
    return Buffer.concat(this.typed).toString();
  }
}
