// A viewer that keeps no rule it is not told to keep: handshake, records and messages one by one, so
// that a test can send anything at any moment. What an honest one does is in viewer.mjs.

import { lib, require, until } from '../web/setup.mjs';
import { openSocket, paneNumber } from './viewer.mjs';

const T = lib.MessageType;
const WAIT_MS = 30_000;
const CHUNK_BYTES = 16 << 10;
const FEATURES = new Uint8Array(4);

/** Message 1 of the handshake for a link, and the state that reads message 2. */
export async function greet(link, { ephemeral, secret, payload = FEATURES } = {}) {
  const { link: parsed } = lib.parseLink(link);
  const known = secret ?? parsed.secret;
  const linkId = await lib.deriveLinkId(parsed.secret);
  const noise = new lib.NoiseInitiator(
    {
      prologue: lib.concat(lib.utf8('vitrine/1'), linkId),
      psk: await lib.derivePsk(known),
      ephemeral: ephemeral ?? (await lib.x25519Generate()),
    },
    parsed.daemonKey,
  );
  const first = await noise.writeFirst(payload);
  return { noise, message: lib.concat(Uint8Array.of(1), linkId, first) };
}

/** One WebSocket to where a link points: what it got, and how it ended. */
export class Wire {
  constructor(link) {
    this.got = [];
    this.openedAt = undefined;
    this.socket = openSocket(lib.parseLink(link).socketUrl, lib.SUBPROTOCOL);
    this.socket.binaryType = 'arraybuffer';
    this.opened = new Promise((resolve, reject) => {
      this.socket.on('open', resolve);
      this.socket.on('error', reject);
    });
    this.opened.catch(() => undefined);
    this.socket.on('message', (data) => this.got.push(new Uint8Array(data)));
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        this.end = { code, reason: reason.toString(), at: performance.now() };
        resolve(this.end);
      });
    });
  }

  async send(bytes) {
    await this.opened;
    this.sentAt = performance.now();
    this.socket.send(bytes);
  }

  drop() {
    this.socket.terminate();
  }
}

/** Sends one first message; gives { code, reason, ms }: how the door was shut, and after how long. */
export async function knock(link, message) {
  const wire = new Wire(link);
  await wire.send(message);
  const { code, reason, at } = await wire.closed;
  return { code, reason, ms: at - wire.sentAt, got: wire.got };
}

export class Peer {
  #reader;
  #writer;
  #work = Promise.resolve();

  /** Handshake done, nothing said yet. */
  static async open(t, link, options) {
    const peer = new Peer();
    const { noise, message } = await greet(link, options);
    peer.wire = new Wire(link);
    t.after(() => peer.wire.drop());
    await peer.wire.send(message);
    await until(() => peer.wire.got.length > 0 || peer.wire.end, 'message 2', WAIT_MS);
    if (peer.wire.end) throw new Error(`refused: ${JSON.stringify(peer.wire.end)}`);
    const { split } = await noise.readSecond(peer.wire.got.shift().subarray(1));
    peer.#reader = new lib.RecordReader(split.fromResponder);
    peer.#writer = new lib.RecordWriter(split.fromInitiator);
    peer.messages = [];
    peer.bodyBytes = 0; // of KEYFRAME, OUTPUT and HISTORY: what ACK counts
    peer.assembly = new lib.Reassembly();
    for (const record of peer.wire.got.splice(0)) peer.#receive(record);
    peer.wire.socket.on('message', (data) => peer.#receive(new Uint8Array(data)));
    return peer;
  }

  /** Handshake and JOIN done. */
  static async join(t, link, fields) {
    const peer = await Peer.open(t, link);
    await peer.send(T.JOIN, joinOf(fields));
    peer.welcome = await peer.got(T.WELCOME);
    return peer;
  }

  #receive(record) {
    this.#work = this.#work.then(async () => {
      const whole = this.assembly.accept(await this.#reader.open(record));
      if (!whole) return;
      const fields = lib.decode(whole.type, whole.body);
      if ([T.KEYFRAME, T.OUTPUT, T.HISTORY].includes(whole.type)) this.bodyBytes += whole.body.length;
      this.messages.push({ type: whole.type, fields });
    });
    this.#work.catch(() => undefined);
  }

  get closed() {
    return this.wire.closed;
  }

  seal(plain) {
    return this.#writer.seal(plain);
  }

  async sendPlain(plain) {
    const record = await this.seal(plain);
    if (this.wire.socket.readyState === 1) this.wire.socket.send(record);
  }

  /** A message with any bytes as its body. */
  sendBody(type, body, padTo) {
    return this.sendPlain(lib.buildPlain(type, false, body, padTo));
  }

  send(type, fields) {
    return this.sendBody(type, lib.encode(type, fields));
  }

  sendRaw(bytes) {
    this.wire.socket.send(bytes);
  }

  async got(type, check = () => true) {
    const find = () => this.messages.find((message) => message.type === type && check(message.fields));
    const name = Object.keys(T).find((key) => T[key] === type);
    const found = await until(() => find() ?? this.wire.end, `${name}`, WAIT_MS);
    const message = find();
    if (!message) throw new Error(`closed before ${name}: ${JSON.stringify(found)}`);
    return message.fields;
  }

  /** Types from sequence number 0 on as an honest viewer does: no more than 64 KiB that are not TAKEN.
   *  Gives the number after the last byte sent. untilFull: ends when nothing more is taken. */
  async type(pane, bytes, { untilFull = false } = {}) {
    const taken = () => this.messages.filter(({ type }) => type === T.TAKEN).at(-1)?.fields.inputNext ?? 0;
    let seq = 0;
    while (seq < bytes.length) {
      const chunk = bytes.subarray(seq, Math.min(seq + CHUNK_BYTES, taken() + lib.KEPT_MAX_BYTES));
      if (chunk.length > 0) await this.send(T.INPUT, inputOf(pane, seq, chunk));
      seq += chunk.length;
      const before = taken();
      for (let i = 0; i < 3; i++) await this.answers(); // TAKEN follows at the end of a round
      if (untilFull && chunk.length === 0 && taken() === before) return seq;
      if (this.wire.end) throw new Error(`closed: ${JSON.stringify(this.wire.end)}`);
    }
    return seq;
  }

  /** Alive: a PING is answered. */
  async answers(value = 1 + Math.floor(Math.random() * 2 ** 40)) {
    await this.send(T.VIEWER_PING, { value });
    await this.got(T.PONG, (pong) => pong.value === value);
  }

  drop() {
    this.wire.drop();
  }
}

/** A whole JOIN from the fields that matter. */
export function joinOf(fields = {}) {
  return {
    name: '', client: 'test', pin: '', resumeToken: new Uint8Array(lib.TOKEN_BYTES), cols: 80, rows: 24, panes: [],
    ...fields,
  };
}

export const inputOf = (pane, seq, text) => ({ seq, pane: paneNumber(pane), data: typeof text === 'string' ? lib.utf8(text) : text });
