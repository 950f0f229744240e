// A gate on its own with a fake daemon at the other end of its socketpair, and a WebSocket client
// that can break every rule. Everything waits for events with a deadline; nothing sleeps.

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

export const TYPE = { OPEN: 1, DATA: 2, CLOSE: 3, CREDIT: 4, CONFIG: 5, STATE: 6, TLS: 7 };
export const STATE = { LISTENING: 0, PORT_TAKEN: 1, BIND_FAILED: 2, READY: 3, TLS_FAILED: 4 };
export const CREDIT = 128 << 10;
export const HEADER = 9;
export const FIRST = 69;
const PROGRAM = join(process.env.BIN ?? 'build/gcc/bin', 'vitrine-gate');
const DEADLINE_MS = 30000;
// Bounds for memory hold for plain builds; sanitizers keep freed memory and add to every block.
const SLACK = /asan/.test(`${process.env.VARIANT} ${PROGRAM}`) ? 16 : 1;

// Resolves when `test()` gives something true; `emitter` says when to look again.
export function until(emitter, events, test, what, deadlineMs = DEADLINE_MS) {
  return new Promise((resolve, reject) => {
    const stop = (end) => (value) => {
      clearTimeout(timer);
      for (const event of events) emitter.off(event, look);
      end(value);
    };
    const look = () => {
      const value = test();
      if (value) stop(resolve)(value);
    };
    const timer = setTimeout(() => stop(reject)(new Error(`in vain: ${what}`)), deadlineMs);
    for (const event of events) emitter.on(event, look);
    look();
  });
}

function str(text) {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function u(bytes, value) {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(value, 0, bytes);
  return out;
}

function blob(bytes) {
  return Buffer.concat([u(4, bytes.length), Buffer.from(bytes)]);
}

/** A TLS frame: certificate chain and key, PEM. */
export function tlsFrame({ chain, key }) {
  return frame(TYPE.TLS, 0, Buffer.concat([blob(chain), blob(key)]));
}

export function frame(type, channel, body) {
  return Buffer.concat([u(4, body.length), u(1, type), u(4, channel), body]);
}

export function config(options = {}) {
  const { version = 2, listeners = 0, bind = '127.0.0.1', port = 0, required = false } = options;
  const { allowNull = false, maxUnproven = 0, maxPerAddress = 0, origins = [] } = options;
  const { tls = null, basePath = '' } = options;
  return Buffer.concat([
    u(2, version), u(1, listeners), str(bind), u(2, port), u(1, required ? 1 : 0), u(1, allowNull ? 1 : 0),
    u(4, maxUnproven), u(4, maxPerAddress), u(1, tls ? 1 : 0), str(basePath), u(2, origins.length), ...origins.map(str),
  ]);
}

/** A port nobody listens on now, from the kernel. */
export async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** One gate process and the daemon's end of its socketpair. */
export class Gate {
  constructor({ withLink = true, descriptors } = {}) {
    const command = descriptors ? `ulimit -n ${descriptors}; exec "$0"` : 'exec "$0"';
    this.process = spawn('sh', ['-c', command, PROGRAM], { stdio: ['ignore', 'ignore', 'pipe', withLink ? 'pipe' : 'ignore'] });
    this.log = '';
    this.process.stderr.on('data', (chunk) => { this.log += chunk; this.link?.emit('progress'); });
    this.exited = new Promise((resolve) => {
      this.process.once('close', (code, signal) => { this.code = code; resolve(code ?? signal); });
    });
    this.frames = []; // channel 0
    this.channels = new Map();
    this.order = []; // [type, channel] of every frame
    this.input = [];
    this.inputBytes = 0;
    this.autoCredit = true;
    this.link = this.process.stdio[3];
    this.link?.on('data', (chunk) => this.#take(chunk));
    this.link?.on('error', () => {});
  }

  #take(chunk) {
    this.input.push(chunk);
    this.inputBytes += chunk.length;
    let all = Buffer.concat(this.input);
    while (all.length >= HEADER && all.length >= HEADER + all.readUInt32BE(0)) {
      const length = all.readUInt32BE(0);
      this.#act(all[4], all.readUInt32BE(5), all.subarray(HEADER, HEADER + length));
      all = all.subarray(HEADER + length);
    }
    this.input = [all];
    this.link.emit('progress');
  }

  #act(type, id, body) {
    this.order.push([type, id]);
    if (id === 0) {
      this.frames.push({ type, state: body[0], port: body.readUInt16BE(1), text: body.subarray(5).toString() });
      return;
    }
    if (type === TYPE.OPEN) {
      const peerLength = body.readUInt16BE(1);
      const peer = body.subarray(3, 3 + peerLength).toString();
      const origin = body.subarray(5 + peerLength).toString();
      this.channels.set(id, { id, flags: body[0], peer, origin, data: [], bytes: 0, credit: CREDIT, owed: 0 });
      return;
    }
    const channel = this.channels.get(id);
    if (type === TYPE.DATA) this.#data(channel, body);
    else if (type === TYPE.CREDIT) channel.credit += body.readUInt32BE(0);
    else if (type === TYPE.CLOSE) channel.closed = { code: body.readUInt16BE(0), reason: body.subarray(4).toString() };
  }

  #data(channel, body) {
    channel.data.push(Buffer.from(body));
    channel.bytes += HEADER + body.length;
    channel.owed += HEADER + body.length;
    if (this.autoCredit) this.giveBack(channel);
  }

  giveBack(channel) {
    if (channel.owed > 0) this.write(frame(TYPE.CREDIT, channel.id, u(4, channel.owed)));
    channel.owed = 0;
  }

  write(bytes) {
    this.link.write(bytes);
  }

  until(test, what, deadlineMs) {
    return until(this.link, ['progress', 'close'], test, `${what}\n${this.log}`, deadlineMs);
  }

  /** Sends CONFIG and waits for READY. */
  async start(options = {}) {
    const given = { port: options.port ?? (await freePort()), ...options };
    this.write(frame(TYPE.CONFIG, 0, config(given)));
    if (given.tls) this.write(tlsFrame(given.tls));
    await this.until(() => this.frames.some(({ state }) => state === STATE.READY), 'READY');
    const { port, text } = this.frames.find(({ state }) => state === STATE.LISTENING);
    Object.assign(this, { port, address: text });
    return this;
  }

  send(channel, body) {
    const bytes = HEADER + body.length;
    if (bytes > channel.credit) throw new Error('no credit');
    channel.credit -= bytes;
    this.write(frame(TYPE.DATA, channel.id, body));
  }

  close(channel, code, reason = '') {
    this.write(frame(TYPE.CLOSE, channel.id, Buffer.concat([u(2, code), str(reason)])));
  }

  /** Resident set in KiB, private pages only. */
  rssKib() {
    const rollup = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(rollup)[1]);
  }

  /** Fails when it holds over `kib` more than `before`. */
  assertGrownBelow(before, kib) {
    const grown = this.rssKib() - before;
    if (grown >= kib * SLACK) throw new Error(`grown by ${grown} KiB`);
  }

  cpuTicks() {
    const fields = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return Number(fields[11]) + Number(fields[12]);
  }

  /** Test builds move their clock forward by 20 s at this signal. */
  advance() {
    this.process.kill('SIGUSR1');
  }

  async stop() {
    if (this.code === undefined) this.link?.end();
    this.link?.resume();
    return this.exited;
  }
}

/** Runs `body` with a started gate and ends it; its log must not show a sanitizer's report. */
export async function withGate(options, body) {
  const gate = new Gate(options);
  try {
    await gate.start(options);
    await body(gate);
  } finally {
    if (gate.code === undefined) await gate.stop();
    if (/Sanitizer|runtime error/.test(gate.log)) throw new Error(gate.log);
  }
}

/** A raw TCP connection to the gate that collects what comes back. */
export class Client {
  constructor(gate, path, host = '127.0.0.1', socket = null) {
    this.socket = socket ?? (path ? connect(path) : connect(gate.port, host));
    this.bytes = Buffer.alloc(0);
    this.ended = false;
    this.socket.on('data', (chunk) => { this.bytes = Buffer.concat([this.bytes, chunk]); this.socket.emit('progress'); });
    this.socket.on('error', (error) => { this.error = error; });
    this.socket.on('end', () => { this.ended = true; this.socket.emit('progress'); });
    this.socket.on('close', () => { this.ended = true; });
  }

  write(bytes) {
    this.socket.write(bytes);
  }

  until(test, what, deadlineMs) {
    return until(this.socket, ['progress', 'close'], test, what, deadlineMs);
  }

  connected() {
    return until(this.socket, ['connect'], () => !this.socket.connecting, 'connect');
  }

  /** The next answer: { status, headers, body }. */
  async answer({ head = false } = {}) {
    const end = await this.until(() => this.bytes.indexOf('\r\n\r\n') + 1 || (this.ended && -1), 'an answer');
    if (end < 0) return { status: 0, headers: new Map(), body: Buffer.alloc(0) };
    const [line, ...lines] = this.bytes.subarray(0, end - 1).toString('latin1').split('\r\n');
    const headers = new Map(lines.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }));
    const start = end - 1 + 4;
    const length = head || /^HTTP\/1.1 (304|101)/.test(line) ? 0 : Number(headers.get('content-length'));
    await this.until(() => this.bytes.length >= start + length || this.ended, 'the body');
    const body = this.bytes.subarray(start, start + length);
    this.bytes = this.bytes.subarray(start + length);
    return { status: Number(line.split(' ')[1]), line, headers, body };
  }

  async ending() {
    await this.until(() => this.ended, 'the end of the connection');
  }

  destroy() {
    this.socket.destroy();
  }
}

/** How many of the clients were closed by the gate, once that are `least`. */
export async function evictions(clients, least) {
  const events = new EventEmitter();
  const gone = () => clients.filter(({ ended }) => ended).length;
  for (const { socket } of clients) socket.on('close', () => events.emit('close'));
  await until(events, ['close'], () => gone() >= least, `${least} evictions`);
  return gone();
}

/** Sends one request on a connection of its own. */
export async function request(gate, text, options = {}) {
  const client = new Client(gate, options.path);
  client.write(text);
  const answer = await client.answer(options);
  client.destroy();
  return answer;
}

export function get(gate, path, fields = '', method = 'GET') {
  return request(gate, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`, { head: method === 'HEAD' });
}

export function upgradeText({ path = '/ws', host = 'x', origin, protocol = 'vitrine.v1', version = 13, key = 'dGhlIHNhbXBsZSBub25jZQ==', extra = '' } = {}) {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
    + (version === null ? '' : `Sec-WebSocket-Version: ${version}\r\n`)
    + (key === null ? '' : `Sec-WebSocket-Key: ${key}\r\n`)
    + (origin === undefined ? '' : `Origin: ${origin}\r\n`)
    + (protocol === null ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`)
    + `${extra}\r\n`;
}

/** A frame as a client sends it; mask: false breaks the rule. */
export function wsFrame(payload, { opcode = 2, fin = true, mask = true, rsv = 0 } = {}) {
  const n = payload.length;
  const head = n < 126 ? Buffer.from([0, n]) : n < 65536 ? Buffer.concat([Buffer.from([0, 126]), u(2, n)])
    : Buffer.concat([Buffer.from([0, 127]), u(4, 0), u(4, n)]);
  head[0] = (fin ? 0x80 : 0) | rsv | opcode;
  if (!mask) return Buffer.concat([head, payload]);
  head[1] |= 0x80;
  const key = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let i = 0; i < n; i++) masked[i] ^= key[i & 3];
  return Buffer.concat([head, key, masked]);
}

/** A WebSocket over Client: raw frames out, parsed frames in. */
export class Viewer extends Client {
  static async open(gate, options = {}) {
    const viewer = new Viewer(gate, options.unix, '127.0.0.1', options.socket);
    viewer.write(upgradeText(options));
    const { status, headers } = await viewer.answer();
    if (status !== 101) throw new Error(`status ${status}`);
    viewer.headers = headers;
    return viewer;
  }

  /** Opens, sends a first message and waits for its channel: [viewer, channel]. */
  static async join(gate, options = {}) {
    const viewer = await Viewer.open(gate, options);
    const first = randomBytes(FIRST);
    viewer.write(wsFrame(first));
    const mine = () => [...gate.channels.values()].find(({ data }) => data[0]?.equals(first));
    const channel = await gate.until(mine, 'a channel');
    return [viewer, channel];
  }

  /** Takes the next frame: { opcode, payload }, or null at the end of the connection. */
  async frame() {
    const whole = () => {
      const b = this.bytes;
      if (b.length < 2) return null;
      const short = b[1] & 0x7f;
      const start = short === 126 ? 4 : 2;
      if (b.length < start) return null;
      const length = short === 126 ? b.readUInt16BE(2) : short;
      return b.length >= start + length ? { start, length } : null;
    };
    const found = await this.until(() => whole() ?? this.ended, 'a frame');
    if (found === true && whole() === null) return null;
    const { start, length } = whole();
    const result = { opcode: this.bytes[0] & 0x0f, first: this.bytes[0], payload: this.bytes.subarray(start, start + length) };
    this.bytes = this.bytes.subarray(start + length);
    return result;
  }

  /** The close code that comes next (null: the connection ended without one); data is skipped. */
  async closeCode() {
    for (;;) {
      const next = await this.frame();
      if (next === null) return null;
      if (next.opcode === 8) return next.payload.length >= 2 ? next.payload.readUInt16BE(0) : 1005;
    }
  }
}

export function acceptKey(key) {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
