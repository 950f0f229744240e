// One connection to the daemon: WebSocket, handshake, records, whole messages. It knows nothing of
// joining or rendering; viewer.ts does.
//
//   opening ──socket open──► greeting ──message 2──► sealed ──► closed
//
// Records are opened asynchronously but handed on in the order they came, and the end of the
// connection is handed on after the last of them: a BYE just before the close is never lost.
//
// The send functions at the end are also what tests use to misbehave on purpose.

import { Bytes, concat, utf8 } from '../crypto/bytes.js';
import { deriveLinkId, derivePsk, LINK_ID_BYTES } from '../crypto/derive.js';
import { NoiseInitiator, Split } from '../crypto/noise.js';
import { KEY_BYTES, KeyPair, TAG_BYTES, x25519Generate } from '../crypto/primitives.js';
import { buildPlain, RecordReader, RecordWriter } from '../crypto/record.js';
import { decode, encode, Fields, isUp } from '../protocol/codec.js';
import { Malformed, Reader } from '../protocol/cursor.js';
import { Link } from '../protocol/link.js';
import { Reassembly } from '../protocol/reassembly.js';

export const SUBPROTOCOL = 'vitrine.v1';
export const CLOSE_REFUSED = 4000;
export const CLOSE_HOST_GONE = 4004;

const HANDSHAKE_1 = 0x01;
const HANDSHAKE_2 = 0x02;
const HANDSHAKE_2_PAYLOAD_BYTES = 5;
const HANDSHAKE_2_BYTES = 1 + KEY_BYTES + HANDSHAKE_2_PAYLOAD_BYTES + TAG_BYTES;

/** The part of the browser's WebSocket that is used; the `ws` package's client has it too. */
export interface Socket {
  binaryType: string;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: { data: any }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: Uint8Array): void;
  close(code?: number): void;
}

export type OpenSocket = (url: string, protocol: string) => Socket;

/** Why a channel ended. `damaged`: something did not open or broke the protocol. */
export interface ChannelEnd {
  readonly kind: 'refused' | 'host-gone' | 'lost' | 'damaged';
  readonly code: number;
  readonly detail: string;
}

export interface ChannelEvents {
  /** The daemon has proven its key. needs: bits of Need. */
  ready(needs: number, handshakeHash: Uint8Array): void;
  /** A whole, decoded message; bodyBytes is the length of its body. */
  message(type: number, fields: Fields, bodyBytes: number): void;
  /** Once, after the last message. */
  end(end: ChannelEnd): void;
}

export interface ChannelOptions {
  readonly link: Link;
  readonly socketUrl: string;
  readonly openSocket: OpenSocket;
  /** Fixed only in tests; a fresh one otherwise. */
  readonly ephemeral?: KeyPair;
}

export class Channel {
  private readonly socket: Socket;
  private readonly greeting: Promise<{ noise: NoiseInitiator; message: Bytes }>;
  private readonly reassembly = new Reassembly();
  private state: 'opening' | 'greeting' | 'sealed' | 'closed' = 'opening';
  private reader: RecordReader | undefined;
  private writer: RecordWriter | undefined;
  private early: Uint8Array[] = []; // records that came while message 2 was being read
  private answered = false;
  private pending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly options: ChannelOptions,
    private readonly events: ChannelEvents,
  ) {
    this.greeting = this.prepareGreeting();
    this.greeting.catch(() => undefined);
    this.socket = options.openSocket(options.socketUrl, SUBPROTOCOL);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => void this.greet();
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = (event) => this.socketClosed(event.code);
    this.socket.onerror = () => undefined; // a close always follows
  }

  get isSealed(): boolean {
    return this.state === 'sealed';
  }

  /** Ends the connection without another event. */
  drop(): void {
    this.state = 'closed';
    this.closeSocket();
  }

  /** Seals and sends a message; ignored unless the channel is sealed. */
  send(type: number, message: object): Promise<void> {
    return this.sendPlain(buildPlain(type, false, encode(type, message)));
  }

  /** Seals and sends any plaintext, well-formed or not. */
  async sendPlain(plain: Uint8Array): Promise<void> {
    if (this.state !== 'sealed' || !this.writer) return;
    const record = await this.writer.seal(plain);
    if (this.state === 'sealed') this.sendRaw(record);
  }

  /** Sends bytes as they are, as one WebSocket message. */
  sendRaw(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  private async prepareGreeting(): Promise<{ noise: NoiseInitiator; message: Bytes }> {
    const { link } = this.options;
    const linkId = await deriveLinkId(link.secret);
    const options = {
      prologue: concat(utf8('vitrine/1'), linkId),
      psk: await derivePsk(link.secret),
      ephemeral: this.options.ephemeral ?? (await x25519Generate()),
    };
    const noise = new NoiseInitiator(options, link.daemonKey);
    const features = new Uint8Array(4);
    const first = await noise.writeFirst(features);
    return { noise, message: concat(Uint8Array.of(HANDSHAKE_1), linkId, first) };
  }

  private async greet(): Promise<void> {
    try {
      const { message } = await this.greeting;
      if (this.state !== 'opening') return;
      this.state = 'greeting';
      this.sendRaw(message);
    } catch (error) {
      this.fail(error);
    }
  }

  private receive(data: unknown): void {
    if (this.state === 'closed') return;
    if (!(data instanceof ArrayBuffer)) return this.fail(new Malformed('text message'));
    const bytes = new Uint8Array(data);
    if (this.reader) return this.openRecord(bytes);
    if (this.answered) {
      this.early.push(bytes);
      return;
    }
    this.answered = true;
    this.pending = this.readAnswer(bytes).catch((error: unknown) => this.fail(error));
  }

  private async readAnswer(bytes: Uint8Array): Promise<void> {
    if (this.state !== 'greeting') throw new Malformed('answer before the greeting');
    if (bytes.length !== HANDSHAKE_2_BYTES || bytes[0] !== HANDSHAKE_2) {
      throw new Malformed('not handshake message 2');
    }
    const { noise } = await this.greeting;
    const { payload, split } = await noise.readSecond(bytes.subarray(1));
    if (this.isClosed()) return;
    this.startRecords(split);
    const reader = new Reader(payload);
    reader.u32(); // features: none yet
    this.events.ready(reader.u8(), split.handshakeHash);
    for (const record of this.early.splice(0)) this.openRecord(record);
  }

  private startRecords(split: Split): void {
    this.reader = new RecordReader(split.fromResponder);
    this.writer = new RecordWriter(split.fromInitiator);
    this.state = 'sealed';
  }

  private openRecord(record: Uint8Array): void {
    this.pending = this.reader!.open(record).then(
      (plain) => this.deliver(plain),
      (error: unknown) => this.fail(error),
    );
  }

  private deliver(plain: Parameters<Reassembly['accept']>[0]): void {
    if (this.isClosed()) return;
    try {
      const whole = this.reassembly.accept(plain);
      if (!whole) return;
      if (isUp(whole.type)) throw new Malformed('a viewer’s message from the daemon');
      this.events.message(whole.type, decode(whole.type, whole.body), whole.body.length);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    this.finish({ kind: 'damaged', code: 0, detail });
  }

  private socketClosed(code: number): void {
    const before = !this.answered;
    void this.pending.then(() => {
      if (code === CLOSE_REFUSED && before) return this.finish(ended('refused', code));
      if (code === CLOSE_HOST_GONE) return this.finish(ended('host-gone', code));
      this.finish(ended('lost', code));
    });
  }

  private finish(end: ChannelEnd): void {
    if (this.isClosed()) return;
    this.state = 'closed';
    this.closeSocket();
    this.events.end(end);
  }

  private isClosed(): boolean {
    return this.state === 'closed';
  }

  private closeSocket(): void {
    try {
      this.socket.close(1000);
    } catch {
      // already closing, or never opened
    }
  }
}

function ended(kind: ChannelEnd['kind'], code: number): ChannelEnd {
  return { kind, code, detail: '' };
}

/** LINK_ID_BYTES || noise message: what a daemon reads after the first byte. For test responders. */
export function splitGreeting(message: Uint8Array): { linkId: Uint8Array; noise: Uint8Array } {
  return {
    linkId: message.subarray(1, 1 + LINK_ID_BYTES),
    noise: message.subarray(1 + LINK_ID_BYTES),
  };
}
