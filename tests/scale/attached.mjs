// An attached client without a terminal: speaks the local socket itself (docs/ipc.md), and draws what it
// gets into an @xterm/headless terminal. Hundreds of them fit into one process.

import { connect } from 'node:net';
import { require } from '../web/setup.mjs';

const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

const UP = { HELLO: 1, COMMAND: 2, KEYS: 3, DRAWN: 5 };
const DOWN = { OUTPUT: 0x82, EXIT: 0x83, ATTACHED: 0x84, DRAW: 0x85, DETACHED: 0x86 };
const MAGIC = 0x5654524e;
const VERSION = 1;
const FLAGS = 15; // a terminal, UTF-8, all colours
const HEADER_BYTES = 5;

const u8 = (v) => Buffer.of(v);
const u16 = (v) => Buffer.of(v >> 8, v & 0xff);
const u32 = (v) => Buffer.of(v >>> 24, (v >> 16) & 0xff, (v >> 8) & 0xff, v & 0xff);
const blob = (text) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)]);
const str = (text) => Buffer.concat([u16(Buffer.byteLength(text)), Buffer.from(text)]);

function frame(type, ...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length), u8(type), body]);
}

export class Attached {
  /** Attaches to a session with a terminal of this size; `attached` resolves once the daemon says so. */
  constructor(socketPath, session, { cols = 80, rows = 24 } = {}) {
    this.term = new Terminal({ cols, rows, scrollback: 0, allowProposedApi: true, logLevel: 'off' });
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = '11';
    this.drawn = 0; // bytes of DRAW
    this.pending = Buffer.alloc(0);
    this.errors = '';
    this.socket = connect(socketPath);
    this.attached = new Promise((resolve, reject) => {
      this.onAttached = resolve;
      this.onFailed = reject;
    });
    this.ended = new Promise((resolve) => this.socket.on('close', resolve));
    this.socket.on('error', (error) => this.onFailed(error));
    this.socket.on('close', () => this.onFailed(new Error(`not attached: ${this.errors}`)));
    this.socket.on('data', (data) => this.#take(data));
    const words = ['attach-session', '-t', session];
    this.socket.write(Buffer.concat([
      frame(UP.HELLO, u32(MAGIC), u16(VERSION), str('test')),
      frame(UP.COMMAND, u8(FLAGS), u16(cols), u16(rows), blob('xterm-256color'), blob('/'),
        u16(words.length), ...words.map(blob), u16(0)),
    ]));
  }

  #take(data) {
    this.pending = Buffer.concat([this.pending, data]);
    while (this.pending.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.pending.readUInt32BE(0);
      if (this.pending.length < end) return;
      this.#act(this.pending[4], this.pending.subarray(HEADER_BYTES, end));
      this.pending = this.pending.subarray(end);
    }
  }

  #act(type, body) {
    if (type === DOWN.ATTACHED) this.onAttached();
    else if (type === DOWN.OUTPUT) this.errors += body.subarray(1).toString();
    else if (type === DOWN.DRAW) this.#draw(body);
  }

  /** Parses at once, past the terminal's write queue, and tells the daemon. */
  #draw(body) {
    this.drawn += body.length;
    this.term._core._inputHandler.parse(new Uint8Array(body));
    this.socket.write(frame(UP.DRAWN, u32(0), u32(this.drawn)));
  }

  type(text) {
    this.socket.write(frame(UP.KEYS, Buffer.from(text)));
  }

  /** Takes nothing more from the daemon, as a terminal that hangs. */
  stall() {
    this.socket.pause();
  }

  resume() {
    this.socket.resume();
  }

  /** The terminal's rows as text, without blanks at their ends. */
  rows() {
    const buffer = this.term.buffer.active;
    return Array.from({ length: this.term.rows }, (_, i) => buffer.getLine(buffer.baseY + i).translateToString(true));
  }

  /** Vanishes without a word. */
  close() {
    this.socket.destroy();
    this.term.dispose();
    return this.ended;
  }
}
